"""Verdicts by consensus: only where the recipe allows them, enough people answered, and one value is likely."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchwright.annotation.consensus import ConsensusRule, consensus_rule
from benchwright.annotation.verdicts import derive_verdicts
from benchwright.schemas.errors import RecipeError
from benchwright.schemas.jobs import Review
from benchwright.schemas.recipe import AnnotationRecipe, default_recipe_toml, load_recipe

SUBJECTS = ("mechanics", "optics", "waves", "heat")
RULE = ConsensusRule(confidence=0.95, answers=3)


def answer(item: int, slot: str, value: str | None, **changes: object) -> Review:
    return Review.model_validate(
        {
            "job": "tagging",
            "item_id": f"p{item:03d}",
            "field": "subject",
            "digest": "a" * 64,
            "value": value,
            "pseudonym": f"A0{'ABCDE'.index(slot) + 1}",
            "slot": slot,
            "state": "submitted",
            "origin": "manual",
            "annotation_id": f"{slot}-{item}",
            "updated_at": "2026-01-01T00:00:00Z",
            **changes,
        }
    )


def simulated(slots: str, accuracies: tuple[float, ...], items: int = 200) -> tuple[list[Review], list[str]]:
    random = np.random.default_rng(4)
    truth = [SUBJECTS[i] for i in random.integers(0, 4, size=items)]
    reviews = []
    for slot, accuracy in zip(slots, accuracies, strict=True):
        for item, right in enumerate(truth):
            others = [s for s in SUBJECTS if s != right]
            value = right if random.random() < accuracy else others[random.integers(0, 3)]
            reviews.append(answer(item, slot, value))
    return reviews, truth


def test_without_the_recipes_leave_there_is_no_consensus() -> None:
    assert consensus_rule(AnnotationRecipe()) is None
    allowed = AnnotationRecipe(consensus="dawid-skene", consensus_confidence=0.9)
    assert consensus_rule(allowed) == ConsensusRule(0.9, 3)
    reviews, _ = simulated("ABC", (0.95, 0.8, 0.6))
    assert {v.basis for v in derive_verdicts(reviews, ("A", "B", "C"))} == {"agreed", "open"}


def test_three_people_settle_most_and_are_right_as_often_as_they_say() -> None:
    reviews, truth = simulated("ABC", (0.95, 0.85, 0.7))
    verdicts = derive_verdicts(reviews, ("A", "B", "C"), RULE)
    settled = [(v.value, truth[int(v.item_id[1:])]) for v in verdicts if v.basis == "consensus"]
    left = [v for v in verdicts if v.basis == "open"]
    assert len(settled) > 40
    assert left, "where nothing is likely enough an adjudicator is still needed"
    assert sum(said == right for said, right in settled) / len(settled) > 0.93
    assert all(v.by == ("A01", "A02", "A03") for v in verdicts if v.basis == "consensus")


def test_two_who_differ_always_go_to_adjudication() -> None:
    reviews, _ = simulated("AB", (0.99, 0.5))
    assert {v.basis for v in derive_verdicts(reviews, ("A", "B"), RULE)} == {"agreed", "open"}


def test_a_missing_slot_or_a_refusal_stays_open() -> None:
    reviews, _ = simulated("ABC", (0.95, 0.85, 0.7))
    settled = next(
        v for v in derive_verdicts(reviews, ("A", "B", "C"), RULE) if v.basis == "consensus"
    ).item_id
    needs_four = derive_verdicts(reviews, ("A", "B", "C", "D"), RULE)
    assert {v.basis for v in needs_four} == {"open"}
    refusal = answer(int(settled[1:]), "D", None, undecided="item-faulty")
    refused = derive_verdicts([*reviews, refusal], ("A", "B", "C"), RULE)
    assert next(v for v in refused if v.item_id == settled).basis == "open"


def test_texts_have_no_consensus() -> None:
    reviews = [
        answer(0, slot, value, job="translation", field="question", language="zh")
        for slot, value in zip("ABC", ("一", "一", "二"), strict=True)
    ]
    verdicts = derive_verdicts(reviews, ("A", "B", "C"), RULE)
    assert [v.basis for v in verdicts if v.field == "question"] == ["open"]


def test_the_recipe_section_is_read_and_closed(tmp_path: Path) -> None:
    path = tmp_path / "benchwright.toml"
    path.write_text(default_recipe_toml("x"), encoding="utf-8")
    assert load_recipe(path).annotation == AnnotationRecipe()
    text = default_recipe_toml("x").replace("slots = 1 ", 'slots = 2\nconsensus = "dawid-skene" ')
    path.write_text(text, encoding="utf-8")
    assert load_recipe(path).annotation.slots == 2
    assert load_recipe(path).annotation.consensus == "dawid-skene"
    for wrong in ("slots = 0 ", 'consensus = "majority" ', "consensus_answers = 2 "):
        path.write_text(default_recipe_toml("x").replace("slots = 1 ", wrong), encoding="utf-8")
        with pytest.raises(RecipeError, match="annotation"):
            load_recipe(path)
