"""How like a text is to its translation back: by meaning and by letters.

Neither figure is a probability of being right; together they order the review. The meaning is the cosine of two
sentence vectors, the letters are chrF (Popović 2015; character n-grams up to 6, recall twice as heavy as precision).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from sacrebleu.metrics.chrf import CHRF

from benchwright.models.answer_text import without_latex
from benchwright.models.embedders import Embedder


@dataclass(frozen=True)
class Score:
    """Likeness of a text and its translation back, both figures in 0..1."""

    meaning: float
    letters: float

    @property
    def confidence(self) -> float:
        """Mean of the two, in 0..1, rounded so that the last bits of a machine do not matter."""
        return round((self.meaning + self.letters) / 2, 3)

    def __str__(self) -> str:
        return f"meaning {self.meaning:.3f}, letters {self.letters:.3f}"


def back_score(source: str, back: str, embedder: Embedder) -> Score:
    """Compare a text with its translation back.

    Args:
        source: the original.
        back: the translation of its translation, in the same language.
        embedder: gives unit vectors.
    """
    vectors = embedder.embed([source, back]).astype(np.float64)
    cosine = float(vectors[0] @ vectors[1])
    return Score(meaning=min(1.0, max(0.0, cosine)), letters=chrf(source, back))


def chrf(reference: str, said: str) -> float:
    """The chrF in 0..1; formulas are spelled out, so that another LaTeX spelling costs little."""
    score = _metric().sentence_score(without_latex(said), [without_latex(reference)])
    return float(score.score) / 100


@cache
def _metric() -> CHRF:
    return CHRF()
