"""The rules of a choice as a linear program over all items, and the bound that prices alone prove for it.

Each rule is a row `lower <= items that it counts + variables of its own <= upper`. Given a price for each row, an
item's value is its gain less the prices of the rows that count it; the `n` highest values, with what the rows' own
variables can add, are a bound on every selection (Lagrangian duality). So a bound can be checked by arithmetic, and
items that the solver never saw are covered by it.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from benchwright.curation.select_items import Candidate, levels_of, shared_values
from benchwright.curation.select_rules import Rules
from benchwright.curation.select_solver import Linear
from benchwright.schemas.selection import Family, is_stand_in

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_DECIMALS = 9
"""Places that prices keep."""


@dataclass(frozen=True)
class Extra:
    """The variables that rows have of their own; all arrays are [variables]."""

    row: Ints
    sign: Floats
    gain: Floats
    lower: Floats
    upper: Floats


@dataclass(frozen=True)
class Part:
    """The program over some of the items: their variables first, then those that its rows have of their own."""

    linear: Linear
    rows: Ints
    """Which rows of the model it has, after the first."""
    own: Ints
    """Which of the rows' own variables."""


@dataclass(frozen=True)
class Model:
    """A choice among all items of a pool as rows and columns."""

    n: int
    names: tuple[str, ...]
    """Of the rows, sorted within each kind."""
    matrix: sparse.csr_matrix
    """[rows, items], 1 where a row counts an item."""
    lower: Floats
    upper: Floats
    """[rows]"""
    limits: Flags
    """[rows]: limits on likes, which can be left out of a program in which few enough items share the value."""
    extra: Extra
    gains: Floats
    """[items]"""
    fixed: Flags
    banned: Flags
    """[items]: chosen in any case; never chosen."""

    def part(self, inside: Ints, whole: bool) -> Part:
        """The program over the items `inside`; its first row demands exactly n.

        Args:
            inside: indices of items, rising.
            whole: whether items must be taken whole.
        """
        part = self.matrix[:, inside]
        count = np.asarray(part.sum(axis=1)).ravel()
        rows = np.flatnonzero(~self.limits | (count > self.upper))
        own = np.flatnonzero(np.isin(self.extra.row, rows))
        place = np.zeros(len(self.names), np.int64)
        place[rows] = np.arange(len(rows))
        extra = sparse.csr_matrix(
            (self.extra.sign[own], (place[self.extra.row[own]], np.arange(len(own)))),
            shape=(len(rows), len(own)),
        )
        total = sparse.csr_matrix(np.concatenate([np.ones(len(inside)), np.zeros(len(own))])[None, :])
        body = sparse.hstack([part[rows], extra])
        linear = Linear(
            gains=np.concatenate([self.gains[inside], self.extra.gain[own]]),
            lower=np.concatenate([self.fixed[inside].astype(np.float64), self.extra.lower[own]]),
            upper=np.concatenate([np.ones(len(inside)), self.extra.upper[own]]),
            whole=np.arange(len(inside) + len(own)) < (len(inside) if whole else 0),
            matrix=sparse.vstack([total, body]).tocsc(),
            row_lower=np.concatenate([[self.n], self.lower[rows]]),
            row_upper=np.concatenate([[self.n], self.upper[rows]]),
        )
        return Part(linear, rows, own)

    def own_values(self, chosen: Ints) -> Floats:
        """The best values of the rows' own variables for a selection that the rows allow, [variables]."""
        extra, row = self.extra, self.extra.row
        count = np.asarray(self.matrix[:, chosen].sum(axis=1)).ravel()[row]
        lacking = np.maximum(0.0, self.lower[row] - count)
        beyond = np.maximum(0.0, count - self.upper[row])
        counter = np.minimum(count - self.lower[row], extra.upper)
        return np.where(np.isinf(extra.upper), np.where(extra.sign > 0, lacking, beyond), counter)

    def allowed_prices(self, prices: Floats) -> Floats:
        """The nearest prices for which a bound exists, rounded: signs that rows allow, no gain without end."""
        found = np.round(prices, _DECIMALS)
        found = np.where(np.isinf(self.upper), np.minimum(found, 0.0), found)
        found = np.where(np.isinf(self.lower), np.maximum(found, 0.0), found)
        endless = np.isinf(self.extra.upper)
        for row, sign, gain in zip(
            self.extra.row[endless], self.extra.sign[endless], self.extra.gain[endless], strict=True
        ):
            found[row] = max(found[row], gain) if sign > 0 else min(found[row], -gain)
        return found

    def priced(self, prices: Floats) -> Priced:
        """The bound that allowed prices prove."""
        values = self.gains - self.matrix.T @ prices
        paid = np.where(prices > 0, self.upper, np.where(prices < 0, self.lower, 0.0))
        constant = math.fsum((prices * np.where(prices != 0, paid, 0.0)).tolist())
        own = self.extra.gain - self.extra.sign * prices[self.extra.row]
        best = np.where(
            own > 0, np.where(np.isinf(self.extra.upper), 0.0, self.extra.upper), self.extra.lower
        )
        constant += math.fsum((own * best).tolist())
        free = ~(self.fixed | self.banned)
        places = self.n - int(self.fixed.sum())
        kept = math.fsum(values[self.fixed].tolist())
        ranked = np.sort(values[free])[::-1]
        top = math.fsum(ranked[:places].tolist())
        threshold = float(ranked[places - 1]) if places else math.inf
        return Priced(constant + kept + top, values, threshold)

    def starting(self, per_row: int) -> Ints:
        """Items that a first program should have: the best of each row that asks for some, and the fixed ones."""
        found = {int(index) for index in np.flatnonzero(self.fixed)}
        order = np.where(self.banned, -np.inf, self.gains)
        for row in np.flatnonzero(~self.limits):
            members = self.matrix.indices[self.matrix.indptr[row] : self.matrix.indptr[row + 1]]
            members = members[~self.banned[members]]
            best = members[np.argsort(-order[members], kind="stable")[:per_row]]
            found.update(int(index) for index in best)
        return np.array(sorted(found), np.int64)


