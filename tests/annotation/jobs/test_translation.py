"""The translation page: config, task, proposal and answer, checked without a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from label_studio_sdk.label_interface import LabelInterface

from benchwright.annotation.checks import data_faults, prediction_faults
from benchwright.annotation.jobs.base import without_hints
from benchwright.annotation.jobs.texts import Proposed
from benchwright.annotation.jobs.translation import TranslationJob, translation_config, translation_item
from benchwright.schemas.jobs import Proposal, Verdict, shown_digest, translation_view
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import Choice, LocalizedText, Question, QuestionType
from benchwright.schemas.standing import standing
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.words import Trust, Words
from benchwright.schemas.workspace import Workspace

JOB = TranslationJob()
SOURCE = LocalizedText(
    question="求 $\\frac{1}{2}$ 的倒数，",
    choices=tuple(Choice(label=label, text=text) for label, text in zip("ABC", "一二三", strict=True)),
    answer="B",
    unit="个",
    solution="颠倒分子分母。",
)
SAID: dict[str, Any] = {
    "question": "Find the reciprocal of $\\frac{1}{2}$.",
    "choices": ["one", "two", "three"],
    "answer": "B",
    "unit": "pieces",
    "solution": "Swap numerator and denominator.",
    "image_language": "keep",
}


def proposals(values: dict[str, Any]) -> dict[str, Proposal]:
    return {
        name: Proposal(
            job="translation",
            item_id="q",
            language="en",
            field=name,
            digest="0" * 64,
            value=value,
            model="m",
        )
        for name, value in values.items()
    }


def data(said: dict[str, Any] | None = None, source: LocalizedText = SOURCE) -> dict[str, Any]:
    digest = shown_digest(translation_view(source, (), "en"))
    shown = Proposed({("q", "en", digest): SAID if said is None else said})
    return translation_item("q", "zh", source, (), "en", shown).data


def write(result: list[dict[str, Any]], control: str, text: str) -> None:
    """What a reviewer's typing makes of a field."""
    for region in result:
        if region["from_name"] == control:
            region["value"], region["origin"] = {"text": [text]}, "prediction-changed"


def test_config_is_known_to_label_studio_and_needs_what_tasks_have() -> None:
    interface = LabelInterface(translation_config())
    interface.validate()
    assert set(interface.get_control("image_language").labels) == {"keep", "flag", "reject"}
    assert data_faults(translation_config(), data()) == []


def test_a_proposal_comes_back_as_the_same_answer() -> None:
    config, shown = translation_config(), data()
    result = JOB.regions(proposals(SAID), shown)
    assert prediction_faults(config, result) == []
    prediction = {"model_version": "m", "score": 0.5, "result": result}
    assert LabelInterface(config).validate_prediction(prediction, return_errors=True) == []
    answers = JOB.answers([{**region, "origin": "prediction"} for region in result], shown)
    assert {name: answer.value for name, answer in answers.items()} == SAID
    assert {answer.origin for answer in answers.values()} == {"prediction"}


def test_an_edited_option_comes_back_in_its_place() -> None:
    shown = data()
    result = JOB.regions(proposals(SAID), shown)
    write(result, "choices", "A. one\nB. both\nC. three")
    answers = JOB.answers(result, shown)
    assert answers["choices"].value == ["one", "both", "three"]
    assert answers["choices"].origin == "prediction-changed"


@pytest.mark.parametrize("typed", ["A. one\nB. two", "A. one\nC. three", " "])
def test_lost_options_leave_the_task_open_and_say_why(typed: str) -> None:
    shown = data()
    result = JOB.regions(proposals(SAID), shown)
    write(result, "choices", typed)
    answers = JOB.answers(result, shown)
    assert answers["choices"].value is None
    assert "options" in str(answers["findings"].value)


