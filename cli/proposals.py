"""`curate proposals`: what became of the machine's proposals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

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
    from benchwright.schemas.workspace import Workspace


@click.group()
def proposals() -> None:
    """What became of the machine's proposals."""


@proposals.command()
@click.argument("jobs", nargs=-1)
@click.option(
    "--prices",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="A TOML file of prices by model, beside the recipe's [prices].",
)
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Also write a page with confusion matrices and calibration.",
)
@workspace_option
@json_option
def report(
    jobs: tuple[str, ...], prices: Path | None, html: Path | None, workspace: Path | None, as_json: bool
) -> None:
    """Acceptance, confusion, calibration and cost of the proposals of JOBS (default: all)."""
    from benchwright.curation.proposers.report_page import html_page, tables
    from benchwright.curation.proposers.report_read import workspace_report
    from benchwright.models.prices import load_prices
    from benchwright.schemas.artefact import write_atomic

    place = open_workspace(workspace)
    found = workspace_report(place, jobs, load_prices(place.recipe.prices, prices))
    if html is not None:
        write_atomic(html, html_page(found).encode("utf-8"))
        say(f"written: {html}")
    *first, last = tables(found)
    if not as_json:
        for table in first:
            show_table(SummaryTable(table.title, table.columns, table.rows))
    emit(found.model_dump(mode="json"), SummaryTable(last.title, last.columns, last.rows), as_json)


def show_tags(place: Workspace, discipline: str | None) -> None:
    """After tagging: levels by grade, what the vocabulary lacks, whom to review first."""
    from benchwright.curation.proposers.chosen import chosen_questions, selected_disciplines
    from benchwright.curation.proposers.tagging_report import COLUMNS, tagging_report
    from benchwright.schemas.jobs import Proposal
    from benchwright.schemas.journal import read_jsonl

    names = selected_disciplines(place, discipline)
    questions = [item.question for name in names for item in chosen_questions(place, name, "tag")[0]]
    found = tagging_report(questions, read_jsonl(place.proposals("tagging"), Proposal))
    if len(found.levels.rows) > 1:
        show_table(SummaryTable("Levels by grade", COLUMNS, found.levels.cells()))
    clear = sum(inversion.clear for inversion in found.levels.inversions)
    if clear:
        say(f"{clear} grades have clearly lower levels than an earlier one: look at them first")
    if found.ties:
        say(f"{found.ties} questions are undecided between equal votes; their confidence says so")
    if found.unmapped:
        words = ", ".join(word for word, _ in found.unmapped[:8])
        say(f"{len(found.unmapped)} knowledge points are not in the vocabulary: {words}")
    if found.order:
        say(f"least certain, to be reviewed first: {', '.join(found.order[:5])}")
