"""What rendering and judging a workspace's pictures share: work spread over processes, and the diagrams' bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

from benchwright.schemas.errors import ItemError, TamperedError, UsageError
from benchwright.schemas.workspace import Workspace

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")

_TOGETHER = 4
"""Tasks that one process takes at a time."""


def spread(
    work: Callable[[Task], Outcome],
    tasks: Sequence[Task],
    workers: int,
    advance: Callable[[], None] = lambda: None,
) -> list[Outcome]:
    """Outcomes in the order of the tasks, whatever the number of processes.

    Args:
        work: importable by name; does one task.
        tasks: values that can be pickled.
        workers: number of processes; few tasks are done in this one.
        advance: called after each task.
    """
    outcomes: list[Outcome] = []
    for outcome in _mapped(work, tasks, workers):
        outcomes.append(outcome)
        advance()
    return outcomes


def _mapped(work: Callable[[Task], Outcome], tasks: Sequence[Task], workers: int) -> Iterator[Outcome]:
    if workers <= 1 or len(tasks) < 2 * workers:
        yield from map(work, tasks)
        return
    # Spawned, not forked: a fork would copy the threads and locks of the font and image libraries.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(work, tasks, chunksize=_TOGETHER)


def published_image(workspace: Workspace, sha256: str) -> bytes:
    """Published bytes of a diagram.

    Raises:
        ItemError: `image-tampered`, `image-missing`.
    """
    try:
        return workspace.read_image(sha256)
    except TamperedError as error:
        raise ItemError("image-tampered", str(error)) from error
    except UsageError as error:
        raise ItemError("image-missing", str(error)) from error


__all__ = ["published_image", "spread"]
