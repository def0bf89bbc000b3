"""Physics: instruments to be read and data to be worked out."""

from __future__ import annotations

from functools import partial

from benchwright.examples import instruments
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
    q,
)

head = partial(Head, "physics")
SUBJECT = "comprehensive-experiments-and-methods"
READING, EVALUATION = ("Experiments/Evaluation",), ("Experiments/Evaluation",)
DENSITY = Term(
    "density",
    "密度",
    "Mass divided by volume; a body under water pushes away its own volume.",
    "密度等于质量与体积之比；浸没的物体排开液体的体积等于自身体积。",
)
INNER = Term(
    "inner resistance of a source",
    "闭合电路欧姆定律",
    "The voltage at the poles is the electromotive force less current times inner resistance.",
    "路端电压等于电动势减去电流与内阻的乘积。",
)


def vernier_reading(whole: int = 23, tenth: int = 4) -> ExampleProblem:
    """A reading of a vernier calliper."""

    def millimetres(value: float, mistake: str = "") -> Option:
        return option(q(num(round(value, 2)), "mm"), mistake)

    return Draft(
        head("phys-vernier", SUBJECT, 3, SENIOR, READING),
        instruments.vernier(whole, tenth),
        {"whole": whole, "tenth": tenth},
        {},
        Words(
            "The figure shows the scales of a calliper; the ten parts of the lower scale are together "
            "nine millimetres long. What is the reading?",
            "Read whole millimetres before the zero of the lower scale; the lower mark that meets an "
            "upper one gives the tenths.",
        ),
        Words(
            "如图为游标卡尺的一部分，游标上十个等分刻度的总长为九毫米，则读数为（　）",
            "先读游标零刻线左侧主尺的整毫米数，再看游标上与主尺对齐的刻线读出十分位。",
        ),
    ).single(
        millimetres(whole + tenth / 10),
        millimetres(whole + tenth / 100, "takes a vernier of fifty parts"),
        millimetres(whole + tenth, "takes the main-scale mark that meets the vernier"),
        millimetres(whole + 1 + tenth / 10, "reads the mark after the zero"),
    )


def dial_reading(top: float = 0.6, pointer: int = 22) -> ExampleProblem:
    """The reading of an ammeter with three numbered parts of ten steps; free form."""
    return Draft(
        head("phys-dial", SUBJECT, 1, JUNIOR, READING),
        instruments.dial(top, 3, 10, pointer, "A"),
        {"top": top, "pointer": pointer},
        {},
        Words(
            "What current, in A, does the ammeter in the figure show?",
            "Find what one step of the scale means and count the steps.",
        ),
        Words("如图所示的电流表，读出它的示数（单位：A）。", "先确定每小格代表的电流，再数格数。"),
    ).free(num(round(top * pointer / 30, 6)), "A")


def stone_density(before: int = 30, after: int = 50, mass: int = 54) -> ExampleProblem:
    """A stone's density from a measuring cylinder; free form."""
    return Draft(
        head("phys-stone-density", SUBJECT, 1, JUNIOR, EVALUATION),
        instruments.cylinders(before, after, 60),
        {"before": before, "after": after, "mass": mass},
        {"m": q(mass, "g"), "a": q(before, "mL"), "b": q(after, "mL")},
        Words(
            "A stone ⟨m|of @m⟩ is put into a measuring cylinder with water: ⟨v|the level rises from @a "
            "to @b⟩. What is the density of the stone in $\\mathrm{g/cm^3}$?",
            "The rise of the level is the volume of the stone.",
            "A stone is put into a measuring cylinder with water as shown. What is the density of the "
            "stone in $\\mathrm{g/cm^3}$?",
        ),
        Words(
            "如图，将⟨m|质量为 @m 的⟩石块放入盛水的量筒，⟨v|水面由 @a 上升到 @b⟩，求石块的密度（单位用 "
            "$\\mathrm{g/cm^3}$ 表示）。",
            "水面上升的体积等于石块的体积。",
            "如图，将石块放入盛水的量筒，求石块的密度（单位用 $\\mathrm{g/cm^3}$ 表示）。",
        ),
        Split((DENSITY,), {"m": Shown((("$m=$ @m", "mass"),)), "v": Shown()}),
    ).free(num(round(mass / (after - before), 6)), "g/cm^3")


