"""Diagrams of plane and solid geometry, drawn to scale from the problem's own numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from benchwright.examples.canvas import (
    DASH,
    PALE,
    THIN,
    Canvas,
    Drawing,
    Point,
    beside,
    between,
    on_circle,
)


def fitted(points: Mapping[str, Point], width: float, height: float, margin: float) -> dict[str, Point]:
    """Figure coordinates (y upwards) scaled into a canvas, centred, with a margin for labels."""
    xs, ys = [p[0] for p in points.values()], [p[1] for p in points.values()]
    span_x, span_y = max(xs) - min(xs) or 1.0, max(ys) - min(ys) or 1.0
    scale = min((width - 2 * margin) / span_x, (height - 2 * margin) / span_y)
    left = (width - scale * span_x) / 2
    top = (height - scale * span_y) / 2
    return {
        name: (left + (x - min(xs)) * scale, top + (max(ys) - y) * scale) for name, (x, y) in points.items()
    }


def _corner(canvas: Canvas, name: str, at: Point, inside: Point, distance: float = 15.0) -> None:
    """A vertex's name on the side away from `inside`."""
    length = math.dist(at, inside)
    canvas.label(
        name,
        (at[0] + (at[0] - inside[0]) / length * distance, at[1] + (at[1] - inside[1]) / length * distance),
    )


def _centroid(points: Sequence[Point]) -> Point:
    return sum(p[0] for p in points) / len(points), sum(p[1] for p in points) / len(points)


def right_triangle_altitude(a: float, b: float) -> Drawing:
    """Right angle at C, legs CB = a and CA = b with their lengths, altitude CD to the hypotenuse."""
    c = math.hypot(a, b)
    foot = b * b / c
    plan = {"A": (0.0, 0.0), "B": (c, 0.0), "C": (foot, a * b / c), "D": (foot, 0.0)}
    at = fitted(plan, 480, 300, 46)
    canvas = Canvas("triangle", 480, 300)
    canvas.line(at["A"], at["B"], at["C"], closed=True)
    canvas.line(at["C"], at["D"], dash=DASH)
    middle = _centroid([at["A"], at["B"], at["C"]])
    for name in "ABC":
        _corner(canvas, name, at[name], middle)
    canvas.label("D", at["D"], "s", gap=8)
    canvas.right_angle(at["D"], 0)
    towards_b = math.degrees(math.atan2(-(at["B"][1] - at["C"][1]), at["B"][0] - at["C"][0]))
    canvas.right_angle(at["C"], towards_b - 90)
    canvas.label(f"{b:g}", beside(at["A"], at["C"], -18))
    canvas.label(f"{a:g}", beside(at["C"], at["B"], -18))
    return canvas.finish()


def triangle_two_sides(b: float, c: float, angle: float) -> Drawing:
    """Triangle ABC with AB = c, AC = b and the angle at A; measures are left to marks."""
    plan = {
        "A": (0.0, 0.0),
        "B": (c, 0.0),
        "C": (b * math.cos(math.radians(angle)), b * math.sin(math.radians(angle))),
    }
    at = fitted(plan, 480, 320, 56)
    canvas = Canvas("triangle", 480, 320)
    canvas.line(at["A"], at["B"], at["C"], closed=True)
    middle = _centroid(list(at.values()))
    for name in "ABC":
        _corner(canvas, name, at[name], middle)
    canvas.arc(at["A"], 24, 0, angle, width=THIN)
    x, y = between(at["A"], at["B"])
    canvas.spot("c", x - 35, y + 8, 70, 26)
    x, y = beside(at["A"], at["C"], -46)
    canvas.spot("b", x - 38, y - 16, 70, 26)
    x, y = on_circle(at["A"], 56, angle / 2)
    canvas.spot("angle", x - 22, y - 11, 46, 24)
    return canvas.finish()


def central_and_inscribed(central: float) -> Drawing:
    """Circle O, chord ends A and B below, C on the major arc; the central angle is left to a mark."""
    canvas = Canvas("circle", 420, 380)
    centre, radius = (210.0, 190.0), 135.0
    a, b = on_circle(centre, radius, 270 - central / 2), on_circle(centre, radius, 270 + central / 2)
    c = on_circle(centre, radius, 78)
    canvas.circle(centre, radius)
    canvas.line(a, centre, b)
    canvas.line(a, c, b)
    canvas.dot(centre)
    canvas.label("O", centre, "n", gap=9)
    for name, point in (("A", a), ("B", b), ("C", c)):
        _corner(canvas, name, point, centre)
    canvas.arc(centre, 22, 270 - central / 2, 270 + central / 2, width=THIN)
    canvas.spot("central", 178, 226, 64, 28)
    return canvas.finish()


