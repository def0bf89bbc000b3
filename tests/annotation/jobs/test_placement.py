"""The placement page: boxes, points, arrows and labels there and back, checked without a server."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from label_studio_sdk.label_interface import LabelInterface
from PIL import Image, ImageDraw

from benchwright.annotation.checks import data_faults, prediction_faults
from benchwright.annotation.guidelines import load_guidelines
from benchwright.annotation.jobs import find_job
from benchwright.annotation.jobs.base import FieldAnswer, JsonObject
from benchwright.annotation.jobs.placement import PlacementJob, placement_config
from benchwright.annotation.jobs.placement_preview import LONGEST, Pictures
from benchwright.annotation.jobs.placement_regions import (
    Picture,
    Slot,
    arrow_keys,
    placement_regions,
    read_placements,
    slots_of,
)
from benchwright.annotation.server import shown_folder
from benchwright.examples.registry import all_problems
from benchwright.render.placement_marks import PlacedMark, Placements, place_marks, placement_view
from benchwright.schemas.images import load_image_bytes, open_published
from benchwright.schemas.jobs import Proposal, shown_digest
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import Anchor, Arrow, Decomposition, ImageRef, LocalizedText, Question
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.workspace import Workspace

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


@pytest.mark.parametrize("count", [1, 2, 3])
def test_config_is_known_to_label_studio(count: int) -> None:
    config = placement_config(count)
    interface = LabelInterface(config)
    interface.validate()
    assert {f"box_{i}" for i in range(count)} <= {control.name for control in interface.controls}


def test_predictions_satisfy_both_checks() -> None:
    config = placement_config(2)
    regions = PlacementJob().regions({"marks": proposal(data_of()["proposal"])}, data_of())
    assert len(regions) == 3 * 2 + 3 + 2
    assert prediction_faults(config, regions) == []
    drawn = [region for region in regions if region["to_name"].startswith("picture_")]
    prediction = {"model_version": "m", "score": 0.5, "result": drawn}
    # Label Studio's own checker does not know Repeater, so the cards are left to ours.
    assert LabelInterface(config).validate_prediction(prediction, return_errors=True) == []


def test_boxes_are_percent_of_the_picture_both_ways() -> None:
    result = untouched()
    box = of(result, "box_0")["value"]
    assert (box["x"], box["y"], box["width"], box["height"]) == (12.345, 40.0, 10.0, 5.0)
    assert (of(result, "box_0")["original_width"], of(result, "box_0")["original_height"]) == (900, 500)
    box.update(x=33.333333, y=1.0, width=2.5, height=100 / 3)
    moved = read(result).marks[0].anchor
    assert moved == Anchor(image=A, kind="box", x=0.33333, y=0.01, w=0.025, h=0.33333)


def test_what_was_not_touched_comes_back_as_it_was_proposed() -> None:
    job, data = PlacementJob(), data_of()
    answer = job.answers(untouched(), data)["marks"]
    assert (answer.value, answer.origin) == (data["proposal"], "prediction")


def test_a_page_that_rounds_its_numbers_has_not_moved_anything() -> None:
    result = untouched()
    for region in result:
        for side in ("x", "y", "width", "height"):
            if region["type"] == "rectanglelabels":
                region["value"][side] = round(region["value"][side] + 0.01, 2)
    assert read(result) == PLACEMENTS


@cache
def _placed_examples() -> list[tuple[str, Decomposition, Placements, ImageRef]]:
    found: list[tuple[str, Decomposition, Placements, ImageRef]] = []
    for problem in all_problems():
        split = problem.texts[problem.language].decomposition
        if split is None or not any(c.marks for c in split.conditions) or len(found) == 8:
            continue
        loaded = load_image_bytes(problem.drawing.png)
        bare = [
            c.model_copy(update={"marks": tuple(m.model_copy(update={"anchor": None}) for m in c.marks)})
            for c in split.conditions
        ]
        for wanted in (split, split.model_copy(update={"conditions": tuple(bare)})):
            placed = place_marks([loaded.ref], {loaded.ref.sha256: loaded.published}.__getitem__, wanted)
            found.append((problem.id, wanted, placed, loaded.ref))
    return found


def test_real_placements_come_back_as_they_went() -> None:
    places = set()
    for name, split, placements, ref in _placed_examples():
        slots, pictures = slots_of(split), (Picture(ref.sha256, ref.width, ref.height),)
        regions = placement_regions(placements, slots, pictures)
        assert read_placements(regions, slots, pictures, placements) == placements, name
        places |= {mark.place for mark in placements.marks}
    assert {"anchor", "free"} <= places


def test_without_a_proposal_the_same_regions_say_the_same_places() -> None:
    for _, split, placements, ref in _placed_examples():
        slots, pictures = slots_of(split), (Picture(ref.sha256, ref.width, ref.height),)
        made = read_placements(placement_regions(placements, slots, pictures), slots, pictures, None)
        assert made is not None
        assert made.unplaced.keys() == placements.unplaced.keys()
        for mark, before in zip(made.marks, placements.marks, strict=True):
            assert (mark.condition, mark.mark, mark.label) == (before.condition, before.mark, before.label)
            assert mark.confidence == 1.0
            for one, other in ((mark.anchor, before.anchor), (mark.arrow, before.arrow)):
                assert (one is None) == (other is None)
            if mark.anchor is not None and before.anchor is not None:
                assert mark.anchor.x == pytest.approx(before.anchor.x, abs=1e-5)
                assert mark.anchor.h == pytest.approx(before.anchor.h, abs=1e-5)


def test_a_moved_box_is_a_place_given_by_hand() -> None:
    result = untouched()
    region = next(r for r in result if r["type"] == "rectanglelabels" and r["value"]["y"] == 10.0)
    region["value"]["x"] += 5
    region["origin"] = "prediction-changed"
    answer = PlacementJob().answers(result, data_of())["marks"]
    assert answer.origin == "prediction-changed"
    made = Placements.model_validate(answer.value)
    assert (made.marks[0], made.marks[2]) == (PLACEMENTS.marks[0], PLACEMENTS.marks[2])
    assert (made.marks[1].place, made.marks[1].near, made.marks[1].confidence) == ("anchor", None, 1.0)
    assert made.marks[1].arrow is not None
    assert made.marks[1].arrow.x1 == pytest.approx(1 / 3, abs=1e-4)


def test_a_label_can_be_rewritten_and_a_mark_be_said_to_be_there() -> None:
    result = untouched()
    of(result, "label_2")["value"]["text"] = ["v₀ 😀"]
    of(result, "where_1")["value"]["choices"] = ["already-there"]
    made = read(result)
    assert (made.marks[2].label, made.marks[2].anchor) == ("v₀ 😀", POINT)
    assert (made.marks[1].place, made.marks[1].arrow) == ("already-there", None)


def test_a_condition_without_a_place_keeps_the_reason_it_had_or_gets_the_reviewers() -> None:
    lost = Placements(marks=PLACEMENTS.marks[:1], unplaced={"c2": "no-room"}, labels_read=False)
    assert read(untouched(lost), lost) == lost
    result = [r for r in untouched() if r["from_name"] not in ("box_0", "point_1", "arrow_0")]
    for number in (1, 2):
        of(result, f"where_{number}")["value"]["choices"] = ["nowhere"]
    assert read(result).unplaced == {"c2": "by-review"}


def test_a_mark_without_box_stands_beside_the_only_picture() -> None:
    slots, pictures = SLOTS[:1], PICTURES[:1]
    placed = Placements(marks=(PlacedMark(condition="c1", mark=0, label="10 kg", place="around"),))
    regions = placement_regions(placed, slots, pictures)
    assert [region["from_name"] for region in regions] == ["where_0", "label_0"]
    assert read_placements(regions, slots, pictures, None) == placed.model_copy(update={"labels_read": False})


def _changed(name: str, values: JsonObject) -> list[JsonObject]:
    result = untouched()
    of(result, name)["value"].update(values)
    return result


def _without(name: str) -> list[JsonObject]:
    return [region for region in untouched() if region["from_name"] != name]


def _doubled() -> list[JsonObject]:
    result = untouched()
    return [*result, {**of(result, "point_1"), "id": "other"}]


def _half_arrow() -> list[JsonObject]:
    tail, _ = arrow_keys(1)
    return [r for r in untouched() if r["value"].get("keypointlabels") != [tail]]


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        pytest.param(_without("where_1"), "mark-unanswered", id="unanswered"),
        pytest.param(_changed("where_1", {"choices": ["nowhere"]}), "half-placed", id="half-placed"),
        pytest.param(_doubled(), "two-places", id="two-places"),
        pytest.param(_half_arrow(), "half-arrow", id="half-arrow"),
        pytest.param(_without("label_2"), "no-label", id="no-label"),
        pytest.param(_without("point_1"), "which-picture", id="which-picture"),
        pytest.param(_changed("box_0", {"rectanglelabels": ["9 · x"]}), "unknown-label", id="unknown-label"),
        pytest.param(_changed("box_0", {"rectanglelabels": []}), "unknown-label", id="bare-box"),
        pytest.param(_changed("box_0", {"x": 95.0, "width": 20.0}), "out-of-picture", id="beyond-the-edge"),
    ],
)
def test_what_does_not_fit_together_stays_open_and_says_why(result: list[JsonObject], reason: str) -> None:
    answers = PlacementJob().answers(result, data_of())
    assert answers["marks"].value is None
    assert finding(answers).startswith(f"{reason}: ")


def test_an_empty_page_is_no_answer() -> None:
    remark = {"from_name": "comment", "to_name": "question", "type": "textarea", "value": {"text": ["odd"]}}
    assert PlacementJob().answers([], data_of()) == {}
    assert PlacementJob().answers([remark], data_of()) == {}
    assert PlacementJob().comment([remark]) == "odd"


def test_an_anchor_on_a_picture_that_is_not_shown_is_refused() -> None:
    with pytest.raises(ValueError, match="does not show"):
        placement_regions(PLACEMENTS, SLOTS, PICTURES[:1])


def test_names_of_marks_differ_and_hold_no_variable_of_the_page() -> None:
    slots = slots_of(decomposed(label="$v$ $" + "x" * 90))
    assert len({slot.key for slot in slots}) == 3
    assert all("$" not in slot.key and len(slot.key) < 40 for slot in slots)


@pytest.fixture
def placed(tmp_path: Path, make_workspace: Any) -> Iterator[Workspace]:
    """Three questions: one with marks, one with two pictures, one that came without a decomposition."""
    workspace: Workspace = make_workspace(tmp_path, 3)
    workspace.proposals("tagging").unlink()
    pool = read_records(workspace.pool("physics"), Question)
    refs = [keep(workspace, drawing()), keep(workspace, drawing(500, 500))]
    text = LocalizedText(question=STEM, answer="7", unit="m", decomposition=decomposed())
    for number, images in enumerate((refs[:1], refs)):
        pool[number] = pool[number].model_copy(update={"texts": {"en": text}, "images": tuple(images)})
    write_records(workspace.pool("physics"), pool, Question)
    lines = []
    for question in pool[:2]:
        found = place_marks(question.images, workspace.read_image, decomposed())
        view = placement_view(question.texts["en"], question.images, "en")
        value = found.model_dump(mode="json", exclude_none=True)
        lines.append(proposal(value, item_id=question.id, digest=shown_digest(view)))
    write_jsonl(workspace.proposals("placement"), lines)
    yield workspace


def keep(workspace: Workspace, data: bytes) -> ImageRef:
    loaded = load_image_bytes(data)
    path = workspace.image(loaded.ref.sha256, loaded.ref.suffix)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(loaded.published)
    return loaded.ref


def test_items_are_grouped_by_the_number_of_their_pictures(placed: Workspace) -> None:
    groups = PlacementJob().groups(placed)
    assert [(group.name, [item.item_id for item in group.items]) for group in groups] == [
        ("physics", ["q0000"]),
        ("physics-2", ["q0001"]),
    ]
    assert all(group.guidelines == load_guidelines("placement") for group in groups)
    for group in groups:
        for item in group.items:
            data = item.data
            assert data_faults(group.config, data) == []
            said = next(p for p in _lines(placed) if p.item_id == item.item_id)
            assert said.digest == item.digest
            regions = PlacementJob().regions({"marks": said}, data)
            assert prediction_faults(group.config, regions) == []
            touched = [{**region, "origin": "prediction"} for region in regions]
            assert PlacementJob().answers(touched, data)["marks"].value == said.value


def _lines(workspace: Workspace) -> list[Proposal]:
    return [
        Proposal.model_validate_json(line)
        for line in workspace.proposals("placement").read_text().splitlines()
    ]


def test_the_digest_is_the_proposers(placed: Workspace) -> None:
    from benchwright.curation.proposers.placement import Placer
    from benchwright.curation.proposers.unit import Item

    pool = read_records(placed.pool("physics"), Question)
    items = [Item(q, q.texts, q.texts, q.question_type) for q in pool]
    units = {unit.item_id: unit.digest for unit in Placer(placed).plan("physics", items).units}
    groups = PlacementJob().groups(placed)
    assert {item.item_id: item.digest for group in groups for item in group.items} == units


def test_the_proposal_is_seen_burnt_in(placed: Workspace) -> None:
    item = PlacementJob().groups(placed)[0].items[0]
    html = item.data["burnt_html"]
    name = html.split("placement/")[1].split('"')[0]
    assert name.startswith("burnt-")
    burnt = open_published((shown_folder(placed) / "placement" / name).read_bytes())
    assert red_pixels(burnt) > 200
    assert item.data["burnt_html"] == html, "made once, found again"


def test_a_label_that_cannot_be_drawn_is_said_in_words(placed: Workspace) -> None:
    (question,) = read_records(placed.pool("physics"), Question)[:1]
    split = decomposed(label="\U0001f600")
    text = LocalizedText(question=STEM, answer="7", decomposition=split)
    pool = read_records(placed.pool("physics"), Question)
    pool[0] = question.model_copy(update={"texts": {"en": text}})
    write_records(placed.pool("physics"), pool, Question)
    marks = [PlacedMark(condition=c, mark=m, label=w, place="around") for c, m, w in
             (("c1", 0, "10 kg"), ("c2", 0, "\U0001f600"), ("c2", 1, "v"))]  # fmt: skip
    view = placement_view(text, question.images, "en")
    value = Placements(marks=tuple(marks)).model_dump(mode="json", exclude_none=True)
    write_jsonl(
        placed.proposals("placement"), [proposal(value, item_id=question.id, digest=shown_digest(view))]
    )
    html = PlacementJob().groups(placed)[0].items[0].data["burnt_html"]
    assert "missing-glyph" in html
    assert "bw-fault" in html


def test_a_picture_of_20_megapixels_is_shown_smaller_and_its_boxes_stay(placed: Workspace) -> None:
    ref = keep(placed, drawing(5200, 3900))
    assert ref.width * ref.height > 20_000_000
    pictures = Pictures(placed)
    url, width, height = pictures.shown(ref)
    assert (max(width, height), url.endswith(f"{ref.sha256}-{LONGEST}.png")) == (LONGEST, True)
    assert open_published((pictures.folder / url.rsplit("/", 1)[1]).read_bytes()).size == (width, height)
    split = decomposed()
    box = Anchor(image=ref.sha256, kind="box", x=0.05, y=0.1, w=0.2, h=0.1)
    marks = [PlacedMark(condition=c, mark=m, label=w, place="anchor",
                        anchor=box.model_copy(update={"x": 0.05 + 0.3 * n}))
             for n, (c, m, w) in enumerate((("c1", 0, "10 kg"), ("c2", 0, "3 m/s"), ("c2", 1, "v")))]  # fmt: skip
    burnt = pictures.burnt(split, Placements(marks=tuple(marks)), [ref], "en")
    image = open_published((pictures.folder / burnt.rsplit("/", 1)[1]).read_bytes())
    assert max(image.size) == LONGEST
    assert red_pixels(image.crop((0, 0, image.width // 3, image.height // 3))) > 50


def test_hostile_labels_and_stems_are_shown_not_run(placed: Workspace) -> None:
    evil = 'A 10-kg <script>alert(1)</script> at $v=3$ m/s <img src=x onerror="alert(2)">?'
    split = decomposed(evil, label="<b onclick=alert(3)>")
    pool = read_records(placed.pool("physics"), Question)
    texts = {"en": LocalizedText(question=evil, answer="7", decomposition=split)}
    pool[0] = pool[0].model_copy(update={"texts": texts})
    write_records(placed.pool("physics"), pool, Question)
    data = PlacementJob().groups(placed)[0].items[0].data
    shown = data["html"] + data["burnt_html"] + "".join(mark["html"] for mark in data["marks"])
    for piece in ("<script", "<img", "<b onclick"):
        assert piece not in shown


def test_marks_wait_for_the_text_of_their_own_language(placed: Workspace) -> None:
    """A decomposition that nobody settled: there is nothing to place yet, and the page says what it waits for."""
    pool = read_records(placed.pool("physics"), Question)
    pool[0] = pool[0].model_copy(update={"texts": {"en": LocalizedText(question=STEM, answer="7")}})
    write_records(placed.pool("physics"), pool, Question)
    value = decomposed().model_dump(mode="json", exclude_none=True)
    write_jsonl(
        placed.proposals("decomposition"),
        [proposal(value, job="decomposition", item_id="q0000", language="en", field="decomposition")],
    )
    groups = PlacementJob().groups(placed)
    assert [item.item_id for group in groups for item in group.items] == ["q0001"]
    assert "waits-for-decomposition" in {record.reason for record in groups[0].waiting}


def test_it_is_found_by_its_name() -> None:
    assert isinstance(find_job("placement"), PlacementJob)
