"""Physics: gases in cycles and tubes, changes of state."""

from __future__ import annotations

from functools import partial

from benchwright.examples import forces
from benchwright.examples.knowledge import BOYLE
from benchwright.examples.plots import Plot, draw
from benchwright.examples.problem import (
    SENIOR,
    Draft,
    ExampleProblem,
    Head,
    Option,
    Shown,
    Split,
    Term,
    Words,
    option,
    q,
)

head = partial(Head, "physics")
HEAT = ("Heat/Gases and states",)
WORK_AREA = Term(
    "work of a gas in a $p$-$V$ diagram",
    "$p$-$V$ 图象的面积",
    "The work of a gas in a cycle is the area that the cycle encloses.",
    "气体在循环过程中对外做的功等于循环曲线所围的面积。",
)
LATENT = Term(
    "heat of fusion",
    "熔化热",
    "While a substance melts its temperature stays; the heat taken up for each kilogram is its heat of "
    "fusion.",
    "晶体熔化时温度不变，单位质量吸收的热量称为熔化热。",
)


def gas_cycle(p1: int = 1, p2: int = 3, v1: int = 2, v2: int = 5) -> ExampleProblem:
    """The work of a gas in a rectangular cycle."""
    unit = 100

    def joule(value: int, mistake: str = "") -> Option:
        return option(q(unit * value, "J"), mistake)

    corners = {"A": (v1, p1), "B": (v1, p2), "C": (v2, p2), "D": (v2, p1)}
    sides = [(corners[a], corners[b]) for a, b in ("AB", "BC", "CD", "DA")]
    half = [(a, ((a[0] + b[0] * 1.3) / 2.3, (a[1] + b[1] * 1.3) / 2.3)) for a, b in sides]
    return Draft(
        head("phys-gas-cycle", "thermodynamics", 3, SENIOR, HEAT),
        draw(
            Plot(
                "pv-diagram",
                (0, v2 * 1.25),
                (0, p2 * 1.3),
                (r"V/\mathrm{L}", r"p/(10^5\ \mathrm{Pa})"),
                xs=[v1, v2],
                ys=[p1, p2],
                guides=[(v1, p1), (v2, p1), (v1, p2)],
                lines=[list(s) for s in sides],
                arrows=half,
                tags=[("A", v1, p1, "sw"), ("B", v1, p2, "nw"), ("C", v2, p2, "ne"), ("D", v2, p1, "se")],
            )
        ),
        {"p1": p1, "p2": p2, "v1": v1, "v2": v2},
        {
            "lo": q(rf"{p1}\times 10^5", "Pa"),
            "hi": q(rf"{p2}\times 10^5", "Pa"),
            "v1": q(v1, "L"),
            "v2": q(v2, "L"),
        },
        Words(
            "A gas runs through the cycle $ABCDA$ of the figure. ⟨p|Its pressure changes between @lo and "
            "@hi⟩, ⟨v|its "
            "volume between @v1 and @v2⟩. How much work does it do in one cycle?",
            "The work is the area of the rectangle; a litre is a thousandth of a cubic metre.",
            "A gas runs through the cycle $ABCDA$ of the figure. How much work does it do in one cycle?",
        ),
        Words(
            "一定质量的气体经历如图所示的循环 $ABCDA$，⟨p|压强在 @lo 和 @hi 之间变化⟩，⟨v|体积在 @v1 和 "
            "@v2 之间变化⟩，则一次循环中气体对外做的功为（　）",
            "做功等于矩形的面积，注意升与立方米的换算。",
            "一定质量的气体经历如图所示的循环 $ABCDA$，则一次循环中气体对外做的功为（　）",
        ),
        Split((WORK_AREA,), {"p": Shown(), "v": Shown()}),
        constants=("10", "5"),
    ).single(
        joule((p2 - p1) * (v2 - v1)),
        joule(p2 * (v2 - v1), "counts only the expansion"),
        joule(p2 * v2 - p1 * v1, "takes the difference of the products at the ends"),
        joule((p2 + p1) * (v2 - v1), "adds the work of the compression"),
    )


def melting(power: int = 80, mass: float = 0.2, start: int = 4, end: int = 14) -> ExampleProblem:
    """The heat of fusion from a heating curve."""
    joule = power * (end - start) * 60

    def kilo(value: float, mistake: str = "") -> Option:
        return option(q(round(value, 3), "kJ/kg"), mistake)

    return Draft(
        head("phys-melting-curve", "thermodynamics", 3, SENIOR, ("Heat/Gases and states",)),
        draw(
            Plot(
                "heating-curve",
                (0, end * 1.5),
                (0, 100),
                (r"t/\mathrm{min}", r"T/\mathrm{{}^\circ C}"),
                xs=[start, end],
                lines=[[(0, 22), (start, 52), (end, 52), (end * 1.35, 88)]],
                drops=[(start, 52), (end, 52)],
                rooms=[("power", start * 0.2, 98, 116, 28), ("mass", start * 0.2 + end * 0.5, 98, 116, 28)],
            )
        ),
        {"power": power, "mass": mass, "start": start, "end": end},
        {"p": q(power, "W"), "m": q(mass, "kg"), "a": q(start, "min"), "b": q(end, "min")},
        Words(
            "A solid ⟨m|of @m⟩ is heated ⟨p|at a steady @p⟩ and no heat is lost; the curve shows its "
            "temperature. ⟨t|It melts from @a to @b.⟩ What is its heat of fusion?",
            "While it melts all heat goes into melting: power times time, divided by the mass.",
            "A solid is heated at a steady power and no heat is lost; the curve shows its temperature. "
            "What is its heat of fusion?",
        ),
        Words(
            "用稳定的热源加热某晶体，不计热量损失，⟨m|晶体的质量为 @m⟩，⟨p|加热功率为 @p⟩，其温度变化如图"
            "所示，⟨t|从 @a 到 @b 熔化⟩，则该晶体的熔化热为（　）",
            "熔化过程中吸收的热量全部用于熔化，等于功率乘时间，再除以质量。",
            "用稳定的热源加热某晶体，不计热量损失，其温度变化如图所示，则该晶体的熔化热为（　）",
        ),
        Split(
            (LATENT,),
            {"m": Shown((("$m=$ @m", "mass"),)), "p": Shown((("$P=$ @p", "power"),)), "t": Shown()},
        ),
    ).single(
        kilo(joule / mass / 1000),
        kilo(power * end * 60 / mass / 1000, "counts the heating of the solid as well"),
        kilo(joule * mass / 1000, "multiplies by the mass"),
        kilo(joule / mass / 60000, "counts minutes as seconds"),
    )


