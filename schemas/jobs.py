"""Jobs: the questions that a machine proposes an answer to and a person reviews.

A `Proposal` is a machine's word, a `Review` a person's, a `Verdict` the one final value. All three are keyed by
(item id, language or none, field, digest of what was shown): an edited text makes an old review stale, and it says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field, JsonValue

from benchwright.schemas.digest import digest_of
from benchwright.schemas.records import ImageRef, Language, LocalizedText, Question, Record, Sha256

_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


Undecided = Literal["cannot-decide", "item-faulty"]
"""What a reviewer can say in place of an answer."""


class FieldKind(StrEnum):
    """What kind of value a job's field takes."""

    CHOICE = "choice"
    """One of the field's values."""
    MULTI = "multi"
    """A list of texts, of the field's values where it has any."""
    INTEGER = "integer"
    TEXT = "text"
    BOOLEAN = "boolean"
    OBJECT = "object"
    """A JSON object, e.g. a decomposition."""


class JobField(Record):
    """One field of a job."""

    name: str
    kind: FieldKind
    values: tuple[str, ...] = ()
    """Closed list of values; empty where it comes from the taxonomy or the item."""
    minimum: int | None = None
    maximum: int | None = None
    required: bool = True
    asked: bool = True
    """Whether the review page asks people for it: what all of them then leave empty is empty."""
    ordered: bool = True
    """Whether the order of lists means anything: that of options does, that of faults or findings does not."""


class Job(Record):
    """A kind of review. `item` says what the item id is."""

    name: str
    item: str
    per_language: bool
    fields: tuple[JobField, ...]
    seconds: float = Field(gt=0)
    """What one person is assumed to need for one task: a guess for first plans, replaced by measured times
    (`benchwright.schemas.effort`)."""

    def field(self, name: str) -> JobField:
        """The field of that name.

        Raises:
            KeyError: the job has no such field.
        """
        for field in self.fields:
            if field.name == name:
                return field
        raise KeyError(f"job {self.name} has no field {name!r}")


def _choice(name: str, *values: str, required: bool = True) -> JobField:
    return JobField(name=name, kind=FieldKind.CHOICE, values=values, required=required)


def _field(
    name: str, kind: FieldKind, *, required: bool = True, asked: bool = True, ordered: bool = True
) -> JobField:
    return JobField(name=name, kind=kind, required=required, asked=asked, ordered=ordered)


def _machines(name: str, kind: FieldKind, *, ordered: bool = True) -> JobField:
    """What a page shows at most, and asks nobody for."""
    return _field(name, kind, required=False, asked=False, ordered=ordered)


def _job(name: str, item: str, *fields: JobField, seconds: float, per_language: bool = False) -> Job:
    return Job(name=name, item=item, per_language=per_language, fields=fields, seconds=seconds)


def _ticks(name: str, *values: str) -> JobField:
    return JobField(name=name, kind=FieldKind.MULTI, values=values, ordered=False)


def _level(name: str) -> JobField:
    return JobField(name=name, kind=FieldKind.INTEGER, minimum=1, maximum=5)


_COMMENT = _field("comment", FieldKind.TEXT, required=False)
_FINDINGS = _machines("findings", FieldKind.MULTI, ordered=False)
"""What the program checks found, each as `code: words`; reviewed first, and never taken without a review."""

ADJUDICATION_SECONDS = 120.0
"""What one person is assumed to need to decide between the answers of others, in any job."""

JOBS: dict[str, Job] = {
    job.name: job
    for job in (
        _job(
            "taxonomy",
            "discipline",
            _field("subjects", FieldKind.OBJECT),
            _field("assignment", FieldKind.OBJECT, required=False, ordered=False),
            _FINDINGS,
            _COMMENT,
            seconds=1800,
        ),
        _job(
            "duplicates",
            "duplicate group",
            _choice("relation", "same", "same-template", "different"),
            _field("keep", FieldKind.TEXT, required=False),
            _field("answer", FieldKind.TEXT, required=False),
            _COMMENT,
            seconds=30,
        ),
        _job(
            "quality",
            "problem",
            _ticks("text_faults", "inaccurate", "incoherent", "irrelevant", "ambiguous", "incomplete"),
            _ticks("image_faults", "incorrect", "unclear", "uninformative", "unrelated"),
            _level("knowledge_complexity"),
            _level("visual_richness"),
            _choice("decision", "accept", "fix", "reject"),
            _field("reason", FieldKind.TEXT, required=False),
            _machines("answer_check", FieldKind.OBJECT),
            _machines("blind", FieldKind.OBJECT),
            per_language=True,
            seconds=120,
        ),
        _job(
            "tagging",
            "problem",
            _choice("subject"),
            _level("difficulty"),
            _machines("knowledge_points", FieldKind.MULTI, ordered=False),
            _machines("votes", FieldKind.OBJECT),
            _COMMENT,
            seconds=60,
        ),
        _job(
            "translation",
            "problem",
            _field("question", FieldKind.TEXT),
            _field("choices", FieldKind.MULTI, required=False),
            _field("answer", FieldKind.TEXT),
            _field("unit", FieldKind.TEXT, required=False),
            _field("solution", FieldKind.TEXT, required=False),
            _choice("image_language", "keep", "flag", "reject", required=False),
            _machines("back_translation", FieldKind.OBJECT),
            _FINDINGS,
            _COMMENT,
            per_language=True,
            seconds=150,
        ),
        _job(
            "multiple-choice",
            "problem",
            _field("question", FieldKind.TEXT),
            _field("choices", FieldKind.MULTI),
            _field("answer", FieldKind.TEXT),
            _machines("misconceptions", FieldKind.MULTI),
            _FINDINGS,
            _COMMENT,
            per_language=True,
            seconds=120,
        ),
        _job(
            "decomposition",
            "problem",
            _field("decomposition", FieldKind.OBJECT),
            _machines("removed", FieldKind.MULTI, ordered=False),
            _FINDINGS,
            _COMMENT,
            per_language=True,
            seconds=240,
        ),
        _job("placement", "problem", _field("marks", FieldKind.OBJECT), _FINDINGS, _COMMENT, seconds=60),
        _job("steps", "RUN/ROW", _field("steps", FieldKind.OBJECT), _COMMENT, seconds=120),
        _job(
            "judge",
            "RUN/ROW",
            _choice("verdict", "consistent", "inconsistent", "cannot-say"),
            _COMMENT,
            seconds=30,
        ),
        _job(
            "errors",
            "RUN/ROW",
            _choice(
                "category",
                "reasoning",
                "knowledge",
                "calculation",
                "vision-recognition",
                "question-misunderstood",
            ),
            _COMMENT,
            seconds=45,
        ),
        _job("answer", "release row", _field("answer", FieldKind.TEXT), _COMMENT, seconds=180),
    )
}
"""All jobs. `tagging.subject` takes its values from the workspace's taxonomy."""


