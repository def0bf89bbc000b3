"""Which questions a job may show: those that passed the earlier jobs that are in use."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchwright.annotation.items import in_order, standing_questions, waits_for
from benchwright.annotation.summary import JobState, job_states, next_command
from benchwright.schemas.jobs import (
    Proposal,
    Verdict,
    quality_view,
    shown_digest,
    tagging_view,
    translation_view,
)
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import Question
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.workspace import Workspace


def said(
    model: type[Any], job: str, about: Question, language: str | None, view: Any, /, **values: Any
) -> Any:
    more = {"model": "m"} if model is Proposal else {"basis": "agreed", "by": ("A01",)}
    return [
        model(
            job=job,
            item_id=about.id,
            language=language,
            field=name,
            digest=shown_digest(view),
            value=value,
            **more,
        )
        for name, value in values.items()
    ]


def questions_of(workspace: Workspace) -> list[Question]:
    return read_records(workspace.pool("physics"), Question)


def decide(workspace: Workspace, decisions: Sequence[str | None]) -> None:
    """Proposals about the quality of all questions, verdicts about some."""
    proposals, verdicts = [], []
    for question, decision in zip(questions_of(workspace), decisions, strict=True):
        view = quality_view(question.text, question.images)
        proposals += said(Proposal, "quality", question, "en", view, decision="accept")
        if decision is not None:
            verdicts += said(Verdict, "quality", question, "en", view, decision=decision)
    write_jsonl(workspace.proposals("quality"), proposals)
    write_jsonl(workspace.verdicts("quality"), verdicts)


def tag(workspace: Workspace, count: int) -> None:
    verdicts = []
    for question in questions_of(workspace)[:count]:
        view = tagging_view(question)
        verdicts += said(Verdict, "tagging", question, None, view, subject="mechanics", difficulty=2)
    write_jsonl(workspace.verdicts("tagging"), verdicts)


def offered(workspace: Workspace, job: str) -> list[str]:
    return [found.item_id for found in standing_questions(workspace, "physics", job).questions]


def test_a_job_that_is_not_in_use_holds_nothing_up(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path, 2)
    workspace.proposals("tagging").unlink()
    assert offered(workspace, "decomposition") == ["q0000", "q0001"]


def test_only_accepted_questions_are_tagged_and_only_tagged_ones_go_on(
    tmp_path: Path, make_workspace
) -> None:
    workspace = make_workspace(tmp_path, 4)
    decide(workspace, ["accept", "accept", "reject", None])
    offer = standing_questions(workspace, "physics", "tagging")
    assert [found.item_id for found in offer.questions] == ["q0000", "q0001"]
    assert waits_for(offer.waiting) == {"quality": 2}
    assert [record.item_id for record in offer.waiting] == ["q0002", "q0003"]
    assert "reject" in offer.waiting[0].detail
    tag(workspace, 1)
    offer = standing_questions(workspace, "physics", "decomposition")
    assert [found.item_id for found in offer.questions] == ["q0000"]
    assert waits_for(offer.waiting) == {"quality": 2, "tagging": 1}
    from benchwright.annotation.jobs.decomposition import DecompositionJob

    (state,) = job_states(workspace, DecompositionJob())
    assert (state.items, state.waiting) == (2, 3), "two languages of one question; three questions wait"


def test_a_language_waits_for_its_translation_alone(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path, 1)
    tag(workspace, 1)
    (question,) = questions_of(workspace)
    question = question.model_copy(update={"texts": {"en": question.text}})
    write_records(workspace.pool("physics"), [question], Question)
    tag(workspace, 1)
    view = translation_view(question.text, question.images, "zh")
    values = {"question": "题", "answer": "B", "choices": ["1", "2", "3", "4"]}
    write_jsonl(
        workspace.proposals("translation"), said(Proposal, "translation", question, "zh", view, **values)
    )
    offer = standing_questions(workspace, "physics", "decomposition")
    assert [found.languages for found in offer.questions] == [("en",)]
    assert waits_for(offer.waiting) == {"translation": 1}
    write_jsonl(
        workspace.verdicts("translation"), said(Verdict, "translation", question, "zh", view, **values)
    )
    offer = standing_questions(workspace, "physics", "decomposition")
    assert [found.languages for found in offer.questions] == [("en", "zh")]
    assert offer.waiting == ()
    assert offer.questions[0].standing.texts["zh"].question == "题"


def test_jobs_follow_the_line() -> None:
    assert in_order(["placement", "tagging", "quality", "judge"]) == [
        "judge",
        "quality",
        "tagging",
        "placement",
    ]


def test_the_next_command_follows_the_order_of_review(make_workspace, tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path, 2)

    def state(job: str, agreed: int) -> JobState:
        return JobState(job, "physics", 2, 0, agreed, 0, 0, 0, 2 - agreed)

    assert next_command(workspace, [], serving=True) == "curate cluster"
    assert next_command(workspace, [state("tagging", 2)], serving=True) == "curate problems"
    later = [state("placement", 0), state("tagging", 1), state("quality", 2)]
    assert next_command(workspace, later, serving=False) == "annotate serve"
    assert next_command(workspace, later, serving=True) == "annotate push tagging"
    workspace.reviews("tagging").parent.mkdir(parents=True, exist_ok=True)
    workspace.reviews("tagging").touch()
    assert next_command(workspace, later, serving=True) == "annotate pull tagging"
    unsettled = [JobState("tagging", "physics", 2, 0, 1, 1, 0, 0, 0)]
    assert next_command(workspace, unsettled, serving=True) == "annotate adjudicate tagging"
