"""The smallest set of items that covers every point, and the most that a number of items can cover."""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Sequence

from benchwright.curation.select_items import Candidate
from benchwright.curation.select_solver import Program, Solution
from benchwright.schemas.selection import Cover

_NODES = 100
"""Branches of a search; small pools need a handful. A count, not a time, so that the answer is the same everywhere."""
_EXACT_SETS = 400
"""Different sets up to which the smallest cover is always searched for to the end."""


def smallest_cover(pool: Sequence[Candidate], points: Collection[str], enough: int | None = None) -> Cover:
    """The smallest set of items that holds every one of `points`.

    Args:
        pool: the items.
        points: what has to be held.
        enough: with more than 400 different sets of points, be content to know on which side of `enough` the size
            lies; proving the very smallest can take longer than the choice itself.

    Returns:
        The smallest cover found and a size below which there is none; `proven` where these are equal.

    Raises:
        ValueError: a point that no item carries.
    """
    sets = _distinct_sets(pool, points)
    missing = set(points) - frozenset().union(*sets)
    if missing:
        raise ValueError(f"no item carries {', '.join(sorted(missing))}")
    if not sets:
        return Cover(size=0, lower_bound=0, proven=True)
    if enough is not None and len(sets) > _EXACT_SETS:
        size, lower = _greedy_cover(sets), _bound_below(_cover_program(sets, points, whole=False).solve())
        if size <= enough or lower > enough:
            return Cover(size=size, lower_bound=lower, proven=size == lower)
    solution = _cover_program(sets, points, whole=True).solve(nodes=_NODES)
    lower = _bound_below(solution)
    size = round(-solution.objective) if solution is not None else 0
    return Cover(size=size, lower_bound=lower, proven=size == lower)


def left_uncovered(pool: Sequence[Candidate], points: Collection[str], n: int) -> list[str]:
    """Points that a best choice of `n` items still leaves out, sorted."""
    sets = _distinct_sets(pool, points)
    program = Program()
    columns = [program.variable(0.0, upper=1.0, whole=True) for _ in sets]
    program.row(dict.fromkeys(columns, 1.0), upper=float(n))
    carriers: dict[str, list[int]] = {point: [] for point in sorted(points)}
    for column, held in zip(columns, sets, strict=True):
        for point in held:
            carriers[point].append(column)
    covered: dict[str, int] = {}
    for point, carrying in carriers.items():
        covered[point] = program.variable(1.0, upper=1.0)
        program.row({covered[point]: 1.0, **dict.fromkeys(carrying, -1.0)}, upper=0.0)
    solution = program.solve(nodes=_NODES)
    if solution is None:
        raise RuntimeError("choosing nothing is allowed, yet the solver found no answer")
    return [point for point, column in covered.items() if solution.values[column] < 0.5]


def _cover_program(sets: Sequence[frozenset[str]], points: Collection[str], whole: bool) -> Program:
    program = Program()
    carriers: dict[str, list[int]] = {point: [] for point in sorted(points)}
    for held in sets:
        column = program.variable(-1.0, upper=1.0, whole=whole)
        for point in held:
            carriers[point].append(column)
    for columns in carriers.values():
        program.row(dict.fromkeys(columns, 1.0), lower=1.0)
    return program


def _bound_below(solution: Solution | None) -> int:
    if solution is None:
        raise RuntimeError("all items together are a cover, yet the solver found none")
    return math.ceil(-solution.bound - 1e-6)


def _greedy_cover(sets: Sequence[frozenset[str]]) -> int:
    """Size of the cover that takes the set with most new points each time; ties by the order of the sets."""
    heap = [(-len(held), index) for index, held in enumerate(sets)]
    heapq.heapify(heap)
    open_points = set().union(*sets)
    size = 0
    while open_points:
        known, index = heapq.heappop(heap)
        new = len(sets[index] & open_points)
        if -known != new:
            heapq.heappush(heap, (-new, index))
            continue
        open_points -= sets[index]
        size += 1
    return size


def _distinct_sets(pool: Sequence[Candidate], points: Collection[str]) -> list[frozenset[str]]:
    """The different sets of wanted points that items carry; sets within another are left out, no cover needs them."""
    wanted = frozenset(points)
    sets = sorted(
        {wanted.intersection(item.points) for item in pool}, key=lambda held: (-len(held), sorted(held))
    )
    by_point: dict[str, list[frozenset[str]]] = {}
    kept: list[frozenset[str]] = []
    for held in sets:
        if not held:
            continue
        rivals = by_point.get(min(held, key=lambda point: len(by_point.get(point, ()))), [])
        if any(held <= rival for rival in rivals):
            continue
        kept.append(held)
        for point in held:
            by_point.setdefault(point, []).append(held)
    return kept
