"""Mathematics: functions and their graphs, charts and tables."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from benchwright.examples import graphs
from benchwright.examples.knowledge import CONDITIONAL, FACTORED, MEAN
from benchwright.examples.problem import (
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
from benchwright.examples.tables import table

head = partial(Head, "mathematics")


def parabola_equation(root1: int = -1, root2: int = 3, at_zero: int = -3) -> ExampleProblem:
    """A quadratic function from its roots and its value at zero; the leading coefficient is 1 or -1."""
    lead = at_zero // (root1 * root2)

    def expanded(a: int, r: int, s: int) -> str:
        return "y=" + ("-" if a < 0 else "") + "x^2" + _term(-a * (r + s), "x") + _term(a * r * s, "")

    return Draft(
        head("math-parabola-equation", "functions-and-equations", 2, JUNIOR, ("Functions/Graphs",)),
        graphs.parabola(root1, root2, at_zero),
        {"root1": root1, "root2": root2, "at_zero": at_zero},
        {"p": num(root1), "r": num(root2), "c": num(at_zero)},
        Words(
            "A parabola ⟨roots|meets the $x$-axis at $(@p,0)$ and $(@r,0)$⟩ and ⟨c|passes through $(0,@c)$⟩. "
            "Which equation does it have?",
            "Put $y=a(x-x_1)(x-x_2)$ with the two zeros and find $a$ from the point on the $y$-axis.",
            "Which equation does the parabola have?",
        ),
        Words(
            "如图，抛物线⟨roots|与 $x$ 轴交于点 $(@p,0)$ 和 $(@r,0)$⟩，⟨c|且经过点 $(0,@c)$⟩，则其解析式"
            "为（　）",
            "设 $y=a(x-x_1)(x-x_2)$，代入与 $y$ 轴的交点求出 $a$。",
            "如图，抛物线的解析式为（　）",
        ),
        Split((FACTORED,), {"roots": Shown(), "c": Shown()}),
        constants=("0",),
    ).single(
        option(f"${expanded(lead, root1, root2)}$"),
        option(f"${expanded(lead, -root1, -root2)}$", "reads the zeros with the wrong sign"),
        option(f"${expanded(-lead, root1, root2)}$", "opens the parabola the wrong way"),
        option(f"${expanded(-lead, -root1, -root2)}$", "has the signs of both zeros and opening wrong"),
    )


def _term(factor: int, name: str) -> str:
    if factor == 0:
        return ""
    size = "" if abs(factor) == 1 and name else str(abs(factor))
    return ("+" if factor > 0 else "-") + size + name


def walk_and_rest(out: int = 20, rest: int = 30, back: int = 45, distance: int = 900) -> ExampleProblem:
    """A distance-time graph: to the library, a stay, and back; multiple-select."""
    out_speed, back_speed = Fraction(distance, out), Fraction(distance, back - rest)
    return Draft(
        head("math-distance-time", "functions-and-equations", 2, JUNIOR, ("Functions/Graphs",)),
        graphs.piecewise(
            [(0, 0), (out, distance), (rest, distance), (back, 0)], (r"t/\mathrm{min}", r"s/\mathrm{m}")
        ),
        {"out": out, "rest": rest, "back": back, "distance": distance},
        {},
        Words(
            "Li Ming walks from home to a bookshop, stays there for a while and walks home the same way. The "
            "graph shows his distance $s$ from home against the time $t$. Which of the statements are right?",
            "Read the three pieces of the graph: the slope of each is a speed, a level piece is a stay.",
        ),
        Words(
            "李明从家步行到书店，停留一段时间后沿原路步行回家。图中表示他离家的距离 $s$ 与时间 $t$ "
            "的函数关系，下列说法正确的有（　）",
            "图象由三段组成：倾斜段的斜率的绝对值表示速度，水平段表示停留。",
        ),
    ).multiple(
        Option(f"The bookshop is {distance} m from his home.", f"书店离李明家 {distance} m"),
        Option(
            f"He stays in the bookshop for {rest} min.",
            f"他在书店停留了 {rest} min",
            "reads the end of the stay as its length",
        ),
        Option(
            f"On the way there he walks at {num(out_speed)} m/min.",
            f"他去书店的速度为 {num(out_speed)} m/min",
        ),
        Option(
            f"On the way home he is slower than on the way there, at {num(Fraction(distance, back))} m/min.",
            f"他回家时比去时慢，速度为 {num(Fraction(distance, back))} m/min",
            "divides by the whole time",
        ),
        Option(
            f"On the way home he walks at {num(back_speed)} m/min.",
            f"他回家的速度为 {num(back_speed)} m/min",
        ),
    )


def sine_parameters(amplitude: int = 2, omega: int = 2) -> ExampleProblem:
    """Amplitude and angular frequency read from a sine curve."""
    period = Fraction(2, omega)
    top = "" if period.numerator == 1 else str(period.numerator)
    tex = rf"{top}\pi" if period.denominator == 1 else rf"\frac{{{top}\pi}}{{{period.denominator}}}"
    return Draft(
        head("math-sine-parameters", "functions-and-equations", 2, SENIOR, ("Functions/Graphs",)),
        graphs.sine(amplitude, float(period), tex),
        {"amplitude": amplitude, "omega": omega},
        {},
        Words(
            r"The figure shows a part of the graph of $f(x)=A\sin\omega x$ with $A>0$ and $\omega>0$. Which "
            "expression is $f(x)$?",
            r"The largest value is $A$; the first full wave ends at the period $T$, and $\omega$ is "
            r"$\frac{2\pi}{T}$.",
        ),
        Words(
            r"函数 $f(x)=A\sin\omega x$（$A>0$，$\omega>0$）的部分图象如图所示，则 $f(x)$ 的解析式为（　）",
            r"由最大值得 $A$，由图得周期 $T$，再由 $\omega=\frac{2\pi}{T}$ 求 $\omega$。",
        ),
        constants=("0", "2"),
    ).single(
        option(rf"$f(x)={amplitude}\sin {omega}x$"),
        option(
            rf"$f(x)={amplitude}\sin\frac{{x}}{{{omega}}}$", "takes the reciprocal of the angular frequency"
        ),
        option(rf"$f(x)={2 * amplitude}\sin {omega}x$", "takes the whole swing for the amplitude"),
        option(rf"$f(x)={amplitude}\sin {2 * omega}x$", "takes half a wave for the period"),
    )


def derivative_graph(roots: tuple[int, ...] = (-2, 1, 4)) -> ExampleProblem:
    """Monotony and extrema of f from the graph of its derivative; multiple-select."""
    a, b, c = roots
    return Draft(
        head(
            "math-derivative-graph",
            "functions-and-equations",
            4,
            SENIOR,
            ("Functions/Derivatives", "Functions/Graphs"),
        ),
        graphs.derivative(roots),
        {"roots": roots},
        {},
        Words(
            r"The derivative $f'(x)$ of a function $f(x)$ defined on $\mathbb{R}$ has the graph shown, with "
            "exactly three zeros. Which of the statements are right?",
            "$f$ rises where $f'$ is above the axis and falls where it is below; a change of sign is an "
            "extremum.",
        ),
        Words(
            r"定义在 $\mathbb{R}$ 上的函数 $f(x)$ 的导函数 $f'(x)$ 的图象如图所示（恰有三个零点），"
            "下列说法正确的有（　）",
            "$f'(x)>0$ 时 $f(x)$ 单调递增，$f'(x)<0$ 时单调递减，导数变号处为极值点。",
        ),
        constants=("0",),
    ).multiple(
        Option(f"$f(x)$ increases on $({a},{b})$.", f"$f(x)$ 在 $({a},{b})$ 上单调递增"),
        Option(
            f"$f(x)$ has a local minimum at $x={b}$.",
            f"$f(x)$ 在 $x={b}$ 处取得极小值",
            "takes a maximum for a minimum",
        ),
        Option(f"$f(x)$ has a local minimum at $x={c}$.", f"$f(x)$ 在 $x={c}$ 处取得极小值"),
        Option(
            f"$f(x)$ first falls and then rises on $({b},{c})$.",
            f"$f(x)$ 在 $({b},{c})$ 上先减后增",
            "reads the graph of the derivative as that of the function",
        ),
    )


def quiz_mean(counts: tuple[int, ...] = (2, 5, 8, 4, 1), best: int = 10) -> ExampleProblem:
    """The mean of marks from a bar chart."""
    marks = [best - len(counts) + 1 + i for i in range(len(counts))]
    mean = Fraction(sum(m * n for m, n in zip(marks, counts, strict=True)), sum(counts))
    by_mark = {num(m): n for m, n in zip(marks, counts, strict=True)}
    reverse = Fraction(sum(m * n for m, n in zip(marks, reversed(counts), strict=True)), sum(counts))
    return Draft(
        head("math-bar-chart-mean", "probability-and-statistics", 1, JUNIOR, ("Statistics/Data",)),
        graphs.bars(by_mark, (r"x", r"n"), step=2),
        {"counts": counts, "best": best},
        {"total": num(sum(counts)), "best": num(best), "few": num(counts[-1])},
        Words(
            "In a short test @total pupils took part. In the chart $x$ is the mark and $n$ is the number of "
            "pupils who got it; ⟨top|the best mark, @best, was reached by @few of them⟩. What is the mean "
            "mark?",
            "Multiply each mark by its number of pupils, add up and divide by all @total pupils.",
            "In a short test @total pupils took part. In the chart $x$ is the mark and $n$ is the number of "
            "pupils who got it. What is the mean mark?",
        ),
        Words(
            "某班 @total 名学生参加了一次小测验，图中 $x$ 表示得分，$n$ 表示得该分的人数，⟨top|其中得最高分 "
            "@best 分的有 @few 人⟩，则全班的平均分为（　）",
            "各分数与相应人数的乘积之和除以总人数 @total。",
            "某班 @total 名学生参加了一次小测验，图中 $x$ 表示得分，$n$ 表示得该分的人数，则全班的平均分"
            "为（　）",
        ),
        Split((MEAN,), {"top": Shown()}),
        constants=(num(sum(counts)),),
    ).single(
        option(f"${num(mean)}$"),
        option(
            f"${num(Fraction(sum(marks), len(marks)))}$", "averages the marks without their numbers of pupils"
        ),
        option(f"${num(Fraction(sum(counts), len(counts)))}$", "averages the numbers of pupils"),
        option(f"${num(reverse)}$", "pairs the marks with the bars from the wrong end"),
    )


def glasses_table(
    boys_with: int = 12, boys_without: int = 13, girls_with: int = 8, girls_without: int = 17
) -> ExampleProblem:
    """A conditional probability from a two-way table."""
    total = boys_with + boys_without + girls_with + girls_without
    wearing = boys_with + girls_with
    return Draft(
        head("math-two-way-table", "probability-and-statistics", 3, SENIOR, ("Probability/Events",)),
        table(
            [
                ["", "A", r"\overline{A}"],
                ["B", num(boys_with), num(boys_without)],
                [r"\overline{B}", num(girls_with), num(girls_without)],
            ]
        ),
        {
            "boys_with": boys_with,
            "boys_without": boys_without,
            "girls_with": girls_with,
            "girls_without": girls_without,
        },
        {"bw": num(boys_with), "gw": num(girls_with)},
        Words(
            "The table counts the students of a course. $A$ means that a student wears glasses, $B$ that the "
            "student is a boy; a bar over the letter means the opposite. ⟨bw|@bw boys⟩ and ⟨gw|@gw girls⟩ "
            "wear glasses. One student is drawn at random and wears glasses. What is the probability that it "
            "is a boy?",
            "Only the students with glasses count: divide the boys among them by all of them.",
            "The table counts the students of a course. $A$ means that a student wears glasses, $B$ that the "
            "student is a boy; a bar over the letter means the opposite. One student is drawn at random and "
            "wears glasses. What is the probability that it is a boy?",
        ),
        Words(
            r"表中为某班学生的人数，其中 $A$ 表示戴眼镜，$B$ 表示男生，$\overline{A}$、$\overline{B}$ "
            "表示其对立事件。⟨bw|戴眼镜的男生有 @bw 人⟩，⟨gw|戴眼镜的女生有 @gw 人⟩。从中随机抽取一名学生，"
            "已知其戴眼镜，则该生为男生的概率为（　）",
            "在戴眼镜的学生中计算男生所占的比例。",
            r"表中为某班学生的人数，其中 $A$ 表示戴眼镜，$B$ 表示男生，$\overline{A}$、$\overline{B}$ "
            "表示其对立事件。从中随机抽取一名学生，已知其戴眼镜，则该生为男生的概率为（　）",
        ),
        Split((CONDITIONAL,), {"bw": Shown(), "gw": Shown()}),
    ).single(
        option(rf"${num(Fraction(boys_with, wearing))}$"),
        option(
            rf"${num(Fraction(boys_with, boys_with + boys_without))}$",
            "takes the condition for the event asked for",
        ),
        option(rf"${num(Fraction(boys_with, total))}$", "divides by all students"),
        option(rf"${num(Fraction(wearing, total))}$", "gives the probability of the condition"),
    )


PROBLEMS = (parabola_equation, walk_and_rest, sine_parameters, derivative_graph, quiz_mean, glasses_table)
