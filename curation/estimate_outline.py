"""What is kept of a question while a whole pool is estimated: none of its words, but what they say about its form."""

from __future__ import annotations

import math
import re
import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchwright.curation.embed import embedding_text
from benchwright.curation.estimate_fit import question_key
from benchwright.curation.estimate_grades import STAGE_NAMES, stage_of
from benchwright.schemas.records import Question

_FORM_WEIGHT = 0.3
"""Features of form beside unit-length vectors; measured on three real sets (benchmarks/proposals_labels.py)."""
_STAGE_WEIGHT = 0.5
_FEATURES = 7
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Outline:
    """One question. 150,000 of them take 100 MB, as records they would take a gigabyte."""

    id: str
    key: str
    """See `estimate_fit.question_key`."""
    subject: str | None
    """As its source names it."""
    difficulty: int | None
    grade: str | None
    knowledge_points: tuple[str, ...]
    form: array[float]
    """Lengths, options, numbers and formulas of the text, unscaled."""


def outline(question: Question) -> Outline:
    """The outline of a question; names that many questions share are stored once."""
    return Outline(
        question.id,
        question_key(embedding_text(question)),
        _shared(question.subject),
        question.difficulty,
        _shared(question.grade),
        tuple(map(sys.intern, question.knowledge_points)),
        array("d", _form(question)),
    )


def stage_name(question: Question | Outline) -> str:
    """Name of a question's school stage, "" where there is none."""
    stage = stage_of(question.grade)
    return stage.name if stage is not None else ""


def form_features(outlines: Sequence[Outline]) -> NDArray[np.float32]:
    """What a text's outside says: lengths, options, numbers, formulas, stage; [n, 7 + stages], scaled to the pool."""
    if not outlines:
        return np.empty((0, _FEATURES + len(STAGE_NAMES)), np.float32)
    form = np.array([one.form for one in outlines])
    spread = form.std(axis=0)
    form = np.divide(form - form.mean(axis=0), spread, out=np.zeros_like(form), where=spread > 0)
    names = np.array([stage_name(one) for one in outlines])
    stages = np.stack([names == name for name in STAGE_NAMES], axis=1).astype(float)
    joined: NDArray[np.float32] = np.hstack([_FORM_WEIGHT * form, _STAGE_WEIGHT * stages]).astype(np.float32)
    return joined


def _form(question: Question) -> list[float]:
    text = question.text
    numbers = _NUMBER.findall(text.question)
    options = sum(len(choice.text or "") for choice in text.choices)
    return [
        math.log1p(len(text.question)),
        float(bool(text.choices)),
        float(len(text.choices)),
        math.log1p(options),
        math.log1p(len(numbers)),
        math.log1p(max(map(len, numbers), default=0)),
        math.log1p(text.question.count("\\")),
    ]


def _shared(text: str | None) -> str | None:
    return None if text is None else sys.intern(text)
