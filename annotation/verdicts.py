"""From every pulled state of every annotation to one final value per key. Pure functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from benchwright.annotation.consensus import ConsensusRule, consensus_values
from benchwright.annotation.slots import ItemKey, counted, item_key
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.jobs import JOBS, Key, Review, Verdict
from benchwright.schemas.review_states import ADJUDICATION, QUALIFICATION, current_states

SLOTS = ("A",)
"""The independent reviews that an item needs where nobody says otherwise."""


def derive_verdicts(
    reviews: Sequence[Review], slots: Sequence[str] = SLOTS, consensus: ConsensusRule | None = None
) -> list[Verdict]:
    """One verdict per key, sorted by key.

    Its basis is the first of these that holds:

    - `adjudicated`: an adjudicator answered; several who answer differently leave it open. Of a field that need not be
      filled in, an adjudicator's blank is an answer too (value None).
    - `agreed`: every slot has a submitted answer and all submitted answers are the same.
    - `consensus`: the recipe allows it, enough people answered, nobody of them gave no answer, and one value is likely
      enough.
    - `open`: all else. Two people who disagree, a skipped task, a draft or a missing slot settle nothing: no last word
      wins, and a draft counts for nothing. A field that one filled in and another left empty is a disagreement.

    A person who answered in two slots counts in the first; the qualification set settles nothing.

    Args:
        reviews: all pulled states.
        slots: the independent reviews that an item needs.
        consensus: the rule; None where the recipe allows none.
    """
    live: dict[Key, list[Review]] = defaultdict(list)
    for review in reviews:
        if review.slot != QUALIFICATION:
            live[review.key]  # a key whose annotations were all deleted stays, as open
    states = counted(current_states(reviews))
    for review in states:
        live[review.key].append(review)
    jobs = {review.key: review.job for review in reviews}
    likely = {} if consensus is None else consensus_values(states, consensus)
    answered = _answered(states)
    return [
        _verdict(jobs[key], key, [*live[key], *_blanks(key, live[key], answered)], slots, likely)
        for key in sorted(live, key=_order)
    ]


def _answered(states: Iterable[Review]) -> dict[ItemKey, list[Review]]:
    """One answer of each submitted annotation that gave any, by item."""
    found: dict[ItemKey, dict[str, Review]] = defaultdict(dict)
    for review in states:
        if review.state == "submitted" and review.value is not None:
            found[item_key(review)].setdefault(review.annotation_id, review)
    return {item: list(by_annotation.values()) for item, by_annotation in found.items()}


def _blanks(key: Key, states: Sequence[Review], answered: Mapping[ItemKey, Sequence[Review]]) -> list[Review]:
    """What people said of a field that others filled in and they left empty, where it is one that may be empty."""
    wholes = answered.get((key.item_id, key.language, key.digest), ())
    if not states or not wholes or JOBS[wholes[0].job].field(key.field).required:
        return []
    spoken = {review.annotation_id for review in states}
    return [
        whole.model_copy(update={"field": key.field, "value": None, "undecided": None})
        for whole in wholes
        if whole.annotation_id not in spoken
    ]


def _verdict(
    job: str, key: Key, states: Sequence[Review], slots: Sequence[str], likely: Mapping[Key, JsonValue]
) -> Verdict:
    basis, value, by = _decision(key, states, slots, likely)
    return Verdict.model_validate(
        {
            **key.model_dump(),
            "job": job,
            "value": value,
            "basis": basis,
            "by": tuple(sorted({review.pseudonym for review in by})),
        }
    )


def _decision(
    key: Key, states: Sequence[Review], slots: Sequence[str], likely: Mapping[Key, JsonValue]
) -> tuple[str, JsonValue, Sequence[Review]]:
    """Basis, value, and the reviews it rests on."""
    last = [review for review in states if review.slot == ADJUDICATION and review.state == "submitted"]
    if last:
        values = {canonical_json(review.value) for review in last}
        empty = not JOBS[last[0].job].field(key.field).required and last[0].undecided is None
        settled = len(values) == 1 and (last[0].value is not None or empty)
        return ("adjudicated", last[0].value, last) if settled else ("open", None, states)
    said = [review for review in states if review.state == "submitted" and review.value is not None]
    silent = any(review.state == "submitted" and review.value is None for review in states)
    complete = set(slots) <= {review.slot for review in said}
    if silent or not complete:
        return "open", None, states
    if len({canonical_json(review.value) for review in said}) == 1:
        return "agreed", said[0].value, said
    if key in likely:
        return "consensus", likely[key], said
    return "open", None, states


def _order(key: Key) -> tuple[str, str, str, str]:
    return (key.item_id, key.language or "", key.field, key.digest)