def parallel_in_triangle(ad: float, db: float, de: float) -> Drawing:
    """Triangle ABC with D on AB, E on AC, DE parallel to BC; AD, DB, DE are labelled."""
    apex: Point = (210.0, 40.0)
    b: Point = (62.0, 270.0)
    c: Point = (420.0, 270.0)
    share = ad / (ad + db)
    d, e = between(apex, b, share), between(apex, c, share)
    canvas = Canvas("triangle", 480, 320)
    canvas.line(apex, b, c, closed=True)
    canvas.line(d, e)
    for name, at, side in (("A", apex, "n"), ("B", b, "sw"), ("C", c, "se"), ("D", d, "w"), ("E", e, "e")):
        canvas.label(name, at, side, gap=10)
    canvas.label(f"{ad:g}", beside(apex, d, 18))
    canvas.label(f"{db:g}", beside(d, b, 18))
    canvas.label(f"{de:g}", between(d, e), "s", gap=7)
    return canvas.finish()


def tangent_from_point(radius: float, distance: float) -> Drawing:
    """Circle O with a tangent PT from P; the radius and OP are labelled."""
    scale = 300 / distance
    r = radius * scale
    height = 2 * r + 76
    centre = (r + 36, height / 2)
    p = (centre[0] + distance * scale, centre[1])
    turn = math.degrees(math.acos(radius / distance))
    t = on_circle(centre, r, turn)
    canvas = Canvas("circle", p[0] + 46, height)
    canvas.circle(centre, r)
    canvas.line(centre, p, t, closed=True)
    canvas.dot(centre)
    canvas.label("O", centre, "sw")
    canvas.label("P", p, "e", gap=9)
    canvas.label("T", t, "ne", gap=9)
    canvas.right_angle(t, turn + 180)
    canvas.label(f"{radius:g}", beside(centre, t, -16))
    canvas.label(f"{distance:g}", between(centre, p, (radius / distance + 1) / 2), "s", gap=8)
    return canvas.finish()


def isosceles_trapezoid(top: float, bottom: float, leg: float) -> Drawing:
    """Isosceles trapezoid ABCD, AD on top, with both bases and one leg labelled."""
    inset = (bottom - top) / 2
    height = math.sqrt(leg * leg - inset * inset)
    plan = {"B": (0.0, 0.0), "C": (bottom, 0.0), "D": (bottom - inset, height), "A": (inset, height)}
    at = fitted(plan, 480, 270, 50)
    canvas = Canvas("quadrilateral", 480, 270)
    canvas.line(*(at[n] for n in "ABCD"), closed=True)
    for name, side in (("A", "nw"), ("B", "sw"), ("C", "se"), ("D", "ne")):
        canvas.label(name, at[name], side, gap=9)
    canvas.label(f"{top:g}", between(at["A"], at["D"]), "n", gap=8)
    canvas.label(f"{bottom:g}", between(at["B"], at["C"]), "s", gap=8)
    canvas.label(f"{leg:g}", beside(at["A"], at["B"], 17))
    for start, end in (("A", "B"), ("D", "C")):
        p, s = between(at[start], at[end], 0.72), at[end]
        length = math.dist(p, s)
        nx, ny = -(s[1] - p[1]) / length * 6, (s[0] - p[0]) / length * 6
        canvas.line((p[0] - nx, p[1] - ny), (p[0] + nx, p[1] + ny), width=THIN)
    return canvas.finish()


def cone(radius: float, height: float) -> Drawing:
    """A cone standing on its base, with its axis; radius and height are left to marks."""
    scale = min(120 / radius, 210 / height)
    r, h = radius * scale, height * scale
    canvas = Canvas("solid", 420, h + 120)
    base: Point = (210.0, h + 50)
    apex = (210.0, 50.0)
    squash = max(0.28, 40 / r)
    canvas.arc(base, r, 180, 360, squash=squash)
    canvas.arc(base, r, 0, 180, squash=squash, dash=DASH)
    canvas.line((base[0] - r, base[1]), apex, (base[0] + r, base[1]))
    canvas.line(apex, base, (base[0] + r, base[1]), dash=DASH, width=THIN)
    canvas.dot(base, 2.5)
    canvas.right_angle(base, 0, size=10)
    canvas.label("O", base, "sw", gap=7)
    canvas.label("P", apex, "n", gap=8)
    canvas.label("A", (base[0] + r, base[1]), "e", gap=9)
    canvas.spot("height", base[0] - 42, base[1] - h * 0.36 - 13, 34, 26)
    canvas.spot("radius", base[0] + r * 0.24, base[1] + 4, 34, 22)
    return canvas.finish()


