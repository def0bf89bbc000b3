"""Which of the pulled states of reviews count: the newest one of each annotation, and the slot it was given in."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from benchwright.schemas.jobs import Review

ADJUDICATION = "adjudication"
"""Slot of those who decide between answers that differ; final."""
QUALIFICATION = "qualification"
"""Slot of the items with known answers that newcomers begin with; settles nothing."""


def is_review_slot(slot: str) -> bool:
    """Whether it is one of the independent reviews."""
    return slot not in {ADJUDICATION, QUALIFICATION}


def moment(review: Review) -> datetime:
    """When a state was written: as a time, not as text, since a server leaves the fraction out where it is zero."""
    return datetime.fromisoformat(review.updated_at)


def current_states(reviews: Iterable[Review]) -> list[Review]:
    """The newest state of each annotation, by field; deleted ones are gone.

    A field that an annotation does not hold any more is gone too: whoever emptied it, skipped the task later, or could
    not decide after all, has taken that answer back.

    Args:
        reviews: all pulled states in the order of the file (the later line wins among equal time stamps).
    """
    newest: dict[str, datetime] = {}
    states: dict[tuple[str, str], tuple[datetime, Review]] = {}
    for review in reviews:
        at = moment(review)
        if at >= newest.get(review.annotation_id, at):
            newest[review.annotation_id] = at
            states[review.annotation_id, review.field] = (at, review)
    return [
        review
        for at, review in states.values()
        if at == newest[review.annotation_id] and review.state != "deleted"
    ]
