"""Every answer a second way: from the parameters alone, by another method than the one that wrote the problem."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from benchwright.examples.canvas import Drawing
from benchwright.examples.problem import ExampleProblem
from benchwright.examples.registry import all_problems, makers
from benchwright.schemas.records import QuestionType

P = Mapping[str, Any]
Expected = float | str | tuple[float, ...]
G = 10.0


@dataclass(frozen=True)
class Second:
    """A second way to an answer, and other parameters on which both ways must agree as well.

    `solve` gives a number (the right option's, to the digits printed), a text that the right English option must
    equal, a set of labels as text for multiple-select, or the numbers of a multi-part answer.
    """

    solve: Callable[[P], Expected]
    others: tuple[dict[str, Any], ...] = field(default_factory=tuple)


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


def spins(p: P) -> float:
    runs = list(product(range(p["sectors"]), repeat=p["spins"]))
    return sum(any(s in p["shaded"] for s in run) for run in runs) / len(runs)


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
    """Two equations, unknown acceleration and tension."""
    heavy, light = max(p["left"], p["right"]), min(p["left"], p["right"])
    a, _ = np.linalg.solve([[heavy, 1], [light, -1]], [heavy * G, -light * G])
    return float(a)


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


POTENTIAL = {"Zn": -0.76, "Fe": -0.44, "Sn": -0.14, "Cu": 0.34, "Ag": 0.80}
"""Standard electrode potentials in volts."""


def galvanic(p: P) -> str:
    return "ABDE" if POTENTIAL[p["left"]] < POTENTIAL[p["right"]] else "CE"


def copper(p: P) -> float:
    return p["current"] * p["time"] / (6.022e23 * 1.602e-19) / 2 * 64


def gas(p: P) -> str:
    """Solids heated, and the way of catching fits: hardly soluble over water, lighter than air in an inverted tube."""
    gases = {
        r"$\mathrm{O_2}$ from potassium permanganate": (True, 32, False),
        r"$\mathrm{NH_3}$ from ammonium chloride and slaked lime": (True, 17, True),
        r"$\mathrm{CO_2}$ from marble and hydrochloric acid": (False, 44, False),
        r"$\mathrm{H_2}$ from zinc and dilute sulfuric acid": (False, 2, False),
    }
    fits = [
        name
        for name, (heated, mass, soluble) in gases.items()
        if heated and (not soluble if p["collection"] == "water" else mass < 29)
    ]
    assert len(fits) == 1
    return fits[0]


def energies(p: P) -> str:
    change = p["products"] - p["reactants"]
    return rf"$\Delta H={change:+d}$, $E_a={p['peak'] - p['reactants']}$"


def orbits(p: P) -> float:
    """Brute force over all permutations of the carbon atoms that keep the bonds."""
    chain, branches = p["chain"], p["branches"]
    bonds = {frozenset((i, i + 1)) for i in range(chain - 1)}
    bonds |= {frozenset((b - 1, chain + i)) for i, b in enumerate(branches)}
    n = chain + len(branches)
    classes = list(range(n))
    for turn in permutations(range(n)):
        if {frozenset(turn[a] for a in bond) for bond in bonds} == bonds:
            for a in range(n):
                low, high = sorted((classes[a], classes[turn[a]]))
                classes = [low if c == high else c for c in classes]
    open_atoms = [a for a in range(n) if sum(a in bond for bond in bonds) < 4]
    return len({classes[a] for a in open_atoms})


def equilibrium(p: P) -> float:
    reacted = p["start"] - p["end"]
    return (2 * reacted) ** 2 / (p["start"] - reacted)


ELEMENTS = [
    "H",
    "He",
    "Li",
    "Be",
    "B",
    "C",
    "N",
    "O",
    "F",
    "Ne",
    "Na",
    "Mg",
    "Al",
    "Si",
    "P",
    "S",
    "Cl",
    "Ar",
    "K",
    "Ca",
]


def particle(p: P) -> str:
    excess = sum(p["shells"]) - p["charge"]
    size = "" if abs(excess) == 1 else str(abs(excess))
    return rf"$\mathrm{{{ELEMENTS[p['charge'] - 1]}^{{{size}{'-' if excess > 0 else '+'}}}}}$"


def trends(p: P) -> str:
    """Measured data of the elements: covalent radius, anion radius (pm), bond energy to H (kJ/mol), pKa of the acid."""
    data = {
        "N": (71, 146, 391, -1.4), "O": (66, 140, 463, None), "F": (57, 133, 568, None),
        "P": (107, 212, 322, 2.1), "S": (105, 184, 363, -3.0), "Cl": (102, 181, 431, -10.0),
    }  # fmt: skip
    square = {("VIA", "VIIA"): "O F S Cl", ("VA", "VIA"): "N O P S"}[p["groups"]]
    w, x, y, z = (data[e] for e in square.split())
    assert y[3] is not None and z[3] is not None
    tests = [y[0] > z[0] > x[0], y[2] > w[2], z[3] < y[3], z[1] > y[1]]
    return "".join(label for label, true in zip("ABCD", tests, strict=True) if true)


def cell_formula(p: P) -> str:
    """Counts the particles whose places lie in the half-open cube [0, 1)^3: one of each set that cells share."""
    places = {
        "corner": list(product((0, 1), repeat=3)),
        "face": [q for q in product((0, 0.5, 1), repeat=3) if q.count(0.5) == 2],
        "centre": [(0.5, 0.5, 0.5)],
    }
    parts = []
    for site in ("corner", "face", "centre"):
        if p[site]:
            count = sum(all(c < 1 for c in q) for q in places[site])
            parts.append(p[site] + (f"_{{{count}}}" if count > 1 else ""))
    return rf"$\mathrm{{{''.join(parts)}}}$"


def hydroxide(p: P) -> float:
    """Adds the base in small steps; Al(OH)3 forms from 3 OH- and dissolves with one more."""
    aluminium, solid, best = p["concentration"] * p["peak"] / 3000, 0.0, 0.0
    step = p["concentration"] * p["peak"] / 1000 / 9999
    for _ in range(14_000):
        if aluminium > 0:
            made = min(aluminium, step / 3)
            aluminium, solid = aluminium - made, solid + made
        else:
            solid = max(0.0, solid - step)
        best = max(best, solid)
    return best * 78


def cell_part(p: P) -> str:
    return f"part {next(i for i, name in enumerate(p['order'], 1) if name == p['asked'])}"


def osmosis(p: P) -> str:
    """Lets water move in steps with the difference of the concentrations until the levels have moved."""
    left_volume = right_volume = 1.0
    for _ in range(1000):
        flow = 1e-4 * (p["left"] / left_volume - p["right"] / right_volume)
        left_volume, right_volume = left_volume + flow, right_volume - flow
    up, down = ("left", "right") if left_volume > right_volume else ("right", "left")
    return f"The {up} level rises, the {down} one falls."


def pedigree(p: P) -> float:
    """Enumerates the family: parents Aa, the son is healthy, then the grandchild."""
    total = affected = 0
    for one, two in product("Aa", repeat=2):
        if one + two == "aa":
            continue
        for from_son, from_wife in product(one + two, p["spouse"]):
            total += 1
            affected += from_son + from_wife == "aa"
    return affected / total


def dihybrid(p: P) -> float:
    """Each pair of alleles on its own, then multiplied."""
    share = 1.0
    for i in (0, 2):
        pairs = [a + b for a in p["first"][i : i + 2] for b in p["second"][i : i + 2]]
        share *= sum(any(c.isupper() for c in pair) for pair in pairs) / len(pairs)
    return share


def snake_energy(p: P) -> float:
    """The best of all chains of the web."""
    eaten_by = {"P": "QR", "Q": "S", "R": "T", "S": "T", "T": ""}

    def best(at: str, energy: float) -> float:
        return energy if at == "T" else max(best(n, energy * p["percent"] / 100) for n in eaten_by[at])

    return best("P", p["fixed"])


def bases(p: P) -> float:
    half = p["bases"] // 2
    total_a = p["bases"] * p["percent"] // 100
    first = "A" * (total_a // 2) + "T" * (total_a - total_a // 2)
    first += "G" * (half - len(first))
    other = first.translate(str.maketrans("ATGC", "TACG"))
    assert (first + other).count("A") == total_a
    return (first + other).count("G")


def fastest(p: P) -> float:
    n = np.linspace(0, p["capacity"], 100_001)
    return float(n[np.argmax(n * (1 - n / p["capacity"]))])


SECOND: dict[str, Second] = {
    "math-altitude-to-hypotenuse": Second(altitude, ({"a": 5, "b": 12}, {"a": 15, "b": 20})),
    "math-law-of-cosines": Second(third_side, ({"b": 3, "c": 5, "angle": 120}, {"b": 7, "c": 4, "angle": 60})),
    "math-inscribed-angle": Second(inscribed, ({"central": 96}, {"central": 124})),
    "math-similar-triangles": Second(parallel_side, ({"ad": 3, "db": 2, "de": 6},)),
    "math-tangent-length": Second(tangent, ({"radius": 3, "distance": 5}, {"radius": 8, "distance": 17})),
    "math-trapezoid-area": Second(trapezoid, ({"top": 4, "bottom": 10, "leg": 5},)),
    "math-cone-surface": Second(cone_side, ({"radius": 5, "height": 12},)),
    "math-cuboid-diagonal": Second(
        lambda p: float(np.linalg.norm([p["length"], p["width"], p["height"]])),
        ({"length": 6, "width": 2, "height": 3},),
    ),
    "math-difference-of-squares": Second(unit_squares, ({"outer": 10, "inner": 4},)),
    "math-match-pattern": Second(matches, ({"asked": 31},)),
    "math-spinner": Second(spins, ({"sectors": 6, "shaded": (1, 4)}, {"sectors": 5, "shaded": (0,)})),
    "math-lattice-paths": Second(routes, ({"columns": 5, "rows": 2}, {"columns": 3, "rows": 3})),
    "math-parabola-equation": Second(
        parabola_text,
        ({"root1": -4, "root2": 2, "at_zero": 8}, {"root1": -3, "root2": 2, "at_zero": -6}),
    ),
    "math-distance-time": Second(walk, ({"out": 15, "rest": 25, "back": 35, "distance": 600},)),
    "math-sine-parameters": Second(sine, ({"amplitude": 3, "omega": 4}, {"amplitude": 5, "omega": 3})),
    "math-derivative-graph": Second(from_derivative, ({"roots": (-3, 0, 2)}, {"roots": (-1, 2, 3)})),
    "math-bar-chart-mean": Second(mean_mark, ({"counts": (1, 3, 6, 7, 3)},)),
    "math-two-way-table": Second(boy_given_glasses, ({"boys_with": 9, "girls_with": 6, "boys_without": 21},)),
    "phys-rough-incline": Second(slope_speed, ({"angle": 53, "friction": 0.5, "time": 2, "mass": 1},)),
    "phys-atwood-machine": Second(atwood, ({"left": 1, "right": 4}, {"left": 5, "right": 3})),
    "phys-lever": Second(
        lambda p: p["left_force"] * p["left_arm"] / p["right_arm"],
        ({"left_force": 4, "left_arm": 3, "right_arm": 2},),
    ),
    "phys-horizontal-throw": Second(throw, ({"speed": 8, "height": 45}, {"speed": 12, "height": 80})),
    "phys-velocity-graph": Second(displacement, ({"top": 10, "t1": 5, "t2": 12, "t3": 16},)),
    "phys-spring-constant": Second(
        lambda p: p["force"] / (p["stretch"] / 100), ({"force": 12, "stretch": 8, "top": 4},)
    ),
    "phys-pendulum": Second(pendulum, ({"length": 0.9, "swings": 50, "total": 95.3},)),
    "phys-wave-frequency": Second(
        lambda p: 1 / (p["wavelength"] / p["speed"]), ({"wavelength": 8, "amplitude": 3, "speed": 20},)
    ),
    "phys-gas-states": Second(gas_end, ({"p1": 2, "v1": 1, "p2": 3, "v2": 4, "t1": 300},)),
    "phys-piston": Second(
        lambda p: p["p"] * p["length"] / (p["length"] - p["share"]) * 1e5, ({"p": 1.0, "length": 20, "share": 4},)
    ),
    "phys-series-parallel": Second(main_current, ({"r1": 5, "r2": 4, "r3": 12, "voltage": 16},)),
    "phys-rheostat": Second(rheostat, ({"towards": "a"},)),
    "phys-magnetic-half-circle": Second(half_circle, ({"speed": 3.0, "field": 0.5, "specific": 4.0},)),
    "phys-rod-on-rails": Second(
        rails, ({"field": 0.8, "length": 0.5, "speed": 2.0, "resistance": 1.6},)
    ),
    "phys-lens-image": Second(lens, ({"distance": 30, "focal": 20}, {"distance": 30, "focal": 12})),
    "phys-refraction": Second(snell, ({"incidence": 60, "refracted": 30}, {"incidence": 60, "refracted": 45})),
    "phys-plane-mirror": Second(mirror, ({"angle": 50}, {"angle": 20})),
    "phys-energy-levels": Second(photon, ({"upper": 4, "lower": 2}, {"upper": 4, "lower": 3})),
    "chem-galvanic-cell": Second(
        galvanic, ({"left": "Fe"}, {"left": "Cu", "right": "Zn"}, {"left": "Cu", "right": "Ag"})
    ),
    "chem-electrolysis-mass": Second(copper, ({"current": 1.0, "time": 3860},)),
    "chem-gas-collection": Second(gas, ({"collection": "inverted"},)),
    "chem-titration": Second(
        lambda p: p["base"] * p["base_volume"] / 1000 / (p["sample"] / 1000),
        ({"base": 0.2, "base_volume": 18.5, "sample": 25.0},),
    ),
    "chem-energy-profile": Second(energies, ({"reactants": 60, "peak": 250, "products": 130},)),
    "chem-crystallisation": Second(
        lambda p: (p["hot_grams"] / 100 - p["cold_grams"] / 100) * 200,
        ({"cold": 10, "cold_grams": 20, "hot": 80, "hot_grams": 150},),
    ),
    "chem-monochlorides": Second(
        orbits, ({"chain": 4, "branches": (2,)}, {"chain": 5, "branches": (3,)}, {"chain": 4, "branches": (2, 2)})
    ),
    "chem-equilibrium-constant": Second(equilibrium, ({"start": 2.0, "end": 0.5, "time": 8},)),
    "chem-shell-model": Second(
        particle, ({"charge": 11, "shells": (2, 8)}, {"charge": 16, "shells": (2, 8, 8)})
    ),
    "chem-periodic-trends": Second(trends, ({"groups": ("VA", "VIA")},)),
    "chem-unit-cell": Second(cell_formula, ({"centre": ""}, {"corner": "A", "face": "O", "centre": "B"})),
    "chem-aluminium-hydroxide": Second(hydroxide, ({"concentration": 2.0, "peak": 45},)),
    "bio-plant-cell": Second(cell_part, ({"asked": "chloroplast"}, {"asked": "nucleus"})),
    "bio-metaphase": Second(
        lambda p: (float(p["chromosomes"]), float(sum(2 for _ in range(p["chromosomes"])))), ({"chromosomes": 6},)
    ),
    "bio-osmosis": Second(osmosis, ({"left": 0.2, "right": 0.6},)),
    "bio-pedigree": Second(pedigree),
    "bio-punnett-square": Second(dihybrid, ({"first": "AaBb", "second": "Aabb"},)),
    "bio-food-web": Second(snake_energy, ({"fixed": 50000, "percent": 20},)),
    "bio-enzyme-curve": Second(lambda p: "AD", ({"best": 37, "dead": 60},)),
    "bio-light-curve": Second(
        lambda p: float(np.ptp([-p["dark"], p["net"]])),
        ({"net": 16, "dark": 4, "compensation": 3, "saturation": 12},),
    ),
    "bio-base-count": Second(bases, ({"percent": 30, "bases": 2000},)),
    "bio-logistic-growth": Second(fastest, ({"capacity": 1200},)),
    "bio-cardiac-output": Second(
        lambda p: sum((p["full"] - p["left_over"]) / 1000 for _ in range(1000)) / (1000 * p["period"] / 60),
        ({"full": 120, "left_over": 50, "period": 0.75},),
    ),
    "bio-family-tree": Second(lambda p: f"{p['leaves'][1]} and {p['leaves'][2]}", ({"leaves": ("W", "X", "Y", "Z")},)),
}  # fmt: skip


def cases() -> list[Any]:
    found = []
    for maker, problem in zip(makers(), all_problems(), strict=True):
        for number, parameters in enumerate(({}, *SECOND[problem.id].others)):
            found.append(pytest.param(maker, parameters, id=f"{problem.id}-{number}"))
    return found


def test_every_problem_has_a_second_way_and_other_parameters() -> None:
    assert set(SECOND) == {problem.id for problem in all_problems()}
    assert [name for name, second in SECOND.items() if not second.others] == ["bio-pedigree"]


@pytest.mark.parametrize(("maker", "parameters"), cases())
def test_answer_recomputed(
    maker: Callable[..., ExampleProblem], parameters: dict[str, Any], clean: Callable[[Drawing], None]
) -> None:
    """With the default and with other parameters: the answer is right and the diagram clean."""
    problem = maker(**parameters)
    clean(problem.drawing)
    assert parameters.items() <= dict(problem.parameters).items()
    expected = SECOND[problem.id].solve(problem.parameters)
    for language in ("en", "zh"):
        compare(problem, language, expected)


def compare(problem: ExampleProblem, language: str, expected: Expected) -> None:
    text = problem.texts[language]
    if problem.question_type is QuestionType.MULTIPLE_SELECT:
        assert text.answer == expected
    elif problem.question_type is QuestionType.MULTI_PART:
        assert isinstance(expected, tuple)
        assert part_numbers(text.answer) == pytest.approx(expected, rel=1e-6)
    elif problem.question_type is QuestionType.FREE_FORM:
        assert float(text.answer) == pytest.approx(expected, rel=1e-4)
    elif isinstance(expected, str):
        if language == "en":
            assert right_option(problem, language) == expected
    else:
        number, tolerance = number_of(right_option(problem, language))
        assert number == pytest.approx(expected, abs=tolerance + 1e-4 * abs(number))


def right_option(problem: ExampleProblem, language: str) -> str:
    text = problem.texts[language]
    return next(c.text for c in text.choices if c.label == text.answer and c.text is not None)


def part_numbers(answer: str) -> list[float]:
    parts = re.split(r"[;；]?\s*\(\d\)\s*", answer)[1:]
    return [float(found.group()) for part in parts if (found := re.match(r"-?[\d.]+", part))]


def number_of(tex: str) -> tuple[float, float]:
    """The number that an option states, and half a unit of its last printed decimal (0 for whole numbers)."""
    body = re.sub(r"\\ ?\\mathrm\{.*\}|\^\\circ|[$]|个|种|尾", "", tex).strip()
    decimals = re.findall(r"\d+\.(\d+)", body)
    body = re.sub(r"\\frac\{([^{}]*(?:\{[^{}]*\})?)\}\{(\d+)\}", r"((\1)/\2)", body)
    body = re.sub(r"(?<=\d)\\sqrt", r"*\\sqrt", body)
    body = re.sub(r"\\sqrt\{(\d+)\}", r"(\1**0.5)", body)
    body = re.sub(r"(?<=\d)\\pi", f"*{math.pi}", body)
    body = re.sub(r"\\times 10\^(\d+)", r"*10**\1", body)
    scale = 1e5 if "10**5" in body else 1.0
    tolerance = 0.51 * 10 ** -len(decimals[0]) * scale if decimals else 0.0
    return evaluate(ast.parse(body, mode="eval").body), tolerance


def evaluate(node: ast.expr) -> float:
    operations = {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: operator.truediv,
    }
    if isinstance(node, ast.Constant):
        return float(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.UnaryOp):
        return -evaluate(node.operand)
    assert isinstance(node, ast.BinOp)
    left, right = evaluate(node.left), evaluate(node.right)
    return left**right if isinstance(node.op, ast.Pow) else operations[type(node.op)](left, right)
