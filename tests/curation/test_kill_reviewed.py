"""SIGKILL between any two renames after people have reviewed, run again: the same bytes as without."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright.curation.dedup import dedup_discipline
from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.schemas.digest import sha256_file
from benchwright.schemas.jobs import Proposal, Verdict, problem_id
from benchwright.schemas.journal import read_jsonl, write_jsonl
from benchwright.schemas.selection import SelectionRow
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

DYING = Path(__file__).with_name("dying_command.py")
DEDUP = ("curate", "dedup", "--workers", "1", "--yes")
SELECT = ("curate", "select", "--discipline", "physics", "--budget", "7")


def run(workspace: Path, command: tuple[str, ...], last: int = 0) -> subprocess.CompletedProcess[str]:
    """The command, dying at its `last` rename or removal; with 0 it lives."""
    arguments = [sys.executable, str(DYING), str(last), *command, "--workspace", str(workspace)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == (-signal.SIGKILL if last else 0), done.stderr[-2000:]
    return done


def digests(workspace: Path) -> dict[str, str]:
    """Digest of every file but locks and caches."""
    names = {path.relative_to(workspace).as_posix(): path for path in workspace.rglob("*") if path.is_file()}
    return {name: sha256_file(path) for name, path in names.items() if name[:7] not in (".locks/", ".cache/")}


def points_of(done: subprocess.CompletedProcess[str]) -> list[str]:
    """What was renamed or removed, in order."""
    return [line[11:] for line in done.stderr.splitlines() if line.startswith("KILL-POINT ")]


def verdict(job: str, item: str, field: str, digest: str, value: object) -> Verdict:
    return Verdict.model_validate(
        {"job": job, "item_id": item, "field": field, "digest": digest, "value": value, "basis": "agreed"}
    )


@pytest.fixture
def disputed(make_workspace: Callable[..., Workspace], jsonl: Callable[..., Path]) -> Path:
    """A pool that was searched for repeats; since then people settled a disputed group, and another one came in."""
    planet = "Which planet is the largest one of the solar system?"
    moon = "How many moons of the planet Mars are known?"
    workspace = make_workspace("\n[dedup.thresholds]\ncosine = 2\n")
    ingest(workspace, [jsonl(
        {"id": "a", "question": planet, "answer": "Jupiter"},
        {"id": "b", "question": planet + " ", "answer": "Saturn"},
        {"id": "c", "question": moon, "answer": "2"},
    )], IngestOptions())  # fmt: skip
    dedup_discipline(workspace, "physics", workers=1)
    said = read_jsonl(workspace.proposals("duplicates"), Proposal)
    item, digest = said[0].item_id, said[0].digest
    lines = [
        verdict("duplicates", item, "relation", digest, "same"),
        verdict("duplicates", item, "keep", digest, "b"),
    ]
    write_jsonl(workspace.verdicts("duplicates"), lines)
    newer = jsonl({"id": "d", "question": moon + " ", "answer": "3"}, name="newer.jsonl")
    ingest(workspace, [newer], IngestOptions())
    return workspace.root


@pytest.fixture
def reviewed(selected: Workspace) -> Path:
    """A selection of which people have reviewed two; they rejected a third, and know one that was not chosen."""
    chosen = [row.question_id for row in read_records(selected.selection("physics"), SelectionRow)]
    pool = [f"phys-{number:02}" for number in range(1, 12)]
    other = next(name for name in pool if name not in chosen)
    digest = "0" * 64
    tags = [verdict("tagging", problem_id(name), "difficulty", digest, 4) for name in (*chosen[:2], other)]
    write_jsonl(selected.verdicts("tagging"), tags)
    refused = [verdict("quality", problem_id(chosen[2]), "decision", digest, "reject")]
    write_jsonl(selected.verdicts("quality"), refused)
    return selected.root


CASES = {
    "dedup": (DEDUP, "disputed", "proposals/duplicates.jsonl"),
    "select": (SELECT, "reviewed", "selection/physics.certificate.json"),
}
"""Command, what it starts from, and the rename before which it is killed in the short test."""


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Callable[[int], None], list[str], str]:
    """Kills at a point (from 1) in a copy and holds the finished run against the undisturbed; points; one of them."""
    command, fixture, point = CASES[request.param]
    base: Path = request.getfixturevalue(fixture)
    undisturbed = tmp_path / "undisturbed"
    shutil.copytree(base, undisturbed)
    points = points_of(run(undisturbed, command))
    assert digests(undisturbed) != digests(base), "there was nothing to do"
    wanted = digests(undisturbed)

    def check(last: int) -> None:
        workspace = tmp_path / f"killed-{last}"
        shutil.copytree(base, workspace)
        run(workspace, command, last)
        run(workspace, command)
        assert digests(workspace) == wanted, f"killed before {points[last - 1]}"
        shutil.rmtree(workspace)

    return check, points, point


def test_killed_between_two_renames(case: tuple[Callable[[int], None], list[str], str]) -> None:
    check, points, point = case
    check(1 + points.index(point))


@pytest.mark.long
def test_killed_at_every_rename(case: tuple[Callable[[int], None], list[str], str]) -> None:
    check, points, _ = case
    for last in range(1, len(points) + 1):
        check(last)
    print(f"{len(points)} points")
