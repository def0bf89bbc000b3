"""What happens to a selection after it was made: replaced questions, the certificate on reviewed values, the best kept.

The selection's own file is never edited. `curate replace` appends `Replacement`s, `curate keep` writes one `Kept`, and
whoever reads the selection reads `current_rows`, which applies both. What no longer fits (the selection was made anew)
is listed as stale and not applied.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from benchwright.schemas.digest import digest_of
from benchwright.schemas.journal import Journal
from benchwright.schemas.records import Record, Sha256
from benchwright.schemas.selection import ChoiceSettings, FamilySlack, PointCount, RuleSlack, SelectionRow
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

Why = Literal["named", "rejected-in-review", "duplicate", "gone-from-pool", "rule"]
"""`named`: by id on the command line; `rule`: its reviewed values break a rule that another question mends."""
Topic = Literal["knowledge-point", "cluster", "none"]
"""What old and new have in common; `none` only where a rule, not a topic, asked for the exchange."""
Cosine = Annotated[float, Field(ge=-1.0, le=1.0)]


class Exchanged(Record):
    """One question that leaves, and the one that takes its place."""

    leaves: str
    row: SelectionRow
    """The new question, at the rank of the one that left."""


class Replacement(Record):
    """One step of the chain; all its exchanges are made together or not at all."""

    exchanges: Annotated[tuple[Exchanged, ...], Field(min_length=1)]
    """First the one that was asked for; further ones only where the rules cannot be kept by it alone."""
    why: Why
    detail: str = ""
    topic: Topic
    shared_points: tuple[str, ...] = ()
    """Knowledge points that old and new share."""
    same_difficulty: bool
    same_language: bool
    same_subject: bool
    similarity: Cosine
    """Cosine of the two embeddings, rounded to six decimals."""
    supply: NonNegativeInt
    """Further questions that could have taken the place: same topic, no repeat of a chosen one, not turned away."""
    relaxed: tuple[str, ...] = ()
    """Soft rules that are missed by more than before."""
    place: str
    """Id of the question that the selection had there first: the chain of a place shares it."""
    step: PositiveInt
    """1-based length of the chain of this place."""


class StaleReplacement(Record):
    """A step of the log that does not fit the present selection, and why."""

    leaves: str
    joins: str
    why: Literal["not-selected", "already-selected"]


class Kept(Record):
    """The best of a reviewed selection (`curate keep`)."""

    discipline: str
    n: PositiveInt
    question_ids: tuple[str, ...]
    """Sorted."""
    of_digest: Sha256
    """Digest of the selection, replacements applied, from which they were kept; another one makes this stale."""
    settings: ChoiceSettings
    ratings: dict[str, NonNegativeFloat]
    """Sum of both ratings, mean over languages, by kept question."""
    value: float
    """Sum of the ratings of the kept, plus a hundredth of what the selection's own objective says."""
    bound: float
    """No choice that the rules allow is worth more."""
    least_kept: NonNegativeFloat
    best_left: NonNegativeFloat
    """Highest rating among accepted questions that were not kept: above `least_kept` only where a rule asked for it."""


class CurrentSelection(Record):
    """The selection as it stands."""

    rows: tuple[SelectionRow, ...]
    """By rank."""
    applied: tuple[Replacement, ...] = ()
    stale: tuple[StaleReplacement, ...] = ()
    kept: Kept | None = None
    """The choice of the best, where one is in force; `rows` then holds only these."""
    stale_kept: bool = False
    """True where a choice of the best exists that was made from another selection; it is not in force."""


class ProposedExchange(Record):
    """A question that should leave and one that could join."""

    leaves: str
    joins: str


class BrokenRule(Record):
    """A rule that does not hold on reviewed values."""

    rule: str
    """`n`, `point:PATH`, `difficulty:3`, `subject:optics`, or `image=VALUE` and the like for limits."""
    hard: bool
    detail: str
    count: NonNegativeInt
    lower: NonNegativeInt
    upper: NonNegativeInt
    mended_by: tuple[ProposedExchange, ...] = ()
    """Exchanges after which it holds, all other questions staying, and every rule that holds now still holding."""
    why_not: str = ""
    """Why nothing mends it, where nothing does."""


class Turned(Record):
    """A selected question that may not stay."""

    question_id: str
    reason: Literal["rejected-in-review", "duplicate", "gone-from-pool"]
    detail: str = ""


