"""Physics: circuits, magnetic fields, optics, atoms."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from benchwright.examples import circuits, optics
from benchwright.examples.knowledge import INDUCTION, LENS, LORENTZ, OHM, PARALLEL, SNELL
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

head = partial(Head, "physics")
SINE_SQUARED = {30: Fraction(1, 4), 45: Fraction(1, 2), 60: Fraction(3, 4)}
LEVELS = ((1, -13.6), (2, -3.4), (3, -1.51), (4, -0.85))
"""Energy levels of hydrogen in eV, rounded as in school books."""


def main_current(r1: int = 2, r2: int = 6, r3: int = 12, voltage: int = 12) -> ExampleProblem:
    """The current of the battery with one resistor in series and two in parallel."""
    parallel = Fraction(r2 * r3, r2 + r3)
    current = Fraction(voltage) / (r1 + parallel)
    return Draft(
        head("phys-series-parallel", "electromagnetism", 2, JUNIOR, ("Electricity/Circuits",)),
        circuits.series_parallel(r1, r2, r3),
        {"r1": r1, "r2": r2, "r3": r3, "voltage": voltage},
        {
            "r1": rf"$R_1={r1}\ \Omega$",
            "r2": rf"$R_2={r2}\ \Omega$",
            "r3": rf"$R_3={r3}\ \Omega$",
            "u": q(voltage, "V"),
        },
        Words(
            "In the circuit ⟨r1|@r1⟩, ⟨r2|@r2⟩ and ⟨r3|@r3⟩; ⟨u|the battery keeps a voltage of @u⟩ and the "
            "switch is closed. What current flows through $R_1$?",
            "Replace $R_2$ and $R_3$ by one resistor, add $R_1$ and divide the voltage by the sum.",
            "In the circuit the switch is closed. What current flows through $R_1$?",
        ),
        Words(
            "如图所示的电路中，⟨r1|@r1⟩，⟨r2|@r2⟩，⟨r3|@r3⟩，⟨u|电源电压恒为 @u⟩，开关闭合，则通过 $R_1$ "
            "的电流为（　）",
            "先求 $R_2$、$R_3$ 并联的等效电阻，加上 $R_1$ 得总电阻，再由欧姆定律求电流。",
            "如图所示的电路中，开关闭合，则通过 $R_1$ 的电流为（　）",
        ),
        Split(
            (OHM, PARALLEL),
            {"r1": Shown(), "r2": Shown(), "r3": Shown(), "u": Shown((("$U=$ @u", "voltage"),))},
        ),
    ).single(
        _ampere(current),
        _ampere(Fraction(voltage, r1 + r2 + r3), "adds all three resistances"),
        _ampere(Fraction(voltage, r1), "leaves the parallel pair out"),
        _ampere(Fraction(voltage) / parallel, "leaves the series resistor out"),
    )


def _ampere(value: Fraction, mistake: str = "") -> Option:
    return option(q(round(float(value), 2), "A"), mistake)


def sliding_contact(towards: str = "b") -> ExampleProblem:
    """What the meters show when the slider moves towards a or b; multiple-select."""
    grows = towards == "b"
    wrong = "has the resistance change the other way"

    def says(en: str, zh: str, right: bool) -> Option:
        return Option(en, zh, "" if right else wrong)

    return Draft(
        head("phys-rheostat", "electromagnetism", 3, JUNIOR, ("Electricity/Circuits",)),
        circuits.rheostat_circuit(),
        {"towards": towards},
        {"end": towards},
        Words(
            "The voltage of the battery does not change and the switch is closed. The slider $P$ is moved "
            "towards the end $@end$. Which statements are right?",
            "Only the part of $R_2$ between $a$ and $P$ carries current; the reading of V over that of A "
            "is $R_1$.",
        ),
        Words(
            "如图所示的电路中，电源电压保持不变，开关闭合后，将滑片 $P$ 向 $@end$ 端移动，下列说法正确的"
            "有（　）",
            "接入电路的是 $R_2$ 的 $aP$ 段；电压表与电流表示数之比等于 $R_1$。",
        ),
    ).multiple(
        says("The reading of the ammeter becomes smaller.", "电流表示数变小", grows),
        says("The reading of the voltmeter becomes larger.", "电压表示数变大", not grows),
        says(
            "The voltmeter's reading divided by the ammeter's stays the same.",
            "电压表与电流表示数之比不变",
            True,
        ),
        says("The circuit as a whole takes up less power.", "电路消耗的总功率变小", grows),
    )


def half_circle(speed: float = 2.0, field: float = 0.2, specific: float = 5.0) -> ExampleProblem:
    """The width of a half circle; speed in 10^6 m/s, field in T, specific charge in 10^7 C/kg."""
    radius = speed * 10 / (field * specific)

    def centimetres(value: float, mistake: str = "") -> Option:
        return option(q(round(value, 1), "cm"), mistake)

    return Draft(
        head("phys-magnetic-half-circle", "electromagnetism", 3, SENIOR, ("Electricity/Fields",)),
        circuits.half_circle_in_field(),
        {"speed": speed, "field": field, "specific": specific},
        {
            "v": q(f"{speed:.1f}\\times 10^6", "m/s"),
            "b": q(f"{field:.2f}", "T"),
            "s": q(f"{specific:.1f}\\times 10^7", "C/kg"),
        },
        Words(
            "A positive particle of specific charge @s enters a uniform magnetic field at $P$, ⟨v|at a speed "
            "of @v⟩ and at a right angle to its border. ⟨b|The field of @b points into the page.⟩ The "
            "particle leaves at $Q$. Gravity is negligible. How far apart are $P$ and $Q$?",
            r"$r=\frac{mv}{qB}$; the orbit in the field is half a circle, so $PQ=2r$.",
            "A positive particle of specific charge @s enters a uniform magnetic field at $P$ at a right "
            "angle to its border. The particle leaves at $Q$. Gravity is negligible. How far apart are $P$ "
            "and $Q$?",
        ),
        Words(
            "比荷为 @s 的带正电粒子⟨v|以 @v 的速度⟩从 $P$ 点垂直边界射入匀强磁场，⟨b|磁感应强度为 @b、"
            "方向垂直纸面向里⟩，粒子从 $Q$ 点射出，不计重力，则 $P$、$Q$ 间的距离为（　）",
            r"由洛伦兹力提供向心力得 $r=\frac{mv}{qB}$，粒子在磁场中运动半个圆周，$PQ=2r$。",
            "比荷为 @s 的带正电粒子从 $P$ 点垂直边界射入匀强磁场，粒子从 $Q$ 点射出，不计重力，则 $P$、$Q$ "
            "间的距离为（　）",
        ),
        Split((LORENTZ,), {"v": Shown((("@v", "speed"),)), "b": Shown((("$B=$ @b", "field"),))}),
        constants=("10", "6", "7", f"{speed:.1f}", f"{field:.2f}", f"{specific:.1f}"),
    ).single(
        centimetres(radius * 2),
        centimetres(radius, "gives the radius"),
        centimetres(radius * math.sqrt(2), "joins the ends of a quarter circle"),
        centimetres(radius * 4, "doubles the diameter"),
    )


def rod_on_rails(
    field: float = 0.5, length: float = 0.4, speed: float = 3.0, resistance: float = 1.2
) -> ExampleProblem:
    """Electromotive force, current and pull for a rod on rails; three parts."""
    voltage = field * length * speed
    current = voltage / resistance
    pull = field * current * length
    answers = [f"{num(round(v, 6))} {u}" for v, u in ((voltage, "V"), (current, "A"), (pull, "N"))]
    return Draft(
        head("phys-rod-on-rails", "electromagnetism", 3, SENIOR, ("Electricity/Fields",)),
        circuits.rod_on_rails(),
        {"field": field, "length": length, "speed": speed, "resistance": resistance},
        {
            "b": q(field, "T"),
            "l": q(length, "m"),
            "v": q(speed, "m/s"),
            "r": rf"${num(resistance)}\ \Omega$",
        },
        Words(
            "A rod $ab$ slides to the right ⟨v|at a steady @v⟩ on two smooth rails ⟨l|@l apart⟩. The rails "
            "are joined ⟨r|by a resistor of @r⟩; rod and rails have no resistance. ⟨b|The uniform field of "
            "@b points into the page.⟩ (1) How large is the electromotive force in the rod? (2) How large is "
            "the current in the rod? (3) How large is the force that pulls the rod?",
            r"$E=BLv$ and $I=\frac{E}{R}$; at a steady speed the pull equals the magnetic force, $F=BIL$.",
            "A rod $ab$ slides steadily to the right on two smooth rails. The rails are joined by a "
            "resistor; rod and rails have no resistance. (1) How large is the electromotive force in the "
            "rod? (2) How large is the current in the rod? (3) How large is the force that pulls the rod?",
        ),
        Words(
            "如图，导体棒 $ab$ 在⟨l|间距为 @l 的⟩两条光滑平行导轨上⟨v|以 @v 的速度⟩向右匀速滑动，"
            "导轨左端接有⟨r|阻值为 @r 的⟩电阻，棒与导轨的电阻不计，⟨b|匀强磁场的磁感应强度为 @b、"
            "方向垂直纸面向里⟩。(1) 求棒中感应电动势的大小；(2) 求通过棒的电流的大小；(3) "
            "求拉动导体棒的外力的大小。",
            r"$E=BLv$，$I=\frac{E}{R}$；匀速运动时外力与安培力平衡，$F=BIL$。",
            "如图，导体棒 $ab$ 在两条光滑平行导轨上向右匀速滑动，导轨左端接有电阻，棒与导轨的电阻不计。(1) "
            "求棒中感应电动势的大小；(2) 求通过棒的电流的大小；(3) 求拉动导体棒的外力的大小。",
        ),
        Split(
            (INDUCTION, OHM),
            {
                "v": Shown((("@v", "speed"),)),
                "l": Shown((("@l", "length"),)),
                "r": Shown((("@r", "resistance"),)),
                "b": Shown((("$B=$ @b", "field"),)),
            },
        ),
        constants=("1", "2", "3"),
    ).parts(*(Option(answer, answer) for answer in answers))


def lens_image(distance: int = 15, focal: int = 10) -> ExampleProblem:
    """The image distance of a converging lens for a real image."""
    return Draft(
        head("phys-lens-image", "optics", 2, SENIOR, ("Optics/Light",)),
        optics.thin_lens(distance, focal),
        {"distance": distance, "focal": focal},
        {"u": q(distance, "cm"), "f": q(focal, "cm")},
        Words(
            "An object $AB$ stands upright on the axis ⟨u|@u in front of⟩ a thin converging lens ⟨f|of focal "
            "length @f⟩. How far behind the lens is its real image?",
            r"$\frac{1}{v}=\frac{1}{f}-\frac{1}{u}$.",
            "An object $AB$ stands upright on the axis of a thin converging lens. How far behind the lens is "
            "its real image?",
        ),
        Words(
            "如图，物体 $AB$ 垂直于主光轴放在⟨f|焦距为 @f 的⟩薄凸透镜⟨u|前 @u 处⟩，则所成实像到透镜的距离"
            "为（　）",
            r"由 $\frac{1}{u}+\frac{1}{v}=\frac{1}{f}$ 求像距 $v$。",
            "如图，物体 $AB$ 垂直于主光轴放在薄凸透镜前，则所成实像到透镜的距离为（　）",
        ),
        Split((LENS,), {"u": Shown((("$u=$ @u", "distance"),)), "f": Shown((("$f=$ @f", "focal"),))}),
    ).single(
        option(q(Fraction(distance * focal, distance - focal), "cm")),
        option(q(round(distance * focal / (distance + focal), 2), "cm"), "adds the reciprocals"),
        option(q(distance - focal, "cm"), "takes the distance from object to focus"),
        option(q(2 * focal, "cm"), "expects the image at twice the focal length"),
    )


def refractive_index(incidence: int = 45, refracted: int = 30) -> ExampleProblem:
    """The refractive index of glass from two of the angles 30, 45 and 60 degrees."""
    index = SINE_SQUARED[incidence] / SINE_SQUARED[refracted]
    tangent = {angle: s / (1 - s) for angle, s in SINE_SQUARED.items()}
    return Draft(
        head("phys-refraction", "optics", 2, SENIOR, ("Optics/Light",)),
        optics.refraction(incidence, refracted),
        {"incidence": incidence, "refracted": refracted},
        {"i": rf"${incidence}^\circ$", "r": rf"${refracted}^\circ$"},
        Words(
            "Light passes from air (above) into glass (below). ⟨i|The angle of incidence is @i⟩ and ⟨r|the "
            "angle of refraction is @r⟩. What is the refractive index of the glass?",
            r"$n=\frac{\sin i}{\sin r}$.",
            "Light passes from air (above) into glass (below). What is the refractive index of the glass?",
        ),
        Words(
            "一束光从空气（上方）射入玻璃（下方），光路如图所示，⟨i|入射角为 @i⟩，⟨r|折射角为 @r⟩，"
            "则该玻璃的折射率为（　）",
            r"由 $n=\frac{\sin i}{\sin r}$ 求得。",
            "一束光从空气（上方）射入玻璃（下方），光路如图所示，则该玻璃的折射率为（　）",
        ),
        Split((SNELL,), {"i": Shown(), "r": Shown()}),
    ).single(
        option(_root(index)),
        option(_root(1 / index), "divides the sines the wrong way round"),
        option(f"${num(Fraction(incidence, refracted))}$", "divides the angles, not their sines"),
        option(_root(tangent[incidence] / tangent[refracted]), "uses tangents for sines"),
    )


def _root(squared: Fraction) -> str:
    """The square root of a fraction in the form school books give it, as mathematics."""
    product = squared.numerator * squared.denominator
    outside = max(d for d in range(1, math.isqrt(product) + 1) if product % (d * d) == 0)
    inside = product // (outside * outside)
    share = Fraction(outside, squared.denominator)
    root = "" if inside == 1 else rf"\sqrt{{{inside}}}"
    top = root if share.numerator == 1 and root else f"{share.numerator}{root}"
    return f"${top}$" if share.denominator == 1 else rf"$\frac{{{top}}}{{{share.denominator}}}$"


def plane_mirror(angle: int = 35) -> ExampleProblem:
    """Reflection at a plane mirror from the angle between ray and mirror; two parts."""
    answers = (f"{90 - angle}°", f"{180 - 2 * angle}°")
    return Draft(
        head("phys-plane-mirror", "optics", 1, JUNIOR, ("Optics/Light",)),
        optics.mirror(angle),
        {"angle": angle},
        {"a": rf"${angle}^\circ$"},
        Words(
            "A ray of light meets a plane mirror at $O$ as shown; $ON$ is the normal. (1) What is the angle "
            "of reflection? (2) What angle do the incident and the reflected ray make with each other?",
            "The angle of incidence is counted from the normal: a right angle less @a; the angle of "
            "reflection equals it, and the two rays are twice that apart.",
        ),
        Words(
            "如图，一束光射到平面镜上的 $O$ 点，$ON$ 为法线。(1) 求反射角的大小；(2) "
            "求入射光线与反射光线的夹角。",
            "入射角是入射光线与法线的夹角，等于直角减去 @a；反射角等于入射角，两光线的夹角为其两倍。",
        ),
        constants=("1", "2"),
    ).parts(*(Option(answer, answer) for answer in answers))


def photon_energy(upper: int = 3, lower: int = 2) -> ExampleProblem:
    """The photon of a transition of hydrogen; the lower level is not the ground state."""
    energy = dict(LEVELS)
    return Draft(
        head("phys-energy-levels", "modern-physics", 2, SENIOR, ("Modern physics/Atoms",)),
        optics.energy_levels(LEVELS, (upper, lower)),
        {"upper": upper, "lower": lower},
        {"n": num(upper), "m": num(lower)},
        Words(
            "The figure shows energy levels of the hydrogen atom. An atom passes from $n=@n$ to $n=@m$. What "
            "is the energy of the photon it emits?",
            "The photon carries the difference of the two levels.",
        ),
        Words(
            "如图为氢原子的部分能级图。氢原子从 $n=@n$ 能级跃迁到 $n=@m$ 能级时，辐射光子的能量为（　）",
            "光子的能量等于两能级之差。",
        ),
    ).single(
        option(q(energy[upper] - energy[lower], "eV", 2)),
        option(q(-energy[upper] - energy[lower], "eV", 2), "adds the two energies"),
        option(q(energy[upper] - energy[1], "eV", 2), "lets the atom fall to the ground state"),
        option(q(-energy[lower], "eV", 2), "gives the energy needed to ionise the atom afterwards"),
    )


PROBLEMS = (
    main_current,
    sliding_contact,
    half_circle,
    rod_on_rails,
    lens_image,
    refractive_index,
    plane_mirror,
    photon_energy,
)
