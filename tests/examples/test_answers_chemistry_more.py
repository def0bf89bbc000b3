"""More of chemistry a second way: atom by atom, ion by ion, mole by mole."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from benchwright.examples import (
    chemistry_cells,
    chemistry_changes,
    chemistry_equilibria,
    chemistry_structures,
)

P = Mapping[str, Any]


def ring_hydrogens(p: P) -> str:
    """Four bonds at each carbon: what the skeleton leaves free is hydrogen."""
    n = p["size"]
    bonds = dict.fromkeys(range(n), 2)
    for i in p["doubles"]:
        bonds[i] += 1
        bonds[(i + 1) % n] += 1
    hydrogens = 0
    for i in p["methyls"]:
        bonds[i] += 1
        hydrogens += 3
    hydrogens += sum(4 - b for b in bonds.values())
    return rf"$\mathrm{{C_{{{n + len(p['methyls'])}}}H_{{{hydrogens}}}}}$"


def hydrogen_moles(p: P) -> float:
    """Hydrogen atoms of the saturated chain less those of the drawn one, two to a molecule."""
    carbons = p["carbons"]
    bonds = [1 if i in {0, carbons - 1} else 2 for i in range(carbons)]
    for d in p["doubles"]:
        bonds[d - 1] += 1
        bonds[d] += 1
    drawn = sum(4 - b for b in bonds)
    return float(p["moles"] * (2 * carbons + 2 - drawn) / 2)


def signals(p: P) -> str:
    """Counts the hydrogen atoms of each kind from the condensed formulas."""
    kinds = {
        r"$\mathrm{CH_3CH_2OH}$": (3, 2, 1),
        r"$\mathrm{CH_3OH}$": (3, 1),
        r"$\mathrm{CH_3OCH_3}$": (6,),
        r"$\mathrm{(CH_3)_2CHOH}$": (6, 1, 1),
    }
    wanted = list(kinds.values())[p["place"]]
    return next(name for name, areas in kinds.items() if sorted(areas) == sorted(wanted))


def carbons(p: P) -> float:
    return next(float(n) for n in range(1, 40) if 12 * n + 2 * n + 2 == p["mass"])


def pairs(p: P) -> tuple[float, float]:
    """Electrons of the whole molecule, less those in bonds and the outer atoms' own."""
    outer_own = {"H": 0, "Cl": 6, "F": 6}[p["outer"]]
    valence = {"H": 1, "Cl": 7, "F": 7, "N": 5, "O": 6, "C": 4, "P": 5, "S": 6}
    total = valence[p["centre"]] + p["bonds"] * valence[p["outer"]]
    return float(p["bonds"]), (total - 2 * p["bonds"] - p["bonds"] * outer_own) / 2


def metal(p: P) -> float:
    """Atoms of a block of ten cells a side, with the lattice points counted one by one."""
    n = 10
    basis = [(0.0, 0.0, 0.0)]
    basis += (
        [(0.5, 0.5, 0.0), (0.5, 0.0, 0.5), (0.0, 0.5, 0.5)] if p["lattice"] == "face" else [(0.5, 0.5, 0.5)]
    )
    points = {
        (i + x, j + y, k + z) for i in range(n) for j in range(n) for k in range(n) for x, y, z in basis
    }
    grams = len(points) * p["mass"] / 6.02e23
    return float(grams / (n * p["edge"] * 1e-8) ** 3)


def acid(p: P) -> float:
    """A cubic centimetre at a time."""
    grams = p["density"] * p["percent"] / 100
    return float(grams / p["molar"] / 1e-3)


def mean_mass(p: P) -> float:
    return float(np.mean([p["light"]] * p["share"] + [p["heavy"]] * (100 - p["share"])))


def atomic_number(p: P) -> float:
    """Walks through the table cell by cell."""
    z = 0
    for period, groups in enumerate(
        ([1, 18], [1, 2, *range(13, 19)], [1, 2, *range(13, 19)], [*range(1, 19)]), 1
    ):
        for group in groups:
            z += 1
            if (period, group) == (p["period"], p["group"]):
                return float(z)
    raise AssertionError


def products(p: P) -> tuple[float, float]:
    x, y, made = p["first"], p["second"], 0
    while x >= 1 and y >= 3:
        x, y, made = x - 1, y - 3, made + 2
    return float(made), float(x + y)


