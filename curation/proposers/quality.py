"""`curate assess`: is a question good enough for a benchmark? Read by models, tried by models, decided by people.

Faults of text and picture, each with its reason, two ratings from 1 to 5, and a decision that follows from the faults
by the rule `REMEDIES`. On request also trial solutions (is the *answer* right?) and a profile without the picture (is
it needed?); both are about the source alone and are made once an item, in its own language.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from benchwright.curation.ingest_pool import source_ids
from benchwright.curation.proposers.panel import Ballot, Panel
from benchwright.curation.proposers.quality_blind import (
    Try,
    blind_profile,
    blind_prompt,
    blind_tries,
    not_applicable,
    other_pictures,
    ring_of_pictures,
)
from benchwright.curation.proposers.quality_embedded import FOUND, MODEL, Visible, rules_signature, visible
from benchwright.curation.proposers.quality_faults import (
    IMAGE_FAULTS,
    REMEDIES,
    TEXT_FAULTS,
    Fault,
    Tally,
    codes_of,
    decision_of,
    fault_code,
    level_list,
    middle,
    reason_text,
    tally,
)
from benchwright.curation.proposers.quality_rotation import BlindRule
from benchwright.curation.proposers.quality_shown import (
    PROMPT_VERSION,
    with_answer,
)
from benchwright.curation.proposers.quality_solve import (
    AnswerCheck,
    answer_check,
    solve_prompt,
    solve_requests,
)
from benchwright.curation.proposers.unit import Item, Plan, Unit
from benchwright.models.chat import Call, ChatRequest
from benchwright.models.prompts import PROMPT_LANGUAGES, Prompt, fence, load_prompt, prompt_language
from benchwright.schemas.digest import digest_of
from benchwright.schemas.errors import ItemError
from benchwright.schemas.jobs import Proposal, quality_view
from benchwright.schemas.quality_levels import LEVELS
from benchwright.schemas.records import ImageRef, LocalizedText
from benchwright.schemas.status import OUTCOME_OF_STATUS, CallStatus, Outcome
from benchwright.schemas.workspace import Workspace

JOB = "quality"
_PICTURES = {
    "en": ("it has no picture", "one picture belongs to it", "{n} pictures belong to it"),
    "zh": ("它没有图", "它有一幅图", "它有 {n} 幅图"),
}


class FaultReply(BaseModel):
    """One fault as a model names it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    reason: Annotated[str, Field(min_length=1)]
    fault: str


