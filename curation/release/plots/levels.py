"""Levels of each discipline: bars of 100 %, lighter for easier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright.curation.release.plots.inputs import Composition, Name
from benchwright.curation.release.plots.names import LEVELS_ZH
from benchwright.curation.release.plots.page import (
    LEVEL_HUES,
    SIZE,
    SMALL,
    WIDTH,
    label,
    line_height,
    name_lines,
    on,
    page,
    title,
    width_of,
    words,
)
from benchwright.schemas.records import DIFFICULTY_NAMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEFT, _RIGHT = 1.75, WIDTH - 0.25
_PITCH, _BAR = 0.6, 0.4
_TOP = 0.98


def draw_levels(data: Composition) -> Figure:
    """One bar a discipline, and one of all where there are several."""
    rows = [(part.name, part.levels) for part in data.disciplines]
    if len(rows) > 1:
        every = tuple(sum(levels[at] for _, levels in rows) for at in range(5))
        rows.insert(0, (Name(en="All", zh="全部" if data.chinese else ""), every))
    labels = [name_lines(name, f"{sum(levels):,}", _LEFT - 0.3) for name, levels in rows]
    pitch = max(_PITCH, 0.1 + line_height(SIZE) * max(len(lines) for lines in labels))
    height = _TOP + pitch * len(rows) + 0.1
    sheet, axes = page(height)
    title(axes, height, "Levels of each discipline, % of its problems")
    _legend(axes, height - 0.68, data.chinese)
    for at, (lines, (_, levels)) in enumerate(zip(labels, rows, strict=True)):
        y = height - _TOP - pitch * (at + 0.5)
        label(axes, _LEFT - 0.12, y, lines, ha="right")
        _bar(axes, y, levels)
    return sheet


def _legend(axes: Axes, y: float, chinese: bool) -> None:
    from matplotlib.patches import Rectangle

    names = [f"{level} {name}" for level, name in DIFFICULTY_NAMES.items()]
    if chinese:
        names = [f"{name} {zh}" for name, zh in zip(names, LEVELS_ZH, strict=True)]
    spare = WIDTH - 0.4 - sum(0.25 + width_of(name, SMALL) for name in names)
    x = 0.2
    for name, colour in zip(names, LEVEL_HUES, strict=True):
        axes.add_patch(Rectangle((x, y - 0.08), 0.18, 0.16, facecolor=colour, linewidth=0))
        words(axes, x + 0.25, y, name, SMALL)
        x += 0.25 + width_of(name, SMALL) + min(0.4, spare / 4)


def _bar(axes: Axes, y: float, levels: tuple[int, ...]) -> None:
    from matplotlib.patches import Rectangle

    total = sum(levels)
    x = _LEFT
    for level, count in enumerate(levels):
        size = (_RIGHT - _LEFT) * count / total
        colour = LEVEL_HUES[level]
        axes.add_patch(
            Rectangle((x, y - _BAR / 2), size, _BAR, facecolor=colour, edgecolor="white", linewidth=0.8)
        )
        share = 100 * count / total
        for text, points in (
            (f"{share:.1f} % ({count:,})", SIZE),
            (f"{share:.1f} %", SIZE),
            (f"{share:.0f} %", SMALL),
        ):
            if count and width_of(text, points) + 0.08 <= size:
                words(axes, x + size / 2, y, text, points, ha="center", color=on(colour))
                break
        x += size
