"""From every pulled state of every annotation to one final value per key. Pure functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

from benchwright.schemas.digest import canonical_json
from benchwright.schemas.jobs import Key, Review, Verdict

SLOTS = ("A",)
"""The independent reviews that an item needs. One slot so far; a second makes blind double review."""


def current_states(reviews: Iterable[Review]) -> list[Review]:
    """The newest state of each annotation and field; deleted ones are gone.

    Args:
        reviews: all pulled states in the order of the file (the later line wins among equal time stamps).
    """
    newest: dict[tuple[str, str], Review] = {}
    for review in reviews:
        name = (review.annotation_id, review.field)
        if name not in newest or _moment(review) >= _moment(newest[name]):
            newest[name] = review
    return [review for review in newest.values() if review.state != "deleted"]


def derive_verdicts(reviews: Sequence[Review], slots: Sequence[str] = SLOTS) -> list[Verdict]:
    """One verdict per key, sorted by key.

    `agreed`: every slot has a submitted answer and all submitted answers are the same. Two people who disagree, a
    skipped task, a draft or a missing slot leave the key `open`: no last word wins, and a draft counts for nothing.
    """
    live: dict[Key, list[Review]] = defaultdict(list)
    for review in reviews:
        live[review.key]  # a key whose annotations were all deleted stays, as open
    for review in current_states(reviews):
        live[review.key].append(review)
    jobs = {review.key: review.job for review in reviews}
    return [_verdict(jobs[key], key, live[key], slots) for key in sorted(live, key=_order)]


def _moment(review: Review) -> datetime:
    """As a time, not as text: a server leaves the fraction out where it is zero."""
    return datetime.fromisoformat(review.updated_at)


def _verdict(job: str, key: Key, states: Sequence[Review], slots: Sequence[str]) -> Verdict:
    said = [review for review in states if review.state == "submitted" and review.value is not None]
    silent = any(review.state == "submitted" and review.value is None for review in states)
    values = {canonical_json(review.value) for review in said}
    complete = set(slots) <= {review.slot for review in said}
    agreed = len(values) == 1 and complete and not silent
    by = said if agreed else states
    return Verdict(
        job=job,
        item_id=key.item_id,
        language=key.language,
        field=key.field,
        digest=key.digest,
        value=said[0].value if agreed else None,
        basis="agreed" if agreed else "open",
        by=tuple(sorted({review.pseudonym for review in by})),
    )


def _order(key: Key) -> tuple[str, str, str, str]:
    return (key.item_id, key.language or "", key.field, key.digest)
