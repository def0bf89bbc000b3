"""An empty cache for one verification, gone afterwards; what a killed process left is removed at the next start.

Beside each folder lies a lock file that its process holds. The system drops the lock with the process, so a folder
whose lock is free belongs to nobody any more.
"""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

PREFIX = "benchwright-verify-"


@contextmanager
def empty_home(place: Path | None = None) -> Iterator[Path]:
    """A new empty folder for as long as the block lasts.

    Args:
        place: where it lies; None: the system's temporary folder.
    """
    place = place or Path(tempfile.gettempdir())
    remove_abandoned(place)
    home = place / f"{PREFIX}{uuid.uuid4().hex}"
    lock = home.with_suffix(".lock")
    try:
        with FileLock(lock, timeout=60):
            try:
                home.mkdir(mode=0o700)
                yield home
            finally:
                shutil.rmtree(home, ignore_errors=True)
    finally:
        lock.unlink(missing_ok=True)


def remove_abandoned(place: Path) -> int:
    """Remove the folders of processes that ended without removing them; returns how many.

    Args:
        place: where the folders lie; what belongs to another user there is left alone.
    """
    removed = 0
    for path in place.glob(f"{PREFIX}*.lock"):
        try:
            with FileLock(path, timeout=0):
                home = path.with_suffix("")
                removed += home.is_dir()
                shutil.rmtree(home, ignore_errors=True)
                path.unlink(missing_ok=True)
        except (Timeout, PermissionError):
            continue
    return removed
