"""More apparatus: distillation, chromatography, bottles, cells with membranes, nails in tubes."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright.examples.canvas import PALE, THICK, THIN, Canvas, Drawing, Point, between
from benchwright.examples.circuits import battery

WATER = "#e3e9ee"


def distillation() -> Drawing:
    """A distillation with numbered parts: flask, thermometer, upper and lower tube of the condenser, receiver."""
    canvas = Canvas("apparatus", 560, 370)
    canvas.line((60, 330), (180, 330), width=THIN)
    canvas.circle((120, 214), 46, fill="#ffffff")
    canvas.path("M77 226 Q120 240 163 226 Q160 258 120 260 Q80 258 77 226 Z", fill=WATER, width=1.2)
    canvas.rect(107, 96, 26, 76, fill="#ffffff", width=0)
    canvas.line((107, 90), (107, 171))
    canvas.line((133, 132), (133, 171))
    canvas.line((133, 90), (133, 114))
    canvas.rect(104, 80, 32, 16, fill="#bdbdbd", width=1.3)
    canvas.line((120, 44), (120, 120), width=4.6)
    canvas.line((120, 46), (120, 116), width=2.2, colour="#ffffff")
    canvas.dot((120, 122), 5)
    a, b = (133.0, 123.0), (430.0, 232.0)
    canvas.path(f"M{a[0]} {a[1]} L{b[0]} {b[1]}", width=15)
    canvas.path(f"M{a[0]} {a[1]} L{b[0]} {b[1]}", width=12, colour="#ffffff")
    p, r = between(a, b, 0.24), between(a, b, 0.82)
    canvas.path(f"M{p[0]:g} {p[1]:g} L{r[0]:g} {r[1]:g}", width=42)
    canvas.path(f"M{p[0]:g} {p[1]:g} L{r[0]:g} {r[1]:g}", width=38.6, colour=WATER)
    canvas.path(f"M{p[0]:g} {p[1]:g} L{r[0]:g} {r[1]:g}", width=15)
    canvas.path(f"M{p[0]:g} {p[1]:g} L{r[0]:g} {r[1]:g}", width=12, colour="#ffffff")
    upper, lower = between(a, b, 0.36), between(a, b, 0.72)
    for point, sign in ((upper, -1), (lower, 1)):
        for dx in (-5.0, 5.0):
            canvas.line((point[0] + dx, point[1] + 21 * sign), (point[0] + dx, point[1] + 52 * sign))
    canvas.path("M422 232 Q446 232 446 258", width=12)
    canvas.path("M420 231 Q446 232 446 260", width=9, colour="#ffffff")
    canvas.line((430, 268), (462, 268), (492, 336), (400, 336), closed=True, fill="#ffffff")
    canvas.rect(112, 268, 16, 58, fill=PALE)
    canvas.curve([(120, 268), (114, 262), (120, 256 + 6), (126, 262)], closed=True, width=1.2, fill="#ffffff")
    for tex, at in (
        ("1", (58, 214)),
        ("2", (120, 26)),
        ("3", (upper[0], upper[1] - 66)),
        ("4", (lower[0], lower[1] + 66)),
        ("5", (514, 306)),
    ):
        canvas.label(tex, at, size=20)
    canvas.line((68, 214), (76, 214), width=1.2)
    canvas.line((482, 306), (502, 306), width=1.2)
    return canvas.finish()


def chromatogram(front: float, spot: float) -> Drawing:
    """A paper chromatogram with the ways of the solvent and of a spot in cm, to scale."""
    canvas = Canvas("chromatogram", 500, 390)
    scale = 270 / front
    base = 350.0
    canvas.rect(150, 24, 120, 348, fill="#ffffff")
    top, y = base - front * scale, base - spot * scale
    canvas.line((150, base), (270, base), width=1.2)
    canvas.line((150, top), (270, top), width=1.2, dash=(6, 4))
    canvas.circle((210, base), 4, width=0, fill="#999999")
    canvas.circle((210, y), 13, squash=1.3, width=1.2, fill="#bbbbbb")
    for x, end, value in ((310.0, y, spot), (400.0, top, front)):
        canvas.line((276, end), (x + 8, end), width=0.8, dash=(4, 3))
        canvas.dimension((x, end), (x, base), rf"{value:g}\ \mathrm{{cm}}", ticks=False)
    canvas.line((276, base), (408, base), width=0.8, dash=(4, 3))
    return canvas.finish()


def bottle(lines: Sequence[str]) -> Drawing:
    """A bottle whose label carries lines of LaTeX."""
    canvas = Canvas("bottle-label", 500, 390)
    canvas.path(
        "M205 84 L205 54 L295 54 L295 84 Q350 100 350 140 L350 366 L150 366 L150 140 Q150 100 205 84 Z",
        fill=WATER,
    )
    canvas.rect(198, 26, 104, 30, r=4, fill="#bdbdbd")
    canvas.rect(162, 150, 176, 46 * len(lines) + 12, fill="#ffffff")
    for i, tex in enumerate(lines):
        canvas.label(tex, (250, 179 + 46 * i), size=17)
    return canvas.finish()


def fuel_cell(electrolyte: str) -> Drawing:
    """A hydrogen-oxygen cell with its electrolyte (LaTeX)."""
    canvas = Canvas("fuel-cell", 540, 350)
    canvas.rect(120, 120, 300, 190, width=THICK)
    for x in (210.0, 330.0):
        canvas.rect(x - 9, 96, 18, 196, fill="#bdbdbd")
    canvas.label(electrolyte, (270, 220))
    canvas.line((210, 96), (210, 48), (330, 48), (330, 96))
    canvas.circle((270, 48), 18, fill="#ffffff")
    for sign in (1, -1):
        canvas.line((270 - 12.7, 48 - 12.7 * sign), (270 + 12.7, 48 + 12.7 * sign))
    for x, tex, side, start in ((120.0, r"\mathrm{H_2}", "w", 50.0), (420.0, r"\mathrm{O_2}", "e", 490.0)):
        canvas.arrow((start, 260), (x + (30 if side == "w" else -30), 260), width=1.6)
        canvas.label(tex, (start, 260), side, gap=5)
    canvas.label("a", (195, 150), "w", gap=8)
    canvas.label("b", (345, 150), "e", gap=8)
    return canvas.finish()


def membrane_cell() -> Drawing:
    """An electrolytic cell for brine with a membrane that only cations pass."""
    canvas = Canvas("electrolysis-cell", 540, 380)
    left, right, top, bottom = 110.0, 430.0, 150.0, 340.0
    canvas.rect(left + 2, 186, right - left - 4, bottom - 188, width=0, fill=PALE)
    canvas.line((left, top), (left, bottom), (right, bottom), (right, top), width=THICK)
    canvas.line((left, 186), (right, 186), width=THIN)
    canvas.line((270, top), (270, bottom), dash=(5, 4), width=2.4)
    canvas.line((180, 132), (180, 56), (360, 56), (360, 132))
    battery(canvas, (270, 56), 1)
    for x in (180.0, 360.0):
        canvas.rect(x - 8, 130, 16, 160, fill="#bdbdbd")
    canvas.label("+", (180, 56), "nw", gap=10)
    canvas.label("-", (360, 56), "ne", gap=10)
    canvas.label("M", (270, bottom), "s", gap=9)
    canvas.label(r"\mathrm{NaCl}", (225, 316))
    canvas.label(r"\mathrm{H_2O}", (318, 316))
    return canvas.finish()


def nails(order: Sequence[str]) -> Drawing:
    """Four test tubes with nails: dry air, water and air, boiled water under oil, salt water and air."""
    canvas = Canvas("test-tubes", 540, 330)
    for i, kind in enumerate(order):
        x = 70.0 + 110 * i
        level = {"dry": 262.0, "oil": 120.0}.get(kind, 196.0)
        path = f"M{x} 50 L{x} 240 Q{x} 268 {x + 28} 268 Q{x + 56} 268 {x + 56} 240 L{x + 56} 50"
        if kind != "dry":
            canvas.path(
                f"M{x} {level} L{x} 240 Q{x} 268 {x + 28} 268 Q{x + 56} 268 {x + 56} 240 L{x + 56} {level} Z",
                fill=WATER,
                width=1,
            )
        else:
            for k in range(5):
                canvas.circle((x + 12 + 8 * k, 258 - abs(2 - k) * 3), 4, width=1, fill="#ffffff")
        if kind == "oil":
            canvas.rect(x + 1, level - 20, 54, 20, width=1, fill="#c9c9c9")
        if kind in {"dry", "oil"}:
            canvas.rect(x - 4, 36, 64, 18, fill="#bdbdbd", width=1.3)
        canvas.path(path, width=2)
        _nail(canvas, (x + 28, 150.0))
        if kind == "salt":
            canvas.label(r"\mathrm{NaCl}", (x + 28, 250), size=14)
        canvas.label(str(i + 1), (x + 28, 300), size=20)
    return canvas.finish()


def _nail(canvas: Canvas, top: Point) -> None:
    x, y = top
    canvas.line((x - 9, y), (x + 9, y), width=4)
    canvas.line((x - 3, y), (x, y + 82), (x + 3, y), closed=True, fill="#555555", width=1)
