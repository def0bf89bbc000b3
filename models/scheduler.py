"""One scheduler for every caller: bounded concurrency, patient retries, results as they finish.

Retried: what the client marks as retryable (HTTP 408, 409, 429, 5xx, connection, time-out) with `Retry-After`
honoured (for every caller, see `models.traffic`) and exponential back-off with jitter otherwise; an empty reply once.
Everything else is final at once. When an endpoint turns everybody away (401, 403, 404, a used-up quota) or nobody is
at its address, three calls in a row, nothing more is sent: what is in flight is finished and kept, then
`EndpointDenied` ends the run.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing, nullcontext
from random import Random
from typing import Annotated, TypeVar

from pydantic import Field

from benchwright.models.budget import BudgetReached
from benchwright.models.chat import Attempt, Call, ChatModel, ChatRequest, call_key
from benchwright.models.spending import Ledger, Try
from benchwright.models.store import CallStore
from benchwright.models.traffic import EndpointDenied, Ticket, Traffic, estimated_tokens
from benchwright.schemas.records import Record
from benchwright.schemas.status import CallStatus

R = TypeVar("R")
T = TypeVar("T")


class SchedulerSettings(Record):
    """How hard to try. None of these changes what is asked, so none is part of a key."""

    concurrency: Annotated[int, Field(ge=1)] = 8
    """Calls in flight at most."""
    adaptive: bool = True
    """Fewer calls in flight while the endpoint is overloaded (429, 503, time-outs), slowly more again afterwards."""
    start_concurrency: Annotated[int, Field(ge=1)] | None = None
    """Calls in flight at the beginning of an adaptive run; None for `concurrency` at once."""
    requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    tokens_per_minute: Annotated[int, Field(ge=1)] | None = None
    """Prompt and reply together; reserved by estimate, corrected by what the endpoint accounts."""
    attempts: Annotated[int, Field(ge=1)] = 6
    """Tries for one call at most."""
    attempt_timeout_s: Annotated[float, Field(gt=0)] = 120.0
    """For models behind a server; a model in this process always comes to an end."""
    item_timeout_s: Annotated[float, Field(gt=0)] = 900.0
    """Tries and waits of one call together; no new try starts after it. Queueing for our own budgets is free."""
    backoff_base_s: Annotated[float, Field(ge=0)] = 0.5
    backoff_max_s: Annotated[float, Field(ge=0)] = 30.0
    seed: int = 0
    """Seeds the jitter."""


class Scheduler:
    """Makes calls for one model. All its methods belong to one event loop.

    Args:
        model: whom to ask.
        store: where finished calls are kept and found again.
        settings: how hard to try.
        traffic: shared with another scheduler that asks the same endpoint at the same time; default: an own one.
        ledger: books what is asked and asks its budget before each try; default: nothing is booked.

    Raises:
        UsageError: the ledger has a budget and the model's price is unknown.
    """

    def __init__(
        self,
        model: ChatModel,
        store: CallStore | None = None,
        settings: SchedulerSettings | None = None,
        traffic: Traffic | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        if ledger is not None and ledger.budget is not None:
            ledger.budget.check(model)
        self.model = model
        self.ledger = ledger
        self.store = store
        self.settings = settings or SchedulerSettings()
        self.traffic = traffic or traffic_of(self.settings)
        self._random = Random(self.settings.seed)
        self._in_flight: dict[str, asyncio.Event] = {}
        self._in_process = model.endpoint.kind != "openai"

    async def call(self, request: ChatRequest) -> Call:
        """Answer one request: from the store where it holds a final reply, else from the model.

        A failed call is not raised; its status says what happened. Two equal requests at the same time make one
        call (with a store): the second waits and reads the first one's reply.

        Raises:
            EndpointDenied: the endpoint turns everybody away; the call's record is in the store.
            BudgetReached: there is no money for it.
        """
        if self.store is None:
            return self._checked(await self._try_until_final(request))
        key = call_key(self.model, request)
        while (running := self._in_flight.get(key)) is not None:
            await running.wait()
        if (stored := self.store.get(key)) is not None:
            if self.ledger is not None:
                self.ledger.reused(self.model)
            return stored
        self._in_flight[key] = done = asyncio.Event()
        try:
            call = await self._try_until_final(request)
            self.store.put(call, request.as_json())
        finally:
            del self._in_flight[key]
            done.set()
        return self._checked(call)

    def stream(self, requests: Iterable[ChatRequest]) -> AsyncGenerator[tuple[ChatRequest, Call], None]:
        """Calls as they finish. Requests are pulled only when a slot is free, so their images need not all fit."""
        return as_finished(requests, self.call, self.settings.concurrency)

    def _checked(self, call: Call) -> Call:
        if self.ledger is not None:
            self.ledger.finished(self.model, call)
        self.traffic.check(self.model.name, self.model.endpoint.host, call)
        return call

    async def _try_until_final(self, request: ChatRequest) -> Call:
        deadline = time.monotonic() + self.settings.item_timeout_s
        tokens = estimated_tokens(request) if self.traffic.counts_tokens else 0
        empties = 0
        call: Call | None = None
        for number in range(1, self.settings.attempts + 1):
            booked = nullcontext(Try()) if self.ledger is None else self.ledger.trying(self.model, request)
            async with booked as one:
                deadline += one.waited_s
                ticket = await self.traffic.admit(tokens, deadline)
                if ticket is None:
                    break
                deadline += ticket.queued_s
                one.sent = True
                attempt = await self._one_attempt(request, ticket, deadline)
                one.ended = attempt.call
            call = attempt.call.model_copy(update={"attempts": number})
            if call.status is CallStatus.EMPTY:
                # A model in this process says the same again; a server may have hiccuped once.
                empties += 1
                if self._in_process or empties > 1:
                    return call
            elif not attempt.retryable:
                return call
            wait = self._wait_s(attempt, number)
            if number == self.settings.attempts or time.monotonic() + wait >= deadline:
                return call
            await asyncio.sleep(wait)
        return call or self._unsent(request)

    async def _one_attempt(self, request: ChatRequest, ticket: Ticket, deadline: float) -> Attempt:
        limit = min(self.settings.attempt_timeout_s, deadline - time.monotonic())
        attempt = None
        try:
            async with asyncio.timeout(None if self._in_process else limit):
                attempt = await self.model.complete(request)
        except TimeoutError:
            call = Call(
                key=call_key(self.model, request),
                status=CallStatus.TIMEOUT,
                model=self.model.name,
                detail=f"no reply within {limit:.0f} s",
            )
            attempt = Attempt(call, retryable=True)
        finally:
            self.traffic.leave(ticket, attempt)
        return attempt

    def _unsent(self, request: ChatRequest) -> Call:
        """What is left when the endpoint's pause outlasts the item's time before a first try."""
        return Call(
            key=call_key(self.model, request),
            status=CallStatus.RATE_LIMITED,
            model=self.model.name,
            detail="not sent: the endpoint asks everybody to wait longer than item_timeout_s",
            attempts=0,
        )

    def _wait_s(self, attempt: Attempt, number: int) -> float:
        """Seconds until the next try: the server's wish, else full-range exponential back-off with jitter."""
        if attempt.retry_after_s is not None:
            return attempt.retry_after_s
        ceiling = min(self.settings.backoff_max_s, self.settings.backoff_base_s * 2.0 ** (number - 1))
        return ceiling * (0.5 + 0.5 * self._random.random())


