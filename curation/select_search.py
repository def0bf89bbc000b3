"""The exact search: a program over few items, proven for all of them.

Items that the linear relaxation asks for are added until their prices prove its value for the whole pool (column
generation; Dantzig and Wolfe). Then the same prices say how much any left-out item would cost a selection that takes
it: a whole-number program over the cheap ones is solved, and grows until no item outside can close the gap
(reduced-cost fixing). So the bound holds for all items although the solver saw few.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from benchwright.curation.select_model import Floats, Ints, Model, Priced
from benchwright.curation.select_solver import Solution, rounded_up

_BATCH = 4000
"""Most items that one round adds."""
_ROUNDS = 200
_PER_ROW = 3
"""Items that the first program has for each rule."""
_SMALL = 2000
"""Pools up to which all items enter at once."""
_MARGIN = 3
"""Items of the first whole-number program, times n."""
_NOISE = 1e-7
"""Relative: below what the solver's own tolerances could hide."""


@dataclass(frozen=True)
class Effort:
    """How hard to search."""

    gap_limit: float
    time_limit: float
    """Seconds for everything."""
    seed: int
    small: int = _SMALL
    """Pools of at most so many items enter whole."""
    margin: int = _MARGIN


@dataclass(frozen=True)
class Found:
    """What the search came to."""

    chosen: Ints
    """Indices of the items, rising."""
    value: float
    bound: float
    """No selection of any of the items is worth more."""
    priced_bound: float
    prices: dict[str, float]
    """By row; none that is 0."""
    stopped: bool
    columns: int
    """Items of the last program."""


@dataclass(frozen=True)
class _Relaxed:
    """Best prices found, and the items whose program gave them."""

    inside: Ints
    prices: Floats
    priced: Priced


def search(model: Model, start: Ints, effort: Effort) -> Found:
    """Find the best selection, beginning with one that keeps every rule.

    Args:
        model: all items and rules.
        start: indices of a selection that the rows allow.
        effort: when to stop.
    """
    deadline = time.monotonic() + effort.time_limit
    size = len(model.gains)
    offered = np.flatnonzero(~model.banned)
    first = offered if size <= effort.small else np.union1d(model.starting(_PER_ROW), start)
    relaxed = _relax(model, first, effort, deadline)
    best, value = start, _value(model, start)
    inside = _cheapest(model, relaxed, max(effort.margin * model.n, effort.small), start)
    while True:
        outside = ~model.banned
        outside[inside] = False
        solution = _whole(model, inside, best, effort, deadline)
        if solution is None:
            raise RuntimeError(
                "a selection that keeps every rule is known, yet the solver says there is none"
            )
        taken = inside[solution.values[: len(inside)] > 0.5]
        if (worth := _value(model, taken)) > value:
            best, value = taken, worth
        bound = min(relaxed.priced.bound, max(solution.bound, relaxed.priced.without(outside), value))
        room = effort.gap_limit * max(1.0, abs(value))
        # An item joins where a selection with it could still be better than what the gap allows.
        slack = relaxed.priced.bound - (value + room)
        joins = outside & (relaxed.priced.values > relaxed.priced.threshold - slack)
        if bound - value <= room or not joins.any() or solution.stopped or time.monotonic() > deadline:
            break
        inside = np.union1d(inside, np.flatnonzero(joins))
    named = {
        name: float(price) for name, price in zip(model.names, relaxed.prices, strict=True) if price != 0.0
    }
    stopped = solution.stopped or time.monotonic() > deadline
    return Found(
        best, value, rounded_up(bound), rounded_up(relaxed.priced.bound), named, stopped, len(inside)
    )


def _relax(model: Model, inside: Ints, effort: Effort, deadline: float) -> _Relaxed:
    """Solve the linear relaxation over all items by adding those that the prices ask for."""
    best: _Relaxed | None = None
    for _ in range(_ROUNDS):
        part = model.part(inside, whole=False)
        solution = part.linear.solve(seed=effort.seed)
        if solution is None:
            raise RuntimeError("a selection that keeps every rule is known, yet its relaxation has none")
        prices: Floats = np.zeros(len(model.names))
        prices[part.rows] = solution.prices[1:]
        prices = model.allowed_prices(prices)
        priced = model.priced(prices)
        if best is None or priced.bound < best.priced.bound:
            best = _Relaxed(inside, prices, priced)
        enough = max(_NOISE, effort.gap_limit / 20)
        if best.priced.bound - solution.objective <= enough * max(1.0, abs(solution.objective)):
            break
        asked = ~model.banned & (priced.values > solution.prices[0] + 1e-9)
        asked[inside] = False
        joining = np.flatnonzero(asked)
        if not len(joining) or time.monotonic() > deadline:
            break
        order = np.argsort(-priced.values[joining], kind="stable")[:_BATCH]
        inside = np.union1d(inside, joining[order])
    if best is None:
        raise RuntimeError("no round of the relaxation was run")
    return _Relaxed(inside, best.prices, best.priced)


def _cheapest(model: Model, relaxed: _Relaxed, count: int, start: Ints) -> Ints:
    """The items that prices make cheapest to take, those of the known selection, and the fixed ones."""
    values = np.where(model.banned, -np.inf, relaxed.priced.values)
    order = np.argsort(-values, kind="stable")[: min(count, int((~model.banned).sum()))]
    return np.union1d(np.union1d(order, start), np.flatnonzero(model.fixed))


def _whole(model: Model, inside: Ints, best: Ints, effort: Effort, deadline: float) -> Solution | None:
    """Solve the whole-number program over the items `inside`, beginning with the best selection known."""
    part = model.part(inside, whole=True)
    taken = np.isin(inside, best).astype(np.float64)
    start = np.concatenate([taken, model.own_values(best)[part.own]])
    left = max(1.0, deadline - time.monotonic())
    return part.linear.solve(effort.gap_limit, left, effort.seed, start=start)


def _value(model: Model, chosen: Ints) -> float:
    """What a selection is worth by the rows: gains, and each row's own variables at their best."""
    own = model.extra.gain * model.own_values(chosen)
    return math.fsum(model.gains[chosen].tolist()) + math.fsum(own.tolist())
