"""The client against a real OpenAI-compatible server: every status, the bytes on the wire, the key kept secret."""

from __future__ import annotations

import asyncio
import hashlib
import io
import logging
import pickle
import socket
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from benchwright.models.chat import Attempt, ChatRequest, ImagePart, Message, Sampling, TextPart, call_key
from benchwright.models.openai_client import OpenAIClient
from benchwright.models.openai_reply import retry_after
from benchwright.models.registry import open_model
from benchwright.models.scheduler import SchedulerSettings, run_calls
from benchwright.models.store import CallStore
from benchwright.schemas.errors import UsageError
from benchwright.schemas.status import CallStatus

KEY = "sk-test-0123456789-do-not-show"
QUESTION = ChatRequest("q", (Message.user("What is it?\nA. one\nB. two"),))
Server = Callable[..., Any]


def once(base_url: str, request: ChatRequest = QUESTION, **options: Any) -> Attempt:
    """One attempt, without scheduler."""
    model = OpenAIClient("tested", base_url=base_url, **options)

    async def main() -> Attempt:
        try:
            return await model.complete(request)
        finally:
            await model.close()

    return asyncio.run(main())


def policy_error(code: str | None, message: str = "refused", **more: Any) -> dict[str, Any]:
    return {
        "status": 400,
        "error": {"code": code, "message": message, "type": "invalid_request_error", **more},
    }


FINAL = [
    pytest.param({"answer": "It is B."}, CallStatus.OK, "It is B.", id="ok"),
    pytest.param({"answer": "x", "refusal": "I will not."}, CallStatus.REFUSED, "x", id="refusal-field"),
    pytest.param({"content": None, "refusal": "No."}, CallStatus.REFUSED, None, id="refusal-without-content"),
    pytest.param(policy_error("content_policy_violation"), CallStatus.REFUSED, None, id="400-policy-code"),
    pytest.param(policy_error("content_filter"), CallStatus.REFUSED, None, id="400-filter-code"),
    pytest.param(
        policy_error(None, "rejected by our content management policy"),
        CallStatus.REFUSED,
        None,
        id="400-policy-words",
    ),
    pytest.param(
        policy_error("x", "bad", innererror={"code": "ResponsibleAIPolicyViolation"}),
        CallStatus.REFUSED,
        None,
        id="400-inner-code",
    ),
    pytest.param(
        {"content": None, "finish_reason": "content_filter"}, CallStatus.FILTERED, None, id="TAG-03-filter"
    ),
    pytest.param(
        {"answer": "half an", "finish_reason": "length"}, CallStatus.TRUNCATED, "half an", id="length"
    ),
    pytest.param(
        {"content": None, "finish_reason": "length"}, CallStatus.TRUNCATED, None, id="length-no-text"
    ),
    pytest.param({"content": None}, CallStatus.EMPTY, None, id="null-content"),
    pytest.param({"content": "  \n"}, CallStatus.EMPTY, None, id="blank-content"),
    pytest.param(
        {"think": "maybe B", "unclosed": True, "answer": "B"}, CallStatus.EMPTY, None, id="unclosed-thinking"
    ),
    pytest.param({"content": None, "reasoning": "hm"}, CallStatus.EMPTY, None, id="only-reasoning"),
    pytest.param({"status": 413}, CallStatus.UNSENDABLE, None, id="413"),
    pytest.param(policy_error("context_length_exceeded"), CallStatus.UNSENDABLE, None, id="context-length"),
    pytest.param(
        policy_error(None, "image exceeds 5 MB maximum"), CallStatus.UNSENDABLE, None, id="image-size"
    ),
    pytest.param(policy_error(None, "unknown field"), CallStatus.ERROR, None, id="400-other"),
    pytest.param({"status": 401}, CallStatus.ERROR, None, id="401"),
    pytest.param({"status": 404}, CallStatus.ERROR, None, id="404"),
    pytest.param({"status": 307}, CallStatus.ERROR, None, id="redirect"),
    pytest.param(
        {"status": 429, "error": {"code": "insufficient_quota", "message": "buy more"}},
        CallStatus.RATE_LIMITED,
        None,
        id="quota",
    ),
]


