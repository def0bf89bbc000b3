"""The judges in turn: who decides what, and what a cut-off, refusing or hostile response is worth."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import pytest

from benchwright.eval.judges.judge import Judge
from benchwright.models.registry import open_model
from benchwright.models.scheduler import Scheduler, SchedulerSettings
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.runs import Judgement, Response, asked_digest
from benchwright.schemas.status import CallStatus, Outcome

Rows = Callable[..., ReleaseRow]
needs_math = pytest.mark.skipif(find_spec("math_verify") is None, reason="math-verify is not installed")


def reply(row: ReleaseRow, text: str, status: CallStatus = CallStatus.OK) -> Response:
    return Response(row_id=row.id, asked_digest=asked_digest(row), status=status, text=text)


def judge(
    kind: Any, pairs: Sequence[tuple[ReleaseRow, Response]], base_url: str | None = None
) -> list[Judgement]:
    async def main() -> list[Judgement]:
        model = None if base_url is None else open_model("openai/judge", base_url=base_url)
        scheduler = None if model is None else Scheduler(model, None, SchedulerSettings(attempts=1))
        try:
            with Judge(kind, scheduler) as one:
                return [await one.judge(row, response) for row, response in pairs]
        finally:
            if model is not None:
                await model.close()

    return asyncio.run(main())


def free(row: Rows, answer: str, **fields: Any) -> ReleaseRow:
    return row("p1", question="Find it.", choices=(), question_type="free-form", answer=answer, **fields)


@needs_math
def test_a_chain_asks_the_next_only_what_is_left_open(openai_server: Any, row: Rows) -> None:
    server = openai_server({"rules": [{"answer": "They mean the same.\n[Consistent]"}]})
    one = free(row, "x^2+2x+1")
    word = free(row, "chloroplast")
    pairs = [
        (row("p2"), reply(row("p2"), "Answer: B")),
        (one, reply(one, "$(x+1)^2$")),
        (one, reply(one, "$(x+2)^2$")),
        (word, reply(word, "the green organelle")),
    ]
    found = judge("chain", pairs, server.base_url)
    assert [(j.decided_by, j.outcome) for j in found] == [
        ("rules", Outcome.CONSISTENT),
        ("math-verify", Outcome.CONSISTENT),
        ("math-verify", Outcome.INCONSISTENT),
        ("llm", Outcome.CONSISTENT),
    ]
    assert len(server.requests) == 1
    assert [j.reason for j in found[:3]] == ["rules-statement", "math-equal-values", "math-other-values"]


@needs_math
def test_math_verify_comes_second_and_leaves_units_and_words_open(row: Rows) -> None:
    apart = free(row, "12", unit="rev/s")
    word = free(row, "chloroplast")
    found = judge("math-verify", [(apart, reply(apart, "√2")), (word, reply(word, "chlorophyll"))])
    assert [(j.decided_by, j.outcome) for j in found] == [("nobody", Outcome.UNJUDGED)] * 2
    assert all(j.reason.startswith("rules-") for j in found)


def test_every_judge_has_the_model_that_it_needs(openai_server: Any) -> None:
    server = openai_server({})
    scheduler = Scheduler(open_model("openai/judge", base_url=server.base_url), None, SchedulerSettings())
    for kind, llm in (("rules", scheduler), ("math-verify", scheduler), ("llm", None), ("chain", None)):
        with pytest.raises(ValueError, match="do not fit"):
            Judge(kind, llm)  # type: ignore[arg-type]
    asyncio.run(scheduler.model.close())


def test_the_last_sentence_of_a_cut_off_reply_is_no_answer(row: Rows) -> None:
    one = free(row, "8 m/s")
    text = "First the energy is found.\nThe speed at the top is 8 m/s."
    whole, cut, boxed = judge(
        "rules",
        [
            (one, reply(one, text)),
            (one, reply(one, text, CallStatus.TRUNCATED)),
            (one, reply(one, "\\boxed{8 m/s} because of", CallStatus.TRUNCATED)),
        ],
    )
    assert whole.outcome is Outcome.CONSISTENT
    assert (cut.outcome, cut.reason) == (Outcome.NO_ANSWER, "truncated-without-answer")
    assert boxed.outcome is Outcome.CONSISTENT


@pytest.mark.parametrize(
    ("key", "text", "outcome"),
    [
        ("AC", "答案：C、A", Outcome.CONSISTENT),
        ("AC", "A and C", Outcome.CONSISTENT),
        ("AC", "A", Outcome.INCONSISTENT),
        ("AC", "ABC", Outcome.INCONSISTENT),
        ("AC", "", Outcome.NO_ANSWER),
        ("C", "AC", Outcome.INCONSISTENT),
    ],
)
def test_eva_03_sets_of_options(row: Rows, key: str, text: str, outcome: Outcome) -> None:
    kind = "multiple-select" if len(key) > 1 else "single-choice"
    one = row("p1", answer=key, question_type=kind)
    response = reply(one, text, CallStatus.OK if text else CallStatus.EMPTY)
    assert judge("rules", [(one, response)])[0].outcome is outcome


def test_eva_07_rules_read_the_options_of_a_vision_only_row(row: Rows) -> None:
    one = row("p1", version="vision-only", question="Find BC.", choices=("1.0", "1.7"), answer="B")
    right, wrong = judge("rules", [(one, reply(one, "BC = 1.7")), (one, reply(one, "BC = 1.0"))])
    assert one.question == ""
    assert (right.outcome, wrong.outcome) == (Outcome.CONSISTENT, Outcome.INCONSISTENT)


@pytest.mark.parametrize(
    ("target", "said", "outcome"),
    [
        ("2", "2%", Outcome.UNJUDGED),  # declared: "how many percent" may have been asked
        ("0.02", "2%", Outcome.CONSISTENT),
        ("20 N", "20牛", Outcome.CONSISTENT),
        ("20 N", "20 J", Outcome.INCONSISTENT),
        ("5 m/s", "18 km/h", Outcome.CONSISTENT),
        ("1,200", "1200", Outcome.CONSISTENT),
        ("1/2", "0.5", Outcome.CONSISTENT),
        ("\\frac{1}{2}", "0.5", Outcome.CONSISTENT),
        ("10 N", "10", Outcome.UNJUDGED),  # declared: the unit is part of the reference
    ],
)
def test_eva_13_percent_units_and_fractions(row: Rows, target: str, said: str, outcome: Outcome) -> None:
    one = free(row, target)
    assert {j.outcome for j in judge("rules", [(one, reply(one, said))] * 3)} == {outcome}
