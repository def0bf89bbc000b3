"""The answers of physics a second way: from the parameters alone, by another method than the problem's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from benchwright.examples import physics_fields, physics_mechanics

P = Mapping[str, Any]

G = 10.0


def slope_speed(p: P) -> float:
    """By work and energy instead of forces: v follows from the height lost and the work against friction."""
    turn = {37: (0.6, 0.8), 53: (0.8, 0.6)}[p["angle"]]
    v = x = 0.0
    for _ in range(20_000):
        step = v * p["time"] / 20_000
        x += step
        gained = G * turn[0] - p["friction"] * G * turn[1]
        v += gained * p["time"] / 20_000
    assert v * v == pytest.approx(2 * gained * x, rel=1e-3)
    return v


def atwood(p: P) -> float:
    """By energy: all kinetic energy, the disc's included, after a fall of one metre."""
    heavy, light = max(p["left"], p["right"]), min(p["left"], p["right"])
    radius = np.linspace(0, 1, 100_001)
    inertia = float(np.trapezoid(p["pulley"] * 2 * radius**3, radius))
    speed_squared = 2 * (heavy - light) * G / (heavy + light + inertia)
    return speed_squared / 2


def throw(p: P) -> float:
    step, t, y = 1e-4, 0.0, p["height"]
    while y > 0:
        y -= (G * t + G * step / 2) * step
        t += step
    return p["speed"] * t


def displacement(p: P) -> float:
    t = np.linspace(0, p["t3"], 120_001)
    return float(np.trapezoid(np.interp(t, [0, p["t1"], p["t2"], p["t3"]], [0, p["top"], p["top"], 0]), t))


def pendulum(p: P) -> str:
    """Simulates each slip and compares the g that the student would find with the true one."""
    swings, total, length = p["swings"], p["total"], p["length"]

    def found(rod: float, period: float) -> float:
        return 4 * math.pi**2 * rod / period**2

    right = found(length, total / swings)
    tests = [
        found(length, total / (swings + 1)),
        found(length * 1.02, total / swings),
        found(length, total / swings * math.sqrt(1.02)),
        found(length, (total + 0.5) / swings),
    ]
    return "".join(label for label, g in zip("ABCD", tests, strict=True) if g > right)


def gas_end(p: P) -> float:
    at_b = p["t1"] * p["p2"] / p["p1"]
    return at_b * p["v2"] / p["v1"]


def main_current(p: P) -> float:
    """Nodal analysis: the potential of the node behind R1."""
    g1, g2, g3 = (1 / p[name] for name in ("r1", "r2", "r3"))
    node = p["voltage"] * g1 / (g1 + g2 + g3)
    return (p["voltage"] - node) * g1


def rheostat(p: P) -> str:
    """The meters for two places of the slider; a to P carries the current."""

    def read(active: float) -> tuple[float, float, float]:
        current = 6 / (10 + active)
        return current, current * 10, current * 6

    (i0, v0, w0), (i1, v1, w1) = read(8), read(12 if p["towards"] == "b" else 4)
    tests = [i1 < i0, v1 > v0, v1 / i1 == pytest.approx(v0 / i0), w1 < w0]
    return "".join(label for label, true in zip("ABCD", tests, strict=True) if true)


def half_circle(p: P) -> float:
    """Steps along the orbit (v turns at the rate qB/m) until the particle is back at the border; in cm."""
    speed, rate = p["speed"] * 1e6, p["specific"] * 1e7 * p["field"]
    n = 200_000
    dt = math.pi / rate / n
    way = np.sum(speed * np.exp(1j * rate * dt * (np.arange(n) + 0.5))) * dt
    assert abs(way.real) < 1e-6 * abs(way.imag) and way.imag > 0
    return float(way.imag) * 100


def rails(p: P) -> tuple[float, ...]:
    """The change of flux in a short time; the power of the pull equals the heat in the resistor."""
    dt = 1e-3
    emf = p["field"] * (p["length"] * p["speed"] * dt) / dt
    heat = emf**2 / p["resistance"]
    return emf, math.sqrt(heat / p["resistance"]), heat / p["speed"]