def bar_of(p: P) -> str:
    """Hydrogen of each metal, most first; the letters as drawn (P iron, Q aluminium, R zinc, S magnesium)."""
    per_gram = {"Mg": 1 / 24, "Al": 1.5 / 27, "Fe": 1 / 56, "Zn": 1 / 65}
    rank = sorted(per_gram, key=lambda m: per_gram[m], reverse=True)
    return {0: "Q", 1: "S", 2: "P", 3: "R"}[rank.index(p["asked"])]


def hydroxides(p: P) -> str:
    """Leads gas into amounts of both bases in small steps and looks for the ratio with this flat part."""
    for tenth in range(1, 200):
        base = tenth / 4
        precipitate, carbonate, free, limit = 0.0, 0.0, base, float(p["rise"])
        flat_until = 0.0
        for step in range(4000):
            gas = step * 0.0125
            if precipitate < limit - 1e-9:
                precipitate += 0.0125
            elif free > 1e-9:
                free, carbonate, flat_until = free - 0.025, carbonate + 0.0125, gas
            elif carbonate > 1e-9:
                carbonate, flat_until = carbonate - 0.0125, gas
            else:
                break
        if abs(flat_until + 0.0125 - p["flat"]) < 0.02:
            numerator, denominator = (base / limit).as_integer_ratio()
            return f"${numerator}:{denominator}$"
    raise AssertionError


def map_statements(p: P) -> str:
    states = {"S": (-2, 0, 4, 6, 6), "N": (-3, 0, 4, 5, 5)}[p["element"]]
    a, b, c, d, e = states
    # The group number bounds the states: group - 8 and group.
    group = {"S": 6, "N": 5}[p["element"]]
    tests = [a == group - 8, c < b, d > c, d == e, e < group]
    return "".join(label for label, true in zip("ABCDE", tests, strict=True) if true)


def fuel(p: P) -> str:
    """From the half reactions: charges of what stands on the right side of each."""
    halves = {
        "alkaline": ({"H2": -1, "OH-": -2, "H2O": 2, "e-": 2}, {"O2": -1, "H2O": -2, "e-": -4, "OH-": 4}),
        "acidic": ({"H2": -1, "H+": 2, "e-": 2}, {"O2": -1, "H+": -4, "e-": -4, "H2O": 2}),
    }[p["medium"]]
    left, right = halves
    overall = {k: 2 * left.get(k, 0) + right.get(k, 0) for k in left | right}
    made = {k for k, n in overall.items() if n > 0}
    tests = [left["e-"] > 0, right["e-"] > 0, right.get("OH-", 0) > 0, left.get("H+", 0) > 0, made == {"H2O"}]
    return "".join(label for label, true in zip("ABCDE", tests, strict=True) if true)


def rust(p: P) -> str:
    speed = {"dry": 0 * 1, "oil": 1 * 0, "wet": 1 * 1, "salt": 1 * 1 * 3}
    return f"tube {1 + max(range(4), key=lambda i: speed[p['order'][i]])}"


def brine(p: P) -> str:
    n = p["electrons"]
    made = {"Cl2": 0, "H2": 0, "Na+": 0, "OH-": 0}
    for _ in range(n * 1000):
        made["Cl2"] += 1
        made["H2"] += 1
        made["Na+"] += 2
        made["OH-"] += 2
    moles = {k: v / 2000 for k, v in made.items()}
    tests = [moles["Cl2"] == n / 2, moles["H2"] == n, moles["Na+"] == n, min(moles["Na+"], moles["OH-"]) == n]
    return "".join(label for label, true in zip("ABCD", tests, strict=True) if true)


def part(p: P) -> str:
    order = ["boiling", "vapour", "outlet", "inlet", "product"]
    return f"at {order.index(p['asked']) + 1}"


def weak_acid(p: P) -> tuple[float, float]:
    """Solves the charge balance of the half-titrated solution by halving."""
    concentration = p["base"] * p["equivalence"] / p["sample"]
    v = p["equivalence"] / 2
    total, sodium = concentration * p["sample"] / (p["sample"] + v), p["base"] * v / (p["sample"] + v)
    constant = 10 ** -p["pka"]
    low, high = 1e-14, 1.0
    for _ in range(200):
        h = math.sqrt(low * high)
        balance = sodium + h - 1e-14 / h - total * constant / (constant + h)
        low, high = (h, high) if balance < 0 else (low, h)
    return concentration, round(-math.log10(h), 2)


def species(p: P) -> str:
    """From the law of mass action with round numbers of hydrogen ions."""
    constant, hydrogen = 10.0 ** -p["crossing"], 10.0 ** -p["asked"]
    ratio = constant / hydrogen
    return f"${round(ratio)}:1$" if ratio >= 1 else f"$1:{round(1 / ratio)}$"


