"""The notebooks run from top to bottom on the demo's workspace, and are committed without outputs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright.cli.main import benchwright, run_command
from benchwright.schemas.artefact import folder_digest

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SECONDS_EACH = 60


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("notebooks") / "demo"
    assert run_command(benchwright, "benchwright", ["demo", str(place), "--json"]) == 0
    return place


def test_there_is_one_for_each_part_of_the_line() -> None:
    assert [path.stem[0] for path in NOTEBOOKS] == ["1", "2", "3"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_committed_without_outputs(path: Path) -> None:
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            assert not cell["outputs"] and cell["execution_count"] is None, cell["source"]


def test_run_within_their_time_and_leave_the_workspace_alone(workspace: Path) -> None:
    before = folder_digest(workspace)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-q", "--color=no"]
    command += ["--nbmake", f"--nbmake-timeout={SECONDS_EACH}", "-W", "default", *map(str, NOTEBOOKS)]
    environment = {**os.environ, "BENCHWRIGHT_WORKSPACE": str(workspace), "MPLBACKEND": "agg"}
    ran = subprocess.run(
        command, cwd=FOLDER.parent, env=environment, capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stdout[-4000:]
    assert f"{len(NOTEBOOKS)} passed" in ran.stdout
    assert folder_digest(workspace) == before
