"""What the card says about reviews, and that figures about other reviews are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.curation.release.build import build_release
from benchwright.curation.release.reviews import agreed_fields, reviewed_jobs
from benchwright.curation.release.rows import release_content
from benchwright.schemas.digest import canonical_json, sha256_file
from benchwright.schemas.errors import UsageError
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.records import Problem
from benchwright.schemas.review_figures import (
    FieldAgreement,
    Interval,
    JobFigures,
    figures_path,
    read_figures,
)
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace


def figures(digest: str = "0" * 64) -> JobFigures:
    return JobFigures(
        job="tagging",
        reviews_sha256=digest,
        slots=("A", "B"),
        people=3,
        adjudicators=1,
        items=40,
        answered_by_two=40,
        states={"submitted": 80},
        undecided={},
        in_two_slots=0,
        verdicts={"agreed": 70, "adjudicated": 8, "open": 2},
        adjudicated_by_a_party=0,
        fields=(
            FieldAgreement(
                name="difficulty",
                scale="ordinal",
                items=40,
                percent=Interval(value=0.7, low=0.6, high=0.8, n=40),
                kappa=Interval(value=0.81, low=0.7, high=0.9, n=40),
                kappa_weights="quadratic",
                alpha=Interval(value=0.8, n=40),
            ),
            FieldAgreement(name="subject", scale="nominal", items=0, percent=Interval(value=None, n=0)),
        ),
        kept={"subject": Interval(value=0.9, n=30), "difficulty": Interval(value=0.6, n=10)},
        anchoring=(),
        gold=Interval(value=0.95, n=20),
    )


def test_the_rows_of_the_card() -> None:
    (job,) = reviewed_jobs([figures()])
    assert (job.people, job.by_two, job.verdicts, job.gold, job.kept) == (
        3,
        40,
        (70, 8, 0, 2),
        "95.0",
        "82.5",
    )
    (field,) = agreed_fields([figures()])
    assert (field.field, field.equal) == ("difficulty", "70.0")
    assert (field.kappa, field.alpha) == ("0.81 [0.70, 0.90] (weighted)", "0.80")


def test_the_card_has_a_section_on_reviews_only_where_there_are_some(tiny: Workspace) -> None:
    content = release_content(tiny, read_records(tiny.problems, Problem))
    built = build_release(tiny, tiny.recipe.release.tag, "org/tiny", content)
    assert "## Reviews" not in (built.folder / "README.md").read_text(encoding="utf-8")
    reviews = tiny.reviews("tagging")
    reviews.parent.mkdir(exist_ok=True)
    reviews.write_text("{}\n", encoding="utf-8")
    fresh = figures(sha256_file(reviews))
    figures_path(tiny, "tagging").write_text(canonical_json(fresh), encoding="utf-8")
    built = build_release(tiny, tiny.recipe.release.tag, "org/tiny", content)
    assert built.ran, "other figures are another card"
    card = (built.folder / "README.md").read_text(encoding="utf-8")
    assert "| tagging | 3 | 40 | 40 | 70 | 8 | 0 | 2 | 95.0 | 82.5 |\n" in card
    assert "| tagging | difficulty | 40 | 70.0 | 0.81 [0.70, 0.90] (weighted) | 0.80 |\n" in card
    assert not build_release(tiny, tiny.recipe.release.tag, "org/tiny", content).ran


def test_figures_about_other_reviews_are_refused(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "ws", default_recipe_toml("card-reviews"))
    assert read_figures(workspace) == []
    reviews = workspace.reviews("tagging")
    reviews.parent.mkdir()
    reviews.write_text("{}\n", encoding="utf-8")
    fresh = figures(sha256_file(reviews))
    figures_path(workspace, "tagging").write_text(canonical_json(fresh), encoding="utf-8")
    assert read_figures(workspace) == [fresh]
    reviews.write_text("{}\n{}\n", encoding="utf-8")
    with pytest.raises(UsageError, match="run `annotate report` again"):
        read_figures(workspace)
