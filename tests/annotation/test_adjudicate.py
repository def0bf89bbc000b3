"""Adjudication without a server: what goes there, in which order, and what its page shows and starts from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from label_studio_sdk.label_interface import LabelInterface

from benchwright.annotation.adjudicate import (
    AGREED,
    adjudication_group,
    answers_html,
    disagreements,
    option_labels,
    starting_values,
)
from benchwright.annotation.checks import prediction_faults
from benchwright.annotation.jobs.tagging import TaggingJob
from benchwright.annotation.projects import config_digest
from benchwright.annotation.verdicts import derive_verdicts
from benchwright.schemas.jobs import Review
from benchwright.schemas.recipe import AnnotationRecipe

from .said import review as one_review

AB = ("A", "B")
RECIPE = AnnotationRecipe(slots=2, seed=5)


def review(item: str, field: str, value: Any, slot: str, who: str, **changes: Any) -> Review:
    return one_review(item, value, who, slot, field=field, **changes)


def pair(item: str, first: tuple[str, int], second: tuple[str, int], **changes: Any) -> list[Review]:
    return [
        review(item, field, value, slot, who, **changes)
        for slot, who, answer in (("A", "A01", first), ("B", "A02", second))
        for field, value in zip(("subject", "difficulty"), answer, strict=True)
    ]


def found(
    reviews: list[Review], slots: tuple[str, ...] = AB, recipe: AnnotationRecipe = RECIPE
) -> dict[str, tuple[str, ...]]:
    return {d.item[0]: d.open_fields for d in disagreements("tagging", reviews, slots, recipe)}


def test_only_what_people_answered_differently_goes_there() -> None:
    reviews = [
        *pair("p1", ("optics", 2), ("optics", 3)),
        *pair("p2", ("optics", 2), ("optics", 2)),
        *pair("p3", ("optics", 2), ("waves", 2))[:2],  # the second slot has not answered yet
    ]
    assert found(reviews) == {"p1": ("difficulty",)}


def test_ann_05_two_opinions_on_one_task_are_a_disagreement_for_the_adjudicator() -> None:
    reviews = [
        review("p7", "subject", "optics", "A", "A01"),
        review("p7", "subject", "mechanics", "A", "A02"),
    ]
    (one,) = disagreements("tagging", reviews, ("A",), AnnotationRecipe())
    assert one.item[0] == "p7"
    assert sorted(str(a.values["subject"]) for a in one.answers) == ["mechanics", "optics"]


@pytest.mark.parametrize("said", ["cannot-decide", "item-faulty"])
def test_no_answer_on_purpose_goes_there_once_every_slot_has_spoken(said: str) -> None:
    refused = [review("p1", f, None, "B", "A02", undecided=said) for f in ("subject", "difficulty")]
    reviews = [*pair("p1", ("optics", 2), ("optics", 2))[:2], *refused]
    assert found(reviews) == {"p1": ("difficulty", "subject")}
    assert found(refused) == {}, "the first slot may still answer"
    assert found([r.model_copy(update={"slot": "A"}) for r in refused], ("A",)) == {
        "p1": ("difficulty", "subject")
    }


def test_what_was_adjudicated_or_settled_by_consensus_is_done() -> None:
    split = pair("p1", ("optics", 2), ("waves", 2))
    last = [review("p1", f, v, "adjudication", "A03") for f, v in (("subject", "optics"), ("difficulty", 2))]
    assert found([*split, *last]) == {}
    assert {v.basis for v in derive_verdicts([*split, *last], AB)} == {"adjudicated"}
    many = [
        review(f"p{i:02d}", "subject", "waves" if (i == 0 and slot == "C") else "optics", slot, f"A0{n}")
        for i in range(40)
        for n, slot in enumerate("ABC", start=1)
    ]
    slots = ("A", "B", "C")
    assert found(many, slots, AnnotationRecipe(slots=3)) == {"p00": ("subject",)}
    assert found(many, slots, AnnotationRecipe(slots=3, consensus="dawid-skene")) == {}


def test_the_same_person_in_two_slots_is_no_disagreement() -> None:
    reviews = pair("p1", ("optics", 2), ("waves", 2))
    alone = [r.model_copy(update={"pseudonym": "A01"}) for r in reviews]
    assert found(alone) == {}


def test_the_order_of_answers_says_nothing_about_who_gave_them() -> None:
    reviews = [r for i in range(60) for r in pair(f"p{i:02d}", ("optics", 2), ("waves", 3))]
    first = [d.answers[0].values["subject"] for d in disagreements("tagging", reviews, AB, RECIPE)]
    assert 18 <= first.count("optics") <= 42, "slot A comes first in about half"
    again = disagreements("tagging", reviews[::-1], AB, RECIPE)
    assert [d.answers[0].values["subject"] for d in again] == first
    other = disagreements("tagging", reviews, AB, AnnotationRecipe(slots=2, seed=6))
    assert [d.answers[0].values["subject"] for d in other] != first


def test_the_page_shows_both_answers_and_neither_name_nor_slot(tmp_path: Path, make_workspace) -> None:
    (group,) = TaggingJob().groups(make_workspace(tmp_path / "ws", 3))
    names = {item.item_id: item.digest for item in group.items}
    reviews = [
        r
        for item in ("q0000", "q0002")
        for r in pair(item, ("optics", 2), ("mechanics", 2), digest=names[item], comment="see <b>figure</b>")
    ]
    open_items = disagreements("tagging", reviews, AB, RECIPE)
    page, filled = adjudication_group(group, "tagging", open_items)
    assert [item.item_id for item in page.items] == ["q0000", "q0002"]
    data = page.items[0].data
    shown = data["answers_html"]
    labels = option_labels(group.config)
    assert labels["subject", "optics"] in shown
    assert labels["subject", "mechanics"] in shown
    assert labels["difficulty", "2"] in shown
    assert shown.count('class="bw-differs"') == 1, "they agree on the level, and remarks are no answers"
    assert "&lt;b&gt;figure" in shown
    for name in ("A01", "A02", "slot", "Slot"):
        assert name not in str({k: v for k, v in data.items() if k != "html"})
    assert data["html"] == group.items[0].data["html"]
    assert {(k.item_id, k.field): p.value for k, p in filled.items()} == {
        ("q0000", "difficulty"): 2,
        ("q0002", "difficulty"): 2,
    }
    assert {p.model for p in filled.values()} == {AGREED}
    LabelInterface(page.config).validate()
    regions = TaggingJob().regions({"difficulty": next(iter(filled.values()))}, data)
    assert regions
    assert prediction_faults(page.config, regions) == []
    assert config_digest(TaggingJob(), page) == config_digest(TaggingJob(), group), (
        "it is answered in the same way"
    )
    assert page.guidelines.sha256 != group.guidelines.sha256
    assert group.guidelines.html in page.guidelines.html


def test_an_item_that_changed_since_goes_back_to_the_slots(tmp_path: Path, make_workspace) -> None:
    (group,) = TaggingJob().groups(make_workspace(tmp_path / "ws", 1))
    stale = disagreements("tagging", pair("q0000", ("optics", 2), ("waves", 2)), AB, RECIPE)
    assert stale
    page, filled = adjudication_group(group, "tagging", stale)
    assert (page.items, filled) == ((), {})


def long_answers(*values: tuple[str, Any]) -> list[Review]:
    return [
        review("p1", "marks", value, slot, who, job="placement")
        for (slot, value), who in zip(values, ("A01", "A02"), strict=True)
    ]


def test_long_answers_are_filled_in_with_one_of_them_and_marks_are_told_in_percent() -> None:
    def marks(x: float) -> dict[str, Any]:
        anchor = {"image": "b" * 64, "kind": "box", "x": x, "y": 0.25, "w": 0.1, "h": 0.05}
        return {
            "marks": [{"condition": "c1", "mark": 0, "label": "2 s", "place": "beside", "anchor": anchor}]
        }

    reviews = long_answers(("A", marks(0.125)), ("B", marks(0.5)))
    (one,) = disagreements("placement", reviews, AB, RECIPE)
    (proposal,) = starting_values("placement", one)
    assert proposal.value == one.answers[0].values["marks"]
    shown = answers_html("placement", one, {})
    assert "x 12, y 25, w 10, h 5 %" in shown
    assert "x 50, y 25, w 10, h 5 %" in shown


def test_a_refusal_is_shown_in_words_and_a_field_that_differs_starts_empty() -> None:
    reviews = [
        *pair("p1", ("optics", 2), ("optics", 2))[:2],
        *(review("p1", f, None, "B", "A02", undecided="item-faulty") for f in ("subject", "difficulty")),
    ]
    (one,) = disagreements("tagging", reviews, AB, RECIPE)
    assert "the item is faulty" in answers_html("tagging", one, {})
    assert starting_values("tagging", one) == [], "only one of two gave them"


def test_hostile_answers_are_shown_not_run() -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    reviews = [
        review("p1", "question", text, slot, who, job="translation", language="zh", comment=evil)
        for slot, who, text in (("A", "A01", evil), ("B", "A02", "b"))
    ]
    (one,) = disagreements("translation", reviews, AB, RECIPE)
    shown = answers_html("translation", one, {})
    assert "<script" not in shown
    assert "<img" not in shown
    assert "&lt;script&gt;" in shown
