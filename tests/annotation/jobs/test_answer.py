"""The page on which people answer: what a model is sent, and not a word more."""

from __future__ import annotations

import pytest
from label_studio_sdk.label_interface import LabelInterface

from benchwright.annotation.checks import config_controls, data_faults
from benchwright.annotation.jobs.answer import AnswerJob, answer_config
from benchwright.annotation.sources import ReleaseChoice
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import shown_digest
from benchwright.schemas.runs import answer_view


@pytest.fixture
def pages(evaluated, offered_to):
    AnswerJob().offer(offered_to, ReleaseChoice(str(evaluated.release)))
    return {group.name: group for group in AnswerJob().groups(offered_to)}


@pytest.mark.parametrize("form", ["one", "several", "text"])
def test_the_page_is_known_to_label_studio(form) -> None:
    LabelInterface(answer_config(form)).validate()
    assert list(config_controls(answer_config(form))) == ["answer", "undecided", "comment"]


def test_there_is_a_page_for_each_version_language_and_form(pages) -> None:
    assert {name: len(group.items) for name, group in pages.items()} == {
        "original.en.one": 4,
        "original.en.several": 1,
        "original.en.text": 1,
        "vision-only.en.one": 4,
    }


def test_no_page_holds_the_key_the_solution_or_what_a_model_is_not_sent(pages, evaluated) -> None:
    for group in pages.values():
        for item in group.items:
            row, data = evaluated.rows[item.item_id], item.data
            assert item.digest == shown_digest(answer_view(row))
            assert data_faults(group.config, data) == []
            assert set(data) == {"html", "options", "form"}
            assert "secret-solution" not in str(data)
            assert "bw-answer" not in data["html"] and "2.5" not in data["html"]
            assert f"answer/{row.images[0]}.png" in data["html"]


def test_vision_only_shows_the_picture_and_bare_labels(pages) -> None:
    for item in pages["vision-only.en.one"].items:
        data = item.data
        assert [option["value"] for option in data["options"]] == list("ABCD")
        assert "option-" not in str(data) and "Item" not in str(data) and "find" not in str(data)


def test_other_versions_show_the_text_as_it_is_sent(pages) -> None:
    data = pages["original.en.one"].items[0].data
    assert "option-A-1" in data["html"] and "<svg" in data["html"]
    assert "<script" not in pages["original.en.text"].items[0].data["html"]


def test_answers_come_back_as_text_in_the_order_of_the_options(pages) -> None:
    job = AnswerJob()

    def ticked(*labels: str) -> list[dict[str, object]]:
        return [{"from_name": "answer", "type": "choices", "value": {"choices": list(labels)}}]

    one, several = pages["original.en.one"].items[0].data, pages["original.en.several"].items[0].data
    assert job.answers(ticked("C"), one)["answer"].value == "C"
    assert job.answers(ticked("A", "B"), one) == {}
    assert job.answers(ticked("C", "A"), several)["answer"].value == "AC"
    text = [{"from_name": "answer", "type": "textarea", "value": {"text": [" 007 m \n"]}}]
    assert job.answers(text, pages["original.en.text"].items[0].data)["answer"].value == "007 m"
    assert job.answers([], one) == {} and job.answers([], several) == {}
    assert job.regions({}, one) == []


def test_a_sample_holds_the_same_problems_in_every_version(evaluated, offered_to) -> None:
    sources = AnswerJob().offer(offered_to, ReleaseChoice(str(evaluated.release), sample=1))
    problems = [{one.row.problem_id for one in source.offered} for source in sources]
    assert len(problems[0]) == 2 and problems[1] <= problems[0]


def test_versions_can_be_chosen_and_a_wrong_one_is_named(evaluated, offered_to) -> None:
    choice = ReleaseChoice(str(evaluated.release), versions=("vision-only",))
    assert [source.name for source in AnswerJob().offer(offered_to, choice)] == ["vision-only.en"]
    with pytest.raises(
        UsageError, match=r"no version 'vision' in its scored splits \(original, vision-only\)"
    ):
        AnswerJob().offer(offered_to, ReleaseChoice(str(evaluated.release), versions=("vision",)))
    with pytest.raises(UsageError, match="no language 'zh'"):
        AnswerJob().offer(offered_to, ReleaseChoice(str(evaluated.release), languages=("zh",)))
