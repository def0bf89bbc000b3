"""The placement page: what it shows of a question, the proposal burnt in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.annotation.checks import data_faults, prediction_faults
from benchwright.annotation.guidelines import load_guidelines
from benchwright.annotation.jobs import find_job
from benchwright.annotation.jobs.placement import PlacementJob
from benchwright.annotation.jobs.placement_preview import LONGEST, Pictures
from benchwright.annotation.server import shown_folder
from benchwright.render.placement_marks import PlacedMark, Placements, place_marks, placement_view
from benchwright.schemas.images import load_image_bytes, open_published
from benchwright.schemas.jobs import Proposal, shown_digest
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import Anchor, ImageRef, LocalizedText, Question
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.workspace import Workspace

from .placed_marks import (
    STEM,
    decomposed,
    drawing,
    proposal,
    red_pixels,
)


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
