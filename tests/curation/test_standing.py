"""A question's texts grow job by job, each about exactly the text that the job before it left."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.curation.problems import make_problems
from benchwright.curation.proposers.chosen import chosen_questions
from benchwright.schemas.jobs import (
    Proposal,
    Verdict,
    problem_id,
    quality_view,
    shown_digest,
    tagging_view,
    text_view,
    translation_view,
)
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import Origin, Problem, Question, QuestionType, Rejected
from benchwright.schemas.standing import standing
from benchwright.schemas.tables import read_records
from benchwright.schemas.words import Trust, Words
from benchwright.schemas.workspace import Workspace

ZH = {"question": "透镜在 2 cm 处成像，物体在何处？", "answer": "零"}
OPTIONS = ["0 cm", "1 cm", "2 cm", "4 cm"]
DECOMPOSITION = {
    "stem": "A lens forms an image at 2 cm. Where is the object?",
    "conditions": [{"id": "c1", "start": 25, "end": 29, "show": "text", "marks": []}],
    "core_question": "A lens forms an image at 2 cm. Where is the object?",
    "knowledge_cue": {"terms": ["lens equation"], "sentence": "The question involves the lens equation."},
    "knowledge_detail": [],
}
JOBS = ("translation", "multiple-choice", "decomposition")


def lens(workspace: Workspace) -> Question:
    """The first physics question: free-form, English."""
    return next(
        item.question
        for item in chosen_questions(workspace, "physics", "test")[0]
        if item.question.text.question.startswith("A lens forms an image at 2")
    )


def said(
    kind: type[Any], job: str, about: Question, language: str, view: dict[str, Any], **fields: Any
) -> list[Any]:
    more = {"basis": "agreed", "by": ("A01",)} if kind is Verdict else {"model": "openai/x"}
    return [
        kind(
            job=job, item_id=problem_id(about.id), language=language, field=name,
            digest=shown_digest(view), value=value, **more,
        )
        for name, value in fields.items()
    ]  # fmt: skip


def translated(kind: type[Any], about: Question, **changes: Any) -> list[Any]:
    view = translation_view(about.text, about.images, "zh")
    return said(kind, "translation", about, "zh", view, **{**ZH, **changes})


def converted(kind: type[Any], about: Question, **changes: Any) -> list[Any]:
    view = text_view(about.text, about.images)
    values = {"question": about.text.question, "choices": OPTIONS, "answer": "A", **changes}
    return said(kind, "multiple-choice", about, "en", view, **values)


def write(workspace: Workspace, *words: list[Any]) -> None:
    for job in JOBS:
        of_job = [word for group in words for word in group if word.job == job]
        write_jsonl(workspace.proposals(job), [w for w in of_job if isinstance(w, Proposal)])
        write_jsonl(workspace.verdicts(job), [w for w in of_job if isinstance(w, Verdict)])


def stand(workspace: Workspace, trust: Trust) -> Any:
    question = lens(workspace)
    return standing(question, Words.read(workspace, JOBS, trust), ("en", "zh"))


def test_nothing_said_leaves_the_source_alone(selected: Workspace) -> None:
    found = stand(selected, Trust.ACCEPTED)
    assert found.texts == found.source_texts == lens(selected).texts
    assert not found.pending and not found.provenance


@pytest.mark.parametrize("trust", list(Trust))
def test_a_proposed_translation_counts_as_far_as_it_is_trusted(trust: Trust, selected: Workspace) -> None:
    write(selected, translated(Proposal, lens(selected)))
    found = stand(selected, trust)
    if trust is Trust.REVIEWED:
        assert set(found.texts) == {"en"}
        assert [(r.reason, r.detail[:4]) for r in found.pending] == [("translation-unreviewed", "[zh]")]
    else:
        assert found.texts["zh"].question == ZH["question"] and not found.pending
        assert {(p.field, p.language, p.origin) for p in found.provenance} == {
            ("question", "zh", Origin.PROPOSAL), ("answer", "zh", Origin.PROPOSAL),
        }  # fmt: skip


def test_a_proposal_with_findings_is_never_taken_without_a_review(selected: Workspace) -> None:
    question = lens(selected)
    view = translation_view(question.text, question.images, "zh")
    findings = said(Proposal, "translation", question, "zh", view, findings=["number-lost: 2 is missing"])
    write(selected, translated(Proposal, question), findings)
    found = stand(selected, Trust.ACCEPTED)
    assert "zh" not in found.texts
    assert [(r.reason, "number-lost" in r.detail) for r in found.pending] == [
        ("translation-failed-checks", True)
    ]
    assert "zh" in stand(selected, Trust.DRAFT).texts
    write(selected, translated(Proposal, question), findings, translated(Verdict, question))
    assert stand(selected, Trust.ACCEPTED).texts["zh"].question == ZH["question"]


def test_a_review_of_another_text_is_stale_and_blocks_the_proposal(selected: Workspace) -> None:
    question = lens(selected)
    old = [v.model_copy(update={"digest": "0" * 64}) for v in translated(Verdict, question)]
    write(selected, translated(Proposal, question), old)
    assert [r.reason for r in stand(selected, Trust.ACCEPTED).pending] == ["translation-stale-review"]


def test_reviewers_who_disagree_leave_the_text_open(selected: Workspace) -> None:
    question = lens(selected)
    split = [v.model_copy(update={"basis": "open", "value": None}) for v in translated(Verdict, question)]
    write(selected, translated(Proposal, question), split)
    assert [r.reason for r in stand(selected, Trust.ACCEPTED).pending] == ["translation-open-review"]


def test_a_conversion_changes_the_type_and_keeps_the_free_form(selected: Workspace) -> None:
    question = lens(selected)
    write(selected, converted(Verdict, question), translated(Verdict, question))
    found = stand(selected, Trust.REVIEWED)
    assert found.question_type is QuestionType.SINGLE_CHOICE
    assert [(c.label, c.text) for c in found.texts["en"].choices] == list(zip("ABCD", OPTIONS, strict=True))
    assert found.texts["en"].answer == "A" and found.source_texts["en"] == question.text
    # The Chinese text was not converted: a problem's texts share one type, so it stays with the original alone.
    assert set(found.texts) == {"en"} and set(found.source_texts) == {"en", "zh"}


@pytest.mark.parametrize(
    "changes",
    [{"answer": "E"}, {"choices": ["0 cm"]}, {"choices": "0 cm"}, {"answer": 1}, {"question": None}],
)
def test_a_conversion_that_makes_no_sense_is_not_taken(changes: dict[str, Any], selected: Workspace) -> None:
    write(selected, converted(Proposal, lens(selected), **changes))
    found = stand(selected, Trust.ACCEPTED)
    assert found.question_type is QuestionType.FREE_FORM
    assert [r.reason for r in found.pending] == ["multiple-choice-bad-verdict"]


def test_a_decomposition_is_about_the_text_after_conversion(selected: Workspace) -> None:
    question = lens(selected)
    free = said(
        Proposal, "decomposition", question, "en", text_view(question.text, question.images),
        decomposition=DECOMPOSITION,
    )  # fmt: skip
    write(selected, free)
    first = stand(selected, Trust.ACCEPTED).texts["en"].decomposition
    assert first is not None and first.conditions[0].id == "c1"
    write(selected, free, converted(Verdict, question))
    found = stand(selected, Trust.ACCEPTED)
    assert found.texts["en"].decomposition is None
    assert [r.reason for r in found.pending] == ["decomposition-unreviewed"]
    after = text_view(found.texts["en"], question.images)
    again = said(Proposal, "decomposition", question, "en", after, decomposition=DECOMPOSITION)
    write(selected, again, converted(Verdict, question))
    assert stand(selected, Trust.ACCEPTED).texts["en"].decomposition is not None


def test_a_decomposition_that_is_none_is_named(selected: Workspace) -> None:
    question = lens(selected)
    broken = {**DECOMPOSITION, "conditions": [{"id": "c1", "start": 5, "end": 500}]}
    view = text_view(question.text, question.images)
    write(selected, said(Proposal, "decomposition", question, "en", view, decomposition=broken))
    (pending,) = stand(selected, Trust.ACCEPTED).pending
    assert pending.reason == "decomposition-bad-verdict" and "stem has" in pending.detail


def test_problems_carry_the_grown_texts_and_list_what_waits(selected: Workspace) -> None:
    question = lens(selected)
    tags = [
        Verdict(
            job="tagging", item_id=problem_id(question.id), field=name, digest=shown_digest(tagging_view(question)),
            value=value, basis="agreed", by=("A01",),
        )
        for name, value in (("subject", "optics"), ("difficulty", 2))
    ]  # fmt: skip
    write_jsonl(selected.verdicts("tagging"), tags)
    write(selected, converted(Verdict, question), translated(Proposal, question))
    make_problems(selected)
    (problem,) = read_records(selected.problems, Problem)
    assert problem.question_type is QuestionType.SINGLE_CHOICE
    assert problem.source_question_type is QuestionType.FREE_FORM
    assert problem.texts["en"].answer == "A" and problem.source_texts["en"].answer == question.text.answer
    assert {(p.field, p.origin) for p in problem.provenance} >= {("choices", Origin.REVIEW)}
    (waiting,) = read_records(selected.problems_pending, Rejected)
    assert (waiting.item_id, waiting.reason) == (problem.problem_id, "translation-unreviewed")


@pytest.mark.parametrize(("decision", "reason"), [("reject", "rejected-in-review"), ("fix", "to-be-mended")])
def test_what_people_reject_is_no_problem_and_what_a_machine_rejects_is(
    decision: str, reason: str, selected: Workspace
) -> None:
    question = lens(selected)
    view = quality_view(question.text, question.images)
    tags = [
        Proposal(
            job="tagging", item_id=problem_id(question.id), field=name, digest=shown_digest(tagging_view(question)),
            value=value, model="openai/x",
        )
        for name, value in (("subject", "optics"), ("difficulty", 2))
    ]  # fmt: skip
    write_jsonl(selected.proposals("tagging"), tags)
    write_jsonl(
        selected.proposals("quality"), said(Proposal, "quality", question, "en", view, decision=decision)
    )
    make_problems(selected, accept_proposals=True)
    assert [p.question_id for p in read_records(selected.problems, Problem)] == [question.id]
    write_jsonl(
        selected.verdicts("quality"), said(Verdict, "quality", question, "en", view, decision=decision)
    )
    make_problems(selected, accept_proposals=True)
    assert not read_records(selected.problems, Problem)
    found = {r.item_id: r.reason for r in read_records(selected.problems_rejected, Rejected)}
    assert found[problem_id(question.id)] == reason
