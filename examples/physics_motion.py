"""Physics: motion across a river and in graphs."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from benchwright.examples import forces
from benchwright.examples.knowledge import UNIFORM_ACCELERATION
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

head = partial(Head, "physics")
MOTION = ("Mechanics/Motion",)
SPEED = "m/s"
COMPOSITION = Term(
    "composition of velocities",
    "速度的合成",
    "A boat moves relative to the ground with the vector sum of its own velocity and that of the water.",
    "船对地的速度等于船对水的速度与水流速度的矢量和。",
)


def river_crossing(width: int = 120, boat: int = 4, current: int = 3) -> ExampleProblem:
    """How far a boat that heads straight across is carried downstream."""
    return Draft(
        head("phys-river-crossing", "mechanical-motion", 2, SENIOR, MOTION),
        forces.river(),
        {"width": width, "boat": boat, "current": current},
        {"w": q(width, "m"), "b": q(boat, SPEED), "c": q(current, SPEED)},
        Words(
            "A boat leaves $A$ and always heads at right angles to the banks. ⟨w|The river is @w wide⟩, "
            "⟨b|the boat makes @b in still water⟩, and ⟨c|the current is @c⟩. How far downstream from "
            "$B$ does it reach the other bank?",
            "The crossing takes width over boat speed; meanwhile the current carries the boat along.",
            "A boat leaves $A$ and always heads at right angles to the banks. How far downstream from "
            "$B$ does it reach the other bank?",
        ),
        Words(
            "如图，小船从 $A$ 点出发，船头始终垂直于河岸。⟨w|河宽 @w⟩，⟨b|船在静水中的速度为 @b⟩，⟨c|水流"
            "速度为 @c⟩，则小船到达对岸时偏离 $B$ 点的距离为（　）",
            "渡河时间等于河宽除以船速，这段时间内水流使船向下游漂移。",
            "如图，小船从 $A$ 点出发，船头始终垂直于河岸，则小船到达对岸时偏离 $B$ 点的距离为（　）",
        ),
        Split(
            (COMPOSITION,),
            {"w": Shown((("@w", "width"),)), "b": Shown((("@b", "boat"),)), "c": Shown((("@c", "current"),))},
        ),
    ).single(
        option(q(Fraction(width * current, boat), "m")),
        option(q(Fraction(width * boat, current), "m"), "turns the ratio of the speeds round"),
        option(q(width, "m"), "takes drift and width as equal"),
        option(
            q(round(width * current / math.hypot(boat, current), 4), "m"),
            "uses the speed over ground for the crossing",
        ),
    )


def meeting_bikes(distance: int = 600, first: int = 60, second: int = 120) -> ExampleProblem:
    """Speed and meeting time from two lines in an x-t graph; two parts."""
    meet = Fraction(first * second, first + second)
    return Draft(
        head("phys-meeting-bikes", "mechanical-motion", 2, JUNIOR, MOTION),
        draw(
            Plot(
                "motion-graph",
                (0, second * 1.12),
                (0, distance * 1.15),
                (r"t/\mathrm{s}", r"x/\mathrm{m}"),
                xs=[first, second],
                ys=[distance],
                lines=[[(0, 0), (first, distance)], [(0, distance), (second, 0)]],
                guides=[(first, distance)],
                tags=[("A", first * 0.88, distance * 0.9, "nw"), ("B", second * 0.8, distance * 0.22, "ne")],
            )
        ),
        {"distance": distance, "first": first, "second": second},
        {},
        Words(
            "The graph shows the places of two cyclists $A$ and $B$ on a straight road. (1) How fast is "
            "$A$, in m/s? (2) After how many seconds do they meet?",
            "The slope is the velocity; where the lines cross both are at the same place.",
        ),
        Words(
            "如图为两名骑车人 $A$、$B$ 在平直公路上的位置随时间变化的图象。(1) $A$ 的速度为多少（单位："
            "m/s）？(2) 经过多少秒两人相遇？",
            "图线的斜率表示速度，两图线的交点表示相遇。",
        ),
        constants=("1", "2"),
    ).parts(
        Option(f"{num(Fraction(distance, first))} m/s", f"{num(Fraction(distance, first))} m/s"),
        Option(f"{num(meet)} s", f"{num(meet)} s"),
    )


def throw_upwards(speed: int = 20, turn: int = 2, end: int = 5) -> ExampleProblem:
    """The displacement from a v-t graph that crosses the time axis."""
    low = Fraction(-speed * (end - turn), turn)
    up, down = Fraction(speed * turn, 2), low * (end - turn) / 2
    return Draft(
        head("phys-throw-upwards", "mechanical-motion", 3, SENIOR, MOTION),
        draw(
            Plot(
                "motion-graph",
                (0, end * 1.15),
                (float(low) * 1.12, speed * 1.3),
                (r"t/\mathrm{s}", r"v/(\mathrm{m\cdot s^{-1}})"),
                ys=[speed, float(low)],
                lines=[[(0, speed), (end, float(low))]],
                levels=[(end, float(low))],
                drops=[(end, float(low))],
                tags=[(num(turn), turn, 0, "ne"), (num(end), end, 0, "n")],
                zero="O",
                zero_side="w",
            )
        ),
        {"speed": speed, "turn": turn, "end": end},
        {"t": q(end, "s")},
        Words(
            "A ball is thrown straight up from the edge of a cliff; the graph shows its velocity, "
            "upwards taken as positive, until it lands after @t. How far below its starting point does "
            "it land?",
            "Areas below the time axis count as negative; add both areas.",
        ),
        Words(
            "小球从悬崖边竖直向上抛出，取向上为正方向，直到 @t 末落地，其速度随时间变化的图象如图所示，则"
            "落地点"
            "在抛出点下方（　）",
            "时间轴下方的面积为负，位移等于两部分面积的代数和。",
        ),
    ).single(
        option(q(-(up + down), "m")),
        option(q(-down, "m"), "counts only the way down"),
        option(q(up - down, "m"), "gives the whole path"),
        option(q(up, "m"), "gives the greatest height"),
    )


def overtaking(bus: int = 12, meet: int = 6) -> ExampleProblem:
    """When an accelerating car overtakes a bus of steady speed."""
    return Draft(
        head("phys-overtaking", "mechanical-motion", 3, SENIOR, MOTION),
        draw(
            Plot(
                "motion-graph",
                (0, meet * 2.1),
                (0, bus * 2),
                (r"t/\mathrm{s}", r"v/(\mathrm{m\cdot s^{-1}})"),
                xs=[meet],
                ys=[bus],
                lines=[[(0, bus), (meet * 2, bus)], [(0, 0), (meet * 1.85, bus * 1.85)]],
                drops=[(meet, bus)],
                tags=[(r"\mathrm{P}", meet * 1.8, bus * 1.8, "nw"), (r"\mathrm{Q}", meet * 1.85, bus, "s")],
            )
        ),
        {"bus": bus, "meet": meet},
        {"v": q(bus, SPEED), "t": q(meet, "s")},
        Words(
            "At $t=0$ a bus Q passes a car P that starts in the same direction at this moment. The graph "
            "shows their velocities: ⟨v|the bus keeps @v⟩, and ⟨t|after @t both are equally fast⟩. When "
            "does P overtake Q?",
            "P overtakes when both areas under the graphs are equal, that is after twice the time of "
            "equal speed.",
            "At $t=0$ a bus Q passes a car P that starts in the same direction at this moment. The graph "
            "shows their velocities. When does P overtake Q?",
        ),
        Words(
            "$t=0$ 时公共汽车 Q 从正要同向起动的汽车 P 旁经过，两车的速度随时间变化的图象如图所示，⟨v|Q "
            "以 @v 匀"
            "速行驶⟩，⟨t|@t 时两车速度相等⟩，则 P 追上 Q 的时刻为（　）",
            "两图线与时间轴所围面积相等时追上，所需时间为速度相等时刻的两倍。",
            "$t=0$ 时公共汽车 Q 从正要同向起动的汽车 P 旁经过，两车的速度随时间变化的图象如图所示，则 P "
            "追上 Q "
            "的时刻为（　）",
        ),
        Split((UNIFORM_ACCELERATION,), {"v": Shown(), "t": Shown()}),
        constants=("0",),
    ).single(
        option(q(2 * meet, "s")),
        option(q(meet, "s"), "takes equal speeds for equal places"),
        option(
            q(round(meet * math.sqrt(2), 2), "s"),
            "drops the factor two and takes a root",
        ),
        option(q(3 * meet, "s"), "guesses on beyond the crossing"),
    )


PROBLEMS = (
    river_crossing,
    meeting_bikes,
    throw_upwards,
    overtaking,
)
