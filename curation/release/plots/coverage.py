"""Coverage of knowledge points: how often each stands in the pool, how often it was chosen."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from benchwright.curation.release.plots.inputs import Coverage, CoveragePanel
from benchwright.curation.release.plots.page import (
    RULE,
    SIZE,
    SMALL,
    SOFT,
    WIDTH,
    fitted,
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

_LEFT, _GAP = 0.62, 0.6
_HIGH, _PITCH = 1.9, 2.85
_TOP, _BOTTOM = 0.98, 0.2
_COVERED, _STAND_IN, _OPEN = (hue(0), "o"), ("#7d828d", "^"), (hue(1), "X")


def draw_coverage(data: Coverage) -> Figure:
    """A panel each discipline: questions in the pool across, chosen questions up, both on scales that double."""
    across = min(2, len(data.panels))
    deep = math.ceil(len(data.panels) / across)
    notes = wrapped(_note(data), WIDTH - 0.4, SMALL)
    head = _TOP + line_height(SMALL) * (len(notes) - 1)
    height = head + _PITCH * deep + _BOTTOM
    sheet, paper = page(height)
    title(paper, height, "Knowledge points: in the pool and chosen", notes)
    width = (WIDTH - _LEFT - 0.25 - _GAP * (across - 1)) / across
    reach = max(dot.pool for panel in data.panels for dot in panel.dots)
    most = max(dot.chosen for panel in data.panels for dot in panel.dots)
    for at, panel in enumerate(data.panels):
        left = _LEFT + (at % across) * (width + _GAP)
        bottom = height - head - _PITCH * (at // across) - _HIGH - 0.36
        axes = sheet.add_axes((left / WIDTH, bottom / height, width / WIDTH, _HIGH / height))
        _panel(axes, panel, reach, most)
        name = f"{panel.name.en} {panel.name.zh}".strip()
        words(paper, left, bottom + _HIGH + 0.34, fitted(name, width), SIZE)
        words(paper, left, bottom + _HIGH + 0.15, fitted(_counts(panel), width, SMALL), SMALL, color=SOFT)
        words(paper, left + width, bottom - 0.4, "questions in the pool", SMALL, ha="right", color=SOFT)
    return sheet


def _note(data: Coverage) -> str:
    """What the signs mean."""
    dots = [dot for panel in data.panels for dot in panel.dots]
    parts = ["Upwards: chosen questions. A circle: points with these two counts, larger for more points."]
    if any(dot.stand_in for dot in dots):
        parts.append("Grey triangles: clusters of questions whose source names no point.")
    if any(dot.chosen == 0 for dot in dots):
        parts.append("Orange crosses: not covered.")
    if any(panel.targets for panel in data.panels):
        parts.append("Line: count up to which choosing a point again was worth something.")
    return " ".join(parts)


def _counts(panel: CoveragePanel) -> str:
    parts = [f"{panel.covered:,} of {panel.points:,} points covered"] if panel.points else []
    if panel.stand_ins:
        parts.append(f"{panel.stand_ins_covered:,} of {panel.stand_ins:,} clusters")
    return ", ".join(parts)


def _panel(axes: Axes, panel: CoveragePanel, reach: int, most: int) -> None:
    if panel.targets:
        pools = [_place(pool) for pool, _ in panel.targets]
        axes.plot(
            pools, [_place(target) for _, target in panel.targets], color="#9a9ea8", linewidth=1.1, zorder=1
        )
    for kind, (colour, sign) in enumerate((_COVERED, _STAND_IN, _OPEN)):
        dots = [dot for dot in panel.dots if kind == (2 if dot.chosen == 0 else int(dot.stand_in))]
        axes.scatter(
            [_place(dot.pool) for dot in dots],
            [_place(dot.chosen) for dot in dots],
            [min(260.0, 14 + 9 * (dot.points - 1)) for dot in dots],
            color=colour, marker=sign, alpha=0.8, edgecolors="white", linewidths=0.5, zorder=2 + kind, clip_on=False,
        )  # fmt: skip
    _doubling(axes, reach, most, any(not dot.pool for dot in panel.dots))


def _place(count: int) -> float:
    """Place on a scale that doubles: 0 has a place of its own below 1."""
    return math.log2(count) + 1 if count else 0.0


def _doubling(axes: Axes, reach: int, most: int, bare: bool) -> None:
    """Both axes with their numbers; bare: some points are in no question of the pool."""
    from matplotlib.ticker import FixedFormatter, FixedLocator

    across = math.ceil(math.log2(max(2, reach))) + 1
    numbers = range(1, across + 1, math.ceil(across / 7))
    axes.set_xlim(0 if bare else 0.75, across + 0.25)
    axes.xaxis.set_major_locator(FixedLocator(list(numbers)))
    axes.xaxis.set_major_formatter(FixedFormatter([f"{2 ** (place - 1):,}" for place in numbers]))
    upwards = math.ceil(math.log2(max(2, most))) + 1
    axes.set_ylim(-0.35, upwards + 0.35)
    axes.yaxis.set_major_locator(FixedLocator(list(range(upwards + 1))))
    axes.yaxis.set_major_formatter(
        FixedFormatter(["0", *(f"{2 ** (place - 1):,}" for place in range(1, upwards + 1))])
    )
    axes.grid(color="#eceef1", linewidth=0.7, zorder=0)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=SMALL, color=RULE, length=3, labelcolor=INK)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(RULE)
