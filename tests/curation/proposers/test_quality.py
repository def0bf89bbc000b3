"""`curate assess` against a real server: faults, ratings, trial solutions, tries without the picture."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from PIL import Image, ImageDraw

from benchwright.curation.proposers.asking import Asking, ask_all
from benchwright.curation.proposers.quality import QualityProposer, QualityReply
from benchwright.curation.proposers.quality_faults import (
    IMAGE_FAULTS,
    REMEDIES,
    TEXT_FAULTS,
    decision_of,
    fault_code,
)
from benchwright.curation.proposers.unit import Item
from benchwright.models.store import CallStore
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.jobs import JOBS, Proposal, quality_view, shown_digest
from benchwright.schemas.recipe import ModelRecipe, load_recipe
from benchwright.schemas.records import Choice, ImageRef, LocalizedText, Question, QuestionType, Rejected
from benchwright.schemas.workspace import Workspace

SINGLE, FREE = QuestionType.SINGLE_CHOICE, QuestionType.FREE_FORM
CLEAN: dict[str, Any] = {
    "text_faults": [],
    "image_faults": [],
    "complexity_reason": "One law.",
    "knowledge_complexity": 2,
    "richness_reason": "Two lengths stand in it.",
    "visual_richness": 3,
}
ASSESS = "check exam problems|进入理科评测题库"
SOLVE = "student in an examination|正在参加考试的学生"
BLIND = "a part may be missing|可能缺少一部分"
METALS = ("iron", "copper", "zinc", "lead")

Run = tuple[dict[str, dict[str, Proposal]], list[Rejected]]


def drawn(number: int) -> bytes:
    """A small line drawing, another one for each number."""
    image = Image.new("RGB", (90, 60), "white")
    ImageDraw.Draw(image).rectangle((5, 5, 30 + number, 40), outline="black", width=2)
    stream = io.BytesIO()
    image.save(stream, format="PNG")
    return stream.getvalue()


@pytest.fixture
def make_item(workspace: Workspace) -> Callable[..., Item]:
    """Factory: an item of the workspace, each with a picture of its own unless `picture` is False."""
    made: list[int] = []

    def picture() -> ImageRef:
        made.append(1)
        data = drawn(len(made))
        digest = sha256_bytes(data)
        path = workspace.image(digest, ".png")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return ImageRef(source_sha256=digest, sha256=digest, width=90, height=60, format="png")

    def make(name: str, question: str = "Which metal is it?", answer: str = "B", **more: Any) -> Item:
        options: Sequence[str] = more.pop("options", METALS)
        with_picture = more.pop("picture", True)
        language = more.pop("language", "en")
        unit = more.pop("unit", None)
        choices = tuple(Choice(label="ABCDEF"[place], text=text) for place, text in enumerate(options))
        text = LocalizedText(question=question, choices=choices, answer=answer, unit=unit)
        values: dict[str, Any] = {
            "id": name,
            "source": "made",
            "source_license": "CC0-1.0",
            "source_row": "{}",
            "discipline": "chemistry",
            "language": language,
            "texts": {language: text},
            "images": (picture(),) if with_picture else (),
            "question_type": SINGLE if choices else FREE,
        }
        record = Question.model_validate({**values, **more})
        return Item(record, record.texts, record.texts, record.question_type)

    return make


def recipe(server: Any, name: str) -> ModelRecipe:
    """A model of the server that is taken to see pictures, so that all requests are the proposer's own."""
    return ModelRecipe(
        model=f"openai/{name}",
        base_url=server.base_url,
        api_key_env="NO_SUCH_KEY",
        vision="assume",
        reply_schema="never",
    )


