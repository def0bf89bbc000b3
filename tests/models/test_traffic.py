"""Budgets, pauses, slots that follow the endpoint's strength, and the end of a run that nobody serves."""

from __future__ import annotations

import asyncio
import socket
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.models.chat import Call, ChatRequest, Message, Sampling
from benchwright.models.registry import open_model
from benchwright.models.scheduler import Scheduler, SchedulerSettings, run_calls, traffic_of
from benchwright.models.spending import Ledger
from benchwright.models.store import CallStore
from benchwright.models.traffic import DENIALS_IN_A_ROW, Bucket, EndpointDenied, Slots, estimated_tokens
from benchwright.schemas.errors import UsageError
from benchwright.schemas.status import CallStatus

Server = Callable[..., Any]
FAST = SchedulerSettings(attempts=3, attempt_timeout_s=10.0, backoff_base_s=0.01, backoff_max_s=0.05)


def questions(count: int) -> list[ChatRequest]:
    return [ChatRequest(f"q{number}", (Message.user(f"Question {number:03d}."),)) for number in range(count)]


# ---- budgets -----------------------------------------------------------------------------------------------------


@given(
    st.integers(1, 600),
    st.lists(st.floats(0, 3, allow_nan=False), min_size=1, max_size=120),
)
def test_no_minute_holds_more_than_the_budget(per_minute: int, gaps: list[float]) -> None:
    bucket, now, leaving = Bucket(per_minute), 0.0, []
    for gap in gaps:
        now += gap
        leaving.append(now + bucket.reserve(1, now))
    assert leaving == sorted(leaving), "first come, first served"
    for start in leaving:
        assert sum(start <= moment < start + 60 - 1e-6 for moment in leaving) <= per_minute


def test_a_budget_is_used_up_to_nine_tenths() -> None:
    bucket = Bucket(60)
    last = max(bucket.reserve(1, 0.0) for _ in range(60))
    assert 60 <= last < 67, "sixty requests a minute take about a minute"


def test_what_was_not_used_comes_back() -> None:
    reserved, corrected = Bucket(6000), Bucket(6000)
    for bucket in (reserved, corrected):
        bucket.reserve(600, 0.0)
    corrected.give_back(590, 0.0)
    assert reserved.reserve(300, 0.0) > 0 and corrected.reserve(300, 0.0) == 0
    beyond = Bucket(6000)
    beyond.reserve(100, 0.0)
    beyond.give_back(-500, 0.0)  # the reply was longer than estimated
    assert beyond.reserve(100, 0.0) > 0


def test_requests_a_minute_hold_for_a_run(openai_server: Server) -> None:
    server = openai_server({"rules": [{"answer": "x"}]})
    settings = FAST.model_copy(update={"requests_per_minute": 600, "concurrency": 32})
    started = time.monotonic()
    calls = run_calls(open_model("openai/m", base_url=server.base_url), questions(75), settings=settings)
    assert {call.status for call in calls} == {CallStatus.OK}
    # 60 leave at once, 15 follow at nine a second.
    assert time.monotonic() - started >= 15 / 9 - 0.1


def test_tokens_are_reserved_by_estimate_and_corrected_by_use(openai_server: Server) -> None:
    """Every request reserves half a minute's budget and uses ten tokens: uncorrected, five of them take two minutes."""
    server = openai_server(
        {"rules": [{"answer": "x", "usage": {"prompt_tokens": 8, "completion_tokens": 2}}]}
    )
    settings = FAST.model_copy(update={"tokens_per_minute": 60_000, "concurrency": 1, "item_timeout_s": 30.0})
    requests = [ChatRequest(f"q{n}", (Message.user(f"Q {n}"),), estimated_tokens=6_000) for n in range(20)]
    model = open_model("openai/m", base_url=server.base_url)
    scheduler = Scheduler(model, settings=settings)

    async def main() -> list[Call]:
        try:
            return [await scheduler.call(request) for request in requests]
        finally:
            await model.close()

    started = time.monotonic()
    assert {call.status for call in asyncio.run(main())} == {CallStatus.OK}
    assert time.monotonic() - started < 100, "uncorrected it takes more than two minutes"


def test_waiting_for_our_own_budget_costs_an_item_nothing(openai_server: Server) -> None:
    """An item's time is 2.5 seconds, the queue in front of the last one lasts 4.4: it is answered all the same."""
    server = openai_server({"rules": [{"answer": "x"}]})
    settings = FAST.model_copy(
        update={"requests_per_minute": 60, "concurrency": 10, "item_timeout_s": 2.5, "attempts": 1}
    )
    calls = run_calls(open_model("openai/m", base_url=server.base_url), questions(10), settings=settings)
    assert {call.status for call in calls} == {CallStatus.OK}


