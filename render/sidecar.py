"""What was drawn, beside every picture: read by the legibility gate, the release, the review and the tests."""

from __future__ import annotations

from pydantic import JsonValue

from benchwright.schemas.records import Record, Sha256

RENDERER_VERSION = 3
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


class RunRecord(Record):
    """One stretch of text between formulas, or between Chinese and Latin letters; its pen starts at (x, y)."""

    x: int
    y: int
    """The baseline's pixel row."""
    width: int
    """Advance width, rounded up."""
    text: str
    px: int
    """Text size: pixels an em."""


class FormulaRecord(Record):
    """One formula: where, and who drew it."""

    box: Rect
    baseline: int
    tex: str
    engine: str
    px: int
    display: bool = False


class DiagramRecord(Record):
    """Where a diagram stands in the picture."""

    sha256: Sha256
    box: Rect
    canvas: Rect | None = None
    """The drawing together with ground added around it for labels (vision-rich)."""


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
    px: int = 0
    """Text size of its label: pixels an em."""
    near: str | None = None
    """The diagram's own label that it was put beside, as read from the drawing (`free` places only)."""


class PhotoRecord(Record):
    """A photographed page. All other boxes of its sidecar are in pixels of the flat page, before the photograph."""

    width: int
    height: int
    """Size of the flat page."""
    matrix: tuple[float, float, float, float, float, float, float, float, float]
    """The projection from the flat page to the picture, in rows (`photo.projected`)."""


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
    photo: PhotoRecord | None = None
    """Set where the page was photographed."""
    shown: tuple[str, ...] = ()
    """Ids of the conditions that the picture shows (vision-rich)."""
    unshown: dict[str, str] = {}
    """Conditions meant for the picture that found no place, with the reason; they stay in the text."""
    lines: tuple[LineRecord, ...] = ()
    runs: tuple[RunRecord, ...] = ()
    rules: tuple[Rect, ...] = ()
    """Filled rectangles: the rules of tables."""
    formulas: tuple[FormulaRecord, ...] = ()
    diagrams: tuple[DiagramRecord, ...] = ()
    marks: tuple[MarkRecord, ...] = ()
    captions: tuple[RunRecord, ...] = ()
    """Numbers below several diagrams, printed black (vision-rich)."""
    text_changed: bool = False
    """Vision-rich shows other conditions than the reviewed ones: its text is cut by rule and must be reviewed."""
    counts: dict[str, int] = {}
    """Repairs, adaptations and engines used, each with how often."""
    warnings: tuple[str, ...] = ()
