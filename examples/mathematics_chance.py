"""Mathematics: statistics, chance, counting."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from benchwright.examples import charts, networks
from benchwright.examples.plots import Plot, draw
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
STATISTICS, COUNTING = ("Statistics/Data",), ("Combinatorics/Counting",)
SHARES = Term(
    "shares of a whole",
    "扇形统计图",
    "A sector's share of the circle is the share of its group in the whole.",
    "扇形统计图中各扇形占圆的百分比等于该部分占总体的百分比。",
)
TOTAL = Term(
    "Bayes' formula",
    "贝叶斯公式",
    r"$P(A\mid B)=\frac{P(A)P(B\mid A)}{P(B)}$, where $P(B)$ is summed over all cases.",
    r"$P(A\mid B)=\frac{P(A)P(B\mid A)}{P(B)}$，其中 $P(B)$ 由全概率公式求得。",
)


def pie_chart(total: int = 120, shares: tuple[int, ...] = (35, 25, 30, 10)) -> ExampleProblem:
    """How many people a sector stands for."""

    def people(value: Fraction | int, mistake: str = "") -> Option:
        return option(f"${num(value)}$", mistake)

    return Draft(
        head("math-pie-chart", "probability-and-statistics", 1, JUNIOR, ("Statistics/Data",)),
        charts.pie(list(zip("PQRS", shares, strict=True))),
        {"total": total, "shares": shares},
        {"t": num(total)},
        Words(
            "Every pupil of a school year chose one of the clubs P, Q, R, S; the chart shows the shares. "
            "⟨t|The year has @t pupils.⟩ How many more chose P than Q?",
            "Subtract the shares and take that part of the whole.",
            "Every pupil of a school year chose one of the clubs P, Q, R, S; the chart shows the shares. "
            "How many more chose P than Q?",
        ),
        Words(
            "某年级学生从 P、Q、R、S 四个社团中各选一个，各社团所占百分比如图所示。⟨t|该年级共有 @t 名学"
            "生⟩，则选 P 的学生比选 Q 的多（　）",
            "先求两部分百分比之差，再乘以总人数。",
            "某年级学生从 P、Q、R、S 四个社团中各选一个，各社团所占百分比如图所示，则选 P 的学生比选 Q 的"
            "多（　）",
        ),
        Split((SHARES,), {"t": Shown((("$n=@t$", "total"),))}),
    ).single(
        people(Fraction(total * (shares[0] - shares[1]), 100)),
        people(shares[0] - shares[1], "takes percentages for pupils"),
        people(Fraction(total * shares[0], 100), "gives the pupils of P"),
        people(Fraction(total * (shares[0] + shares[1]), 100), "adds the shares"),
    )


def grouped_median(
    counts: tuple[int, ...] = (4, 10, 16, 8, 2), low: int = 140, width: int = 10
) -> ExampleProblem:
    """The median of grouped data by linear interpolation; free form."""
    half, before, place = Fraction(sum(counts), 2), 0, 0
    while before + counts[place] < half:
        before, place = before + counts[place], place + 1
    edges = [low + width * i for i in range(len(counts) + 1)]
    median = edges[place] + width * (half - before) / counts[place]
    return Draft(
        head("math-grouped-median", "probability-and-statistics", 3, SENIOR, STATISTICS),
        charts.histogram(edges, counts, (r"h/\mathrm{cm}", "n")),
        {"counts": counts, "low": low, "width": width},
        {},
        Words(
            "The histogram shows the heights $h$ of plants; the number of plants of each class stands on "
            "its column. Estimate the median in cm, taking the plants of a class as evenly spread.",
            "Find the class in which half of all plants is reached and go the missing share into it.",
        ),
        Words(
            "图为一批植株高度 $h$ 的频数分布直方图，各组的频数标在矩形上方。假定每组内数据均匀分布，估计"
            "这批植株高度的中位数（单位：cm）。",
            "找到累计频数达到一半的组，再按缺少的份额在组内推进。",
        ),
    ).free(num(round(float(median), 6)), "cm")


def regression(heights: tuple[int, ...] = (2, 4, 5, 4, 5), asked: int = 8) -> ExampleProblem:
    """A prediction by the line of least squares through points at x = 1, 2, ...; free form."""
    xs = range(1, len(heights) + 1)
    n, sx, sy = len(heights), sum(xs), sum(heights)
    slope = Fraction(
        n * sum(x * y for x, y in zip(xs, heights, strict=True)) - sx * sy,
        n * sum(x * x for x in xs) - sx * sx,
    )
    level = Fraction(sy, n) - slope * Fraction(sx, n)
    return Draft(
        head("math-regression", "probability-and-statistics", 4, SENIOR, ("Statistics/Data",)),
        draw(
            Plot(
                "scatter-chart",
                (0, n + 0.6),
                (0, max(heights) + 1.2),
                ("x", "y"),
                xs=list(xs),
                ys=list(range(1, max(heights) + 1)),
                grid=True,
                dots=[(x, float(y)) for x, y in zip(xs, heights, strict=True)],
            )
        ),
        {"heights": heights, "asked": asked},
        {"n": num(asked)},
        Words(
            "The scatter chart shows all measured pairs; their coordinates are whole numbers. Which "
            "value does the least-squares line $y=bx+a$ predict at $x=@n$?",
            "The line passes through the mean point; $b$ is the sum of the products of the deviations "
            "divided by the sum of the squared deviations of $x$.",
        ),
        Words(
            "散点图给出了全部测量数据，各点坐标均为整数。用最小二乘法求回归直线 $y=bx+a$，并预测 $x=@n$ "
            "所对应的 $y$ 的值。",
            "回归直线过样本中心点；$b$ 等于两变量离差乘积之和除以 $x$ 离差的平方和。",
        ),
    ).free(num(round(float(slope * asked + level), 6)))


def bayes_tree(first: float = 0.6, faulty_first: float = 0.02, faulty_second: float = 0.07) -> ExampleProblem:
    """The cause of a faulty piece, by Bayes' formula."""
    one, two = first * faulty_first, (1 - first) * faulty_second
    texts = [
        f"{v:g}" for v in (first, 1 - first, faulty_first, 1 - faulty_first, faulty_second, 1 - faulty_second)
    ]

    def chance(value: float, mistake: str = "") -> Option:
        return option(f"${value:.3f}$", mistake)

    return Draft(
        head("math-bayes-tree", "probability-and-statistics", 4, SENIOR, ("Probability/Events",)),
        charts.chance_tree(
            [("A_1", texts[0]), ("A_2", texts[1])],
            [[("B", texts[2]), (r"\overline{B}", texts[3])], [("B", texts[4]), (r"\overline{B}", texts[5])]],
        ),
        {"first": first, "faulty_first": faulty_first, "faulty_second": faulty_second},
        {"a": texts[0], "b": texts[2], "c": texts[4]},
        Words(
            "A part comes from machine $A_1$ or $A_2$, and $B$ means that it is faulty. The share of "
            "machine $A_1$ is ⟨a|@a of all parts⟩; ⟨b|@b of its parts are faulty⟩, ⟨c|@c of the others⟩. "
            "A part is "
            "found to be faulty. With what probability does it come from $A_1$?",
            r"$P(A_1\mid B)=\frac{P(A_1)P(B\mid A_1)}{P(B)}$; $P(B)$ is the sum over both branches that "
            "end in $B$.",
            "A part comes from machine $A_1$ or $A_2$, and $B$ means that it is faulty; the tree shows "
            "the share of machine $A_1$ and the rates of faulty parts. A part is found to be faulty. "
            "With what probability does it come from "
            "$A_1$?",
        ),
        Words(
            "零件由机器 $A_1$ 或 $A_2$ 生产，$B$ 表示零件为次品。$A_1$ 生产的零件⟨a|占全部的 @a⟩，⟨b|其次品率"
            "为 @b⟩，⟨c|另一台机器的次品率为 @c⟩。现抽到一件次品，它由 $A_1$ 生产的概率为（　）",
            r"$P(A_1\mid B)=\frac{P(A_1)P(B\mid A_1)}{P(B)}$，其中 $P(B)$ 为两条通向 $B$ 的路径概率之和。",
            "零件由机器 $A_1$ 或 $A_2$ 生产，$B$ 表示零件为次品，$A_1$ 所占份额和次品率如树状图所示。现抽"
            "到一件次品，它"
            "由 $A_1$ 生产的概率为（　）",
        ),
        Split((TOTAL,), {"a": Shown(), "b": Shown(), "c": Shown()}),
        constants=("1", "2"),
    ).single(
        chance(one / (one + two)),
        chance(one, "gives the probability of both together"),
        chance(two / (one + two), "gives the other machine"),
        chance(faulty_first / (faulty_first + faulty_second), "leaves out how much each machine makes"),
    )


