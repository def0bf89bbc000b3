"""Chance levels in closed form, held against counting and against scipy."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from benchwright.eval.metrics.chance import at_least, chance_interval, chance_of
from benchwright.schemas.records import QuestionType


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


@pytest.mark.parametrize("hits", [0, 1, 4, 6])
def test_at_least_so_many_hits_is_scipys_binomial_tail(hits: int) -> None:
    assert at_least(hits, [0.25] * 6) == pytest.approx(binom.sf(hits - 1, 6, 0.25), abs=1e-12)
    assert at_least(1, [0.0, 0.0]) == 0.0
