"""Pull: every state of every annotation that the server shows goes to the end of `reviews/<job>.jsonl`.

The file is only ever appended to, so the server can burn down and nothing reviewed is lost.
`reviews/<job>.verdicts.jsonl` is derived from it, the same bytes for the same reviews.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from benchwright.annotation.client import JsonObject, Project, ReviewServer
from benchwright.annotation.consensus import consensus_rule
from benchwright.annotation.jobs.base import ReviewJob
from benchwright.annotation.jobs.controls import undecided
from benchwright.annotation.people import People
from benchwright.annotation.private import read_private, write_private
from benchwright.annotation.projects import ProjectMark, guidelines_at, our_projects
from benchwright.annotation.slots import answered_twice, needed_slots, open_slots
from benchwright.annotation.verdicts import derive_verdicts
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import JOBS, Review
from benchwright.schemas.journal import Journal, write_jsonl
from benchwright.schemas.records import Record
from benchwright.schemas.review_states import current_states
from benchwright.schemas.workspace import Workspace

State = Literal["submitted", "skipped", "draft", "deleted"]
_Spoken = tuple[str, str]
"""Annotation and field."""
_OVERLAP = timedelta(seconds=10)
"""How far an incremental pull looks back beyond the last one: a task written meanwhile must not be missed."""


class Watermarks(Record):
    """How far each project has been pulled: its uid -> newest server time seen."""

    newest: dict[str, str] = {}


@dataclass(frozen=True)
class PullResult:
    """What a pull brought."""

    projects: int
    people: int
    states: Mapping[str, int]
    """New lines by state."""
    verdicts: Mapping[str, int]
    """All verdicts by basis."""
    twice: int = 0
    """Items that one person answered in several slots: counted once, and another person is needed."""

    @property
    def new(self) -> int:
        """Number of lines appended."""
        return sum(self.states.values())


def pull_job(
    server: ReviewServer,
    workspace: Workspace,
    job: ReviewJob,
    *,
    full: bool = False,
    slots: Sequence[str] | None = None,
) -> PullResult:
    """Pull one job and derive its verdicts.

    Args:
        server: from where.
        workspace: `reviews/` and `people.json` are written.
        job: which review.
        full: look at every task and notice deleted annotations; otherwise only at what changed since the last pull.
        slots: independent reviews that an item needs; None: those of the recipe and of the projects in use.

    Raises:
        UsageError: the job was never pushed.
        ServerTrouble: the server failed; nothing half-read is kept, run again.
    """
    with workspace.lock(f"annotate-pull/{job.name}"):
        projects = our_projects(server, workspace, job)
        if not projects:
            raise UsageError(
                f"{server.connection.url} has no {job.name} project of {workspace.recipe.benchmark.name}: "
                f"run `annotate push {job.name}` first."
            )
        watermarks = _watermarks(workspace)
        journal = Journal(workspace.reviews(job.name))
        known = journal.read(Review)
        people, emails = People(workspace), server.emails()
        authors = {review.annotation_id: review.pseudonym for review in known}
        fresh: list[Review] = []
        newest = dict(watermarks.newest)
        for project, mark in projects:
            rows = list(server.annotated(project.id, _since(watermarks, mark, full)))
            drafted = server.drafted(project.id)
            page = PulledPage(job, project, mark, people, emails, authors)
            people.admit(_names(page, rows, drafted))
            fresh += _project_reviews(page, rows, drafted)
            # Drafts are listed whole each time, annotations only by a full pull.
            fresh += _gone(known, mark, "d", [draft["id"] for row in drafted for draft in row["drafts"]])
            if full:
                fresh += _gone(
                    known, mark, "", [a["id"] for row in rows for a in row.get("annotations") or []]
                )
            newest[mark.uid] = max([newest.get(mark.uid, ""), *[str(row["updated_at"]) for row in rows]])
        added = unseen(known, fresh)
        journal.extend(added)
        # Only now: a watermark that ran ahead of the journal would lose reviews.
        write_private(_watermark_path(workspace), Watermarks(newest=newest))
        needed = slots or needed_slots(
            workspace.recipe.annotation.slots, open_slots(mark for _, mark in projects)
        )
        verdicts = write_verdicts(workspace, job.name, [*known, *added], needed)
        twice = len(answered_twice(current_states([*known, *added])))
        states: Counter[str] = Counter(review.state for review in added)
        return PullResult(len(projects), len(people), states, verdicts, twice)


def write_verdicts(
    workspace: Workspace, job: str, reviews: Sequence[Review], slots: Sequence[str]
) -> Counter[str]:
    """Derive and write the verdicts of a job; returns how many there are by basis."""
    verdicts = derive_verdicts(reviews, slots, consensus_rule(workspace.recipe.annotation))
    write_jsonl(workspace.verdicts(job), verdicts)
    return Counter(verdict.basis for verdict in verdicts)


def unseen(known: Iterable[Review], fresh: Iterable[Review]) -> list[Review]:
    """The states that are not in the journal yet, each once, oldest first within an annotation.

    What the journal last called deleted and the server shows again (a backup was put back) is said anew: the last line
    on it would otherwise stand.
    """
    last: dict[_Spoken, Review] = {}
    seen: set[tuple[str, ...]] = set()
    for review in known:
        last[review.annotation_id, review.field] = review
        seen.add(_state_name(review))
    added = []
    for review in fresh:
        spoken = (review.annotation_id, review.field)
        back = review.state != "deleted" and spoken in last and last[spoken].state == "deleted"
        if back or _state_name(review) not in seen:
            seen.add(_state_name(review))
            last[spoken] = review
            added.append(review)
    return added


@dataclass(frozen=True)
class PulledPage:
    """A project whose tasks are being read."""

    job: ReviewJob
    project: Project
    mark: ProjectMark
    people: People
    emails: Mapping[int, str]
    authors: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Annotation -> pseudonym, of what was pulled before: it keeps its author when the account or its name is gone."""

    def number(self, annotation: JsonObject) -> str:
        """Name of an annotation in the store."""
        return f"{self.mark.uid}-{annotation['id']}"

    def draft_number(self, draft: JsonObject) -> str:
        """Name of a draft in the store."""
        return f"{self.mark.uid}-d{draft['id']}"


