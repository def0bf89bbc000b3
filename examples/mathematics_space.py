"""Mathematics: more plane figures, and bodies in space with their nets, sections and unfoldings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from benchwright.examples import geometry, plane_figures
from benchwright.examples.knowledge import PYTHAGORAS
from benchwright.examples.problem import (
    CONTEST,
    JUNIOR,
    SENIOR,
    Draft,
    ExampleProblem,
    Head,
    Option,
    Shown,
    Split,
    Term,
    Words,
    num,
    option,
)

head = partial(Head, "mathematics")
TRIANGLES, CIRCLES, SOLIDS = ("Geometry/Triangles",), ("Geometry/Circles",), ("Geometry/Solids",)
POLYGONS = ("Geometry/Angles and areas",)
CHORDS = Term(
    "the theorem of intersecting chords",
    "相交弦定理",
    "When two chords of a circle meet, the products of the two pieces of each are equal.",
    "圆内两弦相交，每条弦被交点分成的两段的乘积相等。",
)
ALTERNATE = Term(
    "alternate angles at parallels",
    "平行线的内错角相等",
    "A line that crosses two parallels makes equal alternate angles with them.",
    "两直线平行，内错角相等。",
)
BISECTOR = Term(
    "isosceles triangles",
    "等腰三角形的判定",
    "A triangle with two equal angles has equal sides opposite them.",
    "有两个角相等的三角形，这两个角所对的边也相等。",
)
PYRAMID_VOLUME = Term(
    "the volume of a pyramid",
    "棱锥的体积公式",
    "A third of the base area times the height.",
    "棱锥的体积等于底面积与高的乘积的三分之一。",
)
SECTION = Term(
    "the section of a sphere",
    "球的截面性质",
    "A plane cuts a sphere in a circle whose centre is the foot of the perpendicular from the sphere's "
    "centre.",
    "平面截球所得截面是圆，球心与截面圆心的连线垂直于截面。",
)


def root(squared: int) -> str:
    """LaTeX of the square root of a whole number, simplified."""
    out = max(d for d in range(1, math.isqrt(squared) + 1) if squared % (d * d) == 0)
    inside = squared // (out * out)
    return str(out) if inside == 1 else rf"{'' if out == 1 else out}\sqrt{{{inside}}}"


def crossing_chords(pa: int = 4, pb: int = 9, pc: int = 6) -> ExampleProblem:
    """The fourth piece of two crossing chords."""
    return Draft(
        head("math-crossing-chords", "plane-geometry", 2, JUNIOR, CIRCLES),
        plane_figures.crossing_chords(pa, pb, pc),
        {"pa": pa, "pb": pb, "pc": pc},
        {"a": num(pa), "b": num(pb), "c": num(pc)},
        Words(
            "The chords $AB$ and $CD$ of a circle meet at $P$, and ⟨a|$PA=@a$⟩, ⟨b|$PB=@b$⟩, "
            "⟨c|$PC=@c$⟩. How long is $PD$?",
            r"$PA\cdot PB=PC\cdot PD$.",
            "The chords $AB$ and $CD$ of a circle meet at $P$. How long is $PD$?",
        ),
        Words(
            "如图，圆的弦 $AB$ 与 $CD$ 相交于点 $P$，⟨a|$PA=@a$⟩，⟨b|$PB=@b$⟩，⟨c|$PC=@c$⟩，求 $PD$ 的长。",
            r"由相交弦定理 $PA\cdot PB=PC\cdot PD$ 求得。",
            "如图，圆的弦 $AB$ 与 $CD$ 相交于点 $P$，求 $PD$ 的长。",
        ),
        Split((CHORDS,), {"a": Shown(), "b": Shown(), "c": Shown()}),
    ).free(num(Fraction(pa * pb, pc)))


def extended_polygon(sides: int = 9) -> ExampleProblem:
    """The angle between two sides of a regular polygon, extended."""
    right = 180 - Fraction(720, sides)

    def degrees(value: Fraction | int, mistake: str = "") -> Option:
        return option(rf"${num(value)}^\circ$", mistake)

    return Draft(
        head("math-extended-polygon", "plane-geometry", 2, JUNIOR, POLYGONS),
        plane_figures.extended_polygon(sides),
        {"sides": sides},
        {"n": num(sides)},
        Words(
            "The sides $AB$ and $DC$ of a regular polygon with @n sides are extended and meet at $P$. "
            r"What is $\angle P$?",
            "Both base angles of triangle $PBC$ are exterior angles of the polygon, each a whole turn "
            "divided by @n.",
        ),
        Words(
            r"如图，正多边形有 @n 条边，延长边 $AB$ 与 $DC$ 相交于点 $P$，则 $\angle P$ 的度数为（　）",
            r"$\triangle PBC$ 的两个底角都是正多边形的外角，各为周角的 @n 分之一。",
        ),
    ).single(
        degrees(right),
        degrees(Fraction(360, sides), "gives an exterior angle"),
        degrees(180 - Fraction(360, sides), "gives an interior angle"),
        degrees(180 - Fraction(540, sides), "subtracts three exterior angles"),
    )


def bisected_parallelogram(short: int = 5, long: int = 8) -> ExampleProblem:
    """A piece of a side that the bisector of an angle cuts off."""
    return Draft(
        head("math-bisected-parallelogram", "plane-geometry", 2, JUNIOR, POLYGONS),
        plane_figures.bisected_parallelogram(short, long),
        {"short": short, "long": long},
        {"s": num(short), "l": num(long)},
        Words(
            "In the parallelogram $ABCD$, ⟨s|$AB=@s$⟩ and ⟨l|$BC=@l$⟩. The bisector of the angle $ABC$ "
            "meets $AD$ at $E$. How long is $ED$?",
            r"$\angle AEB=\angle EBC=\angle ABE$, so $AE=AB$ and $ED=BC-AB$.",
            "The bisector of the angle $ABC$ of the parallelogram $ABCD$ meets $AD$ at $E$. How long is "
            "$ED$?",
        ),
        Words(
            r"如图，在平行四边形 $ABCD$ 中，⟨s|$AB=@s$⟩，⟨l|$BC=@l$⟩，$\angle ABC$ 的平分线交 $AD$ 于点 "
            "$E$，则 $ED$ 的长为（　）",
            r"$\angle AEB=\angle EBC=\angle ABE$，故 $AE=AB$，$ED=BC-AB$。",
            r"如图，在平行四边形 $ABCD$ 中，$\angle ABC$ 的平分线交 $AD$ 于点 $E$，则 $ED$ 的长为（　）",
        ),
        Split((ALTERNATE, BISECTOR), {"s": Shown((("$@s$", "short"),)), "l": Shown((("$@l$", "long"),))}),
    ).single(
        option(f"${long - short}$"),
        option(f"${num(Fraction(long, 2))}$", "takes E for the midpoint of the side"),
        option(f"${short}$", "gives AE"),
        option(f"${num(Fraction(short, 2))}$", "halves AB"),
    )


def tangential_quadrilateral(ab: int = 7, bc: int = 10, cd: int = 8) -> ExampleProblem:
    """The fourth side of a quadrilateral around a circle."""
    at_a = (max(0, ab - bc) + min(ab, cd + ab - bc)) / 2
    tangents = (at_a, ab - at_a, bc - ab + at_a, cd - bc + ab - at_a)
    return Draft(
        head("math-tangential-quadrilateral", "plane-geometry", 3, JUNIOR, CIRCLES),
        plane_figures.tangential(tangents),
        {"ab": ab, "bc": bc, "cd": cd},
        {"ab": num(ab), "bc": num(bc), "cd": num(cd)},
        Words(
            "All sides of the quadrilateral $ABCD$ touch a circle; $AB=@ab$, $BC=@bc$ and $CD=@cd$. How "
            "long is $DA$?",
            "The two tangents from a vertex are equally long, so $AB+CD=BC+DA$.",
        ),
        Words(
            "如图，四边形 $ABCD$ 的各边都与同一个圆相切，$AB=@ab$，$BC=@bc$，$CD=@cd$，则 $DA$ 的长为（　）",
            "由切线长定理得 $AB+CD=BC+DA$。",
        ),
    ).single(
        option(f"${ab + cd - bc}$"),
        option(f"${abs(ab + bc - cd)}$", "pairs neighbouring sides"),
        option(f"${num(Fraction(ab * cd, bc))}$", "multiplies instead of adding"),
        option(f"${bc}$", "takes opposite sides as equal"),
    )


def zigzag(first: int = 40, second: int = 35) -> ExampleProblem:
    """The angle of a broken line between parallels."""

    def degrees(value: int, mistake: str = "") -> Option:
        return option(rf"${value}^\circ$", mistake)

    return Draft(
        head("math-zigzag-angle", "plane-geometry", 1, JUNIOR, ("Geometry/Angles and areas",)),
        plane_figures.zigzag(first, second),
        {"first": first, "second": second},
        {"a": rf"{first}^\circ", "c": rf"{second}^\circ"},
        Words(
            r"$AB\parallel CD$ and $E$ lies between the two lines. ⟨a|$\angle BAE=@a$⟩ and ⟨c|$\angle "
            r"DCE=@c$⟩. What is $\angle AEC$?",
            "Draw the parallel through $E$: it divides the angle into two parts that equal the two given "
            "angles.",
            r"$AB\parallel CD$ and $E$ lies between the two lines. What is $\angle AEC$?",
        ),
        Words(
            r"如图，$AB\parallel CD$，点 $E$ 在两平行线之间，⟨a|$\angle BAE=@a$⟩，⟨c|$\angle DCE=@c$⟩，"
            r"则 $\angle AEC$ 的度数为（　）",
            "过点 $E$ 作平行线，把所求角分成两个角，分别等于两个已知角。",
            r"如图，$AB\parallel CD$，点 $E$ 在两平行线之间，则 $\angle AEC$ 的度数为（　）",
        ),
        Split((ALTERNATE,), {"a": Shown((("$@a$", "first"),)), "c": Shown((("$@c$", "second"),))}),
    ).single(
        degrees(first + second),
        degrees(180 - first - second, "takes the three angles for those of a triangle"),
        degrees(360 - first - second, "gives the reflex angle"),
        degrees(2 * max(first, second), "doubles the greater angle"),
    )


def incircle_radius(a: int = 14, b: int = 15, c: int = 13) -> ExampleProblem:
    """The inradius of a triangle with three known sides."""
    s = Fraction(a + b + c, 2)
    area = math.isqrt(int(s * (s - a) * (s - b) * (s - c)))
    return Draft(
        head("math-incircle-radius", "plane-geometry", 4, SENIOR, TRIANGLES),
        plane_figures.triangle_with_incircle(a, b, c),
        {"a": a, "b": b, "c": c},
        {"a": num(a), "b": num(b), "c": num(c)},
        Words(
            "In triangle $ABC$, $BC=@a$, $CA=@b$ and $AB=@c$. Find the radius $r$ of its inscribed circle.",
            "Find the area $S$ by Heron's formula; then $S$ is half the perimeter times $r$.",
        ),
        Words(
            r"如图，在 $\triangle ABC$ 中，$BC=@a$，$CA=@b$，$AB=@c$，则其内切圆的半径 $r$ 为（　）",
            "先由海伦公式求面积 $S$，再由 $S$ 等于半周长与 $r$ 的乘积求得。",
        ),
    ).single(
        option(f"${num(Fraction(area) / s)}$"),
        option(f"${num(Fraction(area) / (2 * s))}$", "divides the area by the whole perimeter"),
        option(f"${num(Fraction(a + c - b, 2))}$", "uses the formula of the right triangle"),
        option(f"${num(Fraction(a + b + c, 6))}$", "divides half the perimeter by three"),
    )


def fold(cells: Sequence[str]) -> dict[str, str]:
    """Opposite faces of the cube that a net folds into: the net is rolled like a die from square to square."""
    where = {(i, j): c for j, row in enumerate(cells) for i, c in enumerate(row) if c != "."}
    start = next(iter(where))
    # A die lies on the square; `down` of each die names which face is printed. Orders: top, bottom, n, s, e, w.
    seen = {start: (0, 1, 2, 3, 4, 5)}
    queue = [start]
    turns = {
        (1, 0): (5, 4, 2, 3, 0, 1),
        (-1, 0): (4, 5, 2, 3, 1, 0),
        (0, 1): (2, 3, 1, 0, 4, 5),
        (0, -1): (3, 2, 0, 1, 4, 5),
    }
    while queue:
        at = queue.pop()
        for step, turn in turns.items():
            new = (at[0] + step[0], at[1] + step[1])
            if new in where and new not in seen:
                seen[new] = tuple(seen[at][k] for k in turn)  # type: ignore[assignment]
                queue.append(new)
    face = {seen[cell][1]: letter for cell, letter in where.items()}
    return {face[k]: face[k ^ 1] for k in range(6)}


def cube_net(cells: tuple[str, ...] = (".U..", "VWXY", "..Z."), asked: str = "W") -> ExampleProblem:
    """The face opposite a given one when a net is folded."""
    opposite = fold(cells)
    wrong = [c for c in "".join(cells) if c not in {".", asked, opposite[asked]}][:3]
    return Draft(
        head("math-cube-net", "solid-geometry", 1, JUNIOR, SOLIDS),
        plane_figures.cube_net(cells),
        {"cells": cells, "asked": asked},
        {"a": asked},
        Words(
            "The net in the figure is folded into a cube. Which face lies opposite the face @a?",
            "In a straight row of squares every second one lies opposite; a square at the side turns "
            "with its neighbour.",
        ),
        Words(
            "把如图所示的展开图折成正方体，与标有 @a 的面相对的面是（　）",
            "同一行中相隔一个的两个面相对；两侧的面随相邻的面一起折起。",
        ),
    ).single(option(opposite[asked]), *(option(w, "this face shares an edge with it") for w in wrong))


def pyramid_volume(base: int = 6, slant: int = 5) -> ExampleProblem:
    """The volume of a regular square pyramid from base edge and slant height."""
    height = math.isqrt(slant * slant - base * base // 4)

    def volume(value: Fraction | int, mistake: str = "") -> Option:
        return option(f"${num(value)}$", mistake)

    return Draft(
        head("math-pyramid-volume", "solid-geometry", 3, SENIOR, SOLIDS),
        plane_figures.pyramid(),
        {"base": base, "slant": slant},
        {"b": num(base), "s": num(slant)},
        Words(
            "$P$-$ABCD$ is a regular pyramid on the square $ABCD$ with centre $O$; ⟨b|the base edge is "
            "$AB=@b$⟩ and ⟨s|the slant height is $PM=@s$⟩, where $M$ is the midpoint of $BC$. What is "
            "its volume?",
            r"$PO=\sqrt{PM^2-OM^2}$ with $OM$ half the base edge; the volume is a third of $AB^2\cdot PO$.",
            "$P$-$ABCD$ is a regular pyramid on the square $ABCD$ with centre $O$, and $M$ is the "
            "midpoint of $BC$. What is its volume?",
        ),
        Words(
            "如图，正四棱锥 $P$-$ABCD$ 的底面中心为 $O$，$M$ 为 $BC$ 的中点，⟨b|底面边长 $AB=@b$⟩，⟨s|斜"
            "高 $PM=@s$⟩，则它的体积为（　）",
            r"$PO=\sqrt{PM^2-OM^2}$，其中 $OM$ 为底面边长的一半，体积为 $AB^2\cdot PO$ 的三分之一。",
            "如图，正四棱锥 $P$-$ABCD$ 的底面中心为 $O$，$M$ 为 $BC$ 的中点，则它的体积为（　）",
        ),
        Split(
            (PYTHAGORAS, PYRAMID_VOLUME),
            {"b": Shown((("$@b$", "base"),)), "s": Shown((("$PM=@s$", "slant"),))},
        ),
    ).single(
        volume(Fraction(base * base * height, 3)),
        volume(Fraction(base * base * height, 2), "takes a half instead of a third"),
        volume(base * base * height, "forgets the third"),
        volume(2 * base * slant, "gives the area of the four side faces"),
    )


def ball_in_cone(radius: int = 6, height: int = 8) -> ExampleProblem:
    """The radius of the sphere inscribed in a cone; free form."""
    slant = math.hypot(radius, height)
    return Draft(
        head("math-ball-in-cone", "solid-geometry", 4, SENIOR, SOLIDS),
        plane_figures.ball_in_cone(radius, height),
        {"radius": radius, "height": height},
        {"r": num(radius), "h": num(height)},
        Words(
            "The figure is the section of a right circular cone through its axis, and of the sphere in "
            "it that touches the base and the whole side. ⟨r|The base radius is @r⟩ and ⟨h|the height is "
            "@h⟩. What is the radius of the sphere?",
            "The circle is the incircle of an isosceles triangle: its radius is the area divided by half "
            "the perimeter.",
            "The figure is the section of a right circular cone through its axis, and of the sphere in "
            "it that touches the base and the whole side. What is the radius of the sphere?",
        ),
        Words(
            "如图为圆锥及其内切球的轴截面，球与圆锥的底面和侧面都相切，⟨r|圆锥的底面半径为 @r⟩，⟨h|高为 "
            "@h⟩，求球的半径。",
            "球的大圆是等腰三角形的内切圆，其半径等于三角形面积除以半周长。",
            "如图为圆锥及其内切球的轴截面，球与圆锥的底面和侧面都相切，求球的半径。",
        ),
        Split((PYTHAGORAS,), {"r": Shown(), "h": Shown()}),
    ).free(num(radius * height / (radius + slant)))


def ant_on_cuboid(length: int = 4, width: int = 2, height: int = 1) -> ExampleProblem:
    """The shortest way over the surface of a cuboid between opposite corners."""
    ways = sorted(
        (a + b) ** 2 + c * c
        for a, b, c in ((length, width, height), (length, height, width), (width, height, length))
    )
    return Draft(
        head("math-ant-on-cuboid", "solid-geometry", 4, CONTEST, SOLIDS),
        geometry.cuboid(length, width, height, diagonal=False),
        {"length": length, "width": width, "height": height},
        {"a": num(length), "b": num(width), "c": num(height)},
        Words(
            "The edges of a cuboid measure @a, @b and @c. An ant walks on its surface from the corner "
            "$A$ to the opposite corner $G$. How long is its shortest way?",
            "Unfold two neighbouring faces; of the three possible unfoldings the one in which the two "
            "shorter edges are added is best.",
        ),
        Words(
            "如图，长方体的三条棱长分别为 @a、@b、@c，一只蚂蚁沿表面从顶点 $A$ 爬到相对的顶点 $G$，最短路"
            "程为（　）",
            "将相邻两个面展开成平面，三种展开方式中，把较短的两条棱相加的一种路程最短。",
        ),
    ).single(
        option(f"${root(ways[0])}$"),
        option(f"${root(length**2 + width**2 + height**2)}$", "takes the way through the inside"),
        option(f"${root(ways[1])}$", "unfolds the wrong pair of faces"),
        option(f"${length + width + height}$", "walks along the edges"),
    )


def cut_sphere(radius: int = 5, distance: int = 3) -> ExampleProblem:
    """The area of the circle in which a plane cuts a sphere."""
    return Draft(
        head("math-cut-sphere", "solid-geometry", 2, SENIOR, SOLIDS),
        plane_figures.cut_sphere(radius, distance),
        {"radius": radius, "distance": distance},
        {"r": num(radius), "d": num(distance)},
        Words(
            "A plane cuts a sphere with centre $O$ in a circle with centre $M$; $A$ is a point of the "
            "circle. ⟨r|The radius of the sphere is $OA=@r$⟩ and ⟨d|the distance of the plane is "
            "$OM=@d$⟩. What "
            "is the area of the circle?",
            r"$OM\perp MA$, so $MA^2=OA^2-OM^2$.",
            "A plane cuts a sphere with centre $O$ in a circle with centre $M$; $A$ is a point of the "
            "circle. What is the area of the circle?",
        ),
        Words(
            "如图，平面截球 $O$ 所得截面圆的圆心为 $M$，$A$ 为截面圆上一点，⟨r|球的半径 $OA=@r$⟩，⟨d|球心"
            "到截面的距离 $OM=@d$⟩，则截面圆的面积为（　）",
            r"$OM\perp MA$，故 $MA^2=OA^2-OM^2$。",
            "如图，平面截球 $O$ 所得截面圆的圆心为 $M$，$A$ 为截面圆上一点，则截面圆的面积为（　）",
        ),
        Split(
            (SECTION, PYTHAGORAS), {"r": Shown((("$@r$", "radius"),)), "d": Shown((("$@d$", "distance"),))}
        ),
    ).single(
        option(rf"${radius**2 - distance**2}\pi$"),
        option(rf"${radius**2}\pi$", "gives a great circle"),
        option(rf"${radius**2 + distance**2}\pi$", "adds the squares"),
        option(rf"${(radius - distance) ** 2}\pi$", "takes the difference for the radius"),
    )


PROBLEMS = (
    crossing_chords,
    extended_polygon,
    bisected_parallelogram,
    tangential_quadrilateral,
    zigzag,
    incircle_radius,
    cube_net,
    pyramid_volume,
    ball_in_cone,
    ant_on_cuboid,
    cut_sphere,
)
