"""Molecules: rings and chains as line drawings, electron dots, particle pictures, spectra."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from benchwright.examples.canvas import PALE, THIN, Canvas, Drawing, Point, between, on_circle
from benchwright.examples.graphs import Axes


def _double(canvas: Canvas, p: Point, r: Point, inside: Point) -> None:
    """The second line of a double bond, on the side of a point."""
    middle = between(p, r)
    length = math.dist(middle, inside)
    dx, dy = (inside[0] - middle[0]) / length * 8, (inside[1] - middle[1]) / length * 8
    a, b = between(p, r, 0.14), between(p, r, 0.86)
    canvas.line((a[0] + dx, a[1] + dy), (b[0] + dx, b[1] + dy), width=2.6)


def ring(size: int, methyls: Sequence[int], doubles: Sequence[int]) -> Drawing:
    """A carbon ring with methyl groups at corners and double bonds after corners (both counted from 0)."""
    canvas = Canvas("structural-formula", 500, 320)
    centre, radius = (250.0, 160.0), 78.0
    corners = [on_circle(centre, radius, 90 + 360 * i / size) for i in range(size)]
    canvas.line(*corners, closed=True, width=2.6)
    for i in methyls:
        canvas.line(corners[i], on_circle(centre, radius + 56, 90 + 360 * i / size), width=2.6)
    for i in doubles:
        _double(canvas, corners[i], corners[(i + 1) % size], centre)
    return canvas.finish()


def chain(carbons: int, doubles: Sequence[int]) -> Drawing:
    """A zigzag chain with double bonds after the given atoms (counted from 1)."""
    run, rise = 50.0, 29.0
    canvas = Canvas("structural-formula", 120 + run * (carbons - 1), 190)
    points = [(60 + run * i, 95 + (rise / 2 if i % 2 == 0 else -rise / 2)) for i in range(carbons)]
    canvas.line(*points, width=2.6)
    for i in doubles:
        p, r = points[i - 1], points[i]
        _double(canvas, p, r, ((p[0] + r[0]) / 2, 95 + (60 if i % 2 else -60)))
    return canvas.finish()


def dots(centre: str, outer: str, bonds: int, lone: int) -> Drawing:
    """An electron-dot picture: a central atom with bonded atoms and lone pairs at its four sides."""
    canvas = Canvas("electron-dots", 500, 300)
    at = (250.0, 150.0)
    canvas.label(rf"\mathrm{{{centre}}}", at, size=30)
    sides = ((1, 0), (-1, 0), (0, 1), (0, -1))
    for i, (dx, dy) in enumerate(sides[: bonds + lone]):
        for sign in (-1, 1):
            canvas.dot((at[0] + 30 * dx + 7 * sign * dy, at[1] + 30 * dy + 7 * sign * dx), 3)
        if i < bonds:
            canvas.label(rf"\mathrm{{{outer}}}", (at[0] + 58 * dx, at[1] + 58 * dy), size=30)
            if outer != "H":
                _outer_pairs(canvas, (at[0] + 58 * dx, at[1] + 58 * dy), (dx, dy))
    return canvas.finish()


def _outer_pairs(canvas: Canvas, at: Point, away: tuple[int, int]) -> None:
    """Three lone pairs of a halogen, on the sides away from the bond."""
    dx, dy = away
    for sx, sy in ((dx, dy), (dy, dx), (-dy, -dx)):
        for sign in (-1, 1):
            canvas.dot((at[0] + 24 * sx + 6 * sign * sy, at[1] + 24 * sy + 6 * sign * sx), 2.6)


def particles(first: int, second: int) -> Drawing:
    """A box of molecules of two elements, each of two atoms: dark pairs and white pairs; a legend names them."""
    canvas = Canvas("particle-model", 520, 320)
    canvas.rect(30, 30, 320, 250, fill="#ffffff")
    count = first + second
    columns = 4 if count > 6 else 3
    rows = -(-count // columns)
    order = [i * 7 % count for i in range(count)] if count % 7 else list(range(count))
    for place, i in enumerate(order):
        x = 30 + 320 * (place % columns + 0.5) / columns
        y = 30 + 250 * (place // columns + 0.5) / rows
        _pair(canvas, (x, y), 35.0 * place, i < first)
    for y, dark, name in ((110.0, True, r"\mathrm{X_2}"), (190.0, False, r"\mathrm{Y_2}")):
        _pair(canvas, (400, y), 0, dark)
        canvas.label(name, (436, y), "e", gap=4)
    return canvas.finish()


def _pair(canvas: Canvas, at: Point, turn: float, dark: bool) -> None:
    radius = 13.0 if dark else 10.0
    for sign in (0, 180):
        canvas.circle(
            on_circle(at, radius * 0.9, turn + sign), radius, fill="#777777" if dark else "#ffffff", width=1.4
        )


def spectrum(
    peaks: Mapping[float, float], name: str, labels: Mapping[float, str], *, falling: bool = False
) -> Drawing:
    """Peaks as upright lines on an axis: position -> height (1 is the highest), some with a label.

    Args:
        peaks: positions and heights.
        name: name of the axis.
        labels: LaTeX over the peaks at some positions.
        falling: the axis runs from right to left, as that of chemical shifts.
    """
    canvas = Canvas("spectrum", 520, 320)
    low, high = min(peaks), max(peaks)
    pad = (high - low) * 0.18 or 1.0
    axes = Axes(
        canvas,
        (low - pad, high + pad),
        (0, 1.25),
        ("" if falling else name, ""),
        origin=(low - pad, 0),
        zero="",
    )
    for position, height in peaks.items():
        x = low + high - position if falling else position
        canvas.line(axes.at(x, 0), axes.at(x, height), width=2.6)
        if position in labels:
            canvas.label(labels[position], axes.at(x, height), "n", gap=7)
        if falling:
            canvas.label(f"{position:g}", axes.at(x, 0), "s", gap=8, size=16)
    if falling:
        canvas.label(name, (470, 274), "s", gap=24)
    else:
        for position in labels:
            canvas.line(axes.at(position, 0), axes.at(position, -0.02), width=THIN)
    return canvas.finish()


def periodic_place(group: int, period: int) -> Drawing:
    """The outline of the first four periods of the periodic table with X in a cell (group 1 to 18)."""
    canvas = Canvas("periodic-table", 560, 230)
    step, left, top = 28.0, 40.0, 62.0
    last = {1: (1, 18), 2: (1, 2, *range(13, 19)), 3: (1, 2, *range(13, 19)), 4: tuple(range(1, 19))}
    for row, groups in last.items():
        for column in groups:
            here = (column, row) == (group, period)
            canvas.rect(
                left + step * (column - 1),
                top + step * (row - 1),
                step,
                step,
                width=1.2,
                fill=PALE if here else "#ffffff",
            )
            if here:
                canvas.label(r"\mathrm{X}", (left + step * (column - 0.5), top + step * (row - 0.5)))
    for row in last:
        canvas.label(str(row), (left, top + step * (row - 0.5)), "w", gap=10, size=15)
    for column in (1, 2, 13, 14, 15, 16, 17, 18):
        y = top if column in (1, 18) else top + step
        canvas.label(str(column), (left + step * (column - 0.5), y), "n", gap=7, size=14)
    return canvas.finish()
