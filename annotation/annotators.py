"""What each person did: for the project's own eyes. These figures go to a private file and are published nowhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from pydantic import JsonValue

from benchwright.annotation.consensus import CLOSED, joint_opinions
from benchwright.annotation.gold import PASS_SHARE, is_right
from benchwright.annotation.opinions import agreeing_fields, submitted_answers
from benchwright.annotation.slots import answered_twice, counted
from benchwright.annotation.values import comparable
from benchwright.schemas.jobs import JOBS, Key, Proposal, Review
from benchwright.schemas.records import Record
from benchwright.schemas.review_states import QUALIFICATION, is_review_slot

LEAST_TASKS = 20
FAST_SHARE = 0.5
FAST_FRACTION = 0.25
FAST_SECONDS = 3.0
LEAST_WRONG = 5
RULE = (
    f"A warning is given where, of {LEAST_TASKS} tasks or more that showed a proposal, {FAST_SHARE:.0%} or more were "
    f"submitted with nothing changed in less than {FAST_FRACTION:.0%} of the job's median time (or in less than "
    f"{FAST_SECONDS:g} s); and where, of {LEAST_WRONG} proposals or more that gold answers show to be wrong, "
    f"{FAST_SHARE:.0%} or more were kept."
)
"""When somebody may be passing proposals through unread."""


class Share(Record):
    """So many of so many."""

    n: int
    of: int

    @property
    def share(self) -> float | None:
        """None of nothing."""
        return self.n / self.of if self.of else None


class PersonFigures(Record):
    """One person in one job."""

    pseudonym: str
    tasks: int
    """Tasks they submitted in review slots."""
    skipped: int
    drafts: int
    cannot_decide: int
    item_faulty: int
    median_seconds: float | None
    """Median time on a submitted task, as the page measured it."""
    kept: Share
    """Proposals that they saw and left as they were."""
    kept_by_field: dict[str, Share]
    same_as_others: Share
    """Pairs of their answer and somebody else's to the same question that are equal."""
    right: Share
    """Gold answers in the review slots."""
    wrong_kept: Share
    """Proposals that gold shows to be wrong, and that they kept."""
    skill: dict[str, float]
    """By field: how often they name the true value, as Dawid-Skene estimates it from everybody's answers."""
    in_two_slots: int
    """Items that they answered in several slots; each was counted once."""
    qualification: Share
    """Qualification items that were right in all fields with a known answer."""
    warnings: tuple[str, ...]

    @property
    def passed(self) -> bool | None:
        """Whether they passed the qualification; None where they did not take it."""
        share = self.qualification.share
        return None if share is None else share >= PASS_SHARE


@dataclass(frozen=True)
class Known:
    """What answers are held against."""

    proposals: Mapping[Key, Proposal]
    gold: Mapping[Key, JsonValue]


def person_figures(job: str, states: Sequence[Review], known: Known) -> list[PersonFigures]:
    """The figures of everybody who did anything in a job, by pseudonym.

    Args:
        job: its name.
        states: newest states of all annotations, of the qualification too.
        known: proposals and gold answers.
    """
    kept = counted(states)
    times = _times(kept)
    typical = median([s for mine in times.values() for s in mine.values()]) if any(times.values()) else 0.0
    limit = max(FAST_SECONDS, FAST_FRACTION * typical)
    others, skill = _same_as_others(kept), _skill(kept)
    twice = answered_twice(states)
    found = []
    for who in sorted({review.pseudonym for review in states}):
        mine = [review for review in kept if review.pseudonym == who and is_review_slot(review.slot)]
        answers = [review for review in mine if review.state == "submitted"]
        gold = [r for r in answers if r.value is not None and r.key in known.gold]
        saw = [review for review in answers if saw_proposal(review, known.proposals)]
        wrong = [r for r in saw if proposal_is_wrong(r, known)]
        figures = PersonFigures(
            pseudonym=who,
            tasks=_annotations(answers),
            skipped=_annotations(r for r in mine if r.state == "skipped"),
            drafts=_annotations(r for r in mine if r.state == "draft"),
            cannot_decide=_annotations(r for r in answers if r.undecided == "cannot-decide"),
            item_faulty=_annotations(r for r in answers if r.undecided == "item-faulty"),
            median_seconds=median(times[who].values()) if times.get(who) else None,
            kept=_kept(saw, known.proposals),
            kept_by_field={
                field: _kept([r for r in saw if r.field == field], known.proposals)
                for field in sorted({r.field for r in saw})
            },
            same_as_others=others.get(who, Share(n=0, of=0)),
            right=Share(n=sum(answer_is_right(r, known.gold) for r in gold), of=len(gold)),
            wrong_kept=_kept(wrong, known.proposals),
            skill=skill.get(who, {}),
            in_two_slots=sum(t.pseudonym == who for t in twice),
            qualification=_qualification([r for r in states if r.pseudonym == who], known.gold),
            warnings=(),
        )
        warnings = _warnings(figures, _unchanged(saw, known.proposals), times.get(who, {}), limit)
        found.append(figures.model_copy(update={"warnings": warnings}))
    return found


