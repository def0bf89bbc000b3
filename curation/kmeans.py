"""Two-level k-means for many clusters on a few cores, with the same result for any number of threads.

For many clusters the items are first split into about sqrt(k) coarse groups, found on a sample. Each group is then
clustered alone with a share of the k centres in proportion to its squared error. Border passes mend what the split
cut apart: they compare each row with the centres of the groups near its own. The last assignment looks at all
centres and is exact (`kmeans_exact`).

Why the thread count cannot change the result: `kmeans_engine` sums in fixed pieces, each coarse group has a random
generator of its own, and the last assignment is that of float64 with ties going to the lower centre. Before it, the
centres are sums of float32, which another build of the linear algebra library may round differently.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from benchwright.curation.kmeans_engine import CHUNK, Assignment, Engine, Indices, Labels, Matrix, moved
from benchwright.curation.kmeans_exact import exact_assignment
from benchwright.curation.kmeans_seeds import chain_seeds, greedy_seeds

Method = Literal["two-level", "scikit-learn"]

_TWO_LEVEL_FROM = 64
_COARSE_SAMPLE = 512
"""Rows of the sample for each coarse group."""
_COARSE_PASSES = 8
_FINE_SAMPLE = 16
"""Rows of a group that seeding looks at for each of its centres."""
_FINE_DRAWS = 3
_FINE_STILL = 0.01
"""Share of a group's rows that may still change their centre when it counts as settled: border passes follow."""
_NEAR_GROUPS = 0.15
"""Share of the groups whose centres a border pass compares a row with."""
_BORDER_PASSES = 2
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
    vectors: Matrix,
    k: int,
    seed: int,
    iterations: int = 20,
    workers: int | None = None,
    method: Method = "two-level",
) -> Clustering:
    """Cluster rows into at most `k` groups.

    Args:
        vectors: [n, d] float32, any scale; a memory-mapped array will do, and is never copied whole.
        k: clusters wanted; lowered to the number of distinct rows.
        seed: starts the one random generator used.
        iterations: passes on the level where the centres are found.
        workers: threads; changes the speed, never the result of `two-level`. None takes all cores.
        method: `two-level`, or `scikit-learn` for its Lloyd iterations from k-means++ seeds: many times slower, and
            it copies the matrix. Numbering, ties and the last assignment are the same for both.

    Raises:
        ValueError: `k` < 1, or `vectors` is not a finite two-dimensional float32 array.
    """
    _check(vectors, k)
    if len(vectors) == 0:
        empty = np.zeros((0, vectors.shape[1]), np.float32)
        return Clustering(np.zeros(0, np.int32), empty, np.zeros(0, np.float64), k)
    first = _first_of_equal_rows(vectors, k)
    threads = workers or os.cpu_count() or 1
    if first is not None:
        centres = np.ascontiguousarray(vectors[first])
    elif method == "scikit-learn":
        centres = _scikit_learn(vectors, k, seed, iterations, threads)
    with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        engine = Engine(vectors, pool)
        if first is None and method == "two-level":
            rng = np.random.default_rng(seed)
            if len(engine) * k > _ONE_LEVEL and k >= _TWO_LEVEL_FROM and len(engine) >= 4 * k:
                centres = _TwoLevels(vectors, engine, pool).centres(k, iterations, rng)
            else:
                centres = _best_start(engine, k, iterations, rng)
        return _numbered(engine, centres, k)


def _best_start(engine: Engine, k: int, iterations: int, rng: np.random.Generator) -> Matrix:
    """The best of several starts where they are cheap, else the only one."""
    work = len(engine) * k
    best: tuple[float, Matrix] | None = None
    for _ in range(_STARTS if work <= _CHEAP else 1):
        seeds = greedy_seeds if work <= _ONE_LEVEL else chain_seeds
        centres = engine.lloyd(seeds(engine, k, rng), iterations)
        error = float(engine.assign(centres).squared.sum(dtype=np.float64))
        if best is None or error < best[0]:
            best = error, centres
    assert best is not None
    return best[1]


