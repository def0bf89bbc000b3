"""Which question an id means: a pool question's, a problem's or a release row's."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ValidationError

from benchwright.curation.pool_reader import iter_columns
from benchwright.curation.release.diff import built_tags, iter_light_rows
from benchwright.curation.release.trace_records import Identity
from benchwright.schemas.errors import TamperedError, UsageError
from benchwright.schemas.jobs import problem_id
from benchwright.schemas.reviewed import current_rows
from benchwright.schemas.versions import Version
from benchwright.schemas.workspace import Workspace

R = TypeVar("R", bound=BaseModel)
_ROW_ID = re.compile(rf"(.+)-({'|'.join(map(re.escape, Version))})-[a-z]{{2,3}}")
_NEAR = 5
_RELEASE = "release/"
"""Where only a problem's id is known; it stands for the question's then."""


def identify(workspace: Workspace, name: str) -> Identity:
    """The question that an id belongs to; an exact question id comes before a problem's, that before a row's.

    Raises:
        UsageError: nothing in the workspace has that id; names the nearest ones.
    """
    row = _ROW_ID.fullmatch(name)
    tests: tuple[Callable[[Identity], bool], ...] = (
        lambda known: known.question_id == name and not known.known_from.startswith(_RELEASE),
        lambda known: known.problem_id == name,
        lambda known: row is not None and known.problem_id == row[1],
    )
    found: list[Identity | None] = [None, None, None]
    for known in known_items(workspace):
        for place, fits in enumerate(tests):
            if found[place] is None and fits(known):
                found[place] = known
        if found[0] is not None:
            break
    for known_item in found:
        if known_item is not None:
            return known_item
    near = _near(name if row is None else row[1], {item.problem_id for item in known_items(workspace)})
    hint = f"near it: {', '.join(near)}" if near else "nothing there is spelled like it"
    raise UsageError(f"{workspace.root} knows no question, problem or release row {name!r} ({hint}).")


def row_pattern(problem: str) -> re.Pattern[str]:
    """What the ids of a problem's release rows look like."""
    return re.compile(rf"{re.escape(problem)}-({'|'.join(map(re.escape, Version))})-[a-z]{{2,3}}")


def known_items(workspace: Workspace) -> Iterator[Identity]:
    """Everything that has an id, in the order of the line; one question may come several times."""
    for discipline in workspace.pool_disciplines():
        for chunk in iter_columns(workspace.pool(discipline), ["id"]):
            for question_id in chunk["id"]:
                yield _identity(question_id, problem_id(question_id), discipline, "pool")
    for discipline in workspace.selected_disciplines():
        current = current_rows(workspace, discipline, kept=False)
        names = [row.question_id for row in current.rows]
        names += [exchange.leaves for step in current.applied for exchange in step.exchanges]
        for question_id in names:
            yield _identity(question_id, problem_id(question_id), discipline, "selection")
    if workspace.problems.is_file():
        columns = ["problem_id", "question_id", "discipline"]
        for row in pq.read_table(workspace.problems, columns=columns).to_pylist():
            yield _identity(row["question_id"], row["problem_id"], row["discipline"], "problems")
    for tag in built_tags(workspace):
        for path in sorted(workspace.release(tag).glob("data/*/*/*.parquet")):
            for row in iter_light_rows(path, ("problem_id", "discipline")):
                yield _identity(row["problem_id"], row["problem_id"], row["discipline"], f"{_RELEASE}{tag}")


def find_record(path: Path, model: type[R], column: str, value: str, maps: Sequence[str] = ()) -> R | None:
    """The first record of a table with a value in a column; only its row group is read whole.

    Args:
        path: the table; None is returned where it does not exist.
        model: the record's type.
        column: a text column.
        value: what it shall hold.
        maps: fields that are dictionaries (Arrow gives them as pairs).

    Raises:
        TamperedError: the table is damaged, or was written in another form.
    """
    if not path.is_file():
        return None
    try:
        row = _row(path, column, value)
        return (
            None if row is None else model.model_validate({**row, **{name: dict(row[name]) for name in maps}})
        )
    except (pa.ArrowInvalid, OSError, KeyError, ValidationError) as error:
        raise unreadable(path) from error


def read_json(path: Path, model: type[R]) -> R:
    """A record that is a file of its own.

    Raises:
        TamperedError: it is damaged, or was written in another form.
    """
    try:
        return model.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise unreadable(path) from error


def unreadable(path: Path) -> TamperedError:
    """The sentence for a file that is damaged or of an older form."""
    return TamperedError(f"{path} cannot be read: run the stage that makes it again.")


def _row(path: Path, column: str, value: str) -> dict[str, Any] | None:
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            names = file.read_row_group(group, columns=[column]).column(column).to_pylist()
            if value in names:
                found: dict[str, Any] = file.read_row_group(group).slice(names.index(value), 1).to_pylist()[0]
                return found
    return None


def _identity(question_id: str, problem: str, discipline: str, known_from: str) -> Identity:
    # Built for every question of the pool: checking what we made ourselves would be most of the time.
    return Identity.model_construct(
        question_id=question_id, problem_id=problem, discipline=discipline, known_from=known_from
    )


def _near(name: str, names: set[str]) -> list[str]:
    wanted = name.casefold()
    inside = sorted(known for known in names if wanted in known.casefold())
    alike = difflib.get_close_matches(name, sorted(names), n=_NEAR)
    return list(dict.fromkeys([*alike, *inside]))[:_NEAR]
