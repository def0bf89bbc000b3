"""What the test Hub keeps: repositories with their commits, branches and tags, and the bytes of all objects."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


class HubError(Exception):
    """An answer other than 2xx; `code` goes into X-Error-Code, by which the client chooses its exception."""

    def __init__(self, status: int, code: str | None = None, message: str = "", body: Any = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.body = status, code, message, body


@dataclass
class Reply:
    """What goes back."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """A file in a commit."""

    oid: str
    sha256: str
    size: int
    lfs: bool


@dataclass
class Repo:
    """A dataset repository."""

    private: bool
    gated: str | bool = False
    commits: dict[str, dict[str, Entry]] = field(default_factory=dict)
    titles: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    def resolve(self, revision: str) -> str:
        """Commit of a branch, tag or commit id."""
        for known in (self.branches, self.tags):
            if revision in known:
                return known[revision]
        if revision in self.commits:
            return revision
        raise HubError(404, "RevisionNotFound", f"Invalid rev id: {revision}")

    def size(self, sha256: str) -> int:
        """Size of a large file that some commit holds already: a copy does not name it."""
        for files in self.commits.values():
            for entry in files.values():
                if entry.lfs and entry.sha256 == sha256:
                    return entry.size
        raise HubError(400, None, f"no commit holds {sha256}")

    def commit(self, branch: str, files: dict[str, Entry], title: str) -> str:
        """Add a commit to a branch."""
        parent = self.branches.get(branch)
        listing = json.dumps([len(self.commits), title, parent, sorted((k, v.oid) for k, v in files.items())])
        sha = hashlib.sha1(listing.encode()).hexdigest()
        self.commits[sha], self.titles[sha], self.branches[branch] = files, (title, parent), sha
        return sha


def git_oid(data: bytes) -> str:
    """Name that git gives to a blob."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class Store:
    """Objects on disk, repositories in memory."""

    def __init__(self, root: Path, tokens: dict[str, str]) -> None:
        self.objects = root / "objects"
        self.cas = root / "cas"
        self.objects.mkdir(parents=True, exist_ok=True)
        self.cas.mkdir(exist_ok=True)
        self.tokens = tokens
        self.repos: dict[str, Repo] = {}
        self.faults: list[dict[str, Any]] = []
        self.before: list[dict[str, Any]] = []
        self.damaged: set[Path] = set()
        self.log: list[dict[str, Any]] = []
        self.lock = threading.RLock()

    def put(self, data: bytes) -> str:
        """Keep bytes under their sha256."""
        sha256 = hashlib.sha256(data).hexdigest()
        (self.objects / sha256).write_bytes(data)
        return sha256

    def repo(self, repo_id: str, right: str | None) -> Repo:
        """The repository, if this caller may see it."""
        repo = self.repos.get(repo_id)
        if repo is None or (repo.private and right is None):
            raise HubError(404 if right else 401, "RepoNotFound", "Repository not found")
        return repo

    def lfs_entry(self, sha256: str, size: int) -> Entry:
        """Entry of a large file, as the pointer that git would hold."""
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n".encode()
        return Entry(git_oid(pointer), sha256, size, True)

    def xet_hashes(self) -> dict[str, str]:
        """sha256 -> xet hash of every file whose shard lies in the local store."""
        return {sha256: xet for sha256, xet, _ in self._xet_files()}

    def block_of(self, sha256: str) -> tuple[Path, int]:
        """The block of the xet store in which a file's first segment lies, and where its middle chunk has its middle.

        A block is chunks, each after 8 bytes: one, three with the length of what follows, four more.
        """
        name, chunk = next(segments[0] for found, _, segments in self._xet_files() if found == sha256)
        path = next(path for path in self.cas.rglob("default.*") if path.suffix[1:] == name)
        data, position = path.read_bytes(), 0
        for _ in range(chunk):
            position += 8 + int.from_bytes(data[position + 1 : position + 4], "little")
        return path, position + 8 + int.from_bytes(data[position + 1 : position + 4], "little") // 2

    def _xet_files(self) -> Iterator[tuple[str, str, list[tuple[str, int]]]]:
        """sha256, xet hash and the segments (block, middle chunk) of every file in the shards.

        Shards are 48-byte records after a 48-byte header: a file's hash with its number of segments, the segments,
        as many verification records and at last the sha256, the last two announced by flags; all ones end the list.
        A segment is the hash of its block, flags, its length, its first chunk and the one after its last.
        """
        for path in sorted(self.cas.rglob("*.mdb")):
            records = path.read_bytes()[48:]
            position = 0
            while position + 48 <= len(records) and records[position : position + 32] != b"\xff" * 32:
                record = records[position : position + 48]
                flags, count = (int.from_bytes(record[i : i + 4], "little") for i in (32, 36))
                starts = range(position + 48, position + 48 * (1 + count), 48)
                segments = [_segment(records[start : start + 48]) for start in starts]
                position += 48 * (1 + count * (2 if flags & 1 << 31 else 1))
                if flags & 1 << 30:
                    yield _hash_text(records[position : position + 32]), _hash_text(record[:32]), segments
                    position += 48


def _segment(record: bytes) -> tuple[str, int]:
    first, end = (int.from_bytes(record[i : i + 4], "little") for i in (40, 44))
    return _hash_text(record[:32]), (first + end) // 2


def _hash_text(data: bytes) -> str:
    return "".join(f"{int.from_bytes(data[i : i + 8], 'little'):016x}" for i in range(0, 32, 8))


def ranged(path: Path, wanted: str | None, headers: dict[str, str], empty: bool) -> Reply:
    """A stored file, or the part of it that was asked for; `empty`: only what the answer's head says of it."""
    size = path.stat().st_size
    headers = {**headers, "Content-Type": "application/octet-stream"}
    if wanted is None or not (match := re.fullmatch(r"bytes=(\d*)-(\d*)", wanted)):
        return (
            Reply(b"", 200, headers | {"Content-Length": str(size)})
            if empty
            else Reply(path.read_bytes(), 200, headers)
        )
    first, last = match.groups()
    start = int(first) if first else max(0, size - int(last))
    end = min(int(last), size - 1) if first and last else size - 1
    if start >= size:
        raise HubError(416, None, "range outside the file")
    headers["Content-Range"] = f"bytes {start}-{end}/{size}"
    with path.open("rb") as stream:
        stream.seek(start)
        return Reply(stream.read(end + 1 - start), 206, headers)
