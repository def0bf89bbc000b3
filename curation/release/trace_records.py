"""What `curate trace` tells of one item, station by station along the line."""

from __future__ import annotations

from typing import Literal

from benchwright.schemas.duplicates import DuplicatePair, DuplicateRow
from benchwright.schemas.jobs import Proposal, Review, Verdict
from benchwright.schemas.records import Provenance, Record, Rejected
from benchwright.schemas.screening import ScreenRow
from benchwright.schemas.selection import ClusterRow, Estimate, SelectionRow

ChoiceState = Literal["chosen", "few-shot", "replaced", "not-kept", "not-chosen", "no-selection"]
"""`few-shot`: an example of the dev split; `not-kept`: chosen, then left out by `curate keep`."""


class Identity(Record):
    """Which question an id belongs to."""

    question_id: str
    problem_id: str
    discipline: str
    known_from: str
    """First place that names it: `pool`, `selection`, `problems` or `release/TAG`."""


class SourceFacts(Record):
    """The question as it lies in the pool."""

    source: str
    source_license: str
    source_row: str
    """The untouched source record as JSON text."""
    language: str
    languages: tuple[str, ...]
    question_type: str
    question: str
    """Its text in the source's language."""
    images: tuple[str, ...]
    """Digests of the published pictures."""


class DuplicateFacts(Record):
    """What the search for duplicates says of the question."""

    row: DuplicateRow
    members: tuple[str, ...]
    """All questions of its group, itself among them; empty without a group."""
    pairs: tuple[DuplicatePair, ...]
    asked: tuple[str, ...]
    """Item ids under which people were asked about it (job `duplicates`)."""


class ClusterFacts(Record):
    """Where it lies among its like."""

    row: ClusterRow
    size: int
    """Questions of its cluster."""
    chosen: int
    """Of these, chosen now."""


class CertificateFacts(Record):
    """The proof that goes with the choice."""

    path: str
    status: str
    n: int
    pool_size: int
    gap: float
    points_covered: int
    points_total: int


class ChoiceFacts(Record):
    """Whether the question is chosen, and why."""

    state: ChoiceState
    row: SelectionRow | None
    """Its row in the selection, present or former; None where it never was chosen."""
    reasons: tuple[str, ...]
    """In words, each with its figures."""
    certificate: CertificateFacts | None


class Exchange(Record):
    """One replacement in which the question left or joined."""

    role: Literal["left", "joined"]
    other: str
    """Question that took its place, or whose place it took."""
    why: str
    detail: str
    topic: str
    shared_points: tuple[str, ...]
    similarity: float
    place: str
    step: int
    applied: bool
    """False where the step no longer fits the selection."""


class ProblemFacts(Record):
    """The problem that was made of it, or why there is none."""

    split: str | None
    """None where there is no problem."""
    subject: str | None
    difficulty: int | None
    digest: str | None
    languages: tuple[str, ...]
    provenance: tuple[Provenance, ...]
    refused: tuple[Rejected, ...]
    """Why it is no problem."""
    pending: tuple[Rejected, ...]
    """Texts that wait for a review."""


class RenderFacts(Record):
    """One picture made of it, or the renderer's reason why there is none."""

    style: str
    version: str
    language: str
    reason: str | None
    """Why there is no picture; None where there is one."""
    detail: str = ""
    path: str | None = None
    png_sha256: str | None = None
    """As the sidecar says."""
    state: Literal["fresh", "problem-edited", "picture-changed", "picture-missing", "no-problem"] | None = (
        None
    )
    """Whether picture, sidecar and problem belong together now."""
    renderer_version: int | None = None
    style_digest: str | None = None
    font_sha256: str | None = None
    engines: dict[str, str] = {}
    width: int | None = None
    height: int | None = None
    shown: tuple[str, ...] = ()
    unshown: dict[str, str] = {}
    gate: str | None = None
    """The legibility gate's verdict; None where it has not judged this picture."""
    gate_codes: tuple[str, ...] = ()


class ReleasedRow(Record):
    """One row of a release."""

    id: str
    version: str
    language: str
    split: str
    images: tuple[str, ...]


class ReleaseFacts(Record):
    """A built release that holds the problem."""

    tag: str
    signature: str | None
    rows: tuple[ReleasedRow, ...]


class JobRejected(Record):
    """A job whose proposer had nothing to say, and why."""

    job: str
    rejected: Rejected


class Words(Record):
    """Everything machines and people said of the item."""

    proposals: tuple[Proposal, ...]
    unproposed: tuple[JobRejected, ...]
    reviews: tuple[Review, ...]
    """Every pulled state, in the order in which they were pulled."""
    verdicts: tuple[Verdict, ...]


class Trace(Record):
    """Where an item comes from and where it went."""

    asked: str
    identity: Identity
    source: SourceFacts | None
    """None where the question is no longer in the pool."""
    screening: ScreenRow | None
    duplicates: DuplicateFacts | None
    estimate: Estimate | None
    cluster: ClusterFacts | None
    choice: ChoiceFacts
    exchanges: tuple[Exchange, ...]
    words: Words
    problem: ProblemFacts
    renders: tuple[RenderFacts, ...]
    releases: tuple[ReleaseFacts, ...]
