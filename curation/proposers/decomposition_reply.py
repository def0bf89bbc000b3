"""A model's reply about one decomposition, and the record that is built from it.

Models quote well and count badly: a condition is quoted as it stands in the stem (with the number of the occurrence
where it stands there more than once), and its place is found here.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchwright.schemas.records import (
    Condition,
    Decomposition,
    KnowledgeCue,
    KnowledgeDetail,
    Mark,
    Show,
)

_BLANKS = re.compile(r"\s+")


class Unbuilt(ValueError):
    """A reply from which no decomposition can be built; the message is for the model."""


class ConditionReply(BaseModel):
    """A condition: quoted, never counted in characters."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,23}$")]
    quote: Annotated[str, Field(min_length=1)]
    occurrence: Annotated[int, Field(ge=1)] = 1
    show: Literal["on-diagram", "already-there", "text"] = "text"
    labels: list[str] = []


class TermReply(BaseModel):
    """A piece of knowledge."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    term: Annotated[str, Field(min_length=1)]
    detail: Annotated[str, Field(min_length=1)]


class DecompositionReply(BaseModel):
    """The form of a reply."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    stem: Annotated[str, Field(min_length=1)]
    conditions: list[ConditionReply] = []
    core_question: Annotated[str, Field(min_length=1)]
    cue: Annotated[str, Field(min_length=1)]
    terms: Annotated[list[TermReply], Field(min_length=1)]


def built(reply: DecompositionReply) -> Decomposition:
    """The record that a reply means; its conditions in reading order.

    Raises:
        Unbuilt: a quote is not in the stem, two conditions overlap, or the record refuses something.
    """
    complaints: list[str] = []
    conditions: list[Condition] = []
    for condition in reply.conditions:
        place = place_of(reply.stem, condition.quote, condition.occurrence)
        if place is None:
            times = reply.stem.count(condition.quote)
            complaints.append(
                f"condition {condition.id}: {condition.quote!r} stands {times} times in the stem, and occurrence "
                f"{condition.occurrence} was named; quote the stem letter by letter"
            )
            continue
        try:
            conditions.append(
                Condition(
                    id=condition.id,
                    start=place[0],
                    end=place[1],
                    show=Show(condition.show),
                    marks=tuple(Mark(label=label.strip()) for label in condition.labels if label.strip())
                    if condition.show == "on-diagram"
                    else (),
                )
            )
        except ValidationError as error:
            complaints.append(_in_words(error))
    if complaints:
        raise Unbuilt("; ".join(complaints))
    try:
        return Decomposition(
            stem=reply.stem,
            conditions=tuple(sorted(conditions, key=lambda c: c.start)),
            core_question=reply.core_question.strip(),
            knowledge_cue=KnowledgeCue(
                terms=tuple(term.term.strip() for term in reply.terms), sentence=reply.cue.strip()
            ),
            knowledge_detail=tuple(
                KnowledgeDetail(term=term.term.strip(), text=term.detail.strip()) for term in reply.terms
            ),
        )
    except ValidationError as error:
        raise Unbuilt(_in_words(error)) from error


def complaint(reply: DecompositionReply) -> str | None:
    """Why a reply cannot be used at all; None where it can."""
    try:
        built(reply)
    except Unbuilt as error:
        return str(error)
    return None


def place_of(stem: str, quote: str, occurrence: int = 1) -> tuple[int, int] | None:
    """Where a quote stands in the stem, as a half-open span; blanks may differ, nothing else.

    Args:
        stem: the text.
        quote: words of it.
        occurrence: 1 for the first place where they stand.
    """
    wanted = quote.strip()
    if not wanted:
        return None
    start = -1
    for _ in range(occurrence):
        start = stem.find(wanted, start + 1)
        if start < 0:
            break
    if start >= 0:
        return start, start + len(wanted)
    pattern = r"\s*".join(re.escape(char) for char in _BLANKS.sub("", wanted))
    found = list(re.finditer(pattern, stem))
    if len(found) < occurrence:
        return None
    return found[occurrence - 1].span()


def _in_words(error: ValidationError) -> str:
    return "; ".join(
        str(fault["msg"]).removeprefix("Value error, ") for fault in error.errors(include_url=False)
    )