def mercury_tube(column: int = 15, gas: int = 18, outside: int = 75) -> ExampleProblem:
    """The length of a gas column when a tube is turned mouth down."""

    def length(value: float, mistake: str = "") -> Option:
        return option(q(round(value, 2), "cm"), mistake)

    return Draft(
        head("phys-mercury-tube", "thermodynamics", 3, SENIOR, HEAT),
        forces.mercury_tube(column, gas),
        {"column": column, "gas": gas, "outside": outside},
        {"h": q(column, "cm"), "l": q(gas, "cm"), "p": q(outside, "cmHg")},
        Words(
            "A narrow tube, closed below, holds ⟨l|@l of gas⟩ under ⟨h|@h of mercury⟩. The air pressure "
            "is @p. The tube is slowly turned mouth down; no mercury runs out and the temperature stays "
            "the same. How long is the gas column then?",
            "Above, the gas carries air and mercury; turned round, the air carries gas and mercury. The "
            "product of pressure and length stays the same.",
            "A narrow tube, closed below, holds gas under mercury. The air pressure is @p. The tube is "
            "slowly turned mouth down; no mercury runs out and the temperature stays the same. How long "
            "is the gas column then?",
        ),
        Words(
            "如图，下端封闭的细玻璃管中，⟨l|@l 长的气柱⟩被 ⟨h|@h 长的水银柱⟩封住，大气压强为 @p。将管缓慢"
            "转至开口竖直向下，水银没有流出，温度不变，则气柱的长度变为（　）",
            "开口向上时气体压强等于大气压强加水银柱压强，开口向下时则相减，压强与气柱长度的乘积不变。",
            "如图，下端封闭的细玻璃管中，气柱被水银柱封住，大气压强为 @p。将管缓慢转至开口竖直向下，水银"
            "没有流出，温度不变，则气柱的长度变为（　）",
        ),
        Split((BOYLE,), {"l": Shown(), "h": Shown()}),
    ).single(
        length(gas * (outside + column) / (outside - column)),
        length(gas * (outside - column) / (outside + column), "turns the ratio round"),
        length(gas * (outside + column) / outside, "leaves out the mercury after turning"),
        length(gas, "takes the length for fixed"),
    )


def phase_change(level: str = "below") -> ExampleProblem:
    """What heating at steady pressure does, in a phase diagram; the pressure lies below or above the triple point."""
    y = 1.6 if level == "below" else 5.0
    names = [
        Option(
            "It changes straight into gas.",
            "由固体直接变为气体",
            "" if level == "below" else "overlooks the liquid region",
        ),
        Option(
            "It melts first and boils later.",
            "先熔化，后沸腾",
            "" if level == "above" else "overlooks that the liquid does not exist at this pressure",
        ),
        Option("It melts and stays a liquid.", "熔化后一直为液体", "does not follow the arrow to its end"),
        Option("It freezes.", "发生凝固", "goes against the arrow"),
    ]
    right = [n for n in names if not n.mistake]
    return Draft(
        head("phys-phase-diagram", "thermodynamics", 2, SENIOR, ("Heat/Gases and states",)),
        draw(
            Plot(
                "phase-diagram",
                (0, 10),
                (0, 8),
                ("T", "p"),
                curves=[[(0.6, 0.25), (2.2, 1.1), (3.6, 2.6)], [(3.6, 2.6), (6.2, 4.0), (8.2, 6.2)]],
                lines=[[(3.6, 2.6), (4.2, 7.4)]],
                dots=[(3.6, 2.6)],
                arrows=[((1.4, y), (9.3, y))],
                tags=[
                    (r"\mathrm{s}", 1.9, 5.9, "c"),
                    (r"\mathrm{l}", 5.7, 6.1, "c"),
                    (r"\mathrm{g}", 7.2, 2.7, "c"),
                    ("X", 1.4, y, "w"),
                    ("Y", 9.3, y, "e"),
                ],
            )
        ),
        {"level": level},
        {},
        Words(
            "In the phase diagram the regions s, l and g belong to the solid, the liquid and the gas. "
            "The substance is "
            "heated at steady pressure along the arrow from $X$ to $Y$. What happens to it?",
            "See which border lines the arrow crosses.",
        ),
        Words(
            "如图为某物质的相图，s、l、g 分别表示固、液、气三相区。保持压强不变，沿箭头由 $X$ 加热到 "
            "$Y$，该物质（　）",
            "看箭头依次穿过哪些相界线。",
        ),
    ).single(*right, *(n for n in names if n.mistake))


PROBLEMS = (
    gas_cycle,
    melting,
    mercury_tube,
    phase_change,
)
