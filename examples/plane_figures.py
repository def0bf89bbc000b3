"""More plane and solid figures: chords, tangential quadrilaterals, parallels, nets, pyramids, sections."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchwright.examples.canvas import DASH, PALE, THIN, Canvas, Drawing, Point, beside, between, on_circle
from benchwright.examples.geometry import fitted


def outside(canvas: Canvas, name: str, at: Point, centre: Point, distance: float = 16.0) -> None:
    """A name on the side of a point away from a centre."""
    length = math.dist(at, centre)
    x, y = at[0] + (at[0] - centre[0]) / length * distance, at[1] + (at[1] - centre[1]) / length * distance
    canvas.label(name, (x, y))


def crossing_chords(pa: float, pb: float, pc: float, turn: float = 62.0) -> Drawing:
    """Chords AB and CD that meet at P, to scale, with the lengths of PA, PB and PC."""
    pd = pa * pb / pc
    angle = math.radians(turn)
    mx = (pb - pa) / 2
    k = ((pd - pc) / 2 - mx * math.cos(angle)) / math.sin(angle)
    radius = math.hypot((pa + pb) / 2, k)
    plan = {
        "A": (-pa, 0.0),
        "B": (pb, 0.0),
        "C": (-pc * math.cos(angle), -pc * math.sin(angle)),
        "D": (pd * math.cos(angle), pd * math.sin(angle)),
        "P": (0.0, 0.0),
        "left": (mx - radius, k - radius),
        "right": (mx + radius, k + radius),
        "O": (mx, k),
    }
    at = fitted(plan, 440, 400, 46)
    canvas = Canvas("circle", 440, 400)
    canvas.circle(at["O"], (at["right"][0] - at["left"][0]) / 2)
    canvas.line(at["A"], at["B"])
    canvas.line(at["C"], at["D"])
    for name in "ABCD":
        outside(canvas, name, at[name], at["O"])
    canvas.label("P", at["P"], "nw", gap=11)
    for name, value, side in (("A", pa, 15), ("B", pb, 15), ("C", pc, -17)):
        canvas.label(f"{value:g}", beside(at["P"], at[name], -side if name == "A" else side))
    return canvas.finish()


def tangential(tangents: Sequence[float]) -> Drawing:
    """A quadrilateral ABCD around a circle from its four tangent lengths, with AB, BC and CD written."""
    low, high = 1e-6, 10 * max(tangents)
    for _ in range(80):
        radius = (low + high) / 2
        if sum(math.atan(radius / t) for t in tangents) < math.pi:
            low = radius
        else:
            high = radius
    # Seen from the centre, a side is the tangent angles of its two ends.
    angles = [math.atan(t / radius) for t in tangents]
    direction, plan = math.radians(-118.0), {}
    for i, name in enumerate("ABCD"):
        reach = radius / math.cos(angles[i])
        plan[name] = (reach * math.cos(direction), reach * math.sin(direction))
        direction += angles[i] + angles[(i + 1) % 4]
    at = fitted({**plan, "O": (0.0, 0.0), "R": (radius, 0.0)}, 440, 360, 50)
    canvas = Canvas("quadrilateral", 440, 360)
    canvas.line(*(at[n] for n in "ABCD"), closed=True)
    canvas.circle(at["O"], math.dist(at["O"], at["R"]))
    for name in "ABCD":
        outside(canvas, name, at[name], at["O"])
    for i, (a, b) in enumerate((("A", "B"), ("B", "C"), ("C", "D"))):
        canvas.label(f"{tangents[i] + tangents[(i + 1) % 4]:g}", beside(at[a], at[b], 17))
    return canvas.finish()


def extended_polygon(sides: int) -> Drawing:
    """A regular polygon whose sides AB and DC (with BC between them) are extended until they meet at P."""
    corners = [
        (
            math.cos(2 * math.pi * (i - 0.5) / sides + math.pi / 2),
            math.sin(2 * math.pi * (i - 0.5) / sides + math.pi / 2),
        )
        for i in range(sides)
    ]
    half = math.pi / sides
    edge = 2 * math.sin(half)
    lift = edge / 2 * math.tan(2 * half)
    plan = {str(i): p for i, p in enumerate(corners)}
    plan["P"] = (0.0, math.cos(half) + lift)
    at = fitted(plan, 420, 400, 44)
    canvas = Canvas("polygon", 420, 400)
    canvas.line(*(at[str(i)] for i in range(sides)), closed=True, fill=PALE)
    for i in (0, 1):
        canvas.line(at[str(i)], at["P"], dash=DASH)
    centre = between(at["0"], at[str(sides // 2)]) if sides % 2 == 0 else (210.0, at["0"][1] + 60)
    for name, i in (("B", 1), ("C", 0), ("A", 2), ("D", sides - 1)):
        outside(canvas, name, at[str(i)], centre, 18)
    canvas.label("P", at["P"], "n", gap=9)
    return canvas.finish()


def bisected_parallelogram(short: float, long: float) -> Drawing:
    """Parallelogram ABCD with AB shorter than BC; the bisector of the angle at B meets AD at E."""
    turn = math.radians(66)
    rise = (short * math.cos(turn), short * math.sin(turn))
    plan = {
        "B": (0.0, 0.0),
        "C": (long, 0.0),
        "A": rise,
        "D": (rise[0] + long, rise[1]),
        "E": (rise[0] + short, rise[1]),
    }
    at = fitted(plan, 520, 300, 54)
    canvas = Canvas("quadrilateral", 520, 300)
    canvas.line(at["A"], at["B"], at["C"], at["D"], closed=True)
    canvas.line(at["B"], at["E"])
    centre = between(at["A"], at["C"])
    for name in "ABCD":
        outside(canvas, name, at[name], centre)
    canvas.label("E", at["E"], "n", gap=8)
    canvas.arc(at["B"], 26, 0, 33, width=THIN)
    canvas.arc(at["B"], 32, 33, 66, width=THIN)
    x, y = beside(at["B"], at["A"], -42)
    canvas.spot("short", x - 30, y - 14, 52, 28)
    x, y = between(at["B"], at["C"])
    canvas.spot("long", x - 30, y + 8, 60, 28)
    return canvas.finish()


def zigzag(first: float, second: float) -> Drawing:
    """Parallel rays from A and C to the right, joined by the broken line A-E-C; the angles are left to marks."""
    high = 120.0
    a = (110.0, 60.0)
    e = (a[0] + high / math.tan(math.radians(first)), a[1] + high)
    c = (e[0] - high / math.tan(math.radians(second)), e[1] + high)
    canvas = Canvas("parallel-lines", 500, 360)
    for point, end in ((a, "B"), (c, "D")):
        canvas.line(point, (440, point[1]))
        canvas.label(end, (440, point[1]), "e", gap=8)
    canvas.line(a, e, c)
    canvas.label("A", a, "w", gap=9)
    canvas.label("C", c, "w", gap=9)
    canvas.label("E", e, "e", gap=10)
    canvas.arc(a, 26, -first, 0, width=THIN)
    canvas.arc(c, 26, 0, second, width=THIN)
    for name, point, angle in (("first", a, -first), ("second", c, second)):
        x, y = on_circle(point, 118, angle / 2.15)
        canvas.spot(name, x - 26, y - 13, 54, 27)
    return canvas.finish()


def triangle_with_incircle(a: float, b: float, c: float) -> Drawing:
    """Triangle ABC (a = BC, b = CA, c = AB) to scale, with its sides written and its incircle."""
    x = (c * c + b * b - a * a) / (2 * c)
    plan = {"A": (0.0, 0.0), "B": (c, 0.0), "C": (x, math.sqrt(b * b - x * x))}
    s = (a + b + c) / 2
    inner = tuple((a * plan["A"][i] + b * plan["B"][i] + c * plan["C"][i]) / (2 * s) for i in (0, 1))
    plan["I"] = (inner[0], inner[1])
    plan["T"] = (inner[0], 0.0)
    at = fitted(plan, 460, 360, 50)
    canvas = Canvas("triangle", 460, 360)
    canvas.line(at["A"], at["B"], at["C"], closed=True)
    canvas.circle(at["I"], math.dist(at["I"], at["T"]))
    canvas.line(at["I"], at["T"], width=THIN, dash=DASH)
    canvas.dot(at["I"])
    canvas.label("I", at["I"], "n", gap=8)
    canvas.label("r", between(at["I"], at["T"]), "e", gap=7)
    for name in "ABC":
        outside(canvas, name, at[name], at["I"])
    for pair, value in (("AB", c), ("BC", a), ("CA", b)):
        canvas.label(f"{value:g}", beside(at[pair[0]], at[pair[1]], 18))
    return canvas.finish()


def cube_net(cells: Sequence[str]) -> Drawing:
    """A net of six squares: rows of text, a letter for a square and a dot for none."""
    step = 66.0
    wide, high = max(map(len, cells)), len(cells)
    canvas = Canvas("net", step * wide + 80, step * high + 60)
    for j, row in enumerate(cells):
        for i, letter in enumerate(row):
            if letter != ".":
                x, y = 40 + step * i, 30 + step * j
                canvas.rect(x, y, step, step)
                canvas.label(rf"\mathrm{{{letter}}}", (x + step / 2, y + step / 2), size=24)
    return canvas.finish()


def pyramid() -> Drawing:
    """A regular pyramid on a square ABCD with apex P, centre O and the slant height PM; measures are left to marks."""
    canvas = Canvas("solid", 500, 380)
    a, b, c, d = (92.0, 316.0), (330.0, 316.0), (424.0, 232.0), (186.0, 232.0)
    o, p = between(a, c), (258.0, 44.0)
    m = between(b, c)
    canvas.line(a, b, c)
    canvas.line(a, d, c, dash=DASH, width=1.4)
    for end in (a, b, c):
        canvas.line(p, end)
    canvas.line(p, d, dash=DASH, width=1.4)
    canvas.line(p, o, m, dash=DASH, width=1.2)
    canvas.line(p, m, width=1.4)
    for name, point, side in (("A", a, "w"), ("B", b, "s"), ("C", c, "e"), ("D", d, "w"), ("P", p, "n")):
        canvas.label(name, point, side, gap=9)
    canvas.label("O", o, "s", gap=9)
    canvas.label("M", m, "se", gap=9)
    canvas.spot("base", 176, 324, 64, 28)
    canvas.spot("slant", 372, 116, 84, 28)
    return canvas.finish()


def ball_in_cone(radius: float, height: float) -> Drawing:
    """The axial section of a cone with the sphere that touches base and side, radius and height written."""
    slant = math.hypot(radius, height)
    r = radius * height / (radius + slant)
    plan = {"A": (-radius, 0.0), "B": (radius, 0.0), "P": (0.0, height), "O": (0.0, r), "M": (0.0, 0.0)}
    at = fitted(plan, 460, 400, 52)
    canvas = Canvas("section", 460, 400)
    canvas.line(at["A"], at["B"], at["P"], closed=True)
    canvas.circle(at["O"], math.dist(at["O"], at["M"]), fill=PALE)
    canvas.line(at["P"], at["M"], dash=DASH, width=THIN)
    canvas.dot(at["O"])
    canvas.label("O", at["O"], "e", gap=8)
    canvas.label("P", at["P"], "n", gap=7)
    x = at["B"][0] + 34
    canvas.dimension((x, at["P"][1]), (x, at["B"][1]), f"{height:g}")
    canvas.dimension((at["M"][0], at["M"][1] + 26), (at["B"][0], at["B"][1] + 26), f"{radius:g}")
    return canvas.finish()


def cut_sphere(radius: float, distance: float) -> Drawing:
    """A sphere cut by a plane, to scale; radius and distance are left to marks."""
    canvas = Canvas("solid", 480, 400)
    centre, big = (210.0, 200.0), 158.0
    canvas.circle(centre, big)
    lift = big * distance / radius
    small = math.sqrt(big * big - lift * lift)
    top = (centre[0], centre[1] - lift)
    canvas.circle(top, small, squash=0.2, fill=PALE)
    end = (top[0] + small, top[1])
    canvas.line(centre, top, end, dash=DASH, width=1.3)
    canvas.line(centre, end, width=1.5)
    for point in (centre, top):
        canvas.dot(point, 3)
    canvas.label("O", centre, "s", gap=8)
    canvas.label("M", top, "w", gap=8)
    canvas.label("A", end, "e", gap=9)
    canvas.spot("distance", 126, (400 - lift + small * 0.2) / 2 - 14, 76, 28)
    x, y = between(centre, end, 0.6)
    canvas.spot("radius", x + 12, y + 16, 60, 28)
    return canvas.finish()
