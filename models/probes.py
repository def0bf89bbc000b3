"""What an endpoint really does with a schema and with a picture, found out once and kept in the call store.

Servers accept a `response_format` and ignore it, or answer 500; others take an image with HTTP 200 and never look at
it. So both are tried: free text is asked for under a schema (the reply must conform all the same), and a picture of a
number is sent (the number must come back). Nothing of a benchmark is sent.
"""

from __future__ import annotations

import asyncio
import io
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from random import Random
from typing import Literal

from pydantic import JsonValue

from benchwright.models.chat import Call, ChatModel, ChatRequest, Message, Sampling
from benchwright.models.scheduler import Scheduler, SchedulerSettings
from benchwright.models.spending import Ledger
from benchwright.models.store import CallStore
from benchwright.models.traffic import EndpointDenied
from benchwright.schemas.digest import digest_of
from benchwright.schemas.records import Record
from benchwright.schemas.status import CallStatus

SchemaMode = Literal["json_schema", "json_object", "none"]
VERSION = 1
"""Part of what is kept: a changed probe asks anew."""

_SETTINGS = SchedulerSettings(concurrency=1, attempts=2, attempt_timeout_s=120.0, item_timeout_s=300.0)
_MARK = "kelp-4071"
_SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "mark": {"type": "string", "enum": [_MARK]}},
    "required": ["reason", "mark"],
    "additionalProperties": False,
}
_FREE_TEXT = "In one short sentence of plain prose: why is the sky blue? Write prose only, no JSON, no list."
_READ_NUMBER = "The picture shows one number. Reply with that number and nothing else."
_INCONCLUSIVE = frozenset({CallStatus.RATE_LIMITED, CallStatus.TIMEOUT})
_GATEWAY = frozenset({502, 503, 504})
_TURNED_AWAY = frozenset({401, 403, 404})
"""A wrong key, a misspelt or not yet loaded model: says nothing about what it can do, and must not be kept."""


class Capabilities(Record):
    """What was found. None: not asked for, or the endpoint could not be reached just now."""

    schema_mode: SchemaMode | None = None
    """The form of `response_format` that is really enforced; `none`: describe the form in the prompt alone."""
    sees_images: bool | None = None


def probe(
    model: ChatModel, store: CallStore | None = None, *, vision: bool = True, ledger: Ledger | None = None
) -> Capabilities:
    """Find out what an endpoint does (blocking); what the store knows is not asked again.

    Args:
        model: the model; its connections are closed afterwards.
        store: keeps what was found for this endpoint, model and version of the probe.
        vision: whether to try a picture as well.
        ledger: books the (at most three) calls and asks its budget.

    Raises:
        EndpointDenied: the endpoint turns everybody away.
        BudgetReached: there is no money for them.
    """

    async def main() -> Capabilities:
        try:
            return await probe_endpoint(model, store, vision=vision, ledger=ledger)
        finally:
            await model.close()

    return asyncio.run(main())


async def probe_endpoint(
    model: ChatModel,
    store: CallStore | None = None,
    *,
    schema: bool = True,
    vision: bool = True,
    ledger: Ledger | None = None,
) -> Capabilities:
    """The same within an event loop; leaves the connections open."""
    scheduler = Scheduler(model, store, _SETTINGS, ledger=ledger)
    mode = await _kept(scheduler, "schema", _schema_mode) if schema else None
    sees = await _kept(scheduler, "vision", _sees_images) if vision else None
    return Capabilities.model_validate({"schema_mode": mode, "sees_images": sees})


def with_schema(
    request: ChatRequest, schema: dict[str, JsonValue] | None, found: Capabilities | None
) -> ChatRequest:
    """The request with the schema in the form that the endpoint enforces; unchanged where it enforces none.

    Args:
        request: describes the form in its prompt as well.
        schema: see `models.reply_schema`; None where the common subset cannot express the record.
        found: the endpoint's capabilities.
    """
    mode = None if found is None else found.schema_mode
    if schema is None or mode in (None, "none"):
        return request
    return _under_schema(request, schema, mode)


