"""A small model fitted to the labels that a pool already has, measured before it is used.

Multinomial logistic regression on embeddings, cross-validated over five folds. Equal questions always share a fold:
otherwise a repeated question would be answered from its own copy. Shares are calibrated on the held-out folds by one
temperature (Guo et al., "On Calibration of Modern Neural Networks", 2017). Every labelled row gets its share from the
fold in which it was held out, so that nothing is ever judged by a model that saw it.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from benchwright.schemas.digest import sha256_bytes

Floats = NDArray[np.float64]
FOLDS = 5
LEAST_LABELLED = 100
"""Labelled rows below which nothing is fitted: an accuracy of 0.5 would be known to 0.1 only."""
LEAST_PER_CLASS = 10
MOST_LABELLED = 20_000
"""Rows that a fit uses at most, chosen by the digests of their texts: more cost time and change little."""
_BLOCK = 2048
_DECIMALS = 6
_SURE = 1.96
"""Standard errors to either side of a 95 % interval."""


@dataclass(frozen=True)
class CrossFit:
    """A fitted model and what it said about each labelled row while that row was held out."""

    classes: tuple[str, ...]
    held_out: Floats
    """[n, classes], calibrated shares, in the order of the rows given to `cross_fit`."""
    temperature: float
    weights: Floats
    """[classes, d]"""
    offsets: Floats
    """[classes]"""

    def shares(self, *features: NDArray[np.floating]) -> Floats:
        """Calibrated shares of new rows, [n, classes].

        Args:
            features: parts of the rows, [n, ...] each; they are put side by side a block at a time.
        """
        with threadpool_limits(limits=1):
            blocks = [
                np.hstack([part[start : start + _BLOCK] for part in features]).astype(np.float64)
                @ self.weights.T
                + self.offsets
                for start in range(0, len(features[0]), _BLOCK)
            ]
        logits = np.concatenate(blocks) if blocks else np.empty((0, len(self.classes)))
        return softmax(logits / self.temperature)


@dataclass(frozen=True)
class Gain:
    """How much better one guess is than another on the same rows, as the mean of paired differences."""

    ours: float
    theirs: float
    n: int
    lower: float
    """Lower end of the 95 % interval of `ours - theirs`."""

    @cached_property
    def sure(self) -> bool:
        """Whether the interval lies above 0."""
        return self.lower > 0


def question_key(text: str) -> str:
    """The key that equal questions share: the digest of the text in NFKC without blanks."""
    return sha256_bytes("".join(unicodedata.normalize("NFKC", text).split()).encode("utf-8"))


def usable(labels: Sequence[str | None], keys: Sequence[str]) -> list[int]:
    """Places of the rows to fit, in order: those whose label is frequent enough; empty where too few are left.

    Args:
        labels: per row, None where there is none.
        keys: per row, see `question_key`.
    """
    counts = Counter(label for label in labels if label is not None)
    frequent = {label for label, n in counts.items() if n >= LEAST_PER_CLASS}
    rows = [row for row, label in enumerate(labels) if label in frequent]
    if len(rows) < LEAST_LABELLED or len(frequent) < 2:
        return []
    if len(rows) > MOST_LABELLED:
        rows = sorted(sorted(rows, key=lambda row: (keys[row], row))[:MOST_LABELLED])
    return rows


def cross_fit(
    features: NDArray[np.floating], labels: Sequence[str], keys: Sequence[str], strength: float = 10.0
) -> CrossFit:
    """Fit, hold out, calibrate. One thread, so that the same rows give the same result.

    Args:
        features: [n, d], one row per label.
        labels: at least two different ones.
        keys: see `question_key`; decide the folds.
        strength: inverse of the penalty on the weights (scikit-learn's `C`).
    """
    classes = tuple(sorted(set(labels)))
    place = {name: at for at, name in enumerate(classes)}
    y = np.array([place[label] for label in labels])
    folds = np.array([int(key[:8], 16) % FOLDS for key in keys])
    x = features.astype(np.float64)
    logits: Floats = np.full((len(y), len(classes)), -np.inf)
    with threadpool_limits(limits=1):
        for fold in sorted(set(folds.tolist())):
            inside, outside = folds != fold, folds == fold
            weights, offsets, known = _regression(x[inside], y[inside], strength)
            logits[np.ix_(outside, known)] = x[outside] @ weights.T + offsets
        weights, offsets, known = _regression(x, y, strength)
    # A class that a fold's training part lacks gets a share, but the smallest there is.
    lowest = np.where(np.isfinite(logits), logits, np.inf).min(axis=1, keepdims=True)
    logits = np.where(np.isfinite(logits), logits, lowest)
    temperature = best_temperature(logits, y)
    return CrossFit(classes, softmax(logits / temperature), temperature, weights, offsets)


def best_temperature(logits: Floats, truth: NDArray[np.integer]) -> float:
    """The temperature under which the shares give the true classes the highest likelihood.

    Args:
        logits: [n, classes].
        truth: [n], place of each row's class.
    """

    def loss(log_temperature: float) -> float:
        scaled = logits / np.exp(log_temperature)
        scaled = scaled - scaled.max(axis=1, keepdims=True)
        log_total = np.log(np.exp(scaled).sum(axis=1))
        return float((log_total - scaled[np.arange(len(truth)), truth]).mean())

    found = minimize_scalar(loss, bounds=(np.log(1e-3), np.log(1e2)), method="bounded")
    return round(float(np.exp(found.x)), 4)


def softmax(logits: Floats) -> Floats:
    """Shares by row, rounded so that the last bits of float arithmetic do not show."""
    grown = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: Floats = np.round(grown / grown.sum(axis=1, keepdims=True), _DECIMALS)
    return shares


def gain(ours: Sequence[float] | Floats, theirs: Sequence[float] | Floats) -> Gain:
    """Compare two scores of the same rows, larger is better (right or wrong as 1 and 0, or minus the distance)."""
    first, second = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    difference = first - second
    spread = float(difference.std(ddof=1)) / np.sqrt(len(difference)) if len(difference) > 1 else np.inf
    lower = float(difference.mean()) - _SURE * spread
    return Gain(
        round(float(first.mean()), 4), round(float(second.mean()), 4), len(first), round(float(lower), 4)
    )


def calibration_error(confidences: Floats, right: NDArray[np.bool_], bins: int = 10) -> float:
    """Expected calibration error: mean distance of confidence and share right over equally wide bins."""
    places = np.minimum((confidences * bins).astype(int), bins - 1)
    total = 0.0
    for place in range(bins):
        inside = places == place
        if inside.any():
            total += float(abs(confidences[inside].mean() - right[inside].mean()) * inside.mean())
    return round(total, 4)


def _regression(x: Floats, y: NDArray[np.integer], strength: float) -> tuple[Floats, Floats, list[int]]:
    """Weights [classes, d], offsets and the classes seen, in order."""
    known = sorted(set(y.tolist()))
    if len(known) == 1:
        return np.zeros((1, x.shape[1])), np.zeros(1), known
    model = LogisticRegression(C=strength, max_iter=500).fit(x, y)
    if len(known) == 2:  # scikit-learn keeps the second class's weights alone
        weights, offsets = np.vstack([-model.coef_, model.coef_]) / 2, np.concatenate(
            [-model.intercept_, model.intercept_]
        ) / 2  # fmt: skip
        return weights, offsets, known
    return model.coef_, model.intercept_, known
