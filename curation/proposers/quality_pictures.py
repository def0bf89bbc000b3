"""What can be measured in a picture: blank, faint, blurred, too small; and how much is drawn in it.

A number says nothing about whether the picture is right or belongs to the question. The limits lie beyond all but the
worst of 1,399 pictures of real exam questions, so that what is flagged is worth a look.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from PIL import Image

from benchwright.curation.proposers.quality_faults import Fault
from benchwright.render.inkmap import ground_colour, ink_of

BLANK_INK = 0.0005
"""Share of pixels below which nothing is drawn; the emptiest of the real pictures has 0.01."""
FAINT_CONTRAST = 40.0
"""Grey levels (of 255) between ground and the darkest twentieth of the ink; the faintest real picture has 48."""
BLURRED_EDGE = 0.12
"""Grey levels per pixel, as a share of the contrast, of the steepest edges; a sharp line has 0.5. The softest of the
real pictures has 0.13; of 150 of them blurred by a Gaussian of 6 (8) pixels three quarters (nearly all) lie below."""
_EDGE_PIXELS = 50
"""The steepness is that of so many pixels at least: few enough for a small drawing, too many for dust."""
SMALL_SIDES = (20, 60)
"""Least shorter and longer side in pixels."""
_PIECE = 6
"""Least number of pixels of a connected piece that counts: dots of a line, not dust."""
RICHNESS_CUTS = (5, 20, 50)
"""Numbers of separate pieces at which richness rises by one level; about the fifths of the real pictures."""


@dataclass(frozen=True)
class Measures:
    """Measures of one picture."""

    width: int
    height: int
    ink: float
    """Share of pixels that differ from the ground, 0..1."""
    contrast: float
    """Grey levels, 0..255."""
    edge: float
    """Steepness of the steepest edges as a share of the contrast, per pixel; 0.5 for a sharp step."""
    laplacian: float
    """Variance of the Laplacian, the usual measure of focus; depends on how much is drawn, so it is shown only."""
    pieces: int
    """Connected pieces of ink: letters, lines, dots, shapes."""


def measure(data: bytes) -> Measures:
    """Measure a published picture (already checked by the loader of `schemas.images`)."""
    with Image.open(io.BytesIO(data)) as opened:
        image = opened.convert("RGB")
    ground = ground_colour(image)
    ink = ink_of(image, ground)
    pixels = np.asarray(image)
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    base = int(cv2.cvtColor(np.array([[ground]], dtype=np.uint8), cv2.COLOR_RGB2GRAY)[0, 0])
    contrast = float(np.percentile(np.abs(grey.astype(np.int16) - base)[ink], 95)) if ink.any() else 0.0
    # An eighth: the Sobel kernel's weights; what is left are grey levels per pixel.
    slope = (
        np.hypot(cv2.Sobel(grey, cv2.CV_32F, 1, 0, ksize=3), cv2.Sobel(grey, cv2.CV_32F, 0, 1, ksize=3)) / 8
    )
    rank = min(_EDGE_PIXELS, slope.size)
    steepest = float(np.partition(slope.ravel(), slope.size - rank)[slope.size - rank])
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    return Measures(
        width=image.width,
        height=image.height,
        ink=float(ink.mean()),
        contrast=contrast,
        edge=steepest / contrast if contrast else 0.0,
        laplacian=float(cv2.Laplacian(grey, cv2.CV_64F).var()),
        pieces=int((stats[1:, cv2.CC_STAT_AREA] >= _PIECE).sum()),
    )


def image_faults(pictures: Sequence[Measures]) -> tuple[Fault, ...]:
    """What is visibly wrong with pictures, in their order; they are counted from 1 in the reasons."""
    return tuple(fault for number, found in enumerate(pictures, start=1) for fault in _faults(number, found))


def _faults(number: int, found: Measures) -> Iterator[Fault]:
    if found.ink < BLANK_INK:
        yield Fault("uninformative", f"Picture {number} is blank: ink on {found.ink:.2%} of it.")
        return
    short, long = sorted((found.width, found.height))
    if short < SMALL_SIDES[0] or long < SMALL_SIDES[1]:
        yield Fault("unclear", f"Picture {number} has only {found.width} x {found.height} pixels.")
    if found.contrast < FAINT_CONTRAST:
        yield Fault("unclear", f"Picture {number} is faint: contrast {found.contrast:.0f} of 255.")
    elif found.edge < BLURRED_EDGE:
        yield Fault("unclear", f"Picture {number} is blurred: its edges rise by {found.edge:.2f} a pixel.")


def richness(pictures: Sequence[Measures]) -> int:
    """Rough visual richness, 1 to 5, from the number of separate pieces drawn; 1 without ink.

    What is drawn is not what is needed: an ornament counts like a scale. An order to look at items in.
    """
    drawn = [found for found in pictures if found.ink >= BLANK_INK]
    if not drawn:
        return 1
    return 2 + sum(sum(found.pieces for found in drawn) >= cut for cut in RICHNESS_CUTS)
