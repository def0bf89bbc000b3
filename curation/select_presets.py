"""Shares of subjects and levels after the papers, by discipline and taxonomy id.

VisScience: subjects with the shares of its figure 3. Levels: the figure prints no numbers; the shares here keep the
order of its flow widths and are ours. SciVerse prints shares of disciplines only, so its subjects are wanted equally
often, its levels as equal as the pool allows, and every question needs a picture.
"""

from __future__ import annotations

VISSCIENCE_SUBJECTS: dict[str, dict[str, float]] = {
    "mathematics": {
        "algebraic-operations": 0.154,
        "combinatorial-mathematics": 0.063,
        "functions-and-equations": 0.120,
        "plane-geometry": 0.436,
        "probability-and-statistics": 0.118,
        "solid-geometry": 0.109,
    },
    "physics": {
        "comprehensive-experiments-and-methods": 0.065,
        "electromagnetism": 0.331,
        "mechanical-motion": 0.030,
        "mechanics": 0.394,
        "modern-physics": 0.021,
        "optics": 0.061,
        "thermodynamics": 0.051,
        "vibration-and-waves": 0.047,
    },
    "chemistry": {
        "chemical-equilibrium": 0.069,
        "chemical-experiment": 0.296,
        "chemical-reaction": 0.176,
        "electrochemistry": 0.080,
        "inorganic-chemistry": 0.129,
        "organic-chemistry": 0.127,
        "substance-composition": 0.123,
    },
}
VISSCIENCE_LEVELS: dict[str, dict[str, float]] = {
    "mathematics": {"1": 0.23, "2": 0.19, "3": 0.35, "4": 0.19, "5": 0.04},
    "physics": {"1": 0.13, "2": 0.32, "3": 0.27, "4": 0.21, "5": 0.07},
    "chemistry": {"1": 0.19, "2": 0.32, "3": 0.19, "4": 0.24, "5": 0.06},
}


def preset_shares(preset: str, discipline: str) -> tuple[dict[str, float], dict[str, float]]:
    """Shares of subjects and of levels that a preset wants in a discipline; empty where it says nothing."""
    if preset != "visscience":
        return {}, {}
    return VISSCIENCE_SUBJECTS.get(discipline, {}), VISSCIENCE_LEVELS.get(discipline, {})
