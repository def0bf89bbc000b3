"""Figures over pairs of words: what a machine proposed, and what turned out right. Pure functions.

Intervals are Wilson's (scipy), kappa is Cohen's (scikit-learn; for levels with quadratic weights over the whole scale,
so that a level nobody used still counts as a step), the calibration error is the mean distance of confidence and share
of right proposals over ten equal bins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from benchwright.schemas.digest import canonical_json
from benchwright.schemas.jobs import FieldKind, JobField
from benchwright.schemas.records import Record

BINS = 10
DIGITS = 6
"""Decimals of shares in files: more would only show the machine's rounding."""
_UNORDERED = frozenset({"knowledge_points", "findings"})


@dataclass(frozen=True)
class Pair:
    """One proposal and the value that it is held against."""

    proposed: JsonValue
    right: JsonValue
    confidence: float | None = None
    equal: bool = False


class Share(Record):
    """`equal` of `n`, with a 95 % Wilson interval; None where n is 0."""

    n: int
    equal: int
    share: float | None
    low: float | None
    high: float | None
    majority: float | None
    """Share of the most frequent right value: what always saying the same would reach. None for free values."""


class Confusion(Record):
    """How often which value was proposed where which was right."""

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    """Rows: right; columns: proposed."""
    kappa: float | None
    """Cohen's; None where it is not defined (one value only)."""
    weights: Literal["none", "quadratic"]


class Bin(Record):
    """Proposals with a confidence in `[low, high)`; the last bin includes 1."""

    low: float
    high: float
    n: int
    confidence: float
    """Mean."""
    share: float
    """Of right ones."""


class Calibration(Record):
    """Do confidences mean what they say?"""

    n: int
    without: int
    """Proposals without a confidence, left out."""
    error: float
    """Expected calibration error, 0..1."""
    bins: tuple[Bin, ...]
    """Those that hold any."""


def same_value(proposed: JsonValue, right: JsonValue, field: JobField) -> bool:
    """Whether two values of a field say the same: lists from a closed list of values in any order, texts trimmed."""
    if field.kind is FieldKind.MULTI and isinstance(proposed, list) and isinstance(right, list):
        if field.values or field.name in _UNORDERED:
            return sorted(map(canonical_json, proposed)) == sorted(map(canonical_json, right))
        return [_trimmed(entry) for entry in proposed] == [_trimmed(entry) for entry in right]
    return canonical_json(_trimmed(proposed)) == canonical_json(_trimmed(right))


def share_of(pairs: Sequence[Pair], field: JobField) -> Share:
    """Share of equal pairs with its interval, and what the most frequent right value alone would reach."""
    n, equal = len(pairs), sum(pair.equal for pair in pairs)
    if n == 0:
        return Share(n=0, equal=0, share=None, low=None, high=None, majority=None)
    interval = binomtest(equal, n).proportion_ci(0.95, method="wilson")
    most = Counter(canonical_json(pair.right) for pair in pairs).most_common(1)[0][1]
    closed = field.kind in (FieldKind.CHOICE, FieldKind.INTEGER, FieldKind.BOOLEAN)
    return Share(
        n=n,
        equal=equal,
        share=round(equal / n, DIGITS),
        low=round(float(interval.low), DIGITS),
        high=round(float(interval.high), DIGITS),
        majority=round(most / n, DIGITS) if closed else None,
    )


def confusion_of(pairs: Sequence[Pair], field: JobField) -> Confusion | None:
    """Confusion matrix and kappa of a field with single values; None for other fields or without pairs."""
    if not pairs or field.kind not in (FieldKind.CHOICE, FieldKind.INTEGER):
        return None
    right = [str(pair.right) for pair in pairs]
    proposed = [str(pair.proposed) for pair in pairs]
    seen = {*right, *proposed}
    levels = field.minimum is not None and field.maximum is not None
    if levels:
        assert field.minimum is not None and field.maximum is not None
        labels = [str(level) for level in range(field.minimum, field.maximum + 1)]
        labels += sorted(seen - set(labels))
    else:
        labels = [value for value in field.values if value in seen] + sorted(seen - set(field.values))
    if len(labels) == 1:
        return Confusion(labels=tuple(labels), counts=((len(pairs),),), kappa=None, weights="none")
    matrix = confusion_matrix(right, proposed, labels=labels)
    kappa = None
    if len(seen) > 1:
        weights = "quadratic" if levels else None
        kappa = round(float(cohen_kappa_score(right, proposed, labels=labels, weights=weights)), DIGITS)
    return Confusion(
        labels=tuple(labels),
        counts=tuple(tuple(int(count) for count in row) for row in matrix),
        kappa=kappa,
        weights="quadratic" if levels else "none",
    )


def calibration_of(pairs: Sequence[Pair]) -> Calibration | None:
    """Calibration over equal bins; None where no proposal has a confidence."""
    sure = [(pair.confidence, pair.equal) for pair in pairs if pair.confidence is not None]
    if not sure:
        return None
    filled: dict[int, list[tuple[float, bool]]] = {}
    for confidence, equal in sure:
        filled.setdefault(min(BINS - 1, int(confidence * BINS)), []).append((confidence, equal))
    bins = []
    for number, entries in sorted(filled.items()):
        n = len(entries)
        bins.append(
            Bin(
                low=number / BINS,
                high=(number + 1) / BINS,
                n=n,
                confidence=round(sum(confidence for confidence, _ in entries) / n, DIGITS),
                share=round(sum(equal for _, equal in entries) / n, DIGITS),
            )
        )
    error = sum(entry.n * abs(entry.confidence - entry.share) for entry in bins) / len(sure)
    return Calibration(
        n=len(sure), without=len(pairs) - len(sure), error=round(error, DIGITS), bins=tuple(bins)
    )


def _trimmed(value: JsonValue) -> JsonValue:
    return value.strip() if isinstance(value, str) else value
