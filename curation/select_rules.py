"""The rules of a choice, worked out once for a pool: points and targets, bands of levels and subjects, limits on likes.

What a selection is worth, and which rules it breaks, follows from here alone; the solver is never asked.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchwright.curation.select_items import Candidate, frequencies, levels_of, shared_values
from benchwright.schemas.selection import ChoiceSettings, Family, RuleSlack, Weights, is_stand_in


@dataclass(frozen=True)
class Band:
    """A rule on how many questions share a level or subject: `lower <= count <= upper`."""

    rule: str
    lower: int
    upper: int
    hard: bool


@dataclass(frozen=True)
class Cap:
    """At most `limit` questions with one value of a family."""

    family: Family
    limit: int
    hard: bool
    price: float = 0.0
    """Lost for each question beyond a soft limit."""


@dataclass(frozen=True)
class Rules:
    """Everything that a selection is held against."""

    n: int
    targets: dict[str, int]
    """Count up to which each point earns; by point, sorted."""
    must: tuple[str, ...]
    """Points that every selection holds."""
    bands: tuple[Band, ...]
    caps: tuple[Cap, ...]
    weights: Weights

    @classmethod
    def of(cls, pool: Sequence[Candidate], settings: ChoiceSettings) -> Rules:
        """The rules that settings make for a pool; its frequencies give targets and bands."""
        targets = frequency_targets(pool, settings.n)
        return cls(
            settings.n,
            targets,
            tuple(must_cover(targets, settings)),
            tuple(bands(pool, settings)),
            caps(settings),
            settings.weights,
        )

    def worth(self, chosen: Sequence[Candidate]) -> float:
        """The objective of a choice, straight from its definition."""
        weights = self.weights
        counts = Counter(point for item in chosen for point in item.points)
        value = weights.point * sum(min(count, self.targets.get(point, 0)) for point, count in counts.items())
        value += weights.stand_in_covered * sum(1 for point in counts if is_stand_in(point))
        value += weights.centrality * math.fsum(item.centrality for item in chosen)
        levels = Counter(rule for item in chosen for rule in levels_of(item))
        value -= weights.quota * sum(outside(band, levels[band.rule]) for band in self.bands if not band.hard)
        for cap in self.caps:
            if not cap.hard:
                value -= cap.price * sum(self.over(cap, chosen).values())
        return round(value, 9)

    def over(self, cap: Cap, chosen: Iterable[Candidate]) -> dict[str, int]:
        """By how many questions a limit is exceeded, by value; values that keep it are not named."""
        counts = Counter(value for item in chosen for value in shared_values(item, cap.family))
        return {value: count - cap.limit for value, count in sorted(counts.items()) if count > cap.limit}

    def broken(self, chosen: Sequence[Candidate]) -> list[str]:
        """The hard rules that a selection breaks, each in words."""
        faults = []
        if len(chosen) != self.n:
            faults.append(f"the selection holds {len(chosen)} questions instead of {self.n}")
        counts = Counter(point for item in chosen for point in item.points)
        faults += [f"{point} is not covered" for point in self.must if not counts[point]]
        faults += [
            f"hard rule {slack.rule} is missed by {slack.relaxed_by}"
            for slack in self.band_slacks(chosen)
            if slack.hard and slack.relaxed_by
        ]
        for cap in self.caps:
            if cap.hard:
                faults += [
                    f"{cap.limit + more} questions share {cap.family}:{value}, {cap.limit} may"
                    for value, more in self.over(cap, chosen).items()
                ]
        return faults

    def band_slacks(self, chosen: Iterable[Candidate]) -> tuple[RuleSlack, ...]:
        """Each band with what it allowed and what it got."""
        counts = Counter(rule for item in chosen for rule in levels_of(item))
        return tuple(
            RuleSlack(
                rule=band.rule,
                hard=band.hard,
                lower=band.lower,
                upper=band.upper,
                count=counts[band.rule],
                relaxed_by=outside(band, counts[band.rule]),
            )
            for band in self.bands
        )


class Counts:
    """A choice that changes, and how many of its items each rule counts."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.must = frozenset(rules.must)
        self.bands: dict[str, Band] = {band.rule: band for band in rules.bands}
        self.points: Counter[str] = Counter()
        self.levels: Counter[str] = Counter()
        self.shared: dict[Family, Counter[str]] = {cap.family: Counter() for cap in rules.caps}
        self.chosen: dict[str, Candidate] = {}

    def change(self, item: Candidate, by: int) -> None:
        """Take an item in (1) or out (-1)."""
        for point in item.points:
            self.points[point] += by
        for rule in levels_of(item):
            self.levels[rule] += by
        for family, counts in self.shared.items():
            for value in shared_values(item, family):
                counts[value] += by
        if by > 0:
            self.chosen[item.question_id] = item
        else:
            del self.chosen[item.question_id]


