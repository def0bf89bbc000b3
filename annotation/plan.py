"""`annotate plan`: what is left for people to do, from the workspace's files alone; no server is asked.

`curate plan` foresees the same before a pool is processed; both take a task's seconds from
`benchwright.schemas.effort`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from pydantic import NonNegativeFloat, NonNegativeInt

from benchwright.annotation.adjudicate import disagreements
from benchwright.annotation.jobs.base import ReviewJob
from benchwright.annotation.slots import ItemKey, counted, item_key, needed_slots
from benchwright.schemas.effort import Pace, measured_pace
from benchwright.schemas.jobs import ADJUDICATION_SECONDS, Review
from benchwright.schemas.journal import Journal
from benchwright.schemas.records import Record
from benchwright.schemas.review_states import current_states, is_review_slot
from benchwright.schemas.workspace import Workspace


class JobPlan(Record):
    """What one job still asks of people."""

    job: str
    items: NonNegativeInt
    """Items that can be reviewed now."""
    slots: NonNegativeInt
    """Independent reviews of each."""
    open: NonNegativeInt
    """Reviews that nobody submitted yet: drafts and skipped ones are among them."""
    later: NonNegativeInt
    """Reviews of items that wait for an earlier job."""
    adjudications: NonNegativeInt
    """Items that a further person has to decide, as far as the reviews show today."""
    pace: Pace
    """Seconds of a review."""
    people: NonNegativeInt
    """How many different people that takes at least; 0 where nothing is left."""
    hours: NonNegativeFloat
    """Of open reviews, later ones and adjudications together."""


class ReviewPlan(Record):
    """What is left of all jobs."""

    jobs: tuple[JobPlan, ...]
    tasks: NonNegativeInt
    """Open, later, and to be adjudicated."""
    hours: NonNegativeFloat
    people: NonNegativeInt
    """How many different people it takes at least."""


def plan_reviews(workspace: Workspace, jobs: Sequence[ReviewJob]) -> ReviewPlan:
    """Count what is left.

    Args:
        workspace: the workspace.
        jobs: which jobs, in the order to be shown.

    Raises:
        UsageError: the taxonomy lacks a selected discipline.
    """
    plans = tuple(plan_job(workspace, job) for job in jobs)
    return ReviewPlan(
        jobs=plans,
        tasks=sum(plan.open + plan.later + plan.adjudications for plan in plans),
        hours=round(sum(plan.hours for plan in plans), 2),
        people=max((plan.people for plan in plans), default=0),
    )


def plan_job(workspace: Workspace, job: ReviewJob) -> JobPlan:
    """What is left of one job."""
    path = workspace.reviews(job.name)
    reviews = Journal(path).read(Review) if path.is_file() else []
    slots = needed_slots(workspace.recipe.annotation.slots, (review.slot for review in reviews))
    groups = job.groups(workspace)
    shown = [(item.item_id, item.language, item.digest) for group in groups for item in group.items]
    disputed = {found.item for found in disagreements(job.name, reviews, slots, workspace.recipe.annotation)}
    done = _submitted_slots(reviews)
    open_reviews = sum(len(set(slots) - done.get(item, set())) for item in shown if item not in disputed)
    # A disputed item goes to the adjudicator, whose word is final: what its slots still lack decides nothing.
    adjudications = len(disputed & set(shown))
    later = len(slots) * sum(len(group.waiting) for group in groups)
    pace = measured_pace(job.name, reviews)
    seconds = (open_reviews + later) * pace.seconds + adjudications * ADJUDICATION_SECONDS
    return JobPlan(
        job=job.name,
        items=len(shown),
        slots=len(slots),
        open=open_reviews,
        later=later,
        adjudications=adjudications,
        pace=pace,
        people=(len(slots) if open_reviews or later else 0) + (1 if adjudications else 0),
        hours=round(seconds / 3600, 2),
    )


def _submitted_slots(reviews: Iterable[Review]) -> dict[ItemKey, set[str]]:
    """Item -> slots with a submitted answer; an adjudicator's word fills them all, since it settles the item."""
    found: dict[ItemKey, set[str]] = defaultdict(set)
    states = [review for review in counted(current_states(reviews)) if review.state == "submitted"]
    everything = {review.slot for review in states if is_review_slot(review.slot)}
    for review in states:
        found[item_key(review)] |= {review.slot} if is_review_slot(review.slot) else everything
    return found