@pytest.fixture
def assess(workspace: Workspace) -> Callable[..., Run]:
    """Runs the proposer through the call store: (proposals by item and field, rejected)."""

    def run(
        server: Any,
        items: Sequence[Item],
        *,
        models: Sequence[str] = ("one",),
        votes: int = 1,
        **options: Any,
    ) -> Run:
        proposer = QualityProposer(options.pop("workspace", workspace), **options)
        recipes = tuple(recipe(server, name) for name in models)
        units = proposer.plan("chemistry", items).units
        asking = Asking(recipes, votes)
        proposals, rejected = ask_all(workspace, proposer, units, asking, lambda done, total: None)
        by_item: dict[str, dict[str, Proposal]] = {}
        for proposal in proposals:
            by_item.setdefault(proposal.item_id, {})[proposal.field] = proposal
        return by_item, rejected

    return run


def asked(server: Any, pattern: str) -> list[Any]:
    return [request for request in server.requests if re.search(pattern, request.prompt)]


def test_every_fault_of_the_job_has_a_remedy_and_a_place_in_the_prompts() -> None:
    from benchwright.curation.proposers.quality import assess_prompt

    assert set(REMEDIES) == {*TEXT_FAULTS, *IMAGE_FAULTS, "answer-doubted"}
    for language in ("en", "zh"):
        text = assess_prompt(language).text
        for code in (*TEXT_FAULTS, *IMAGE_FAULTS):
            assert re.search(rf"^- {code}[:：]", text, re.MULTILINE), (language, code)
        for name in QualityReply.model_fields:
            assert f'"{name}"' in text


def test_a_clean_question_is_accepted_with_all_required_fields(
    make_item: Callable[..., Item], assess: Callable[..., Run], openai_server: Callable[..., Any]
) -> None:
    server = openai_server({"rules": [{"json": CLEAN, "fence": True}]})
    item = make_item("q1", unit="g", grade="senior high", chapter="Metals")
    found, rejected = assess(server, [item])
    values = {name: proposal.value for name, proposal in found["q1"].items()}
    assert values == {
        "text_faults": [],
        "image_faults": [],
        "knowledge_complexity": 2,
        "visual_richness": 3,
        "decision": "accept",
    }
    assert {field.name for field in JOBS["quality"].fields if field.required} == set(values)
    digest = shown_digest(quality_view(item.question.text, item.question.images))
    for proposal in found["q1"].values():
        assert (proposal.job, proposal.language, proposal.digest) == ("quality", "en", digest)
        assert proposal.confidence is None and proposal.prompt_hash and proposal.call_id
    assert not rejected
    (request,) = server.requests
    assert 'of the discipline "chemistry"' in request.prompt and "one picture belongs to it" in request.prompt
    assert "[answer] B g" in request.prompt and "senior high" in request.prompt and "Metals" in request.prompt
    assert re.search(r"<question-\w+>\nWhich metal is it\?\nA\. iron\n", request.prompt)
    assert len(request.images) == 1


def test_each_negative_keeps_its_reason_and_the_severest_decides(
    make_item: Callable[..., Item], assess: Callable[..., Run], openai_server: Callable[..., Any]
) -> None:
    reply = {
        **CLEAN,
        "text_faults": [
            {"reason": "Two options fit.", "fault": "Ambiguous"},
            {"reason": "The mass is called a volume.", "fault": "inaccurate"},
        ],
        "image_faults": [{"reason": "The scale cannot be read.", "fault": "不清楚"}],
    }
    server = openai_server({"rules": [{"json": reply}]})
    found, _ = assess(server, [make_item("q1")])
    assert found["q1"]["text_faults"].value == ["inaccurate", "ambiguous"]
    assert found["q1"]["image_faults"].value == ["unclear"]
    assert found["q1"]["decision"].value == "reject"
    assert found["q1"]["reason"].value == (
        "inaccurate: The mass is called a volume.\nambiguous: Two options fit.\nunclear: The scale cannot be read."
    )


@pytest.mark.parametrize(
    ("codes", "decision"),
    [
        ([], "accept"),
        (["ambiguous"], "fix"),
        (["ambiguous", "incomplete"], "reject"),
        (["unrelated"], "reject"),
    ],
)
def test_the_decision_is_the_severest_remedy(codes: list[str], decision: str) -> None:
    assert decision_of(codes) == decision


