"""Typed replies: ask for one JSON object, read it tolerantly, validate it, ask once more with the complaint.

After the second failure the result is `unparsable`: never a default value, never half an object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from benchwright.models.chat import Call, ChatModel, ChatRequest, Message
from benchwright.models.json_reply import NoObject, ends_complete, parse_object
from benchwright.models.probes import Capabilities, with_schema
from benchwright.models.reply_schema import reply_schema
from benchwright.models.scheduler import Scheduler, SchedulerSettings, run_units
from benchwright.models.spending import Ledger
from benchwright.models.store import CallStore
from benchwright.schemas.status import CallStatus

T = TypeVar("T", bound=BaseModel)
Check = Callable[[ChatRequest, T], str | None]

_REASK = (
    "Your last reply could not be used: {complaint}. "
    "Reply again with one JSON object of the form asked for, and nothing else."
)


@dataclass(frozen=True, slots=True)
class Structured(Generic[T]):
    """A typed reply. `status` is ok exactly when `value` is there."""

    status: CallStatus
    value: T | None
    detail: str | None
    """Why there is no value."""
    calls: tuple[Call, ...]
    """All calls made for it, in order; the last one gave the value."""


class UnusableReply(ValueError):
    """The reply was read but does not satisfy the record or the caller's check; the message is sent back."""


def read_value(text: str, reply: type[T]) -> T:
    """The last complete object of a reply that satisfies the record.

    Raises:
        NoObject: there is no complete object.
        UnusableReply: there are objects, and none satisfies the record; tells the last one's faults.
    """
    complaint = ""
    for value in reversed(parse_object(text)):
        try:
            return reply.model_validate(value)
        except ValidationError as error:
            complaint = complaint or _in_words(error)
    raise UnusableReply(complaint)


async def ask_structured(
    scheduler: Scheduler,
    request: ChatRequest,
    reply: type[T],
    check: Check[T] | None = None,
    capabilities: Capabilities | None = None,
) -> Structured[T]:
    """Ask for a typed reply, with one re-ask; a reply cut by the token limit is retried once with twice the room.

    Args:
        scheduler: makes and stores the calls.
        request: the question; its prompt has to describe the form.
        reply: pydantic model of the form.
        check: further test of a valid value; returns a complaint in words, or None.
        capabilities: what `models.probes.probe` found; the record's schema is sent only where it is enforced.
    """
    request = with_schema(request, reply_schema(reply), capabilities)
    calls: list[Call] = []
    current = request
    complaint = ""
    for _ in range(2):
        call = await scheduler.call(current)
        calls.append(call)
        if call.status is CallStatus.TRUNCATED and not ends_complete(call.text or ""):
            complaint = "cut by the token limit"
            if (wider := _with_more_room(current)) is None:
                break
            current = wider
            continue
        if call.status not in (CallStatus.OK, CallStatus.TRUNCATED):
            return Structured(call.status, None, call.detail or call.refusal, tuple(calls))
        text = call.text or ""
        try:
            value = read_value(text, reply)
            complaint = (check(request, value) if check is not None else None) or ""
        except (NoObject, UnusableReply) as error:
            complaint = str(error)
        else:
            if not complaint:
                return Structured(CallStatus.OK, value, None, tuple(calls))
        current = _asked_again(current, text, complaint)
    cut = calls[-1].status is CallStatus.TRUNCATED
    return Structured(CallStatus.TRUNCATED if cut else CallStatus.UNPARSABLE, None, complaint, tuple(calls))


def run_structured(
    model: ChatModel,
    requests: Iterable[ChatRequest],
    reply: type[T],
    *,
    store: CallStore | None = None,
    settings: SchedulerSettings | None = None,
    check: Check[T] | None = None,
    on_result: Callable[[ChatRequest, Structured[T]], None] | None = None,
    capabilities: Capabilities | None = None,
    ledger: Ledger | None = None,
) -> list[Structured[T]]:
    """Ask all requests for typed replies (blocking); results in the order of the requests."""
    scheduler = Scheduler(model, store, settings, ledger=ledger)

    async def work(request: ChatRequest) -> Structured[T]:
        return await ask_structured(scheduler, request, reply, check, capabilities)

    return run_units(model, requests, work, scheduler.settings.concurrency, on_result)


def _asked_again(request: ChatRequest, text: str, complaint: str) -> ChatRequest:
    again = (Message.assistant(text or "(nothing)"), Message.user(_REASK.format(complaint=complaint)))
    return replace(request, messages=request.messages + again)


def _with_more_room(request: ChatRequest) -> ChatRequest | None:
    """The same request with twice the token limit; None where no limit of ours was the cause."""
    sampling = request.sampling
    named = sampling.extra.get("max_completion_tokens")
    if isinstance(named, int):
        wider = sampling.model_copy(update={"extra": {**sampling.extra, "max_completion_tokens": 2 * named}})
    elif sampling.max_tokens is not None:
        wider = sampling.model_copy(update={"max_tokens": 2 * sampling.max_tokens})
    else:
        return None
    return replace(request, sampling=wider)


def _in_words(error: ValidationError) -> str:
    faults = (
        f"{'.'.join(str(step) for step in fault['loc']) or 'the object'}: {fault['msg']}"
        for fault in error.errors()
    )
    return "; ".join(faults)
