"""Space, data and chance a second way: by coordinates, simulation of the rule, or plain counting."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from benchwright.examples import mathematics_chance, mathematics_data, mathematics_space

P = Mapping[str, Any]


def polygon_angle(p: P) -> float:
    """The two lines themselves, met by solving for their crossing."""
    n = p["sides"]
    a, b, c, d = (np.array([math.cos(2 * math.pi * i / n), math.sin(2 * math.pi * i / n)]) for i in range(4))
    s, _ = np.linalg.solve(np.column_stack([b - a, d - c]), d - a)
    at = a + s * (b - a)
    u, v = b - at, c - at
    return math.degrees(math.acos(float(u @ v) / float(np.linalg.norm(u) * np.linalg.norm(v))))


def bisector(p: P) -> float:
    """Coordinates: the ray halving the angle at B, cut with the line AD, at an angle of 70 degrees."""
    turn = math.radians(70)
    high = p["short"] * math.sin(turn)
    return p["long"] + p["short"] * math.cos(turn) - high / math.tan(turn / 2)


def incircle(p: P) -> float:
    """Half angles: r = (s - a) tan(A / 2)."""
    a, b, c = p["a"], p["b"], p["c"]
    angle = math.acos((b * b + c * c - a * a) / (2 * b * c))
    return ((a + b + c) / 2 - a) * math.tan(angle / 2)


def opposite_face(p: P) -> str:
    """Folds with rotated frames in space and looks for the opposite normal."""
    where = {(i, j): c for j, row in enumerate(p["cells"]) for i, c in enumerate(row) if c != "."}
    x, y, z = np.eye(3, dtype=int)
    start = next(iter(where))
    frames = {start: (x, y, z)}
    queue = [start]
    while queue:
        at = queue.pop()
        right, down, normal = frames[at]
        for step, frame in {
            (1, 0): (-normal, down, right),
            (-1, 0): (normal, down, -right),
            (0, 1): (right, -normal, down),
            (0, -1): (right, normal, -down),
        }.items():
            new = (at[0] + step[0], at[1] + step[1])
            if new in where and new not in frames:
                frames[new] = frame
                queue.append(new)
    normals = {where[at]: tuple(int(v) for v in frame[2]) for at, frame in frames.items()}
    assert len(set(normals.values())) == 6
    return next(c for c, n in normals.items() if n == tuple(-v for v in normals[p["asked"]]))


def pyramid(p: P) -> float:
    """Slices of the pyramid, summed."""
    height = math.sqrt(p["slant"] ** 2 - (p["base"] / 2) ** 2)
    z = np.linspace(0, height, 200_001)
    return float(np.trapezoid((p["base"] * (1 - z / height)) ** 2, z))


def ball(p: P) -> float:
    """The point of the axis that is as far from the side as from the base."""
    r, h = p["radius"], p["height"]
    low, high = 0.0, float(h)
    for _ in range(100):
        x = (low + high) / 2
        low, high = (x, high) if (h - x) * r / math.hypot(r, h) > x else (low, x)
    return x


def ant(p: P) -> float:
    """Tries where the ant crosses the edge between two faces, for each pair of faces."""
    best = math.inf
    for a, b, c in itertools.permutations((p["length"], p["width"], p["height"])):
        t = np.linspace(0, c, 20_001)
        best = min(best, float((np.hypot(a, t) + np.hypot(b, c - t)).min()))
    return best


def crossing(p: P) -> tuple[float, float]:
    x, y = np.linalg.solve([[-1, 1], [1 / (2 * p["above"]), 1 / p["above"]]], [p["left"], 1])
    return float(x), float(y)


def lattice_best(p: P) -> float:
    """All points of a fine lattice of the region."""
    steps = 60
    points = [
        (Fraction(i, 12), Fraction(j, 12))
        for i in range(steps * 3)
        for j in range(steps * 3)
        if Fraction(i + j, 12) <= p["total"] and Fraction(2 * i + j, 12) <= p["double"]
    ]
    return float(max(p["x_gain"] * x + p["y_gain"] * y for x, y in points))


def focal(p: P) -> float:
    """Measures the three sides at one point of the ellipse."""
    a, c = p["a"], p["c"]
    x, y = a * math.cos(1.1), math.sqrt(a * a - c * c) * math.sin(1.1)
    return math.hypot(x - c, y) + math.hypot(x + c, y) + 2 * c


def venn(p: P) -> tuple[float, float]:
    only_a, both, only_b, neither = (p[k] for k in ("only_a", "both", "only_b", "neither"))
    universe = set(range(only_a + both + only_b + neither))
    a = set(range(only_a + both))
    b = set(range(only_a, only_a + both + only_b))
    return float(len(a | b)), float(len(universe - b))


def line_signs(p: P) -> str:
    a, b = p["a"], p["b"]
    right_of = sorted([a, b, 0])
    tests = [
        abs(min(a, b)) > abs(max(a, b)) and min(a, b) < 0,
        right_of.index(0) == 1,
        0 - a < b - 0 if a < 0 else a < abs(b),
        right_of.index(b) > right_of.index(a),
    ]
    return "".join(label for label, true in zip("ABCD", tests, strict=True) if true)


def by_lengths(p: P) -> float:
    """|a| |b| cos of the angle between them."""
    a, b = complex(p["ax"], p["ay"]), complex(p["bx"], p["by"])
    return abs(a) * abs(b) * math.cos(np.angle(a) - np.angle(b))


def run_loop(p: P) -> float:
    s, i = 0, 1
    while i <= p["last"]:
        s, i = s + i**2, i + p["step"]
    return s


def magic(p: P) -> float:
    """Tries every whole number for x and completes the square."""
    for x in range(-50, 51):
        total = 3 * p["centre"]
        last = total - p["corner"] - p["side"]
        square = [
            [p["corner"], total - p["corner"] - x, x],
            [p["side"], p["centre"], total - p["side"] - p["centre"]],
            [last, 0, total - p["corner"] - p["centre"]],
        ]
        square[2][1] = total - square[0][1] - p["centre"]
        lines = [sum(r) for r in square] + [sum(c) for c in zip(*square, strict=True)]
        if {
            *lines,
            square[0][0] + square[1][1] + square[2][2],
            square[0][2] + square[1][1] + square[2][0],
        } == {total}:
            return x
    raise AssertionError


def median(p: P) -> float:
    """Spreads each class into many values and takes numpy's median."""
    values = [
        p["low"] + p["width"] * (i + (k + 0.5) / (count * 1000))
        for i, count in enumerate(p["counts"])
        for k in range(count * 1000)
    ]
    return float(np.median(values))


