"""What may leave the machine, and what cannot be sent at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.cli.common import progress
from benchwright.eval.pipeline.plan import Verdicts, Way, make_plan
from benchwright.eval.pipeline.runner import Models, run
from benchwright.eval.runs.dataset import Dataset
from benchwright.eval.runs.passes import RunSettings
from benchwright.eval.runs.spec import DatasetSpec, SamplingSpec
from benchwright.eval.runs.store import RunFolder
from benchwright.models.registry import open_model
from benchwright.models.store import CallStore
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.records import ReleaseRow

Rows = Callable[..., ReleaseRow]
Command = Any  # the fixture `command` of conftest.py


def choice_rows(row: Rows, n: int, **fields: Any) -> list[ReleaseRow]:
    return [row(f"p{i:04}", **fields) for i in range(n)]


def test_an_unreleased_folder_goes_nowhere_without_the_builders_word(
    command: Command, release: Any, row: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-very-secret-0001")
    folder = release(choice_rows(row, 2)).folder
    outside = ("--base-url", "https://models.invalid/v1", "--api-key-env", "SOME_KEY")
    _, err = command(folder, "--model", "openai/m", *outside, code=2)
    assert "models.invalid, outside this machine: 2 rows" in err
    judge = ("--judge-model", "openai/j", "--judge-base-url", "https://models.invalid/v1")
    _, err = command(
        folder, "--model", "baseline/random", *judge, "--judge-api-key-env", "SOME_KEY", code=0
    )  # a guesser's judge is never asked, so nothing would leave
    assert "the rules decide" in err
    assert not any(Path("runs").rglob("*.none"))


def test_a_forbidden_source_never_leaves_a_workspace(
    command: Command, release: Any, row: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-very-secret-0001")
    recipe = '[benchmark]\nname = "b"\n[disciplines.physics]\n[sources."made-up"]\nallow_external = false\n'
    (tmp_path / "benchwright.toml").write_text(recipe)
    folder = release(choice_rows(row, 2)).folder
    outside = ("--base-url", "https://models.invalid/v1", "--api-key-env", "SOME_KEY", "--allow-external")
    _, err = command(folder, "--model", "openai/m", *outside, code=2)
    assert "keeps the source 'made-up' in" in err


def test_a_forbidden_source_never_leaves_its_workspace_from_elsewhere_either(
    command: Command, release: Any, row: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-very-secret-0001")
    folder = release(choice_rows(row, 2), name="bench/release/v1").folder
    recipe = '[benchmark]\nname = "b"\n[disciplines.physics]\n[sources."made-up"]\nallow_external = false\n'
    (tmp_path / "bench" / "benchwright.toml").write_text(recipe)
    outside = ("--base-url", "https://models.invalid/v1", "--api-key-env", "SOME_KEY", "--allow-external")
    _, err = command(folder, "--model", "openai/m", *outside, code=2)
    assert "keeps the source 'made-up' in" in err


def test_a_picture_in_no_known_form_is_unsendable_and_the_rest_goes_on(
    row: Rows, tmp_path: Path, openai_server: Any
) -> None:
    good, odd = row("p1"), row("p2", images=[b"no picture"])
    dataset = Dataset(
        spec=DatasetSpec(
            name="d",
            origin="folder",
            digest="0" * 64,
            rows=2,
            versions=("original",),
            languages=("en",),
            splits=(),
        ),
        rows=(good, odd),
        images={sha256_bytes(b"no picture"): b"no picture"},
    )
    server = openai_server({"rules": [{"answer": "Answer: B"}]})
    tested = open_model("openai/m", server.base_url)
    plan = make_plan(dataset, tested, Way(protocol="visscience"), SamplingSpec(), Verdicts("rules"))
    folder = RunFolder(tmp_path / "run")
    folder.open(plan.spec)
    with CallStore(tmp_path / "calls.sqlite") as calls:
        result = run(plan, Models(tested), folder, calls, RunSettings(), progress)
    assert result.scores.statuses == {"ok": 1, "unsendable": 1}
    assert (result.scores.total.consistent, result.scores.total.not_run) == (1, 1)
    assert len(server.requests) == 1
    assert any(
        "unknown-image-type" in response.detail for response in folder.load(dataset.rows).responses.values()
    )
