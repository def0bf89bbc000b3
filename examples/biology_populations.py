"""Biology: energy, populations, growth, selection, gene frequencies, sugar of the blood."""

from __future__ import annotations

import math
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

head = partial(Head, "biology")
ECOLOGY, EVOLUTION = ("Ecology/Energy and populations",), ("Evolution/Descent and selection",)
TRANSFER = Term(
    "efficiency of energy transfer",
    "能量传递效率",
    "The energy taken up by a level divided by that of the level below.",
    "某一营养级同化的能量与上一营养级同化的能量之比。",
)
SAMPLING = Term(
    "sampling by plots",
    "样方法",
    "The mean number in the plots times the area, counted in plots, estimates the whole population.",
    "用样方中个体数的平均值乘以总面积与样方面积之比估计种群数量。",
)
EQUILIBRIUM = Term(
    "the Hardy-Weinberg rule",
    "哈代－温伯格定律",
    "In a large population with random mating the genotypes have the shares $p^2$, $2pq$ and $q^2$.",
    "随机交配的大种群中，三种基因型的频率为 $p^2$、$2pq$ 和 $q^2$。",
)


def transfer_efficiency(energies: tuple[int, ...] = (24000, 3600, 540, 60), level: int = 1) -> ExampleProblem:
    """The share of energy that reaches the next level."""
    low, high = energies[level - 1], energies[level]

    def percent(value: Fraction, mistake: str = "") -> Option:
        return option(rf"${num(round(float(value), 2))}\,\%$", mistake)

    names = {
        1: ("producers", "生产者", "plant eaters", "初级消费者"),
        2: ("plant eaters", "初级消费者", "their predators", "次级消费者"),
    }[level]
    return Draft(
        head("bio-energy-pyramid", "ecology-and-environment", 2, SENIOR, ECOLOGY),
        organisms.energy_pyramid(energies),
        {"energies": energies, "level": level},
        {"a": num(low), "b": num(high), "e1": names[0], "z1": names[1], "e2": names[2], "z2": names[3]},
        Words(
            "The figure shows the energy that each level of an ecosystem takes up in a year; producers "
            "are at the foot. ⟨a|The @e1 take up @a⟩ and ⟨b|the @e2 @b⟩, in the unit given. Which share "
            "passes from the one to the other?",
            "Divide the energy of the upper level by that of the lower one.",
            "The figure shows the energy that each level of an ecosystem takes up in a year; producers "
            "are at the foot. Which share passes from the @e1 to the @e2?",
        ),
        Words(
            "如图为某生态系统各营养级一年同化的能量，最下层为生产者。⟨a|@{z1}同化 @a⟩，⟨b|@{z2}同化 @b⟩（"
            "单位见图），则能量由前者到后者的传递效率为（　）",
            "用上一层的能量除以下一层的能量。",
            "如图为某生态系统各营养级一年同化的能量，最下层为生产者，则能量由@{z1}到@{z2}的传递效率为（　）",
        ),
        Split((TRANSFER,), {"a": Shown(), "b": Shown()}),
    ).single(
        percent(Fraction(100 * high, low)),
        percent(100 - Fraction(100 * high, low), "gives what is lost"),
        percent(Fraction(100 * high, sum(energies)), "divides by the sum of all levels"),
        percent(Fraction(100 * energies[level + 1], low), "skips a level"),
    )


def plot_sampling(counts: tuple[int, ...] = (7, 9, 6, 10), area: int = 250) -> ExampleProblem:
    """An estimate of a population from sample plots; free form."""
    return Draft(
        head("bio-plot-sampling", "ecology-and-environment", 2, JUNIOR, ECOLOGY),
        organisms.sample_plots(counts),
        {"counts": counts, "area": area},
        {"a": q(area, "m^2")},
        Words(
            "The plants of one kind in some square plots of a meadow are drawn as dots. ⟨a|The meadow "
            "measures @a.⟩ How many plants of this kind does it probably hold?",
            "Take the mean number of a plot times the number of plots that the meadow holds.",
            "The plants of one kind in some square plots of a meadow are drawn as dots. How many plants "
            "of this kind does the meadow probably hold?",
        ),
        Words(
            "图中用圆点表示草地上几个正方形样方内某种植物的个体，⟨a|草地面积为 @a⟩，估计该草地上这种植物"
            "的个体数。",
            "先求样方内个体数的平均值，再乘以草地所含的样方数。",
            "图中用圆点表示草地上几个正方形样方内某种植物的个体，估计该草地上这种植物的个体数。",
        ),
        Split((SAMPLING,), {"a": Shown((("@a", "area"),))}),
    ).free(num(Fraction(sum(counts) * area, len(counts))))


