"""Options of `annotate push` that offer a run's answers or a release's rows to a job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from benchwright.schemas.errors import UsageError
    from benchwright.schemas.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])
_OF_RUNS = ("judge", "steps", "errors")
_FIRST = {
    "duplicates": "`curate dedup` left nothing open, or was not run yet",
    "taxonomy": "nothing was proposed yet: run `curate taxonomy`",
    "answer": "nothing was offered yet: name a release with --from-release",
    **dict.fromkeys(_OF_RUNS, "nothing was offered yet: name a run with --from-run"),
}


@dataclass(frozen=True)
class OfferOptions:
    """What a push was told to offer."""

    from_run: str | None
    from_release: str | None
    versions: str | None
    languages: str | None
    sample: int | None
    flags: str | None


def offer_options(function: F) -> F:
    """Add `--from-run`, `--from-release`, `--versions`, `--languages`, `--sample` and `--flags`."""
    options = (
        click.option(
            "--from-run",
            metavar="RUN",
            default=None,
            help="judge, steps, errors: offer the answers of this run (its id, or its folder). Remembered. "
            "quality: put the questions that the run's statistics flag before people once more.",
        ),
        click.option(
            "--from-release",
            metavar="RELEASE",
            default=None,
            help="answer: offer the rows of this release (folder, ORG/NAME or ORG/NAME@REVISION). Remembered. "
            "With --from-run: where pictures are that the workspace does not hold.",
        ),
        click.option(
            "--versions", default=None, help="answer: these versions, separated by commas; default: all."
        ),
        click.option(
            "--languages", default=None, help="answer: these languages, separated by commas; default: all."
        ),
        click.option(
            "--sample",
            type=click.IntRange(min=1),
            default=None,
            help="Offer at most so many of each discipline, drawn by the recipe's seed.",
        ),
        click.option(
            "--flags",
            default=None,
            metavar="KIND,...",
            help="quality --from-run: only these of dead, ceiling, blind-solvable, suspect-key; default: all.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def offer(space: Workspace, job: str, options: OfferOptions) -> None:
    """Offer what the options name to a job; nothing where they name nothing.

    Raises:
        UsageError: the job takes no such offer, or there is no such run or release.
    """
    from benchwright.annotation.jobs.answer import AnswerJob
    from benchwright.annotation.jobs.errors import ErrorsJob
    from benchwright.annotation.jobs.judge import JudgeJob
    from benchwright.annotation.jobs.steps import StepsJob
    from benchwright.annotation.sources import ReleaseChoice

    _check(job, options)
    with space.lock(f"annotate-offer/{job}"):
        for run_job in (JudgeJob(), StepsJob(), ErrorsJob()):
            if job == run_job.name and options.from_run is not None:
                run_job.offer(space, options.from_run, options.sample, options.from_release)
        if job == "answer" and options.from_release is not None:
            versions, languages = _names(options.versions), _names(options.languages)
            choice = ReleaseChoice(options.from_release, versions, languages, options.sample)
            AnswerJob().offer(space, choice)


def flagged_kinds(job: str, options: OfferOptions, *, other_pages: bool) -> frozenset[str] | None:
    """Which flags of a run make re-review tasks; empty means all, None where none were asked for.

    Args:
        job: the job's name.
        options: as typed.
        other_pages: whether options of ordinary pages (slots, gold, qualification) were given.

    Raises:
        UsageError: an unknown kind, or options that would do nothing.
    """
    from typing import get_args

    from benchwright.schemas.errors import UsageError
    from benchwright.schemas.flags import FlagKind

    if job != "quality" or options.from_run is None:
        return None
    if other_pages:
        raise UsageError(
            "quality --from-run makes one task a question, to be decided once: leave --slots, --no-proposal-share, "
            "--gold and --qualification away."
        )
    kinds = frozenset(_names(options.flags))
    if unknown := sorted(kinds - set(get_args(FlagKind))):
        raise UsageError(f"--flags {unknown[0]}: choose {', '.join(get_args(FlagKind))}.")
    return kinds


def nothing_to_review(space: Workspace, job: str) -> UsageError:
    """Why a job has no items."""
    from benchwright.schemas.errors import UsageError

    why = _FIRST.get(job, "it has no selected questions: run `curate cluster` first")
    return UsageError(f"{space.root} has nothing to review in the job {job}: {why}.")


def _check(job: str, options: OfferOptions) -> None:
    from benchwright.schemas.errors import UsageError

    if options.from_run is not None and job not in (*_OF_RUNS, "quality"):
        raise UsageError(
            f"--from-run offers answers to {', '.join(_OF_RUNS)}, and flagged questions to quality: leave it away for "
            f"{job}."
        )
    if options.flags is not None and (job != "quality" or options.from_run is None):
        raise UsageError("--flags chooses among the flags of a run: use it with quality --from-run.")
    if job == "quality" and options.from_run is not None and (options.sample or options.from_release):
        raise UsageError(
            "quality --from-run takes all flagged questions: leave --sample and --from-release away."
        )
    if options.from_release is not None and job != "answer" and options.from_run is None:
        raise UsageError(f"--from-release offers rows to answer: leave it away for {job}, or add --from-run.")
    if (options.versions or options.languages) and (job != "answer" or options.from_release is None):
        raise UsageError(
            "--versions and --languages choose rows of a release: use them with answer --from-release."
        )
    if options.sample is not None and options.from_run is None and options.from_release is None:
        raise UsageError("--sample draws from what is offered: use it with --from-run or --from-release.")


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())
