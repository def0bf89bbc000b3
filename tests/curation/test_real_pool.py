"""The real pool of the shared data: nothing is lost, nothing crashes, and the decisions are the expected ones."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchwright.curation.ingest import IngestOptions, IngestResult, ingest
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.records import Question, QuestionType, Rejected
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

N_ITEMS = 1363
N_IMAGES = 1399
JUSTIFIED: set[str] = set()
"""Reasons for which an item of this pool may be rejected: none; every one of its oddities can be handled."""


@pytest.fixture(scope="module")
def ingested(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, IngestResult]:
    toml = default_recipe_toml("real", ("mathematics", "physics", "chemistry", "biology"))
    toml = toml.replace('# solution = "extra.solution"', 'solution = "extra.solution"')
    workspace = Workspace.create(tmp_path_factory.mktemp("real") / "workspace", toml)
    (result,) = ingest(workspace, [shared_data / "real_pool" / "pool.jsonl"], IngestOptions())
    return workspace, result


def questions(workspace: Workspace) -> dict[str, Question]:
    return {
        q.id: q for name in workspace.pool_disciplines() for q in read_records(workspace.pool(name), Question)
    }


def test_every_item_is_kept_or_rejected_with_a_justified_reason(
    ingested: tuple[Workspace, IngestResult],
) -> None:
    workspace, result = ingested
    rejected = read_records(workspace.pool_rejected, Rejected)
    assert len(questions(workspace)) + len(rejected) == N_ITEMS == result.counts.n_in
    assert {record.reason for record in rejected} <= JUSTIFIED
    counts = {
        name: len(read_records(workspace.pool(name), Question)) for name in workspace.pool_disciplines()
    }
    assert counts == {"biology": 121, "chemistry": 222, "mathematics": 588, "physics": 432}


def test_types_and_option_forms(ingested: tuple[Workspace, IngestResult]) -> None:
    workspace, result = ingested
    assert Counter(q.question_type for q in questions(workspace).values()) == {
        QuestionType.SINGLE_CHOICE: 699,
        QuestionType.MULTIPLE_SELECT: 73,
        QuestionType.FREE_FORM: 563,
        QuestionType.MULTI_PART: 28,
    }
    assert result.notes == {
        "options-in-pictures": 49, "options-split-from-question": 3, "options-stand-in-question": 4,
    }  # fmt: skip


def test_no_picture_is_lost_and_odd_ones_are_made_fit(ingested: tuple[Workspace, IngestResult]) -> None:
    workspace, _ = ingested
    refs = [ref for question in questions(workspace).values() for ref in question.images]
    conversions = Counter(ref.conversion for ref in {ref.source_sha256: ref for ref in refs}.values())
    assert conversions["cmyk"] == 20
    assert sum(conversions.values()) > 1300
    assert all(workspace.read_image(ref.sha256) for ref in refs)
    sources = [path for path in (workspace.root / "images" / "source").rglob("*") if path.is_file()]
    assert len(sources) == sum(conversions.values()) <= N_IMAGES


def test_drawings_in_the_alpha_channel_alone_stay_visible(ingested: tuple[Workspace, IngestResult]) -> None:
    from benchwright.schemas.images import open_published

    workspace, _ = ingested
    for name in ("scemqa-mc-math-0117", "scemqa-mc-math-0106"):
        (ref,) = questions(workspace)[name].images
        grey = open_published(workspace.read_image(ref.sha256)).convert("L")
        darkest, lightest = grey.getextrema()
        assert (darkest, lightest) == (0, 255), "black lines on white, not a black picture"


def test_damaged_texts_of_the_pool(ingested: tuple[Workspace, IngestResult]) -> None:
    workspace, _ = ingested
    found = questions(workspace)
    options = [choice.text or "" for choice in found["scemqa-mc-chemistry-0006"].text.choices]
    assert not any("\x08" in text for text in options), "a control character at the end of a text is cut off"
    assert not any("\r" in question.text.question for question in found.values())
    assert found["scemqa-fr-physics-0000"].text.answer.startswith("\\anser{0.39}"), "answers are never mended"
