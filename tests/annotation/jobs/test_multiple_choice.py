"""The multiple-choice page: config, task, proposal and answer, checked without a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from label_studio_sdk.label_interface import LabelInterface

from benchwright.annotation.checks import data_faults, prediction_faults
from benchwright.annotation.jobs.base import without_hints
from benchwright.annotation.jobs.multiple_choice import (
    MultipleChoiceJob,
    multiple_choice_config,
    multiple_choice_item,
)
from benchwright.annotation.jobs.texts import Proposed
from benchwright.schemas import standing as standing_module
from benchwright.schemas.jobs import Proposal, Verdict, shown_digest, text_view
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import LocalizedText, Question, QuestionType
from benchwright.schemas.standing import standing
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.words import Trust, Words
from benchwright.schemas.workspace import Workspace

JOB = MultipleChoiceJob()
SOURCE = LocalizedText(question="Find $x$.", answer="3", unit="m", solution="$x = \\sqrt{9}$")
SAID: dict[str, Any] = {
    "question": "Which is $x$?",
    "choices": ["$3$ m", "$9$ m", "$\\sqrt{3}$ m", "$-3$ m"],
    "answer": "A",
}


def proposal(name: str, value: Any, **changes: Any) -> Proposal:
    fields = {"item_id": "q", "language": "en", "digest": "0" * 64, "model": "m", **changes}
    return Proposal.model_validate({"job": "multiple-choice", "field": name, "value": value, **fields})


def result_of(said: dict[str, Any]) -> list[dict[str, Any]]:
    return JOB.regions({name: proposal(name, value) for name, value in said.items()}, {})


def test_labels_are_those_that_problems_take() -> None:
    labels = set(LabelInterface(multiple_choice_config()).get_control("answer").labels)
    assert labels == set(standing_module.LABELS)


def test_a_proposal_comes_back_as_the_same_answer() -> None:
    config, result = multiple_choice_config(), result_of(SAID)
    LabelInterface(config).validate()
    assert prediction_faults(config, result) == []
    prediction = {"model_version": "m", "score": 0.5, "result": result}
    assert LabelInterface(config).validate_prediction(prediction, return_errors=True) == []
    answers = JOB.answers([{**region, "origin": "prediction"} for region in result], {})
    assert {name: answer.value for name, answer in answers.items()} == SAID
    assert {answer.origin for answer in answers.values()} == {"prediction"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"choices": ["only"]}, "two at least"),
        ({"choices": ["1", "1"]}, "the same"),
        ({"choices": ["1", ""]}, "empty"),
        ({"choices": ["1", "2"], "answer": "C"}, "no option C"),
        ({"choices": [str(n) for n in range(10)], "answer": "J"}, None),
    ],
)
def test_options_that_cannot_be_leave_the_task_open(change: dict[str, Any], why: str | None) -> None:
    answers = JOB.answers(result_of({**SAID, **change}), {})
    if why is None:
        assert answers["choices"].value == change["choices"]
    else:
        assert answers["choices"].value is None
        assert why in str(answers["findings"].value)


def test_the_page_shows_source_proposal_and_errors_and_nothing_runs() -> None:
    evil = "<script>x</script> $\\frac12$"
    said = {**SAID, "question": evil, "misconceptions": ["", evil, "b", "c"], "findings": [f"twin: {evil}"]}
    source = SOURCE.model_copy(update={"question": evil})
    digest = shown_digest(text_view(source, ()))
    item = multiple_choice_item("q", "en", source, (), Proposed({("q", "en", digest): said}))
    data = item.data
    assert data_faults(multiple_choice_config(), data) == []
    together = data["html"] + data["preview"] + data["findings"]
    assert "<script" not in together
    assert all("<svg" in data[name] for name in ("html", "preview", "findings"))
    assert data["preview"].count("bw-right") == 1
    assert "B: " in data["findings"] and "A: " not in data["findings"]
    bare = without_hints(item, data)
    assert (bare["preview"], bare["findings"], bare["html"]) == ("", "", data["html"])


def free_form(workspace: Workspace) -> Question:
    workspace.proposals("tagging").unlink()  # not in use: holds nothing up
    (question,) = read_records(workspace.pool("physics"), Question)
    texts = {
        language: text.model_copy(update={"choices": (), "answer": "3", "unit": "m"})
        for language, text in question.texts.items()
    }
    question = question.model_copy(update={"texts": texts, "question_type": QuestionType.FREE_FORM})
    write_records(workspace.pool("physics"), [question], Question)
    return question


def test_only_what_was_proposed_is_reviewed_and_becomes_the_problems_text(
    tmp_path: Path, make_workspace
) -> None:
    workspace = make_workspace(tmp_path, 1)
    question = free_form(workspace)
    assert JOB.groups(workspace) == []
    digests = {
        language: shown_digest(text_view(text, question.images)) for language, text in question.texts.items()
    }
    write_jsonl(
        workspace.proposals("multiple-choice"),
        [
            proposal(name, value, item_id="q0000", language=language, digest=digests[language])
            for language in digests
            for name, value in SAID.items()
        ],
    )
    groups = JOB.groups(workspace)
    assert [group.name for group in groups] == ["physics.en", "physics.zh"]
    verdicts = []
    for group in groups:
        (item,) = group.items
        assert item.digest == digests[item.language]
        result = result_of({**SAID, "choices": ["3 m", "4 m", "5 m"], "answer": "C"})
        for name, answer in JOB.answers(result, item.data).items():
            verdicts.append(
                Verdict(
                    job=JOB.name,
                    item_id=item.item_id,
                    language=item.language,
                    field=name,
                    digest=item.digest,
                    value=answer.value,
                    basis="agreed",
                    by=("A01",),
                )
            )
    write_jsonl(workspace.verdicts("multiple-choice"), verdicts)
    found = standing(question, Words.read(workspace, ["multiple-choice"], Trust.REVIEWED), ("en", "zh"))
    assert (found.pending, found.question_type) == ([], QuestionType.SINGLE_CHOICE)
    made = found.texts["en"]
    assert ([c.text for c in made.choices], made.answer, made.unit) == (["3 m", "4 m", "5 m"], "C", None)
