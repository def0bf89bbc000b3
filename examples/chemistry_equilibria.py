"""Chemistry: separating and weak acids, equilibria in curves."""

from __future__ import annotations

import math
from functools import partial

from benchwright.examples import vessels
from benchwright.examples.canvas import Point
from benchwright.examples.knowledge import NEUTRALISATION
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

head = partial(Head, "chemistry")
SEPARATING, ACIDS = ("Experiments/Preparing and separating",), ("Reactions/Energy and equilibrium",)
RETENTION = Term(
    "the retention factor",
    "比移值",
    "The way of a spot divided by the way of the solvent front.",
    "斑点移动的距离与溶剂前沿移动的距离之比。",
)
HALF_WAY = Term(
    "the half-equivalence point",
    "半中和点",
    "When half of a weak acid has been neutralised, the pH equals the acid's p$K_a$.",
    "弱酸恰好被中和一半时，溶液的 pH 等于该酸的 p$K_a$。",
)
PRODUCT = Term(
    "the solubility product",
    "溶度积",
    "In a saturated solution the product of the ions' concentrations is constant at a given temperature.",
    "一定温度下，饱和溶液中各离子浓度（以化学计量数为幂）的乘积为常数。",
)
TASKS: dict[str, tuple[int, str, str]] = {
    "vapour": (2, "is the temperature of the vapour read", "用来测量蒸气的温度"),
    "inlet": (4, "does the cooling water enter", "是冷却水的进口"),
    "boiling": (1, "does the liquid boil", "是液体沸腾的地方"),
    "product": (5, "is the distillate collected", "用来收集馏出液"),
}


def distillation_parts(asked: str = "inlet") -> ExampleProblem:
    """The number of a part of a distillation."""
    number, english, chinese = TASKS[asked]
    wrong = [3, *(n for n, _, _ in TASKS.values() if n != number)][:3]
    return Draft(
        head("chem-distillation", "chemical-experiment", 1, JUNIOR, SEPARATING),
        vessels.distillation(),
        {"asked": asked},
        {"en": english, "zh": chinese},
        Words(
            "The figure shows a distillation. At which number @en?",
            "The bulb of the thermometer sits beside the side arm; cooling water runs against the "
            "vapour, from below upwards.",
        ),
        Words(
            "如图为蒸馏装置，图中@{zh}的是（　）",
            "温度计水银球位于支管口处；冷却水从下口进、上口出，与蒸气流向相反。",
        ),
    ).single(
        Option(f"at {number}", f"{number} 处"),
        *(Option(f"at {n}", f"{n} 处", "has another task in the apparatus") for n in wrong),
    )


def retention(front: float = 12.0, spot: float = 7.8) -> ExampleProblem:
    """The retention factor of a spot; free form."""
    return Draft(
        head("chem-retention", "chemical-experiment", 2, SENIOR, SEPARATING),
        vessels.chromatogram(front, spot),
        {"front": front, "spot": spot},
        {"f": q(front, "cm"), "s": q(spot, "cm")},
        Words(
            "In the paper chromatogram of the figure ⟨f|the solvent front has moved @f⟩ and ⟨s|the spot "
            "@s⟩. What is the "
            "retention factor of the substance?",
            "Divide the way of the spot by that of the front.",
            "The figure shows a paper chromatogram. What is the retention factor of the substance?",
        ),
        Words(
            "如图为纸层析的结果，⟨f|溶剂前沿移动了 @f⟩，⟨s|斑点移动了 @s⟩，求该物质的比移值。",
            "用斑点移动的距离除以溶剂前沿移动的距离。",
            "如图为纸层析的结果，求该物质的比移值。",
        ),
        Split((RETENTION,), {"f": Shown(), "s": Shown()}),
    ).free(num(round(spot / front, 6)))


