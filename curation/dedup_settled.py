"""What stands before the search: which questions people have reviewed, and which source was there first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchwright.curation.ingest_pool import read_entries, source_files
from benchwright.schemas.jobs import Verdict, problem_id
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.workspace import Workspace

_JOBS = ("quality", "tagging", "translation", "multiple-choice", "decomposition", "placement")
"""Jobs whose item is a problem."""
_CHUNK = 8192


def reviewed_questions(workspace: Workspace, pool: Path) -> frozenset[str]:
    """Ids of the pool's questions about which there is a final verdict."""
    known: set[str] = set()
    for job in _JOBS:
        path = workspace.verdicts(job)
        lines = read_jsonl(path, Verdict) if path.is_file() else []
        known |= {line.item_id for line in lines if line.basis != "open"}
    if not known or not pool.is_file():
        return frozenset()
    return frozenset(
        name for ids in _texts(pool, "id") for name in ids.to_pylist() if problem_id(name) in known
    )


def source_ranks(workspace: Workspace) -> dict[str, int]:
    """Original sources by the rank of the ingested table in which they came first."""
    ranks: dict[str, int] = {}
    for entry in read_entries(workspace):
        table = source_files(workspace, entry.name)[0]
        if table.is_file():
            named = {name for part in _texts(table, "question.source") for name in part.unique().to_pylist()}
            for name in sorted(named):
                ranks.setdefault(name, entry.registered)
    return ranks


def _texts(table: Path, column: str) -> Iterator[pa.StringArray]:
    """A column of texts, a chunk at a time.

    `read_table` reads all of `question` to give one field of it: 386 MB of 150,000 rows, where this takes 15.
    """
    with pq.ParquetFile(table) as file:
        for batch in file.iter_batches(_CHUNK, columns=[column], use_threads=False):
            found = batch.column(0)
            yield found.field(0) if pa.types.is_struct(found.type) else found