def saw_proposal(review: Review, proposals: Mapping[Key, Proposal]) -> bool:
    """Whether an answer was given beside a proposal for the same content."""
    if review.value is None or review.withheld:
        return False
    proposal = proposals.get(review.key)
    return review.origin != "manual" or (proposal is not None and proposal.value is not None)


def kept_proposal(review: Review, proposals: Mapping[Key, Proposal]) -> bool:
    """Whether an answer is the proposal: left alone on the page, or entered again as it was."""
    proposal, field = proposals.get(review.key), JOBS[review.job].field(review.field)
    same = proposal is not None and comparable(field, proposal.value) == comparable(field, review.value)
    return review.origin == "prediction" or same


def answer_is_right(review: Review, gold: Mapping[Key, JsonValue]) -> bool:
    """Whether an answer is the known one."""
    return is_right(JOBS[review.job].field(review.field), review.value, gold[review.key])


def proposal_is_wrong(review: Review, known: Known) -> bool:
    """Whether gold shows that what was proposed beside an answer is wrong."""
    proposal = known.proposals.get(review.key)
    if proposal is None or review.key not in known.gold:
        return False
    return not is_right(JOBS[review.job].field(review.field), proposal.value, known.gold[review.key])


def task_seconds(states: Iterable[Review]) -> list[float]:
    """Time on each submitted task of the review slots, once a task."""
    return [seconds for mine in _times(states).values() for seconds in mine.values()]


def _times(states: Iterable[Review]) -> dict[str, dict[str, float]]:
    """Person -> annotation -> seconds."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for review in states:
        if review.state == "submitted" and is_review_slot(review.slot) and review.lead_time is not None:
            found[review.pseudonym][review.annotation_id] = review.lead_time
    return found


def _annotations(reviews: Iterable[Review]) -> int:
    return len({review.annotation_id for review in reviews})


def _kept(saw: Sequence[Review], proposals: Mapping[Key, Proposal]) -> Share:
    return Share(n=sum(kept_proposal(review, proposals) for review in saw), of=len(saw))


def _unchanged(saw: Sequence[Review], proposals: Mapping[Key, Proposal]) -> dict[str, bool]:
    """Tasks that showed a proposal -> whether all of it was kept."""
    found: dict[str, bool] = {}
    for review in saw:
        same = kept_proposal(review, proposals)
        found[review.annotation_id] = found.get(review.annotation_id, True) and same
    return found


def _same_as_others(states: Sequence[Review]) -> dict[str, Share]:
    by_key: dict[Key, list[Review]] = defaultdict(list)
    for review in submitted_answers(states):
        if review.field in {field.name for field in agreeing_fields(review.job)}:
            by_key[review.key].append(review)
    same: dict[str, int] = defaultdict(int)
    pairs: dict[str, int] = defaultdict(int)
    for answers in by_key.values():
        texts = [comparable(JOBS[answer.job].field(answer.field), answer.value) for answer in answers]
        for place, answer in enumerate(answers):
            pairs[answer.pseudonym] += len(answers) - 1
            same[answer.pseudonym] += texts.count(texts[place]) - 1
    return {who: Share(n=same[who], of=pairs[who]) for who in pairs}


def _skill(states: Sequence[Review]) -> dict[str, dict[str, float]]:
    """Only where several people answered the same questions: else there is nothing to tell them apart by."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for (_, field), opinion in joint_opinions(states).items():
        if max(opinion.answers) < 2:
            continue
        right = np.einsum("rkk,k->r", opinion.truth.confusion, opinion.truth.prevalence)
        for who, share in zip(opinion.people, right, strict=True):
            found[who][field] = round(float(share), 4)
    return found


def _qualification(mine: Sequence[Review], gold: Mapping[Key, JsonValue]) -> Share:
    items: dict[tuple[str, str | None, str], bool] = {}
    for review in mine:
        judged = review.slot == QUALIFICATION and review.state == "submitted" and review.key in gold
        if judged:
            name = (review.item_id, review.language, review.digest)
            right = review.value is not None and answer_is_right(review, gold)
            items[name] = items.get(name, True) and right
    return Share(n=sum(items.values()), of=len(items))


def _warnings(
    figures: PersonFigures, unchanged: Mapping[str, bool], seconds: Mapping[str, float], limit: float
) -> tuple[str, ...]:
    found = []
    timed = [task for task in unchanged if task in seconds]
    fast = [task for task in timed if unchanged[task] and seconds[task] < limit]
    if len(timed) >= LEAST_TASKS and len(fast) >= FAST_SHARE * len(timed):
        found.append(f"{len(fast)} of {len(timed)} tasks went through unchanged in less than {limit:.1f} s")
    wrong = figures.wrong_kept
    if wrong.of >= LEAST_WRONG and wrong.n >= FAST_SHARE * wrong.of:
        found.append(f"kept {wrong.n} of {wrong.of} proposals that gold answers show to be wrong")
    return tuple(found)


def closed_answers(states: Iterable[Review]) -> list[Review]:
    """Answers to fields whose values recur, one a person and key."""
    return [r for r in submitted_answers(states) if JOBS[r.job].field(r.field).kind in CLOSED]
