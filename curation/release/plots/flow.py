"""Flow from disciplines through subjects to levels (VisScience, Figure 3), ribbons as wide as their problems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchwright.curation.release.plots.composition import folded
from benchwright.curation.release.plots.inputs import Composition, DisciplinePart
from benchwright.curation.release.plots.names import LEVELS_ZH
from benchwright.curation.release.plots.page import (
    LEVEL_HUES,
    SMALL,
    hue,
    label,
    lighter,
    line_height,
    name_line,
    name_lines,
    page,
    problems,
    title,
)
from benchwright.schemas.records import DIFFICULTY_NAMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BAR = 0.16
_COLUMNS = (1.45, 3.45, 6.55)
"""Left edges of the bars: disciplines, subjects, levels."""
_NAMES = _COLUMNS[2] - _COLUMNS[1] - _BAR - 0.2
"""Width of the subjects' names."""
_FLOW = 3.2
"""Inches of all problems together."""
_GAP = 0.05
_TOP = 0.66


class _Column:
    """Bars on each other, each in a slot high enough for its label, in a column of a given height."""

    def __init__(self, counts: Sequence[int], labels: Sequence[list[str]], total: int) -> None:
        self.labels = labels
        self.sizes = [_FLOW * count / total for count in counts]
        self.slots = [
            max(size, line_height(SMALL) * len(lines)) + _GAP
            for size, lines in zip(self.sizes, labels, strict=True)
        ]
        self.height = sum(self.slots)
        self.tops: list[float] = []

    def place(self, top: float, height: float) -> None:
        """Give every bar its upper edge; what room is left is shared out between the slots."""
        spare = (height - self.height) / len(self.slots)
        for size, slot in zip(self.sizes, self.slots, strict=True):
            self.tops.append(top - (slot + spare - size) / 2)
            top -= slot + spare


def draw_flow(data: Composition) -> Figure:
    """The flow; ribbons have the colour of their discipline."""
    shown = folded(data)
    total = shown.problems
    parts = shown.disciplines
    subjects = [(at, one) for at, part in enumerate(parts) for one in part.subjects]
    levels = [sum(part.levels[level] for part in parts) for level in range(5)]
    there = [level for level in range(5) if levels[level]]
    columns = (
        _Column(
            [part.problems for part in parts],
            [name_lines(part.name, f"{part.problems:,}", _COLUMNS[0] - 0.3, SMALL) for part in parts],
            total,
        ),
        _Column(
            [one.problems for _, one in subjects],
            [name_line(one.name, f"{one.problems:,}", _NAMES, SMALL) for _, one in subjects],
            total,
        ),
        _Column(
            [levels[at] for at in there], [_level_lines(at, levels[at], data.chinese) for at in there], total
        ),
    )
    height = max(column.height for column in columns) + _TOP + 0.15
    sheet, axes = page(height)
    title(axes, height, f"{problems(total)}: discipline, subject, level")
    for column in columns:
        column.place(height - _TOP, height - _TOP - 0.15)
    _first_ribbons(axes, parts, columns[0], columns[1], total)
    _second_ribbons(axes, parts, columns[1], columns[2], there, total)
    _bars(axes, columns[0], _COLUMNS[0], [hue(at) for at in range(len(parts))], left=True)
    _bars(axes, columns[1], _COLUMNS[1], [hue(at) for at, _ in subjects], halo=True)
    _bars(axes, columns[2], _COLUMNS[2], [LEVEL_HUES[at] for at in there])
    return sheet


def _level_lines(level: int, problems: int, chinese: bool) -> list[str]:
    name = f"{level + 1} {DIFFICULTY_NAMES[level + 1]}"
    return [name, f"{LEVELS_ZH[level]}  {problems:,}" if chinese else f"{problems:,}"]


def _first_ribbons(
    axes: Axes, parts: Sequence[DisciplinePart], left: _Column, right: _Column, total: int
) -> None:
    """From each discipline to its subjects."""
    number = 0
    for at, part in enumerate(parts):
        leave = left.tops[at]
        for one in part.subjects:
            size = _FLOW * one.problems / total
            start = (_COLUMNS[0] + _BAR, leave)
            _ribbon(axes, start, (_COLUMNS[1], right.tops[number]), size, lighter(hue(at), 0.62))
            leave -= size
            number += 1


def _second_ribbons(
    axes: Axes,
    parts: Sequence[DisciplinePart],
    left: _Column,
    right: _Column,
    there: Sequence[int],
    total: int,
) -> None:
    """From each subject to its levels."""
    arrive = dict(zip(there, right.tops, strict=True))
    number = 0
    for at, part in enumerate(parts):
        for one in part.subjects:
            leave = left.tops[number]
            for level in there:
                size = _FLOW * one.levels[level] / total
                if size:
                    start = (_COLUMNS[1] + _BAR, leave)
                    _ribbon(axes, start, (_COLUMNS[2], arrive[level]), size, lighter(hue(at), 0.74))
                    leave -= size
                    arrive[level] -= size
            number += 1


def _ribbon(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], size: float, colour: str
) -> None:
    """A band whose upper edge runs from start to end."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    (x0, y0), (x1, y1) = start, end
    bend = (x0 + x1) / 2
    points = [
        (x0, y0), (bend, y0), (bend, y1), (x1, y1),
        (x1, y1 - size), (bend, y1 - size), (bend, y0 - size), (x0, y0 - size), (x0, y0),
    ]  # fmt: skip
    codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
    axes.add_patch(PathPatch(Path(points, codes), facecolor=colour, alpha=0.85, linewidth=0))


def _bars(
    axes: Axes, column: _Column, x: float, colours: Sequence[str], *, left: bool = False, halo: bool = False
) -> None:
    """A column's bars with their labels at one side."""
    from matplotlib.patches import Rectangle

    for top, size, colour, lines in zip(column.tops, column.sizes, colours, column.labels, strict=True):
        axes.add_patch(Rectangle((x, top - size), _BAR, size, facecolor=colour, linewidth=0))
        place, side = (x - 0.08, "right") if left else (x + _BAR + 0.08, "left")
        label(axes, place, top - size / 2, lines, SMALL, ha=side, halo=halo)
