"""The decomposition page: spans, labels and texts there and back, checked without a server."""

from __future__ import annotations

import random

import pytest
from label_studio_sdk.label_interface import LabelInterface

from benchwright.annotation.checks import prediction_faults
from benchwright.annotation.jobs.base import JsonObject
from benchwright.annotation.jobs.decomposition import DecompositionJob, decomposition_config
from benchwright.annotation.jobs.decomposition_spans import decomposition_regions, read_decomposition
from benchwright.annotation.jobs.decomposition_texts import detail_text, moved_span, new_id, read_details
from benchwright.curation.proposers.decomposition_rules import decompose
from benchwright.examples.registry import all_problems
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import Decomposition, KnowledgeDetail, LocalizedText

from .crates import CRATE, DIGEST, PICTURE, STEM, edited, finding, predicted, proposal, shown, span, split_of


def rule_splits() -> list[tuple[str, LocalizedText, Decomposition]]:
    """What the rules make of every example in both languages."""
    found = []
    for problem in all_problems():
        for language, text in problem.texts.items():
            bare = text.model_copy(update={"decomposition": None})
            made = decompose(bare, language, (PICTURE,), discipline=problem.discipline)
            found.append((f"{problem.id}.{language}", bare, made.decomposition))
    return found


def test_config_and_predictions_are_known_to_label_studio() -> None:
    config = decomposition_config()
    interface = LabelInterface(config)
    interface.validate()
    regions = DecompositionJob().regions({"decomposition": proposal(shown(CRATE)["proposal"])}, shown(CRATE))
    assert len(regions) == 3 + 1 + 5
    assert prediction_faults(config, regions) == []
    prediction = {"model_version": "m", "score": 0.5, "result": regions}
    assert interface.validate_prediction(prediction, return_errors=True) == []


def test_real_decompositions_come_back_as_they_went() -> None:
    job = DecompositionJob()
    splits = rule_splits()
    assert len(splits) > 100
    assert sum(bool(split.conditions) for _, _, split in splits) > 60
    for name, _, split in splits:
        data = shown(split)
        regions = job.regions({"decomposition": proposal(data["proposal"])}, data)
        untouched = [{**region, "origin": "prediction"} for region in regions]
        answer = job.answers(untouched, data)["decomposition"]
        assert (answer.value, answer.origin) == (data["proposal"], "prediction"), name


def test_decompositions_with_placed_marks_come_back_as_they_went() -> None:
    for problem in all_problems():
        for text in problem.texts.values():
            if text.decomposition is not None:
                split = text.decomposition
                assert (
                    read_decomposition(decomposition_regions(split, split.stem), split.stem, split) == split
                )


def test_without_a_proposal_the_same_regions_read_the_same_but_for_new_ids() -> None:
    bare = [{k: v for k, v in region.items() if k != "id"} for region in decomposition_regions(CRATE, STEM)]
    numbered = [{**region, "id": f"r{region['value'].get('start')}"} for region in bare]
    made = read_decomposition(numbered, STEM, None)
    assert made is not None
    assert [c.id for c in made.conditions] == ["n10", "n3", "n2"]
    plain = made.model_copy(
        update={
            "conditions": tuple(
                c.model_copy(update={"id": old.id})
                for c, old in zip(made.conditions, CRATE.conditions, strict=True)
            )
        }
    )
    assert plain == CRATE
    assert (
        DecompositionJob().answers(numbered, {"stem": STEM, "proposal": None})["decomposition"].origin
        == "manual"
    )


def test_letters_beyond_16_bits_and_combined_ones_keep_their_places() -> None:
    stem = "😀 𝒗₀ = 3 m/s，é̂ 👩‍🔬 mass 𝟓 kg 是多少？"
    split = split_of(stem, ("𝒗₀ = 3 m/s", "on-diagram", "𝒗₀"), ("𝟓 kg", "text", ""))
    regions = decomposition_regions(split, split.stem)
    first = regions[0]["value"]
    assert (first["start"], first["end"]) == (2, 12), "code points, as the editor counts"
    assert stem[first["start"] : first["end"]] == "𝒗₀ = 3 m/s"
    assert read_decomposition(regions, stem, split) == split


def test_a_span_in_other_units_than_code_points_is_noticed() -> None:
    """As it would be if an editor counted UTF-16 units: the words that come with the range do not stand there."""
    stem = "😀😀 mass 5 kg, time 2 s?"
    region = span(stem.index("5 kg") + 2, stem.index("5 kg") + 6, "text", stem)
    region["value"]["text"] = "5 kg"
    with pytest.raises(ItemError, match="span-not-in-stem"):
        read_decomposition([region], stem, None)


