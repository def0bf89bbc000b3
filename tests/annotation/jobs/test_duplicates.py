"""Members of a group side by side, and the answer as the question that stays puts it."""

from __future__ import annotations

import pytest
from label_studio_sdk.label_interface import LabelInterface

from benchwright.annotation.checks import data_faults, prediction_faults
from benchwright.annotation.jobs.duplicates import DuplicatesJob, duplicates_config
from benchwright.schemas.duplicates import DuplicateGroup, group_item_id, group_view, groups_path
from benchwright.schemas.jobs import JOBS, Proposal, shown_digest
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import Choice, LocalizedText, Question, QuestionType
from benchwright.schemas.tables import write_records


def question(name: str, options: str, answer: str, text: str = "A stone falls for 3 s. How far?") -> Question:
    choices = tuple(
        Choice(label=label, text=f"${text}$ m") for label, text in zip("ABCD", options, strict=False)
    )
    return Question(
        id=name,
        source="self",
        source_license="CC0-1.0",
        source_row="{}",
        discipline="physics",
        language="en",
        texts={
            "en": LocalizedText(question=text, choices=choices, answer=answer),
            "zh": LocalizedText(question="另一种语言", choices=choices, answer=answer),
        },
        question_type=QuestionType.SINGLE_CHOICE if choices else QuestionType.FREE_FORM,
    )


SHUFFLED = (question("q1", "1234", "B"), question("q2", "4321", "B"), question("q3", "2198", "A"))
"""B says 2 in the first, 3 in the second; A says 2 in the third."""


@pytest.fixture
def page(offered_to):
    def make(*members: Question, pool: tuple[Question, ...] | None = None, why: str = "disputed"):
        offered_to.pool("physics").parent.mkdir(exist_ok=True)
        write_records(offered_to.pool("physics"), members if pool is None else pool, Question)
        path = groups_path(offered_to, "physics")
        path.parent.mkdir(exist_ok=True)
        group = DuplicateGroup.model_validate(
            {
                "item_id": group_item_id([member.id for member in members]),
                "why": why,
                "members": sorted(member.id for member in members),
                "digest": shown_digest(group_view(members)),
            }
        )
        write_jsonl(path, [group])
        (found,) = DuplicatesJob().groups(offered_to)
        return found

    return make


def proposal(field: str, value: str) -> Proposal:
    return Proposal(job="duplicates", item_id="g", field=field, digest="0" * 64, value=value, model="m")


def ticked(**chosen: str) -> list[dict[str, object]]:
    return [
        {"from_name": name, "to_name": "members", "type": "choices", "value": {"choices": [value]}}
        for name, value in chosen.items()
    ]


def test_the_page_is_known_to_label_studio() -> None:
    interface = LabelInterface(duplicates_config())
    interface.validate()
    assert tuple(interface.get_control("relation").labels) == JOBS["duplicates"].field("relation").values


def test_members_stand_side_by_side_in_their_source_language(page) -> None:
    group = page(*SHUFFLED)
    data = group.items[0].data
    assert data_faults(group.config, data) == []
    assert data["html"].count('class="bw-member"') == 3
    assert "另一种语言" not in data["html"]
    assert [option["alias"] for option in data["keepers"]] == ["q1", "q2", "q3"]
    assert [option["value"] for option in data["answers"]] == ["as in 1, 3", "as in 2"]
    # What is shown as an option must hold no `$`: the page would take it for a variable.
    assert not any("$" in option["value"] for option in [*data["keepers"], *data["answers"]])


def test_a_shuffled_answer_is_put_as_the_question_that_stays_has_it(page) -> None:
    data = page(*SHUFFLED).items[0].data
    job = DuplicatesJob()
    same = ticked(relation="same", keep="q3", answer_of="0")
    assert {name: answer.value for name, answer in job.answers(same, data).items()} == {
        "relation": "same",
        "keep": "q3",
        "answer": "A",
    }
    kept_first = job.answers(ticked(relation="same", keep="q1", answer_of="1"), data)
    assert kept_first["answer"].value == "C"  # 3, which the second calls B
    kept_third = job.answers(ticked(relation="same", keep="q3", answer_of="1"), data)
    assert (
        kept_third["answer"].value == "$3$ m"
    )  # the third has no such option: its text, never a wrong label
    none_kept = job.answers(ticked(relation="same", answer_of="1"), data)
    assert none_kept["answer"].value == "B" and "keep" not in none_kept


def test_another_answer_wins_and_details_count_for_one_question_only(page) -> None:
    data = page(*SHUFFLED).items[0].data
    job = DuplicatesJob()
    text = {"from_name": "answer", "to_name": "members", "type": "textarea", "value": {"text": ["D"]}}
    said = job.answers([*ticked(relation="same", keep="q1", answer_of="0"), text], data)
    assert said["answer"].value == "D"
    assert list(job.answers([*ticked(relation="different", keep="q1", answer_of="0"), text], data)) == [
        "relation"
    ]
    assert job.answers(ticked(keep="q1"), data) == {}


@pytest.mark.parametrize(("answer", "control"), [("B", "answer_of"), ("D", "answer")])
def test_proposals_are_filled_in_and_come_back(page, answer: str, control: str) -> None:
    group = page(*SHUFFLED)
    data, job = group.items[0].data, DuplicatesJob()
    said = {"relation": "same", "keep": "q1", "answer": answer}
    result = job.regions({name: proposal(name, value) for name, value in said.items()}, data)
    assert result[2]["from_name"] == control
    assert prediction_faults(group.config, result) == []
    assert {name: found.value for name, found in job.answers(result, data).items()} == said


def test_free_answers_and_hostile_texts(page) -> None:
    evil = '<script>alert(1)</script><img src=x onerror="alert(2)">'
    group = page(question("a", "", "44 m", evil), question("b", "", "54 m", evil), why="candidate")
    data = group.items[0].data
    assert "<script" not in data["html"] and "onerror=&quot;" in data["html"]
    assert (
        DuplicatesJob().answers(ticked(relation="same", keep="b", answer_of="0"), data)["answer"].value
        == "44 m"
    )


def test_a_group_whose_members_changed_since_the_search_is_rejected(page) -> None:
    changed = SHUFFLED[1].model_copy(update={"texts": {"en": LocalizedText(question="new", answer="B")}})
    group = page(*SHUFFLED, pool=(SHUFFLED[0], changed, SHUFFLED[2]))
    assert group.items == () and [reject.reason for reject in group.rejected] == ["stale-group"]
    group = page(*SHUFFLED, pool=SHUFFLED[:2])
    assert [reject.reason for reject in group.rejected] == ["stale-group"]


def test_without_open_groups_there_is_no_page(offered_to) -> None:
    assert DuplicatesJob().groups(offered_to) == []
