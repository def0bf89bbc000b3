"""What the test Hub keeps: repositories with their commits, branches and tags, and the bytes of all objects."""

from __future__ import annotations

import hashlib
import json
import threading
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
        """sha256 -> xet hash of every file whose shard lies in the local store.

        Shards are 48-byte records after a 48-byte header: a file's hash with its number of segments, the segments,
        as many verification records and at last the sha256, the last two announced by flags; all ones end the list.
        """
        found: dict[str, str] = {}
        for path in sorted(self.cas.rglob("*.mdb")):
            records = path.read_bytes()[48:]
            position = 0
            while position + 48 <= len(records) and records[position : position + 32] != b"\xff" * 32:
                record = records[position : position + 48]
                flags, count = (int.from_bytes(record[i : i + 4], "little") for i in (32, 36))
                position += 48 * (1 + count * (2 if flags & 1 << 31 else 1))
                if flags & 1 << 30:
                    found[_hash_text(records[position : position + 32])] = _hash_text(record[:32])
                    position += 48
        return found


def _hash_text(data: bytes) -> str:
    return "".join(f"{int.from_bytes(data[i : i + 8], 'little'):016x}" for i in range(0, 32, 8))
