"""How long one person needs for one task of a job: assumed, until enough people were timed."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from pydantic import NonNegativeInt, PositiveFloat

from benchwright.schemas.jobs import JOBS, Review
from benchwright.schemas.journal import Journal
from benchwright.schemas.records import Record
from benchwright.schemas.review_states import current_states, is_review_slot
from benchwright.schemas.workspace import Workspace

LEAST_TIMED = 20
"""Timed tasks of a job from which on their median stands in place of the assumption."""


class Pace(Record):
    """Seconds of one person for one task."""

    seconds: PositiveFloat
    timed: NonNegativeInt = 0
    """Tasks whose median it is; 0: it is assumed."""

    @property
    def words(self) -> str:
        """Where the figure comes from."""
        return f"median of {self.timed:,}" if self.timed else "assumed"


def pace_of(workspace: Workspace, job: str) -> Pace:
    """The pace of a job: the median time of its submitted tasks, or the assumption where fewer than 20 were timed.

    Args:
        workspace: whose reviews.
        job: its name.
    """
    path = workspace.reviews(job)
    return measured_pace(job, Journal(path).read(Review) if path.is_file() else ())


def measured_pace(job: str, reviews: Iterable[Review]) -> Pace:
    """The same, from all pulled states. Qualification and adjudication are other work and do not count."""
    seconds = {
        review.annotation_id: review.lead_time
        for review in current_states(reviews)
        if review.state == "submitted" and is_review_slot(review.slot) and review.lead_time
    }
    if len(seconds) < LEAST_TIMED:
        return Pace(seconds=JOBS[job].seconds)
    return Pace(seconds=float(median(seconds.values())), timed=len(seconds))
