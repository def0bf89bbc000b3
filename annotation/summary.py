"""How far the reviews of a workspace are, from its files alone: no server is asked."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from benchwright.annotation.jobs.base import ReviewJob
from benchwright.annotation.push import newest_proposals
from benchwright.annotation.verdicts import current_states
from benchwright.schemas.jobs import JOBS, Review, Verdict
from benchwright.schemas.journal import Journal, read_jsonl
from benchwright.schemas.workspace import Workspace


@dataclass(frozen=True)
class JobState:
    """Counts of one page of a job; the states of its items add up to `items`."""

    job: str
    group: str
    items: int
    proposed: int
    """Items with a proposal for their present content."""
    agreed: int
    """Items whose required fields all have a final value."""
    open: int
    """Items with submitted answers that do not settle them."""
    skipped: int
    """Items that were only skipped."""
    draft: int
    """Items with unsubmitted work only: not final, and not untouched."""
    untouched: int


def job_states(workspace: Workspace, job: ReviewJob) -> list[JobState]:
    """The state of each page of a job.

    Raises:
        UsageError: the taxonomy lacks a selected discipline.
    """
    final = _final_fields(workspace, job.name)
    states = _reviewed(workspace, job.name)
    proposals = {(key.item_id, key.digest) for key in newest_proposals(workspace, job.name)}
    required = {field.name for field in JOBS[job.name].fields if field.required}
    found = []
    for group in job.groups(workspace):
        keys = [(item.item_id, item.digest) for item in group.items]
        counts = Counter(
            _item_state(states.get(key, set()), required <= final.get(key, set())) for key in keys
        )
        found.append(
            JobState(
                job=job.name,
                group=group.name,
                items=len(keys),
                proposed=sum(key in proposals for key in keys),
                agreed=counts["agreed"],
                open=counts["open"],
                skipped=counts["skipped"],
                draft=counts["draft"],
                untouched=counts["untouched"],
            )
        )
    return found


def stale_items(workspace: Workspace, job: ReviewJob) -> int:
    """How many reviewed contents are of the past: the item has changed since, or is not selected any more."""
    shown = {(item.item_id, item.digest) for group in job.groups(workspace) for item in group.items}
    return len(set(_reviewed(workspace, job.name)) - shown)


def _reviewed(workspace: Workspace, job: str) -> dict[tuple[str, str], set[str]]:
    """States of the words on each item and content."""
    states: dict[tuple[str, str], set[str]] = defaultdict(set)
    for review in current_states(Journal(workspace.reviews(job)).read(Review)):
        states[(review.item_id, review.digest)].add(review.state)
    return dict(states)


def _item_state(states: set[str], settled: bool) -> str:
    if settled:
        return "agreed"
    for state, name in (("submitted", "open"), ("skipped", "skipped"), ("draft", "draft")):
        if state in states:
            return name
    return "untouched"


def _final_fields(workspace: Workspace, job: str) -> dict[tuple[str, str], set[str]]:
    path = workspace.verdicts(job)
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    if path.exists():
        for verdict in read_jsonl(path, Verdict):
            if verdict.basis != "open":
                found[(verdict.item_id, verdict.digest)].add(verdict.field)
    return dict(found)