@pytest.mark.parametrize(("rule", "status", "text"), FINAL)
def test_final_replies(
    openai_server: Server, rule: dict[str, Any], status: CallStatus, text: str | None
) -> None:
    attempt = once(openai_server({"rules": [rule]}).base_url)
    assert (attempt.call.status, attempt.call.text, attempt.retryable) == (status, text, False)
    assert attempt.call.http_status == rule.get("status", 200)


RETRYABLE = [
    pytest.param({"status": 429}, CallStatus.RATE_LIMITED, id="429"),
    pytest.param({"status": 408}, CallStatus.TIMEOUT, id="408"),
    pytest.param({"status": 409}, CallStatus.ERROR, id="409"),
    pytest.param({"status": 500}, CallStatus.ERROR, id="500"),
    pytest.param({"status": 503}, CallStatus.ERROR, id="503"),
    pytest.param({"disconnect": True}, CallStatus.ERROR, id="disconnect"),
    pytest.param({"disconnect": "half"}, CallStatus.ERROR, id="half-a-body"),
    pytest.param({"malformed": True}, CallStatus.ERROR, id="malformed-json"),
    pytest.param({"raw": {"choices": []}}, CallStatus.ERROR, id="no-choices"),
    pytest.param({"raw": [1]}, CallStatus.ERROR, id="no-object"),
    pytest.param(
        {"raw": {"error": {"code": 502, "message": "upstream"}}}, CallStatus.ERROR, id="error-in-200"
    ),
]


@pytest.mark.parametrize(("rule", "status"), RETRYABLE)
def test_retryable_failures(openai_server: Server, rule: dict[str, Any], status: CallStatus) -> None:
    server = openai_server({"rules": [rule]})
    attempt = once(server.base_url)
    assert (attempt.call.status, attempt.retryable, attempt.call.text) == (status, True, None)
    assert attempt.call.detail
    assert len(server.requests) == 1, "the SDK must not retry by itself"


def test_hanging_server_is_a_timeout(openai_server: Server) -> None:
    attempt = once(openai_server({"rules": [{"hang_s": 30}]}).base_url, timeout_s=0.3)
    assert (attempt.call.status, attempt.retryable) == (CallStatus.TIMEOUT, True)


def test_unreachable_server_is_an_error_to_retry() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        attempt = once(f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
    assert (attempt.call.status, attempt.retryable) == (CallStatus.ERROR, True)


def test_thinking_is_kept_apart(openai_server: Server) -> None:
    tagged = once(openai_server({"rules": [{"think": "is it [A]?", "answer": "B"}]}).base_url).call
    assert (tagged.text, tagged.thinking) == ("B", "is it [A]?")
    field = once(openai_server({"rules": [{"reasoning": "is it C?", "answer": "B"}]}).base_url).call
    assert (field.text, field.thinking) == ("B", "is it C?")
    half = once(openai_server({"rules": [{"content": "is it C? </think> B"}]}).base_url).call
    assert (half.text, half.thinking) == ("B", "is it C?")


def test_usage_and_reported_model(openai_server: Server) -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 3}}
    call = once(openai_server({"rules": [{"answer": "B", "usage": usage}]}).base_url).call
    assert (call.usage.prompt_tokens, call.usage.completion_tokens, call.usage.reasoning_tokens) == (7, 5, 3)
    assert (call.model, call.reported_model) == ("openai/tested", "served-tested")
    silent = once(openai_server({"rules": [{"answer": "B", "usage": None}]}).base_url).call
    assert silent.usage.prompt_tokens is None, "unknown is not zero"


