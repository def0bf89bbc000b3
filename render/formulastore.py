"""Formulas drawn before, in one SQLite file that many processes share. A cache: losing it costs time, nothing else.

The key holds everything that decides a formula's pixels (source, style, size, engines, font), so an entry is never
stale and the file is no part of any artefact's identity. Each entry carries a checksum: one that was damaged is drawn
again instead of shown.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from hashlib import blake2b
from pathlib import Path

from filelock import FileLock
from PIL import Image

from benchwright.render.formula import Formula
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.errors import UsageError

_FORMAT = 1
"""Raised when the stored form or the rasteriser's treatment changes."""
_LIMIT = 500_000
"""Entries kept; the oldest go first."""
_CHECK = 16


class FormulaStore:
    """One file of drawn formulas, for one chain of engines and one font.

    Args:
        path: the SQLite file; made where it is missing.
        identity: versions of engines, rasteriser and font: what besides the formula decides its pixels.

    Raises:
        UsageError: the file is not such a store, or damaged.
    """

    def __init__(self, path: Path, identity: dict[str, str]) -> None:
        self.path = path
        self._identity = canonical_json({"format": _FORMAT, **identity})
        self._waiting: dict[bytes, bytes] = {}
        self._database: sqlite3.Connection | None = None
        self._process = 0

    def get(self, tex: str, display: bool, px: int) -> Formula | None:
        """A formula drawn before, or None."""
        key = self._key(tex, display, px)
        value = self._waiting.get(key)
        if value is None:
            rows = self._run("SELECT value FROM formulas WHERE key = ?", [(key,)])
            value = rows[0][0] if rows else None
        return None if value is None else _unpacked(key, value, tex, display, px)

    def put(self, formula: Formula) -> None:
        """Remember a formula; written by `flush`."""
        key = self._key(formula.tex, formula.display, formula.px)
        self._waiting[key] = _packed(key, formula)

    def flush(self) -> None:
        """Write what waits."""
        if self._waiting:
            self._run(
                "INSERT OR REPLACE INTO formulas (key, value) VALUES (?, ?)", list(self._waiting.items())
            )
            self._waiting.clear()

    def close(self) -> None:
        """Write what waits, and let the file go."""
        self.flush()
        if self._database is not None and self._process == os.getpid():
            self._database.close()
        self._database = None

    def _key(self, tex: str, display: bool, px: int) -> bytes:
        text = f"{self._identity}\0{px}\0{int(display)}\0{tex}"
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).digest()

    def _run(self, statement: str, rows: list[tuple[object, ...]]) -> list[tuple[bytes]]:
        try:
            database = self._opened()
            if statement.startswith("SELECT"):
                return database.execute(statement, rows[0]).fetchall()
            with database:
                database.executemany(statement, rows)
            return []
        except sqlite3.DatabaseError as error:
            raise UsageError(
                f"the formula cache {self.path} cannot be used ({error}): delete it and run again."
            ) from error

    def _opened(self) -> sqlite3.Connection:
        # A connection must not cross a fork.
        if self._database is None or self._process != os.getpid():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(self.path, timeout=60.0, check_same_thread=False)
            self._process = os.getpid()
            # SQLite does not wait where two processes switch a new file to WAL at the same time.
            with FileLock(f"{self.path}.lock"):
                self._database.execute("PRAGMA journal_mode = WAL")
                self._database.execute("PRAGMA synchronous = NORMAL")
                self._database.execute(
                    "CREATE TABLE IF NOT EXISTS formulas (key BLOB NOT NULL UNIQUE, value BLOB NOT NULL)"
                )
            with self._database:
                self._database.execute(
                    "DELETE FROM formulas WHERE rowid <= (SELECT max(rowid) FROM formulas) - ?", (_LIMIT,)
                )
        return self._database


def _packed(key: bytes, formula: Formula) -> bytes:
    mask = formula.mask
    head = {
        "box": [formula.left, formula.top, formula.width, formula.ascent, formula.descent],
        "engine": formula.engine,
        "warnings": list(formula.warnings),
        "size": None if mask is None else list(mask.size),
    }
    text = json.dumps(head).encode("ascii")
    body = len(text).to_bytes(4, "big") + text + (b"" if mask is None else zlib.compress(mask.tobytes(), 1))
    return blake2b(key + body, digest_size=_CHECK).digest() + body


def _unpacked(key: bytes, value: bytes, tex: str, display: bool, px: int) -> Formula | None:
    check, body = value[:_CHECK], value[_CHECK:]
    if blake2b(key + body, digest_size=_CHECK).digest() != check:
        return None
    end = 4 + int.from_bytes(body[:4], "big")
    head = json.loads(body[4:end])
    left, top, width, ascent, descent = head["box"]
    mask = None
    if head["size"] is not None:
        mask = Image.frombytes("L", tuple(head["size"]), zlib.decompress(body[end:]))
    return Formula(
        mask=mask,
        left=left,
        top=top,
        width=width,
        ascent=ascent,
        descent=descent,
        px=px,
        engine=head["engine"],
        tex=tex,
        display=display,
        warnings=tuple(head["warnings"]),
    )
