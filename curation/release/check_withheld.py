"""Withheld answers in a built folder: every published file is searched for them.

A question may hold its answer by itself ("true or false?"), and so may its options; these columns are left out. An
answer of several words is looked for everywhere else; a short one ("1000", "cell") proves something only where its
item is named: in the same record of a table, or within a few lines of its id.
"""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.curation.release.check_rows import CHOICE_TYPES
from benchwright.curation.release.findings import Trouble
from benchwright.schemas.records import ReleaseRow, Split

LEAST = 4
"""Characters from which an answer is looked for."""
_DISTINCT = 12
"""Characters from which an answer of one word is looked for everywhere; six of them where they are Han."""
_NEAR = 15
"""Lines around an item's id in which a short answer counts."""
_ASKED = frozenset(
    {
        "question",
        "full_question",
        "stem",
        "core_question",
        "conditions",
        "options",
        "choices",
        "hint",
        "knowledge_cue",
        "knowledge_detail",
        "subject",
        "discipline",
        "knowledge_points",
        "topic",
        "category",
        "l2-category",
        "images",
        "image",
        "image_path",
    }
)
"""Columns that say the question, or a word of our own lists."""
_HAN = re.compile(r"[\u4e00-\u9fff]")
_OPTION = re.compile(r"[A-Z]|option\d+")


@dataclass(frozen=True)
class Withheld:
    """What must not be found of one row."""

    row_id: str
    problem_id: str
    texts: tuple[str, ...]
    """Normal forms, each of at least `LEAST` characters."""
    asked: str
    """Normal form of the question, in which they may stand."""


def withheld_of(rows: Iterable[ReleaseRow], splits: Iterable[Split]) -> tuple[Withheld, ...]:
    """What must not be found of rows.

    Args:
        rows: as they were before anything was taken out.
        splits: those whose answers are withheld.
    """
    without = frozenset(splits)
    found = []
    for row in rows:
        if row.split not in without:
            continue
        answer = None if row.question_type in CHOICE_TYPES else row.answer
        texts = {_normal(text) for text in (answer, row.solution) if text}
        long = tuple(sorted(text for text in texts if len(text) >= LEAST))
        if long:
            found.append(Withheld(row.id, row.problem_id, long, _normal(row.full_question)))
    return tuple(found)


def withheld_found(folder: Path, withheld: Sequence[Withheld]) -> tuple[Trouble, ...]:
    """Withheld answers and solutions in the files of a folder, in their names, and in the columns of its tables.

    Args:
        folder: a built release.
        withheld: what must not be found.

    Returns:
        One trouble for each row and file.
    """
    if not withheld:
        return ()
    found: dict[tuple[str, str], None] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            for item in _in_file(path, name, withheld):
                found[item.row_id, name] = None
    return tuple(Trouble("withheld-answer-found", row_id, name) for row_id, name in sorted(found))


def _in_file(path: Path, name: str, withheld: Sequence[Withheld]) -> Iterator[Withheld]:
    yield from _anywhere(_normal(name), withheld, short_too=False)
    if path.suffix == ".parquet":
        yield from _in_records(table_records(path), withheld)
        return
    data = path.read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raw = data.decode("utf-8", errors="ignore")  # a picture's text chunks, an archive's names
        yield from _anywhere(_normal(raw), withheld, short_too=False)
        return
    records = _records(path.suffix, text)
    if records is not None:
        yield from _in_records(records, withheld)
    else:
        yield from _in_prose(text, withheld)


def _records(suffix: str, text: str) -> list[Any] | None:
    """The records of a file that has some; None for prose."""
    if suffix in (".tsv", ".csv"):
        csv.field_size_limit(2**31 - 1)  # pictures stand in a cell
        return list(csv.DictReader(io.StringIO(text), delimiter="\t" if suffix == ".tsv" else ","))
    try:
        if suffix == ".jsonl":
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        return [json.loads(text)] if suffix == ".json" else None
    except ValueError:
        return None


def table_records(path: Path) -> Iterator[dict[str, Any]]:
    """The metadata of a Parquet file, then its rows without the columns that say the question."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as table:
        metadata = table.schema_arrow.metadata or {}
        yield {str(key): value.decode("utf-8", errors="ignore") for key, value in metadata.items()}
        columns = [name for name in table.schema_arrow.names if name not in _ASKED]
        for batch in table.iter_batches(columns=columns):
            yield from batch.to_pylist()


def _in_records(records: Iterable[Any], withheld: Sequence[Withheld]) -> Iterator[Withheld]:
    by_name: dict[str, list[Withheld]] = {}
    for item in withheld:
        for name in (_normal(item.row_id), _normal(item.problem_id)):
            by_name.setdefault(name, []).append(item)
    everything: dict[str, None] = {}
    for record in _scopes(records):
        said = {_normal(text): None for text in _own_texts(record)}
        everything |= said
        for name in said.keys() & by_name.keys():
            for item in by_name.get(name, ()):
                if any(text in said for text in item.texts):
                    yield item
    yield from _anywhere("\n".join(everything), withheld, short_too=False)


def _scopes(records: Iterable[Any]) -> Iterator[Any]:
    """Every record and every record inside of it, so that an answer counts for the item named beside it."""
    for record in records:
        yield record
        inner = record.values() if isinstance(record, dict) else record if isinstance(record, list) else ()
        yield from _scopes(value for value in inner if isinstance(value, dict | list))


def _own_texts(record: Any) -> Iterator[str]:
    """Names and values of one record; what stands in a list of records inside of it belongs to those."""
    if isinstance(record, dict):
        for name, value in record.items():
            yield str(name)
            if str(name) not in _ASKED and not _OPTION.fullmatch(str(name)):
                yield from _own_texts(value)
    elif isinstance(record, list):
        for value in record:
            if not isinstance(value, dict):
                yield from _own_texts(value)
    elif isinstance(record, str):
        yield record
    elif isinstance(record, int | float) and not isinstance(record, bool):
        yield str(record)


def _in_prose(text: str, withheld: Sequence[Withheld]) -> Iterator[Withheld]:
    lines = [_normal(line) for line in text.splitlines()]
    whole = "\n".join(lines)
    yield from _anywhere(" ".join(lines), withheld, short_too=False)
    for item in withheld:
        name = _normal(item.row_id)
        if name not in whole:
            continue
        for place, line in enumerate(lines):
            if _stands_in(name, line):
                near = " ".join(lines[max(0, place - _NEAR) : place + _NEAR + 1])
                yield from _anywhere(near, [item], short_too=True)


def _anywhere(text: str, withheld: Iterable[Withheld], short_too: bool) -> Iterator[Withheld]:
    for item in withheld:
        for said in item.texts:
            if (
                said in text
                and said not in item.asked
                and (short_too or _distinct(said))
                and _stands_in(said, text)
            ):
                yield item
                break


def _distinct(text: str) -> bool:
    """Whether a text is found by chance in nothing that is not about it."""
    letters = sum(character.isalpha() for character in text)
    han = len(_HAN.findall(text))
    several = len([word for word in text.split() if any(map(str.isalpha, word))]) > 1
    return (several and letters >= _DISTINCT // 2) or letters >= _DISTINCT or han >= _DISTINCT // 2


def _stands_in(text: str, where: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", where) is not None or _HAN.search(text) is not None


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
