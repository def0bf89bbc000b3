"""Scheduler and store together, against the real server: retries, limits, resumption, kills."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.models.chat import Call, ChatRequest, Message
from benchwright.models.registry import open_model
from benchwright.models.scheduler import Scheduler, SchedulerSettings, as_finished, run_calls
from benchwright.models.store import CallStore
from benchwright.schemas.errors import UsageError
from benchwright.schemas.status import CallStatus

Server = Callable[..., Any]
FAST = SchedulerSettings(attempts=3, attempt_timeout_s=5.0, backoff_base_s=0.01, backoff_max_s=0.05)


def questions(count: int) -> list[ChatRequest]:
    return [ChatRequest(f"q{number}", (Message.user(f"Question {number:03d}."),)) for number in range(count)]


def statuses(calls: list[Call]) -> dict[CallStatus, int]:
    return dict(Counter(call.status for call in calls))


def test_eva_05_rate_limited_for_ever_is_no_wrong_answer_and_a_resume_does_only_those(
    openai_server: Server, tmp_path: Path
) -> None:
    server = openai_server({"rules": [{"every": 10, "status": 429, "retry_after": "0"}, {"answer": "right"}]})
    model = open_model("openai/m", base_url=server.base_url)
    with CallStore(tmp_path / "calls.sqlite") as store:
        calls = run_calls(model, questions(100), store=store, settings=FAST)
        assert statuses(calls) == {CallStatus.OK: 90, CallStatus.RATE_LIMITED: 10}
        assert all(call.text is None for call in calls if call.status is CallStatus.RATE_LIMITED)
        assert store.counts() == {CallStatus.OK: 90, CallStatus.RATE_LIMITED: 10}
        limited = [place for place, call in enumerate(calls) if call.status is CallStatus.RATE_LIMITED]
        before = len(server.requests)
        assert before == 90 + 10 * FAST.attempts
        server.use({"rules": [{"answer": "right"}]})
        again = run_calls(model, questions(100), store=store, settings=FAST)
    assert statuses(again) == {CallStatus.OK: 100}
    resent = sorted(request.prompt for request in server.requests[before:])
    assert resent == [f"Question {place:03d}." for place in limited]


def test_retry_after_is_honoured(openai_server: Server) -> None:
    server = openai_server({"rules": [{"status": 429, "retry_after": "0.6", "times": 1}, {"answer": "ok"}]})
    started = time.monotonic()
    calls = run_calls(open_model("openai/m", base_url=server.base_url), questions(1), settings=FAST)
    assert (calls[0].status, calls[0].attempts) == (CallStatus.OK, 2)
    assert time.monotonic() - started >= 0.6


def test_a_wait_beyond_the_items_time_is_not_waited_for(openai_server: Server) -> None:
    server = openai_server({"rules": [{"status": 429, "retry_after": "3600"}]})
    settings = FAST.model_copy(update={"item_timeout_s": 2.0})
    started = time.monotonic()
    calls = run_calls(open_model("openai/m", base_url=server.base_url), questions(1), settings=settings)
    assert (calls[0].status, calls[0].attempts) == (CallStatus.RATE_LIMITED, 1)
    assert time.monotonic() - started < 2.0


@pytest.mark.parametrize(
    ("rules", "status", "sent"),
    [
        pytest.param([{"status": 500, "times": 2}, {"answer": "ok"}], CallStatus.OK, 3, id="500-twice"),
        pytest.param([{"status": 500}], CallStatus.ERROR, 3, id="500-for-ever"),
        pytest.param(
            [{"disconnect": True, "times": 1}, {"answer": "ok"}], CallStatus.OK, 2, id="disconnect-once"
        ),
        pytest.param([{"status": 400}], CallStatus.ERROR, 1, id="400-is-sent-once"),
        pytest.param([{"status": 404}], CallStatus.ERROR, 1, id="404-is-sent-once"),
        pytest.param(
            [{"status": 400, "error": {"code": "content_policy_violation"}}],
            CallStatus.REFUSED,
            1,
            id="policy-once",
        ),
        pytest.param([{"content": None}], CallStatus.EMPTY, 2, id="empty-is-retried-once"),
        pytest.param(
            [{"content": None, "times": 1}, {"answer": "ok"}], CallStatus.OK, 2, id="empty-then-text"
        ),
        pytest.param(
            [{"content": None, "finish_reason": "content_filter"}], CallStatus.FILTERED, 1, id="filtered-once"
        ),
        pytest.param(
            [{"answer": "x", "finish_reason": "length"}], CallStatus.TRUNCATED, 1, id="truncated-once"
        ),
    ],
)
def test_what_is_sent_again(openai_server: Server, rules: list[Any], status: CallStatus, sent: int) -> None:
    server = openai_server({"rules": rules})
    calls = run_calls(open_model("openai/m", base_url=server.base_url), questions(1), settings=FAST)
    assert (calls[0].status, calls[0].attempts, len(server.requests)) == (status, sent, sent)


def test_hang_once_is_a_timeout_and_then_an_answer(openai_server: Server) -> None:
    server = openai_server({"rules": [{"hang_s": 30, "times": 1}, {"answer": "late"}]})
    settings = FAST.model_copy(update={"attempt_timeout_s": 0.3})
    calls = run_calls(open_model("openai/m", base_url=server.base_url), questions(1), settings=settings)
    assert (calls[0].status, calls[0].text, calls[0].attempts) == (CallStatus.OK, "late", 2)


def test_nothing_is_lost_and_nothing_blended(openai_server: Server, tmp_path: Path) -> None:
    """The mix of faults of the acceptance list, 100 items, one rule for each tenth of them."""
    rules: list[dict[str, Any]] = [
        {"match": r"\d\d0\.", "status": 429, "retry_after": "0", "times": 1},
        {"match": r"\d\d1\.", "status": 500, "times": 2},
        {"match": r"\d\d2\.", "status": 500},
        {"match": r"\d\d3\.", "hang_s": 30, "times": 1},
        {"match": r"\d\d4\.", "status": 400, "error": {"code": "content_policy_violation"}},
        {"match": r"\d\d5\.", "content": None, "finish_reason": "content_filter"},
        {"match": r"\d\d6\.", "answer": "cut", "finish_reason": "length"},
        {"match": r"\d\d7\.", "disconnect": True, "times": 1},
        {"match": r"\d\d8\.", "malformed": True, "times": 1},
        {"answer": "right"},
    ]
    server = openai_server({"rules": rules})
    settings = FAST.model_copy(update={"attempt_timeout_s": 1.5, "concurrency": 16})
    with CallStore(tmp_path / "calls.sqlite") as store:
        model = open_model("openai/m", base_url=server.base_url)
        calls = run_calls(model, questions(100), store=store, settings=settings)
    assert statuses(calls) == {
        CallStatus.OK: 60,
        CallStatus.ERROR: 10,
        CallStatus.REFUSED: 10,
        CallStatus.FILTERED: 10,
        CallStatus.TRUNCATED: 10,
    }
    refused = [request for request in server.requests if request.prompt.endswith("4.")]
    assert len(refused) == 10, "a refusal is sent once"


def test_concurrency_is_a_bound_and_is_reached(openai_server: Server) -> None:
    server = openai_server({"latency_ms": 60, "rules": [{"answer": "x"}]})
    settings = SchedulerSettings(concurrency=5)
    run_calls(open_model("openai/m", base_url=server.base_url), questions(40), settings=settings)
    assert server.max_in_flight == 5


def test_requests_are_pulled_only_when_a_slot_is_free(openai_server: Server) -> None:
    pulled: list[int] = []
    done: list[int] = []
    ahead: list[int] = []

    def source() -> Iterator[ChatRequest]:
        for number, request in enumerate(questions(30)):
            pulled.append(number)
            ahead.append(len(pulled) - len(done))
            yield request

    server = openai_server({"latency_ms": 5, "rules": [{"answer": "x"}]})
    model = open_model("openai/m", base_url=server.base_url)
    settings = SchedulerSettings(concurrency=3)
    run_calls(model, source(), settings=settings, on_result=lambda request, call: done.append(1))
    assert len(done) == 30 and max(ahead) <= 3 + 3, "in flight, and finished but not yet handed over"


def test_results_keep_the_order_and_are_delivered_as_they_finish(openai_server: Server) -> None:
    rules = [{"match": "000", "answer": "slow", "latency_ms": 300}, {"match": r"(\d+)", "answer": r"\1"}]
    server = openai_server({"rules": rules})
    finished: list[str] = []
    model = open_model("openai/m", base_url=server.base_url)
    calls = run_calls(model, questions(6), on_result=lambda request, call: finished.append(request.item_id))
    assert [call.text for call in calls] == ["slow", "001", "002", "003", "004", "005"]
    assert finished[-1] == "q0"


def test_equal_requests_make_one_call_with_a_store_and_votes_make_several(
    openai_server: Server, tmp_path: Path
) -> None:
    server = openai_server({"latency_ms": 50, "rules": [{"answer": "x"}]})
    model = open_model("openai/m", base_url=server.base_url)
    (question,) = questions(1)
    votes = [ChatRequest("q", question.messages, sample_index=number) for number in range(3)]
    with CallStore(tmp_path / "calls.sqlite") as store:
        run_calls(model, [question] * 4, store=store)
        assert len(server.requests) == 1
        run_calls(model, votes, store=store)
        assert len(server.requests) == 3, "sample 0 is in the store, 1 and 2 are new"


def test_jitter_is_seeded_and_within_bounds() -> None:
    from benchwright.models.chat import Attempt

    failed = Attempt(Call(key="0" * 64, status=CallStatus.ERROR, model="m"), retryable=True)
    settings = SchedulerSettings(backoff_base_s=1.0, backoff_max_s=8.0, seed=7)
    model = open_model("baseline/random")
    waits = [
        [Scheduler(model, settings=settings)._wait_s(failed, number) for number in range(1, 8)]
        for _ in range(2)
    ]
    assert waits[0] == waits[1]
    for number, wait in enumerate(waits[0]):
        ceiling = min(8.0, 2.0**number)
        assert ceiling / 2 <= wait <= ceiling


def test_an_exception_of_the_work_ends_the_stream_and_cancels_the_rest() -> None:
    import asyncio

    cancelled: list[int] = []

    async def work(number: int) -> int:
        if number == 1:
            await asyncio.sleep(0.01)
            raise OSError("disk full")
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            cancelled.append(number)
            raise
        return number

    async def main() -> None:
        async for _ in as_finished(range(6), work, 3):
            pass

    with pytest.raises(OSError, match="disk full"):
        asyncio.run(main())
    assert sorted(cancelled)[:2] == [0, 2]


# ---- the store ------------------------------------------------------------------------------------------------


def call(key: str, status: CallStatus, text: str | None = None) -> Call:
    return Call(key=key * 64, status=status, text=text, model="m")


def test_only_reusable_calls_are_given_back_and_never_overwritten(tmp_path: Path) -> None:
    reusable = {CallStatus.OK, CallStatus.REFUSED, CallStatus.FILTERED, CallStatus.TRUNCATED}
    with CallStore(tmp_path / "calls.sqlite") as store:
        for number, status in enumerate(CallStatus):
            key = f"{number:x}"
            store.put(call(key, status, "first"), {})
            found = store.get(key * 64)
            assert (found is not None) == (status in reusable)
            store.put(call(key, CallStatus.ERROR), {})
            last = store.last(key * 64)
            assert last is not None and last.status is (status if status in reusable else CallStatus.ERROR)
        assert store.get("f" * 64) is None


def test_store_round_trip_and_second_reader(tmp_path: Path) -> None:
    stored = call(
        "a", CallStatus.OK, "质量 m = 2 kg \ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")
    )
    with CallStore(tmp_path / "calls.sqlite") as writer, CallStore(tmp_path / "calls.sqlite") as reader:
        writer._db.execute("BEGIN IMMEDIATE")  # an open write transaction must not keep readers waiting
        assert reader.get("a" * 64) is None
        writer._db.execute("COMMIT")
        writer.put(stored, {"messages": ["é"]})
        assert reader.get("a" * 64) == stored


def test_foreign_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a database, and long enough to be told apart from an empty one" * 20)
    with pytest.raises(UsageError, match="not a usable call store"):
        CallStore(tmp_path / "text")
    with sqlite3.connect(tmp_path / "newer") as database:
        database.execute("PRAGMA user_version=99")
    database.close()
    with pytest.raises(UsageError, match="format 99"):
        CallStore(tmp_path / "newer")


RUNNER = """
import signal, sys
from pathlib import Path
from benchwright.models.chat import ChatRequest, Message
from benchwright.models.registry import open_model
from benchwright.models.scheduler import SchedulerSettings, run_calls
from benchwright.models.store import CallStore

