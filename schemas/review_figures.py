"""What a published benchmark says about its reviews: figures of the group, and the answers that they are counted from.

`annotate report` writes one `JobFigures` a job to `reviews/<job>.figures.json` and one `JobEvidence` beside it. The
release publishes the figures as they are and the evidence under other pseudonyms, so that anybody can count again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import JsonValue, NonNegativeInt

from benchwright.schemas.digest import sha256_file
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import Undecided
from benchwright.schemas.records import Language, Record, Sha256
from benchwright.schemas.workspace import Workspace

ScaleName = Literal["nominal", "ordinal", "interval", "sets", "boxes"]


class Interval(Record):
    """A figure with its 95 % interval (percentiles of a bootstrap over items)."""

    value: float | None
    """None where it is undefined, e.g. because nobody's answers vary."""
    low: float | None = None
    high: float | None = None
    n: NonNegativeInt
    """Units with at least two answers, or answers, that it rests on."""


class FieldAgreement(Record):
    """How far people agree on one field, or on a part of it that recurs."""

    name: str
    scale: ScaleName | None
    """How far two values are apart; None for texts, of which only equal ones are counted."""
    items: NonNegativeInt
    """Items with at least two answers."""
    percent: Interval
    """Share of the pairs of answers that are equal."""
    kappa: Interval | None = None
    """Cohen's, between the slots (mean over pairs of slots)."""
    kappa_weights: Literal["none", "quadratic"] | None = None
    kappa_pairs: NonNegativeInt = 0
    """Pairs of slots that the mean is over."""
    kappa_undefined: tuple[str, ...] = ()
    """Pairs of slots (`A-C`) that have none and are left out of the mean: all answers of both are one value."""
    alpha: Interval | None = None
    """Krippendorff's, over all people, with the difference of `scale`."""


class Anchoring(Record):
    """Whether a proposal that is shown leads people: answers equal to the proposal, shown and withheld."""

    field: str
    shown: Interval
    withheld: Interval
    difference: Interval
    """Shown less withheld."""


class JobFigures(Record):
    """All figures of one job's reviews."""

    job: str
    reviews_sha256: Sha256
    """Of the journal they were counted from: other reviews, other figures."""
    slots: tuple[str, ...]
    people: NonNegativeInt
    adjudicators: NonNegativeInt
    items: NonNegativeInt
    """Items with a submitted answer."""
    answered_by_two: NonNegativeInt
    """Items that two people or more answered."""
    states: dict[str, NonNegativeInt]
    """Annotations by state: submitted, skipped, draft."""
    undecided: dict[str, NonNegativeInt]
    """Submitted annotations that gave no answer: `cannot-decide`, `item-faulty`."""
    in_two_slots: NonNegativeInt
    """Items that one person answered in several slots, counted once."""
    verdicts: dict[str, NonNegativeInt]
    """Keys by basis: adjudicated, agreed, consensus, open."""
    adjudicated_by_a_party: NonNegativeInt
    """Adjudicated items whose adjudicator had answered them in a slot."""
    left_open: dict[str, NonNegativeInt] = {}
    """Items that an adjudicator answered and that have no value all the same, by why (`annotation.left_open`)."""
    fields: tuple[FieldAgreement, ...]
    kept: dict[str, Interval]
    """By field: share of the proposals shown that people left as they were."""
    anchoring: tuple[Anchoring, ...]
    gold: Interval | None = None
    """Share of right answers where the answer is known."""
    qualified: tuple[NonNegativeInt, NonNegativeInt] | None = None
    """People who passed the qualification, of those who took it."""
    median_seconds: float | None = None
    """On a task. None with fewer than two people: it would be one person's figure."""


class ReviewMade(Record):
    """One annotation that counts: who, where, whether it was submitted."""

    item_id: str
    language: Language | None
    digest: Sha256
    """Of what was shown."""
    pseudonym: str
    slot: str
    state: Literal["submitted", "skipped", "draft"]
    undecided: Undecided | None


class Said(Record):
    """What one person said about one unit of an item."""

    pseudonym: str
    slot: str
    unit: str
    """Part of the item's value; '' where the value is one."""
    value: JsonValue


class ItemAnswers(Record):
    """What people said about one item."""

    item_id: str
    language: Language | None
    digest: Sha256
    said: tuple[Said, ...]


class Measured(Record):
    """The answers that one `FieldAgreement` was counted from."""

    name: str
    field: str
    """Of the job; `name` may be a part of it."""
    scale: ScaleName | None
    answers: tuple[ItemAnswers, ...]
    """By item id, language, digest: the order in which items are numbered for the bootstrap."""


class KeptCount(Record):
    """Of the answers to a field that were given beside a proposal: how many left it as it was."""

    field: str
    item_id: str
    language: Language | None
    kept: NonNegativeInt
    answers: NonNegativeInt


class KnownCount(Record):
    """Of the answers to an item with a known answer: how many are right. Not named, so that it can be used again."""

    right: NonNegativeInt
    answers: NonNegativeInt


class JobEvidence(Record):
    """Everything that a job's figures are counted from."""

    job: str
    reviews_sha256: Sha256
    """Of the journal, as in `JobFigures`."""
    seed: int
    """Of the bootstrap."""
    reviews: tuple[ReviewMade, ...]
    measures: tuple[Measured, ...]
    kept: tuple[KeptCount, ...]
    """Empty with fewer than two people: it would be one person's."""
    known: tuple[KnownCount, ...]
    """Likewise; sorted, so that its order says nothing of the items."""


def figures_path(workspace: Workspace, job: str) -> Path:
    """Group figures of a job (`JobFigures`). Writer: annotate report."""
    return workspace.root / "reviews" / f"{job}.figures.json"


def evidence_path(workspace: Workspace, job: str) -> Path:
    """What a job's figures are counted from (`JobEvidence`). Writer: annotate report."""
    return workspace.root / "reviews" / f"{job}.evidence.json"


def read_evidence(workspace: Workspace, figures: JobFigures) -> JobEvidence:
    """What some figures are counted from.

    Raises:
        UsageError: it is not there, or belongs to other reviews.
    """
    path = evidence_path(workspace, figures.job)
    found = JobEvidence.model_validate_json(path.read_bytes()) if path.is_file() else None
    if found is None or found.reviews_sha256 != figures.reviews_sha256:
        state = "is missing" if found is None else "is about other reviews"
        raise UsageError(f"{path} {state}: run `annotate report` again.")
    return found


def read_figures(workspace: Workspace) -> list[JobFigures]:
    """The figures of all jobs that have some, by name.

    Raises:
        UsageError: some were counted from other reviews than those that are there now.
    """
    found = []
    for path in sorted((workspace.root / "reviews").glob("*.figures.json")):
        figures = JobFigures.model_validate_json(path.read_bytes())
        reviews = workspace.reviews(figures.job)
        if not reviews.is_file() or sha256_file(reviews) != figures.reviews_sha256:
            raise UsageError(
                f"{path} is about other reviews than {reviews} holds: run `annotate report` again."
            )
        found.append(figures)
    return found
