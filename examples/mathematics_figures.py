"""Mathematics: plane and solid geometry, areas, patterns, chance and counting."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from benchwright.examples import geometry
from benchwright.examples.knowledge import CONE_SURFACE, COSINES, INSCRIBED, PYTHAGORAS, TRIANGLE_AREA
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
    Words,
    num,
    option,
)

head = partial(Head, "mathematics")


def altitude_to_hypotenuse(a: int = 6, b: int = 8) -> ExampleProblem:
    """The altitude of a right triangle from its area, written twice."""
    c = math.hypot(a, b)
    return Draft(
        head("math-altitude-to-hypotenuse", "plane-geometry", 2, JUNIOR, ("Geometry/Triangles",)),
        geometry.right_triangle_altitude(a, b),
        {"a": a, "b": b},
        {"a": num(a), "b": num(b)},
        Words(
            "In right triangle $ABC$, whose right angle is at $C$, ⟨a|$BC=@a$⟩ and ⟨b|$AC=@b$⟩. $CD$ is the "
            "altitude to the hypotenuse $AB$. How long is $CD$?",
            r"$AB=\sqrt{@a^2+@b^2}$; twice the area is $AB\cdot CD$ and also $AC\cdot BC$, so "
            r"$CD=AC\cdot BC/AB$.",
            "In right triangle $ABC$, whose right angle is at $C$, $CD$ is the altitude to the hypotenuse "
            "$AB$. How long is $CD$?",
        ),
        Words(
            r"如图，在 $\mathrm{Rt}\triangle ABC$ 中，$\angle C$ 为直角，⟨a|$BC=@a$⟩，⟨b|$AC=@b$⟩，$CD$ "
            "是斜边 $AB$ 上的高，则 $CD$ 的长为（　）",
            r"由勾股定理得 $AB=\sqrt{@a^2+@b^2}$，再由等面积法 $AB\cdot CD=AC\cdot BC$ 求得 $CD$。",
            r"如图，在 $\mathrm{Rt}\triangle ABC$ 中，$\angle C$ 为直角，$CD$ 是斜边 $AB$ 上的高，则 "
            "$CD$ 的长为（　）",
        ),
        Split((PYTHAGORAS, TRIANGLE_AREA), {"a": Shown(), "b": Shown()}),
    ).single(
        option(f"${num(a * b / c)}$"),
        option(f"${num(c / 2)}$", "takes the altitude for the median, which is half the hypotenuse"),
        option(f"${num(a * b / c / 2)}$", "divides the area, not twice the area, by the hypotenuse"),
        option(f"${num(c)}$", "stops at the hypotenuse"),
    )


def law_of_cosines(b: int = 8, c: int = 5, angle: int = 60) -> ExampleProblem:
    """The side opposite an angle of 60 or 120 degrees."""
    cosine = {60: Fraction(1, 2), 120: Fraction(-1, 2)}[angle]
    squares, product = b * b + c * c, 2 * b * c * cosine
    return Draft(
        head("math-law-of-cosines", "plane-geometry", 3, SENIOR, ("Geometry/Triangles",)),
        geometry.triangle_two_sides(b, c, angle),
        {"b": b, "c": c, "angle": angle},
        {"b": num(b), "c": num(c), "angle": rf"{angle}^\circ"},
        Words(
            r"In triangle $ABC$, ⟨b|$AC=@b$⟩, ⟨c|$AB=@c$⟩ and ⟨angle|$\angle A=@angle$⟩. Find the length "
            "of $BC$.",
            r"$BC^2=AC^2+AB^2-2\cdot AC\cdot AB\cdot\cos @angle$.",
            "Find the length of side $BC$ of triangle $ABC$.",
        ),
        Words(
            r"如图，在 $\triangle ABC$ 中，⟨b|$AC=@b$⟩，⟨c|$AB=@c$⟩，⟨angle|$\angle A=@angle$⟩，则 $BC$ "
            "的长为（　）",
            r"由余弦定理 $BC^2=AC^2+AB^2-2\cdot AC\cdot AB\cdot\cos @angle$ 求得。",
            r"如图，在 $\triangle ABC$ 中，$BC$ 的长为（　）",
        ),
        Split(
            (COSINES,),
            {
                "b": Shown((("$@b$", "b"),)),
                "c": Shown((("$@c$", "c"),)),
                "angle": Shown((("$@angle$", "angle"),)),
            },
        ),
    ).single(
        option(f"${_root(squares - product)}$"),
        option(f"${_root(squares + product)}$", "turns the sign of the cosine term round"),
        option(f"${_root(squares)}$", "uses the Pythagorean theorem without a right angle"),
        option(f"${_root(squares - product / 2)}$", "forgets the factor two"),
    )


def _root(squared: int | Fraction) -> str:
    """LaTeX of the square root of a whole number, simplified."""
    value = int(squared)
    outside = max(d for d in range(1, math.isqrt(value) + 1) if value % (d * d) == 0)
    inside = value // (outside * outside)
    return str(outside) if inside == 1 else rf"{'' if outside == 1 else outside}\sqrt{{{inside}}}"


def inscribed_angle(central: int = 104) -> ExampleProblem:
    """An angle at the circle from the one at the centre."""
    return Draft(
        head("math-inscribed-angle", "plane-geometry", 1, JUNIOR, ("Geometry/Circles",)),
        geometry.central_and_inscribed(central),
        {"central": central},
        {"central": rf"{central}^\circ"},
        Words(
            r"$A$, $B$ and $C$ lie on the circle with centre $O$, and ⟨central|$\angle AOB=@central$⟩. What "
            r"is $\angle ACB$?",
            "Both angles stand on the same arc $AB$, so the one at the circle is half of $@central$.",
            r"$A$, $B$ and $C$ lie on the circle with centre $O$. What is $\angle ACB$?",
        ),
        Words(
            r"如图，点 $A$、$B$、$C$ 在⊙$O$ 上，⟨central|$\angle AOB=@central$⟩，则 $\angle ACB$ 的度数为"
            "（　）",
            r"$\angle ACB$ 与 $\angle AOB$ 对着同一条弧 $AB$，故 $\angle ACB$ 等于 $@central$ 的一半。",
            r"如图，点 $A$、$B$、$C$ 在⊙$O$ 上，则 $\angle ACB$ 的度数为（　）",
        ),
        Split((INSCRIBED,), {"central": Shown((("$@central$", "central"),))}),
    ).single(
        option(rf"${num(central / 2)}^\circ$"),
        option(rf"${central}^\circ$", "takes both angles as equal"),
        option(rf"${180 - central}^\circ$", "takes the angles as supplementary"),
        option(rf"${num(90 - central / 2)}^\circ$", "gives the base angle of triangle AOB"),
    )


def parallel_in_triangle(ad: int = 4, db: int = 6, de: int = 6) -> ExampleProblem:
    """Similar triangles made by a parallel."""
    return Draft(
        head("math-similar-triangles", "plane-geometry", 2, JUNIOR, ("Geometry/Triangles",)),
        geometry.parallel_in_triangle(ad, db, de),
        {"ad": ad, "db": db, "de": de},
        {"ad": num(ad), "db": num(db), "de": num(de)},
        Words(
            r"In triangle $ABC$, points $D$ and $E$ lie on $AB$ and $AC$, and $DE\parallel BC$. $AD=@ad$, "
            "$DB=@db$ and $DE=@de$. Find $BC$.",
            r"$\triangle ADE\sim\triangle ABC$, so $DE/BC=AD/AB$ with $AB=AD+DB$.",
        ),
        Words(
            r"如图，在 $\triangle ABC$ 中，点 $D$、$E$ 分别在 $AB$、$AC$ 上，$DE\parallel BC$，$AD=@ad$，"
            "$DB=@db$，$DE=@de$，求 $BC$ 的长。",
            r"由 $DE\parallel BC$ 得 $\triangle ADE\sim\triangle ABC$，故 $DE/BC=AD/AB$，其中 $AB=AD+DB$。",
        ),
    ).free(num(Fraction(de * (ad + db), ad)))


def tangent_length(radius: int = 5, distance: int = 13) -> ExampleProblem:
    """A tangent's length from a right triangle."""
    length = math.sqrt(distance**2 - radius**2)
    return Draft(
        head("math-tangent-length", "plane-geometry", 2, JUNIOR, ("Geometry/Circles",)),
        geometry.tangent_from_point(radius, distance),
        {"radius": radius, "distance": distance},
        {"r": num(radius), "d": num(distance)},
        Words(
            "$PT$ touches the circle with centre $O$ at $T$. Given $OT=@r$ and $OP=@d$, how long is $PT$?",
            r"$OT\perp PT$, so $PT=\sqrt{@d^2-@r^2}$.",
        ),
        Words(
            "如图，$PT$ 与⊙$O$ 相切于点 $T$，$OT=@r$，$OP=@d$，求切线 $PT$ 的长。",
            r"连接 $OT$，则 $OT\perp PT$，故 $PT=\sqrt{@d^2-@r^2}$。",
        ),
    ).free(num(length))