def wheel_colouring(ring: int = 4, colours: int = 4) -> ExampleProblem:
    """Colourings of a map of one inner region and a ring around it."""
    k = colours - 1
    ways = colours * ((k - 1) ** ring + (-1) ** ring * (k - 1))
    return Draft(
        head("math-map-colouring", "combinatorial-mathematics", 4, CONTEST, COUNTING),
        networks.ring_map(ring),
        {"ring": ring, "colours": colours},
        {"k": num(colours)},
        Words(
            "The regions of the map, the shaded one included, are coloured with @k colours, which need "
            "not all be used. Regions that share a border line must differ. In how many ways can it be "
            "done?",
            "Colour the inner region first; the ring is then a closed chain with one colour fewer.",
        ),
        Words(
            "用 @k 种颜色给如图所示的地图（包括中间的阴影区域）涂色，颜色不必全部用上，有公共边界的区域不"
            "能同色，则不同的涂法种数为（　）",
            "先涂中间的区域，外圈变成少一种颜色可用的环状涂色问题。",
        ),
    ).single(
        option(f"${ways}$"),
        option(
            f"${colours * k * (k - 1) ** (ring - 1)}$",
            "forgets that the last region of the ring meets the first",
        ),
        option(f"${colours * k**ring}$", "lets neighbours in the ring agree"),
        option(f"${ways // colours}$", "forgets the inner region"),
    )


