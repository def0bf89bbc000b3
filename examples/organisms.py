"""Parts of living things with numbers: membranes, flowers, leaves, hearts, reflex arcs, microscopes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright.examples.canvas import (
    DASH,
    GREY,
    PALE,
    THICK,
    Canvas,
    Drawing,
    Point,
    between,
)

SHADE = "#bdbdbd"


def _numbers(canvas: Canvas, ends: Sequence[tuple[Point, Point, str]]) -> None:
    """Leader lines from a part to its number, counted from 1."""
    for number, (part, place, side) in enumerate(ends, start=1):
        canvas.line(part, place, width=1.3)
        canvas.dot(part, 2.4)
        canvas.label(str(number), place, side, gap=7, size=20)


def membrane() -> Drawing:
    """Four ways across a membrane: through the layer, through a channel, against the gradient, in a vesicle."""
    canvas = Canvas("membrane", 560, 320)
    for i in range(34):
        x = 30 + 15.2 * i
        if abs(x - 214) < 16 or abs(x - 342) < 20 or abs(x - 460) < 34:
            continue
        for y, sign in ((136.0, 1), (188.0, -1)):
            canvas.circle((x, y), 5.5, width=1.1, fill=PALE)
            canvas.line((x - 2, y + 5.5 * sign), (x - 2, y + 22 * sign), width=0.8)
            canvas.line((x + 2, y + 5.5 * sign), (x + 2, y + 22 * sign), width=0.8)
    for x in (200.0, 228.0):
        canvas.rect(x - 7, 126, 14, 72, r=6, fill=SHADE)
    canvas.rect(324, 126, 36, 72, r=14, fill=SHADE)
    canvas.path("M426 136 Q430 196 460 200 Q490 196 494 136", width=5, colour=GREY)
    for x, top, bottom in ((96.0, 7, 2), (214.0, 7, 2), (342.0, 2, 7), (460.0, 0, 0)):
        for count, y in ((top, 76.0), (bottom, 246.0)):
            for k in range(count):
                canvas.circle(
                    (
                        x - 34 + 23 * (k % 4) - (0 if k < 4 else -11),
                        y - 11 * (k // 4) * (1 if y < 100 else -1),
                    ),
                    4,
                    width=1,
                    fill="#ffffff",
                )
    canvas.circle((460, 170), 13, width=1.2, fill="#ffffff")
    canvas.arrow((96, 92), (96, 230), width=2)
    canvas.arrow((214, 92), (214, 230), width=2)
    canvas.arrow((342, 232), (342, 92), width=2)
    canvas.arrow((460, 92), (460, 140), width=2)
    canvas.label(r"\mathrm{ATP}", (366, 216), "e", gap=4, size=15)
    for i, x in enumerate((96.0, 214.0, 342.0, 460.0), 1):
        canvas.label(str(i), (x, 30), size=20)
    return canvas.finish()


def flower() -> Drawing:
    """A flower cut open with numbers: anther, stigma, petal, ovary, sepal."""
    canvas = Canvas("flower", 540, 380)
    for sign in (-1, 1):
        x = 270.0
        petal = [
            (x + 20 * sign, 262.0),
            (x + 90 * sign, 222.0),
            (x + 150 * sign, 120.0),
            (x + 120 * sign, 70.0),
            (x + 70 * sign, 130.0),
            (x + 26 * sign, 250.0),
        ]
        canvas.curve(petal, closed=True, fill="#ffffff")
        canvas.curve(
            [
                (x + 16 * sign, 276),
                (x + 64 * sign, 268),
                (x + 104 * sign, 236),
                (x + 60 * sign, 254),
                (x + 18 * sign, 268),
            ],
            closed=True,
            fill=SHADE,
            width=1.3,
        )
        canvas.curve([(x + 14 * sign, 258), (x + 34 * sign, 190), (x + 48 * sign, 120)], width=2)
        canvas.circle((x + 49 * sign, 110), 8, squash=1.7, fill=PALE)
    canvas.circle((270, 232), 22, squash=1.3, fill=PALE)
    for y in (222.0, 234.0, 246.0):
        canvas.circle((270, y), 4, width=1, fill="#ffffff")
    canvas.line((266, 204), (266, 96))
    canvas.line((274, 204), (274, 96))
    canvas.circle((270, 92), 13, squash=0.6, fill=PALE)
    canvas.path("M262 262 L262 352 L278 352 L278 262 Q270 274 262 262 Z", fill="#ffffff")
    _numbers(
        canvas,
        [
            ((220, 108), (92, 60), "w"),
            ((270, 90), (270, 40), "n"),
            ((396, 110), (470, 76), "e"),
            ((286, 238), (470, 180), "e"),
            ((190, 256), (92, 292), "w"),
        ],
    )
    return canvas.finish()


def leaf_section() -> Drawing:
    """A section of a leaf with numbers: upper epidermis, palisade layer, spongy layer, stoma, vein."""
    canvas = Canvas("leaf-section", 540, 370)
    left, wide = 70.0, 380.0
    for i in range(8):
        canvas.rect(left + wide * i / 8, 44, wide / 8, 24, fill="#ffffff", width=1.3)
    for i in range(16):
        x = left + wide * i / 16
        canvas.rect(x + 1.5, 70, wide / 16 - 3, 82, r=8, fill=PALE, width=1.3)
        for y in (86.0, 106.0, 126.0):
            canvas.circle((x + 7, y), 3, width=0.8, fill=SHADE)
            canvas.circle((x + 17, y + 8), 3, width=0.8, fill=SHADE)
    for row, y in enumerate((178.0, 212.0, 246.0)):
        for i in range(9):
            x = left + 24 + 42 * i + (14 if row % 2 else 0)
            if x < left + wide - 16 and not (row < 2 and 216 < x < 300):
                canvas.circle((x, y), 15, squash=0.86, width=1.2, fill="#ffffff")
                canvas.circle((x - 5, y - 3), 2.6, width=0.8, fill=SHADE)
    canvas.circle((258, 194), 30, fill="#ffffff")
    for dx, dy in ((-11, -8), (6, -10), (-3, 6), (12, 5)):
        canvas.circle((258 + dx, 194 + dy), 7, width=1.2, fill=SHADE)
    for i in range(8):
        if i != 5:
            canvas.rect(left + wide * i / 8, 270, wide / 8, 24, fill="#ffffff", width=1.3)
    for x in (left + wide * 5 / 8 + 9, left + wide * 6 / 8 - 9):
        canvas.circle((x, 282), 9, squash=1.2, fill=SHADE, width=1.3)
    _numbers(
        canvas,
        [
            ((92, 56), (36, 30), "w"),
            ((440, 110), (490, 92), "e"),
            ((430, 212), (490, 206), "e"),
            ((left + wide * 5.5 / 8, 284), (331, 336), "s"),
            ((240, 210), (120, 336), "s"),
        ],
    )
    return canvas.finish()


def reflex_arc() -> Drawing:
    """A reflex arc with numbers: receptor in the skin, sensory fibre, cord, motor fibre, muscle."""
    canvas = Canvas("reflex-arc", 560, 350)
    canvas.circle((390, 150), 96, squash=0.82, fill="#ffffff")
    canvas.path(
        "M390 106 Q350 78 344 108 Q352 140 372 150 Q346 164 346 196 Q374 214 390 176 Q406 214 434 196 "
        "Q434 164 408 150 Q428 140 436 108 Q430 78 390 106 Z",
        fill=PALE,
        width=1.4,
    )
    canvas.circle((240, 74), 16, squash=0.8, fill=SHADE, width=1.3)
    canvas.curve([(84, 84), (150, 60), (240, 74), (310, 86), (356, 110)], width=2.2)
    canvas.curve([(360, 116), (366, 150), (358, 182)], width=1.8)
    canvas.curve([(354, 186), (300, 236), (200, 262), (128, 262)], width=2.2)
    for x, y in ((357, 112), (359, 182)):
        canvas.dot((x, y), 4.5)
    canvas.arrow_head((160, 60), (190, 62), 12)
    canvas.arrow_head((240, 252), (206, 261), 12)
    canvas.rect(40, 52, 44, 62, fill=PALE)
    for dy in (0, 14, 28):
        canvas.line((84, 70 + dy), (96, 74 + dy * 0.5), width=1.2)
    canvas.curve(
        [(40, 262), (76, 238), (128, 250), (136, 262), (128, 276), (76, 288)], closed=True, fill=SHADE
    )
    _numbers(
        canvas,
        [
            ((62, 96), (62, 152), "s"),
            ((140, 63), (140, 28), "n"),
            ((388, 130), (500, 60), "e"),
            ((280, 243), (300, 304), "s"),
            ((84, 266), (84, 318), "s"),
        ],
    )
    return canvas.finish()


def heart() -> Drawing:
    """A heart from the front, as a scheme: four chambers with numbers, the left of the body at the right."""
    canvas = Canvas("heart", 520, 400)
    canvas.path("M150 110 Q110 200 170 300 Q220 370 290 376 Q390 330 392 210 Q392 140 366 110 Z", fill=SHADE)
    canvas.path("M164 122 Q146 154 158 190 L236 190 L236 122 Z", fill="#ffffff", width=1.4)
    canvas.path("M282 122 L282 190 L364 190 Q368 150 354 122 Z", fill="#ffffff", width=1.4)
    canvas.path("M160 204 Q164 270 206 314 Q226 330 240 334 Q232 260 236 204 Z", fill="#ffffff", width=1.4)
    canvas.path("M280 204 L352 204 Q350 270 306 322 Q284 290 280 204 Z", fill="#ffffff", width=1.4)
    for x in (194.0, 314.0):
        canvas.line((x - 12, 190), (x, 204), width=2)
        canvas.line((x + 12, 190), (x, 204), width=2)
    canvas.path("M180 116 L180 46 M208 116 L208 46", width=2)
    canvas.path("M310 116 L310 66 L410 66 M338 116 L338 92 L410 92", width=2)
    for tex, at in (("1", (198, 154)), ("2", (324, 154)), ("3", (200, 258)), ("4", (312, 256))):
        canvas.label(tex, at, size=22)
    return canvas.finish()


def microscope() -> Drawing:
    """A light microscope with numbers: eyepiece, objective, stage, mirror, focusing knob."""
    canvas = Canvas("microscope", 500, 400)
    canvas.rect(170, 362, 190, 18, r=4, fill=SHADE)
    canvas.path("M318 362 L318 250 Q372 180 306 110 L286 126 Q336 186 290 244 L290 362 Z", fill=PALE)
    canvas.rect(228, 72, 36, 120, fill="#ffffff")
    canvas.rect(233, 40, 26, 34, fill=SHADE)
    canvas.line((264, 118), (292, 118), (292, 138), (264, 138), closed=True, fill=PALE)
    canvas.line((218, 192), (274, 192), (262, 206), (230, 206), closed=True, fill=SHADE)
    canvas.rect(236, 206, 20, 36, fill=SHADE)
    canvas.rect(178, 254, 134, 10, fill="#ffffff")
    canvas.circle((344, 196), 15, fill=SHADE)
    canvas.path("M218 330 Q246 352 274 316 Z", fill="#ffffff")
    canvas.line((246, 338), (246, 362), width=3)
    _numbers(
        canvas,
        [
            ((246, 52), (140, 40), "w"),
            ((246, 226), (120, 206), "w"),
            ((190, 259), (110, 268), "w"),
            ((236, 334), (120, 334), "w"),
            ((346, 196), (426, 180), "e"),
        ],
    )
    return canvas.finish()


def field_of_view(cells: int) -> Drawing:
    """A row of cells across the round field of a microscope."""
    canvas = Canvas("field-of-view", 500, 330)
    centre: Point = (250.0, 165.0)
    canvas.circle(centre, 140, width=THICK)
    step = 280 / cells
    for i in range(cells):
        x = 110 + step * i
        high = min(46.0, step * 1.1)
        canvas.rect(x + 1, 165 - high / 2, step - 2, high, r=min(6.0, step / 4), width=1.3, fill=PALE)
        canvas.circle((x + step / 2, 165), step * 0.13, width=1, fill=SHADE)
    return canvas.finish()


def karyogram(pairs: int, extra: int) -> Drawing:
    """Chromosomes ordered in numbered groups of two, one group with an extra one."""
    canvas = Canvas("karyogram", 560, 300)
    rows = 2
    columns = -(-pairs // rows)
    for i in range(pairs):
        x = 30 + 500 / columns * (i % columns + 0.5)
        foot = 136.0 + 130 * (i // columns)
        count = 3 if i + 1 == extra else 2
        high = 96.0 - 62 * i / pairs
        for k in range(count):
            cx = x + 17 * (k - (count - 1) / 2)
            waist = foot - high * (0.55 if i % 2 else 0.7)
            canvas.rect(cx - 5, foot - high, 10, waist - foot + high - 2, r=5, fill=SHADE, width=1.2)
            canvas.rect(cx - 5, waist + 2, 10, foot - waist - 2, r=5, fill=SHADE, width=1.2)
        canvas.label(str(i + 1), (x, foot), "s", gap=8, size=16)
    return canvas.finish()


def linkage_map(first: float, second: float) -> Drawing:
    """Three genes on a chromosome with the distances between neighbours, to scale."""
    canvas = Canvas("linkage-map", 540, 190)
    scale = 360 / (first + second)
    xs = [90.0, 90 + first * scale, 450.0]
    canvas.rect(40, 66, 460, 18, r=9, fill=PALE)
    for x, name in zip(xs, "abc", strict=True):
        canvas.line((x, 60), (x, 90), width=THICK)
        canvas.label(name, (x, 58), "n", gap=7)
    for p, r, value in ((xs[0], xs[1], first), (xs[1], xs[2], second)):
        canvas.dimension((p, 122), (r, 122), rf"{value:g}")
    canvas.label(r"\mathrm{cM}", (500, 122))
    return canvas.finish()


def peptide(acids: int) -> Drawing:
    """A chain of amino acids as beads; their mean mass is left to a mark."""
    canvas = Canvas("peptide", 540, 220)
    step = min(54.0, 440 / (acids - 1))
    left = 270 - step * (acids - 1) / 2
    at = [(left + step * i, 110 + (14 if i % 2 else -14)) for i in range(acids)]
    canvas.line(*at, width=2.2)
    for x, y in at:
        canvas.circle((x, y), min(19.0, step * 0.38), fill=PALE)
    canvas.label(r"\mathrm{H_2N}", (at[0][0] - 20, at[0][1]), "w", gap=4, size=15)
    canvas.label(
        r"\mathrm{COOH}",
        (at[-1][0], at[-1][1] + (22 if acids % 2 == 0 else -22)),
        "s" if acids % 2 == 0 else "n",
        gap=4,
        size=15,
    )
    canvas.spot("mass", 210, 168, 130, 30)
    return canvas.finish()


def key_tree(names: Mapping[str, str]) -> Drawing:
    """A key with the questions a, b, c: plus to the left, minus to the right, four names at the ends."""
    canvas = Canvas("identification-key", 520, 340)
    places = {"a": (260.0, 50.0), "b": (150.0, 150.0), "c": (370.0, 150.0)}
    ends = {"b+": (90.0, 270.0), "b-": (210.0, 270.0), "c+": (310.0, 270.0), "c-": (430.0, 270.0)}
    lines = [("a", places["b"], "+"), ("a", places["c"], "-")]
    lines += [(name[0], end, name[1]) for name, end in ends.items()]
    for start, end, sign in lines:
        p = places[start]
        canvas.line(p, end, width=1.8)
        x, y = between(p, end)
        canvas.label(sign, (x + (-14 if sign == "+" else 14), y - 6))
    for name, at in places.items():
        canvas.circle(at, 20, fill=PALE)
        canvas.label(name, at)
    for name, at in ends.items():
        canvas.rect(at[0] - 22, at[1] - 4, 44, 40, r=6, fill="#ffffff")
        canvas.label(names[name], (at[0], at[1] + 16))
    return canvas.finish()


def strata(order: Sequence[str]) -> Drawing:
    """Three layers of rock (lowest first), a dyke that cuts the two lower ones: names in the order given, dyke last."""
    canvas = Canvas("strata", 540, 340)
    low, middle, dyke, top = order
    edges = [300.0, 214.0, 128.0, 50.0]
    waves = [[(40 + 46 * i, y + (6 if i % 2 else -6)) for i in range(11)] for y in edges]
    for below, above, fill in zip(waves, waves[1:], ("#dcdcdc", PALE, "#ffffff"), strict=False):
        canvas.line(*below, *reversed(above), closed=True, fill=fill, width=0)
    for wave in waves:
        canvas.curve(wave, width=1.6)
    canvas.line((300, 298), (330, 132), (372, 134), (352, 304), closed=True, fill=GREY, width=1.4)
    for name, at in ((low, (130, 258)), (middle, (130, 172)), (top, (130, 90))):
        canvas.label(name, at, size=22)
    canvas.label(dyke, (446, 258), size=22)
    canvas.line((348, 258), (430, 258), width=1.2, dash=DASH)
    return canvas.finish()


def sample_plots(counts: Sequence[int]) -> Drawing:
    """Square sample plots with one dot a plant; the whole area is left to a mark."""
    canvas = Canvas("sample-plots", 560, 230)
    step = 520 / len(counts)
    side = min(112.0, step - 14)
    for i, count in enumerate(counts):
        x, y = 20 + step * i + (step - side) / 2, 26.0
        canvas.rect(x, y, side, side)
        for k in range(count):
            cell = (5 * k + 3 * i) % 16
            fx, fy = (cell % 4 + 0.5) / 4, (cell // 4 + 0.5) / 4
            wobble = (7 * (k * k + i) % 5 - 2) * 2.2
            canvas.dot((x + 6 + (side - 12) * fx + wobble, y + 6 + (side - 12) * fy - wobble), 3.6)
    canvas.label(r"1\ \mathrm{m^2}", (20 + step / 2, 26 + side), "s", gap=10, size=16)
    canvas.spot("area", 330, 172, 150, 30)
    return canvas.finish()


def energy_pyramid(energies: Sequence[int]) -> Drawing:
    """Steps of a pyramid with their energies, producers at the foot."""
    canvas = Canvas("energy-pyramid", 520, 66 * len(energies) + 60)
    foot = canvas.height - 30
    for i, energy in enumerate(energies):
        wide = 430 * 0.72**i
        canvas.rect(260 - wide / 2, foot - 66 * (i + 1), wide, 66, fill=PALE if i % 2 == 0 else "#ffffff")
        canvas.label(rf"{energy}", (260, foot - 66 * i - 33))
    canvas.label(r"E/(\mathrm{kJ\cdot m^{-2}})", (20, 30), "e", gap=2, size=15)
    return canvas.finish()
