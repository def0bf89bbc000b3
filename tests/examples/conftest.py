"""The cleanliness check of a diagram, shared by the tests of the default and of other parameters."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from benchwright.examples.canvas import Box, Drawing, rasterise

INK_DISTANCE = 40
"""Grey levels from white at which a pixel counts as ink, as the renderer's."""
TEXT_PIXELS = 32
"""Height of the renderer's text; a spot must take a line of it."""


def inked(pixels: npt.NDArray[np.uint8], box: Box, margin: int = 0) -> int:
    """Dark pixels in a box, its border widened by a margin."""
    height, width, _ = pixels.shape
    left, right = round(box.x * width) - margin, round((box.x + box.w) * width) + margin
    top, bottom = round(box.y * height) - margin, round((box.y + box.h) * height) + margin
    part = pixels[max(top, 0) : bottom, max(left, 0) : right]
    return int((part.min(axis=2) < 255 - INK_DISTANCE).sum())


def overlap(a: Box, b: Box) -> bool:
    return a.x < b.x + b.w and b.x < a.x + a.w and a.y < b.y + b.h and b.y < a.y + a.h


def inside(box: Box) -> bool:
    return box.x >= 0 and box.y >= 0 and box.x + box.w <= 1 and box.y + box.h <= 1


def check_labels(drawing: Drawing) -> None:
    bare = rasterise(drawing.svg_bare)
    for i, label in enumerate(drawing.labels):
        assert inside(label.box), label
        if not label.patched:
            assert inked(bare, label.box) == 0, label
        for other in drawing.labels[i + 1 :]:
            assert not overlap(label.box, other.box), (label, other)


def check_spots(drawing: Drawing) -> None:
    with Image.open(io.BytesIO(drawing.png)) as image:
        pixels = np.asarray(image.convert("RGB"))
    spots = list(drawing.spots.items())
    for i, (name, spot) in enumerate(spots):
        assert inside(spot.box), name
        assert spot.box.h * drawing.height >= 1.3 * TEXT_PIXELS, name
        assert inked(pixels, spot.box, margin=3) == 0, name
        for other, second in spots[i + 1 :]:
            assert not overlap(spot.box, second.box), (name, other)


@pytest.fixture
def clean() -> Callable[[Drawing], None]:
    """Fails where a label lies on ink or on another label, or where a spot is not free ground."""

    def check(drawing: Drawing) -> None:
        check_labels(drawing)
        check_spots(drawing)

    return check
