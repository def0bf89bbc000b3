"""Diagrams of mechanics: planes, pulleys, levers, throws, waves, gases in cylinders."""

from __future__ import annotations

import math

from benchwright.examples.canvas import (
    DASH,
    GREY,
    NORMAL,
    PALE,
    THICK,
    THIN,
    Canvas,
    Drawing,
    Point,
    beside,
    between,
    on_circle,
)
from benchwright.examples.problem import qty


def inclined_plane(angle: int, mass: int) -> Drawing:
    """A block with its mass on a slope of a given angle; friction and time are left to marks."""
    canvas = Canvas("inclined-plane", 520, 330)
    foot: Point = (56.0, 280.0)
    run = min(360.0, 228 / math.tan(math.radians(angle)))
    top = (foot[0] + run, foot[1] - run * math.tan(math.radians(angle)))
    canvas.line(foot, (top[0], foot[1]), top, closed=True, fill=PALE)
    canvas.hatch((30, foot[1]), (490, foot[1]))
    canvas.angle(foot, 0, angle, rf"{angle}^\circ", radius=46)
    along = (math.cos(math.radians(angle)), -math.sin(math.radians(angle)))
    out = (along[1], -along[0])

    def place(distance: float, lift: float) -> Point:
        return foot[0] + along[0] * distance + out[0] * lift, foot[1] + along[1] * distance + out[1] * lift

    length = math.dist(foot, top)
    s = length * 0.68
    canvas.line(place(s, 0), place(s + 74, 0), place(s + 74, 48), place(s, 48), closed=True, fill="#ffffff")
    canvas.label(qty(mass, "kg"), place(s + 37, 24), size=17)
    start, end = place(s - 14, 34), place(s - 130, 34)
    x, y = between(start, end)
    canvas.spot("time", x - 84, y - 46, 72, 26, (start, end))
    x, y = place(length * 0.42, 0)
    canvas.spot("friction", x + 6, y + 26, 84, 26)
    return canvas.finish()


def atwood(left: int, right: int) -> Drawing:
    """Two masses on a cord over a fixed pulley."""
    canvas = Canvas("pulley", 340, 380)
    canvas.hatch((90, 34), (250, 34), depth=-8)
    centre, r = (170.0, 92.0), 36.0
    canvas.line((170, 34), centre, width=THICK)
    canvas.circle(centre, r, fill="#ffffff")
    canvas.dot(centre, 4)
    for x, mass, bottom in ((centre[0] - r, left, 262.0), (centre[0] + r, right, 220.0)):
        side = 50.0
        canvas.line((x, centre[1]), (x, bottom))
        canvas.rect(x - side / 2, bottom, side, 46, fill=PALE)
        canvas.label(
            qty(mass, "kg"),
            (x - 34, bottom + 23) if x < 170 else (x + 34, bottom + 23),
            "w" if x < 170 else "e",
            gap=2,
        )
    canvas.arc(centre, r, 0, 180, width=NORMAL)
    return canvas.finish()


def lever(left_force: int, left_arm: int, right_arm: int) -> Drawing:
    """A ruled lever on a pivot with a known weight at the left and an unknown one, F, at the right."""
    step = 38.0
    arm = max(left_arm, right_arm) + 1
    canvas = Canvas("lever", 2 * arm * step + 120, 280)
    x0, y0 = canvas.width / 2, 110.0
    canvas.rect(x0 - arm * step - 12, y0 - 8, 2 * (arm * step + 12), 16, fill=PALE)
    for i in range(-arm, arm + 1):
        canvas.line((x0 + i * step, y0 - 8), (x0 + i * step, y0 + 2), width=THIN)
    canvas.line((x0, y0 + 8), (x0 - 26, y0 + 92), (x0 + 26, y0 + 92), closed=True, fill="#ffffff")
    canvas.hatch((x0 - 48, y0 + 92), (x0 + 48, y0 + 92))
    canvas.label("O", (x0, y0 - 8), "n", gap=9)
    for position, tex in ((-left_arm, qty(left_force, "N")), (right_arm, "F")):
        x = x0 + position * step
        canvas.arrow((x, y0 + 8), (x, y0 + 78), width=2.0, head=13)
        canvas.label(tex, (x, y0 + 78), "s", gap=8)
    canvas.dot((x0 - left_arm * step, y0 + 8), 3.4)
    canvas.dot((x0 + right_arm * step, y0 + 8), 3.4)
    return canvas.finish()


