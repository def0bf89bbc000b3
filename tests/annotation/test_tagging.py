"""The tagging page: config, task, proposal and answer, checked without a server."""

from __future__ import annotations

from pathlib import Path

import pytest
from label_studio_sdk.label_interface import LabelInterface

from benchwright.annotation.checks import config_controls, prediction_faults
from benchwright.annotation.jobs import REVIEW_JOBS, find_job
from benchwright.annotation.jobs.tagging import TaggingJob, tagging_config, tagging_guidelines, tagging_item
from benchwright.annotation.markup import question_html
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import JOBS, Proposal, problem_id
from benchwright.schemas.records import LocalizedText, Question, QuestionType
from benchwright.schemas.selection import SelectionRow
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.taxonomy import BUILT_IN, DisciplineTaxonomy, load_taxonomy

DIGEST = "0" * 64
DISCIPLINES = [
    pytest.param(discipline, id=f"{name}-{discipline.id}")
    for name in BUILT_IN
    for discipline in load_taxonomy(name).disciplines
]


def proposal(field: str, value: object) -> Proposal:
    return Proposal.model_validate(
        {"job": "tagging", "item_id": "q", "field": field, "digest": DIGEST, "value": value, "model": "m"}
    )


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_config_is_known_to_label_studio(discipline: DisciplineTaxonomy) -> None:
    config = tagging_config(discipline)
    interface = LabelInterface(config)
    interface.validate()
    assert set(interface.get_control("subject").labels) == {subject.id for subject in discipline.subjects}
    assert set(interface.get_control("difficulty").labels) == {"1", "2", "3", "4", "5"}


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_every_choice_has_a_key_of_its_own(discipline: DisciplineTaxonomy) -> None:
    config = tagging_config(discipline)
    keys = [part.split('"')[0] for part in config.split('hotkey="')[1:]]
    assert len(keys) == len(discipline.subjects) + 5 + 2
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_predictions_satisfy_both_checks(discipline: DisciplineTaxonomy) -> None:
    config = tagging_config(discipline)
    interface = LabelInterface(config)
    for subject in discipline.subjects:
        result = TaggingJob().regions(
            {"subject": proposal("subject", subject.id), "difficulty": proposal("difficulty", 4)}, {}
        )
        assert len(result) == 2
        assert prediction_faults(config, result) == []
        prediction = {"model_version": "m", "score": 0.5, "result": result}
        assert interface.validate_prediction(prediction, return_errors=True) == []


def test_a_discipline_with_more_subjects_than_keys_still_works() -> None:
    subject = load_taxonomy("visscience").subjects("physics")[0]
    many = tuple(subject.model_copy(update={"id": f"s{i}"}) for i in range(40))
    discipline = load_taxonomy("visscience").discipline("physics").model_copy(update={"subjects": many})
    assert len(LabelInterface(tagging_config(discipline)).get_control("subject").labels) == 40


def test_answers_come_back_typed_with_their_origin() -> None:
    job = TaggingJob()
    result = job.regions(
        {"subject": proposal("subject", "mechanics"), "difficulty": proposal("difficulty", 3)}, {}
    )
    result[0]["origin"], result[1]["origin"] = "prediction", "prediction-changed"
    remark = {
        "from_name": "comment",
        "to_name": "question",
        "type": "textarea",
        "value": {"text": [" odd figure "]},
    }
    answers = job.answers([*result, remark], {})
    assert answers["subject"].value == "mechanics"
    assert answers["subject"].origin == "prediction"
    assert answers["difficulty"].value == 3
    assert answers["difficulty"].origin == "prediction-changed"
    assert job.comment([*result, remark]) == "odd figure"
    assert job.answers([remark], {}) == {}
    assert job.comment(result) is None


def test_an_answer_entered_by_hand_says_so() -> None:
    result = [
        {
            "from_name": "subject",
            "to_name": "question",
            "type": "choices",
            "value": {"choices": ["mechanics"]},
        }
    ]
    assert TaggingJob().answers(result, {})["subject"].origin == "manual"


def test_two_choices_where_one_is_asked_are_no_answer() -> None:
    result = [{"from_name": "subject", "type": "choices", "value": {"choices": ["mechanics", "optics"]}}]
    assert TaggingJob().answers(result, {}) == {}


