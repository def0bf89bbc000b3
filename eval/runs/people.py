"""Who answered a run, where people did: group figures without names."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from benchwright.schemas.records import Record

PEOPLE_NAME = "human.json"
"""File in the run folder."""


class People(Record):
    """People behind a run of the model `human/...`."""

    people: tuple[str, ...]
    """Pseudonyms, sorted."""
    items: Annotated[int, Field(ge=0)]
    """Rows of the run: those that somebody answered or gave up on."""
    answered: Annotated[int, Field(ge=0)]
    undecided: dict[str, int]
    """Rows without an answer by why: `cannot-decide`, `item-faulty`. They count as no answer."""
    median_seconds: float | None
    """Of all rows whose time is known, in seconds; None where none is."""
    timed: Annotated[int, Field(ge=0)]
    """Rows whose time is known."""
    met_before: Annotated[int, Field(ge=0)]
    """Rows of a problem that the same person had answered in another version or language before."""
    several: Annotated[int, Field(ge=0)] = 0
    """Rows that several people answered; one of them, drawn by digest, counts (only in `human/all`)."""
    stale: Annotated[int, Field(ge=0)]
    """Answers that were left out because the row they are about has changed since."""
    unknown: Annotated[int, Field(ge=0)]
    """Answers that were left out because the release has no such row in its scored splits."""