class _TwoLevels:
    """Coarse groups, centres within each, passes over the borders."""

    def __init__(self, vectors: Matrix, engine: Engine, pool: ThreadPoolExecutor) -> None:
        self.vectors = vectors
        self.engine = engine
        self.pool = pool

    def centres(self, k: int, iterations: int, rng: np.random.Generator) -> Matrix:
        """All centres."""
        coarse = self._coarse(round(k**0.5), rng)
        found = self.engine.assign(coarse)
        errors = np.bincount(found.labels, weights=found.squared, minlength=len(coarse)).astype(np.float64)
        shares = _shares(errors, found.counts, k)
        members = _members(found.labels, len(coarse))
        generators = rng.spawn(len(coarse))
        # Large groups first, so that no thread is left with one at the end; results return to the groups' order.
        order = sorted(range(len(coarse)), key=lambda group: (-len(members[group]) * shares[group], group))
        made = self.pool.map(
            lambda group: self._fine(members[group], shares[group], iterations, generators[group]), order
        )
        fine = dict(zip(order, made, strict=True))
        centres = np.concatenate([fine[group] for group in range(len(coarse))])
        family = np.repeat(np.arange(len(coarse)), shares)
        near = _near_groups(coarse, max(2, round(_NEAR_GROUPS * len(coarse))))
        for _ in range(_BORDER_PASSES):
            centres = self._border_pass(centres, members, [np.flatnonzero(np.isin(family, n)) for n in near])
        return centres

    def _coarse(self, groups: int, rng: np.random.Generator) -> Matrix:
        size = min(len(self.engine), _COARSE_SAMPLE * groups)
        sample = Engine(self.vectors, self.pool, np.sort(rng.choice(len(self.engine), size, replace=False)))
        return sample.lloyd(greedy_seeds(sample, groups, rng), _COARSE_PASSES)

    def _fine(self, members: Indices, share: int, iterations: int, rng: np.random.Generator) -> Matrix:
        if not share:
            return np.zeros((0, self.engine.dimension), np.float32)
        group = Engine(self.vectors, None, members)
        seeds = greedy_seeds(group, share, rng, _FINE_DRAWS, _FINE_SAMPLE * share)
        return group.lloyd(seeds, iterations, _FINE_STILL)

    def _border_pass(self, centres: Matrix, members: list[Indices], near: list[Indices]) -> Matrix:
        """One pass in which the rows of a group see the centres of the groups near it."""
        labels, squared = np.zeros(len(self.engine), np.int32), np.zeros(len(self.engine), np.float32)
        sums = np.zeros_like(centres)
        pieces = [
            (group, members[group][start : start + CHUNK])
            for group in range(len(members))
            for start in range(0, len(members[group]), CHUNK)
        ]

        def one(piece: tuple[int, Indices]) -> Assignment:
            return Engine(self.vectors, None, piece[1]).assign(centres[near[piece[0]]])

        for (group, rows), found in zip(pieces, self.pool.map(one, pieces), strict=True):
            labels[rows] = near[group][found.labels]
            squared[rows] = found.squared
            sums[near[group]] += found.sums
        counts = np.bincount(labels, minlength=len(centres))
        return moved(Assignment(labels, squared, sums, counts), centres, self.engine.rows)


def _members(labels: Labels, groups: int) -> list[Indices]:
    """Rows of each group, in order."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.cumsum(np.bincount(labels, minlength=groups))[:-1])


def _near_groups(coarse: Matrix, count: int) -> list[Indices]:
    """For each group the `count` groups with the nearest centres, itself among them."""
    wide = coarse.astype(np.float64)
    squares = np.square(wide).sum(axis=1)
    distances = squares[:, None] + squares - 2 * wide @ wide.T
    np.fill_diagonal(distances, -np.inf)
    return list(np.argsort(distances, axis=1, kind="stable")[:, :count])


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


def _scikit_learn(vectors: Matrix, k: int, seed: int, iterations: int, threads: int) -> Matrix:
    from sklearn.cluster import KMeans

    with threadpool_limits(limits=threads):
        model = KMeans(k, n_init=1, max_iter=iterations, random_state=seed % 2**32, algorithm="lloyd")
        return np.ascontiguousarray(model.fit(vectors).cluster_centers_, dtype=np.float32)


def _numbered(engine: Engine, centres: Matrix, asked: int) -> Clustering:
    """Assign exactly, drop empty centres, number clusters by their first rows."""
    raw, distances = exact_assignment(engine, centres)
    used, first_rows = np.unique(raw, return_index=True)
    order = used[np.argsort(first_rows, kind="stable")]
    number = np.full(len(centres), -1, np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return Clustering(number[raw], np.ascontiguousarray(centres[order]), distances, asked)


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
    for start in range(0, len(vectors), CHUNK):
        if not np.isfinite(vectors[start : start + CHUNK]).all():
            raise ValueError("vectors hold a value that is not finite")
