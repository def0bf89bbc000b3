"""The smallest covers of the real pool's own knowledge points, and what a budget below them is told."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from benchwright.curation.cover import smallest_cover
from benchwright.curation.ingest_rows import knowledge_paths
from benchwright.curation.select import choose, choose_deepest
from benchwright.curation.select_items import Candidate, frequencies, points_at
from benchwright.curation.select_rules import Rules, must_cover
from benchwright.schemas.errors import InfeasibleError
from benchwright.schemas.selection import ChoiceSettings

SHARED = Path(os.environ.get("BENCHWRIGHT_SHARED", Path(__file__).parents[3] / "shared"))
POOL = SHARED / "data" / "real_pool" / "pool.jsonl"

pytestmark = pytest.mark.skipif(not POOL.is_file(), reason=f"{POOL} is not there (BENCHWRIGHT_SHARED)")


def real_candidates(discipline: str) -> list[Candidate]:
    rows = [json.loads(line) for line in POOL.read_text(encoding="utf-8").splitlines()]
    return [
        Candidate(
            row["id"],
            row["source"],
            int(row["difficulty"] or 3),
            number % 20,
            0.5,
            points_at(row["knowledge_points"] or [], number % 20, None),
        )
        for number, row in enumerate(row for row in rows if row["discipline"] == discipline)
    ]


def settings(n: int) -> ChoiceSettings:
    return ChoiceSettings(n=n, max_per_cluster=6, seed=1)


@pytest.mark.parametrize(
    ("discipline", "size"), [("physics", 38), ("mathematics", 20), ("chemistry", 18), ("biology", 0)]
)
def test_sixty_cover_every_point_of_each_discipline(discipline, size):
    pool = real_candidates(discipline)
    wanted = must_cover(frequencies(pool), settings(60))
    cover = smallest_cover(pool, wanted)
    assert (cover.size, cover.proven) == (size, True)
    choice = choose(discipline, pool, settings(60))
    assert len(choice.chosen) == 60 and choice.status == "optimal"
    assert {point for item in choice.chosen for point in item.points}.issuperset(wanted)


def test_twenty_cannot_cover_physics():
    with pytest.raises(
        InfeasibleError, match="smallest cover of physics needs 38 questions, the budget is 20"
    ):
        choose("physics", real_candidates("physics"), settings(20))


TEXT_POOL = SHARED / "data" / "text_pool.jsonl.gz"


def text_candidates(discipline: str) -> list[Candidate]:
    """The text pool's questions with paths as ingest reads them; clusters and centralities stand for themselves."""
    with gzip.open(TEXT_POOL, "rt", encoding="utf-8") as stream:
        rows = [row for row in map(json.loads, stream) if row["discipline"] == discipline]
    return [
        Candidate(
            row["id"],
            row["source"],
            3,
            number * 7919 % 333,
            number * 104729 % 1000 / 1000,
            points_at(knowledge_paths(row["knowledge_points"] or []), number * 7919 % 333, None),
        )
        for number, row in enumerate(rows)
    ]


@pytest.mark.long
@pytest.mark.skipif(not TEXT_POOL.is_file(), reason=f"{TEXT_POOL} is not there (BENCHWRIGHT_SHARED)")
@pytest.mark.parametrize(("discipline", "size"), [("physics", 6338), ("chemistry", 2568)])
def test_text_pool_of_physics_and_chemistry_is_covered_by_whole_paths(discipline, size):
    pool = text_candidates(discipline)
    assert len(pool) == size
    choice = choose(discipline, pool, settings(1000))
    assert choice.status == "optimal"
    assert Rules.of(pool, settings(1000)).broken(choice.chosen) == []


@pytest.mark.long
@pytest.mark.skipif(not TEXT_POOL.is_file(), reason=f"{TEXT_POOL} is not there (BENCHWRIGHT_SHARED)")
def test_text_pool_of_mathematics_is_refused_by_whole_paths_and_solved_at_the_deepest_level_that_fits():
    pool = text_candidates("mathematics")
    assert len(pool) == 35944
    with pytest.raises(
        InfeasibleError, match=r"cover of mathematics needs at least 1\d{3} .* set path_level = \d"
    ) as caught:
        choose("mathematics", pool, settings(1000))
    assert caught.value.conflict == "cover-exceeds-budget"
    choice, items, at_level, refused = choose_deepest("mathematics", pool, settings(1000))
    assert (at_level.path_level, [level.path_level for level in refused]) == (4, [7, 6, 5])
    assert choice.bound - choice.objective <= 1e-3 * choice.objective
    assert Rules.of(items, at_level).broken(choice.chosen) == []
