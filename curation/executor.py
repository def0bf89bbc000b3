"""Who runs the shards of a stage: this process, local processes, or a Ray cluster; results are the same everywhere.

A stage that reads a whole pool cuts it into shards and gives each to a plain function of plain values. An executor
says only where these run: it returns results in the order of the tasks, holds few of them at a time, and stays out of
every signature.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Literal, Protocol, TypeVar

from benchwright.schemas.errors import UsageError

T = TypeVar("T")
R = TypeVar("R")

Engine = Literal["local", "ray"]
_AHEAD = 2
"""Tasks a worker that wait beside the one it is at."""


class Executor(Protocol):
    """Runs a function over tasks."""

    @property
    def workers(self) -> int:
        """How many tasks run side by side."""
        ...

    def map(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """Results in the order of the tasks, lazily; few tasks and results are held at a time.

        Args:
            function: importable by name (a worker process imports it), without side effects that matter.
            tasks: values that can be pickled; drawn one by one.

        Raises:
            Exception: whatever `function` raised, for the first task in order that failed.
        """
        ...


class Here:
    """Runs everything in this process."""

    workers = 1

    def map(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """See `Executor.map`."""
        return map(function, tasks)


class LocalProcesses:
    """Runs tasks in processes of this machine.

    Spawned, not forked: a fork would copy the threads of the linear algebra library in an unknown state.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def map(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """See `Executor.map`."""
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(self.workers, context, _end_with_parent) as pool:
            queue: deque[Future[R]] = deque()
            try:
                for task in tasks:
                    queue.append(pool.submit(function, task))
                    if len(queue) > _AHEAD * self.workers:
                        yield queue.popleft().result()
                while queue:
                    yield queue.popleft().result()
            finally:
                for future in queue:
                    future.cancel()


def _end_with_parent() -> None:
    """Start of a worker: a parent that is killed tells its workers nothing, and they would wait for tasks for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True, name="parent watch").start()


def open_executor(
    workers: int | None = None, engine: Engine = "local", address: str | None = None
) -> Executor:
    """The executor that a command's options name.

    Args:
        workers: processes; None takes all cores, of this machine or of the cluster.
        engine: `local` processes, or `ray` (extra `[ray]`).
        address: of a Ray cluster; None with `ray` starts one on this machine.

    Raises:
        UsageError: Ray is not installed or cannot be reached, or an address is given without `ray`.
    """
    if engine == "ray":
        from benchwright.curation.executor_ray import RayTasks

        return RayTasks(workers, address)
    if address is not None:
        raise UsageError("--ray-address goes with --engine ray: give both, or neither.")
    workers = workers or os.cpu_count() or 1
    return Here() if workers == 1 else LocalProcesses(workers)
