"""Level by grade with its inversions, and whom to review first."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.curation.estimate_grades import STAGE_NAMES, STAGES, stage_of, year_of
from benchwright.curation.proposers.tagging_report import (
    level_table,
    review_order,
    tagging_report,
    uncertainty,
)
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.records import LocalizedText, Question, QuestionType

DIGEST = "0" * 64


def said(item: str, field: str, value: Any, confidence: float | None = None) -> Proposal:
    return Proposal(
        job="tagging", item_id=item, field=field, digest=DIGEST, value=value, confidence=confidence, model="m"
    )


def question(item: str, grade: str | None) -> Question:
    return Question(
        id=item, source="s", source_license="CC0-1.0", source_row="{}", discipline="physics", language="en",
        texts={"en": LocalizedText(question="?", answer="1")}, question_type=QuestionType.FREE_FORM, grade=grade,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("grade", "stage", "year"),
    [
        ("Grade 8", "junior-high", 8.0),
        ("5th grade", "primary", 5.0),
        ("七年级", "junior-high", 7.0),
        ("十一年级", "senior-high", 11.0),
        ("初二", "junior-high", 8.0),
        ("高三", "senior-high", 12.0),
        ("中考真题", "junior-high", 9.0),
        ("高中考试", "senior-high", 11.0),
        ("12年级", "senior-high", 12.0),
        ("Gaokao 2019", "senior-high", 12.0),
        ("college entrance", "senior-high", 12.0),
        ("college", "university", 14.0),
        ("math olympiad, grade 8", "contest", None),
        ("evening class", None, None),
        (None, None, None),
    ],
)
def test_grades_have_a_stage_and_a_year(grade: str | None, stage: str | None, year: float | None) -> None:
    found = stage_of(grade)
    assert (found.name if found else None, year_of(grade)) == (stage, year)


def test_every_stage_is_listed_once_in_the_order_of_its_years() -> None:
    assert set(STAGE_NAMES) == {stage.name for stage in STAGES}
    years = {stage.name: stage.year for stage in STAGES if stage.year is not None}
    assert sorted(years, key=lambda name: years[name]) == [name for name in STAGE_NAMES if name in years]


def test_a_higher_grade_with_a_lower_mean_is_flagged_and_chance_is_not_called_clear() -> None:
    levels: list[tuple[str | None, int]] = [("grade 8", 3)] * 20 + [("grade 8", 2)] * 5
    levels += [("grade 10", 2)] * 20 + [("grade 10", 1)] * 5  # clearly easier than grade 8
    levels += [("grade 9", 3)] * 5 + [("grade 9", 2)] * 2  # a little below grade 8: chance
    levels += [("grade 12", 4)] * 10 + [("competition", 1)] * 30 + [(None, 1)] * 3
    levels += [("grade 11", 1)] * 4  # too few to compare
    table = level_table(levels)
    assert [row.grade for row in table.rows] == [
        "junior-high, year 8", "junior-high, year 9", "senior-high, year 10", "senior-high, year 11",
        "senior-high, year 12", "contest", "unknown",
    ]  # fmt: skip
    flagged = [(found.lower_grade, found.higher_grade, found.clear) for found in table.inversions]
    assert flagged == [
        ("junior-high, year 8", "senior-high, year 10", True),
        ("junior-high, year 9", "senior-high, year 10", True),
        ("junior-high, year 8", "junior-high, year 9", False),
    ]
    assert table.inversions[0].drop == pytest.approx(1.0)
    cells = {str(row[0]): row for row in table.cells()}
    assert cells["senior-high, year 10"][1:8] == [25, 1.8, 5, 20, 0, 0, 0]
    assert cells["senior-high, year 10"][8] == "junior-high, year 8; junior-high, year 9"
    assert cells["senior-high, year 12"][8] == ""


def test_levels_that_rise_with_the_grade_have_no_inversion() -> None:
    table = level_table([(f"grade {year}", min(5, 1 + year // 3)) for year in range(1, 13) for _ in range(6)])
    assert table.inversions == () and len(table.rows) == 12


def test_the_least_certain_item_is_reviewed_first() -> None:
    split = {"ballots": [{"subject": name, "difficulty": 2} for name in ("a", "b", "c")], "tied": ["subject"]}
    proposals = [
        said("sure", "subject", "a", 0.9), said("sure", "difficulty", 2, 0.95),
        said("level", "subject", "a", 1.0), said("level", "difficulty", 2, 0.2),
        said("voted", "subject", "a", 0.33), said("voted", "difficulty", 2, 1.0), said("voted", "votes", split),
        said("silent", "subject", "a"), said("silent", "difficulty", 2),
        said("alike", "subject", "a", 0.9), said("alike", "difficulty", 2, 0.95),
        said("no-tags", "knowledge_points", []),
    ]  # fmt: skip
    assert review_order(proposals) == ["no-tags", "voted", "level", "silent", "alike", "sure"]
    assert uncertainty({p.field: p for p in proposals if p.item_id == "voted"}) == 1.0


def test_the_report_counts_words_without_a_place_and_leaves_other_questions_out() -> None:
    ballots = [{"subject": "a", "difficulty": 2, "unmapped": ["x", "y"]}, {"status": "refused"}]
    proposals = [
        said("one", "difficulty", 2), said("one", "votes", {"ballots": ballots, "tied": ["difficulty"]}),
        said("two", "difficulty", 4), said("two", "votes", {"ballots": [{"unmapped": ["x"]}], "tied": []}),
        said("other", "difficulty", 5), said("other", "votes", {"ballots": ballots, "tied": ["subject"]}),
    ]  # fmt: skip
    report = tagging_report([question("one", "grade 3"), question("two", None)], proposals)
    assert (report.ties, report.unmapped, set(report.order)) == (1, (("x", 2), ("y", 1)), {"one", "two"})
    assert [(row.grade, row.counts) for row in report.levels.rows] == [
        ("primary, year 3", (0, 1, 0, 0, 0)), ("unknown", (0, 0, 0, 1, 0)),
    ]  # fmt: skip