def predator_cycle(prey: str = "P") -> ExampleProblem:
    """Which of two curves belongs to the predator; multiple-select."""
    other = "Q" if prey == "P" else "P"
    first = [(0.2 * i, 7.0 + 2.2 * math.sin(0.2 * i)) for i in range(75)]
    second = [(0.2 * i, 3.6 + 1.5 * math.sin(0.2 * i - 1.1)) for i in range(75)]

    def says(en: str, zh: str, true: bool) -> Option:
        return Option(en, zh, "" if true else "mixes up who follows whom")

    return Draft(
        head("bio-predator-cycle", "ecology-and-environment", 3, SENIOR, ECOLOGY),
        draw(
            Plot(
                "population-graph",
                (0, 16),
                (0, 11.5),
                ("t", "N"),
                curves=[first, second],
                tags=[(prey, 1.6, 9.2, "n"), (other, 2.5, 5.1, "n")],
            )
        ),
        {"prey": prey},
        {},
        Words(
            "The curves show the numbers of a predator and of its prey. Which statements are right?",
            "The predator's number follows that of its prey with a delay.",
        ),
        Words(
            "图中两条曲线表示某捕食者与其猎物的数量变化，下列说法正确的有（　）",
            "捕食者数量的变化滞后于猎物。",
        ),
    ).multiple(
        says("P is the prey.", "P 为猎物", prey == "P"),
        says("Q is the prey.", "Q 为猎物", prey == "Q"),
        says("The peaks of the predator come after those of the prey.", "捕食者数量的峰值晚于猎物", True),
        says("Many predators make the number of prey fall.", "捕食者多时猎物数量下降", True),
        says("The two populations do not influence each other.", "两种群的数量互不影响", False),
    )


def growth_substance(asked: str = "stem") -> ExampleProblem:
    """Which curve of growth belongs to an organ of a plant."""
    organs = {"root": ("P", "root", "根"), "bud": ("Q", "bud", "芽"), "stem": ("R", "stem", "茎")}
    curves = []
    for peak in (1.6, 4.0, 7.0):
        curves.append(
            [
                (peak + 0.2 * i, 4.0 * math.exp(-((0.2 * i) ** 2) / 1.7) - 0.25 * max(0.0, 0.2 * i))
                for i in range(-9, 12)
            ]
        )
    letter, english, chinese = organs[asked]
    wrong = [organs[o][0] for o in organs if o != asked]
    return Draft(
        head("bio-growth-substance", "botany-and-zoology", 3, SENIOR, ("Plants/Structure and growth",)),
        draw(
            Plot(
                "response-graph",
                (-0.6, 10),
                (-1.6, 5.2),
                ("c", r"\Delta v"),
                origin=(-0.6, 0),
                zero="",
                curves=curves,
                tags=[("P", 1.6, 4.0, "n"), ("Q", 4.0, 4.0, "n"), ("R", 7.0, 4.0, "n")],
            )
        ),
        {"asked": asked},
        {"e": english, "z": chinese},
        Words(
            "The curves show how auxin of rising concentration $c$ changes the growth of root, bud and "
            "stem of a plant; below the axis it slows growth. Which curve belongs to the @e?",
            "The root is the most sensitive organ and the stem the least.",
        ),
        Words(
            "如图为不同浓度 $c$ 的生长素对植物根、芽、茎生长的影响，横轴以下表示抑制，其中表示@{z}的曲线"
            "是（　）",
            "根对生长素最敏感，茎最不敏感。",
        ),
    ).single(
        option(letter),
        *(option(w, "orders the organs by sensitivity wrongly") for w in wrong),
        Option("none of them", "三条都不是", "overlooks that each organ has its own best concentration"),
    )


def sugar_curves(ill: str = "Q") -> ExampleProblem:
    """Statements about the sugar of the blood after a meal; multiple-select."""
    healthy = "Q" if ill == "P" else "P"
    high = [(0.0, 9.0), (0.5, 12.5), (1.0, 14.5), (1.5, 14.2), (2.0, 13.4), (2.5, 12.4), (3.0, 11.6)]
    low = [(0.0, 5.0), (0.5, 7.6), (0.8, 8.0), (1.2, 6.9), (1.6, 5.7), (2.0, 5.1), (2.5, 4.9), (3.0, 5.0)]

    def says(en: str, zh: str, true: bool) -> Option:
        return Option(en, zh, "" if true else "mixes up the two people or the two hormones")

    return Draft(
        head("bio-sugar-curves", "biomedicine", 3, SENIOR, ("Animals/Organs and regulation",)),
        draw(
            Plot(
                "response-graph",
                (0, 3.4),
                (0, 17),
                (r"t/\mathrm{h}", r"c/(\mathrm{mmol\cdot L^{-1}})"),
                xs=[1, 2, 3],
                ys=[5, 10, 15],
                grid=True,
                curves=[high, low],
                tags=[(ill, 2.25, 13.1, "ne"), (healthy, 2.25, 5.1, "ne")],
            )
        ),
        {"ill": ill},
        {},
        Words(
            "The curves show the sugar in the blood of two people P and Q after they drank a glucose "
            "solution; one of them has diabetes. Which statements are right?",
            "Insulin lowers the sugar; without enough of it the value is high from the start and falls "
            "slowly.",
        ),
        Words(
            "图中曲线为 P、Q 两人口服葡萄糖溶液后血糖浓度的变化，其中一人患有糖尿病，下列说法正确的有（　）",
            "胰岛素降低血糖；胰岛素不足时血糖起始值高且下降缓慢。",
        ),
    ).multiple(
        says("P has diabetes.", "P 患有糖尿病", ill == "P"),
        says("Q has diabetes.", "Q 患有糖尿病", ill == "Q"),
        says("Insulin makes the lower curve fall.", "较低的曲线下降是胰岛素作用的结果", True),
        says("Glucagon makes the lower curve fall.", "较低的曲线下降是胰高血糖素作用的结果", False),
        says("In the end the lower value is again that of the start.", "最后较低的曲线恢复到起始水平", True),
    )


