"""Choosing exactly N questions: every knowledge point once, frequent ones more often, levels and subjects mixed.

VisScience (section 2) states the principles; here they are a mixed-integer program that HiGHS solves with a bound for
the whole pool, so that the choice comes with a proof (`certificate.py`). Hard: exactly N, each knowledge point, quotas
given by number, limits on templates, duplicates and pictures, questions that must stay. Rewarded or charged: points up
to their targets, stand-ins, centrality, soft bands, crowded clusters and chapters.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from benchwright.curation.cover import smallest_cover
from benchwright.curation.select_conflicts import (
    CURED_BY_LEVEL,
    at_level,
    check_fixed,
    check_quotas,
    check_supply,
    checked_cover,
    contradiction,
    path_depth,
)
from benchwright.curation.select_greedy import quick_choice
from benchwright.curation.select_items import Candidate, frequencies, signature
from benchwright.curation.select_model import Ints, Model, model_of
from benchwright.curation.select_rules import Rules, must_cover
from benchwright.curation.select_search import Effort, search
from benchwright.curation.select_solver import status_of
from benchwright.schemas.errors import InfeasibleError, UsageError
from benchwright.schemas.selection import ChoiceSettings, Cover, RefusedLevel, SolverStatus


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
    priced_bound: float
    prices: dict[str, float] = field(default_factory=dict)


def choose(
    name: str,
    pool: Sequence[Candidate],
    settings: ChoiceSettings,
    fixed: Collection[str] = (),
    banned: Collection[str] = (),
) -> Choice:
    """Choose exactly `settings.n` of the items.

    Args:
        name: what is being chosen from, for error messages (the discipline).
        pool: the candidates, in any order.
        settings: the rules and their weights.
        fixed: ids that must stay, beside those that are pinned.
        banned: ids that must not be chosen; they still count where the rules look at the pool.

    Raises:
        InfeasibleError: no choice can keep the hard rules; `conflict` names the rule and the message the figures:
            `budget-exceeds-pool`, `quotas-exceed-budget`, `quotas-below-budget`, `quota-exceeds-supply`,
            `points-without-supply`, `fixed-exceed-budget`, `fixed-against-rules`, `cover-exceeds-budget`,
            `quotas-against-cover`, `rules-against-cover`.
        UsageError: the time ran out before it was known whether there is a choice; or an id of `fixed` is not in the
            pool or banned too.
    """
    items = sorted(pool, key=lambda item: item.question_id)
    kept = _kept(items, fixed, banned)
    cover = checked_cover(name, items, settings)
    rules = Rules.of(items, settings)
    check_supply(items, rules, banned)
    check_quotas(name, items, rules)
    check_fixed(name, [item for item in items if item.question_id in kept], rules)
    model = model_of(items, rules, kept, banned)
    effort = Effort(settings.gap_limit, settings.time_limit, settings.seed)
    start = _start(name, items, rules, settings, model, effort)
    found = search(model, start, effort)
    chosen = _canonical([items[index] for index in found.chosen], items, kept, set(banned))
    if faults := rules.broken(chosen):
        raise RuntimeError(f"the solver's answer breaks hard rules: {faults[0]}")
    objective = rules.worth(chosen)
    bound = max(found.bound, objective)
    return Choice(
        tuple(growth_order(chosen, rules)),
        objective,
        bound,
        status_of(objective, bound, found.stopped),
        cover,
        found.columns,
        max(found.priced_bound, objective),
        found.prices,
    )


def choose_deepest(
    name: str, pool: Sequence[Candidate], settings: ChoiceSettings
) -> tuple[Choice, list[Candidate], ChoiceSettings, tuple[RefusedLevel, ...]]:
    """Choose at the deepest path level at which the hard rules can be kept.

    Returns:
        The choice, the items and settings at its level, and the deeper levels with why each was refused.

    Raises:
        InfeasibleError: not even the first level can be kept, or something that no level cures.
    """
    refused: list[RefusedLevel] = []
    for level in range(path_depth(pool), 0, -1):
        items, own = at_level(pool, level), settings.model_copy(update={"path_level": level})
        try:
            return choose(name, items, own), items, own, tuple(refused)
        except InfeasibleError as error:
            if error.conflict not in CURED_BY_LEVEL or level == 1:
                raise
            refused.append(RefusedLevel(path_level=level, conflict=error.conflict, detail=str(error)))
    raise AssertionError("a path has at least one part")


def preview(name: str, pool: Sequence[Candidate], settings: ChoiceSettings) -> Choice:
    """A quick choice by greedy and exchanges; nothing is proven, its bound is a plain count.

    Raises:
        InfeasibleError: what the checks before any choice find.
    """
    items = sorted(pool, key=lambda item: item.question_id)
    kept = _kept(items, (), ())
    if settings.n > len(items):
        checked_cover(name, items, settings)
    rules = Rules.of(items, settings)
    check_quotas(name, items, rules)
    check_fixed(name, [item for item in items if item.question_id in kept], rules)
    chosen = quick_choice(items, rules, kept)
    wanted = must_cover(frequencies(items), settings)
    cover = smallest_cover(items, wanted, enough=settings.n)
    model = model_of(items, rules, kept)
    bound = model.priced(model.allowed_prices(np.zeros(len(model.names)))).bound
    return Choice(tuple(growth_order(chosen, rules)), rules.worth(chosen), bound, "preview", cover, 0, bound)


def growth_order(chosen: Sequence[Candidate], rules: Rules) -> list[Candidate]:
    """Order a choice so that each next item adds most: uncovered points, then points below target, then centrality."""
    targets = rules.targets
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


def _kept(items: Sequence[Candidate], fixed: Collection[str], banned: Collection[str]) -> set[str]:
    """Ids of all items that must stay."""
    known = {item.question_id for item in items}
    if strangers := sorted(set(fixed) - known):
        raise UsageError(f"{strangers[0]} must stay but is not offered: ingest it again or let it go.")
    kept = {item.question_id for item in items if item.pinned} | set(fixed)
    if both := sorted(kept & set(banned)):
        raise UsageError(
            f"{both[0]} must stay and must not be chosen at once: take it out of one of the two."
        )
    return kept


def _start(
    name: str,
    items: list[Candidate],
    rules: Rules,
    settings: ChoiceSettings,
    model: Model,
    effort: Effort,
) -> Ints:
    """A selection that keeps every hard rule.

    Raises:
        InfeasibleError: there is none.
        UsageError: the time ran out before that was known.
    """
    kept = {items[index].question_id for index in np.flatnonzero(model.fixed)}
    banned = {items[index].question_id for index in np.flatnonzero(model.banned)}
    few = [items[index] for index in model.starting(5)]
    nearest: list[Candidate] = []
    for offered in (few, items) if len(few) < len(items) else (items,):
        nearest = quick_choice(offered, rules, kept, banned)
        if not rules.broken(nearest):
            return _indices(nearest, items)
    nearest = _filled(nearest, items, rules.n, banned)
    elastic = model_of(items, rules, kept, banned, elastic=True)
    found = search(elastic, _indices(nearest, items), replace(effort, gap_limit=0.0))
    best = [items[index] for index in found.chosen]
    if not rules.broken(best):
        return found.chosen
    if found.stopped and found.bound >= (rules.n + 1) * len(rules.must) - 1e-6:
        raise UsageError(
            f"whether the hard rules of {name} can be kept was not known after {settings.time_limit:g} s: raise "
            "time_limit under [selection]."
        )
    raise contradiction(name, best, items, rules, settings)


def _filled(chosen: list[Candidate], items: Sequence[Candidate], n: int, banned: set[str]) -> list[Candidate]:
    """A choice made up to n items, whatever limits that breaks."""
    there = {item.question_id for item in chosen}
    more = (item for item in items if item.question_id not in there and item.question_id not in banned)
    return [*chosen, *(item for item, _ in zip(more, range(n - len(chosen)), strict=False))]


def _indices(chosen: Sequence[Candidate], items: Sequence[Candidate]) -> Ints:
    ids = {item.question_id for item in chosen}
    return np.array([index for index, item in enumerate(items) if item.question_id in ids], np.int64)


def _canonical(
    chosen: Sequence[Candidate], items: Sequence[Candidate], kept: set[str], banned: set[str]
) -> list[Candidate]:
    """Of items that equal each other in all rules take the more central ones, ties by lower id."""
    open_places: Counter[tuple[object, ...]] = Counter(
        signature(item) for item in chosen if item.question_id not in kept
    )
    likes: dict[tuple[object, ...], list[Candidate]] = {}
    for item in items:
        if item.question_id not in kept and item.question_id not in banned:
            key = signature(item)
            if key in open_places:
                likes.setdefault(key, []).append(item)
    best = [item for item in items if item.question_id in kept]
    for key, count in open_places.items():
        best += sorted(likes[key], key=lambda item: (-item.centrality, item.question_id))[:count]
    return sorted(best, key=lambda item: item.question_id)
