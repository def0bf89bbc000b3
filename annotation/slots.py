"""Independent reviews: which slots there are, and whose answers count once.

A slot is a project of its own, so nobody's queue shows what another slot answered. Label Studio's community edition
has no roles: it cannot keep a person out of the second project. So a person who answered one item in two slots is found
when the answers are read, and counts in the first of them; the other slot of that item then waits for somebody else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import TYPE_CHECKING

from benchwright.schemas.jobs import Review
from benchwright.schemas.review_states import QUALIFICATION, is_review_slot

if TYPE_CHECKING:
    from benchwright.annotation.projects import ProjectMark

REMARKS = frozenset({"comment", "reason"})
"""Fields that say something about an answer; two people need not use the same words."""
ItemKey = tuple[str, str | None, str]
"""Item id, language, digest of what was shown."""


@dataclass(frozen=True)
class Twice:
    """A person who answered one item in several slots."""

    item_id: str
    language: str | None
    digest: str
    pseudonym: str
    slots: tuple[str, ...]
    """Sorted; the first counts."""


def slot_names(count: int) -> tuple[str, ...]:
    """Names of so many slots: "A", "B", ..."""
    return tuple(ascii_uppercase[:count])


def needed_slots(count: int, seen: Iterable[str]) -> tuple[str, ...]:
    """The slots that must have answered: as many as the recipe says, and all others that were opened.

    Args:
        count: of the recipe.
        seen: slots of projects in use or of reviews, special ones included.
    """
    return tuple(sorted({*slot_names(count), *(slot for slot in seen if is_review_slot(slot))}))


def open_slots(marks: Iterable[ProjectMark]) -> set[str]:
    """The slots of the projects in use: of each page those that ask what its newest project asks.

    Args:
        marks: of all projects of a job, oldest first.
    """
    known = list(marks)
    newest = {mark.group: mark.config for mark in known}
    return {mark.slot for mark in known if mark.config == newest[mark.group]}


def item_key(review: Review) -> ItemKey:
    """What the review is about, all its fields together."""
    return (review.item_id, review.language, review.digest)


def answered_twice(states: Sequence[Review]) -> list[Twice]:
    """People who submitted answers to one item in several slots, sorted."""
    slots: dict[tuple[ItemKey, str], set[str]] = defaultdict(set)
    for review in states:
        if review.state == "submitted" and is_review_slot(review.slot):
            slots[item_key(review), review.pseudonym].add(review.slot)
    found = [
        Twice(item[0], item[1], item[2], who, tuple(sorted(names)))
        for (item, who), names in slots.items()
        if len(names) > 1
    ]
    return sorted(found, key=lambda t: (t.item_id, t.language or "", t.digest, t.pseudonym))


def counted(states: Sequence[Review]) -> list[Review]:
    """The states that count: none of the qualification, and of a person in several slots only the first slot's."""
    first = {
        ((twice.item_id, twice.language, twice.digest), twice.pseudonym): twice.slots[0]
        for twice in answered_twice(states)
    }
    return [
        review
        for review in states
        if review.slot != QUALIFICATION
        and (
            not is_review_slot(review.slot)
            or review.slot == first.get((item_key(review), review.pseudonym), review.slot)
        )
    ]
