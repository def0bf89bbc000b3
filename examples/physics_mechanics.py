"""Physics: mechanics, motion, waves, heat."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from benchwright.examples import graphs, mechanics
from benchwright.examples.knowledge import (
    BOYLE,
    GAS_LAW,
    GRAPH_AREA,
    LEVER,
    NEWTON,
    PROJECTILE,
    ROTATION,
    SLIDING,
    UNIFORM_ACCELERATION,
    WAVE_SPEED,
)
from benchwright.examples.problem import (
    CONTEST,
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

head = partial(Head, "physics")
SPEED = r"m/s"
GRAVITY = 10
"""Gravitational acceleration that the texts state, in m/s^2."""
SINE, COSINE = {37: 0.6, 30: 0.5, 53: 0.8}, {37: 0.8, 53: 0.6}


def block_on_incline(angle: int = 37, mass: int = 2, friction: float = 0.25, time: int = 2) -> ExampleProblem:
    """The speed a block reaches on a rough slope (37 or 53 degrees)."""
    sine, cosine = SINE[angle], COSINE[angle]

    def speed(a: float) -> str:
        return q(round(a * time, 6), SPEED)

    return Draft(
        head("phys-rough-incline", "mechanics", 3, SENIOR, ("Mechanics/Newton's laws",)),
        mechanics.inclined_plane(angle, mass),
        {"angle": angle, "mass": mass, "friction": friction, "time": time},
        {
            "angle": rf"${angle}^\circ$",
            "m": q(mass, "kg"),
            "mu": num(friction),
            "t": q(time, "s"),
            "sin": num(sine),
            "cos": num(cosine),
            "a": num(angle),
        },
        Words(
            "A block ⟨m|of mass @m⟩ is released from rest on a slope ⟨angle|inclined at @angle⟩ and slides "
            r"down ⟨t|for @t⟩; ⟨mu|the coefficient of sliding friction is $@mu$⟩. Take $g=10\ "
            r"\mathrm{m/s^2}$, $\sin @a^\circ=@sin$ and $\cos @a^\circ=@cos$. What speed does the block "
            "reach?",
            r"$a=g(\sin\theta-\mu\cos\theta)$ does not depend on the mass; $v=at$.",
            r"A block is released from rest on a slope and slides down. Take $g=10\ \mathrm{m/s^2}$, $\sin "
            r"@a^\circ=@sin$ and $\cos @a^\circ=@cos$. What speed does the block reach?",
        ),
        Words(
            "⟨m|质量为 @m 的⟩物块从⟨angle|倾角为 @angle 的⟩斜面上由静止释放，⟨t|下滑 @t⟩，"
            r"⟨mu|物块与斜面间的动摩擦因数为 $@mu$⟩。取 $g=10\ \mathrm{m/s^2}$，$\sin @a^\circ=@sin$，$\cos "
            r"@a^\circ=@cos$，则此时物块的速度大小为（　）",
            r"由牛顿第二定律 $a=g(\sin\theta-\mu\cos\theta)$，与质量无关；再由 $v=at$ 求速度。",
            r"物块从斜面上由静止释放并下滑。取 $g=10\ \mathrm{m/s^2}$，$\sin @a^\circ=@sin$，$\cos "
            r"@a^\circ=@cos$，则此时物块的速度大小为（　）",
        ),
        Split(
            (NEWTON, SLIDING, UNIFORM_ACCELERATION),
            {
                "m": Shown(),
                "angle": Shown(),
                "t": Shown((("$t=$ @t", "time"),)),
                "mu": Shown(((r"$\mu=@mu$", "friction"),)),
            },
        ),
        constants=("10", num(sine), num(cosine)),
    ).single(
        option(speed(GRAVITY * (sine - friction * cosine))),
        option(speed(GRAVITY * sine), "leaves friction out"),
        option(speed(GRAVITY * (sine + friction * cosine)), "gives friction the direction of the motion"),
        option(speed(GRAVITY * (sine - friction * sine)), "takes the sine for the normal force"),
    )


def atwood_machine(left: int = 5, right: int = 2, pulley: int = 6) -> ExampleProblem:
    """The acceleration of two masses over a pulley that has to be turned as well."""
    value = Fraction(abs(left - right) * GRAVITY) / (left + right + Fraction(pulley, 2))
    return Draft(
        head("phys-atwood-machine", "mechanics", 5, CONTEST, ("Mechanics/Rotation",)),
        mechanics.atwood(left, right),
        {"left": left, "right": right, "pulley": pulley},
        {"l": q(left, "kg"), "r": q(right, "kg"), "p": q(pulley, "kg")},
        Words(
            "Two blocks, ⟨l|@l on the left⟩ and ⟨r|@r on the right⟩, hang from a light cord that runs over a "
            "pulley, ⟨p|a uniform disc of @p⟩. The cord does not slip and the axle has no friction. They are "
            r"let go. With $g=10\ \mathrm{m/s^2}$, how large is their acceleration?",
            "$m_1g-T_1=m_1a$, $T_2-m_2g=m_2a$, and for the disc "
            r"$(T_1-T_2)R=\frac{1}{2}MR^2\cdot\frac{a}{R}$; "
            r"added up, $(m_1-m_2)g=\left(m_1+m_2+\frac{M}{2}\right)a$.",
            "Two blocks hang from a light cord that runs over a pulley, a uniform disc of @p. The cord does "
            "not slip and the axle has no friction. They are let go. "
            r"With $g=10\ \mathrm{m/s^2}$, how large is their acceleration?",
        ),
        Words(
            "如图，一根轻绳跨过定滑轮，定滑轮是⟨p|质量为 @p 的匀质圆盘⟩，两端分别悬挂物块，⟨l|左侧物块质量为 "
            r"@l⟩，⟨r|右侧物块质量为 @r⟩。绳与滑轮间不打滑，轴处无摩擦。由静止释放后，取 "
            r"$g=10\ \mathrm{m/s^2}$，求物块加速度的大小。",
            r"$m_1g-T_1=m_1a$，$T_2-m_2g=m_2a$，对圆盘有 $(T_1-T_2)R=\frac{1}{2}MR^2\cdot\frac{a}{R}$；"
            r"三式相加得 $(m_1-m_2)g=\left(m_1+m_2+\frac{M}{2}\right)a$。",
            "如图，一根轻绳跨过定滑轮，定滑轮是质量为 @p 的匀质圆盘，两端分别悬挂物块。绳与滑轮间不打滑，"
            "轴处无摩擦。"
            r"由静止释放后，取 $g=10\ \mathrm{m/s^2}$，求物块加速度的大小。",
        ),
        Split((NEWTON, ROTATION), {"l": Shown(), "r": Shown()}),
        constants=("10",),
    ).free(num(value), "m/s^2")


def lever_balance(left_force: int = 6, left_arm: int = 4, right_arm: int = 3) -> ExampleProblem:
    """The force that balances a lever."""
    return Draft(
        head("phys-lever", "mechanics", 1, JUNIOR, ("Mechanics/Forces",)),
        mechanics.lever(left_force, left_arm, right_arm),
        {"left_force": left_force, "left_arm": left_arm, "right_arm": right_arm},
        {"f": q(left_force, "N")},
        Words(
            "A light lever with equally spaced marks can turn about $O$. ⟨f|A weight of @f⟩ hangs on the "
            "left. How large must the downward force $F$ on the right be for the lever to balance?",
            "Count the spaces from $O$ to each force: force times arm must agree on both sides.",
            "A light lever with equally spaced marks can turn about $O$. How large must the downward force "
            "$F$ on the right be for the lever to balance?",
        ),
        Words(
            "如图，轻质杠杆可绕 $O$ 点转动，杠杆上刻度均匀，⟨f|左侧挂有重 @f 的物体⟩。"
            "要使杠杆在水平位置平衡，右侧竖直向下的拉力 $F$ 应为（　）",
            "数出两力到 $O$ 的格数，由动力乘动力臂等于阻力乘阻力臂求得。",
            "如图，轻质杠杆可绕 $O$ 点转动，杠杆上刻度均匀。要使杠杆在水平位置平衡，右侧竖直向下的拉力 $F$ "
            "应为（　）",
        ),
        Split((LEVER,), {"f": Shown()}),
    ).single(
        option(q(Fraction(left_force * left_arm, right_arm), "N")),
        option(q(Fraction(left_force * right_arm, left_arm), "N"), "turns the ratio of the arms round"),
        option(q(left_force, "N"), "balances forces instead of moments"),
        option(
            q(left_force + left_arm - right_arm, "N") if left_arm != right_arm else q(0, "N"),
            "adds arms to forces",
        ),
    )


def horizontal_throw(speed: int = 15, height: int = 20) -> ExampleProblem:
    """The range of a horizontal throw; the fall lasts a whole number of tenths of a second."""
    time = math.sqrt(2 * height / GRAVITY)
    return Draft(
        head("phys-horizontal-throw", "mechanics", 2, SENIOR, ("Mechanics/Motion",)),
        mechanics.horizontal_throw(),
        {"speed": speed, "height": height},
        {"v": q(speed, SPEED), "h": q(height, "m")},
        Words(
            "A small ball leaves a platform horizontally ⟨v|at @v⟩ and lands ⟨h|@h below⟩. Air resistance is "
            r"negligible and $g=10\ \mathrm{m/s^2}$. How far, measured horizontally, from the platform does "
            "it land?",
            r"The fall lasts $t=\sqrt{\frac{2h}{g}}$; meanwhile the ball covers $x=vt$.",
            "A small ball leaves a platform horizontally and lands on the ground. Air resistance is "
            r"negligible and $g=10\ \mathrm{m/s^2}$. How far, measured horizontally, from the platform does "
            "it land?",
        ),
        Words(
            r"小球⟨v|以 @v 的速度⟩从平台边缘水平抛出，⟨h|平台距地面的高度为 @h⟩，不计空气阻力，取 $g=10\ "
            r"\mathrm{m/s^2}$，则小球落地时的水平位移 $x$ 为（　）",
            r"由 $h=\frac{1}{2}gt^2$ 求下落时间，再由 $x=vt$ 求水平位移。",
            r"小球从平台边缘水平抛出，不计空气阻力，取 $g=10\ \mathrm{m/s^2}$，则小球落地时的水平位移 "
            "$x$ 为（　）",
        ),
        Split(
            (PROJECTILE, UNIFORM_ACCELERATION),
            {"v": Shown((("@v", "speed"),)), "h": Shown((("@h", "height"),))},
        ),
        constants=("10",),
    ).single(
        option(q(round(speed * time, 6), "m")),
        option(q(round(speed * time * time, 6), "m"), "forgets the square root"),
        option(q(round(speed * time / 2, 6), "m"), "takes the mean of zero and the speed in the horizontal"),
        option(q(height, "m"), "takes the height for the range"),
    )


def velocity_graph(top: int = 8, t1: int = 4, t2: int = 9, t3: int = 12) -> ExampleProblem:
    """The displacement from a velocity-time graph."""
    area = Fraction(top * (t3 + t2 - t1), 2)
    return Draft(
        head("phys-velocity-graph", "mechanical-motion", 2, SENIOR, ("Mechanics/Motion",)),
        graphs.piecewise(
            [(0, 0), (t1, top), (t2, top), (t3, 0)], (r"t/\mathrm{s}", r"v/(\mathrm{m\cdot s^{-1}})")
        ),
        {"top": top, "t1": t1, "t2": t2, "t3": t3},
        {"v": q(top, SPEED), "t": q(t3, "s")},
        Words(
            "A tram runs between two stops on a straight track. The graph shows its velocity: ⟨v|it travels "
            "at @v at most⟩ and ⟨t|needs @t⟩. How far apart are the stops?",
            "The displacement is the area of the trapezoid under the graph.",
            "A tram runs between two stops on a straight track. The graph shows its velocity. How far apart "
            "are the stops?",
        ),
        Words(
            "一辆有轨电车在两站间沿直线行驶，其 $v$-$t$ 图象如图所示，⟨v|最大速度为 @v⟩，⟨t|全程用时 @t⟩，"
            "则两站间的距离为（　）",
            "位移等于图线与时间轴所围梯形的面积。",
            "一辆有轨电车在两站间沿直线行驶，其 $v$-$t$ 图象如图所示，则两站间的距离为（　）",
        ),
        Split((GRAPH_AREA,), {"v": Shown(), "t": Shown()}),
    ).single(
        option(q(area, "m")),
        option(q(top * t3, "m"), "lets the tram run at full speed all the time"),
        option(q(top * (t2 - t1), "m"), "counts only the uniform part"),
        option(q(Fraction(top * t3, 2), "m"), "takes the area of a triangle"),
    )


def spring_constant(force: int = 10, stretch: int = 5, top: int = 4) -> ExampleProblem:
    """A spring constant from a measured line; free form."""
    step = Fraction(force, top)
    points = [(float(Fraction(stretch * i, top)), float(step * i)) for i in range(1, top + 1)]
    return Draft(
        head(
            "phys-spring-constant",
            "comprehensive-experiments-and-methods",
            2,
            SENIOR,
            ("Mechanics/Forces", "Experiments/Evaluation"),
        ),
        graphs.straight_line(
            (0, 0),
            (stretch, force),
            (r"x/\mathrm{cm}", r"F/\mathrm{N}"),
            [x for x, _ in points],
            [y for _, y in points],
            points,
        ),
        {"force": force, "stretch": stretch, "top": top},
        {},
        Words(
            "In an experiment the force $F$ on a spring is measured against its extension $x$; the graph "
            r"shows the measured points. Find the spring constant in $\mathrm{N/m}$.",
            "The slope of the line is the spring constant; change centimetres into metres.",
        ),
        Words(
            "在探究弹簧弹力与形变量关系的实验中，测得弹力 $F$ 与伸长量 $x$ 的关系图线如图所示，"
            r"求该弹簧的劲度系数（单位用 $\mathrm{N/m}$ 表示）。",
            "图线的斜率即为劲度系数，注意将厘米换算为米。",
        ),
    ).free(num(Fraction(force * 100, stretch)), "N/m")


def pendulum_table(length: float = 1.0, swings: int = 30, total: float = 60.2) -> ExampleProblem:
    """Gravity from a pendulum: which change makes the measured value too large? multiple-select."""
    return Draft(
        head(
            "phys-pendulum",
            "comprehensive-experiments-and-methods",
            4,
            SENIOR,
            ("Waves/Vibrations and waves", "Experiments/Evaluation"),
        ),
        mechanics.pendulum(qty(f"l={length:.2f}", "m")),
        {"length": length, "swings": swings, "total": total},
        {"n": num(swings), "t": q(total, "s")},
        Words(
            r"A student finds $g$ with the pendulum shown by $g=\frac{4\pi^2 l}{T^2}$; @n full swings take "
            "@t. Which of these would make the value found too large?",
            r"$g$ comes out too large if $l$ is taken too large or $T$ too small.",
        ),
        Words(
            r"某同学用如图所示的单摆测重力加速度，测得 @n 次全振动的时间为 @t，由 $g=\frac{4\pi^2 l}{T^2}$ "
            "计算。下列操作会使测量值偏大的有（　）",
            "当 $l$ 取得偏大或 $T$ 测得偏小时，$g$ 的测量值偏大。",
        ),
        constants=("2", "4"),
    ).multiple(
        Option(f"He counts {swings + 1} swings for {swings}.", f"把 {swings} 次全振动误数为 {swings + 1} 次"),
        Option("The whole length of cord and bob is taken for $l$.", "把摆线长与小球直径之和作为摆长 $l$"),
        Option(
            "The cord slips at the support and lengthens after $l$ was measured.",
            "测完摆长后，悬点松动使摆线变长",
            "a longer pendulum swings more slowly, so g comes out too small",
        ),
        Option(
            "He starts the stopwatch too early.",
            "开始计时时秒表提前按下",
            "the time comes out too long, so g too small",
        ),
    )


def wave_frequency(wavelength: int = 4, amplitude: int = 5, speed: int = 10) -> ExampleProblem:
    """The frequency of a wave from its picture and its speed."""
    return Draft(
        head("phys-wave-frequency", "vibration-and-waves", 2, SENIOR, ("Waves/Vibrations and waves",)),
        mechanics.transverse_wave(wavelength, amplitude),
        {"wavelength": wavelength, "amplitude": amplitude, "speed": speed},
        {"v": q(speed, SPEED)},
        Words(
            "A transverse wave travels in the positive direction of the $x$ axis; the figure shows it at "
            "$t=0$. ⟨v|Its speed is @v.⟩ What is its frequency?",
            r"Read the wavelength from the figure; $f=\frac{v}{\lambda}$.",
            "A transverse wave travels in the positive direction of the $x$ axis; the figure shows it at "
            "$t=0$. What is its frequency?",
        ),
        Words(
            "一列简谐横波沿 $x$ 轴正方向传播，$t=0$ 时刻的波形如图所示，⟨v|波速为 @v⟩，则该波的频率为（　）",
            r"由图读出波长，再由 $f=\frac{v}{\lambda}$ 求频率。",
            "一列简谐横波沿 $x$ 轴正方向传播，$t=0$ 时刻的波形如图所示，则该波的频率为（　）",
        ),
        Split((WAVE_SPEED,), {"v": Shown((("@v", "speed"),))}),
        constants=("0",),
    ).single(
        option(q(Fraction(speed, wavelength), "Hz")),
        option(q(Fraction(wavelength, speed), "Hz"), "gives the period"),
        option(q(Fraction(2 * speed, wavelength), "Hz"), "takes half a wave for the wavelength"),
        option(q(speed * wavelength, "Hz"), "multiplies speed and wavelength"),
    )


def gas_states(p1: int = 1, v1: int = 2, p2: int = 3, v2: int = 4, t1: int = 200) -> ExampleProblem:
    """The temperature at the end of two changes of state in a p-V diagram."""

    def kelvin(value: Fraction) -> str:
        return q(value, "K", 0)

    ratio = Fraction(p2 * v2, p1 * v1)
    return Draft(
        head("phys-gas-states", "thermodynamics", 3, SENIOR, ("Heat/Gases and states",)),
        graphs.state_changes(
            {"A": (v1, p1), "B": (v1, p2), "C": (v2, p2)},
            (r"V/\mathrm{L}", r"p/(10^5\ \mathrm{Pa})"),
            [v1, v2],
            [p1, p2],
        ),
        {"p1": p1, "v1": v1, "p2": p2, "v2": v2, "t1": t1},
        {"t": q(t1, "K"), "v1": q(v1, "L"), "v2": q(v2, "L")},
        Words(
            "A fixed amount of an ideal gas is taken from state $A$ through $B$ to $C$ as shown; ⟨v|its "
            "volume grows from @v1 to @v2⟩. ⟨t|In state $A$ its temperature is @t.⟩ What is its temperature "
            "in state $C$?",
            r"$\frac{p_AV_A}{T_A}=\frac{p_CV_C}{T_C}$; the way between does not matter.",
            "A fixed amount of an ideal gas is taken from state $A$ through $B$ to $C$ as shown. In state "
            "$A$ its temperature is @t. What is its temperature in state $C$?",
        ),
        Words(
            "一定质量的理想气体由状态 $A$ 经 $B$ 变化到 $C$，过程如图所示，⟨v|体积由 @v1 变为 @v2⟩。"
            "⟨t|已知气体在状态 $A$ 的温度为 @t⟩，则在状态 $C$ 的温度为（　）",
            r"由 $\frac{p_AV_A}{T_A}=\frac{p_CV_C}{T_C}$ 求得，与中间过程无关。",
            "一定质量的理想气体由状态 $A$ 经 $B$ 变化到 $C$，过程如图所示。已知气体在状态 $A$ 的温度为 @t，"
            "则在状态 $C$ 的温度为（　）",
        ),
        Split((GAS_LAW,), {"v": Shown()}),
    ).single(
        option(kelvin(t1 * ratio)),
        option(kelvin(t1 * Fraction(p2, p1)), "stops at state B"),
        option(kelvin(t1 * Fraction(v2, v1)), "leaves the change of pressure out"),
        option(kelvin(t1 * Fraction(p2 * v1, p1 * v2)), "divides by the ratio of the volumes"),
    )


def piston_compression(p: float = 1.0, length: int = 24, share: int = 6) -> ExampleProblem:
    """Isothermal compression of the gas column to a shorter length."""
    end = length - share
    return Draft(
        head("phys-piston", "thermodynamics", 2, SENIOR, ("Heat/Gases and states",)),
        mechanics.cylinder_and_piston(qty(length, "cm")),
        {"p": p, "length": length, "share": share},
        {"p": q(f"{p:.1f}\\times 10^5", "Pa"), "l": q(length, "cm"), "d": q(share, "cm")},
        Words(
            "Air is shut in a cylinder by a piston; ⟨l|the column of air is @l long⟩ and ⟨p|its pressure is "
            "@p⟩. The piston is pushed slowly ⟨d|@d inwards⟩ while the temperature stays the same. What is "
            "the pressure then?",
            "At constant temperature $p_1l_1=p_2l_2$, since the cross-section is the same.",
            "Air is shut in a cylinder by a piston. The piston is pushed slowly @d inwards while the "
            "temperature stays the same. What is the pressure then?",
        ),
        Words(
            "如图，活塞将一定质量的空气封闭在气缸内，⟨l|气柱长 @l⟩，⟨p|压强为 @p⟩。保持温度不变，"
            "将活塞缓慢⟨d|向内推进 @d⟩，则此时气体的压强为（　）",
            "温度不变且横截面积相同，故 $p_1l_1=p_2l_2$。",
            "如图，活塞将一定质量的空气封闭在气缸内。保持温度不变，将活塞缓慢向内推进 @d，则此时气体的压"
            "强为（　）",
        ),
        Split((BOYLE,), {"l": Shown(), "p": Shown((("@p", "pressure"),))}),
        constants=("10", "5", f"{p:.1f}"),
    ).single(
        _pascal(p * length / end),
        _pascal(p * end / length, "turns the ratio of the lengths round"),
        _pascal(p * length / share, "takes the way of the piston for the new length"),
        _pascal(p * (length + share) / length, "adds the way of the piston to the length"),
    )


def _pascal(value: float, mistake: str = "") -> Option:
    return option(rf"${value:.2f}\times 10^5\ \mathrm{{Pa}}$", mistake)


PROBLEMS = (
    block_on_incline,
    atwood_machine,
    lever_balance,
    horizontal_throw,
    velocity_graph,
    spring_constant,
    pendulum_table,
    wave_frequency,
    gas_states,
    piston_compression,
)