class ReviewedCertificate(Record):
    """Every rule of the selection, recomputed on what people said (`selection/<d>.reviewed.certificate.json`)."""

    discipline: str
    settings: ChoiceSettings
    selection_digest: Sha256
    """Digest of the chosen ids, sorted, replacements applied."""
    replacements: NonNegativeInt
    stale_replacements: tuple[StaleReplacement, ...]
    n: NonNegativeInt
    """Chosen questions that may stay."""
    turned: tuple[Turned, ...]
    to_be_mended: tuple[str, ...]
    """Questions that the reviewers want mended first; they count as chosen."""
    origins: dict[str, dict[str, NonNegativeInt]]
    """By field, how many values are `review`, `proposal`, `source` or `estimate`."""
    waiting: dict[str, NonNegativeInt]
    """Fields that still have no final verdict, by why (`unreviewed`, `open-review`, `stale-review`, ...)."""
    changed: dict[str, NonNegativeInt]
    """Questions of which a field differs from what the selection was made with, by field."""
    objective: float
    """Of the reviewed selection, by the selection's own rules."""
    objective_before: float
    """Of the same questions with the values that the selection was made with."""
    points_total: NonNegativeInt
    points_covered: NonNegativeInt
    points: tuple[PointCount, ...]
    rules: tuple[RuleSlack, ...]
    families: tuple[FamilySlack, ...]
    per_difficulty: dict[str, int]
    per_subject: dict[str, int]
    broken: tuple[BrokenRule, ...]
    """Hard rules that do not hold, and soft ones that are missed by more than when the selection was made."""

    @property
    def holds(self) -> bool:
        """Whether nothing is broken."""
        return not self.broken


class Station(Record):
    """One station of the attrition table."""

    name: Literal["pool", "screened", "deduplicated", "offered", "chosen", "reviewed", "accepted", "kept"]
    n: NonNegativeInt
    lost: dict[str, NonNegativeInt] = {}
    """Questions that did not get here from the station before, by reason."""


class Attrition(Record):
    """From the pool to what was kept, and where the rest went."""

    discipline: str
    stations: tuple[Station, ...]
    replaced: NonNegativeInt
    """Questions that were chosen at some time and replaced; they stand nowhere in the stations after `offered`."""


def reviewed_certificate_path(workspace: Workspace, discipline: str) -> Path:
    """Writer: curate certify."""
    return workspace.root / "selection" / f"{discipline}.reviewed.certificate.json"


def kept_path(workspace: Workspace, discipline: str) -> Path:
    """The best of a reviewed selection (`Kept`). Writer: curate keep."""
    return workspace.root / "selection" / f"{discipline}.kept.json"


def attrition_path(workspace: Workspace, discipline: str) -> Path:
    """Writer: curate keep."""
    return workspace.root / "selection" / f"{discipline}.attrition.json"


def selection_digest(rows: Sequence[SelectionRow]) -> str:
    """Digest of the chosen ids, whatever their order."""
    return digest_of(sorted(row.question_id for row in rows))


def current_rows(workspace: Workspace, discipline: str, *, kept: bool = True) -> CurrentSelection:
    """The selection with what was replaced and (with `kept`) kept since; few-shot examples are not in it.

    Raises:
        FileNotFoundError: there is no selection.
    """
    rows = read_records(workspace.selection(discipline), SelectionRow)
    log = Journal(workspace.replacements(discipline)).read(Replacement)
    path = kept_path(workspace, discipline)
    best = Kept.model_validate_json(path.read_bytes()) if kept and path.is_file() else None
    return applied(rows, log, best)


def later_files(workspace: Workspace, discipline: str) -> list[Path]:
    """The files besides the selection's own on which `current_rows` rests, where they exist: inputs of stages."""
    paths = (workspace.replacements(discipline), kept_path(workspace, discipline))
    return [path for path in paths if path.is_file()]


def applied(
    rows: Sequence[SelectionRow], log: Sequence[Replacement], kept: Kept | None = None
) -> CurrentSelection:
    """Replay a log of replacements on a selection, then keep the best where that choice was made from the result."""
    standing = {row.question_id: row for row in rows}
    done: list[Replacement] = []
    stale: list[StaleReplacement] = []
    for step in log:
        leaving = {exchange.leaves for exchange in step.exchanges}
        joining = {exchange.row.question_id for exchange in step.exchanges}
        gone = not leaving <= standing.keys()
        if gone or joining & standing.keys():
            why: Literal["not-selected", "already-selected"] = "not-selected" if gone else "already-selected"
            stale += [
                StaleReplacement(leaves=exchange.leaves, joins=exchange.row.question_id, why=why)
                for exchange in step.exchanges
            ]
            continue
        for exchange in step.exchanges:
            rank = standing.pop(exchange.leaves).rank
            standing[exchange.row.question_id] = exchange.row.model_copy(update={"rank": rank})
        done.append(step)
    found = tuple(sorted(standing.values(), key=lambda row: row.rank))
    if kept is None:
        return CurrentSelection(rows=found, applied=tuple(done), stale=tuple(stale))
    fits = kept.of_digest == selection_digest(found)
    if fits:
        wanted = set(kept.question_ids)
        found = tuple(row for row in found if row.question_id in wanted)
    return CurrentSelection(
        rows=found,
        applied=tuple(done),
        stale=tuple(stale),
        kept=kept if fits else None,
        stale_kept=not fits,
    )
