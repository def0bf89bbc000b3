"""Two figures on the same items: exact McNemar, paired intervals over problems, and Holm over many comparisons.

McNemar's test takes its pairs for independent, so it is used within one version and language only, where each problem
stands once. Everything else rests on problems drawn anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchwright.eval.metrics.intervals import Interval, figure_of, interval_of, resampled
from benchwright.eval.metrics.placed import PARTS, Metric, Placed, both_valued, paired_ratios

PairMethod = Literal["mcnemar exact", "bootstrap over problems", "none"]
ALPHA = 0.05


@dataclass(frozen=True)
class Paired:
    """What two sets of answers to the same items differ by (second - first)."""

    n_pairs: int
    """Items on which both have a value, in at least one part of the figure."""
    n_problems: int
    left_out: int
    """Items on which only one of them has a value, or none: outside the comparison."""
    first: float | None
    """The first's figure on the shared items; None where there is none."""
    second: float | None
    difference: float | None
    interval: Interval
    only_first: int | None
    """Items that only the first has right; None where scores are not right or wrong."""
    only_second: int | None
    p: float | None
    """Two-sided; None where nothing can be tested."""
    method: PairMethod

    @property
    def holds_zero(self) -> bool:
        """True when the interval holds zero, or nothing is known: the two are not told apart."""
        low, high = self.interval.low, self.interval.high
        return low is None or high is None or low <= 0.0 <= high


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Two-sided p of McNemar's test in its exact (binomial) form.

    Args:
        only_first: pairs in which only the first is right.
        only_second: pairs in which only the second is right.

    Returns:
        1.0 without discordant pairs.

    Raises:
        ValueError: a count is negative.
    """
    if only_first < 0 or only_second < 0:
        raise ValueError(f"no McNemar test of {only_first} against {only_second}")
    n, fewer = only_first + only_second, min(only_first, only_second)
    tail = sum(comb(n, k) for k in range(fewer + 1))
    return min(1.0, float(2 * tail / 2**n))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """P-values adjusted by Holm's step-down procedure, in the order given: the family-wise error is kept."""
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return tuple(adjusted)


def holm_known(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """`holm` over the p-values that there are; those that are missing stay missing and do not count."""
    known = iter(holm([p for p in p_values if p is not None]))
    return tuple(None if p is None else next(known) for p in p_values)


def paired(pairs: Sequence[tuple[Placed, Placed]], metric: Metric) -> Paired:
    """Compare two figures on items that both were asked.

    Args:
        pairs: for each item its row in the first and in the second set; the problem is the first's.
        metric: which figure.
    """
    shared = {part: both_valued(pairs, part) for _, part in PARTS[metric]}
    valued = {id(pair[0]): pair for found in shared.values() for pair in found}
    differences = paired_ratios(pairs, metric)
    difference = figure_of(differences)
    firsts, seconds = _figures(shared, metric, 0), _figures(shared, metric, 1)
    only_first, only_second = _discordant(shared["accuracy"]) if metric == "accuracy" else (None, None)
    independent = _independent(list(valued.values()))
    draws = resampled(differences)
    p, method = _p_value(draws, only_first, only_second, independent)
    return Paired(
        n_pairs=len(valued),
        n_problems=len({one.problem_id for one, _ in valued.values()}),
        left_out=len(pairs) - len(valued),
        first=firsts,
        second=seconds,
        difference=difference,
        interval=interval_of(differences, draws, (-1.0, 1.0)),
        only_first=only_first,
        only_second=only_second,
        p=p,
        method=method,
    )


def bootstrap_p(draws: NDArray[np.float64]) -> float:
    """Two-sided p of "no difference" from resampled differences: twice the rarer side of zero."""
    rarer = min(int((draws <= 0).sum()), int((draws >= 0).sum()))
    return min(1.0, 2 * (rarer + 1) / (len(draws) + 1))


def _figures(
    shared: dict[Literal["accuracy", "K", "L"], list[tuple[Placed, Placed]]], metric: Metric, side: int
) -> float | None:
    """A figure on the shared items, each part on those on which both have that part."""
    found = []
    for weight, part in PARTS[metric]:
        values = [value for pair in shared[part] if (value := pair[side].value(part)) is not None]
        if not values:
            return None
        found.append(weight * sum(values) / len(values))
    return sum(found)


def _discordant(pairs: Sequence[tuple[Placed, Placed]]) -> tuple[int, int]:
    values = [(one.value("accuracy"), other.value("accuracy")) for one, other in pairs]
    return values.count((1.0, 0.0)), values.count((0.0, 1.0))


def _independent(pairs: Sequence[tuple[Placed, Placed]]) -> bool:
    """Both sides within one and the same version and language, each problem once."""
    places = {(row.version, row.language) for pair in pairs for row in pair}
    return len(places) == 1 and len({one.problem_id for one, _ in pairs}) == len(pairs)


def _p_value(
    draws: NDArray[np.float64] | None, only_first: int | None, only_second: int | None, independent: bool
) -> tuple[float | None, PairMethod]:
    if independent and only_first is not None and only_second is not None:
        return mcnemar_exact(only_first, only_second), "mcnemar exact"
    if draws is None:
        return None, "none"
    return bootstrap_p(draws), "bootstrap over problems"
