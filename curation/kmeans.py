"""Two-level k-means for many clusters on a few cores, with the same result for any number of threads.

For many clusters the items are first split into about sqrt(k) coarse groups, each is clustered alone with a share of
the k centres in proportion to its squared error, and full passes over everything mend the borders. Small groups are
seeded by greedy k-means++ (Arthur and Vassilvitskii, 2007); large ones by AFK-MC2 (Bachem et al., "Fast and Provably
Good Seedings for k-Means", 2016), a Markov chain that draws nearly alike without a pass over all items for each seed.

Why the thread count cannot change the result: the matrix is cut into blocks of a fixed number of rows, every block is
one single-threaded matrix product, and threads only decide who computes which block. Sums run in row order. The last
assignment is made in float64, rounded, with ties going to the lower centre, so equal rows get equal labels.
This holds for one build of the linear algebra library on one processor family; another one may round differently
while iterating.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

Matrix = NDArray[np.float32]
Labels = NDArray[np.int32]

_BLOCK = 2048
"""Rows of one matrix product; part of the method, since it decides how sums are rounded."""
_CHAIN = 200
"""Length of the Markov chain for each seed."""
_TWO_LEVEL_FROM = 64
_COARSE_PASSES = 8
_FULL_PASSES = 2
_TIE_DECIMALS = 9
_STARTS = 4
_CHEAP = 2_000_000
"""Rows times clusters up to which several starts are tried."""
_ONE_LEVEL = 10_000_000
"""Rows times clusters up to which all centres are seeded and moved together: slower for its size, lower error."""


@dataclass(frozen=True)
class Clustering:
    """Result of `kmeans`."""

    labels: Labels
    """[n], numbered from 0 in the order of the clusters' first rows; no number is left out."""
    centres: Matrix
    """[k, d], row j is the mean of the rows labelled j (as of the last pass)."""
    distances: NDArray[np.float64]
    """[n], Euclidean distance of each row to its centre."""
    asked: int
    """The k that was asked for; `k` is smaller where the data hold fewer distinct rows."""

    @property
    def k(self) -> int:
        """Number of clusters, none of them empty."""
        return len(self.centres)

    @property
    def inertia(self) -> float:
        """Sum of the squared distances."""
        return float(np.square(self.distances).sum())


def kmeans(
    vectors: Matrix, k: int, seed: int, iterations: int = 20, workers: int | None = None
) -> Clustering:
    """Cluster rows into at most `k` groups.

    Args:
        vectors: [n, d] float32, any scale; a memory-mapped array will do.
        k: clusters wanted; lowered to the number of distinct rows.
        seed: starts the one random generator used.
        iterations: passes on the level where the centres are found.
        workers: threads; changes the speed, never the result. None takes all cores.

    Raises:
        ValueError: `k` < 1, or `vectors` is not a finite two-dimensional float32 array.
    """
    _check(vectors, k)
    n = len(vectors)
    if n == 0:
        return Clustering(
            np.zeros(0, np.int32), np.zeros((0, vectors.shape[1]), np.float32), np.zeros(0, np.float64), k
        )
    first = _first_of_equal_rows(vectors, k)
    with (
        threadpool_limits(limits=1, user_api="blas"),
        ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool,
    ):
        if first is not None:
            centres = np.ascontiguousarray(vectors[first])
        else:
            rng = np.random.default_rng(seed)
            engine = _Engine(vectors, pool)
            if n * k > _ONE_LEVEL and k >= _TWO_LEVEL_FROM and n >= 4 * k:
                centres = _two_level(engine, k, iterations, rng)
            else:
                centres = _best_start(engine, k, iterations, rng)
        return _final(vectors, centres, k, pool)


