"""Mathematics: functions and their graphs, sets, vectors, data and chance."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from benchwright.examples import charts, networks
from benchwright.examples.plots import Plot, draw
from benchwright.examples.problem import (
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
from benchwright.examples.tables import table

head = partial(Head, "mathematics")
GRAPHS, SETS = ("Functions/Graphs",), ("Algebra/Expressions",)
RECTANGLE = Term(
    "the meaning of $k$ in an inverse proportion",
    "反比例函数中 $k$ 的几何意义",
    r"The perpendiculars from a point of $y=\frac{k}{x}$ to the axes enclose a rectangle of area $|k|$.",
    r"过 $y=\frac{k}{x}$ 图象上一点作两坐标轴的垂线，与坐标轴围成的矩形面积为 $|k|$。",
)
ELLIPSE = Term(
    "the definition of an ellipse",
    "椭圆的定义",
    "The distances from a point of an ellipse to the two foci add up to the long axis.",
    "椭圆上任意一点到两个焦点的距离之和等于长轴长。",
)


def two_lines(left: int = 1, above: int = 4) -> ExampleProblem:
    """The crossing of two lines given by their intercepts; two parts."""
    x = Fraction(2 * (above - left), 3)
    y = x + left
    return Draft(
        head("math-two-lines", "functions-and-equations", 2, JUNIOR, GRAPHS),
        draw(
            Plot(
                "function-graph",
                (-left * 1.8, 2 * above * 1.05),
                (-left * 1.2, above * 1.4),
                ("x", "y"),
                lines=[
                    [(-left * 1.5, -left * 0.5), (above * 1.1, above * 1.1 + left)],
                    [(-left, above + left / 2), (2 * above * 1.04, -above * 0.04)],
                ],
                dots=[(float(x), float(y))],
                tags=[
                    ("P", float(x), float(y) + 0.1, "n"),
                    (num(left), 0, left, "se"),
                    (num(above), 0, above, "ne"),
                    (num(-left), -left, 0, "nw"),
                    (num(2 * above), 2 * above, 0, "ne"),
                ],
                zero_side="se",
            )
        ),
        {"left": left, "above": above},
        {},
        Words(
            "Two straight lines meet at $P$; where they cross the axes is marked. (1) What is the "
            "abscissa of $P$? (2) What is its ordinate?",
            "Write each line by its intercepts and solve the two equations.",
        ),
        Words(
            "如图，两条直线相交于点 $P$，它们与坐标轴的交点已标出。(1) 点 $P$ 的横坐标是多少？(2) 点 $P$ "
            "的纵坐标是多少？",
            "由截距写出两条直线的方程，再联立求解。",
        ),
        constants=("1", "2"),
    ).parts(Option(num(x), num(x)), Option(num(y), num(y)))


def exponential(start: int = 3, later: int = 12, asked: int = 4) -> ExampleProblem:
    """A value of an exponential function from two points of its graph; the second one lies at 2."""
    base = Fraction(later, start) ** Fraction(1, 2)
    points = [(0.1 * i - 0.6, start * float(base) ** (0.1 * i - 0.6)) for i in range(29)]
    return Draft(
        head("math-exponential", "functions-and-equations", 2, SENIOR, ("Functions/Graphs",)),
        draw(
            Plot(
                "function-graph",
                (-0.8, 2.6),
                (0, later * 1.7),
                ("x", "y"),
                xs=[2],
                ys=[later],
                curves=[points],
                guides=[(2, later)],
                dots=[(0, start), (2, later)],
                tags=[(num(start), 0, start, "nw")],
            )
        ),
        {"start": start, "later": later, "asked": asked},
        {"s": num(start), "l": num(later), "n": num(asked)},
        Words(
            r"The figure shows the graph of $f(x)=a\cdot b^x$; the two marked points are $(0,@s)$ and "
            "$(2,@l)$. Find $f(@n)$.",
            r"$a=f(0)$, $b^2=\frac{f(2)}{a}$.",
        ),
        Words(
            r"如图为函数 $f(x)=a\cdot b^x$ 的图象，标出的两点为 $(0,@s)$ 和 $(2,@l)$，求 $f(@n)$ 的值。",
            r"$a=f(0)$，$b^2=\frac{f(2)}{a}$。",
        ),
        constants=("0", "2"),
    ).free(num(round(start * float(base) ** asked, 6)))


def best_corner(total: int = 6, double: int = 8, x_gain: int = 3, y_gain: int = 2) -> ExampleProblem:
    """The greatest value of a linear form over a quadrilateral."""
    right, inner = Fraction(double, 2), Fraction(double - total)
    corners = [(Fraction(0), Fraction(total)), (right, Fraction(0)), (inner, 2 * total - Fraction(double))]
    values = [x_gain * x + y_gain * y for x, y in corners]
    return Draft(
        head("math-best-corner", "functions-and-equations", 3, SENIOR, ("Functions/Graphs",)),
        draw(
            Plot(
                "region",
                (0, total * 1.3),
                (0, double * 1.2),
                ("x", "y"),
                xs=[double / 2, total],
                ys=[total, double],
                areas=[[(0, 0), (0, total), (double - total, 2 * total - double), (double / 2, 0)]],
                lines=[[(0, total), (total, 0)], [(0, double), (double / 2, 0)]],
            )
        ),
        {"total": total, "double": double, "x_gain": x_gain, "y_gain": y_gain},
        {"p": num(x_gain), "q": num(y_gain)},
        Words(
            "The shaded region, border included, is bounded by the axes and two lines whose intercepts "
            "are marked. What is the greatest value of $z=@{p}x+@{q}y$ on it?",
            "A linear form is greatest at a corner: compare its values at the corners.",
        ),
        Words(
            "图中阴影区域（含边界）由坐标轴和两条直线围成，直线的截距已标出，则 $z=@{p}x+@{q}y$ 在该区域"
            "上的最大值为（　）",
            "线性目标函数在顶点处取最大值，比较各顶点处的值。",
        ),
    ).single(
        option(f"${num(max(values))}$"),
        option(
            f"${x_gain * total + y_gain * double}$",
            "takes the outer intercepts, which lie outside the region",
        ),
        option(f"${num(sorted(values)[1])}$", "stops at a corner that is not the best"),
        option(f"${num(max(values) + x_gain)}$", "steps one beyond the corner"),
    )


def rectangle_under_hyperbola(area: int = 6) -> ExampleProblem:
    """The constant of an inverse proportion from a rectangle in the second quadrant."""
    points = [(-0.05 * i, area / (0.05 * i)) for i in range(18, 121)]
    return Draft(
        head("math-hyperbola-rectangle", "functions-and-equations", 2, JUNIOR, GRAPHS),
        draw(
            Plot(
                "function-graph",
                (-6.5, 1.5),
                (-0.6, area / 0.9 * 1.1),
                ("x", "y"),
                origin=(0, 0),
                areas=[[(0, 0), (-2, 0), (-2, area / 2), (0, area / 2)]],
                curves=[points],
                dots=[(-2, area / 2)],
                tags=[("P", -2, area / 2, "nw"), ("A", -2, 0, "s"), ("B", 0, area / 2, "e")],
                rooms=[("area", -1.74, area / 4 + 0.24, 64, 26)],
                zero_side="se",
            )
        ),
        {"area": area},
        {"s": num(area)},
        Words(
            r"$P$ lies on the graph of $y=\frac{k}{x}$ in the second quadrant; $PA$ and $PB$ are "
            "perpendicular to the axes. ⟨s|The rectangle $OAPB$ has the area $@s$.⟩ What is $k$?",
            "The product of the coordinates of $P$ is $k$; its absolute value is the area, and $k$ is "
            "negative here.",
            r"$P$ lies on the graph of $y=\frac{k}{x}$ in the second quadrant; $PA$ and $PB$ are "
            "perpendicular to the axes. What is $k$?",
        ),
        Words(
            r"如图，点 $P$ 在反比例函数 $y=\frac{k}{x}$ 第二象限的图象上，$PA$、$PB$ 分别垂直于坐标轴，"
            "⟨s|矩形 $OAPB$ 的面积为 $@s$⟩，则 $k$ 的值为（　）",
            "点 $P$ 的横、纵坐标之积为 $k$，其绝对值等于矩形面积，且 $k$ 为负。",
            r"如图，点 $P$ 在反比例函数 $y=\frac{k}{x}$ 第二象限的图象上，$PA$、$PB$ 分别垂直于坐标轴，"
            "则 $k$ 的值为（　）",
        ),
        Split((RECTANGLE,), {"s": Shown((("$@s$", "area"),))}),
    ).single(
        option(f"${-area}$"),
        option(f"${area}$", "overlooks that the branch lies in the second quadrant"),
        option(f"${num(Fraction(-area, 2))}$", "takes the area of a triangle for k"),
        option(f"${-2 * area}$", "doubles the area"),
    )


def focal_triangle(a: int = 5, c: int = 3) -> ExampleProblem:
    """The perimeter of the triangle of a point of an ellipse and the foci."""
    b = (a * a - c * c) ** 0.5
    angles = [2 * math.pi * i / 72 for i in range(73)]
    return Draft(
        head("math-focal-triangle", "functions-and-equations", 3, SENIOR, ("Functions/Graphs",)),
        draw(
            Plot(
                "conic",
                (-a * 1.25, a * 1.25),
                (-b * 1.35, b * 1.35),
                ("x", "y"),
                xs={c: "F_2", -c: "F_1"},
                curves=[[(a * math.cos(t), b * math.sin(t)) for t in angles]],
                lines=[[(-c, 0), (a * 0.4, b * (1 - 0.16) ** 0.5), (c, 0)]],
                dots=[(-c, 0), (c, 0), (a * 0.4, b * (1 - 0.16) ** 0.5)],
                tags=[
                    ("P", a * 0.4, b * (1 - 0.16) ** 0.5, "ne"),
                    (num(a), a, 0, "se"),
                    (num(-a), -a, 0, "sw"),
                ],
                size=(520, 330),
            )
        ),
        {"a": a, "c": c},
        {"a": num(a), "c": num(c)},
        Words(
            "$P$ is a point of the ellipse with the foci $F_1$ and $F_2$. ⟨a|The ellipse meets the $x$ "
            "axis at $x=-@a$ and $x=@a$⟩, and the distance of each focus from $O$ is @c. What is the "
            "perimeter of the triangle $PF_1F_2$?",
            "$PF_1+PF_2$ is the long axis; add the distance of the foci.",
            "$P$ is a point of the ellipse with the foci $F_1$ and $F_2$, each of which is at the "
            "distance @c from $O$. What is the perimeter of the triangle $PF_1F_2$?",
        ),
        Words(
            "如图，$P$ 是椭圆上一点，$F_1$、$F_2$ 为焦点，⟨a|椭圆与 $x$ 轴交于 $x=-@a$ 和 $x=@a$⟩，焦点"
            r"到 $O$ 的距离均为 @c，则 $\triangle PF_1F_2$ 的周长为（　）",
            "$PF_1+PF_2$ 等于长轴长，再加上焦距。",
            r"如图，$P$ 是椭圆上一点，$F_1$、$F_2$ 为焦点，焦点到 $O$ 的距离均为 @c，则 $\triangle "
            "PF_1F_2$ 的周长为（　）",
        ),
        Split((ELLIPSE,), {"a": Shown()}),
        constants=("1", "2"),
    ).single(
        option(f"${2 * a + 2 * c}$"),
        option(f"${2 * a}$", "leaves out the distance of the foci"),
        option(f"${a + c}$", "takes half of each axis"),
        option(f"${4 * a}$", "gives the perimeter of a triangle with a chord through a focus"),
    )


def venn_counts(only_a: int = 12, both: int = 5, only_b: int = 9, neither: int = 4) -> ExampleProblem:
    """Counts of a union and of a complement; two parts."""
    return Draft(
        head("math-venn-counts", "algebraic-operations", 1, SENIOR, SETS),
        charts.venn(only_a, both, only_b, neither),
        {"only_a": only_a, "both": both, "only_b": only_b, "neither": neither},
        {},
        Words(
            "The numbers tell how many elements each region of the sets $A$ and $B$ in the universe $U$ "
            "has. (1) How many elements has $A\\cup B$? (2) How many elements has the complement of $B$ "
            "in $U$?",
            "Add the regions that belong to the set.",
        ),
        Words(
            "如图，各区域内的数表示全集 $U$ 中集合 $A$、$B$ 各部分的元素个数。(1) $A\\cup B$ 有多少个元"
            "素？(2) $B$ 在 $U$ 中的补集有多少个元素？",
            "把属于该集合的各区域的元素个数相加。",
        ),
        constants=("1", "2"),
    ).parts(
        Option(f"{only_a + both + only_b}", f"{only_a + both + only_b}"),
        Option(f"{only_a + neither}", f"{only_a + neither}"),
    )


def signs_on_a_line(a: int = -3, b: int = 2) -> ExampleProblem:
    """Signs of expressions of two numbers on a line; multiple-select."""

    def says(tex: str, true: bool) -> Option:
        return option(f"${tex}$", "" if true else "misreads the places of the two numbers")

    return Draft(
        head("math-number-line", "algebraic-operations", 1, JUNIOR, ("Algebra/Expressions",)),
        charts.number_line(a, b),
        {"a": a, "b": b},
        {},
        Words(
            "The points $a$ and $b$ lie on the number line as shown. Which are true?",
            "Read the signs and compare the distances from zero.",
        ),
        Words(
            "数 $a$、$b$ 在数轴上的位置如图所示，下列结论正确的有（　）",
            "由图判断两数的符号，并比较它们到原点的距离。",
        ),
    ).multiple(
        says("a+b<0", a + b < 0),
        says("ab<0", a * b < 0),
        says("|a|<|b|", abs(a) < abs(b)),
        says("b-a>0", b - a > 0),
    )


def dot_product(ax: int = 4, ay: int = 1, bx: int = 2, by: int = 3) -> ExampleProblem:
    """The scalar product of two vectors on a grid."""

    def whole(value: int, mistake: str = "") -> Option:
        return option(f"${value}$", mistake)

    return Draft(
        head("math-dot-product", "algebraic-operations", 2, SENIOR, ("Algebra/Expressions",)),
        charts.vectors((ax, ay), (bx, by)),
        {"ax": ax, "ay": ay, "bx": bx, "by": by},
        {},
        Words(
            r"The squares of the grid have sides of length one. What is $\vec{a}\cdot\vec{b}$?",
            "Read both vectors off the grid; multiply the components and add.",
        ),
        Words(
            r"如图，网格中小正方形的边长为一个单位长度，则 $\vec{a}\cdot\vec{b}$ 等于（　）",
            "由网格读出两个向量的坐标，对应坐标相乘再相加。",
        ),
    ).single(
        whole(ax * bx + ay * by),
        whole(ax * by - ay * bx, "gives the area of the parallelogram"),
        whole(ax * bx - ay * by, "subtracts the second product"),
        whole((ax + ay) * (bx + by), "multiplies the sums"),
    )


def loop_sum(last: int = 7, step: int = 2) -> ExampleProblem:
    """What a loop prints."""
    rounds = range(1, last + 1, step)
    return Draft(
        head("math-flow-chart", "algebraic-operations", 3, SENIOR, ("Algebra/Expressions",)),
        networks.flow_chart(("S=0", "i=1"), rf"i\leq {last}", (r"S=S+i^2", f"i=i+{step}"), "S"),
        {"last": last, "step": step},
        {},
        Words(
            "The flow chart is run from the top; Y means yes and N means no. Which value of $S$ is "
            "printed at the end?",
            "Follow the loop round by round and write down $S$ and $i$.",
        ),
        Words(
            "执行如图所示的程序框图（Y 表示是，N 表示否），最后输出的 $S$ 的值为（　）",
            "逐次执行循环，依次写出 $S$ 与 $i$ 的值。",
        ),
    ).single(
        option(f"${sum(i * i for i in rounds)}$"),
        option(f"${sum(i * i for i in rounds) - rounds[-1] ** 2}$", "stops one round too early"),
        option(f"${sum(rounds)}$", "adds the numbers instead of their squares"),
        option(f"${sum(rounds) ** 2}$", "squares the sum"),
    )


def magic_square(corner: int = 8, side: int = 10, centre: int = 7) -> ExampleProblem:
    """An entry of a magic square; free form."""
    return Draft(
        head("math-magic-square", "algebraic-operations", 2, JUNIOR, ("Algebra/Expressions",)),
        table([[str(corner), "", "x"], [str(side), str(centre), ""], ["", "", ""]], first=88, header=False),
        {"corner": corner, "side": side, "centre": centre},
        {},
        Words(
            "Rows, columns and both diagonals of the square have the same sum. Find $x$.",
            "The sum of a line is three times the number in the middle; the corner below and the one "
            "with $x$ lie on a diagonal.",
        ),
        Words(
            "如图，方格中每行、每列及两条对角线上三个数的和都相等，求 $x$ 的值。",
            "每条线上三数之和等于中间数的三倍；左下角的数与 $x$ 在同一条对角线上。",
        ),
    ).free(num(corner + side - centre))


PROBLEMS = (
    two_lines,
    exponential,
    best_corner,
    rectangle_under_hyperbola,
    focal_triangle,
    venn_counts,
    signs_on_a_line,
    dot_product,
    loop_sum,
    magic_square,
)