def test_a_unit_that_was_emptied_is_no_unit() -> None:
    shown = data()
    result = JOB.regions(proposals(SAID), shown)
    write(result, "unit", "")
    assert JOB.answers(result, shown)["unit"].value == ""
    without = data(source=SOURCE.model_copy(update={"unit": None}))
    result = [region for region in result if region["from_name"] != "unit"]
    assert "unit" not in JOB.answers(result, without)


def test_a_draft_without_a_question_says_nothing_about_the_rest() -> None:
    assert JOB.answers([], data()) == {}


def test_the_page_shows_source_proposal_and_findings_drawn_and_nothing_runs() -> None:
    evil = "<img src=x onerror=alert(1)> $\\sqrt{2}$"
    said = {
        **SAID,
        "question": evil,
        "findings": [f"number: {evil}"],
        "back_translation": {"text": evil, "meaning": 0.91, "letters": 0.5},
    }
    source = SOURCE.model_copy(update={"question": evil, "solution": evil})
    shown = data(said, source)
    together = shown["html"] + shown["preview"] + shown["findings"]
    assert "<img" not in together
    assert shown["html"].count("<svg") == 2 and "<svg" in shown["preview"] and "<svg" in shown["findings"]
    assert "0.91" in shown["findings"]
    item = translation_item("q", "zh", source, (), "en", Proposed({}))
    bare = without_hints(item, shown)
    assert (bare["preview"], bare["findings"], bare["proposed"]) == ("", "", [])
    assert bare["labels"] == ["A", "B", "C"], "what the source has is no hint"


def one_language(workspace: Workspace) -> list[Question]:
    """Leave the English text alone in the pool, and tagging out of use."""
    workspace.proposals("tagging").unlink()
    questions = [
        q.model_copy(update={"texts": {"en": q.text}})
        for q in read_records(workspace.pool("physics"), Question)
    ]
    write_records(workspace.pool("physics"), questions, Question)
    return questions


def test_a_task_for_each_language_that_the_source_lacks(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path, 2)
    questions = one_language(workspace)
    (group,) = JOB.groups(workspace)
    assert group.name == "physics.zh"
    for item, question in zip(group.items, questions, strict=True):
        assert (item.item_id, item.language) == (question.id, "zh")
        assert item.digest == shown_digest(translation_view(question.text, question.images, "zh"))


def test_what_the_source_has_in_both_languages_is_not_translated(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path, 2)
    workspace.proposals("tagging").unlink()
    assert JOB.groups(workspace) == []


def test_what_was_entered_is_the_problems_text(tmp_path: Path, make_workspace) -> None:
    """From fields to verdict to the text of the problem, pictures of options and an emptied unit included."""
    workspace = make_workspace(tmp_path, 1)
    (question,) = one_language(workspace)
    picture = question.images[0]
    source = LocalizedText(
        question="Which?",
        choices=(Choice(label="A", text="left"), Choice(label="B", image=picture)),
        answer="B",
        unit="N",
    )
    question = question.model_copy(
        update={"texts": {"en": source}, "question_type": QuestionType.SINGLE_CHOICE}
    )
    write_records(workspace.pool("physics"), [question], Question)
    (group,) = JOB.groups(workspace)
    (item,) = group.items
    result = JOB.regions(proposals({"question": "哪个？", "choices": ["左", ""], "answer": "B"}), item.data)
    verdicts = [
        Verdict(
            job="translation",
            item_id=item.item_id,
            language=item.language,
            field=name,
            digest=item.digest,
            value=answer.value,
            basis="agreed",
            by=("A01",),
        )
        for name, answer in JOB.answers(result, item.data).items()
    ]
    write_jsonl(workspace.verdicts("translation"), verdicts)
    found = standing(question, Words.read(workspace, ["translation"], Trust.REVIEWED), ("en", "zh"))
    assert found.pending == []
    made = found.source_texts["zh"]
    assert (made.question, made.answer, made.unit) == ("哪个？", "B", None)
    assert [(c.label, c.text, c.image) for c in made.choices] == [("A", "左", None), ("B", None, picture)]
