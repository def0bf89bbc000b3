"""What an exchange does to the rules of a selection: which would be broken that hold, which would be missed by more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from benchwright.curation.select_items import Candidate, levels_of, shared_values
from benchwright.curation.select_rules import Cap, Counts, Rules, outside


@dataclass(frozen=True)
class Effect:
    """What changes for the worse; rules by name, sorted."""

    broken: tuple[str, ...]
    """Hard rules that are missed by more than before."""
    relaxed: tuple[str, ...]
    """Soft rules that are."""


class Tally(Counts):
    """The chosen questions, and how many of them each rule counts."""

    def __init__(self, rules: Rules, chosen: Iterable[Candidate]) -> None:
        super().__init__(rules)
        for item in chosen:
            self.change(item, 1)

    def exchange(self, leaving: Sequence[Candidate], joining: Sequence[Candidate]) -> None:
        """Make an exchange, whatever it does to the rules."""
        for item in leaving:
            self.change(item, -1)
        for item in joining:
            self.change(item, 1)

    def effect(self, leaving: Sequence[Candidate], joining: Sequence[Candidate]) -> Effect:
        """What an exchange would change for the worse; nothing is changed yet."""
        broken = self._point_losses(leaving, joining)
        relaxed: list[str] = []
        for rule, change in _changes(leaving, joining, levels_of).items():
            if (band := self.bands.get(rule)) is None:
                continue
            count = self.levels[rule]
            if outside(band, count + change) > outside(band, count):
                (broken if band.hard else relaxed).append(rule)
        for cap in self.rules.caps:
            (broken if cap.hard else relaxed).extend(self._beyond(cap, leaving, joining))
        return Effect(tuple(sorted(broken)), tuple(sorted(relaxed)))

    def sole(self, item: Candidate) -> tuple[str, ...]:
        """Points that must be covered and that no other chosen question covers."""
        return tuple(point for point in item.points if point in self.must and self.points[point] == 1)

    def _point_losses(self, leaving: Sequence[Candidate], joining: Sequence[Candidate]) -> list[str]:
        changes = _changes(leaving, joining, lambda item: item.points)
        return [
            f"point:{point}"
            for point, change in changes.items()
            if point in self.must and self.points[point] > 0 and self.points[point] + change <= 0
        ]

    def _beyond(self, cap: Cap, leaving: Sequence[Candidate], joining: Sequence[Candidate]) -> list[str]:
        counts = self.shared[cap.family]
        changes = _changes(leaving, joining, lambda item: shared_values(item, cap.family))
        return [
            f"{cap.family}={value}"
            for value, change in changes.items()
            if change > 0 and counts[value] + change > cap.limit
        ]


def _changes(
    leaving: Sequence[Candidate], joining: Sequence[Candidate], of: Callable[[Candidate], Iterable[str]]
) -> Counter[str]:
    changes: Counter[str] = Counter()
    for item in leaving:
        changes.subtract(of(item))
    for item in joining:
        changes.update(of(item))
    return changes
