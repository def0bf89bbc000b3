"""Physics: charges, plates, transformers, alternating voltage, bridges; light quanta and nuclei."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from benchwright.examples import electric
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
    num,
    option,
    q,
    qty,
)

head = partial(Head, "physics")
CIRCUITS, FIELDS, ATOMS = (
    ("Electricity/Circuits",),
    ("Electricity/Fields",),
    ("Modern physics/Atoms",),
)
COULOMB = Term(
    "the field of a point charge",
    "点电荷的电场",
    "Its strength grows with the charge and falls with the square of the distance; fields add as vectors.",
    "点电荷的场强与电荷量成正比，与距离的平方成反比；电场按矢量叠加。",
)
PLATES = Term(
    "motion of a charge in a uniform field",
    "带电粒子在匀强电场中的运动",
    r"Across the plates $a=\frac{qU}{md}$; along them the speed stays the same.",
    r"垂直于极板方向 $a=\frac{qU}{md}$，平行于极板方向速度不变。",
)
PHOTO = Term(
    "Einstein's equation of the photoelectric effect",
    "爱因斯坦光电效应方程",
    r"The greatest kinetic energy of the electrons is $E_k=h\nu-W$ with the work function $W$.",
    r"光电子的最大初动能 $E_k=h\nu-W$，其中 $W$ 为逸出功。",
)
DECAY = Term(
    "half-life",
    "半衰期",
    "In each half-life half of the nuclei that are left decay.",
    "每经过一个半衰期，剩余原子核的一半发生衰变。",
)


def zero_field(ratio: int = 4, distance: int = 30) -> ExampleProblem:
    """Where the field of two charges of the same sign vanishes; the ratio is a square."""
    side = math.isqrt(ratio)

    def centimetres(value: Fraction, mistake: str = "") -> Option:
        return option(q(value, "cm"), mistake)

    return Draft(
        head("phys-zero-field", "electromagnetism", 3, SENIOR, FIELDS),
        electric.two_charges(ratio, distance),
        {"ratio": ratio, "distance": distance},
        {"r": num(ratio), "d": q(distance, "cm")},
        Words(
            "The fixed charges $+@{r}q$ at $A$ and $+q$ at $B$ are ⟨d|@d apart⟩. How far from $A$ is the "
            "point of the line $AB$ where the field is zero?",
            "There both fields are equally strong: the squares of the distances are as the charges.",
            "The fixed charges $+@{r}q$ and $+q$ lie at $A$ and $B$. How far from $A$ is the point of "
            "the line $AB$ where the field is zero?",
        ),
        Words(
            "如图，点电荷 $+@{r}q$ 和 $+q$ 分别固定在 $A$、$B$ 两点，⟨d|相距 @d⟩，则 $AB$ 连线上场强为零"
            "的点到 "
            "$A$ 的距离为（　）",
            "该点处两电荷的场强大小相等，距离的平方之比等于电荷量之比。",
            "如图，点电荷 $+@{r}q$ 和 $+q$ 分别固定在 $A$、$B$ 两点，则 $AB$ 连线上场强为零的点到 $A$ 的"
            "距离为"
            "（　）",
        ),
        Split((COULOMB,), {"d": Shown()}),
    ).single(
        centimetres(Fraction(distance * side, side + 1)),
        centimetres(Fraction(distance, side + 1), "measures from the smaller charge"),
        centimetres(Fraction(distance * ratio, ratio + 1), "takes the distances as the charges"),
        centimetres(Fraction(distance, 2), "takes the midpoint"),
    )


def beam_deflection(first: int = 1000, second: int = 40, length: int = 10, gap: int = 2) -> ExampleProblem:
    """The deflection of an electron beam between two plates; free form."""
    return Draft(
        head("phys-beam-deflection", "electromagnetism", 5, SENIOR, FIELDS),
        electric.deflection(length, gap),
        {"first": first, "second": second, "length": length, "gap": gap},
        {"u": q(first, "V"), "w": q(second, "V"), "l": q(length, "cm"), "d": q(gap, "cm")},
        Words(
            "Electrons start from rest, are accelerated ⟨u|by @u⟩ and then fly midway between two plates "
            "⟨l|@l long⟩ and ⟨d|@d apart⟩ ⟨w|with @w between them⟩. By how many centimetres are they "
            "deflected when they leave the plates?",
            r"$eU_a=\frac{1}{2}mv^2$ and "
            r"$y=\frac{1}{2}\cdot\frac{eU_d}{md}\cdot\left(\frac{L}{v}\right)^2$ give "
            r"$y=\frac{U_dL^2}{4dU_a}$.",
            "Electrons start from rest, are accelerated and then fly midway between two plates. By how "
            "many centimetres are they deflected when they leave the plates?",
        ),
        Words(
            "如图，电子由静止开始⟨u|经 @u 的电压⟩加速后，从中线射入⟨l|长 @l⟩、⟨d|间距 @d⟩、⟨w|电压为 @w "
            "的⟩平行板间，求电子射出极板时的偏移量（单位：cm）。",
            r"由 $eU_a=\frac{1}{2}mv^2$ 和 "
            r"$y=\frac{1}{2}\cdot\frac{eU_d}{md}\cdot\left(\frac{L}{v}\right)^2$ 得 "
            r"$y=\frac{U_dL^2}{4dU_a}$。",
            "如图，电子由静止开始加速后，从中线射入平行板间，求电子射出极板时的偏移量（单位：cm）。",
        ),
        Split(
            (PLATES,),
            {
                "u": Shown((("$U_a=$ @u", "first"),)),
                "w": Shown((("$U_d=$ @w", "second"),)),
                "l": Shown(),
                "d": Shown(),
            },
        ),
    ).free(num(round(second * length**2 / (4 * gap * first), 6)), "cm")


def transformer(first: int = 1100, second: int = 220, volts: int = 220, ohms: int = 22) -> ExampleProblem:
    """Voltage and primary current of an ideal transformer; two parts."""
    out = Fraction(volts * second, first)
    current = out / ohms * second / first
    return Draft(
        head("phys-transformer", "electromagnetism", 3, SENIOR, ("Electricity/Circuits",)),
        electric.transformer(first, second),
        {"first": first, "second": second, "volts": volts, "ohms": ohms},
        {"u": qty(volts, "V"), "r": rf"{ohms}\ \Omega"},
        Words(
            "The transformer is ideal, $U_1=@u$ and $R=@r$. (1) What is the voltage across $R$? (2) "
            "How large is the current in the left winding?",
            "Voltages are as the turns; the power on both sides is the same.",
        ),
        Words(
            "如图，理想变压器的 $U_1=@u$，$R=@r$。(1) $R$ 两端的电压是多少？(2) 原线圈中的电流是多少？",
            "电压之比等于匝数之比，两侧功率相等。",
        ),
        constants=("1", "2"),
    ).parts(Option(f"{num(out)} V", f"{num(out)} V"), Option(f"{num(current)} A", f"{num(current)} A"))


def alternating_voltage(effective: int = 10, period: float = 0.02) -> ExampleProblem:
    """Effective value and frequency from a curve of voltage; two parts."""
    peak = effective * math.sqrt(2)
    points = [(period * i / 40, peak * math.sin(2 * math.pi * i / 40)) for i in range(61)]
    return Draft(
        head("phys-alternating-voltage", "electromagnetism", 2, SENIOR, ("Electricity/Circuits",)),
        draw(
            Plot(
                "wave-form",
                (0, period * 1.7),
                (-peak * 1.3, peak * 1.4),
                (r"t/\mathrm{s}", r"u/\mathrm{V}"),
                ys={peak: rf"{effective}\sqrt{{2}}", -peak: rf"-{effective}\sqrt{{2}}"},
                curves=[points],
                levels=[(period / 4, peak), (period * 3 / 4, -peak)],
                tags=[(num(period), period, 0, "se")],
                zero_side="w",
            )
        ),
        {"effective": effective, "period": period},
        {},
        Words(
            "The figure shows a sinusoidal alternating voltage. (1) What is its effective value? (2) "
            "What is its frequency?",
            r"The effective value is the peak divided by $\sqrt{2}$; the frequency is the inverse of the "
            "period.",
        ),
        Words(
            "如图为某正弦交流电压随时间变化的图象。(1) 该电压的有效值是多少？(2) 频率是多少？",
            r"有效值等于最大值除以 $\sqrt{2}$，频率为周期的倒数。",
        ),
        constants=("1", "2"),
    ).parts(
        Option(f"{effective} V", f"{effective} V"), Option(f"{num(1 / period)} Hz", f"{num(1 / period)} Hz")
    )


def balanced_bridge(r1: int = 10, r2: int = 30, r3: int = 25) -> ExampleProblem:
    """The unknown resistance of a balanced bridge; free form."""
    return Draft(
        head("phys-bridge", "electromagnetism", 2, SENIOR, CIRCUITS),
        electric.bridge(r1, r2, r3),
        {"r1": r1, "r2": r2, "r3": r3},
        {},
        Words(
            "The galvanometer G of the bridge shows no current. How large is $R_x$?",
            r"Both ends of the galvanometer are at the same potential, so $\frac{R_1}{R_2}=\frac{R_3}{R_x}$.",
        ),
        Words(
            "如图所示的电桥中，灵敏电流计 G 的示数为零，求 $R_x$ 的阻值。",
            r"电流计两端电势相等，故 $\frac{R_1}{R_2}=\frac{R_3}{R_x}$。",
        ),
    ).free(num(Fraction(r2 * r3, r1)), "Ω")


def photoelectric_line(work: int = 2, threshold: int = 5, light: int = 8) -> ExampleProblem:
    """The kinetic energy at another frequency from the line of a photoelectric experiment; free form."""
    end = threshold * 1.8
    return Draft(
        head("phys-photoelectric-line", "modern-physics", 3, SENIOR, ("Modern physics/Atoms",)),
        draw(
            Plot(
                "data-graph",
                (0, threshold * 2.1),
                (-work * 1.3, work * 1.3),
                (r"\nu/(10^{14}\ \mathrm{Hz})", r"E_k/\mathrm{eV}"),
                ys=[-work],
                dashed=[[(0, -work), (threshold, 0)]],
                lines=[[(threshold, 0), (end, work * 0.8)]],
                tags=[(num(threshold), threshold, 0, "se")],
                zero_side="w",
                size=(540, 340),
            )
        ),
        {"work": work, "threshold": threshold, "light": light},
        {
            "w": q(work, "eV"),
            "n": rf"${threshold}\times 10^{{14}}\ \mathrm{{Hz}}$",
            "l": rf"${light}\times 10^{{14}}\ \mathrm{{Hz}}$",
        },
        Words(
            "The line shows the greatest kinetic energy $E_k$ of photoelectrons against the frequency "
            r"$\nu$. ⟨n|It meets the axis of frequencies at @n⟩, and ⟨w|its extension meets the other "
            "axis @w below zero⟩. What is $E_k$, in eV, for light of @l?",
            r"$E_k=h\nu-W$: $W$ is the depth of the intercept and $h$ the slope.",
            "The line shows the greatest kinetic energy $E_k$ of photoelectrons against the frequency "
            r"$\nu$. What is $E_k$, in eV, for light of @l?",
        ),
        Words(
            r"如图为光电子的最大初动能 $E_k$ 与入射光频率 $\nu$ 的关系图线，⟨n|图线与频率轴交于 @n⟩，"
            "⟨w|其延长线与纵轴交于零点以下 @w 处⟩。当入射光频率为 @l 时，求 $E_k$（单位：eV）。",
            r"$E_k=h\nu-W$，$W$ 等于纵截距的大小，$h$ 为图线的斜率。",
            r"如图为光电子的最大初动能 $E_k$ 与入射光频率 $\nu$ 的关系图线。当入射光频率为 @l 时，求 "
            "$E_k$（单位：eV）。",
        ),
        Split((PHOTO,), {"n": Shown(), "w": Shown()}),
        constants=("10",),
    ).free(num(round(work * (light / threshold - 1), 6)), "eV")


def half_life(half: int = 8, start: int = 48, periods: int = 3) -> ExampleProblem:
    """What is left of a radioactive substance after several half-lives."""
    left = Fraction(start, 2**periods)

    def grams(value: Fraction | float, mistake: str = "") -> Option:
        return option(q(value, "g"), mistake)

    return Draft(
        head("phys-half-life", "modern-physics", 2, SENIOR, ATOMS),
        draw(
            Plot(
                "decay-curve",
                (0, half * 3.3),
                (0, 1.2),
                (r"t/\mathrm{d}", r"\frac{m}{m_0}"),
                xs=[half],
                ys={1.0: "1", 0.5: "0.5"},
                curves=[[(half * i / 10, 0.5 ** (i / 10)) for i in range(32)]],
                guides=[(half, 0.5)],
                rooms=[("start", half * 1.5, 0.94, 132, 28)],
            )
        ),
        {"half": half, "start": start, "periods": periods},
        {"s": q(start, "g"), "h": q(half, "d"), "t": q(half * periods, "d")},
        Words(
            "The curve shows which share of a radioactive substance is left. ⟨h|After @h half of it is "
            "left.⟩ ⟨s|At first there are @s.⟩ How much is left after @t?",
            "Count the half-lives and halve the mass as often.",
            "The curve shows which share of a radioactive substance is left. How much is left after @t?",
        ),
        Words(
            "如图为某放射性物质剩余质量与原质量之比随时间变化的曲线，⟨h|经过 @h 剩余一半⟩，⟨s|开始时质量"
            "为 @s⟩，则经过 @t 后剩余的质量为（　）",
            "求出经过的半衰期个数，质量每次减半。",
            "如图为某放射性物质剩余质量与原质量之比随时间变化的曲线，则经过 @t 后剩余的质量为（　）",
        ),
        Split((DECAY,), {"h": Shown(), "s": Shown((("$m=$ @s", "start"),))}),
        constants=(str(half * periods),),
    ).single(
        grams(left),
        grams(start - left, "gives what has decayed"),
        grams(Fraction(start, 2 * periods), "divides by twice the number of half-lives"),
        grams(Fraction(start, 2), "counts only one half-life"),
    )


def decay_chain(z1: int = 92, a1: int = 238, z2: int = 82, a2: int = 206) -> ExampleProblem:
    """Numbers of alpha and beta decays between two nuclei of a chart; two parts."""
    alphas = (a1 - a2) // 4
    betas = z2 - z1 + 2 * alphas
    wide, high = z1 - z2, a1 - a2
    return Draft(
        head("phys-decay-chain", "modern-physics", 3, SENIOR, ATOMS),
        draw(
            Plot(
                "nuclide-chart",
                (z2 - wide * 0.5, z1 + wide * 0.4),
                (a2 - high * 0.4, a1 + high * 0.3),
                ("Z", "A"),
                xs=[z2, z1],
                ys=[a2, a1],
                origin=(z2 - wide * 0.5, a2 - high * 0.4),
                guides=[(z1, a1), (z2, a2)],
                dots=[(z1, a1), (z2, a2)],
                tags=[("X", z1, a1, "ne"), ("Y", z2, a2, "ne")],
                zero="",
            )
        ),
        {"z1": z1, "a1": a1, "z2": z2, "a2": a2},
        {},
        Words(
            "The chart shows the charge number $Z$ and the mass number $A$ of two nuclei. $X$ turns into "
            "$Y$ by alpha and beta-minus decays. (1) How many alpha decays take place? (2) How many beta "
            "decays?",
            "Only alpha decays change the mass number, by four each; the charge number then tells the "
            "beta decays.",
        ),
        Words(
            "图中标出了两种原子核的电荷数 $Z$ 和质量数 $A$。$X$ 经过若干次 α 衰变和 β 衰变变为 $Y$。(1) "
            "发生了多少次 α 衰变？(2) 发生了多少次 β 衰变？",
            "只有 α 衰变改变质量数，每次减少四；再由电荷数求 β 衰变的次数。",
        ),
        constants=("1", "2"),
    ).parts(Option(str(alphas), str(alphas)), Option(str(betas), str(betas)))


PROBLEMS = (
    zero_field,
    beam_deflection,
    transformer,
    alternating_voltage,
    balanced_bridge,
    photoelectric_line,
    half_life,
    decay_chain,
)