@dataclass(frozen=True)
class Priced:
    """What prices prove."""

    bound: float
    """No selection is worth more."""
    values: Floats
    """[items]: gain less prices."""
    threshold: float
    """Value of the last item that the bound takes."""

    def without(self, outside: Flags) -> float:
        """A bound on selections that hold at least one of the items `outside` (none may be fixed)."""
        if not outside.any():
            return -math.inf
        return min(self.bound, self.bound - (self.threshold - float(self.values[outside].max())))


class _Builder:
    """Collects rows, their items and their own variables."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.names: list[str] = []
        self.lower: list[float] = []
        self.upper: list[float] = []
        self.limits: list[bool] = []
        self.known: dict[str, int] = {}
        self.extra: list[tuple[int, float, float, float, float]] = []
        self.rows, self.items = array("q"), array("q")

    def row(self, name: str, lower: float, upper: float, limit: bool = False) -> int:
        self.known[name] = len(self.names)
        self.names.append(name)
        self.lower.append(lower)
        self.upper.append(upper)
        self.limits.append(limit)
        return len(self.names) - 1

    def own(self, row: int, sign: float, gain: float, lower: float = 0.0, upper: float = math.inf) -> None:
        self.extra.append((row, sign, gain, lower, upper))

    def count(self, name: str, item: int) -> None:
        if (row := self.known.get(name)) is not None:
            self.rows.append(row)
            self.items.append(item)

    def model(self, n: int, gains: Floats, fixed: Flags, banned: Flags) -> Model:
        columns = np.array(self.extra, np.float64).reshape(-1, 5).T
        rows, items = np.frombuffer(self.rows, np.int64), np.frombuffer(self.items, np.int64)
        return Model(
            n,
            tuple(self.names),
            sparse.csr_matrix((np.ones(len(rows)), (rows, items)), shape=(len(self.names), self.size)),
            np.array(self.lower, np.float64),
            np.array(self.upper, np.float64),
            np.array(self.limits, bool),
            Extra(columns[0].astype(np.int64), *columns[1:]),
            gains,
            fixed,
            banned,
        )


def model_of(
    items: Sequence[Candidate],
    rules: Rules,
    fixed: Collection[str] = (),
    banned: Collection[str] = (),
    elastic: bool = False,
) -> Model:
    """The program of a choice.

    Args:
        items: the pool.
        rules: of that pool.
        fixed: ids that must be chosen.
        banned: ids that must not.
        elastic: let every hard rule but the number n give way, and ask for the least of that instead: a point left
            out costs more than all else together, a question outside a quota or beyond a limit costs 1.
    """
    builder = _Builder(len(items))
    _point_rows(builder, rules, elastic)
    for band in rules.bands:
        if elastic and not band.hard:
            continue
        row = builder.row(band.rule, band.lower, band.upper)
        if elastic or not band.hard:
            price = 1.0 if elastic else rules.weights.quota
            builder.own(row, 1.0, -price)
            builder.own(row, -1.0, -price)
    _limit_rows(builder, items, rules, elastic)
    for index, item in enumerate(items):
        for point in item.points:
            builder.count(f"point:{point}", index)
            if is_stand_in(point):
                builder.count(f"first:{point}", index)
        for rule in levels_of(item):
            builder.count(rule, index)
        for cap in rules.caps:
            for value in shared_values(item, cap.family):
                builder.count(f"{cap.family}={value}", index)
    weight = 0.0 if elastic else rules.weights.centrality
    gains = weight * np.array([item.centrality for item in items], np.float64)
    flags = (np.array([item.question_id in ids for item in items], bool) for ids in (set(fixed), set(banned)))
    return builder.model(rules.n, gains, *flags)


def _point_rows(builder: _Builder, rules: Rules, elastic: bool) -> None:
    """For each point: a counter up to its target, demanded or rewarded from the first occurrence on."""
    must = set(rules.must)
    for point, target in rules.targets.items():
        if elastic:
            if point in must:
                row = builder.row(f"point:{point}", 0.0, math.inf)
                builder.own(row, -1.0, rules.n + 1.0, 0.0, 1.0)
            continue
        row = builder.row(f"point:{point}", 0.0, math.inf)
        builder.own(row, -1.0, rules.weights.point, 1.0 if point in must else 0.0, float(target))
        if is_stand_in(point):
            row = builder.row(f"first:{point}", 0.0, math.inf)
            builder.own(row, -1.0, rules.weights.stand_in_covered, 0.0, 1.0)


def _limit_rows(builder: _Builder, items: Sequence[Candidate], rules: Rules, elastic: bool) -> None:
    """A row for each value that more items share than may be chosen."""
    for cap in rules.caps:
        if elastic and not cap.hard:
            continue
        for value, count in _shared(items, cap.family):
            if count > cap.limit:
                row = builder.row(f"{cap.family}={value}", -math.inf, cap.limit, limit=True)
                if elastic or not cap.hard:
                    builder.own(row, -1.0, -1.0 if elastic else -cap.price)


def _shared(items: Sequence[Candidate], family: Family) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for item in items:
        for value in shared_values(item, family):
            counts[value] = counts.get(value, 0) + 1
    return sorted(counts.items())