def test_a_fault_may_be_spelt_in_other_ways_but_not_be_another_one() -> None:
    assert fault_code(" Incomplete. ", TEXT_FAULTS) == "incomplete"
    assert fault_code("有歧义", TEXT_FAULTS) == "ambiguous"
    assert fault_code("unclear", TEXT_FAULTS) is None
    assert fault_code("boring", TEXT_FAULTS) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"text_faults": [{"reason": "It is dull.", "fault": "boring"}]},
        {"text_faults": [{"reason": "", "fault": "ambiguous"}]},
        {"text_faults": [{"reason": "  ", "fault": "ambiguous"}]},
        {"image_faults": [{"reason": "Nothing there.", "fault": "incomplete"}]},
        {"knowledge_complexity": 7},
        {"visual_richness": "high"},
    ],
)
def test_a_reply_outside_the_form_is_complained_about_once_and_then_unparsable(
    wrong: dict[str, Any],
    make_item: Callable[..., Item],
    assess: Callable[..., Run],
    openai_server: Callable[..., Any],
) -> None:
    bad = {"match": "Which metal", "json": {**CLEAN, **wrong}}
    good = {"match": "could not be used.*Which salt|Which salt.*could not be used", "json": CLEAN}
    server = openai_server({"rules": [bad, good, {"json": {**CLEAN, **wrong}}]})
    found, rejected = assess(server, [make_item("bad"), make_item("mended", "Which salt is it?")])
    assert set(found) == {"mended"} and found["mended"]["decision"].value == "accept"
    assert [(record.item_id, record.reason) for record in rejected] == [("bad", "unparsable")]
    assert len(server.requests) == 4


def test_a_missing_list_is_no_clean_bill_of_health(
    make_item: Callable[..., Item], assess: Callable[..., Run], openai_server: Callable[..., Any]
) -> None:
    reply = {name: value for name, value in CLEAN.items() if name != "text_faults"}
    found, rejected = assess(openai_server({"rules": [{"json": reply}]}), [make_item("q1")])
    assert not found and rejected[0].reason == "unparsable" and "text_faults" in rejected[0].detail


def test_faults_of_a_picture_that_is_not_there_are_refused(
    make_item: Callable[..., Item], assess: Callable[..., Run], openai_server: Callable[..., Any]
) -> None:
    reply = {**CLEAN, "image_faults": [{"reason": "It is dark.", "fault": "unclear"}]}
    server = openai_server(
        {"rules": [{"match": "has no picture.*could not be used", "json": CLEAN}, {"json": reply}]}
    )
    found, _ = assess(server, [make_item("q1", picture=False)])
    assert found["q1"]["image_faults"].value == []
    assert "the problem has no picture" in server.requests[-1].prompt


def test_what_a_rule_sees_and_the_model_does_not_is_added_and_reviewed_early(
    make_item: Callable[..., Item], assess: Callable[..., Run], openai_server: Callable[..., Any]
) -> None:
    server = openai_server({"rules": [{"json": CLEAN}]})
    items = [make_item("q1", answer="F"), make_item("q2", "Which salt is it?")]
    found, _ = assess(server, items)
    assert found["q1"]["text_faults"].value == ["inaccurate"]
    assert found["q1"]["decision"].value == "fix"
    assert str(found["q1"]["reason"].value).startswith(
        "inaccurate: [rule] The reference answer 'F' is none of"
    )
    assert found["q1"]["text_faults"].confidence == found["q1"]["decision"].confidence == 0.3
    assert found["q2"]["decision"].value == "accept" and found["q2"]["decision"].confidence is None


