"""What a round of tagging looks like: levels by grade and inversions, words without a place, whom to review first.

VisScience scales levels by the grade of education (section 2), so the mean level should not fall from a grade to a
higher one. Where it does, either the tags are wrong or the pool holds easy questions of high grades: people decide.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchwright.curation.estimate_grades import STAGE_NAMES, stage_of, year_of
from benchwright.curation.proposers.votes import entropy
from benchwright.schemas.jobs import Proposal, problem_id
from benchwright.schemas.records import Question

LEAST = 5
"""Questions of a grade below which its mean is not compared."""
_SURE = 1.96
_UNKNOWN = 0.5
"""Uncertainty of a single voice that says nothing about its own."""
_DECIMALS = 4


@dataclass(frozen=True)
class GradeRow:
    """Levels of the questions of one grade."""

    grade: str
    """Stage and year, e.g. `junior-high, year 8`; `contest`; `unknown`."""
    year: float | None
    counts: tuple[int, int, int, int, int]
    """Questions by level, 1 to 5."""

    @property
    def n(self) -> int:
        """Number of questions."""
        return sum(self.counts)

    @property
    def mean(self) -> float:
        """Mean level."""
        return sum(level * n for level, n in enumerate(self.counts, start=1)) / self.n

    @property
    def variance(self) -> float:
        """Variance of the mean; that of one level's width where all questions share a level."""
        mean = self.mean
        spread = sum(n * (level - mean) ** 2 for level, n in enumerate(self.counts, start=1)) / self.n
        return max(spread, 1 / 12) / self.n


@dataclass(frozen=True)
class Inversion:
    """A higher grade whose mean level is lower than a lower grade's."""

    lower_grade: str
    higher_grade: str
    drop: float
    """How far the mean falls, in levels."""
    clear: bool
    """Whether the drop is larger than chance explains (two-sided, 95 %)."""


@dataclass(frozen=True)
class LevelTable:
    """Levels by grade, in the order of schooling, and every inversion, clear ones first."""

    rows: tuple[GradeRow, ...]
    inversions: tuple[Inversion, ...]

    def cells(self) -> list[list[str | int | float]]:
        """Rows for a table: grade, questions, mean, levels 1 to 5, and the grades that it falls below."""
        below: dict[str, list[str]] = {}
        for found in self.inversions:
            if found.clear:
                below.setdefault(found.higher_grade, []).append(found.lower_grade)
        return [
            [row.grade, row.n, round(row.mean, 2), *row.counts, "; ".join(below.get(row.grade, []))]
            for row in self.rows
        ]


COLUMNS = ("grade", "questions", "mean level", "1", "2", "3", "4", "5", "clearly below")
"""Columns of `LevelTable.cells`."""


def level_table(levels: Iterable[tuple[str | None, int]]) -> LevelTable:
    """Count levels by grade and find the inversions among grades of at least `LEAST` questions.

    Args:
        levels: (the source's words for the grade, level) of each question. Contests and unknown grades get a row, but
            take no part in the order.
    """
    counts: dict[tuple[str, float | None], list[int]] = {}
    for grade, level in levels:
        stage, year = stage_of(grade), year_of(grade)
        place = (stage.name if stage is not None else "unknown", year)
        counts.setdefault(place, [0] * 5)[level - 1] += 1
    rows = [GradeRow(_name(*place), place[1], _five(found)) for place, found in counts.items()]
    rows.sort(key=lambda row: (row.year is None, row.year or 0.0, row.grade))
    compared = [row for row in rows if row.year is not None and row.n >= LEAST]
    found = [
        inversion
        for place, lower in enumerate(compared)
        for higher in compared[place + 1 :]
        if (inversion := _inversion(lower, higher)) is not None
    ]
    found.sort(key=lambda one: (not one.clear, -one.drop, one.lower_grade, one.higher_grade))
    return LevelTable(tuple(rows), tuple(found))


@dataclass(frozen=True)
class TaggingReport:
    """Everything about the tags of a set of questions."""

    levels: LevelTable
    ties: int
    """Items where a field's winner was picked among equals."""
    unmapped: tuple[tuple[str, int], ...]
    """Words for knowledge points that the vocabulary lacks, most frequent first."""
    order: tuple[str, ...]
    """Item ids, least certain first."""


def tagging_report(questions: Iterable[Question], proposals: Sequence[Proposal]) -> TaggingReport:
    """Summarise tags.

    Args:
        questions: those asked about; proposals about others do not count.
        proposals: of the tagging job.
    """
    grades = {problem_id(question.id): question.grade for question in questions}
    own = [proposal for proposal in proposals if proposal.item_id in grades]
    levels = [
        (grades[p.item_id], p.value)
        for p in own
        if p.field == "difficulty" and isinstance(p.value, int) and not isinstance(p.value, bool)
    ]
    votes = [p.value for p in own if p.field == "votes" and isinstance(p.value, dict)]
    unmapped = Counter(
        word for record in votes for ballot in _ballots(record) for word in ballot.get("unmapped", [])
    )
    return TaggingReport(
        level_table(levels),
        sum(bool(record.get("tied")) for record in votes),
        tuple(sorted(unmapped.items(), key=lambda found: (-found[1], found[0]))),
        tuple(review_order(own)),
    )


def review_order(proposals: Iterable[Proposal]) -> list[str]:
    """Item ids of tagging proposals, least certain first, then by id."""
    by_item: dict[str, dict[str, Proposal]] = {}
    for proposal in proposals:
        by_item.setdefault(proposal.item_id, {})[proposal.field] = proposal
    return sorted(by_item, key=lambda item: (-uncertainty(by_item[item]), item))


def uncertainty(proposals: Mapping[str, Proposal]) -> float:
    """How unsure one item's tags are, 0 to 1: the less certain of subject and difficulty.

    Args:
        proposals: of the item, by field.
    """
    votes = proposals.get("votes")
    ballots = _ballots(votes.value) if votes is not None and isinstance(votes.value, dict) else []
    found = []
    for field in ("subject", "difficulty"):
        if field in proposals:
            confidence = proposals[field].confidence
            doubt = _UNKNOWN if confidence is None else 1 - confidence
            counts = Counter(str(ballot[field]) for ballot in ballots if field in ballot)
            found.append(max(doubt, entropy(counts)))
    return round(max(found, default=1.0), _DECIMALS)


def _ballots(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    ballots = record.get("ballots")
    return ballots if isinstance(ballots, list) else []


def _inversion(lower: GradeRow, higher: GradeRow) -> Inversion | None:
    drop = lower.mean - higher.mean
    if drop <= 0:
        return None
    clear = drop > _SURE * math.sqrt(lower.variance + higher.variance)
    return Inversion(lower.grade, higher.grade, round(drop, _DECIMALS), clear)


def _name(stage: str, year: float | None) -> str:
    if year is None:
        return stage
    assert stage in STAGE_NAMES
    return f"{stage}, year {year:g}"


def _five(counts: Sequence[int]) -> tuple[int, int, int, int, int]:
    first, second, third, fourth, fifth = counts
    return first, second, third, fourth, fifth
