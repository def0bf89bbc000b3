"""The answers of mathematics a second way: from the parameters alone, by another method than the problem's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest

from benchwright.examples import mathematics_figures, mathematics_functions

P = Mapping[str, Any]


def distance_to_line(p: complex, a: complex, b: complex) -> float:
    return abs(((b - a).conjugate() * (p - a)).imag) / abs(b - a)


def shoelace(points: list[tuple[float, float]]) -> float:
    pairs = zip(points, [*points[1:], points[0]], strict=True)
    return abs(sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in pairs)) / 2


def altitude(p: P) -> float:
    return distance_to_line(0j, complex(p["a"], 0), complex(0, p["b"]))


def third_side(p: P) -> float:
    turn = math.radians(p["angle"])
    return abs(p["c"] - p["b"] * complex(math.cos(turn), math.sin(turn)))


def inscribed(p: P) -> float:
    a, b, c = (np.exp(1j * math.radians(t)) for t in (0.0, p["central"], p["central"] + 100.0))
    return abs(math.degrees(np.angle((a - c) / (b - c))))


def parallel_side(p: P) -> float:
    """Coordinates: A at the origin, B on the x axis; C from E by the same stretching that takes D to B."""
    d, b = complex(p["ad"]), complex(p["ad"] + p["db"])
    e = d + p["de"] * np.exp(1j * 1.9)
    line = np.array([[e.real, -np.cos(1.9)], [e.imag, -np.sin(1.9)]])
    stretch, side = np.linalg.solve(line, [b.real, b.imag])
    assert stretch > 1
    return float(side)


def tangent(p: P) -> float:
    """The point of the circle whose radius is at right angles to the way from P, by bisection."""
    r, d = p["radius"], p["distance"]
    low, high = 0.0, math.pi / 2
    for _ in range(80):
        turn = (low + high) / 2
        point = r * complex(math.cos(turn), math.sin(turn))
        if (point.conjugate() * (d - point)).real > 0:
            low = turn
        else:
            high = turn
    return abs(d - point)


def trapezoid(p: P) -> float:
    inset = (p["bottom"] - p["top"]) / 2
    height = next(h for h in np.linspace(0, p["leg"], 200_001) if math.hypot(inset, h) >= p["leg"])
    return shoelace([(0, 0), (p["bottom"], 0), (p["bottom"] - inset, height), (inset, height)])


def cone_side(p: P) -> float:
    """Many narrow triangles from the apex to the rim."""
    n = 20_000
    rim = np.exp(2j * np.pi * np.arange(n + 1) / n) * p["radius"]
    middle = np.abs(rim[1:] + rim[:-1]) / 2
    return float(np.sum(np.abs(np.diff(rim)) * np.hypot(middle, p["height"]) / 2))


def unit_squares(p: P) -> float:
    cells = product(range(p["outer"]), repeat=2)
    return sum(not (x >= p["outer"] - p["inner"] and y < p["inner"]) for x, y in cells)


def matches(p: P) -> float:
    laid = set()
    for i in range(p["asked"]):
        laid |= {("h", i, 0), ("h", i, 1), ("v", i, 0), ("v", i + 1, 0)}
    return len(laid)


def wait_for_two(p: P) -> float:
    """Adds the chances that the game still goes on, spin by spin, until nothing is left."""
    hit = len(p["shaded"]) / p["sectors"]
    fresh, after_hit, spins = 1.0, 0.0, 0.0
    while fresh + after_hit > 1e-12:
        spins += fresh + after_hit
        fresh, after_hit = (fresh + after_hit) * (1 - hit), fresh * hit
    return spins


def routes(p: P) -> float:
    ways = [1] * (p["columns"] + 1)
    for _ in range(p["rows"]):
        for i in range(1, len(ways)):
            ways[i] += ways[i - 1]
    return ways[-1]


def parabola_text(p: P) -> str:
    """The quadratic through three points, as written."""
    points = [(p["root1"], 0), (p["root2"], 0), (0, p["at_zero"])]
    a, b, c = (round(v) for v in np.linalg.solve([[x * x, x, 1] for x, _ in points], [y for _, y in points]))
    text = {1: "y=x^2", -1: "y=-x^2"}[a]
    if b:
        text += f"{'+' if b > 0 else '-'}{'' if abs(b) == 1 else abs(b)}x"
    return f"${text}{c:+d}$"


def walk(p: P) -> str:
    xs, ys = [0, p["out"], p["rest"], p["back"]], [0, p["distance"], p["distance"], 0]
    there, home = np.diff(np.interp([p["out"] - 1, p["out"], p["back"] - 1, p["back"]], xs, ys))[[0, 2]]
    stay = p["rest"] - p["out"]
    assert there == pytest.approx(p["distance"] / p["out"]) and -home == pytest.approx(
        p["distance"] / (p["back"] - p["rest"])
    )
    return "A" + ("B" if stay == p["rest"] else "") + "CE"


def sine(p: P) -> str:
    return rf"$f(x)={p['amplitude']}\sin {p['omega']}x$"


def from_derivative(p: P) -> str:
    """Integrates the derivative and looks at the function itself."""
    a, b, c = p["roots"]
    x = np.linspace(a - 1, c + 1, 4001)
    f = np.cumsum((x - a) * (x - b) * (x - c))

    def minimum(at: float) -> bool:
        i = int(np.argmin(np.abs(x - at)))
        return bool(f[i - 60] > f[i] < f[i + 60])

    inner = np.diff(f[(x > a) & (x < b)])
    later = np.diff(f[(x > b) & (x < c)])
    tests = [bool((inner > 0).all()), minimum(b), minimum(c), bool(later[0] < 0 < later[-1])]
    return "".join(label for label, true in zip("ABCD", tests, strict=True) if true)


def mean_mark(p: P) -> float:
    lowest = p["best"] - len(p["counts"]) + 1
    return float(np.mean([lowest + i for i, n in enumerate(p["counts"]) for _ in range(n)]))


def boy_given_glasses(p: P) -> float:
    people = [("boy", True)] * p["boys_with"] + [("boy", False)] * p["boys_without"]
    people += [("girl", True)] * p["girls_with"] + [("girl", False)] * p["girls_without"]
    wearing = [who for who, glasses in people if glasses]
    return wearing.count("boy") / len(wearing)


SECOND: dict[str, tuple[Any, ...]] = {
    "math-altitude-to-hypotenuse": (altitude, {"a": 5, "b": 12}, {"a": 15, "b": 20}),
    "math-law-of-cosines": (third_side, {"b": 3, "c": 5, "angle": 120}, {"b": 7, "c": 4, "angle": 60}),
    "math-inscribed-angle": (inscribed, {"central": 96}, {"central": 124}),
    "math-similar-triangles": (parallel_side, {"ad": 3, "db": 2, "de": 6}),
    "math-tangent-length": (tangent, {"radius": 3, "distance": 5}, {"radius": 8, "distance": 17}),
    "math-trapezoid-area": (trapezoid, {"top": 4, "bottom": 10, "leg": 5}),
    "math-cone-surface": (cone_side, {"radius": 5, "height": 12}),
    "math-cuboid-diagonal": (
        lambda p: float(np.linalg.norm([p["length"], p["width"], p["height"]])),
        {"length": 6, "width": 2, "height": 3},
    ),
    "math-difference-of-squares": (unit_squares, {"outer": 10, "inner": 4}),
    "math-match-pattern": (matches, {"asked": 31}),
    "math-spinner": (wait_for_two, {"sectors": 6, "shaded": (1, 4)}, {"sectors": 5, "shaded": (0,)}),
    "math-lattice-paths": (routes, {"columns": 5, "rows": 2}, {"columns": 3, "rows": 3}),
    "math-parabola-equation": (
        parabola_text,
        {"root1": -4, "root2": 2, "at_zero": 8},
        {"root1": -3, "root2": 2, "at_zero": -6},
    ),
    "math-distance-time": (walk, {"out": 15, "rest": 25, "back": 35, "distance": 600}),
    "math-sine-parameters": (sine, {"amplitude": 3, "omega": 4}, {"amplitude": 5, "omega": 3}),
    "math-derivative-graph": (from_derivative, {"roots": (-3, 0, 2)}, {"roots": (-1, 2, 3)}),
    "math-bar-chart-mean": (mean_mark, {"counts": (1, 3, 6, 7, 3)}),
    "math-two-way-table": (boy_given_glasses, {"boys_with": 9, "girls_with": 6, "boys_without": 21}),
}
"""Id -> (a second way, other parameters on which both ways must agree as well)."""


def test_every_problem_has_a_second_way_and_other_parameters(second_ways: Callable[..., None]) -> None:
    second_ways(SECOND, mathematics_figures, mathematics_functions)


def test_answer_recomputed(recompute: Callable[[], None]) -> None:
    recompute()
