"""Why a choice is impossible: the rules that exclude each other, named, with the least that would have to give way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from benchwright.curation.cover import left_uncovered, smallest_cover
from benchwright.curation.select_items import Candidate, frequencies, levels_of, points_at
from benchwright.curation.select_rules import Rules, must_cover
from benchwright.schemas.errors import InfeasibleError
from benchwright.schemas.selection import ChoiceSettings, Cover

_NAMED = 10
"""How many points or rules an error message lists."""
CURED_BY_LEVEL = frozenset({"cover-exceeds-budget", "quotas-against-cover", "rules-against-cover"})
"""Conflicts that shorter paths of knowledge points may solve."""


def listed(names: Sequence[str], sign: str = "; ") -> str:
    """The first names of a list, and how many more there are."""
    more = f"{sign}and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return sign.join(names[:_NAMED]) + more


def path_depth(items: Sequence[Candidate]) -> int:
    """Parts of the longest path among the points."""
    return max((point.count("/") + 1 for item in items for point in item.points), default=1)


def at_level(items: Sequence[Candidate], level: int) -> list[Candidate]:
    """The items with their points cut to a path level."""
    return [replace(item, points=points_at(item.points, item.cluster, level)) for item in items]


def deepest_cover(items: Sequence[Candidate], settings: ChoiceSettings) -> tuple[int, Cover] | None:
    """The deepest path level above the present one whose smallest cover the budget can hold."""
    for level in range(path_depth(items) - 1, 0, -1):
        cut = at_level(items, level)
        cover = smallest_cover(cut, must_cover(frequencies(cut), settings), enough=settings.n)
        if cover.size <= settings.n:
            return level, cover
    return None


def checked_cover(name: str, items: Sequence[Candidate], settings: ChoiceSettings) -> Cover:
    """The smallest cover of the points that must be covered.

    Raises:
        InfeasibleError: it is larger than `n` (`cover-exceeds-budget`), or there are fewer items than `n`
            (`budget-exceeds-pool`).
    """
    n = settings.n
    wanted = must_cover(frequencies(items), settings)
    if n > len(items):
        raise InfeasibleError(
            f"{name} has {len(items)} questions, the budget is {n}: lower the budget or ingest more questions.",
            "budget-exceeds-pool",
        )
    cover = smallest_cover(items, wanted, enough=n)
    if cover.lower_bound > n:
        left = left_uncovered(items, wanted, n)
        needs = f"{cover.size}" if cover.proven else f"at least {cover.lower_bound}"
        raise InfeasibleError(
            f"the smallest cover of {name} needs {needs} questions, the budget is {n}: raise the budget, merge "
            f"knowledge points, or {_shorter_paths(items, settings)} (the best {n} found leave {len(left)} of "
            f"{len(wanted)} points uncovered, for example {listed(left)}).",
            "cover-exceeds-budget",
        )
    return cover


def _shorter_paths(items: Sequence[Candidate], settings: ChoiceSettings) -> str:
    """What `path_level` to set, in words."""
    found = deepest_cover(items, settings)
    if found is None:
        return "lower what must be covered: no path level fits"
    level, cover = found
    size = cover.size if cover.proven else f"at most {cover.size}"
    return f"set path_level = {level} under [selection], the deepest that fits, where {size} questions cover all points"


def check_supply(items: Sequence[Candidate], rules: Rules, banned: Collection[str]) -> None:
    """Refuse where every question of a point that must be covered is banned.

    Raises:
        InfeasibleError: `points-without-supply`.
    """
    left = {point for item in items if item.question_id not in banned for point in item.points}
    gone = [point for point in rules.must if point not in left]
    if gone:
        raise InfeasibleError(
            f"no question is left for {listed(gone)}: ingest more, or merge these points with others.",
            "points-without-supply",
        )


def check_fixed(name: str, kept: Sequence[Candidate], rules: Rules) -> None:
    """Refuse questions that must stay but exclude each other.

    Raises:
        InfeasibleError: `fixed-exceed-budget` or `fixed-against-rules`.
    """
    if len(kept) > rules.n:
        raise InfeasibleError(
            f"{len(kept)} questions of {name} must stay, the budget is {rules.n}: raise the budget or let some go.",
            "fixed-exceed-budget",
        )
    clashes = [
        f"{cap.family}:{value} ({cap.limit + more} of them, {cap.limit} may)"
        for cap in rules.caps
        if cap.hard
        for value, more in rules.over(cap, kept).items()
    ]
    if clashes:
        raise InfeasibleError(
            f"questions of {name} that must stay share {listed(clashes)}: let some of them go or raise the limit under "
            "[selection].",
            "fixed-against-rules",
        )


def check_quotas(name: str, items: Sequence[Candidate], rules: Rules) -> None:
    """Refuse hard quotas that contradict supply or budget.

    Raises:
        InfeasibleError: `quota-exceeds-supply`, `quotas-exceed-budget` or `quotas-below-budget`.
    """
    n = rules.n
    supply = Counter(rule for item in items for rule in levels_of(item))
    hard = [band for band in rules.bands if band.hard]
    for band in hard:
        if band.lower > supply[band.rule]:
            raise InfeasibleError(
                f"the quota {band.rule} of {name} asks for at least {band.lower} questions, the pool has "
                f"{supply[band.rule]}: lower the quota or ingest more such questions.",
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
        free = len(items) - sum(supply[band.rule] for band in own)
        most = sum(min(band.upper, supply[band.rule]) for band in own) + free
        if own and most < n:
            raise InfeasibleError(
                f"the {kind} quotas of {name} allow at most {most} questions together, the budget is {n}: "
                "lower the budget or raise the quotas.",
                "quotas-below-budget",
            )


def contradiction(
    name: str,
    nearest: Sequence[Candidate],
    items: Sequence[Candidate],
    rules: Rules,
    settings: ChoiceSettings,
) -> InfeasibleError:
    """What is wrong when no selection keeps all hard rules.

    Args:
        name: what is being chosen from.
        nearest: the selection that breaks them least.
        items: the pool.
        rules: of that pool.
        settings: that made them.
    """
    held = {point for item in nearest for point in item.points}
    open_points = [point for point in rules.must if point not in held]
    quotas = [
        f"{slack.rule} by {slack.relaxed_by}"
        for slack in rules.band_slacks(nearest)
        if slack.hard and slack.relaxed_by
    ]
    limits = [
        f"{cap.family}:{value} by {more}"
        for cap in rules.caps
        if cap.hard
        for value, more in rules.over(cap, nearest).items()
    ]
    if open_points:
        return InfeasibleError(
            f"no {rules.n} questions of {name} cover all its points: raise the budget, merge knowledge points, or "
            f"{_shorter_paths(items, settings)} (the best leave out {listed(open_points)}).",
            "cover-exceeds-budget",
        )
    families = sorted({rule.split(":")[0] for rule in limits})
    keys = f" (max_per_{', max_per_'.join(families)} under [selection])" if limits else ""
    what = "quotas" if not limits else "quotas and limits" if quotas else "limits"
    return InfeasibleError(
        f"the {what} of {name} and the coverage of all its points exclude each other at {rules.n} questions: the "
        f"smallest relaxation widens {listed([*quotas, *limits], ', ')}{keys}.",
        "rules-against-cover" if limits else "quotas-against-cover",
    )
