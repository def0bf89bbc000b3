"""Review jobs: one module each. `find_job` looks one up by its name in `benchwright.schemas.jobs.JOBS`."""

from __future__ import annotations

from benchwright.annotation.jobs.base import ReviewJob
from benchwright.annotation.jobs.tagging import TaggingJob
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import JOBS

REVIEW_JOBS: dict[str, ReviewJob] = {job.name: job for job in (TaggingJob(),)}


def find_job(name: str) -> ReviewJob:
    """The review job of that name.

    Raises:
        UsageError: there is none; names those that exist.
    """
    if name in REVIEW_JOBS:
        return REVIEW_JOBS[name]
    known = ", ".join(sorted(REVIEW_JOBS))
    if name in JOBS:
        raise UsageError(f"job {name!r} has no review page yet: this version reviews {known}.")
    raise UsageError(f"there is no job {name!r}: choose one of {known}.")
