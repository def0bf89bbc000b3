"""What a proposer is: which units of a job it answers, and how it answers one.

A proposer that asks models implements `Proposer`, one that works by rule or embedding `EmbeddedProposer`. Both are
run by `benchwright.curation.proposers.stage`, which owns files, locks, call store, budget and progress.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import JsonValue

from benchwright.curation.ingest_rows import picture_refs
from benchwright.curation.proposers.panel import Panel
from benchwright.schemas.jobs import Proposal, problem_id, shown_digest
from benchwright.schemas.records import (
    ImageRef,
    Language,
    LocalizedText,
    Question,
    QuestionType,
    Rejected,
)
from benchwright.schemas.selection import Estimate

OnItem = Callable[[int, int], None]
"""Told (done, total)."""
Proposed = tuple[list[Proposal], list[Rejected]]


@dataclass(frozen=True)
class Item:
    """A selected question as it stands now: the source's texts, and what proposals and verdicts made of them."""

    question: Question
    texts: Mapping[Language, LocalizedText]
    """The source's texts, translations, conversions and decompositions, by language."""
    source_texts: Mapping[Language, LocalizedText]
    """The same before any conversion to multiple choice: what that job is about."""
    question_type: QuestionType
    """Of `texts`: single-choice where a free-form question was converted."""
    estimate: Estimate | None = None
    subject: str | None = None
    """As reviewed, else as proposed."""
    difficulty: int | None = None
    dev: bool = False
    """True for few-shot examples, which are never scored."""

    @property
    def item_id(self) -> str:
        """The problem's id."""
        return problem_id(self.question.id)

    @property
    def language(self) -> Language:
        """The language of the source."""
        return self.question.language

    @property
    def pictures(self) -> tuple[ImageRef, ...]:
        """The pictures in the order in which they are shown: the question's, then the options'."""
        return tuple(picture_refs({"": self.question.text}, self.question.images))


@dataclass(frozen=True)
class Unit:
    """One thing to be proposed: an item, in one language where the job is per language."""

    job: str
    item_id: str
    language: Language | None
    view: Mapping[str, Any]
    """What is shown, and what the proposal's digest is of (see the views of `schemas.jobs`)."""
    item: Item | None
    """None only for units that are no question, e.g. a discipline's taxonomy."""

    @property
    def digest(self) -> str:
        """Digest of what is shown."""
        return shown_digest(dict(self.view))

    def proposal(
        self,
        field: str,
        value: JsonValue,
        *,
        model: str,
        confidence: float | None = None,
        prompt_hash: str | None = None,
        call_id: str | None = None,
    ) -> Proposal:
        """A proposal about this unit."""
        return Proposal(
            job=self.job,
            item_id=self.item_id,
            language=self.language,
            field=field,
            digest=self.digest,
            value=value,
            confidence=confidence,
            model=model,
            prompt_hash=prompt_hash,
            call_id=call_id,
        )

    def rejected(self, stage: str, reason: str, detail: str = "") -> Rejected:
        """A record that this unit has no proposal, and why."""
        return rejected(stage, self.item_id, reason, detail, self.language)


@dataclass(frozen=True)
class Plan:
    """The units of one discipline, and the items that need no proposal, each with its reason."""

    units: tuple[Unit, ...]
    not_applicable: tuple[Rejected, ...] = ()


class Planner(Protocol):
    """What every proposer is: a job, and the units of it that a discipline has."""

    @property
    def command(self) -> str:
        """Its command below `curate`, e.g. `translate`; names the stage in rejections."""

    @property
    def job(self) -> str:
        """Its job in `schemas.jobs`; names the files, and its `[models.JOB]` in the recipe."""

    @property
    def signature(self) -> JsonValue:
        """Everything of its own that decides the result: prompt digests, rule versions, settings."""

    def plan(self, discipline: str, items: Sequence[Item]) -> Plan:
        """The units of a discipline; an item that does not need one is listed with a reason."""


class Proposer(Planner, Protocol):
    """Proposes by asking models."""

    async def propose(self, unit: Unit, panel: Panel) -> Sequence[Proposal]:
        """Answer one unit. Must ask through `panel` alone.

        Raises:
            ItemError: no proposal can be made; the reason is a `CallStatus` or a code of the proposer's own.
        """


class EmbeddedProposer(Planner, Protocol):
    """Proposes by rule or embedding: no model is called, nothing leaves the machine, and `model` says so."""

    def propose(self, unit: Unit) -> Sequence[Proposal]:
        """Answer one unit.

        Raises:
            ItemError: the rule does not apply.
        """


def rejected(
    stage: str, item_id: str, reason: str, detail: str = "", language: Language | None = None
) -> Rejected:
    """A rejection; the language, which `Rejected` has no field for, stands in front of the detail."""
    words = f"[{language}] {detail}".rstrip() if language else detail
    return Rejected(item_id=item_id, stage=stage, reason=reason, detail=words)
