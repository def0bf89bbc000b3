"""The raw pool, the recorded reviews and the scripted model: what the demo feeds into the line."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path

import pytest

from benchwright.annotation.replay import replay_reviews
from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.examples.pool import BROKEN, as_question, write_raw_pool
from benchwright.examples.registry import all_problems
from benchwright.examples.replay import scripted_answer, write_replay
from benchwright.examples.reviews import write_reviews
from benchwright.models.replay import read_answers
from benchwright.schemas.jobs import Verdict, shown_digest, tagging_view
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.records import Question, Rejected
from benchwright.schemas.selection import SelectionRow
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.versions import Version
from benchwright.schemas.workspace import Workspace

DISCIPLINES = ("mathematics", "physics", "chemistry", "biology")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace into which the raw pool was ingested."""
    folder = tmp_path_factory.mktemp("examples")
    pool = write_raw_pool(folder / "raw")
    recipe = default_recipe_toml("examples", DISCIPLINES)
    wanted = 'taxonomy = "visscience+sciverse"'
    workspace = Workspace.create(folder / "workspace", re.sub(r"(?m)^taxonomy = .*$", wanted, recipe))
    ingest(workspace, [pool], IngestOptions())
    return workspace


def test_every_example_is_ingested_as_it_is(workspace: Workspace) -> None:
    """Texts, options, decompositions and pictures arrive unchanged; only the order may differ."""
    pool = {q.id: q for d in DISCIPLINES for q in read_records(workspace.pool(d), Question)}
    assert len(pool) == len(all_problems())
    for problem in all_problems():
        wanted, got = as_question(problem), pool[problem.id]
        assert json.loads(got.source_row) == json.loads(wanted.source_row)
        assert got.model_copy(update={"source_row": wanted.source_row}) == wanted
        assert workspace.read_image(got.images[0].sha256) == problem.drawing.png


def test_broken_rows_are_rejected_with_reasons(workspace: Workspace) -> None:
    rejected = read_records(workspace.pool_rejected, Rejected)
    reasons = {r.item_id: r.reason for r in rejected}
    assert len(rejected) == len(BROKEN) + 1
    assert set(reasons) == set(BROKEN)
    assert len(set(reasons.values())) == len(reasons)


def test_pool_has_the_same_bytes_each_time(tmp_path: Path) -> None:
    first, second = (write_raw_pool(tmp_path / name) for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()
    names = sorted(p.name for p in (first.parent / "images").iterdir())
    assert names == sorted(p.name for p in (second.parent / "images").iterdir())
    for name in names:
        assert (first.parent / "images" / name).read_bytes() == (second.parent / "images" / name).read_bytes()


def test_committed_reviews_are_what_the_registry_says(tmp_path: Path) -> None:
    """`python -m benchwright.examples.reviews` writes the file anew after a problem was changed."""
    fresh = tmp_path / "reviews.jsonl"
    assert write_reviews(fresh) == 2 * len(all_problems())
    committed = resources.files("benchwright.examples") / "reviews.jsonl"
    assert committed.read_bytes() == fresh.read_bytes()


def test_replayed_reviews_settle_every_example_and_bind_to_what_is_shown(workspace: Workspace) -> None:
    """The committed lines name no digest: verdicts are about the pictures as this machine drew them."""
    for discipline in DISCIPLINES:
        rows = [
            SelectionRow(
                question_id=q.id, discipline=discipline, subject="s", difficulty=1, cluster=0, centrality=1.0,
                points=("A",), rank=rank,
            )
            for rank, q in enumerate(read_records(workspace.pool(discipline), Question), start=1)
        ]  # fmt: skip
        write_records(workspace.selection(discipline), rows, SelectionRow)
    with resources.as_file(resources.files("benchwright.examples") / "reviews.jsonl") as committed:
        (result,) = replay_reviews(workspace, committed)
    assert (result.applied, result.other_items, result.stale) == (2 * len(all_problems()), 0, 0)
    said = {
        (v.item_id, v.field): (v.value, v.digest) for v in read_jsonl(workspace.verdicts("tagging"), Verdict)
    }
    for problem in all_problems():
        shown = shown_digest(tagging_view(as_question(problem)))
        assert said[problem.id, "subject"] == (problem.subject, shown)
        assert said[problem.id, "difficulty"] == (problem.difficulty, shown)


def test_scripted_model_answers_every_row_in_known_shares(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    assert write_replay(path) == len(all_problems()) * 6 * 2
    answers = read_answers(path)
    assert len(answers) == len(all_problems()) * 12
    right = 0
    for problem in all_problems():
        for version in Version:
            for language, lead in (("en", "Answer: "), ("zh", "答案：")):
                text = problem.texts[language]
                said = answers[f"{problem.id}-{version.value}-{language}"]
                full = f"{lead}{text.answer}" + (f" {text.unit}" if text.unit else "")
                right += said == full
    assert 0.65 <= right / len(answers) <= 0.75
    assert sum(text == "" for text in answers.values()) >= 5
    assert sum("抱歉" in (text or "") or "unable" in (text or "") for text in answers.values()) >= 10


def test_a_wrong_scripted_answer_is_another_option() -> None:
    problem = next(p for p in all_problems() if p.texts["en"].choices)
    text = problem.texts["en"]
    said = {scripted_answer(problem, "en", f"row-{i}") for i in range(200)}
    letters = {s.removeprefix("Answer: ") for s in said if s.startswith("Answer: ")}
    assert letters == {c.label for c in text.choices}


def test_a_wrong_scripted_answer_without_options_is_another_number() -> None:
    problem = next(p for p in all_problems() if p.id == "phys-rod-on-rails")
    said = {scripted_answer(problem, "en", f"row-{i}") for i in range(200)}
    assert "Answer: (1) 1.2 V; (2) 1 A; (3) 0.2 N" in said
    free = next(p for p in all_problems() if p.id == "chem-crystallisation")
    assert "答案：320 g" in {scripted_answer(free, "zh", f"row-{i}") for i in range(200)}
