"""Circuit diagrams with the usual symbols, and diagrams of fields and induction."""

from __future__ import annotations

import math

from benchwright.examples.canvas import (
    DASH,
    PALE,
    THICK,
    THIN,
    Canvas,
    Drawing,
    Point,
    between,
    on_circle,
)

WHITE = "#ffffff"


def resistor(
    canvas: Canvas, centre: Point, tex: str, *, upright: bool = False, side: str = "", length: float = 56
) -> None:
    """A resistor as a rectangle, lying or upright."""
    w, h = (20.0, length) if upright else (length, 20.0)
    canvas.rect(centre[0] - w / 2, centre[1] - h / 2, w, h, fill=WHITE)
    if tex:
        side = side or ("e" if upright else "n")
        reach = 10.0
        at = {
            "n": (centre[0], centre[1] - reach),
            "s": (centre[0], centre[1] + reach),
            "e": (centre[0] + reach, centre[1]),
            "w": (centre[0] - reach, centre[1]),
        }[side]
        canvas.label(tex, at, side, gap=8)


def battery(canvas: Canvas, centre: Point, cells: int = 2) -> None:
    """Cells in a horizontal lead: long thin plates positive (left), short thick ones negative."""
    half = 9.0 * cells - 4
    canvas.rect(centre[0] - half, centre[1] - 3, 2 * half, 6, width=0, fill=WHITE)
    for i in range(cells):
        x = centre[0] - half + 18 * i
        canvas.line((x, centre[1] - 15), (x, centre[1] + 15))
        canvas.line((x + 10, centre[1] - 8), (x + 10, centre[1] + 8), width=3.4)
        if i + 1 < cells:
            canvas.line((x + 10, centre[1]), (x + 18, centre[1]))


def switch(canvas: Canvas, centre: Point, *, closed: bool) -> None:
    """A switch in a horizontal lead."""
    a, b = (centre[0] - 20, centre[1]), (centre[0] + 20, centre[1])
    canvas.rect(a[0], centre[1] - 3, 40, 6, width=0, fill=WHITE)
    canvas.line(a, (b[0], b[1] if closed else b[1] - 17))
    for point in (a, b):
        canvas.circle(point, 3.2, fill=WHITE, width=1.3)
    canvas.label("S", (centre[0], centre[1] - (0 if closed else 14)), "n", gap=9)


def meter(canvas: Canvas, centre: Point, letter: str) -> None:
    """An ammeter, voltmeter or lamp-sized circle with its letter."""
    canvas.circle(centre, 17, fill=WHITE)
    canvas.label(rf"\mathrm{{{letter}}}", centre)


def series_parallel(r1: int, r2: int, r3: int) -> Drawing:
    """R1 in series with R2 and R3 in parallel; the voltage at the battery is left to a mark."""
    canvas = Canvas("circuit", 520, 330)
    left, right, top, bottom = 60.0, 460.0, 96.0, 270.0
    canvas.line((left, bottom), (left, top), (right, top), (right, bottom), closed=True)
    inner_l, inner_r = 262.0, 420.0
    canvas.rect(inner_l + 2, top - 3, inner_r - inner_l - 4, 6, width=0, fill=WHITE)
    canvas.line(
        (inner_l, top - 40), (inner_r, top - 40), (inner_r, top + 40), (inner_l, top + 40), closed=True
    )
    resistor(canvas, (158, top), rf"R_1={ohms(r1)}")
    resistor(canvas, (341, top - 40), rf"R_2={ohms(r2)}")
    resistor(canvas, (341, top + 40), rf"R_3={ohms(r3)}", side="s")
    for point in ((inner_l, top), (inner_r, top)):
        canvas.dot(point, 3.4)
    battery(canvas, (200, bottom))
    switch(canvas, (340, bottom), closed=True)
    canvas.spot("voltage", 150, 292, 104, 28)
    return canvas.finish()


def ohms(value: float) -> str:
    """LaTeX of a resistance."""
    return rf"{value:g}\ \Omega"


def rheostat_circuit() -> Drawing:
    """A fixed resistor and a rheostat in series; ammeter in the loop, voltmeter across the fixed resistor."""
    canvas = Canvas("circuit", 520, 350)
    left, right, top, bottom = 60.0, 460.0, 120.0, 300.0
    canvas.line((left, top), (right, top), (right, bottom), (left, bottom), closed=True)
    resistor(canvas, (160, top), "R_1", side="s")
    canvas.line((108, top), (108, 56), (212, 56), (212, top))
    for x in (108.0, 212.0):
        canvas.dot((x, top), 3.4)
    meter(canvas, (160, 56), "V")
    resistor(canvas, (340, top), "R_2", side="s", length=84)
    canvas.line((398, top), (398, 78), (346, 78))
    canvas.arrow((346, 78), (346, top - 10), head=11)
    canvas.dot((398, top), 3.4)
    canvas.label("P", (346, 78), "nw", gap=6)
    canvas.label("a", (298, top), "nw", gap=8)
    canvas.label("b", (382, top + 10), "se", gap=8)
    meter(canvas, (right, 210), "A")
    battery(canvas, (300, bottom))
    switch(canvas, (160, bottom), closed=True)
    return canvas.finish()


def crosses(
    canvas: Canvas,
    x: float,
    y: float,
    columns: int,
    rows: int,
    step: float,
    free: tuple[Point, float] | None = None,
) -> None:
    """A magnetic field into the page; no cross stands on the circle `free` (centre and radius)."""
    for i in range(columns):
        for j in range(rows):
            cx, cy = x + i * step, y + j * step
            if free is not None and abs(math.dist((cx, cy), free[0]) - free[1]) < 9:
                continue
            for sign in (1, -1):
                canvas.line((cx - 4, cy - 4 * sign), (cx + 4, cy + 4 * sign), width=THIN, colour="#6f6f6f")


