"""Shards on a Ray cluster, or on a Ray of this machine: the same functions, the same results, in the same order.

Every machine of a cluster needs the same Benchwright and, where pictures are read, the workspace under the same path.
A task whose worker dies is run again by Ray; nothing is written by workers, so nothing is lost or doubled.
"""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from benchwright.schemas.errors import UsageError

T = TypeVar("T")
R = TypeVar("R")

_AHEAD = 2
"""Tasks a worker that wait beside the one it is at."""
_RETRIES = 10
"""How often a task is given to another worker when its own dies."""


class RayTasks:
    """Runs tasks on Ray."""

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        """Connect to the cluster at `address`, or start a Ray of `workers` processes here.

        Args:
            workers: tasks side by side; None takes all processors (of the cluster).
            address: `HOST:PORT`, `ray://HOST:PORT` or `auto`; None starts one that ends with this process.

        Raises:
            UsageError: Ray is not installed, or the cluster cannot be reached.
        """
        self._ray = _connected(workers, address)
        self.workers = workers or int(self._ray.cluster_resources().get("CPU", 1))

    def map(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """See `Executor.map`."""
        ray = self._ray
        remote = ray.remote(num_cpus=1, max_retries=_RETRIES)(_call)
        shared = ray.put(function)
        queue: deque[Any] = deque()
        try:
            for task in tasks:
                queue.append(remote.remote(shared, task))
                if len(queue) > (1 + _AHEAD) * self.workers:
                    yield self._result(queue.popleft())
            while queue:
                yield self._result(queue.popleft())
        finally:
            for waiting in queue:
                ray.cancel(waiting)

    def _result(self, reference: Any) -> Any:
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from error


def _call(function: Callable[[T], R], task: T) -> R:
    return function(task)


def _connected(workers: int | None, address: str | None) -> Any:
    try:
        import ray
    except ImportError as error:
        raise UsageError(f"--engine ray needs Ray ({error}); install benchwright[ray].") from error
    if ray.is_initialized():
        return ray
    # What a task raised is raised here, for the first one in order; the others' words would stand between the lines.
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")
    if address is None:
        # A Ray of one process's lifetime on this machine needs no tokens; by default Ray would write one into the
        # user's home. For a cluster the user's own setting counts.
        os.environ.setdefault("RAY_AUTH_MODE", "disabled")
    try:
        ray.init(
            address=address or "local",
            num_cpus=(workers or os.cpu_count()) if address is None else None,
            include_dashboard=False if address is None else None,
            log_to_driver=False,
            logging_level=logging.ERROR,
            configure_logging=False,
        )
    except (ConnectionError, RuntimeError, ValueError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise UsageError(
            f"Ray at {address or 'this machine'} cannot be used ({first}): check --ray-address, or leave --engine out."
        ) from error
    return ray