def test_votes_give_majorities_and_the_share_that_agrees(
    make_item: Callable[..., Item], assess: Callable[..., Run], openai_server: Callable[..., Any]
) -> None:
    fault = {"text_faults": [{"reason": "Two fit.", "fault": "ambiguous"}]}
    other = {"text_faults": [{"reason": "B and C fit.", "fault": "ambiguous"},
                             {"reason": "It is false.", "fault": "inaccurate"}]}  # fmt: skip
    rules = [
        {"model": "^a$", "json": {**CLEAN, **fault, "visual_richness": 1}},
        {"model": "^b$", "json": {**CLEAN, **other, "visual_richness": 4}},
        {"model": "^c$", "json": {**CLEAN, "visual_richness": 4}},
    ]
    found, _ = assess(openai_server({"rules": rules}), [make_item("q1")], models=("a", "b", "c"))
    got = found["q1"]
    assert got["text_faults"].value == ["ambiguous"] and got["text_faults"].confidence == pytest.approx(
        2 / 3, abs=1e-4
    )
    assert got["image_faults"].confidence == 1.0
    assert (got["visual_richness"].value, got["visual_richness"].confidence) == (
        4,
        pytest.approx(2 / 3, abs=1e-4),
    )
    assert got["reason"].value == "ambiguous: Two fit. / B and C fit."
    assert got["decision"].value == "fix"
    assert got["decision"].model == "openai/a + openai/b + openai/c"


def test_a_ballot_that_was_refused_lowers_the_confidence_and_one_that_failed_is_asked_again(
    make_item: Callable[..., Item], assess: Callable[..., Run], openai_server: Callable[..., Any]
) -> None:
    rules = [
        {"model": "^b$", "match": "Which metal", "refusal": "No.", "content": None},
        {"model": "^b$", "match": "Which salt", "status": 400, "times": 1},
        {"json": CLEAN},
    ]
    server = openai_server({"rules": rules})
    items = [make_item("q1"), make_item("q2", "Which salt is it?")]
    found, rejected = assess(server, items, models=("a", "b"))
    assert found["q1"]["decision"].confidence == 0.5
    assert [(record.item_id, record.reason) for record in rejected] == [("q2", "error")]
    n = len(server.requests)
    again, rejected = assess(server, items, models=("a", "b"))
    assert again["q2"]["decision"].confidence == 1.0 and not rejected
    assert len(server.requests) == n + 1


def test_the_prompt_speaks_the_language_of_the_text_and_each_language_is_assessed(
    workspace: Workspace,
    make_item: Callable[..., Item],
    assess: Callable[..., Run],
    openai_server: Callable[..., Any],
) -> None:
    server = openai_server({"rules": [{"json": CLEAN}]})
    item = make_item("q1", "这是哪种金属？", language="zh")
    english = item.question.text.model_copy(update={"question": "Which metal is it?"})
    both = Item(item.question, item.texts, {"zh": item.question.text, "en": english}, item.question_type)
    planned = QualityProposer(workspace).plan("chemistry", [both]).units
    assert [unit.language for unit in planned] == ["en", "zh"]
    assess(server, [both])
    chinese = [request for request in server.requests if "这是哪种金属" in request.prompt]
    assert len(server.requests) == 2 and len(chinese) == 1
    assert "它有一幅图" in chinese[0].prompt and "one picture belongs" not in chinese[0].prompt


# --- trial solutions


def test_solutions_are_asked_for_as_of_a_student_and_compared_by_program(
    make_item: Callable[..., Item], assess: Callable[..., Run], openai_server: Callable[..., Any]
) -> None:
    server = openai_server({"rules": [{"match": ASSESS, "json": CLEAN}, {"answer": "It rusts.\nAnswer: B"}]})
    found, _ = assess(server, [make_item("q1")], solve=3)
    check = found["q1"]["answer_check"]
    assert isinstance(check.value, dict)
    assert {name: check.value[name] for name in ("n", "agree", "disagree", "undecided", "no_answer")} == {
        "n": 3, "agree": 3, "disagree": 0, "undecided": 0, "no_answer": 0,
    }  # fmt: skip
    assert (check.value["modal"], check.value["modal_count"], check.value["tags"]) == ("B", 3, [])
    assert check.confidence == 0.8
    solutions = asked(server, SOLVE)
    assert len(solutions) == 3 and not any("[answer]" in request.prompt for request in solutions)
    assert {request.body["temperature"] for request in solutions} == {0.7}
    assert all(len(request.images) == 1 for request in solutions)
    trials = check.value["trials"]
    assert isinstance(trials, list) and [trial["sample"] for trial in trials] == [0, 1, 2]  # type: ignore[index,call-overload]
    assert len({trial["call"] for trial in trials}) == 3  # type: ignore[index,call-overload]