def known_capabilities(model: ChatModel, store: CallStore) -> Capabilities:
    """What earlier probes found; nothing is asked."""
    return Capabilities.model_validate(
        {
            "schema_mode": store.finding(_finding_key(model, "schema")),
            "sees_images": store.finding(_finding_key(model, "vision")),
        }
    )


def _finding_key(model: ChatModel, name: str) -> str:
    endpoint = model.endpoint.model_dump(mode="json")
    return digest_of({"probe": name, "version": VERSION, "endpoint": endpoint, "model": model.name})


async def _kept(
    scheduler: Scheduler, name: str, ask: Callable[[Scheduler], Awaitable[str | bool | None]]
) -> str | bool | None:
    key = _finding_key(scheduler.model, name)
    if scheduler.store is not None and (kept := scheduler.store.finding(key)) is not None:
        return kept
    found = await ask(scheduler)
    if scheduler.store is not None and found is not None:
        scheduler.store.keep_finding(key, found)
    return found


async def _schema_mode(scheduler: Scheduler) -> SchemaMode | None:
    if scheduler.model.endpoint.kind != "openai":
        return "none"  # nothing embedded enforces a schema
    modes: tuple[SchemaMode, ...] = ("json_schema", "json_object")
    for mode in modes:
        request = ChatRequest("probe", (Message.user(_FREE_TEXT),), Sampling(max_tokens=1024))
        call = await _let_in(scheduler, _under_schema(request, _SCHEMA, mode))
        if _inconclusive(call):
            return None
        if call.status is CallStatus.OK and _conforms(call.text or ""):
            return mode
    return "none"


async def _sees_images(scheduler: Scheduler) -> bool | None:
    if scheduler.model.by_item:
        return False  # the stand-ins read nothing
    number = _number_of(scheduler.model)
    request = ChatRequest(
        "probe", (Message.user(_READ_NUMBER, number_picture(number)),), Sampling(max_tokens=1024)
    )
    call = await _let_in(scheduler, request)
    if _inconclusive(call):
        return None
    return call.status is CallStatus.OK and re.findall(r"\d+", call.text or "") == [number]


async def _let_in(scheduler: Scheduler, request: ChatRequest) -> Call:
    """The probe's call.

    Raises:
        EndpointDenied: the endpoint turned it away: to wait for a third one would write a false finding down.
    """
    call = await scheduler.call(request)
    if call.status is CallStatus.ERROR and call.http_status in _TURNED_AWAY:
        model = scheduler.model
        raise EndpointDenied(
            f"{model.name} at {model.endpoint.host} was turned down before the first item ({call.detail}); "
            "check the key and the model's name, then run again."
        )
    return call


def _under_schema(request: ChatRequest, schema: dict[str, JsonValue], mode: SchemaMode | None) -> ChatRequest:
    sampling = request.sampling
    if mode == "json_schema":
        asked = sampling.model_copy(update={"json_schema": schema})
    else:
        form: JsonValue = {"type": "json_object", "schema": schema}
        asked = sampling.model_copy(update={"extra": {**sampling.extra, "response_format": form}})
    return replace(request, sampling=asked)


def _inconclusive(call: Call) -> bool:
    """True when the reply tells nothing about the endpoint's abilities: it was busy, slow or not there."""
    if call.status in _INCONCLUSIVE or call.http_status in _GATEWAY:
        return True
    return call.status is CallStatus.ERROR and call.http_status is None and call.detail is not None


def _conforms(text: str) -> bool:
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return (
        isinstance(value, dict)
        and set(value) == {"reason", "mark"}
        and value["mark"] == _MARK
        and isinstance(value["reason"], str)
    )


def _number_of(model: ChatModel) -> str:
    """Five digits that nobody can guess and every run of this model sees again."""
    seed = digest_of({"probe": VERSION, "endpoint": model.endpoint.base_url, "model": model.name})
    return str(Random(seed).randrange(10_000, 100_000))


def number_picture(number: str) -> bytes:
    """A PNG (black on white, 320 x 120 pixels) that shows the number."""
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("RGB", (320, 120), "white")
    ImageDraw.Draw(picture).text(
        (160, 60), number, fill="black", font=ImageFont.load_default(64), anchor="mm"
    )
    stream = io.BytesIO()
    picture.save(stream, format="PNG")
    return stream.getvalue()
