"""What lies below `audit/` of a release: one record for each line of its files, and `ReleaseAudit` that holds them all.

Nothing here names a person, a machine or an answer: people have a pseudonym of this release, texts that people wrote
are numbered so that equal ones have one number.
"""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue, NonNegativeInt

from benchwright.curation.release.repeats import Repeats
from benchwright.schemas.records import Language, Record, Sha256
from benchwright.schemas.review_figures import FieldAgreement, ScaleName

Answer = tuple[str, str, int, JsonValue]
"""Reviewer, slot, number of the unit within the item, value (or the number of it)."""


class ItemLine(Record):
    """Base of everything about one item of a job."""

    job: str
    item: str
    """Problem, group, discipline or `RUN/ROW`, as the job says."""
    language: Language | None
    shown: int
    """1 for the first content that people were shown of the item, 2 for a later one, ..."""


class ReviewLine(ItemLine):
    """One annotation that counts. One with an answer to some fields and none to others stands in two lines."""

    reviewer: str
    slot: str
    """`A`, `B`, ... for independent reviews, `adjudication` for the decision between them."""
    state: Literal["submitted", "skipped", "draft"]
    undecided: Literal["cannot-decide", "item-faulty"] | None


class AnswersLine(ItemLine):
    """What people said about one item, of one field or one recurring part of it."""

    measure: str
    scale: ScaleName | None
    """How far two values are apart; null for texts."""
    coded: Literal["value", "number", "number-in-item"]
    """Whether the values stand here, or numbers that are equal for equal values: of the measure, or of this line."""
    answers: tuple[Answer, ...]


class VerdictLine(ItemLine):
    """The final value of one field."""

    field: str
    basis: Literal["adjudicated", "agreed", "consensus", "open"]
    value: JsonValue
    """Null for texts and objects, which stand in the rows where they are published, and where the basis is open."""
    by: tuple[str, ...]
    """Reviewers on whose words it rests."""


class KeptLine(Record):
    """Answers to one field of one item that were given beside a proposal, and how many of them left it as it was."""

    job: str
    field: str
    item: str
    language: Language | None
    kept: NonNegativeInt
    answers: NonNegativeInt


class KnownLine(Record):
    """Answers to one item whose answer was known beforehand, and how many are right. The item is not named."""

    job: str
    right: NonNegativeInt
    answers: NonNegativeInt


class AgreementLine(Record):
    """How far people agreed on one measure, as counted from its `answers.jsonl` lines."""

    job: str
    seed: int
    """Of the bootstrap that gives the intervals."""
    figures: FieldAgreement


class OriginLine(Record):
    """Who said a field of a problem last."""

    problem_id: str
    field: str
    origin: str


class LeftOutLine(Record):
    """A row that could not be made, or was taken out."""

    row: str
    problem_id: str
    version: str
    language: str
    reason: str


class GoneLine(Record):
    """A chosen question that did not become a problem, or a text of a problem that is still waiting."""

    item: str
    what: Literal["problem", "text"]
    reason: str


class GateLine(Record):
    """What the legibility gate says of one published picture that we rendered."""

    row: str
    version: str
    language: str
    sha256: Sha256
    state: Literal["passed", "failed", "not-judged", "unchecked"]
    """`unchecked`: the gate has not looked at it."""
    characters: NonNegativeInt
    """That could be compared."""
    errors: NonNegativeInt
    """Edits between them and what was read back."""
    unverified_formulas: NonNegativeInt
    reader: str | None
    codes: tuple[str, ...]


class CellLine(Record):
    """One cell of a choice: a subject at a level."""

    discipline: str
    subject: str
    level: int
    pool: NonNegativeInt
    """Questions of the pool, by their source's or estimated values."""
    offered: NonNegativeInt
    """Of these, those that screening and the search for repeats left."""
    chosen: NonNegativeInt
    """Chosen ones, by the values with which they were chosen."""
    published: NonNegativeInt
    """Problems of the release outside `dev`, by their published values."""


class PointLine(Record):
    """One knowledge point, or a cluster that stands in for questions without any."""

    discipline: str
    point: str
    """At the path level of the choice."""
    stand_in: bool
    pool: NonNegativeInt
    """Questions that were offered with it."""
    target: NonNegativeInt
    chosen: NonNegativeInt
    """By the certificate named in `certificates.jsonl`, the reviewed one where there is one."""
    published: NonNegativeInt
    """Problems of the release outside `dev` that carry it."""


class CertificateLine(Record):
    """A certificate of a choice; its points stand in `points.jsonl`."""

    discipline: str
    of: Literal["chosen", "reviewed"]
    """On the values with which questions were chosen, or on those that people gave since."""
    current: bool
    """False where something it rests on was changed after it was made."""
    certificate: dict[str, JsonValue]


class StationLine(Record):
    """A station on the way from the pool to the release."""

    discipline: str
    place: NonNegativeInt
    station: Literal["pool", "screened", "single", "chosen", "problem", "published"]
    n: NonNegativeInt
    lost: dict[str, NonNegativeInt]
    """Questions of the station before that did not get here, by reason."""


class SourceFileLine(Record):
    """A file from which a pool was read."""

    discipline: str
    sha256: Sha256 | None
    """None where answers are withheld, which the file may hold."""


class TemplateLine(Record):
    """A published problem that differs from others of its pool in nothing but its numbers."""

    problem_id: str
    template: str
    """What these share: the lowest question id among them."""


class MachineLine(Record):
    """A model or rule that proposed values in a job, whether or not people kept them."""

    job: str
    model: str
    """Its id; of one that was loaded from a folder, the folder's name alone."""


class EffortLine(Record):
    """How long one task of a job took, as the median over all people; only where two or more did it."""

    job: str
    median_seconds: float


class CalibrationLine(Record):
    """A judge measured on cases with known verdicts."""

    name: str
    calibration: dict[str, JsonValue]


class ReleaseAudit(Record):
    """Everything below `audit/`; each field is the file of that name."""

    reviews: tuple[ReviewLine, ...] = ()
    answers: tuple[AnswersLine, ...] = ()
    verdicts: tuple[VerdictLine, ...] = ()
    agreement: tuple[AgreementLine, ...] = ()
    kept: tuple[KeptLine, ...] = ()
    known: tuple[KnownLine, ...] = ()
    origins: tuple[OriginLine, ...] = ()
    left_out: tuple[LeftOutLine, ...] = ()
    gone: tuple[GoneLine, ...] = ()
    gates: tuple[GateLine, ...] = ()
    cells: tuple[CellLine, ...] = ()
    points: tuple[PointLine, ...] = ()
    certificates: tuple[CertificateLine, ...] = ()
    attrition: tuple[StationLine, ...] = ()
    repeats: tuple[Repeats, ...] = ()
    templates: tuple[TemplateLine, ...] = ()
    sources: tuple[SourceFileLine, ...] = ()
    machines: tuple[MachineLine, ...] = ()
    effort: tuple[EffortLine, ...] = ()
    calibrations: tuple[CalibrationLine, ...] = ()
