"""Chemistry: experiments, reactions, electrochemistry."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from benchwright.examples import apparatus, circuits, graphs
from benchwright.examples.knowledge import (
    AMPHOTERIC,
    CONCENTRATION,
    FARADAY,
    MOLAR_MASS,
    NEUTRALISATION,
    REACTION_ENTHALPY,
)
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
    q,
    qty,
)

head = partial(Head, "chemistry")
FARADAY_CONSTANT = 96500
COPPER, HYDROXIDE = 64, 78
"""Molar masses of copper and of aluminium hydroxide in g/mol, as the texts state them."""
ACTIVITY = ("Zn", "Fe", "Sn", "Cu", "Ag")
"""Metals, the most active first."""
SALTS = {"Zn": "ZnSO_4", "Fe": "FeSO_4", "Sn": "SnSO_4", "Cu": "CuSO_4", "Ag": "AgNO_3"}


def galvanic_cell(left: str = "Zn", right: str = "Cu") -> ExampleProblem:
    """Poles, electrons and ions of a galvanic cell of two metals; multiple-select."""
    forward = ACTIVITY.index(left) < ACTIVITY.index(right)
    wrong = "mixes up the two poles"

    def says(en: str, zh: str, right_: bool) -> Option:
        return Option(en, zh, "" if right_ else wrong)

    return Draft(
        head("chem-galvanic-cell", "electrochemistry", 3, SENIOR, ("Electrochemistry/Cells",)),
        circuits.galvanic_cell(
            (rf"\mathrm{{{left}}}", rf"\mathrm{{{SALTS[left]}}}"),
            (rf"\mathrm{{{right}}}", rf"\mathrm{{{SALTS[right]}}}"),
        ),
        {"left": left, "right": right},
        {"l": left, "r": right},
        Words(
            r"The figure shows a galvanic cell with a salt bridge of $\mathrm{KNO_3}$ at work. Which "
            "statements are right?",
            "The more active metal is the negative pole and is oxidised; electrons leave it through the "
            "wire, and the anions of the bridge move towards it.",
        ),
        Words(
            r"如图为以 $\mathrm{KNO_3}$ 溶液为盐桥的原电池，工作时下列说法正确的有（　）",
            "较活泼的金属作负极，失电子被氧化；电子由负极经导线流向正极，盐桥中阴离子移向负极区。",
        ),
        constants=("3",),
    ).multiple(
        says(f"The {left} electrode is the negative pole.", f"{left} 电极为负极", forward),
        says(
            f"Electrons flow through the wire from {left} to {right}.",
            f"电子由 {left} 经导线流向 {right}",
            forward,
        ),
        says(f"The mass of the {right} electrode decreases.", f"{right} 电极的质量减小", not forward),
        says(
            "Nitrate ions of the salt bridge move into the left beaker.",
            "盐桥中的硝酸根离子移向左侧烧杯",
            forward,
        ),
        says("The cell turns chemical energy into electrical energy.", "该装置将化学能转化为电能", True),
    )


def copper_plating(current: float = 0.5, time: int = 1930) -> ExampleProblem:
    """The mass of copper that a charge deposits."""
    electrons = current * time / FARADAY_CONSTANT

    def grams(value: float, mistake: str = "") -> Option:
        return option(q(round(value, 4), "g"), mistake)

    return Draft(
        head("chem-electrolysis-mass", "electrochemistry", 3, SENIOR, ("Electrochemistry/Cells",)),
        circuits.electrolysis(r"\mathrm{C}", r"\mathrm{Cu}", r"\mathrm{CuSO_4(aq)}"),
        {"current": current, "time": time},
        {"i": q(f"{current:.2f}", "A"), "t": q(time, "s")},
        Words(
            "Copper sulfate solution is electrolysed with a carbon anode and a copper cathode ⟨i|at a "
            r"current of @i⟩ ⟨t|for @t⟩. Take $F=96500\ \mathrm{C/mol}$ and $M(\mathrm{Cu})=64\ "
            r"\mathrm{g/mol}$. By how much does the mass of the cathode grow?",
            r"$n(\mathrm{e^-})=\frac{It}{F}$; each copper ion takes two electrons, so "
            r"$m=\frac{1}{2}n(\mathrm{e^-})M$.",
            "Copper sulfate solution is electrolysed with a carbon anode and a copper cathode. Take "
            r"$F=96500\ \mathrm{C/mol}$ and $M(\mathrm{Cu})=64\ \mathrm{g/mol}$. By how much does the "
            "mass of "
            "the cathode grow?",
        ),
        Words(
            r"以碳棒为阳极、铜片为阴极电解硫酸铜溶液，⟨i|电流为 @i⟩，⟨t|通电 @t⟩。已知 $F=96500\ "
            r"\mathrm{C/mol}$，$M(\mathrm{Cu})=64\ \mathrm{g/mol}$，则阴极增加的质量为（　）",
            r"$n(\mathrm{e^-})=\frac{It}{F}$，每个铜离子得两个电子，故 $m=\frac{1}{2}n(\mathrm{e^-})M$。",
            r"以碳棒为阳极、铜片为阴极电解硫酸铜溶液。已知 $F=96500\ \mathrm{C/mol}$，$M(\mathrm{Cu})=64\ "
            r"\mathrm{g/mol}$，则阴极增加的质量为（　）",
        ),
        Split(
            (FARADAY, MOLAR_MASS), {"i": Shown((("$I=$ @i", "current"),)), "t": Shown((("$t=$ @t", "time"),))}
        ),
        constants=("96500", "64", f"{current:.2f}"),
    ).single(
        grams(electrons / 2 * COPPER),
        grams(electrons * COPPER, "lets one electron discharge a copper ion"),
        grams(electrons * 2 * COPPER, "multiplies by two instead of dividing"),
        grams(electrons / 2 * 32, "takes the molar mass of oxygen gas, which leaves at the anode"),
    )


def gas_collection(collection: str = "water") -> ExampleProblem:
    """Which gas suits an apparatus: heated solid, caught over water or in an inverted tube."""
    oxygen = "$\\mathrm{O_2}$"
    ammonia = "$\\mathrm{NH_3}$"
    others = (
        Option(
            r"$\mathrm{CO_2}$ from marble and hydrochloric acid",
            r"用大理石和稀盐酸制取 $\mathrm{CO_2}$",
            "needs no heating and a vessel for a liquid",
        ),
        Option(
            r"$\mathrm{H_2}$ from zinc and dilute sulfuric acid",
            r"用锌和稀硫酸制取 $\mathrm{H_2}$",
            "needs no heating and a vessel for a liquid",
        ),
    )
    over_water = collection == "water"
    first = Option(
        f"{oxygen} from potassium permanganate",
        f"用高锰酸钾制取 {oxygen}",
        "" if over_water else "oxygen is denser than air and would run out of an inverted tube",
    )
    second = Option(
        f"{ammonia} from ammonium chloride and slaked lime",
        f"用氯化铵和熟石灰制取 {ammonia}",
        "ammonia dissolves in water very easily" if over_water else "",
    )
    return Draft(
        head(
            "chem-gas-collection", "chemical-experiment", 2, JUNIOR, ("Experiments/Preparing and separating",)
        ),
        apparatus.heated_solid(collection),
        {"collection": collection},
        {},
        Words(
            "Which gas can be prepared and collected with the apparatus shown?",
            "A solid is heated here; look at how the gas is caught and ask whether it dissolves and how "
            "dense it is.",
        ),
        Words(
            "利用如图所示的装置制取并收集气体，可行的是（　）",
            "该装置为固体加热型；再根据收集方法考虑气体的溶解性和密度。",
        ),
    ).single(*((first, second, *others) if over_water else (second, first, *others)))


def titration(base: float = 0.1, base_volume: float = 24.0, sample: float = 20.0) -> ExampleProblem:
    """The concentration of hydrochloric acid from a titration."""

    def molar(value: float, mistake: str = "") -> Option:
        return option(q(value, "mol/L", 4), mistake)

    return Draft(
        head("chem-titration", "chemical-experiment", 2, SENIOR, ("Experiments/Solutions",)),
        apparatus.titration(),
        {"base": base, "base_volume": base_volume, "sample": sample},
        {
            "c": q(base, "mol/L", 4),
            "v": q(base_volume, "mL", 2),
            "s": q(sample, "mL", 2),
            "cc": qty(base, "mol/L", 4),
            "ss": qty(sample, "mL", 2),
        },
        Words(
            "The flask holds ⟨s|@s of hydrochloric acid⟩; the burette holds ⟨c|sodium hydroxide solution of "
            "@c⟩. Up to the end point ⟨v|@v of the base⟩ are used. What is the concentration of the acid?",
            "Equal amounts react, so $c_1V_1=c_2V_2$.",
            "The flask holds hydrochloric acid; the burette holds sodium hydroxide solution. Up to the end "
            "point @v of the base are used. What is the concentration of the acid?",
        ),
        Words(
            "锥形瓶中盛有 ⟨s|@s 盐酸⟩，滴定管中盛有 ⟨c|@c 的氢氧化钠标准溶液⟩，滴定至终点时⟨v|消耗标准溶液 "
            "@v⟩，则该盐酸的物质的量浓度为（　）",
            "两者等物质的量反应，故 $c_1V_1=c_2V_2$。",
            "锥形瓶中盛有盐酸，滴定管中盛有氢氧化钠标准溶液，滴定至终点时消耗标准溶液 @v，"
            "则该盐酸的物质的量浓度为（　）",
        ),
        Split(
            (NEUTRALISATION, CONCENTRATION),
            {
                "s": Shown((("$@ss$", "sample"),)),
                "c": Shown((("$@cc$", "titrant"),)),
            },
        ),
        constants=(f"{base:.4f}", f"{base_volume:.2f}", f"{sample:.2f}"),
    ).single(
        molar(base * base_volume / sample),
        molar(base * sample / base_volume, "turns the ratio of the volumes round"),
        molar(base, "takes both concentrations as equal"),
        molar(base * base_volume / (base_volume + sample), "divides by the volume of the mixture"),
    )


def crystallisation(
    cold: int = 20, cold_grams: int = 30, hot: int = 60, hot_grams: int = 110
) -> ExampleProblem:
    """Crystals from a saturated solution on cooling; free form. The solution holds 200 g of water."""
    return Draft(
        head(
            "chem-crystallisation",
            "chemical-experiment",
            2,
            JUNIOR,
            ("Experiments/Solutions", "Experiments/Preparing and separating"),
        ),
        graphs.solubility((cold, cold_grams), (hot, hot_grams)),
        {"cold": cold, "cold_grams": cold_grams, "hot": hot, "hot_grams": hot_grams},
        {"c": rf"${cold}\ ^\circ\mathrm{{C}}$", "h": rf"${hot}\ ^\circ\mathrm{{C}}$"},
        Words(
            "The curve gives the solubility $S$ of a solid X, which takes up no water of crystallisation, in "
            "100 g of water. A solution that is saturated at @h holds 200 g of water and is cooled to @c. "
            "What mass of X crystallises?",
            "For each 100 g of water the difference of the two solubilities leaves the solution.",
        ),
        Words(
            "图为固体 X（不含结晶水）在 100 g 水中的溶解度 $S$ 曲线。将 @h 时含水 200 g 的 X 饱和溶液冷却至 "
            "@c，求析出晶体的质量。",
            "每 100 g 水中析出的质量等于两温度下溶解度之差。",
        ),
        constants=("100", "200"),
    ).free(num(2 * (hot_grams - cold_grams)), "g")


def reaction_energy(reactants: int = 100, peak: int = 260, products: int = 40) -> ExampleProblem:
    """Enthalpy of reaction and activation energy from an energy profile."""

    def pair(enthalpy: int, barrier: int, mistake: str = "") -> Option:
        sign = "+" if enthalpy > 0 else ""
        return option(rf"$\Delta H={sign}{enthalpy}$, $E_a={barrier}$", mistake)

    change, barrier = products - reactants, peak - reactants
    return Draft(
        head("chem-energy-profile", "chemical-reaction", 2, SENIOR, ("Reactions/Energy and equilibrium",)),
        graphs.energy_profile(reactants, peak, products, ("X", r"\mathrm{TS}", "Y")),
        {"reactants": reactants, "peak": peak, "products": products},
        {"r": num(reactants), "p": num(products), "t": num(peak)},
        Words(
            r"The energy profile belongs to $\mathrm{X\rightarrow Y}$ (TS: transition state); energies "
            "are in "
            "kJ/mol. ⟨r|The energy of X is @r⟩, ⟨p|that of Y is @p⟩ and ⟨t|that of TS is @t⟩. Which values "
            r"of $\Delta H$ and of the activation energy $E_a$ (both in kJ/mol) belong to the reaction?",
            r"$\Delta H$ is the level of Y less that of X; $E_a$ is the top less the level of X.",
            r"The energy profile belongs to $\mathrm{X\rightarrow Y}$ (TS: transition state); energies "
            "are in "
            r"kJ/mol. Which values of $\Delta H$ and of the activation energy $E_a$ (both in kJ/mol) belong "
            "to the reaction?",
        ),
        Words(
            r"反应 $\mathrm{X\rightarrow Y}$ 的能量变化如图所示（TS 为过渡态，能量单位为 kJ/mol）。⟨r|X "
            r"的能量为 @r⟩，⟨p|Y 的能量为 @p⟩，⟨t|过渡态的能量为 @t⟩，则该反应的 $\Delta H$ 和活化能 "
            "$E_a$（单位均为 kJ/mol）为（　）",
            r"$\Delta H$ 等于 Y 与 X 的能量之差，$E_a$ 等于过渡态与 X 的能量之差。",
            r"反应 $\mathrm{X\rightarrow Y}$ 的能量变化如图所示（TS 为过渡态，能量单位为 kJ/mol），则该反"
            "应的 "
            r"$\Delta H$ 和活化能 $E_a$（单位均为 kJ/mol）为（　）",
        ),
        Split((REACTION_ENTHALPY,), {"r": Shown(), "p": Shown(), "t": Shown()}),
    ).single(
        pair(change, barrier),
        pair(-change, barrier, "subtracts the products from the reactants"),
        pair(change, peak - products, "takes the barrier of the reverse reaction"),
        pair(change, peak, "counts the barrier from zero"),
    )


def aluminium_hydroxide(concentration: float = 1.0, peak: int = 30) -> ExampleProblem:
    """The greatest mass of aluminium hydroxide when base is added; `peak` in mL is a multiple of 3."""
    moles = concentration * peak / 1000
    end = Fraction(4 * peak, 3)

    def grams(value: float, mistake: str = "") -> Option:
        return option(q(round(value, 3), "g"), mistake)

    return Draft(
        head("chem-aluminium-hydroxide", "chemical-reaction", 4, SENIOR, ("Reactions/Precipitation",)),
        graphs.precipitate(peak, float(end)),
        {"concentration": concentration, "peak": peak, "end": num(end)},
        {"c": q(f"{concentration:.2f}", "mol/L"), "p": q(peak, "mL"), "e": q(end, "mL")},
        Words(
            r"Sodium hydroxide solution ⟨c|of @c⟩ is slowly added to a solution of $\mathrm{AlCl_3}$. The "
            "amount $n$ of the precipitate changes with the volume $V$ of the base: ⟨p|it is greatest at @p⟩ "
            r"and ⟨e|has vanished at @e⟩. Take $M(\mathrm{Al(OH)_3})=78\ \mathrm{g/mol}$. What is the "
            "greatest mass of the precipitate?",
            r"Up to the peak $\mathrm{Al^{3+}+3OH^-\rightarrow Al(OH)_3}$: a third of the base's amount is "
            "the precipitate's.",
            r"Sodium hydroxide solution is slowly added to a solution of $\mathrm{AlCl_3}$. The amount "
            "$n$ of "
            r"the precipitate changes with the volume $V$ of the base. Take $M(\mathrm{Al(OH)_3})=78\ "
            r"\mathrm{g/mol}$. What is the greatest mass of the precipitate?",
        ),
        Words(
            r"向 $\mathrm{AlCl_3}$ 溶液中逐滴加入 ⟨c|@c 的⟩氢氧化钠溶液，生成沉淀的物质的量 $n$ 随碱液体积 "
            "$V$ 的变化如图所示，⟨p|加入 @p 时沉淀最多⟩，⟨e|加入 @e 时沉淀恰好消失⟩。已知 "
            r"$M(\mathrm{Al(OH)_3})=78\ \mathrm{g/mol}$，则沉淀的最大质量为（　）",
            r"沉淀最多时 $\mathrm{Al^{3+}+3OH^-=Al(OH)_3\downarrow}$ 恰好完全反应，沉淀的物质的量为碱的三"
            "分之一。",
            r"向 $\mathrm{AlCl_3}$ 溶液中逐滴加入氢氧化钠溶液，生成沉淀的物质的量 $n$ 随碱液体积 $V$ "
            r"的变化如图所示。已知 $M(\mathrm{Al(OH)_3})=78\ \mathrm{g/mol}$，则沉淀的最大质量为（　）",
        ),
        Split(
            (AMPHOTERIC, MOLAR_MASS),
            {"c": Shown((("$c=$ @c", "concentration"),)), "p": Shown(), "e": Shown()},
        ),
        constants=("78", "3", f"{concentration:.2f}"),
    ).single(
        grams(moles / 3 * HYDROXIDE),
        grams(moles * HYDROXIDE, "lets one hydroxide ion make one formula unit"),
        grams(moles / 4 * HYDROXIDE, "takes four hydroxide ions for each precipitated aluminium ion"),
        grams(moles * 4 / 3 / 3 * HYDROXIDE, "takes the volume at which the precipitate has vanished"),
    )


PROBLEMS = (
    galvanic_cell,
    copper_plating,
    gas_collection,
    titration,
    crystallisation,
    reaction_energy,
    aluminium_hydroxide,
)
