"""Cells: a plant cell with numbered parts, and a dividing cell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from benchwright.examples.canvas import DASH, PALE, THIN, Canvas, Drawing, Point, on_circle

Part = Literal["cell wall", "nucleus", "vacuole", "chloroplast", "mitochondrion"]
PARTS: tuple[Part, ...] = ("cell wall", "nucleus", "vacuole", "chloroplast", "mitochondrion")
_ENDS: dict[Part, tuple[Point, Point, str]] = {
    "cell wall": ((96.0, 122.0), (42.0, 96.0), "w"),
    "nucleus": ((158.0, 112.0), (42.0, 44.0), "w"),
    "vacuole": ((250.0, 190.0), (250.0, 350.0), "s"),
    "chloroplast": ((376.0, 118.0), (470.0, 76.0), "e"),
    "mitochondrion": ((374.0, 250.0), (470.0, 282.0), "e"),
}
"""For each part: the point that is meant, where its number stands, and on which side of it."""


def plant_cell(numbered: Sequence[Part]) -> Drawing:
    """A plant cell whose parts carry the numbers 1, 2, ... in the given order."""
    canvas = Canvas("cell", 520, 400)
    canvas.rect(90, 52, 326, 262, r=30, width=5.4)
    canvas.rect(100, 62, 306, 242, r=24, width=1.3)
    canvas.curve(
        [(140, 204), (170, 160), (230, 140), (300, 156), (330, 204), (290, 252), (216, 262), (158, 244)],
        closed=True,
        fill="#e3e9ee",
    )
    canvas.circle((176, 104), 31, fill=PALE)
    canvas.circle((182, 100), 9, fill="#9a9a9a", width=1.2)
    for centre, turn in (
        ((366.0, 118.0), 70.0),
        ((292.0, 92.0), -12.0),
        ((124.0, 262.0), 80.0),
        ((332.0, 282.0), -6.0),
    ):
        _chloroplast(canvas, centre, turn)
    for centre, turn in (((368.0, 240.0), 66.0), ((122.0, 168.0), 84.0)):
        _mitochondrion(canvas, centre, turn)
    for number, part in enumerate(numbered, start=1):
        point, place, side = _ENDS[part]
        canvas.line(point, place, width=1.3)
        canvas.dot(point, 2.4)
        canvas.label(str(number), place, side, gap=7, size=20)
    return canvas.finish()


def _oval(centre: Point, turn: float, long: float, short: float, count: int = 24) -> list[Point]:
    cosine, sine = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    angles = [2 * math.pi * i / count for i in range(count)]
    flat = [(long * math.cos(a), short * math.sin(a)) for a in angles]
    return [(centre[0] + x * cosine - y * sine, centre[1] + x * sine + y * cosine) for x, y in flat]


def _chloroplast(canvas: Canvas, centre: Point, turn: float) -> None:
    canvas.curve(_oval(centre, turn, 25, 12), closed=True, fill="#ffffff")
    cosine, sine = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    for shift in (-12.0, 0.0, 12.0):
        for lift in (-4.0, 0.0, 4.0):
            x, y = centre[0] + shift * cosine - lift * sine, centre[1] + shift * sine + lift * cosine
            canvas.line((x - 4 * cosine, y - 4 * sine), (x + 4 * cosine, y + 4 * sine), width=1.5)


def _mitochondrion(canvas: Canvas, centre: Point, turn: float) -> None:
    canvas.curve(_oval(centre, turn, 21, 10), closed=True, fill="#ffffff")
    cosine, sine = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    fold = []
    for i in range(9):
        shift, lift = -15 + 30 * i / 8, 5.5 if i % 2 else -5.5
        fold.append((centre[0] + shift * cosine - lift * sine, centre[1] + shift * sine + lift * cosine))
    canvas.curve(fold, width=1.2)


def metaphase(chromosomes: int) -> Drawing:
    """An animal cell in metaphase of mitosis: doubled chromosomes on the equator of the spindle."""
    canvas = Canvas("cell", 420, 340)
    centre: Point = (210.0, 170.0)
    canvas.circle(centre, 150, squash=0.92)
    poles = ((210.0, 58.0), (210.0, 282.0))
    xs = [210 + 200 / chromosomes * (i - (chromosomes - 1) / 2) for i in range(chromosomes)]
    for pole in poles:
        for x in xs:
            canvas.line(pole, (x, 170), width=0.9, colour="#8c8c8c")
        for angle in range(0, 360, 45):
            canvas.line(pole, on_circle(pole, 12, angle), width=THIN)
        canvas.rect(pole[0] - 4, pole[1] - 4, 8, 8, fill="#ffffff", width=1.3)
    canvas.line((70, 170), (350, 170), dash=DASH, width=0.8, colour="#8c8c8c")
    for i, x in enumerate(xs):
        arm = 22.0 if i % 4 in (0, 1) else 15.0
        colour = "#141414" if i % 2 == 0 else "#8c8c8c"
        for side in (-1, 1):
            wing = [(x + side * 11, 170 - arm), (x + side * 5, 170 - arm * 0.5), (x + side * 1.6, 170)]
            wing += [(x + side * 5, 170 + arm * 0.5), (x + side * 11, 170 + arm)]
            canvas.path("M" + " L".join(f"{px:g} {py:g}" for px, py in wing), width=5.4, colour=colour)
        canvas.circle((x, 170), 3.2, fill="#ffffff", width=1.1)
    return canvas.finish()
