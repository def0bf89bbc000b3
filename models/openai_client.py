"""Client for any OpenAI-compatible chat endpoint: the official SDK for the wire, our own reading of the reply.

The SDK's retries are off (`models.scheduler` does them), its key comes from the environment only and is taken out of
every message before it is kept. Images go as data URIs of the original bytes with `detail: high`.
"""

from __future__ import annotations

import base64
import os
from dataclasses import replace
from typing import Any, NoReturn

import openai

from benchwright.models.chat import (
    Attempt,
    Call,
    ChatRequest,
    Endpoint,
    ImagePart,
    Message,
    Sampling,
    TextPart,
    call_key,
)
from benchwright.models.openai_reply import read_failure, read_reply
from benchwright.models.policy import clean_base_url, is_local
from benchwright.schemas.errors import UsageError

DEFAULT_BASE_URL = "https://api.openai.com/v1"
_DETAIL_LENGTH = 500
_SHORTEST_KEY = 8
"""Shorter ones are stand-ins such as "EMPTY", no secrets: taking them out would change replies."""
_SAID = ("text", "thinking", "finish_reason", "refusal", "reported_model", "detail")
"""Fields of a call that hold words of the server or the SDK."""


class OpenAIClient:
    """`openai/NAME`: one model of one endpoint."""

    by_item = False

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key_env: str = "OPENAI_API_KEY",
        timeout_s: float = 600.0,
    ) -> None:
        """Prepare the client; nothing is sent yet.

        Args:
            model: what the server calls it.
            base_url: the endpoint; default `$OPENAI_BASE_URL`, then OpenAI's own.
            api_key_env: the environment variable that holds the key.
            timeout_s: the transport's own limit for one request; the scheduler's is usually shorter.

        Raises:
            UsageError: unusable address, or no key for an external endpoint.
        """
        url = clean_base_url(base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL)
        self.name = f"openai/{model}"
        self.endpoint = Endpoint(kind="openai", base_url=url)
        self.external = not is_local(url)
        self._model = model
        self._key = os.environ.get(api_key_env, "").strip()
        if self.external and not self._key:
            raise UsageError(
                f"{self.name} at {self.endpoint.host} needs a key: set the environment variable {api_key_env}, "
                "or name your own server (--base-url, --judge-base-url, base_url in the recipe)."
            )
        self._timeout_s = timeout_s
        self._client: openai.AsyncOpenAI | None = None

    def __repr__(self) -> str:
        return f"OpenAIClient({self.name!r}, base_url={self.endpoint.base_url!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a client holds a key and is not pickled; open the model in each process")

    async def complete(self, request: ChatRequest) -> Attempt:
        """Make one attempt (see `models.openai_reply` for the mapping of replies and errors)."""
        base = Call.model_construct(key=call_key(self, request), model=self.name)
        try:
            # The body goes by `extra_body`: the SDK walks through `messages` type by type, which costs more than
            # all the rest of a request (1 ms with an image), and changes nothing.
            raw = await self._connected().chat.completions.with_raw_response.create(
                model=self._model, messages=[], extra_body=request_body(request.messages, request.sampling)
            )
        except openai.APIError as error:
            return self._scrubbed(read_failure(error, base))
        return self._scrubbed(read_reply(raw.http_response.content, base))

    async def close(self) -> None:
        """Close the connections; the client can be used again afterwards, on another event loop too."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _connected(self) -> openai.AsyncOpenAI:
        if self._client is None:
            # A redirect would carry questions to a host that nobody agreed to. For a local endpoint the
            # environment's proxy settings are ignored too: "local" has to mean that nothing leaves.
            transport = openai.DefaultAsyncHttpxClient(follow_redirects=False, trust_env=self.external)
            self._client = openai.AsyncOpenAI(
                api_key=self._key or "none",
                base_url=self.endpoint.base_url,
                max_retries=0,
                timeout=self._timeout_s,
                http_client=transport,
            )
        return self._client

    def _scrubbed(self, attempt: Attempt) -> Attempt:
        """Take the key out of whatever the server or the SDK said, then shorten an error's words."""
        call = attempt.call
        said = {name: value for name in _SAID if (value := getattr(call, name)) is not None}
        if len(self._key) >= _SHORTEST_KEY:
            said = {name: value.replace(self._key, "[key]") for name, value in said.items()}
        if call.detail is not None:
            said["detail"] = said["detail"][:_DETAIL_LENGTH]
        return replace(attempt, call=call.model_copy(update=said))


def request_body(messages: tuple[Message, ...], sampling: Sampling) -> dict[str, Any]:
    """Body of a chat completion but for the model's name; unset settings are left out."""
    body: dict[str, Any] = {"messages": [_message_json(message) for message in messages]}
    for name in ("temperature", "max_tokens", "seed", "top_p"):
        if (value := getattr(sampling, name)) is not None:
            body[name] = value
    if sampling.json_schema is not None:
        wrapped = {"name": "reply", "strict": True, "schema": sampling.json_schema}
        body["response_format"] = {"type": "json_schema", "json_schema": wrapped}
    return {**body, **sampling.extra}


def _message_json(message: Message) -> dict[str, Any]:
    if all(isinstance(part, TextPart) for part in message.parts):
        # The plain form: some servers accept lists of parts only from users.
        text = "\n".join(part.text for part in message.parts if isinstance(part, TextPart))
        return {"role": message.role, "content": text}
    return {"role": message.role, "content": [_part_json(part) for part in message.parts]}


def _part_json(part: TextPart | ImagePart) -> dict[str, Any]:
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    uri = f"data:{part.media_type};base64,{base64.b64encode(part.data).decode('ascii')}"
    return {"type": "image_url", "image_url": {"url": uri, "detail": "high"}}
