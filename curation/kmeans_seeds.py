"""Rows to start k-means from: greedy k-means++ where it is cheap, else AFK-MC2.

Greedy k-means++ is that of Arthur and Vassilvitskii (2007) with several draws a seed; AFK-MC2 is that of Bachem et al.,
"Fast and Provably Good Seedings for k-Means" (2016): a Markov chain that draws nearly alike without a pass over all
items for each seed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchwright.curation.kmeans_engine import Engine, Indices, Matrix

_CHAIN = 200
"""Length of the Markov chain for each seed."""


def greedy_seeds(
    engine: Engine, k: int, rng: np.random.Generator, draws: int | None = None, sample: int | None = None
) -> Matrix:
    """k-means++ with several draws a seed, of which the one that lowers the error most is kept.

    Args:
        engine: the rows.
        k: seeds wanted.
        rng: where the draws come from.
        draws: rows tried for each seed; None for 2 + ln k.
        sample: look at this many rows drawn evenly, not at all of them.
    """
    n = len(engine)
    which: Indices = np.arange(n)
    if sample is not None and sample < n:
        which = np.sort(rng.choice(n, max(k, sample), replace=False))
    rows, norms = engine.rows(which), engine.norms[which]
    draws = draws or 2 + int(np.log(k))
    chosen = [int(rng.integers(len(rows)))]
    nearest = np.maximum(norms + norms[chosen[0]] - 2 * (rows @ rows[chosen[0]]), 0)
    for _ in range(1, k):
        cumulative = np.cumsum(nearest, dtype=np.float64)
        drawn = np.searchsorted(cumulative, rng.random(draws) * cumulative[-1]).clip(max=len(rows) - 1)
        distances = rows[drawn] @ rows.T
        distances *= -2
        distances += norms
        distances += norms[drawn, None]
        left = np.minimum(nearest, np.maximum(distances, 0))
        best = int(left.sum(axis=1).argmin())
        nearest = left[best]
        chosen.append(int(drawn[best]))
    return rows[chosen]


def chain_seeds(engine: Engine, k: int, rng: np.random.Generator) -> Matrix:
    """AFK-MC2 seeding: k rows."""
    norms = engine.norms
    first = engine.rows(rng.integers(len(engine), size=1))
    weights = engine.assign(first).squared.astype(np.float64)
    total = weights.sum()
    even = np.full(len(engine), 1 / len(engine))
    proposal = 0.5 * weights / total + 0.5 * even if total > 0 else even
    cumulative = np.cumsum(proposal)
    cumulative /= cumulative[-1]
    seeds = np.empty((k, engine.dimension), np.float32)
    seeds[0] = first
    halves = np.empty(k, np.float32)
    halves[0] = np.square(first).sum() / 2
    for i in range(1, k):
        drawn = np.minimum(np.searchsorted(cumulative, rng.random(_CHAIN)), len(engine) - 1)
        coins = rng.random(_CHAIN)
        rows = engine.rows(drawn)
        nearest = norms[drawn] - 2 * (rows @ seeds[:i].T - halves[:i]).max(axis=1)
        at = _walk(np.maximum(nearest, 0) / proposal[drawn], coins)
        seeds[i] = rows[at]
        halves[i] = norms[drawn[at]] / 2
    return seeds


def _walk(scores: NDArray[np.float64], coins: NDArray[np.float64]) -> int:
    at = 0
    for step in range(1, len(scores)):
        if scores[at] == 0 or scores[step] > coins[step] * scores[at]:
            at = step
    return at
