"""Physics: forces in balance, floating, collisions, loops, orbits."""

from __future__ import annotations

import math
from functools import partial

from benchwright.examples import forces
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

head = partial(Head, "physics")
FORCES = ("Mechanics/Forces",)
SPEED = "m/s"
EQUILIBRIUM = Term(
    "equilibrium of forces",
    "共点力的平衡",
    "On a body at rest the forces cancel in every direction.",
    "物体静止时，所受各力在任意方向上的合力为零。",
)
ARCHIMEDES = Term(
    "Archimedes' principle",
    "阿基米德原理",
    "The buoyant force equals the weight of the displaced liquid; a floating body's weight equals it.",
    "浮力等于物体排开液体所受的重力；漂浮时浮力等于物体的重力。",
)
MOMENTUM = Term(
    "conservation of momentum",
    "动量守恒定律",
    "Without outer forces the sum of all products of mass and velocity stays the same.",
    "系统不受外力时，各物体质量与速度乘积之和保持不变。",
)
ENERGY = Term(
    "conservation of mechanical energy",
    "机械能守恒定律",
    "Without friction the sum of kinetic and potential energy stays the same.",
    "只有重力做功时，动能与势能之和保持不变。",
)


def hanging_lamp(weight: int = 12, angle: int = 53) -> ExampleProblem:
    """The tension of the sloping cord that holds a lamp."""
    sine, cosine = {53: (0.8, 0.6), 37: (0.6, 0.8)}[angle]

    def newton(value: float, mistake: str = "") -> Option:
        return option(q(round(value, 4), "N"), mistake)

    return Draft(
        head("phys-hanging-lamp", "mechanics", 2, SENIOR, FORCES),
        forces.hanging_lamp(angle),
        {"weight": weight, "angle": angle},
        {"w": q(weight, "N"), "a": rf"{angle}^\circ", "s": num(sine), "c": num(cosine)},
        Words(
            "A lamp ⟨w|of weight @w⟩ hangs at $O$ from the cords $OA$ and $OB$; $OB$ is horizontal and "
            "$OA$ makes ⟨a|an angle of $@a$⟩ with the horizontal. Take @s for the sine and @c for the "
            "cosine of the angle. How large is the tension of $OA$?",
            "Upwards only $OA$ pulls: its tension times the sine of the angle is the weight.",
            "A lamp hangs at $O$ from the cords $OA$ and $OB$; $OB$ is horizontal. Take @s for the sine "
            "and @c for the cosine of the marked angle. How large is the tension of $OA$?",
        ),
        Words(
            "如图，⟨w|重 @w 的⟩灯用轻绳 $OA$、$OB$ 悬挂于 $O$ 点，$OB$ 水平，$OA$ 与水平方向⟨a|成 $@a$ "
            "角⟩，该角的正弦取 @s，余弦取 @c，则 $OA$ 绳的拉力大小为（　）",
            "竖直方向上只有 $OA$ 的分力与重力平衡，拉力乘以该角的正弦等于重力。",
            "如图，灯用轻绳 $OA$、$OB$ 悬挂于 $O$ 点，$OB$ 水平，图中所标角的正弦取 @s，余弦取 @c，则 "
            "$OA$ 绳的拉力大小为（　）",
        ),
        Split((EQUILIBRIUM,), {"w": Shown((("$G=$ @w", "weight"),)), "a": Shown((("$@a$", "angle"),))}),
        constants=("0.8", "0.6"),
    ).single(
        newton(weight / sine),
        newton(weight * sine, "multiplies by the sine instead of dividing"),
        newton(weight / cosine, "takes the cosine for the sine"),
        newton(weight, "lets the cord carry the weight without regard to its slope"),
    )


def floating_cube(side: int = 10, depth: int = 6, liquid: float = 0.8) -> ExampleProblem:
    """The density of a floating cube; free form."""
    return Draft(
        head("phys-floating-cube", "mechanics", 2, JUNIOR, ("Mechanics/Forces",)),
        forces.floating_cube(side, depth),
        {"side": side, "depth": depth, "liquid": liquid},
        {"s": q(side, "cm"), "d": q(depth, "cm"), "r": q(liquid, "g/cm^3")},
        Words(
            "A cube ⟨s|with edges of @s⟩ floats upright in a liquid ⟨r|of density @r⟩ and dips ⟨d|@d "
            "deep⟩ into it. What is its density in $\\mathrm{g/cm^3}$?",
            "Weight equals buoyant force: the densities are as depth to edge.",
            "A cube floats upright in a liquid as shown. What is its density in $\\mathrm{g/cm^3}$?",
        ),
        Words(
            "如图，⟨s|棱长为 @s 的⟩正方体竖直漂浮在⟨r|密度为 @r 的⟩液体中，⟨d|浸入深度为 @d⟩，求正方体的"
            "密度（单位用 $\\mathrm{g/cm^3}$ 表示）。",
            "重力等于浮力，故两密度之比等于浸入深度与棱长之比。",
            "如图，正方体竖直漂浮在液体中，求正方体的密度（单位用 $\\mathrm{g/cm^3}$ 表示）。",
        ),
        Split((ARCHIMEDES,), {"s": Shown(), "d": Shown(), "r": Shown((("@r", "liquid"),))}),
    ).free(num(round(liquid * depth / side, 6)), "g/cm^3")


