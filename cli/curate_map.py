"""`curate map`: a page that shows a discipline's pool in the plane, the chosen questions marked."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.cli.common import SummaryTable, emit, json_option, open_workspace, say, workspace_option
from benchwright.cli.curate_cluster import chosen_disciplines, discipline_option


@click.command(name="map")
@discipline_option
@workspace_option
@json_option
def map_command(disciplines: tuple[str, ...], workspace: Path | None, as_json: bool) -> None:
    """Draw the pool as a page: clusters, their words, subjects, the chosen questions.

    Writes clusters/DISCIPLINE.map.html, one file that needs no network. Run `curate cluster` first.
    """
    from benchwright.curation.map import draw_map, map_path

    place = open_workspace(workspace)
    rows, result = [], {}
    for discipline in chosen_disciplines(place, disciplines):
        done = draw_map(place, discipline)
        page = map_path(place, discipline)
        items = done.counts.n_in if done.counts else 0
        if not done.ran:
            say(f"{discipline}: nothing to do, the map is up to date")
        rows.append((discipline, items, page.stat().st_size // 1024, place.relative(page)))
        result[discipline] = {"ran": done.ran, "items": items, "page": str(page)}
    table = SummaryTable("Maps", ("discipline", "items", "KB", "page"), rows)
    emit(result, table, as_json)
