"""What stands before a search: in which order sources came in, and what people have reviewed."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from benchwright.curation.dedup_settled import reviewed_questions, source_ranks
from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.schemas.jobs import Verdict
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.workspace import Workspace

_LETTERS = 4000
"""Of a question's text: the column that must not be read."""
_QUESTIONS = 1500


@pytest.fixture
def fresh_memory() -> Iterator[Callable[[], pa.MemoryPool]]:
    """Factory: a pool of Arrow's that counts from now on; the usual one is back after the test."""
    usual = pa.default_memory_pool()

    def fresh() -> pa.MemoryPool:
        pool = pa.proxy_memory_pool(usual)
        pa.set_memory_pool(pool)
        return pool

    yield fresh
    pa.set_memory_pool(usual)


def test_sources_rank_by_the_table_that_brought_them_first(
    make_workspace: Callable[..., Workspace], jsonl: Callable[..., Path]
) -> None:
    workspace = make_workspace()
    older = jsonl({"id": "a", "question": "How warm?", "source": "old"}, name="older.jsonl")
    newer = jsonl(
        {"id": "b", "question": "How cold?", "source": "new"},
        {"id": "c", "question": "How wet?", "source": "old"},
        name="newer.jsonl",
    )
    for path in (older, newer):
        ingest(workspace, [path], IngestOptions())
    ranks = source_ranks(workspace)
    assert sorted(ranks) == ["new", "old"]
    assert ranks["old"] < ranks["new"]


def test_one_field_of_a_table_is_read_without_its_texts(
    make_workspace: Callable[..., Workspace],
    jsonl: Callable[..., Path],
    fresh_memory: Callable[[], pa.MemoryPool],
) -> None:
    rng = random.Random(7)
    workspace = make_workspace()
    texts = ("".join(rng.choices(string.ascii_letters, k=_LETTERS)) for _ in range(_QUESTIONS))
    rows = ({"id": f"q{n}", "question": text, "source": f"s{n % 3}"} for n, text in enumerate(texts))
    ingest(workspace, [jsonl(*rows)], IngestOptions())
    memory = fresh_memory()
    assert sorted(source_ranks(workspace)) == ["s0", "s1", "s2"]
    assert 0 < (memory.max_memory() or 0) < _LETTERS * _QUESTIONS / 4


def test_reviewed_questions_are_those_with_a_final_verdict(
    make_workspace: Callable[..., Workspace], jsonl: Callable[..., Path]
) -> None:
    workspace = make_workspace()
    ingest(
        workspace, [jsonl(*({"id": name, "question": f"What is {name}?"} for name in "abc"))], IngestOptions()
    )
    pool = workspace.pool("physics")
    assert reviewed_questions(workspace, pool) == frozenset()
    said = [
        {
            "job": "quality",
            "item_id": item,
            "field": "decision",
            "digest": "0" * 64,
            "value": value,
            "basis": basis,
        }
        for item, value, basis in (("a", "accept", "agreed"), ("b", None, "open"))
    ]
    write_jsonl(workspace.verdicts("quality"), [Verdict.model_validate(line) for line in said])
    assert reviewed_questions(workspace, pool) == {"a"}
