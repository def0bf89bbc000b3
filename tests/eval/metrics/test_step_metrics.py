"""Sci-CoT by hand: macro, micro, what leaves a mean, and totals that add up."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchwright.eval.metrics.step_metrics import (
    StepScored,
    check_step_totals,
    response_scores,
    step_cell_of,
    tabulate_steps,
)

Steps = Callable[..., StepScored]


@pytest.fixture
def six(stepped: Steps) -> list[StepScored]:
    """Six responses; knowledge 1/2, 1, (none), 0 by silence, open, open; logic 2/3, (none), 0, 0 by silence."""
    return [
        stepped("p1", (1, 2), (2, 3), coverage=0.5),
        stepped("p2", (3, 3), (0, 0), coverage=1.0),
        stepped("p3", (0, 0), (0, 1), coverage=0.75),
        stepped("p4", "no-answer"),
        stepped("p5", "unjudged"),
        stepped("p6", "not-run"),
    ]


def test_macro_micro_and_their_denominators_by_hand(six: list[StepScored]) -> None:
    cell = step_cell_of((), (), six)
    assert (cell.n_total, cell.n_scored, cell.scored) == (6, 4, 3)
    assert (cell.no_answer, cell.unjudged, cell.not_run) == (1, 1, 1)
    knowledge, logic = cell.knowledge, cell.logic
    # Knowledge: p1 1/2, p2 1, p4 0 -> mean of three 1/2; p3 has no such step.
    assert (knowledge.n, knowledge.without, knowledge.macro) == (3, 1, 0.5)
    assert (knowledge.right, knowledge.steps, knowledge.micro) == (4, 5, 0.8)
    # Logic: p1 2/3, p3 0, p4 0 -> 2/9; p2 has no such step.
    assert (logic.n, logic.without, logic.right, logic.steps, logic.micro) == (3, 1, 2, 4, 0.5)
    assert logic.macro == pytest.approx(2 / 9, abs=1e-15)
    assert cell.sci_cot == pytest.approx((1 / 2 + 2 / 9) / 2, abs=1e-15)
    assert cell.sci_cot_micro == pytest.approx((0.8 + 0.5) / 2, abs=1e-15)
    assert cell.coverage == 0.75 and cell.incomplete


def test_sci_cot_is_the_mean_of_the_two_figures_not_of_the_responses_means(six: list[StepScored]) -> None:
    means = [mean for row in six if (mean := response_scores(row)[2]) is not None]
    # p1 (1/2 + 2/3)/2 and p4 0: another number, which no table holds.
    assert means == [pytest.approx(7 / 12), 0.0]
    assert step_cell_of((), (), six).sci_cot != pytest.approx(sum(means) / 2, abs=1e-3)


def test_a_cell_without_steps_of_a_kind_has_no_sci_cot(stepped: Steps) -> None:
    cell = step_cell_of((), (), [stepped("p1", (0, 0), (1, 1)), stepped("p2", "unjudged")])
    assert (cell.knowledge.macro, cell.sci_cot, cell.low, cell.interval) == (None, None, None, "none")
    assert cell.logic.macro == 1.0


def test_silence_is_worth_nothing_in_both_and_touches_no_micro_figure(stepped: Steps) -> None:
    talking, silent = [stepped("p1", (1, 1), (1, 1))], [stepped("p2", "no-answer")]
    cell = step_cell_of((), (), talking + silent)
    assert (cell.knowledge.macro, cell.logic.macro, cell.sci_cot) == (0.5, 0.5, 0.5)
    assert cell.sci_cot_micro == 1.0 and not cell.incomplete


def test_intervals_rest_on_whole_problems(stepped: Steps) -> None:
    rows = [
        stepped(f"p{i:02}:{v}", (int(i % 2 == 0), 1), (int(i % 2 == 0), 1), version=v)
        for i in range(30)
        for v in ("knowledge-free", "knowledge-rich")
    ]
    whole = step_cell_of((), (), rows)
    one = step_cell_of((), (), [row for row in rows if row.version == "knowledge-free"])
    # Two versions that always agree say no more than one.
    assert whole.interval == "bootstrap over problems"
    assert (whole.low, whole.high) == (one.low, one.high)


COUNTS = st.integers(0, 3).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
ROWS = st.one_of(
    st.sampled_from(["no-answer", "unjudged", "not-run"]).map(lambda outcome: (outcome,)),
    st.tuples(COUNTS, COUNTS),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(ROWS, st.sampled_from(["vision-only", "original"]), st.sampled_from("xy")), min_size=1)
)
def test_every_table_adds_up_to_all(stepped: Steps, rows: list[tuple[tuple[object, ...], str, str]]) -> None:
    records = [
        stepped(f"p{i % 5}:{i}", *counts, version=version, subject=subject)
        for i, (counts, version, subject) in enumerate(rows)
    ]
    cells = tabulate_steps(records)
    total = next(cell for cell in cells if not cell.by)
    subjects = [cell for cell in cells if cell.by == ("discipline", "subject")]
    assert sum(cell.n_total for cell in subjects) == total.n_total == len(rows)
    assert sum(cell.knowledge.steps for cell in subjects) == total.knowledge.steps
    if total.knowledge.macro is not None and total.logic.macro is not None:
        assert total.sci_cot == (total.knowledge.macro + total.logic.macro) / 2
    assert tabulate_steps(reversed(records)) == cells


def test_a_wrong_total_is_noticed(six: list[StepScored]) -> None:
    cells = tabulate_steps(six)
    broken = [
        cell.model_copy(update={"knowledge": cell.knowledge.model_copy(update={"right": 3})})
        if cell.by == ("language",)
        else cell
        for cell in cells
    ]
    with pytest.raises(ArithmeticError, match="right of knowledge by language"):
        check_step_totals(broken)
    printed = [cell.model_copy(update={"sci_cot": 0.378}) for cell in cells]
    with pytest.raises(ArithmeticError, match="is not the mean of its two figures"):
        check_step_totals(printed)
