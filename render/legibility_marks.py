"""Did burning in marks touch the drawing? Told from the pictures before and after, without the placement's code."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from benchwright.render.inkmap import Mask
from benchwright.render.sidecar import Sidecar

Pixels = NDArray[np.uint8]
"""Shape (height, width, 3), RGB."""

_DIFFERENT = 28
"""Grey levels (largest channel) by which ink differs from its ground."""
_WINDOW = 41
"""Side, in pixels, of the neighbourhood whose median is the local background."""
_DOMINANT = 0.5
"""A colour that fills this share of a picture is its ground, wherever it stands."""
_CHANGED = 2
"""Grey levels from which a pixel counts as changed."""


def original_ink(before: Pixels) -> Mask:
    """Pixels of a drawing that are ink: they differ from the local background, or from the picture's one ground.

    The local background is the median of a 41 x 41 neighbourhood: on dark ground light lines are ink, and on a
    gradient the gradient is not. A neighbourhood inside a thick stroke or a filled shape is all ink: where one colour
    fills more than half of the picture, whatever differs from that is ink as well.
    """
    local = cv2.medianBlur(np.ascontiguousarray(before), _WINDOW)
    found = _differs(before, local)
    pixels = before.reshape(-1, 3)
    codes = (pixels.astype(np.uint32) >> 3) @ np.array([1 << 10, 1 << 5, 1], dtype=np.uint32)
    values, counts = np.unique(codes, return_counts=True)
    winner = int(counts.argmax())
    if counts[winner] > _DOMINANT * len(codes):
        ground = np.median(pixels[codes == values[winner]], axis=0).astype(np.uint8)
        found = found | _differs(before, np.broadcast_to(ground, before.shape))
    return found


def covered_ink(before: Pixels, after: Pixels) -> int:
    """How many pixels of the drawing's ink were changed, light backing included; 0 is what a picture must have.

    Args:
        before: the drawing at the size at which marks were burnt in.
        after: the same with marks.

    Raises:
        ValueError: the two differ in size.
    """
    if before.shape != after.shape:
        raise ValueError(f"pictures of {before.shape} and {after.shape} cannot be compared")
    return int((changed_pixels(before, after) & original_ink(before)).sum())


def covered_drawings(sidecar: Sidecar, before: Pixels, after: Pixels) -> int:
    """The same summed over the drawings of a vision-rich picture; ground added around them has no ink."""
    total = 0
    for diagram in sidecar.diagrams:
        box = diagram.box
        part = np.s_[box.y : box.y + box.height, box.x : box.x + box.width]
        total += covered_ink(before[part], after[part])
    return total


def changed_pixels(before: Pixels, after: Pixels) -> Mask:
    """Where two pictures of one size differ."""
    off = np.abs(before.astype(np.int16) - after.astype(np.int16)).max(axis=2)
    found: Mask = off >= _CHANGED
    return found


def _differs(first: Pixels, second: NDArray[np.uint8]) -> Mask:
    found: Mask = np.abs(first.astype(np.int16) - second.astype(np.int16)).max(axis=2) > _DIFFERENT
    return found
