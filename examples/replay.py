"""A scripted model's answers for `replay/FILE`, so that the demo has scores without a key."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path

from benchwright.examples.problem import ExampleProblem
from benchwright.examples.registry import all_problems
from benchwright.schemas.jobs import problem_id
from benchwright.schemas.records import LocalizedText
from benchwright.schemas.versions import Version

SHARE_RIGHT, SHARE_REFUSED, SHARE_EMPTY = 70, 4, 2
"""Percentages of the scripted answers; all others are wrong."""


def write_replay(
    path: Path, versions: Sequence[Version] = tuple(Version), languages: Sequence[str] = ("en", "zh")
) -> int:
    """Write the scripted answers for `replay/FILE`, one line for each possible release row; returns how many.

    About 70 in 100 are right, the others wrong, refused or empty. Which is which follows from the row id alone.
    """
    lines = [
        json.dumps({"id": row, "text": scripted_answer(problem, language, row)}, ensure_ascii=False)
        for problem in all_problems()
        for version in versions
        for language in languages
        for row in [f"{problem_id(problem.id)}-{version.value}-{language}"]
    ]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return len(lines)


def scripted_answer(problem: ExampleProblem, language: str, row: str) -> str:
    """The scripted model's reply to a row; '' stands for an empty reply."""
    draw = int.from_bytes(hashlib.sha256(row.encode()).digest()[:4], "big")
    place = draw % 100
    text = problem.texts[language]
    lead = "答案：" if language == "zh" else "Answer: "
    if place < SHARE_RIGHT:
        return lead + text.answer + (f" {text.unit}" if text.unit else "")
    if place < SHARE_RIGHT + SHARE_REFUSED:
        return "抱歉，我无法回答这个问题。" if language == "zh" else "I am unable to answer this question."
    if place < SHARE_RIGHT + SHARE_REFUSED + SHARE_EMPTY:
        return ""
    return lead + _wrong(text, draw // 100)


def _wrong(text: LocalizedText, draw: int) -> str:
    """Another option, or every number doubled."""
    others = [choice.label for choice in text.choices if choice.label != text.answer]
    if others:
        return others[draw % len(others)]
    # The number of a part stands in brackets: "(1) 0.6 V; (2) 0.5 A".
    doubled = re.sub(
        r"(?<!\()(?<![\d.])\d+(?:\.\d+)?", lambda found: f"{2 * float(found.group()):g}", text.answer
    )
    return doubled + (f" {text.unit}" if text.unit else "")