def trapezoid_area(top: int = 6, bottom: int = 14, leg: int = 5) -> ExampleProblem:
    """The area of an isosceles trapezoid whose height must be found first."""
    height = math.sqrt(leg**2 - ((bottom - top) / 2) ** 2)
    return Draft(
        head("math-trapezoid-area", "plane-geometry", 2, JUNIOR, ("Geometry/Angles and areas",)),
        geometry.isosceles_trapezoid(top, bottom, leg),
        {"top": top, "bottom": bottom, "leg": leg},
        {"top": num(top), "bottom": num(bottom), "leg": num(leg)},
        Words(
            r"$ABCD$ is an isosceles trapezoid with $AD\parallel BC$, $AD=@top$, $BC=@bottom$ and "
            "$AB=CD=@leg$. What is its area?",
            r"Half the difference of the bases is $\frac{@bottom-@top}{2}$; with the leg @leg it gives "
            "the height.",
        ),
        Words(
            r"如图，在等腰梯形 $ABCD$ 中，$AD\parallel BC$，$AD=@top$，$BC=@bottom$，$AB=CD=@leg$，则它的"
            "面积为（　）",
            r"过 $A$ 作 $BC$ 的垂线，垂足到 $B$ 的距离为 $\frac{@bottom-@top}{2}$，由勾股定理求出高，再求"
            "面积。",
        ),
    ).single(
        option(f"${num((top + bottom) * height / 2)}$"),
        option(f"${num((top + bottom) * leg / 2)}$", "takes the leg for the height"),
        option(f"${num((top + bottom) * height)}$", "forgets to halve"),
        option(f"${num(bottom * height)}$", "treats the figure as a parallelogram on the longer base"),
    )


