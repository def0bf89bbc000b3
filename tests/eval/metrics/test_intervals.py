"""Wilson intervals and the bootstrap over problems, held against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from benchwright.eval.metrics.intervals import (
    NO_INTERVAL,
    Ratio,
    bootstrap,
    figure_of,
    interval_over_problems,
    wilson,
)


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


def ratio(pairs: list[tuple[float, float]], weight: float = 1.0) -> Ratio:
    return Ratio(weight, {f"p{i:04}": pair for i, pair in enumerate(pairs)})


def test_bootstrap_is_seeded_and_covers_the_share() -> None:
    pairs = [(float(i % 3 == 0), 2.0) for i in range(60)]
    found = interval_over_problems([ratio(pairs)])
    assert found == interval_over_problems([ratio(list(pairs))]) and found.method == "bootstrap over problems"
    share = sum(good for good, _ in pairs) / 120
    sigma = np.std([good / 2 for good, _ in pairs]) / math.sqrt(60)
    assert found.low == pytest.approx(share - 1.96 * sigma, abs=0.015)
    assert found.high == pytest.approx(share + 1.96 * sigma, abs=0.015)


def test_bootstrap_agrees_with_scipys_on_a_weighted_figure() -> None:
    from scipy.stats import bootstrap as scipys

    generator = np.random.default_rng(3)
    knowledge, logic = generator.random(80), generator.random(80)
    figure = [ratio([(k, 1.0) for k in knowledge], 0.5), ratio([(v, 1.0) for v in logic], 0.5)]
    found = interval_over_problems(figure)
    reference = scipys(
        ((knowledge + logic) / 2,), np.mean, n_resamples=4000, method="percentile", random_state=1
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx((reference.low, reference.high), abs=0.006)


def test_bootstrap_of_problems_of_unequal_size_agrees_with_scipys() -> None:
    from scipy.stats import bootstrap as scipys

    # Problems of three to five rows, whose rows stand and fall together.
    generator = np.random.default_rng(4)
    n = generator.integers(3, 6, size=60).astype(float)
    good = generator.binomial(n.astype(int), generator.beta(0.5, 0.5, size=60)).astype(float)
    found = interval_over_problems([ratio(list(zip(good.tolist(), n.tolist(), strict=True)))])
    reference = scipys(
        (good, n),
        lambda right, rows, axis: right.sum(axis=axis) / rows.sum(axis=axis),
        paired=True,
        n_resamples=4000,
        method="percentile",
        random_state=1,
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx((reference.low, reference.high), abs=0.012)


def test_resamples_made_anew_are_those_that_are_kept() -> None:
    pairs = [(float(i % 2), 1.0) for i in range(4100)]
    # Counts of 4,100 problems in 2,000 draws are too many to be kept, in 1,500 draws they are not.
    assert bootstrap([ratio(pairs)])[:1500].tolist() == bootstrap([ratio(pairs)], draws=1500).tolist()


@pytest.mark.parametrize("pairs", [[(1.0, 1.0)] * 19, [(1.0, 1.0)] * 40])
def test_few_problems_or_no_spread_give_a_wide_interval(pairs: list[tuple[float, float]]) -> None:
    found = interval_over_problems([ratio(pairs)])
    assert found.method == "wilson over problems"
    assert (found.low, found.high) == wilson(len(pairs), len(pairs))


def test_a_difference_without_spread_never_gets_a_width_of_zero() -> None:
    none = interval_over_problems([ratio([(0.0, 1.0)] * 30)], span=(-1.0, 1.0))
    assert none.low is not None and none.high is not None
    assert none.low == pytest.approx(-none.high) and none.high > 0.3
    one = interval_over_problems([ratio([(1.0, 1.0)])], span=(-1.0, 1.0))
    assert one.low is not None and one.low < 0


def test_a_figure_of_nothing_has_no_interval() -> None:
    assert interval_over_problems([ratio([(0.0, 0.0)])]) == NO_INTERVAL
    assert figure_of([ratio([(1.0, 2.0)]), ratio([])]) is None
    assert figure_of([]) is None


def test_a_draw_without_a_part_is_left_out() -> None:
    # The second part rests on one problem of thirty: about 36 % of the draws lack it.
    rare = Ratio(0.5, {"p0000": (1.0, 1.0)})
    kept = bootstrap([ratio([(1.0, 2.0)] * 30, 0.5), rare])
    assert 1000 < len(kept) < 1500 and np.isfinite(kept).all()
