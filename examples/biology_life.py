"""Biology: cells, metabolism, circulation."""

from __future__ import annotations

from functools import partial
from typing import get_args

from benchwright.examples import cells, graphs
from benchwright.examples.apparatus import osmosis_tube
from benchwright.examples.knowledge import (
    CARDIAC_OUTPUT,
    OSMOSIS,
    PHOTOSYNTHESIS_RATE,
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

head = partial(Head, "biology")
TASKS: dict[str, tuple[str, str]] = {
    "cell wall": ("gives the cell a firm outer support", "对细胞起支持和保护作用"),
    "nucleus": ("holds most of the cell's DNA", "储存细胞大部分遗传物质"),
    "vacuole": ("stores the cell sap", "储存细胞液"),
    "chloroplast": ("turns the energy of light into chemical energy", "将光能转化为化学能"),
    "mitochondrion": ("is the main place of aerobic respiration", "作为有氧呼吸主要场所"),
}


def plant_cell_parts(
    asked: str = "mitochondrion",
    order: tuple[str, ...] = ("vacuole", "cell wall", "mitochondrion", "nucleus", "chloroplast"),
) -> ExampleProblem:
    """The number of the part with a given task."""
    numbered = [part for name in order for part in get_args(cells.Part) if part == name]
    number = order.index(asked) + 1
    others = [i for i in range(1, len(order) + 1) if i != number][:3]
    english, chinese = TASKS[asked]
    return Draft(
        head("bio-plant-cell", "molecular-and-cellular", 1, JUNIOR, ("Cells/Structure and function",)),
        cells.plant_cell(numbered),
        {"asked": asked, "order": order},
        {"en": english, "zh": chinese},
        Words(
            "The figure shows a plant cell. Which of the numbered parts @en?",
            "Name the parts: wall, nucleus, vacuole, chloroplast, mitochondrion; then compare their tasks.",
        ),
        Words(
            "如图为植物细胞结构模式图，图中@{zh}的结构是（　）",
            "先辨认细胞壁、细胞核、液泡、叶绿体和线粒体，再比较它们的功能。",
        ),
    ).single(
        Option(f"part {number}", f"结构 {number}"),
        *(Option(f"part {i}", f"结构 {i}", f"takes the {order[i - 1]} for it") for i in others),
    )


def metaphase_numbers(chromosomes: int = 4) -> ExampleProblem:
    """Chromosomes and DNA molecules in metaphase of mitosis; two parts."""
    return Draft(
        head("bio-metaphase", "molecular-and-cellular", 2, SENIOR, ("Cells/Structure and function",)),
        cells.metaphase(chromosomes),
        {"chromosomes": chromosomes},
        {},
        Words(
            "The figure shows an animal cell in metaphase of mitosis. (1) How many chromosomes does it "
            "contain? (2) How many nuclear DNA molecules does it contain?",
            "Count centromeres for chromosomes; each chromosome still consists of two chromatids, each with "
            "one DNA molecule.",
        ),
        Words(
            "如图为某动物细胞有丝分裂中期示意图。(1) 该细胞中有多少条染色体？(2) 该细胞中有多少个核 DNA "
            "分子？",
            "染色体数等于着丝粒数；此时每条染色体含两条染色单体，每条染色单体含一个 DNA 分子。",
        ),
        constants=("1", "2"),
    ).parts(
        Option(f"{chromosomes}", f"{chromosomes}"),
        Option(f"{2 * chromosomes}", f"{2 * chromosomes}"),
    )


def u_tube(left: float = 0.5, right: float = 0.1) -> ExampleProblem:
    """Which level rises in a U-tube with a membrane that only water passes."""
    rises = "left" if left > right else "right"
    falls = {"left": "right", "right": "left"}[rises]
    names = {"left": "左", "right": "右"}
    return Draft(
        head("bio-osmosis", "basic-biologics", 2, SENIOR, ("Cells/Structure and function",)),
        osmosis_tube(qty(left, "mol/L"), qty(right, "mol/L")),
        {"left": left, "right": right},
        {"l": q(left, "mol/L"), "r": q(right, "mol/L")},
        Words(
            "In the U-tube a membrane M, which only water can pass, separates two sucrose solutions: ⟨l|@l "
            "on the left⟩ and ⟨r|@r on the right⟩. At first both levels are equal. What happens then?",
            "More water moves towards the more concentrated solution, whose level rises until the "
            "pressures balance.",
            "In the U-tube a membrane M, which only water can pass, separates two sucrose solutions. At "
            "first both levels are equal. What happens then?",
        ),
        Words(
            "如图，U 形管底部用只允许水分子通过的半透膜 M 隔开，⟨l|左侧为 @l 的蔗糖溶液⟩，⟨r|右侧为 @r "
            "的蔗糖溶液⟩，起始时两侧液面相平，则一段时间后（　）",
            "水分子总体上向浓度较高的一侧移动，该侧液面上升，直至达到平衡。",
            "如图，U 形管底部用只允许水分子通过的半透膜 M 隔开两种蔗糖溶液，起始时两侧液面相平，则一段时"
            "间后（　）",
        ),
        Split((OSMOSIS,), {"l": Shown(), "r": Shown()}),
    ).single(
        Option(
            f"The {rises} level rises, the {falls} one falls.",
            f"{names[rises]}侧液面上升，{names[falls]}侧液面下降",
        ),
        Option(
            f"The {falls} level rises, the {rises} one falls.",
            f"{names[falls]}侧液面上升，{names[rises]}侧液面下降",
            "lets water move towards the dilute solution",
        ),
        Option(
            "Both levels stay, because sucrose spreads evenly.",
            "两侧液面不变，蔗糖在两侧均匀分布",
            "lets sucrose pass the membrane",
        ),
        Option("Both levels rise.", "两侧液面均上升", "forgets that water is not made"),
    )


def enzyme_curve(best: int = 40, dead: int = 70) -> ExampleProblem:
    """Statements about an enzyme's activity and temperature; multiple-select."""
    points = [
        (best * x, y)
        for x, y in ((0.0, 6.0), (0.2, 13.0), (0.4, 27.0), (0.6, 52.0), (0.8, 84.0), (1.0, 100.0))
    ]
    rest = dead - best
    points += [(best + rest * x, y) for x, y in ((0.25, 84.0), (0.5, 40.0), (0.75, 11.0), (1.0, 0.0))]
    return Draft(
        head("bio-enzyme-curve", "biochemistry", 2, SENIOR, ("Metabolism/Enzymes and photosynthesis",)),
        graphs.smooth_curve(points, (r"t/\mathrm{{}^\circ C}", "v"), xs=[best, dead], guides=[(best, 100.0)]),
        {"best": best, "dead": dead},
        {"b": rf"${best}\ ^\circ\mathrm{{C}}$", "d": rf"${dead}\ ^\circ\mathrm{{C}}$"},
        Words(
            "The curve shows how the rate $v$ of an enzyme-catalysed reaction depends on the temperature "
            "$t$. Which statements are right?",
            "Cold only slows an enzyme down; too much heat destroys its shape for good.",
        ),
        Words(
            "图中曲线表示某酶促反应速率 $v$ 与温度 $t$ 的关系，下列说法正确的有（　）",
            "低温只抑制酶的活性，高温则使酶的空间结构遭到破坏而永久失活。",
        ),
    ).multiple(
        Option(f"The reaction is fastest at {best} °C.", f"反应速率在 {best} ℃ 时最大"),
        Option(
            f"Kept at {dead} °C and cooled to {best} °C, the enzyme works fully again.",
            f"将该酶在 {dead} ℃ 下处理后降温至 {best} ℃，其活性可完全恢复",
            "takes destruction by heat for a reversible slowing",
        ),
        Option(
            "In the cold the enzyme works slowly because its spatial structure is destroyed.",
            "低温时酶活性低是因为其空间结构被破坏",
            "gives cold the effect of heat",
        ),
        Option("The enzyme is best stored in the cold.", "该酶适宜在低温下保存"),
    )


def light_curve(net: int = 20, dark: int = 5, compensation: int = 2, saturation: int = 10) -> ExampleProblem:
    """The gross rate of photosynthesis at light saturation."""
    steps = [0.0, *(saturation * i / 12 for i in range(1, 13)), saturation * 1.25]

    def rate(light: float) -> float:
        if light >= saturation:
            return float(net)
        slope = dark / compensation
        if light <= compensation:
            return slope * light - dark
        return _bent(light, compensation, saturation, slope, net)

    return Draft(
        head("bio-light-curve", "botany-and-zoology", 3, SENIOR, ("Metabolism/Enzymes and photosynthesis",)),
        graphs.smooth_curve(
            [(x, rate(x)) for x in steps],
            (r"L/\mathrm{klx}", "v"),
            xs=[compensation, saturation],
            ys=[net, -dark],
            guides=[(float(saturation), float(net))],
            low=-dark * 1.6,
        ),
        {"net": net, "dark": dark, "compensation": compensation, "saturation": saturation},
        {
            "n": num(net),
            "d": num(dark),
            "s": q(saturation, "klx"),
            "u": r"$\mathrm{mg/(h\cdot dm^2)}$",
        },
        Words(
            r"The graph shows the uptake $v$ of $\mathrm{CO_2}$ by a leaf, in @u, against the "
            "illuminance $L$ "
            "at a constant temperature. ⟨d|In the dark $v=-@d$⟩, and ⟨n|from @s on $v=@n$⟩. At which rate, "
            r"in the same unit, does the leaf fix $\mathrm{CO_2}$ under saturating light?",
            "Gross rate = net rate + rate of respiration.",
            r"The graph shows the uptake $v$ of $\mathrm{CO_2}$ by a leaf, in @u, against the "
            "illuminance $L$ "
            r"at a constant temperature. At which rate, in the same unit, does the leaf fix $\mathrm{CO_2}$ "
            "under saturating light?",
        ),
        Words(
            r"图中曲线表示恒温下某植物叶片吸收 $\mathrm{CO_2}$ 的速率 $v$（单位：@u）与光照强度 $L$ 的关系。"
            r"⟨d|黑暗中 $v=-@d$⟩，⟨n|光照强度达到 @s 后 $v=@n$⟩，则光饱和时叶片固定 $\mathrm{CO_2}$ "
            "的速率为（　）",
            "总光合速率等于净光合速率与呼吸速率之和。",
            r"图中曲线表示恒温下某植物叶片吸收 $\mathrm{CO_2}$ 的速率 $v$（单位：@u）与光照强度 $L$ 的关系，"
            r"则光饱和时叶片固定 $\mathrm{CO_2}$ 的速率为（　）",
        ),
        Split((PHOTOSYNTHESIS_RATE,), {"d": Shown(), "n": Shown()}),
    ).single(
        option(f"${net + dark}$"),
        option(f"${net}$", "takes the net rate for the gross rate"),
        option(f"${net - dark}$", "subtracts respiration a second time"),
        option(f"${dark}$", "gives the rate of respiration"),
    )


def _bent(light: float, start: float, end: float, slope: float, top: float) -> float:
    """Rises from 0 at `start` with a slope and flattens out at `top` at `end`."""
    share = (light - start) / (end - start)
    power = max(1.6, slope * (end - start) / top)
    return float(top * (1 - (1 - share) ** power))


def cardiac_output(full: int = 130, left_over: int = 60, period: float = 0.8) -> ExampleProblem:
    """Litres a minute from the volume of a ventricle over time; free form."""
    points = [(i / 40 * period, left_over + (full - left_over) * _filling(i / 40 % 1)) for i in range(75)]
    return Draft(
        head("bio-cardiac-output", "biomedicine", 3, SENIOR, ("Animals/Organs and regulation",)),
        graphs.smooth_curve(
            points,
            (r"t/\mathrm{s}", r"V/\mathrm{mL}"),
            xs=[period],
            ys=[left_over, full],
            guides=[(period, float(full))],
            levels=[(period * 0.42, float(left_over))],
        ),
        {"full": full, "left_over": left_over, "period": period},
        {"f": q(full, "mL"), "l": q(left_over, "mL"), "t": q(period, "s")},
        Words(
            "The graph shows the volume $V$ of the left ventricle of a person at rest: ⟨f|it holds @f when "
            "full⟩, ⟨l|@l when it has emptied⟩, and ⟨t|a beat takes @t⟩. What volume of blood, in L/min, "
            "does the ventricle pump?",
            "Stroke volume times beats in a minute; change millilitres into litres.",
            "The graph shows the volume $V$ of the left ventricle of a person at rest. What volume of blood, "
            "in L/min, does the ventricle pump?",
        ),
        Words(
            "图中曲线表示某人安静时左心室容积 $V$ 的变化，⟨f|充盈时为 @f⟩，⟨l|射血后为 @l⟩，⟨t|心动周期为 "
            "@t⟩，求左心室每分钟的射血量（单位：L/min）。",
            "每搏输出量与每分钟心跳次数的乘积，注意单位换算。",
            "图中曲线表示某人安静时左心室容积 $V$ 的变化，求左心室每分钟的射血量（单位：L/min）。",
        ),
        Split((CARDIAC_OUTPUT,), {"f": Shown(), "l": Shown(), "t": Shown()}),
    ).free(num(round((full - left_over) * 60 / period / 1000, 4)), "L/min")


def _filling(share: float) -> float:
    """How full a ventricle is, 0 to 1, at a share of a beat that starts when it is full."""
    pieces = (
        (0.0, 0.06, 1.0, 1.0),
        (0.06, 0.4, 1.0, 0.0),
        (0.4, 0.46, 0.0, 0.0),
        (0.46, 0.8, 0.0, 0.9),
        (0.8, 1.0, 0.9, 1.0),
    )
    start, end, low, high = next(piece for piece in pieces if piece[0] <= share < piece[1])
    part = (share - start) / (end - start)
    return low + (high - low) * part * part * (3 - 2 * part)


PROBLEMS = (
    plant_cell_parts,
    metaphase_numbers,
    u_tube,
    enzyme_curve,
    light_curve,
    cardiac_output,
)