def _titrated(sample: float, base: float, equivalence: float, pka: float) -> list[Point]:
    """The pH of a weak acid against the volume of base: buffer before the equivalence point, free base after it."""

    def ph(v: float) -> float:
        if v < equivalence:
            share = min(max(v / equivalence, 0.004), 0.9985)
            return pka + math.log10(share / (1 - share))
        over = max(v - equivalence, 0.03) * base / (sample + v)
        return min(14 + math.log10(over), 13.0)

    before = (0.03, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.985)
    return [(equivalence * x, ph(equivalence * x)) for x in (*before, 1.015, 1.05, 1.12, 1.25, 1.5)]


def weak_acid_curve(
    sample: int = 20, base: float = 0.1, equivalence: int = 16, pka: float = 4.8
) -> ExampleProblem:
    """Concentration and pKa of a weak acid from its titration curve; two parts."""
    half = equivalence / 2
    points = _titrated(sample, base, equivalence, pka)
    return Draft(
        head("chem-weak-acid-curve", "chemical-equilibrium", 4, SENIOR, ACIDS),
        draw(
            Plot(
                "titration-curve",
                (0, equivalence * 1.6),
                (0, 14),
                (r"V/\mathrm{mL}", r"\mathrm{pH}"),
                xs=[half, equivalence],
                ys=[pka, 7, 14],
                lines=[points],
                guides=[(half, pka)],
                drops=[(equivalence, 8.6)],
                rooms=[
                    ("sample", equivalence * 0.12, 12.6, 136, 28),
                    ("base", equivalence * 1.12, 5.6, 152, 28),
                ],
            )
        ),
        {"sample": sample, "base": base, "equivalence": equivalence, "pka": pka},
        {"s": q(sample, "mL"), "b": q(f"{base:.2f}", "mol/L"), "e": q(equivalence, "mL")},
        Words(
            "⟨s|A sample of @s⟩ of a weak acid with one acidic hydrogen is titrated with sodium "
            "hydroxide ⟨b|of @b⟩; ⟨e|the equivalence point is reached at @e⟩. (1) What is the "
            "concentration of the acid? (2) What is its $\\mathrm{p}K_a$?",
            "At the equivalence point the amounts agree; half-way there the pH is the acid's constant.",
            "A weak acid with one acidic hydrogen is titrated with sodium hydroxide; the curve and the "
            "marks show the data. (1) What is the concentration of the acid? (2) What is its "
            "$\\mathrm{p}K_a$?",
        ),
        Words(
            "⟨s|取 @s⟩ 某一元弱酸，用⟨b|浓度为 @b 的⟩氢氧化钠溶液滴定，⟨e|加入 @e 时恰好完全中和⟩。(1) 该"
            "酸的浓度是多少？(2) 该酸的 $\\mathrm{p}K_a$ 是多少？",
            "恰好中和时两者物质的量相等；中和一半时溶液的 pH 等于该酸的常数。",
            "用氢氧化钠溶液滴定某一元弱酸，数据如图所示。(1) 该酸的浓度是多少？(2) 该酸的 "
            "$\\mathrm{p}K_a$ 是多少？",
        ),
        Split(
            (NEUTRALISATION, HALF_WAY),
            {"s": Shown((("$V=$ @s", "sample"),)), "b": Shown((("$c=$ @b", "base"),)), "e": Shown()},
        ),
        constants=("1", "2", f"{base:.2f}"),
    ).parts(
        Option(
            f"{num(round(base * equivalence / sample, 6))} mol/L",
            f"{num(round(base * equivalence / sample, 6))} mol/L",
        ),
        Option(num(pka), num(pka)),
    )


