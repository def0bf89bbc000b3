"""The last assignment of k-means: exact in float64 at the price of float32.

A float32 product decides every row whose best centre leads by more than twice the largest error such a product can
have (Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1: at most about d units of rounding times
the lengths). The others, a few in a hundred, are compared in float64 with the centres in question alone. Ties, after
rounding far below what separates real rows, go to the lower centre, so equal rows get equal labels, and the result
is that of float64 throughout, whatever the linear algebra library.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from benchwright.curation.kmeans_engine import BLOCK, Engine, Labels, Matrix

_DIGITS = 9
"""Scores are alike when they agree to so many digits of the largest one possible."""
_UNIT = 2.0**-24


def exact_assignment(engine: Engine, centres: Matrix) -> tuple[Labels, NDArray[np.float64]]:
    """Nearest centre of each row, the lower one where two are alike, and the Euclidean distance to it."""
    lengths = np.sqrt(np.einsum("ij,ij->i", centres, centres, dtype=np.float64))
    longest = float(lengths.max())
    largest = longest * max(longest, math.sqrt(float(engine.norms.max())))
    decimals = _DIGITS - math.ceil(math.log10(largest)) if largest > 0 else _DIGITS
    near = _Near(centres, longest, decimals)
    parts = list(engine.each_chunk(near.assign))
    return np.concatenate([labels for labels, _ in parts]), np.concatenate([far for _, far in parts])


class _Near:
    """Assigns chunks of rows to one set of centres."""

    def __init__(self, centres: Matrix, longest: float, decimals: int) -> None:
        self.exact = centres.astype(np.float64)
        self.half = 0.5 * np.einsum("ij,ij->i", self.exact, self.exact)
        self.half32 = self.half.astype(np.float32)
        self.transposed = np.ascontiguousarray(centres.T)
        self.longest = longest
        self.decimals = decimals

    def assign(self, rows: Matrix) -> tuple[Labels, NDArray[np.float64]]:
        """Labels and distances of one chunk."""
        labels = np.empty(len(rows), np.int32)
        distances = np.empty(len(rows), np.float64)
        scratch = np.empty((min(BLOCK, len(rows)), len(self.exact)), np.float32)
        for start in range(0, len(rows), BLOCK):
            block = rows[start : start + BLOCK]
            scores = np.matmul(block, self.transposed, out=scratch[: len(block)])
            scores -= self.half32
            found = scores.argmax(axis=1)
            wide = block.astype(np.float64)
            self._settle(wide, scores, found)
            labels[start : start + BLOCK] = found
            wide -= self.exact[found]
            distances[start : start + BLOCK] = np.sqrt(np.einsum("ij,ij->i", wide, wide))
        return labels, distances

    def _settle(self, wide: NDArray[np.float64], scores: Matrix, found: NDArray[np.int64]) -> None:
        """Decide anew, in float64, the rows whose two best scores are too close; changes `found` and `scores`."""
        every = np.arange(len(wide))
        best = scores[every, found]
        scores[every, found] = -np.inf
        close = self._margin(wide)
        unsure = np.flatnonzero(scores.max(axis=1) >= best - close)
        if not len(unsure):
            return
        scores[unsure, found[unsure]] = best[unsure]
        at, centre = np.nonzero(scores[unsure] >= (best - close)[unsure, None])
        exact = np.einsum("ij,ij->i", wide[unsure[at]], self.exact[centre]) - self.half[centre]
        rounded = np.round(exact, self.decimals)
        # Sorted by row, then score downwards, then centre upwards: the first of each row is its centre.
        order = np.lexsort((centre, -rounded, at))
        first = np.unique(at[order], return_index=True)[1]
        found[unsure] = centre[order[first]]

    def _margin(self, wide: NDArray[np.float64]) -> Matrix:
        """Twice the largest error of a float32 score, and the rounding of the exact one, for each row."""
        lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
        products = (wide.shape[1] + 4) * _UNIT * (lengths * self.longest + self.longest**2 / 2)
        margin: Matrix = (2 * products + 2 * 10.0**-self.decimals).astype(np.float32)
        return margin
