"""Biology: heredity, ecology, evolution."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from benchwright.examples import graphs, structures, trees
from benchwright.examples.knowledge import (
    BASE_PAIRING,
    ENERGY_FLOW,
    LOGISTIC,
    RECESSIVE,
    SEGREGATION,
)
from benchwright.examples.problem import (
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

head = partial(Head, "biology")


def pedigree_risk(spouse: str = "Aa") -> ExampleProblem:
    """The risk of a child of an affected girl's healthy brother and a healthy carrier."""
    passes = Fraction(spouse.count("a"), 2)
    carrier = Fraction(2, 3)
    risk = carrier * Fraction(1, 2) * passes
    return Draft(
        head("bio-pedigree", "genetics", 4, SENIOR, ("Genetics/Inheritance",)),
        trees.pedigree(),
        {"spouse": spouse},
        {"s": f"${spouse}$"},
        Words(
            "In the pedigree squares are males, circles females, and filled symbols have a disorder that is "
            "governed by one pair of alleles $A$, $a$. ⟨s|Woman 5 has the genotype @s.⟩ With what "
            "probability does the child of 4 and 5 have the disorder?",
            "Healthy parents with an affected daughter: autosomal recessive; man 4 is a carrier with "
            r"probability $\frac{2}{3}$.",
            "In the pedigree squares are males, circles females, and filled symbols have a disorder that is "
            "governed by one pair of alleles $A$, $a$. With what probability does the child of 4 and 5 have "
            "the disorder?",
        ),
        Words(
            "如图为某单基因遗传病的系谱图，方形表示男性，圆形表示女性，涂黑者为患者，相关基因用 $A$、$a$ "
            "表示。⟨s|5 号的基因型为 @s⟩，则 4 号与 5 号所生孩子患病的概率为（　）",
            r"正常双亲生出患病女儿，该病为常染色体隐性遗传病，4 号为携带者的概率为 $\frac{2}{3}$。",
            "如图为某单基因遗传病的系谱图，方形表示男性，圆形表示女性，涂黑者为患者，相关基因用 $A$、$a$ "
            "表示。4 号与 5 号所生孩子患病的概率为（　）",
        ),
        Split((RECESSIVE, SEGREGATION), {"s": Shown((("@s", "spouse"),))}),
        constants=("4", "5"),
    ).single(
        _share(risk),
        _share(passes / 2, "takes man 4 for a carrier with certainty"),
        _share(Fraction(1, 2) * Fraction(1, 2) * passes, "does not exclude that man 4 is affected"),
        _share(carrier, "stops at the probability that man 4 is a carrier"),
    )


def _share(value: Fraction, mistake: str = "") -> Option:
    return option(rf"$\frac{{{value.numerator}}}{{{value.denominator}}}$", mistake)


def punnett_square(first: str = "AaBb", second: str = "aaBb") -> ExampleProblem:
    """The share of offspring with both dominant traits, from a Punnett square."""
    rows, columns = _gametes(second), _gametes(first)
    offspring = [a + b for a in rows for b in columns]
    both = Fraction(sum("A" in o and "B" in o for o in offspring), len(offspring))
    one = Fraction(sum(("A" in o) != ("B" in o) for o in offspring), len(offspring))
    none = Fraction(sum("A" not in o and "B" not in o for o in offspring), len(offspring))
    grid = [["", *columns], *([row, *(_genotype(row + column) for column in columns)] for row in rows)]
    return Draft(
        head("bio-punnett-square", "genetics", 2, SENIOR, ("Genetics/Inheritance",)),
        table(grid),
        {"first": first, "second": second},
        {"f": f"${first}$", "s": f"${second}$"},
        Words(
            "The table shows the gametes (first row and first column) and the offspring of the cross @f × "
            "@s; the two pairs of alleles are inherited independently and $A$, $B$ are fully dominant. What "
            "fraction of the offspring shows both dominant traits?",
            "Count the genotypes with at least one $A$ and at least one $B$; all cells of the table are "
            "equally likely.",
        ),
        Words(
            "下表为 @f × @s 杂交时双亲的配子（首行和首列）及子代的基因型，两对等位基因独立遗传，$A$、$B$ "
            "为完全显性，则子代中两种显性性状同时出现的比例为（　）",
            "表中各格的概率相等，数出至少含一个 $A$ 和一个 $B$ 的基因型所占的比例。",
        ),
    ).single(
        _share(both),
        _share(one, "counts the offspring with exactly one dominant trait"),
        _share(none, "counts the offspring without a dominant trait"),
        _share(Fraction(9, 16), "uses the ratio of a cross of two double heterozygotes"),
    )


