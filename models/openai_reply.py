"""Reading of what an OpenAI-compatible server sent: reply or failure -> `Call` with one status. Pure functions.

refusal field filled, HTTP 400 for content policy        refused
finish_reason content_filter                             filtered
finish_reason length                                     truncated   (text kept)
no text, only blanks, thinking that never ends           empty       (retried once by the scheduler)
HTTP 413, context or image too large                     unsendable
HTTP 429                                                 rate-limited (retried unless the quota is used up)
HTTP 401, 403, 404, a used-up quota                      as below, and `denied`: it is the caller who is turned away
time-out, HTTP 408                                       timeout     (retried)
HTTP 409, 5xx, connection lost, a body that is no reply  error       (retried)
any other HTTP 4xx                                       error       (final)
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import openai

from benchwright.models.chat import Attempt, Call, Usage, storable
from benchwright.models.thinking import split_thinking
from benchwright.schemas.status import CallStatus

_POLICY_CODES = frozenset({"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"})
_POLICY_WORDS = re.compile(
    r"content[ _](?:management )?policy|content[ _]filter|safety system|usage polic", re.IGNORECASE
)
_SIZE_CODES = frozenset(
    {"context_length_exceeded", "image_too_large", "request_too_large", "string_above_max_length"}
)
_SIZE_WORDS = re.compile(
    r"maximum context length|context[ _]length|context window|too many tokens|(?:image|payload|request)[^.]{0,60}"
    r"(?:too large|exceeds|exceeded)",
    re.IGNORECASE,
)


def read_reply(content: bytes, base: Call) -> Attempt:
    """Read the body of an HTTP 200.

    Args:
        content: the bytes received.
        base: a call that already holds key and model.
    """
    try:
        body = json.loads(content)
        said = json.dumps(body, ensure_ascii=False)
        if (whole := storable(said)) != said:
            body = json.loads(whole)
    except ValueError:
        detail = f"the body of the reply is no JSON ({len(content)} bytes)"
        return _failed(base, CallStatus.ERROR, detail, http_status=200, retryable=True)
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        # Some gateways answer 200 and put the upstream's failure into the body.
        code = body["error"].get("code")
        return _classified(base, code if isinstance(code, int) else 200, body["error"], {})
    choices = body.get("choices") if isinstance(body, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(first, dict) or not isinstance(message, dict):
        return _failed(base, CallStatus.ERROR, "the reply holds no message", http_status=200, retryable=True)
    return Attempt(_read_message(message, first.get("finish_reason"), body, base))


def _read_message(message: Mapping[str, Any], finish: Any, body: Mapping[str, Any], base: Call) -> Call:
    split = split_thinking(_text_of(message.get("content")))
    parted = message.get("reasoning_content") or message.get("reasoning")
    thinking = [part for part in (parted, split.thinking) if isinstance(part, str) and part.strip()]
    refusal = message.get("refusal")
    refusal = refusal if isinstance(refusal, str) and refusal.strip() else None
    detail = None
    if refusal is not None:
        status = CallStatus.REFUSED
    elif finish == "content_filter":
        status = CallStatus.FILTERED
    elif finish == "length":
        status = CallStatus.TRUNCATED
    elif not split.text:
        status, detail = CallStatus.EMPTY, "unclosed-thinking" if split.unclosed else None
    else:
        status = CallStatus.OK
    return Call(
        key=base.key,
        status=status,
        text=split.text or None,
        thinking="\n".join(thinking) or None,
        finish_reason=finish if isinstance(finish, str) else None,
        refusal=refusal,
        usage=_usage(body.get("usage")),
        model=base.model,
        reported_model=body["model"] if isinstance(body.get("model"), str) else None,
        detail=detail,
        http_status=200,
    )


def _text_of(content: Any) -> str:
    """Text of a message; some servers send a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _usage(usage: Any) -> Usage:
    if not isinstance(usage, dict):
        return Usage()
    written, read = usage.get("completion_tokens_details"), usage.get("prompt_tokens_details")
    return Usage(
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        reasoning_tokens=_count(written.get("reasoning_tokens")) if isinstance(written, dict) else None,
        cached_tokens=_count(read.get("cached_tokens")) if isinstance(read, dict) else None,
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def read_failure(error: openai.APIError, base: Call) -> Attempt:
    """Map an exception of the SDK."""
    if isinstance(error, openai.APITimeoutError):
        return _failed(base, CallStatus.TIMEOUT, "the transport's time limit was reached", retryable=True)
    if isinstance(error, openai.APIStatusError):
        body = error.body if isinstance(error.body, dict) else {"message": error.message}
        return _classified(base, error.status_code, body, error.response.headers)
    cause = error.__cause__
    said = f"{type(cause).__name__}: {cause}" if cause is not None else str(error)
    return _failed(base, CallStatus.ERROR, f"connection failed ({said})", retryable=True)


def _classified(base: Call, code: int, error: Mapping[str, Any], headers: Mapping[str, str]) -> Attempt:
    """Status of an error that the server put into words, by its HTTP code, then by its own code and message."""
    inner = error.get("innererror")
    said = (error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, dict) else None)
    codes = {code for code in said if isinstance(code, str)}
    message = str(error.get("message") or error.get("detail") or "")
    status, retryable = CallStatus.ERROR, code >= 500 or code in (408, 409)
    if code in (400, 403, 422) and (codes & _POLICY_CODES or _POLICY_WORDS.search(message)):
        status = CallStatus.REFUSED
    elif code == 413 or (code in (400, 422) and (codes & _SIZE_CODES or _SIZE_WORDS.search(message))):
        status = CallStatus.UNSENDABLE
    elif code == 429:
        # A used-up quota also comes as 429; waiting does not refill it.
        status, retryable = CallStatus.RATE_LIMITED, "insufficient_quota" not in codes
    elif code == 408:
        status = CallStatus.TIMEOUT
    denied = status is not CallStatus.REFUSED and (code in (401, 403, 404) or (code == 429 and not retryable))
    detail = f"HTTP {code}: {message}" if message else f"HTTP {code}"
    failed = _failed(base, status, detail, code, retryable, retry_after(headers) if retryable else None)
    return replace(failed, denied=denied)


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds the server asks to wait: `retry-after-ms`, or `retry-after` as seconds or as an HTTP date."""
    if (ms := _number(headers.get("retry-after-ms"))) is not None:
        return max(0.0, ms / 1000.0)
    said = headers.get("retry-after")
    if said is None or (seconds := _number(said)) is not None:
        return None if said is None else max(0.0, seconds or 0.0)
    try:
        when = parsedate_to_datetime(said)
    except ValueError:
        return None
    moment = when if when.tzinfo is not None else when.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def _number(text: str | None) -> float | None:
    if text is None or not re.fullmatch(r"\s*\d+(?:\.\d+)?\s*", text):
        return None
    return float(text)


def _failed(
    base: Call,
    status: CallStatus,
    detail: str,
    http_status: int | None = None,
    retryable: bool = False,
    retry_after_s: float | None = None,
) -> Attempt:
    call = Call(
        key=base.key,
        status=status,
        model=base.model,
        detail=storable(detail),
        http_status=http_status,
    )
    return Attempt(call, retryable, retry_after_s)