def half_circle_in_field() -> Drawing:
    """A charge entering a field through the left border and leaving after half a circle; B, v are left to marks."""
    canvas = Canvas("magnetic-field", 480, 380)
    border = 150.0
    crosses(canvas, border + 52, 48, 7, 8, 38, free=((border, 188), 80))
    canvas.line((border, 24), (border, 350), dash=DASH, width=1.4)
    start, end = (border, 268.0), (border, 108.0)
    radius = (start[1] - end[1]) / 2
    canvas.arc((border, 188), radius, -90, 90, width=2.2)
    tip = on_circle((border, 188), radius, 8)
    canvas.arrow_head((tip[0] + 1.5, tip[1] + 12), tip, 13)
    canvas.line((border - 34, start[1]), start, width=2.2)
    canvas.dot((border - 40, start[1]), 5.5)
    canvas.label("+q", (border - 40, start[1]), "s", gap=12)
    canvas.line(end, (border - 46, end[1]), width=2.2)
    canvas.arrow_head(end, (border - 50, end[1]), 13)
    canvas.label("P", start, "se", gap=10, patch=True)
    canvas.label("Q", end, "ne", gap=10, patch=True)
    canvas.spot("field", 362, 352, 112, 26)
    canvas.spot("speed", 6, 214, 124, 26, ((38.0, 250.0), (96.0, 250.0)))
    return canvas.finish()


def rod_on_rails() -> Drawing:
    """A rod pulled over rails closed by a resistor, in a field into the page; values are left to marks."""
    canvas = Canvas("magnetic-field", 560, 360)
    left, right, top, bottom = 96.0, 478.0, 84.0, 256.0
    crosses(canvas, left + 36, top + 30, 8, 4, 38)
    canvas.line((right, top), (left, top), (left, bottom), (right, bottom), width=2.2)
    resistor(canvas, (left, (top + bottom) / 2), "R", upright=True, side="w")
    rod = 342.0
    canvas.rect(rod - 5, top - 14, 10, bottom - top + 28, fill=PALE)
    canvas.label("a", (rod, top - 14), "n", gap=7)
    canvas.label("b", (rod, bottom + 14), "s", gap=7)
    canvas.dimension((right + 26, top), (right + 26, bottom), "L")
    canvas.spot("resistance", 4, 204, 78, 26)
    canvas.spot("field", 150, 272, 110, 28)
    canvas.spot("length", right + 34, 120, 46, 26)
    canvas.spot("speed", 366, 290, 92, 26, ((360.0, 278.0), (440.0, 278.0)))
    return canvas.finish()


def electrolysis(anode: str, cathode: str, solution: str, *, marks: bool = True) -> Drawing:
    """A beaker with two electrodes at a source; current and time may be left to marks."""
    canvas = Canvas("electrolysis-cell", 460, 390)
    left, right, top, bottom = 100.0, 360.0, 170.0, 352.0
    canvas.rect(left + 2, 216, right - left - 4, bottom - 218, width=0, fill=PALE)
    canvas.line((left, top), (left, bottom), (right, bottom), (right, top), width=THICK)
    canvas.line((left, 216), (right, 216), width=THIN)
    canvas.line((170, 150), (170, 62), (290, 62), (290, 150))
    battery(canvas, (230, 62), 1)
    for x, name, side in ((170.0, anode, "w"), (290.0, cathode, "e")):
        canvas.rect(x - 8, 146, 16, 168, fill="#bdbdbd")
        canvas.label(name, (x - 8 if side == "w" else x + 8, 196), side, gap=7)
    canvas.label("+", (170, 62), "nw", gap=10)
    canvas.label("-", (290, 62), "ne", gap=10)
    canvas.label(solution, (230, 332))
    if marks:
        canvas.spot("current", 330, 76, 104, 28)
        canvas.spot("time", 330, 112, 104, 28)
    return canvas.finish()


def galvanic_cell(left: tuple[str, str], right: tuple[str, str]) -> Drawing:
    """Two half cells (metal, solution) joined by a salt bridge and a galvanometer."""
    canvas = Canvas("galvanic-cell", 540, 370)
    for x, (metal, solution) in ((60.0, left), (320.0, right)):
        canvas.rect(x + 2, 222, 156, 112, width=0, fill=PALE)
        canvas.line((x, 178), (x, 336), (x + 160, 336), (x + 160, 178), width=THICK)
        canvas.line((x, 222), (x + 160, 222), width=THIN)
        bar = x + 44 if x < 200 else x + 116
        canvas.rect(bar - 9, 140, 18, 160, fill="#bdbdbd")
        canvas.label(metal, (bar - 9 if x < 200 else bar + 9, 162), "w" if x < 200 else "e", gap=8)
        canvas.label(solution, (x + (102 if x < 200 else 58), 318))
    canvas.line((104, 140), (104, 56), (436, 56), (436, 140))
    canvas.circle((270, 56), 20, fill=WHITE)
    canvas.label(r"\mathrm{G}", (270, 56))
    outer = [(176.0, 282.0), (176.0, 150.0), (364.0, 150.0), (364.0, 282.0)]
    canvas.path("M176 284 L176 160 Q176 144 192 144 L348 144 Q364 144 364 160 L364 284", width=17)
    canvas.path(
        "M176 284 L176 160 Q176 144 192 144 L348 144 Q364 144 364 160 L364 284", width=13.5, colour=WHITE
    )
    canvas.label(r"\mathrm{KNO_3}", between(outer[1], outer[2]), "n", gap=18)
    return canvas.finish()
