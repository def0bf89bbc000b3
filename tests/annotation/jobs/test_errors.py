"""The page about errors: wrong answers only, with picture and solution."""

from __future__ import annotations

from label_studio_sdk.label_interface import LabelInterface

from benchwright.annotation.checks import data_faults, prediction_faults
from benchwright.annotation.jobs.errors import ErrorsJob
from benchwright.annotation.push import place_images
from benchwright.annotation.server import shown_folder
from benchwright.schemas.jobs import JOBS, Proposal


def test_the_page_is_known_to_label_studio_and_offers_the_papers_five_kinds() -> None:
    interface = LabelInterface(ErrorsJob().config())
    interface.validate()
    assert tuple(interface.get_control("category").labels) == JOBS["errors"].field("category").values


def test_only_wrong_answers_are_offered(evaluated) -> None:
    source = ErrorsJob().offer(evaluated.workspace, evaluated.run_id)
    rows = [one.row.id for one in source.offered]
    assert rows == ["p1:vision-only:en", "p2:original:en", "p3:original:en", "p3:vision-only:en"]
    assert source.rejected == ()


def test_pictures_come_from_the_release_and_stand_where_the_server_may_show_them(evaluated) -> None:
    ErrorsJob().offer(evaluated.workspace, evaluated.run_id)
    (group,) = ErrorsJob().groups(evaluated.workspace)
    item = group.items[0]
    (image,) = item.images
    assert (image.width, image.height, image.format) == (30, 20, "png")
    placed = shown_folder(evaluated.workspace) / "errors" / f"{image.sha256}.png"
    before = placed.read_bytes()
    place_images(evaluated.workspace, ErrorsJob(), group)
    assert placed.read_bytes() == before
    shown = item.data["html"]
    assert data_faults(group.config, item.data) == []
    assert f"errors/{image.sha256}.png" in shown
    assert "secret-solution-1" in shown


def test_an_answer_whose_picture_is_nowhere_is_rejected_until_a_release_is_named(
    evaluated, offered_to
) -> None:
    run = str(evaluated.workspace.runs / evaluated.run_id)
    lost = ErrorsJob().offer(offered_to, run)
    assert lost.offered == ()
    assert {reject.reason for reject in lost.rejected} == {"picture-missing"}
    (group,) = ErrorsJob().groups(offered_to)
    assert len(group.rejected) == 4 and group.items == ()
    found = ErrorsJob().offer(offered_to, run, release=str(evaluated.release))
    assert len(found.offered) == 4 and found.rejected == ()


def test_the_category_makes_the_round(evaluated) -> None:
    job = ErrorsJob()
    said = Proposal(
        job="errors", item_id="r/x", field="category", digest="0" * 64, value="knowledge", model="m"
    )
    result = job.regions({"category": said}, {})
    assert prediction_faults(ErrorsJob().config(), result) == []
    assert job.answers(result, {})["category"].value == "knowledge"
    remark = {"from_name": "comment", "type": "textarea", "value": {"text": ["odd"]}}
    assert job.comment([*result, remark]) == "odd"
