"""What a blind guesser gets: in closed form for a row, with its exact spread for many.

SciVerse's table has one such row for all versions, 22.7 (section 3.1: an option drawn at random); here it follows from
the options of the very rows that are scored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import exp, lgamma, log, log1p

import numpy as np
from numpy.typing import NDArray

from benchwright.schemas.records import QuestionType


def chance_of(question_type: QuestionType, n_options: int) -> float:
    """Probability that a blind guesser is right, in closed form.

    One of k options: 1/k. Any non-empty subset of k options: 1/(2^k - 1). Free-form and multi-part: 0.
    """
    if n_options == 0:
        return 0.0
    if question_type is QuestionType.SINGLE_CHOICE:
        return 1.0 / n_options
    if question_type is QuestionType.MULTIPLE_SELECT:
        return 1.0 / float(2**n_options - 1)
    return 0.0


def chance_interval(chances: Sequence[float], coverage: float = 0.95) -> tuple[float, float]:
    """Central interval of a blind guesser's accuracy over these rows (exact Poisson-binomial distribution).

    Args:
        chances: one probability per row.
        coverage: share of runs that fall inside, at least.

    Returns:
        Lowest and highest accuracy, in 0..1; (0, 0) without rows.
    """
    if not chances:
        return 0.0, 0.0
    distribution = hits_distribution(chances)
    cumulative = np.cumsum(distribution)
    tail = (1 - coverage) / 2
    low = int(np.searchsorted(cumulative, tail, side="right"))
    high = int(np.searchsorted(cumulative, 1 - tail, side="left"))
    return low / len(chances), min(high, len(distribution) - 1) / len(chances)


def hits_distribution(chances: Sequence[float]) -> NDArray[np.float64]:
    """Probabilities of 0, 1, 2, ... hits of a guesser with these chances; shorter where some chances are 0."""
    distribution: NDArray[np.float64] = np.ones(1)
    for chance, count in sorted(Counter(chances).items()):
        if chance > 0:
            distribution = np.asarray(np.convolve(distribution, _binomial(count, chance)), dtype=np.float64)
    return distribution


def at_least(hits: int, chances: Sequence[float]) -> float:
    """Probability that a guesser with these chances has at least so many hits."""
    return float(min(1.0, hits_distribution(chances)[hits:].sum()))


def _binomial(n: int, p: float) -> NDArray[np.float64]:
    """Probabilities of 0..n successes; in logarithms, so that a thousand trials do not underflow.

    Written out because scipy's statistics cost two seconds and 60 MB to import.
    """
    if p >= 1.0:
        return np.asarray([0.0] * n + [1.0])
    steps = range(n + 1)
    logs = [
        lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p) for k in steps
    ]
    return np.asarray([exp(value) for value in logs])
