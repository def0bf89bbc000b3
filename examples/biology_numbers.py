"""Biology: figures of cells, enzymes, proteins and heredity."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from benchwright.examples import organisms
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
from benchwright.examples.tables import table

head = partial(Head, "biology")
CELLS, ENZYMES = ("Cells/Structure and function",), ("Metabolism/Enzymes and photosynthesis",)
CYCLE = Term(
    "duration of phases",
    "细胞周期各时期的时长",
    "In a growing tissue the share of cells in a phase is the share of that phase in the cell cycle.",
    "分裂旺盛的组织中，处于某时期的细胞所占比例等于该时期占细胞周期的比例。",
)
MICHAELIS = Term(
    "the Michaelis constant",
    "米氏常数",
    r"The rate is $v=\frac{v_mS}{K+S}$; at $S=K$ it is half of the greatest rate $v_m$.",
    r"反应速率 $v=\frac{v_mS}{K+S}$；当 $S=K$ 时速率为最大速率 $v_m$ 的一半。",
)
CONDENSATION = Term(
    "peptide bonds",
    "脱水缩合",
    "Each peptide bond costs one molecule of water.",
    "每形成一个肽键脱去一分子水。",
)
CROSSING_OVER = Term(
    "map distance and crossing over",
    "遗传图距与交换",
    "A distance of one unit means crossing over in one of a hundred gametes; two independent crossings "
    "multiply.",
    "一个图距单位表示百分之一的配子发生交换，两处独立交换的概率相乘。",
)
CODONS = {"AUG": "Met", "UUU": "Phe", "GCU": "Ala", "GAA": "Glu", "CCA": "Pro"}


def dna_per_cell(asked: str = "replication") -> ExampleProblem:
    """Which stretch of a curve of DNA content shows an event."""
    events = {
        "replication": (2, "the DNA replicated", "核内 DNA 进行复制"),
        "growth": (1, "the young cell grow before its DNA is replicated", "细胞生长、DNA 尚未复制"),
        "division": (4, "one cell become two", "一个细胞分裂成两个"),
    }
    number, english, chinese = events[asked]
    points = [(0.0, 2.0), (2.0, 2.0), (4.0, 4.0), (7.0, 4.0), (7.0, 2.0), (9.0, 2.0)]
    names = {1: (1.0, 2.0, "n"), 2: (2.9, 3.0, "nw"), 3: (5.5, 4.0, "n"), 4: (7.0, 3.0, "e")}
    return Draft(
        head("bio-dna-per-cell", "molecular-and-cellular", 2, SENIOR, CELLS),
        draw(
            Plot(
                "cell-cycle-graph",
                (0, 10),
                (0, 5.2),
                ("t", "m"),
                ys={2: "2c", 4: "4c"},
                lines=[points],
                levels=[(4, 4.0)],
                tags=[(str(n), x, y, side) for n, (x, y, side) in names.items()],
            )
        ),
        {"asked": asked},
        {"e": english, "z": chinese},
        Words(
            "The curve shows the amount $m$ of nuclear DNA in a cell that divides by mitosis. In which "
            "numbered stretch is @e?"
            if asked != "growth"
            else "The curve shows the amount $m$ of nuclear DNA in a cell that divides by mitosis. In "
            "which numbered stretch does @e?",
            "The amount rises while DNA is replicated and halves when the cell divides.",
        ),
        Words(
            "如图为进行有丝分裂的细胞核 DNA 含量 $m$ 的变化曲线，其中@{z}的一段是（　）",
            "DNA 复制时含量上升，细胞一分为二时含量减半。",
        ),
    ).single(
        Option(f"stretch {number}", f"第 {number} 段"),
        *(Option(f"stretch {n}", f"第 {n} 段", "belongs to another phase") for n in names if n != number),
    )


def phase_duration(cycle: int = 20, shares: tuple[int, ...] = (85, 8, 3, 4)) -> ExampleProblem:
    """How long a phase lasts, from the shares of cells; free form."""
    return Draft(
        head("bio-phase-duration", "molecular-and-cellular", 3, SENIOR, CELLS),
        columns(
            "bar-chart",
            dict(zip("IPMT", shares, strict=True)),
            ("", r"x/\%"),
            [25, 50, 75, 100],
            rooms=[("cycle", 1.6, 104, 150, 30)],
        ),
        {"cycle": cycle, "shares": shares},
        {"t": q(cycle, "h")},
        Words(
            "In a root tip the shares of cells in interphase (I), prophase (P), metaphase (M) and the "
            "later phases (T) were counted; the figure shows them. ⟨t|The cell cycle lasts @t.⟩ How "
            "long, in h, does mitosis, that is P, M and T together, take?",
            "The share of the cells in mitosis is the share of mitosis in the cycle.",
            "In a root tip the shares of cells in interphase (I), prophase (P), metaphase (M) and the "
            "later phases (T) were counted; the figure shows them. How long, in h, does mitosis, that is "
            "P, M and T together, take?",
        ),
        Words(
            "统计根尖分生区处于间期（I）、前期（P）、中期（M）和后面各期（T）的细胞所占百分比，结果如图所"
            "示。⟨t|细胞周期为 @t⟩，求分裂期（P、M、T 之和）的时长（单位：h）。",
            "处于分裂期的细胞所占比例等于分裂期占细胞周期的比例。",
            "统计根尖分生区处于间期（I）、前期（P）、中期（M）和后面各期（T）的细胞所占百分比，结果如图所"
            "示。求分裂期（P、M、T 之和）的时长（单位：h）。",
        ),
        Split((CYCLE,), {"t": Shown((("$T=$ @t", "cycle"),))}),
    ).free(num(round(cycle * (100 - shares[0]) / 100, 6)), "h")


def michaelis_curve(top: int = 60, half: int = 4, asked: int = 12) -> ExampleProblem:
    """A rate of an enzyme at another concentration; free form."""
    points = [(half * 0.25 * i, top * 0.25 * i / (1 + 0.25 * i)) for i in range(29)]
    return Draft(
        head("bio-michaelis", "biochemistry", 4, SENIOR, ENZYMES),
        draw(
            Plot(
                "kinetics-graph",
                (0, half * 7.4),
                (0, top * 1.25),
                (r"S/\mathrm{mM}", "v"),
                xs=[half],
                ys=[top / 2, top],
                curves=[points],
                guides=[(half, top / 2)],
                dashed=[[(0, top), (half * 7, top)]],
            )
        ),
        {"top": top, "half": half, "asked": asked},
        {"t": num(top), "k": q(half, "mM"), "s": q(asked, "mM"), "h": num(Fraction(top, 2))},
        Words(
            "The curve shows the rate $v$ of an enzyme, in relative units, against the concentration $S$ "
            "of its substrate; ⟨t|it approaches @t⟩, and ⟨k|at @k it has reached @h⟩. What is the rate "
            "at @s?",
            r"$v=\frac{v_mS}{K+S}$, where $K$ is the concentration of half the greatest rate.",
            "The curve shows the rate $v$ of an enzyme, in relative units, against the concentration $S$ "
            "of its substrate. What is the rate at @s?",
        ),
        Words(
            "如图为某酶的反应速率 $v$（相对单位）与底物浓度 $S$ 的关系，⟨t|速率趋近于 @t⟩，⟨k|浓度为 @k "
            "时速率为 @h⟩，求底物浓度为 @s 时的反应速率。",
            r"$v=\frac{v_mS}{K+S}$，其中 $K$ 为速率达到最大值一半时的浓度。",
            "如图为某酶的反应速率 $v$（相对单位）与底物浓度 $S$ 的关系，求底物浓度为 @s 时的反应速率。",
        ),
        Split((MICHAELIS,), {"t": Shown(), "k": Shown()}),
        constants=(num(Fraction(top, 2)),),
    ).free(num(round(top * asked / (half + asked), 6)))


def peptide_mass(acids: int = 8, mean: int = 128) -> ExampleProblem:
    """The relative mass of a peptide from its amino acids."""

    def whole(value: int, mistake: str = "") -> Option:
        return option(f"${value}$", mistake)

    return Draft(
        head("bio-peptide-mass", "biochemistry", 3, SENIOR, ("Metabolism/Enzymes and photosynthesis",)),
        organisms.peptide(acids),
        {"acids": acids, "mean": mean},
        {"m": num(mean)},
        Words(
            "Each bead of the figure is an amino acid. ⟨m|The mean relative mass of the free amino acids "
            "is @m.⟩ Take 18 for water. What is the relative mass of the peptide?",
            "There is one peptide bond less than there are amino acids, and each costs a molecule of water.",
            "Each bead of the figure is an amino acid. Take 18 for the relative mass of water. What is "
            "the relative mass of the peptide?",
        ),
        Words(
            "图中每个圆圈代表一个氨基酸，⟨m|游离氨基酸的平均相对分子质量为 @m⟩，水的相对分子质量取 18，则"
            "该多肽的相对分子质量为（　）",
            "肽键数比氨基酸数少一，每形成一个肽键脱去一分子水。",
            "图中每个圆圈代表一个氨基酸，水的相对分子质量取 18，则该多肽的相对分子质量为（　）",
        ),
        Split((CONDENSATION,), {"m": Shown((("$M=@m$", "mass"),))}),
        constants=("18",),
    ).single(
        whole(acids * mean - 18 * (acids - 1)),
        whole(acids * mean, "forgets the water"),
        whole(acids * mean - 18 * acids, "takes off a molecule of water for each amino acid"),
        whole(acids * mean + 18 * (acids - 1), "adds the water"),
    )


def karyogram(pairs: int = 8, extra: int = 5) -> ExampleProblem:
    """Chromosomes of a karyogram and its odd group; two parts."""
    return Draft(
        head("bio-karyogram", "genetics", 1, JUNIOR, ("Genetics/Inheritance",)),
        organisms.karyogram(pairs, extra),
        {"pairs": pairs, "extra": extra},
        {},
        Words(
            "The figure shows the chromosomes of a body cell of an animal, sorted into groups. (1) How "
            "many chromosomes has the cell? (2) Which group has one chromosome too many?",
            "In a diploid cell each group should hold two chromosomes.",
        ),
        Words(
            "如图为某动物一个体细胞的染色体核型图。(1) 该细胞中有多少条染色体？(2) 哪一组多了一条染色体？",
            "二倍体体细胞中每组应有两条同源染色体。",
        ),
        constants=("1", "2"),
    ).parts(Option(str(2 * pairs + 1), str(2 * pairs + 1)), Option(str(extra), str(extra)))


def double_crossing(first: int = 20, second: int = 10, gametes: int = 1000) -> ExampleProblem:
    """Gametes with two crossings between three genes; free form."""
    return Draft(
        head("bio-double-crossing", "genetics", 4, SENIOR, ("Genetics/Inheritance",)),
        organisms.linkage_map(first, second),
        {"first": first, "second": second, "gametes": gametes},
        {"a": q(first, "cM"), "b": q(second, "cM"), "n": num(gametes)},
        Words(
            "Three genes lie on a chromosome: ⟨a|$a$ and $b$ are @a apart⟩, ⟨b|$b$ and $c$ are @b apart⟩. "
            "Crossings in the two stretches do not influence each other. Among @n gametes, how many are "
            "expected to have crossed over in both stretches?",
            "Multiply the probabilities of both crossings.",
            "Three genes lie on a chromosome. Crossings in the two stretches do not influence each "
            "other. Among @n gametes, how many are expected to have crossed over in both stretches?",
        ),
        Words(
            "如图，三个基因位于同一条染色体上，⟨a|$a$ 与 $b$ 相距 @a⟩，⟨b|$b$ 与 $c$ 相距 @b⟩，两段的交换"
            "互不影响。在 @n 个配子中，预期有多少个在两段都发生了交换？",
            "两处交换的概率相乘。",
            "如图，三个基因位于同一条染色体上，两段的交换互不影响。在 @n 个配子中，预期有多少个在两段都发"
            "生了交换？",
        ),
        Split((CROSSING_OVER,), {"a": Shown(), "b": Shown()}),
    ).free(num(Fraction(first * second * gametes, 10000)))


def codon_table(order: tuple[str, ...] = ("AUG", "GAA", "CCA")) -> ExampleProblem:
    """The amino acids that a template strand codes for."""
    template = "-".join(
        "".join({"A": "T", "U": "A", "G": "C", "C": "G"}[c] for c in codon) for codon in order
    )
    acids = [CODONS[c] for c in order]
    other = next(a for a in CODONS.values() if a not in acids)
    rows = [
        [r"\mathrm{codon}", *(rf"\mathrm{{{c}}}" for c in CODONS)],
        ["", *(rf"\mathrm{{{a}}}" for a in CODONS.values())],
    ]
    rows[0][0] = r"\mathrm{mRNA}"

    def chain(names: list[str], mistake: str = "") -> Option:
        return option("-".join(names), mistake)

    return Draft(
        head("bio-codon-table", "genetics", 2, SENIOR, ("Genetics/DNA",)),
        table(rows, first=96, other=82),
        {"order": order},
        {"t": template},
        Words(
            "The table is a part of the genetic code. A template strand of DNA is read in the order @t. "
            "Which peptide does it code for?",
            "Each base of the template pairs with its partner in mRNA (A with U); then read the codons.",
        ),
        Words(
            "表中为部分遗传密码。DNA 模板链的碱基按阅读顺序为 @t，则它编码的肽链为（　）",
            "由模板链按碱基互补配对（A 对应 U）写出 mRNA，再查密码子。",
        ),
    ).single(
        chain(acids),
        chain(acids[::-1], "reads the strand from the wrong end"),
        chain([acids[0], acids[2], acids[1]], "mixes up two codons"),
        chain([acids[0], acids[1], other], "looks the last codon up in the wrong column"),
    )


PROBLEMS = (
    dna_per_cell,
    phase_duration,
    michaelis_curve,
    peptide_mass,
    karyogram,
    double_crossing,
    codon_table,
)
