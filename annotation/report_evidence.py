"""What a report's figures are counted from, kept so that a release can publish it and anybody can count again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from benchwright.annotation.annotators import Known, answer_is_right, kept_proposal, saw_proposal
from benchwright.annotation.opinions import Measure, Opinion, measures, scale_name, submitted_answers
from benchwright.annotation.slots import ItemKey, item_key
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.jobs import Key, Proposal, Review
from benchwright.schemas.review_figures import (
    ItemAnswers,
    JobEvidence,
    JobFigures,
    KeptCount,
    KnownCount,
    Measured,
    ReviewMade,
    Said,
)
from benchwright.schemas.review_states import is_review_slot


def job_evidence(figures: JobFigures, live: Sequence[Review], known: Known, seed: int) -> JobEvidence:
    """The evidence of one job.

    Args:
        figures: that were counted from it.
        live: newest, counted states (`slots.counted`).
        known: proposals and gold answers.
        seed: of the bootstrap.
    """
    reviewing = [review for review in live if is_review_slot(review.slot)]
    answers = submitted_answers(reviewing)
    return JobEvidence(
        job=figures.job,
        reviews_sha256=figures.reviews_sha256,
        seed=seed,
        reviews=_made(live),
        measures=tuple(_measured(measure) for measure in measures(figures.job, live)),
        kept=_kept(answers, known.proposals) if figures.kept else (),
        known=_known(answers, known.gold) if figures.gold is not None else (),
    )


def _made(live: Iterable[Review]) -> tuple[ReviewMade, ...]:
    """One for each annotation and state of its fields."""
    found = {
        ReviewMade(
            item_id=review.item_id,
            language=review.language,
            digest=review.digest,
            pseudonym=review.pseudonym,
            slot=review.slot,
            state="draft" if review.state == "deleted" else review.state,
            undecided=review.undecided,
        )
        for review in live
    }
    return tuple(sorted(found, key=canonical_json))


def _measured(measure: Measure) -> Measured:
    by_item: dict[ItemKey, list[Opinion]] = defaultdict(list)
    for opinion in measure.opinions:
        by_item[opinion.item].append(opinion)
    return Measured(
        name=measure.name,
        field=measure.name.partition(":")[0],
        scale=scale_name(measure),
        answers=tuple(
            ItemAnswers(
                item_id=item[0], language=item[1], digest=item[2], said=tuple(map(_said, by_item[item]))
            )
            for item in sorted(by_item, key=canonical_json)
        ),
    )


def _said(opinion: Opinion) -> Said:
    return Said(pseudonym=opinion.pseudonym, slot=opinion.slot, unit=opinion.unit, value=opinion.value)


def _kept(answers: Iterable[Review], proposals: Mapping[Key, Proposal]) -> tuple[KeptCount, ...]:
    counts: dict[tuple[str, str, str | None], list[int]] = defaultdict(lambda: [0, 0])
    for review in answers:
        if saw_proposal(review, proposals):
            cell = counts[review.field, review.item_id, review.language]
            cell[0] += kept_proposal(review, proposals)
            cell[1] += 1
    return tuple(
        KeptCount(field=field, item_id=item, language=language, kept=kept, answers=of)
        for (field, item, language), (kept, of) in sorted(
            counts.items(), key=lambda entry: canonical_json(list(entry[0]))
        )
    )


def _known(answers: Iterable[Review], gold: Mapping[Key, JsonValue]) -> tuple[KnownCount, ...]:
    counts: dict[ItemKey, list[int]] = defaultdict(lambda: [0, 0])
    for review in answers:
        if review.key in gold:
            cell = counts[item_key(review)]
            cell[0] += answer_is_right(review, gold)
            cell[1] += 1
    return tuple(KnownCount(right=right, answers=of) for right, of in sorted(map(tuple, counts.values())))
