"""The report on reviews: group figures for everybody, figures of each person in a private file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright.annotation.annotators import PersonFigures
from benchwright.annotation.private import write_private
from benchwright.annotation.report_figures import JobReport, job_report
from benchwright.annotation.report_page import people_rule, report_html, report_markdown
from benchwright.annotation.slots import Twice, answered_twice
from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import JOBS, Review
from benchwright.schemas.journal import Journal
from benchwright.schemas.records import Record
from benchwright.schemas.review_figures import JobFigures, evidence_path, figures_path
from benchwright.schemas.review_states import current_states
from benchwright.schemas.workspace import Workspace


class TwiceAnswered(Record):
    """An item that one person answered in several slots: delete all but one of these annotations on the server."""

    job: str
    item_id: str
    language: str | None
    pseudonym: str
    slots: tuple[str, ...]


class PrivateReport(Record):
    """What only the project itself may read."""

    rule: str
    people: dict[str, tuple[PersonFigures, ...]]
    """By job."""
    in_two_slots: tuple[TwiceAnswered, ...]


@dataclass(frozen=True)
class WrittenReport:
    """What was counted and where it lies."""

    jobs: tuple[JobFigures, ...]
    people: dict[str, tuple[PersonFigures, ...]]
    files: tuple[Path, ...]
    """For everybody."""
    private: Path


def reviewed_jobs(workspace: Workspace) -> list[str]:
    """Jobs that have reviews, in the order of `JOBS`."""
    return [job for job in JOBS if workspace.reviews(job).is_file()]


def write_report(workspace: Workspace, jobs: Sequence[str]) -> WrittenReport:
    """Count the reviews of some jobs and write the report.

    Writes `reviews/report.md`, `.html` and `.json`, `reviews/<job>.figures.json` and what they are counted from,
    `reviews/<job>.evidence.json`, for the release, and `label-studio/annotators.json` (mode 600). The same reviews
    give the same bytes.

    Raises:
        UsageError: a job is unknown or has no reviews.
    """
    for job in jobs:
        if job not in JOBS:
            raise UsageError(f"there is no job {job!r}: choose of {', '.join(JOBS)}.")
    if not jobs:
        raise UsageError(f"{workspace.root} has no reviews yet: run `annotate pull JOB` first.")
    reports: dict[str, JobReport] = {job: job_report(workspace, job) for job in jobs}
    figures = tuple(report.figures for report in reports.values())
    name = workspace.recipe.benchmark.name
    pages = {
        "report.md": report_markdown(name, figures),
        "report.html": report_html(name, figures),
        "report.json": canonical_json({"benchmark": name, "jobs": list(figures)}) + "\n",
    }
    folder = workspace.reviews(jobs[0]).parent
    files = [folder / page for page in pages]
    for path, text in zip(files, pages.values(), strict=True):
        write_atomic(path, text.encode("utf-8"))
    for one in figures:
        write_atomic(figures_path(workspace, one.job), (canonical_json(one) + "\n").encode("utf-8"))
        files.append(figures_path(workspace, one.job))
    for report in reports.values():
        data = (canonical_json(report.evidence) + "\n").encode("utf-8")
        write_atomic(evidence_path(workspace, report.evidence.job), data)
    people = {job: report.people for job, report in reports.items()}
    twice = tuple(entry for job in jobs for entry in _twice(workspace, job))
    write_private(
        private_path(workspace), PrivateReport(rule=people_rule(), people=people, in_two_slots=twice)
    )
    return WrittenReport(figures, people, tuple(files), private_path(workspace))


def private_path(workspace: Workspace) -> Path:
    """Figures of each person; published nowhere."""
    return workspace.label_studio / "annotators.json"


def _twice(workspace: Workspace, job: str) -> list[TwiceAnswered]:
    states = current_states(Journal(workspace.reviews(job)).read(Review))
    return [_entry(job, found) for found in answered_twice(states)]


def _entry(job: str, found: Twice) -> TwiceAnswered:
    return TwiceAnswered(
        job=job,
        item_id=found.item_id,
        language=found.language,
        pseudonym=found.pseudonym,
        slots=found.slots,
    )
