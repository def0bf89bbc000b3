"""Accounting and budget against the real server: what it counted is what we book, and the budget holds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from benchwright.models.baseline import RandomBaseline
from benchwright.models.budget import Budget, BudgetReached
from benchwright.models.chat import ChatModel, ChatRequest, Hints, Message, Sampling
from benchwright.models.prices import Money, Price, PriceTable
from benchwright.models.probes import probe
from benchwright.models.registry import open_model
from benchwright.models.scheduler import Scheduler, SchedulerSettings, as_finished, run_calls
from benchwright.models.spending import (
    SPENDING_COLUMNS,
    Ledger,
    Spending,
    spending_notes,
    spending_of,
    spending_rows,
)
from benchwright.models.store import CallStore
from benchwright.models.structured import run_structured
from benchwright.models.tokens import Calibration
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import QuestionType
from benchwright.schemas.status import CallStatus

Server = Callable[..., Any]
FAST = SchedulerSettings(attempts=3, backoff_base_s=0.01, backoff_max_s=0.05, concurrency=4)
PRICES = PriceTable(
    entries={
        "openai/m": Price.model_validate({"input": 2, "output": 8, "source": "test", "date": "2026-01-31"})
    }
)
USAGE = {"prompt_tokens": 10, "completion_tokens": 500}
"""What the questions below really have, and the whole of their token limit."""
ONE_CALL = Decimal("0.00402")
"""10 tokens in at 2 USD and 500 out at 8 USD a million."""


def questions(count: int, max_tokens: int | None = 500) -> list[ChatRequest]:
    sampling = Sampling(max_tokens=max_tokens)
    return [
        ChatRequest(f"q{number}", (Message.user(f"Question {number:03d}."),), sampling)
        for number in range(count)
    ]


def ask(
    server: Any,
    requests: list[ChatRequest],
    ledger: Ledger,
    store: CallStore | None = None,
    settings: SchedulerSettings = FAST,
) -> list[CallStatus]:
    model = open_model("openai/m", base_url=server.base_url)
    return [call.status for call in run_calls(model, requests, store=store, settings=settings, ledger=ledger)]


# ---- accounting --------------------------------------------------------------------------------------------------


def test_what_the_server_counted_is_what_is_booked(openai_server: Server, tmp_path: Path) -> None:
    details = {
        "completion_tokens_details": {"reasoning_tokens": 300},
        "prompt_tokens_details": {"cached_tokens": 6},
    }
    server = openai_server({"rules": [{"answer": "A", "usage": {**USAGE, **details}}]})
    with CallStore(tmp_path / "calls.sqlite") as store:
        first, second = Ledger("tagging", PRICES), Ledger("tagging", PRICES)
        ask(server, questions(10), first, store)
        ask(server, questions(12), second, store)
    assert first.spending() == (
        Spending(
            stage="tagging",
            model="openai/m",
            host="127.0.0.1",
            calls={CallStatus.OK: 10},
            tries=10,
            input_tokens=100,
            output_tokens=5_000,
            reasoning_tokens=3_000,
            cached_tokens=60,
            money=Money(usd=10 * ONE_CALL),
        ),
    )
    again = second.spending()[0]
    assert (again.reused, again.made, again.money.usd) == (10, 2, 2 * ONE_CALL)
    assert len(server.requests) == 12


def test_paid_tries_that_a_later_one_replaced_are_booked(openai_server: Server) -> None:
    """An empty reply is asked again; both were billed. A 500 was not."""
    server = openai_server(
        {
            "rules": [
                {"status": 500, "times": 1},
                {"content": None, "usage": USAGE, "times": 1},
                {"answer": "A", "usage": USAGE},
            ]
        }
    )
    ledger = Ledger("answers", PRICES)
    assert ask(server, questions(1), ledger) == [CallStatus.OK]
    booked = ledger.spending()[0]
    assert (booked.made, booked.tries, booked.retries) == (1, 3, 2)
    assert (booked.money, booked.unreported) == (Money(usd=2 * ONE_CALL), 0)


def test_calls_are_counted_by_how_they_ended(openai_server: Server) -> None:
    rules: list[dict[str, Any]] = [
        {"match": "00[01]", "answer": "cut", "finish_reason": "length", "usage": USAGE},
        {"match": "002", "status": 400, "error": {"code": "content_policy_violation", "message": "no"}},
        {"match": "003", "status": 400, "error": {"message": "bad request"}},
        {"answer": "A", "usage": USAGE},
    ]
    ledger = Ledger("answers", PRICES)
    ask(openai_server({"rules": rules}), questions(6), ledger)
    booked = ledger.spending()[0]
    assert booked.calls == {
        CallStatus.ERROR: 1,
        CallStatus.OK: 2,
        CallStatus.REFUSED: 1,
        CallStatus.TRUNCATED: 2,
    }
    assert (booked.unreported, booked.money) == (0, Money(usd=4 * ONE_CALL))


@pytest.mark.parametrize(
    ("rule", "tries", "unreported"),
    [
        pytest.param({"raw": {"choices": [{"message": {"content": "A"}}]}}, 1, 1, id="no-usage-in-the-reply"),
        pytest.param({"hang_s": 30}, 3, 3, id="timeout"),
        pytest.param({"disconnect": "half"}, 3, 3, id="connection-lost"),
        pytest.param({"status": 503}, 3, 0, id="turned-down"),
    ],
)
def test_what_may_have_been_billed_without_a_count_is_unknown(
    openai_server: Server, rule: dict[str, Any], tries: int, unreported: int
) -> None:
    ledger = Ledger("answers", PRICES)
    settings = FAST.model_copy(update={"attempt_timeout_s": 0.3}) if "hang_s" in rule else FAST
    ask(openai_server({"rules": [rule]}), questions(1), ledger, settings=settings)
    booked = ledger.spending()[0]
    assert (booked.tries, booked.unreported) == (tries, unreported)
    assert booked.money.known == (unreported == 0)
    assert any("may have been billed" in note for note in spending_notes([booked])) == (unreported > 0)


def test_a_connection_that_never_stood_cost_nothing() -> None:
    model = open_model("openai/m", base_url="http://127.0.0.1:9/v1")
    ledger = Ledger("answers", PRICES)
    calls = run_calls(model, questions(1), settings=FAST, ledger=ledger)
    assert calls[0].status is CallStatus.ERROR
    assert (ledger.spending()[0].tries, ledger.spending()[0].money) == (3, Money())


def test_an_embedded_stand_in_is_free_and_a_model_without_a_price_is_not(openai_server: Server) -> None:
    free = Ledger("answers")
    asked = [ChatRequest("q", (Message.user("?"),), hints=None)]
    with pytest.raises(Exception, match="no-hints"):
        run_calls(RandomBaseline(), asked, ledger=free)
    assert (free.spending()[0].tries, free.spending()[0].money) == (1, Money())
    guessed = [ChatRequest("q", (Message.user("?"),), hints=Hints(question_type=QuestionType.FREE_FORM))]
    run_calls(RandomBaseline(), guessed, ledger=free)
    assert (free.spending()[0].tries, free.spending()[0].unreported, free.spending()[0].money) == (
        2,
        0,
        Money(),
    )
    unpriced = Ledger("answers")
    ask(openai_server({"rules": [{"answer": "A", "usage": USAGE}]}), questions(3), unpriced)
    booked = unpriced.spending()[0]
    assert (booked.input_tokens, booked.money) == (30, Money(unknown=3))
    assert spending_notes([booked]) == ['openai/m (answers): price unknown; add [prices."openai/m"]']


def test_stored_calls_can_be_accounted_later(openai_server: Server) -> None:
    server = openai_server({"rules": [{"status": 500, "times": 1}, {"answer": "A", "usage": USAGE}]})
    model = open_model("openai/m", base_url=server.base_url)
    calls = run_calls(model, questions(4), settings=FAST)
    booked = spending_of("tagging", calls, PRICES)[0]
    assert (booked.made, booked.tries, booked.retries, booked.money.usd) == (4, 8, 4, 4 * ONE_CALL)


def test_rows_have_the_columns_and_a_sum() -> None:
    one = Spending(
        stage="answers", model="openai/m", calls={CallStatus.OK: 2}, tries=3, money=Money(usd=Decimal(2))
    )
    other = Spending(
        stage="judge", model="openai/j", calls={CallStatus.ERROR: 1}, tries=1, money=Money(unknown=1)
    )
    rows = spending_rows([one, other])
    assert all(len(row) == len(SPENDING_COLUMNS) for row in rows)
    assert rows[0] == ("answers", "openai/m", 2, 0, 1, 0, 0, 0, 0, "2.00 USD")
    assert rows[2] == ("all", "", 3, 0, 1, 1, 0, 0, 0, "unknown (known part 2.00 USD)")
    assert len(spending_rows([one])) == 1


# ---- budget ------------------------------------------------------------------------------------------------------


def test_the_budget_stops_and_a_second_run_sends_only_the_rest(openai_server: Server, tmp_path: Path) -> None:
    server = openai_server({"latency_ms": 20, "rules": [{"answer": "A", "usage": USAGE}]})
    requests = questions(60)
    finished: list[str] = []
    with CallStore(tmp_path / "calls.sqlite") as store:
        budget = Budget(20 * ONE_CALL, PRICES)
        ledger = Ledger("tagging", PRICES, budget)
        model = open_model("openai/m", base_url=server.base_url)
        with pytest.raises(BudgetReached, match=r"budget of 0\.0804 USD: 0\.0") as stop:
            run_calls(
                model,
                requests,
                store=store,
                settings=FAST,
                ledger=ledger,
                on_result=lambda request, call: finished.append(request.item_id),
            )
        done = len(server.requests)
        assert stop.value.spent == budget.spent == done * ONE_CALL <= budget.usd
        assert store.counts() == {CallStatus.OK: done}
        assert len(finished) == done
        assert 18 <= done <= 20
        assert f"{done} of 60 done and kept" in stop.value.sentence(done, 60)
        more = Ledger("tagging", PRICES, Budget(Decimal(1), PRICES))
        assert ask(server, requests, more, store) == [CallStatus.OK] * 60
    assert more.spending()[0].reused == done
    prompts = [request.prompt for request in server.requests]
    assert len(prompts) == len(set(prompts)) == 60


def test_calls_in_flight_come_to_their_end_when_the_budget_is_reached(
    openai_server: Server, tmp_path: Path
) -> None:
    """The last calls are slow; the stop waits for them and stores them, cut connections would lose paid replies."""
    rules = [{"match": "00[0-9]", "answer": "slow", "usage": USAGE, "latency_ms": 400}]
    server = openai_server({"rules": rules})
    settings = FAST.model_copy(update={"concurrency": 16})
    with CallStore(tmp_path / "calls.sqlite") as store:
        ledger = Ledger("tagging", PRICES, Budget(6 * ONE_CALL, PRICES))
        with pytest.raises(BudgetReached):
            ask(server, questions(16), ledger, store, settings)
        assert store.counts() == {CallStatus.OK: len(server.requests)}
    assert len(server.requests) == 5


def test_work_beside_the_stopped_one_is_not_cancelled() -> None:
    """A free call (another model, the store) may be on its way when the money ends; its result is still given."""

    async def work(item: int) -> int:
        if item == 0:
            raise BudgetReached(Decimal(1), Decimal(1), Decimal(0), Decimal(1))
        await asyncio.sleep(0.2)
        return item

    async def play() -> list[int]:
        given = []
        with pytest.raises(BudgetReached):
            async for _, result in as_finished(range(9), work, concurrency=3):
                given.append(result)
        return sorted(given)

    assert asyncio.run(play()) == [1, 2]


def test_what_replies_leave_over_is_used(openai_server: Server, tmp_path: Path) -> None:
    """Worst cases are set aside, but short replies give the money back: nearly the whole budget is used."""
    short = {"prompt_tokens": 10, "completion_tokens": 5}
    server = openai_server({"rules": [{"answer": "A", "usage": short}]})
    settings = FAST.model_copy(update={"concurrency": 32})
    with CallStore(tmp_path / "calls.sqlite") as store:
        ledger = Ledger("tagging", PRICES, Budget(3 * ONE_CALL, PRICES))
        assert ask(server, questions(100), ledger, store, settings) == [CallStatus.OK] * 100
    assert (
        server.max_in_flight <= 3
    )  # two by the budget; the server counts one down a moment after its reply left


def test_a_lost_try_keeps_its_worst_case(openai_server: Server) -> None:
    server = openai_server({"rules": [{"disconnect": "half"}]})
    budget = Budget(Decimal("0.01"), PRICES)  # two worst cases
    with pytest.raises(BudgetReached, match="for tries whose end is not known"):
        ask(server, questions(20), Ledger("tagging", PRICES, budget))
    assert budget.spent == 0 and Decimal("0.008") < budget.lost <= budget.usd


def test_a_server_that_reads_more_than_we_think_is_learnt_from(openai_server: Server) -> None:
    """A hidden prompt of 3,000 tokens in each call: the excess is that of the first calls in flight, no more."""
    server = openai_server({"rules": [{"answer": "A", "usage": {**USAGE, "prompt_tokens": 3010}}]})
    really = Decimal("0.01002")
    budget = Budget(Decimal("0.2"), PRICES)
    with pytest.raises(BudgetReached):
        ask(server, questions(60), Ledger("tagging", PRICES, budget))
    assert budget.spent == len(server.requests) * really
    assert Decimal("0.18") < budget.spent <= budget.usd


def test_probes_are_booked_and_ask_the_budget(openai_server: Server) -> None:
    server = openai_server({"rules": [{"answer": "The air.", "usage": USAGE}]})
    model = open_model("openai/m", base_url=server.base_url)
    ledger = Ledger("probes", PRICES, Budget(Decimal(1), PRICES))
    probe(model, ledger=ledger)
    assert (ledger.spending()[0].made, ledger.spending()[0].money.usd) == (3, 3 * ONE_CALL)
    with pytest.raises(BudgetReached):
        probe(model, ledger=Ledger("probes", PRICES, Budget(Decimal("0.001"), PRICES)))
    assert len(server.requests) == 3


def test_two_stages_share_one_budget(openai_server: Server) -> None:
    server = openai_server({"rules": [{"answer": "A", "usage": USAGE}]})
    budget = Budget(10 * ONE_CALL, PRICES)
    ask(server, questions(6), Ledger("answers", PRICES, budget))
    with pytest.raises(BudgetReached):
        ask(server, questions(6), Ledger("judge", PRICES, budget))
    assert budget.spent <= budget.usd


class Tag(BaseModel):
    """A typed reply."""

    level: int


def test_a_structured_stage_stops_too(openai_server: Server, tmp_path: Path) -> None:
    server = openai_server({"rules": [{"json": {"level": 3}, "usage": USAGE}]})
    model = open_model("openai/m", base_url=server.base_url)
    with CallStore(tmp_path / "calls.sqlite") as store:
        ledger = Ledger("tagging", PRICES, Budget(5 * ONE_CALL, PRICES))
        with pytest.raises(BudgetReached):
            run_structured(model, questions(9), Tag, store=store, settings=FAST, ledger=ledger)
        replies = run_structured(model, questions(9), Tag, store=store, settings=FAST)
    assert [reply.value for reply in replies] == [Tag(level=3)] * 9
    assert len(server.requests) == 9


def test_a_budget_without_a_price_is_refused_before_anything_is_sent(openai_server: Server) -> None:
    server = openai_server({"rules": [{"answer": "A"}]})
    ledger = Ledger("tagging", PriceTable(), Budget(Decimal(1), PriceTable()))
    with pytest.raises(UsageError, match=r'price is unknown; add \[prices."openai/m"\]'):
        ask(server, questions(3), ledger)
    with pytest.raises(UsageError, match="price is unknown"):
        Scheduler(open_model("openai/m", base_url=server.base_url), ledger=ledger)
    assert server.requests == []


def test_a_budget_without_a_token_limit_is_refused_before_anything_is_sent(openai_server: Server) -> None:
    server = openai_server({"rules": [{"answer": "A"}]})
    ledger = Ledger("tagging", PRICES, Budget(Decimal(1), PRICES))
    with pytest.raises(UsageError, match="set max_tokens"):
        ask(server, questions(3, max_tokens=None), ledger)
    assert server.requests == []


@pytest.mark.parametrize("usd", ["0", "-1", "NaN", "Infinity"])
def test_a_budget_is_a_positive_amount(usd: str) -> None:
    with pytest.raises(UsageError, match="positive"):
        Budget(Decimal(usd), PRICES)


def test_the_worst_case_counts_the_limit_that_is_sent(openai_server: Server) -> None:
    model: ChatModel = open_model("openai/m", base_url=openai_server({}).base_url)
    budget = Budget(Decimal(1), PRICES)
    small, large = (
        budget.worst_case(model, ChatRequest("q", (Message.user("Hello"),), sampling)).usd
        for sampling in (Sampling(max_tokens=100), Sampling(extra={"max_completion_tokens": 1100}))
    )
    assert large - small == Decimal("0.008")
    doubled = Budget(Decimal(1), PRICES, {"openai/m": Calibration(factor=2, low=2, high=2, calls=9)})
    assert doubled.worst_case(model, questions(1)[0]).usd > budget.worst_case(model, questions(1)[0]).usd


def test_a_waiting_call_is_let_in_or_turned_away_and_never_left() -> None:
    async def play() -> list[str]:
        budget = Budget(Decimal(10), PRICES)
        log: list[str] = []

        async def one(name: str, worst: int, real: int) -> None:
            try:
                await budget.hold(Decimal(worst))
            except BudgetReached:
                log.append(f"{name} turned away")
                return
            await asyncio.sleep(0)
            budget.settle(Decimal(worst), Decimal(real))
            log.append(f"{name} done")

        await asyncio.gather(one("a", 8, 1), one("b", 8, 8), one("c", 8, 8), one("d", 1, 1))
        return log

    # b waits for a, which turns out cheap; c then fits no more (9 spent) and ends everything after it
    assert asyncio.run(play()) == ["a done", "d done", "b done", "c turned away"]


def test_waiting_for_the_budget_takes_nothing_from_an_items_time(openai_server: Server) -> None:
    """One call at a time fits; the last of six waits 3.5 s, longer than an item may take, and is still made."""
    usage = {**USAGE, "completion_tokens": 1}
    server = openai_server({"latency_ms": 700, "rules": [{"answer": "A", "usage": usage}]})
    settings = SchedulerSettings(concurrency=6, item_timeout_s=3.0)
    ledger = Ledger("tagging", PRICES, Budget(5 * ONE_CALL, PRICES))
    assert ask(server, questions(6, max_tokens=2000), ledger, settings=settings) == [CallStatus.OK] * 6
    assert server.max_in_flight <= 2  # one by the budget, and one whose reply has just left


def test_a_scheduler_can_be_used_without_a_ledger(openai_server: Server) -> None:
    model = open_model("openai/m", base_url=openai_server({"rules": [{"answer": "A"}]}).base_url)

    async def one() -> CallStatus:
        try:
            return (await Scheduler(model).call(questions(1)[0])).status
        finally:
            await model.close()

    assert asyncio.run(one()) is CallStatus.OK
