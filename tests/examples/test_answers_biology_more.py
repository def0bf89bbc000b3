"""More of biology a second way: from what the parts do, by simulation, by counting."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from benchwright.examples import biology_numbers, biology_parts, biology_populations

P = Mapping[str, Any]
ORDERS = {
    "bio-flower": ["anther", "stigma", "petal", "ovary", "sepal"],
    "bio-leaf-section": ["epidermis", "palisade layer", "spongy layer", "stoma", "vein"],
    "bio-reflex-arc": ["receptor", "sensory fibre", "centre", "motor fibre", "effector"],
    "bio-heart": ["right atrium", "left atrium", "right ventricle", "left ventricle"],
    "bio-microscope": ["eyepiece", "objective", "stage", "mirror", "focusing knob"],
    "bio-membrane": ["diffusion", "channel", "pump", "vesicle"],
}
"""The parts as the drawings number them, written down from the pictures."""


def numbered(name: str) -> Callable[[P], str]:
    return lambda p: f"part {ORDERS[name].index(p['asked']) + 1}"


def in_view(p: P) -> float:
    """The row has a length; the narrower field shows so much of it."""
    length = 2.0 / p["low"]
    return float(np.floor(2.0 / p["high"] / (length / p["cells"]) + 1e-9))


def through_key(p: P) -> str:
    rest = list(p["names"])
    for sign in p["answers"]:
        half = len(rest) // 2
        rest = rest[:half] if sign == "+" else rest[half:]
    return rest[0]


def by_age(p: P) -> str:
    """Sorts the rocks by who lies on or cuts whom."""
    low, middle, dyke, top = p["order"]
    older = {(low, middle), (middle, top), (low, dyke), (middle, dyke), (dyke, top)}
    for order in itertools.permutations(p["order"]):
        if all(order.index(a) < order.index(b) for a, b in older):
            return order[p["place"] - 1]
    raise AssertionError


def stretch(p: P) -> str:
    """Reads the slope of the curve in each stretch."""
    slopes = {1: 0, 2: 1, 3: 0, 4: -1}
    wanted = {"replication": 1, "division": -1, "growth": 0}[p["asked"]]
    return f"stretch {next(n for n, slope in slopes.items() if slope == wanted)}"


def mitosis(p: P) -> float:
    cells = [phase for phase, share in zip("IPMT", p["shares"], strict=True) for _ in range(share)]
    return p["cycle"] * sum(phase != "I" for phase in cells) / len(cells)


def enzyme(p: P) -> float:
    """Lineweaver-Burk: the line through the inverse values of two points of the curve."""
    s = np.array([p["half"], 3.0 * p["half"]])
    v = p["top"] * s / (p["half"] + s)
    slope, level = np.polyfit(1 / s, 1 / v, 1)
    return float(1 / (slope / p["asked"] + level))


def bead_by_bead(p: P) -> float:
    mass = p["mean"]
    for _ in range(p["acids"] - 1):
        mass += p["mean"] - 18
    return mass


def doubles(p: P) -> float:
    """A table of all gametes: crossed or not in either stretch."""
    table = np.outer([p["first"], 100 - p["first"]], [p["second"], 100 - p["second"]])
    return float(table[0, 0] * p["gametes"] / table.sum())


def translated(p: P) -> str:
    """Transcribes the stated template and reads it through one big table."""
    code = {"AUG": "Met", "UUU": "Phe", "GCU": "Ala", "GAA": "Glu", "CCA": "Pro"}
    pairs = str.maketrans("ACGU", "TGCA")
    template = "".join(p["order"]).translate(pairs)
    messenger = template.translate(str.maketrans("ACGT", "UGCA"))
    return "-".join(code[messenger[i : i + 3]] for i in range(0, len(messenger), 3))


def sampled(p: P) -> float:
    return float(np.mean(p["counts"]) * p["area"])


def follows(p: P) -> str:
    """Lets both populations run by Lotka and Volterra and sees whose peak comes later."""
    prey, hunter = 1.4, 0.8
    preys, hunters = [], []
    for _ in range(60_000):
        prey, hunter = prey + 0.0005 * prey * (1 - hunter), hunter + 0.0005 * hunter * (prey - 1)
        preys.append(prey)
        hunters.append(hunter)
    peak = next(i for i in range(1, 59_000) if preys[i - 1] < preys[i] > preys[i + 1])
    assert hunters[peak + 50] > hunters[peak], "the hunters still grow while their prey is at its most"
    valley = next(i for i in range(peak, 59_000) if hunters[i - 1] < hunters[i] > hunters[i + 1])
    assert preys[valley + 50] < preys[valley], "the prey falls while the hunters are at their most"
    return ("A" if p["prey"] == "P" else "B") + "CD"


def organ(p: P) -> str:
    best = {"root": 1e-10, "bud": 1e-8, "stem": 1e-4}
    return "PQR"[sorted(best.values()).index(best[p["asked"]])]


def sugar(p: P) -> str:
    return ("A" if p["ill"] == "P" else "B") + "CE"


def selection(p: P) -> str:
    """Selects a normal population for many rounds and looks at its mean and spread."""
    x = np.linspace(-4, 4, 4001)
    start = np.exp(-(x**2) / 2)
    fitness = {
        "directional": np.exp(x / 2),
        "stabilising": np.exp(-(x**2)),
        "disruptive": np.exp(x**2 / 3),
        "none": np.ones_like(x),
    }[p["kind"]]
    after = start * fitness
    mean = float((x * after).sum() / after.sum())
    spread = float((x**2 * after).sum() / after.sum() - mean**2)
    if abs(mean) > 0.1:
        return "directional selection"
    return (
        "stabilising selection"
        if spread < 0.9
        else "disruptive selection"
        if spread > 1.1
        else "no selection"
    )


def carriers(p: P) -> float:
    """Finds the frequency by trying and draws both genes of everybody."""
    q = next(k / 1000 for k in range(1001) if (k / 1000) ** 2 >= p["recessive"] / 100 - 1e-9)
    return 100 * sum(
        w
        for genes, w in {("A", "A"): (1 - q) ** 2, ("A", "a"): (1 - q) * q, ("a", "A"): q * (1 - q)}.items()
        if "a" in genes
    )


SECOND: dict[str, tuple[Any, ...]] = {
    "bio-flower": (numbered("bio-flower"), {"asked": "anther"}, {"asked": "sepal"}),
    "bio-leaf-section": (numbered("bio-leaf-section"), {"asked": "stoma"}),
    "bio-reflex-arc": (numbered("bio-reflex-arc"), {"asked": "sensory fibre"}),
    "bio-heart": (numbered("bio-heart"), {"asked": "right atrium"}, {"asked": "right ventricle"}),
    "bio-microscope": (numbered("bio-microscope"), {"asked": "stage"}),
    "bio-membrane": (numbered("bio-membrane"), {"asked": "channel"}),
    "bio-cells-in-view": (
        in_view,
        {"cells": 12, "low": 100, "high": 400},
        {"cells": 16, "low": 40, "high": 160},
    ),
    "bio-identification-key": (through_key, {"answers": "-+"}, {"answers": "--"}),
    "bio-rock-layers": (by_age, {"place": 1}, {"order": ("S", "R", "P", "Q"), "place": 4}),
    "bio-dna-per-cell": (stretch, {"asked": "division"}, {"asked": "growth"}),
    "bio-phase-duration": (mitosis, {"cycle": 24, "shares": (75, 12, 6, 7)}),
    "bio-michaelis": (enzyme, {"top": 80, "half": 5, "asked": 15}),
    "bio-peptide-mass": (bead_by_bead, {"acids": 6, "mean": 120}),
    "bio-karyogram": (
        lambda p: (
            float(sum(3 if i == p["extra"] else 2 for i in range(1, p["pairs"] + 1))),
            float(p["extra"]),
        ),
        {"pairs": 10, "extra": 7},
    ),
    "bio-double-crossing": (doubles, {"first": 15, "second": 20, "gametes": 2000}),
    "bio-codon-table": (translated, {"order": ("AUG", "UUU", "GCU")}),
    "bio-energy-pyramid": (
        lambda p: 100 / (p["energies"][p["level"] - 1] / p["energies"][p["level"]]),
        {"level": 2},
    ),
    "bio-plot-sampling": (sampled, {"counts": (5, 8, 4, 7), "area": 300}),
    "bio-predator-cycle": (follows, {"prey": "Q"}),
    "bio-growth-substance": (organ, {"asked": "root"}, {"asked": "bud"}),
    "bio-sugar-curves": (sugar, {"ill": "P"}),
    "bio-kind-of-selection": (selection, {"kind": "stabilising"}, {"kind": "disruptive"}),
    "bio-carriers": (carriers, {"recessive": 9}, {"recessive": 4}),
}
"""Id -> (a second way, other parameters on which both ways must agree as well)."""


def test_every_problem_has_a_second_way_and_other_parameters(second_ways: Callable[..., None]) -> None:
    second_ways(SECOND, biology_parts, biology_numbers, biology_populations)


def test_answer_recomputed(recompute: Callable[[], None]) -> None:
    recompute()


@pytest.mark.parametrize("asked", ["palisade layer", "spongy layer"])
def test_parts_have_the_numbers_of_the_picture(asked: str) -> None:
    problem = biology_parts.leaf_parts(asked)
    text = problem.texts["en"]
    right = next(c.text for c in text.choices if c.label == text.answer)
    assert right == f"part {ORDERS['bio-leaf-section'].index(asked) + 1}"
