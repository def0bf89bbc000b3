"""McNemar and Holm held against statsmodels; paired intervals over problems."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from benchwright.eval.metrics.cells import Scored
from benchwright.eval.metrics.paired import holm, holm_known, mcnemar_exact, paired
from benchwright.eval.metrics.step_metrics import StepScored

Rows = Callable[..., Scored]
Steps = Callable[..., StepScored]
RIGHT, WRONG = "consistent", "inconsistent"


@settings(max_examples=40)
@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_statsmodels_exact(b: int, c: int) -> None:
    reference = mcnemar([[5, b], [c, 5]], exact=True).pvalue
    assert mcnemar_exact(b, c) == pytest.approx(min(1.0, float(reference)), abs=1e-12)


def test_mcnemar_by_hand() -> None:
    # 8 discordant pairs, 1 against 7: 2 * (1 + 8) / 256.
    assert mcnemar_exact(1, 7) == mcnemar_exact(7, 1) == 18 / 256
    assert mcnemar_exact(0, 0) == 1.0
    reference = mcnemar([[0, 2500], [2700, 0]], exact=True).pvalue
    assert mcnemar_exact(2500, 2700) == pytest.approx(float(reference), rel=1e-9)
    with pytest.raises(ValueError, match="no McNemar"):
        mcnemar_exact(-1, 2)


@settings(max_examples=40)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_statsmodels(p_values: list[float]) -> None:
    reference = multipletests(p_values, method="holm")[1]
    assert holm(p_values) == pytest.approx(tuple(reference), abs=1e-12)


def test_holm_by_hand_and_past_missing_values() -> None:
    assert holm([0.01, 0.04, 0.03]) == (0.03, 0.06, 0.06)
    assert holm_known([0.01, None, 0.04, 0.03]) == (0.03, None, 0.06, 0.06)
    assert holm([]) == ()


def test_runs_within_one_version_and_language_are_tested_by_mcnemar(judged: Rows) -> None:
    # 12 rows: both right 3, only first 1, only second 7, both wrong 1; one is not judged in the second.
    outcomes = [(RIGHT, RIGHT)] * 3 + [(RIGHT, WRONG)] + [(WRONG, RIGHT)] * 7 + [(WRONG, WRONG)]
    pairs = [(judged(f"p{i}", one), judged(f"p{i}", other)) for i, (one, other) in enumerate(outcomes)]
    pairs.append((judged("p99", RIGHT), judged("p99", "unjudged")))
    found = paired(pairs, "accuracy")
    assert (found.n_pairs, found.n_problems, found.left_out) == (12, 12, 1)
    assert (found.only_first, found.only_second, found.method) == (1, 7, "mcnemar exact")
    assert found.p == 18 / 256
    assert (found.first, found.second) == (4 / 12, 10 / 12)
    assert found.difference == pytest.approx(0.5)


@pytest.mark.parametrize("field", ["version", "language"])
def test_across_versions_or_languages_problems_are_drawn(judged: Rows, field: str) -> None:
    values = {"version": ("original", "vision-only"), "language": ("en", "zh")}[field]
    pairs = [
        (
            judged(f"p{i:02}:{v}", RIGHT if i % 3 == 0 else WRONG, **{field: v}),
            judged(f"p{i:02}:{v}", RIGHT if i % 3 else WRONG, **{field: v}),
        )
        for i in range(30)
        for v in values
    ]
    found = paired(pairs, "accuracy")
    assert (found.method, found.interval.method) == ("bootstrap over problems", "bootstrap over problems")
    assert (found.only_first, found.only_second) == (20, 40)
    assert found.difference == pytest.approx(1 / 3)
    # McNemar on the 60 rows, as if they were independent, would claim 0.013 where 30 problems give 0.099.
    assert found.p is not None and found.p > 0.05 and found.holds_zero


def test_few_problems_never_show_a_difference(judged: Rows) -> None:
    pairs = [
        (judged(f"p{i}:{v}", WRONG, version=v), judged(f"p{i}:{v}", RIGHT, version=v))
        for i in range(3)
        for v in ("original", "vision-only")
    ]
    found = paired(pairs, "accuracy")
    assert (found.difference, found.p, found.method) == (1.0, None, "none")
    assert found.interval.method == "wilson over problems" and found.interval.low is not None
    assert found.interval.low < 0.2


def test_sci_cot_is_paired_part_by_part(stepped: Steps) -> None:
    # Knowledge: p1 1/2 -> 1, p2 has none in the second. Logic: p1 0 -> 1, p2 1 -> 1/2.
    pairs = [
        (stepped("p1", (1, 2), (0, 1)), stepped("p1", (2, 2), (1, 1))),
        (stepped("p2", (0, 1), (1, 1)), stepped("p2", (0, 0), (1, 2))),
        (stepped("p3", (1, 1), (1, 1)), stepped("p3", "unjudged")),
    ]
    found = paired(pairs, "sci-cot")
    assert (found.first, found.second) == (0.5 * 0.5 + 0.5 * 0.5, 0.5 * 1.0 + 0.5 * 0.75)
    assert found.difference == pytest.approx(0.5 * 0.5 + 0.5 * 0.25)
    assert (found.n_pairs, found.left_out, found.only_first) == (2, 1, None)
    knowledge = paired(pairs, "sci-cot-k")
    assert (knowledge.n_pairs, knowledge.left_out, knowledge.difference) == (1, 2, 0.5)


def test_nothing_in_common_is_no_difference(judged: Rows) -> None:
    found = paired([(judged("p1", RIGHT), judged("p1", "not-run"))], "accuracy")
    assert (found.difference, found.first, found.n_pairs, found.left_out) == (None, None, 0, 1)
    assert found.holds_zero and found.p is None
