"""What can be measured in a picture, and what of it is worth a remark.

Ink, contrast and edge steepness are those of `proposers.quality_pictures`: steepness is taken at the steepest edges
alone and as a share of the contrast, so a thin line on white is as sharp as it is drawn, however little ink there is.
The usual variance of the Laplacian would call every sparse drawing blurred.
"""

from __future__ import annotations

import io
from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchwright.curation.proposers.quality_pictures import measure as measure_drawing
from benchwright.curation.screen_codes import Rules
from benchwright.schemas.records import Record, Sha256
from benchwright.schemas.screening import ScreenFinding

MEASURE_VERSION = 1
"""Raised when a measure's meaning changes; old measures are then made anew."""
_SOLID = 0.5
"""A pixel belongs to a stroke when it differs from the ground by this share of the contrast."""
_FRAME = 0.5
"""A run along an edge that is longer than this share of it is a frame or the edge of a shape, not a stroke."""
_PHOTOGRAPH = 0.35
"""Share of the outermost pixels that may be ink in a drawing on a ground; beyond it there is no ground."""
_DEPTH = 4
"""Pixels that a stroke goes straight into the picture before it counts as one that runs off it."""


class ImageMeasures(Record):
    """Measures of one picture."""

    sha256: Sha256
    width: int
    height: int
    ink: float
    """Share of pixels that differ from the ground, 0..1."""
    contrast: float
    """Grey levels between ground and the darkest twentieth of the ink, 0..255."""
    sharpness: float
    """Rise of the steepest edges as a share of the contrast, per pixel; 0.5 for a sharp step."""
    laplacian: float
    """Variance of the Laplacian; shown, never judged: it grows with the amount of ink."""
    ground: float
    """Grey level of the ground, 0..255."""
    cut: int
    """Strokes that run off the edge."""
    cut_sides: str = ""
    """On which sides: some of `tblr`."""
    marks: tuple[ScreenFinding, ...] = ()
    """Marks that were read in it (`screen_watermarks`); their threshold is open."""


def measure_image(sha256: str, data: bytes) -> ImageMeasures:
    """Measure a published picture (already checked by the loader of `schemas.images`)."""
    found = measure_drawing(data)
    with Image.open(io.BytesIO(data)) as opened:
        grey = np.asarray(opened.convert("L"))
    ground = _commonest(grey)
    sides = _strokes_off(grey, ground, found.contrast)
    return ImageMeasures(
        sha256=sha256,
        width=found.width,
        height=found.height,
        ink=round(found.ink, 6),
        contrast=round(found.contrast, 2),
        sharpness=round(found.edge, 4),
        laplacian=round(found.laplacian, 1),
        ground=round(ground, 1),
        cut=sum(sides.values()),
        cut_sides="".join(side for side, count in sides.items() if count),
    )


def image_findings(found: ImageMeasures, rules: Rules) -> Iterator[ScreenFinding]:
    """What speaks against a picture; of one without ink nothing else is said."""
    sha = found.sha256
    if found.ink < rules.value("image-blank"):
        yield from rules.found("image-blank", f"ink on {found.ink:.3%} of it", measure=found.ink, image=sha)
        return
    size = f"{found.width} x {found.height} pixels"
    short, long = sorted((found.width, found.height))
    checks = (
        ("image-small", long, long < rules.value("image-small"), size),
        ("image-thin", short, short < rules.value("image-thin"), size),
        (
            "image-faint",
            found.contrast,
            found.contrast < rules.value("image-faint"),
            f"contrast {found.contrast:.0f} of 255",
        ),
        (
            "image-blurred",
            found.sharpness,
            found.sharpness < rules.value("image-blurred"),
            f"its edges rise by {found.sharpness:.2f} a pixel",
        ),
        (
            "image-dark",
            found.ground,
            found.ground < rules.value("image-dark"),
            f"its ground is grey level {found.ground:.0f}",
        ),
        (
            "image-cut",
            found.cut,
            found.cut >= rules.value("image-cut"),
            f"{found.cut} strokes run into its edge ({_side_names(found.cut_sides)})",
        ),
    )
    for code, measure, against, detail in checks:
        if against:
            yield from rules.found(code, detail, measure=float(measure), image=sha)
    for mark in found.marks:
        if mark.measure is not None and mark.measure >= rules.value("watermark"):
            yield from rules.found("watermark", mark.detail, measure=mark.measure, image=sha)


def _commonest(grey: NDArray[np.uint8]) -> float:
    """The grey level that most of a picture has: the middle of the fullest of sixteen ranges."""
    counts = cv2.calcHist([grey], [0], None, [256], [0, 256]).ravel()
    fullest = int(counts.reshape(16, 16).sum(axis=1).argmax()) * 16
    inside = counts[fullest : fullest + 16].cumsum()
    return float(fullest + np.searchsorted(inside, inside[-1] / 2))


def _side_names(sides: str) -> str:
    names = {"t": "top", "b": "bottom", "l": "left", "r": "right"}
    return ", ".join(names[side] for side in sides)


def _strokes_off(grey: NDArray[np.uint8], ground: float, contrast: float) -> dict[str, int]:
    """Strokes that run off each side: runs of solid ink on the outermost line that go straight inwards.

    A tight crop touches its outermost strokes alongside, and a frame covers a whole side; both are no cuts.
    """
    none = dict.fromkeys("tblr", 0)
    if contrast <= 0 or min(grey.shape) < 4 * _DEPTH:
        return none
    solid = np.abs(grey.astype(np.float32) - ground) > _SOLID * contrast
    ring = np.concatenate([solid[0], solid[-1], solid[:, 0], solid[:, -1]])
    if ring.mean() > _PHOTOGRAPH:
        return none
    bands = {
        "t": solid[:_DEPTH],
        "b": solid[::-1][:_DEPTH],
        "l": solid[:, :_DEPTH].T,
        "r": solid[:, ::-1][:, :_DEPTH].T,
    }
    return {side: _runs_inwards(band) for side, band in bands.items()}


def _runs_inwards(band: NDArray[np.bool_]) -> int:
    """Runs on a band's first line, shorter than half of it, with a column that is ink to the band's depth."""
    edge = np.concatenate([[False], band[0], [False]]).astype(np.int8)
    starts, ends = np.flatnonzero(np.diff(edge) == 1), np.flatnonzero(np.diff(edge) == -1)
    deep: NDArray[np.bool_] = np.logical_and.reduce(band, axis=0)
    longest = _FRAME * band.shape[1]
    return sum(
        bool(deep[start:end].any()) and end - start < longest for start, end in zip(starts, ends, strict=True)
    )
