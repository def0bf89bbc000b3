"""Items whose answer is known: mixed in among the others, and the ten a newcomer begins with.

Which items they are stands in a private file of ours alone: on the server they look like all others.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import JsonValue

from benchwright.annotation.jobs.base import ReviewItem
from benchwright.annotation.private import read_private, write_private
from benchwright.annotation.values import comparable
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import JOBS, FieldKind, JobField, Key
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import Language, Record, Sha256
from benchwright.schemas.workspace import Workspace

QUALIFICATION_ITEMS = 10
PASS_SHARE = 0.8
"""Share of the qualification items that must be right."""
LEVEL_SLACK = 1
"""A level counts as right when it is no further from the known one."""


class GoldLine(Record):
    """One line of a gold file: the known answers to one item."""

    item_id: str
    language: Language | None = None
    values: dict[str, JsonValue]
    """By field."""


class GoldItem(Record):
    """A gold line, bound to what the item showed when it was given."""

    item_id: str
    language: Language | None = None
    digest: Sha256
    values: dict[str, JsonValue]


class GoldSet(Record):
    """The gold items of a job."""

    job: str
    items: tuple[GoldItem, ...]
    """In the order of the file."""

    def answers(self) -> dict[Key, JsonValue]:
        """The known value of each key."""
        return {
            Key(item_id=item.item_id, language=item.language, field=field, digest=item.digest): value
            for item in self.items
            for field, value in item.values.items()
        }


def gold_path(workspace: Workspace, job: str) -> Path:
    """Private: who knows it can pass for careful."""
    return workspace.label_studio / f"gold.{job}.json"


def load_gold(workspace: Workspace, job: str) -> GoldSet:
    """The gold items of a job; none where none were given."""
    return read_private(gold_path(workspace, job), GoldSet) or GoldSet(job=job, items=())


def store_gold(workspace: Workspace, job: str, path: Path, items: Iterable[ReviewItem]) -> GoldSet:
    """Read a gold file and keep it; it takes the place of the one before.

    Args:
        workspace: the workspace.
        job: the job it is about.
        path: JSON Lines of `GoldLine`.
        items: what the job shows now.

    Raises:
        UsageError: the file is missing, or a line is about no item of the job, an unknown field or a wrong value.
    """
    if not path.is_file():
        raise UsageError(f"there is no gold file {path}: give the path of a JSON Lines file.")
    shown = {(item.item_id, item.language): item for item in items}
    gold = []
    for number, line in enumerate(read_jsonl(path, GoldLine), start=1):
        item = shown.get((line.item_id, line.language))
        if item is None:
            raise UsageError(
                f"{path}, line {number}: {line.item_id} (language {line.language}) is no item of job {job}: "
                "delete the line, or select the item."
            )
        for field, value in line.values.items():
            _check(path, number, job, field, value)
        gold.append(GoldItem(**line.model_dump(), digest=item.digest))
    found = GoldSet(job=job, items=tuple(gold))
    write_private(gold_path(workspace, job), found)
    return found


def mixed_in(items: Sequence[ReviewItem], gold: GoldSet, seed: int) -> list[ReviewItem]:
    """The items with the gold ones spread evenly among the others, each at a random place of its stretch."""
    known = {(item.item_id, item.language) for item in gold.items}
    marked = [item for item in items if (item.item_id, item.language) in known]
    others = [item for item in items if (item.item_id, item.language) not in known]
    if not marked:
        return others
    draw = random.Random(seed)
    draw.shuffle(marked)
    stretch = len(others) / len(marked)
    placed = [(index * stretch + draw.random() * stretch, item) for index, item in enumerate(marked)]
    rows = sorted([*placed, *((float(i), item) for i, item in enumerate(others))], key=lambda row: row[0])
    return [item for _, item in rows]


def qualification_items(
    items: Sequence[ReviewItem], gold: GoldSet, limit: int = QUALIFICATION_ITEMS
) -> list[ReviewItem]:
    """The first gold items of a page, in the order of the gold file."""
    shown = {(item.item_id, item.language, item.digest): item for item in items}
    known = [(item.item_id, item.language, item.digest) for item in gold.items]
    return [shown[name] for name in known if name in shown][:limit]


def is_right(field: JobField, value: JsonValue, known: JsonValue) -> bool:
    """Whether an answer is right; a level may be `LEVEL_SLACK` off."""
    if field.kind is FieldKind.INTEGER and isinstance(value, int) and isinstance(known, int):
        return abs(value - known) <= LEVEL_SLACK
    if isinstance(value, str) and isinstance(known, str):
        return value.split() == known.split()
    return comparable(field, value) == comparable(field, known)


def _check(path: Path, number: int, job: str, name: str, value: JsonValue) -> None:
    field = next((f for f in JOBS[job].fields if f.name == name), None)
    if field is None:
        raise UsageError(
            f"{path}, line {number}: job {job} has no field {name!r}: it has "
            f"{', '.join(f.name for f in JOBS[job].fields)}."
        )
    fits = {
        FieldKind.CHOICE: isinstance(value, str) and (not field.values or value in field.values),
        FieldKind.MULTI: isinstance(value, list),
        FieldKind.INTEGER: isinstance(value, int)
        and not isinstance(value, bool)
        and (field.minimum is None or value >= field.minimum)
        and (field.maximum is None or value <= field.maximum),
        FieldKind.TEXT: isinstance(value, str),
        FieldKind.BOOLEAN: isinstance(value, bool),
        FieldKind.OBJECT: isinstance(value, dict),
    }
    if not fits[field.kind]:
        raise UsageError(f"{path}, line {number}: {value!r} is no value of {name!r} ({field.kind}): mend it.")
