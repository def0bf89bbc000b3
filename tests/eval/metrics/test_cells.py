"""Cells: counts, accuracy and which interval they get; STA-01."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.eval.metrics.cells import Scored, cell_of, check_totals, tabulate
from benchwright.eval.metrics.intervals import wilson
from benchwright.schemas.records import QuestionType
from benchwright.schemas.status import CallStatus, Outcome

RIGHT, WRONG, NONE, OPEN, FAILED = (
    Outcome.CONSISTENT,
    Outcome.INCONSISTENT,
    Outcome.NO_ANSWER,
    Outcome.UNJUDGED,
    Outcome.NOT_RUN,
)


def scored(row_id: str, outcome: Outcome, **fields: Any) -> Scored:
    values: dict[str, Any] = {
        "row_id": row_id,
        "problem_id": row_id,
        "version": "original",
        "language": "en",
        "discipline": "physics",
        "subject": "optics",
        "level": "2 Easy",
        "question_type": QuestionType.SINGLE_CHOICE,
        "chance": 0.25,
        "outcome": outcome,
        "status": CallStatus.OK,
    }
    return Scored.model_validate({**values, **fields})


def numbered(outcomes: list[Outcome]) -> list[Scored]:
    return [scored(f"p{i:03}", outcome) for i, outcome in enumerate(outcomes)]


def test_sta_01_failed_rows_stay_in_sight() -> None:
    rows = numbered([RIGHT] * 6 + [WRONG] * 2 + [FAILED] * 2)
    cell = cell_of((), (), rows)
    assert (cell.n_total, cell.n_scored, cell.not_run) == (10, 8, 2)
    assert cell.accuracy == 6 / 8
    assert cell.share_of_all == 6 / 10
    assert cell.incomplete


def test_no_answer_stays_in_the_denominator_and_unjudged_leaves_it() -> None:
    cell = cell_of((), (), numbered([RIGHT, WRONG, NONE, NONE, OPEN]))
    assert (cell.accuracy, cell.n_scored, cell.no_answer, cell.unjudged) == (1 / 4, 4, 2, 1)
    assert cell.incomplete
    assert not cell_of((), (), numbered([RIGHT, NONE])).incomplete


def test_a_cell_without_scored_rows_has_no_accuracy() -> None:
    cell = cell_of((), (), numbered([FAILED, OPEN]))
    assert (cell.accuracy, cell.low, cell.high, cell.interval) == (None, None, None, "none")


def test_rows_of_one_problem_are_not_taken_for_independent() -> None:
    # 20 problems, 5 versions each, all five right or all five wrong: 20 independent trials, not 100.
    rows = [
        scored(f"p{i:02}:{v}", RIGHT if i < 10 else WRONG, problem_id=f"p{i:02}", version=f"v{v}")
        for i in range(20)
        for v in range(5)
    ]
    whole = cell_of((), (), rows)
    one_version = cell_of((), (), [row for row in rows if row.version == "v0"])
    assert (whole.interval, one_version.interval) == ("bootstrap over problems", "wilson")
    assert whole.low is not None and whole.high is not None
    # A hundred independent rows would give 0.40 to 0.60.
    assert whole.high - whole.low > 0.38
    assert cell_of((), (), [row for row in rows if row.outcome is WRONG]).interval == "wilson over problems"


@pytest.mark.parametrize("problems", [1, 2, 5, 19])
def test_few_problems_never_get_a_narrow_interval(problems: int) -> None:
    # Half of each problem's rows are right: resampling whole problems alone would claim exactly 50 %.
    rows = [
        scored(f"p{i}:{v}", RIGHT if v % 2 else WRONG, problem_id=f"p{i}", version=f"v{v}")
        for i in range(problems)
        for v in range(4)
    ]
    cell = cell_of((), (), rows)
    assert cell.interval == "wilson over problems" and cell.accuracy == 0.5
    assert (cell.low, cell.high) == wilson(problems / 2, problems)
    assert cell.low is not None and cell.high is not None and cell.high - cell.low > 0.4


def test_wilson_stays_within_one_version_and_language() -> None:
    # Every problem stands once, but in two versions (or languages): whole problems are drawn.
    for name, values in (("version", ("knowledge-free", "knowledge-rich")), ("language", ("en", "zh"))):
        rows = [scored(f"p{i:02}", RIGHT if i % 3 else WRONG, **{name: values[i % 2]}) for i in range(30)]
        assert cell_of((), (), rows).interval == "bootstrap over problems"
        assert all(cell.interval == "wilson" for cell in tabulate(rows, [(name,)]))


OUTCOMES = st.sampled_from(list(Outcome))


@given(
    st.lists(
        st.tuples(
            OUTCOMES, st.sampled_from(["a", "b"]), st.sampled_from(["en", "zh"]), st.sampled_from("xyz")
        ),
        min_size=1,
        max_size=40,
    )
)
def test_every_table_adds_up_to_all(rows: list[tuple[Outcome, str, str, str]]) -> None:
    records = [
        scored(
            f"p{i % 7}:{i}",
            outcome,
            problem_id=f"p{i % 7}",
            version=version,
            language=language,
            subject=subject,
        )
        for i, (outcome, version, language, subject) in enumerate(rows)
    ]
    cells = tabulate(records)
    total = next(cell for cell in cells if not cell.by)
    assert total.n_total == len(rows)
    assert sum(c.consistent for c in cells if c.by == ("discipline", "subject")) == total.consistent
    assert tabulate(reversed(records)) == cells


def test_a_vanished_row_is_noticed() -> None:
    cells = tabulate(numbered([RIGHT, WRONG, WRONG]))
    broken = [
        cell.model_copy(update={"n_total": cell.n_total - 1}) if cell.by == ("language",) else cell
        for cell in cells
    ]
    with pytest.raises(ArithmeticError, match="n_total by language"):
        check_totals(broken)
