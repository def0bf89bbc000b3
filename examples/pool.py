"""The raw pool that `curate ingest` reads in the demo: every example as a source row, and a few rows that must fail."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchwright.examples.problem import ExampleProblem
from benchwright.examples.registry import all_problems
from benchwright.schemas.images import load_image_bytes
from benchwright.schemas.records import Question

SOURCE = "benchwright-examples"
LICENSE = "Apache-2.0"
BROKEN: Mapping[str, str] = MappingProxyType(
    {
        "broken-missing-image": "names a picture that is not there",
        "broken-torn-image": "its picture ends in the middle",
        "broken-answer": "its answer is none of its options",
        "broken-no-question": "has no question text",
        "broken-discipline": "belongs to a discipline that the recipe does not have",
        "broken-repeated-id": "stands in two rows with different contents, so neither can be trusted",
    }
)
"""Ids of the rows that are broken on purpose, and how; the last one has two rows."""


def source_row(problem: ExampleProblem) -> dict[str, Any]:
    """A problem as a row of the raw pool; subject and difficulty are left to the reviewers."""
    return {
        "id": problem.id,
        "source": SOURCE,
        "license": LICENSE,
        "discipline": problem.discipline,
        "language": problem.language,
        "question_type": problem.question_type.value,
        "texts": {
            language: text.model_dump(mode="json", exclude_none=True)
            for language, text in problem.texts.items()
        },
        "images": [f"images/{problem.image_name}"],
        "knowledge_points": list(problem.knowledge_points),
        "grade": problem.grade,
    }


def as_question(problem: ExampleProblem) -> Question:
    """The pool item that ingesting a problem's row gives."""
    return Question(
        id=problem.id,
        source=SOURCE,
        source_license=LICENSE,
        source_row=_line(source_row(problem)),
        discipline=problem.discipline,
        language=problem.language,
        texts=dict(problem.texts),
        images=(load_image_bytes(problem.drawing.png).ref,),
        question_type=problem.question_type,
        knowledge_points=problem.knowledge_points,
        grade=problem.grade,
    )


def write_raw_pool(folder: Path, *, broken: bool = True) -> Path:
    """Write `pool.jsonl` and `images/` below a folder.

    Args:
        folder: made if it does not exist.
        broken: add the rows that are broken on purpose.

    Returns:
        The path of `pool.jsonl`.
    """
    images = folder / "images"
    images.mkdir(parents=True, exist_ok=True)
    problems = all_problems()
    for problem in problems:
        (images / problem.image_name).write_bytes(problem.drawing.png)
    rows = [source_row(problem) for problem in problems]
    if broken:
        png = problems[0].drawing.png
        (images / "torn.png").write_bytes(png[: len(png) // 2])
        rows += _broken_rows(rows[0], rows[1])
    path = folder / "pool.jsonl"
    path.write_text("".join(_line(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _broken_rows(first: dict[str, Any], second: dict[str, Any]) -> list[dict[str, Any]]:
    language = second["language"]
    text = second["texts"][language]

    def with_text(**changes: str) -> dict[str, Any]:
        return {**second["texts"], language: {**text, **changes}}

    changes: dict[str, dict[str, Any]] = {
        "broken-missing-image": {"images": ["images/nowhere.png"]},
        "broken-torn-image": {"images": ["images/torn.png"]},
        "broken-answer": {"texts": with_text(answer="Z")},
        "broken-no-question": {"texts": with_text(question=" ")},
        "broken-discipline": {"discipline": "astrology"},
        "broken-repeated-id": {},
    }
    rows = [{**second, "id": name, **changes[name]} for name in BROKEN]
    return [*rows, {**first, "id": rows[-1]["id"]}]


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False)