def species_curves(crossing: int = 5, asked: int = 7) -> ExampleProblem:
    """The ratio of base to acid at a pH from a distribution diagram."""

    def share(ph: float) -> float:
        return 1 / (1 + float(10 ** (crossing - ph)))

    xs = [crossing - 4 + 0.2 * i for i in range(41)]
    power = asked - crossing

    def ratio(exponent: int, mistake: str = "") -> Option:
        return option(f"${10**exponent}:1$" if exponent >= 0 else f"$1:{10**-exponent}$", mistake)

    return Draft(
        head("chem-species-curves", "chemical-equilibrium", 3, SENIOR, ACIDS),
        draw(
            Plot(
                "distribution-graph",
                (crossing - 4, crossing + 5),
                (0, 1.25),
                (r"\mathrm{pH}", r"\delta"),
                origin=(crossing - 4, 0),
                zero="",
                xs=[crossing],
                ys={0.5: "0.5", 1.0: "1"},
                curves=[[(x, share(x)) for x in xs], [(x, 1 - share(x)) for x in xs]],
                guides=[(crossing, 0.5)],
                tags=[
                    (r"\mathrm{HA}", crossing - 2.6, 0.98, "n"),
                    (r"\mathrm{A^-}", crossing + 2.8, 0.98, "n"),
                ],
            )
        ),
        {"crossing": crossing, "asked": asked},
        {"n": num(asked)},
        Words(
            r"The curves show the shares $\delta$ of $\mathrm{HA}$ and $\mathrm{A^-}$ in a solution of a "
            r"weak acid. What is the ratio $c(\mathrm{A^-}):c(\mathrm{HA})$ at pH @n?",
            r"At the crossing the pH equals $\mathrm{p}K_a$; each unit of pH above it multiplies the "
            "ratio by ten.",
        ),
        Words(
            r"如图为某弱酸溶液中 $\mathrm{HA}$ 和 $\mathrm{A^-}$ 的分布分数 $\delta$ 与 pH 的关系，则在 "
            r"pH 等于 @n 的溶液中 $c(\mathrm{A^-}):c(\mathrm{HA})$ 为（　）",
            r"两曲线交点处 pH 等于 $\mathrm{p}K_a$，pH 每增加一，该比值变为原来的十倍。",
        ),
        constants=("1",),
    ).single(
        ratio(power),
        ratio(-power, "turns the ratio round"),
        ratio(2 * power, "squares the ratio"),
        ratio(power + 1, "counts one unit of pH too many"),
    )


def _yields(level: float, falls: bool) -> list[Point]:
    """A yield that falls or rises with the temperature, `level` at its best."""
    xs = [0.6 + 0.4 * i for i in range(20)]
    if falls:
        return [(x, level / (1 + (x / 5.2) ** 2.4)) for x in xs]
    return [(x, level * (1 - 1 / (1 + (x / 3.2) ** 2.4))) for x in xs]


def yield_curves(heat: str = "exothermic") -> ExampleProblem:
    """Statements about a gas equilibrium from yields at two pressures; multiple-select."""
    falls = heat == "exothermic"
    upper, lower = _yields(88, falls), _yields(56, falls)
    mark = 11
    top = 1 if falls else 17

    def says(en: str, zh: str, true: bool) -> Option:
        return Option(en, zh, "" if true else "shifts the equilibrium the wrong way")

    return Draft(
        head("chem-yield-curves", "chemical-equilibrium", 3, SENIOR, ("Reactions/Energy and equilibrium",)),
        draw(
            Plot(
                "yield-graph",
                (0, 9.4),
                (0, 105),
                ("T", r"\varphi/\%"),
                curves=[upper, lower],
                dots=[upper[mark], lower[mark]],
                dashed=[[(upper[mark][0], 0), upper[mark]]],
                tags=[
                    ("X", *upper[mark], "ne" if falls else "nw"),
                    ("Y", lower[mark][0], lower[mark][1], "ne" if falls else "se"),
                    ("p_1", upper[top][0], upper[top][1], "n"),
                    ("p_2", lower[top][0], lower[top][1], "n"),
                ],
            )
        ),
        {"heat": heat},
        {},
        Words(
            r"For $\mathrm{A(g)+2B(g)\rightleftharpoons C(g)}$ the figure shows the yield $\varphi$ of C "
            "at equilibrium against the temperature at the pressures $p_1$ and $p_2$. Which statements "
            "are right?",
            "Heating favours the direction that takes up heat, higher pressure that with fewer molecules "
            "of gas; the constant depends on temperature alone.",
        ),
        Words(
            r"反应 $\mathrm{A(g)+2B(g)\rightleftharpoons C(g)}$ 在压强 $p_1$、$p_2$ 下平衡时 C 的产率 "
            r"$\varphi$ 与温度的关系如图所示，下列说法正确的有（　）",
            "升温有利于吸热方向，加压有利于气体分子数减少的方向，平衡常数只与温度有关。",
        ),
    ).multiple(
        says("The forward reaction gives off heat.", "正反应为放热反应", falls),
        says("The forward reaction takes up heat.", "正反应为吸热反应", not falls),
        says("$p_1$ is higher than $p_2$.", "$p_1$ 大于 $p_2$", True),
        says("The equilibrium constants at $X$ and $Y$ are equal.", "$X$、$Y$ 两点的平衡常数相等", True),
        says(
            "A catalyst raises the yield at $Y$ to that at $X$.",
            "加入催化剂可使 $Y$ 点的产率升至 $X$ 点",
            False,
        ),
    )


