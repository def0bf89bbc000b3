"""The one store of model calls: an SQLite file in WAL mode, one transaction a call.

A killed process loses the calls in flight and nothing else. Readers never wait for the writer. Final calls of every
status are kept for the record; only those in `REUSABLE_STATUSES` are ever given back instead of a new call.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchwright.models.chat import Call
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.errors import UsageError
from benchwright.schemas.status import REUSABLE_STATUSES, CallStatus

_CALLS = """
CREATE TABLE IF NOT EXISTS calls (
    key     TEXT PRIMARY KEY,
    status  TEXT NOT NULL,
    request TEXT NOT NULL,
    call    TEXT NOT NULL
) WITHOUT ROWID
"""
_FINDINGS = "CREATE TABLE IF NOT EXISTS findings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"
_FORMAT = 1
_REUSABLE = ", ".join(f"'{status.value}'" for status in sorted(REUSABLE_STATUSES))


class CallStore:
    """Calls by key. Use as a context manager, or `close()` it.

    `request` is the content of the request with images given by digest (`ChatRequest.as_json`); image bytes,
    headers and keys never enter the file.
    """

    def __init__(self, path: Path) -> None:
        """Open or create the store.

        Raises:
            UsageError: the file is no store of this format.
        """
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._db = sqlite3.connect(path, timeout=60.0, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            # NORMAL outlives any kill of the process; only a power cut can take the newest calls.
            self._db.execute("PRAGMA synchronous=NORMAL")
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, _FORMAT):
                raise UsageError(f"{path} is a call store of format {version}; this version reads {_FORMAT}.")
            self._db.execute(_CALLS)
            self._db.execute(_FINDINGS)
            self._db.execute(f"PRAGMA user_version={_FORMAT}")
        except sqlite3.DatabaseError as error:
            raise UsageError(
                f"{path} is not a usable call store ({error}); move it away and run again."
            ) from error

    def get(self, key: str) -> Call | None:
        """The stored call that may stand for a new one, or None."""
        row = self._db.execute(
            f"SELECT call FROM calls WHERE key = ? AND status IN ({_REUSABLE})", (key,)
        ).fetchone()
        return None if row is None else Call.model_validate_json(row[0])

    def last(self, key: str) -> Call | None:
        """The stored call of any status, for reports."""
        row = self._db.execute("SELECT call FROM calls WHERE key = ?", (key,)).fetchone()
        return None if row is None else Call.model_validate_json(row[0])

    def put(self, call: Call, request: dict[str, Any]) -> None:
        """Keep a final call. A reusable call is never overwritten; a failed one is, by whatever comes later."""
        self._db.execute(
            "INSERT INTO calls (key, status, request, call) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET "
            "status = excluded.status, request = excluded.request, call = excluded.call "
            f"WHERE calls.status NOT IN ({_REUSABLE})",
            (
                call.key,
                call.status.value,
                canonical_json(request),
                call.model_dump_json(exclude_defaults=True),
            ),
        )

    def finding(self, key: str) -> str | bool | None:
        """What a probe found about an endpoint (`models.probes`), or None."""
        row = self._db.execute("SELECT value FROM findings WHERE key = ?", (key,)).fetchone()
        value = None if row is None else json.loads(row[0])
        return value if isinstance(value, str | bool) else None

    def keep_finding(self, key: str, value: str | bool) -> None:
        """Keep what a probe found; the first finding stays."""
        self._db.execute(
            "INSERT OR IGNORE INTO findings (key, value) VALUES (?, ?)", (key, json.dumps(value))
        )

    def counts(self) -> dict[CallStatus, int]:
        """How many calls of each status are held."""
        rows = self._db.execute("SELECT status, COUNT(*) FROM calls GROUP BY status ORDER BY status")
        return {CallStatus(status): count for status, count in rows}

    def close(self) -> None:
        """Close the file; what was put is already safe."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
