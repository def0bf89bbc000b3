"""How far the reviews of a workspace are, from its files alone: no server is asked."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright.annotation.items import ORDER, in_order, in_use
from benchwright.annotation.jobs.base import ReviewJob
from benchwright.annotation.proposals import newest_proposals
from benchwright.annotation.slots import REMARKS, counted
from benchwright.schemas.jobs import JOBS, Review, Verdict
from benchwright.schemas.journal import Journal, read_jsonl
from benchwright.schemas.review_states import current_states
from benchwright.schemas.workspace import Workspace

_Shown = tuple[str, str | None, str]
"""Item, language, digest of what is shown."""


@dataclass(frozen=True)
class JobState:
    """Counts of one page of a job; the states of its items add up to `items`."""

    job: str
    group: str
    items: int
    proposed: int
    """Items with a proposal for their present content."""
    agreed: int
    """Items whose required fields all have a final value, and no other field an answer that does not settle it."""
    open: int
    """Items with submitted answers that do not settle them."""
    skipped: int
    """Items that were only skipped."""
    draft: int
    """Items with unsubmitted work only: not final, and not untouched."""
    untouched: int
    waiting: int = 0
    """Items, beyond `items`, that an earlier job holds up."""


def job_states(workspace: Workspace, job: ReviewJob) -> list[JobState]:
    """The state of each page of a job.

    Raises:
        UsageError: the taxonomy lacks a selected discipline.
    """
    final, unsettled = _fields(workspace, job.name)
    states = _reviewed(workspace, job.name)
    proposals = {(key.item_id, key.language, key.digest) for key in newest_proposals(workspace, job.name)}
    required = {field.name for field in JOBS[job.name].fields if field.required}
    found = []
    for group in job.groups(workspace):
        keys = [(item.item_id, item.language, item.digest) for item in group.items]
        counts = Counter(
            _item_state(states.get(key, set()), required <= final.get(key, set()) and key not in unsettled)
            for key in keys
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
                waiting=len(group.waiting),
            )
        )
    return found


def shown_jobs(workspace: Workspace, jobs: Mapping[str, ReviewJob]) -> list[ReviewJob]:
    """The jobs that have something to tell, in the order of review: those in use, tags, what was pushed from runs."""
    return [
        jobs[name]
        for name in in_order(jobs)
        if name == "tagging"
        or in_use(workspace, name)
        or (name not in ORDER and jobs[name].groups(workspace))
    ]


def next_job(states: Sequence[JobState]) -> str | None:
    """The first job, in the order of review, that people are not done with; None where they are."""
    left = {state.job for state in states if state.agreed < state.items}
    return next((job for job in (*ORDER, *sorted(left)) if job in left), None)


def next_command(workspace: Workspace, states: Sequence[JobState], *, serving: bool) -> str:
    """What to type next, as far as the reviews are concerned.

    Args:
        workspace: the workspace.
        states: of `job_states`, of the jobs to tell of.
        serving: whether the review server can be reached.
    """
    job = next_job(states)
    if not states:
        return "curate cluster"
    if job is None:
        return "curate problems"
    if not serving:
        return "annotate serve"
    if not workspace.reviews(job).is_file():
        return f"annotate push {job}"
    left = [state for state in states if state.job == job and state.agreed < state.items]
    decided = all(state.agreed + state.open == state.items for state in left)
    # With one answer an item, one that settled nothing stays open whatever is pulled.
    return f"annotate {'adjudicate' if decided and workspace.recipe.annotation.slots == 1 else 'pull'} {job}"


def stale_items(workspace: Workspace, job: ReviewJob) -> int:
    """How many reviewed contents are of the past: the item has changed since, or is not selected any more."""
    shown = {
        (item.item_id, item.language, item.digest) for group in job.groups(workspace) for item in group.items
    }
    return len(set(_reviewed(workspace, job.name)) - shown)


def _reviewed(workspace: Workspace, job: str) -> dict[_Shown, set[str]]:
    """States of the words on each item and content, without those of the qualification."""
    states: dict[_Shown, set[str]] = defaultdict(set)
    for review in counted(current_states(Journal(workspace.reviews(job)).read(Review))):
        states[(review.item_id, review.language, review.digest)].add(review.state)
    return dict(states)


def _item_state(states: set[str], settled: bool) -> str:
    if settled:
        return "agreed"
    for state, name in (("submitted", "open"), ("skipped", "skipped"), ("draft", "draft")):
        if state in states:
            return name
    return "untouched"


def _fields(workspace: Workspace, job: str) -> tuple[dict[_Shown, set[str]], set[_Shown]]:
    """(fields with a final value, by what was shown; what was shown with a field that answers left open)."""
    path = workspace.verdicts(job)
    final: dict[_Shown, set[str]] = defaultdict(set)
    unsettled: set[_Shown] = set()
    for verdict in read_jsonl(path, Verdict) if path.exists() else []:
        shown = (verdict.item_id, verdict.language, verdict.digest)
        if verdict.basis != "open":
            final[shown].add(verdict.field)
        elif verdict.by and verdict.field not in REMARKS:  # nobody's: all its annotations were deleted
            unsettled.add(shown)
    return dict(final), unsettled
