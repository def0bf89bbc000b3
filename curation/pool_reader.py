"""A discipline's pool by columns, a chunk of rows at a time.

A record of a question costs a hundred microseconds to build and holds everything that was ever said about it; stages
that need three columns of 150,000 questions read just these. Nothing here keeps more than one chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchwright.schemas.errors import TamperedError, UsageError
from benchwright.schemas.records import Question
from benchwright.schemas.tables import arrow_schema

CHUNK = 4096
"""Rows of a chunk."""


@dataclass(frozen=True)
class TextChunk:
    """Some questions in file order: what likeness is measured by."""

    ids: list[str]
    texts: list[str]
    """As `embedding_text` gives them."""
    images: list[tuple[str, ...]]
    """Digests of the published pictures, of question and choices, each once."""


def pool_size(path: Path) -> int:
    """Questions in a pool, from the file's footer alone.

    Raises:
        UsageError: there is no pool.
        TamperedError: the file is damaged, or holds something else.
    """
    with _opened(path) as file:
        return int(file.metadata.num_rows)


def iter_columns(path: Path, columns: Sequence[str], chunk: int = CHUNK) -> Iterator[dict[str, list[Any]]]:
    """Some columns of a pool as lists of Python values, chunk by chunk, in file order (which is that of the ids).

    Args:
        path: `Workspace.pool(discipline)`.
        columns: fields of `Question`; of `texts` and `images` better take `iter_texts`, since maps arrive as lists
            of pairs.
        chunk: rows at a time.

    Raises:
        UsageError: there is no pool.
        TamperedError: the file is damaged, or holds something else.
        KeyError: a column that a question does not have.
    """
    unknown = sorted(set(columns) - set(Question.model_fields))
    if unknown:
        raise KeyError(f"a question has no {', '.join(unknown)}")
    for batch in _batches(path, list(columns), chunk):
        yield {name: batch.column(name).to_pylist() for name in columns}


def iter_texts(path: Path, chunk: int = CHUNK) -> Iterator[TextChunk]:
    """Ids, embedding texts and pictures of a pool, chunk by chunk, in file order.

    Raises:
        UsageError: there is no pool.
        TamperedError: the file is damaged, or holds something else.
    """
    said = "texts.key_value"
    columns = [
        "id",
        "language",
        f"{said}.key",
        f"{said}.value.question",
        f"{said}.value.choices.list.element.text",
        f"{said}.value.choices.list.element.image.sha256",
        "images.list.element.sha256",
    ]
    for batch in _batches(path, columns, chunk):
        own = _own_texts(batch)
        choices = own.field("choices")
        said_by = _lists(choices, lambda inside: inside.field("text").to_pylist())
        shown_by = _lists(choices, _choice_pictures)
        pictures = _lists(batch.column("images"), lambda images: images.field("sha256").to_pylist())
        yield TextChunk(
            ids=batch.column("id").to_pylist(),
            texts=[
                "\n".join([stem, *filter(None, said)])
                for stem, said in zip(own.field("question").to_pylist(), said_by, strict=True)
            ],
            images=[
                tuple(dict.fromkeys([*shown, *filter(None, chosen)])) if shown or chosen else ()
                for shown, chosen in zip(pictures, shown_by, strict=True)
            ],
        )


def _own_texts(batch: pa.RecordBatch) -> pa.StructArray:
    """What each question says in its own language."""
    spoken = batch.column("texts")
    keys, starts = spoken.keys.to_pylist(), spoken.offsets.to_pylist()
    if starts == list(range(len(batch) + 1)):  # one language each, which is its own
        return spoken.items
    languages = batch.column("language").to_pylist()
    places = [
        next(at for at in range(start, stop) if keys[at] == language)
        for start, stop, language in zip(starts, starts[1:], languages, strict=False)
    ]
    return spoken.items.take(pa.array(places, pa.int64()))


def _lists(column: pa.ListArray, values: Callable[[pa.StructArray], list[Any]]) -> list[list[Any]]:
    """A value of the structs in each row's list."""
    inside, starts = values(column.flatten()), column.offsets.to_pylist()
    first = starts[0] if starts else 0
    return [inside[start - first : stop - first] for start, stop in pairwise(starts)]


def _choice_pictures(choices: pa.StructArray) -> list[str | None]:
    """Digest of each choice's picture; a choice without one has no struct there, whatever lies below."""
    pictures = choices.field("image")
    return [
        digest if there else None
        for digest, there in zip(
            pictures.field("sha256").to_pylist(), pictures.is_valid().to_pylist(), strict=True
        )
    ]


def _opened(path: Path) -> pq.ParquetFile:
    try:
        file = pq.ParquetFile(path)
    except FileNotFoundError as error:
        raise UsageError(f"{path} does not exist: run `curate ingest` on its source first.") from error
    except (pa.ArrowInvalid, OSError) as error:
        raise _damaged(path, error) from error
    if not file.schema_arrow.equals(arrow_schema(Question)):
        file.close()
        raise TamperedError(f"{path} does not hold Question records: its columns differ.")
    return file


def _batches(path: Path, columns: list[str], chunk: int) -> Iterator[pa.RecordBatch]:
    with _opened(path) as file:
        try:
            # One thread and no read-ahead: several row groups at once would be held, whatever the chunk.
            yield from file.iter_batches(batch_size=chunk, columns=columns, use_threads=False)
        except (pa.ArrowInvalid, OSError) as error:
            raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> TamperedError:
    first = str(error).splitlines()[0]
    return TamperedError(f"{path} cannot be read ({first}): run the stage that makes it again.")