class _Engine:
    """Lloyd passes over one matrix, block by block on a shared thread pool."""

    def __init__(self, rows: Matrix, pool: ThreadPoolExecutor) -> None:
        self.rows = rows
        self.pool = pool
        self.norms = np.concatenate(
            list(pool.map(lambda block: np.einsum("ij,ij->i", block, block), _blocks(rows)))
        ).astype(np.float32)

    def assign(self, centres: Matrix) -> tuple[Labels, Matrix]:
        """Nearest centre of each row and the squared distance to it."""
        half = 0.5 * np.einsum("ij,ij->i", centres, centres)
        transposed = np.ascontiguousarray(centres.T)

        def one(block: Matrix) -> tuple[Labels, Matrix]:
            scores = block @ transposed
            scores -= half
            best = scores.argmax(axis=1).astype(np.int32)
            return best, scores[np.arange(len(block)), best]

        parts = list(self.pool.map(one, _blocks(self.rows)))
        labels = np.concatenate([labels for labels, _ in parts])
        scores = np.concatenate([scores for _, scores in parts])
        return labels, np.maximum(self.norms - 2 * scores, 0)

    def lloyd(self, centres: Matrix, iterations: int) -> Matrix:
        """Move centres to the means of their rows until nothing moves.

        A centre without rows goes to a row where the fit is worst.
        """
        before: Labels | None = None
        for _ in range(iterations):
            labels, squared = self.assign(centres)
            if before is not None and np.array_equal(labels, before):
                break
            before = labels
            centres, empty = _means(self.rows, labels, centres)
            if len(empty):
                centres[empty] = self.rows[np.argsort(-squared, kind="stable")[: len(empty)]]
        return centres


def _best_start(engine: _Engine, k: int, iterations: int, rng: np.random.Generator) -> Matrix:
    """The best of several starts where they are cheap, else the only one."""
    best: tuple[float, Matrix] | None = None
    for _ in range(_STARTS if len(engine.rows) * k <= _CHEAP else 1):
        seeds = _greedy_seeds if len(engine.rows) * k <= _ONE_LEVEL else _chain_seeds
        centres = engine.lloyd(seeds(engine, k, rng), iterations)
        error = float(engine.assign(centres)[1].sum(dtype=np.float64))
        if best is None or error < best[0]:
            best = error, centres
    assert best is not None
    return best[1]


def _two_level(engine: _Engine, k: int, iterations: int, rng: np.random.Generator) -> Matrix:
    coarse = round(k**0.5)
    centres = engine.lloyd(_seeds(engine, coarse, rng), _COARSE_PASSES)
    labels, squared = engine.assign(centres)
    sizes = np.bincount(labels, minlength=coarse)
    errors = np.bincount(labels, weights=squared, minlength=coarse).astype(np.float64)
    fine: list[Matrix] = []
    for group, share in enumerate(_shares(errors, sizes, k)):
        if share:
            part = _Engine(np.ascontiguousarray(engine.rows[labels == group]), engine.pool)
            fine.append(part.lloyd(_seeds(part, share, rng), iterations))
    return engine.lloyd(np.concatenate(fine), _FULL_PASSES)


def _shares(errors: NDArray[np.float64], sizes: NDArray[np.int64], k: int) -> list[int]:
    """Split k among groups in proportion to their error: at least 1 for a group with rows, never more than its rows."""
    wanted = errors / max(errors.sum(), 1e-30) * k
    shares = np.clip(np.floor(wanted).astype(np.int64), np.minimum(1, sizes), sizes)
    while (missing := k - int(shares.sum())) != 0:
        owed = (
            np.where(shares < sizes, wanted - shares, -np.inf)
            if missing > 0
            else np.where(shares > 1, shares - wanted, -np.inf)
        )
        shares[int(np.argmax(owed))] += 1 if missing > 0 else -1
    return [int(share) for share in shares]


def _seeds(engine: _Engine, k: int, rng: np.random.Generator) -> Matrix:
    """Rows to start from: greedy k-means++ where it is cheap, else AFK-MC2."""
    if len(engine.rows) * k <= _CHEAP:
        return _greedy_seeds(engine, k, rng)
    return _chain_seeds(engine, k, rng)


def _greedy_seeds(engine: _Engine, k: int, rng: np.random.Generator) -> Matrix:
    """k-means++ with several draws a seed, of which the one that lowers the error most is kept."""
    rows, norms = engine.rows, engine.norms
    draws = 2 + int(np.log(k))
    chosen = [int(rng.integers(len(rows)))]
    _, squared = engine.assign(np.ascontiguousarray(rows[chosen]))
    nearest = squared.astype(np.float64)
    for _ in range(1, k):
        cumulative = np.cumsum(nearest)
        drawn = np.searchsorted(cumulative, rng.random(draws) * cumulative[-1]).clip(max=len(rows) - 1)
        distances = norms[:, None] + norms[drawn] - 2 * (rows @ rows[drawn].T)
        left = np.minimum(nearest[:, None], np.maximum(distances, 0))
        best = int(left.sum(axis=0).argmin())
        nearest = left[:, best]
        chosen.append(int(drawn[best]))
    return np.ascontiguousarray(rows[chosen])