def kind_of_selection(kind: str = "directional") -> ExampleProblem:
    """Which kind of selection moved a distribution."""
    kinds = {
        "directional": Option("directional selection", "定向选择"),
        "stabilising": Option("stabilising selection", "稳定选择"),
        "disruptive": Option("disruptive selection", "分裂选择"),
        "none": Option("no selection", "没有选择"),
    }
    xs = [0.2 + 0.2 * i for i in range(49)]

    def bell(x: float, centre: float, width: float) -> float:
        return math.exp(-(((x - centre) / width) ** 2))

    # Each hill of the later distribution: its height, its middle, its width.
    hills = {
        "directional": ((4.0, 6.9, 1.4),),
        "stabilising": ((5.4, 5.0, 0.8),),
        "disruptive": ((3.4, 2.6, 1.0), (3.4, 7.4, 1.0)),
    }[kind]

    def later(x: float) -> float:
        return sum(high * bell(x, centre, width) for high, centre, width in hills)

    return Draft(
        head("bio-kind-of-selection", "evolutionary", 2, SENIOR, EVOLUTION),
        draw(
            Plot(
                "distribution-graph",
                (0, 10.6),
                (0, 6.2),
                ("x", "n"),
                curves=[[(x, later(x)) for x in xs]],
                dashed=[[(x, 3.4 * bell(x, 5.0, 1.8)) for x in xs]],
            )
        ),
        {"kind": kind},
        {},
        Words(
            "The dashed line shows how the size $x$ of an animal was spread in a population, the solid "
            "line how it is spread many generations later. Which kind of selection has acted?",
            "See whether the middle, one side or both ends were favoured.",
        ),
        Words(
            "图中虚线表示某种群中动物体型 $x$ 原来的分布，实线表示许多代以后的分布，起作用的选择类型是（　）",
            "看中间、一侧还是两端的个体更容易保留下来。",
        ),
    ).single(
        kinds[kind],
        *(
            Option(o.en, o.zh, "does not fit the change of the curve")
            for name, o in kinds.items()
            if name != kind
        ),
    )


def carriers_in_population(recessive: int = 16) -> ExampleProblem:
    """The share of carriers from that of the recessive type; its root is a whole number of percent."""
    gene = Fraction(math.isqrt(recessive * 100), 100)
    share = 2 * gene * (1 - gene)

    def percent(value: Fraction | int, mistake: str = "") -> Option:
        return option(rf"${num(round(float(value), 2))}\,\%$", mistake)

    return Draft(
        head("bio-carriers", "evolutionary", 3, SENIOR, ("Evolution/Descent and selection",)),
        columns("bar-chart", {r"A\_": 100 - recessive, "aa": recessive}, ("", r"x/\%"), [25, 50, 75, 100]),
        {"recessive": recessive},
        {"r": rf"${recessive}\,\%$"},
        Words(
            "The chart shows the shares of the two phenotypes in a large population that mates at "
            "random; ⟨r|@r are homozygous recessive ($aa$)⟩. Which share of the population has the "
            "genotype $Aa$?",
            "The frequency of $a$ is the square root of the share of $aa$; the carriers have the share "
            "$2pq$.",
            "The chart shows the shares of the two phenotypes in a large population that mates at "
            "random. Which share of the population has the genotype $Aa$?",
        ),
        Words(
            "如图为某随机交配的大种群中两种表型所占的百分比，⟨r|隐性纯合子（$aa$）占 @r⟩，则该种群中基因"
            "型 $Aa$ 所占的比例为（　）",
            "$a$ 的频率等于 $aa$ 所占比例的平方根，$Aa$ 的比例为 $2pq$。",
            "如图为某随机交配的大种群中两种表型所占的百分比，则该种群中基因型 $Aa$ 所占的比例为（　）",
        ),
        Split((EQUILIBRIUM,), {"r": Shown()}),
    ).single(
        percent(100 * share),
        percent(100 * share / 2, "forgets the factor two"),
        percent(100 - recessive, "takes all with the dominant trait for carriers"),
        percent(100 * (1 - gene) ** 2, "gives the homozygous dominant"),
    )


PROBLEMS = (
    transfer_efficiency,
    plot_sampling,
    predator_cycle,
    growth_substance,
    sugar_curves,
    kind_of_selection,
    carriers_in_population,
)
