"""A release with what harnesses stumble over, and its exports."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchwright.cli.curate import curate
from benchwright.curation.release.build import build_release
from benchwright.curation.release.rows import release_content
from benchwright.eval.runs.instructions import Instructions, instructions
from benchwright.schemas.records import ImageRef, LocalizedText, Problem, QuestionType, ReleaseRow, Split
from benchwright.schemas.release_table import load_release
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.workspace import Workspace

ODD_ANSWERS = {"nought": "007", "missing": "NA", "fraction": "2.50", "yes": "true", "quoted": 'say "a\tb"'}
"""Answers that a reader of tables which guesses types turns into something else."""


@dataclass(frozen=True)
class Exports:
    """A built release, its rows, and what `curate export` wrote and said."""

    release: Path
    folder: Path
    rows: dict[str, ReleaseRow]
    images: dict[str, bytes]
    said: dict[str, Any]
    words: Instructions

    @property
    def scored(self) -> dict[str, ReleaseRow]:
        """The rows that a harness asks."""
        return {name: row for name, row in self.rows.items() if row.split is not Split.DEV}


def odd_problems(image: ImageRef) -> list[Problem]:
    """Free-form questions with odd answers, one without a picture, one with line ends and a leading bracket."""

    def one(name: str, answer: str, question: str, images: tuple[ImageRef, ...]) -> Problem:
        texts = {"en": LocalizedText(question=question, answer=answer)}
        return Problem.model_validate(
            {
                "problem_id": name, "question_id": name, "source": "hand-made", "source_license": "CC0-1.0",
                "discipline": "biology", "subject": "cells", "difficulty": 1, "language": "en", "texts": texts,
                "question_type": QuestionType.FREE_FORM, "source_texts": texts,
                "source_question_type": QuestionType.FREE_FORM, "images": images,
            }
        )  # fmt: skip

    odd = [
        one(name, answer, f'["{name}"]\r\nWhat\tis it?\n\nSay.', (image,))
        for name, answer in ODD_ANSWERS.items()
    ]
    return [*odd, one("wordy", "none", "Name nothing.", ())]


def run_export(dataset: Path, out: Path, *more: str, code: int = 0) -> Any:
    """`curate export` on a folder, as a user starts it."""
    arguments = ["export", str(dataset), "--out", str(out), "--json", *more]
    done = CliRunner().invoke(curate, arguments)
    assert done.exit_code == code, done.output
    return json.loads(done.stdout) if code == 0 else done


@pytest.fixture
def exported(tiny: Workspace, tmp_path: Path) -> Exports:
    """The tiny release with odd answers beside it, exported for every harness."""
    problems = list(read_records(tiny.problems, Problem))
    cell = next(item.images[0] for item in problems if item.problem_id == "cell")
    write_records(tiny.problems, [*problems, *odd_problems(cell)], Problem)
    content = release_content(tiny, read_records(tiny.problems, Problem))
    release = build_release(tiny, "v1.0.0", "org/tiny", content).folder
    rows: dict[str, ReleaseRow] = {}
    images: dict[str, bytes] = {}
    for row, pictures in load_release(release):
        rows[row.id] = row
        images |= pictures
    out = tmp_path / "exports"
    said = run_export(release, out, "--repo-id", str(release))
    return Exports(release, out, rows, images, said, instructions("sciverse", "direct", ["en", "zh"]))


@pytest.fixture
def export_again() -> Callable[..., Any]:
    """Runs `curate export`."""
    return run_export