# A shell that starts jobs in the background hands SIGINT on as ignored; a person's terminal does not.
signal.signal(signal.SIGINT, signal.default_int_handler)
requests = [ChatRequest(f"q{n}", (Message.user(f"Question {n:03d}."),)) for n in range(int(sys.argv[3]))]
with CallStore(Path(sys.argv[2])) as store:
    run_calls(open_model("openai/m", base_url=sys.argv[1]), requests, store=store,
              settings=SchedulerSettings(concurrency=4))
"""


def start_run(base_url: str, store: Path, count: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", RUNNER, base_url, str(store), str(count)],
        stderr=subprocess.PIPE,
        env=os.environ.copy(),
    )


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_loses_the_calls_in_flight_and_no_more(
    openai_server: Server, tmp_path: Path, how: int
) -> None:
    server = openai_server({"latency_ms": 50, "rules": [{"match": r"(\d+)", "answer": r"\1"}]})
    store = tmp_path / "calls.sqlite"
    process = start_run(server.base_url, store, 160)
    deadline = time.monotonic() + 60
    while len(server.requests) < 60 and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(how)
    _, errors = process.communicate(timeout=30)
    assert process.returncode != 0
    if how == signal.SIGINT:
        assert b"KeyboardInterrupt" in errors
    sent_before = len(server.requests)
    assert sent_before < 160, "the kill has to fall into the run"
    with CallStore(store) as reopened:
        held = reopened.counts()[CallStatus.OK]
        assert reopened._db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert sent_before - 4 <= held <= sent_before
    second = start_run(server.base_url, store, 160)
    assert second.wait(timeout=60) == 0
    second.communicate()
    sent = Counter(request.prompt for request in server.requests)
    assert len(sent) == 160 and sum(sent.values()) - 160 <= 4, "only what was in flight is sent again"
    with CallStore(store) as complete:
        rows = complete._db.execute("SELECT call FROM calls").fetchall()
    assert sorted(json.loads(row[0])["text"] for row in rows) == [f"{number:03d}" for number in range(160)]


def test_two_processes_share_a_store(openai_server: Server, tmp_path: Path) -> None:
    server = openai_server({"latency_ms": 5, "rules": [{"answer": "x"}]})
    store = tmp_path / "calls.sqlite"
    both = [start_run(server.base_url, store, 60) for _ in range(2)]
    for process in both:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
    with CallStore(store) as shared:
        assert shared.counts() == {CallStatus.OK: 60}
