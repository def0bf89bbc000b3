"""`annotate plan`: what is left for people to do."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.cli.common import SummaryTable, emit, json_option, open_workspace, say, workspace_option


@click.command()
@click.option(
    "--people",
    type=click.IntRange(min=1),
    default=None,
    help="How many share the work: says the hours of each.",
)
@workspace_option
@json_option
def plan(people: int | None, workspace: Path | None, as_json: bool) -> None:
    """Open tasks, people and hours of the jobs as they stand; asks no server.

    Seconds a task are the job's assumption, and the median of the measured times from twenty tasks on.
    """
    from benchwright.annotation.jobs import REVIEW_JOBS
    from benchwright.annotation.plan import plan_reviews
    from benchwright.annotation.summary import shown_jobs

    space = open_workspace(workspace)
    made = plan_reviews(space, shown_jobs(space, REVIEW_JOBS))
    columns = ("job", "items", "reviews of each", "open", "later", "to adjudicate", "seconds", "from")
    rows: list[tuple[object, ...]] = [
        (
            *(one.job, one.items, one.slots, one.open, one.later, one.adjudications),
            *(one.pace.seconds, one.pace.words, one.people, one.hours),
        )
        for one in made.jobs
    ]
    total = [sum(getattr(one, name) for one in made.jobs) for name in ("open", "later", "adjudications")]
    rows.append(("all", "", "", *total, "", "", made.people, made.hours))
    if people is not None and people < made.people:
        say(
            f"{people} people are too few: it takes {made.people} different ones, so that nobody reviews an item twice"
        )
    each = "" if people is None else f", {made.hours / people:,.1f} for each of {people}"
    title = f"{made.tasks:,} tasks, {made.hours:,.1f} hours{each}"
    result = made.model_dump(mode="json")
    if people is not None:
        result |= {"shared_by": people, "hours_each": round(made.hours / people, 2)}
    following = "annotate push" if made.tasks else "curate problems"
    first = next((one.job for one in made.jobs if one.open), None)
    following = f"annotate push {first}" if first else following
    emit(result, SummaryTable(title, (*columns, "people", "hours"), rows), as_json, following)
