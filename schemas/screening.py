"""What screening leaves behind: one row a question, with every measure that spoke against it.

`curate screen` writes them to `screen/<discipline>.parquet`; choosing takes only questions that were kept.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from benchwright.schemas.records import Record, Sha256


class ScreenFinding(Record):
    """One thing that a check found, whether or not the question is turned away for it."""

    code: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    """Stable kebab-case code, e.g. `answer-not-an-option` or `image-blurred`."""
    severity: Literal["reject", "note"]
    """`reject`: the question is not chosen; `note`: shown to people, counted, nothing more."""
    measure: float | None = None
    """What was measured; None for a check without a number."""
    threshold: float | None = None
    """What it was held against."""
    detail: str = ""
    """What, where, in words."""
    image: Sha256 | None = None
    """The image that the finding is about."""


class ScreenRow(Record):
    """One question after screening."""

    question_id: str
    kept: bool
    """False where any finding rejects."""
    findings: tuple[ScreenFinding, ...] = ()
    """Sorted by code, then image."""
