"""Legibility of rendered pages: pages that passed the gate, and characters that a recogniser read back."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from benchwright.curation.release.plots.inputs import Legibility
from benchwright.curation.release.plots.page import (
    RULE,
    SMALL,
    SOFT,
    fitted,
    hue,
    label,
    on,
    page,
    title,
    words,
)
from benchwright.curation.release.statistics_audit import LegibilityFigures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEFT, _RIGHT = 1.95, 4.85
_READ_LEFT, _READ_RIGHT = 5.25, 6.75
_ROW, _BAR = 0.58, 0.28
_TOP, _BOTTOM = 1.3, 0.42
_STATES = (("passed", hue(0)), ("failed", hue(1)), ("not judged", "#b9bcc4"))


def draw_legibility(data: Legibility) -> Figure:
    """One row a version and language."""
    height = _TOP + _ROW * len(data.rows) + (_BOTTOM if _was_read(data) else 0.15)
    sheet, axes = page(height)
    title(axes, height, "Legibility of rendered pages")
    _legend(axes, height - 0.64)
    words(axes, _LEFT, height - 1.02, "pages", SMALL, color=SOFT)
    words(axes, _READ_LEFT, height - 1.02, "characters read back, %", SMALL, color=SOFT)
    floor = _floor(data)
    if _was_read(data):
        _scale(axes, floor, height - _TOP + 0.08, _BOTTOM)
    for at, row in enumerate(data.rows):
        y = height - _TOP - _ROW * (at + 0.5)
        names = [fitted(row.version, _LEFT - 0.3, SMALL), row.language]
        label(axes, _LEFT - 0.12, y, names, SMALL, ha="right")
        _pages(axes, row, y)
        _read(axes, row, y, floor)
    return sheet


def _was_read(data: Legibility) -> bool:
    return any(row.characters for row in data.rows)


def _share(row: LegibilityFigures) -> float:
    """Characters read back, in 0..100; more edits than characters are 0."""
    return 100 * max(0.0, 1 - row.errors / row.characters)


def _floor(data: Legibility) -> int:
    """Where the axis of what was read begins: the next lower of 99, 98, 95, 90, 80, 50, 0."""
    lowest = min((_share(row) for row in data.rows if row.characters), default=100.0)
    return next(end for end in (99, 98, 95, 90, 80, 50, 0) if end <= lowest)


def _legend(axes: Axes, y: float) -> None:
    from matplotlib.patches import Rectangle

    for at, (name, colour) in enumerate(_STATES):
        x = 0.2 + 1.5 * at
        axes.add_patch(Rectangle((x, y - 0.08), 0.18, 0.16, facecolor=colour, linewidth=0))
        words(axes, x + 0.25, y, name, SMALL)


def _scale(axes: Axes, floor: int, top: float, bottom: float) -> None:
    for value in (floor, 100):
        x = _place(value, floor)
        axes.plot([x, x], [bottom, top], color=RULE, linewidth=0.8, zorder=0)
        words(axes, x, bottom - 0.16, f"{value}", SMALL, ha="center", color=SOFT)


def _place(value: float, floor: int) -> float:
    return _READ_LEFT + (_READ_RIGHT - _READ_LEFT) * (value - floor) / (100 - floor)


def _pages(axes: Axes, row: LegibilityFigures, y: float) -> None:
    from matplotlib.patches import Rectangle

    x = _LEFT
    counts = (row.passed, row.failed, row.not_judged)
    others = [f"{count:,} {name}" for count, (name, _) in zip(counts, _STATES, strict=True) if count]
    middle = y + (0.09 if len(others) > 1 else 0)
    for count, (_, colour) in zip(counts, _STATES, strict=True):
        size = (_RIGHT - _LEFT) * count / row.pictures
        axes.add_patch(
            Rectangle((x, middle - _BAR / 2), size, _BAR, facecolor=colour, edgecolor="white", linewidth=0.8)
        )
        text = f"{count:,}"
        if count and len(others) == 1:
            words(axes, x + size / 2, middle, text, SMALL, ha="center", color=on(colour))
        x += size
    if len(others) > 1:
        words(axes, _LEFT, middle - _BAR / 2 - 0.1, ", ".join(others), SMALL, color=SOFT)


def _read(axes: Axes, row: LegibilityFigures, y: float, floor: int) -> None:
    if not row.characters:
        words(axes, _READ_RIGHT + 0.2, y, "not read", SMALL, color=SOFT)
        return
    share = _share(row)
    axes.plot([_place(share, floor)], [y], "o", color=hue(0), markersize=6)
    # Rounded down: 100.00 is said only of pages without any error.
    said = f"{math.floor(share * 100) / 100:.2f}"
    label(axes, _READ_RIGHT + 0.2, y, [said, f"of {row.characters:,}"], SMALL)
