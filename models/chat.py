"""What is said to a chat model and what comes back: messages, settings, the `Call` record, the `ChatModel` protocol.

Image bytes travel as they lie in the workspace; nothing here decodes or writes pixels anew.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

from pydantic import JsonValue

from benchwright.schemas.digest import digest_of, sha256_bytes
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import QuestionType, Record, Sha256
from benchwright.schemas.status import CallStatus

Role = Literal["system", "user", "assistant"]

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


@dataclass(frozen=True, slots=True)
class TextPart:
    """A piece of text in a message."""

    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image in a message: its bytes, untouched, its MIME type and the digest of the bytes."""

    data: bytes = field(repr=False)
    media_type: str
    sha256: str

    @classmethod
    def of(cls, data: bytes) -> ImagePart:
        """Wrap image bytes; the MIME type is read from the bytes, never from a name.

        Raises:
            ItemError: `unknown-image-type` when the bytes are no PNG, JPEG, GIF or WebP.
        """
        return cls(data, media_type_of(data), sha256_bytes(data))


@dataclass(frozen=True, slots=True)
class Message:
    """One turn: who speaks, and the parts in the order in which they are sent."""

    role: Role
    parts: tuple[TextPart | ImagePart, ...]

    @classmethod
    def system(cls, text: str) -> Message:
        """A system message."""
        return cls("system", (TextPart(text),))

    @classmethod
    def user(cls, text: str, *images: bytes) -> Message:
        """A user message: the text (no part at all when it is empty), then the images."""
        head: tuple[TextPart | ImagePart, ...] = (TextPart(text),) if text else ()
        return cls("user", head + tuple(ImagePart.of(data) for data in images))

    @classmethod
    def assistant(cls, text: str) -> Message:
        """An earlier reply of the model, for a re-ask or for few-shot examples."""
        return cls("assistant", (TextPart(text),))


class Sampling(Record):
    """Settings of a generation. None leaves the field out of the request, so that the server's default holds."""

    temperature: float | None = 0.0
    max_tokens: int | None = 2048
    seed: int | None = None
    top_p: float | None = None
    json_schema: dict[str, JsonValue] | None = None
    """Sent as a strict `response_format`; only for endpoints that are known to enforce it."""
    extra: dict[str, JsonValue] = {}
    """Further fields of the request body, as they are, e.g. `max_completion_tokens` or `reasoning_effort`."""


class Hints(Record):
    """What an embedded stand-in needs to know of the item; no real model is ever sent this."""

    question_type: QuestionType
    options: tuple[str, ...] = ()
    """Labels of the options, in order."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One call to be made. `item_id` names the item in logs and for stand-ins; it is not sent."""

    item_id: str
    messages: tuple[Message, ...]
    sampling: Sampling = field(default_factory=Sampling)
    sample_index: int = 0
    """Counts repeated calls with the same content (votes); part of the key, so each is made."""
    hints: Hints | None = None
    estimated_tokens: int | None = None
    """Prompt and reply together, for the budget of tokens a minute; no part of the key. None: a rough estimate."""

    def as_json(self) -> dict[str, Any]:
        """The content of the request with each image given by its digest: what keys and the store hold."""
        return {
            "messages": [
                {"role": message.role, "parts": [_part_json(part) for part in message.parts]}
                for message in self.messages
            ],
            "sampling": self.sampling.model_dump(mode="json"),
            "sample_index": self.sample_index,
        }


class Usage(Record):
    """Token counts as the server reports them; None where it says nothing (never 0)."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None
    """The part of the prompt that the server had in its cache (often cheaper)."""


class Call(Record):
    """How one call ended. Holds no clock, no header, no key."""

    key: Sha256
    status: CallStatus
    text: str | None = None
    """The reply without thinking text; also set for a truncated or filtered reply that holds some."""
    thinking: str | None = None
    finish_reason: str | None = None
    refusal: str | None = None
    usage: Usage = Usage()
    model: str
    """As asked for, e.g. `openai/gpt-4o`."""
    reported_model: str | None = None
    """As the server names itself."""
    detail: str | None = None
    """What went wrong, in words, without credentials."""
    http_status: int | None = None
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class Attempt:
    """Outcome of one try, with a hint for the scheduler."""

    call: Call
    retryable: bool = False
    retry_after_s: float | None = None
    """What the server asked for, in seconds."""
    denied: bool = False
    """True when the endpoint turned the caller away, not this request: key, model's name or quota."""


class Endpoint(Record):
    """Where a model is reached; part of the identity of a call. Never holds credentials."""

    kind: Literal["openai", "local", "baseline", "replay"]
    base_url: str | None = None
    revision: str | None = None
    """Digest of a checkpoint or its hub commit, of a replay file's answers; version of an embedded rule."""

    @cached_property
    def host(self) -> str | None:
        """Host name of the base URL; None for embedded models."""
        return urlsplit(self.base_url).hostname if self.base_url else None


class ChatModel(Protocol):
    """Anything that answers messages."""

    @property
    def name(self) -> str:
        """The id under which it was opened, e.g. `openai/gpt-4o`."""

    @property
    def endpoint(self) -> Endpoint:
        """Where it is reached."""

    @property
    def external(self) -> bool:
        """True when what is sent leaves this machine and its private network."""

    @property
    def by_item(self) -> bool:
        """True when the reply depends on `item_id` and `hints` (the embedded stand-ins)."""

    async def complete(self, request: ChatRequest) -> Attempt:
        """Make one attempt. Transport errors come back as a status, they are not raised."""

    async def close(self) -> None:
        """Let connections go; needed before the event loop ends."""


def call_key(model: ChatModel, request: ChatRequest) -> str:
    """Identity of a call: endpoint, model, messages with image digests, settings, sample index."""
    content: dict[str, Any] = {
        "endpoint": model.endpoint.model_dump(mode="json"),
        "model": model.name,
        **request.as_json(),
    }
    if model.by_item:
        content["item_id"] = request.item_id
        content["hints"] = None if request.hints is None else request.hints.model_dump(mode="json")
    return digest_of(content)


def storable(text: str) -> str:
    """The text with every half of a surrogate pair (a cut emoji, which no file can hold) shown as U+FFFD."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def media_type_of(data: bytes) -> str:
    """MIME type of an image by its first bytes.

    Raises:
        ItemError: `unknown-image-type`.
    """
    for signature, media_type in _SIGNATURES:
        if data.startswith(signature):
            return media_type
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    raise ItemError("unknown-image-type", f"the {len(data)} bytes are no PNG, JPEG, GIF or WebP")


def _part_json(part: TextPart | ImagePart) -> Mapping[str, str]:
    if isinstance(part, TextPart):
        return {"text": part.text}
    return {"image": part.sha256, "media_type": part.media_type}
