"""The smallest covers of the real pool's own knowledge points, and what a budget below them is told."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from benchwright.curation.cover import smallest_cover
from benchwright.curation.select import choose
from benchwright.curation.select_items import Candidate, frequencies, must_cover, points_at
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
            points_at(row["knowledge_points"] or (), number % 20, None),
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
