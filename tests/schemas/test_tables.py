"""Tables of records: nothing is inferred, nothing is lost, and reading does not look at types row by row."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from benchwright.schemas.errors import TamperedError
from benchwright.schemas.records import Question, Record
from benchwright.schemas.tables import iter_records, read_records, write_records


class Leaf(Record):
    counts: dict[str, int]
    note: str | None = None


class Tree(Record):
    leaves: tuple[Leaf, ...]
    by_name: dict[str, Leaf | None]
    one: Leaf | None = None
    words: dict[str, str] | None = None
    paths: tuple[tuple[str, ...], ...] = ()
    value: str = ""


TREES = [
    Tree(
        leaves=(Leaf(counts={"b": 2, "a": 1}), Leaf(counts={})),
        by_name={"x": None, "w": Leaf(counts={"q": 7})},
    ),
    Tree(leaves=(), by_name={}, one=Leaf(counts={"k": 1}, note="007"), words={"": "2.50"}, value="true"),
    Tree(leaves=(), by_name={}, paths=(("A", "B"), ())),
]


def test_maps_and_nothings_at_any_depth_come_back(tmp_path: Path) -> None:
    path = tmp_path / "trees.parquet"
    assert write_records(path, TREES, Tree, row_group_size=2) == 3
    assert read_records(path, Tree) == TREES
    again = tmp_path / "again.parquet"
    write_records(again, read_records(path, Tree), Tree, row_group_size=2)
    assert again.read_bytes() == path.read_bytes()


def test_a_table_of_another_record_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "leaves.parquet"
    write_records(path, [Leaf(counts={})], Leaf)
    with pytest.raises(TamperedError, match="does not hold Tree records"):
        read_records(path, Tree)


@pytest.mark.parametrize("place", [0.0, 0.99])
def test_a_damaged_table_is_named_and_no_traceback_of_the_library(tmp_path: Path, place: float) -> None:
    path = tmp_path / "trees.parquet"
    write_records(path, TREES * 500, Tree)
    data = bytearray(path.read_bytes())
    for at in range(int(place * len(data)), int(place * len(data)) + 8):
        data[at] ^= 0xFF
    path.write_bytes(bytes(data))
    with pytest.raises(TamperedError, match=r"trees\.parquet cannot be read"):
        read_records(path, Tree)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        read_records(path, Tree)


def test_reading_costs_little_more_than_validating(tmp_path: Path) -> None:
    question = Question.model_validate(
        {
            "id": "q",
            "source": "s",
            "source_license": "CC0-1.0",
            "source_row": "{}",
            "discipline": "physics",
            "language": "en",
            "texts": {
                language: {
                    "question": "How far?",
                    "choices": [{"label": label, "text": f"{label} m"} for label in "ABCD"],
                    "answer": "B",
                    "decomposition": {
                        "stem": "v = 3 m/s. How far?",
                        "conditions": [{"id": "c1", "start": 0, "end": 9}],
                        "core_question": "How far?",
                        "knowledge_cue": {"terms": ["speed"], "sentence": "Speed."},
                    },
                }
                for language in ("en", "zh")
            },
            "question_type": "single-choice",
        }
    )
    path = tmp_path / "pool.parquet"
    write_records(path, [question] * 1000, Question)

    def cpu(work: Any) -> float:
        started = time.process_time()
        for _ in work:
            pass
        return time.process_time() - started

    rows = [question.model_dump()] * 1000
    validating = min(cpu(map(Question.model_validate, rows)) for _ in range(3))
    listing = min(cpu(iter(pq.read_table(path).to_pylist())) for _ in range(3))
    reading = min(cpu(iter_records(path, Question)) for _ in range(3))
    assert reading <= 5 * (validating + listing), (reading, validating, listing)
