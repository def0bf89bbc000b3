"""Quantities that generated questions ask for: what is given, in which range, and how the answer follows.

The numbers are made up, the answers are not: each is computed from the relation, so that an answer check has something
to check. `@x` in a sentence stands for the value of x.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Numbers = Mapping[str, float]
Sentences = tuple[str, str, str, str]


@dataclass(frozen=True)
class Relation:
    """One quantity that follows from others."""

    ranges: Mapping[str, tuple[float, float, float]]
    """Given -> (lowest, highest, step)."""
    answer: Callable[[Numbers], float]
    unit: str
    given: Mapping[str, str]
    """Language -> clause that states the givens."""
    wanted: Mapping[str, str]
    """Language -> what is asked for."""
    solution: str
    """The relation as a formula, without numbers."""

    def draw(self, rng: random.Random) -> dict[str, float]:
        """Values for the givens."""
        return {
            name: low + step * rng.randrange(round((high - low) / step) + 1)
            for name, (low, high, step) in self.ranges.items()
        }


def _relation(
    ranges: Mapping[str, tuple[float, float, float]],
    answer: Callable[[Numbers], float],
    unit: str,
    sentences: Sentences,
    solution: str,
) -> Relation:
    given_en, wanted_en, given_zh, wanted_zh = sentences
    return Relation(
        ranges,
        answer,
        unit,
        {"en": given_en, "zh": given_zh},
        {"en": wanted_en, "zh": wanted_zh},
        solution,
    )


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "physics": (
        _relation(
            {"m": (1, 60, 0.5), "a": (0.5, 12, 0.5)},
            lambda x: x["m"] * x["a"],
            "N",
            (
                "a body of mass $m=@m\\ \\text{kg}$ gains an acceleration of $@a\\ \\text{m/s}^2$",
                "the net force on it",
                "质量为$m=@m\\ \\text{kg}$的物体获得$@a\\ \\text{m/s}^2$的加速度",
                "物体所受的合力",
            ),
            "F = ma",
        ),
        _relation(
            {"v": (2, 40, 1), "t": (2, 30, 1)},
            lambda x: x["v"] * x["t"],
            "m",
            (
                "something moves steadily at $@v\\ \\text{m/s}$ for $@t\\ \\text{s}$",
                "the distance it covers",
                "某物以$@v\\ \\text{m/s}$匀速运动了$@t\\ \\text{s}$",
                "它通过的路程",
            ),
            "s = vt",
        ),
        _relation(
            {"m": (1, 40, 1), "v": (1, 30, 1)},
            lambda x: x["m"] * x["v"] ** 2 / 2,
            "J",
            (
                "a load of $@m\\ \\text{kg}$ travels with the speed $v=@v\\ \\text{m/s}$",
                "its kinetic energy",
                "一个$@m\\ \\text{kg}$的重物以速度$v=@v\\ \\text{m/s}$前进",
                "它的动能",
            ),
            "E = \\frac{1}{2}mv^2",
        ),
        _relation(
            {"U": (3, 240, 3), "R": (2, 90, 1)},
            lambda x: x["U"] / x["R"],
            "A",
            (
                "a resistor of $R=@R\\ \\Omega$ is connected to a source of $U=@U\\ \\text{V}$",
                "the current through it",
                "阻值$R=@R\\ \\Omega$的电阻接在$U=@U\\ \\text{V}$的电源上",
                "通过它的电流",
            ),
            "I = \\frac{U}{R}",
        ),
        _relation(
            {"c": (0.4, 4.2, 0.1), "m": (0.5, 9, 0.5), "T": (5, 80, 1)},
            lambda x: x["c"] * x["m"] * x["T"],
            "kJ",
            (
                "$@m\\ \\text{kg}$ of a substance with the specific heat $@c\\ \\text{kJ/(kg·K)}$ "
                "warms by $@T\\ \\text{K}$",
                "the heat taken in",
                "比热容为$@c\\ \\text{kJ/(kg·K)}$的某物质$@m\\ \\text{kg}$升温$@T\\ \\text{K}$",
                "吸收的热量",
            ),
            "Q = cm\\Delta T",
        ),
        _relation(
            {"f": (20, 900, 10), "l": (0.2, 9, 0.2)},
            lambda x: x["f"] * x["l"],
            "m/s",
            (
                "a wave of frequency $f=@f\\ \\text{Hz}$ has the wavelength $\\lambda=@l\\ \\text{m}$",
                "the speed at which it spreads",
                "频率$f=@f\\ \\text{Hz}$的波，波长为$\\lambda=@l\\ \\text{m}$",
                "波的传播速度",
            ),
            "v = f\\lambda",
        ),
        _relation(
            {"F": (50, 4000, 50), "S": (0.1, 8, 0.1)},
            lambda x: x["F"] / x["S"],
            "Pa",
            (
                "a force of $F=@F\\ \\text{N}$ acts evenly on an area of $@S\\ \\text{m}^2$",
                "the pressure there",
                "$F=@F\\ \\text{N}$的力均匀作用在$@S\\ \\text{m}^2$的面积上",
                "此处的压强",
            ),
            "p = \\frac{F}{S}",
        ),
        _relation(
            {"u": (10, 90, 2), "f": (4, 9, 1)},
            lambda x: x["u"] * x["f"] / (x["u"] - x["f"]),
            "cm",
            (
                "an object stands $@u\\ \\text{cm}$ before a thin lens of focal length $@f\\ \\text{cm}$",
                "how far behind the lens the image appears",
                "物体放在焦距为$@f\\ \\text{cm}$的薄透镜前$@u\\ \\text{cm}$处",
                "像到透镜的距离",
            ),
            "\\frac{1}{f} = \\frac{1}{u} + \\frac{1}{v}",
        ),
    ),
    "mathematics": (
        _relation(
            {"a": (2, 60, 1), "h": (2, 60, 1)},
            lambda x: x["a"] * x["h"] / 2,
            "",
            (
                "a triangle has the base $@a$ and the height $@h$",
                "its area",
                "三角形的底为$@a$，高为$@h$",
                "它的面积",
            ),
            "S = \\frac{1}{2}ah",
        ),
        _relation(
            {"a": (3, 60, 1), "b": (4, 70, 1)},
            lambda x: math.hypot(x["a"], x["b"]),
            "",
            (
                "the legs of a right triangle are $@a$ and $@b$",
                "the hypotenuse",
                "直角三角形的两直角边为$@a$和$@b$",
                "斜边的长",
            ),
            "c = \\sqrt{a^2 + b^2}",
        ),
        _relation(
            {"a": (1, 40, 1), "d": (2, 15, 1), "n": (5, 60, 1)},
            lambda x: x["a"] + (x["n"] - 1) * x["d"],
            "",
            (
                "a sequence starts with $a_1=@a$ and grows by $d=@d$ from term to term",
                "its term number $@n$",
                "数列首项$a_1=@a$，公差$d=@d$",
                "它的第$@n$项",
            ),
            "a_n = a_1 + (n-1)d",
        ),
        _relation(
            {"a": (2, 9, 1), "b": (10, 90, 1), "c": (1, 9, 1)},
            lambda x: (x["b"] - x["c"]) / x["a"],
            "",
            ("$@a x + @c = @b$ holds", "the number $x$", "已知$@a x + @c = @b$", "$x$的值"),
            "x = \\frac{b-c}{a}",
        ),
        _relation(
            {"r": (1, 30, 0.5), "h": (2, 40, 0.5)},
            lambda x: math.pi * x["r"] ** 2 * x["h"],
            "",
            (
                "a cylinder has the radius $r=@r$ and the height $@h$",
                "its volume",
                "圆柱的底面半径$r=@r$，高为$@h$",
                "它的体积",
            ),
            "V = \\pi r^2 h",
        ),
        _relation(
            {"n": (5, 40, 1), "k": (2, 4, 1)},
            lambda x: math.comb(int(x["n"]), int(x["k"])),
            "",
            (
                "$@k$ of $@n$ different things are to be picked",
                "in how many ways this can be done",
                "从$@n$个不同的元素中取出$@k$个",
                "不同取法的种数",
            ),
            "C_n^k",
        ),
    ),
    "chemistry": (
        _relation(
            {"m": (2, 300, 1), "M": (18, 200, 2)},
            lambda x: x["m"] / x["M"],
            "mol",
            (
                "a sample of $@m\\ \\text{g}$ has the molar mass $M=@M\\ \\text{g/mol}$",
                "the amount of substance in it",
                "某样品$@m\\ \\text{g}$，摩尔质量$M=@M\\ \\text{g/mol}$",
                "其物质的量",
            ),
            "n = \\frac{m}{M}",
        ),
        _relation(
            {"n": (0.1, 6, 0.1), "V": (0.25, 8, 0.25)},
            lambda x: x["n"] / x["V"],
            "mol/L",
            (
                "$n=@n\\ \\text{mol}$ of a solute is made up to $@V\\ \\text{L}$ of solution",
                "its concentration",
                "将$n=@n\\ \\text{mol}$溶质配成$@V\\ \\text{L}$溶液",
                "溶液的浓度",
            ),
            "c = \\frac{n}{V}",
        ),
        _relation(
            {"c": (0.5, 12, 0.5), "V": (10, 250, 5), "W": (300, 1000, 50)},
            lambda x: x["c"] * x["V"] / x["W"],
            "mol/L",
            (
                "$@V\\ \\text{mL}$ of a solution with $@c\\ \\text{mol/L}$ is diluted to $@W\\ \\text{mL}$",
                "the new concentration",
                "把$@V\\ \\text{mL}$浓度为$@c\\ \\text{mol/L}$的溶液稀释到$@W\\ \\text{mL}$",
                "稀释后的浓度",
            ),
            "c_1V_1 = c_2V_2",
        ),
        _relation(
            {"n": (0.1, 8, 0.1)},
            lambda x: x["n"] * 22.4,
            "L",
            (
                "$n=@n\\ \\text{mol}$ of a gas is released under standard conditions",
                "its volume",
                "标准状况下放出$n=@n\\ \\text{mol}$气体",
                "气体的体积",
            ),
            "V = nV_m",
        ),
        _relation(
            {"I": (0.5, 12, 0.5), "t": (100, 9000, 100)},
            lambda x: x["I"] * x["t"] / 96500,
            "mol",
            (
                "a current of $@I\\ \\text{A}$ flows through the cell for $t=@t\\ \\text{s}$",
                "the amount of electrons transferred",
                "电池中以$@I\\ \\text{A}$的电流通电$t=@t\\ \\text{s}$",
                "转移电子的物质的量",
            ),
            "n = \\frac{It}{F}",
        ),
    ),
}
"""By discipline."""


def plain(value: float) -> str:
    """A value as a person writes it: three significant digits below a thousand, no trailing zeros."""
    if value == round(value) or abs(value) >= 1000:
        return str(round(value))
    digits = max(0, 2 - math.floor(math.log10(abs(value)))) if value else 0
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
