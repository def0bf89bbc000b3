"""Instruments to be read: callipers, dials, measuring cylinders, ticker tapes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchwright.examples.canvas import PALE, SIZE, THIN, Canvas, Drawing, Point, on_circle

WATER = "#e3e9ee"


def vernier(whole: int, tenth: int) -> Drawing:
    """A cut-out of a vernier calliper's scales (mm, ten parts of 0.9 mm) that reads whole + tenth / 10 mm."""
    canvas = Canvas("vernier", 560, 250)
    step, y = 24.0, 112.0
    start = whole - 3
    canvas.rect(24, 40, 512, y - 40, width=0, fill=PALE)
    canvas.line((24, y), (536, y))
    for i in range(21):
        mark, x = start + i, 40 + step * i
        long = mark % 10 == 0
        canvas.line((x, y), (x, y - (34 if long else 26 if mark % 5 == 0 else 18)), width=1.4)
        if long:
            canvas.label(str(mark // 10), (x, y - 34), "n", gap=8)
    canvas.label(r"\mathrm{cm}", (40 + step * ((-start) % 10 + 5), 58), size=SIZE - 2)
    zero = 40 + step * (3 + tenth / 10)
    canvas.line(
        (zero - 30, y), (zero - 30, 190), (zero + 0.9 * step * 10 + 30, 190), (zero + 0.9 * step * 10 + 30, y)
    )
    for i in range(11):
        x = zero + 0.9 * step * i
        canvas.line((x, y), (x, y + (30 if i % 5 == 0 else 20)), width=1.4)
        if i % 5 == 0:
            canvas.label(str(i), (x, y + 30), "s", gap=8)
    return canvas.finish()


def dial(top: float, parts: int, steps: int, pointer: int, letter: str) -> Drawing:
    """A meter whose scale ends at `top`: `parts` numbered parts of `steps` each; the pointer stands at a step."""
    canvas = Canvas("dial", 480, 320)
    centre: Point = (240.0, 270.0)
    canvas.rect(40, 24, 400, 276, r=16, fill=PALE)
    canvas.rect(64, 46, 352, 196, r=10, fill="#ffffff")
    low, high = 146.0, 34.0

    def at(step: float, radius: float) -> Point:
        return on_circle(centre, radius, low + (high - low) * step / (parts * steps))

    canvas.arc(centre, 150, high, low)
    for i in range(parts * steps + 1):
        long = i % steps == 0
        canvas.line(at(i, 150), at(i, 168 if long else 160), width=1.6 if long else 1.1)
        if long:
            canvas.label(f"{top * i / (parts * steps):g}", at(i, 184), size=SIZE - 1)
    canvas.line(at(pointer, 28), at(pointer, 154), width=2.2)
    canvas.circle(centre, 14, fill="#ffffff")
    canvas.label(rf"\mathrm{{{letter}}}", (120, 214), size=22)
    return canvas.finish()


def cylinders(before: int, after: int, top: int) -> Drawing:
    """A measuring cylinder with water before and after a stone was put in (mL); the mass is left to a mark."""
    canvas = Canvas("measuring-cylinder", 520, 380)
    for x, level in ((110.0, before), (300.0, after)):
        bottom, high = 340.0, 280.0
        y = bottom - high * level / top
        canvas.rect(x, y, 70, bottom - y, width=0, fill=WATER)
        canvas.line((x, y), (x + 70, y), width=THIN)
        canvas.line((x - 4, 40), (x, 46), (x, bottom), (x + 70, bottom), (x + 70, 40), width=2)
        canvas.rect(x - 14, bottom, 98, 9, fill=PALE)
        for i in range(1, top // 2 + 1):
            tick = bottom - high * 2 * i / top
            canvas.line((x + 70, tick), (x + 70 - (20 if i % 5 == 0 else 11), tick), width=1)
            if i % 5 == 0:
                canvas.label(str(2 * i), (x + 70, tick), "e", gap=7, size=SIZE - 3)
        canvas.label(r"\mathrm{mL}", (x + 70, 40), "e", gap=12, size=SIZE - 3)
        if level == after:
            canvas.curve(
                [(x + 14, 330), (x + 20, 306), (x + 38, 298), (x + 52, 312), (x + 46, 334)],
                closed=True,
                fill="#9a9a9a",
            )
    canvas.arrow((218, 190), (284, 190))
    canvas.spot("mass", 400, 300, 104, 28)
    return canvas.finish()


def ticker_tape(distances: Sequence[float]) -> Drawing:
    """Points on a tape with the distances between neighbours in cm."""
    canvas = Canvas("ticker-tape", 560, 190)
    scale = 440 / sum(distances)
    canvas.rect(30, 56, 500, 44, width=1.4)
    x = 60.0
    canvas.dot((x, 78), 4.2)
    canvas.label("A", (x, 56), "n", gap=7)
    for name, distance in zip("BCDEFG", distances, strict=False):
        new = x + distance * scale
        canvas.dot((new, 78), 4.2)
        canvas.label(name, (new, 56), "n", gap=7)
        canvas.arrow((x, 116), (new, 116), width=THIN, head=7, both=True)
        canvas.label(f"{distance:.2f}", ((x + new) / 2, 116), "s", gap=9, size=SIZE - 3)
        x = new
    canvas.label(r"\mathrm{cm}", (500, 160), size=SIZE - 3)
    return canvas.finish()


def swing(points: int, period: float, amplitude: float) -> list[Point]:
    """Data of a sine of an amplitude over two periods."""
    return [
        (2 * period * i / points, amplitude * math.sin(4 * math.pi * i / points)) for i in range(points + 1)
    ]
