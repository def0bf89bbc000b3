"""Cheap values that the choice rests on before any person has looked: subject, difficulty, knowledge points.

What the source says is taken; the rest is estimated and marked so. Subject: see `estimate_subjects`. Difficulty: by
school stage, else the pool's median level; where sources give levels, a model fitted to them takes the rule's place in
the stages in which it is measured better (`estimate_levels`). Knowledge points are never invented: a question without
any stands for its cluster later. What was measured stands beside the estimates in `<discipline>.fit.json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchwright.curation.embed import index_path, text_vectors
from benchwright.curation.estimate_grades import stage_of
from benchwright.curation.estimate_levels import LearnedLevels, learn_levels
from benchwright.curation.estimate_outline import Outline, outline, stage_name
from benchwright.curation.estimate_subjects import SubjectEvidence, SubjectGuess, guess_subjects
from benchwright.schemas.artefact import Counts, StageResult, run_stage
from benchwright.schemas.digest import canonical_json, digest_of
from benchwright.schemas.records import Difficulty, Origin, Question, Record
from benchwright.schemas.selection import Estimate
from benchwright.schemas.tables import iter_records, write_records
from benchwright.schemas.taxonomy import Subject, load_taxonomy
from benchwright.schemas.workspace import Workspace

STAGE_VERSION = 2
RULE_CONFIDENCE = 0.5
"""Of a school stage's usual level where nothing measures it: a stage tells the level of a cohort, not of a question."""


class LevelEvidence(Record):
    """Weighted kappa of fitted levels and of the rule's on the labelled rows, held out."""

    labelled: int = 0
    rule: float | None = None
    fitted: float | None = None
    gain_lower: float | None = None
    """Lower end of the 95 % interval of the difference."""
    fitted_in: tuple[str, ...] = ()
    """Stages in which the fitted level takes the rule's place; "" stands for questions without one."""
    rule_right: dict[str, float] = {}
    """Share of the labelled rows of a stage that have exactly its usual level, by stage."""


class FitRecord(Record):
    """What the estimates rest on; written beside them."""

    subject: SubjectEvidence
    difficulty: LevelEvidence


@dataclass(frozen=True)
class Known:
    """What people said about a question, as further labels to learn from."""

    subject: str | None = None
    difficulty: Difficulty | None = None


def fit_path(workspace: Workspace, discipline: str) -> Path:
    """Where the `FitRecord` of a discipline stands."""
    return workspace.estimates(discipline).with_suffix(".fit.json")


def estimate_discipline(workspace: Workspace, discipline: str) -> StageResult:
    """Write `estimates/<discipline>.parquet`, one row for each question of the pool, and its `FitRecord`.

    Raises:
        UsageError: pool or embeddings are missing.
    """
    taxonomy = load_taxonomy(workspace.recipe.benchmark.taxonomy, workspace.taxonomies)
    subjects = taxonomy.subjects(discipline) if taxonomy.has(discipline) else ()

    def produce(paths: tuple[Path, ...]) -> Counts:
        outlines = sorted(
            map(outline, iter_records(workspace.pool(discipline), Question)), key=lambda one: one.id
        )
        vectors = text_vectors(workspace, discipline)
        rows, record = _estimates(
            outlines, vectors, discipline, subjects, workspace.recipe.embed.embedder, {}
        )
        n = write_records(paths[0], rows, Estimate)
        paths[1].write_text(canonical_json(record) + "\n", encoding="utf-8")
        return Counts(n_in=n, n_kept=n)

    return run_stage(
        workspace,
        f"estimate/{discipline}",
        STAGE_VERSION,
        [workspace.pool(discipline), index_path(workspace, discipline)],
        [workspace.estimates(discipline), fit_path(workspace, discipline)],
        {"subjects": digest_of(list(subjects))},
        produce,
    )


def estimate_all(
    questions: Sequence[Question],
    vectors: NDArray[np.float32],
    discipline: str,
    subjects: Sequence[Subject],
    embedder: str,
    reviewed: Mapping[str, Known] | None = None,
) -> tuple[list[Estimate], FitRecord]:
    """Estimate a whole pool.

    Args:
        questions: the pool.
        vectors: [n, d], in the questions' order.
        discipline: stands as the only subject where the taxonomy does not know the discipline.
        subjects: the taxonomy's subjects.
        embedder: name of the embedder of the vectors.
        reviewed: by question id, labels to learn from beside the sources'. They are not put in for the estimate: a
            reviewed question's own estimate comes from a model that did not see it.

    Returns:
        One estimate a question, and what they rest on.
    """
    outlines = list(map(outline, questions))
    rows, record = _estimates(outlines, vectors, discipline, subjects, embedder, reviewed or {})
    return list(rows), record


