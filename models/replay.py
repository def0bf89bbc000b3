"""`replay/FILE`: answers from a JSONL file, one object a line: `{"id": ..., "text": ...}` or with `key` for `id`.

`id` is the item's id, `key` the key of the exact call (it wins where both match). `text` may be null or empty: an
empty reply. An item without a line is an error with its own reason, never a default answer.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchwright.models.chat import Attempt, Call, ChatRequest, Endpoint, call_key, storable
from benchwright.schemas.digest import sha256_file
from benchwright.schemas.errors import UsageError
from benchwright.schemas.status import CallStatus


class ReplayModel:
    """Replays recorded answers. A changed file is another model: its digest is part of every call's key."""

    external = False
    by_item = True

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            UsageError: it is missing or a line is not of the form above; two lines answer the same item.
        """
        self._answers = read_answers(path)
        self.name = f"replay/{path.name}"
        self.endpoint = Endpoint(kind="replay", revision=sha256_file(path))

    async def complete(self, request: ChatRequest) -> Attempt:
        """The recorded answer, or status `error` where there is none."""
        key = call_key(self, request)
        for name in (key, request.item_id):
            if name in self._answers:
                text = self._answers[name]
                empty = text is None or not text.strip()
                status = CallStatus.EMPTY if empty else CallStatus.OK
                return Attempt(Call(key=key, status=status, text=None if empty else text, model=self.name))
        detail = f"no-recorded-answer: the file has no line for {request.item_id}"
        return Attempt(Call(key=key, status=CallStatus.ERROR, model=self.name, detail=detail))

    async def close(self) -> None:
        """Nothing to let go."""


def read_answers(path: Path) -> dict[str, str | None]:
    """Load a replay file into {id or key: text}.

    Raises:
        UsageError: see `ReplayModel`.
    """
    if not path.is_file():
        raise UsageError(
            f"{path} is not a file of recorded answers; give replay/FILE with an existing JSONL file."
        )
    answers: dict[str, str | None] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        name, text = _read_line(line, path, number)
        if name in answers:
            raise UsageError(f"{path}:{number} answers {name!r} a second time; keep one line for each.")
        answers[name] = text
    return answers


def _read_line(line: str, path: Path, number: int) -> tuple[str, str | None]:
    try:
        row: Any = json.loads(line)
    except json.JSONDecodeError as error:
        raise UsageError(f"{path}:{number} is not JSON ({error.msg}); write one object a line.") from error
    name = row.get("key") or row.get("id") if isinstance(row, dict) else None
    if not isinstance(name, str) or not name or "text" not in row or not isinstance(row["text"], str | None):
        raise UsageError(f'{path}:{number} needs "id" (or "key") and "text" (text or null); mend that line.')
    return name, None if row["text"] is None else storable(row["text"])