class QualityReply(BaseModel):
    """The form of a reply; further keys are let pass, a missing one is not."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text_faults: tuple[FaultReply, ...]
    image_faults: tuple[FaultReply, ...]
    complexity_reason: str
    knowledge_complexity: Annotated[int, Field(ge=1, le=5)]
    richness_reason: str
    visual_richness: Annotated[int, Field(ge=1, le=5)]


@dataclass(frozen=True)
class QualityUnit(Unit):
    """A question in one language, with the pictures of other items that stand in for its own."""

    others: tuple[ImageRef, ...] = ()


@dataclass(frozen=True)
class QualityProposer:
    """Asks models about the quality of questions.

    Attributes:
        workspace: knows which sources may not leave the machine.
        solve: trial solutions by each model; 0 leaves them out.
        blind: least number of tries by each model in each condition without the picture; 0 leaves them out.
        seed: chooses the wrong pictures.
        rule: when a rate without the picture is called high.
    """

    workspace: Workspace
    solve: int = 0
    blind: int = 0
    seed: int = 20240901
    rule: BlindRule = field(default_factory=BlindRule)
    command: str = "assess"
    job: str = JOB

    @property
    def signature(self) -> JsonValue:
        """Prompts, levels, rules and numbers of tries."""
        prompts = [assess_prompt] + [solve_prompt] * bool(self.solve) + [blind_prompt] * bool(self.blind)
        return {
            "prompts": [prompt(language).sha256 for prompt in prompts for language in PROMPT_LANGUAGES],
            "levels": digest_of({kind: dict(by_language) for kind, by_language in LEVELS.items()}),
            "remedies": dict(REMEDIES),
            "rules": rules_signature(),
            "solve": self.solve,
            "blind": self.blind,
            "seed": self.seed,
            "rule": self.rule.value,
        }

    def plan(self, discipline: str, items: Sequence[Item]) -> Plan:
        """One unit for each language in which the question stands before any conversion."""
        private = self._private(items) if self.blind else frozenset()
        # A picture of a source that must stay here may only be shown beside a question that stays, too.
        everybody = ring_of_pictures(items)
        public = ring_of_pictures(item for item in items if item.item_id not in private)
        units = []
        for item in items:
            ring = everybody if item.item_id in private else public
            others = other_pictures(item, ring, self.seed) if self.blind else ()
            for language, text in sorted(item.source_texts.items()):
                view = quality_view(text, item.question.images)
                stand_in = others if language == item.language else ()
                units.append(QualityUnit(JOB, item.item_id, language, view, item, stand_in))
        return Plan(tuple(units))

    def _private(self, items: Sequence[Item]) -> frozenset[str]:
        """Items whose source, or the file they came in, must not reach an external model."""
        sources = self.workspace.recipe.sources
        names = {name for name, source in sources.items() if not source.allow_external}
        ids = {question_id for name in names for question_id in source_ids(self.workspace, name)}
        return frozenset(
            item.item_id for item in items if item.question.source in names or item.question.id in ids
        )

    async def propose(self, unit: Unit, panel: Panel) -> Sequence[Proposal]:
        """Assess one question in one language, and try it where that was asked for.

        Raises:
            ItemError: no usable assessment, or a call did not come through.
        """
        assert isinstance(unit, QualityUnit) and unit.item is not None and unit.language is not None
        item, own = unit.item, unit.language == unit.item.language
        text = item.source_texts[unit.language]
        solve = solve_requests(item, panel, self.solve) if self.solve and own else []
        tries, no_profile = self._tries(item, unit.others, panel) if self.blind and own else ([], None)
        asked = [*solve, *((made.member, made.request) for made in tries)]
        ballots, calls = await _all(
            panel.poll(
                item.item_id,
                assess_request(item, text, unit.language),
                item.pictures,
                QualityReply,
                _Check(bool(item.pictures)),
            ),
            [panel.call(request, member=member) for member, request in asked],
        )
        solved, tried = calls[: len(solve)], calls[len(solve) :]
        check = answer_check(item, solve, solved) if solve else None
        proposals = _assessment(unit, panel, ballots, check, visible(panel.workspace, item, text))
        prompt = solve_prompt(item.language)
        if check is not None:
            proposals.append(
                _said(unit, panel, "answer_check", check.value, check.confidence, prompt, solved)
            )
        if tries:
            profile = blind_profile(item, tries, tried, self.rule)
            proposals.append(_said(unit, panel, "blind", profile, None, blind_prompt(item.language), tried))
        elif no_profile is not None:
            proposals.append(unit.proposal("blind", no_profile, model=MODEL))
        return proposals

    def _tries(
        self, item: Item, others: Sequence[ImageRef], panel: Panel
    ) -> tuple[list[Try], dict[str, JsonValue] | None]:
        try:
            return blind_tries(item, others, panel, self.blind), None
        except ItemError as error:
            return [], not_applicable(error)


def assess_prompt(language: str) -> Prompt:
    """The prompt for a text in `language`."""
    return load_prompt("benchwright.curation", "assess", prompt_language(language), PROMPT_VERSION)


def assess_request(item: Item, text: LocalizedText, language: str) -> str:
    """The prompt about one question in one language, its texts fenced."""
    spoken = prompt_language(language)
    count = len(item.pictures)
    return assess_prompt(language).fill(
        discipline=item.question.discipline,
        pictures=_PICTURES[spoken][min(count, 2)].format(n=count),
        complexity=level_list("complexity", spoken),
        richness=level_list("richness", spoken),
        grade=fence(item.question.grade or "-", "grade"),
        chapter=fence(item.question.chapter or "-", "chapter"),
        question=fence(with_answer(text, len(item.question.images)), "question"),
    )


class _Check:
    """Complains about a reply that names no known fault, gives no reason, or finds fault with a missing picture."""

    def __init__(self, has_picture: bool) -> None:
        self.has_picture = has_picture

    def __call__(self, request: ChatRequest, reply: QualityReply) -> str | None:
        for name, said, known in (
            ("text_faults", reply.text_faults, TEXT_FAULTS),
            ("image_faults", reply.image_faults, IMAGE_FAULTS),
        ):
            for fault in said:
                if fault_code(fault.fault, known) is None:
                    return f"{name}: fault must be one of {', '.join(known)}"
                if not fault.reason.strip():
                    return f"{name}: {fault.fault} needs a reason"
        if reply.image_faults and not self.has_picture:
            return "image_faults must be empty: the problem has no picture"
        return None


def _assessment(
    unit: Unit,
    panel: Panel,
    ballots: Sequence[Ballot[QualityReply]],
    check: AnswerCheck | None,
    seen: Visible,
) -> list[Proposal]:
    """What the ballots say together, and what rules see; with several ballots, confidence is their agreement."""
    assert unit.language is not None
    usable = _usable(ballots)
    replies = [reply for reply, _ in usable]
    share = len(usable) / len(ballots)
    one_voice = len(ballots) == 1
    text = _verdict([_faults(r.text_faults, TEXT_FAULTS) for r in replies], seen.text, TEXT_FAULTS)
    image = _verdict([_faults(r.image_faults, IMAGE_FAULTS) for r in replies], seen.image, IMAGE_FAULTS)
    complexity, complexity_share = middle([reply.knowledge_complexity for reply in replies])
    richness, richness_share = middle([reply.visual_richness for reply in replies])
    doubts = check.faults(unit.language) if check is not None else ()
    faults = (*text.faults, *image.faults, *doubts)
    certain = 0.0 if doubts else min(text.agreement, image.agreement)
    rows: list[tuple[str, JsonValue, float]] = [
        ("text_faults", codes_of(text.faults, TEXT_FAULTS), text.agreement),
        ("image_faults", codes_of(image.faults, IMAGE_FAULTS), image.agreement),
        ("knowledge_complexity", complexity, complexity_share),
        ("visual_richness", richness, richness_share),
        ("decision", decision_of(fault.code for fault in faults), certain),
    ]
    if faults:
        rows.append(("reason", reason_text(faults), certain))
    return [
        unit.proposal(
            name,
            value,
            model=panel.names,
            # One ballot agrees with itself, which says nothing. Where rules or solvers object, it is to be seen first.
            confidence=None if one_voice and confidence == 1 else round(share * confidence, 4),
            prompt_hash=assess_prompt(unit.language).sha256,
            call_id=usable[0][1],
        )
        for name, value, confidence in rows
    ]


def _verdict(ballots: Sequence[Sequence[Fault]], seen: Sequence[Fault], order: Sequence[str]) -> Tally:
    """The ballots' faults, and those that a rule sees and the ballots do not."""
    found = tally(ballots, order)
    named = {fault.code for fault in found.faults}
    missed = [Fault(fault.code, f"[rule] {fault.reason}") for fault in seen if fault.code not in named]
    if not missed:
        return found
    together = sorted((*found.faults, *missed), key=lambda fault: order.index(fault.code))
    return Tally(tuple(together), min(found.agreement, FOUND))


