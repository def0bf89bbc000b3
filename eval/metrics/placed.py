"""Where an evaluated row belongs, what it adds to a figure, and how figures over problems are put together of rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Literal, TypeVar

from benchwright.eval.metrics.intervals import Ratio
from benchwright.schemas.records import DIFFICULTY_NAMES, Record
from benchwright.schemas.versions import Version

Part = Literal["accuracy", "K", "L"]
"""What is averaged over rows: right final answers, right knowledge steps, right logic steps."""
Metric = Literal["accuracy", "sci-cot-k", "sci-cot-l", "sci-cot"]
PARTS: dict[Metric, tuple[tuple[float, Part], ...]] = {
    "accuracy": ((1.0, "accuracy"),),
    "sci-cot-k": ((1.0, "K"),),
    "sci-cot-l": ((1.0, "L"),),
    "sci-cot": ((0.5, "K"), (0.5, "L")),
}
"""Each figure as a weighted sum of means over rows."""
ACCURACY: tuple[Metric, ...] = ("accuracy",)
STEP_METRICS: tuple[Metric, ...] = ("sci-cot-k", "sci-cot-l", "sci-cot")

DIMENSIONS: tuple[tuple[str, ...], ...] = (
    (),
    ("version",),
    ("language",),
    ("discipline",),
    ("level",),
    ("discipline", "subject"),
    ("version", "language"),
    ("version", "discipline"),
    ("version", "language", "discipline"),
    ("language", "discipline"),
    ("language", "discipline", "subject"),
    ("language", "discipline", "level"),
)
"""The tables of a report; `()` is the row over everything (ALL)."""


def key_label(key: Sequence[str]) -> str:
    """A table line's key as one text, `ALL` for the row over everything."""
    return " / ".join(key) or "ALL"


def check_sums(parts: Sequence[Record], total: Record, fields: Iterable[str], what: str) -> None:
    """Prove that counts of a table's lines add up to those of all rows.

    Raises:
        ArithmeticError: they do not; the message names the field and `what`.
    """
    for field in fields:
        if sum(getattr(part, field) for part in parts) != getattr(total, field):
            raise ArithmeticError(f"{field} {what} does not add up to ALL")


class Placed(Record):
    """Where an evaluated row belongs."""

    row_id: str
    problem_id: str
    version: str
    language: str
    discipline: str
    subject: str
    level: str

    def value(self, part: Part) -> float | None:
        """What the row adds to a mean, in 0..1; None where it leaves the mean."""
        raise NotImplementedError(f"a {type(self).__name__} has no {part}")

    @property
    def open(self) -> bool:
        """True when the row was not run or not judged: a figure over it rests on a part of its rows."""
        raise NotImplementedError(f"a {type(self).__name__} has no outcome")


P = TypeVar("P", bound=Placed)


def level_name(difficulty: int) -> str:
    """Level as shown, e.g. `3 Intermediate` (VisScience, section 2)."""
    return f"{difficulty} {DIFFICULTY_NAMES[difficulty]}"


def grouped(rows: Iterable[P], by: Sequence[str]) -> dict[tuple[str, ...], list[P]]:
    """Rows by the values of these fields, in a table's order.

    Versions stand in the order of the papers (from most text to most picture), everything else by name.
    """
    groups: dict[tuple[str, ...], list[P]] = defaultdict(list)
    for row in rows:
        groups[tuple(str(getattr(row, name)) for name in by)].append(row)
    return {key: groups[key] for key in sorted(groups, key=_table_order(by))}


def ratios(rows: Sequence[Placed], metric: Metric, weight: float = 1.0) -> list[Ratio]:
    """A figure of these rows as sums over their problems.

    Args:
        rows: of the figure.
        metric: which figure.
        weight: factor of the whole, for figures that are made of several.
    """
    found = []
    for share, part in PARTS[metric]:
        values = ((row.problem_id, row.value(part)) for row in rows)
        found.append(_ratio(values, share * weight))
    return found


def paired_ratios(pairs: Sequence[tuple[Placed, Placed]], metric: Metric) -> list[Ratio]:
    """The difference second - first of a figure, on pairs in which both have a value, as sums over problems."""
    found = []
    for share, part in PARTS[metric]:
        values = ((one.problem_id, _difference(one.value(part), other.value(part))) for one, other in pairs)
        found.append(_ratio(values, share))
    return found


def both_valued(pairs: Iterable[tuple[Placed, Placed]], part: Part) -> list[tuple[Placed, Placed]]:
    """The pairs in which both have a value."""
    return [
        (one, other) for one, other in pairs if _difference(one.value(part), other.value(part)) is not None
    ]


def _ratio(values: Iterable[tuple[str, float | None]], weight: float) -> Ratio:
    sums: dict[Hashable, tuple[float, float]] = {}
    for problem, value in values:
        if value is not None:
            total, n = sums.get(problem, (0.0, 0.0))
            sums[problem] = (total + value, n + 1.0)
    return Ratio(weight, sums)


def _difference(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else other - one


def _table_order(by: Sequence[str]) -> Callable[[tuple[str, ...]], tuple[tuple[int, str], ...]]:
    places = {version.value: place for place, version in enumerate(Version)}

    def order(key: tuple[str, ...]) -> tuple[tuple[int, str], ...]:
        return tuple(
            (places.get(part, len(places)) if name == "version" else 0, part)
            for name, part in zip(by, key, strict=True)
        )

    return order
