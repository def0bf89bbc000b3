"""What the card says about reviews, and that figures about other reviews are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.curation.release.build import build_release
from benchwright.curation.release.rows import release_content
from benchwright.schemas.digest import canonical_json, sha256_file
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import Verdict
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.records import Problem
from benchwright.schemas.review_figures import (
    FieldAgreement,
    Interval,
    ItemAnswers,
    JobEvidence,
    JobFigures,
    KeptCount,
    KnownCount,
    Measured,
    ReviewMade,
    Said,
    evidence_path,
    figures_path,
    read_figures,
)
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

SHOWN = "a" * 64


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


def evidence(digest: str) -> JobEvidence:
    """Two people on two items, who agree on one; a third decides the other."""

    def made(item: str, who: str, slot: str) -> ReviewMade:
        return ReviewMade(
            item_id=item,
            language=None,
            digest=SHOWN,
            pseudonym=who,
            slot=slot,
            state="submitted",
            undecided=None,
        )

    def answers(item: str, *values: int) -> ItemAnswers:
        said = tuple(
            Said(pseudonym=who, slot=slot, unit="", value=value)
            for (who, slot), value in zip((("A01", "A"), ("A02", "B")), values, strict=True)
        )
        return ItemAnswers(item_id=item, language=None, digest=SHOWN, said=said)

    pairs = [(item, *who) for item in ("circuit", "cell") for who in (("A01", "A"), ("A02", "B"))]
    return JobEvidence(
        job="tagging",
        reviews_sha256=digest,
        seed=0,
        reviews=(*(made(*pair) for pair in pairs), made("cell", "A03", "adjudication")),
        measures=(
            Measured(
                name="difficulty",
                field="difficulty",
                scale="ordinal",
                answers=(answers("cell", 2, 3), answers("circuit", 2, 2)),
            ),
        ),
        kept=(
            KeptCount(field="subject", item_id="cell", language=None, kept=27, answers=30),
            KeptCount(field="difficulty", item_id="cell", language=None, kept=6, answers=10),
        ),
        known=(KnownCount(right=19, answers=20),),
    )


def reviewed(workspace: Workspace) -> None:
    """Leave reviews and their report in a workspace."""
    reviews = workspace.reviews("tagging")
    reviews.parent.mkdir(exist_ok=True)
    reviews.write_text("{}\n", encoding="utf-8")
    digest = sha256_file(reviews)
    figures_path(workspace, "tagging").write_text(canonical_json(figures(digest)), encoding="utf-8")
    evidence_path(workspace, "tagging").write_text(canonical_json(evidence(digest)), encoding="utf-8")
    verdict = {"job": "tagging", "field": "difficulty", "digest": SHOWN, "by": ("A01", "A02")}
    verdicts = [
        Verdict.model_validate({**verdict, "item_id": "circuit", "value": 2, "basis": "agreed"}),
        Verdict.model_validate({**verdict, "item_id": "cell", "value": None, "basis": "open"}),
    ]
    write_jsonl(workspace.verdicts("tagging"), verdicts)


def test_the_card_has_a_section_on_reviews_only_where_there_are_some(tiny: Workspace) -> None:
    content = release_content(tiny, read_records(tiny.problems, Problem))
    built = build_release(tiny, tiny.recipe.release.tag, "org/tiny", content)
    assert "## Reviews" not in (built.folder / "README.md").read_text(encoding="utf-8")
    reviewed(tiny)
    built = build_release(tiny, tiny.recipe.release.tag, "org/tiny", content)
    assert built.ran, "other figures are another card"
    card = (built.folder / "README.md").read_text(encoding="utf-8")
    assert "| tagging | 2 | 2 | 2 | 95.0 | 82.5 |\n" in card and "| tagging | 1 | 0 | 0 | 1 |\n" in card
    assert "| tagging | 2 | 50.0 | 2 | 50.0 | 1 |\n" in card, "two of the four problems"
    assert "| tagging | difficulty | 40 | 70.0 | 0.81 [0.70, 0.90] (weighted) | 0.80 |\n" in card
    assert "| tagging | subject" not in card, "no two people answered it"
    assert not build_release(tiny, tiny.recipe.release.tag, "org/tiny", content).ran


def test_figures_without_what_they_were_counted_from_are_refused(tiny: Workspace) -> None:
    reviewed(tiny)
    content = release_content(tiny, read_records(tiny.problems, Problem))
    evidence_path(tiny, "tagging").write_text(canonical_json(evidence("1" * 64)), encoding="utf-8")
    with pytest.raises(UsageError, match="is about other reviews: run `annotate report` again"):
        build_release(tiny, tiny.recipe.release.tag, "org/tiny", content)
    evidence_path(tiny, "tagging").unlink()
    with pytest.raises(UsageError, match="is missing: run `annotate report` again"):
        build_release(tiny, tiny.recipe.release.tag, "org/tiny", content)


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
