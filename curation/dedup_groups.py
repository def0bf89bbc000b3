"""From verified pairs to groups: around the question that stays, never along chains.

Questions are taken in the order of the rule that says which one stays. The first becomes a keeper; those still free
that were verified against **it** are its group; and so on. Two questions are therefore in one group only if each was
held beside the keeper, however many steps of small changes lie between others (marin-community/marin #6854).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from benchwright.curation.dedup_members import Member, same_answer


@dataclass(frozen=True)
class Standing:
    """What decides between repeats, best first."""

    reviewed: Collection[str]
    """Ids of questions that people have reviewed."""
    source_rank: Mapping[str, int]
    """Original source -> rank by first ingest."""

    def order(self, member: Member) -> tuple[int, int, int, int, str]:
        """Sort key: reviewed, more complete, larger picture, older source, id."""
        rank = self.source_rank.get(member.written.source, len(self.source_rank))
        return (-int(member.id in self.reviewed), -member.filled, -member.pixels, rank, member.id)

    def rule(self, keeper: Member, others: Iterable[Member]) -> str:
        """The criterion by which the keeper stands before the next best member."""
        best = min(map(self.order, others))
        mine = self.order(keeper)
        return next(name for name, a, b in zip(RULES, mine, best, strict=True) if a != b)


RULES = ("reviewed", "complete", "image-quality", "older-source", "id")
"""In this order."""


@dataclass(frozen=True)
class Group:
    """Questions that are one and the same."""

    keeper: Member
    others: tuple[Member, ...]
    """By id; each verified against the keeper."""
    rule: str
    disputed: bool
    """The members name different answers, and people have not called those one question."""
    contradictory: bool = False
    """The members name different answers, whatever people said."""

    @property
    def members(self) -> tuple[Member, ...]:
        """Keeper first."""
        return (self.keeper, *self.others)


def form_groups(
    members: Mapping[int, Member],
    linked: Callable[[int], Iterable[int]],
    standing: Standing,
    same: Callable[[Member, Member], bool],
    settled: Callable[[Member, Member], bool] = lambda keeper, other: False,
) -> list[Group]:
    """Groups of at least two questions, by the id of the one that stays.

    Args:
        members: questions by row.
        linked: row -> rows that something brought together with it (both ways).
        standing: which one stays.
        same: verifies a pair.
        settled: whether people said that two are one, whatever their answers.
    """
    free = dict.fromkeys(sorted(members, key=lambda row: standing.order(members[row])))
    groups = []
    while free:
        row = next(iter(free))
        del free[row]
        keeper = members[row]
        near = [other for other in linked(row) if other in free and same(keeper, members[other])]
        if not near:
            continue
        for other in near:
            del free[other]
        others = tuple(sorted((members[other] for other in near), key=lambda member: member.id))
        apart = [other for other in others if not same_answer(keeper, other)]
        disputed = not all(settled(keeper, other) for other in apart)
        groups.append(Group(keeper, others, standing.rule(keeper, others), disputed, bool(apart)))
    return sorted(groups, key=lambda group: group.keeper.id)
