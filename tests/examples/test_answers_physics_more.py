"""More of physics a second way: by simulation, by tracing rays, by plain sums over small steps."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from benchwright.examples import (
    physics_electricity,
    physics_forces,
    physics_heat,
    physics_light,
    physics_measuring,
    physics_motion,
)

P = Mapping[str, Any]


def lamp(p: P) -> float:
    """Both equations of equilibrium at once, with the sine and cosine as stated."""
    sine, cosine = {53: (0.8, 0.6), 37: (0.6, 0.8)}[p["angle"]]
    tension, _ = np.linalg.solve([[sine, 0.0], [cosine, -1.0]], [p["weight"], 0.0])
    return float(tension)


def cube(p: P) -> float:
    """Searches the density at which weight and buoyancy cancel."""
    low, high = 0.0, float(p["liquid"])
    for _ in range(80):
        middle = (low + high) / 2
        sinks = middle * p["side"] ** 3 > p["liquid"] * p["side"] ** 2 * p["depth"]
        low, high = (low, middle) if sinks else (middle, high)
    return low


def carts(p: P) -> float:
    """The speed of the common centre of mass."""
    before = np.array([0.0, 1.0])
    after = before + np.array([p["speed"], 0.0])
    weights = np.array([p["left"], p["right"]]) / (p["left"] + p["right"])
    return float(weights @ after - weights @ before)


def loop(p: P) -> float:
    """Raises the start until the track still pushes at the top."""
    g, r = 10.0, p["radius"]
    for h in np.arange(2 * r, 4 * r, r / 20_000):
        if 2 * g * (h - 2 * r) / r >= g:
            return float(h)
    raise AssertionError


def satellites(p: P) -> float:
    """Periods from circular speeds: T = 2 pi r / v, v^2 = GM / r."""

    def period(r: float) -> float:
        return 2 * math.pi * r / math.sqrt(1 / r)

    return period(p["ratio"]) / period(1.0)


def boat(p: P) -> float:
    x = y = 0.0
    step = p["width"] / p["boat"] / 10_000
    while y < p["width"] - 1e-9:
        x, y = x + p["current"] * step, y + p["boat"] * step
    return x


def bikes(p: P) -> tuple[float, float]:
    t = np.linspace(0, p["second"], 1_200_001)
    gap = np.interp(t, [0, p["first"]], [0, p["distance"]]) - np.interp(
        t, [0, p["second"]], [p["distance"], 0]
    )
    first = float(t[np.argmin(np.abs(gap))])
    return float(np.diff(np.interp([3, 4], [0, p["first"]], [0, p["distance"]]))[0]), round(first, 3)


def fall(p: P) -> float:
    t = np.linspace(0, p["end"], 100_001)
    return -float(np.trapezoid(p["speed"] * (1 - t / p["turn"]), t))


def overtakes(p: P) -> float:
    car = bus = t = 0.0
    step = p["meet"] / 50_000
    while car <= bus:
        car += (p["bus"] / p["meet"]) * (t + step / 2) * step
        bus += p["bus"] * step
        t += step
    return round(t, 3)


def cycle(p: P) -> float:
    """The sum of p dV around the corners, in joules."""
    corners = [(p["v1"], p["p1"]), (p["v1"], p["p2"]), (p["v2"], p["p2"]), (p["v2"], p["p1"])]
    work = sum(
        (a[1] + b[1]) / 2 * 1e5 * (b[0] - a[0]) * 1e-3 for a, b in itertools.pairwise([*corners, corners[0]])
    )
    return float(work)


def tube(p: P) -> float:
    """Pressures in pascals; the length at which the gas balances again, by halving."""
    mercury = 13_595 * 9.80665 / 100
    amount = (p["outside"] + p["column"]) * mercury * p["gas"]
    low, high = 0.0, 10.0 * p["gas"]
    for _ in range(100):
        length = (low + high) / 2
        low, high = (
            (length, high)
            if amount / length + p["column"] * mercury > p["outside"] * mercury
            else (low, length)
        )
    return low


def phases(p: P) -> str:
    crossed = ["s", "g"] if p["level"] == "below" else ["s", "l", "g"]
    return {2: "It changes straight into gas.", 3: "It melts first and boils later."}[len(crossed)]


def zero_field(p: P) -> float:
    x = np.linspace(0.01, p["distance"] - 0.01, 2_000_001)
    return round(float(x[np.argmin(np.abs(p["ratio"] / x**2 - 1 / (p["distance"] - x) ** 2))]), 3)


def beam(p: P) -> float:
    """Follows one electron through the plates with the true constants."""
    charge, mass = 1.602e-19, 9.109e-31
    speed = math.sqrt(2 * charge * p["first"] / mass)
    pull = charge * p["second"] / (mass * p["gap"] / 100)
    n = 20_000
    step = p["length"] / 100 / speed / n
    v = y = 0.0
    for _ in range(n):
        y += (v + pull * step / 2) * step
        v += pull * step
    return y * 100


def transformed(p: P) -> tuple[float, float]:
    per_turn = p["volts"] / p["first"]
    out = per_turn * p["second"]
    return out, (out * out / p["ohms"]) / p["volts"]


def voltage(p: P) -> tuple[float, float]:
    t = np.arange(100_000) / 100_000 * p["period"]
    u = p["effective"] * math.sqrt(2) * np.sin(2 * np.pi * t / p["period"])
    return float(np.sqrt(np.mean(u**2))), float(1 / p["period"])


def unknown(p: P) -> float:
    """Nodal analysis of the bridge for many unknowns: the one without current wins."""
    left = p["r2"] / (p["r1"] + p["r2"])
    x = np.linspace(0.1, 500, 4_999_001)
    return round(float(x[np.argmin(np.abs(x / (p["r3"] + x) - left))]), 2)


def electrons(p: P) -> float:
    """The line through both intercepts, evaluated."""
    slope, level = np.polyfit([0, p["threshold"]], [-p["work"], 0], 1)
    return float(slope * p["light"] + level)


def remains(p: P) -> float:
    """Decay in small steps with the constant ln 2 / T."""
    return p["start"] * math.exp(-math.log(2) / p["half"] * p["half"] * p["periods"])


def decays(p: P) -> tuple[float, float]:
    """Takes alpha particles off until the mass fits, then betas until the charge fits."""
    z, a, alphas, betas = p["z1"], p["a1"], 0, 0
    while a > p["a2"]:
        z, a, alphas = z - 2, a - 4, alphas + 1
    while z < p["z2"]:
        z, betas = z + 1, betas + 1
    assert (z, a) == (p["z2"], p["a2"])
    return float(alphas), float(betas)


def fringes(p: P) -> float:
    """Path differences at the first bright fringe, without the small-angle formula."""
    d, screen, x = p["slits"] * 1e-3, p["screen"], p["fringes"] * 1e-3
    return (math.hypot(screen, x + d / 2) - math.hypot(screen, x - d / 2)) * 1e9


def half_disc(p: P) -> float:
    """The least index for which no refracted ray is left at this angle."""
    for n in np.arange(1.0, 3.0, 1e-4):
        if n * math.sin(math.radians(p["angle"])) >= 1:
            return float(n)
    raise AssertionError


def prism(p: P) -> float:
    """Traces the ray through the prism for many indices: the symmetric one is least deviated."""
    apex, i = math.radians(p["apex"]), math.radians(p["incidence"])
    best, found = math.inf, 0.0
    for n in np.arange(1.2, 1.9, 1e-4):
        inside = math.asin(math.sin(i) / n)
        s = n * math.sin(apex - inside)
        if abs(s) < 1 and abs(math.asin(s) - i) < best:
            best, found = abs(math.asin(s) - i), float(n)
    return found


def on_string(p: P) -> float:
    """The time a pulse needs to run to and fro is so many periods as there are loops."""
    return 2 * p["length"] / (p["loops"] / p["frequency"])


def swinging(p: P) -> tuple[float, float]:
    t = (np.arange(100_001) / 10_000 - 0.25) * p["period"]
    x = p["amplitude"] * np.sin(2 * np.pi * t / p["period"])
    crossings = int(np.sum((x[:-1] < 0) & (x[1:] >= 0)))
    return float(round(x.max(), 6)), crossings / (10 * p["period"])


def pendulum(p: P) -> float:
    low, high = 0.001, 50.0
    for _ in range(80):
        length = (low + high) / 2
        low, high = (
            (length, high) if 1 / (2 * math.sqrt(10) * math.sqrt(length / 10)) > p["peak"] else (low, length)
        )
    return low


def sources(p: P) -> str:
    """Adds the two vibrations over a period."""
    t = np.linspace(0, 1, 1000)
    both = np.sin(2 * np.pi * (t - p["first"] / p["wavelength"])) + np.sin(
        2 * np.pi * (t - p["second"] / p["wavelength"])
    )
    state = "strengthened" if both.max() > 1.9 else "weakened"
    return f"{state}: {abs(p['second'] - p['first']) / p['wavelength']:g} wavelengths"


def calliper(p: P) -> float:
    """Slides the vernier until its mark meets one of the main scale."""
    for tenths in range(p["whole"] * 10, p["whole"] * 10 + 10):
        if (tenths + 9 * p["tenth"]) % 10 == 0:
            return tenths / 10
    raise AssertionError


def tape(p: P) -> float:
    """A least-squares parabola through the points of the tape."""
    x = np.concatenate([[0], np.cumsum([p["first"] + p["growth"] * i for i in range(4)])]) / 100
    return float(2 * np.polyfit(np.arange(5) * p["interval"], x, 2)[0])


def inner(p: P) -> float:
    slope, _ = np.polyfit([0, p["current"]], [p["force"], p["low"]], 1)
    return -float(slope)


SECOND: dict[str, tuple[Any, ...]] = {
    "phys-hanging-lamp": (lamp, {"weight": 24, "angle": 37}),
    "phys-floating-cube": (cube, {"side": 8, "depth": 6, "liquid": 1.2}),
    "phys-sticking-carts": (carts, {"left": 1, "right": 4, "speed": 10}),
    "phys-loop": (loop, {"radius": 0.8}),
    "phys-satellites": (satellites, {"ratio": 9}),
    "phys-river-crossing": (boat, {"width": 100, "boat": 5, "current": 2}),
    "phys-meeting-bikes": (bikes, {"distance": 900, "first": 90, "second": 180}),
    "phys-throw-upwards": (fall, {"speed": 30, "turn": 3, "end": 8}),
    "phys-overtaking": (overtakes, {"bus": 15, "meet": 5}),
    "phys-gas-cycle": (cycle, {"p1": 2, "p2": 5, "v1": 1, "v2": 4}),
    "phys-melting-curve": (
        lambda p: p["power"] * len(range(p["start"], p["end"])) * 0.06 / p["mass"],
        {"power": 100, "mass": 0.5, "start": 5, "end": 20},
    ),
    "phys-mercury-tube": (tube, {"column": 25, "gas": 10, "outside": 75}),
    "phys-phase-diagram": (phases, {"level": "above"}),
    "phys-zero-field": (zero_field, {"ratio": 9, "distance": 40}),
    "phys-beam-deflection": (beam, {"first": 2000, "second": 100, "length": 8, "gap": 2}),
    "phys-transformer": (transformed, {"first": 500, "second": 1000, "volts": 12, "ohms": 48}),
    "phys-alternating-voltage": (voltage, {"effective": 12, "period": 0.04}),
    "phys-bridge": (unknown, {"r1": 20, "r2": 15, "r3": 60}),
    "phys-photoelectric-line": (electrons, {"work": 3, "threshold": 6, "light": 10}),
    "phys-half-life": (remains, {"half": 5, "start": 64, "periods": 4}),
    "phys-decay-chain": (decays, {"z1": 90, "a1": 232, "z2": 82, "a2": 208}),
    "phys-double-slit": (fringes, {"slits": 0.2, "screen": 1.5, "fringes": 3.6}),
    "phys-critical-angle": (half_disc, {"angle": 40}),
    "phys-symmetric-prism": (prism, {"incidence": 50}),
    "phys-standing-wave": (on_string, {"loops": 3, "length": 0.9, "frequency": 100}),
    "phys-oscillation-graph": (swinging, {"amplitude": 8, "period": 0.5}),
    "phys-resonance-curve": (pendulum, {"peak": 0.25}),
    "phys-two-sources": (sources, {"first": 3.0, "second": 4.25, "wavelength": 0.5}),
    "phys-vernier": (calliper, {"whole": 37, "tenth": 8}),
    "phys-dial": (lambda p: p["pointer"] / 10 * (p["top"] / 3), {"top": 3, "pointer": 17}),
    "phys-stone-density": (
        lambda p: 1000 * p["mass"] / 1000 / (p["after"] - p["before"]),
        {"before": 20, "after": 36, "mass": 40},
    ),
    "phys-ticker-tape": (tape, {"first": 1.5, "growth": 1.2, "interval": 0.1}),
    "phys-source-line": (inner, {"force": 3.0, "low": 2.0, "current": 0.4}),
}
"""Id -> (a second way, other parameters on which both ways must agree as well)."""


def test_every_problem_has_a_second_way_and_other_parameters(second_ways: Callable[..., None]) -> None:
    second_ways(
        SECOND,
        physics_forces,
        physics_motion,
        physics_heat,
        physics_electricity,
        physics_light,
        physics_measuring,
    )


def test_answer_recomputed(recompute: Callable[[], None]) -> None:
    recompute()
