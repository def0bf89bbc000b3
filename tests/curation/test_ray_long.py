"""Acceptance: stages on a local Ray write the same bytes, also when a worker is killed in the middle."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from benchwright.curation.dedup import dedup_discipline, read_report
from benchwright.curation.embed import embed_discipline
from benchwright.curation.executor import Executor, open_executor
from benchwright.curation.screen import screen_discipline
from benchwright.schemas.artefact import folder_digest
from benchwright.schemas.records import LocalizedText, Question, QuestionType
from benchwright.schemas.tables import write_records
from benchwright.schemas.workspace import Workspace

from .pictured_pool import PAIRS, pictured_workspace, screened_and_searched, write_source

pytestmark = [
    pytest.mark.long,
    pytest.mark.filterwarnings("default"),  # Ray's own
]
N = 2600
RECIPE = '[benchmark]\nname = "trial"\n[disciplines.physics]\nbudget = 3\n'


def make(root: Path) -> Workspace:
    workspace = Workspace.create(root, RECIPE)
    questions = (
        Question(
            id=f"q{number:05}", source="trial", source_license="CC0-1.0", source_row="{}", discipline="physics",
            language="en", question_type=QuestionType.FREE_FORM,
            texts={"en": LocalizedText(question=f"A block of {number} kg slides {number % 37} m down.", answer="1")},
        )
        for number in range(N)
    )  # fmt: skip
    write_records(workspace.pool("physics"), questions, Question)
    return workspace


def ray_workers() -> list[int]:
    """Process ids of the Ray workers below this process that are at a task."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes()
                mine = _is_below(int(entry.name), os.getpid())
            except (FileNotFoundError, ProcessLookupError):
                continue
            if words.startswith(b"ray::_call") and mine:
                found.append(int(entry.name))
    return found


def _is_below(process: int, ancestor: int) -> bool:
    while process > 1:
        if process == ancestor:
            return True
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        process = int(fields[1])
    return False


def test_ray_gives_the_same_bytes_and_a_killed_worker_loses_nothing(tmp_path):
    pytest.importorskip("ray")
    local = make(tmp_path / "local")
    embed_discipline(local, "physics", workers=2)
    expected = folder_digest(local.embeddings("physics"))

    executor = open_executor(2, "ray")
    assert executor.workers == 2
    quiet = make(tmp_path / "quiet")
    assert embed_discipline(quiet, "physics", executor=executor).embedded == N
    assert folder_digest(quiet.embeddings("physics")) == expected

    killed: list[int] = []

    def report(done: int, total: int) -> None:
        if 0 < done < total and not killed:
            for _ in range(100):
                if at_work := ray_workers():
                    os.kill(at_work[0], signal.SIGKILL)
                    killed.append(at_work[0])
                    return
                time.sleep(0.02)

    struck = make(tmp_path / "struck")
    assert embed_discipline(struck, "physics", executor=executor, report=report).embedded == N
    assert killed, "no worker was at work when one was to be killed"
    assert folder_digest(struck.embeddings("physics")) == expected


def test_screening_and_the_search_for_repeats_write_the_same_bytes_on_ray(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    source = write_source(tmp_path / "source")

    def written(name: str, executor: Executor) -> tuple[dict[str, bytes], str]:
        workspace = pictured_workspace(tmp_path / name, source, '\n[embed]\nimages = "ink"\n')
        screen_discipline(workspace, "physics", executor=executor)
        dedup_discipline(workspace, "physics", yes=True, executor=executor)
        assert read_report(workspace, "physics").groups == PAIRS
        return screened_and_searched(workspace), folder_digest(workspace.embeddings("physics"))

    assert written("ray", open_executor(2, "ray")) == written("local", open_executor(1))
