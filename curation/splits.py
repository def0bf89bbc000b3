"""Which problems of a discipline go to `testmini`: a small copy of `test` with the same mixture.

Every subject, every level, every pair of the two, and within both every question type gets its share of the places,
rounded down or up. Which of them are rounded up is decided as by the method of the largest remainder, under these
bounds: of all ways that keep them, the one with the largest sum of remainders. There always is one, because the bounds
form two nested families (subject, level, type; level, type) and such a table can be rounded without leaving them
(Cox 1987, "A constructive procedure for unbiased controlled rounding"). Within a stratum a problem's rank is a digest
of seed and id, so that an exchange of one problem for another of its kind moves no third one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from benchwright.curation.select_solver import Linear
from benchwright.schemas.digest import digest_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Problem, Record, Split

_TIE = 1e-6
"""Weight of the draw between equal remainders."""


class SplitRule(Record):
    """How many problems of a discipline go to `testmini`, and the seed that chooses them."""

    testmini: int
    seed: int


class Stratum(NamedTuple):
    """What is kept in proportion."""

    subject: str
    level: int
    question_type: str

    @classmethod
    def of(cls, problem: Problem) -> Stratum:
        """The stratum of a problem."""
        return cls(problem.subject, problem.difficulty, problem.question_type.value)


def check_room(discipline: str, chosen: int, rule: SplitRule) -> None:
    """Refuse a `testmini` that a discipline could never fill.

    Args:
        discipline: its name.
        chosen: its selected questions without those for few-shot prompts, whether or not they are problems yet.
        rule: the recipe's.

    Raises:
        UsageError: more are asked for than are chosen.
    """
    if rule.testmini > chosen:
        raise UsageError(
            f"testmini = {rule.testmini} under [release] in benchwright.toml is more than the {chosen} questions "
            f"chosen for {discipline}: lower it, or raise the budget and choose again."
        )


def splits(strata: Mapping[str, Stratum], rule: SplitRule) -> dict[str, Split]:
    """`testmini` or `test` for each problem of a discipline.

    Args:
        strata: by problem id; those of few-shot examples left out.
        rule: how many, and the seed. Where there are fewer problems yet, all of them go to `testmini`.
    """
    members: dict[Stratum, list[str]] = defaultdict(list)
    for name, stratum in strata.items():
        members[stratum].append(name)
    seats = places({stratum: len(names) for stratum, names in members.items()}, rule)
    mini: set[str] = set()
    for stratum, names in members.items():
        ranked = sorted(names, key=lambda name: digest_of([rule.seed, name]))
        mini |= set(ranked[: seats[stratum]])
    return {name: Split.TESTMINI if name in mini else Split.TEST for name in strata}


def places(sizes: Mapping[Stratum, int], rule: SplitRule) -> dict[Stratum, int]:
    """How many of each stratum go to `testmini`.

    Args:
        sizes: problems by stratum.
        rule: how many in all, and the seed that decides between equal remainders.
    """
    total = sum(sizes.values())
    wanted = min(rule.testmini, total)
    if wanted in (0, total):
        return {stratum: size if wanted else 0 for stratum, size in sizes.items()}
    strata = sorted(sizes)
    floors = np.array([wanted * sizes[stratum] // total for stratum in strata])
    rests = np.array([wanted * sizes[stratum] % total for stratum in strata])
    groups = _groups(strata)
    matrix = sparse.csc_matrix(
        (
            np.ones(sum(map(len, groups))),
            (
                [row for row, group in enumerate(groups) for _ in group],
                [column for group in groups for column in group],
            ),
        ),
        shape=(len(groups), len(strata)),
    )
    counts = np.array([wanted * sum(sizes[strata[place]] for place in group) for group in groups])
    taken = np.array([floors[group].sum() for group in groups])
    draw = np.array([int(digest_of([rule.seed, list(stratum)])[:8], 16) / 16**8 for stratum in strata])
    solved = Linear(
        gains=rests / total + _TIE * draw,
        lower=np.zeros(len(strata)),
        upper=(rests > 0).astype(float),
        whole=np.ones(len(strata), dtype=np.bool_),
        matrix=matrix,
        row_lower=(counts // total - taken).astype(float),
        row_upper=(-(-counts // total) - taken).astype(float),
    ).solve()
    if solved is None:
        raise RuntimeError("a table of shares could not be rounded, which is always possible")
    extra = np.rint(solved.values).astype(int)
    return {stratum: int(floors[place] + extra[place]) for place, stratum in enumerate(strata)}


def _groups(strata: list[Stratum]) -> list[list[int]]:
    """Places of the strata that together keep their share: all, by subject, level, and the pairs."""
    found: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for place, one in enumerate(strata):
        for key in _keys(one):
            found[key].append(place)
    return [found[key] for key in sorted(found, key=repr)]


def _keys(one: Stratum) -> Iterable[tuple[object, ...]]:
    yield ("all",)
    yield ("subject", one.subject)
    yield ("subject and level", one.subject, one.level)
    yield ("level", one.level)
    yield ("level and type", one.level, one.question_type)
