"""The smallest difference between two models that a table cell can show: paired comparison of the same problems.

Both models answer the same n problems; only those count that one answers right and the other wrong (McNemar). Their
share is the discordance. The difference found with a given power follows from the normal approximation for paired
proportions (Connor 1987), which needs about 50 problems to be good; below, the exact test asks for a little more.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

DISCORDANCES = (0.15, 0.30)
"""Shares of problems of which exactly one of two models is right: rather alike, rather different."""
POWER, LEVEL = 0.8, 0.05


def smallest_difference(
    n: int, discordant: float, power: float = POWER, level: float = LEVEL
) -> float | None:
    """Smallest true difference in accuracy, 0..1, that is found with the given power.

    Args:
        n: problems that both models answer.
        discordant: share of them that exactly one answers right.
        power: chance to find it.
        level: two-sided error of the test.

    Returns:
        None where it would have to be larger than the discordance, which no difference can be.
    """
    found = formula_difference(n, discordant, power, level) if n else math.inf
    return found if found <= discordant else None


def formula_difference(n: int, discordant: float, power: float = POWER, level: float = LEVEL) -> float:
    """What the formula gives, even where no such difference can be (it may not exceed the discordance)."""
    alpha, beta = NormalDist().inv_cdf(1 - level / 2), NormalDist().inv_cdf(power)

    def lacking(difference: float) -> float:
        spread = beta * math.sqrt(max(0.0, discordant - difference**2))
        return difference * math.sqrt(n) - alpha * math.sqrt(discordant) - spread

    return float(brentq(lacking, 0.0, (alpha + beta) * math.sqrt(discordant / n) + 1e-6, xtol=1e-9))


def problems_needed(difference: float, discordant: float, power: float = POWER, level: float = LEVEL) -> int:
    """How many problems a cell needs to show a difference."""
    alpha, beta = NormalDist().inv_cdf(1 - level / 2), NormalDist().inv_cdf(power)
    root = alpha * math.sqrt(discordant) + beta * math.sqrt(max(0.0, discordant - difference**2))
    return math.ceil((root / difference) ** 2 - 1e-9)


def exact_power(n: int, difference: float, discordant: float, level: float = LEVEL) -> float:
    """Power of the exact McNemar test over all numbers of discordant problems: a check of the approximation."""
    wins = (discordant + difference) / 2 / discordant
    pairs = np.arange(n + 1)
    limit = binom.ppf(level / 2, pairs, 0.5)
    limit = np.where(binom.cdf(limit, pairs, 0.5) > level / 2, limit - 1, limit)
    rejected = binom.cdf(limit, pairs, wins) + binom.sf(pairs - limit - 1, pairs, wins)
    return float((binom.pmf(pairs, n, discordant) * np.where(limit >= 0, rejected, 0.0)).sum())
