"""The machine: processors, memory, disk, folders that can be written, a browser where one is used."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchwright.cli.doctor_check import Check

_LITTLE_DISK = 2 << 30
"""Bytes: less than that is told. A pool of 150,000 questions with its pictures and vectors takes a few GB."""
_LITTLE_MEMORY = 2 << 30


def machine_checks(work: Path) -> Iterator[Check]:
    """Python, processors, memory, disk, write permission.

    Args:
        work: the workspace, or the current folder.
    """
    system = f"{platform.system()} {platform.machine()}"
    yield Check("machine", "python", "ok", f"{platform.python_version()} on {system}")
    yield Check("machine", "processors", "ok", f"{_processors()} can be used")
    yield _memory()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    for name, folder in (("work", work), ("temporary", Path(tempfile.gettempdir())), ("cache", cache)):
        yield _folder(name, folder)
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    said = browser or "none found; only the tests of the pages start one, any browser shows them"
    yield Check("machine", "Chromium", "ok" if browser else "note", said)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _memory() -> Check:
    limit = _memory_limit()
    if limit is None:
        return Check("machine", "memory", "note", "this system does not say how much there is")
    if limit < _LITTLE_MEMORY:
        return Check("machine", "memory", "note", f"only {_size(limit)} can be used", "close other programs")
    return Check("machine", "memory", "ok", f"{_size(limit)} can be used")


def _memory_limit() -> int | None:
    """Bytes that are free to use: what the system has available, or what its control group leaves."""
    found: list[int] = []
    table = Path("/proc/meminfo")
    if table.is_file():
        lines = [line.split() for line in table.read_text().splitlines()]
        found += [int(words[1]) << 10 for words in lines if words[0] == "MemAvailable:"]
    group = Path("/sys/fs/cgroup")
    limit, used = group / "memory.max", group / "memory.current"
    if limit.is_file() and used.is_file() and (text := limit.read_text().strip()).isdigit():
        found.append(max(0, int(text) - int(used.read_text())))
    return min(found) if found else None


def _folder(name: str, folder: Path) -> Check:
    """Whether a file can be written where work goes; the file is gone again at once."""
    part = f"{name} folder"
    there = next(path for path in (folder, *folder.parents) if path.is_dir())
    try:
        with tempfile.NamedTemporaryFile(dir=there, prefix=".doctor-") as file:
            file.write(b"x" * 4096)
            file.flush()
        free = shutil.disk_usage(there).free
    except OSError as error:
        return Check(
            "machine",
            part,
            "broken",
            f"{there} cannot be written: {error.strerror}",
            f"mend the rights of {there}",
        )
    if free < _LITTLE_DISK:
        return Check("machine", part, "note", f"{folder}: only {_size(free)} free", "make room on that disk")
    return Check("machine", part, "ok", f"{folder}: can be written, {_size(free)} free")


def _size(amount: int) -> str:
    return f"{amount / (1 << 30):.1f} GB"
