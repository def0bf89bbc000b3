"""What was drawn, beside every picture: read by the legibility gate, the release, the review and the tests."""

from __future__ import annotations

from pydantic import JsonValue

from benchwright.schemas.records import Record, Sha256

RENDERER_VERSION = 1
"""Raised when the same input gives other pixels, so that old pictures are made anew."""


class Rect(Record):
    """A rectangle in pixels of the finished picture."""

    x: int
    y: int
    width: int
    height: int


class LineRecord(Record):
    """One line of text; formulas in it as `$tex$`."""

    box: Rect
    baseline: int
    text: str


class FormulaRecord(Record):
    """One formula: where, and who drew it."""

    box: Rect
    baseline: int
    tex: str
    engine: str
    px: int


class DiagramRecord(Record):
    """Where a diagram stands in the picture."""

    sha256: Sha256
    box: Rect


class MarkRecord(Record):
    """One mark burnt into a diagram."""

    condition: str
    label: str
    image: Sha256
    box: Rect
    place: str
    """`anchor`, `near-anchor`, `leader`, `free` or `band`."""
    leader: tuple[int, int, int, int] | None = None
    arrow: tuple[int, int, int, int] | None = None
    backed: bool = False
    """A light backing was laid under it for contrast."""


class Sidecar(Record):
    """The record of one rendered picture."""

    problem_id: str
    problem_digest: Sha256
    version: str
    language: str
    renderer_version: int
    style: dict[str, JsonValue]
    style_digest: Sha256
    font_sha256: Sha256
    engines: dict[str, str]
    """Version of each engine of the chain."""
    png_sha256: Sha256
    width: int
    height: int
    shown: tuple[str, ...] = ()
    """Ids of the conditions that the picture shows (vision-rich)."""
    unshown: dict[str, str] = {}
    """Conditions meant for the picture that found no place, with the reason; they stay in the text."""
    lines: tuple[LineRecord, ...] = ()
    formulas: tuple[FormulaRecord, ...] = ()
    diagrams: tuple[DiagramRecord, ...] = ()
    marks: tuple[MarkRecord, ...] = ()
    counts: dict[str, int] = {}
    """Repairs, adaptations and engines used, each with how often."""
    warnings: tuple[str, ...] = ()
