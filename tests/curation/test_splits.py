"""`testmini`: a small copy of the discipline, the same for the same problems, moved little by exchanges."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.curation.splits import SplitRule, Stratum, check_room, places, splits
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Split

SUBJECTS = ("algebra", "geometry", "statistics", "calculus")
TYPES = ("single-choice", "free-form", "multiple-select")
KEPT: dict[str, Callable[[Stratum], object]] = {
    "subject": lambda one: one.subject,
    "level": lambda one: one.level,
    "subject and level": lambda one: one[:2],
    "level and type": lambda one: one[1:],
    "subject, level and type": lambda one: one,
}


def drawn(count: int, seed: int = 7) -> dict[str, Stratum]:
    """Problems unevenly spread over the strata."""
    draw = random.Random(seed)
    return {
        f"p{number}": Stratum(
            draw.choices(SUBJECTS, (50, 30, 15, 5))[0],
            draw.choices(range(1, 6), (10, 30, 35, 20, 5))[0],
            draw.choices(TYPES, (68, 30, 2))[0],
        )
        for number in range(count)
    }


def mini(strata: dict[str, Stratum], count: int, seed: int = 1) -> set[str]:
    return {
        name
        for name, split in splits(strata, SplitRule(testmini=count, seed=seed)).items()
        if split is Split.TESTMINI
    }


@pytest.mark.parametrize("count", [1, 7, 40, 100, 333, 599])
@pytest.mark.parametrize("kept", KEPT)
def test_every_share_is_within_one_of_proportional(count: int, kept: str) -> None:
    strata = drawn(600)
    chosen = mini(strata, count)
    assert len(chosen) == count
    key = KEPT[kept]
    sizes = Counter(key(one) for one in strata.values())
    got = Counter(key(strata[name]) for name in chosen)
    for group, size in sizes.items():
        assert abs(got[group] - Fraction(count * size, len(strata))) < 1, (group, size)


_STRATA = st.builds(Stratum, st.sampled_from("abc"), st.integers(1, 3), st.sampled_from("xy"))


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(_STRATA, st.integers(1, 9), min_size=1), st.data())
def test_any_table_can_be_rounded(sizes: dict[Stratum, int], data: st.DataObject) -> None:
    total = sum(sizes.values())
    count = data.draw(st.integers(0, total))
    seats = places(sizes, SplitRule(testmini=count, seed=data.draw(st.integers(0, 3))))
    assert sum(seats.values()) == count and all(0 <= seats[one] <= sizes[one] for one in sizes)
    for key in KEPT.values():
        for group in {key(one) for one in sizes}:
            members = [one for one in sizes if key(one) == group]
            share = Fraction(count * sum(sizes[one] for one in members), total)
            assert abs(sum(seats[one] for one in members) - share) < 1


def test_one_seat_a_cell_does_not_push_out_the_rarer_type() -> None:
    """Two types, 60 to 40, in twenty cells with one place each: rounding cell by cell would give 20 to 0."""
    kinds = ("free-form", "free-form", "single-choice", "single-choice", "single-choice")
    strata = {
        f"{subject}{level}{number}": Stratum(subject, level, kind)
        for subject in SUBJECTS
        for level in range(1, 6)
        for number, kind in enumerate(kinds)
    }
    chosen = Counter(strata[name].question_type for name in mini(strata, 20))
    assert 5 <= chosen["free-form"] <= 10 and chosen.total() == 20


def test_it_depends_on_problems_and_seed_alone() -> None:
    strata = drawn(200)
    assert mini(dict(reversed(strata.items())), 40) == mini(strata, 40)
    assert mini(strata, 40, seed=2) != mini(strata, 40)
    assert mini(strata, 0) == set() and mini(strata, 200) == mini(strata, 500) == set(strata)


def test_exchanges_move_few_others() -> None:
    strata = drawn(200)
    before = mini(strata, 40)
    gone = min(before)
    alike = {name: one for name, one in strata.items() if name != gone} | {"new": strata[gone]}
    moved = (mini(alike, 40) ^ before) - {gone, "new"}
    assert len(moved) <= 1, "one of the same kind steps in, or the new one does"
    other = next(one for one in sorted(set(strata.values())) if one[:2] != strata[gone][:2])
    different = {name: one for name, one in strata.items() if name != gone} | {"new": other}
    assert len((mini(different, 40) ^ before) - {gone, "new"}) <= 12
    assert len((mini({k: v for k, v in strata.items() if k != gone}, 40) ^ before) - {gone}) <= 12


def test_more_than_the_discipline_has_is_one_sentence() -> None:
    check_room("physics", 12, SplitRule(testmini=12, seed=1))
    with pytest.raises(
        UsageError, match=r"testmini = 13 under \[release\] .* 12 questions chosen for physics"
    ):
        check_room("physics", 12, SplitRule(testmini=13, seed=1))
