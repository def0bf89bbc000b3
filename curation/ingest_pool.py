"""The pool's tables, derived from the tables of the single sources.

A question is told by its id. When two sources hold one id: rows of the same original source (`Question.source`) are one
question, the one ingested last stands; rows of different ones clash, the source that was there first keeps its question
and the other row is rejected with both places named. Nothing is overwritten silently.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import JsonValue

from benchwright.curation.ingest_rows import Note
from benchwright.schemas.artefact import Counts, run_stage
from benchwright.schemas.journal import iter_jsonl, read_jsonl, write_jsonl
from benchwright.schemas.records import Question, Record, Rejected
from benchwright.schemas.tables import arrow_schema, write_records
from benchwright.schemas.workspace import Workspace

STAGE_VERSION = 1
_ROW_GROUP = 1000
_STRETCH = 20 * _ROW_GROUP
"""Rows that are held at a time while the pool is written."""


class SourceEntry(Record):
    """One source of the pool."""

    name: str
    file: str
    """File name, without folders: the pool must not know where on a disk it came from."""
    registered: int
    """Rank among the sources by first ingest; decides clashes."""
    updated: int
    """Rank by last change; decides which row of one original source stands."""
    table_sha256: str
    counts: Counts


@dataclass(frozen=True)
class _Place:
    """Where one kept row lies."""

    item_id: str
    origin: str
    discipline: str
    entry: SourceEntry
    index: int
    line: int


def sources_path(workspace: Workspace) -> Path:
    """The list of sources (`SourceEntry`)."""
    return workspace.root / "pool" / "sources.jsonl"


def notes_path(workspace: Workspace) -> Path:
    """What ingest decided about kept rows (`Note`), of all sources."""
    return workspace.root / "pool" / "notes.jsonl"


def source_files(workspace: Workspace, name: str) -> tuple[Path, Path, Path]:
    """A source's own table, rejected rows and notes."""
    folder = workspace.root / "pool" / "sources"
    return folder / f"{name}.parquet", folder / f"{name}.rejected.jsonl", folder / f"{name}.notes.jsonl"


def source_ids(workspace: Workspace, name: str) -> set[str]:
    """Ids of the questions that a source gave; none where it was not ingested."""
    table = source_files(workspace, name)[0]
    if not table.is_file():
        return set()
    with pq.ParquetFile(table) as file:
        return {row["question"]["id"] for row in file.read(columns=["question.id"]).to_pylist()}


def read_entries(workspace: Workspace) -> list[SourceEntry]:
    """The pool's sources in the order of their first ingest."""
    path = sources_path(workspace)
    return read_jsonl(path, SourceEntry) if path.is_file() else []


def register(workspace: Workspace, name: str, file: str, table_sha256: str, counts: Counts) -> None:
    """Note a source's new state; the same table twice changes nothing."""
    entries = {entry.name: entry for entry in read_entries(workspace)}
    known = entries.get(name)
    if known is not None and known.table_sha256 == table_sha256 and known.counts == counts:
        return
    rank = max((entry.updated for entry in entries.values()), default=-1) + 1
    entries[name] = SourceEntry(
        name=name,
        file=file,
        registered=known.registered if known else len(entries),
        updated=rank,
        table_sha256=table_sha256,
        counts=counts,
    )
    ordered = sorted(entries.values(), key=lambda entry: entry.registered)
    write_jsonl(sources_path(workspace), ordered)


def merge_pool(workspace: Workspace) -> None:
    """Derive `pool/<discipline>.parquet`, `pool/rejected.parquet` and `pool/notes.jsonl` from the sources' tables."""
    entries = read_entries(workspace)
    tables = [source_files(workspace, entry.name)[0] for entry in entries]
    places = [place for entry, table in zip(entries, tables, strict=True) for place in _places(entry, table)]
    kept, clashes = _settle(places)
    order: list[JsonValue] = [[entry.name, entry.registered, entry.updated] for entry in entries]
    disciplines = {place.discipline for place in kept} | set(workspace.pool_disciplines())
    for discipline in sorted(disciplines):
        chosen = sorted((p for p in kept if p.discipline == discipline), key=lambda place: place.item_id)

        def produce(temporaries: tuple[Path, ...], chosen: Sequence[_Place] = chosen) -> Counts:
            _write_pool(temporaries[0], chosen, dict(zip((e.name for e in entries), tables, strict=True)))
            return Counts(n_in=len(chosen), n_kept=len(chosen))

        run_stage(
            workspace,
            f"pool/{discipline}",
            STAGE_VERSION,
            tables,
            [workspace.pool(discipline)],
            {"order": order},
            produce,
        )
    _write_rejected(workspace, entries, tables, order, clashes)


