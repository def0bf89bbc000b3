"""Choosing exactly N questions: every knowledge point once, frequent ones more often, levels and subjects mixed.

VisScience (section 2) states the principles; here they are a mixed-integer program that HiGHS solves with a bound, so
that the choice comes with a proof (`certificate.py`). Hard: exactly N, each knowledge point, quotas given by number.
Rewarded or charged: points up to their targets, stand-ins, centrality, soft bands, crowded clusters.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from benchwright.curation.cover import left_uncovered, smallest_cover
from benchwright.curation.select_items import (
    Band,
    Candidate,
    bands,
    frequencies,
    frequency_targets,
    members,
    must_cover,
)
from benchwright.curation.select_solver import Program, Solution
from benchwright.schemas.errors import InfeasibleError
from benchwright.schemas.selection import ChoiceSettings, Cover, SolverStatus, is_stand_in

_NAMED = 10
"""How many uncovered points an error message lists."""


@dataclass(frozen=True)
class Choice:
    """What was chosen, and what the solver proved."""

    chosen: tuple[Candidate, ...]
    """In the order in which the choice grows: most new value first, ties by id."""
    objective: float
    bound: float
    status: SolverStatus
    cover: Cover
    columns: int


def choose(name: str, pool: Sequence[Candidate], settings: ChoiceSettings) -> Choice:
    """Choose exactly `settings.n` of the items.

    Args:
        name: what is being chosen from, for error messages (the discipline).
        pool: the candidates, in any order.
        settings: the rules and their weights.

    Raises:
        InfeasibleError: no choice can keep the hard rules; `conflict` names the rule and the message the figures:
            `budget-exceeds-pool`, `quotas-exceed-budget`, `quotas-below-budget`, `quota-exceeds-supply`,
            `cover-exceeds-budget`, `quotas-against-cover`.
    """
    items = sorted(pool, key=lambda item: item.question_id)
    cover = checked_cover(name, items, must_cover(frequencies(items), settings), settings.n)
    _check_quotas(name, items, settings)
    columns = interchangeable_best(items, settings.n)
    solution, offered = _solve(columns, items, settings, elastic=False)
    if solution is None:
        raise _contradiction(name, columns, items, settings)
    chosen = [columns[column] for column in solution.chosen(offered)]
    objective = worth(chosen, items, settings)
    bound = max(solution.bound, objective)
    return Choice(
        tuple(growth_order(chosen, items, settings)),
        objective,
        bound,
        solution.status(objective),
        cover,
        len(columns),
    )


def interchangeable_best(items: Sequence[Candidate], n: int) -> list[Candidate]:
    """Leave out items that no best choice needs: beyond the n most central ones of those equal in all else.

    Items with equal points, subject, difficulty and cluster can stand for each other in every rule, so of any choice
    the more central ones (ties: lower id) may be taken instead. This loses nothing.
    """
    groups: dict[tuple[tuple[str, ...], str, int, int], list[Candidate]] = {}
    for item in sorted(items, key=lambda item: (-item.centrality, item.question_id)):
        groups.setdefault((item.points, item.subject, item.difficulty, item.cluster), []).append(item)
    kept = [item for group in groups.values() for item in group[:n]]
    return sorted(kept, key=lambda item: item.question_id)


def worth(chosen: Sequence[Candidate], pool: Sequence[Candidate], settings: ChoiceSettings) -> float:
    """The objective of a choice, straight from its definition; `pool` gives targets and bands."""
    weights = settings.weights
    counts = Counter(point for item in chosen for point in item.points)
    value = weights.point * sum(
        min(counts[point], target) for point, target in frequency_targets(pool, settings.n).items()
    )
    value += weights.stand_in_covered * sum(1 for point in counts if is_stand_in(point))
    value += weights.centrality * math.fsum(item.centrality for item in chosen)
    rules = Counter(
        rule for item in chosen for rule in (f"difficulty:{item.difficulty}", f"subject:{item.subject}")
    )
    for band in bands(pool, settings):
        if not band.hard:
            value -= weights.quota * outside(band, rules[band.rule])
    clusters = Counter(item.cluster for item in chosen)
    value -= weights.crowding * sum(max(0, count - settings.max_per_cluster) for count in clusters.values())
    return round(value, 9)


def outside(band: Band, count: int) -> int:
    """By how many questions a count misses a band."""
    return max(0, band.lower - count, count - band.upper)


def growth_order(
    chosen: Sequence[Candidate], pool: Sequence[Candidate], settings: ChoiceSettings
) -> list[Candidate]:
    """Order a choice so that each next item adds most: uncovered points, then points below target, then centrality."""
    targets = frequency_targets(pool, settings.n)
    counts: Counter[str] = Counter()

    def gain(item: Candidate) -> tuple[int, int, float]:
        new = sum(1 for point in item.points if not counts[point])
        below = sum(1 for point in item.points if counts[point] < targets[point])
        return -new, -below, -item.centrality

    # Gains only shrink as the choice grows, so an entry that is still right when it comes up is the best one.
    heap = [(gain(item), item.question_id, item) for item in chosen]
    heapq.heapify(heap)
    ordered: list[Candidate] = []
    while heap:
        known, question_id, item = heapq.heappop(heap)
        if (now := gain(item)) != known:
            heapq.heappush(heap, (now, question_id, item))
            continue
        ordered.append(item)
        counts.update(item.points)
    return ordered


def _check_quotas(name: str, items: Sequence[Candidate], settings: ChoiceSettings) -> None:
    n = settings.n
    supply = {rule: len(indices) for rule, indices in members(items).items()}
    hard = [band for band in bands(items, settings) if band.hard]
    for band in hard:
        if band.lower > supply.get(band.rule, 0):
            raise InfeasibleError(
                f"the quota {band.rule} of {name} asks for at least {band.lower} questions, the pool has "
                f"{supply.get(band.rule, 0)}: lower the quota or ingest more such questions.",
                "quota-exceeds-supply",
            )
    for kind in ("difficulty", "subject"):
        own = [band for band in hard if band.rule.startswith(f"{kind}:")]
        least = sum(band.lower for band in own)
        if least > n:
            raise InfeasibleError(
                f"the {kind} quotas of {name} ask for at least {least} questions together, the budget is {n}: "
                "raise the budget or lower the quotas.",
                "quotas-exceed-budget",
            )
        free = len(items) - sum(supply.get(band.rule, 0) for band in own)
        most = sum(min(band.upper, supply.get(band.rule, 0)) for band in own) + free
        if own and most < n:
            raise InfeasibleError(
                f"the {kind} quotas of {name} allow at most {most} questions together, the budget is {n}: "
                "lower the budget or raise the quotas.",
                "quotas-below-budget",
            )


def checked_cover(name: str, items: Sequence[Candidate], wanted: Sequence[str], n: int) -> Cover:
    """The smallest cover of the wanted points.

    Raises:
        InfeasibleError: it is larger than `n`, or there are fewer items than `n`.
    """
    if n > len(items):
        raise InfeasibleError(
            f"{name} has {len(items)} questions, the budget is {n}: lower the budget or ingest more questions.",
            "budget-exceeds-pool",
        )
    cover = smallest_cover(items, wanted, enough=n)
    if cover.lower_bound > n:
        left = left_uncovered(items, wanted, n)
        more = f"; and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
        needs = f"{cover.size}" if cover.proven else f"at least {cover.lower_bound}"
        raise InfeasibleError(
            f"the smallest cover of {name} needs {needs} questions, the budget is {n}: raise the budget or "
            f"merge knowledge points (the best {n} found leave {len(left)} of {len(wanted)} points "
            f"uncovered, for example {'; '.join(left[:_NAMED])}{more}).",
            "cover-exceeds-budget",
        )
    return cover


def _contradiction(
    name: str, columns: Sequence[Candidate], items: Sequence[Candidate], settings: ChoiceSettings
) -> InfeasibleError:
    """Which hard quotas would have to give way, by how little, for the points to be covered."""
    solution, offered = _solve(columns, items, settings, elastic=True)
    if solution is None:
        return InfeasibleError(
            f"no {settings.n} questions of {name} cover all its points: raise the budget or merge knowledge points.",
            "cover-exceeds-budget",
        )
    chosen = [columns[column] for column in solution.chosen(offered)]
    counts = Counter(
        rule for item in chosen for rule in (f"difficulty:{item.difficulty}", f"subject:{item.subject}")
    )
    broken = [
        f"{band.rule} by {outside(band, counts[band.rule])}"
        for band in bands(items, settings)
        if band.hard and outside(band, counts[band.rule])
    ]
    return InfeasibleError(
        f"the quotas of {name} and the coverage of all its points exclude each other at {settings.n} questions: the "
        f"smallest relaxation widens {', '.join(broken)}.",
        "quotas-against-cover",
    )


def _solve(
    columns: Sequence[Candidate], pool: Sequence[Candidate], settings: ChoiceSettings, elastic: bool
) -> tuple[Solution | None, range]:
    """Build and solve the program. `elastic` lets hard quotas give way and asks for the least of that instead."""
    weights = settings.weights
    program = Program()
    own = 0.0 if elastic else weights.centrality
    offered = range(len(columns))
    for item in columns:
        program.variable(own * item.centrality, upper=1.0, whole=True)
    program.row(dict.fromkeys(offered, 1.0), lower=float(settings.n), upper=float(settings.n))
    _add_points(program, columns, pool, settings, elastic)
    groups = members(columns)
    for band in bands(pool, settings):
        terms = dict.fromkeys(groups.get(band.rule, []), 1.0)
        if not band.hard or elastic:
            price = float(band.hard) if elastic else weights.quota
            terms[program.variable(-price)] = 1.0
            terms[program.variable(-price)] = -1.0
        program.row(terms, lower=float(band.lower), upper=float(band.upper))
    if not elastic:
        for rule, indices in groups.items():
            if rule.startswith("cluster:") and len(indices) > settings.max_per_cluster:
                terms = dict.fromkeys(indices, 1.0)
                terms[program.variable(-weights.crowding)] = -1.0
                program.row(terms, upper=float(settings.max_per_cluster))
    gap = 0.0 if elastic else settings.gap_limit
    return program.solve(gap, settings.time_limit, settings.seed), offered


def _add_points(
    program: Program,
    columns: Sequence[Candidate],
    pool: Sequence[Candidate],
    settings: ChoiceSettings,
    elastic: bool,
) -> None:
    """For each point: a counter up to its target, demanded or rewarded from the first occurrence on."""
    weights = settings.weights
    targets = frequency_targets(pool, settings.n)
    hard = set(must_cover(targets, settings))
    carriers: dict[str, list[int]] = {point: [] for point in targets}
    for index, item in enumerate(columns):
        for point in item.points:
            carriers[point].append(index)
    for point, target in targets.items():
        if elastic and point not in hard:
            continue
        least = 1.0 if point in hard else 0.0
        counter = program.variable(0.0 if elastic else weights.point, lower=least, upper=float(target))
        counting = dict.fromkeys(carriers[point], -1.0)
        program.row({counter: 1.0, **counting}, upper=0.0)
        if is_stand_in(point) and not elastic:
            first = program.variable(weights.stand_in_covered, upper=1.0)
            program.row({first: 1.0, **counting}, upper=0.0)
