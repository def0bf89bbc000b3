"""`curate screen` and `curate dedup` write the same bytes whoever runs their shards."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from click.testing import CliRunner

from benchwright.cli.curate import curate
from benchwright.curation.dedup import dedup_discipline, read_report
from benchwright.curation.executor import Here
from benchwright.curation.screen import screen_discipline

from .pictured_pool import PAIRS, pictured_workspace, screened_and_searched, write_source

T = TypeVar("T")
R = TypeVar("R")

TEXT_ONLY = "\n[dedup.thresholds]\ncosine = 2\n"


class ElsewhereBackwards:
    """Runs all tasks in reverse on what a trip through pickle leaves of them, as a cluster may."""

    workers = 3

    def __init__(self) -> None:
        self.tasks: dict[str, int] = {}

    def map(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """See `Executor.map`."""
        sent = [pickle.dumps((function, task)) for task in tasks]
        name = getattr(function, "func", function).__name__
        self.tasks[name] = self.tasks.get(name, 0) + len(sent)
        done = []
        for one in reversed(sent):
            run, task = pickle.loads(one)
            done.append(pickle.dumps(run(task)))
        yield from map(pickle.loads, reversed(done))


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_source(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module")
def alone(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one process writes."""
    workspace = pictured_workspace(tmp_path_factory.mktemp("alone") / "workspace", source, TEXT_ONLY)
    screen_discipline(workspace, "physics", executor=Here())
    dedup_discipline(workspace, "physics", yes=True, executor=Here())
    assert read_report(workspace, "physics").groups == PAIRS, "pictures in another frame are one question"
    return screened_and_searched(workspace)


def test_tasks_that_travel_and_end_in_another_order_change_nothing(
    source: Path, alone: dict[str, bytes], tmp_path: Path
) -> None:
    workspace = pictured_workspace(tmp_path / "workspace", source, TEXT_ONLY)
    executor = ElsewhereBackwards()
    screen_discipline(workspace, "physics", executor=executor)
    dedup_discipline(workspace, "physics", yes=True, executor=executor)
    assert executor.tasks["measure_pictures"] == 2 and executor.tasks["_look_at_all"] == 3
    assert executor.tasks["screen_questions"] == executor.tasks["_scan_shard"] == 1
    assert screened_and_searched(workspace) == alone


def test_the_commands_take_an_engine(source: Path, alone: dict[str, bytes], tmp_path: Path) -> None:
    workspace = pictured_workspace(tmp_path / "workspace", source, TEXT_ONLY)

    def typed(*arguments: str) -> Any:
        return CliRunner().invoke(curate, [*arguments, "--workspace", str(workspace.root)])

    for command in (["screen"], ["dedup", "--yes"]):
        refused = typed(*command, "--ray-address", "auto")
        assert refused.exit_code != 0 and "goes with --engine ray" in str(refused.exception)
        done = typed(*command, "--engine", "local", "--workers", "2")
        assert done.exit_code == 0, done.output
    assert screened_and_searched(workspace) == alone
