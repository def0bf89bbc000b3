"""The rules as judge: three-valued, and silent whenever a reply can be read in two ways.

Reading and comparing answers is `benchwright.models.answer_compare`'s business; here a release row is put into its
terms. What the rules leave open is `unjudged` under `--judge rules`, or goes to the judging model.
"""

from __future__ import annotations

from benchwright.models.answer_compare import Comparison, compare_answer
from benchwright.schemas.records import ReleaseRow

RULES_VERSION = 2
"""Raised when a rule changes a verdict; part of a run's specification."""

_NOTHING_SAID = frozenset({"no-statement", "no-final-answer"})


def judge_by_rules(row: ReleaseRow, reply: str, cut_off: bool = False) -> Comparison:
    """Compare a reply (without thinking text) with the row's reference answer.

    Args:
        row: the released row.
        reply: the tested model's words.
        cut_off: they end at a length limit, so that only an explicit statement in them is an answer.
    """
    return compare_answer(
        reply,
        row.answer or "",
        row.question_type,
        labels=[option.label for option in row.options],
        option_texts={option.label: option.text for option in row.options if option.text},
        unit=row.unit,
        cut_off=cut_off,
    )


def says_nothing(comparison: Comparison) -> bool:
    """True when no final answer stands in the reply (one that cannot be compared is an answer all the same)."""
    return comparison.rule in _NOTHING_SAID
