"""What stands before the search: which questions people have reviewed, and which source was there first."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from benchwright.curation.ingest_pool import read_entries, source_files
from benchwright.schemas.jobs import Verdict, problem_id
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.workspace import Workspace

_JOBS = ("quality", "tagging", "translation", "multiple-choice", "decomposition", "placement")
"""Jobs whose item is a problem."""


def reviewed_questions(workspace: Workspace, pool: Path) -> frozenset[str]:
    """Ids of the pool's questions about which there is a final verdict."""
    known: set[str] = set()
    for job in _JOBS:
        path = workspace.verdicts(job)
        lines = read_jsonl(path, Verdict) if path.is_file() else []
        known |= {line.item_id for line in lines if line.basis != "open"}
    if not known or not pool.is_file():
        return frozenset()
    ids = pq.read_table(pool, columns=["id"]).column("id").to_pylist()
    return frozenset(name for name in ids if problem_id(name) in known)


def source_ranks(workspace: Workspace) -> dict[str, int]:
    """Original sources by the rank of the ingested table in which they came first."""
    ranks: dict[str, int] = {}
    for entry in read_entries(workspace):
        table = source_files(workspace, entry.name)[0]
        if table.is_file():
            column = pq.read_table(table, columns=["question.source"]).flatten().column(0)
            for name in sorted(column.unique().to_pylist()):
                ranks.setdefault(name, entry.registered)
    return ranks
