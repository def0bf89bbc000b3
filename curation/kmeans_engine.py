"""Lloyd passes over a matrix in fixed pieces, so that the number of threads cannot change a sum.

The rows are cut into chunks of a fixed number, a chunk into blocks. A block is one single-threaded matrix product;
a chunk sums its own rows in order; chunks are added in order. Threads only decide who works on which chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Labels = NDArray[np.int32]
Indices = NDArray[np.int64]
T = TypeVar("T")

CHUNK = 8192
"""Rows that are summed together; part of the method, since it decides how sums are rounded."""
BLOCK = 1024
"""Rows of one matrix product; part of the method for the same reason."""
_COPY_BYTES = 48_000_000
"""Up to this size the rows of a group are copied together; larger groups are gathered again for every pass."""


@dataclass(frozen=True)
class Assignment:
    """Where one pass put the rows."""

    labels: Labels
    """[n], nearest centre."""
    squared: Matrix
    """[n], squared distance to it."""
    sums: Matrix
    """[k, d], sum of the rows of each centre."""
    counts: Indices
    """[k], how many."""


class Engine:
    """Passes over all rows of a matrix, or over some of them."""

    def __init__(
        self, matrix: Matrix, pool: ThreadPoolExecutor | None = None, members: Indices | None = None
    ) -> None:
        if members is not None and len(members) * matrix.shape[1] * matrix.itemsize <= _COPY_BYTES:
            matrix, members = np.ascontiguousarray(matrix[members]), None
        self._matrix = matrix
        self._members = members
        self._pool = pool
        self.norms = np.concatenate(
            list(self.each_chunk(lambda rows: np.einsum("ij,ij->i", rows, rows))) or [np.zeros(0, np.float32)]
        )

    def __len__(self) -> int:
        return len(self._matrix) if self._members is None else len(self._members)

    @property
    def dimension(self) -> int:
        """Length of a row."""
        return int(self._matrix.shape[1])

    def rows(self, which: Indices) -> Matrix:
        """A copy of the rows at these places, in the order given."""
        return np.ascontiguousarray(self._matrix[which if self._members is None else self._members[which]])

    def each_chunk(self, work: Callable[[Matrix], T]) -> Iterator[T]:
        """Results of a function of a chunk's rows, in the order of the chunks."""
        starts = range(0, len(self), CHUNK)

        def one(start: int) -> T:
            return work(self._chunk(start))

        return self._pool.map(one, starts) if self._pool is not None else (one(start) for start in starts)

    def assign(self, centres: Matrix) -> Assignment:
        """Nearest centre of each row, and the sums from which the next centres follow."""
        half = 0.5 * np.einsum("ij,ij->i", centres, centres)
        transposed = np.ascontiguousarray(centres.T)
        sums = np.zeros_like(centres)
        labels, scores = np.empty(len(self), np.int32), np.empty(len(self), np.float32)
        done = 0
        for found, best, part in self.each_chunk(lambda rows: _nearest(rows, transposed, half)):
            labels[done : done + len(found)] = found
            scores[done : done + len(found)] = best
            sums += part
            done += len(found)
        squared = np.maximum(self.norms - 2 * scores, 0)
        return Assignment(labels, squared, sums, np.bincount(labels, minlength=len(centres)))

    def lloyd(self, centres: Matrix, passes: int, still: float = 0.0) -> Matrix:
        """Move centres to the means of their rows until nothing moves, or `passes` times.

        A centre without rows goes to a row where the fit is worst.

        Args:
            centres: [k, d], where to start.
            passes: at most so many.
            still: share of the rows that may change their centre in a pass that counts as none moving.
        """
        before: Labels | None = None
        for _ in range(passes):
            found = self.assign(centres)
            if before is not None and np.count_nonzero(found.labels != before) <= still * len(self):
                break
            before = found.labels
            centres = moved(found, centres, self.rows)
        return centres

    def _chunk(self, start: int) -> Matrix:
        if self._members is None:
            return self._matrix[start : start + CHUNK]
        return self._matrix[self._members[start : start + CHUNK]]


def moved(found: Assignment, centres: Matrix, rows: Callable[[Indices], Matrix]) -> Matrix:
    """Means of the rows of each centre; a centre without rows goes to a row where the fit is worst."""
    filled = found.counts > 0
    means = centres.copy()
    means[filled] = found.sums[filled] / found.counts[filled, None].astype(np.float32)
    empty = np.flatnonzero(~filled)
    if len(empty):
        worst = np.argsort(-found.squared, kind="stable")[: len(empty)]
        means[empty[: len(worst)]] = rows(worst)
    return means


def _nearest(rows: Matrix, transposed: Matrix, half: Matrix) -> tuple[Labels, Matrix, Matrix]:
    """Of one chunk: nearest centre, its score, and the sums by centre.

    The score x·c - |c|²/2 is largest where the distance is smallest.
    """
    k = len(half)
    labels, best = np.empty(len(rows), np.int32), np.empty(len(rows), np.float32)
    scratch = np.empty((min(BLOCK, len(rows)), k), np.float32)
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        scores = np.matmul(block, transposed, out=scratch[: len(block)])
        scores -= half
        found = scores.argmax(axis=1)
        labels[start : start + BLOCK] = found
        best[start : start + BLOCK] = np.take_along_axis(scores, found[:, None], axis=1)[:, 0]
    member = sparse.csr_matrix(
        (np.ones(len(rows), np.float32), (labels, np.arange(len(rows)))), shape=(k, len(rows))
    )
    return labels, best, np.asarray(member @ rows, dtype=np.float32)
