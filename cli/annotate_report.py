"""`annotate report` and `annotate adjudicate`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.annotate_server import (
    open_server,
    pages_json,
    pages_table,
    refuse_rejected,
    token_option,
    url_option,
)
from benchwright.cli.common import (
    SummaryTable,
    emit,
    json_option,
    open_workspace,
    say,
    show_table,
    workspace_option,
)

if TYPE_CHECKING:
    from benchwright.annotation.left_open import LeftOpen


@click.command()
@click.argument("jobs", nargs=-1, metavar="[JOB]...")
@click.option("--people", is_flag=True, help="Show the private figures of each person too, here alone.")
@workspace_option
@json_option
def report(jobs: tuple[str, ...], people: bool, workspace: Path | None, as_json: bool) -> None:
    """Agreement, proposals kept, anchoring, gold: of the JOBs given, or of all that have reviews.

    Writes reviews/report.md, .html and .json with figures of the group, reviews/JOB.figures.json for the card, and the
    figures of each person to label-studio/annotators.json, which only its owner may read.
    """
    from benchwright.annotation.report import reviewed_jobs, write_report
    from benchwright.annotation.report_page import (
        PEOPLE_COLUMNS,
        interval_words,
        kappa_words,
        people_rows,
        people_rule,
    )

    space = open_workspace(workspace)
    written = write_report(space, jobs or reviewed_jobs(space))
    rows = [
        (
            *(figures.job, field.name, field.items, interval_words(field.percent, percent=True)),
            *(kappa_words(field), interval_words(field.alpha)),
        )
        for figures in written.jobs
        for field in figures.fields
    ]
    if people and not as_json:
        private = [row for job, found in written.people.items() for row in people_rows(job, found)]
        show_table(SummaryTable("Private: figures of each person", PEOPLE_COLUMNS, private))
        say(people_rule())
    for path in written.files[:3]:
        say(f"written: {path}")
    say(f"private: {written.private}")
    open_job = next((figures.job for figures in written.jobs if figures.verdicts.get("open", 0)), None)
    table = SummaryTable("annotate report", ("job", "field", "items", "equal", "kappa", "alpha"), rows)
    following = f"annotate adjudicate {open_job}" if open_job is not None else "curate problems"
    emit({"jobs": [figures.model_dump(mode="json") for figures in written.jobs]}, table, as_json, following)


def tell_left_open(items: Sequence[LeftOpen]) -> None:
    """Name the items that adjudicators left open, and what can be done about them."""
    for item in items:
        language = "" if item.language is None else f" ({item.language})"
        say(
            f"{item.job}: {item.item_id}{language} was adjudicated and is open: {item.why}; {', '.join(item.fields)}"
        )
    if items:
        say(
            "replace such an item (curate replace), or delete the adjudicator's annotation on the server and run "
            "`annotate pull JOB --full`: its task then waits for another answer"
        )


@click.command()
@click.argument("job")
@workspace_option
@url_option
@token_option
@json_option
def adjudicate(job: str, workspace: Path | None, url: str | None, token: str | None, as_json: bool) -> None:
    """Make a project of what a JOB's reviewers left open, their answers shown without names; its word is final."""
    from benchwright.annotation.jobs import find_job
    from benchwright.annotation.left_open import left_open_items
    from benchwright.annotation.special_pages import push_adjudication

    review_job, space = find_job(job), open_workspace(workspace)
    with open_server(space, url, token) as server:
        pages = push_adjudication(server, space, review_job)
    following = f"review in the browser, then: annotate pull {job}" if pages else "annotate report"
    table = pages_table(f"annotate adjudicate {job}", pages)
    tell_left_open(left_open_items(space, job))
    emit({"job": job, "pages": pages_json(pages)}, table, as_json, following)
    refuse_rejected(pages)