def _usable(ballots: Sequence[Ballot[QualityReply]]) -> list[tuple[QualityReply, str]]:
    """Replies and their calls; those that a model refused or garbled are left out.

    Raises:
        ItemError: a call did not come through, or there is no reply at all; the reason is the status.
    """
    for ballot in ballots:
        status = ballot.reply.status
        if status is not CallStatus.UNPARSABLE and OUTCOME_OF_STATUS[status] is Outcome.NOT_RUN:
            raise ItemError(str(status), ballot.reply.detail or "")
    usable = [
        (ballot.reply.value, ballot.reply.calls[-1].key)
        for ballot in ballots
        if ballot.reply.value is not None
    ]
    if not usable:
        raise ItemError(str(ballots[0].reply.status), ballots[0].reply.detail or "")
    return usable


def _faults(said: Sequence[FaultReply], known: Sequence[str]) -> list[Fault]:
    found = []
    for fault in said:
        code = fault_code(fault.fault, known)
        assert code is not None, "checked by _Check"
        found.append(Fault(code, fault.reason.strip()))
    return found


def _said(
    unit: Unit,
    panel: Panel,
    name: str,
    value: dict[str, JsonValue],
    confidence: float | None,
    prompt: Prompt,
    calls: Sequence[Call],
) -> Proposal:
    return unit.proposal(
        name,
        value,
        model=panel.names,
        confidence=confidence,
        prompt_hash=prompt.sha256,
        call_id=calls[0].key,
    )


async def _all(
    ballots: Coroutine[Any, Any, list[Ballot[QualityReply]]], calls: Sequence[Coroutine[Any, Any, Call]]
) -> tuple[list[Ballot[QualityReply]], list[Call]]:
    """Await everything, and only then raise what one of them raised: the other replies are paid for and stored."""
    said, *rest = await asyncio.gather(ballots, *calls, return_exceptions=True)
    for result in (said, *rest):
        if isinstance(result, BaseException):
            raise result
    assert isinstance(said, list)
    return said, [call for call in rest if isinstance(call, Call)]
