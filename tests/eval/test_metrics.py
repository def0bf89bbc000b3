"""Counts, intervals and chance levels; STA-01."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from benchwright.eval.metrics import (
    Scored,
    bootstrap_over_problems,
    cell_of,
    chance_interval,
    chance_of,
    check_totals,
    tabulate,
    wilson,
)
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


@given(st.integers(1, 400), st.data())
def test_wilson_is_scipys(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))
    reference = binomtest(successes, n).proportion_ci(0.95, method="wilson")
    assert wilson(successes, n) == pytest.approx((reference.low, reference.high), abs=1e-12)


def test_wilson_of_figures_worked_out_by_hand() -> None:
    # 14 of 21: centre (0.66667 + 1.92073/21) / 1.18293, the interval of VisScience's modern physics cell.
    low, high = wilson(14, 21)
    assert (round(100 * low, 1), round(100 * high, 1)) == (45.4, 82.8)


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (3, 2), (-1, 5)])
def test_wilson_refuses_impossible_counts(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="no Wilson interval"):
        wilson(successes, n)


def test_chance_in_closed_form_is_what_counting_gives() -> None:
    for k in (2, 3, 4, 5):
        sets = [pick for pick in product((0, 1), repeat=k) if any(pick)]
        assert chance_of(QuestionType.MULTIPLE_SELECT, k) == 1 / len(sets)
        assert chance_of(QuestionType.SINGLE_CHOICE, k) == 1 / k
    assert chance_of(QuestionType.FREE_FORM, 4) == 0
    assert chance_of(QuestionType.MULTI_PART, 4) == 0
    assert chance_of(QuestionType.SINGLE_CHOICE, 0) == 0


@given(st.lists(st.sampled_from([0.0, 0.2, 0.25, 0.5, 1 / 15]), min_size=1, max_size=9))
def test_chance_interval_holds_its_coverage_and_no_narrower_one_from_both_tails(chances: list[float]) -> None:
    # Exact distribution by enumerating every combination of right and wrong.
    distribution = [0.0] * (len(chances) + 1)
    for hits in product((0, 1), repeat=len(chances)):
        weight = math.prod(c if hit else 1 - c for c, hit in zip(chances, hits, strict=True))
        distribution[sum(hits)] += weight
    low, high = (round(share * len(chances)) for share in chance_interval(chances))
    assert sum(distribution[low : high + 1]) >= 0.95 - 1e-9
    assert sum(distribution[:low]) <= 0.025 + 1e-9
    assert sum(distribution[high + 1 :]) <= 0.025 + 1e-9


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


def test_bootstrap_is_seeded_and_covers_the_share() -> None:
    pairs = [(int(i % 3 == 0), 2) for i in range(60)]
    assert bootstrap_over_problems(pairs) == bootstrap_over_problems(pairs)
    low, high = bootstrap_over_problems(pairs)
    share = sum(good for good, _ in pairs) / 120
    sigma = np.std([good / 2 for good, _ in pairs]) / math.sqrt(60)
    assert low == pytest.approx(share - 1.96 * sigma, abs=0.015)
    assert high == pytest.approx(share + 1.96 * sigma, abs=0.015)


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