def _estimates(
    outlines: Sequence[Outline],
    vectors: NDArray[np.float32],
    discipline: str,
    subjects: Sequence[Subject],
    embedder: str,
    people: Mapping[str, Known],
) -> tuple[Iterator[Estimate], FitRecord]:
    """See `estimate_all`; estimates are made as they are drawn."""
    keys = [one.key for one in outlines]
    said = [people.get(question.id, Known()) for question in outlines]
    own = [own_subject(question.subject, subjects) for question in outlines]
    labels = [known.subject or mine for known, mine in zip(said, own, strict=True)]
    guesses, subject_evidence = guess_subjects(vectors, labels, keys, subjects, embedder)
    median = median_level(outlines)
    levels = [known.difficulty or question.difficulty for known, question in zip(said, outlines, strict=True)]
    rules = [rule_level(question, median) for question in outlines]
    learned = learn_levels(vectors, outlines, levels, keys, [level for level, _ in rules])
    level_evidence = _level_evidence(outlines, levels, rules, learned)
    made = (
        _estimate(
            question, discipline, own[row], guess, _level(question, row, rules[row], learned, level_evidence)
        )
        for row, (question, guess) in enumerate(zip(outlines, guesses, strict=True))
    )
    return made, FitRecord(subject=subject_evidence, difficulty=level_evidence)


def own_subject(named: str | None, subjects: Sequence[Subject]) -> str | None:
    """The subject that the source names: the taxonomy's id for it, or the name itself where there is no taxonomy."""
    if named is None or not subjects:
        return named
    wanted = named.strip().casefold()
    for subject in subjects:
        if wanted in {subject.id, *[name.casefold() for name in subject.names.values()]}:
            return subject.id
    return None


def level_of(question: Question | Outline, median: int) -> tuple[int, str]:
    """Difficulty level without any fit, and the rule that gave it: `source`, `grade:<stage>` or `median`."""
    if question.difficulty is not None:
        return question.difficulty, "source"
    return rule_level(question, median)


def rule_level(question: Question | Outline, median: int) -> tuple[int, str]:
    """The usual level of a question's school stage, else the median, whatever the source says of the question."""
    stage = stage_of(question.grade)
    return (stage.level, f"grade:{stage.name}") if stage is not None else (median, "median")


def median_level(questions: Sequence[Question | Outline]) -> int:
    """Lower median of the levels that sources give; 3 where none does."""
    known = sorted(question.difficulty for question in questions if question.difficulty is not None)
    return known[(len(known) - 1) // 2] if known else 3


def _estimate(
    question: Outline,
    discipline: str,
    own: str | None,
    guess: SubjectGuess | None,
    level: tuple[int, float, str],
) -> Estimate:
    if own is not None:
        subject, confidence, rule = own, 1.0, "source"
    elif guess is not None:
        subject, confidence, rule = guess.subject, guess.confidence, guess.rule
    else:
        subject, confidence, rule = discipline, 0.0, "none"
    return Estimate(
        question_id=question.id,
        subject=subject,
        subject_origin=Origin.ESTIMATE if own is None else Origin.SOURCE,
        subject_confidence=confidence,
        subject_rule=rule,
        difficulty=level[0],
        difficulty_origin=Origin.SOURCE if level[2] == "source" else Origin.ESTIMATE,
        difficulty_confidence=level[1],
        difficulty_rule=level[2],
        points=question.knowledge_points,
        points_origin=Origin.SOURCE if question.knowledge_points else Origin.ESTIMATE,
    )


def _level(
    question: Outline,
    row: int,
    rule: tuple[int, str],
    learned: LearnedLevels | None,
    evidence: LevelEvidence,
) -> tuple[int, float, str]:
    """Level, confidence and rule: the source's, else the fitted one where it is better, else the rule's."""
    if question.difficulty is not None:
        return question.difficulty, 1.0, "source"
    stage = stage_name(question)
    if learned is not None and stage in evidence.fitted_in:
        return int(learned.levels[row]), float(learned.confidences[row]), "fitted"
    unmeasured = RULE_CONFIDENCE if stage else 0.0
    return rule[0], evidence.rule_right.get(stage, unmeasured), rule[1]


def _level_evidence(
    questions: Sequence[Outline],
    levels: Sequence[int | None],
    rules: Sequence[tuple[int, str]],
    learned: LearnedLevels | None,
) -> LevelEvidence:
    labelled = [row for row, level in enumerate(levels) if level is not None]
    if learned is None:
        return LevelEvidence(labelled=len(labelled))
    stages = {stage_name(question) for question in questions}
    right: dict[str, list[bool]] = {}
    for row in labelled:
        right.setdefault(stage_name(questions[row]), []).append(rules[row][0] == levels[row])
    return LevelEvidence(
        labelled=len(labelled),
        rule=learned.overall.theirs,
        fitted=learned.overall.ours,
        gain_lower=learned.overall.lower,
        fitted_in=tuple(sorted(stage for stage in stages if learned.better_than_rule(stage))),
        rule_right={
            stage: round(sum(found) / len(found), 4)
            for stage, found in sorted(right.items())
            if stage in learned.by_stage
        },
    )
