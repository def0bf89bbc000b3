"""`curate ingest` as it is typed: presets, archives, fetched pictures."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from benchwright.cli.main import benchwright, run_command
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.workspace import Workspace


def drawing(shade: int) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (20, 10), (shade, 0, 0)).save(stream, format="PNG")
    return stream.getvalue()


def typed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> tuple[dict[str, Any], str]:
    """The JSON that a command prints, and what it says beside it."""
    capsys.readouterr()
    assert run_command(benchwright, "benchwright", ["curate", "ingest", *arguments, "--json"]) == code
    said = capsys.readouterr()
    return (json.loads(said.out) if said.out.strip() else {}), said.err


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    toml = default_recipe_toml("x") + '\n[fetch]\nallow_hosts = ["127.0.0.1"]\n'
    return Workspace.create(tmp_path / "workspace", toml).root


def test_the_presets_are_listed_with_their_licences(capsys: pytest.CaptureFixture[str]) -> None:
    said, _ = typed(capsys, "--list-presets")
    assert [(one["name"], one["license"]) for one in said["presets"]] == [
        ("gaokao-mm", "Apache-2.0"), ("math-v", "MIT"), ("mmmu", "Apache-2.0"), ("scemqa", "Apache-2.0"),
        ("scibench", "MIT"),
    ]  # fmt: skip


def test_an_unknown_preset_and_no_source_are_told_in_one_sentence(
    capsys: pytest.CaptureFixture[str], workspace: Path
) -> None:
    for arguments in (("--preset", "mmlu", "x.json"), ()):
        assert run_command(benchwright, "benchwright", ["curate", "ingest", *arguments]) == 2
        said = capsys.readouterr().err
        assert "gaokao-mm, math-v, mmmu, scemqa, scibench" in said or "--list-presets" in said
        assert said.count("\n") == 1


def test_a_folder_given_without_its_preset_is_told_of_presets(
    capsys: pytest.CaptureFixture[str], workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "MMMU").mkdir()
    arguments = ["curate", "ingest", str(tmp_path / "MMMU"), "--workspace", str(workspace)]
    assert run_command(benchwright, "benchwright", arguments) == 2
    assert (
        "with --preset the public set that this is (`curate ingest --list-presets`)"
        in capsys.readouterr().err
    )


def test_a_preset_reads_an_archive_of_the_source(
    capsys: pytest.CaptureFixture[str], workspace: Path, tmp_path: Path
) -> None:
    row = {"id": "4", "question": "How many?\n<image1>", "options": [], "answer": "6", "level": 2,
           "subject": "counting", "solution": None, "image": "images/4.jpg"}  # fmt: skip
    with zipfile.ZipFile(tmp_path / "MATH-V.zip", "w") as archive:
        archive.writestr("MATH-V-main/data/test.jsonl", json.dumps(row) + "\n")
        archive.writestr("MATH-V-main/images/4.jpg", drawing(9))
    said, beside = typed(
        capsys, str(tmp_path / "MATH-V.zip"), "--preset", "math-v", "--workspace", str(workspace)
    )
    assert [(one["name"], one["n_kept"]) for one in said["sources"]] == [("MATH-V", 1)]
    assert "subject-not-in-taxonomy 1" in beside


def test_fetching_and_rechecking(
    capsys: pytest.CaptureFixture[str], workspace: Path, tmp_path: Path, server_module: Callable[[str], Any]
) -> None:
    module = server_module("picture_server")
    with module.PictureServer({"/a.png": module.Reply(drawing(1))}) as server:
        url = f"{server.url}/a.png"
        path = tmp_path / "pool.jsonl"
        row = {
            "id": "q",
            "question": "Q?",
            "answer": "1",
            "image": url,
            "discipline": "physics",
            "language": "en",
        }
        path.write_text(json.dumps(row) + "\n")
        place = (str(path), "--workspace", str(workspace))
        said, beside = typed(capsys, *place)
        assert said["sources"][0]["reasons"] == {"image-remote": 1}
        said, beside = typed(capsys, *place, "--fetch-images")
        assert (said["sources"][0]["n_kept"], said["sources"][0]["fetched"]) == (1, 1)
        assert "pictures fetched and pinned: 1" in beside
        server.replies["/a.png"] = module.Reply(drawing(2))
        said, beside = typed(capsys, *place, "--recheck-images")
        assert list(said["sources"][0]["changed_pictures"]) == [url]
        assert "the pinned picture stays" in beside
    said, _ = typed(capsys, *place)
    assert said["sources"][0]["n_kept"] == 1, "without the server the pinned picture is used"