def test_solvers_that_agree_on_another_answer_cast_doubt_on_the_reference_and_are_reviewed_first(
    make_item: Callable[..., Item], assess: Callable[..., Run], openai_server: Callable[..., Any]
) -> None:
    rules = [
        {"match": ASSESS, "json": CLEAN},
        {"match": "Which metal", "answer": "Answer: C"},
        {"answer": "Answer: B"},
    ]
    items = [make_item("doubted"), make_item("sure", "Which salt is it?")]
    found, _ = assess(openai_server({"rules": rules}), items, solve=3)
    doubted, sure = found["doubted"], found["sure"]
    assert isinstance(doubted["answer_check"].value, dict)
    assert doubted["answer_check"].value["tags"] == ["suspect-key"]
    assert doubted["decision"].value == "fix" and doubted["decision"].confidence == 0.0
    assert doubted["reason"].value == (
        "answer-doubted: 3 of 3 trial solutions end in C, the reference says B."
    )

    def first(proposals: dict[str, Proposal]) -> float:
        return min(p.confidence for p in proposals.values() if p.confidence is not None)

    assert first(doubted) < first(sure)
    assert sure["decision"].value == "accept" and "reason" not in sure


@pytest.mark.parametrize(
    ("item", "reply", "counts"),
    [
        ({"answer": "3", "unit": "m/s"}, "v = 3 m/s\nAnswer: 3.05 m/s", "agree"),
        ({"answer": "3", "unit": "m/s"}, "Answer: 300 cm/s", "agree"),
        ({"answer": "3", "unit": "m/s"}, "Answer: 5 m/s", "disagree"),
        ({"answer": "The ring moves up because the flux grows."}, "Answer: it moves upwards", "undecided"),
        (
            {"answer": "(1) 2 m (2) 4 s", "question_type": QuestionType.MULTI_PART},
            "Answer: 9 m, 1 s",
            "undecided",
        ),
        ({"answer": "3", "unit": "m/s"}, "Sorry, I cannot see the picture.", "no_answer"),
    ],
)
def test_what_the_rules_cannot_decide_is_undecided_and_never_wrong(
    item: dict[str, Any],
    reply: str,
    counts: str,
    make_item: Callable[..., Item],
    assess: Callable[..., Run],
    openai_server: Callable[..., Any],
) -> None:
    server = openai_server({"rules": [{"match": ASSESS, "json": CLEAN}, {"answer": reply}]})
    found, _ = assess(server, [make_item("q1", "Read it off.", options=(), **item)], solve=2)
    value = found["q1"]["answer_check"].value
    assert isinstance(value, dict)
    assert {name: value[name] for name in ("agree", "disagree", "undecided", "no_answer")} == {
        "agree": 0, "disagree": 0, "undecided": 0, "no_answer": 0, counts: 2,
    }  # fmt: skip
    assert (value["tags"] == ["suspect-key"]) == (counts == "disagree")
    if counts in ("undecided", "no_answer"):
        assert found["q1"]["answer_check"].confidence == 0.5 and found["q1"]["decision"].value == "accept"