def test_line_ends_and_blanks_that_the_page_hides_do_not_break_a_span() -> None:
    stem = "Given:\r\n  a = 3,\n\\nu = 2. Find b."
    split = split_of(stem, ("a = 3,\n\\nu = 2", "text", ""))
    regions = predicted(split)
    regions[0]["value"]["text"] = "a = 3,\\n\\nu = 2"  # a line end as the editor writes it
    assert read_decomposition(regions, stem, split) == split


def test_a_moved_span_keeps_its_id_and_a_new_one_gets_a_stable_one() -> None:
    result = predicted(CRATE)
    wider = STEM.index("A 10-kg")
    result[0]["value"].update(start=wider, end=wider + 7, text="A 10-kg")
    result.append(span(STEM.index("Where"), STEM.index("Where") + 5, "text"))
    made = read_decomposition(result, STEM, CRATE)
    assert made is not None
    assert [c.id for c in made.conditions] == ["c1", "c2", "c3", "twhere"]
    assert STEM[made.conditions[0].start : made.conditions[0].end] == "A 10-kg"


def test_a_span_drawn_anew_where_one_was_takes_its_id() -> None:
    result = [region for region in predicted(CRATE) if region.get("id") != "c3"]
    start = STEM.index("2 s")
    result.append(span(start - 1, start + 3, "text"))
    made = read_decomposition(result, STEM, CRATE)
    assert made is not None
    third = made.conditions[2]
    assert (third.id, STEM[third.start : third.end]) == ("c3", "2 s"), "blanks at its ends are left out"


def test_one_span_for_two_takes_the_id_of_the_one_it_covers_most() -> None:
    result = [r for r in predicted(CRATE) if r.get("id") not in ("c2", "c3")]
    start = STEM.index("at $v")
    result.append(span(start, STEM.index(" s. ") + 2, "text"))
    made = read_decomposition(result, STEM, CRATE)
    assert made is not None
    assert [c.id for c in made.conditions] == ["c1", "c2"]


def test_labels_are_edited_as_lines_and_those_that_stay_keep_their_places() -> None:
    placed = {"label": "3 m/s", "anchor": {"image": DIGEST, "kind": "point", "x": 0.5, "y": 0.5}}
    marks = ({"label": "$v=3$ m/s"}, placed)
    conditions = [c.model_dump(mode="json") for c in CRATE.conditions]
    conditions[1]["marks"] = list(marks)
    split = Decomposition.model_validate({**CRATE.model_dump(mode="json"), "conditions": conditions})
    result = edited(predicted(split), "marks", " 3 m/s \n\nv\n")
    made = read_decomposition(result, STEM, split)
    assert made is not None
    assert [(m.label, m.anchor is not None) for m in made.conditions[1].marks] == [
        ("3 m/s", True),
        ("v", False),
    ]


def test_what_is_not_drawn_any_more_has_no_labels() -> None:
    result = predicted(CRATE)
    result[1]["value"]["labels"] = ["text"]
    made = read_decomposition(result, STEM, CRATE)
    assert made is not None
    assert (made.conditions[1].show.value, made.conditions[1].marks) == ("text", ())


def test_an_edited_text_is_a_change_and_the_rest_stays() -> None:
    result = edited(predicted(CRATE), "core_question", "  Where does a crate stop? ")
    answer = DecompositionJob().answers(result, shown(CRATE))["decomposition"]
    assert answer.origin == "prediction-changed"
    assert answer.value == {**shown(CRATE)["proposal"], "core_question": "Where does a crate stop?"}


def test_terms_and_details_are_read_by_line_and_block() -> None:
    result = edited(predicted(CRATE), "cue_terms", "friction\n power ")
    result = edited(result, "knowledge_detail", "friction\nIt opposes: sliding.\n \npower\nWork\nover time")
    made = read_decomposition(result, STEM, CRATE)
    assert made is not None
    assert made.knowledge_cue.terms == ("friction", "power")
    assert [(d.term, d.text) for d in made.knowledge_detail] == [
        ("friction", "It opposes: sliding."),
        ("power", "Work\nover time"),
    ]


def test_details_with_blank_lines_stay_what_they_are_until_edited() -> None:
    split = split_of(STEM, knowledge_detail=[{"term": "work", "text": "First.\n\nSecond."}])
    assert read_decomposition(predicted(split), STEM, split) == split
    detail = KnowledgeDetail(term="work", text="First.\n\nSecond.")
    assert read_details(detail_text([detail])) == (KnowledgeDetail(term="work", text="First.\nSecond."),)


def test_spans_follow_an_edited_stem() -> None:
    new = STEM.replace("A 10-kg crate", "On a floor, a 10-kg wooden crate").replace("Where", "How far on")
    made = read_decomposition(edited(predicted(CRATE), "stem_text", new), STEM, CRATE)
    assert made is not None
    assert made.stem == new
    assert [new[c.start : c.end] for c in made.conditions] == ["10-kg", "at $v=3$ m/s", "for 2 s"]


