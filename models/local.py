"""`local/PATH-OR-NAME`: a checkpoint loaded into this process with transformers, batched behind the async protocol.

Requests that come within a short window are generated together, the oldest with those nearest to it in length. The
work is done by one thread of its own; closing the model stops it after the next token and lets the weights go.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from benchwright.models.chat import Attempt, Call, ChatRequest, Endpoint, Usage, call_key, storable
from benchwright.models.local_checkpoint import Checkpoint, LocalSettings, find_checkpoint, revision_of
from benchwright.models.local_engine import Engine, Generated, Job
from benchwright.models.thinking import split_thinking
from benchwright.schemas.status import CallStatus


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    request: ChatRequest
    key: str
    result: asyncio.Future[Generated]
    stopped: threading.Event

    @property
    def length(self) -> int:
        return self.job().length

    def job(self) -> Job:
        return Job(self.request, self.key, lambda: self.result.cancelled() or self.stopped.is_set())


class LocalModel:
    """A model in this process. Its name holds no path; its endpoint's revision is the checkpoint's identity."""

    external = False
    by_item = False

    def __init__(self, where: str, settings: LocalSettings | None = None) -> None:
        """Find the checkpoint; the weights are loaded at the first call.

        Args:
            where: a folder, a `.gguf` file, or a name on the Hub.
            settings: how to load it.

        Raises:
            UsageError: there is no such checkpoint, or a package to load it with is missing.
        """
        self._settings = settings or LocalSettings()
        self._checkpoint: Checkpoint = find_checkpoint(where, self._settings)
        self.name = f"local/{self._checkpoint.name}"
        self.endpoint = Endpoint(kind="local", revision=revision_of(self._checkpoint, self._settings))
        self._engine: Engine | None = None
        self._waiting: list[_Waiting] = []
        self._worker: asyncio.Task[None] | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._stopped = threading.Event()

    @property
    def batch_size(self) -> int:
        """Requests generated together at most; smaller than asked for after memory ran out."""
        return self._settings.batch_size if self._engine is None else self._engine.batch_size

    async def complete(self, request: ChatRequest) -> Attempt:
        """Generate one reply, together with others that wait.

        Raises:
            UsageError: the weights cannot be loaded, or the request holds a setting that only servers know.
        """
        key = call_key(self, request)
        waiting = _Waiting(request, key, asyncio.get_running_loop().create_future(), self._stopped)
        self._waiting.append(waiting)
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._serve())
        return Attempt(self._call(key, await waiting.result))

    async def close(self) -> None:
        """Stop after the token in work and let the weights go; a later call loads them again."""
        self._stopped.set()
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)
        if self._thread is not None:
            await asyncio.to_thread(self._thread.shutdown)
        for waiting in self._waiting:
            waiting.result.cancel()
        self._waiting.clear()
        self._engine = self._worker = self._thread = None
        self._stopped = threading.Event()

    async def _serve(self) -> None:
        while self._waiting:
            if len(self._waiting) < self.batch_size:
                await asyncio.sleep(self._settings.window_s)
            batch = self._next_batch()
            if not batch:
                continue
            (results,) = await asyncio.gather(self._in_thread(batch), return_exceptions=True)
            if isinstance(results, BaseException):
                for waiting in (*batch, *self._waiting):  # everyone who waits raises it
                    if not waiting.result.done():
                        waiting.result.set_exception(results)
                self._waiting.clear()
                return
            for waiting, result in zip(batch, results, strict=True):
                if not waiting.result.done():
                    waiting.result.set_result(result)

    def _next_batch(self) -> list[_Waiting]:
        """The oldest request and those nearest to it in length; what was cancelled is dropped."""
        self._waiting = [waiting for waiting in self._waiting if not waiting.result.done()]
        if not self._waiting:
            return []
        length = self._waiting[0].length
        nearest = sorted(self._waiting, key=lambda waiting: abs(waiting.length - length))
        batch = nearest[: self.batch_size]
        self._waiting = [waiting for waiting in self._waiting if waiting not in batch]
        return batch

    async def _in_thread(self, batch: list[_Waiting]) -> list[Generated]:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="benchwright-local")

        def generate() -> list[Generated]:
            if self._engine is None:
                self._engine = Engine(self._checkpoint, self._settings)
            return self._engine.generate([waiting.job() for waiting in batch])

        return await asyncio.get_running_loop().run_in_executor(self._thread, generate)

    def _call(self, key: str, generated: Generated) -> Call:
        if generated.failure is not None:
            failed, reason = generated.failure
            return Call(key=key, status=failed, model=self.name, detail=storable(reason))
        split = split_thinking(storable(generated.text))
        detail = None
        if generated.cut:
            status = CallStatus.TRUNCATED
        elif not split.text:
            status, detail = CallStatus.EMPTY, "unclosed-thinking" if split.unclosed else None
        else:
            status = CallStatus.OK
        return Call(
            key=key,
            status=status,
            text=split.text or None,
            thinking=split.thinking,
            finish_reason="length" if generated.cut else "stop",
            usage=Usage(prompt_tokens=generated.prompt_tokens, completion_tokens=generated.completion_tokens),
            model=self.name,
            detail=detail,
        )
