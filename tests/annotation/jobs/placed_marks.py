"""Marks and their places for the tests of the placement page, and regions as a reviewer leaves them."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image, ImageDraw

from benchwright.annotation.jobs.base import FieldAnswer, JsonObject
from benchwright.annotation.jobs.placement_regions import (
    Picture,
    Slot,
    placement_regions,
    read_placements,
)
from benchwright.render.placement_marks import PlacedMark, Placements
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.records import Anchor, Arrow, Decomposition

STEM = "A 10-kg crate slides to the right at $v=3$ m/s on a rough floor. Where does it stop?"
A, B = "a" * 64, "b" * 64
PICTURES = (Picture(A, 900, 500), Picture(B, 400, 400))
SLOTS = (
    Slot("c1", 0, "10 kg", "1 · 10 kg"),
    Slot("c2", 0, "$v=3$ m/s", "2 · v=3 m/s"),
    Slot("c2", 1, "v", "3 · v"),
)
BOX = Anchor(image=A, kind="box", x=0.12345, y=0.4, w=0.1, h=0.05)
POINT = Anchor(image=B, kind="point", x=0.99999, y=0.0)
PLACEMENTS = Placements(
    marks=(
        PlacedMark(
            condition="c1", mark=0, label="10 kg", anchor=BOX, place="already-there", near="10 kg", confidence=0.8
        ),
        PlacedMark(
            condition="c2", mark=0, label="$v=3$ m/s", anchor=BOX.model_copy(update={"y": 0.1}),
            arrow=Arrow(x0=0.1, y0=0.2, x1=0.3333333, y1=0.2), place="named", near="v", confidence=0.8,
        ),
        PlacedMark(condition="c2", mark=1, label="v", anchor=POINT, place="free", confidence=0.4),
    ),
)  # fmt: skip


def decomposed(stem: str = STEM, label: str = "$v=3$ m/s") -> Decomposition:
    def condition(name: str, words: str, *labels: str) -> JsonObject:
        start = stem.index(words)
        marks = [{"label": text} for text in labels]
        return {"id": name, "start": start, "end": start + len(words), "show": "on-diagram", "marks": marks}

    return Decomposition.model_validate(
        {
            "stem": stem,
            "conditions": [
                condition("c1", "10-kg", "10 kg"),
                condition("c2", "at $v=3$ m/s", label, "v"),
            ],
            "core_question": "A crate slides on a rough floor. Where does it stop?",
            "knowledge_cue": {"terms": ["friction"], "sentence": "It is about friction."},
        }
    )


def drawing(width: int = 900, height: int = 500) -> bytes:
    image = Image.new("RGB", (width, height), "white")
    pen = ImageDraw.Draw(image)
    pen.line((0, height * 9 // 10, width, height * 9 // 10), fill="black", width=max(2, height // 120))
    box = (width * 4 // 10, height * 6 // 10, width * 6 // 10, height * 9 // 10)
    pen.rectangle(box, outline="black", width=max(2, height // 120))
    stream = io.BytesIO()
    image.save(stream, "PNG", compress_level=1)
    return stream.getvalue()


def untouched(placements: Placements = PLACEMENTS) -> list[JsonObject]:
    return [{**region, "origin": "prediction"} for region in placement_regions(placements, SLOTS, PICTURES)]


def read(result: list[JsonObject], proposed: Placements | None = PLACEMENTS) -> Placements:
    made = read_placements(result, SLOTS, PICTURES, proposed)
    assert made is not None
    return made


def data_of(placements: Placements | None = PLACEMENTS) -> JsonObject:
    return {
        "marks": [{"condition": s.condition, "mark": s.mark, "label": s.label, "key": s.key} for s in SLOTS],
        "pictures": [{"sha256": p.sha256, "width": p.width, "height": p.height} for p in PICTURES],
        "proposal": None if placements is None else placements.model_dump(mode="json", exclude_none=True),
    }


def proposal(value: object, **key: str) -> Proposal:
    base = {"job": "placement", "item_id": "q", "digest": A, "model": "m", "field": "marks"}
    return Proposal.model_validate({**base, **key, "value": value})


def finding(answers: dict[str, FieldAnswer]) -> str:
    """The one reason that came with an open answer."""
    value = answers["findings"].value
    assert isinstance(value, list) and len(value) == 1
    return str(value[0])


def red_pixels(image: Image.Image) -> int:
    """Pixels in the renderer's ink."""
    pixels = np.asarray(image)
    return int(((pixels[..., 0] > 110) & (pixels[..., 1] < 70) & (pixels[..., 2] < 70)).sum())


def of(result: list[JsonObject], name: str) -> JsonObject:
    return next(region for region in result if region["from_name"] == name)
