"""SIGKILL anywhere, run again: the artefacts are the same, byte for byte, as those of an undisturbed run."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchwright.schemas.digest import sha256_file

DRIVE = Path(__file__).with_name("drive.py")
QUESTIONS = 24
# Not artefacts: locks, caches, the server's own data, the store of calls (SQLite, whose pages depend on history), and
# what each command spent: a command that was killed and run again is two.
SPENT = "spending.jsonl"
NOT_COMPARED = (".locks/", ".cache/", "label-studio/", "calls.sqlite", "people.json")


@dataclass(frozen=True)
class Case:
    """A raw pool of 24 questions, recorded reviews and scripted answers."""

    pool: Path
    reviews: Path
    answers: Path

    def command(self, workspace: Path) -> list[str]:
        return [sys.executable, str(DRIVE), *map(str, (workspace, self.pool, self.reviews, self.answers))]


def digests(workspace: Path) -> dict[str, str]:
    """Digest of every artefact by its path in the workspace."""
    names = {path.relative_to(workspace).as_posix(): path for path in workspace.rglob("*") if path.is_file()}
    return {
        name: sha256_file(path)
        for name, path in sorted(names.items())
        if not name.startswith(NOT_COMPARED) and path.name != SPENT
    }


def finish(case: Case, workspace: Path) -> None:
    """Run to the end."""
    done = subprocess.run(case.command(workspace), capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]


def kill_when(case: Case, workspace: Path, reached: Callable[[], bool], seconds: float = 300) -> None:
    """Start a run in a process group of its own and SIGKILL the whole group once `reached` says so."""
    child = subprocess.Popen(
        case.command(workspace), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + seconds
    try:
        while not reached():
            assert child.poll() is None, "the run ended before the kill point was reached"
            assert time.monotonic() < deadline, "the kill point was not reached"
            time.sleep(0.001)
    finally:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    assert child.returncode == -signal.SIGKILL


@pytest.fixture(scope="session")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    from importlib import resources

    from benchwright.examples.pool import write_raw_pool
    from benchwright.examples.replay import write_replay

    folder = tmp_path_factory.mktemp("raw")
    pool = write_raw_pool(folder)
    rows = [json.loads(line) for line in pool.read_text(encoding="utf-8").splitlines()]
    chosen = []
    for discipline in ("chemistry", "mathematics", "physics"):
        own = [row for row in rows if row.get("discipline") == discipline and row.get("texts")]
        own.sort(key=lambda row: all("decomposition" not in text for text in row["texts"].values()))
        chosen += own[: QUESTIONS // 3]
    assert len(chosen) == QUESTIONS
    pool.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in chosen), encoding="utf-8")
    answers = folder / "answers.jsonl"
    write_replay(answers)
    reviews = folder / "reviews.jsonl"
    reviews.write_bytes((resources.files("benchwright.examples") / "reviews.jsonl").read_bytes())
    return Case(pool, reviews, answers)


@pytest.fixture(scope="session")
def undisturbed(case: Case, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Artefact digests of a run that nobody killed."""
    workspace = tmp_path_factory.mktemp("undisturbed") / "workspace"
    finish(case, workspace)
    return digests(workspace)


def test_the_line_is_deterministic(case: Case, undisturbed: dict[str, str], tmp_path: Path) -> None:
    wanted = undisturbed
    assert any(name.startswith("renders/") and name.endswith(".png") for name in wanted)
    assert any(name.startswith("runs/") and name.endswith("scores.json") for name in wanted)
    assert any(name.startswith("release/") and name.endswith(".parquet") for name in wanted)
    workspace = tmp_path / "elsewhere" / "workspace"
    finish(case, workspace)
    assert digests(workspace) == wanted
    finish(case, workspace)
    assert digests(workspace) == wanted, "a second run finds everything done"


POINTS = {
    "ingest": lambda root: any((root / "images").rglob("*.png")),
    "render": lambda root: len(list((root / "renders").rglob("*.png"))) >= 5,
    "evaluate": lambda root: any(
        path.read_bytes().count(b"\n") >= 10 for path in (root / "runs").glob("*/responses.jsonl")
    ),
}


@pytest.mark.parametrize("point", POINTS)
def test_killed_and_run_again(point: str, case: Case, undisturbed: dict[str, str], tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    kill_when(case, workspace, lambda: POINTS[point](workspace))
    assert digests(workspace) != undisturbed, "the kill came too late to mean anything"
    finish(case, workspace)
    assert digests(workspace) == undisturbed


@pytest.mark.long
@pytest.mark.parametrize("number", range(10))
def test_killed_at_random_and_run_again(
    number: int, case: Case, undisturbed: dict[str, str], tmp_path: Path
) -> None:
    # By progress, not by the clock: how fast the machine is changes from run to run.
    wanted = undisturbed
    workspace = tmp_path / "workspace"
    chance = random.Random(number)
    enough = chance.uniform(0.02, 0.95) * len(wanted)

    def reached() -> bool:
        time.sleep(chance.uniform(0, 0.03))
        return workspace.exists() and sum(path.is_file() for path in workspace.rglob("*")) >= enough

    kill_when(case, workspace, reached)
    there = digests(workspace)
    print(
        f"killed with {sum(there.get(n) == d for n, d in wanted.items())} of {len(wanted)} artefacts finished"
    )
    finish(case, workspace)
    assert digests(workspace) == wanted
    shutil.rmtree(workspace)
