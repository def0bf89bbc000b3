"""What a source's grade says: the school stage, its usual level, and the year of schooling that orders grades.

Both papers' questions come from school; VisScience scales its levels by the grade of education (section 2). The stages
follow each other as the levels do, so a stage has a usual level from which single questions depart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    """A school stage."""

    name: str
    level: int
    """The usual level of its questions, 1 to 5."""
    year: float | None
    """Year of schooling in the middle of it; None where grades do not order it (contests are held at every age)."""
    pattern: re.Pattern[str]


def _stage(name: str, level: int, year: float | None, pattern: str) -> Stage:
    return Stage(name, level, year, re.compile(pattern))


STAGES: tuple[Stage, ...] = (
    _stage("contest", 5, None, r"competition|olympiad|contest|竞赛|奥赛|奥林匹克"),
    _stage("senior-high", 3, 12.0, r"college entrance|university entrance|gaokao|高考"),
    _stage("graduate", 5, 18.0, r"\bgraduate|postgraduate|研究生"),
    _stage("university", 4, 14.0, r"college|university|undergraduate|大学|本科"),
    _stage("junior-high", 2, 9.0, r"(?<![高初])中考"),
    _stage(
        "primary",
        1,
        3.5,
        r"primary|elementary|grade school|\b(?:grade|year) [1-6]\b|\b[1-6](?:st|nd|rd|th)[ -]grade"
        r"|小学|(?<!十)[一二三四五六]年级|(?<!\d)[1-6]年级",
    ),
    _stage(
        "junior-high",
        2,
        8.0,
        r"junior|middle school|\b(?:grade|year) [7-9]\b|\b[7-9]th[ -]grade|初中|初[一二三]|[七八九]年级"
        r"|(?<!\d)[7-9]年级",
    ),
    _stage(
        "senior-high",
        3,
        11.0,
        r"senior|high school|\b(?:grade|year) 1[0-2]\b|\b1[0-2]th[ -]grade|\bsat\b|\bap\b|高中|高[一二三]"
        r"|十[一二]?年级|1[0-2]年级",
    ),
)
"""What names each stage; the first match counts, so exams that lead to a stage stand before the stage itself."""

STAGE_NAMES: tuple[str, ...] = ("primary", "junior-high", "senior-high", "university", "graduate", "contest")
"""Each stage once, in the order of schooling; contests last."""

_DIGITS = {word: number for number, word in enumerate("一二三四五六七八九十", start=1)}
_NUMBERED = re.compile(
    r"\b(?:grade|year) (\d{1,2})\b|\b(\d{1,2})(?:st|nd|rd|th)[ -]grade|(?<!\d)(\d{1,2})年级"
)
_CHINESE_YEAR = re.compile(r"(十?[一二三四五六七八九十])年级")
_IN_STAGE = re.compile(r"(初|高)([一二三])")


def stage_of(grade: str | None) -> Stage | None:
    """The stage that a source's words for the grade name, or None."""
    if not grade:
        return None
    folded = grade.casefold()
    return next((stage for stage in STAGES if stage.pattern.search(folded)), None)


def year_of(grade: str | None) -> float | None:
    """Year of schooling (1 = first year of primary school); None where the words do not tell, or name a contest.

    A named year counts as it is, a stage as its middle, an entrance exam as the stage's end.
    """
    stage = stage_of(grade)
    if stage is None or stage.year is None or grade is None:
        return None
    folded = grade.casefold()
    if stage.name in ("primary", "junior-high", "senior-high"):
        if numbered := _NUMBERED.search(folded):
            return float(next(group for group in numbered.groups() if group))
        if chinese := _CHINESE_YEAR.search(folded):
            return float(sum(_DIGITS[character] for character in chinese[1]))
        if inside := _IN_STAGE.search(folded):
            return float({"初": 6, "高": 9}[inside[1]] + _DIGITS[inside[2]])
    return stage.year
