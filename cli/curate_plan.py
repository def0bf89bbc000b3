"""`curate plan`: what the tables of a benchmark will be able to show, and what it will cost, before money is spent."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.cli.common import SummaryTable, emit, json_option, open_workspace, say, workspace_option
from benchwright.cli.curate_cluster import discipline_option


@click.command()
@discipline_option
@click.option(
    "--assume", "assumptions", multiple=True, metavar="KEY=VALUE", help="In place of a built-in assumption."
)
@click.option(
    "--model", default=None, help="One of the models to be compared: its price and tokens stand for all."
)
@click.option(
    "--prices", "prices_file", type=click.Path(path_type=Path, dir_okay=False), help="TOML table of prices."
)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="Write the plan as a Markdown page too."
)
@workspace_option
@json_option
def plan(
    disciplines: tuple[str, ...],
    assumptions: tuple[str, ...],
    model: str | None,
    prices_file: Path | None,
    out: Path | None,
    workspace: Path | None,
    as_json: bool,
) -> None:
    """What each cell of the later tables can show, and what the benchmark asks of people and models.

    Rests on the recipe alone, and on pool and selection as far as they are there. Asks no model.
    """
    from benchwright.cli.common import show_table
    from benchwright.curation import plan as planning
    from benchwright.curation.plan_cover import cover_notes
    from benchwright.models.prices import load_prices
    from benchwright.schemas.artefact import write_atomic

    place = open_workspace(workspace)
    prices = load_prices(place.recipe.prices, prices_file)
    made = planning.make_plan(place, disciplines, assumptions, model, prices)
    if out is not None:
        write_atomic(out, planning.markdown(made).encode("utf-8"))
        say(f"written: {out}")
    if not as_json:
        show_table(SummaryTable("What each cell can show", planning.CELL_COLUMNS, planning.cell_rows(made)))
        show_table(SummaryTable("Models", planning.ASKED_COLUMNS, planning.asked_rows(made)))
        for note in (*planning.notes(made), *cover_notes(place, disciplines)):
            say(note)
    title = f"People: {made.hours:,.1f} hours, {planning.weeks_in_words(made)}"
    table = SummaryTable(title, planning.WORK_COLUMNS, planning.work_rows(made))
    emit(
        made.model_dump(mode="json"),
        table,
        as_json,
        "curate cluster" if place.pool_disciplines() else "curate ingest SOURCE",
    )
