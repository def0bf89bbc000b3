"""Chemistry: organic structures and spectra, electron dots, crystals, the periodic table."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from benchwright.examples import molecules, structures, vessels
from benchwright.examples.knowledge import CONCENTRATION, MOLAR_MASS
from benchwright.examples.plots import columns as column_chart
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
ORGANIC, ATOMS, SPECTRA = (
    ("Matter/Organic structures",),
    ("Matter/Atoms and periodic table",),
    ("Matter/Organic structures",),
)
CELL = Term(
    "counting the atoms of a unit cell",
    "晶胞中粒子数的计算",
    "A corner atom belongs to eight cells, an atom on a face to two, one inside to the cell alone.",
    "顶点上的原子为八个晶胞共用，面上的为两个晶胞共用，内部的为该晶胞独有。",
)


def formula(carbon: int, hydrogen: int, mistake: str = "") -> Option:
    """An option with the formula of a hydrocarbon."""
    return option(rf"$\mathrm{{C_{{{carbon}}}H_{{{hydrogen}}}}}$", mistake)


def ring_formula(
    size: int = 6, methyls: tuple[int, ...] = (0, 2), doubles: tuple[int, ...] = (3,)
) -> ExampleProblem:
    """The molecular formula of a ring with methyl groups and double bonds."""
    carbon = size + len(methyls)
    hydrogen = 2 * carbon - 2 * len(doubles)
    return Draft(
        head("chem-ring-formula", "organic-chemistry", 2, SENIOR, ORGANIC),
        molecules.ring(size, methyls, doubles),
        {"size": size, "methyls": methyls, "doubles": doubles},
        {},
        Words(
            "The figure is the line drawing of a hydrocarbon. What is its molecular formula?",
            "Each corner and each free end is a carbon atom; a ring and each double bond cost two "
            "hydrogen atoms.",
        ),
        Words(
            "如图为某烃的键线式，其分子式为（　）",
            "每个拐点和端点为一个碳原子；每有一个环或一个双键，氢原子减少两个。",
        ),
    ).single(
        formula(carbon, hydrogen),
        formula(carbon, hydrogen + 2, "overlooks the ring or a double bond"),
        formula(size, hydrogen - 2 * len(methyls), "leaves out the methyl groups"),
        formula(carbon, 2 * carbon + 2, "counts an open chain without double bonds"),
    )


def hydrogen_uptake(
    carbons: int = 8, doubles: tuple[int, ...] = (1, 3, 6), moles: float = 0.5
) -> ExampleProblem:
    """Hydrogen that a chain with double bonds takes up; free form."""
    return Draft(
        head("chem-hydrogen-uptake", "organic-chemistry", 2, SENIOR, ("Matter/Organic structures",)),
        molecules.chain(carbons, doubles),
        {"carbons": carbons, "doubles": doubles, "moles": moles},
        {"n": q(moles, "mol")},
        Words(
            r"The figure is the line drawing of a hydrocarbon. How many moles of $\mathrm{H_2}$ does @n "
            "of it take up at most?",
            "Each double bond takes up one molecule of hydrogen.",
        ),
        Words(
            r"如图为某烃的键线式，@n 该烃最多能与多少摩尔的 $\mathrm{H_2}$ 加成？",
            "每个碳碳双键与一个氢分子加成。",
        ),
    ).free(num(moles * len(doubles)), "mol")


COMPOUNDS: dict[str, dict[float, int]] = {
    r"$\mathrm{CH_3CH_2OH}$": {1.2: 3, 3.6: 2, 2.6: 1},
    r"$\mathrm{CH_3OH}$": {3.4: 3, 2.2: 1},
    r"$\mathrm{CH_3OCH_3}$": {3.3: 6},
    r"$\mathrm{(CH_3)_2CHOH}$": {1.2: 6, 4.0: 1, 2.2: 1},
}
"""Compounds and their proton signals: chemical shift -> number of protons."""


def proton_signals(place: int = 0) -> ExampleProblem:
    """Which compound has the proton signals shown."""
    names = list(COMPOUNDS)
    signals = COMPOUNDS[names[place]]
    highest = max(signals.values())
    return Draft(
        head("chem-proton-signals", "organic-chemistry", 3, SENIOR, SPECTRA),
        molecules.spectrum(
            {shift: n / highest for shift, n in signals.items()},
            r"\delta",
            {shift: str(n) for shift, n in signals.items()},
            falling=True,
        ),
        {"place": place},
        {},
        Words(
            "The figure is a simplified proton magnetic resonance spectrum; the number over a signal is "
            "its relative area. Which compound gives it?",
            "Count the kinds of hydrogen atoms and compare their numbers with the areas.",
        ),
        Words(
            "如图为某有机物的核磁共振氢谱示意图，峰上的数字为相对峰面积，该有机物是（　）",
            "先数氢原子的种类，再把各类氢原子的个数与峰面积比较。",
        ),
    ).single(
        option(names[place]),
        *(option(n, "has other kinds or numbers of hydrogen atoms") for n in names if n != names[place]),
    )


def molecular_peak(mass: int = 86) -> ExampleProblem:
    """The number of carbon atoms of an alkane from its molecular peak; free form."""
    peaks = {float(mass): 0.22, mass - 29.0: 0.8, mass - 43.0: 1.0, mass - 57.0: 0.55, mass - 15.0: 0.1}
    return Draft(
        head("chem-molecular-peak", "organic-chemistry", 2, SENIOR, SPECTRA),
        molecules.spectrum(
            peaks, "m/z", {float(mass): str(mass), mass - 43.0: str(mass - 43), mass - 57.0: str(mass - 57)}
        ),
        {"mass": mass},
        {},
        Words(
            "The figure shows the mass spectrum of an alkane; the peak at the far right belongs to the "
            "whole molecule. How many carbon atoms has the molecule?",
            "The peak at the far right gives the relative molecular mass; $14n+2$ is that of an alkane "
            "with $n$ carbon atoms.",
        ),
        Words(
            "如图为某烷烃的质谱图，最右侧的峰为分子离子峰，则该烷烃分子中有多少个碳原子？",
            "最右侧的峰给出相对分子质量，含 $n$ 个碳原子的烷烃为 $14n+2$。",
        ),
    ).free(num(Fraction(mass - 2, 14)))


def electron_dots(centre: str = "N", outer: str = "H", bonds: int = 3) -> ExampleProblem:
    """Bonding and lone pairs of the central atom; two parts."""
    lone = {"N": 5, "O": 6, "C": 4, "P": 5, "S": 6}[centre] - bonds
    lone //= 2
    return Draft(
        head("chem-electron-dots", "substance-composition", 1, SENIOR, ("Matter/Atoms and periodic table",)),
        molecules.dots(centre, outer, bonds, lone),
        {"centre": centre, "outer": outer, "bonds": bonds},
        {"c": rf"$\mathrm{{{centre}}}$"},
        Words(
            "The figure shows the electron-dot formula of a molecule. (1) How many bonding pairs does "
            "the atom @c have? (2) How many lone pairs does it have?",
            "A pair between two atoms binds them; the others at the atom are lone.",
        ),
        Words(
            "如图为某分子的电子式。(1) @c 原子有多少对成键电子？(2) 有多少对孤电子？",
            "两原子之间的电子对为成键电子对，其余为孤电子对。",
        ),
        constants=("1", "2"),
    ).parts(Option(str(bonds), str(bonds)), Option(str(lone), str(lone)))


def metal_density(edge: float = 3.6, mass: int = 64, lattice: str = "face") -> ExampleProblem:
    """The density of a metal from its unit cell; the edge is in units of 1e-8 cm."""
    atoms = 4 if lattice == "face" else 2
    unit = mass / (6.02e23 * (edge * 1e-8) ** 3)

    def density(count: float, mistake: str = "") -> Option:
        return option(q(count * unit, "g/cm^3", 2), mistake)

    return Draft(
        head("chem-metal-density", "substance-composition", 4, SENIOR, ("Matter/Crystals",)),
        structures.unit_cell({"corner": "M", lattice: "M"}, metal=True),
        {"edge": edge, "mass": mass, "lattice": lattice},
        {"e": q(rf"{num(edge)}\times 10^{{-8}}", "cm"), "m": q(mass, "g/mol")},
        Words(
            "The figure shows the cubic unit cell of a metal ⟨m|of molar mass @m⟩; ⟨e|its edge measures "
            r"@e⟩. Take $N_A=6.02\times 10^{23}\ \mathrm{mol^{-1}}$. What is the density of the metal?",
            "Count the atoms of the cell; their mass divided by the volume of the cell is the density.",
            r"The figure shows the cubic unit cell of a metal of molar mass @m. Take $N_A=6.02\times "
            r"10^{23}\ \mathrm{mol^{-1}}$. What is the density of the metal?",
        ),
        Words(
            r"如图为某金属的立方晶胞，⟨m|其摩尔质量为 @m⟩，⟨e|晶胞边长为 @e⟩，取 $N_A=6.02\times "
            r"10^{23}\ \mathrm{mol^{-1}}$，则该金属的密度为（　）",
            "先计算晶胞中的原子数，密度等于晶胞内原子的质量除以晶胞体积。",
            r"如图为某金属的立方晶胞，其摩尔质量为 @m，取 $N_A=6.02\times 10^{23}\ \mathrm{mol^{-1}}$，则"
            "该金属的密度为（　）",
        ),
        Split((CELL, MOLAR_MASS), {"e": Shown((("@e", "edge"),))}),
        constants=("6.02", "10"),
    ).single(
        density(atoms),
        density(14 if lattice == "face" else 9, "counts every atom as a whole one"),
        density(1, "counts one atom in a cell"),
        density(8, "counts only the corner atoms, each as a whole one"),
    )


def bottle_label(percent: float = 36.5, density: float = 1.2, molar: float = 36.5) -> ExampleProblem:
    """The amount concentration from the label of a bottle."""
    right = 1000 * density * percent / 100 / molar

    def value(x: float, mistake: str = "") -> Option:
        return option(q(num(round(x, 2)), "mol/L"), mistake)

    return Draft(
        head("chem-bottle-label", "substance-composition", 3, SENIOR, ("Experiments/Solutions",)),
        vessels.bottle(
            (
                rf"w={num(percent)}\,\%",
                rf"\rho={num(density)}\ \mathrm{{g/cm^3}}",
                rf"M={num(molar)}\ \mathrm{{g/mol}}",
            )
        ),
        {"percent": percent, "density": density, "molar": molar},
        {"w": rf"${num(percent)}\,\%$", "d": q(density, "g/cm^3"), "m": q(molar, "g/mol")},
        Words(
            "A bottle holds a solution of an acid. ⟨w|Its mass fraction is @w⟩, ⟨d|the density of the "
            "solution is @d⟩ and ⟨m|the molar mass of the acid is @m⟩. What is its amount concentration?",
            r"A litre weighs $1000\rho$ grams; the share $w$ of it is acid.",
            "A bottle holds a solution of an acid; the label gives mass fraction, density and molar "
            "mass. What is its amount concentration?",
        ),
        Words(
            "如图，试剂瓶中盛有某酸溶液，⟨w|溶质的质量分数为 @w⟩，⟨d|溶液的密度为 @d⟩，⟨m|溶质的摩尔质量"
            "为 @m⟩，则其物质的量浓度为（　）",
            r"每升溶液的质量为 $1000\rho$ 克，其中溶质占 $w$。",
            "如图，试剂瓶中盛有某酸溶液，标签上给出了质量分数、密度和摩尔质量，则其物质的量浓度为（　）",
        ),
        Split((CONCENTRATION, MOLAR_MASS), {"w": Shown(), "d": Shown(), "m": Shown()}),
    ).single(
        value(right),
        value(right / density, "leaves out the density"),
        value(right / density**2, "divides by the density instead of multiplying"),
        value(right / 10, "slips by a power of ten"),
    )


def isotope_mean(light: int = 35, heavy: int = 37, share: int = 75) -> ExampleProblem:
    """The mean relative atomic mass from a chart of abundances; free form."""
    return Draft(
        head("chem-isotopes", "substance-composition", 1, SENIOR, ATOMS),
        column_chart(
            "bar-chart",
            {rf"{{}}^{{{light}}}\mathrm{{X}}": share, rf"{{}}^{{{heavy}}}\mathrm{{X}}": 100 - share},
            ("", r"x/\%"),
            [25, 50, 75, 100],
        ),
        {"light": light, "heavy": heavy, "share": share},
        {},
        Words(
            "The chart shows how many of a hundred atoms of the element X belong to each of its two "
            "isotopes. What is the mean relative atomic mass, the mass numbers taken as masses?",
            "Weigh each mass number with its share.",
        ),
        Words(
            "图为元素 X 的两种同位素在自然界中所占的原子百分数，用质量数代替相对原子质量，求 X 的平均相对"
            "原子质量。",
            "各质量数与其所占百分数的乘积之和。",
        ),
    ).free(num((light * share + heavy * (100 - share)) / 100))


def place_in_table(group: int = 16, period: int = 3) -> ExampleProblem:
    """The atomic number of an element from its place; free form."""
    before = {1: 0, 2: 2, 3: 10, 4: 18}[period]
    within = group if period == 4 or group <= 2 else group - 10
    number = before + (2 if (period, group) == (1, 18) else within)
    return Draft(
        head("chem-place-in-table", "inorganic-chemistry", 1, JUNIOR, ATOMS),
        molecules.periodic_place(group, period),
        {"group": group, "period": period},
        {},
        Words(
            "The figure is an outline of the first four periods of the periodic table. What is the "
            "atomic number of the element X?",
            "Count the cells of the rows above and those before X.",
        ),
        Words(
            "如图为元素周期表前四周期的轮廓，元素 X 的原子序数是多少？", "数出前几周期和 X 之前的元素个数。"
        ),
    ).free(num(number))


PROBLEMS = (
    ring_formula,
    hydrogen_uptake,
    proton_signals,
    molecular_peak,
    electron_dots,
    metal_density,
    bottle_label,
    isotope_mean,
    place_in_table,
)
