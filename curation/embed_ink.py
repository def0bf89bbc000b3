"""`ink`: what a drawing looks like, without a model: where its ink lies, and the sign pattern of its low frequencies.

The picture is read by the house's loader, made grey, and trimmed to its ink (stock hashes lose a drawing as soon as its
margin changes). From the trimmed picture come

- the ink map: mean ink of 24 x 24 cells of the trimmed square, minus its own mean, at length 1;
- hash statistics: signs of the 64 lowest frequencies of a 32 x 32 cosine transform against their median (a perceptual
  hash), as +-1/8;

each weighted by sqrt(1/2). Both are centred, so that unrelated drawings have a cosine near 0 and not near 1, as raw ink
maps would, whose ground is alike everywhere.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from benchwright.models.embedders import unit_rows
from benchwright.schemas.images import open_published

NAME = "ink@1"
CELLS = 24
_HASH, _WAVES = 8, 32
DIMENSION = CELLS * CELLS + _HASH * _HASH
_INK = 0.12
"""Difference from the ground, as a share of the range, that counts as ink when the border is trimmed."""

Vectors = NDArray[np.float32]


def ink_vector(published: bytes) -> Vectors:
    """Features of a picture, [640], unit length; zero for a blank one.

    Args:
        published: bytes of a published image.
    """
    ink = trimmed_ink(published)
    if ink is None:
        return np.zeros(DIMENSION, np.float32)
    cells = cv2.resize(ink, (CELLS, CELLS), interpolation=cv2.INTER_AREA).astype(np.float64)
    cells -= cells.mean()
    waves = cv2.dct(cv2.resize(ink, (_WAVES, _WAVES), interpolation=cv2.INTER_AREA))[:_HASH, :_HASH]
    signs = np.where(waves.ravel() > np.median(waves), 1.0, -1.0) / _HASH
    joined = np.concatenate([unit_rows(cells.reshape(1, -1))[0], signs]) * np.sqrt(0.5)
    row: Vectors = unit_rows(joined.reshape(1, -1))[0]
    return row


def trimmed_ink(published: bytes) -> NDArray[np.float32] | None:
    """Ink of a picture cut to the box that holds it, 0 (ground) to 1; None where there is none."""
    with open_published(published) as image:
        grey = np.asarray(image.convert("L"), np.float32)
    border = np.concatenate([grey[0], grey[-1], grey[:, 0], grey[:, -1]])
    ink = np.abs(grey - np.float32(np.median(border))) / np.float32(255)
    rows, columns = np.flatnonzero(ink.max(axis=1) > _INK), np.flatnonzero(ink.max(axis=0) > _INK)
    if not len(rows):
        return None
    trimmed: NDArray[np.float32] = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return trimmed
