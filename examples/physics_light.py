"""Physics: slits, total reflection, prisms; oscillations and waves."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from benchwright.examples import instruments, waves
from benchwright.examples.knowledge import SNELL, WAVE_SPEED
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
)

head = partial(Head, "physics")
WAVES, LIGHT = ("Waves/Vibrations and waves",), ("Optics/Light",)
FRINGES = Term(
    "the spacing of interference fringes",
    "双缝干涉条纹间距",
    "Behind two slits a distance $d$ apart the fringes on a screen at the distance $L$ are spaced "
    r"$\Delta x=\frac{L\lambda}{d}$.",
    r"双缝间距为 $d$、缝到屏的距离为 $L$ 时，相邻亮条纹间距 $\Delta x=\frac{L\lambda}{d}$。",
)
NODES = Term(
    "standing waves",
    "驻波",
    "Between two neighbouring nodes lies half a wavelength.",
    "相邻两波节之间的距离为半个波长。",
)


def double_slit(slits: float = 0.25, screen: float = 1.0, fringes: float = 2.4) -> ExampleProblem:
    """The wavelength from the fringes behind a double slit."""

    def nanometres(value: float, mistake: str = "") -> Option:
        return option(q(num(round(value, 2)), "nm"), mistake)

    right = fringes * slits / screen * 1000
    return Draft(
        head("phys-double-slit", "optics", 3, SENIOR, LIGHT),
        waves.double_slit(),
        {"slits": slits, "screen": screen, "fringes": fringes},
        {"d": q(slits, "mm"), "l": q(screen, "m"), "x": q(fringes, "mm")},
        Words(
            "Light of one colour falls on two slits $S_1$ and $S_2$, which are ⟨d|@d apart⟩. On a screen "
            "⟨l|@l "
            "away⟩ ⟨x|neighbouring bright fringes are @x apart⟩. What is the wavelength?",
            r"$\lambda=\frac{d\Delta x}{L}$; mind the units.",
            "Light of one colour falls on two slits $S_1$ and $S_2$ and makes fringes on a screen. What "
            "is the wavelength?",
        ),
        Words(
            "如图，单色光照射双缝 $S_1$、$S_2$，⟨d|双缝间距为 @d⟩，⟨l|双缝到屏的距离为 @l⟩，⟨x|相邻亮条纹"
            "的间距为 @x⟩，则该光的波长为（　）",
            r"$\lambda=\frac{d\Delta x}{L}$，注意统一单位。",
            "如图，单色光照射双缝 $S_1$、$S_2$，在屏上形成条纹，则该光的波长为（　）",
        ),
        Split(
            (FRINGES,),
            {
                "d": Shown((("$d=$ @d", "slits"),)),
                "l": Shown((("$L=$ @l", "screen"),)),
                "x": Shown((("$\\Delta x=$ @x", "fringes"),)),
            },
        ),
    ).single(
        nanometres(right),
        nanometres(right * 2, "takes a dark and a bright fringe for neighbours of one kind"),
        nanometres(right / 2, "counts a fringe as two"),
        nanometres(right * 10, "slips by a power of ten in the units"),
    )


def critical_angle(angle: int = 30) -> ExampleProblem:
    """The refractive index from the critical angle."""
    sine = math.sin(math.radians(angle))

    def index(value: float, mistake: str = "") -> Option:
        return option(f"${value:.2f}$", mistake)

    return Draft(
        head("phys-critical-angle", "optics", 2, SENIOR, ("Optics/Light",)),
        waves.half_disc(angle),
        {"angle": angle},
        {"a": rf"{angle}^\circ"},
        Words(
            "A ray enters a half disc of glass towards its centre $O$. When ⟨a|the angle of incidence at "
            "the plane face is $@a$⟩, the ray that leaves the glass just grazes this face. What is the "
            "refractive index of the glass?",
            "At this angle of incidence the refracted ray makes a right angle with the normal, so the "
            "index is the inverse of its sine.",
            "A ray enters a half disc of glass towards its centre $O$. The ray that leaves the glass "
            "just grazes the plane face. What is the refractive index of the glass?",
        ),
        Words(
            "如图，光线沿半径方向射入半圆形玻璃砖，射向圆心 $O$。⟨a|在平面上的入射角为 $@a$⟩ 时，折射光线"
            "恰好沿平面射出，则玻璃的折射率为（　）",
            "此时折射角为直角，折射率等于该入射角正弦的倒数。",
            "如图，光线沿半径方向射入半圆形玻璃砖，射向圆心 $O$，折射光线恰好沿平面射出，则玻璃的折射率为"
            "（　）",
        ),
        Split((SNELL,), {"a": Shown((("$@a$", "angle"),))}),
    ).single(
        index(1 / sine),
        index(sine, "turns the law round"),
        index(1 / math.cos(math.radians(angle)), "measures the angle from the face"),
        index(1 + sine, "adds the sine to one"),
    )


def symmetric_prism(apex: int = 60, incidence: int = 45) -> ExampleProblem:
    """The refractive index from a symmetric passage through a prism."""
    inside = math.radians(apex / 2)

    def index(value: float, mistake: str = "") -> Option:
        return option(f"${value:.2f}$", mistake)

    sine = math.sin(math.radians(incidence))
    return Draft(
        head("phys-symmetric-prism", "optics", 4, SENIOR, ("Optics/Light",)),
        waves.prism(apex, incidence),
        {"apex": apex, "incidence": incidence},
        {},
        Words(
            "A ray of one colour passes through a prism in such a way that it runs parallel to the base "
            "inside. The apex angle and the angle of incidence are marked. What is the refractive index "
            "of the prism?",
            "By symmetry the angle of refraction is half of the apex angle.",
        ),
        Words(
            "如图，一束单色光通过棱镜，在棱镜内部的光线与底边平行，顶角和入射角已标出，则棱镜的折射率为"
            "（　）",
            "由对称性，折射角等于顶角的一半。",
        ),
    ).single(
        index(sine / math.sin(inside)),
        index(
            math.sin(math.radians(apex)) / sine,
            "takes the apex angle for an angle of refraction and turns the law round",
        ),
        index(sine / math.sin(math.radians(apex)), "takes the whole apex angle for the angle of refraction"),
        index(1 / math.sin(inside), "forgets the sine of the angle of incidence"),
    )


def string_speed(loops: int = 4, length: float = 1.2, frequency: int = 50) -> ExampleProblem:
    """The speed of waves on a string from a standing wave."""

    def speed(value: float, mistake: str = "") -> Option:
        return option(q(round(value, 4), "m/s"), mistake)

    return Draft(
        head("phys-standing-wave", "vibration-and-waves", 3, SENIOR, WAVES),
        waves.standing_wave(loops),
        {"loops": loops, "length": length, "frequency": frequency},
        {"l": q(length, "m"), "f": q(frequency, "Hz")},
        Words(
            "A string ⟨l|@l long⟩ is held at both ends and swings as shown ⟨f|at @f⟩. How fast do waves "
            "run along it?",
            "Each loop is half a wavelength; speed is wavelength times frequency.",
            "A string is held at both ends and swings as shown. How fast do waves run along it?",
        ),
        Words(
            "如图，⟨l|长 @l 的⟩弦两端固定，⟨f|以 @f 的频率⟩振动形成驻波，则弦上的波速为（　）",
            "每个波腹段长为半个波长，波速等于波长乘频率。",
            "如图，两端固定的弦振动形成驻波，则弦上的波速为（　）",
        ),
        Split(
            (NODES, WAVE_SPEED),
            {"l": Shown((("$L=$ @l", "length"),)), "f": Shown((("$f=$ @f", "frequency"),))},
        ),
    ).single(
        speed(2 * length / loops * frequency),
        speed(length / loops * frequency, "takes a loop for a whole wave"),
        speed(length * frequency, "takes the string for a wavelength"),
        speed(2 * length * frequency, "overlooks the nodes inside"),
    )


def oscillation_graph(amplitude: int = 5, period: float = 0.8) -> ExampleProblem:
    """Amplitude and frequency from an oscillation graph; two parts."""
    points = instruments.swing(80, period, amplitude)
    return Draft(
        head("phys-oscillation-graph", "vibration-and-waves", 1, SENIOR, WAVES),
        draw(
            Plot(
                "wave-form",
                (0, period * 2.2),
                (-amplitude * 1.3, amplitude * 1.4),
                (r"t/\mathrm{s}", r"x/\mathrm{cm}"),
                ys=[amplitude, -amplitude],
                curves=[points],
                levels=[(period / 4, amplitude), (period * 3 / 4, -amplitude)],
                tags=[(num(period), period, 0, "se")],
                zero_side="w",
            )
        ),
        {"amplitude": amplitude, "period": period},
        {},
        Words(
            "The figure shows the displacement of a body on a spring. (1) What is its amplitude? (2) "
            "What is its frequency?",
            "Read the greatest displacement and the period; the frequency is the inverse of the period.",
        ),
        Words(
            "如图为弹簧振子的振动图象。(1) 振幅是多少？(2) 频率是多少？",
            "由图读出最大位移和周期，频率为周期的倒数。",
        ),
        constants=("1", "2"),
    ).parts(
        Option(f"{amplitude} cm", f"{amplitude} cm"),
        Option(f"{num(round(1 / period, 6))} Hz", f"{num(round(1 / period, 6))} Hz"),
    )


def resonance_curve(peak: float = 0.5) -> ExampleProblem:
    """The length of a pendulum from its resonance curve."""

    def metres(value: float, mistake: str = "") -> Option:
        return option(q(num(round(value, 4)), "m"), mistake)

    points = [
        (peak * x, 1 / math.sqrt((1 - x * x) ** 2 + (0.22 * x) ** 2))
        for x in (0.04 * i for i in range(2, 54))
    ]
    return Draft(
        head("phys-resonance-curve", "vibration-and-waves", 3, SENIOR, WAVES),
        draw(
            Plot(
                "resonance-curve",
                (0, peak * 2.3),
                (0, 5.6),
                (r"f/\mathrm{Hz}", "A"),
                xs=[peak],
                curves=[points],
                drops=[(peak, 4.5)],
            )
        ),
        {"peak": peak},
        {},
        Words(
            "The curve shows the amplitude $A$ of a simple pendulum that is driven with the frequency "
            r"$f$. Take $g=10\ \mathrm{m/s^2}$ and $\pi^2=10$. How long is the pendulum?",
            "At resonance the driving frequency is the pendulum's own: "
            r"$f=\frac{1}{2\pi}\sqrt{\frac{g}{l}}$.",
        ),
        Words(
            "如图为某单摆做受迫振动的共振曲线，$A$ 为振幅，$f$ 为驱动力的频率。取 "
            r"$g=10\ \mathrm{m/s^2}$，$\pi^2=10$，则该单摆的摆长为（　）",
            r"共振时驱动力的频率等于单摆的固有频率，$f=\frac{1}{2\pi}\sqrt{\frac{g}{l}}$。",
        ),
        constants=("10",),
    ).single(
        metres(10 / (4 * 10 * peak**2)),
        metres(10 / (10 * peak**2), "drops the factor two of the period"),
        metres(10 * peak**2 / 40, "takes the frequency for the period"),
        metres(10 / (4 * 10 * peak), "forgets to square the frequency"),
    )


def two_sources(first: float = 4.5, second: float = 6.0, wavelength: float = 0.5) -> ExampleProblem:
    """Strengthening or weakening at a point from two sources in step."""
    gap = Fraction(str(second)) - Fraction(str(first))
    count = gap / Fraction(str(wavelength))
    strong = count.denominator == 1
    total = num((first + second) / wavelength)

    def says(up: bool, value: str, mistake: str = "") -> Option:
        en = f"strengthened: {value} wavelengths" if up else f"weakened: {value} wavelengths"
        zh = f"振动加强，{value} 个波长" if up else f"振动减弱，{value} 个波长"
        return Option(en, zh, mistake)

    return Draft(
        head("phys-two-sources", "vibration-and-waves", 3, SENIOR, WAVES),
        waves.two_sources(first, second),
        {"first": first, "second": second, "wavelength": wavelength},
        {"w": q(wavelength, "m")},
        Words(
            "Two sources $S_1$ and $S_2$ vibrate in step and send out waves of wavelength @w. Are the "
            "vibrations at $P$ strengthened or weakened, and what does it follow from?",
            "Compare the difference of the two distances with the wavelength: a whole number of "
            "wavelengths strengthens.",
        ),
        Words(
            "如图，波源 $S_1$、$S_2$ 同步振动，发出的波的波长均为 @w。$P$ 点的振动是加强还是减弱？依据是"
            "（　）",
            "把两段距离之差与波长比较，差为波长的整数倍时振动加强。",
        ),
    ).single(
        says(strong, num(count)),
        says(not strong, num(count), "turns the rule round"),
        says(strong, total, "adds the distances"),
        says(not strong, total, "adds the distances and turns the rule round"),
    )


PROBLEMS = (
    double_slit,
    critical_angle,
    symmetric_prism,
    string_speed,
    oscillation_graph,
    resonance_curve,
    two_sources,
)
