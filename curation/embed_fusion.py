"""Pictures beside texts: one vector for both, by a rule that leaves questions without pictures as they are.

With unit vectors t of the text and p of the pictures and a share w (`image_weight`), a question with pictures is

    [sqrt(1 - w) * t, sqrt(w) * p]      and one without      [t, 0].

Both have length 1. Two questions without pictures keep the cosine of their texts, so that thresholds keep their
meaning; two with pictures have (1 - w) * cos(t, t') + w * cos(p, p'); a question with pictures and one without have
sqrt(1 - w) * cos(t, t'). Several pictures of a question count as the mean of their vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchwright.models.embedders import unit_rows

Vectors = NDArray[np.float32]


def mean_picture(vectors: Vectors) -> Vectors:
    """One unit vector for the pictures of a question, [d]: their mean; zero if they cancel.

    Args:
        vectors: [pictures, d], in the order of their digests, so that the last bit does not depend on any other.
    """
    row: Vectors = unit_rows(vectors.astype(np.float64).mean(axis=0, keepdims=True))[0]
    return row


def fused(texts: Vectors, pictures: Sequence[Vectors | None], dimension: int, weight: float) -> Vectors:
    """Vectors of questions, [n, d + dimension], by the rule at the module's head.

    Args:
        texts: [n, d], unit rows.
        pictures: for each question [pictures, dimension], or None where it has none.
        dimension: of a picture's vector.
        weight: share w, in [0, 1).
    """
    rows = np.zeros((len(texts), texts.shape[1] + dimension), np.float32)
    rows[:, : texts.shape[1]] = texts
    for at, seen in enumerate(pictures):
        if seen is None:
            continue
        picture = mean_picture(seen)
        if not picture.any():  # a blank picture says nothing: the text stands alone
            continue
        rows[at, : texts.shape[1]] *= np.float32(np.sqrt(1 - weight))
        rows[at, texts.shape[1] :] = np.float32(np.sqrt(weight)) * picture
    return rows


def text_part(rows: Vectors, dimension: int) -> Vectors:
    """What fused vectors say of the texts alone, [n, dimension], unit rows."""
    if rows.shape[1] == dimension:
        return rows
    return unit_rows(rows[:, :dimension])