def test_ann_01_wrong_control_and_wrong_choice_are_found_before_the_upload() -> None:
    config = (
        '<View><Image name="img" value="$image"/>'
        '<Choices name="subject" toName="img"><Choice value="optics"/></Choices></View>'
    )
    wrong = [{"from_name": "topic", "to_name": "img", "type": "choices", "value": {"choices": ["Optics"]}}]
    faults = " / ".join(prediction_faults(config, wrong))
    assert "'topic'" in faults
    assert "'Optics' is not a choice" in faults
    right = [{"from_name": "subject", "to_name": "img", "type": "choices", "value": {"choices": ["optics"]}}]
    assert prediction_faults(config, right) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"to_name": "text"}, "does not belong to 'text'"),
        ({"type": "labels"}, "is of type choices, not labels"),
        ({"value": {"choices": []}}, "has no value"),
        ({"value": {"choices": ["Mechanics"]}}, "'Mechanics' is not a choice"),
        ({"value": {"choices": ["mechanics", "optics"]}}, "takes one value"),
    ],
)
def test_each_kind_of_fault_is_named(change: dict[str, object], fault: str) -> None:
    config = tagging_config(load_taxonomy("visscience").discipline("physics"))
    region = {
        "from_name": "subject",
        "to_name": "question",
        "type": "choices",
        "value": {"choices": ["mechanics"]},
    }
    assert prediction_faults(config, [region]) == []
    assert fault in " / ".join(prediction_faults(config, [{**region, **change}]))


def test_a_broken_config_is_refused_in_words() -> None:
    with pytest.raises(UsageError, match="well-formed"):
        config_controls("<View><Choices name='a' toName='b'></View>")
    with pytest.raises(UsageError, match="two controls named 'a'"):
        config_controls("<View><Choices name='a' toName='b'/><Rating name='a' toName='b'/></View>")


def test_hostile_text_is_shown_not_run() -> None:
    evil = '<script>alert(1)</script><img src=x onerror="alert(2)"> & "quoted" <b>'
    question = Question(
        id="q",
        source="self",
        source_license="CC0-1.0",
        source_row="{}",
        discipline="physics",
        language="en",
        texts={"en": LocalizedText(question=evil, answer="'><script>x</script>")},
        question_type=QuestionType.FREE_FORM,
    )
    html = question_html(question, lambda image: "unused")
    assert "<script" not in html
    assert "onerror=&quot;" in html
    assert "<b>" not in html


def test_guidelines_name_every_subject() -> None:
    discipline = load_taxonomy("visscience").discipline("chemistry")
    text = tagging_guidelines(discipline).html
    for subject in discipline.subjects:
        assert subject.name("en") in text


def test_every_job_has_a_page_and_an_unknown_one_is_named() -> None:
    assert set(REVIEW_JOBS) == set(JOBS)
    assert all(find_job(name).name == name for name in JOBS)
    with pytest.raises(UsageError, match="there is no job 'tag'"):
        find_job("tag")


def test_items_follow_the_selection_and_pictures_are_placed(tmp_path: Path, make_workspace) -> None:
    from benchwright.annotation.push import place_images
    from benchwright.annotation.server import shown_folder

    workspace = make_workspace(tmp_path, 3)
    (group,) = TaggingJob().groups(workspace)
    assert [item.item_id for item in group.items] == ["q0000", "q0001", "q0002"]
    place_images(workspace, TaggingJob(), group)
    place_images(workspace, TaggingJob(), group)
    image = group.items[0].images[0]
    placed = shown_folder(workspace) / "tagging" / f"{image.sha256}.png"
    assert placed.read_bytes() == workspace.read_image(image.sha256)
    assert f"tagging/{image.sha256}.png" in group.items[0].data["html"]


def test_a_selected_question_that_the_pool_lost_is_rejected_with_its_reason(
    tmp_path: Path, make_workspace
) -> None:
    workspace = make_workspace(tmp_path, 3)
    pool = read_records(workspace.pool("physics"), Question)
    write_records(workspace.pool("physics"), pool[:2], Question)
    (group,) = TaggingJob().groups(workspace)
    assert [item.item_id for item in group.items] == ["q0000", "q0001"]
    assert [(r.item_id, r.reason) for r in group.rejected] == [("q0002", "gone-from-pool")]


def test_few_shot_examples_are_reviewed_too(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path, 3)
    rows = read_records(workspace.selection("physics"), SelectionRow)
    write_records(workspace.selection("physics"), rows[:2], SelectionRow)
    write_records(workspace.dev_selection("physics"), rows[2:], SelectionRow)
    (group,) = TaggingJob().groups(workspace)
    assert [item.item_id for item in group.items] == ["q0000", "q0001", "q0002"]


def test_an_id_that_no_file_can_have_becomes_the_problems_id(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path, 1)
    (question,) = read_records(workspace.pool("physics"), Question)
    item = tagging_item(question.model_copy(update={"id": "set/1 ?"}))
    assert item.item_id == problem_id("set/1 ?")
    assert item.item_id != "set/1 ?"
