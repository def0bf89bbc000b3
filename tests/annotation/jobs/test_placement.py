"""The placement page: boxes, points, arrows and labels there and back, checked without a server."""

from __future__ import annotations

from functools import cache

import pytest
from label_studio_sdk.label_interface import LabelInterface

from benchwright.annotation.checks import prediction_faults
from benchwright.annotation.jobs.base import JsonObject
from benchwright.annotation.jobs.placement import PlacementJob, placement_config
from benchwright.annotation.jobs.placement_regions import (
    Picture,
    arrow_keys,
    placement_regions,
    read_placements,
    slots_of,
)
from benchwright.examples.registry import all_problems
from benchwright.render.placement_marks import PlacedMark, Placements, place_marks
from benchwright.schemas.images import load_image_bytes
from benchwright.schemas.records import Anchor, Decomposition, ImageRef

from .placed_marks import (
    PICTURES,
    PLACEMENTS,
    POINT,
    SLOTS,
    A,
    data_of,
    decomposed,
    finding,
    of,
    proposal,
    read,
    untouched,
)


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
