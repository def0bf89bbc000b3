"""Few-shot examples: questions with a worked solution beside the selection, never of the same words or picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from benchwright.curation.select_items import Candidate, shared_values
from benchwright.schemas.selection import Family

_APART: tuple[Family, ...] = ("template", "group", "image")
"""What examples share neither with scored questions nor among each other."""


def choose_dev(
    chosen: Sequence[Candidate], pool: Sequence[Candidate], per_subject: int, total: int = 0
) -> list[Candidate]:
    """Choose examples for each subject: first a level that has none yet, then a cluster, then the most central.

    Args:
        chosen: the scored questions.
        pool: all candidates.
        per_subject: how many of each subject, where there are so many.
        total: above 0: so many in all instead, the subjects in turn.

    Returns:
        By subject, then in the order of choice; fewer where supply ends.
    """
    scored = {item.question_id for item in chosen}
    taken = _likes(chosen)
    supply: dict[str, list[Candidate]] = {}
    for item in sorted(pool, key=lambda item: item.question_id):
        if item.solved and item.question_id not in scored and not item.pinned:
            supply.setdefault(item.subject, []).append(item)
    found: dict[str, list[Candidate]] = {subject: [] for subject in sorted(supply)}
    rounds = total or per_subject
    for _ in range(rounds):
        for subject, mine in found.items():
            if total and sum(map(len, found.values())) >= total:
                break
            supply[subject] = [item for item in supply[subject] if not taken & _likes([item])]
            if supply[subject]:
                best = _next(supply[subject], mine)
                mine.append(best)
                supply[subject].remove(best)
                taken |= _likes([best])
    return [item for mine in found.values() for item in mine]


def _next(offered: Sequence[Candidate], mine: Sequence[Candidate]) -> Candidate:
    levels = Counter(item.difficulty for item in mine)
    clusters = Counter(item.cluster for item in mine)
    return min(
        offered,
        key=lambda item: (
            levels[item.difficulty],
            clusters[item.cluster],
            -item.centrality,
            item.question_id,
        ),
    )


def _likes(items: Iterable[Candidate]) -> set[tuple[Family, str]]:
    return {(family, value) for item in items for family in _APART for value in shared_values(item, family)}
