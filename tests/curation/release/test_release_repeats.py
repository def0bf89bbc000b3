"""What the card says of repeats in the pools, and of overlap with other sets."""

from __future__ import annotations

import json
from pathlib import Path

from benchwright.curation.dedup import dedup_discipline
from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.curation.release.build import build_release, checked_content, release_state
from benchwright.curation.release.rows import release_content
from benchwright.schemas.records import Problem
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

ASK = "The source of the drawn circuit holds 6 V and drives a current of 3 A; what is the resistance of R?"


def card_of(workspace: Workspace) -> str:
    content, _ = checked_content(workspace, drop_failing=True)
    return (build_release(workspace, "v1.0.0", "org/tiny", content).folder / "README.md").read_text()


def lines(path: Path, *rows: dict[str, str]) -> Path:
    base = {"discipline": "physics", "language": "en", "source_license": "CC0-1.0", "answer": "2"}
    path.write_text("".join(json.dumps({**base, **row}) + "\n" for row in rows))
    return path


def test_the_card_says_how_repeats_were_found_and_what_other_sets_hold(
    tiny: Workspace, tmp_path: Path
) -> None:
    assert "Repeats and overlap" not in card_of(tiny), "nothing was searched, nothing is claimed"
    rows = [
        {"id": "circuit", "question": ASK},
        {"id": "again", "question": ASK.replace("; what", ", what")},
        {"id": "variant", "question": ASK.replace("6 V", "9 V")},
        {"id": "multi", "question": "Which of the drawn lenses makes light rays spread out behind it?"},
    ]
    recipe = (tiny.root / "benchwright.toml").read_text() + "\n[dedup.thresholds]\ncosine = 2\n"
    (tiny.root / "benchwright.toml").write_text(recipe)
    workspace = Workspace.find(tiny.root)
    ingest(workspace, [lines(tmp_path / "pool.jsonl", *rows)], IngestOptions())
    dedup_discipline(workspace, "physics", workers=1)
    assert release_state(workspace, "v1.0.0") == "stale", "the card would say more by now"
    card = card_of(workspace)
    assert (
        "| physics | 4 | 1 | 25.00 | 1 | 0 |" in card
        and "biology | " not in card.split("## Sources")[0].split("## Repeats")[1]
    )
    assert "No pool was compared with other sets" in card
    assert "5-character shingles from which two texts are compared 0.6;" in card
    other = lines(tmp_path / "public-set.jsonl", {"id": "7", "question": ASK})
    dedup_discipline(workspace, "physics", workers=1, against=[str(other)])
    card = card_of(workspace)
    # circuit and its copy of four pool questions; circuit alone of the two published physics problems
    assert "| public-set | 1 | physics | 50.0 | 1 | 50.0 | 1 |" in card
    assert "8-grams over tokens" in card and "Share needed: 0.5." in card
    assert release_state(workspace, "v1.0.0") == "done"
    assert "changed after this search" not in card and str(tmp_path) not in card
    benchmark = workspace.recipe.benchmark.model_copy(update={"languages": ("fr",)})
    french = Workspace(workspace.root, workspace.recipe.model_copy(update={"benchmark": benchmark}))
    content = release_content(french, read_records(workspace.problems, Problem))
    assert content.rows == content.repeats == (), "nothing of this pool is published"
