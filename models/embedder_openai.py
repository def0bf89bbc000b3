"""`openai:MODEL@BASE_URL`: any endpoint that speaks OpenAI's `/embeddings`, by the official SDK.

Texts go in batches, a few at a time; what the chat client retries is retried here by the same reading of errors
(`models.openai_reply`), with the server's wish for a pause honoured. Anything else ends the run with the server's
words: a text without a vector has no place in a pool. What a server says is kept by the content of the text; that it
says the same bits twice is the server's business.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from functools import cached_property
from random import Random

import numpy as np
import openai

from benchwright.models.chat import Attempt, Call
from benchwright.models.embedder import Vectors, normalised, unit_rows
from benchwright.models.openai_reply import read_failure
from benchwright.models.policy import clean_base_url, is_local
from benchwright.schemas.errors import UsageError
from benchwright.schemas.status import CallStatus

PREFIX = "openai:"
_NO_KEY = "0" * 64
"""Embeddings are kept by the pool's shards, not by the call store."""
_BATCH = 64
_IN_FLIGHT = 4
_ATTEMPTS = 6
_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 30.0


class OpenAIEmbedder:
    """One model of one endpoint."""

    def __init__(self, model: str, base_url: str, api_key_env: str = "OPENAI_API_KEY") -> None:
        """Prepare; nothing is sent yet.

        Args:
            model: what the server calls it.
            base_url: the endpoint.
            api_key_env: the environment variable that holds the key.

        Raises:
            UsageError: unusable address, or no key for an endpoint outside this machine.
        """
        self._url = clean_base_url(base_url)
        self.name = f"{PREFIX}{model}@{self._url}"
        self.external_host = None if is_local(self._url) else self._url.split("//", 1)[1].split("/", 1)[0]
        self._model = model
        self._key = os.environ.get(api_key_env, "").strip()
        self._random = Random(0)
        if self.external_host is not None and not self._key:
            raise UsageError(f"{self.name} needs a key; set the environment variable {api_key_env}.")

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self.name!r})"

    @cached_property
    def dimension(self) -> int:
        """Length of a vector; the server is asked for one, of the word "length".

        Raises:
            UsageError: the server does not answer.
        """
        return asyncio.run(self._all([["length"]]))[0].shape[1]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`; '' is not sent (servers refuse it) and has the zero vector.

        Raises:
            UsageError: a batch got no vectors after all tries; what was finished before is kept by the caller.
        """
        spoken = [normalised(text) for text in texts]
        rows = np.zeros((len(texts), self.dimension), np.float32)
        full = [at for at, text in enumerate(spoken) if text]
        batches = [full[start : start + _BATCH] for start in range(0, len(full), _BATCH)]
        answers = asyncio.run(self._all([[spoken[at] for at in batch] for batch in batches]))
        for batch, answer in zip(batches, answers, strict=True):
            if answer.shape[1] != self.dimension:
                raise UsageError(
                    f"{self.name} gave vectors of {answer.shape[1]} and of {self.dimension} numbers: its model changed "
                    "under way; delete the embeddings and run again."
                )
            rows[batch] = answer
        return unit_rows(rows)

    async def _all(self, batches: list[list[str]]) -> list[Vectors]:
        # As in the chat client: no redirects, and for a local endpoint no proxy of the environment.
        transport = openai.DefaultAsyncHttpxClient(
            follow_redirects=False, trust_env=self.external_host is not None
        )
        slots = asyncio.Semaphore(_IN_FLIGHT)
        async with openai.AsyncOpenAI(
            api_key=self._key or "none",
            base_url=self._url,
            max_retries=0,
            timeout=120.0,
            http_client=transport,
        ) as client:

            async def one(batch: list[str]) -> Vectors:
                async with slots:
                    return await self._batch(client, batch)

            outcomes = await asyncio.gather(*map(one, batches), return_exceptions=True)
        vectors: list[Vectors] = []
        for outcome in outcomes:  # the others came to their end first: nothing is left hanging
            if isinstance(outcome, BaseException):
                raise outcome
            vectors.append(outcome)
        return vectors

    async def _batch(self, client: openai.AsyncOpenAI, texts: list[str]) -> Vectors:
        for number in range(1, _ATTEMPTS + 1):
            try:
                raw = await client.embeddings.with_raw_response.create(
                    model=self._model, input=texts, encoding_format="float"
                )
                return read_vectors(raw.http_response.json(), len(texts))
            except openai.APIError as error:
                attempt = read_failure(error, Call.model_construct(key=_NO_KEY, model=self.name))
            except ValueError as error:
                attempt = self._unreadable(error)
            if not attempt.retryable or number == _ATTEMPTS:
                raise self._failure(attempt, number)
            await asyncio.sleep(self._pause_s(attempt, number))
        raise AssertionError("not reached")

    def _unreadable(self, error: ValueError) -> Attempt:
        call = Call(
            key=_NO_KEY, status=CallStatus.UNPARSABLE, model=self.name, detail=f"unreadable reply: {error}"
        )
        return Attempt(call, retryable=True)

    def _failure(self, attempt: Attempt, tries: int) -> UsageError:
        said = (attempt.call.detail or attempt.call.status.value)[:300]
        if len(self._key) >= 8:
            said = said.replace(self._key, "[key]")
        again = "run again, what was finished is kept" if attempt.retryable else "nothing more was sent"
        return UsageError(f"{self.name} gave no vectors ({said}; tries: {tries}): {again}.")

    def _pause_s(self, attempt: Attempt, number: int) -> float:
        if attempt.retry_after_s is not None:
            return attempt.retry_after_s
        return min(_LONGEST_PAUSE_S, _PAUSE_S * 2.0 ** (number - 1)) * (0.5 + 0.5 * self._random.random())


def read_vectors(body: object, count: int) -> Vectors:
    """Vectors of a reply, [count, d].

    Raises:
        ValueError: it holds no such vectors.
    """
    data = body.get("data") if isinstance(body, dict) else None
    if not isinstance(data, list) or len(data) != count:
        raise ValueError(f"no list of {count} vectors")
    try:
        ordered = sorted(data, key=lambda item: item["index"])
        rows = np.array([item["embedding"] for item in ordered], np.float64)
    except (TypeError, KeyError) as error:
        raise ValueError("an entry without index or embedding") from error
    if [item["index"] for item in ordered] != list(range(count)) or rows.ndim != 2 or not rows.shape[1]:
        raise ValueError("entries that do not fit the texts sent")
    if not np.isfinite(rows).all() or not rows.any(axis=1).all():
        raise ValueError("a vector that is zero or no number")
    return unit_rows(rows)


def parse_openai(name: str) -> tuple[str, str]:
    """Model and address of `openai:MODEL@BASE_URL`.

    Raises:
        UsageError: one of them is missing, or the address is unusable.
    """
    model, at, url = name.removeprefix(PREFIX).partition("@http")
    if not at or not model:
        raise UsageError(f"{name!r}: an endpoint's embedder is written {PREFIX}MODEL@BASE_URL.")
    return model, clean_base_url("http" + url)