def ticker_acceleration(first: float = 2.0, growth: float = 0.8, interval: float = 0.1) -> ExampleProblem:
    """The acceleration from a ticker tape of four intervals."""
    distances = [round(first + growth * i, 2) for i in range(4)]
    step = growth / 100 / interval**2

    def metres(value: float, mistake: str = "") -> Option:
        return option(q(f"{value:.2f}", "m/s^2"), mistake)

    return Draft(
        head("phys-ticker-tape", SUBJECT, 4, SENIOR, EVALUATION),
        instruments.ticker_tape(distances),
        {"first": first, "interval": interval, "growth": growth},
        {"t": q(interval, "s")},
        Words(
            "A cart pulls a paper tape; between two of the marked points there are always @t. What is "
            "the acceleration of the cart?",
            r"Take all four pieces: $a=\frac{(x_3+x_4)-(x_1+x_2)}{4T^2}$.",
        ),
        Words(
            "小车拖动纸带运动，纸带上相邻计数点间的时间间隔为 @t，各段距离如图所示，则小车的加速度为（　）",
            r"利用全部四段数据，$a=\frac{(x_3+x_4)-(x_1+x_2)}{4T^2}$。",
        ),
    ).single(
        metres(step),
        metres(2 * step, "divides by two intervals instead of four"),
        metres(step / 10, "slips by a power of ten in the units"),
        metres(3 * step, "divides the difference of the outer pieces by one squared interval"),
    )


def source_line(force: float = 1.5, low: float = 1.0, current: float = 0.5) -> ExampleProblem:
    """The inner resistance from a U-I line whose axis of voltages does not begin at zero."""

    def ohms(value: float, mistake: str = "") -> Option:
        return option(rf"${num(round(value, 3))}\ \mathrm{{\Omega}}$", mistake)

    top = force + (force - low) * 0.25
    return Draft(
        head("phys-source-line", SUBJECT, 3, SENIOR, EVALUATION),
        draw(
            Plot(
                "data-graph",
                (0, current * 1.2),
                (low, top),
                (r"I/\mathrm{A}", r"U/\mathrm{V}"),
                origin=(0, low),
                zero="0",
                zero_side="s",
                xs=[current],
                ys={force: num(force), low: num(low)},
                lines=[[(0, force), (current, low)]],
                crosses=[(current * s, force - (force - low) * s) for s in (0.2, 0.4, 0.6, 0.8)],
            )
        ),
        {"force": force, "low": low, "current": current},
        {"e": q(force, "V"), "i": q(current, "A"), "u": q(low, "V")},
        Words(
            "The line shows the voltage $U$ at the poles of a battery against its current $I$: "
            "⟨e|without current it is @e⟩, ⟨p|at @i it is @u⟩. What is the inner resistance of the "
            "battery?",
            "The slope of the line is the inner resistance; the axis of voltages does not begin at zero.",
            "The line shows the voltage $U$ at the poles of a battery against its current $I$. What is "
            "the inner resistance of the battery?",
        ),
        Words(
            "如图为某电池路端电压 $U$ 与电流 $I$ 的关系图线，⟨e|电流为零时电压为 @e⟩，⟨p|电流为 @i 时电压"
            "为 @u⟩，则电池的内阻为（　）",
            "图线斜率的大小等于内阻，注意纵轴的起点不是零。",
            "如图为某电池路端电压 $U$ 与电流 $I$ 的关系图线，则电池的内阻为（　）",
        ),
        Split((INNER,), {"e": Shown(), "p": Shown()}),
    ).single(
        ohms((force - low) / current),
        ohms(force / current, "takes the right end for a short circuit"),
        ohms(low / current, "divides the voltage by the current"),
        ohms((force + low) / current, "adds the two voltages"),
    )


PROBLEMS = (
    vernier_reading,
    dial_reading,
    stone_density,
    ticker_acceleration,
    source_line,
)