def test_estimates_err_upwards_and_callers_may_know_better() -> None:
    text = Message.user("What is the speed of light in vacuum, in metres per second?")
    assert 15 <= estimated_tokens(ChatRequest("q", (text,), Sampling(max_tokens=None))) <= 60
    assert estimated_tokens(ChatRequest("q", (text,), Sampling(max_tokens=500))) >= 500
    named = Sampling(max_tokens=None, extra={"max_completion_tokens": 900})
    assert estimated_tokens(ChatRequest("q", (text,), named)) >= 900
    assert estimated_tokens(ChatRequest("q", (text,), estimated_tokens=7)) == 7
    known, rough = ChatRequest("q", (text,), estimated_tokens=7), ChatRequest("q", (text,))
    assert known.as_json() == rough.as_json(), "an estimate is no part of what is asked"


# ---- pauses ------------------------------------------------------------------------------------------------------


def test_retry_after_pauses_everybody(openai_server: Server) -> None:
    rules = [
        {"match": "000", "status": 429, "retry_after": "0.7", "times": 1},
        {"answer": "x", "latency_ms": 150},
    ]
    server = openai_server({"rules": rules})
    settings = FAST.model_copy(update={"concurrency": 4, "adaptive": False})
    calls = run_calls(open_model("openai/m", base_url=server.base_url), questions(30), settings=settings)
    assert {call.status for call in calls} == {CallStatus.OK}
    first = next(request for request in server.requests if "000" in request.prompt)
    early = [request for request in server.requests if request.at < first.at + 0.7]
    assert len(early) <= 4, "only what was in flight already"
    assert len(server.requests) == 31


def test_a_pause_longer_than_an_items_time_is_not_waited_for_by_anybody(openai_server: Server) -> None:
    server = openai_server({"rules": [{"status": 429, "retry_after": "3600"}]})
    settings = FAST.model_copy(update={"concurrency": 2, "item_timeout_s": 5.0})
    calls = run_calls(open_model("openai/m", base_url=server.base_url), questions(40), settings=settings)
    assert {call.status for call in calls} == {CallStatus.RATE_LIMITED}
    assert len(server.requests) <= 2
    assert [call.attempts for call in calls[2:]] == [0] * 38
    assert "not sent" in (calls[-1].detail or "")


def test_two_schedulers_of_one_endpoint_share_a_pause(openai_server: Server) -> None:
    rules = [{"match": "000", "status": 429, "retry_after": "0.5", "times": 1}, {"answer": "x"}]
    server = openai_server({"rules": rules})
    model = open_model("openai/m", base_url=server.base_url)
    shared = traffic_of(FAST)
    one, other = (Scheduler(model, settings=FAST, traffic=shared) for _ in range(2))
    first, second = questions(2)

    async def main() -> None:
        try:
            limited = asyncio.create_task(one.call(first))
            while not server.requests:
                await asyncio.sleep(0.005)
            await asyncio.sleep(0.2)
            await other.call(second)
            await limited
        finally:
            await model.close()

    asyncio.run(main())
    later = [request.at for request in server.requests[1:]]
    assert len(later) == 2 and min(later) >= server.requests[0].at + 0.5


# ---- slots -------------------------------------------------------------------------------------------------------


def test_slots_are_halved_once_a_round_and_grow_by_one_a_round() -> None:
    async def main() -> None:
        slots = Slots(most=16, start=16, adaptive=True)
        rounds = [await slots.enter() for _ in range(16)]
        for number in rounds:
            slots.overloaded(number)
        assert slots.limit == 8, "sixteen failures of one round are one sign"
        for _ in range(16):
            slots.leave()
        slots.overloaded(await slots.enter())
        assert slots.limit == 4
        answers = 0
        while slots.limit < 5:
            slots.answered()
            answers += 1
        assert 4 <= answers <= 5
        for _ in range(2000):
            slots.answered()
        assert slots.limit == 16, "never beyond the bound"
        for _ in range(20):
            slots.overloaded(slots._round)
        assert slots.limit == 1, "never below one"

    asyncio.run(main())


def test_slots_without_adaptation_stay() -> None:
    slots = Slots(most=16, start=2, adaptive=False)
    slots.overloaded(0)
    assert slots.limit == 16


