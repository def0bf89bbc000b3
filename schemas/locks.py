"""One writer at a time: a lock file that the system lets go when its holder dies, and a note of who holds it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.errors import LockedError


@contextmanager
def hold(path: Path, what: str, root: Path) -> Iterator[None]:
    """Hold the lock `path` while the block runs; readers take none.

    A holder that was killed leaves its note behind. Whoever comes next then removes the temporary files of that
    process below `root`, which nobody will finish.

    Args:
        path: the lock file (its folder is made).
        what: what is being written, for the message.
        root: the folder whose files the lock's holder writes.

    Raises:
        LockedError: another process holds it; names its process id.
    """
    from filelock import FileLock, Timeout

    path.parent.mkdir(parents=True, exist_ok=True)
    note = path.with_suffix(".holder.json")
    lock = FileLock(path, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise LockedError(
            f"{what} is being written by process {_holder(note) or 'unknown'}: wait for it, or stop it, and run again."
        ) from None
    try:
        if (dead := _holder(note)) is not None and dead != os.getpid():
            for left in root.rglob(f".*.{dead}.tmp"):
                if left.is_file():
                    left.unlink()
        write_atomic(note, json.dumps({"pid": os.getpid()}).encode())
        yield
    finally:
        note.unlink(missing_ok=True)
        lock.release()


def _holder(note: Path) -> int | None:
    """Process id in a holder's note; None where there is no note (it is written just after the lock is taken)."""
    try:
        return int(json.loads(note.read_bytes())["pid"])
    except FileNotFoundError:
        return None
