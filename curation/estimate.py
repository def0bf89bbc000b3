"""Cheap values that the choice rests on before any person has looked: subject, difficulty, knowledge points.

What the source says is taken; the rest is estimated and marked so. Subject: the taxonomy's subject whose name and
description, in any of its languages, lies nearest to the question in the embedding. Difficulty: by school stage, else
the pool's median level. Knowledge points are never invented: a question without any stands for its cluster later.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchwright.curation.embed import embed_texts, index_path, load_vectors
from benchwright.schemas.artefact import Counts, StageResult, run_stage
from benchwright.schemas.digest import digest_of
from benchwright.schemas.records import Origin, Question
from benchwright.schemas.selection import Estimate
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.taxonomy import Subject, load_taxonomy
from benchwright.schemas.workspace import Workspace

STAGE_VERSION = 1
_SHARPNESS = 0.05
"""Cosine difference that changes a subject's share by a factor e; chosen for readable shares, not calibrated."""

_STAGES: tuple[tuple[str, int, str], ...] = (
    ("contest", 5, r"competition|olympiad|contest|竞赛|奥赛|奥林匹克"),
    ("senior-high", 3, r"college entrance|university entrance|gaokao|高考"),
    ("graduate", 5, r"\bgraduate|postgraduate|研究生"),
    ("university", 4, r"college|university|undergraduate|大学|本科"),
    ("primary", 1, r"primary|elementary|grade school|\bgrade [1-6]\b|小学|[一二三四五六]年级"),
    ("junior-high", 2, r"junior|middle school|\bgrade [7-9]\b|初中|初[一二三]|中考|[七八九]年级"),
    ("senior-high", 3, r"senior|high school|\bgrade 1[0-2]\b|\bsat\b|\bap\b|高中|高[一二三]"),
)
"""School stage, its level, what names it; the first match counts. Stages follow each other as the levels do."""


@dataclass(frozen=True)
class SubjectGuess:
    """A subject and its share among all of the discipline."""

    subject: str
    confidence: float


def estimate_discipline(workspace: Workspace, discipline: str) -> StageResult:
    """Write `estimates/<discipline>.parquet`, one row for each question of the pool.

    Raises:
        UsageError: pool or embeddings are missing.
    """
    taxonomy = load_taxonomy(workspace.recipe.benchmark.taxonomy, workspace.taxonomies)
    subjects = taxonomy.subjects(discipline) if taxonomy.has(discipline) else ()
    embedder = workspace.recipe.embed.embedder

    def produce(paths: tuple[Path, ...]) -> Counts:
        questions = sorted(
            read_records(workspace.pool(discipline), Question), key=lambda question: question.id
        )
        guesses = guess_subjects(load_vectors(workspace, discipline, questions), subjects, embedder)
        median = median_level(questions)
        rows = [
            estimate(question, discipline, subjects, guess, median)
            for question, guess in zip(questions, guesses, strict=True)
        ]
        write_records(paths[0], rows, Estimate)
        return Counts(n_in=len(rows), n_kept=len(rows))

    return run_stage(
        workspace,
        f"estimate/{discipline}",
        STAGE_VERSION,
        [workspace.pool(discipline), index_path(workspace, discipline)],
        [workspace.estimates(discipline)],
        {"subjects": digest_of(list(subjects))},
        produce,
    )


def estimate(
    question: Question, discipline: str, subjects: Sequence[Subject], guess: SubjectGuess | None, median: int
) -> Estimate:
    """One question's values.

    Args:
        question: the question.
        discipline: stands as the only subject where the taxonomy does not know the discipline.
        subjects: the taxonomy's subjects.
        guess: the nearest subject, None without a taxonomy.
        median: level of a question of which nothing is known.
    """
    own = own_subject(question.subject, subjects)
    if own is not None:
        subject, confidence = own, 1.0
    elif guess is not None:
        subject, confidence = guess.subject, guess.confidence
    else:
        subject, confidence = discipline, 0.0
    level, rule = level_of(question, median)
    return Estimate(
        question_id=question.id,
        subject=subject,
        subject_origin=Origin.ESTIMATE if own is None else Origin.SOURCE,
        subject_confidence=confidence,
        difficulty=level,
        difficulty_origin=Origin.SOURCE if rule == "source" else Origin.ESTIMATE,
        difficulty_rule=rule,
        points=question.knowledge_points,
        points_origin=Origin.SOURCE if question.knowledge_points else Origin.ESTIMATE,
    )


def own_subject(named: str | None, subjects: Sequence[Subject]) -> str | None:
    """The subject that the source names: the taxonomy's id for it, or the name itself where there is no taxonomy."""
    if named is None or not subjects:
        return named
    wanted = named.strip().casefold()
    for subject in subjects:
        if wanted in {subject.id, *[name.casefold() for name in subject.names.values()]}:
            return subject.id
    return None


def level_of(question: Question, median: int) -> tuple[int, str]:
    """Difficulty level and the rule that gave it: `source`, `grade:<stage>` or `median`."""
    if question.difficulty is not None:
        return question.difficulty, "source"
    for stage, level, pattern in _STAGES:
        if question.grade and re.search(pattern, question.grade.casefold()):
            return level, f"grade:{stage}"
    return median, "median"


def median_level(questions: Sequence[Question]) -> int:
    """Lower median of the levels that sources give; 3 where none does."""
    known = sorted(question.difficulty for question in questions if question.difficulty is not None)
    return known[(len(known) - 1) // 2] if known else 3


def guess_subjects(
    vectors: NDArray[np.float32], subjects: Sequence[Subject], embedder: str
) -> list[SubjectGuess] | list[None]:
    """The nearest subject of each vector; None for each where there are no subjects.

    A subject is as near as its nearest language. Ties go to the taxonomy's order.
    """
    if not subjects:
        return [None] * len(vectors)
    nearness = np.stack([_nearness(vectors, subject, embedder) for subject in subjects], axis=1)
    nearness = np.round(nearness, 6)
    shares = np.exp((nearness - nearness.max(axis=1, keepdims=True)) / _SHARPNESS)
    shares /= shares.sum(axis=1, keepdims=True)
    best = nearness.argmax(axis=1)
    return [
        SubjectGuess(subjects[int(place)].id, round(float(shares[row, place]), 4))
        for row, place in enumerate(best)
    ]


def _nearness(vectors: NDArray[np.float32], subject: Subject, embedder: str) -> NDArray[np.float64]:
    texts = [f"{subject.name(language)}. {text}" for language, text in sorted(subject.descriptions.items())]
    prototypes = embed_texts(embedder, texts).astype(np.float64)
    cosines = [np.einsum("ij,j->i", vectors, prototype) for prototype in prototypes]
    nearest: NDArray[np.float64] = np.max(cosines, axis=0)
    return nearest
