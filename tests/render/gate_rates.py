"""How often the gate is wrong, both ways, by half and by kind of damage; printed as the acceptance log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from benchwright.render.legibility import Gate
from benchwright.render.legibility_result import LineVerdict

from .gate_sets import KINDS, Page, judged, judged_damaged

INK = ("differing", "contrast", "sharpness", "likeness")


@dataclass
class Half:
    """Counts over the lines of one half."""

    problems: set[str] = field(default_factory=set)
    good: int = 0
    false_alarms: Counter[str] = field(default_factory=Counter)
    alarmed: int = 0
    damaged: Counter[str] = field(default_factory=Counter)
    caught: Counter[str] = field(default_factory=Counter)
    by_reading: Counter[str] = field(default_factory=Counter)
    by_ink: Counter[str] = field(default_factory=Counter)
    characters: int = 0
    errors: int = 0
    values: dict[str, list[float]] = field(default_factory=dict)
    missed: list[tuple[str, str, str | None]] = field(default_factory=list)
    alarms: list[tuple[str, str, str | None]] = field(default_factory=list)

    @property
    def false_alarm_rate(self) -> float:
        return self.alarmed / self.good

    @property
    def caught_rate(self) -> float:
        return self.caught.total() / self.damaged.total()

    def add_good(self, line: LineVerdict) -> None:
        self.good += 1
        self.characters += line.characters
        self.errors += line.errors
        self._note("good", line)
        if line.codes:
            self.alarmed += 1
            self.false_alarms.update(line.codes)
            self.alarms.append((",".join(line.codes), line.expected, line.read))

    def add_damaged(self, kind: str, line: LineVerdict) -> None:
        self.damaged[kind] += 1
        self._note(kind, line)
        if line.codes:
            self.caught[kind] += 1
        else:
            self.missed.append((kind, line.expected, line.read))
        self.by_reading[kind] += "misread" in line.codes
        self.by_ink[kind] += bool(set(line.codes) - {"misread"})

    def _note(self, kind: str, line: LineVerdict) -> None:
        for name in INK:
            value = getattr(line.ink, name)
            if value is not None:
                self.values.setdefault(f"{kind} {name}", []).append(value)


def rates(gate: Gate, pages: Iterable[Page], damage_all: bool = False) -> dict[bool, Half]:
    """Judge every page as it is, and three of five with every line damaged; True is the calibration half."""
    halves = {True: Half(), False: Half()}
    for page in pages:
        half = halves[page.calibration]
        result = judged(gate, page)
        half.problems.add(result.problem_id)
        for line in result.lines:
            if line.characters:
                half.add_good(line)
        if not (page.to_be_damaged or damage_all):
            continue
        spoiled, kinds = judged_damaged(gate, page, KINDS)
        for index, kind in kinds.items():
            half.add_damaged(kind, spoiled.lines[index])
    return halves


def report(title: str, halves: dict[bool, Half]) -> str:
    """The log of one style."""
    parts = [f"== {title} =="]
    for calibration, half in halves.items():
        name = "calibration half" if calibration else "test half"
        parts.append(
            f"{name}: {len(half.problems)} problems, {half.good} good lines, {half.damaged.total()} damaged lines"
        )
        parts.append(
            f"  false alarms {half.alarmed} = {100 * half.false_alarm_rate:.2f} %  {dict(half.false_alarms)}"
        )
        accuracy = 1 - half.errors / max(1, half.characters)
        parts.append(f"  characters read back {100 * accuracy:.3f} % of {half.characters}")
        parts.append(f"  caught {half.caught.total()} = {100 * half.caught_rate:.2f} %")
        for kind in KINDS:
            parts.append(
                f"    {kind:8} {half.damaged[kind]:5} damaged, {half.caught[kind]:5} caught, "
                f"{half.by_reading[kind]:5} by reading, {half.by_ink[kind]:5} by ink"
            )
        for kind, names in (("good", INK), ("pale", ("contrast",)), ("blur", ("sharpness",))):
            parts += [_spread(kind, measure, half) for measure in names if f"{kind} {measure}" in half.values]
        parts.append("  worst damaged line: differing " + f"{_least(half, 'differing'):.4f}")
    return "\n".join(parts)


def _spread(kind: str, measure: str, half: Half) -> str:
    values = sorted(half.values[f"{kind} {measure}"])
    points = ", ".join(f"{values[round(p * (len(values) - 1))]:.3f}" for p in (0, 0.01, 0.5, 0.99, 1))
    return f"  {kind} {measure}: least, 1 %, half, 99 %, most: {points}"


def _least(half: Half, measure: str) -> float:
    return min(min(half.values[f"{kind} {measure}"]) for kind in half.damaged)
