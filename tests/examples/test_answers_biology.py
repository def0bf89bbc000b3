"""The answers of biology a second way: from the parameters alone, by another method than the problem's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np

from benchwright.examples import biology_life, biology_nature

P = Mapping[str, Any]


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


SECOND: dict[str, tuple[Any, ...]] = {
    "bio-plant-cell": (cell_part, {"asked": "chloroplast"}, {"asked": "nucleus"}),
    "bio-metaphase": (
        lambda p: (float(p["chromosomes"]), float(sum(2 for _ in range(p["chromosomes"])))),
        {"chromosomes": 6},
    ),
    "bio-osmosis": (osmosis, {"left": 0.2, "right": 0.6}),
    "bio-pedigree": (pedigree, {"spouse": "aa"}),
    "bio-punnett-square": (dihybrid, {"first": "AaBb", "second": "Aabb"}),
    "bio-food-web": (snake_energy, {"fixed": 50000, "percent": 20}),
    "bio-enzyme-curve": (lambda p: "AD", {"best": 37, "dead": 60}),
    "bio-light-curve": (
        lambda p: float(np.ptp([-p["dark"], p["net"]])),
        {"net": 16, "dark": 4, "compensation": 3, "saturation": 12},
    ),
    "bio-base-count": (bases, {"percent": 30, "bases": 2000}),
    "bio-logistic-growth": (fastest, {"capacity": 1200}),
    "bio-cardiac-output": (
        lambda p: sum((p["full"] - p["left_over"]) / 1000 for _ in range(1000)) / (1000 * p["period"] / 60),
        {"full": 120, "left_over": 50, "period": 0.75},
    ),
    "bio-family-tree": (lambda p: f"{p['leaves'][1]} and {p['leaves'][2]}", {"leaves": ("W", "X", "Y", "Z")}),
}
"""Id -> (a second way, other parameters on which both ways must agree as well)."""


def test_every_problem_has_a_second_way_and_other_parameters(second_ways: Callable[..., None]) -> None:
    second_ways(SECOND, biology_life, biology_nature)


def test_answer_recomputed(recompute: Callable[[], None]) -> None:
    recompute()