def cone_surface(radius: int = 3, height: int = 4) -> ExampleProblem:
    """The lateral surface of a cone from radius and height."""
    slant = math.hypot(radius, height)
    return Draft(
        head("math-cone-surface", "solid-geometry", 2, SENIOR, ("Geometry/Solids",)),
        geometry.cone(radius, height),
        {"radius": radius, "height": height},
        {"r": num(radius), "h": num(height)},
        Words(
            "A right circular cone has apex $P$ and a base with centre $O$; ⟨r|the base radius $OA$ is $@r$⟩ "
            "and ⟨h|the height $PO$ is $@h$⟩. What is the area of its lateral surface?",
            r"The slant height is $PA=\sqrt{@r^2+@h^2}$; the lateral surface is $\pi\cdot OA\cdot PA$.",
            "A right circular cone has apex $P$ and a base with centre $O$. What is the area of its lateral "
            "surface?",
        ),
        Words(
            "如图，圆锥的顶点为 $P$，底面圆心为 $O$，⟨r|底面半径 $OA=@r$⟩，⟨h|高 $PO=@h$⟩，则该圆锥的侧面"
            "积为（　）",
            r"母线长 $PA=\sqrt{@r^2+@h^2}$，侧面积为 $\pi\cdot OA\cdot PA$。",
            "如图，圆锥的顶点为 $P$，底面圆心为 $O$，则该圆锥的侧面积为（　）",
        ),
        Split(
            (PYTHAGORAS, CONE_SURFACE), {"r": Shown((("$@r$", "radius"),)), "h": Shown((("$@h$", "height"),))}
        ),
    ).single(
        option(rf"${num(radius * slant)}\pi$"),
        option(rf"${num(radius * height)}\pi$", "uses the height instead of the slant height"),
        option(rf"${num(radius * slant + radius**2)}\pi$", "adds the base"),
        option(rf"${num(2 * radius * slant)}\pi$", "uses the formula of a cylinder's side"),
    )


