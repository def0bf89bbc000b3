"""95 % intervals: Wilson's for independent trials, a bootstrap over whole problems for everything else.

The versions and languages of one problem are not independent, so a figure over several of them gets its interval by
drawing whole problems anew. Every such figure (an accuracy, Sci-CoT, a mean of versions, a difference of two runs) is a
weighted sum of ratios of sums over problems, and one resampling serves them all: `Ratio`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Z95 = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""
BOOTSTRAP_DRAWS = 2000
BOOTSTRAP_SEED = 20240601
BOOTSTRAP_PROBLEMS = 20
"""Fewest problems that are resampled; below, percentile intervals are too narrow."""
_AT_ONCE = 250
"""Draws worked on at once: 3,000 problems then take 6 MB, whatever the number of draws."""
_KEPT = 8_000_000
"""Counts that are kept for the next figure over as many problems: 16 MB, for up to four numbers of problems."""

IntervalMethod = Literal["wilson", "bootstrap over problems", "wilson over problems", "none"]


@dataclass(frozen=True)
class Ratio:
    """One part of a figure: `weight` times a sum over problems divided by another one."""

    weight: float
    sums: Mapping[Hashable, tuple[float, float]]
    """Problem -> (what it adds to the numerator, what it adds to the denominator)."""

    @property
    def value(self) -> float | None:
        """The ratio itself, without the weight; None where nothing is counted."""
        below = sum(n for _, n in self.sums.values())
        return sum(good for good, _ in self.sums.values()) / below if below else None


@dataclass(frozen=True)
class Interval:
    """Where a figure may lie, and how that was found; both ends None where nothing can be said."""

    low: float | None
    high: float | None
    method: IntervalMethod


NO_INTERVAL = Interval(None, None, "none")


def wilson(successes: float, n: int) -> tuple[float, float]:
    """Wilson score interval, 95 %, of `successes` out of `n` independent trials.

    `successes` need not be whole: a share of `n` problems that are each right in a part of their rows.

    Raises:
        ValueError: n is not positive or successes lie outside 0..n.
    """
    if n <= 0 or not 0 <= successes <= n:
        raise ValueError(f"no Wilson interval for {successes} of {n}")
    share = successes / n
    denominator = 1 + Z95**2 / n
    centre = (share + Z95**2 / (2 * n)) / denominator
    half = Z95 * sqrt(share * (1 - share) / n + Z95**2 / (4 * n * n)) / denominator
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return low, high


def figure_of(ratios: Sequence[Ratio]) -> float | None:
    """The figure that ratios make up: their weighted sum; None when one of them counts nothing."""
    values = [ratio.value for ratio in ratios]
    if not values or any(value is None for value in values):
        return None
    return sum(ratio.weight * value for ratio, value in zip(ratios, values, strict=True) if value is not None)


def interval_over_problems(ratios: Sequence[Ratio], span: tuple[float, float] = (0.0, 1.0)) -> Interval:
    """Interval of a figure whose rows belong together by problem.

    With few problems, or when resampling them shows no spread at all, resampling says less than is unknown (one
    problem: a width of zero). Then each problem is taken as one trial that is wholly at one end of the span or the
    other, which has the largest spread that the figure allows: wide, never too narrow.

    Args:
        ratios: what the figure is made of.
        span: lowest and highest value that the figure can have: (0, 1), or (-1, 1) for a difference.
    """
    return interval_of(ratios, resampled(ratios), span)


def resampled(ratios: Sequence[Ratio]) -> NDArray[np.float64] | None:
    """The figure in resamples of its problems; None with fewer than 20, or where no resample differs from another."""
    if not ratios or _fewest(ratios) < BOOTSTRAP_PROBLEMS:
        return None
    draws = bootstrap(ratios)
    return draws if len(draws) and float(np.ptp(draws)) > 1e-12 else None


def interval_of(
    ratios: Sequence[Ratio], draws: NDArray[np.float64] | None, span: tuple[float, float] = (0.0, 1.0)
) -> Interval:
    """`interval_over_problems` from resamples that are there already.

    Args:
        ratios: what the figure is made of.
        draws: what `resampled` gave for them.
        span: lowest and highest value that the figure can have.
    """
    figure = figure_of(ratios)
    if figure is None:
        return NO_INTERVAL
    if draws is not None:
        low, high = (float(end) for end in np.quantile(draws, [0.025, 0.975]))
        if high - low > 1e-12:
            return Interval(low, high, "bootstrap over problems")
    width, trials = span[1] - span[0], _fewest(ratios)
    share = min(1.0, max(0.0, (figure - span[0]) / width))
    low, high = wilson(share * trials, trials)
    return Interval(span[0] + width * low, span[0] + width * high, "wilson over problems")


def bootstrap(
    ratios: Sequence[Ratio], draws: int = BOOTSTRAP_DRAWS, seed: int = BOOTSTRAP_SEED
) -> NDArray[np.float64]:
    """The figure in each of many resamples of the problems (with replacement), one seed for all figures.

    A draw in which a part counts nothing has no figure and is left out.

    Returns:
        At most `draws` values.
    """
    problems = sorted({problem for ratio in ratios for problem in ratio.sums}, key=str)
    none = (0.0, 0.0)
    sums = np.asarray([[ratio.sums.get(p, none) for ratio in ratios] for p in problems], dtype=np.float64)
    table = np.ascontiguousarray(np.concatenate([sums[:, :, 0], sums[:, :, 1]], axis=1))
    weights = np.asarray([ratio.weight for ratio in ratios])
    found = []
    for counts in _resamples(len(problems), draws, seed):
        drawn = counts.astype(np.float64) @ table
        above, below = drawn[:, : len(ratios)], drawn[:, len(ratios) :]
        defined = (below > 0).all(axis=1)
        found.append((above[defined] / below[defined]) @ weights)
    return np.concatenate(found)


def _fewest(ratios: Sequence[Ratio]) -> int:
    """Problems that the part with the fewest rests on."""
    return min(sum(1 for _, n in ratio.sums.values() if n) for ratio in ratios)


def _resamples(n: int, draws: int, seed: int) -> Iterator[NDArray[np.uint16]]:
    """How often each of n problems is drawn, some draws at once: arrays (draws, n)."""
    if n * draws <= _KEPT:
        for start in range(0, draws, _AT_ONCE):
            yield _kept_resamples(n, draws, seed)[start : start + _AT_ONCE]
    else:
        yield from _new_resamples(n, draws, seed)


@lru_cache(maxsize=4)
def _kept_resamples(n: int, draws: int, seed: int) -> NDArray[np.uint16]:
    """Kept, because a report asks for hundreds of figures over the same few numbers of problems."""
    return np.concatenate(list(_new_resamples(n, draws, seed)))


def _new_resamples(n: int, draws: int, seed: int) -> Iterator[NDArray[np.uint16]]:
    generator = np.random.default_rng(seed)
    for start in range(0, draws, _AT_ONCE):
        size = min(_AT_ONCE, draws - start)
        yield generator.multinomial(n, np.full(n, 1.0 / n), size=size).astype(np.uint16)