def test_settings_and_messages_on_the_wire(openai_server: Server) -> None:
    server = openai_server({"rules": [{"answer": "B"}]})
    sampling = Sampling(
        temperature=None,
        max_tokens=9,
        seed=3,
        json_schema={"type": "object"},
        extra={"reasoning_effort": "low"},
    )
    once(server.base_url, ChatRequest("q", (Message.system("Be brief."), Message.user("x")), sampling))
    body = server.requests[0].body
    assert body["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "x"}]
    assert "temperature" not in body and "top_p" not in body
    assert (body["max_tokens"], body["seed"], body["reasoning_effort"]) == (9, 3, "low")
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}


def image_files() -> dict[str, bytes]:
    from PIL import Image

    picture = Image.new("RGB", (31, 17), (10, 200, 90))
    files = {}
    for name in ("PNG", "JPEG", "GIF", "WEBP"):
        stream = io.BytesIO()
        picture.save(stream, format=name)
        files[f"image/{name.lower()}"] = stream.getvalue()
    return files


def test_image_bytes_are_identical_on_the_wire_and_the_type_follows_the_bytes(openai_server: Server) -> None:
    server = openai_server({"rules": [{"answer": "B"}]})
    files = image_files()
    once(server.base_url, ChatRequest("q", (Message.user("look", *files.values()),)))
    received = server.requests[0].images
    assert [media_type for media_type, _ in received] == list(files)
    assert [hashlib.sha256(data).hexdigest() for _, data in received] == [
        hashlib.sha256(data).hexdigest() for data in files.values()
    ]
    parts = server.requests[0].body["messages"][0]["content"]
    assert parts[0] == {"type": "text", "text": "look"}
    assert all(part["image_url"]["detail"] == "high" for part in parts[1:])


def test_a_question_that_is_all_in_the_image_sends_no_text_part(
    openai_server: Server, png_bytes: bytes
) -> None:
    server = openai_server({"rules": [{"answer": "B"}]})
    once(server.base_url, ChatRequest("q", (Message.user("", png_bytes),)))
    assert [part["type"] for part in server.requests[0].body["messages"][0]["content"]] == ["image_url"]


