"""Thresholds of the legibility gate, chosen on the calibration half of its test (`docs/acceptance/legibility.txt`)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from benchwright.schemas.digest import digest_of
from benchwright.schemas.records import Record

GATE_VERSION = 2
"""Raised when the same picture may get another verdict, so that old verdicts are made anew."""


class Thresholds(Record):
    """Where the gate draws its lines. Every share is a fraction, every length an em unless it says pixels."""

    misread: Annotated[int, Field(ge=0)] = 0
    """Edits between known and read text, after folding look-alikes, that a line may have."""
    differing: float = 0.006
    """Pixels of a line that differ from the line drawn again, per square em."""
    stray: float = 0.02
    """The same outside all lines, formulas and drawings."""
    drawing: float = 0.001
    """Share of a drawing's pixels that may differ from the published image at that size."""
    colour_step: int = 48
    """Grey levels (largest channel) from which a pixel differs."""
    contrast: float = 4.5
    """Ink against each ground pixel beside it (WCAG 2.2, 1.4.3)."""
    sharpness: float = 0.85
    """Sum of gradients on the page against those of the line drawn again."""
    photo_contrast: float = 4.5
    """The same in photographs, whose ink and paper have the light of the place."""
    photo_likeness: float = 0.985
    """Photographs: correlation with what was drawn again and projected, in the worst stretch of a line."""
    photo_sharpness: float = 0.4
    photo_drawing: float = 0.5
    """Photographs: the same correlation over a whole drawing."""
    smallest_text: int = 14
    """Pixels an em."""
    smallest_formula: int = 12
    collisions: int = 3
    """Solid pixels that two texts or formulas may share."""
    width_low: float = 0.80
    width_high: float = 1.28
    width_slack: float = 0.35
    """A formula's width against the second engine's: ratio, or difference in em for short ones."""

    @property
    def digest(self) -> str:
        """Digest of all thresholds and the gate's version."""
        return digest_of({"gate": GATE_VERSION, **self.model_dump(mode="json")})


DEFAULT = Thresholds()
