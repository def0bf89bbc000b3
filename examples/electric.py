"""More diagrams of electricity: point charges, deflecting plates, transformers, bridges."""

from __future__ import annotations

from benchwright.examples.canvas import DASH, PALE, THIN, Canvas, Drawing, Point
from benchwright.examples.circuits import battery, meter, ohms
from benchwright.examples.problem import qty


def two_charges(ratio: int, distance: float) -> Drawing:
    """Charges of `ratio` q and q at A and B on a line, with their distance."""
    canvas = Canvas("charges", 520, 200)
    a, b = (90.0, 80.0), (430.0, 80.0)
    canvas.line((a[0] + 18, a[1]), (b[0] - 18, b[1]), width=THIN, dash=DASH)
    for name, at, tex in (("A", a, f"+{ratio}q"), ("B", b, "+q")):
        canvas.circle(at, 17, fill=PALE)
        canvas.label("+", at)
        canvas.label(name, at, "n", gap=24)
        canvas.label(tex, (at[0] + (-22 if name == "A" else 22), at[1]), "w" if name == "A" else "e", gap=4)
    canvas.dimension((a[0], 146), (b[0], 146), qty(distance, "cm"))
    return canvas.finish()


def deflection(length: float, gap: float) -> Drawing:
    """Electrons accelerated by U1, then deflected between two plates at U2, whose size is written."""
    canvas = Canvas("deflection", 560, 330)
    axis = 160.0
    canvas.line((60, 110), (60, 210), width=3)
    for y0, y1 in ((110.0, axis - 9), (axis + 9, 210.0)):
        canvas.line((150, y0), (150, y1), width=3)
    canvas.label("-", (60, 110), "w", gap=9)
    canvas.label("+", (150, 110), "e", gap=9)
    left, right, top, bottom = 230.0, 430.0, 112.0, 208.0
    for y in (top, bottom):
        canvas.line((left, y), (right, y), width=4)
    canvas.label("+", (left, top), "w", gap=9)
    canvas.label("-", (left, bottom), "w", gap=9)
    canvas.line((66, axis), (470, axis), width=0.9, dash=(10, 4, 2, 4))
    path: list[Point] = [(60.0, axis), (left, axis)]
    path += [(left + 200 * t, axis - 30 * t * t) for t in (i / 20 for i in range(1, 21))]
    canvas.line(*path, (490, axis - 48), width=2)
    canvas.arrow_head((right, axis - 30), (490, axis - 48), 12)
    canvas.label("y", (452, axis - 18), "e", gap=6)
    canvas.arrow((444, axis - 1), (444, axis - 33), width=1, head=7)
    canvas.dimension((left, 244), (right, 244), qty(length, "cm"))
    canvas.dimension((392, top), (392, bottom), "", ticks=False)
    canvas.label(qty(gap, "cm"), (392, 188), "w", gap=8)
    canvas.spot("first", 54, 56, 114, 28)
    canvas.spot("second", 268, 66, 116, 28)
    return canvas.finish()


def transformer(first: int, second: int) -> Drawing:
    """A transformer with the turns of both windings, a source at the left and a resistor at the right."""
    canvas = Canvas("transformer", 540, 330)
    canvas.rect(180, 60, 180, 210, fill=PALE)
    canvas.rect(224, 104, 92, 122, fill="#ffffff")
    for x, turns, end in ((180.0, 6, 70.0), (316.0, 4, 470.0)):
        step = 108 / turns
        for i in range(turns):
            y = 118 + step * i
            canvas.line((x - 8, y + step * 0.3), (x + 52, y), width=2)
        near = x - 8 if end < 200 else x + 52
        ends = (
            (118 + step * 0.3, 118 + step * (turns - 1)) if end < 200 else (118.0, 118 + step * (turns - 1))
        )
        low = ends[1] + step * 0.3 if end < 200 else ends[1]
        canvas.line((near, ends[0]), (end, ends[0]))
        canvas.line((near, low), (end, low))
    canvas.label(rf"n_1={first}", (180, 60), "n", gap=10)
    canvas.label(rf"n_2={second}", (360, 60), "n", gap=10)
    canvas.circle((70, 160), 18, fill="#ffffff")
    canvas.line((70, 123.4), (70, 142))
    canvas.line((70, 178), (70, 213.4))
    canvas.curve([(61, 160), (65.5, 153), (70, 160), (74.5, 167), (79, 160)], width=1.4)
    canvas.label("U_1", (52, 160), "w", gap=6)
    canvas.line((470, 118), (470, 199))
    canvas.rect(460, 134, 20, 50, fill="#ffffff")
    canvas.label("R", (480, 159), "e", gap=8)
    return canvas.finish()


def bridge(r1: float, r2: float, r3: float) -> Drawing:
    """A Wheatstone bridge with three known resistors, an unknown one and a galvanometer."""
    canvas = Canvas("circuit", 520, 390)
    left, top, right, bottom = (100.0, 170.0), (260.0, 60.0), (420.0, 170.0), (260.0, 280.0)
    for p, r in ((left, top), (top, right), (left, bottom), (bottom, right)):
        canvas.line(p, r)
    for p, r, tex, side in (
        (left, top, rf"R_1={ohms(r1)}", "nw"),
        (top, right, rf"R_2={ohms(r2)}", "ne"),
        (left, bottom, rf"R_3={ohms(r3)}", "sw"),
        (bottom, right, "R_x", "se"),
    ):
        x, y = (p[0] + r[0]) / 2, (p[1] + r[1]) / 2
        dx, dy = (r[0] - p[0]) / 194.2, (r[1] - p[1]) / 194.2
        corners = [
            (x + dx * a - dy * b, y + dy * a + dx * b)
            for a, b in ((-28, -10), (28, -10), (28, 10), (-28, 10))
        ]
        canvas.line(*corners, closed=True, fill="#ffffff")
        canvas.label(tex, (x, y), side, gap=22)
    canvas.line(top, bottom)
    meter(canvas, (260, 170), "G")
    canvas.line(left, (60, 170), (60, 350), (460, 350), (460, 170), right)
    battery(canvas, (260, 350))
    for point in (left, top, right, bottom):
        canvas.dot(point, 3.4)
    return canvas.finish()
