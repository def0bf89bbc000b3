"""`curate tag` by chat models: subject, difficulty and knowledge points of each selected question.

A question's text is fenced, so that instructions inside it have no effect. Several models, or several votes of one,
give a confidence: the share of all ballots that named the winner. A reply that cannot be used is a ballot without a
value, and an item without any value is recorded as rejected; nothing is ever put in its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from benchwright.curation.embed import embed_texts, embedding_text
from benchwright.curation.proposers.panel import Ballot, Panel
from benchwright.curation.proposers.tagging_points import Mapped, Vocabulary
from benchwright.curation.proposers.unit import Item, Plan, Unit
from benchwright.curation.proposers.votes import Tally, kept_by_half, middle_winner, tally, winner
from benchwright.models.chat import ChatRequest
from benchwright.models.prompts import PROMPT_LANGUAGES, Prompt, fence, load_prompt, prompt_language
from benchwright.schemas.digest import digest_of
from benchwright.schemas.jobs import Proposal, tagging_view
from benchwright.schemas.records import Question
from benchwright.schemas.taxonomy import Subject

COMMAND = "tag"
JOB = "tagging"
PROMPT_VERSION = "2"
MOST_POINTS = 5
"""More knowledge points in a reply are complained about."""


class TagReply(BaseModel):
    """The form of a reply; further keys are let pass. What a reply leaves out stays unsaid."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    reason: str = ""
    subject: str
    difficulty: Annotated[int, Field(ge=1, le=5)]
    knowledge_points: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Sorting:
    """What a discipline's questions are sorted by."""

    subjects: tuple[Subject, ...]
    vocabulary: Vocabulary


@dataclass(frozen=True)
class Tagger:
    """Asks for tags; a `Proposer`.

    Args:
        fields: by discipline.
    """

    fields: Mapping[str, Sorting]
    command: str = COMMAND
    job: str = JOB

    @property
    def signature(self) -> JsonValue:
        """Prompts, subjects and vocabularies."""
        return {
            "prompts": {language: tagging_prompt(language).sha256 for language in PROMPT_LANGUAGES},
            "subjects": {
                name: digest_of(list(field.subjects)) for name, field in sorted(self.fields.items())
            },
            "vocabularies": {name: field.vocabulary.digest for name, field in sorted(self.fields.items())},
        }

    def plan(self, discipline: str, items: Sequence[Item]) -> Plan:
        """One unit a question, in the language of its source."""
        return tagging_plan(items)

    async def propose(self, unit: Unit, panel: Panel) -> list[Proposal]:
        """Ask the panel, count the votes.

        Raises:
            ItemError: no ballot has a value.
        """
        assert unit.item is not None
        question = unit.item.question
        field = self.fields[question.discipline]
        shortlist = self._shortlist(question, field.vocabulary)
        ballots = await panel.poll(
            unit.item_id,
            tagging_text(question, field.subjects, shortlist),
            unit.item.pictures,
            TagReply,
            lambda request, reply: complaint(request, reply, field.subjects),
        )
        return proposals_of(unit, tally(ballots), field, shortlist, panel)

    def _shortlist(self, question: Question, vocabulary: Vocabulary) -> list[str]:
        if not vocabulary.paths:
            return []
        (vector,) = embed_texts(vocabulary.embedder, [embedding_text(question)])
        return vocabulary.shortlist(vector, question.knowledge_points)


def tagging_plan(items: Sequence[Item]) -> Plan:
    """One unit for each question."""
    return Plan(tuple(Unit(JOB, item.item_id, None, tagging_view(item.question), item) for item in items))