def cuboid_diagonal(length: int = 12, width: int = 3, height: int = 4) -> ExampleProblem:
    """The space diagonal of a cuboid."""
    return Draft(
        head("math-cuboid-diagonal", "solid-geometry", 1, SENIOR, ("Geometry/Solids",)),
        geometry.cuboid(length, width, height),
        {"length": length, "width": width, "height": height},
        {"a": num(length), "b": num(width), "c": num(height)},
        Words(
            "The edges of a cuboid measure @a, @b and @c, as marked. How long is its space diagonal $AG$?",
            r"$AG=\sqrt{@a^2+@b^2+@c^2}$.",
        ),
        Words(
            "如图，长方体的长、宽、高分别为 @a、@b、@c，求它的体对角线 $AG$ 的长。",
            r"$AG=\sqrt{@a^2+@b^2+@c^2}$。",
        ),
    ).free(num(math.sqrt(length**2 + width**2 + height**2)))


def difference_of_squares(outer: int = 13, inner: int = 7) -> ExampleProblem:
    """The area left when a corner square is cut out."""
    return Draft(
        head(
            "math-difference-of-squares",
            "algebraic-operations",
            1,
            JUNIOR,
            ("Algebra/Expressions", "Geometry/Angles and areas"),
        ),
        geometry.nested_squares(outer, inner),
        {"outer": outer, "inner": inner},
        {"a": num(outer), "b": num(inner)},
        Words(
            "From a square of side @a a square of side @b is cut away at one corner. What is the area of the "
            "shaded part that is left?",
            r"$@a^2-@b^2=(@a+@b)(@a-@b)$.",
        ),
        Words(
            "如图，从边长为 @a 的正方形纸片的一角剪去一个边长为 @b 的小正方形，剩余阴影部分的面积为（　）",
            r"$@a^2-@b^2=(@a+@b)(@a-@b)$。",
        ),
    ).single(
        option(f"${outer**2 - inner**2}$"),
        option(f"${(outer - inner) ** 2}$", "squares the difference"),
        option(f"${outer**2 + inner**2}$", "adds the squares"),
        option(f"${2 * inner * (outer - inner)}$", "counts only the two side strips"),
    )


def match_pattern(shown: int = 3, asked: int = 20) -> ExampleProblem:
    """Matches needed for a row of squares."""
    return Draft(
        head("math-match-pattern", "algebraic-operations", 2, JUNIOR, ("Algebra/Expressions",)),
        geometry.match_squares(shown),
        {"shown": shown, "asked": asked},
        {"n": num(asked)},
        Words(
            "Squares are laid in a row with matches; figure $n$ has $n$ squares, and neighbouring squares "
            "share one match. How many matches does the figure with $n=@n$ need?",
            "The first square takes four matches and each further one three.",
        ),
        Words(
            "如图，用火柴棒依次摆出由 $n$ 个正方形排成一行的图形，相邻两个正方形共用一根火柴棒，则 $n=@n$ "
            "时所需火柴棒的根数为（　）",
            "第一个正方形需要四根火柴棒，以后每增加一个正方形增加三根。",
        ),
    ).single(
        option(f"${3 * asked + 1}$"),
        option(f"${4 * asked}$", "forgets that neighbours share a match"),
        option(f"${3 * asked}$", "forgets the match that closes the row"),
        option(f"${3 * asked + 4}$", "adds the first square to three for each of all squares"),
    )