def test_a_slot_is_not_lost_with_who_waited_for_it() -> None:
    async def main() -> None:
        slots = Slots(most=1, start=1, adaptive=True)
        await slots.enter()
        waiting = [asyncio.create_task(slots.enter()) for _ in range(4)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        slots.leave()  # meets the cancelled one first
        await asyncio.sleep(0)
        assert waiting[1].done() and not waiting[2].done()
        waiting[2].cancel()
        await asyncio.sleep(0)
        slots.leave()
        await asyncio.wait_for(waiting[3], 5)
        slots.leave()
        await asyncio.wait_for(slots.enter(), 5)

    asyncio.run(main())


def test_an_overloaded_server_is_asked_less_at_a_time(openai_server: Server) -> None:
    """A server that bears four requests at once: the adaptive run is turned away far less often than the stubborn.

    The server takes long beside what a busy machine adds, so that requests do overlap; and whoever is turned away
    waits long enough that a slow machine is not kept busy by refusals alone.
    """
    turned_away = {}
    for adaptive in (True, False):
        server = openai_server({"latency_ms": 30, "rules": [{"above": 4, "status": 503}, {"answer": "x"}]})
        waits = {"backoff_base_s": 0.1, "backoff_max_s": 0.4}
        settings = FAST.model_copy(update={"concurrency": 24, "attempts": 500, "adaptive": adaptive, **waits})
        calls = run_calls(open_model("openai/m", base_url=server.base_url), questions(100), settings=settings)
        assert {call.status for call in calls} == {CallStatus.OK}
        turned_away[adaptive] = Counter(request.status for request in server.requests)[503]
    assert turned_away[True] < turned_away[False] / 2, turned_away


def test_an_adaptive_run_may_start_low(openai_server: Server) -> None:
    server = openai_server({"latency_ms": 30, "rules": [{"answer": "x"}]})
    settings = FAST.model_copy(update={"concurrency": 12, "start_concurrency": 2})
    run_calls(open_model("openai/m", base_url=server.base_url), questions(120), settings=settings)
    assert all(request.in_flight <= 3 for request in server.requests[:4])
    assert server.max_in_flight > 4, "it has grown"


# ---- nobody is served ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"status": 401, "error": {"message": "Incorrect API key provided"}}, "HTTP 401: Incorrect API key"),
        ({"status": 403}, "HTTP 403"),
        ({"status": 404, "error": {"message": "The model m does not exist"}}, "does not exist"),
        ({"status": 429, "error": {"code": "insufficient_quota", "message": "buy more"}}, "buy more"),
    ],
    ids=["key", "forbidden", "model", "quota"],
)
def test_a_run_that_nobody_serves_ends_at_once_with_one_sentence(
    openai_server: Server, rule: dict[str, Any], words: str
) -> None:
    server = openai_server({"rules": [rule]})
    settings = FAST.model_copy(update={"concurrency": 8})
    with pytest.raises(UsageError, match="nothing more is sent") as caught:
        run_calls(open_model("openai/m", base_url=server.base_url), questions(500), settings=settings)
    assert words in str(caught.value) and "127.0.0.1" in str(caught.value)
    assert DENIALS_IN_A_ROW <= len(server.requests) <= DENIALS_IN_A_ROW + 8


def test_what_is_in_flight_when_the_key_expires_is_finished_and_kept(
    openai_server: Server, tmp_path: Path
) -> None:
    rules = [
        {"match": "000", "answer": "slow", "latency_ms": 800},
        {"match": "00[1-3]", "answer": "quick"},
        {"status": 401},
    ]
    server = openai_server({"rules": rules})
    settings = FAST.model_copy(update={"concurrency": 4})
    finished: list[str] = []
    with CallStore(tmp_path / "calls.sqlite") as store:
        model = open_model("openai/m", base_url=server.base_url)
        with pytest.raises(EndpointDenied):
            run_calls(
                model,
                questions(300),
                store=store,
                settings=settings,
                on_result=lambda request, call: finished.append(request.item_id),
            )
        assert store.counts()[CallStatus.OK] == 4
        assert "q0" in finished, "the slow answer was waited for"
        before = len(server.requests)
        assert before <= 4 + DENIALS_IN_A_ROW + 4
        server.use({"rules": [{"answer": "x"}]})
        calls = run_calls(model, questions(300), store=store, settings=settings)
        assert {call.status for call in calls} == {CallStatus.OK}
        assert len(server.requests) - before == 296, "what was answered is not asked again"


def test_a_run_that_finds_nobody_at_the_address_ends_with_one_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        ledger = Ledger("answers")
        with pytest.raises(UsageError, match="mend --base-url"):
            run_calls(open_model("openai/m", base_url=address), questions(500), settings=FAST, ledger=ledger)
    assert ledger.spending()[0].made <= 2 * FAST.concurrency, "not every item is tried in vain"


def test_calls_that_wait_for_a_slot_are_not_sent_after_the_denial(openai_server: Server) -> None:
    server = openai_server({"rules": [{"status": 401}]})
    settings = FAST.model_copy(update={"concurrency": 1})

    async def all_at_once() -> list[Any]:
        model = open_model("openai/m", base_url=server.base_url)
        scheduler = Scheduler(model, None, settings)
        try:
            return await asyncio.gather(*map(scheduler.call, questions(12)), return_exceptions=True)
        finally:
            await model.close()

    ended = asyncio.run(all_at_once())
    assert sum(isinstance(end, EndpointDenied) for end in ended) == 12 - (DENIALS_IN_A_ROW - 1)
    assert len(server.requests) == DENIALS_IN_A_ROW


def test_one_item_that_a_gateway_forbids_ends_nothing(openai_server: Server) -> None:
    server = openai_server({"rules": [{"match": r"\d\d7\.", "status": 403}, {"answer": "x"}]})
    settings = FAST.model_copy(update={"concurrency": 1})
    calls = run_calls(open_model("openai/m", base_url=server.base_url), questions(60), settings=settings)
    assert Counter(call.status for call in calls) == {CallStatus.OK: 54, CallStatus.ERROR: 6}
    assert len(server.requests) == 60, "and each was sent once"