def _gametes(genotype: str) -> list[str]:
    return list(dict.fromkeys(a + b for a in genotype[:2] for b in genotype[2:]))


def _genotype(letters: str) -> str:
    """Letters of both gametes in the usual order: A before a, A before B."""
    return "".join(sorted(letters, key=lambda letter: (letter.upper(), letter)))


def base_count(percent: int = 20, bases: int = 1000) -> ExampleProblem:
    """How many G a double strand has, given the share of A."""

    def count(value: int, mistake: str = "") -> Option:
        return Option(f"{value}", f"{value} 个", mistake)

    adenine = bases * percent // 100
    return Draft(
        head("bio-base-count", "biochemistry", 2, SENIOR, ("Genetics/DNA",)),
        structures.dna_ladder("A-G-C-T-"),
        {"percent": percent, "bases": bases},
        {"p": rf"${percent}\,\%$", "n": f"${bases}$"},
        Words(
            "A double-stranded piece of DNA, a part of which is drawn, consists of ⟨n|@n bases⟩, ⟨p|@p of "
            "which are A⟩. How many of its bases are G?",
            "A and T together make twice the share of A; the rest is shared equally by G and C.",
            "A part of a double-stranded piece of DNA is drawn. How many bases of the whole piece are G?",
        ),
        Words(
            "如图为某双链 DNA 片段的局部，该 DNA ⟨n|共含 @n 个碱基⟩，⟨p|其中 A 占 @p⟩，则该 DNA 中 G 的数"
            "目为（　）",
            "A 与 T 数目相等，其余碱基由 G、C 各占一半。",
            "如图为某双链 DNA 片段的局部，则该 DNA 中 G 的数目为（　）",
        ),
        Split(
            (BASE_PAIRING,),
            {"n": Shown((("$N=$ @n", "count"),)), "p": Shown(((r"$\mathrm{A}$: @p", "share"),))},
        ),
    ).single(
        count(bases // 2 - adenine),
        count(adenine, "pairs G with A"),
        count(bases - 2 * adenine, "gives G and C together"),
        count(bases - adenine, "takes everything but A for G"),
    )


def food_web_energy(fixed: int = 20000, percent: int = 10) -> ExampleProblem:
    """The most energy that can reach the snake through the web."""
    share = Fraction(percent, 100)
    letters = {"P": "grass", "Q": "grasshopper", "R": "mouse", "S": "frog", "T": "snake"}

    def joules(steps: int, mistake: str = "") -> Option:
        return option(q(fixed * share**steps, "kJ"), mistake)

    return Draft(
        head("bio-food-web", "ecology-and-environment", 3, SENIOR, ("Ecology/Energy and populations",)),
        trees.food_web(
            {
                "P": (90.0, 240.0),
                "Q": (240.0, 240.0),
                "R": (190.0, 110.0),
                "S": (390.0, 240.0),
                "T": (390.0, 110.0),
            },
            [("P", "Q"), ("P", "R"), ("Q", "S"), ("S", "T"), ("R", "T")],
            dict(zip(letters, letters, strict=True)),
        ),
        {"fixed": fixed, "percent": percent},
        {"e": q(fixed, "kJ"), "p": rf"${percent}\,\%$"},
        Words(
            "In the food web P is grass, Q grasshoppers, R mice, S frogs and T snakes. ⟨e|The grass fixes "
            "@e⟩, and ⟨p|@p of the energy passes on at each step⟩. How much energy can reach the snakes at "
            "most?",
            "Most arrives by the shortest chain, grass, mice, snakes: two steps.",
            "In the food web P is grass, Q grasshoppers, R mice, S frogs and T snakes, and @p of the energy "
            "passes on at each step. How much energy can reach the snakes at most?",
        ),
        Words(
            "如图所示的食物网中，P 为草，Q 为蝗虫，R 为鼠，S 为蛙，T 为蛇。⟨e|草固定的能量为 @e⟩，"
            "⟨p|相邻营养级间的能量传递效率均为 @p⟩，则蛇最多可获得的能量为（　）",
            "能量沿最短的食物链草→鼠→蛇传递时，蛇获得的能量最多，共传递两次。",
            "如图所示的食物网中，P 为草，Q 为蝗虫，R 为鼠，S 为蛙，T 为蛇。相邻营养级间的能量传递效率均为 "
            "@p，则蛇最多可获得的能量为（　）",
        ),
        Split((ENERGY_FLOW,), {"e": Shown((("@e", "fixed"),))}),
    ).single(
        joules(2),
        joules(3, "follows the longest chain"),
        joules(1, "counts one step too few"),
        option(q(fixed * (share**2 + share**3), "kJ"), "adds both chains as if each received all the energy"),
    )


def harvest_level(capacity: int = 800) -> ExampleProblem:
    """The number of fish at which a logistic population grows fastest."""
    top = float(capacity)
    points = [(x, top / (1 + 31 * math.exp(-x))) for x in (i * 0.7 for i in range(14))]

    def fish(value: float | Fraction, mistake: str = "") -> Option:
        return Option(num(value), f"{num(value)} 尾", mistake)

    return Draft(
        head(
            "bio-logistic-growth", "ecology-and-environment", 2, SENIOR, ("Ecology/Energy and populations",)
        ),
        graphs.smooth_curve(points, ("t", "N"), ys=[capacity], levels=[points[-1]]),
        {"capacity": capacity},
        {"k": num(capacity)},
        Words(
            "The graph shows how the number $N$ of fish in a pond grows; ⟨k|the pond can carry @k fish⟩. At "
            "which number does the population grow fastest?",
            "The growth rate is greatest at half of the carrying capacity.",
            "The graph shows how the number $N$ of fish in a pond grows. At which number does the population "
            "grow fastest?",
        ),
        Words(
            "图中曲线表示某池塘中鱼的种群数量 $N$ 随时间的变化，⟨k|该池塘的环境容纳量为 @k 尾⟩，"
            "则种群增长速率最大时的种群数量为（　）",
            "种群数量为环境容纳量的一半时，增长速率最大。",
            "图中曲线表示某池塘中鱼的种群数量 $N$ 随时间的变化，则种群增长速率最大时的种群数量为（　）",
        ),
        Split((LOGISTIC,), {"k": Shown()}),
    ).single(
        fish(Fraction(capacity, 2)),
        fish(capacity, "takes the largest number for the fastest growth"),
        fish(Fraction(capacity, 4), "looks at the quarter"),
        fish(Fraction(3 * capacity, 4), "looks at three quarters"),
    )


def closest_kin(leaves: tuple[str, ...] = ("P", "Q", "R", "S")) -> ExampleProblem:
    """Sister species in a family tree."""

    def two(i: int, j: int, mistake: str = "") -> Option:
        return Option(f"{leaves[i]} and {leaves[j]}", f"{leaves[i]} 和 {leaves[j]}", mistake)

    return Draft(
        head("bio-family-tree", "evolutionary", 1, SENIOR, ("Evolution/Descent and selection",)),
        trees.family_tree(leaves),
        {"leaves": leaves},
        {},
        Words(
            "The figure shows the family tree of four living species; the root is at the bottom. Which two "
            "species share the youngest common ancestor?",
            "Of the branch points that join two species, take the one farthest from the root.",
        ),
        Words(
            "如图为四个现存物种的进化树（根在下方），亲缘关系最近的两个物种是（　）",
            "比较各对物种最近共同祖先所在的分支点，离根最远者亲缘关系最近。",
        ),
    ).single(
        two(1, 2),
        two(2, 3, "goes by the places beside each other at the top"),
        two(0, 1, "goes by the places beside each other at the top, from the left"),
        two(0, 3, "joins the two outer branches"),
    )


PROBLEMS = (
    pedigree_risk,
    punnett_square,
    base_count,
    food_web_energy,
    harvest_level,
    closest_kin,
)
