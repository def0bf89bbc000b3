"""More diagrams of waves and light: standing waves, slits, sources, glass half discs, prisms."""

from __future__ import annotations

import math

from benchwright.examples.canvas import (
    DASH,
    GREY,
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


def standing_wave(loops: int) -> Drawing:
    """A string between two fixed ends in so many loops; length and frequency are left to marks."""
    canvas = Canvas("standing-wave", 540, 270)
    left, right, y = 70.0, 470.0, 120.0
    canvas.hatch((left, 60), (left, 180), depth=8)
    canvas.hatch((right, 180), (right, 60), depth=8)
    for sign, dash in ((1, None), (-1, DASH)):
        points = [
            (left + (right - left) * i / 120, y - sign * 42 * math.sin(math.pi * loops * i / 120))
            for i in range(121)
        ]
        canvas.line(*points, width=2, dash=dash)
    canvas.arrow((left, 212), (right, 212), width=THIN, head=8, both=True)
    canvas.spot("length", 218, 222, 104, 28)
    canvas.spot("frequency", 208, 22, 124, 28)
    return canvas.finish()


def double_slit() -> Drawing:
    """Two slits and a screen with fringes; slit distance, screen distance and fringe spacing are left to marks."""
    canvas = Canvas("double-slit", 560, 350)
    for y0, y1 in ((60.0, 150.0), (158.0, 182.0), (190.0, 280.0)):
        canvas.line((130, y0), (130, y1), width=5)
    canvas.line((430, 50), (430, 290), width=3)
    for y in (154.0, 186.0):
        canvas.line((130, y), (428, 122), width=0.9, colour=GREY)
    for k in range(-3, 4):
        canvas.rect(440, 170 - 9 + 34 * k, 30, 16, width=0, fill="#555555")
    canvas.line((430, 169), (478, 169), width=0.8)
    canvas.arrow((40, 170), (112, 170), width=1.6)
    canvas.label(r"S_1", (130, 154), "w", gap=12)
    canvas.label(r"S_2", (130, 186), "w", gap=12)
    canvas.arrow((130, 306), (430, 306), width=THIN, head=8, both=True)
    canvas.spot("screen", 226, 314, 108, 28)
    canvas.spot("slits", 140, 226, 128, 28)
    canvas.spot("fringes", 404, 12, 140, 28)
    return canvas.finish()


def half_disc(angle: float) -> Drawing:
    """A ray in a half disc of glass that grazes the plane face; its angle to the normal is left to a mark."""
    canvas = Canvas("refraction", 480, 360)
    o: Point = (240.0, 130.0)
    arc = [on_circle(o, 150, 180 + 180 * i / 60) for i in range(61)]
    canvas.line(*arc, closed=True, fill=PALE)
    canvas.line((240, 30), (240, 320), width=THIN, dash=DASH)
    start = on_circle(o, 195, 270 - angle)
    canvas.line(start, o, width=2.2)
    canvas.arrow_head(start, between(start, o, 0.4), 13)
    canvas.arrow(o, (440, 129), width=2.2, head=13)
    mirrored = on_circle(o, 190, 270 + angle)
    canvas.line(o, mirrored, width=2.2)
    canvas.arrow_head(o, between(o, mirrored, 0.6), 13)
    canvas.arc(o, 46, 270 - angle, 270, width=THIN)
    canvas.label("O", o, "nw", gap=9)
    x, y = on_circle(o, 120, 270 - angle / 2)
    canvas.spot("angle", x - 21, y - 13, 45, 26)
    return canvas.finish()


def prism(apex: float, incidence: float) -> Drawing:
    """A ray that passes symmetrically through a prism, with the apex angle and the angle of incidence."""
    canvas = Canvas("prism", 520, 370)
    top, half = (260.0, 40.0), math.radians(apex / 2)
    side = 270 / math.cos(half)
    a = (top[0] - side * math.sin(half), 310.0)
    b = (top[0] + side * math.sin(half), 310.0)
    canvas.line(a, b, top, closed=True, fill=PALE)
    p, r = between(top, a, 0.55), between(top, b, 0.55)
    canvas.line(p, r, width=2.2)
    canvas.arrow_head(p, between(p, r, 0.55), 13)
    normal = 180 - apex / 2
    start = on_circle(p, 118, normal + incidence)
    canvas.line(start, p, width=2.2)
    canvas.arrow_head(start, between(start, p, 0.55), 13)
    end = on_circle(r, 118, -(incidence - apex / 2))
    canvas.line(r, end, width=2.2)
    canvas.arrow_head(r, between(r, end, 0.6), 13)
    canvas.line(on_circle(p, 100, normal), on_circle(p, 50, normal + 180), width=THIN, dash=DASH)
    canvas.angle(p, normal, normal + incidence, rf"{incidence:g}^\circ", radius=40)
    canvas.angle(top, 270 - apex / 2, 270 + apex / 2, rf"{apex:g}^\circ", radius=34)
    return canvas.finish()


def two_sources(first: float, second: float) -> Drawing:
    """Two sources in step and a point P, with both distances written."""
    canvas = Canvas("interference", 520, 330)
    s1, s2 = (90.0, 90.0), (90.0, 250.0)
    p: Point = (430.0, 130.0)
    for name, at, length, gap in (("S_1", s1, first, -18), ("S_2", s2, second, 18)):
        for radius in (16, 28, 40):
            canvas.arc(at, radius, -80, 80, width=0.9)
        canvas.line(at, p, width=1.6)
        canvas.dot(at, 5)
        canvas.label(name, at, "w", gap=12)
        canvas.label(rf"{length:g}\ \mathrm{{m}}", beside(at, p, gap, 0.55))
    canvas.dot(p, 4)
    canvas.label("P", p, "e", gap=10)
    canvas.line((90, 104), (90, 236), width=THICK - 1.8, dash=DASH)
    return canvas.finish()
