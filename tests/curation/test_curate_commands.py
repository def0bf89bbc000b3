"""The `curate` commands as a person types them: one table, the next command, exit codes, JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from benchwright.cli.curate import curate
from benchwright.schemas.workspace import Workspace


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Type a command; errors that are not click's own come out as exceptions."""
    monkeypatch.delenv("BENCHWRIGHT_WORKSPACE", raising=False)
    monkeypatch.chdir(tmp_path)

    def typed(*arguments: str | Path) -> Result:
        return CliRunner().invoke(curate, [str(argument) for argument in arguments])

    return typed


def test_init_makes_a_workspace_once(run: Callable[..., Result], tmp_path: Path) -> None:
    result = run("init", tmp_path / "My Bench!", "--discipline", "physics")
    assert result.exit_code == 0, result.output
    assert "next: curate ingest SOURCE" in result.stdout
    place = Workspace.find(tmp_path / "My Bench!")
    assert (place.recipe.benchmark.name, list(place.recipe.disciplines)) == ("my-bench", ["physics"])
    before = (place.root / "benchwright.toml").read_bytes()
    again = run("init", tmp_path / "My Bench!")
    assert "already exists" in str(again.exception)
    assert (place.root / "benchwright.toml").read_bytes() == before


def test_ingest_ends_with_a_table_and_reasons(
    run: Callable[..., Result], workspace: Workspace, jsonl: Callable[..., Path]
) -> None:
    path = jsonl({"id": "a", "question": "A?"}, {"id": "b", "question": ""}, {"id": "c", "question": "C?"})
    result = run("ingest", path, "--workspace", workspace.root)
    assert result.exit_code == 0, result.output
    assert "next: curate cluster" in result.stdout
    assert "pool, rejected: missing-question 1" in result.stderr
    as_json = run("ingest", path, "--workspace", workspace.root, "--json")
    figures = json.loads(as_json.stdout)
    (source,) = figures["sources"]
    assert (source["ran"], source["n_in"], source["n_kept"], source["reasons"]) == (
        False,
        3,
        2,
        {"missing-question": 1},
    )
    assert figures["pool"] == {"physics": 2}


def test_clashes_between_sources_are_said(
    run: Callable[..., Result], workspace: Workspace, jsonl: Callable[..., Path]
) -> None:
    one = jsonl({"id": "a", "question": "A?", "source": "S"}, name="one.jsonl")
    two = jsonl({"id": "a", "question": "B?", "source": "T"}, name="two.jsonl")
    result = run("ingest", one, two, "--workspace", workspace.root)
    assert result.exit_code == 0, result.output
    assert "1 rows clash with questions of other sources" in result.stderr


def test_the_line_from_selection_to_problems(
    run: Callable[..., Result], selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    place = ("--workspace", selected.root)
    tagged = run("tag", *place)
    assert tagged.exit_code == 0 and "next: annotate push tagging" in tagged.stdout
    waiting = run("problems", *place, "--json")
    assert json.loads(waiting.stdout)["reasons"] == {"unreviewed": 12}
    made = run("problems", *place, "--accept-proposals")
    assert made.exit_code == 0 and "next: render vision-only" in made.stdout
    figures = json.loads(run("stats", *place, "--json").stdout)
    assert (figures["of"], figures["items"]) == ("problems", 12)
    assert "question characters, mean" in run("stats", *place, "--of", "pool").stdout


def test_questions_without_a_proposal_make_exit_code_1(
    run: Callable[..., Result], selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    server = openai_server({"rules": [{"answer": "no object"}]})
    result = run(
        "tag",
        "--workspace",
        selected.root,
        "--discipline",
        "physics",
        "--model",
        "openai/x",
        "--base-url",
        server.base_url,
        "--assume-vision",
    )
    assert result.exit_code == 1
    assert "6 of 6 have no proposal (unparsable 6)" in result.output


def test_the_recipes_model_is_asked_unless_a_flag_says_otherwise(
    run: Callable[..., Result], selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    reply = {"subject": "organic-chemistry", "difficulty": 1, "reason": "x"}
    server = openai_server({"rules": [{"json": reply}]})
    recipe = selected.root / "benchwright.toml"
    recipe.write_text(
        recipe.read_text()
        + f'\n[models.tagging]\nmodel = "openai/x"\nbase_url = "{server.base_url}"\n'
        + 'reply_schema = "never"\nvision = "assume"\n'
    )
    place = ("--workspace", selected.root, "--discipline", "chemistry")
    assert run("tag", *place, "--model", "embedded").exit_code == 0
    assert not server.requests
    assert run("tag", *place).exit_code == 0
    assert len(server.requests) == 6


def test_when_no_row_is_kept_the_next_step_is_to_mend_the_mapping(
    run: Callable[..., Result], workspace: Workspace, jsonl: Callable[..., Path]
) -> None:
    result = run("ingest", jsonl({"id": "a", "body": "A?"}), "--workspace", workspace.root)
    assert result.exit_code == 0, result.output
    assert "mend the mapping in [ingest.fields]" in result.stderr
    assert "next:" not in result.stdout
