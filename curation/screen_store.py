"""Measures of pictures made before, in one SQLite file: no picture is measured twice.

A cache: the key holds the picture's digest and everything that decides its measures, so an entry is never stale, and
losing the file costs time and nothing else.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock
from pydantic import ValidationError

from benchwright.curation.screen_images import ImageMeasures
from benchwright.schemas.errors import UsageError

STORE = Path(".cache") / "pictures.sqlite"
"""Below the workspace's root."""
_AT_ONCE = 500


class MeasureStore:
    """The measures of pictures, by content.

    Args:
        path: the SQLite file; made where it is missing.
        identity: everything beside the picture that decides its measures.

    Raises:
        UsageError: the file is not such a store, or damaged.
    """

    def __init__(self, path: Path, identity: str) -> None:
        self._path, self._identity = path, identity
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._database = sqlite3.connect(path, timeout=60.0)
            # SQLite does not wait where two processes switch a new file to WAL at the same time.
            with FileLock(f"{path}.lock"):
                self._database.execute("PRAGMA journal_mode = WAL")
                self._database.execute("PRAGMA synchronous = NORMAL")
                self._database.execute(
                    "CREATE TABLE IF NOT EXISTS measures (identity TEXT NOT NULL, sha256 TEXT NOT NULL, "
                    "value TEXT NOT NULL, PRIMARY KEY (identity, sha256)) WITHOUT ROWID"
                )
        except sqlite3.DatabaseError as error:
            raise self._unusable(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def get(self, digests: Iterable[str]) -> dict[str, ImageMeasures]:
        """The measures of those pictures that have been measured."""
        known = {}
        for part in _parts(digests):
            for sha256, value in self._select("sha256, value", part):
                try:
                    known[sha256] = ImageMeasures.model_validate_json(value)
                except ValidationError as error:
                    raise self._unusable(error) from error
        return known

    def missing(self, digests: Iterable[str]) -> Iterator[str]:
        """Those of the pictures that have not been measured, in the order given."""
        for part in _parts(digests):
            known = {sha256 for (sha256,) in self._select("sha256", part)}
            yield from (sha256 for sha256 in part if sha256 not in known)

    def put(self, measured: Sequence[ImageMeasures]) -> None:
        """Remember measures; written when this returns."""
        rows = [(self._identity, one.sha256, one.model_dump_json()) for one in measured]
        try:
            with self._database:
                self._database.executemany("INSERT OR REPLACE INTO measures VALUES (?, ?, ?)", rows)
        except sqlite3.DatabaseError as error:
            raise self._unusable(error) from error

    def _select(self, columns: str, digests: Sequence[str]) -> list[tuple[str, ...]]:
        places = ", ".join("?" * len(digests))
        statement = f"SELECT {columns} FROM measures WHERE identity = ? AND sha256 IN ({places})"
        try:
            return self._database.execute(statement, (self._identity, *digests)).fetchall()
        except sqlite3.DatabaseError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> UsageError:
        first = str(error).splitlines()[0]
        return UsageError(
            f"the store of picture measures {self._path} cannot be used ({first}): delete it and run again."
        )


def _parts(digests: Iterable[str]) -> Iterator[list[str]]:
    remaining = iter(digests)
    while part := list(islice(remaining, _AT_ONCE)):
        yield part