@pytest.mark.parametrize(
    ("rule", "match"),
    [
        ({"refusal": "No.", "content": None}, "refused"),
        ({"content": None, "finish_reason": "content_filter"}, "filtered"),
    ],
)
def test_a_refused_solution_is_no_answer_and_a_failed_one_is_no_result(
    rule: dict[str, Any],
    match: str,
    make_item: Callable[..., Item],
    assess: Callable[..., Run],
    openai_server: Callable[..., Any],
) -> None:
    rules = [{"match": ASSESS, "json": CLEAN}, rule]
    found, _ = assess(openai_server({"rules": rules}), [make_item("q1")], solve=1)
    value = found["q1"]["answer_check"].value
    assert isinstance(value, dict) and value["no_answer"] == 1
    trials = value["trials"]
    assert isinstance(trials, list) and trials[0]["rule"] == match  # type: ignore[index,call-overload]
    broken = openai_server({"rules": [{"match": ASSESS, "json": CLEAN}, {"status": 400}]})
    found, rejected = assess(broken, [make_item("q2")], solve=1)
    assert not found and [(record.item_id, record.reason) for record in rejected] == [("q2", "error")]


# --- without the picture


def blind_value(found: dict[str, dict[str, Proposal]], item: str = "q1") -> dict[str, Any]:
    value = found[item]["blind"].value
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize("letter", list("ABCD"))
def test_a_fixed_favourite_letter_gets_exactly_chance(
    letter: str,
    make_item: Callable[..., Item],
    assess: Callable[..., Run],
    openai_server: Callable[..., Any],
) -> None:
    server = openai_server({"rules": [{"match": ASSESS, "json": CLEAN}, {"answer": f"Answer: {letter}"}]})
    found, _ = assess(server, [make_item("q1"), make_item("q2", answer="D")], blind=8)
    for item in ("q1", "q2"):
        value = blind_value(found, item)
        assert set(value["conditions"]) == {"no-image", "options-only", "wrong-image"}
        for profile in value["conditions"].values():
            assert (profile["tries"], profile["right"], profile["chance"]) == (8, 2, 0.25)
        assert value["tags"] == []


def test_who_knows_the_text_is_followed_over_the_letters_and_the_item_is_tagged_not_judged(
    make_item: Callable[..., Item], assess: Callable[..., Run], openai_server: Callable[..., Any]
) -> None:
    knows = [{"match": rf"(?m)^{letter}\. copper$", "answer": f"Answer: {letter}"} for letter in "ABCD"]
    only = {"match": r"question-\w+>\nA\. ", "answer": "Answer: A"}
    server = openai_server({"rules": [{"match": ASSESS, "json": CLEAN}, only, *knows]})
    found, _ = assess(server, [make_item("q1"), make_item("q2")], blind=4)
    value = blind_value(found)
    assert value["conditions"]["no-image"]["right"] == 4
    assert value["conditions"]["options-only"]["right"] == 1
    assert value["tags"] == ["image-not-needed"]
    assert found["q1"]["decision"].value == "accept"
    assert value["conditions"]["no-image"]["right_by_model"] == {"openai/one": 4}
    assert value["conditions"]["no-image"]["p_value"] == pytest.approx(0.25**4, abs=1e-6)


def test_several_favourites_get_exactly_chance_together_and_one_that_knows_stands_out(
    make_item: Callable[..., Item], assess: Callable[..., Run], openai_server: Callable[..., Any]
) -> None:
    knows = [
        {"model": "^d$", "match": rf"(?m)^{letter}\. copper$", "answer": f"Answer: {letter}"}
        for letter in "ABCD"
    ]
    fixed = [
        {"model": f"^{name}$", "answer": f"Answer: {letter}"}
        for name, letter in zip("abc", "AAD", strict=True)
    ]
    server = openai_server({"rules": [{"match": ASSESS, "json": CLEAN}, *knows, *fixed]})
    found, _ = assess(server, [make_item("q1"), make_item("q2")], blind=4, models=tuple("abcd"))
    profile = blind_value(found)["conditions"]["no-image"]
    assert profile["right_by_model"] == {"openai/a": 1, "openai/b": 1, "openai/c": 1, "openai/d": 4}
    assert (profile["tries"], profile["right"]) == (16, 7)
    assert blind_value(found)["tags"] == []


