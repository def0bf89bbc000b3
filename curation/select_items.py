"""The items of a choice and what is wanted of them: points, frequency targets, bands for difficulties and subjects."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchwright.schemas.digest import digest_of
from benchwright.schemas.selection import ChoiceSettings, is_stand_in, stand_in


@dataclass(frozen=True)
class Candidate:
    """One question as the choice sees it."""

    question_id: str
    subject: str
    difficulty: int
    cluster: int
    centrality: float
    points: tuple[str, ...]
    """Sorted, without repeats, at the path level that must be covered; never empty."""
    estimated: tuple[str, ...] = ()
    """Fields whose values are estimates."""


@dataclass(frozen=True)
class Band:
    """A rule on how many questions share a value: `lower <= count <= upper`."""

    rule: str
    lower: int
    upper: int
    hard: bool


def points_at(points: Iterable[str], cluster: int, path_level: int | None) -> tuple[str, ...]:
    """A question's points cut to the path level; its cluster's stand-in where it has none."""
    cut = {"/".join(point.split("/")[:path_level]) for point in points}
    return tuple(sorted(cut)) or (stand_in(cluster),)


def pool_digest(pool: Iterable[Candidate]) -> str:
    """Digest of the items as the model sees them, whatever their order."""
    return digest_of(
        [
            [item.question_id, item.points, item.subject, item.difficulty, item.cluster, item.centrality]
            for item in sorted(pool, key=lambda item: item.question_id)
        ]
    )


def frequencies(items: Iterable[Candidate]) -> dict[str, int]:
    """How many items carry each point, by point in sorted order."""
    counts = Counter(point for item in items for point in item.points)
    return dict(sorted(counts.items()))


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


def must_cover(counts: Mapping[str, int], settings: ChoiceSettings) -> list[str]:
    """The points that every selection has to hold."""
    return [point for point in counts if settings.stand_ins_hard or not is_stand_in(point)]


def bands(pool: Sequence[Candidate], settings: ChoiceSettings) -> list[Band]:
    """The rules on difficulties and subjects, in a fixed order."""
    levels = Counter(str(item.difficulty) for item in pool)
    subjects = Counter(item.subject for item in pool)
    n = settings.n
    if settings.difficulty_quota is not None:
        difficulty = _hard("difficulty", settings.difficulty_quota, settings.quota_tolerance)
    else:
        difficulty = _soft("difficulty", levels, n, 1.0, settings.difficulty_tolerance)
    if settings.subject_quota is not None:
        subject = _hard("subject", settings.subject_quota, settings.quota_tolerance)
    else:
        subject = _soft("subject", subjects, n, settings.subject_balance, settings.subject_tolerance)
    return difficulty + subject


def members(pool: Sequence[Candidate]) -> dict[str, list[int]]:
    """Indices of the items that each rule speaks of, by rule name."""
    groups: dict[str, list[int]] = {}
    for index, item in enumerate(pool):
        for rule in rules_of(item):
            groups.setdefault(rule, []).append(index)
    return groups


def rules_of(item: Candidate) -> tuple[str, str, str]:
    """Names of the rules that count an item."""
    return f"difficulty:{item.difficulty}", f"subject:{item.subject}", f"cluster:{item.cluster}"


def _hard(name: str, quota: Mapping[str, int], tolerance: int) -> list[Band]:
    return [
        Band(f"{name}:{value}", max(0, count - tolerance), count + tolerance, True)
        for value, count in sorted(quota.items())
    ]


def _soft(name: str, supply: Mapping[str, int], n: int, balance: float, tolerance: float) -> list[Band]:
    width = math.ceil(n * tolerance)
    targets = _spread(supply, n, balance)
    return [
        Band(f"{name}:{value}", max(0, math.floor(target) - width), min(n, math.ceil(target) + width), False)
        for value, target in targets.items()
    ]


def _spread(supply: Mapping[str, int], n: int, balance: float) -> dict[str, float]:
    """Split `n` among values: `balance` of it equally, the rest by supply; what a value lacks goes to the others."""
    values = sorted(supply)
    total = sum(supply.values())
    weight = {value: balance / len(values) + (1 - balance) * supply[value] / total for value in values}
    targets: dict[str, float] = {}
    open_values, left = values, float(min(n, total))
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
