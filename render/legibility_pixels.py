"""Measures of burnt-in ink on the finished pixels: what differs from the page drawn again, contrast, sharpness."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from benchwright.render.inkmap import Mask
from benchwright.render.legibility_result import InkMeasure
from benchwright.render.legibility_scene import Pixels, Scene
from benchwright.render.legibility_view import View
from benchwright.render.sidecar import Rect

Grey = NDArray[np.float32]
Even = tuple[Grey, Grey]

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
_PAPER = 41
"""Side, in pixels, of the neighbourhood whose median is a photographed paper's brightness."""
LENS = 3
"""Pixels by which a lens widens ink."""


def differing_pixels(picture: Pixels, made: Scene, step: int) -> Mask:
    """Where a picture is not what its sidecar says, by more than `step` grey levels in any channel."""
    off = np.abs(picture.astype(np.int16) - made.expected.astype(np.int16)).max(axis=2)
    found: Mask = (off > step) & ~made.unknown
    return found


def unexpected_ink(picture: Pixels, made: Scene, step: int) -> Mask:
    """Where a photograph is darker than its paper by more than `step` grey levels though nothing is written there.

    Args:
        picture: shape (height, width, 3).
        made: the page drawn again, as photographed. Its diagrams' ink is not told from other ink.
        step: grey levels.
    """
    grey = picture.mean(axis=2).astype(np.uint8)
    paper = cv2.medianBlur(grey, _PAPER).astype(np.int16)
    side = 2 * LENS - 1
    known = cv2.dilate((made.coverage > 0).astype(np.uint8), np.ones((side, side), np.uint8)) > 0
    found: Mask = (paper - grey > step) & ~known
    return found


def evened(pixels: Pixels, lens: float = 0.0) -> Grey:
    """Grey levels against the local background's: what a page shows, whatever light falls on it.

    Args:
        pixels: shape (height, width, 3).
        lens: softness that is added first, in pixels.
    """
    grey = pixels.mean(axis=2).astype(np.float32)
    if lens:
        grey = cv2.GaussianBlur(grey, (0, 0), lens)
    ground = cv2.medianBlur(grey.round().astype(np.uint8), _PAPER)
    found: Grey = np.clip(200 * grey / np.maximum(ground, 1), 0, 255)
    return found


def measure(
    picture: Pixels, made: Scene, differs: Mask, box: Rect, px: int, view: View, even: Even | None = None
) -> InkMeasure:
    """Measure the ink in a box.

    Args:
        picture: the published picture, shape (height, width, 3).
        made: the page drawn again, in the picture's pixels.
        differs: where the two differ.
        box: where the ink should stand, in pixels of the flat page.
        px: text size.
        view: cuts the box out.
        even: of a photograph, whose light is its own: picture and page drawn again, both `evened`, to be compared.
    """
    coverage = view.cut(made.coverage, box, _AIR)
    seen, wanted = view.cut(picture, box, _AIR), view.cut(made.expected, box, _AIR)
    contrast = _contrast(seen, coverage)
    gradient = _gradient(wanted) if coverage.max(initial=0) >= _CORE else 0.0
    like = likeness(even, box, 2 * px, view) if even else None
    return InkMeasure(
        differing=round(float(view.cut(differs, box, _AIR).sum()) / px**2, 5),
        contrast=None if contrast is None else round(contrast, 2),
        sharpness=round(_gradient(seen) / gradient, 3) if gradient else None,
        likeness=None if like is None else round(like, 3),
    )


def likeness(even: Even, box: Rect, window: int, view: View) -> float | None:
    """Correlation of what is seen with what was drawn again, in the worst stretch of `window` columns that has ink."""
    seen, wanted = (view.cut(grey, box).astype(np.float64) for grey in even)
    found: list[float] = []
    for start in range(0, max(1, seen.shape[1] - window // 2), max(1, window // 2)):
        first, second = seen[:, start : start + window], wanted[:, start : start + window]
        if second.std() > 12:
            found.append(float(np.corrcoef(first.ravel(), second.ravel())[0, 1]) if first.std() > 0 else 0.0)
    return min(found, default=None)


def outside(differs: Mask, boxes: Iterable[tuple[Rect, int]], view: View) -> int:
    """Differing pixels outside all boxes, each taken with its air."""
    rest = differs.copy()
    for box, air in boxes:
        rest[view.area(box, air, rest.shape)] = False
    return int(rest.sum())


def margin_ink(picture: Pixels, edge: int, step: int) -> int:
    """Pixels within `edge` of the page's border that are not white."""
    dark = (255 - picture).max(axis=2) > step
    dark[edge:-edge, edge:-edge] = False
    return int(dark.sum())


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
