"""Real questions and formulas, where the shared data is there: every one is drawn, or refused with a known reason."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchwright.render.compose import render_vision_only
from benchwright.render.formula import Typesetter
from benchwright.render.style import RenderStyle
from benchwright.schemas.errors import ItemError
from benchwright.schemas.images import load_image_file
from benchwright.schemas.records import Choice, ImageRef, LocalizedText, Problem, QuestionType
from benchwright.schemas.versions import vision_only_stem

from .test_numbers import drawn_digits, source_digits

SHARED = Path(os.environ.get("BENCHWRIGHT_SHARED", Path(__file__).parents[3] / "shared")) / "data"
needs_data = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the shared data is not there (BENCHWRIGHT_SHARED)"
)
FORMULA_REASONS = {"formula", "missing-glyph", "formula-too-long", "right-to-left"}
PAGE_REASONS = FORMULA_REASONS | {"table", "formula-too-wide", "too-long", "right-to-left"}


def typeset_all(typesetter: Typesetter, step: int) -> float:
    """Share of the real fragments (each step-th) that are typeset; others must have a known reason."""
    done: Counter[bool] = Counter()
    with gzip.open(SHARED / "latex_fragments.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if not row["suspect"]]
    for row in rows[::step]:
        try:
            typesetter.formula(row["latex"], 32, row["display"])
            done[True] += 1
        except ItemError as error:
            assert error.reason in FORMULA_REASONS
            done[False] += 1
    return done[True] / done.total()


def real_problem(row: dict[str, Any], store: dict[str, bytes]) -> Problem:
    refs: list[ImageRef] = []
    for name in row["images"]:
        loaded = load_image_file(Path(name), SHARED / "real_pool")
        store[loaded.ref.sha256] = loaded.published
        refs.append(loaded.ref)
    choices = tuple(Choice(label="ABCDEFGHIJ"[i], text=str(c)) for i, c in enumerate(row["choices"] or ()))
    if not choices and row["extra"].get("choice_layout") == "in_images" and len(refs) >= 4:
        choices = tuple(Choice(label="ABCD"[i], image=ref) for i, ref in enumerate(refs[-4:]))
        refs = refs[:-4]
    text = LocalizedText(question=row["question"], choices=choices, answer="A")
    return Problem(
        problem_id=row["id"],
        question_id=row["id"],
        source=row["source"],
        source_license=row["source_license"],
        discipline=row["discipline"],
        subject="unknown",
        difficulty=1,
        language=row["language"],
        texts={row["language"]: text},
        question_type=QuestionType.FREE_FORM,
        source_texts={row["language"]: text},
        source_question_type=QuestionType.FREE_FORM,
        images=tuple(refs),
    )


def drawn_share(step: int) -> float:
    """Share of the real pool's items (each step-th) that become a vision-only page, every picture and digit on it."""
    done: Counter[bool] = Counter()
    rows = (SHARED / "real_pool" / "pool.jsonl").read_text(encoding="utf-8").splitlines()
    for line in rows[::step]:
        store: dict[str, bytes] = {}
        problem = real_problem(json.loads(line), store)
        try:
            rendered = render_vision_only(problem, problem.language, store.__getitem__, RenderStyle())
        except ItemError as error:
            assert error.reason in PAGE_REASONS, problem.problem_id
            done[False] += 1
            continue
        shown = [d.sha256 for d in rendered.sidecar.diagrams]
        wanted = [ref.sha256 for ref in problem.images]
        wanted += [c.image.sha256 for c in problem.texts[problem.language].choices if c.image]
        assert shown == wanted, problem.problem_id
        stem, options = vision_only_stem(problem, problem.language)
        assert drawn_digits(rendered.sidecar) == source_digits(stem, options), problem.problem_id
        done[True] += 1
    return done[True] / done.total()


@needs_data
def test_a_sample_of_real_fragments_is_typeset(typesetter: Typesetter) -> None:
    assert typeset_all(typesetter, 100) >= 0.995


@needs_data
@pytest.mark.long
def test_all_real_fragments_are_typeset(typesetter: Typesetter) -> None:
    assert typeset_all(typesetter, 1) >= 0.997


@needs_data
def test_a_sample_of_the_real_pool_becomes_pages() -> None:
    assert drawn_share(30) >= 0.95


@needs_data
@pytest.mark.long
def test_the_whole_real_pool_becomes_pages() -> None:
    assert drawn_share(1) >= 0.98
