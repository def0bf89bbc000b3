"""How large a drawing's own letters are, told from its ink: marks beside them must not look like footnotes.

Letters are pieces of ink of similar height that stand free: neither flat like strokes nor filled like dots. Recognition
would say it better, but a size must not depend on whether a reader is installed.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from benchwright.render.inkmap import Mask

_LOWEST, _TALLEST = 12, 100
"""Heights of letters, in pixels of the working size."""
_WIDEST = 1.5
_FILLED = (0.14, 0.72)
"""Share of its box that a letter's ink fills."""
_FEWEST = 2
"""Letters of one height that are evidence."""
_ALIKE = 1.22
_COMMON = 0.25
"""Of the largest group's number: a group of so many is not chance; the tallest such group are the capitals."""


def letter_height(ink: Mask) -> float | None:
    """Height of the drawing's capitals and digits in pixels, or None where no letters were found.

    Args:
        ink: the drawing's ink, at the size at which it is annotated.
    """
    heights = np.sort(_pieces(ink)[:, cv2.CC_STAT_HEIGHT].astype(np.float64))
    groups = [heights[(heights >= height) & (heights <= height * _ALIKE)] for height in heights]
    most = max(map(len, groups), default=0)
    enough = [group for group in groups if len(group) >= max(_FEWEST, _COMMON * most)]
    return max((float(np.median(group)) for group in enough), default=None)


def letters_of(ink: Mask) -> Mask:
    """The boxes of all pieces of ink that may be letters: beside them a mark would read on from them."""
    found = np.zeros(ink.shape, dtype=bool)
    for x, y, width, height, _ in _pieces(ink):
        found[y : y + height, x : x + width] = True
    return found


def _pieces(ink: Mask) -> NDArray[np.int32]:
    """Left, top, width, height and area of each piece of ink that may be a letter."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    pieces = np.asarray(stats[1:], dtype=np.int32)
    width, height = pieces[:, cv2.CC_STAT_WIDTH], pieces[:, cv2.CC_STAT_HEIGHT]
    fill = pieces[:, cv2.CC_STAT_AREA] / np.maximum(1, width * height)
    letter = (
        (height >= _LOWEST) & (height <= _TALLEST) & (width >= 0.4 * height) & (width <= _WIDEST * height)
    )
    letter &= (fill >= _FILLED[0]) & (fill <= _FILLED[1])
    return pieces[letter]
