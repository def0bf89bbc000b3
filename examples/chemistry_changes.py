"""Chemistry: rates, energy, particles, gases, precipitates."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from benchwright.examples import molecules
from benchwright.examples.knowledge import MOLAR_MASS
from benchwright.examples.plots import Plot, columns, draw
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

head = partial(Head, "chemistry")
ENERGY, METALS = ("Reactions/Energy and equilibrium",), ("Matter/Atoms and periodic table",)
RATE = Term(
    "the rate of a reaction",
    "化学反应速率",
    "The change of a concentration divided by the time that it takes.",
    "单位时间内反应物或生成物浓度的变化量。",
)
HESS = Term(
    "Hess's law",
    "盖斯定律",
    "The enthalpy of reaction depends on start and end alone, not on the way.",
    "反应热只与反应的始态和终态有关，与途径无关。",
)
GAS_VOLUME = Term(
    "molar volume of a gas",
    "气体摩尔体积",
    "At the same temperature and pressure equal amounts of gases fill equal volumes, $V=nV_m$.",
    "同温同压下，相同物质的量的气体体积相同，$V=nV_m$。",
)
METAL_DATA: dict[str, tuple[int, int]] = {"Mg": (24, 2), "Al": (27, 3), "Fe": (56, 2), "Zn": (65, 2)}
"""Metals: molar mass and charge of the ion that forms in dilute acid."""
STATES: dict[str, tuple[tuple[str, int, int], ...]] = {
    "S": (("a", -2, 0), ("b", 0, 1), ("c", 4, 2), ("d", 6, 2), ("e", 6, 3)),
    "N": (("a", -3, 0), ("b", 0, 1), ("c", 4, 2), ("d", 5, 2), ("e", 5, 3)),
}
"""Substances of an element: letter, oxidation state, class (hydride, element, oxide, acid)."""


def mean_rate(start: float = 1.0, end: float = 0.4, time: int = 5) -> ExampleProblem:
    """The mean rate of a reaction from a curve of concentration."""

    def rate(value: float, mistake: str = "") -> Option:
        return option(q(num(round(value, 5)), "mol/(L\\cdot min)"), mistake)

    def at(t: float) -> float:
        return float(start * (end / start) ** (t / time))

    return Draft(
        head("chem-mean-rate", "chemical-reaction", 2, SENIOR, ("Reactions/Energy and equilibrium",)),
        draw(
            Plot(
                "concentration-graph",
                (0, time * 1.7),
                (0, start * 1.25),
                (r"t/\mathrm{min}", r"c/(\mathrm{mol\cdot L^{-1}})"),
                xs=[time],
                ys=[end, start],
                curves=[[(time * i / 10, at(time * i / 10)) for i in range(16)]],
                guides=[(time, end)],
            )
        ),
        {"start": start, "end": end, "time": time},
        {"a": q(start, "mol/L"), "b": q(end, "mol/L"), "t": q(time, "min")},
        Words(
            "The curve shows the concentration of a reactant: ⟨a|it is @a at first⟩ and ⟨b|@b after @t⟩. "
            "What is the mean rate at which it is used up in this time?",
            "The drop of the concentration divided by the time.",
            "The curve shows the concentration of a reactant. What is the mean rate at which it is used "
            "up until the marked time?",
        ),
        Words(
            "如图为某反应物浓度随时间的变化曲线，⟨a|起始浓度为 @a⟩，⟨b|@t 时为 @b⟩，则这段时间内用该反应"
            "物表示的平均反应速率为（　）",
            "浓度的减少量除以时间。",
            "如图为某反应物浓度随时间的变化曲线，则从开始到所标时刻用该反应物表示的平均反应速率为（　）",
        ),
        Split((RATE,), {"a": Shown(), "b": Shown()}),
    ).single(
        rate((start - end) / time),
        rate(end / time, "divides the concentration that is left"),
        rate(start / time, "divides the concentration at the start"),
        rate(start - end, "forgets to divide by the time"),
    )


def hess_levels(whole: int = -394, second: int = -283) -> ExampleProblem:
    """An enthalpy of reaction from an energy level diagram; free form."""
    middle = second - whole
    high, low = 250.0, 60.0
    mid = low + (high - low) * abs(second) / abs(whole)
    return Draft(
        head("chem-hess-levels", "chemical-reaction", 3, SENIOR, ENERGY),
        draw(
            Plot(
                "energy-levels",
                (0, 10),
                (0, 300),
                ("", "H"),
                zero="",
                size=(520, 340),
                lines=[[(0.6, high), (9.0, high)], [(4.9, mid), (9.0, mid)], [(0.6, low), (9.0, low)]],
                arrows=[((2.2, high), (2.2, low)), ((7.0, mid), (7.0, low)), ((7.0, high), (7.0, mid))],
                tags=[
                    (rf"\Delta H_1={whole}", 2.2, (high + low) / 2, "e"),
                    (rf"\Delta H_2={second}", 7.0, (mid + low) / 2, "e"),
                    (r"\Delta H_3", 7.0, (high + mid) / 2, "e"),
                    ("X", 1.2, high, "n"),
                    ("Y", 5.4, mid, "n"),
                    ("Z", 1.2, low, "s"),
                ],
            )
        ),
        {"whole": whole, "second": second},
        {"a": num(whole), "b": num(second)},
        Words(
            "The levels in the figure belong to the conversions of X into Z, directly and through Y; "
            "values are in "
            r"kJ/mol. ⟨a|$\Delta H_1=@a$⟩ and ⟨b|$\Delta H_2=@b$⟩. What is $\Delta H_3$ in kJ/mol?",
            r"Both ways have the same ends: $\Delta H_1=\Delta H_3+\Delta H_2$.",
            "The levels in the figure belong to the conversions of X into Z, directly and through Y; "
            "values are in "
            r"kJ/mol. What is $\Delta H_3$ in kJ/mol?",
        ),
        Words(
            r"如图为 X 直接或经 Y 转化为 Z 的能量关系（单位：kJ/mol），⟨a|$\Delta H_1=@a$⟩，⟨b|$\Delta "
            r"H_2=@b$⟩，求 $\Delta H_3$（单位：kJ/mol）。",
            r"两条途径的始态和终态相同，$\Delta H_1=\Delta H_3+\Delta H_2$。",
            r"如图为 X 直接或经 Y 转化为 Z 的能量关系（单位：kJ/mol），求 $\Delta H_3$（单位：kJ/mol）。",
        ),
        Split((HESS,), {"a": Shown(), "b": Shown()}),
        constants=("1", "2", "3"),
    ).free(num(-middle), "kJ/mol")


def limiting_particles(first: int = 3, second: int = 6) -> ExampleProblem:
    """Molecules after X2 + 3 Y2 -> 2 XY3 in a box; two parts."""
    times = min(first, second // 3)
    left = first + second - 4 * times
    return Draft(
        head(
            "chem-limiting-particles", "chemical-reaction", 3, JUNIOR, ("Reactions/Energy and equilibrium",)
        ),
        molecules.particles(first, second),
        {"first": first, "second": second},
        {},
        Words(
            r"The molecules in the box react as completely as possible by $\mathrm{X_2+3Y_2\rightarrow "
            r"2XY_3}$. (1) How many molecules $\mathrm{XY_3}$ form? (2) How many molecules of the "
            "elements are left over?",
            r"Three molecules $\mathrm{Y_2}$ go with each $\mathrm{X_2}$; see which of them ends first.",
        ),
        Words(
            r"如图，容器中的分子按 $\mathrm{X_2+3Y_2\rightarrow 2XY_3}$ 尽可能完全反应。(1) 生成多少个 "
            r"$\mathrm{XY_3}$ 分子？(2) 剩余多少个单质分子？",
            r"每个 $\mathrm{X_2}$ 分子需要三个 $\mathrm{Y_2}$ 分子，判断哪种先耗尽。",
        ),
        constants=("1", "2"),
    ).parts(Option(str(2 * times), str(2 * times)), Option(str(left), str(left)))


def molar_mass_from_gas(mass: float = 0.12, volume: int = 120) -> ExampleProblem:
    """The molar mass of a divalent metal from the gas that it sets free; free form."""
    points = [(0.0, 0.0), (1, 0.42), (2, 0.7), (3, 0.88), (4, 0.97), (5, 1.0), (6, 1.0), (7, 1.0)]
    return Draft(
        head("chem-gas-curve", "chemical-experiment", 3, SENIOR, ("Experiments/Preparing and separating",)),
        draw(
            Plot(
                "gas-curve",
                (0, 8),
                (0, volume * 1.4),
                (r"t/\mathrm{min}", r"V/\mathrm{mL}"),
                ys=[volume],
                xs=[5],
                curves=[[(t, v * volume) for t, v in points]],
                guides=[(5, volume)],
                rooms=[("mass", 2.35, volume * 0.4, 112, 28)],
            )
        ),
        {"mass": mass, "volume": volume},
        {"m": q(mass, "g"), "v": q(volume, "mL")},
        Words(
            "⟨m|A piece of @m⟩ of a metal, whose ions carry two charges, dissolves in an excess of "
            "dilute acid; ⟨v|in the end @v of hydrogen have formed⟩, the molar volume being "
            r"$24\ \mathrm{L/mol}$. What is the molar mass of the metal in g/mol?",
            "Each atom of the metal sets one molecule of hydrogen free.",
            "A piece of a metal, whose ions carry two charges, dissolves in an excess of dilute acid; "
            r"the curve shows the volume of hydrogen, the molar volume being $24\ \mathrm{L/mol}$. What "
            "is the molar mass of the metal in g/mol?",
        ),
        Words(
            "⟨m|取 @m⟩ 某金属（离子带两个正电荷）与足量稀酸反应，⟨v|最终生成氢气 @v⟩，气体摩尔体积为 "
            r"$24\ \mathrm{L/mol}$，求该金属的摩尔质量（单位：g/mol）。",
            "每个金属原子置换出一个氢分子。",
            "取某金属（离子带两个正电荷）与足量稀酸反应，生成氢气的体积如图所示，气体摩尔体积为 "
            r"$24\ \mathrm{L/mol}$，求该金属的摩尔质量（单位：g/mol）。",
        ),
        Split((GAS_VOLUME, MOLAR_MASS), {"m": Shown((("$m=$ @m", "mass"),)), "v": Shown()}),
        constants=("24",),
    ).free(num(round(mass / (volume / 24000), 4)), "g/mol")


def metals_and_acid(asked: str = "Al", mass: float = 2.0) -> ExampleProblem:
    """Which bar belongs to a metal, from equal masses in an excess of acid."""
    volumes = {m: mass / molar * charge / 2 * 24 for m, (molar, charge) in METAL_DATA.items()}
    order = ("Fe", "Al", "Zn", "Mg")
    letters = dict(zip(order, "PQRS", strict=True))
    return Draft(
        head("chem-metals-and-acid", "inorganic-chemistry", 3, JUNIOR, METALS),
        columns(
            "bar-chart",
            {letters[m]: float(f"{volumes[m]:.2f}") for m in order},
            ("", r"V/\mathrm{L}"),
            [1, 2, 3],
        ),
        {"asked": asked, "mass": mass},
        {"a": rf"$\mathrm{{{asked}}}$", "m": q(f"{mass:.1f}", "g")},
        Words(
            "Magnesium, aluminium, iron and zinc, @m each, are dissolved in an excess of dilute "
            r"sulfuric acid. The chart shows the volumes of hydrogen, measured at $24\ \mathrm{L/mol}$. "
            "Which bar belongs to @a?",
            "For each metal divide the charge of its ion by twice the molar mass; the order of the "
            "quotients is that of the bars.",
        ),
        Words(
            "镁、铝、铁、锌各 @m 分别与足量稀硫酸反应，生成氢气的体积（气体摩尔体积为 "
            r"$24\ \mathrm{L/mol}$）如图所示，其中 @a 对应的是（　）",
            "比较各金属离子电荷数与两倍摩尔质量之比，其大小顺序即为氢气体积的顺序。",
        ),
        constants=("24", f"{mass:.1f}"),
    ).single(
        option(letters[asked]), *(option(letters[m], f"this bar belongs to {m}") for m in order if m != asked)
    )


def carbon_dioxide_curve(rise: int = 2, flat: int = 5) -> ExampleProblem:
    """The ratio of two hydroxides from the precipitate while carbon dioxide is led in."""

    def ratio(value: Fraction, mistake: str = "") -> Option:
        return option(f"${value.numerator}:{value.denominator}$", mistake)

    end = flat + rise
    right = Fraction(flat - rise, rise)
    return Draft(
        head("chem-carbon-dioxide-curve", "inorganic-chemistry", 5, SENIOR, ("Reactions/Precipitation",)),
        draw(
            Plot(
                "function-graph",
                (0, end * 1.2),
                (0, 1.3),
                (r"V(\mathrm{CO_2})", r"n"),
                xs=[rise, flat, end],
                lines=[[(0, 0), (rise, 1), (flat, 1), (end, 0)]],
                drops=[(rise, 1), (flat, 1)],
            )
        ),
        {"rise": rise, "flat": flat},
        {},
        Words(
            r"Carbon dioxide is slowly led into a solution of $\mathrm{NaOH}$ and $\mathrm{Ca(OH)_2}$; "
            "the graph shows the amount $n$ of the precipitate. What is "
            r"$n(\mathrm{NaOH}):n(\mathrm{Ca(OH)_2})$?",
            r"The rise uses one $\mathrm{CO_2}$ for each $\mathrm{Ca(OH)_2}$; along the flat part one "
            r"$\mathrm{CO_2}$ turns one $\mathrm{NaOH}$ into $\mathrm{NaHCO_3}$.",
        ),
        Words(
            r"向 $\mathrm{NaOH}$ 和 $\mathrm{Ca(OH)_2}$ 的混合溶液中缓缓通入二氧化碳，沉淀的物质的量 $n$ "
            r"的变化如图所示，则 $n(\mathrm{NaOH}):n(\mathrm{Ca(OH)_2})$ 为（　）",
            r"上升段每个 $\mathrm{Ca(OH)_2}$ 消耗一个 $\mathrm{CO_2}$；水平段每个 $\mathrm{NaOH}$ 消耗一"
            r"个 $\mathrm{CO_2}$ 最终成为 $\mathrm{NaHCO_3}$。",
        ),
    ).single(
        ratio(right),
        ratio(right * 2, "lets two NaOH take one carbon dioxide on the whole flat part"),
        ratio(1 / right, "turns the ratio round"),
        ratio(Fraction(flat, rise), "counts the flat part from the origin"),
    )


def state_map(element: str = "S") -> ExampleProblem:
    """Oxidation states of an element's substances; multiple-select."""
    places = STATES[element]
    states = {letter: state for letter, state, _ in places}

    def says(en: str, zh: str, true: bool) -> Option:
        return Option(en, zh, "" if true else "reads the oxidation states wrongly")

    low, high = min(states.values()), max(states.values())
    return Draft(
        head("chem-state-map", "inorganic-chemistry", 3, SENIOR, ("Matter/Atoms and periodic table",)),
        draw(
            Plot(
                "state-map",
                (-0.5, 3.6),
                (low - 1, high + 1.4),
                ("", "z"),
                origin=(-0.5, low - 1),
                zero="",
                ys=sorted(set(states.values())),
                grid=True,
                xs={0: r"\mathrm{H}", 1: rf"\mathrm{{{element}}}", 2: r"\mathrm{O}", 3: r"\mathrm{H,O}"},
                dots=[(kind, state) for _, state, kind in places],
                tags=[(letter, kind, state, "ne") for letter, state, kind in places],
            )
        ),
        {"element": element},
        {"e": rf"$\mathrm{{{element}}}$"},
        Words(
            "The chart orders substances of the element @e by their kind (with H, the element itself, "
            "with O, with H and O) and by its oxidation state $z$. Which statements are right?",
            "In the lowest state it can only be oxidised, in the highest only reduced; oxidation means "
            "that the state rises.",
        ),
        Words(
            "图中按物质类别（含 H、单质、含 O、含 H 和 O）和化合价 $z$ 排列了元素 @e 的几种物质，下列说法"
            "正确的有（　）",
            "最低价只能被氧化，最高价只能被还原；化合价升高为被氧化。",
        ),
    ).multiple(
        says("In a the element can only be oxidised.", "a 中该元素只能被氧化", states["a"] == low),
        says("From b to c the element is reduced.", "由 b 到 c 该元素被还原", states["c"] < states["b"]),
        says("From c to d the element is oxidised.", "由 c 到 d 该元素被氧化", states["d"] > states["c"]),
        says(
            "From d to e its oxidation state stays the same.",
            "由 d 到 e 化合价不变",
            states["d"] == states["e"],
        ),
        says("In e the element can still be oxidised.", "e 中该元素还能被氧化", states["e"] < high),
    )


PROBLEMS = (
    mean_rate,
    hess_levels,
    limiting_particles,
    molar_mass_from_gas,
    metals_and_acid,
    carbon_dioxide_curve,
    state_map,
)
