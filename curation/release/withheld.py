"""Answers that a release keeps back: out of its rows, into a private file, and promised by a salted digest a row.

The private files lie beside the release folder, readable by their owner alone: `<tag>.answers.jsonl` is what
`evaluate score --answers` reads, `<tag>.salts.jsonl` has a salt for each row. A salt is drawn once and kept, so a
second build gives the same bytes; without it four letters could be tried against a digest.
"""

from __future__ import annotations

import json
import os
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright.curation.release.check_withheld import Withheld, withheld_of
from benchwright.schemas.artefact import sync_folder
from benchwright.schemas.digest import canonical_json, digest_of, sha256_bytes
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import Record, ReleaseRow, Split
from benchwright.schemas.workspace import Workspace

PROMISES_NAME = "withheld.jsonl"
"""Published: the digest of every answer that is kept back."""
_SALT_BYTES = 16


class Key(Record):
    """What is kept back of one row, in the form that `evaluate score --answers` reads."""

    id: str
    answer: str
    unit: str | None
    solution: str | None


class Salt(Record):
    """The salt of one row."""

    id: str
    salt: str
    """32 hexadecimal digits."""


class Promise(Record):
    """What is published instead of an answer."""

    id: str
    sha256: str
    """Of the salt and the answer, see `promise`."""


@dataclass(frozen=True)
class KeptBack:
    """The rows as they are published, and what was taken out of them."""

    rows: tuple[ReleaseRow, ...]
    keys: tuple[Key, ...] = ()
    salts: tuple[Salt, ...] = ()
    searched: tuple[Withheld, ...] = ()
    """What no published file may hold."""

    @property
    def promises(self) -> str:
        """Text of `withheld.jsonl`, in the order of the rows."""
        pairs = zip(self.keys, self.salts, strict=True)
        return "".join(
            canonical_json(Promise(id=key.id, sha256=promise(key, salt.salt))) + "\n" for key, salt in pairs
        )

    @property
    def counts(self) -> dict[str, int]:
        """Rows without their answers, by split."""
        held = {key.id for key in self.keys}
        return dict(sorted(Counter(row.split.value for row in self.rows if row.id in held).items()))


def keep_back(rows: Sequence[ReleaseRow], splits: Iterable[Split], known: Mapping[str, str]) -> KeptBack:
    """Take answer, unit and solution out of the rows of some splits.

    Args:
        rows: with their answers.
        splits: those whose answers are withheld.
        known: salts of an earlier build by row id; a row that has none gets a random one.
    """
    without = frozenset(splits)
    if not without:
        return KeptBack(tuple(rows))
    keys = [
        Key(id=row.id, answer=row.answer, unit=row.unit, solution=row.solution)
        for row in rows
        if row.split in without and row.answer is not None
    ]
    empty = {"answer": None, "unit": None, "solution": None}
    return KeptBack(
        rows=tuple(row.model_copy(update=empty) if row.split in without else row for row in rows),
        keys=tuple(keys),
        salts=tuple(
            Salt(id=key.id, salt=known.get(key.id) or secrets.token_hex(_SALT_BYTES)) for key in keys
        ),
        searched=withheld_of(rows, without),
    )


def promise(key: Key, salt: str) -> str:
    """Digest by which a key can be proven later to be the one that was withheld.

    SHA-256 of the UTF-8 text: the salt, then `[id, answer, unit, solution]` as JSON without blanks.
    """
    values = json.dumps(
        [key.id, key.answer, key.unit, key.solution], ensure_ascii=False, separators=(",", ":")
    )
    return sha256_bytes((salt + values).encode("utf-8"))


def answers_path(workspace: Workspace, tag: str) -> Path:
    """The private file of a release's answers."""
    return workspace.release(f"{tag}.answers.jsonl")


def salts_path(workspace: Workspace, tag: str) -> Path:
    """The private file of a release's salts."""
    return workspace.release(f"{tag}.salts.jsonl")


def read_salts(workspace: Workspace, tag: str) -> dict[str, str]:
    """Salts of an earlier build by row id; none where there was none.

    Raises:
        TamperedError: the file is damaged; restore it, or delete it and the release folder and build again.
    """
    path = salts_path(workspace, tag)
    return {one.id: one.salt for one in read_jsonl(path, Salt)} if path.is_file() else {}


def content_mark(digest: str, splits: Iterable[Split], salts: Mapping[str, str]) -> str:
    """What the manifest says of the content: its digest, salted where answers are withheld.

    The plain digest is of everything including the answers, so a few unknown letters could be tried against it.
    """
    without = sorted(split.value for split in splits)
    return digest_of([digest, without, dict(salts)]) if without else digest


def private_written(workspace: Workspace, tag: str, kept: KeptBack) -> bool:
    """Whether the private files hold exactly this."""
    return all(
        path.is_file() and path.read_bytes() == data for path, data in _private(workspace, tag, kept).items()
    )


def write_private(workspace: Workspace, tag: str, kept: KeptBack) -> None:
    """Write the private files, readable by their owner alone; nothing where nothing is withheld."""
    for path, data in _private(workspace, tag, kept).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.tmp")
        temporary.unlink(missing_ok=True)
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
        sync_folder(path.parent)


def _private(workspace: Workspace, tag: str, kept: KeptBack) -> dict[Path, bytes]:
    if not kept.keys:
        return {}
    return {
        salts_path(workspace, tag): _lines(kept.salts),
        answers_path(workspace, tag): _lines(kept.keys),
    }


def _lines(records: Iterable[Record]) -> bytes:
    return "".join(canonical_json(record) + "\n" for record in records).encode("utf-8")
