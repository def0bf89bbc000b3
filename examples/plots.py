"""One general plot on labelled axes: lines, smooth curves, points, dashed guides, tags and room for marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright.examples.canvas import DASH, PALE, SIZE, THIN, Canvas, Drawing, Point
from benchwright.examples.graphs import Axes, TickMarks

Tag = tuple[str, float, float, str]
"""A label: LaTeX, x, y in data, and the compass side of that point on which it stands."""
Room = tuple[str, float, float, float, float]
"""Ground kept for a mark: its name, its left upper corner in data, its width and height in units."""


@dataclass(frozen=True)
class Plot:
    """What is drawn; coordinates are data."""

    kind: str
    x: tuple[float, float]
    y: tuple[float, float]
    names: tuple[str, str]
    xs: TickMarks = ()
    ys: TickMarks = ()
    grid: bool = False
    areas: Sequence[Sequence[Point]] = ()
    lines: Sequence[Sequence[Point]] = ()
    curves: Sequence[Sequence[Point]] = ()
    dashed: Sequence[Sequence[Point]] = ()
    guides: Sequence[Point] = ()
    levels: Sequence[Point] = ()
    drops: Sequence[Point] = ()
    dots: Sequence[Point] = ()
    crosses: Sequence[Point] = ()
    arrows: Sequence[tuple[Point, Point]] = ()
    tags: Sequence[Tag] = ()
    rooms: Sequence[Room] = ()
    size: tuple[float, float] = (490, 340)
    origin: Point = (0.0, 0.0)
    zero: str = "O"
    zero_side: str = "sw"


def draw(plot: Plot) -> Drawing:
    """The plot as a picture; areas lie lowest, labels on top."""
    canvas = Canvas(plot.kind, *plot.size)
    axes = Axes(
        canvas, plot.x, plot.y, plot.names, origin=plot.origin, zero=plot.zero, zero_side=plot.zero_side
    )
    axes.ticks(plot.xs, plot.ys, grid=plot.grid)
    for area in plot.areas:
        canvas.line(*(axes.at(*p) for p in area), closed=True, fill=PALE, width=THIN)
    for dashed in plot.dashed:
        canvas.line(*(axes.at(*p) for p in dashed), width=1.4, dash=DASH)
    for guide in plot.guides:
        axes.guide(*guide)
    for level in plot.levels:
        axes.guide(*level, to_x=False)
    for drop in plot.drops:
        axes.guide(*drop, to_y=False)
    for line in plot.lines:
        canvas.line(*(axes.at(*p) for p in line), width=2.2)
    for curve in plot.curves:
        canvas.curve([axes.at(*p) for p in curve], width=2.1)
    for p, r in plot.arrows:
        canvas.arrow(axes.at(*p), axes.at(*r), width=2.0, head=12)
    for dot in plot.dots:
        canvas.dot(axes.at(*dot), 3.6)
    for cross in plot.crosses:
        px, py = axes.at(*cross)
        for sign in (1, -1):
            canvas.line((px - 4.5, py - 4.5 * sign), (px + 4.5, py + 4.5 * sign), width=1.5)
    for tex, x, y, side in plot.tags:
        canvas.label(tex, axes.at(x, y), side, gap=9, size=SIZE - 1)
    for name, x, y, wide, high in plot.rooms:
        left, top = axes.at(x, y)
        canvas.spot(name, left, top, wide, high)
    return canvas.finish()


def columns(
    kind: str,
    heights: Mapping[str, float],
    names: tuple[str, str],
    ys: TickMarks,
    *,
    values: bool = True,
    size: tuple[float, float] = (500, 330),
    rooms: Sequence[Room] = (),
) -> Drawing:
    """A column for each name (LaTeX), with its height on top if `values`."""
    canvas = Canvas(kind, *size)
    top = max([*heights.values(), *ys])
    axes = Axes(canvas, (0, len(heights) + 0.4), (0, top * 1.15), names, zero="0")
    axes.ticks((), ys)
    for i, (name, height) in enumerate(heights.items()):
        left, right = i + 0.45, i + 1.05
        corners = [(left, 0.0), (left, height), (right, height), (right, 0.0)]
        canvas.line(*(axes.at(*p) for p in corners), closed=True, fill=PALE)
        if values:
            canvas.label(f"{height:g}", axes.at((left + right) / 2, height), "n", gap=6, size=SIZE - 2)
        canvas.label(name, axes.at((left + right) / 2, 0), "s", gap=8, size=SIZE - 2)
    for name, x, y, wide, high in rooms:
        canvas.spot(name, *axes.at(x, y), wide, high)
    return canvas.finish()