def test_the_conditions_show_what_they_say_and_one_prompt_serves_all(
    workspace: Workspace,
    make_item: Callable[..., Item],
    assess: Callable[..., Run],
    openai_server: Callable[..., Any],
) -> None:
    server = openai_server({"rules": [{"match": ASSESS, "json": CLEAN}]})
    items = [
        make_item(f"q{number}", f"Which metal has mark {number}?", options=(*METALS, f"metal {number}"))
        for number in range(5)
    ]
    assess(server, items, blind=4)
    tries = asked(server, BLIND)
    assert len(tries) == 5 * 3 * 5
    own = {item.item_id: item.question.images[0].sha256 for item in items}
    kinds: Counter[str] = Counter()
    for request in tries:
        number = re.search(r"has mark (\d)", request.prompt)
        digests = [sha256_bytes(data) for _, data in request.images]
        if number is None:
            kinds["options"] += 1
            assert not digests and "Which metal" not in request.prompt
        elif digests:
            kinds["wrong"] += 1
            assert digests != [own[f"q{number.group(1)}"]] and digests[0] in own.values()
        else:
            kinds["none"] += 1
        assert "[answer]" not in request.prompt and "copper" in request.prompt
    assert kinds == {"options": 25, "wrong": 25, "none": 25}
    heads = {
        re.sub(r"<question-(\w+)>.*</question-\1>", "", request.prompt, flags=re.DOTALL) for request in tries
    }
    assert len(heads) == 1


def test_the_wrong_picture_is_chosen_by_seed_and_is_never_an_equal_one(
    workspace: Workspace, make_item: Callable[..., Item]
) -> None:
    items = [make_item(f"q{number}") for number in range(12)]
    twin = make_item("twin", images=items[0].question.images)
    everybody = [*items, twin]

    def chosen(seed: int, among: Sequence[Item]) -> dict[str, str]:
        units = QualityProposer(workspace, blind=4, seed=seed).plan("chemistry", among).units
        return {unit.item_id: unit.others[0].sha256 for unit in units}  # type: ignore[attr-defined]

    first = chosen(1, everybody)
    assert first == chosen(1, list(reversed(everybody)))
    assert first != chosen(2, everybody)
    own = {item.item_id: item.question.images[0].sha256 for item in everybody}
    for seed in range(40):
        assert all(picture != own[name] for name, picture in chosen(seed, everybody).items())
    fewer = chosen(1, everybody[1:])
    assert sum(first[name] != fewer[name] for name in fewer) <= 2
    alone = QualityProposer(workspace, blind=4).plan("chemistry", [items[0], twin]).units
    assert all(unit.others == () for unit in alone)  # type: ignore[attr-defined]


def test_a_picture_that_must_stay_here_is_not_shown_beside_another_item(
    workspace: Workspace, make_item: Callable[..., Item]
) -> None:
    toml = workspace.root / "benchwright.toml"
    toml.write_text(toml.read_text() + "\n[sources.closed]\nallow_external = false\n")
    place = Workspace(workspace.root, load_recipe(toml))
    items = [make_item(f"q{n}", source="closed" if n % 2 else "made") for n in range(10)]
    private = {item.question.images[0].sha256 for item in items if item.question.source == "closed"}
    for seed in range(20):
        units = QualityProposer(place, blind=4, seed=seed).plan("chemistry", items).units
        for unit in units:
            assert unit.item is not None
            if unit.item.question.source == "made":
                assert unit.others and unit.others[0].sha256 not in private  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"picture": False}, "no-picture"),
        ({"options": (), "answer": "1; 2", "question_type": QuestionType.MULTI_PART}, "several-parts"),
        ({"options": ("iron", "zinc", "A and B")}, "options-refer-to-letters"),
        ({"answer": "F"}, "answer-is-no-label"),
    ],
)
def test_where_a_profile_says_nothing_the_reason_stands_in_its_place_and_no_call_is_made(
    changes: dict[str, Any],
    reason: str,
    make_item: Callable[..., Item],
    assess: Callable[..., Run],
    openai_server: Callable[..., Any],
) -> None:
    server = openai_server({"rules": [{"match": ASSESS, "json": CLEAN}]})
    others = [make_item("q2"), make_item("q3", "Which salt is it?", options=("a", "b", "c", "d"))]
    found, _ = assess(server, [make_item("q1", **changes), *others], blind=4)
    assert blind_value(found) == {"not_applicable": reason, "tags": []}
    assert found["q1"]["blind"].call_id is None
    assert len(asked(server, BLIND)) == 2 * 3 * 4


