"""The records that travel along the line: a `Question` of the pool becomes a `Problem`, then `ReleaseRow`s.

All are frozen and closed (`extra="forbid"`): an unknown field is an error, never silently dropped.
Answers are always text ("2.50", "007" and "true" stay what they are).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from benchwright.schemas.digest import digest_of

Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
UnitInterval = Annotated[float, Field(ge=0.0, le=1.0)]
Difficulty = Annotated[int, Field(ge=1, le=5)]

DIFFICULTY_NAMES: dict[int, str] = {1: "Basic", 2: "Easy", 3: "Intermediate", 4: "Advanced", 5: "Expert"}
"""The five levels of VisScience, section 2."""


class Record(BaseModel):
    """Base of all records: frozen, closed, comparable by value."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class QuestionType(StrEnum):
    """How a question is answered."""

    SINGLE_CHOICE = "single-choice"
    MULTIPLE_SELECT = "multiple-select"
    FREE_FORM = "free-form"
    MULTI_PART = "multi-part"


class Split(StrEnum):
    """Which part of a release a problem belongs to; `dev` holds the few-shot examples and is never scored."""

    DEV = "dev"
    TESTMINI = "testmini"
    TEST = "test"


class ImageRef(Record):
    """An image of the workspace, by content."""

    source_sha256: Sha256
    """Digest of the bytes as received (kept in `images/source/`, never published)."""
    sha256: Sha256
    """Digest of the published bytes: upright, metadata-free, RGB or grey PNG/JPEG."""
    width: Annotated[int, Field(gt=0)]
    height: Annotated[int, Field(gt=0)]
    format: Literal["png", "jpeg"]
    conversion: str | None = None
    """Why the pixels were written anew (`orientation`, `alpha`, `cmyk`, ...); None when they were not touched."""

    @property
    def suffix(self) -> str:
        """File name ending of the published bytes, with its dot."""
        return ".png" if self.format == "png" else ".jpg"


class Choice(Record):
    """One option of a multiple-choice question; text or image, or both."""

    label: Annotated[str, Field(min_length=1, max_length=3)]
    text: str | None = None
    image: ImageRef | None = None


class Show(StrEnum):
    """Where a condition appears in the vision-rich version."""

    ON_DIAGRAM = "on-diagram"
    ALREADY_THERE = "already-there"
    BAND = "band"
    TEXT = "text"


class Anchor(Record):
    """A place on an image, in fractions of the published width and height (0..1, origin top left)."""

    image: Sha256
    kind: Literal["box", "point"]
    x: UnitInterval
    y: UnitInterval
    w: UnitInterval = 0.0
    h: UnitInterval = 0.0


class Arrow(Record):
    """A direction drawn beside a mark, from (x0, y0) to (x1, y1) in fractions of the anchor's image."""

    x0: UnitInterval
    y0: UnitInterval
    x1: UnitInterval
    y1: UnitInterval


class Mark(Record):
    """A short label to be drawn on the diagram ("2 s", "v = 3 m/s"), not a sentence."""

    label: Annotated[str, Field(min_length=1)]
    anchor: Anchor | None = None
    arrow: Arrow | None = None


class Condition(Record):
    """A given condition: the half-open character span `[start, end)` of the stem. Ids are shared by all languages."""

    id: Annotated[str, Field(min_length=1)]
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(gt=0)]
    show: Show = Show.TEXT
    marks: tuple[Mark, ...] = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.end <= self.start:
            raise ValueError(f"condition {self.id}: its span is empty")
        if self.show is Show.ON_DIAGRAM and not self.marks:
            raise ValueError(f"condition {self.id} is to be shown on the diagram but has no mark")
        return self


class KnowledgeCue(Record):
    """The terms a solver needs, and the sentence that names them (SciVerse, Knowledge-lite)."""

    terms: tuple[str, ...]
    sentence: str


class KnowledgeDetail(Record):
    """One term's general law or definition, never a value of the problem (SciVerse, Knowledge-rich)."""

    term: str
    text: str