def yields(p: P) -> str:
    """A van 't Hoff constant for either sign of the heat, and the equilibrium at both pressures."""
    sign = -1 if p["heat"] == "exothermic" else 1

    def converted(pressure: float, temperature: float) -> float:
        k = math.exp(-sign * 6 * (1 / temperature - 1))
        low, high = 0.0, 1.0
        for _ in range(80):
            x = (low + high) / 2
            gas = 3 - 2 * x
            q = (x / gas) / (((1 - x) / gas) * ((2 - 2 * x) / gas) ** 2) / pressure**2
            low, high = (x, high) if q < k else (low, x)
        return x

    tests = [
        converted(1, 1.2) < converted(1, 1.0),
        converted(1, 1.2) > converted(1, 1.0),
        converted(3, 1) > converted(1, 1),
        True,
        False,
    ]
    return "".join(label for label, true in zip("ABCDE", tests, strict=True) if true)


SECOND: dict[str, tuple[Any, ...]] = {
    "chem-ring-formula": (
        ring_hydrogens,
        {"size": 5, "methyls": (0,), "doubles": (2,)},
        {"size": 6, "methyls": (0, 3), "doubles": (1, 4)},
    ),
    "chem-hydrogen-uptake": (hydrogen_moles, {"carbons": 7, "doubles": (2, 5), "moles": 0.2}),
    "chem-proton-signals": (signals, {"place": 1}, {"place": 3}),
    "chem-molecular-peak": (carbons, {"mass": 100}),
    "chem-electron-dots": (
        pairs,
        {"centre": "O", "outer": "H", "bonds": 2},
        {"centre": "N", "outer": "Cl", "bonds": 3},
    ),
    "chem-metal-density": (
        metal,
        {"edge": 4.05, "mass": 27},
        {"edge": 2.87, "mass": 56, "lattice": "centre"},
    ),
    "chem-bottle-label": (acid, {"percent": 98.0, "density": 1.84, "molar": 98.0}),
    "chem-isotopes": (mean_mass, {"light": 63, "heavy": 65, "share": 70}),
    "chem-place-in-table": (
        atomic_number,
        {"group": 14, "period": 2},
        {"group": 2, "period": 4},
        {"group": 17, "period": 3},
    ),
    "chem-mean-rate": (
        lambda p: float(-np.polyfit([0, p["time"]], [p["start"], p["end"]], 1)[0]),
        {"start": 2.0, "end": 1.2, "time": 4},
    ),
    "chem-hess-levels": (
        lambda p: float(np.subtract(p["whole"], p["second"])),
        {"whole": -572, "second": -196},
    ),
    "chem-limiting-particles": (products, {"first": 2, "second": 7}, {"first": 4, "second": 5}),
    "chem-gas-curve": (lambda p: p["mass"] * 1000 * 24 / p["volume"], {"mass": 0.28, "volume": 120}),
    "chem-metals-and-acid": (bar_of, {"asked": "Fe"}, {"asked": "Zn", "mass": 2.5}),
    "chem-carbon-dioxide-curve": (hydroxides, {"rise": 2, "flat": 7}),
    "chem-state-map": (map_statements, {"element": "N"}),
    "chem-fuel-cell": (fuel, {"medium": "acidic"}),
    "chem-rusting-nail": (rust, {"order": ("salt", "wet", "dry", "oil")}),
    "chem-brine-cell": (brine, {"electrons": 4}),
    "chem-distillation": (part, {"asked": "vapour"}, {"asked": "product"}),
    "chem-retention": (lambda p: p["spot"] * 10 / (p["front"] * 10), {"front": 10.0, "spot": 3.2}),
    "chem-weak-acid-curve": (weak_acid, {"sample": 25, "base": 0.2, "equivalence": 20, "pka": 4.2}),
    "chem-species-curves": (species, {"crossing": 6, "asked": 5}, {"crossing": 4, "asked": 7}),
    "chem-yield-curves": (yields, {"heat": "endothermic"}),
    "chem-saturated-solution": (
        lambda p: math.exp(math.log(p["first"]) + math.log(p["second"]) - math.log(p["asked"])),
        {"first": 3, "second": 6, "asked": 9},
    ),
}
"""Id -> (a second way, other parameters on which both ways must agree as well)."""


def test_every_problem_has_a_second_way_and_other_parameters(second_ways: Callable[..., None]) -> None:
    second_ways(SECOND, chemistry_structures, chemistry_changes, chemistry_cells, chemistry_equilibria)


def test_answer_recomputed(recompute: Callable[[], None]) -> None:
    recompute()