def traffic_of(settings: SchedulerSettings) -> Traffic:
    """The shared state that settings ask for."""
    return Traffic(
        settings.concurrency,
        settings.start_concurrency or settings.concurrency,
        settings.adaptive,
        settings.requests_per_minute,
        settings.tokens_per_minute,
    )


async def as_finished(
    items: Iterable[T], work: Callable[[T], Awaitable[R]], concurrency: int
) -> AsyncGenerator[tuple[T, R], None]:
    """Run `work` over items with at most `concurrency` at once and yield (item, result) as they finish.

    Items are pulled only when a slot is free. An exception of `work` (a bug, a full disk) ends the stream; the
    others are cancelled and waited for. After `EndpointDenied` or `BudgetReached` no item is pulled any more, what is
    running comes to its end and is yielded, then the exception is raised.
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

    denied: EndpointDenied | BudgetReached | None = None
    try:
        fill()
        while running:
            done = await finished.get()
            item = running.pop(done)
            if isinstance(error := done.exception(), EndpointDenied | BudgetReached):
                denied = error
                continue
            if denied is None:
                fill()
            yield item, done.result()
        if denied is not None:
            raise denied
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
    ledger: Ledger | None = None,
) -> list[Call]:
    """Make all calls and return them in the order of the requests (blocking; see `run_units`)."""
    scheduler = Scheduler(model, store, settings, ledger=ledger)
    return run_units(model, requests, scheduler.call, scheduler.settings.concurrency, on_result)
