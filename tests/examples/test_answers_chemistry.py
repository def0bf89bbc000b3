"""The answers of chemistry a second way: from the parameters alone, by another method than the problem's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import permutations, product
from typing import Any

from benchwright.examples import chemistry_matter, chemistry_reactions

P = Mapping[str, Any]

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


SECOND: dict[str, tuple[Any, ...]] = {
    "chem-galvanic-cell": (
        galvanic,
        {"left": "Fe"},
        {"left": "Cu", "right": "Zn"},
        {"left": "Cu", "right": "Ag"},
    ),
    "chem-electrolysis-mass": (copper, {"current": 1.0, "time": 3860}),
    "chem-gas-collection": (gas, {"collection": "inverted"}),
    "chem-titration": (
        lambda p: p["base"] * p["base_volume"] / 1000 / (p["sample"] / 1000),
        {"base": 0.2, "base_volume": 18.5, "sample": 25.0},
    ),
    "chem-energy-profile": (energies, {"reactants": 60, "peak": 250, "products": 130}),
    "chem-crystallisation": (
        lambda p: (p["hot_grams"] / 100 - p["cold_grams"] / 100) * 200,
        {"cold": 10, "cold_grams": 20, "hot": 80, "hot_grams": 150},
    ),
    "chem-monochlorides": (
        orbits,
        {"chain": 4, "branches": (2,)},
        {"chain": 5, "branches": (3,)},
        {"chain": 4, "branches": (2, 2)},
    ),
    "chem-equilibrium-constant": (equilibrium, {"start": 2.0, "end": 0.5, "time": 8}),
    "chem-shell-model": (particle, {"charge": 11, "shells": (2, 8)}, {"charge": 16, "shells": (2, 8, 8)}),
    "chem-periodic-trends": (trends, {"groups": ("VA", "VIA")}),
    "chem-unit-cell": (cell_formula, {"centre": ""}, {"corner": "A", "face": "O", "centre": "B"}),
    "chem-aluminium-hydroxide": (hydroxide, {"concentration": 2.0, "peak": 45}),
}
"""Id -> (a second way, other parameters on which both ways must agree as well)."""


def test_every_problem_has_a_second_way_and_other_parameters(second_ways: Callable[..., None]) -> None:
    second_ways(SECOND, chemistry_matter, chemistry_reactions)


def test_answer_recomputed(recompute: Callable[[], None]) -> None:
    recompute()
