"""The quality page: config, task, proposal and answer, checked without a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from label_studio_sdk.label_interface import LabelInterface

from benchwright.annotation.checks import data_faults, prediction_faults
from benchwright.annotation.jobs.base import without_hints
from benchwright.annotation.jobs.quality import QualityJob, quality_config, quality_item
from benchwright.annotation.jobs.texts import Proposed
from benchwright.schemas.jobs import JOBS, Proposal, quality_view, shown_digest
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.quality_levels import LEVELS
from benchwright.schemas.records import LocalizedText, Question
from benchwright.schemas.tables import read_records

JOB = QualityJob()
TEXT = LocalizedText(question="Find $F$.", answer="2", unit="N")
DATA: dict[str, Any] = {"proposed": {}}
SAID = {
    "text_faults": ["ambiguous", "incomplete"],
    "image_faults": ["unclear"],
    "knowledge_complexity": 2,
    "visual_richness": 4,
    "decision": "fix",
    "reason": "ambiguous: two forces\nunclear: small letters",
}


def proposals(values: dict[str, Any]) -> dict[str, Proposal]:
    return {
        name: Proposal(job="quality", item_id="q", field=name, digest="0" * 64, value=value, model="m")
        for name, value in values.items()
    }


@pytest.mark.parametrize("language", ["en", "zh", "fr"])
def test_config_is_known_to_label_studio_and_offers_every_value(language: str) -> None:
    interface = LabelInterface(quality_config(language))
    interface.validate()
    for field in JOBS["quality"].fields:
        if field.values:
            assert set(interface.get_control(field.name).labels) == set(field.values)
    for rating in ("knowledge_complexity", "visual_richness"):
        assert set(interface.get_control(rating).labels) == set("12345")


def test_levels_are_those_the_proposer_was_told() -> None:
    for language in ("en", "zh"):
        config = quality_config(language)
        for words in (*LEVELS["complexity"][language].values(), *LEVELS["richness"][language].values()):
            assert words in config


def test_every_key_is_given_once() -> None:
    keys = [part.split('"')[0] for part in quality_config("en").split('hotkey="')[1:]]
    assert len(keys) == 5 + 4 + 5 + 5 + 3 + 2
    assert len(set(keys)) == len(keys)


def test_a_proposal_comes_back_as_the_same_answer() -> None:
    config, result = quality_config("en"), JOB.regions(proposals(SAID), DATA)
    assert prediction_faults(config, result) == []
    prediction = {"model_version": "m", "score": 0.5, "result": result}
    assert LabelInterface(config).validate_prediction(prediction, return_errors=True) == []
    answers = JOB.answers([{**region, "origin": "prediction"} for region in result], DATA)
    assert {name: answer.value for name, answer in answers.items()} == SAID
    assert {answer.origin for answer in answers.values()} == {"prediction"}


def test_facts_are_no_answers() -> None:
    said = {**SAID, "answer_check": {"n": 3, "agree": 1}, "blind": {"tags": ["image-not-needed"]}}
    assert JOB.regions(proposals(said), DATA) == JOB.regions(proposals(SAID), DATA)


def test_faults_come_in_the_jobs_order_whatever_was_ticked_first() -> None:
    result = JOB.regions(proposals({**SAID, "text_faults": ["incomplete", "inaccurate"]}), DATA)
    assert JOB.answers(result, DATA)["text_faults"].value == ["inaccurate", "incomplete"]


@pytest.mark.parametrize(
    ("proposed", "origin"),
    [
        ({}, "manual"),
        ({"text_faults": []}, "prediction"),
        ({"text_faults": ["ambiguous"]}, "prediction-changed"),
    ],
)
def test_no_tick_is_no_fault_and_whether_it_was_proposed_is_known(
    proposed: dict[str, list[str]], origin: str
) -> None:
    result = JOB.regions(proposals({"decision": "accept", "knowledge_complexity": 1}), DATA)
    answers = JOB.answers(result, {"proposed": proposed})
    assert answers["text_faults"].value == []
    assert answers["text_faults"].origin == origin
    assert "visual_richness" not in answers


def test_without_a_decision_no_tick_says_nothing() -> None:
    assert set(JOB.answers(JOB.regions(proposals({"visual_richness": 3}), DATA), DATA)) == {"visual_richness"}


def test_a_reason_counts_only_where_something_is_wrong() -> None:
    assert [r["from_name"] for r in JOB.regions(proposals({"decision": "accept", "reason": "x"}), DATA)] == [
        "decision"
    ]
    left_over = JOB.regions(proposals({"decision": "fix", "reason": "x"}), DATA)
    left_over[0]["value"] = {"choices": ["accept"]}
    assert "reason" not in JOB.answers(left_over, DATA)


def test_the_page_shows_text_unit_and_facts_and_nothing_runs() -> None:
    evil = LocalizedText(question="<script>alert(1)</script> $x$", answer="1", unit="<b>")
    digest = shown_digest(quality_view(evil, ()))
    facts = {
        "answer_check": {
            "n": 5,
            "agree": 1,
            "disagree": 4,
            "undecided": 0,
            "no_answer": 0,
            "modal": "<i>7</i>",
            "modal_count": 4,
            "tags": ["suspect-key"],
        },
        "blind": {
            "conditions": {"no-image": {"tries": 8, "right": 7, "chance": 0.25}},
            "tags": ["image-not-needed"],
        },
    }
    item = quality_item("q", "en", evil, (), Proposed({("q", "en", digest): facts}))
    data = item.data
    assert data_faults(quality_config("en"), data) == []
    shown = data["html"] + data["facts"]
    assert "<script" not in shown and "<i>" not in shown and "<b>" not in shown
    assert "<svg" in data["html"]
    assert "1 of 5 agree" in data["facts"] and "7 of 8 right, 25% by guessing" in data["facts"]
    assert "in doubt" in data["facts"]
    bare = without_hints(item, data)
    assert (bare["facts"], bare["proposed"], bare["html"]) == ("", {}, data["html"])


def test_one_page_a_language_with_the_digest_that_the_proposer_used(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path, 3)
    groups = JOB.groups(workspace)
    assert [group.name for group in groups] == ["physics.en", "physics.zh"]
    questions = {q.id: q for q in read_records(workspace.pool("physics"), Question)}
    for group in groups:
        assert [item.item_id for item in group.items] == ["q0000", "q0001", "q0002"]
        for item in group.items:
            assert item.language == group.name[-2:]
            question = questions[item.item_id]
            view = quality_view(question.texts[item.language], question.images)
            assert item.digest == shown_digest(view)
            assert item.images == question.images
    assert "采用" in groups[0].guidelines.html


def test_proposals_for_an_older_text_are_not_shown(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path, 1)
    old = [
        proposal.model_copy(update={"item_id": "q0000", "language": "en"})
        for proposal in proposals({"answer_check": {"n": 3, "agree": 3}}).values()
    ]
    write_jsonl(workspace.proposals("quality"), old)
    assert JOB.groups(workspace)[0].items[0].data["facts"] == ""
