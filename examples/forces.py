"""More diagrams of mechanics: hanging lamps, floating bodies, carts, loops, orbits, boats, columns of mercury."""

from __future__ import annotations

import math

from benchwright.examples.canvas import DASH, PALE, THICK, THIN, Canvas, Drawing, Point, on_circle
from benchwright.examples.problem import qty

WATER = "#e3e9ee"


def hanging_lamp(angle: float) -> Drawing:
    """A lamp at O on a cord to the ceiling and a horizontal one to the wall; weight and angle are left to marks."""
    canvas = Canvas("free-body", 500, 360)
    canvas.hatch((60, 40), (400, 40), depth=-8)
    canvas.hatch((60, 300), (60, 40), depth=-8)
    o: Point = (280.0, 200.0)
    run = min(140.0, 158 / math.tan(math.radians(angle)))
    top = (o[0] + run, 42.0)
    if run == 140.0:
        top = (o[0] + run, o[1] - run * math.tan(math.radians(angle)))
        canvas.line((top[0] - 24, top[1]), (top[0] + 24, top[1]), width=THICK)
    canvas.line(top, o)
    canvas.line(o, (62, 200))
    canvas.line(o, (420, 200), width=THIN, dash=DASH)
    canvas.line(o, (280, 246))
    canvas.path("M262 246 L298 246 L312 276 L248 276 Z", fill=PALE)
    canvas.circle((280, 286), 11, fill="#ffffff")
    canvas.arc(o, 34, 0, angle, width=THIN)
    canvas.label("A", top, "e", gap=12 if run < 140 else 32)
    canvas.label("B", (62, 200), "ne", gap=9)
    canvas.label("O", o, "sw", gap=10)
    canvas.spot("angle", 344, 165, 60, 27)
    canvas.spot("weight", 330, 262, 96, 28)
    return canvas.finish()


def floating_cube(side: float, depth: float) -> Drawing:
    """A cube floating upright, to scale, with its edge and its depth; the liquid is left to a mark."""
    canvas = Canvas("floating", 520, 360)
    canvas.rect(42, 122, 416, 196, width=0, fill=WATER)
    canvas.line((40, 60), (40, 320), (460, 320), (460, 60), width=THICK)
    edge = 130.0
    top = 122 + edge * depth / side - edge
    canvas.line((42, 122), (458, 122), width=THIN)
    canvas.rect(150, top, edge, edge, fill="#ffffff")
    x = 322.0
    canvas.dimension((x, 122), (x, top + edge), qty(depth, "cm"))
    canvas.dimension((128, top), (128, top + edge), "")
    canvas.label(
        qty(side, "cm"), (128, (122 + top) / 2 if top < 90 else top - 4), "w" if top < 90 else "nw", gap=9
    )
    canvas.spot("liquid", 180, 282, 176, 30)
    return canvas.finish()


def carts(left: float, right: float) -> Drawing:
    """A cart with its mass runs at another one at rest; the speed is left to a mark."""
    canvas = Canvas("collision", 540, 250)
    canvas.hatch((30, 200), (510, 200))
    for x, mass in ((70.0, left), (330.0, right)):
        canvas.rect(x, 128, 120, 50, fill=PALE)
        canvas.label(qty(mass, "kg"), (x + 60, 153))
        for dx in (28, 92):
            canvas.circle((x + dx, 188), 11, fill="#ffffff")
    canvas.spot("speed", 110, 58, 96, 28, ((120.0, 104.0), (196.0, 104.0)))
    return canvas.finish()


def loop() -> Drawing:
    """A slope that runs into an upright circle; the radius is left to a mark, the height is h."""
    canvas = Canvas("loop", 540, 360)
    floor, centre, r = 312.0, (360.0, 222.0), 90.0
    canvas.curve([(66, 70), (120, 128), (190, 232), (260, 296), (360, 312)], width=2.4)
    canvas.line((360, floor), (510, floor), width=2.4)
    canvas.circle(centre, r, width=2.4)
    canvas.circle((70, 60), 9, fill=PALE)
    canvas.line((20, floor), (250, floor), width=THIN, dash=DASH)
    canvas.line((20, 70), (58, 70), width=THIN, dash=DASH)
    canvas.dimension((36, 70), (36, floor), "h")
    canvas.line(centre, on_circle(centre, r, 40), width=THIN)
    canvas.dot(centre)
    canvas.label("O", centre, "s", gap=8)
    canvas.label("P", (360, 132), "n", gap=8)
    canvas.spot("radius", 318, 166, 68, 27)
    return canvas.finish()


def orbits(ratio: float) -> Drawing:
    """Two satellites on circles around a planet, radii r and `ratio` r to scale."""
    canvas = Canvas("orbits", 520, 380)
    centre: Point = (260.0, 190.0)
    outer, inner = 160.0, 160.0 / ratio
    canvas.circle(centre, min(17.0, inner * 0.45), fill=PALE)
    for radius, turn, name, tex in ((inner, 140.0, "P", "r"), (outer, 30.0, "Q", f"{ratio:g}r")):
        canvas.circle(centre, radius, width=1.4)
        at = on_circle(centre, radius, turn)
        canvas.line(on_circle(centre, min(17.0, inner * 0.45), turn), at, width=THIN, dash=DASH)
        canvas.dot(at, 5)
        canvas.label(name, at, "nw" if name == "P" else "ne", gap=9)
        if name == "Q":
            canvas.label(tex, on_circle(centre, radius * 0.66, turn), "se", gap=10)
    canvas.label("r", on_circle(centre, inner, 200), "sw", gap=6)
    return canvas.finish()


def river() -> Drawing:
    """A boat that heads straight across a river; its speed, the current and the width are left to marks."""
    canvas = Canvas("river", 540, 340)
    canvas.rect(20, 66, 500, 208, width=0, fill=WATER)
    canvas.hatch((20, 274), (520, 274))
    canvas.hatch((520, 66), (20, 66))
    canvas.path("M148 262 L148 226 Q160 204 172 226 L172 262 Z", fill="#ffffff")
    canvas.label("A", (160, 274), "s", gap=22)
    canvas.label("B", (160, 66), "n", gap=20)
    canvas.line((160, 66), (160, 198), dash=DASH, width=THIN)
    canvas.dimension((60, 66), (60, 274), "")
    canvas.spot("width", 66, 120, 74, 28)
    canvas.spot("boat", 184, 150, 84, 28, ((178.0, 196.0), (178.0, 126.0)))
    canvas.spot("current", 356, 104, 84, 28, ((356.0, 150.0), (440.0, 150.0)))
    return canvas.finish()


def mercury_tube(column: float, gas: float) -> Drawing:
    """A narrow tube, closed below, with gas under a column of mercury; both lengths written."""
    canvas = Canvas("gas-tube", 500, 400)
    scale = min(290 / (column + gas), 9.0)
    left, right, bottom = 230.0, 262.0, 370.0
    low = bottom - gas * scale
    high = low - column * scale
    canvas.rect(left, high, right - left, low - high, width=0, fill="#9a9a9a")
    canvas.line((left, 30), (left, bottom), (right, bottom), (right, 30), width=2.4)
    for y in (low, high):
        canvas.line((left, y), (right, y))
        canvas.line((right + 6, y), (right + 60, y), width=0.8, dash=DASH)
    canvas.line((right + 6, bottom), (right + 60, bottom), width=0.8, dash=DASH)
    canvas.dimension((right + 44, high), (right + 44, low), qty(column, "cm"), ticks=False)
    canvas.dimension((right + 44, low), (right + 44, bottom), qty(gas, "cm"), ticks=False)
    return canvas.finish()