def _chain_seeds(engine: _Engine, k: int, rng: np.random.Generator) -> Matrix:
    """AFK-MC2 seeding: k rows."""
    rows, norms = engine.rows, engine.norms
    first = int(rng.integers(len(rows)))
    _, squared = engine.assign(np.ascontiguousarray(rows[first : first + 1]))
    weights = squared.astype(np.float64)
    total = weights.sum()
    even = np.full(len(rows), 1 / len(rows))
    proposal = 0.5 * weights / total + 0.5 * even if total > 0 else even
    cumulative = np.cumsum(proposal)
    cumulative /= cumulative[-1]
    seeds = np.empty((k, rows.shape[1]), np.float32)
    seeds[0] = rows[first]
    halves = np.empty(k, np.float32)
    halves[0] = norms[first] / 2
    for i in range(1, k):
        drawn = np.minimum(np.searchsorted(cumulative, rng.random(_CHAIN)), len(rows) - 1)
        coins = rng.random(_CHAIN)
        nearest = norms[drawn] - 2 * (rows[drawn] @ seeds[:i].T - halves[:i]).max(axis=1)
        scores = np.maximum(nearest, 0) / proposal[drawn]
        chosen = drawn[_walk(scores, coins)]
        seeds[i] = rows[chosen]
        halves[i] = norms[chosen] / 2
    return seeds


def _walk(scores: NDArray[np.float64], coins: NDArray[np.float64]) -> int:
    at = 0
    for step in range(1, len(scores)):
        if scores[at] == 0 or scores[step] > coins[step] * scores[at]:
            at = step
    return at


def _means(rows: Matrix, labels: Labels, centres: Matrix) -> tuple[Matrix, NDArray[np.int64]]:
    """Mean of each label's rows (the old centre where there are none), and the labels without rows."""
    k = len(centres)
    counts = np.bincount(labels, minlength=k)
    member = sparse.csr_matrix(
        (np.ones(len(rows), np.float32), (labels, np.arange(len(rows)))), shape=(k, len(rows))
    )
    means = np.asarray(member @ rows, dtype=np.float32)
    filled = counts > 0
    means[filled] /= counts[filled, None]
    means[~filled] = centres[~filled]
    return means, np.flatnonzero(~filled)


def _final(vectors: Matrix, centres: Matrix, asked: int, pool: ThreadPoolExecutor) -> Clustering:
    """Assign in float64 with rounded ties, drop empty centres, number clusters by their first rows."""
    exact = centres.astype(np.float64)
    half = 0.5 * np.einsum("ij,ij->i", exact, exact)
    transposed = np.ascontiguousarray(exact.T)

    def one(block: Matrix) -> tuple[Labels, NDArray[np.float64]]:
        wide = block.astype(np.float64)
        scores = np.round(wide @ transposed - half, _TIE_DECIMALS)
        best = scores.argmax(axis=1).astype(np.int32)
        return best, np.sqrt(np.square(wide - exact[best]).sum(axis=1))

    parts = list(pool.map(one, _blocks(vectors, _BLOCK // 4)))
    raw = np.concatenate([labels for labels, _ in parts])
    distances = np.concatenate([distances for _, distances in parts])
    used, first_rows = np.unique(raw, return_index=True)
    order = used[np.argsort(first_rows, kind="stable")]
    number = np.full(len(centres), -1, np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return Clustering(number[raw], np.ascontiguousarray(centres[order]), distances, asked)


def _blocks(rows: Matrix, size: int = _BLOCK) -> list[Matrix]:
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def _first_of_equal_rows(vectors: Matrix, k: int) -> list[int] | None:
    """Indices of the first of each set of equal rows if there are at most k sets, else None."""
    first: dict[bytes, int] = {}
    for index in range(len(vectors)):
        first.setdefault(vectors[index].tobytes(), index)
        if len(first) > k:
            return None
    return list(first.values())


def _check(vectors: Matrix, k: int) -> None:
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    if vectors.ndim != 2 or vectors.dtype != np.float32:
        raise ValueError(
            f"vectors must be a two-dimensional float32 array, not {vectors.ndim}-d {vectors.dtype}"
        )
    for block in _blocks(vectors):
        if not np.isfinite(block).all():
            raise ValueError("vectors hold a value that is not finite")