def cuboid(length: float, width: float, height: float, *, diagonal: bool = True) -> Drawing:
    """Cuboid with three labelled edges and, if asked, its space diagonal."""
    scale = min(230 / length, 150 / height)
    a, h = length * scale, height * scale
    depth = max(48.0, min(width * scale * 0.55, 110.0))
    canvas = Canvas("solid", a + depth + 130, h + depth * 0.62 + 100)
    x0, y0 = 60.0, h + depth * 0.62 + 40
    dx, dy = depth, -depth * 0.62
    front = [(x0, y0), (x0 + a, y0), (x0 + a, y0 - h), (x0, y0 - h)]
    back = [(x + dx, y + dy) for x, y in front]
    canvas.line(*front, closed=True)
    canvas.line(front[1], back[1], back[2], front[2])
    canvas.line(back[2], back[3], front[3])
    for p in (front[0], back[1], back[3]):
        canvas.line(back[0], p, dash=DASH, width=THIN)
    if diagonal:
        canvas.line(front[0], back[2], width=2.2)
    canvas.label("A", front[0], "sw", gap=8)
    canvas.label("G", back[2], "ne", gap=8)
    canvas.label(f"{length:g}", between(front[0], front[1]), "s", gap=8)
    canvas.label(f"{width:g}", between(front[1], back[1]), "se", gap=9)
    canvas.label(f"{height:g}", between(back[1], back[2]), "e", gap=9)
    return canvas.finish()


def nested_squares(outer: float, inner: float) -> Drawing:
    """A shaded square of side `outer` with a white square of side `inner` cut from a corner."""
    scale = 220 / outer
    side, cut = outer * scale, inner * scale
    canvas = Canvas("area-model", 360, 310)
    x, y = 70.0, 30.0
    corner = (x + side, y + side)
    canvas.line(
        (x, y),
        (x + side, y),
        (x + side, y + side - cut),
        (x + side - cut, y + side - cut),
        (x + side - cut, y + side),
        (x, y + side),
        closed=True,
        fill=PALE,
    )
    canvas.line((x + side, y + side - cut), corner, (x + side - cut, y + side), dash=DASH, width=THIN)
    canvas.dimension((x - 26, y), (x - 26, y + side), f"{outer:g}")
    canvas.label(f"{inner:g}", (x + side - cut / 2, y + side), "s", gap=9)
    canvas.label(f"{inner:g}", (x + side, y + side - cut / 2), "e", gap=9)
    return canvas.finish()


def match_squares(count: int) -> Drawing:
    """The first figures of a row of squares laid with matches: 1 square, 2 squares, ... `count` squares."""
    side = 44.0
    gap = 42.0
    total = sum(range(1, count + 1)) * side + gap * (count - 1)
    canvas = Canvas("pattern", total + 80, 150)
    x = 40.0
    for squares in range(1, count + 1):
        for i in range(squares + 1):
            _match(canvas, (x + i * side, 35 + side), (x + i * side, 35))
            if i < squares:
                for y in (35.0, 35 + side):
                    _match(canvas, (x + i * side, y), (x + (i + 1) * side, y))
        canvas.label(rf"n={squares}", (x + squares * side / 2, 35 + side), "s", gap=16)
        x += squares * side + gap
    return canvas.finish()


def _match(canvas: Canvas, p: Point, q: Point) -> None:
    canvas.line(between(p, q, 0.1), between(p, q, 0.86), width=2.4)
    canvas.dot(between(p, q, 0.88), 3.4)


def spinner(sectors: int, shaded: Sequence[int]) -> Drawing:
    """A disc of equal sectors, some shaded, with a pointer."""
    canvas = Canvas("spinner", 360, 300)
    centre, radius = (180.0, 150.0), 115.0
    step = 360 / sectors
    for i in range(sectors):
        start = 90 - step / 2 + i * step
        edge = [on_circle(centre, radius, start + step * k / 24) for k in range(25)]
        canvas.line(centre, *edge, closed=True, fill="#c9c9c9" if i in shaded else "#ffffff", width=1.3)
    canvas.arrow(centre, on_circle(centre, radius * 0.72, 90 - step), width=3, head=16)
    canvas.dot(centre, 6)
    return canvas.finish()


def lattice(columns: int, rows: int) -> Drawing:
    """A street grid with A at the lower left and B at the upper right."""
    cell = min(340 / columns, 230 / rows)
    canvas = Canvas("grid", columns * cell + 120, rows * cell + 90)
    x0, y0 = 60.0, 45.0
    for i in range(columns + 1):
        canvas.line((x0 + i * cell, y0), (x0 + i * cell, y0 + rows * cell))
    for j in range(rows + 1):
        canvas.line((x0, y0 + j * cell), (x0 + columns * cell, y0 + j * cell))
    a, b = (x0, y0 + rows * cell), (x0 + columns * cell, y0)
    for name, at, side in (("A", a, "sw"), ("B", b, "ne")):
        canvas.dot(at, 4.5)
        canvas.label(name, at, side, gap=10)
    return canvas.finish()
