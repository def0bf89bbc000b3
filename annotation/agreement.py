"""How far several people agree: percent agreement, Cohen's kappa, Krippendorff's alpha, each with an interval.

Pure functions on numbers. All three are ratios of sums over items, so a bootstrap over items is a product of matrices:
no sample is drawn twice in a loop. Where a figure is undefined (nobody's answers vary) it is None, never 0 or 1.

- Cohen, Educ. Psychol. Meas. 20 (1960), and Psychol. Bull. 70 (1968) for weights; the mean over pairs of raters is
  Light's (Psychol. Bull. 76, 1971).
- Krippendorff, Content Analysis, chapter on reliability: coincidences of the pairable values, missing answers left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
MISSING = -1
"""Code of a cell in which nobody answered."""
RESAMPLES = 1000
LEVEL = 0.95
_BLOCK = 2_000_000
"""Draws made at a time: bounds the memory."""
_UNDEFINED_LIMIT = 0.05
"""Share of resamples without a value from which on no interval is given."""


class Scale(StrEnum):
    """How far two different values are apart."""

    NOMINAL = "nominal"
    """All differences count the same."""
    ORDINAL = "ordinal"
    """By the number of answers between two ranks (Krippendorff's ordinal difference)."""
    INTERVAL = "interval"
    """By the square of the difference of the numbers."""
    GIVEN = "given"
    """By a matrix of disagreements, e.g. 1 - IoU of boxes."""


class Weights(StrEnum):
    """Weights of Cohen's kappa for the distance of two categories in their order."""

    NONE = "none"
    LINEAR = "linear"
    QUADRATIC = "quadratic"


@dataclass(frozen=True)
class Table:
    """Who answered what.

    Attributes:
        codes: shape (units, raters), index of a value, or `MISSING`.
        values: how many different values there are; their order counts for ordinal and interval scales.
        items: shape (units,), the item that each unit belongs to, 0-based: units of one item are drawn together.
        numbers: shape (values,), what the values are as numbers; needed for interval scales.
        distances: shape (values, values), symmetric with a zero diagonal; needed for `Scale.GIVEN`.
    """

    codes: IntArray
    values: int
    items: IntArray
    numbers: FloatArray | None = None
    distances: FloatArray | None = None


@dataclass(frozen=True)
class Estimate:
    """A figure with its percentile interval."""

    value: float | None
    """None where it is undefined."""
    low: float | None
    high: float | None
    units: int
    """Units with at least two answers, which it rests on."""


def table_of(codes: Sequence[Sequence[int]], values: int, items: Sequence[int] | None = None) -> Table:
    """A table from rows of codes; without `items` each row is an item of its own."""
    array = np.asarray(codes, dtype=np.int64)
    own = np.arange(len(array)) if items is None else np.asarray(items)
    return Table(array, values, own.astype(np.int64), numbers=np.arange(values, dtype=np.float64))


def percent_agreement(table: Table, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Share of the pairs of answers to one unit that are the same, mean over units."""
    counts, items, units = _pairable(table)
    per_unit = counts.sum(axis=1)
    same = (counts * (counts - 1)).sum(axis=1) / (per_unit * (per_unit - 1))
    sums = _by_item(np.column_stack([same, np.ones(len(same))]), items)

    def figure(weights: FloatArray) -> FloatArray:
        agreeing, all_of_them = (weights @ sums).T
        return _ratio(agreeing, all_of_them)

    return resampled(figure, len(sums), units, resamples, seed)


def cohen_kappa(
    table: Table, weights: Weights = Weights.NONE, *, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """Chance-corrected agreement of two raters; of more, the mean over their pairs.

    Pairs of raters without a common unit count for nothing, and neither do pairs for which kappa is undefined because
    all answers of both are one value (`pair_kappas` tells which).

    Args:
        table: each column is a rater.
        weights: how much a near miss counts; quadratic for levels.
        resamples: bootstrap samples of items.
        seed: of the bootstrap.
    """
    cost = _kappa_cost(table.values, weights)
    pairs, items, units = _rater_pairs(table)
    if not pairs:
        return Estimate(None, None, None, 0)
    everything = np.ones((1, _items(items)))
    defined = [
        cells for _, _, cells in pairs if not np.isnan(_kappa(everything @ cells, table.values, cost)).any()
    ]
    if not defined:
        return Estimate(None, None, None, units)

    def figure(drawn: FloatArray) -> FloatArray:
        kappas = [_kappa(drawn @ cells, table.values, cost) for cells in defined]
        return np.asarray(np.mean(kappas, axis=0), dtype=np.float64)

    return resampled(figure, _items(items), units, resamples, seed)


def pair_kappas(table: Table, weights: Weights = Weights.NONE) -> dict[tuple[int, int], float | None]:
    """Kappa of each pair of raters (columns) with a common unit; None where all answers of both are one value."""
    cost = _kappa_cost(table.values, weights)
    pairs, items, _ = _rater_pairs(table)
    found: dict[tuple[int, int], float | None] = {}
    for one, other, cells in pairs:
        value = float(_kappa(np.ones((1, _items(items))) @ cells, table.values, cost)[0])
        found[one, other] = None if np.isnan(value) else value
    return found


def _rater_pairs(table: Table) -> tuple[list[tuple[int, int, FloatArray]], IntArray, int]:
    """Pairs of raters with a common unit, their joint counts by item; the units' items; units with two answers."""
    pairable = (table.codes != MISSING).sum(axis=1) >= 2
    codes, items = table.codes[pairable], _renumbered(table.items[pairable])
    pairs: list[tuple[int, int, FloatArray]] = []
    for one, other in combinations(range(codes.shape[1]), 2):
        first, second = codes[:, one], codes[:, other]
        both = (first != MISSING) & (second != MISSING)
        if both.any():
            cells: FloatArray = np.zeros((_items(items), table.values**2))
            np.add.at(cells, (items[both], first[both] * table.values + second[both]), 1.0)
            pairs.append((one, other, cells))
    return pairs, items, len(codes)


def krippendorff_alpha(table: Table, scale: Scale, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """1 minus observed over expected disagreement, for any number of raters and missing answers.

    Raises:
        ValueError: the scale needs `numbers` or `distances` and the table has none.
    """
    counts, items, units = _pairable(table)
    if scale is Scale.ORDINAL:
        return resampled(_ordinal_figure(counts, items), _items(items), units, resamples, seed)
    distances = _distances(table, scale)
    answers = counts.sum(axis=1)
    observed = np.einsum("uc,uc->u", counts @ distances, counts) / (answers - 1)
    margins = _by_item(counts, items)
    disagreement = _by_item(observed[:, None], items)[:, 0]

    def figure(drawn: FloatArray) -> FloatArray:
        n_c = drawn @ margins
        expected = np.einsum("bc,bc->b", n_c @ distances, n_c)
        return _alpha(drawn @ disagreement, expected, n_c.sum(axis=1))

    return resampled(figure, len(margins), units, resamples, seed)


def box_disagreements(boxes: FloatArray) -> FloatArray:
    """1 - intersection over union of each two boxes; boxes without an area agree with their equals alone.

    Args:
        boxes: shape (n, 4): x, y, width, height, in any one unit.

    Returns:
        Shape (n, n), 0 to 1.
    """
    x, y, width, height = boxes.T
    overlaps = []
    for low, size in ((x, width), (y, height)):
        high = low + size
        overlaps.append(np.clip(np.minimum(high[:, None], high) - np.maximum(low[:, None], low), 0.0, None))
    common = overlaps[0] * overlaps[1]
    area = width * height
    apart = 1.0 - np.nan_to_num(_ratio(common, area[:, None] + area - common))
    apart[(boxes[:, None, :] == boxes[None, :, :]).all(axis=2)] = 0.0
    return np.asarray(apart, dtype=np.float64)


def set_disagreement(first: frozenset[str], second: frozenset[str]) -> float:
    """1 - Jaccard index of two sets; two empty sets agree."""
    if not first and not second:
        return 0.0
    return 1.0 - len(first & second) / len(first | second)


def _pairable(table: Table) -> tuple[FloatArray, IntArray, int]:
    """Answers per value, shape (units, values), of the units with two answers or more, and their items from 0 on."""
    counts = np.zeros((len(table.codes), table.values))
    rows, columns = np.nonzero(table.codes != MISSING)
    np.add.at(counts, (rows, table.codes[rows, columns]), 1.0)
    pairable = counts.sum(axis=1) >= 2
    return counts[pairable], _renumbered(table.items[pairable]), int(pairable.sum())


def _renumbered(items: IntArray) -> IntArray:
    """The same items, numbered from 0 on without gaps: only items that can be drawn are drawn."""
    return np.unique(items, return_inverse=True)[1].astype(np.int64)


def _distances(table: Table, scale: Scale) -> FloatArray:
    if scale is Scale.NOMINAL:
        return 1.0 - np.eye(table.values)
    if scale is Scale.INTERVAL:
        if table.numbers is None:
            raise ValueError("an interval scale needs the values as numbers")
        return np.asarray((table.numbers[:, None] - table.numbers[None, :]) ** 2, dtype=np.float64)
    if table.distances is None:
        raise ValueError("a scale of given distances needs their matrix")
    return table.distances


def _ordinal_figure(counts: FloatArray, items: IntArray) -> Callable[[FloatArray], FloatArray]:
    """Ordinal differences depend on how often each rank was given, so on the resample: all pairs of ranks are kept."""
    values = counts.shape[1]
    answers = counts.sum(axis=1)
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(values)
    coincidences = pairs.reshape(len(counts), values**2) / (answers - 1)[:, None]
    per_item, margins = _by_item(coincidences, items), _by_item(counts, items)

    def figure(drawn: FloatArray) -> FloatArray:
        n_c = drawn @ margins
        # The sum of answers from rank c to rank k, half of both ends, is a difference of mid-ranks.
        middle = np.cumsum(n_c, axis=1) - n_c / 2
        distances = (middle[:, :, None] - middle[:, None, :]) ** 2
        observed = np.einsum("bx,bx->b", drawn @ per_item, distances.reshape(len(drawn), values**2))
        expected = np.einsum("bc,bck,bk->b", n_c, distances, n_c)
        return _alpha(observed, expected, n_c.sum(axis=1))

    return figure


def _alpha(observed: FloatArray, expected: FloatArray, n: FloatArray) -> FloatArray:
    """From sums: observed disagreement / n, expected disagreement / n (n - 1)."""
    return np.subtract(1.0, _ratio(observed * (n - 1), expected))


def _kappa_cost(values: int, weights: Weights) -> FloatArray:
    apart = np.abs(np.subtract.outer(np.arange(values), np.arange(values))).astype(np.float64)
    if weights is Weights.NONE:
        return np.asarray(apart > 0, dtype=np.float64)
    return np.asarray(apart if weights is Weights.LINEAR else apart**2, dtype=np.float64)


def _kappa(cells: FloatArray, values: int, cost: FloatArray) -> FloatArray:
    """Kappa of each resample from its joint counts, shape (resamples, values * values)."""
    joint = cells.reshape(-1, values, values)
    rows, columns = joint.sum(axis=2), joint.sum(axis=1)
    observed = np.einsum("bij,ij->b", joint, cost)
    expected = np.einsum("bi,ij,bj->b", rows, cost, columns)
    return np.subtract(1.0, _ratio(observed * rows.sum(axis=1), expected))


def _by_item(per_unit: FloatArray, items: IntArray) -> FloatArray:
    sums = np.zeros((_items(items), per_unit.shape[1]))
    np.add.at(sums, items, per_unit)
    return sums


def _items(items: IntArray) -> int:
    return int(items.max()) + 1 if len(items) else 0


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """NaN where nothing is below: an undefined figure, not an infinite one."""
    return np.asarray(np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below > 0))


def resampled(
    figure: Callable[[FloatArray], FloatArray],
    n_items: int,
    units: int,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """The figure on all items, and its percentiles over resampled items.

    Args:
        figure: shape (resamples, items), how often each item was drawn -> shape (resamples,).
        n_items: items to draw from.
        units: goes into the estimate.
        resamples: how many samples; 0 for no interval.
        seed: of the draws.
    """
    if n_items == 0:
        return Estimate(None, None, None, 0)
    value = float(figure(np.ones((1, n_items)))[0])
    if np.isnan(value):
        return Estimate(None, None, None, units)
    if resamples == 0:
        return Estimate(value, None, None, units)
    figures = np.concatenate([figure(drawn) for drawn in _draws(n_items, resamples, seed)])
    known = figures[~np.isnan(figures)]
    if len(known) < (1 - _UNDEFINED_LIMIT) * resamples:
        return Estimate(value, None, None, units)
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(value, float(low), float(high), units)


def _draws(n_items: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each item is drawn in each resample, in blocks of shape (some resamples, items)."""
    random = np.random.default_rng(seed)
    block = max(1, _BLOCK // n_items)
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        drawn = random.integers(0, n_items, size=(rows, n_items)) + np.arange(rows)[:, None] * n_items
        yield np.bincount(drawn.ravel(), minlength=rows * n_items).reshape(rows, n_items).astype(np.float64)