def task_reviews(page: PulledPage, row: JsonObject) -> list[Review]:
    """All states that one listed task holds: its annotations and its drafts, each once per required field.

    A required field without an answer gets a state too, with value None: unfinished work is not "no work yet", and
    "cannot decide" is an answer to none of them.
    """
    reviews: list[Review] = []
    for annotation in row.get("annotations") or []:
        number = page.number(annotation)
        author = page.authors.get(number) or page.people.pseudonym(
            _email(annotation["completed_by"], page.emails)
        )
        state: State = "skipped" if annotation.get("was_cancelled") else "submitted"
        reviews += _field_reviews(page, row["data"], annotation, author, state, number)
    for draft in row.get("drafts") or []:
        number = page.draft_number(draft)
        author = page.authors.get(number) or page.people.pseudonym(str(draft["user"]))
        reviews += _field_reviews(page, row["data"], draft, author, "draft", number)
    return reviews


def _project_reviews(
    page: PulledPage, rows: Sequence[JsonObject], drafted: Sequence[JsonObject]
) -> list[Review]:
    # The task list shows only the asking account's drafts; all drafts come from their own listing.
    annotated = [{**row, "drafts": []} for row in rows]
    only_drafts = [{**row, "annotations": []} for row in drafted]
    found: list[Review] = []
    for row in sorted([*annotated, *only_drafts], key=lambda row: int(row["id"])):
        if "task_key" in row["data"]:  # others were put there by hand
            found += task_reviews(page, row)
    return found


def _field_reviews(
    page: PulledPage, data: JsonObject, annotation: JsonObject, author: str, state: State, number: str
) -> list[Review]:
    result, job = annotation.get("result") or [], page.job
    said = None if state == "skipped" else undecided(result)
    answers = {} if state == "skipped" or said is not None else job.answers(result, data)
    lead_time = annotation.get("lead_time")
    reviews = []
    for field in JOBS[job.name].fields:
        answer = answers.get(field.name)
        if answer is None and not field.required:
            continue
        reviews.append(
            Review(
                job=job.name,
                item_id=data["item_id"],
                language=data.get("language"),
                field=field.name,
                digest=data["digest"],
                value=None if answer is None else answer.value,
                pseudonym=author,
                slot=page.mark.slot,
                state=state,
                origin="manual" if answer is None else answer.origin,
                annotation_id=number,
                updated_at=str(annotation["updated_at"]),
                lead_time=None if lead_time is None else float(lead_time),
                comment=job.comment(result),
                guidelines=guidelines_at(page.project, str(annotation["updated_at"])),
                undecided=said,
                withheld=data.get("withheld"),
            )
        )
    return reviews


def _gone(known: Sequence[Review], mark: ProjectMark, kind: str, present: Iterable[int]) -> list[Review]:
    """Last states of what this very project held and holds no more: annotations (kind "") or drafts (kind "d")."""
    here = {f"{mark.uid}-{kind}{number}" for number in present}
    return [
        review.model_copy(update={"state": "deleted"})
        for review in current_states(known)
        if review.annotation_id.startswith(f"{mark.uid}-")
        and (review.state == "draft") == (kind == "d")
        and review.annotation_id not in here
    ]


def _state_name(review: Review) -> tuple[str, ...]:
    said = canonical_json([review.value, review.undecided])
    return (review.annotation_id, review.field, review.updated_at, review.state, said)


def _names(page: PulledPage, rows: Iterable[JsonObject], drafted: Iterable[JsonObject]) -> list[str]:
    """Accounts that wrote something not pulled before, the oldest account first."""
    age = {email: number for number, email in page.emails.items()}
    writers = {
        _email(annotation["completed_by"], page.emails)
        for row in rows
        for annotation in row.get("annotations") or []
        if page.number(annotation) not in page.authors
    }
    writers |= {
        str(draft["user"])
        for row in drafted
        for draft in row["drafts"]
        if page.draft_number(draft) not in page.authors
    }
    return sorted(writers, key=lambda email: (age.get(email, 0), email))


def _email(completed_by: object, emails: Mapping[int, str]) -> str:
    """E-mail of an account that Label Studio gives as its number or, in some listings, as an object that holds it."""
    number = completed_by["id"] if isinstance(completed_by, dict) else completed_by
    if number is None:
        return "an account that was deleted"
    return emails.get(int(str(number)), f"account {number}, which is not listed any more")


def _since(watermarks: Watermarks, mark: ProjectMark, full: bool) -> str | None:
    seen = watermarks.newest.get(mark.uid)
    if full or not seen:
        return None
    moment = datetime.fromisoformat(seen) - _OVERLAP
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _watermarks(workspace: Workspace) -> Watermarks:
    return read_private(_watermark_path(workspace), Watermarks) or Watermarks()


def _watermark_path(workspace: Workspace) -> Path:
    return workspace.label_studio / "pulled.json"