def proposals_of(
    unit: Unit, votes: Tally[TagReply], field: Sorting, shortlist: Sequence[str], panel: Panel
) -> list[Proposal]:
    """The winners of each field, and all ballots."""
    ids = [subject.id for subject in field.subjects]
    subjects = [str(known_subject(reply.subject, field.subjects)) for reply in votes.valid]
    subject = winner(subjects, votes.asked, ids)
    level = middle_winner([reply.difficulty for reply in votes.valid], votes.asked)
    mapped = [
        None if reply.knowledge_points is None else field.vocabulary.mapped(reply.knowledge_points, shortlist)
        for reply in votes.valid
    ]
    calls = [ballot.reply.calls[-1].key for ballot in votes.ballots if ballot.reply.value is not None]

    def proposal(name: str, value: JsonValue, confidence: float, first: int) -> Proposal:
        assert unit.item is not None
        return unit.proposal(
            name,
            value,
            model=panel.names,
            confidence=confidence if votes.voted else None,
            prompt_hash=tagging_prompt(prompt_language(unit.item.question.language)).sha256,
            call_id=calls[first],
        )

    levels = [reply.difficulty for reply in votes.valid]
    made = [
        proposal("subject", subject.value, subject.confidence, subjects.index(subject.value)),
        proposal("difficulty", level.value, level.confidence, levels.index(level.value)),
    ]
    tied = [name for name, won in (("subject", subject), ("difficulty", level)) if won.tied]
    said = [list(found.paths) for found in mapped if found is not None]
    if said and field.vocabulary.paths:
        points, sure = kept_by_half(said, votes.asked)
        first = next(place for place, found in enumerate(mapped) if found is not None)
        made.append(proposal("knowledge_points", list(points), sure, first))
    record: JsonValue = {"ballots": _ballots(votes, subjects, mapped), "tied": list(tied)}
    made.append(proposal("votes", record, min(subject.confidence, level.confidence), 0))
    return made


def tagging_text(question: Question, subjects: Sequence[Subject], shortlist: Sequence[str]) -> str:
    """The prompt for a question, in its language where there is one, else in English."""
    language = prompt_language(question.language)
    none = {"en": "(this discipline has no list yet)", "zh": "（本学科尚无列表）"}[language]
    points = "\n".join(f"- {path}" for path in shortlist)
    return tagging_prompt(language).fill(
        subjects="\n".join(
            f"- {s.id}: {s.name(language)}. {s.descriptions.get(language, s.descriptions['en'])}"
            for s in subjects
        ),
        # Points come from the pool like the question: their text is as foreign.
        points=fence(points, "points") if shortlist else none,
        grade=fence(question.grade or "-", "grade"),
        chapter=fence(question.chapter or "-", "chapter"),
        question=fence(question_text(question), "question"),
    )


def tagging_prompt(language: str) -> Prompt:
    """The prompt in one language."""
    return load_prompt("benchwright.curation", "tagging", language, PROMPT_VERSION)


def question_text(question: Question) -> str:
    """Question, options and answer as text."""
    text = question.text
    options = [f"{choice.label}. {choice.text or ''}".rstrip() for choice in text.choices]
    return "\n".join([text.question, *options, f"[answer] {text.answer}"])


def known_subject(answer: str, subjects: Sequence[Subject]) -> str | None:
    """The subject that a reply means: by id, or by its name in any language."""
    word = answer.strip().casefold()
    for subject in subjects:
        if word in {subject.id, *(name.casefold() for name in subject.names.values())}:
            return subject.id
    return None


def complaint(request: ChatRequest, reply: TagReply, subjects: Sequence[Subject]) -> str | None:
    """What makes a reply unusable, in words for the model."""
    if known_subject(reply.subject, subjects) is None:
        return f"subject must be one of {', '.join(subject.id for subject in subjects)}"
    if len(reply.knowledge_points or ()) > MOST_POINTS:
        return f"knowledge_points must hold at most {MOST_POINTS} entries"
    return None


def _ballots(
    votes: Tally[TagReply], subjects: Sequence[str], mapped: Sequence[Mapped | None]
) -> list[JsonValue]:
    """Every ballot as it was cast, those without a value with their status."""
    lines: list[JsonValue] = []
    valid = iter(zip(subjects, mapped, strict=True))
    for ballot in votes.ballots:
        line: dict[str, JsonValue] = {"model": ballot.model, "sample": ballot.sample_index}
        # Each of these was paid, those that were asked again as well: `proposals report` adds them up.
        line["calls"] = [call.key for call in ballot.reply.calls]
        lines.append(line | _ballot(ballot, valid))
    return lines


def _ballot(ballot: Ballot[TagReply], valid: Iterator[tuple[str, Mapped | None]]) -> dict[str, JsonValue]:
    reply = ballot.reply.value
    if reply is None:
        return {"status": str(ballot.reply.status)}
    subject, found = next(valid)
    said: dict[str, JsonValue] = {
        "reason": reply.reason,
        "subject": subject,
        "difficulty": reply.difficulty,
    }
    if found is not None:
        said |= {"points": list(found.paths), "unmapped": list(found.unmapped)}
    return said
