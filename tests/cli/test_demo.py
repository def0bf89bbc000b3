"""`benchwright demo`: the whole line in a fresh folder, again from where it stopped, never in a folder of others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.cli.main import benchwright, run_command
from benchwright.schemas.artefact import folder_digest

STAGES = [
    "ingest",
    "cluster, choose",
    "tag (embedded proposer)",
    "review (replayed)",
    "problems",
    "render vision-rich",
    "render vision-only",
    "dataset",
    "evaluate baseline/random",
    "evaluate replay/scripted-model.jsonl",
]


def demo(path: Path, capsys: pytest.CaptureFixture[str], *flags: str) -> tuple[str, str]:
    capsys.readouterr()
    assert run_command(benchwright, "benchwright", ["demo", str(path), *flags]) == 0
    said = capsys.readouterr()
    return said.out, said.err


def made(path: Path) -> dict[str, str]:
    return {name: folder_digest(path / name) for name in ("pool", "selection", "renders", "release", "runs")}


def test_demo_runs_adds_up_and_goes_on_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "demo"
    first: dict[str, Any] = json.loads(demo(path, capsys, "--json")[0])
    assert [line["stage"] for line in first["stages"]] == STAGES
    for line in first["stages"]:
        left_out = line["n_in"] - line["kept"] - line["rejected"]
        assert (left_out > 0) if line["stage"] == "cluster, choose" else (left_out == 0), line
    assert first["stages"][0]["rejected"] > 0, "the raw pool holds planted faults"
    assert {score["model"] for score in first["scores"]} == {"baseline/random", "replay/scripted-model.jsonl"}
    for line, score in zip(first["stages"][-2:], first["scores"], strict=True):
        assert score["accuracy"].endswith("*") == (line["rejected"] > 0), "an incomplete figure is marked"
    assert all(Path(place).exists() for place in first["paths"].values())

    whole = made(path)
    (path / "problems.parquet").unlink()
    sorted(path.glob("renders/*/vision-only/zh/*.png"))[3].unlink()
    sorted(path.glob("release/*/data/en/original/*.parquet"))[0].unlink()
    out, err = demo(path, capsys)
    assert made(path) == whole
    assert "holds an earlier demo: going on there" in err
    assert (
        "The line, stage by stage" in out
        and "Accuracy in %" in out
        and out.rstrip().splitlines()[-1].startswith("next: ")
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("notes.txt", "mine", "is not empty"),
        ("benchwright.toml", '[benchmark]\nname = "mine"\n[disciplines.physics]\n', "a workspace of its own"),
    ],
)
def test_a_folder_of_others_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    assert run_command(benchwright, "benchwright", ["demo", str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert message in said.err and "benchwright demo PATH" in said.err and not said.out
    assert [path.name for path in tmp_path.iterdir()] == [name] and (tmp_path / name).read_text() == text