def predicted(p: P) -> float:
    xs = np.arange(1, len(p["heights"]) + 1)
    return float(np.polyval(np.polyfit(xs, p["heights"], 1), p["asked"]))


def bayes(p: P) -> float:
    """Counts a million parts."""
    first = round(1_000_000 * p["first"])
    faulty = round(first * p["faulty_first"]), round((1_000_000 - first) * p["faulty_second"])
    return faulty[0] / sum(faulty)


def colourings(p: P) -> float:
    k, n = p["colours"], p["ring"]
    return sum(
        all(c != inner for c in ring) and all(ring[i] != ring[i - 1] for i in range(n))
        for inner in range(k)
        for ring in itertools.product(range(k), repeat=n)
    )


def shortest(p: P) -> float:
    """Every path without repetition."""
    roads = mathematics_chance.ROADS
    far = {frozenset(r): n for r, n in zip(roads, p["lengths"], strict=True)}
    best = math.inf
    for size in range(5):
        for middle in itertools.permutations("BCDE", size):
            path = ("A", *middle, "F")
            steps = [far.get(frozenset(s), math.inf) for s in itertools.pairwise(path)]
            best = min(best, sum(steps))
    return best


def tilings(p: P) -> float:
    """Chooses how many pairs of lying dominoes there are."""
    n = p["columns"]
    return sum(math.comb(n - pairs, pairs) for pairs in range(n // 2 + 1))


def triangles(p: P) -> float:
    """Counts triples of lines that enclose a triangle: two through the apex, one across."""
    lines = ["apex"] * (p["cuts"] + 2) + ["across"] * (p["parallels"] + 1)
    return sum(sorted(t) == ["across", "apex", "apex"] for t in itertools.combinations(lines, 3))


def open_routes(p: P) -> float:
    ways = {(0, 0): 1}
    for x in range(p["columns"] + 1):
        for y in range(p["rows"] + 1):
            if (x, y) != (0, 0):
                ways[x, y] = (
                    0 if (x, y) == tuple(p["closed"]) else ways.get((x - 1, y), 0) + ways.get((x, y - 1), 0)
                )
    return ways[p["columns"], p["rows"]]


def chord(p: P) -> float:
    """Places the circle in coordinates and cuts it with the second line."""
    half, k = (p["pa"] + p["pb"]) / 2, 1.0
    mx = (p["pb"] - p["pa"]) / 2
    # The direction in which the circle lies at the distance PC from P, found by trying.
    for turn in np.linspace(0, math.pi, 400_001):
        d = mx * math.cos(turn) + k * math.sin(turn)
        reach = math.sqrt(d * d - mx * mx - k * k + half * half + k * k)
        if abs(reach - d - p["pc"]) < 2e-5:
            return reach + d
    raise AssertionError


SECOND: dict[str, tuple[Any, ...]] = {
    "math-crossing-chords": (lambda p: p["pa"] / p["pc"] * p["pb"], {"pa": 3, "pb": 8, "pc": 4}),
    "math-extended-polygon": (polygon_angle, {"sides": 10}, {"sides": 12}),
    "math-bisected-parallelogram": (bisector, {"short": 4, "long": 7}),
    "math-tangential-quadrilateral": (
        lambda p: p["ab"] - (p["bc"] - p["cd"]),
        {"ab": 6, "bc": 5, "cd": 8},
    ),
    "math-zigzag-angle": (
        lambda p: 360 - (180 - p["first"]) - (180 - p["second"]),
        {"first": 32, "second": 50},
    ),
    "math-incircle-radius": (incircle, {"a": 20, "b": 15, "c": 7}),
    "math-cube-net": (
        opposite_face,
        {"asked": "U"},
        {"cells": ("UV..", ".WX.", "..YZ"), "asked": "V"},
        {"asked": "V"},
    ),
    "math-pyramid-volume": (pyramid, {"base": 10, "slant": 13}),
    "math-ball-in-cone": (ball, {"radius": 5, "height": 12}),
    "math-ant-on-cuboid": (ant, {"length": 5, "width": 3, "height": 2}),
    "math-cut-sphere": (
        lambda p: math.pi * (p["radius"] - p["distance"]) * (p["radius"] + p["distance"]),
        {"radius": 5, "distance": 4},
    ),
    "math-two-lines": (crossing, {"left": 2, "above": 5}),
    "math-exponential": (
        lambda p: p["start"] * math.exp(math.log(p["later"] / p["start"]) / 2 * p["asked"]),
        {"start": 2, "later": 18, "asked": 3},
    ),
    "math-best-corner": (lattice_best, {"total": 7, "double": 10, "x_gain": 2, "y_gain": 3}),
    "math-hyperbola-rectangle": (lambda p: -p["area"] / 2 * 2.0, {"area": 8}),
    "math-focal-triangle": (focal, {"a": 10, "c": 6}),
    "math-venn-counts": (venn, {"only_a": 7, "both": 3, "only_b": 11, "neither": 6}),
    "math-number-line": (line_signs, {"a": -4, "b": 3}),
    "math-dot-product": (by_lengths, {"ax": 3, "ay": -1, "bx": 2, "by": 4}),
    "math-flow-chart": (run_loop, {"last": 10, "step": 3}),
    "math-magic-square": (magic, {"corner": 4, "side": 9, "centre": 5}),
    "math-pie-chart": (
        lambda p: sum(
            p["total"] * s / 100 * sign for s, sign in zip(p["shares"], (1, -1, 0, 0), strict=True)
        ),
        {"total": 200, "shares": (40, 20, 25, 15)},
    ),
    "math-grouped-median": (median, {"counts": (3, 9, 20, 6, 2)}),
    "math-regression": (predicted, {"heights": (1, 3, 2, 5, 4), "asked": 7}),
    "math-bayes-tree": (bayes, {"first": 0.7, "faulty_first": 0.03, "faulty_second": 0.08}),
    "math-map-colouring": (colourings, {"ring": 5, "colours": 4}, {"ring": 3, "colours": 5}),
    "math-shortest-road": (shortest, {"lengths": (3, 5, 1, 7, 2, 9, 1, 4, 6)}),
    "math-domino-tilings": (tilings, {"columns": 7}),
    "math-triangles-in-fan": (triangles, {"cuts": 2, "parallels": 3}),
    "math-closed-crossing": (open_routes, {"columns": 4, "rows": 3, "closed": (1, 2)}),
}
"""Id -> (a second way, other parameters on which both ways must agree as well)."""


def test_every_problem_has_a_second_way_and_other_parameters(second_ways: Callable[..., None]) -> None:
    second_ways(SECOND, mathematics_space, mathematics_data, mathematics_chance)


def test_answer_recomputed(recompute: Callable[[], None]) -> None:
    recompute()


def test_crossing_chords_in_coordinates() -> None:
    assert chord({"pa": 4, "pb": 9, "pc": 6}) == pytest.approx(6, abs=1e-3)
