"""Executors: results in the order of the tasks, few held at a time, errors as they were raised."""

from __future__ import annotations

import operator
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from benchwright.curation.executor import Here, LocalProcesses, open_executor
from benchwright.schemas.errors import UsageError


def counted(drawn: list[int], n: int) -> Iterator[int]:
    for number in range(n):
        drawn.append(number)
        yield number


@pytest.mark.parametrize("executor", [Here(), LocalProcesses(2)], ids=["here", "processes"])
def test_results_come_in_order_and_tasks_are_drawn_as_they_are_needed(executor):
    drawn: list[int] = []
    results = executor.map(partial(operator.mul, 3), counted(drawn, 40))
    assert next(results) == 0
    assert len(drawn) <= 1 + 3 * executor.workers < 40
    assert list(results) == [3 * number for number in range(1, 40)]


@pytest.mark.parametrize("executor", [Here(), LocalProcesses(2)], ids=["here", "processes"])
def test_the_first_failure_in_order_is_raised(executor):
    results = executor.map(partial(operator.floordiv, 12), [6, 4, 0, 3])
    assert [next(results), next(results)] == [2, 3]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_who_is_opened():
    assert isinstance(open_executor(1), Here)
    assert open_executor().workers == (os.cpu_count() or 1)
    with pytest.raises(UsageError, match="goes with --engine ray"):
        open_executor(2, "local", "auto")


def test_missing_ray_is_named_with_its_extra():
    code = (
        "import sys; sys.modules['ray'] = None\n"  # what an environment without Ray looks like
        "from benchwright.curation.executor import open_executor\n"
        "from benchwright.schemas.errors import UsageError\n"
        "try:\n    open_executor(2, 'ray')\n"
        "except UsageError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "install benchwright[ray]" in done.stdout


def test_workers_end_with_a_parent_that_is_killed():
    code = (
        "import operator, os, time\n"
        "from benchwright.curation.executor import LocalProcesses\n"
        "if __name__ == '__main__':\n"
        "    for pid in LocalProcesses(2).map(operator.call, [os.getpid] * 100000):\n"
        "        print(pid, flush=True)\n"
        "        time.sleep(0.2)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = {int(parent.stdout.readline()) for _ in range(4)}
        parent.kill()
    assert workers
    deadline = time.monotonic() + 60
    while (left := [pid for pid in workers if Path(f"/proc/{pid}").exists()]) and time.monotonic() < deadline:
        time.sleep(0.2)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left, "a worker outlived its parent"
