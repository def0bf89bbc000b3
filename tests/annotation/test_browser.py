"""Tagging, duplicates and taxonomy as an invited annotator meets them: in a real browser, on a real server."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.annotation.jobs.taxonomy_text import taxonomy_text
from benchwright.schemas.duplicates import DuplicateGroup, group_item_id, group_view, groups_path
from benchwright.schemas.jobs import shown_digest, tagging_view
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import Question
from benchwright.schemas.tables import read_records
from benchwright.schemas.taxonomy import load_taxonomy

from .reviewer import EVIL, values

pytestmark = [pytest.mark.labelstudio, pytest.mark.browser]


def test_tagging_by_the_pages_a_person_goes_through(reviewer: Any) -> None:
    (question, *_) = read_records(reviewer.workspace.pool("physics"), Question)
    said = {"subject": "mechanics", "difficulty": 1}
    reviewer.propose("tagging", question.id, shown_digest(tagging_view(question)), said)
    reviewer.walk_in("tagging")
    reviewer.look("tagging")
    assert reviewer.checked() == ["Mechanics · 力学", "1 · Basic · 基础"]
    reviewer.assert_drawn(radicals=2, bars=3)
    reviewer.assert_hostile_text_is_read(1)
    reviewer.key("4", "Optics")
    reviewer.tick("3 · Intermediate")
    reviewer.wait_checked("3 · Intermediate")
    made = reviewer.submit("tagging", by_key=True)
    assert {review.item_id for review in made.values()} == {question.id}
    assert values(made) == {
        "subject": ("optics", "prediction-changed"),
        "difficulty": (3, "prediction-changed"),
    }


def test_duplicates(reviewer: Any) -> None:
    members = read_records(reviewer.workspace.pool("physics"), Question)
    group = DuplicateGroup(
        item_id=group_item_id([member.id for member in members]),
        why="disputed",
        members=tuple(sorted(member.id for member in members)),
        digest=shown_digest(group_view(members)),
    )
    path = groups_path(reviewer.workspace, "physics")
    path.parent.mkdir(exist_ok=True)
    write_jsonl(path, [group])
    said = {"relation": "same", "keep": "q0000", "answer": members[0].text.answer}
    reviewer.propose("duplicates", group.item_id, group.digest, said)
    reviewer.open("duplicates")
    reviewer.look("duplicates")
    assert reviewer.checked() == ["The same question · 同一道题", "question 1", "as in 1, 2"]
    reviewer.assert_drawn(radicals=4, bars=6)
    reviewer.assert_hostile_text_is_read(2)
    reviewer.key("2", "Same template")
    reviewer.key("1", "The same question")
    reviewer.tick("question 2")
    reviewer.wait_checked("question 2")
    reviewer.type("answer", f"6 m {EVIL}")
    made = reviewer.submit("duplicates")
    assert values(made) == {
        "relation": ("same", "prediction-changed"),
        "keep": ("q0001", "prediction-changed"),
        "answer": (f"6 m {EVIL}", "manual"),
    }


def test_taxonomy(reviewer: Any) -> None:
    physics = load_taxonomy("visscience").discipline("physics")
    first = physics.subjects[0].id
    covers = {first: ["Roots $\\frac{\\sqrt{2}}{2}$", EVIL]}
    said = {"subjects": physics.model_dump(mode="json"), "assignment": covers, "findings": [f"odd: {EVIL}"]}
    reviewer.propose("taxonomy", "physics", "1" * 64, said)
    reviewer.open("taxonomy")
    reviewer.look("taxonomy")
    shown = taxonomy_text(physics, covers)
    assert reviewer.fields()["text"] == shown
    reviewer.assert_drawn(radicals=1, bars=2)
    reviewer.assert_hostile_text_is_read(2)
    reviewer.type("text", "\n\n[waves]\nen = Waves | What swings\nzh = 波\n- Sound", whole=False)
    made = reviewer.submit("taxonomy")
    subjects = made["subjects"].value
    assert subjects["subjects"][:-1] == said["subjects"]["subjects"]
    assert subjects["subjects"][-1] == {
        "id": "waves",
        "names": {"en": "Waves", "zh": "波"},
        "descriptions": {"en": "What swings"},
    }
    assert made["assignment"].value == {**{s.id: [] for s in physics.subjects}, **covers, "waves": ["Sound"]}
    assert {review.origin for review in made.values()} == {"prediction-changed"}
