"""One scheduler for every caller: bounded concurrency, patient retries, results as they finish.

Retried: what the client marks as retryable (HTTP 408, 409, 429, 5xx, connection, time-out) with `Retry-After`
honoured and exponential back-off with jitter otherwise; an empty reply once. Everything else is final at once.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing
from random import Random
from typing import Annotated, TypeVar

from pydantic import Field

from benchwright.models.chat import Attempt, Call, ChatModel, ChatRequest, call_key
from benchwright.models.store import CallStore
from benchwright.schemas.records import Record
from benchwright.schemas.status import CallStatus

R = TypeVar("R")
T = TypeVar("T")


class SchedulerSettings(Record):
    """How hard to try. None of these changes what is asked, so none is part of a key."""

    concurrency: Annotated[int, Field(ge=1)] = 8
    """Calls in flight at most."""
    attempts: Annotated[int, Field(ge=1)] = 6
    """Tries for one call at most."""
    attempt_timeout_s: Annotated[float, Field(gt=0)] = 120.0
    item_timeout_s: Annotated[float, Field(gt=0)] = 900.0
    """Tries and waits of one call together; no new try starts after it."""
    backoff_base_s: Annotated[float, Field(ge=0)] = 0.5
    backoff_max_s: Annotated[float, Field(ge=0)] = 30.0
    seed: int = 0
    """Seeds the jitter."""


class Scheduler:
    """Makes calls for one model. All its methods belong to one event loop."""

    def __init__(
        self, model: ChatModel, store: CallStore | None = None, settings: SchedulerSettings | None = None
    ) -> None:
        self.model = model
        self.store = store
        self.settings = settings or SchedulerSettings()
        self._random = Random(self.settings.seed)
        self._in_flight: dict[str, asyncio.Event] = {}

    async def call(self, request: ChatRequest) -> Call:
        """Answer one request: from the store where it holds a final reply, else from the model.

        A failed call is not raised; its status says what happened. Two equal requests at the same time make one
        call (with a store): the second waits and reads the first one's reply.
        """
        if self.store is None:
            return await self._try_until_final(request)
        key = call_key(self.model, request)
        while (running := self._in_flight.get(key)) is not None:
            await running.wait()
        if (stored := self.store.get(key)) is not None:
            return stored
        self._in_flight[key] = done = asyncio.Event()
        try:
            call = await self._try_until_final(request)
            self.store.put(call, request.as_json())
        finally:
            del self._in_flight[key]
            done.set()
        return call

    def stream(self, requests: Iterable[ChatRequest]) -> AsyncGenerator[tuple[ChatRequest, Call], None]:
        """Calls as they finish. Requests are pulled only when a slot is free, so their images need not all fit."""
        return as_finished(requests, self.call, self.settings.concurrency)

    async def _try_until_final(self, request: ChatRequest) -> Call:
        deadline = time.monotonic() + self.settings.item_timeout_s
        empties = 0
        for number in range(1, self.settings.attempts + 1):
            attempt = await self._one_attempt(request, deadline)
            call = attempt.call.model_copy(update={"attempts": number})
            if call.status is CallStatus.EMPTY:
                # An embedded model says the same again; a server may have hiccuped once.
                empties += 1
                if self.model.by_item or empties > 1:
                    return call
            elif not attempt.retryable:
                return call
            wait = self._wait_s(attempt, number)
            if number == self.settings.attempts or time.monotonic() + wait >= deadline:
                return call
            await asyncio.sleep(wait)
        raise AssertionError("the last attempt always returns")

    async def _one_attempt(self, request: ChatRequest, deadline: float) -> Attempt:
        limit = min(self.settings.attempt_timeout_s, deadline - time.monotonic())
        try:
            async with asyncio.timeout(limit):
                return await self.model.complete(request)
        except TimeoutError:
            call = Call(
                key=call_key(self.model, request),
                status=CallStatus.TIMEOUT,
                model=self.model.name,
                detail=f"no reply within {limit:.0f} s",
            )
            return Attempt(call, retryable=True)

    def _wait_s(self, attempt: Attempt, number: int) -> float:
        """Seconds until the next try: the server's wish, else full-range exponential back-off with jitter."""
        if attempt.retry_after_s is not None:
            return attempt.retry_after_s
        ceiling = min(self.settings.backoff_max_s, self.settings.backoff_base_s * 2.0 ** (number - 1))
        return ceiling * (0.5 + 0.5 * self._random.random())


async def as_finished(
    items: Iterable[T], work: Callable[[T], Awaitable[R]], concurrency: int
) -> AsyncGenerator[tuple[T, R], None]:
    """Run `work` over items with at most `concurrency` at once and yield (item, result) as they finish.

    Items are pulled only when a slot is free. An exception of `work` (a bug, a full disk) ends the stream; the
    others are cancelled and waited for.
    """
    source = iter(items)
    running: dict[asyncio.Task[R], T] = {}
    finished: asyncio.Queue[asyncio.Task[R]] = asyncio.Queue()

    async def unit(item: T) -> R:
        return await work(item)

    def fill() -> None:
        while len(running) < concurrency:
            try:
                item = next(source)
            except StopIteration:
                return
            task = asyncio.create_task(unit(item))
            task.add_done_callback(finished.put_nowait)
            running[task] = item

    try:
        fill()
        while running:
            done = await finished.get()
            item = running.pop(done)
            fill()
            yield item, done.result()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def run_units(
    model: ChatModel,
    requests: Iterable[ChatRequest],
    work: Callable[[ChatRequest], Awaitable[R]],
    concurrency: int,
    on_result: Callable[[ChatRequest, R], None] | None = None,
) -> list[R]:
    """Blocking form of `as_finished`: results in the order of the requests; the model is closed at the end.

    `on_result` is called in the order of finishing. Ctrl-C cancels what is in flight and closes the connections.
    """
    results: dict[int, R] = {}

    async def numbered_work(numbered: tuple[int, ChatRequest]) -> R:
        return await work(numbered[1])

    async def main() -> None:
        try:
            async with aclosing(as_finished(enumerate(requests), numbered_work, concurrency)) as stream:
                async for (place, request), result in stream:
                    results[place] = result
                    if on_result is not None:
                        on_result(request, result)
        finally:
            await model.close()

    asyncio.run(main())
    return [results[place] for place in range(len(results))]


def run_calls(
    model: ChatModel,
    requests: Iterable[ChatRequest],
    *,
    store: CallStore | None = None,
    settings: SchedulerSettings | None = None,
    on_result: Callable[[ChatRequest, Call], None] | None = None,
) -> list[Call]:
    """Make all calls and return them in the order of the requests (blocking; see `run_units`)."""
    scheduler = Scheduler(model, store, settings)
    return run_units(model, requests, scheduler.call, scheduler.settings.concurrency, on_result)