class Decomposition(Record):
    """A question split as in SciVerse: knowledge, conditions, core question (docs/architecture.md, "Versions")."""

    stem: Annotated[str, Field(min_length=1)]
    """The question without background knowledge, its conditions in place, in reading order."""
    conditions: tuple[Condition, ...] = ()
    core_question: Annotated[str, Field(min_length=1)]
    """The stem without the spans that are shown or already there, its grammar mended."""
    knowledge_cue: KnowledgeCue
    knowledge_detail: tuple[KnowledgeDetail, ...] = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        end = 0
        for condition in self.conditions:
            if condition.start < end:
                raise ValueError(f"condition {condition.id} overlaps the one before it or is out of order")
            end = condition.end
        if end > len(self.stem):
            raise ValueError(f"the last condition ends at {end}, the stem has {len(self.stem)} characters")
        ids = [condition.id for condition in self.conditions]
        if len(set(ids)) != len(ids):
            raise ValueError("two conditions share an id")
        return self


class LocalizedText(Record):
    """Everything that is said in one language."""

    question: str
    choices: tuple[Choice, ...] = ()
    answer: str
    """Reference answer as text; for choices the label(s) without separators: "B", "AC"."""
    unit: str | None = None
    solution: str | None = None
    decomposition: Decomposition | None = None


class Question(Record):
    """One item of the pool, as ingested."""

    id: Annotated[str, Field(min_length=1)]
    source: str
    source_license: str
    source_row: str
    """The untouched source record as JSON text."""
    discipline: str
    language: Language
    """The language of the source; `texts` always holds it."""
    texts: dict[Language, LocalizedText]
    images: tuple[ImageRef, ...] = ()
    question_type: QuestionType
    knowledge_points: tuple[str, ...] = ()
    """Paths `A/B/C`, most general part first."""
    grade: str | None = None
    chapter: str | None = None
    difficulty: Difficulty | None = None
    subject: str | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.language not in self.texts:
            raise ValueError(f"no text in the question's own language {self.language!r}")
        return self

    @property
    def text(self) -> LocalizedText:
        """The text in the source language."""
        return self.texts[self.language]


class Origin(StrEnum):
    """Who said a value last."""

    SOURCE = "source"
    ESTIMATE = "estimate"
    PROPOSAL = "proposal"
    REVIEW = "review"


class Provenance(Record):
    """Where one field's value came from; `by` is a model id or reviewers' pseudonyms."""

    field: str
    language: Language | None = None
    origin: Origin
    by: str | None = None


class Problem(Record):
    """A selected, tagged question: the unit of a benchmark. `problem_id` is stable for life."""

    problem_id: Annotated[str, Field(min_length=1)]
    question_id: str
    source: str
    source_license: str
    discipline: str
    subject: str
    difficulty: Difficulty
    knowledge_points: tuple[str, ...] = ()
    grade: str | None = None
    language: Language
    texts: dict[Language, LocalizedText]
    """What SciVerse's versions use (multiple-choice form where one was made)."""
    question_type: QuestionType
    source_texts: dict[Language, LocalizedText]
    """What `original` uses: the texts before any multiple-choice conversion."""
    source_question_type: QuestionType
    images: tuple[ImageRef, ...] = ()
    provenance: tuple[Provenance, ...] = ()
    split: Split = Split.TEST

    @property
    def digest(self) -> str:
        """Digest of the content; the id stays when this changes. The split is not content: a move redraws nothing."""
        return digest_of(self.model_copy(update={"split": Split.TEST}))


class Rejected(Record):
    """An item a step did not keep, with its reason code. Steps store and count kept and rejected items alike."""

    item_id: str
    stage: str
    reason: str
    """Stable kebab-case code."""
    detail: str = ""
    source: str = ""
    line: int | None = None
    """1-based position in the source file, where there is one."""


class Option(Record):
    """An option as published."""

    label: str
    text: str | None = None
    image_sha256: Sha256 | None = None


class ReleaseRow(Record):
    """One published row: one problem in one version and one language. `question` is exactly what a model is sent."""

    id: str
    problem_id: str
    version: str
    language: Language
    discipline: str
    subject: str
    difficulty: Difficulty
    knowledge_points: tuple[str, ...]
    question: str
    """Text sent to a model, choices included; '' for vision-only."""
    images: tuple[Sha256, ...]
    """Digests of the published images, in the order in which they are sent."""
    options: tuple[Option, ...]
    question_type: QuestionType
    answer: str | None
    """None where answers are withheld."""
    unit: str | None
    full_question: str
    """The whole question with conditions and choices, for judge and reader only; never sent to the tested model."""
    stem: str | None
    conditions: tuple[str, ...]
    core_question: str | None
    knowledge_cue: str | None
    knowledge_detail: tuple[str, ...]
    solution: str | None
    split: Split
    source: str
    source_license: str
    render: str | None
    """Renderer, style and font as JSON text, where a picture was made by us."""
    canary: str
