"""Review jobs: one module each. `find_job` looks one up by its name in `benchwright.schemas.jobs.JOBS`."""

from __future__ import annotations

from benchwright.annotation.jobs.answer import AnswerJob
from benchwright.annotation.jobs.base import ReviewJob
from benchwright.annotation.jobs.decomposition import DecompositionJob
from benchwright.annotation.jobs.duplicates import DuplicatesJob
from benchwright.annotation.jobs.errors import ErrorsJob
from benchwright.annotation.jobs.judge import JudgeJob
from benchwright.annotation.jobs.multiple_choice import MultipleChoiceJob
from benchwright.annotation.jobs.placement import PlacementJob
from benchwright.annotation.jobs.quality import QualityJob
from benchwright.annotation.jobs.steps import StepsJob
from benchwright.annotation.jobs.tagging import TaggingJob
from benchwright.annotation.jobs.taxonomy import TaxonomyJob
from benchwright.annotation.jobs.translation import TranslationJob
from benchwright.schemas.errors import UsageError

_JOBS: tuple[ReviewJob, ...] = (
    QualityJob(),
    TaggingJob(),
    TranslationJob(),
    MultipleChoiceJob(),
    DecompositionJob(),
    PlacementJob(),
    DuplicatesJob(),
    TaxonomyJob(),
    StepsJob(),
    JudgeJob(),
    ErrorsJob(),
    AnswerJob(),
)
REVIEW_JOBS: dict[str, ReviewJob] = {job.name: job for job in _JOBS}


def find_job(name: str) -> ReviewJob:
    """The review job of that name.

    Raises:
        UsageError: there is none; names those that exist.
    """
    if name in REVIEW_JOBS:
        return REVIEW_JOBS[name]
    known = ", ".join(sorted(REVIEW_JOBS))
    raise UsageError(f"there is no job {name!r}: choose one of {known}.")