def saturated_solution(first: int = 4, second: int = 2, asked: int = 8) -> ExampleProblem:
    """A concentration on the curve of a solubility product; free form."""
    product = first * second
    top = max(first, second) * 2.2
    low = product / top
    xs = [low * (top / low) ** (i / 40) for i in range(41)]
    return Draft(
        head("chem-saturated-solution", "chemical-equilibrium", 3, SENIOR, ("Reactions/Precipitation",)),
        draw(
            Plot(
                "solubility-curve",
                (0, top * 1.1),
                (0, top * 1.15),
                (r"c(\mathrm{X^-})", r"c(\mathrm{M^+})"),
                xs=[first],
                ys=[second],
                curves=[[(x, product / x) for x in xs]],
                guides=[(first, second)],
                dots=[(first, second)],
                tags=[("Q", first, second, "ne")],
            )
        ),
        {"first": first, "second": second, "asked": asked},
        {"u": r"$10^{-5}\ \mathrm{mol/L}$", "a": num(first), "b": num(second), "n": num(asked)},
        Words(
            r"The curve shows saturated solutions of $\mathrm{MX}$ at one temperature, concentrations in "
            r"units of @u. At $Q$, ⟨x|$c(\mathrm{X^-})=@a$⟩ and ⟨m|$c(\mathrm{M^+})=@b$⟩. What is "
            r"$c(\mathrm{M^+})$, in the same unit, in a saturated solution with $c(\mathrm{X^-})=@n$?",
            "The product of both concentrations is the same at all points of the curve.",
            r"The curve shows saturated solutions of $\mathrm{MX}$ at one temperature, such as $Q$, "
            r"concentrations in units of @u. What is $c(\mathrm{M^+})$, in the same unit, in a saturated "
            "solution with "
            r"$c(\mathrm{X^-})=@n$?",
        ),
        Words(
            r"如图曲线表示一定温度下 $\mathrm{MX}$ 的饱和溶液，浓度单位为 @u。$Q$ 点处 "
            r"⟨x|$c(\mathrm{X^-})=@a$⟩，⟨m|$c(\mathrm{M^+})=@b$⟩。若饱和溶液中 $c(\mathrm{X^-})=@n$，求 "
            r"$c(\mathrm{M^+})$（单位同上）。",
            "曲线上各点两离子浓度的乘积相等。",
            r"如图曲线表示一定温度下 $\mathrm{MX}$ 的饱和溶液（如 $Q$ 点），浓度单位为 @u。若饱和溶液中 "
            r"$c(\mathrm{X^-})=@n$，求 $c(\mathrm{M^+})$（单位同上）。",
        ),
        Split((PRODUCT,), {"x": Shown(), "m": Shown()}),
        constants=("10", "5"),
    ).free(num(product / asked))


PROBLEMS = (
    distillation_parts,
    retention,
    weak_acid_curve,
    species_curves,
    yield_curves,
    saturated_solution,
)
