"""The page about steps: one card a step, and the division that was shown is part of the question."""

from __future__ import annotations

import pytest
from label_studio_sdk.label_interface import LabelInterface
from pydantic import ValidationError

from benchwright.annotation.checks import data_faults, prediction_faults
from benchwright.annotation.jobs.steps import StepsJob, read_steps, steps_config
from benchwright.schemas.jobs import Proposal, shown_digest
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.runs import read_run, run_item_id, steps_view

STEPS = [
    {"text": "The sign $x_0$ says so.", "kind": "K", "score": 1},
    {"text": "<script>alert(3)</script> so it is D", "kind": "L", "score": 0},
]


def divide(evaluated, space, steps, row="p3:original:en") -> Proposal:
    answered = {a.row.id: a for a in read_run(evaluated.workspace.runs / evaluated.run_id).answered}[row]
    view = steps_view(answered.row, answered.response, [step["text"] for step in steps])
    return Proposal(
        job="steps",
        item_id=run_item_id(evaluated.run_id, row),
        field="steps",
        digest=shown_digest(view),
        value=steps,
        model="m",
    )


def offer(evaluated, space, *proposals: Proposal):
    space.proposals("steps").parent.mkdir(parents=True, exist_ok=True)
    write_jsonl(space.proposals("steps"), proposals)
    run = str(evaluated.workspace.runs / evaluated.run_id)
    return StepsJob().offer(space, run, release=str(evaluated.release))


def test_the_page_is_known_to_label_studio() -> None:
    LabelInterface(steps_config()).validate()


def test_each_step_has_a_card_and_makes_the_round(evaluated, offered_to) -> None:
    proposal = divide(evaluated, offered_to, STEPS)
    offer(evaluated, offered_to, proposal)
    job = StepsJob()
    (group,) = job.groups(offered_to)
    (item,) = group.items
    assert item.digest == proposal.digest and item.item_id == proposal.item_id
    data = item.data
    assert data_faults(group.config, data) == []
    assert [card["text"] for card in data["steps"]] == [step["text"] for step in STEPS]
    assert "<svg" in data["steps"][0]["html"]
    assert "<script" not in data["steps"][1]["html"]
    result = job.regions({"steps": proposal}, data)
    assert [region["from_name"] for region in result] == ["kind_0", "ok_0", "kind_1", "ok_1"]
    assert prediction_faults(group.config, result) == []
    for region in result:
        region["origin"] = "prediction"
    answer = job.answers(result, data)["steps"]
    assert answer.value == STEPS and answer.origin == "prediction"
    result[3]["value"]["choices"] = ["1"]
    result[3]["origin"] = "prediction-changed"
    changed = job.answers(result, data)["steps"]
    assert changed.value == [STEPS[0], {**STEPS[1], "score": 1}] and changed.origin == "prediction-changed"


def test_what_is_no_step_is_struck_out_and_an_unanswered_card_leaves_all_open(evaluated, offered_to) -> None:
    proposal = divide(evaluated, offered_to, STEPS)
    offer(evaluated, offered_to, proposal)
    (group,) = StepsJob().groups(offered_to)
    data = group.items[0].data
    result = StepsJob().regions({"steps": proposal}, data)
    result[0]["value"]["choices"] = ["none"]
    assert StepsJob().answers(result, data)["steps"].value == [STEPS[1]]
    assert StepsJob().answers(result[:3], data) == {}
    assert StepsJob().answers(result[:2], data) == {}


def test_an_answer_with_a_step_struck_out_fills_the_page_as_it_was_given(evaluated, offered_to) -> None:
    """What an adjudicator starts from is a reviewer's answer, not the proposal."""
    proposal = divide(evaluated, offered_to, STEPS)
    offer(evaluated, offered_to, proposal)
    (group,) = StepsJob().groups(offered_to)
    data = group.items[0].data
    answer = proposal.model_copy(update={"value": [STEPS[1]]})
    result = StepsJob().regions({"steps": answer}, data)
    assert [region["from_name"] for region in result] == ["kind_0", "kind_1", "ok_1"]
    assert prediction_faults(group.config, result) == []
    assert StepsJob().answers(result, data)["steps"].value == [STEPS[1]]


def test_a_wrong_step_and_a_wrong_kind_are_found_before_the_upload() -> None:
    region = {"from_name": "kind_12", "to_name": "step_12", "type": "choices", "value": {"choices": ["K"]}}
    assert prediction_faults(steps_config(), [region]) == []
    assert prediction_faults(steps_config(), [{**region, "value": {"choices": ["X"]}}])
    assert prediction_faults(steps_config(), [{**region, "to_name": "answered"}])


def test_another_division_is_another_task(evaluated, offered_to) -> None:
    first = divide(evaluated, offered_to, STEPS)
    second = divide(evaluated, offered_to, [*STEPS, {"text": "Answer: D", "kind": "L", "score": 0}])
    offer(evaluated, offered_to, first, second)
    (group,) = StepsJob().groups(offered_to)
    assert [item.digest for item in group.items] == [second.digest]
    assert first.digest != second.digest


def test_answers_that_nobody_divided_and_steps_of_another_text_are_rejected(evaluated, offered_to) -> None:
    run = str(evaluated.workspace.runs / evaluated.run_id)
    source = StepsJob().offer(offered_to, run, release=str(evaluated.release))
    (group,) = StepsJob().groups(offered_to)
    assert group.items == () and len(group.rejected) == len(source.offered) == 9
    assert {reject.reason for reject in group.rejected} == {"not-divided"}
    stale = divide(evaluated, offered_to, STEPS).model_copy(update={"digest": "0" * 64})
    offer(evaluated, offered_to, stale)
    (group,) = StepsJob().groups(offered_to)
    assert group.items == ()
    assert "in another text" in group.rejected[0].detail
    offer(evaluated, offered_to, stale.model_copy(update={"value": "two steps"}))
    (group,) = StepsJob().groups(offered_to)
    assert group.items == ()
    assert "another form" in group.rejected[0].detail


def test_a_score_is_nothing_but_one_or_nought() -> None:
    assert read_steps(STEPS)[1].score == 0
    for wrong in ([{**STEPS[0], "score": 2}], [{**STEPS[0], "kind": "M"}], {"steps": []}, [{"text": "x"}]):
        with pytest.raises(ValidationError):
            read_steps(wrong)


def test_no_two_cards_share_a_radio_button() -> None:
    """Label Studio names a radio button by its value; a browser keeps one of a name checked on the whole page."""
    choices = [part.split('"')[1] for part in steps_config().split("<Choice ")[1:]]
    radios = [value for value in choices if "{{idx}}" in value]
    assert len(radios) == len(set(radios)) == 5