def lens(p: P) -> float:
    """Two rays from the tip: through the centre, and parallel to the axis and through the focus behind."""
    u, f, tip = float(p["distance"]), float(p["focal"]), 1.0
    x, y = np.linalg.solve([[tip / u, 1], [tip / f, 1]], [0, tip])
    assert y < 0
    return float(x)


def snell(p: P) -> float:
    return math.sin(math.radians(p["incidence"])) / math.sin(math.radians(p["refracted"]))


def mirror(p: P) -> tuple[float, ...]:
    turn = math.radians(p["angle"])
    incoming = np.array([math.cos(turn), -math.sin(turn)])
    out = incoming * [1, -1]
    return (
        math.degrees(math.acos(out @ [0, 1])),
        math.degrees(math.acos(float(np.clip(-incoming @ out, -1, 1)))),
    )


def photon(p: P) -> float:
    """From Rydberg's formula; agrees with the rounded levels of the figure to a hundredth of an eV."""
    return 13.6 * (1 / p["lower"] ** 2 - 1 / p["upper"] ** 2)


SECOND: dict[str, tuple[Any, ...]] = {
    "phys-rough-incline": (slope_speed, {"angle": 53, "friction": 0.5, "time": 2, "mass": 1}),
    "phys-atwood-machine": (
        atwood,
        {"left": 1, "right": 4, "pulley": 2},
        {"left": 5, "right": 3, "pulley": 4},
    ),
    "phys-lever": (
        lambda p: p["left_force"] * p["left_arm"] / p["right_arm"],
        {"left_force": 4, "left_arm": 3, "right_arm": 2},
    ),
    "phys-horizontal-throw": (throw, {"speed": 8, "height": 45}, {"speed": 12, "height": 80}),
    "phys-velocity-graph": (displacement, {"top": 10, "t1": 5, "t2": 12, "t3": 16}),
    "phys-spring-constant": (
        lambda p: p["force"] / (p["stretch"] / 100),
        {"force": 12, "stretch": 8, "top": 4},
    ),
    "phys-pendulum": (pendulum, {"length": 0.9, "swings": 50, "total": 95.3}),
    "phys-wave-frequency": (
        lambda p: 1 / (p["wavelength"] / p["speed"]),
        {"wavelength": 8, "amplitude": 3, "speed": 20},
    ),
    "phys-gas-states": (gas_end, {"p1": 2, "v1": 1, "p2": 3, "v2": 4, "t1": 300}),
    "phys-piston": (
        lambda p: p["p"] * p["length"] / (p["length"] - p["share"]) * 1e5,
        {"p": 1.0, "length": 20, "share": 4},
    ),
    "phys-series-parallel": (main_current, {"r1": 5, "r2": 4, "r3": 12, "voltage": 16}),
    "phys-rheostat": (rheostat, {"towards": "a"}),
    "phys-magnetic-half-circle": (half_circle, {"speed": 3.0, "field": 0.5, "specific": 4.0}),
    "phys-rod-on-rails": (rails, {"field": 0.8, "length": 0.5, "speed": 2.0, "resistance": 1.6}),
    "phys-lens-image": (lens, {"distance": 30, "focal": 20}, {"distance": 30, "focal": 12}),
    "phys-refraction": (snell, {"incidence": 60, "refracted": 30}, {"incidence": 60, "refracted": 45}),
    "phys-plane-mirror": (mirror, {"angle": 50}, {"angle": 20}),
    "phys-energy-levels": (photon, {"upper": 4, "lower": 2}, {"upper": 4, "lower": 3}),
}
"""Id -> (a second way, other parameters on which both ways must agree as well)."""


def test_every_problem_has_a_second_way_and_other_parameters(second_ways: Callable[..., None]) -> None:
    second_ways(SECOND, physics_fields, physics_mechanics)


def test_answer_recomputed(recompute: Callable[[], None]) -> None:
    recompute()
