"""`curate stats`: counts, lengths and distributions, as a table, JSON, or a page with figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.common import SummaryTable, emit, json_option, open_workspace, say, workspace_option

if TYPE_CHECKING:
    from benchwright.curation.stats_items import Subject


@click.command()
@click.option(
    "--of",
    type=click.Choice(["pool", "selection", "problems", "release"]),
    default=None,
    help="Default: the problems if there are any, else the pool.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Folder for stats.html, stats.json and the figures.",
)
@workspace_option
@json_option
def stats(of: Subject | None, out: Path | None, workspace: Path | None, as_json: bool) -> None:
    """Counts, lengths and distributions of pool, selection, problems or release."""
    from benchwright.curation.stats import statistics
    from benchwright.curation.stats_items import items_of
    from benchwright.curation.stats_page import rows_of

    place = open_workspace(workspace)
    what, items = items_of(place, of)
    figures = statistics(what, items)
    if out is not None:
        from benchwright.curation.stats_page import write_statistics

        say(f"wrote {write_statistics(figures, out)}")
    table = SummaryTable(f"Statistics of the {what}", ["figure", "of", "value"], rows_of(figures))
    emit(figures.model_dump(mode="json"), table, as_json)