def horizontal_throw() -> Drawing:
    """A ball leaving a table top horizontally; speed and height are left to marks."""
    canvas = Canvas("trajectory", 520, 350)
    edge, floor = (150.0, 90.0), 290.0
    canvas.line((36, 90), edge, (150, floor), (36, floor), closed=True, fill=PALE, width=NORMAL)
    canvas.hatch((24, floor), (490, floor))
    ball = (150.0, 80.0)
    path = [(150 + 270 * t, 80 + (floor - 90) * t * t) for t in (i / 30 for i in range(31))]
    canvas.line(*path, dash=DASH, width=1.4)
    canvas.circle(ball, 9.5, fill="#ffffff")
    canvas.circle(path[-1], 9.5, fill="#ffffff", dash=(4, 3))
    canvas.arrow((112, 90 + 14), (112, floor - 2), width=THIN, head=8, both=True)
    canvas.label("h", (112, 172), "w", gap=6)
    canvas.dimension((150, 322), (420, 322), "x")
    canvas.spot("speed", 196, 34, 88, 26, ((166.0, 70.0), (236.0, 70.0)))
    canvas.spot("height", 42, 204, 60, 28)
    return canvas.finish()


def transverse_wave(wavelength: float, amplitude_cm: float) -> Drawing:
    """A travelling wave at one moment: x axis in metres with the end of the first wave, y in centimetres."""
    canvas = Canvas("wave", 520, 290)
    x0, y0, wave, height = 70.0, 145.0, 240.0, 74.0
    canvas.arrow((46, y0), (480, y0), width=1.5)
    canvas.arrow((x0, 262), (x0, 34), width=1.5)
    canvas.label(r"x/\mathrm{m}", (482, y0), "s", gap=9)
    canvas.label(r"y/\mathrm{cm}", (x0, 40), "e", gap=11)
    canvas.label("O", (x0, y0), "sw", gap=8)
    points = [(x0 + wave * t, y0 - height * math.sin(2 * math.pi * t)) for t in (i / 60 for i in range(91))]
    canvas.line(*points, width=2.2)
    for t, sign in ((0.25, 1), (0.75, -1)):
        canvas.line((x0, y0 - sign * height), (x0 + wave * t, y0 - sign * height), width=THIN, dash=DASH)
        canvas.label(f"{sign * amplitude_cm:g}", (x0, y0 - sign * height), "w", gap=8, size=16)
    for share in (0.5, 1.0):
        canvas.label(
            f"{wavelength * share:g}", (x0 + wave * share, y0), "sw" if share < 1 else "se", gap=8, size=16
        )
    canvas.spot("speed", 344, 22, 96, 26, ((352.0, 60.0), (424.0, 60.0)))
    return canvas.finish()


def pendulum(length_tex: str = "l") -> Drawing:
    """A pendulum swinging out of the vertical."""
    canvas = Canvas("pendulum", 380, 330)
    pivot: Point = (210.0, 46.0)
    canvas.hatch((150, 46), (270, 46), depth=-8)
    bob = on_circle(pivot, 220, -112)
    rest = on_circle(pivot, 220, -90)
    canvas.line(pivot, rest, dash=DASH, width=THIN)
    canvas.line(pivot, bob)
    canvas.arc(pivot, 220, -112, -68, dash=DASH, width=THIN)
    canvas.circle(bob, 11, fill=PALE)
    canvas.label(length_tex, beside(pivot, bob, 6), "w")
    canvas.angle(pivot, -112, -90, r"\theta", radius=56)
    return canvas.finish()


def cylinder_and_piston(length_tex: str) -> Drawing:
    """Gas shut in a lying cylinder by a piston, with the length of the gas column."""
    canvas = Canvas("apparatus", 520, 250)
    left, right, top, bottom = 60.0, 420.0, 62.0, 162.0
    piston = 290.0
    canvas.rect(left, top, piston - left, bottom - top, width=0, fill=PALE)
    canvas.line((right, top), (left, top), (left, bottom), (right, bottom), width=THICK + 0.6)
    canvas.rect(piston, top + 2, 18, bottom - top - 4, fill=GREY)
    canvas.line((piston + 18, 112), (470, 112), width=5)
    canvas.dimension((left, 200), (piston, 200), length_tex)
    canvas.line((piston, bottom + 8), (piston, 194), width=THIN, dash=DASH)
    canvas.line((left, bottom + 8), (left, 194), width=THIN, dash=DASH)
    canvas.spot("pressure", left + 56, 98, 120, 28)
    return canvas.finish()


def spring_scale() -> Drawing:
    """A spring hanging from a stand, a load below and a ruler beside it."""
    canvas = Canvas("apparatus", 340, 360)
    canvas.hatch((90, 40), (250, 40), depth=-8)
    x = 150.0
    points = [(x, 40.0), (x, 60.0)]
    turns = 9
    for i in range(turns):
        y = 60 + 130 * (i + 0.5) / turns
        points.append((x + (16 if i % 2 == 0 else -16), y))
    points += [(x, 190.0), (x, 214.0)]
    canvas.line(*points)
    canvas.rect(x - 24, 214, 48, 44, fill=PALE)
    canvas.label("F", (x, 236))
    canvas.rect(214, 50, 30, 230)
    for i in range(1, 23):
        canvas.line((214, 50 + 10 * i), (214 + (14 if i % 5 == 0 else 8), 50 + 10 * i), width=THIN)
    return canvas.finish()
