"""Digests: how content gets its name. All are lower-case hexadecimal SHA-256."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel


def sha256_bytes(data: bytes) -> str:
    """Digest of bytes."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: Path) -> str:
    """Digest of a file's bytes, read in blocks."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def canonical_json(value: Any) -> str:
    """The one JSON text of a value: sorted keys, no blanks, UTF-8 kept; pydantic models are dumped first.

    Raises:
        ValueError: the value holds NaN or infinity, which have no JSON form.
    """
    return json.dumps(
        value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_plain
    )


def digest_of(value: Any) -> str:
    """Digest of a JSON-able value or a record, equal on every machine."""
    return sha256_bytes(canonical_json(value).encode("utf-8"))


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} has no canonical JSON form")