def test_an_answer_with_an_edited_stem_fills_the_page_of_the_shown_one() -> None:
    """What an adjudicator starts from is a reviewer's answer; the page still shows the proposal's stem."""
    stem = STEM.replace("A 10-kg crate", "A heavy 10-kg crate")
    said = DecompositionJob().answers(edited(predicted(CRATE), "stem_text", stem), shown(CRATE))
    regions = DecompositionJob().regions(
        {"decomposition": proposal(said["decomposition"].value)}, shown(CRATE)
    )
    assert prediction_faults(decomposition_config(), regions) == []
    again = DecompositionJob().answers(regions, shown(CRATE))
    assert again["decomposition"].value == said["decomposition"].value
    other = split_of("Nothing of it. 5 kg?", ("5 kg", "text", ""))
    assert [r["from_name"] for r in decomposition_regions(other, STEM) if r["from_name"] == "show"] == []


def test_an_edit_through_a_span_leaves_the_answer_open_with_the_reason() -> None:
    new = STEM.replace("for 2 s", "for 20 s")
    answers = DecompositionJob().answers(edited(predicted(CRATE), "stem_text", new), shown(CRATE))
    assert answers["decomposition"].value is None
    assert finding(answers).startswith("span-not-in-stem: 'for 2 s' was selected")


def _overlapping() -> list[JsonObject]:
    start = STEM.index("crate slides")
    return [*predicted(CRATE), span(start, STEM.index("$v") + 2, "text")]


def _without(control: str) -> list[JsonObject]:
    return [region for region in predicted(CRATE) if region["from_name"] != control]


def _unlabelled() -> list[JsonObject]:
    result = predicted(CRATE)
    result[0]["value"]["labels"] = []
    return result


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        pytest.param(_overlapping(), "overlapping-spans", id="overlap"),
        pytest.param([*predicted(CRATE), span(10, 999, "text")], "span-not-in-stem", id="beyond-the-stem"),
        pytest.param([*predicted(CRATE), span(1, 2, "text")], "empty-span", id="blank"),
        pytest.param(_unlabelled(), "no-show", id="span-without-label"),
        pytest.param(_without("marks"), "no-mark-label", id="drawn-without-label"),
        pytest.param(_without("core_question"), "no-core-question", id="no-core"),
        pytest.param(_without("cue_terms"), "no-cue", id="no-terms"),
        pytest.param(
            edited(predicted(CRATE), "knowledge_detail", "friction"), "detail-without-text", id="bare-term"
        ),
    ],
)
def test_what_does_not_fit_together_stays_open_and_says_why(result: list[JsonObject], reason: str) -> None:
    answers = DecompositionJob().answers(result, shown(CRATE))
    assert answers["decomposition"].value is None
    assert finding(answers).startswith(f"{reason}: ")


def test_an_empty_page_is_no_answer_and_a_remark_alone_neither() -> None:
    job = DecompositionJob()
    remark = {"from_name": "comment", "to_name": "stem", "type": "textarea", "value": {"text": ["odd"]}}
    assert job.answers([], shown(CRATE)) == {}
    assert job.answers([remark], shown(CRATE)) == {}
    assert job.comment([remark]) == "odd"


def test_random_edits_never_lose_the_words_of_a_span() -> None:
    rng = random.Random(7)
    moved = lost = 0
    for _ in range(400):
        start = rng.randrange(len(STEM) - 8)
        end = start + rng.randrange(1, 8)
        at, gone = rng.randrange(len(STEM)), rng.randrange(4)
        new = STEM[:at] + rng.choice(["", "x", "much ", "三个", "😀 "]) + STEM[at + gone :]
        place = moved_span(STEM, new, start, end)
        if place is None:
            lost += 1
            assert end > at and start < at + gone + 8, "only a span at the edit is lost"
        else:
            moved += 1
            assert new[slice(*place)] == STEM[start:end]
    assert moved > 200 and lost > 20


def test_a_span_between_two_edits_of_a_long_stem_is_found() -> None:
    stem = "".join(f"Term {i} is {i * 7} kg; " for i in range(300))
    new = stem.replace("Term 3 is", "The third is").replace("Term 290 is", "The last but some is")
    start = stem.index("1400 kg")
    place = moved_span(stem, new, start, start + 7)
    assert place is not None
    assert new[slice(*place)] == "1400 kg"


def test_new_ids_are_shared_by_languages_and_differ_within_one() -> None:
    assert new_id("of 900 kg", set()) == new_id("质量为 900 kg 的", set()) == "n900"
    assert new_id("900 kg", {"n900"}) == "n900b"
    assert new_id("smooth", set()) == "tsmooth"
    assert new_id("⊥", set()) == "tmark"