def sticking_carts(left: int = 2, right: int = 3, speed: int = 5) -> ExampleProblem:
    """The common speed of two carts that stick together."""

    def metres(value: float, mistake: str = "") -> Option:
        return option(q(num(value, 1), SPEED), mistake)

    return Draft(
        head("phys-sticking-carts", "mechanics", 2, SENIOR, ("Mechanics/Newton's laws",)),
        forces.carts(left, right),
        {"left": left, "right": right, "speed": speed},
        {"l": q(left, "kg"), "r": q(right, "kg"), "v": q(speed, SPEED)},
        Words(
            "On a smooth track a cart ⟨l|of @l⟩ runs ⟨v|at @v⟩ into a second cart ⟨r|of @r⟩ that is at "
            "rest. The carts stick together. How fast do they move on?",
            "The momentum before and after is the same; afterwards both masses have the same speed.",
            "On a smooth track the left cart runs into the right one, which is at rest. The carts stick "
            "together. How fast do they move on?",
        ),
        Words(
            "如图，光滑轨道上⟨l|质量为 @l 的⟩小车⟨v|以 @v 的速度⟩与静止的⟨r|质量为 @r 的⟩小车相碰并粘在一"
            "起，则碰后它们的速度大小为（　）",
            "碰撞前后动量守恒，碰后两车速度相同。",
            "如图，光滑轨道上左车与静止的右车相碰并粘在一起，则碰后它们的速度大小为（　）",
        ),
        Split((MOMENTUM,), {"l": Shown(), "r": Shown(), "v": Shown((("@v", "speed"),))}),
    ).single(
        metres(left * speed / (left + right)),
        metres(speed * math.sqrt(left / (left + right)), "keeps the kinetic energy"),
        metres(left * speed / right, "leaves the first cart behind"),
        metres(speed / 2, "takes half of the speed whatever the masses are"),
    )


def loop_the_loop(radius: float = 0.4) -> ExampleProblem:
    """The least height for a loop without friction."""

    def metres(factor: float, mistake: str = "") -> Option:
        return option(q(round(factor * radius, 4), "m"), mistake)

    return Draft(
        head("phys-loop", "mechanics", 4, SENIOR, ("Mechanics/Newton's laws",)),
        forces.loop(),
        {"radius": radius},
        {"r": q(radius, "m")},
        Words(
            "A small body is let go on a smooth track that runs into an upright circle with centre $O$ "
            "⟨r|of radius @r⟩. From which least height $h$ must it start so that it does not leave the "
            "track at the top $P$?",
            r"At $P$ gravity alone must turn it: $mg=\frac{mv^2}{R}$; by energy $mg(h-2R)=\frac{1}{2}mv^2$.",
            "A small body is let go on a smooth track that runs into an upright circle with centre $O$. "
            "From which least height $h$ must it start so that it does not leave the track at the top "
            "$P$?",
        ),
        Words(
            "如图，光滑轨道与竖直圆轨道相接，圆心为 $O$，⟨r|半径为 @r⟩。小物块由静止释放，要使它通过最高"
            "点 $P$ 时不脱离轨道，释放高度 $h$ 至少为（　）",
            r"在 $P$ 点恰好由重力提供向心力，$mg=\frac{mv^2}{R}$；由机械能守恒 $mg(h-2R)=\frac{1}{2}mv^2$。",
            "如图，光滑轨道与竖直圆轨道相接，圆心为 $O$。小物块由静止释放，要使它通过最高点 $P$ 时不脱离"
            "轨道，释放高度 $h$ 至少为（　）",
        ),
        Split((ENERGY,), {"r": Shown((("@r", "radius"),))}),
    ).single(
        metres(2.5),
        metres(2, "lets the body arrive at the top at rest"),
        metres(3, "takes twice the kinetic energy at the top"),
        metres(1.5, "counts the height from the centre of the circle"),
    )


def two_satellites(ratio: int = 4) -> ExampleProblem:
    """The ratio of two periods from the radii (Kepler's third law)."""
    return Draft(
        head("phys-satellites", "mechanics", 3, SENIOR, ("Mechanics/Newton's laws",)),
        forces.orbits(ratio),
        {"ratio": ratio},
        {},
        Words(
            "Two satellites $P$ and $Q$ circle a planet on orbits of the radii shown. How many times as "
            "long as the period of $P$ is that of $Q$?",
            "The squares of the periods are as the cubes of the radii.",
        ),
        Words(
            "如图，卫星 $P$、$Q$ 绕同一行星做匀速圆周运动，轨道半径如图所示，则 $Q$ 的周期与 $P$ 的周期的"
            "比值为（　）",
            "周期的平方与轨道半径的立方成正比。",
        ),
    ).single(
        option(f"${num(ratio**1.5)}$"),
        option(f"${ratio}$", "takes the period as proportional to the radius"),
        option(f"${ratio**2}$", "takes the square of the ratio"),
        option(f"${num(math.sqrt(ratio))}$", "gives the inverse ratio of the speeds"),
    )


PROBLEMS = (
    hanging_lamp,
    floating_cube,
    sticking_carts,
    loop_the_loop,
    two_satellites,
)
