"""Laboratory apparatus: heating a solid and catching a gas, titration, osmosis."""

from __future__ import annotations

from benchwright.examples.canvas import PALE, THICK, THIN, Canvas, Drawing, Point

WATER = "#e3e9ee"


def _flame(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    canvas.rect(x - 26, y - 34, 52, 34, r=8, fill="#ffffff")
    canvas.rect(x - 7, y - 46, 14, 12, fill=PALE)
    canvas.curve(
        [(x, y - 46), (x - 9, y - 58), (x - 4, y - 70), (x, y - 84), (x + 5, y - 70), (x + 9, y - 58)],
        closed=True,
        width=1.4,
        fill="#ffffff",
    )


def _stand(canvas: Canvas, x: float, clamp: float, reach: float, bottom: float) -> None:
    canvas.rect(x - 3, 44, 6, bottom - 44, fill=PALE, width=1.3)
    canvas.rect(x - 44, bottom, 88, 9, fill=PALE, width=1.3)
    canvas.line((x, clamp), (x + reach, clamp), width=4)
    canvas.rect(x + reach - 5, clamp - 17, 10, 34, fill="#bdbdbd", width=1.3)


def heated_solid(collection: str) -> Drawing:
    """A solid heated in a tilted test tube; the gas is caught over water or in an inverted tube.

    Args:
        collection: "water", or "inverted" for a tube held mouth down in the air.
    """
    canvas = Canvas("apparatus", 560, 340)
    _stand(canvas, 60, 108, 62, 290)
    # The mouth of the tube lies a little lower than its closed end, so that water cannot run back.
    canvas.line((82, 94), (246, 112), (243, 138), (84, 120), closed=True, fill="#ffffff")
    canvas.circle((83, 107), 13, fill="#ffffff")
    canvas.line((82, 94), (246, 112), (243, 138), (84, 120), closed=True, fill="#ffffff", width=0)
    canvas.line((82, 94), (246, 112))
    canvas.line((84, 120), (243, 138))
    canvas.path("M84 120 Q92 104 106 118 Q118 110 132 123 Q140 120 148 127 Z", fill="#9a9a9a", width=1.2)
    canvas.line((238, 108), (254, 110), (251, 141), (235, 139), closed=True, fill="#bdbdbd")
    canvas.rect(117, 90, 10, 40, fill="#bdbdbd", width=1.3)
    _flame(canvas, (122, 290))
    canvas.line((52, 290), (200, 290), width=THIN)
    (_over_water if collection == "water" else _inverted_tube)(canvas)
    return canvas.finish()


def _tube(canvas: Canvas, *points: Point) -> None:
    """A glass tube along points, drawn as two walls."""
    commands = "M" + " L".join(f"{x:g} {y:g}" for x, y in points)
    canvas.path(commands, width=8.4)
    canvas.path(commands, width=5.6, colour="#ffffff")


def _over_water(canvas: Canvas) -> None:
    left, right, top, bottom = 330.0, 520.0, 196.0, 300.0
    canvas.rect(left, 220, right - left, bottom - 220, width=0, fill=WATER)
    canvas.line((left, 220), (right, 220), width=THIN)
    canvas.line((left, top), (left, bottom), (right, bottom), (right, top), width=THICK)
    canvas.path("M410 268 L410 112 Q410 92 430 92 L446 92 Q466 92 466 112 L466 268", fill="#ffffff")
    canvas.rect(411, 168, 54, 98, width=0, fill=WATER)
    canvas.line((411, 168), (465, 168), width=THIN)
    canvas.line((400, 220), (409, 220), width=THIN)
    _tube(canvas, (250, 126), (300, 131), (300, 278), (436, 278), (436, 250))
    for x, y, r in ((436, 238, 4), (441, 222, 3.4), (432, 206, 3.8), (438, 190, 3)):
        canvas.circle((x, y), r, width=1.2, fill="#ffffff")


def _inverted_tube(canvas: Canvas) -> None:
    canvas.path("M404 250 L404 92 Q404 70 426 70 L438 70 Q460 70 460 92 L460 250", fill="#ffffff")
    _tube(canvas, (250, 126), (300, 131), (300, 276), (432, 276), (432, 104))
    canvas.path("M406 250 Q416 236 424 248 Q432 258 440 247 Q450 238 458 250 Z", fill="#d0d0d0", width=1.2)
    _tube(canvas, (432, 276), (432, 232))


def titration() -> Drawing:
    """A burette over a conical flask; concentration and sample volume are left to marks."""
    canvas = Canvas("apparatus", 420, 430)
    canvas.rect(92, 30, 7, 366, fill=PALE, width=1.3)
    canvas.rect(62, 396, 230, 10, fill=PALE, width=1.3)
    canvas.line((99, 96), (192, 96), width=4)
    canvas.rect(190, 26, 22, 196, width=0, fill="#ffffff")
    canvas.rect(190, 70, 22, 152, width=0, fill=WATER)
    canvas.line((190, 22), (190, 222), (197, 234), (197, 252))
    canvas.line((212, 22), (212, 222), (205, 234), (205, 252))
    canvas.line((191, 70), (211, 70), width=THIN)
    for i in range(1, 20):
        y = 30 + 9.6 * i
        canvas.line((212, y), (205 if i % 5 else 200, y), width=0.9)
    canvas.rect(185, 84, 32, 24, fill="#bdbdbd", width=1.3)
    canvas.circle((201, 258), 8, fill="#ffffff")
    canvas.line((186, 258), (216, 258), width=3.4)
    canvas.line((198, 266), (200, 292), (202, 292), (204, 266), closed=True, fill="#ffffff", width=1.4)
    canvas.circle((201, 300), 2.2, width=0, fill="#141414")
    canvas.line((168, 362), (236, 362), (250, 390), (154, 390), closed=True, fill=WATER, width=0)
    canvas.line((186, 282), (186, 322), (150, 388))
    canvas.line((216, 282), (216, 322), (252, 388))
    canvas.line((150, 388), (154, 393), (248, 393), (252, 388))
    canvas.line((168, 360), (234, 360), width=THIN)
    canvas.spot("titrant", 230, 120, 172, 30)
    canvas.spot("sample", 266, 352, 124, 30)
    return canvas.finish()


def osmosis_tube(left_tex: str, right_tex: str) -> Drawing:
    """A U-tube with a membrane at its foot and two solutions at the same level."""
    canvas = Canvas("apparatus", 420, 350)
    outer = "M110 46 L110 220 Q110 300 190 300 L230 300 Q310 300 310 220 L310 46"
    inner = "M160 46 L160 214 Q160 250 196 250 L224 250 Q260 250 260 214 L260 46"
    fluid = (
        "M110 130 L110 220 Q110 300 190 300 L230 300 Q310 300 310 220 L310 130 L260 130 L260 214 Q260 250 "
        "224 250 L196 250 Q160 250 160 214 L160 130 Z"
    )
    canvas.path(fluid, width=0, fill=WATER)
    canvas.path(outer, width=2.2)
    canvas.path(inner, width=2.2)
    for x0 in (110.0, 260.0):
        canvas.line((x0, 130), (x0 + 50, 130), width=THIN)
    canvas.line((210, 251), (210, 299), dash=(4, 3), width=3)
    canvas.label("M", (210, 300), "s", gap=9)
    canvas.label(left_tex, (110, 190), "w", gap=12)
    canvas.label(right_tex, (310, 190), "e", gap=12)
    return canvas.finish()
