"""Budgets that cannot hold every knowledge point: the plan tells them at once, clustering tells all of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchwright.cli.curate import curate
from benchwright.curation.plan_cover import cover_notes
from benchwright.schemas.workspace import Workspace

RECIPE = """[benchmark]
name = "covers"
languages = ["en"]
preset = "visscience"
taxonomy = "visscience+sciverse"

[disciplines.biology]
budget = 1
[disciplines.chemistry]
budget = 2
[disciplines.physics]
budget = 2

[selection]
subject_tolerance = 1.0
difficulty_tolerance = 1.0
"""
TEXTS = {
    "biology": ("Name the organ that pumps blood.", "Name the gas that leaves hold back at night."),
    "chemistry": ("Balance the burning of methane.", "Give the charge of a sodium ion."),
    "physics": (
        "Find the slope of a ramp.",
        "How far does sound go in a second?",
        "What bends light in glass?",
    ),
}
POINTS = {
    "biology": ("body/blood", "plants/leaves"),
    "chemistry": ("reactions/burning", "reactions/burning"),
    "physics": ("mechanics/ramps", "waves/sound", "mechanics/light"),
}


@pytest.fixture
def place(tmp_path: Path, jsonl: Callable[..., Path]) -> Workspace:
    """Pools of two, two and three points; the budgets can hold chemistry's alone."""
    workspace = Workspace.create(tmp_path / "covers", RECIPE)
    rows = [
        {"id": f"{name}-{i}", "discipline": name, "question": text, "knowledge_points": [POINTS[name][i]]}
        for name, texts in TEXTS.items()
        for i, text in enumerate(texts)
    ]
    assert cover_notes(workspace) == []  # there is no pool yet
    typed = ["ingest", str(jsonl(*rows)), "--workspace", str(workspace.root)]
    result = CliRunner().invoke(curate, typed)
    assert result.exit_code == 0, result.output
    return workspace


def test_the_plan_tells_what_clustering_would_refuse(place: Workspace) -> None:
    biology, physics = cover_notes(place)
    assert biology.startswith("biology: to hold each of its 2 knowledge points takes at least 2 questions")
    assert "budget is 2" in physics and "at least 3 questions" in physics
    assert cover_notes(place, ["chemistry"]) == []
    result = CliRunner().invoke(curate, ["plan", "--workspace", str(place.root)])
    assert result.exit_code == 0 and physics in result.stderr
    assert "next: curate cluster" in result.stdout


def test_upper_parts_of_paths_need_fewer_questions(place: Workspace) -> None:
    (place.root / "benchwright.toml").write_text(RECIPE + "path_level = 1\n")
    (note,) = cover_notes(Workspace.find(place.root))
    assert note.startswith("biology")


def test_a_budget_above_the_pool_is_told(place: Workspace) -> None:
    (place.root / "benchwright.toml").write_text(RECIPE.replace("budget = 2", "budget = 9"))
    notes = cover_notes(Workspace.find(place.root), ["chemistry"])
    assert notes == ["chemistry has 2 questions, the budget is 9: it cannot be filled."]


def test_clustering_names_every_discipline_that_cannot_be_covered(place: Workspace) -> None:
    typed = ["cluster", "--workspace", str(place.root), "--workers", "1", "--json"]
    result = CliRunner().invoke(curate, typed)
    assert list(json.loads(result.stdout)) == ["chemistry"]
    biology, physics = str(result.exception).split("\n")
    assert "smallest cover of biology needs 2 questions" in biology
    assert "smallest cover of physics needs 3 questions" in physics
    assert place.selection("chemistry").exists() and not place.selection("physics").exists()
