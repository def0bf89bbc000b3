"""Files that only their owner may read: credentials, the running server's token, the names behind pseudonyms."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from benchwright.schemas.artefact import sync_folder
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.errors import UsageError

R = TypeVar("R", bound=BaseModel)


def write_private(path: Path, record: BaseModel) -> None:
    """Write a record as JSON, whole or not at all; the file has mode 600 from its first byte on."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.unlink(missing_ok=True)
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as stream:
        stream.write((canonical_json(record) + "\n").encode("utf-8"))
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)
    sync_folder(path.parent)


def read_private(path: Path, model: type[R]) -> R | None:
    """The record in a private file; None where there is no file.

    Raises:
        UsageError: the file is not such a record.
    """
    if not path.exists():
        return None
    try:
        return model.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise UsageError(
            f"{path} is damaged ({error.error_count()} faults): restore it from a copy, or delete it."
        ) from error