def test_key_comes_from_the_named_variable_and_shows_up_nowhere(
    openai_server: Server,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    echo = {"code": None, "message": f"Incorrect API key provided: {KEY}."}
    rules = [
        {"match": "bad", "status": 401, "error": echo},
        {"match": "cut", "disconnect": True},
        {"answer": KEY},
    ]
    server = openai_server({"rules": rules}, log=tmp_path / "server.jsonl")
    model = open_model("openai/m", base_url=server.base_url, api_key_env="MY_KEY")
    requests = [ChatRequest(word, (Message.user(word),)) for word in ("bad", "cut", "good")]
    with CallStore(tmp_path / "calls.sqlite") as store:
        calls = run_calls(model, requests, store=store, settings=SchedulerSettings(attempts=1))
    assert [call.status for call in calls] == [CallStatus.ERROR, CallStatus.ERROR, CallStatus.OK]
    assert all(request.authorization == f"Bearer {KEY}" for request in server.requests), (
        "the key is really used"
    )
    shown = repr(model) + repr(calls) + caplog.text + "".join(capfd.readouterr())
    for file in tmp_path.rglob("*"):
        shown += file.read_bytes().decode("utf-8", errors="replace")
    assert KEY not in shown
    with pytest.raises(TypeError):
        pickle.dumps(model)


def test_no_half_of_a_key_is_left_where_an_error_is_cut_short(
    openai_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for padding in range(440, 500, 7):
        server = openai_server({"rules": [{"status": 401, "error": {"message": "x" * padding + KEY}}]})
        detail = once(server.base_url).call.detail
        assert detail is not None and KEY[:6] not in detail and len(detail) <= 500


@pytest.mark.parametrize("key", ["EMPTY", "none", "ok", "abcd", "1234"])
def test_a_stand_in_for_a_key_changes_no_reply(
    openai_server: Server, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    said = f"The set is {key}. Answer: B"
    server = openai_server({"rules": [{"answer": said}]})
    call = once(server.base_url).call
    assert (call.status, call.text) == (CallStatus.OK, said)


def test_half_a_surrogate_pair_is_shown_as_such_and_can_be_stored(
    openai_server: Server, tmp_path: Path
) -> None:
    server = openai_server(
        {
            "rules": [
                {"match": "bad", "status": 400, "error": {"message": "cut \ud83d"}},
                {"answer": "Answer: B \ud83d, \U0001f600"},
            ]
        }
    )
    model = OpenAIClient("m", base_url=server.base_url)
    requests = [ChatRequest(word, (Message.user(word),)) for word in ("bad", "good")]
    with CallStore(tmp_path / "calls.sqlite") as store:
        bad, good = run_calls(model, requests, store=store, settings=SchedulerSettings(attempts=1))
        assert store.get(good.key) == good
    assert good.text == "Answer: B \ufffd, \U0001f600"
    assert bad.status is CallStatus.ERROR and "\ufffd" in (bad.detail or "")


def test_key_is_not_in_a_traceback(monkeypatch: pytest.MonkeyPatch, openai_server: Server) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    broken = ChatRequest("q", (Message.user("x"),), Sampling(extra={"f": float("nan")}))
    try:
        once(openai_server().base_url, broken)
    except ValueError as error:
        assert KEY not in "".join(traceback.format_exception(error))
    else:
        raise AssertionError("NaN has no place in a request")


def test_external_endpoint_without_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        open_model("openai/gpt-4o")
    assert open_model("openai/m", base_url="http://127.0.0.1:9/v1").external is False


def test_local_endpoint_ignores_a_proxy_of_the_environment(
    openai_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy, server = openai_server(), openai_server({"rules": [{"answer": "direct"}]})
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.base_url.removesuffix("/v1"))
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert once(server.base_url).call.text == "direct"
    assert proxy.requests == []


def test_retry_after_forms() -> None:
    now = datetime(2030, 1, 1, 12, 0, 0, tzinfo=UTC)
    assert retry_after({"retry-after": "3"}) == 3.0
    assert retry_after({"retry-after": "0.5"}) == 0.5
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    assert retry_after({"retry-after": "Tue, 01 Jan 2030 12:00:07 GMT"}, now) == 7.0
    assert retry_after({"retry-after": "Tue, 01 Jan 2030 11:00:00 GMT"}, now) == 0.0
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({}) is None


def test_keys_tell_requests_apart(png_bytes: bytes) -> None:
    local = OpenAIClient("m", base_url="http://127.0.0.1:1/v1")
    jpeg = image_files()["image/jpeg"]
    messages = (Message.user("x", png_bytes),)
    variants = [
        (local, ChatRequest("q", messages)),
        (OpenAIClient("n", base_url="http://127.0.0.1:1/v1"), ChatRequest("q", messages)),
        (OpenAIClient("m", base_url="http://127.0.0.1:2/v1"), ChatRequest("q", messages)),
        (local, ChatRequest("q", messages, sample_index=1)),
        (local, ChatRequest("q", messages, Sampling(temperature=0.5))),
        (local, ChatRequest("q", (Message.user("x", jpeg),))),
        (local, ChatRequest("q", (Message.user("y", png_bytes),))),
        (local, ChatRequest("q", (Message("system", messages[0].parts),))),
        (local, ChatRequest("q", (Message("user", messages[0].parts[::-1]),))),
        (
            local,
            ChatRequest(
                "q", (Message("user", (TextPart("x"),)), Message("user", (ImagePart.of(png_bytes),)))
            ),
        ),
    ]
    keys = [call_key(model, request) for model, request in variants]
    assert len(set(keys)) == len(keys)
    assert call_key(local, ChatRequest("another item", messages)) == keys[0], (
        "a server never sees the item's id"
    )
    assert (
        call_key(OpenAIClient("m", base_url="http://127.0.0.1:1/v1/"), ChatRequest("q", messages)) == keys[0]
    )
