"""What the gate says of a picture: the record that is kept beside it."""

from __future__ import annotations

from enum import StrEnum

from benchwright.render.legibility_thresholds import GATE_VERSION
from benchwright.render.sidecar import Rect
from benchwright.schemas.records import Record, Sha256


class GateState(StrEnum):
    """What the gate says of a picture."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_JUDGED = "not-judged"


class InkMeasure(Record):
    """Ink as measured on the pixels; None where there is too little of it to say."""

    differing: float
    """Pixels that differ from the page drawn again, per square em; on photographs ink where none should be."""
    contrast: float | None = None
    """Against the worst of the ground beside it (WCAG 2.2)."""
    sharpness: float | None = None
    """Gradients against those of the page drawn again: 1 for equal."""
    likeness: float | None = None
    """Photographs: correlation with the page drawn again, in the worst stretch."""


class LineVerdict(Record):
    """One text line: what it says, what was read, what is wrong."""

    box: Rect
    expected: str
    """Its text without formulas."""
    read: str | None = None
    score: float | None = None
    characters: int = 0
    """Comparable characters that it has."""
    errors: int = 0
    """Edits between them and what was read."""
    unknown: int = 0
    """Characters that the reader cannot be asked for: each may be read as something else."""
    px: int = 0
    """Text size: pixels an em; 0 where the line has no text."""
    collisions: int = 0
    """Solid pixels shared with another text or formula."""
    ink: InkMeasure
    codes: tuple[str, ...] = ()


class FormulaVerdict(Record):
    """One formula: its width against the second engine's, what is wrong."""

    tex: str
    engine: str
    ratio: float | None = None
    """None: there is no second opinion."""
    width: float
    """In em."""
    px: int
    collisions: int = 0
    outside: bool = False
    """Its ink leaves its box by more than a quarter em."""
    ink: InkMeasure
    codes: tuple[str, ...] = ()


class GateResult(Record):
    """The verdict on one picture."""

    problem_id: str
    version: str
    language: str
    style: str
    png_sha256: Sha256
    sidecar_sha256: Sha256
    """Digest of the sidecar's canonical form."""
    gate_version: int = GATE_VERSION
    thresholds: Sha256
    reader: str | None
    """Name and version of the recogniser; None: nothing was read."""
    state: GateState
    codes: tuple[str, ...] = ()
    """Why it failed, sorted."""
    reason: str | None = None
    """Why it could not be judged."""
    characters: int = 0
    errors: int = 0
    """Sums over the lines."""
    unverified_formulas: int = 0
    """Formulas without a second opinion."""
    lines: tuple[LineVerdict, ...] = ()
    formulas: tuple[FormulaVerdict, ...] = ()