ROADS = (
    ("A", "B"),
    ("A", "C"),
    ("B", "C"),
    ("B", "D"),
    ("C", "E"),
    ("B", "E"),
    ("D", "E"),
    ("D", "F"),
    ("E", "F"),
)
TOWNS = {
    "A": (50.0, 170.0),
    "B": (180.0, 60.0),
    "C": (180.0, 280.0),
    "D": (360.0, 60.0),
    "E": (360.0, 280.0),
    "F": (490.0, 170.0),
}


def shortest_road(lengths: tuple[int, ...] = (4, 2, 1, 5, 8, 10, 2, 6, 3)) -> ExampleProblem:
    """The shortest way through a network from A to F; free form."""
    far = dict.fromkeys(TOWNS, math.inf) | {"A": 0}
    for _ in TOWNS:
        for (a, b), length in zip(ROADS, lengths, strict=True):
            far[a], far[b] = min(far[a], far[b] + length), min(far[b], far[a] + length)
    return Draft(
        head("math-shortest-road", "combinatorial-mathematics", 2, SENIOR, ("Combinatorics/Counting",)),
        networks.network(TOWNS, [(*pair, length) for pair, length in zip(ROADS, lengths, strict=True)]),
        {"lengths": lengths},
        {},
        Words(
            "The figure shows roads between six towns; the numbers are their lengths in kilometres. How "
            "long is the shortest way from $A$ to $F$?",
            "Write at each town the shortest distance from $A$ found so far, and improve it until "
            "nothing changes.",
        ),
        Words(
            "图中线段表示六个城镇之间的公路，数字为公路长度（单位：千米），求从 $A$ 到 $F$ 的最短路程。",
            "在每个城镇旁写出目前从 $A$ 到它的最短距离，不断改进直到不再变化。",
        ),
    ).free(num(far["F"]), "km")


