"""JSON Lines on disk: whole files written at once, and append-only journals that survive a kill."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.errors import TamperedError

R = TypeVar("R", bound=BaseModel)


def write_jsonl(path: Path, records: Iterable[BaseModel]) -> int:
    """Write records as JSON Lines (canonical JSON, so same records = same bytes); returns how many.

    The file appears whole or not at all.
    """
    lines = [canonical_json(record) + "\n" for record in records]
    write_atomic(path, "".join(lines).encode("utf-8"))
    return len(lines)


def iter_jsonl(path: Path, model: type[R], *, torn_tail: bool = False) -> Iterator[R]:
    """Read JSON Lines.

    Args:
        path: the file.
        model: the record's type.
        torn_tail: tolerate a last line without line feed that does not parse (a killed writer's).

    Raises:
        TamperedError: a line is not a record of that type; names the line.
    """
    with path.open("rb") as stream:
        for number, raw in enumerate(stream, start=1):
            try:
                yield model.model_validate_json(raw)
            except ValidationError as error:
                if torn_tail and not raw.endswith(b"\n"):
                    return
                first = error.errors(include_url=False, include_input=False)[0]
                raise TamperedError(
                    f"{path}, line {number} is not a {model.__name__} record: {first['msg']}"
                ) from error


def read_jsonl(path: Path, model: type[R]) -> list[R]:
    """All records of a JSON Lines file."""
    return list(iter_jsonl(path, model))


class Journal:
    """An append-only JSON Lines file: every append is flushed and fsynced, a torn last line is cut at the next one."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, record: BaseModel) -> None:
        """Append one record and wait until it is on disk."""
        self.extend([record])

    def extend(self, records: Iterable[BaseModel]) -> None:
        """Append several records with one fsync."""
        data = "".join(canonical_json(record) + "\n" for record in records).encode("utf-8")
        if not data:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._cut_torn_tail()
        with self.path.open("ab") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())

    def read(self, model: type[R]) -> list[R]:
        """All whole records, oldest first; an absent journal is empty."""
        if not self.path.exists():
            return []
        return list(iter_jsonl(self.path, model, torn_tail=True))

    def _cut_torn_tail(self) -> None:
        if not self.path.exists() or self.path.stat().st_size == 0:
            return
        with self.path.open("r+b") as stream:
            stream.seek(-1, os.SEEK_END)
            if stream.read(1) == b"\n":
                return
            stream.seek(0)
            whole = stream.read()
            tail = whole[whole.rfind(b"\n") + 1 :]
            try:
                json.loads(tail)
            except ValueError:
                stream.truncate(len(whole) - len(tail))
            else:  # a whole record that lost only its line feed is kept
                stream.write(b"\n")