def test_a_free_question_has_no_options_to_show_alone(
    make_item: Callable[..., Item], assess: Callable[..., Run], openai_server: Callable[..., Any]
) -> None:
    server = openai_server({"rules": [{"match": ASSESS, "json": CLEAN}, {"answer": "Answer: 42"}]})
    items = [make_item("q1", "How many?", "42", options=()), make_item("q2", "How long?", "7", options=())]
    found, _ = assess(server, items, blind=3)
    assert set(blind_value(found)["conditions"]) == {"no-image", "wrong-image"}
    assert blind_value(found)["left_out"] == {"options-only": "no-options"}
    assert blind_value(found)["tags"] == ["image-not-needed"]
    assert blind_value(found, "q2")["conditions"]["no-image"]["right"] == 0
    assert blind_value(found, "q2")["tags"] == []


def test_all_calls_come_from_the_store_the_second_time_and_a_failed_try_costs_only_itself(
    workspace: Workspace,
    make_item: Callable[..., Item],
    assess: Callable[..., Run],
    openai_server: Callable[..., Any],
) -> None:
    broken = {"match": BLIND, "status": 400, "times": 1, "every": 7}
    server = openai_server({"rules": [broken, {"match": ASSESS, "json": CLEAN}]})
    items = [make_item("q1"), make_item("q2", "Which salt is it?", options=("a", "b", "c", "d"))]
    options: dict[str, Any] = {"solve": 2, "blind": 4, "models": ("a", "b")}
    _, rejected = assess(server, items, **options)
    failed = sum(request.status == 400 for request in server.requests)
    assert failed and {record.reason for record in rejected} == {"error"}
    first = len(server.requests)
    assert first == 2 * (2 + 2 * 2 + 2 * 3 * 4)
    found, rejected = assess(server, items, **options)
    assert not rejected and len(server.requests) == first + failed
    again, _ = assess(server, items, **options)
    assert again == found and len(server.requests) == first + failed
    with CallStore(workspace.calls) as store:
        for proposals in found.values():
            assert all(store.get(key) for key in blind_value({"q1": proposals})["calls"])
    assert json.dumps(blind_value(found))


def test_a_dry_run_sees_every_call_that_would_be_made(
    workspace: Workspace, make_item: Callable[..., Item], openai_server: Callable[..., Any]
) -> None:
    import asyncio

    from benchwright.curation.proposers.asking import open_panel
    from benchwright.curation.proposers.panel import Planned, PlanningPanel

    server = openai_server({})
    proposer = QualityProposer(workspace, solve=2, blind=4)
    units = proposer.plan("chemistry", [make_item("q1"), make_item("q2")]).units

    async def look() -> list[Any]:
        real = open_panel(workspace, Asking((recipe(server, "a"),)), None)
        panel = PlanningPanel(workspace, real.members, 3)
        with pytest.raises(Planned):
            await proposer.propose(units[0], panel)
        return panel.asked

    assert len(asyncio.run(look())) == 3 + 2 + 3 * 4
    assert server.requests == []
