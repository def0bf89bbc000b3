"""Generation in this process: a checkpoint, its processor, and batches that halve themselves when memory runs out.

A row's reply does not depend on its neighbours: padding is on the left and masked, limits are kept row by row, and
sampling draws from a generator that is seeded by the row's own key (the Gumbel trick, so that it stays one greedy
pass). What remains is rounding: a batch of another shape may add in another order.
"""

from __future__ import annotations

import gc
import io
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from benchwright.models.chat import ChatRequest, ImagePart, Message, TextPart
from benchwright.models.local_checkpoint import Checkpoint, LocalSettings
from benchwright.models.local_loading import Loaded, load
from benchwright.models.local_sampling import Row, processors_for, stopping_for
from benchwright.schemas.errors import UsageError
from benchwright.schemas.status import CallStatus

DEFAULT_NEW_TOKENS = 2048
"""Where a request sets no limit."""
_MEMORY_WORDS = ("out of memory", "can't allocate memory", "not enough memory", "ALLOC_FAILED")
_EXTRA = frozenset({"max_completion_tokens", "top_k", "chat_template_kwargs"})
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Job:
    """One request to be generated. `cancelled` is asked after each token."""

    request: ChatRequest
    key: str
    cancelled: Callable[[], bool]

    @property
    def length(self) -> int:
        """Rough length of the prompt, to sort by: characters, and some for each image."""
        parts = [part for message in self.request.messages for part in message.parts]
        return sum(len(part.text) if isinstance(part, TextPart) else 2000 for part in parts)


@dataclass(frozen=True, slots=True)
class Generated:
    """What became of a job: text and counts, or a status with a reason."""

    text: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut: bool = False
    """True when the token limit ended the reply."""
    failure: tuple[CallStatus, str] | None = None


