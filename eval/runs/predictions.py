"""A predictions file: a run's answers on their way to whoever holds the reference answers.

JSON Lines: the first record is the run's specification, each further one the reply to one row, by row id. It holds no
reference answer and no solution. Scoring it needs the rows that were asked, and their answers: from a release that has
them, or from a file of answers beside a release that withholds them.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

from pydantic import Field, ValidationError

from benchwright.eval.runs.dataset import Dataset, dataset_spec, selection_of
from benchwright.eval.runs.spec import RunSpec
from benchwright.eval.runs.store import RunFolder
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import UsageError
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import Record, ReleaseRow
from benchwright.schemas.release_table import ResolvedRelease
from benchwright.schemas.runs import Response

FORMAT: Final = 1
PREDICTIONS_NAME = "predictions.jsonl"


class Header(Record):
    """First record of a predictions file."""

    predictions: Literal[1] = FORMAT
    """Version of the format."""
    spec: RunSpec
    """How the answers were asked for; it names no judge."""


class Answer(Record):
    """One row's reference answer, as text: "2.50", "007" and "true" stay what they are."""

    id: str
    """The release row's."""
    answer: str = Field(min_length=1)
    unit: str | None = None
    solution: str | None = None


def write_predictions(path: Path, spec: RunSpec, responses: Mapping[str, Response]) -> int:
    """Write the answers of a run, by row id; rows that were never asked have no line. Returns how many there are.

    Args:
        path: the file.
        spec: the run's specification; judge and steps judge are left out of the header.
        responses: the answer that counts for each row.
    """
    header = Header(spec=spec.model_copy(update={"judge": None, "steps": None}))
    records = [responses[row_id] for row_id in sorted(responses)]
    write_jsonl(path, [header, *records])
    return len(records)


def read_predictions(path: Path) -> tuple[RunSpec, tuple[Response, ...]]:
    """The specification and the answers of a predictions file.

    Raises:
        UsageError: there is no such file, it is no predictions file, a line is broken, or a row stands in it twice.
    """
    lines = [line for line in _bytes_of(path, "predictions").split(b"\n") if line.strip()]
    try:
        spec = Header.model_validate_json(lines[0]).spec
    except (IndexError, ValidationError) as error:
        raise UsageError(
            f"{path} is no predictions file of this version: make one with evaluate generate."
        ) from error
    responses: dict[str, Response] = {}
    for number, line in enumerate(lines[1:], start=2):
        try:
            response = Response.model_validate_json(line)
        except ValidationError as error:
            raise UsageError(
                f"{path}, record {number} is no answer to a row; generate the file again."
            ) from error
        if response.row_id in responses:
            raise UsageError(f"{path} has two answers to row {response.row_id}: leave one of them out.")
        responses[response.row_id] = response
    return spec, tuple(responses.values())


def read_answers(path: Path) -> tuple[dict[str, Answer], str]:
    """Reference answers by row id, and the digest of their file.

    JSON Lines or CSV with `id` and `answer`, optionally `unit` and `solution`.

    Raises:
        UsageError: there is no such file, a line has no id or no answer as text, or a row stands in it twice.
    """
    data = _bytes_of(path, "answers")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no UTF-8 text: save the answers as UTF-8.") from error
    answers: dict[str, Answer] = {}
    for number, values in enumerate(_records(path, text), start=1):
        try:
            answer = Answer.model_validate(values)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            where = ".".join(str(step) for step in fault["loc"]) or "the record"
            raise UsageError(
                f"{path}, answer {number}: {where}: {fault['msg']}; write id and answer as text."
            ) from error
        if answer.id in answers:
            raise UsageError(f"{path} has two answers for row {answer.id}: leave one of them out.")
        answers[answer.id] = answer
    return answers, sha256_bytes(data)


def with_answers(
    release: ResolvedRelease, asked: RunSpec, dataset: Dataset, answers: Mapping[str, Answer], digest: str
) -> Dataset:
    """The rows with the answers of a file in place of their own.

    A release that withholds answers may publish those of a part (`testmini`): rows of it that the file does not name
    keep theirs.

    Args:
        release: the rows' release.
        asked: specification of the predictions.
        dataset: the rows.
        answers: by row id; those of rows that were not asked do nothing.
        digest: of the file.

    Raises:
        UsageError: a row has no answer, in the file or published.
    """
    withholds = any(row.answer is None for row in dataset.rows)
    missing = [
        row.id for row in dataset.rows if row.id not in answers and (row.answer is None or not withholds)
    ]
    if missing:
        raise UsageError(
            f"the answers lack {len(missing)} of {len(dataset.rows)} rows that were asked, {missing[0]} among them: "
            "give the file that belongs to this release."
        )
    rows = tuple(_filled(row, answers[row.id]) if row.id in answers else row for row in dataset.rows)
    spec = dataset_spec(release, selection_of(asked.dataset), rows, digest)
    return replace(dataset, rows=rows, spec=spec)


def take_over(folder: RunFolder, rows: Sequence[ReleaseRow], responses: Sequence[Response]) -> None:
    """Put the rows and their answers into a run folder.

    Raises:
        UsageError: the folder holds other answers already.
    """
    asked = {row.id for row in rows}
    taken = sorted((one for one in responses if one.row_id in asked), key=lambda one: one.row_id)
    there = folder.load(rows).responses
    given = {one.row_id: one for one in taken}
    if any(known.final and given.get(row_id) != known for row_id, known in there.items()):
        raise UsageError(f"{folder.path} holds other answers of the same run: choose another --out.")
    folder.write_rows(rows)
    folder.replace_responses(taken)


def _filled(row: ReleaseRow, answer: Answer) -> ReleaseRow:
    update = {"answer": answer.answer}
    if answer.unit is not None:
        update["unit"] = answer.unit
    if answer.solution is not None:
        update["solution"] = answer.solution
    return row.model_copy(update=update)


def _bytes_of(path: Path, what: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}): name a file of {what}.") from error


def _records(path: Path, text: str) -> Iterable[object]:
    if path.suffix.lower() == ".csv":
        # Every cell stays text; an empty one says nothing.
        rows = csv.DictReader(io.StringIO(text, newline=""))
        return [{name: value for name, value in row.items() if value} for row in rows]
    return [_json(path, number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def _json(path: Path, number: int, line: str) -> object:
    try:
        return json.loads(line)
    except ValueError as error:
        raise UsageError(f"{path}, line {number} is no JSON: write one object a line.") from error
