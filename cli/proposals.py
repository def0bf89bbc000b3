"""`curate proposals`: what became of the machine's proposals."""

from __future__ import annotations

from pathlib import Path

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
