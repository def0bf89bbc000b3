"""Where marks go, as a value; what they name; the drawing's own labels."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from benchwright.render.compose import render_vision_rich, typesetter_for
from benchwright.render.placement import NOWHERE
from benchwright.render.placement_marks import Placements, place_marks, with_placements
from benchwright.render.placement_names import (
    DiagramLabel,
    cached_labels,
    diagram_labels,
    names_of,
    plain_symbol,
    target_of,
)
from benchwright.render.style import RenderStyle
from benchwright.schemas.records import Anchor, Arrow, ImageRef, Mark, Show
from benchwright.schemas.versions import Version, version_text

from .conftest import Studio
from .test_legibility_long import needs_reader

STEM = "Block B of mass 3 kg hangs at A. Its speed is 4 m/s and the spring has k = 20 N/m. Find it."


def label(text: str, x: float, y: float) -> DiagramLabel:
    return DiagramLabel(text=text, score=0.99, box=(x, y, 0.04, 0.06))


def lettered(studio: Studio) -> ImageRef:
    """A wide drawing with a letter at each end."""
    image = Image.new("RGB", (1000, 500), "white")
    pen = ImageDraw.Draw(image)
    pen.line((100, 250, 900, 250), fill="black", width=3)
    face = typesetter_for().font.face(40)
    pen.text((90, 200), "A", fill="black", font=face, anchor="ls")
    pen.text((880, 200), "B", fill="black", font=face, anchor="ls")
    return studio.add(image)


@pytest.mark.parametrize(
    ("mark", "span", "names"),
    [
        ("$m = 2$ kg", "of mass $m = 2$ kg", ("m",)),
        ("$R_{1} = 5\\ \\Omega$", "", ("R1",)),
        ("$\\angle A = 30^\\circ$", "", ("∠A",)),
        ("$\\theta = 30^\\circ$", "", ("θ",)),
        ("3 kg", "Block B of mass 3 kg", ("B",)),
        ("2 kg", "物体A的质量为2 kg", ("A",)),
        ("5 N", "a force of 5 N", ()),
        ("AB = 5", "AB = 5", ("AB",)),
    ],
)
def test_what_a_mark_names(mark: str, span: str, names: tuple[str, ...]) -> None:
    found = tuple(name for name in names_of(mark, span) if name != "Block")
    assert found[: len(names)] == names


def test_a_symbol_is_written_as_a_reader_writes_it() -> None:
    assert plain_symbol("$\\mathrm{v}_{0}$") == "v0"
    assert plain_symbol("\\angle ABC") == "∠ABC"


def test_a_name_is_settled_by_one_label_or_two_ends_and_never_by_a_label_that_stands_twice() -> None:
    labels = [label("A", 0.1, 0.1), label("B", 0.5, 0.5), label("m", 0.2, 0.8), label("m", 0.8, 0.8)]
    found = target_of(("B",), labels)
    assert found is not None and found.box == (0.5, 0.5, 0.04, 0.06)
    middle = target_of(("AB",), labels)
    assert middle is not None and middle.box[:2] == pytest.approx((0.32, 0.33))
    assert target_of(("m",), labels) is None
    assert target_of(("C",), labels) is None
    corner = target_of(("∠CBA",), labels)
    assert corner is not None and corner.label == "B"
    assigned = target_of(("R1",), [label("R1=2Ω", 0.3, 0.3)])
    assert assigned is not None and assigned.box[:2] == (0.3, 0.3)


def test_a_mark_stands_beside_the_drawings_own_label(studio: Studio) -> None:
    ref = lettered(studio)
    decomposition = studio.decomposed(STEM, ("Block B of mass 3 kg", "on-diagram", (Mark(label="3 kg"),)))
    labels = {ref.sha256: (label("A", 0.09, 0.34), label("B", 0.88, 0.34))}
    named = place_marks((ref,), studio.bytes_of.__getitem__, decomposition, labels=labels)
    (mark,) = named.marks
    assert (mark.place, mark.near, mark.condition, mark.mark) == ("named", "B", "c1", 0)
    assert mark.anchor is not None and mark.anchor.x > 0.75
    (free,) = place_marks((ref,), studio.bytes_of.__getitem__, decomposition).marks
    assert (free.place, free.near) == ("free", None)
    assert free.anchor is not None and free.anchor.x < 0.7


def test_the_renderer_puts_a_proposed_mark_where_the_proposal_says(studio: Studio) -> None:
    """Reviewed as it stands, a proposal gives the picture that was proposed, without the labels being read again."""
    ref = lettered(studio)
    decomposition = studio.decomposed(
        STEM,
        ("Block B of mass 3 kg", "on-diagram", (Mark(label="3 kg"),)),
        ("4 m/s", "on-diagram", (Mark(label="4 m/s", arrow=Arrow(x0=0.3, y0=0.7, x1=0.5, y1=0.7)),)),
    )
    labels = {ref.sha256: (label("A", 0.09, 0.34), label("B", 0.88, 0.34))}
    placements = place_marks((ref,), studio.bytes_of.__getitem__, decomposition, labels=labels)
    assert placements == place_marks((ref,), studio.bytes_of.__getitem__, decomposition, labels=labels)
    fixed = with_placements(decomposition, placements)
    problem = studio.problem(STEM, images=(ref,), decomposition=fixed)
    sidecar = render_vision_rich(problem, "en", studio.bytes_of.__getitem__, RenderStyle()).sidecar
    assert next(mark.place for mark in sidecar.marks) == "anchor"
    anchor = placements.marks[0].anchor
    assert anchor is not None
    assert abs(sidecar.marks[0].box.x - anchor.x * sidecar.width) < 20
    assert abs(sidecar.marks[0].box.y - anchor.y * sidecar.height) < 20
    assert placements.marks[1].arrow == decomposition.conditions[1].marks[0].arrow


def test_the_value_survives_json_and_says_what_found_no_place(studio: Studio) -> None:
    ref = studio.triangle()
    lost = Mark(label="m", anchor=Anchor(image="f" * 64, kind="point", x=0, y=0))
    decomposition = studio.decomposed(
        STEM, ("3 kg", "on-diagram", (lost,)), ("k = 20 N/m", "on-diagram", (Mark(label="20 N/m"),))
    )
    placements = place_marks((ref,), studio.bytes_of.__getitem__, decomposition)
    assert placements.unplaced == {"c1": "unknown-image"}
    assert Placements.model_validate_json(json.dumps(placements.model_dump(mode="json"))) == placements
    placed = with_placements(decomposition, placements)
    assert [c.show for c in placed.conditions] == [Show.ON_DIAGRAM, Show.ON_DIAGRAM]
    assert placed.conditions[0].marks[0].anchor == NOWHERE
    assert placed.conditions[1].marks[0].anchor is not None


def test_around_a_full_drawing_a_place_has_no_anchor(studio: Studio) -> None:
    image = Image.new("RGB", (600, 400), "white")
    pen = ImageDraw.Draw(image)
    for x in range(4, 600, 12):
        pen.line((x, 2, x, 398), fill="black", width=2)
    ref = studio.add(image)
    decomposition = studio.decomposed(STEM, ("4 m/s", "on-diagram", (Mark(label="4 m/s"),)))
    (mark,) = place_marks((ref,), studio.bytes_of.__getitem__, decomposition).marks
    assert (mark.condition, mark.mark, mark.label, mark.anchor) == ("c1", 0, "speed: 4 m/s", None)
    assert mark.place == "around" and mark.confidence < 0.2


def test_added_ground_is_no_larger_than_its_marks_need(studio: Studio) -> None:
    image = Image.new("RGB", (1000, 700), "white")
    pen = ImageDraw.Draw(image)
    for x in range(4, 1000, 12):
        pen.line((x, 2, x, 698), fill="black", width=2)
    ref = studio.add(image)
    decomposition = studio.decomposed(STEM, ("4 m/s", "on-diagram", (Mark(label="4 m/s"),)))
    problem = studio.problem(STEM, images=(ref,), decomposition=decomposition)
    sidecar = render_vision_rich(problem, "en", studio.bytes_of.__getitem__, RenderStyle()).sidecar
    mark = sidecar.marks[0].box
    added = (sidecar.width - 1000) * (sidecar.height - 700)
    assert added == 0  # one side, not a frame all round
    assert max(sidecar.width - 1000, sidecar.height - 700) < 3 * max(mark.width, mark.height)


def test_a_free_label_keeps_its_distance_from_the_drawings_letters(studio: Studio) -> None:
    ref = lettered(studio)
    decomposition = studio.decomposed(STEM, ("4 m/s", "on-diagram", (Mark(label="4 m/s"),)))
    problem = studio.problem(STEM, images=(ref,), decomposition=decomposition)
    rendered = render_vision_rich(problem, "en", studio.bytes_of.__getitem__, RenderStyle())
    box = rendered.sidecar.marks[0].box
    air = 25
    before = np.asarray(Image.open(io.BytesIO(studio.bytes_of[ref.sha256])).convert("L"))
    around = before[box.y - air : box.y + box.height + air, box.x - air : box.x + box.width + air]
    assert around.min() > 200


def test_a_condition_without_a_place_changes_the_text_and_says_so(studio: Studio) -> None:
    ref = studio.triangle()
    lost = Mark(label="m", anchor=Anchor(image="f" * 64, kind="point", x=0, y=0))
    decomposition = studio.decomposed(
        STEM,
        ("3 kg", "on-diagram", (lost,)),
        ("k = 20 N/m", "on-diagram", (Mark(label="20 N/m"),)),
        core="CORE",
    )
    problem = studio.problem(STEM, images=(ref,), decomposition=decomposition)
    sidecar = render_vision_rich(problem, "en", studio.bytes_of.__getitem__, RenderStyle()).sidecar
    assert sidecar.text_changed and sidecar.unshown == {"c1": "unknown-image"}
    text = version_text(problem, Version.VISION_RICH, "en", sidecar.shown).question
    assert "3 kg" in text and "20 N/m" not in text and text != "CORE"
    # The placement's own word changes nothing of that: the value has gone from the core question, so the rule's text
    # stands until somebody has put it back and said that the condition stays in words.
    placed = with_placements(decomposition, place_marks((ref,), studio.bytes_of.__getitem__, decomposition))
    problem = studio.problem(STEM, images=(ref,), decomposition=placed)
    sidecar = render_vision_rich(problem, "en", studio.bytes_of.__getitem__, RenderStyle()).sidecar
    assert sidecar.text_changed and sidecar.unshown == {"c1": "unplaced"}
    assert "3 kg" in version_text(problem, Version.VISION_RICH, "en", sidecar.shown).question
    words, mark = placed.conditions
    mended = placed.model_copy(
        update={
            "core_question": "REVIEWED",
            "conditions": (words.model_copy(update={"show": Show.TEXT, "marks": ()}), mark),
        }
    )
    problem = studio.problem(STEM, images=(ref,), decomposition=mended)
    sidecar = render_vision_rich(problem, "en", studio.bytes_of.__getitem__, RenderStyle()).sidecar
    assert not sidecar.text_changed
    assert version_text(problem, Version.VISION_RICH, "en", sidecar.shown).question == "REVIEWED"


@needs_reader
def test_a_drawings_labels_are_read_once_and_kept(studio: Studio, tmp_path: Path) -> None:
    from benchwright.render.legibility_read import reader

    image = Image.new("RGB", (500, 300), "white")
    pen = ImageDraw.Draw(image)
    face = typesetter_for().font.face(36)
    pen.text((60, 80), "AC", fill="black", font=face)
    pen.text((380, 200), "R1", fill="black", font=face)
    ref = studio.add(image)
    data = studio.bytes_of[ref.sha256]
    labels = diagram_labels(data, reader())
    found = {item.text: item.box for item in labels}
    assert set(found) == {"AC", "R1"}
    assert found["R1"][0] == pytest.approx(380 / 500, abs=0.03)
    assert found["R1"][1] == pytest.approx(210 / 300, abs=0.06)
    assert cached_labels(tmp_path, ref.sha256, data, reader()) == labels
    (kept,) = tmp_path.rglob("*.json")
    kept.write_text("[]")
    assert cached_labels(tmp_path, ref.sha256, data, reader()) == ()


@pytest.mark.parametrize("kind", ["photograph", "grey figure"])
def test_ground_added_around_a_picture_without_a_ground_of_its_own_is_white(
    studio: Studio, kind: str
) -> None:
    """Found on real items: a balloon in a meadow got a dark green bar, three grey circles a grey one."""
    if kind == "photograph":
        noise = np.random.default_rng(5).integers(0, 60, (700, 1000, 3), dtype=np.uint8)
        image = Image.fromarray(noise)
    else:
        image = Image.new("RGB", (1000, 700), "white")
        ImageDraw.Draw(image).ellipse((150, 5, 850, 695), fill="#808080")
        for x in range(0, 1000, 40):
            ImageDraw.Draw(image).line((x, 0, x, 700), fill="black", width=3)
    ref = studio.add(image)
    decomposition = studio.decomposed(STEM, ("4 m/s", "on-diagram", (Mark(label="4 m/s"),)))
    problem = studio.problem(STEM, images=(ref,), decomposition=decomposition)
    rendered = render_vision_rich(problem, "en", studio.bytes_of.__getitem__, RenderStyle())
    box, drawing = rendered.sidecar.marks[0].box, rendered.sidecar.diagrams[0].box
    assert (rendered.sidecar.width, rendered.sidecar.height) != (drawing.width, drawing.height)
    picture = np.asarray(Image.open(io.BytesIO(rendered.png)).convert("RGB"))
    assert (picture[box.y, box.x : box.x + box.width] == 255).all()
    corner = picture[0, 0] if drawing.y > 0 or drawing.x > 0 else picture[-1, -1]
    assert tuple(corner) == (255, 255, 255)