def domino_tilings(columns: int = 8) -> ExampleProblem:
    """Coverings of a board of two rows with dominoes."""
    a, b = 1, 1
    for _ in range(columns):
        a, b = b, a + b
    return Draft(
        head("math-domino-tilings", "combinatorial-mathematics", 3, CONTEST, COUNTING),
        networks.domino_board(columns),
        {"columns": columns},
        {"n": num(columns)},
        Words(
            "A board of two rows and @n columns is to be covered without gaps by dominoes of the kind "
            "shown, lying or upright. How many coverings are there?",
            "The last column is covered by one upright domino or the last two columns by two lying ones: "
            "each number is the sum of the two before it.",
        ),
        Words(
            "用如图所示的骨牌（可横放或竖放）无重叠地铺满一个两行 @n 列的棋盘，不同的铺法种数为（　）",
            "最后一列竖放一块，或最后两列横放两块，故每个数等于前两个数之和。",
        ),
    ).single(
        option(f"${a}$"),
        option(f"${b}$", "counts one column too many"),
        option(f"${b - a}$", "counts one column too few"),
        option(f"${2 ** (columns // 2)}$", "cuts the board into squares of two columns"),
    )


def triangles_in_a_fan(cuts: int = 3, parallels: int = 2) -> ExampleProblem:
    """Triangles of all sizes in a triangle with lines from the apex and parallels; free form."""
    return Draft(
        head("math-triangles-in-fan", "combinatorial-mathematics", 2, JUNIOR, COUNTING),
        networks.fan(cuts, parallels),
        {"cuts": cuts, "parallels": parallels},
        {},
        Words(
            "How many triangles of any size can be found in the figure? The lines across are parallel to "
            "the base.",
            "Each triangle has the apex and two of the lines through it, and one of the lines across (or "
            "the base) as its base.",
        ),
        Words(
            "如图，横线都与三角形的底边平行，图中大小不同的三角形一共有多少个？",
            "每个三角形由过顶点的两条线和一条横线（或底边）围成。",
        ),
    ).free(num(math.comb(cuts + 2, 2) * (parallels + 1)))


def closed_crossing(columns: int = 5, rows: int = 4, closed: tuple[int, ...] = (2, 2)) -> ExampleProblem:
    """Shortest routes on a grid that avoid one crossing."""
    every = math.comb(columns + rows, rows)
    x, y = closed
    through = math.comb(x + y, y) * math.comb(columns - x + rows - y, rows - y)
    return Draft(
        head("math-closed-crossing", "combinatorial-mathematics", 4, SENIOR, COUNTING),
        networks.streets(columns, rows, (float(x), float(y))),
        {"columns": columns, "rows": rows, "closed": closed},
        {},
        Words(
            "Somebody walks on the streets of the plan from $A$ to $B$, only to the right or upwards. "
            "The marked crossing is closed. How many ways are there?",
            "Subtract the ways that pass through the closed crossing from all ways.",
        ),
        Words(
            "如图，某人沿街道从 $A$ 走到 $B$，只能向右或向上走，图中打叉的路口禁止通行，则不同的走法种数"
            "为（　）",
            "从所有走法中减去经过该路口的走法。",
        ),
    ).single(
        option(f"${every - through}$"),
        option(f"${every}$", "passes the closed crossing"),
        option(f"${through}$", "counts the ways that are forbidden"),
        option(f"${every - math.comb(x + y, y)}$", "subtracts only the ways up to the crossing"),
    )


PROBLEMS = (
    pie_chart,
    grouped_median,
    regression,
    bayes_tree,
    wheel_colouring,
    shortest_road,
    domino_tilings,
    triangles_in_a_fan,
    closed_crossing,
)
