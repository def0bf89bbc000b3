"""Decompositions for the tests of the decomposition page, and regions as a reviewer leaves them."""

from __future__ import annotations

from typing import Any

from benchwright.annotation.jobs.base import FieldAnswer, JsonObject
from benchwright.annotation.jobs.decomposition_spans import decomposition_regions
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.records import Decomposition, ImageRef

STEM = "A 10-kg crate slides at $v=3$ m/s for 2 s. Where does it stop?"
DIGEST = "0" * 64
PICTURE = ImageRef(source_sha256=DIGEST, sha256=DIGEST, width=640, height=480, format="png")


def split_of(stem: str, *conditions: tuple[str, str, str], **changes: Any) -> Decomposition:
    """A decomposition whose conditions are given as (words, show, labels with `|` between)."""
    found = [
        {
            "id": f"c{number}",
            "start": stem.index(words),
            "end": stem.index(words) + len(words),
            "show": show,
            "marks": [{"label": label} for label in labels.split("|") if label],
        }
        for number, (words, show, labels) in enumerate(conditions, start=1)
    ]
    values = {
        "stem": stem,
        "conditions": found,
        "core_question": "A crate slides. Where does it stop?",
        "knowledge_cue": {"terms": ["friction", "work"], "sentence": "You need friction and work."},
        "knowledge_detail": [
            {"term": "friction", "text": "It opposes sliding."},
            {"term": "work", "text": "Force along the way:\n$W = F s$"},
        ],
        **changes,
    }
    return Decomposition.model_validate(values)


CRATE = split_of(
    STEM,
    ("10-kg", "already-there", ""),
    ("at $v=3$ m/s", "on-diagram", "$v=3$ m/s|3 m/s"),
    ("for 2 s", "text", ""),
)


def shown(split: Decomposition) -> JsonObject:
    return {"stem": split.stem, "proposal": split.model_dump(mode="json", exclude_none=True)}


def predicted(split: Decomposition) -> list[JsonObject]:
    """The regions as an annotation that was submitted untouched holds them."""
    return [{**region, "origin": "prediction"} for region in decomposition_regions(split, split.stem)]


def proposal(value: object, field: str = "decomposition", **key: str) -> Proposal:
    base = {"job": "decomposition", "item_id": "q", "language": "en", "digest": DIGEST, "model": "m"}
    return Proposal.model_validate({**base, **key, "field": field, "value": value})


def edited(result: list[JsonObject], control: str, text: str) -> list[JsonObject]:
    """A text field rewritten by the reviewer."""
    return [
        {**region, "origin": "prediction-changed", "value": {**region["value"], "text": [text]}}
        if region["from_name"] == control
        else region
        for region in result
    ]


def span(start: int, end: int, show: str, stem: str = STEM, name: str = "Xy12") -> JsonObject:
    value = {"start": start, "end": end, "text": stem[start:end], "labels": [show]}
    return {"id": name, "from_name": "show", "to_name": "stem", "type": "labels", "value": value}


def finding(answers: dict[str, FieldAnswer]) -> str:
    """The one reason that came with an open answer."""
    value = answers["findings"].value
    assert isinstance(value, list) and len(value) == 1
    return str(value[0])
