"""From every pulled state of every annotation to one final value per key. Pure functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from benchwright.annotation.consensus import ConsensusRule, consensus_values
from benchwright.annotation.slots import REMARKS, ItemKey, counted, item_key
from benchwright.annotation.values import comparable
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.jobs import JOBS, JobField, Key, Review, Verdict
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
    - `agreed`: every slot has a submitted answer and all submitted answers are the same. A field that need not be
      filled in and that all of them left empty, though their page asks for it, is empty (value None).
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
    jobs = {review.key: review.job for review in reviews}
    for review in reviews:
        if review.slot != QUALIFICATION:
            live[review.key]  # a key whose annotations were all deleted stays, as open
    states = counted(current_states(reviews))
    for review in states:
        live[review.key].append(review)
    likely = {} if consensus is None else consensus_values(states, consensus)
    answered = _answered(states)
    for key, job in _left_empty(answered).items():
        live[key]  # nobody said anything: all is in the blanks
        jobs.setdefault(key, job)
    return [
        _verdict(jobs[key], key, live[key], _blanks(key, live[key], answered), slots, likely)
        for key in sorted(live, key=_order)
    ]


def _answered(states: Iterable[Review]) -> dict[ItemKey, list[Review]]:
    """One answer of each submitted annotation that gave any, by item."""
    found: dict[ItemKey, dict[str, Review]] = defaultdict(dict)
    for review in states:
        if review.state == "submitted" and review.value is not None:
            found[item_key(review)].setdefault(review.annotation_id, review)
    return {item: list(by_annotation.values()) for item, by_annotation in found.items()}


def _left_empty(answered: Mapping[ItemKey, Sequence[Review]]) -> dict[Key, str]:
    """The job of each key that a page asked about and that may stay empty; what was filled in is among them."""
    found = {}
    for (item_id, language, digest), wholes in answered.items():
        job = wholes[0].job
        for field in JOBS[job].fields:
            if field.asked and not field.required and field.name not in REMARKS:
                found[Key(item_id=item_id, language=language, field=field.name, digest=digest)] = job
    return found


def _blanks(key: Key, states: Sequence[Review], answered: Mapping[ItemKey, Sequence[Review]]) -> list[Review]:
    """What people said of a field that they left empty, where it is one that may be empty.

    An answer that could not be read has a line of its own, without a value: it is no blank.
    """
    wholes = answered.get((key.item_id, key.language, key.digest), ())
    if not wholes or JOBS[wholes[0].job].field(key.field).required:
        return []
    if not states and not JOBS[wholes[0].job].field(key.field).asked:
        return []
    spoken = {review.annotation_id for review in states}
    return [
        whole.model_copy(update={"field": key.field, "value": None, "undecided": None})
        for whole in wholes
        if whole.annotation_id not in spoken
    ]


def _verdict(
    job: str,
    key: Key,
    states: Sequence[Review],
    blanks: Sequence[Review],
    slots: Sequence[str],
    likely: Mapping[Key, JsonValue],
) -> Verdict:
    basis, value, by = _decision(JOBS[job].field(key.field), states, blanks, slots)
    if basis == "differ":
        basis, value = ("consensus", likely[key]) if key in likely else ("open", None)
        by = by if key in likely else [*states, *blanks]
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
    field: JobField, states: Sequence[Review], blanks: Sequence[Review], slots: Sequence[str]
) -> tuple[str, JsonValue, Sequence[Review]]:
    """Basis (`differ`: everybody answered, not the same), value, and the reviews it rests on."""
    everybody = [*states, *blanks]
    submitted = [review for review in states if review.state == "submitted"]
    said = [review for review in submitted if review.value is not None]
    silent = len(said) < len(submitted)
    last = [review for review in submitted if review.slot == ADJUDICATION]
    last_blank = [review for review in blanks if review.slot == ADJUDICATION]
    words: Sequence[Review]
    if last or last_blank:
        words = last or last_blank
        settled = (
            not (last and last_blank)
            and _one_answer(field, words)
            and (last_blank or words[0].value is not None)
        )
        return ("adjudicated", _first(words), words) if settled else ("open", None, everybody)
    if silent or (said and blanks):
        return "open", None, everybody
    words = said or blanks
    if not words or not set(slots) <= {review.slot for review in words}:
        return "open", None, everybody
    if _one_answer(field, words):
        return "agreed", _first(words), words
    return "differ", None, words


def _one_answer(field: JobField, said: Iterable[Review]) -> bool:
    return len({comparable(field, review.value) for review in said}) == 1


def _first(said: Iterable[Review]) -> JsonValue:
    """The one value of equal answers; of lists that differ in their order always the same one."""
    return min((review.value for review in said), key=canonical_json)


def _order(key: Key) -> tuple[str, str, str, str]:
    return (key.item_id, key.language or "", key.field, key.digest)