def _places(entry: SourceEntry, table: Path) -> Iterable[_Place]:
    columns = ["line", "question.id", "question.source", "question.discipline"]
    index = 0
    with pq.ParquetFile(table) as file:
        for batch in file.iter_batches(batch_size=_ROW_GROUP, columns=columns):
            for row in batch.to_pylist():
                question = row["question"]
                yield _Place(
                    question["id"], question["source"], question["discipline"], entry, index, row["line"]
                )
                index += 1


def _settle(places: Sequence[_Place]) -> tuple[list[_Place], list[Rejected]]:
    """One place for each id, and the rows that lost a clash."""
    by_id: dict[str, list[_Place]] = {}
    for place in places:
        by_id.setdefault(place.item_id, []).append(place)
    kept: list[_Place] = []
    clashes: list[Rejected] = []
    for item_id, group in by_id.items():
        first = min(group, key=lambda place: place.entry.registered)
        same = [place for place in group if place.origin == first.origin]
        kept.append(max(same, key=lambda place: place.entry.updated))
        for place in group:
            if place.origin != first.origin:
                detail = (
                    f"id {item_id!r} of {place.origin} (line {place.line}) is already the id of a question of "
                    f"{first.origin} ({first.entry.name}, line {first.line}), which stays"
                )
                clashes.append(
                    Rejected(
                        item_id=item_id, stage="ingest", reason="id-clash", detail=detail,
                        source=place.entry.name, line=place.line,
                    )
                )  # fmt: skip
    return kept, clashes


def _write_pool(path: Path, chosen: Sequence[_Place], tables: dict[str, Path]) -> None:
    """Write the chosen rows in their order, copying columns as they are.

    A stretch of the output at a time, and of the sources only the row groups that it needs: sources that lie in the
    order of their ids are read once, and memory stays flat in any case.
    """
    schema = arrow_schema(Question)
    files = {name: pq.ParquetFile(tables[name]) for name in sorted({place.entry.name for place in chosen})}
    starts = {name: _group_starts(file) for name, file in files.items()}
    try:
        with pq.ParquetWriter(path, schema, compression="zstd", version="2.6", store_schema=True) as writer:
            for start in range(0, max(len(chosen), 1), _STRETCH):
                rows = _rows(chosen[start : start + _STRETCH], files, starts, schema)
                writer.write_table(rows, row_group_size=_ROW_GROUP)
    finally:
        for file in files.values():
            file.close()


def _group_starts(file: pq.ParquetFile) -> list[int]:
    """Index of the first row of each row group."""
    sizes = [file.metadata.row_group(group).num_rows for group in range(file.metadata.num_row_groups)]
    return list(accumulate(sizes, initial=0))[:-1]


def _rows(
    stretch: Sequence[_Place],
    files: dict[str, pq.ParquetFile],
    starts: dict[str, list[int]],
    schema: pa.Schema,
) -> pa.Table:
    """The rows of some places, in their order."""
    if not stretch:
        return schema.empty_table()
    wanted: dict[tuple[str, int], list[int]] = {}
    for place in stretch:
        group = bisect_right(starts[place.entry.name], place.index) - 1
        wanted.setdefault((place.entry.name, group), []).append(place.index)
    parts: list[Any] = []
    position: dict[tuple[str, int], int] = {}
    for (name, group), indices in sorted(wanted.items()):
        column = files[name].read_row_group(group, columns=["question"]).column("question").combine_chunks()
        first = starts[name][group]
        position |= {(name, index): len(position) + offset for offset, index in enumerate(indices)}
        parts.append(column.take(pa.array([index - first for index in indices], pa.int64())))
    order = pa.array([position[place.entry.name, place.index] for place in stretch], pa.int64())
    return pa.Table.from_arrays(pa.concat_arrays(parts).take(order).flatten(), schema=schema)


def _write_rejected(
    workspace: Workspace,
    entries: Sequence[SourceEntry],
    tables: Sequence[Path],
    order: list[JsonValue],
    clashes: Sequence[Rejected],
) -> None:
    files = [source_files(workspace, entry.name) for entry in entries]

    def produce(temporaries: tuple[Path, ...]) -> Counts:
        rejected = [record for _, path, _ in files for record in iter_jsonl(path, Rejected)]
        rejected = sorted(
            [*rejected, *clashes], key=lambda record: (record.source, record.line or 0, record.reason)
        )
        write_records(temporaries[0], rejected, Rejected)
        write_jsonl(temporaries[1], (note for _, _, path in files for note in iter_jsonl(path, Note)))
        reasons = Counter(record.reason for record in rejected)
        return Counts(
            n_in=len(rejected), n_kept=0, n_rejected=len(rejected), reasons=dict(sorted(reasons.items()))
        )

    inputs = [*tables, *(path for triple in files for path in triple[1:])]
    outputs = [workspace.pool_rejected, notes_path(workspace)]
    run_stage(workspace, "pool/rejected", STAGE_VERSION, inputs, outputs, {"order": order}, produce)
