"""Chemistry: structure of matter and equilibrium."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType

from benchwright.examples import graphs, structures
from benchwright.examples.knowledge import (
    EQUILIBRIUM,
    IONS,
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
)
from benchwright.examples.tables import table

head = partial(Head, "chemistry")
SYMBOLS: Mapping[int, str] = MappingProxyType(
    {8: "O", 9: "F", 10: "Ne", 11: "Na", 12: "Mg", 13: "Al", 16: "S", 17: "Cl", 18: "Ar", 19: "K", 20: "Ca"}
)


def monochlorides(chain: int = 5, branches: tuple[int, ...] = (2,)) -> ExampleProblem:
    """How many monochlorination products a branched alkane has, mirror images not counted apart."""
    kinds, carbons, formula = _carbon_kinds(chain, branches)
    return Draft(
        head("chem-monochlorides", "organic-chemistry", 3, SENIOR, ("Matter/Organic structures",)),
        structures.carbon_skeleton(chain, branches),
        {"chain": chain, "branches": branches},
        {"f": formula},
        Words(
            "The line drawing shows an alkane. How many structurally different products can form when "
            "exactly one hydrogen atom is replaced by chlorine (leave stereoisomers out)?",
            "Count the kinds of carbon atoms that bear hydrogen and cannot be turned into each other by "
            "symmetry.",
        ),
        Words(
            "某烷烃的键线式如图所示，其一氯代物的结构（不考虑立体异构）有（　）",
            "一氯代物的种数等于该烷烃中等效氢的种数。",
        ),
    ).single(
        _count(kinds),
        _count(carbons, "counts every carbon atom"),
        _count(kinds - 1, "overlooks one kind of hydrogen"),
        _count(carbons + 2, "counts bonds and ends as well"),
    )


def _count(value: int, mistake: str = "") -> Option:
    return Option(f"{value}", f"{value} 种", mistake)


def _carbon_kinds(chain: int, branches: Sequence[int]) -> tuple[int, int, str]:
    """Kinds of carbon atoms with hydrogen (by symmetry), number of carbon atoms, and the formula."""
    edges = [(i, i + 1) for i in range(1, chain)] + [(b, chain + i) for i, b in enumerate(branches, start=1)]
    carbons = chain + len(branches)
    near: dict[int, list[int]] = {c: [] for c in range(1, carbons + 1)}
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)

    def shape(atom: int, parent: int) -> str:
        return "(" + "".join(sorted(shape(n, atom) for n in near[atom] if n != parent)) + ")"

    kinds = Counter(shape(atom, 0) for atom in near if len(near[atom]) < 4)
    return len(kinds), carbons, rf"$\mathrm{{C_{{{carbons}}}H_{{{2 * carbons + 2}}}}}$"


def equilibrium_constant(start: float = 1.0, end: float = 0.4, time: int = 5) -> ExampleProblem:
    """The constant of A = 2 B from concentrations that settle."""
    formed = round(2 * (start - end), 6)

    def plain(value: float, mistake: str = "") -> Option:
        return option(f"${num(round(value, 3))}$", mistake)

    return Draft(
        head(
            "chem-equilibrium-constant",
            "chemical-equilibrium",
            3,
            SENIOR,
            ("Reactions/Energy and equilibrium",),
        ),
        graphs.concentrations({"A": (start, end), "B": (0, formed)}, time),
        {"start": start, "end": end, "formed": formed, "time": time},
        {"a": q(end, "mol/L"), "b": q(formed, "mol/L"), "t": q(time, "min")},
        Words(
            r"In a closed vessel at a fixed temperature $\mathrm{A(g)\rightleftharpoons 2B(g)}$ takes place. "
            "The graph shows that equilibrium is reached ⟨t|after @t⟩, when ⟨a|the concentration of A is @a⟩ "
            "and ⟨b|that of B is @b⟩. What is the value of the equilibrium constant $K$?",
            r"$K=\frac{c^2(\mathrm{B})}{c(\mathrm{A})}$ with the concentrations at equilibrium.",
            r"In a closed vessel at a fixed temperature $\mathrm{A(g)\rightleftharpoons 2B(g)}$ takes place. "
            "What is the value of the equilibrium constant $K$?",
        ),
        Words(
            r"恒温密闭容器中发生反应 $\mathrm{A(g)\rightleftharpoons 2B(g)}$，各物质浓度随时间的变化如图"
            "所示，"
            "⟨t|@t 时达到平衡⟩，此时 ⟨a|A 的浓度为 @a⟩，⟨b|B 的浓度为 @b⟩，则该反应的平衡常数 $K$ "
            "的数值为（　）",
            r"$K=\frac{c^2(\mathrm{B})}{c(\mathrm{A})}$，代入平衡浓度求得。",
            r"恒温密闭容器中发生反应 $\mathrm{A(g)\rightleftharpoons 2B(g)}$，各物质浓度随时间的变化如图"
            "所示，"
            "则该反应的平衡常数 $K$ 的数值为（　）",
        ),
        Split((EQUILIBRIUM,), {"t": Shown(), "a": Shown(), "b": Shown()}),
        constants=("2",),
    ).single(
        plain(formed**2 / end),
        plain(formed / end, "forgets the square"),
        plain(end / formed**2, "turns the fraction round"),
        plain(formed**2 / start, "takes the starting concentration of A"),
    )


def shell_model(charge: int = 17, shells: tuple[int, ...] = (2, 8, 8)) -> ExampleProblem:
    """Which particle a shell model shows."""
    electrons = sum(shells)
    excess = electrons - charge
    sign = "-" if excess > 0 else "+"
    size = "" if abs(excess) == 1 else str(abs(excess))
    other = "+" if sign == "-" else "-"

    def particle(protons: int, superscript: str, mistake: str = "") -> Option:
        return option(rf"$\mathrm{{{SYMBOLS[protons]}{superscript}}}$", mistake)

    return Draft(
        head("chem-shell-model", "substance-composition", 1, JUNIOR, ("Matter/Atoms and periodic table",)),
        structures.electron_shells(charge, shells),
        {"charge": charge, "shells": shells},
        {"z": f"$+{charge}$", "n": num(electrons)},
        Words(
            "The figure shows a particle: ⟨z|its nucleus carries the charge @z⟩. Which particle is it?",
            "Compare the number of electrons, here @n, with the charge of the nucleus, which names the "
            "element.",
            "The figure shows a particle. Which particle is it?",
        ),
        Words(
            "某微粒的结构示意图如图所示，⟨z|核电荷数为 @z⟩，则该微粒是（　）",
            "由核电荷数确定元素，再比较电子总数 @n 与核电荷数确定所带电荷。",
            "某微粒的结构示意图如图所示，则该微粒是（　）",
        ),
        Split((IONS,), {"z": Shown()}),
        constants=(num(electrons),),
    ).single(
        particle(charge, f"^{{{size}{sign}}}"),
        particle(electrons, "", "takes the number of electrons for that of protons"),
        particle(charge, "", "takes the particle for a neutral atom"),
        particle(charge, f"^{{{size}{other}}}", "turns the sign of the charge round"),
    )


def periodic_table_section(groups: tuple[str, ...] = ("VIA", "VIIA")) -> ExampleProblem:
    """Trends in a section of the periodic table (two neighbouring main groups, periods 2 and 3); multiple-select."""
    return Draft(
        head("chem-periodic-trends", "inorganic-chemistry", 3, SENIOR, ("Matter/Atoms and periodic table",)),
        table(
            [
                ["", *(rf"\mathrm{{{group}}}" for group in groups)],
                ["2", "W", "X"],
                ["3", "Y", "Z"],
            ]
        ),
        {"groups": groups},
        {},
        Words(
            "The table is a section of the periodic table: columns are main groups, rows are periods. W, X, "
            "Y and Z are elements. Which statements are right?",
            "Along a period to the right atoms become smaller and non-metals stronger; down a group the "
            "reverse holds.",
        ),
        Words(
            "下表为元素周期表的一部分，列为主族，行为周期，W、X、Y、Z 为四种元素，下列说法正确的有（　）",
            "同周期从左到右原子半径减小、非金属性增强；同主族从上到下则相反。",
        ),
    ).multiple(
        Option("Atomic radius: Y > Z > X.", "原子半径：Y > Z > X"),
        Option(
            "The simplest hydride of Y is more stable to heat than that of W.",
            "最简单气态氢化物的热稳定性：Y > W",
            "has stability grow down a group",
        ),
        Option(
            "The acid of the highest oxide of Z is stronger than that of Y.",
            "最高价氧化物对应水化物的酸性：Z > Y",
        ),
        Option(
            "Radius of the simple anions: Z is larger than Y.",
            "简单阴离子的半径：Z > Y",
            "forgets that equal shells are drawn in by a larger nuclear charge",
        ),
    )


def unit_cell(corner: str = "X", face: str = "Y", centre: str = "Z") -> ExampleProblem:
    """The formula of a compound from its cubic unit cell."""
    sites = {site: name for site, name in (("corner", corner), ("face", face), ("centre", centre)) if name}

    def formula(corners: int, faces: int, mistake: str = "") -> Option:
        counts = {"corner": corners, "face": faces, "centre": 1}
        parts = [f"{sites[s]}" + (f"_{{{counts[s]}}}" if counts[s] > 1 else "") for s in counts if s in sites]
        return option(rf"$\mathrm{{{''.join(parts)}}}$", mistake)

    return Draft(
        head("chem-unit-cell", "substance-composition", 3, SENIOR, ("Matter/Crystals",)),
        structures.unit_cell(sites),
        {"corner": corner, "face": face, "centre": centre},
        {},
        Words(
            "The figure shows the cubic unit cell of a compound; the particles sit at corners, in the middle "
            "of faces or in the middle of the cube. What is its formula?",
            "A particle at a corner belongs to eight cells, one on a face to two, one inside to this "
            "cell alone.",
        ),
        Words(
            "某化合物的立方晶胞如图所示，微粒分别位于顶点、面心或体心，则其化学式为（　）",
            "顶点上的微粒为八个晶胞共有，面心上的为两个晶胞共有，体心的为该晶胞独有。",
        ),
    ).single(
        formula(1, 3),
        formula(8, 6, "counts all particles drawn as belonging to the cell"),
        formula(4, 3, "shares the corners between two cells only"),
        formula(1, 6, "does not share the particles on the faces"),
    )


PROBLEMS = (
    monochlorides,
    equilibrium_constant,
    shell_model,
    periodic_table_section,
    unit_cell,
)
