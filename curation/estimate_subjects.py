"""Subjects by embedding: the nearest name and description, or a model fitted to labels where that is measured better.

Zero-shot: a subject is as near as its nearest language; shares are a softmax over the discipline's subjects. Fitted:
`estimate_fit`, and only when every subject of the taxonomy has labels (a model that never saw a subject could never
propose it) and the gain on held-out rows is sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchwright.curation.embed import embed_texts
from benchwright.curation.estimate_fit import (
    LEAST_LABELLED,
    Floats,
    best_temperature,
    calibration_error,
    cross_fit,
    gain,
    softmax,
    usable,
)
from benchwright.schemas.records import Record
from benchwright.schemas.taxonomy import Subject

SHARPNESS = 0.05
"""Cosine difference that changes a subject's share by a factor e, where a pool has no labels to calibrate it by.

On the labels of three real sets the best value is 0.043 to 0.088 (benchmarks/proposals_labels.py)."""

Rule = Literal["none", "nearest", "fitted"]


@dataclass(frozen=True, slots=True)
class SubjectGuess:
    """A subject, its share among all of the discipline, and how it was found."""

    subject: str
    confidence: float
    rule: Rule = "nearest"


class SubjectEvidence(Record):
    """Why subjects are guessed as they are; accuracies are on the labelled rows, held out."""

    used: Rule
    why: str
    labelled: int = 0
    nearest: float | None = None
    """Accuracy of the nearest name and description."""
    fitted: float | None = None
    gain_lower: float | None = None
    """Lower end of the 95 % interval of the difference."""
    temperature: float = SHARPNESS
    """Of the shares of the rule used."""
    calibration_error: float | None = None
    """Expected calibration error of the confidences; None without labels."""


def nearness(vectors: NDArray[np.float32], subjects: Sequence[Subject], embedder: str) -> Floats:
    """Cosine of each vector with each subject in its nearest language, [n, subjects]."""
    columns = []
    for subject in subjects:
        texts = [f"{subject.name(lang)}. {text}" for lang, text in sorted(subject.descriptions.items())]
        prototypes = embed_texts(embedder, texts).astype(np.float64)
        # einsum, not a matrix product: the same bits for every number of threads.
        columns.append(np.max([np.einsum("ij,j->i", vectors, one) for one in prototypes], axis=0))
    found: Floats = np.round(np.stack(columns, axis=1), 6)
    return found


def guess_subjects(
    vectors: NDArray[np.float32],
    labels: Sequence[str | None],
    keys: Sequence[str],
    subjects: Sequence[Subject],
    embedder: str,
) -> tuple[list[SubjectGuess | None], SubjectEvidence]:
    """The likeliest subject of each row; None for each where there are no subjects. Ties go to the taxonomy's order.

    Args:
        vectors: [n, d].
        labels: subject ids that are known, None elsewhere; a labelled row's guess never rests on its own label.
        keys: see `estimate_fit.question_key`.
        subjects: the taxonomy's.
        embedder: name of the embedder of the vectors.
    """
    if not subjects:
        return [None] * len(vectors), SubjectEvidence(used="none", why="the taxonomy has no subjects")
    near = nearness(vectors, subjects, embedder)
    ids = [subject.id for subject in subjects]
    known = [row for row, label in enumerate(labels) if label in ids]
    truth = np.array([ids.index(str(labels[row])) for row in known], dtype=np.int64)
    if len(known) < LEAST_LABELLED:
        why = f"{len(known)} labelled rows, fewer than {LEAST_LABELLED}"
        evidence = SubjectEvidence(used="nearest", why=why, labelled=len(known))
        return _guesses(softmax(near / SHARPNESS), ids, "nearest"), evidence
    temperature = best_temperature(near[known], truth)
    shares = softmax(near / temperature)
    return _measured(vectors, labels, keys, ids, shares, known, truth, temperature)


def _measured(
    vectors: NDArray[np.float32],
    labels: Sequence[str | None],
    keys: Sequence[str],
    ids: list[str],
    shares: Floats,
    known: list[int],
    truth: NDArray[np.int64],
    temperature: float,
) -> tuple[list[SubjectGuess | None], SubjectEvidence]:
    """Fit, compare with the nearest subject on the same rows, and keep the better one."""
    right = shares[known].argmax(axis=1) == truth
    zero_shot = SubjectEvidence(
        used="nearest",
        why="",
        labelled=len(known),
        nearest=round(float(right.mean()), 4),
        temperature=temperature,
        calibration_error=calibration_error(shares[known].max(axis=1), right),
    )

    def kept(why: str, **more: float) -> tuple[list[SubjectGuess | None], SubjectEvidence]:
        return _guesses(shares, ids, "nearest"), zero_shot.model_copy(update={"why": why, **more})

    rows = usable([label if label in ids else None for label in labels], keys)
    missing = sorted(set(ids) - {str(labels[row]) for row in rows})
    if missing:
        return kept(f"too few labels for {', '.join(missing)}")
    fit = cross_fit(vectors[rows], [str(labels[row]) for row in rows], [keys[row] for row in rows])
    order = [fit.classes.index(name) for name in ids]
    held_out = fit.held_out[:, order]
    places = np.array([ids.index(str(labels[row])) for row in rows])
    fitted_right = held_out.argmax(axis=1) == places
    won = gain(fitted_right, shares[rows].argmax(axis=1) == places)
    if not won.sure:
        return kept("a fitted model is not surely better", fitted=won.ours, gain_lower=won.lower)
    fitted = fit.shares(vectors)[:, order]
    fitted[rows] = held_out
    evidence = SubjectEvidence(
        used="fitted",
        why="better than the nearest subject on held-out rows",
        labelled=len(known),
        nearest=won.theirs,
        fitted=won.ours,
        gain_lower=won.lower,
        temperature=fit.temperature,
        calibration_error=calibration_error(held_out.max(axis=1), fitted_right),
    )
    return _guesses(fitted, ids, "fitted"), evidence


def _guesses(shares: Floats, ids: Sequence[str], rule: Rule) -> list[SubjectGuess | None]:
    best = shares.argmax(axis=1)
    return [
        SubjectGuess(ids[int(place)], round(float(shares[row, place]), 4), rule)
        for row, place in enumerate(best)
    ]
