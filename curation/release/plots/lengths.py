"""Histograms of question lengths, a panel each version and language, all on one scale (VisScience, Figure 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchwright.curation.release.plots.inputs import LengthPanel, Lengths
from benchwright.curation.release.plots.page import (
    RULE,
    SIZE,
    SMALL,
    SOFT,
    WIDTH,
    hue,
    line_height,
    page,
    title,
    words,
    wrapped,
)
from benchwright.render.plots import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEFT, _GAP = 0.62, 0.55
_HIGH, _PITCH = 0.78, 1.36
_TOP, _BOTTOM = 0.98, 0.05
_ACROSS = 2


def draw_lengths(data: Lengths) -> Figure:
    """The histograms, languages side by side where there are two."""
    languages = sorted({panel.language for panel in data.panels})
    across = min(_ACROSS, len(languages))
    grid = _grid(data, languages, across)
    notes = wrapped(_note(data), WIDTH - 0.4, SMALL)
    head = _TOP + line_height(SMALL) * (len(notes) - 1)
    height = head + _PITCH * len(grid) + _BOTTOM
    sheet, paper = page(height)
    title(paper, height, "Length of questions, characters", notes)
    width = (WIDTH - _LEFT - 0.25 - _GAP * (across - 1)) / across
    for row, cells in enumerate(grid):
        bottom = height - head - _PITCH * row - _HIGH - 0.12
        most = max(max(panel.longer, *panel.bars) for panel in cells.values())
        for column, panel in cells.items():
            left = _LEFT + column * (width + _GAP)
            axes = sheet.add_axes((left / WIDTH, bottom / height, width / WIDTH, _HIGH / height))
            _panel(axes, panel, data, most)
            figures = f"mean {panel.mean:,.1f}, longest {panel.longest:,}"
            words(paper, left, bottom + _HIGH + 0.15, f"{panel.version} {panel.language}", SIZE)
            words(paper, left + width, bottom + _HIGH + 0.15, figures, SMALL, ha="right", color=SOFT)
    return sheet


def _grid(data: Lengths, languages: Sequence[str], across: int) -> list[dict[int, LengthPanel]]:
    """Rows of panels by column; a version with more languages than there are columns takes several rows."""
    rows: dict[tuple[str, int], dict[int, LengthPanel]] = {}
    for panel in data.panels:
        row, column = divmod(languages.index(panel.language), across)
        rows.setdefault((panel.version, row), {})[column] = panel
    return list(rows.values())


def _note(data: Lengths) -> str:
    """What the marks mean, and which versions are not here."""
    parts = ["Text that a model is sent, choices included; bars: questions; dashed: mean."]
    if any(panel.longer for panel in data.panels):
        reach = data.width * len(data.panels[0].bars)
        parts.append(f"The orange bar holds everything from {reach:,} characters on.")
    if data.textless:
        parts.append(f"No text at all: {', '.join(data.textless)}.")
    return " ".join(parts)


def _panel(axes: Axes, panel: LengthPanel, data: Lengths, most: int) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

    width = data.width
    bars = len(panel.bars)
    edges = [width * at for at in range(bars)]
    axes.bar(edges, panel.bars, width=width * 0.92, align="edge", color=hue(0), linewidth=0)
    if any(one.longer for one in data.panels):
        axes.bar([width * bars], [panel.longer], width=width * 0.92, align="edge", color=hue(1), linewidth=0)
    if panel.mean <= width * bars:
        axes.axvline(panel.mean, color=INK, linewidth=0.9, linestyle=(0, (4, 3)))
    axes.set_xlim(0, width * (bars + 1))
    axes.set_ylim(0, most * 1.06)
    axes.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    axes.yaxis.set_major_formatter(FuncFormatter(_grouped))
    ticks = [width * at for at in range(bars + 1) if at % _step(bars) == 0]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(FuncFormatter(_grouped))
    axes.tick_params(labelsize=SMALL, color=RULE, length=3, labelcolor=INK)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(RULE)


def _step(bars: int) -> int:
    """Bars from one number of the axis to the next: about four numbers."""
    return next(step for step in (1, 2, 5, 10, 20) if bars / step <= 5)


def _grouped(value: float, _place: int) -> str:
    return f"{value:,.0f}"