class Engine:
    """A loaded checkpoint. All its methods belong to one thread.

    Args:
        checkpoint: what to load.
        settings: how.

    Raises:
        UsageError: it cannot be loaded; tells why.
    """

    def __init__(self, checkpoint: Checkpoint, settings: LocalSettings) -> None:
        self._loaded: Loaded = load(checkpoint, settings)
        self._name = checkpoint.name
        self.batch_size = settings.batch_size
        """Rows together at most; becomes smaller when memory runs out, and stays so."""

    def generate(self, jobs: Sequence[Job]) -> list[Generated]:
        """Answer all jobs, in their order; long prompts first, so that memory runs out early if at all."""
        order = sorted(range(len(jobs)), key=lambda place: -jobs[place].length)
        results: dict[int, Generated] = {}
        ready: list[tuple[int, Prepared]] = []
        for place in order:
            prepared = self._prepare(jobs[place])
            if isinstance(prepared, Generated):
                results[place] = prepared
            else:
                ready.append((place, prepared))
        for group in (
            [entry for entry in ready if entry[1].images],
            [entry for entry in ready if not entry[1].images],
        ):
            done = self._in_batches([prepared for _, prepared in group])
            results.update(zip((place for place, _ in group), done, strict=True))
        return [results[place] for place in range(len(jobs))]

    def _prepare(self, job: Job) -> Prepared | Generated:
        import jinja2

        sampling = job.request.sampling
        if sampling.json_schema is not None:
            return Generated(failure=(CallStatus.ERROR, "a local model is not bound to a schema"))
        if unknown := sorted(set(sampling.extra) - _EXTRA):
            raise UsageError(
                f"local/{self._name} does not know the setting {unknown[0]}; it knows {', '.join(sorted(_EXTRA))}."
            )
        images = [
            part for message in job.request.messages for part in message.parts if isinstance(part, ImagePart)
        ]
        if images and not self._loaded.sees:
            return Generated(failure=(CallStatus.UNSENDABLE, "the model reads text only"))
        more = sampling.extra.get("chat_template_kwargs")
        try:
            text = self._loaded.template(
                [self._turn(message) for message in job.request.messages],
                dict(more) if isinstance(more, Mapping) else {},
            )
        except jinja2.TemplateError as error:
            return Generated(failure=(CallStatus.ERROR, f"the chat template refuses the messages: {error}"))
        pixels = []
        for image in images:
            try:
                with Image.open(io.BytesIO(image.data)) as opened:
                    pixels.append(opened.convert("RGB"))
            except (OSError, Image.DecompressionBombError) as error:
                return Generated(failure=(CallStatus.UNSENDABLE, f"an image cannot be decoded: {error}"))
        return Prepared(job, text, tuple(pixels), self._row(job))

    def _turn(self, message: Message) -> dict[str, Any]:
        if not self._loaded.sees:
            text = "\n".join(part.text for part in message.parts if isinstance(part, TextPart))
            return {"role": message.role, "content": text}
        content = [
            {"type": "text", "text": part.text} if isinstance(part, TextPart) else {"type": "image"}
            for part in message.parts
        ]
        return {"role": message.role, "content": content}

    def _row(self, job: Job) -> Row:
        sampling, default = job.request.sampling, self._loaded.defaults
        named = sampling.extra.get("max_completion_tokens")
        top_k = sampling.extra.get("top_k")
        limit = named if isinstance(named, int) else sampling.max_tokens
        return Row(
            limit=DEFAULT_NEW_TOKENS if limit is None else limit,
            temperature=default.temperature if sampling.temperature is None else sampling.temperature,
            top_p=default.top_p if sampling.top_p is None else sampling.top_p,
            top_k=top_k if isinstance(top_k, int) else default.top_k,
            seed=int(job.key[:15], 16),
            cancelled=job.cancelled,
        )

    def _in_batches(self, rows: Sequence[Prepared]) -> list[Generated]:
        results: list[Generated] = []
        while len(results) < len(rows):
            batch = rows[len(results) : len(results) + self.batch_size]
            done = self._batch(batch)
            if done is not None:
                results.extend(done)
                continue
            self._loaded.release_memory()
            if len(batch) == 1:
                reason = "the memory does not hold this request, not even alone"
                results.append(Generated(failure=(CallStatus.UNSENDABLE, reason)))
            else:
                self.batch_size = len(batch) // 2
                _log.warning("%s: out of memory, going on with batches of %d", self._name, self.batch_size)
        return results

    def _batch(self, rows: Sequence[Prepared]) -> list[Generated] | None:
        """Results of one batch, or None when memory ran out."""
        try:
            return self._within_context(rows)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
        gc.collect()  # the tensors of the failed batch hang on the frames of the error, which is gone by now
        return None

    def _within_context(self, rows: Sequence[Prepared]) -> list[Generated]:
        inputs = self._loaded.encode([row.text for row in rows], [list(row.images) for row in rows])
        lengths = [int(length) for length in inputs["attention_mask"].sum(dim=1)]
        context = self._loaded.context
        fits = [place for place, length in enumerate(lengths) if length < context]
        if len(fits) < len(rows):
            inner = iter(self._within_context([rows[place] for place in fits]) if fits else ())
            return [
                next(inner)
                if place in fits
                else Generated(
                    failure=(
                        CallStatus.UNSENDABLE,
                        f"the prompt has {length} tokens, the model's context {context}",
                    )
                )
                for place, length in enumerate(lengths)
            ]
        limits = [min(row.row.limit, context - length) for row, length in zip(rows, lengths, strict=True)]
        tokens = self._generate(inputs, rows, limits)
        return [
            self._read(line, length, limit)
            for line, length, limit in zip(tokens, lengths, limits, strict=True)
        ]

    def _generate(self, inputs: Any, rows: Sequence[Prepared], limits: Sequence[int]) -> list[list[int]]:
        """New tokens of each row, end and padding included."""
        import torch

        loaded = self._loaded
        start = int(inputs["input_ids"].shape[1])
        settings = [row.row for row in rows]
        with torch.inference_mode():
            output = loaded.model.generate(
                **inputs,
                max_new_tokens=max(limits),
                do_sample=False,
                temperature=None,
                top_p=None,
                top_k=None,
                pad_token_id=loaded.pad,
                logits_processor=processors_for(settings),
                stopping_criteria=stopping_for(settings, limits, start),
            )
        lines: list[list[int]] = output[:, start:].tolist()
        return lines

    def _read(self, tokens: list[int], prompt_tokens: int, limit: int) -> Generated:
        kept = tokens[:limit]
        end = next((place for place, token in enumerate(kept) if token in self._loaded.ends), None)
        said = kept if end is None else kept[:end]
        return Generated(
            text=self._loaded.tokenizer.decode(said, skip_special_tokens=True),
            prompt_tokens=prompt_tokens,
            completion_tokens=len(kept) if end is None else end + 1,
            cut=end is None,
        )


@dataclass(frozen=True, slots=True)
class Prepared:
    """A job as the model takes it."""

    job: Job
    text: str
    images: tuple[Image.Image, ...]
    row: Row


def is_out_of_memory(error: BaseException) -> bool:
    """True for Python's, CUDA's and the CPU allocator's way of saying that there is no memory left."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    return any(words in str(error) for words in _MEMORY_WORDS)
