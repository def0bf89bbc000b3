"""`curate stats --of release`: the same counting as the card's, from the published files."""

from __future__ import annotations

from benchwright.curation.release.build import build_release
from benchwright.curation.release.rows import release_content
from benchwright.curation.stats import statistics
from benchwright.curation.stats_items import items_of
from benchwright.schemas.records import Problem
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace


def test_a_release_is_counted_from_its_files(tiny: Workspace) -> None:
    content = release_content(tiny, read_records(tiny.problems, Problem))
    built = build_release(tiny, tiny.recipe.release.tag, "org/tiny", content)
    what, items = items_of(tiny, "release")
    figures = statistics(what, items)
    assert figures.items == built.figures.problems
    assert sum(figures.by_version.values()) == built.figures.rows
    counted = {(text.language, text.version): text.question_with_options.characters for text in figures.texts}
    assert len(counted) == len(built.figures.versions)
    for version in built.figures.versions:
        found = counted[version.language, version.version]
        assert (found.n, found.maximum, found.mean) == (
            version.rows,
            version.longest_question,
            version.mean_question,
        )
