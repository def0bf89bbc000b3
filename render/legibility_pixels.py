"""Measures of burnt-in ink on the finished pixels: what differs from the page drawn again, contrast, sharpness."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from benchwright.render.inkmap import Mask
from benchwright.render.legibility_result import InkMeasure
from benchwright.render.legibility_scene import Pixels, Scene
from benchwright.render.sidecar import Rect

_CORE = 230
"""Coverage from which a pixel shows the pure ink, of 255."""
_FEW = 12
"""Core pixels below which a stretch of ink is too small to measure its colour."""
_AIR = 2
"""Pixels around a box that are measured with it."""
_BESIDE = (2, 5)
"""The ground of ink: farther than so many pixels from it (softness is no ground), no farther than so many."""
_WORST = 2.0
"""Percentile of ground pixels that the contrast is measured against: a speck is no ground."""


def differing_pixels(picture: Pixels, made: Scene, step: int) -> Mask:
    """Where a picture is not what its sidecar says, by more than `step` grey levels in any channel."""
    off = np.abs(picture.astype(np.int16) - made.expected.astype(np.int16)).max(axis=2)
    found: Mask = (off > step) & ~made.unknown
    return found


def measure(picture: Pixels, made: Scene, differs: Mask, box: Rect, px: int, photo: bool) -> InkMeasure:
    """Measure the ink in a box.

    Args:
        picture: the page, shape (height, width, 3).
        made: the page drawn again.
        differs: where the two differ.
        box: where the ink should stand.
        px: text size.
        photo: the page is a photograph laid flat: its light differs, so likeness is measured too.
    """
    rows, columns = _inside(box, _AIR, picture.shape)
    coverage = made.coverage[rows, columns]
    seen, wanted = picture[rows, columns], made.expected[rows, columns]
    contrast = _contrast(seen, coverage)
    gradient = _gradient(wanted) if coverage.max(initial=0) >= _CORE else 0.0
    like = likeness(picture, made, box, 2 * px) if photo else None
    return InkMeasure(
        differing=round(float(differs[rows, columns].sum()) / px**2, 5),
        contrast=None if contrast is None else round(contrast, 2),
        sharpness=round(_gradient(seen) / gradient, 3) if gradient else None,
        likeness=None if like is None else round(like, 3),
    )


def likeness(picture: Pixels, made: Scene, box: Rect, window: int) -> float | None:
    """Correlation of grey levels with what was drawn again, in the worst stretch of `window` columns that has ink."""
    rows, columns = _inside(box, 0, picture.shape)
    seen = picture[rows, columns].astype(np.float64).mean(axis=2)
    wanted = made.expected[rows, columns].astype(np.float64).mean(axis=2)
    found: list[float] = []
    for start in range(0, max(1, seen.shape[1] - window // 2), max(1, window // 2)):
        first, second = seen[:, start : start + window], wanted[:, start : start + window]
        if second.std() > 12:
            found.append(float(np.corrcoef(first.ravel(), second.ravel())[0, 1]) if first.std() > 0 else 0.0)
    return min(found, default=None)


def outside(differs: Mask, boxes: Iterable[tuple[Rect, int]]) -> int:
    """Differing pixels outside all boxes, each taken with its air."""
    rest = differs.copy()
    for box, air in boxes:
        rows, columns = _inside(box, air, rest.shape)
        rest[rows, columns] = False
    return int(rest.sum())


def margin_ink(picture: Pixels, edge: int, step: int) -> int:
    """Pixels within `edge` of the page's border that are not white."""
    dark = (255 - picture).max(axis=2) > step
    dark[edge:-edge, edge:-edge] = False
    return int(dark.sum())


def _inside(box: Rect, air: int, shape: tuple[int, ...]) -> tuple[slice, slice]:
    rows = slice(max(0, box.y - air), min(shape[0], box.y + box.height + air))
    columns = slice(max(0, box.x - air), min(shape[1], box.x + box.width + air))
    return rows, columns


def _contrast(seen: Pixels, coverage: NDArray[np.uint8]) -> float | None:
    """Contrast of the ink's colour against the worst of its ground (WCAG 2.2)."""
    core = coverage >= _CORE
    inked = (coverage > 0).astype(np.uint8)
    halo, beside = (cv2.dilate(inked, np.ones((2 * r + 1, 2 * r + 1), np.uint8)) for r in _BESIDE)
    around = (beside > 0) & (halo == 0)
    if core.sum() < _FEW or not around.any():
        return None
    ink = float(np.median(_luminance(seen[core])))
    ground = _luminance(seen[around])
    low, high = (float(v) for v in np.percentile(ground, (_WORST, 100 - _WORST)))
    return min(_ratio(ink, low), _ratio(ink, high))


def _ratio(first: float, second: float) -> float:
    lighter, darker = max(first, second), min(first, second)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(pixels: Pixels) -> NDArray[np.float64]:
    share = pixels.astype(np.float64) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    found: NDArray[np.float64] = linear @ np.array([0.2126, 0.7152, 0.0722])
    return found


def _gradient(pixels: Pixels) -> float:
    """Root of the sum of squared differences between neighbours: halves when edges are twice as wide."""
    grey = pixels.astype(np.float64).mean(axis=2)
    return float(np.sqrt((np.diff(grey, axis=0) ** 2).sum() + (np.diff(grey, axis=1) ** 2).sum()))
