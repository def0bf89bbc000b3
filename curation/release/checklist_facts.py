"""What the criteria of the release checklist look at, gathered once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchwright.curation.dedup import duplicate_rows
from benchwright.curation.release.check import Known
from benchwright.curation.release.check_scoring import Floors, Skew, floors, key_skews, perfect_solver
from benchwright.curation.release.checklist_runs import RunFacts, runs_of
from benchwright.curation.release.findings import Finding
from benchwright.curation.release.licences import Terms, terms_of
from benchwright.curation.release.rows import ReleaseContent
from benchwright.schemas.artefact import manifest_path, read_manifest
from benchwright.schemas.jobs import Review, problem_id
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.recipe import Recipe, Statement
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.review_figures import JobFigures, read_figures
from benchwright.schemas.review_states import current_states, is_review_slot
from benchwright.schemas.reviewed import ReviewedCertificate, reviewed_certificate_path
from benchwright.schemas.workspace import Workspace

Status = Literal["pass", "fail", "needs a person", "after release"]
"""`after release`: only runs of the released rows can measure it, and there is none yet."""


@dataclass(frozen=True)
class Answer:
    """What one criterion comes to."""

    status: Status
    figure: str
    mend: str = ""
    ids: Collection[str] = ()


@dataclass(frozen=True)
class Facts:
    """Everything that is known of a release before it is built."""

    content: ReleaseContent
    recipe: Recipe
    known: Known
    findings: Mapping[str, Finding]
    """By code."""
    terms: tuple[Terms, ...]
    scored: tuple[int, int]
    """Keys that the scorer calls right, and all keys."""
    floors: Floors
    skews: tuple[Skew, ...]
    runs: tuple[RunFacts, ...]
    reviews: tuple[JobFigures, ...]
    reviewers: Mapping[str, int]
    """By problem: people who judged its quality, the answer among it, without seeing each other."""
    certificates: Mapping[str, ReviewedCertificate | None]
    """By discipline of the release."""
    pinned: Mapping[str, int]
    """By discipline: source files of its pool that are held by a digest."""
    templates: Mapping[str, str]
    """By problem: what it shares with questions that differ in nothing but their numbers."""
    calibrations: tuple[Path, ...]
    """Measured judges, `calibrations/*.json` of the workspace."""
    keys_told: bool
    """Whether a figure may depend on every key. One that is published must not where answers are withheld: that "always
    B" is right so often tells the key of a release of one problem, and of two releases that of the row between them."""

    @property
    def rows(self) -> tuple[ReleaseRow, ...]:
        """Of the release."""
        return self.content.rows

    @property
    def problems(self) -> tuple[str, ...]:
        """Ids, sorted."""
        return tuple(sorted({row.problem_id for row in self.rows}))

    @property
    def disciplines(self) -> tuple[str, ...]:
        """Of the release, sorted."""
        return tuple(sorted({row.discipline for row in self.rows}))

    def found(self, *codes: str) -> tuple[str, ...]:
        """Rows with one of these findings, sorted."""
        return tuple(
            sorted({row for code in codes if code in self.findings for row in self.findings[code].rows})
        )

    def missing(self, *subjects: Statement) -> tuple[str, ...]:
        """Statements that nobody has made."""
        said = self.recipe.release.statements
        return tuple(subject for subject in subjects if not said.get(subject, "").strip())

    def scored_by_models(self) -> tuple[RunFacts, ...]:
        """Runs of models that saw the whole of each row."""
        return tuple(run for run in self.runs if run.protocol != "human" and run.input == "QI" and run.judged)


def gather(
    content: ReleaseContent, workspace: Workspace, known: Known, findings: Sequence[Finding], published: bool
) -> Facts:
    """Read everything that the criteria look at; without runs and withheld keys where it is to be published.

    Raises:
        UsageError: a run or the figures on reviews cannot be read, or are older than what they are about.
    """
    rows = content.rows
    right, keyed, _ = perfect_solver(rows)
    disciplines = sorted({row.discipline for row in rows})
    return Facts(
        content=content,
        recipe=workspace.recipe,
        known=known,
        findings={finding.code: finding for finding in findings},
        terms=terms_of(rows, workspace.recipe.sources),
        scored=(right, keyed),
        floors=floors(rows),
        skews=key_skews(rows),
        runs=() if published else runs_of(workspace, rows),
        reviews=tuple(read_figures(workspace)),
        reviewers=_reviewers(workspace),
        certificates={name: _certificate(workspace, name) for name in disciplines},
        pinned={name: _pinned(workspace, name) for name in disciplines},
        templates=_templates(workspace, disciplines),
        calibrations=tuple(sorted((workspace.root / "calibrations").glob("*.json"))),
        keys_told=not (published and any(row.split in workspace.recipe.release.withhold for row in rows)),
    )


def _reviewers(workspace: Workspace) -> dict[str, int]:
    path = workspace.reviews("quality")
    people: dict[str, set[str]] = defaultdict(set)
    for review in current_states(read_jsonl(path, Review) if path.is_file() else ()):
        if review.state == "submitted" and is_review_slot(review.slot) and review.undecided is None:
            people[review.item_id].add(review.pseudonym)
    return {item: len(names) for item, names in people.items()}


def _certificate(workspace: Workspace, discipline: str) -> ReviewedCertificate | None:
    path = reviewed_certificate_path(workspace, discipline)
    return ReviewedCertificate.model_validate_json(path.read_bytes()) if path.is_file() else None


def _pinned(workspace: Workspace, discipline: str) -> int:
    manifest = read_manifest(manifest_path(workspace.pool(discipline)))
    return 0 if manifest is None else len(manifest.inputs)


def _templates(workspace: Workspace, disciplines: Iterable[str]) -> dict[str, str]:
    return {
        problem_id(row.question_id): row.template
        for discipline in disciplines
        for row in duplicate_rows(workspace, discipline).values()
        if row.template is not None
    }