class Key(Record):
    """What a proposal, review or verdict is about."""

    item_id: str
    language: Language | None = None
    field: str
    digest: Sha256
    """Digest of what was shown to whoever answered (`shown_digest`)."""


class Keyed(Record):
    """Base of everything that has a `Key`."""

    job: str
    item_id: str
    language: Language | None = None
    field: str
    digest: Sha256

    @property
    def key(self) -> Key:
        """The key this record is about."""
        return Key(item_id=self.item_id, language=self.language, field=self.field, digest=self.digest)


class Proposal(Keyed):
    """A machine's word. It becomes truth only by a review or the recorded `--accept-proposals`."""

    value: JsonValue
    confidence: float | None = Field(default=None, ge=0.0, le=1.0)
    model: str
    prompt_hash: Sha256 | None = None
    call_id: str | None = None
    """Key of the call in `calls.sqlite`; None for embedded proposers."""
    calls: tuple[Sha256, ...] = ()
    """Keys of all calls that were made for the unit, on the first of its proposals: what the unit cost."""


class Review(Keyed):
    """A person's word, as one pulled state of one annotation."""

    value: JsonValue
    pseudonym: str = Field(pattern=r"^[A-Z]\d{2,}$")
    slot: str
    """Which of the independent reviews of the item this is: "A", "B", ..."""
    state: Literal["submitted", "skipped", "draft", "deleted"]
    origin: Literal["manual", "prediction", "prediction-changed"]
    annotation_id: str
    updated_at: str
    """The server's own time stamp: data about the annotation, not a clock of ours."""
    lead_time: float | None = None
    comment: str | None = None
    guidelines: Sha256 | None = None
    """Digest of the guidelines that the reviewer was shown; None where none are on record (replayed, older lines)."""
    undecided: Undecided | None = None
    """The reviewer gave no answer on purpose; `value` is None then. None for answers and for work left open."""
    withheld: bool | None = None
    """True where the task was drawn to show no proposal; None where none is on record (replayed, older lines)."""


class Verdict(Keyed):
    """The final value of one key; None and basis `open` while there is none."""

    value: JsonValue
    basis: Literal["adjudicated", "agreed", "consensus", "open"]
    by: tuple[str, ...] = ()
    """Pseudonyms of the reviewers whose words it rests on."""


def problem_id(question_id: str) -> str:
    """The problem's id, safe as a file name: the question's own, else its safe characters and a digest of it."""
    if _SAFE_ID.fullmatch(question_id):
        return question_id
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", question_id).strip("-.")[:60] or "q"
    return f"{readable}-{digest_of(question_id)[:10]}"


def shown_digest(view: dict[str, Any]) -> str:
    """Digest of what a proposer or reviewer was shown."""
    return digest_of(view)


def text_view(text: LocalizedText, images: Sequence[ImageRef]) -> dict[str, Any]:
    """What a job shows of a problem in one language: question, options, answer and images."""
    return {
        "question": text.question,
        "choices": [
            [choice.label, choice.text, choice.image.sha256 if choice.image else None]
            for choice in text.choices
        ],
        "answer": text.answer,
        "images": [image.sha256 for image in images],
    }


def tagging_view(question: Question) -> dict[str, Any]:
    """What the tagging job shows of a question: its text in the source language."""
    return text_view(question.text, question.images)


def quality_view(text: LocalizedText, images: Sequence[ImageRef]) -> dict[str, Any]:
    """What the quality job shows: the text, and the answer's unit, without which a right number looks wrong."""
    return {**text_view(text, images), "unit": text.unit}


def translation_view(text: LocalizedText, images: Sequence[ImageRef], language: Language) -> dict[str, Any]:
    """What the translation job shows: the text to be translated, its unit and solution, and into which language."""
    shown = {"unit": text.unit, "solution": text.solution, "into": language}
    return {**text_view(text, images), **shown}
