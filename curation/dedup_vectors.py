"""Alike by embedding: cosine within the two nearest clusters, in memory that does not grow with the square.

Abbas et al., "SemDeDup" (2023), compare within one cluster and lose what lies across a border: 11 % of pairs at
cosine .95 in our measurement; each vector in its **two** nearest clusters leaves 0.6 %. Vectors lie in one unnamed
file and are read a cluster at a time; what passes the guards alone is kept.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from benchwright.curation.kmeans import kmeans

Matrix = NDArray[np.float32]
Rows = NDArray[np.int64]
Allowed = Callable[[Rows, Rows], NDArray[np.float32]]
"""Least cosine of each row of one list with each of another, [a, b]; above 1 where a pair is of no interest."""

_SAMPLE = 20_000
"""Vectors that the cluster centres are found with."""
_PER_CLUSTER = 150
_MOST_CLUSTERS = 1000
_PASSES = 8
_CELLS = 4_000_000
"""Cosines that are held at a time."""
_SLACK = 1e-4
"""What single precision may be off by; kept pairs are computed again in double."""


class VectorFile:
    """Unit vectors [n, d] in an unnamed file: gone when the process is, whatever ends it."""

    def __init__(self, folder: Path, dimension: int) -> None:
        self.dimension = dimension
        self.count = 0
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed in `close`

    def __enter__(self) -> VectorFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(self, block: Matrix) -> None:
        """Add vectors, brought to unit length; zero vectors stay zero."""
        lengths = np.linalg.norm(block, axis=1, keepdims=True)
        unit = np.divide(block, lengths, out=np.zeros_like(block), where=lengths > 0)
        self._file.write(np.ascontiguousarray(unit, np.float32).tobytes())
        self.count += len(block)

    def read(self, rows: Rows) -> Matrix:
        """Vectors of ascending rows, [len(rows), d]."""
        self._file.flush()
        out = np.empty((len(rows), self.dimension), np.float32)
        size = 4 * self.dimension
        at = 0
        for run in np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1) if len(rows) else ():
            data = os.pread(self._file.fileno(), size * len(run), size * int(run[0]))
            out[at : at + len(run)] = np.frombuffer(data, np.float32).reshape(len(run), self.dimension)
            at += len(run)
        return out


def near_vectors(
    vectors: VectorFile, allowed: Allowed, seed: int, workers: int | None = None
) -> Iterator[tuple[Rows, NDArray[np.float64]]]:
    """Pairs of rows that share one of their two nearest clusters and are alike enough.

    Args:
        vectors: what is compared.
        allowed: the least cosine of each pair.
        seed: of the clusters.
        workers: threads of the clustering.

    Yields:
        Pairs [m, 2], first < second, and cosines [m]; a pair may come up twice.
    """
    if vectors.count < 2:
        return
    nearest = _two_nearest(vectors, seed, workers)
    with threadpool_limits(limits=1, user_api="blas"):
        for cluster in range(int(nearest.max()) + 1):
            rows = np.flatnonzero((nearest == cluster).any(axis=1)).astype(np.int64)
            if len(rows) > 1:
                yield from _within(vectors.read(rows), rows, allowed)


def stored(blocks: Iterable[Matrix], folder: Path, dimension: int) -> VectorFile:
    """A file of the vectors of blocks."""
    file = VectorFile(folder, dimension)
    for block in blocks:
        file.append(block)
    return file


def _two_nearest(vectors: VectorFile, seed: int, workers: int | None) -> NDArray[np.int32]:
    """The two nearest centres of each vector, [n, 2] (twice the same where there is one)."""
    n = vectors.count
    k = int(np.clip(n // _PER_CLUSTER, 1, _MOST_CLUSTERS))
    step = max(1, -(-n // _SAMPLE))
    sample = vectors.read(np.arange(0, n, step, dtype=np.int64))
    centres = kmeans(sample, k, seed, iterations=_PASSES, workers=workers).centres
    half = 0.5 * np.einsum("ij,ij->i", centres, centres)
    nearest = np.empty((n, 2), np.int32)
    for start in range(0, n, 2048):
        rows = np.arange(start, min(n, start + 2048), dtype=np.int64)
        scores = vectors.read(rows) @ centres.T - half
        best = scores.argmax(axis=1)
        nearest[rows, 0] = best
        scores[np.arange(len(rows)), best] = -np.inf
        nearest[rows, 1] = scores.argmax(axis=1) if len(centres) > 1 else best
    return nearest


def _within(block: Matrix, rows: Rows, allowed: Allowed) -> Iterator[tuple[Rows, NDArray[np.float64]]]:
    height = max(1, _CELLS // len(rows))
    for start in range(0, len(rows), height):
        part = slice(start, start + height)
        cosines = block[part] @ block.T
        least = allowed(rows[part], rows)
        one, two = np.nonzero((cosines >= least - _SLACK) & (rows[part][:, None] < rows[None, :]))
        exact = np.einsum(
            "ij,ij->i", block[part][one].astype(np.float64), block[two].astype(np.float64)
        ).round(6)
        kept = exact >= least[one, two]
        yield np.stack([rows[part][one[kept]], rows[two[kept]]], axis=1), exact[kept]