def spinner(sectors: int = 8, shaded: tuple[int, ...] = (0, 3, 5)) -> ExampleProblem:
    """The mean wait for two hits in a row: a state equation for each run of hits."""
    hit = Fraction(len(shaded), sectors)
    return Draft(
        head("math-spinner", "probability-and-statistics", 5, CONTEST, ("Probability/Expectation",)),
        geometry.spinner(sectors, shaded),
        {"sectors": sectors, "shaded": shaded},
        {"n": num(sectors), "k": num(len(shaded))},
        Words(
            "A disc is divided into @n equal sectors, @k of which are shaded. The pointer is spun again and "
            "again and never stops on a line. The game ends as soon as it has stopped on shaded sectors "
            "twice in a row. What is the expected number of spins?",
            r"Let $E$ be the expected number, $F$ the one that is left after a hit, $p=\frac{@k}{@n}$. Then "
            r"$E=1+pF+(1-p)E$ and $F=1+(1-p)E$, so $E=\frac{1+p}{p^2}$.",
        ),
        Words(
            "如图，转盘被等分成 @n 个扇形，其中 @k 个涂有阴影。反复转动指针（指针停在分界线上时重转），"
            "当指针连续两次停在阴影区域时游戏结束，则转动次数的数学期望为（　）",
            r"设所求期望为 $E$，刚停在阴影区域一次后还需转动次数的期望为 $F$，$p=\frac{@k}{@n}$。则 "
            r"$E=1+pF+(1-p)E$，$F=1+(1-p)E$，解得 $E=\frac{1+p}{p^2}$。",
        ),
    ).single(
        _fraction((1 + hit) / hit**2),
        _fraction(1 / hit**2, "waits for one event of probability $p^2$"),
        _fraction(2 / hit**2, "cuts the spins into pairs, so that hits in neighbouring pairs do not count"),
        _fraction(2 / hit, "waits for two hits, in a row or not"),
    )


def _fraction(value: Fraction, mistake: str = "") -> Option:
    if value.denominator == 1:
        return option(f"${value.numerator}$", mistake)
    return option(rf"$\frac{{{value.numerator}}}{{{value.denominator}}}$", mistake)


def lattice_paths(columns: int = 4, rows: int = 3) -> ExampleProblem:
    """Shortest ways through a street grid."""
    steps = columns + rows
    return Draft(
        head("math-lattice-paths", "combinatorial-mathematics", 3, SENIOR, ("Combinatorics/Counting",)),
        geometry.lattice(columns, rows),
        {"columns": columns, "rows": rows},
        {},
        Words(
            "The figure shows the streets of a town. Somebody walks from $A$ to $B$ along the streets, only "
            "to the right or upwards. How many different routes are there?",
            "Count the steps to the right and the steps upwards; choose which steps of the walk go upwards.",
        ),
        Words(
            "如图为某城区的街道示意图，某人沿街道从 $A$ 走到 $B$，只能向右或向上走，则不同的走法共有（　）",
            "数出向右和向上各需走的段数，从全部段数中选出向上走的各段即可。",
        ),
    ).single(
        option(f"${math.comb(steps, rows)}$"),
        option(f"${math.comb(steps + 2, rows + 1)}$", "counts crossings instead of street sections"),
        option(f"${columns * rows}$", "multiplies columns and rows"),
        option(f"${2**steps}$", "lets every step go either way"),
    )


PROBLEMS = (
    altitude_to_hypotenuse,
    law_of_cosines,
    inscribed_angle,
    parallel_in_triangle,
    tangent_length,
    trapezoid_area,
    cone_surface,
    cuboid_diagonal,
    difference_of_squares,
    match_pattern,
    spinner,
    lattice_paths,
)