def outside(band: Band, count: int) -> int:
    """By how many questions a count misses a band."""
    return max(0, band.lower - count, count - band.upper)


def frequency_targets(pool: Sequence[Candidate], n: int) -> dict[str, int]:
    """Count up to which each point earns: a share of `n` in proportion to the square root of its frequency.

    The shares are of `n` times the mean number of points of an item, at least 1 and at most the point's supply.
    The square root prefers frequent points without letting them take everything.
    """
    counts = frequencies(pool)
    slots = n * sum(counts.values()) / len(pool)
    total = math.fsum(math.sqrt(count) for count in counts.values())
    return {
        point: min(count, max(1, math.floor(slots * math.sqrt(count) / total)))
        for point, count in counts.items()
    }


def must_cover(counts: Iterable[str], settings: ChoiceSettings) -> list[str]:
    """The points that every selection has to hold."""
    return [point for point in counts if settings.stand_ins_hard or not is_stand_in(point)]


def caps(settings: ChoiceSettings) -> tuple[Cap, ...]:
    """The limits on what questions may share."""
    weights = settings.weights
    found = [
        Cap("cluster", settings.max_per_cluster, settings.cluster_hard, weights.crowding),
        *_limit("chapter", settings.max_per_chapter, False, weights.chapter),
        *_limit("template", settings.max_per_template),
        *_limit("group", settings.max_per_group),
        *_limit("image", settings.max_per_image),
    ]
    return tuple(found)


def _limit(family: Family, limit: int | None, hard: bool = True, price: float = 0.0) -> list[Cap]:
    return [] if limit is None else [Cap(family, limit, hard, price)]


def bands(pool: Sequence[Candidate], settings: ChoiceSettings) -> list[Band]:
    """The rules on difficulties and subjects, in a fixed order."""
    n = settings.n
    levels = Counter(str(item.difficulty) for item in pool)
    subjects = Counter(item.subject for item in pool)
    if settings.difficulty_quota is not None:
        difficulty = _hard("difficulty", settings.difficulty_quota, settings.quota_tolerance)
    elif settings.difficulty_target is not None:
        difficulty = _aimed("difficulty", settings.difficulty_target, levels, settings.difficulty_tolerance)
    else:
        difficulty = _soft("difficulty", levels, n, 1.0, settings.difficulty_tolerance)
    if settings.subject_quota is not None:
        subject = _hard("subject", settings.subject_quota, settings.quota_tolerance)
    elif settings.subject_target is not None:
        subject = _aimed("subject", settings.subject_target, subjects, settings.subject_tolerance)
    else:
        subject = _soft("subject", subjects, n, settings.subject_balance, settings.subject_tolerance)
    return difficulty + subject


def _hard(name: str, quota: Mapping[str, int], tolerance: int) -> list[Band]:
    return [
        Band(f"{name}:{value}", max(0, count - tolerance), count + tolerance, True)
        for value, count in sorted(quota.items())
    ]


def _aimed(name: str, wanted: Mapping[str, float], supply: Mapping[str, int], tolerance: float) -> list[Band]:
    """Soft bands around given numbers; what a value lacks goes to the others named, in proportion.

    A value that the pool does not have keeps its band, so that the certificate says by how much it is missed.
    """
    named = {value: number for value, number in wanted.items() if supply.get(value) and number > 0}
    total = math.fsum(wanted.values())
    spread = _spread({value: supply[value] for value in named}, total, named)
    return [
        Band(
            f"{name}:{value}",
            max(0, math.floor(target - target * tolerance)),
            math.ceil(target + target * tolerance),
            False,
        )
        for value, target in sorted({**wanted, **spread}.items())
    ]


def _soft(name: str, supply: Mapping[str, int], n: int, balance: float, tolerance: float) -> list[Band]:
    """Soft bands: `balance` of n equally among the values, the rest by supply."""
    width = math.ceil(n * tolerance)
    total = sum(supply.values())
    weight = {value: balance / len(supply) + (1 - balance) * count / total for value, count in supply.items()}
    targets = _spread(supply, n, weight)
    return [
        Band(f"{name}:{value}", max(0, math.floor(target) - width), min(n, math.ceil(target) + width), False)
        for value, target in targets.items()
    ]


def _spread(supply: Mapping[str, int], n: float, weight: Mapping[str, float]) -> dict[str, float]:
    """Split `n` among values by weight; what a value lacks goes to the others."""
    values = sorted(supply)
    targets: dict[str, float] = {}
    open_values, left = values, float(min(n, sum(supply.values())))
    while open_values:
        whole = math.fsum(weight[value] for value in open_values)
        share = {value: left * weight[value] / whole for value in open_values}
        full = [value for value in open_values if share[value] >= supply[value]]
        if not full:
            targets.update(share)
            break
        targets.update({value: float(supply[value]) for value in full})
        left -= sum(supply[value] for value in full)
        open_values = [value for value in open_values if value not in full]
    return {value: targets[value] for value in values}
