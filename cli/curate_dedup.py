"""`curate dedup`: repeats in the pool, and overlap with other sets."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.common import (
    SummaryTable,
    emit,
    json_option,
    open_workspace,
    progress,
    say,
    workspace_option,
)
from benchwright.cli.curate_cluster import chosen_disciplines, discipline_option, workers_option
from benchwright.cli.engine import engine_options

if TYPE_CHECKING:
    from benchwright.curation.dedup import DedupResult
    from benchwright.curation.executor import Engine, Executor
    from benchwright.schemas.workspace import Workspace


@click.command()
@discipline_option
@click.option(
    "--against",
    multiple=True,
    metavar="PATH|hf:ID",
    help="Another set to compare with: a file, a saved dataset, a release folder, or hf:ORG/NAME; may be repeated. "
    "Default: the recipe's.",
)
@click.option(
    "--yes", is_flag=True, help="Go on although more of a source would be dropped than the recipe allows."
)
@workers_option
@engine_options
@workspace_option
@json_option
def dedup(
    disciplines: tuple[str, ...],
    against: tuple[str, ...],
    yes: bool,
    workers: int | None,
    engine: Engine,
    ray_address: str | None,
    workspace: Path | None,
    as_json: bool,
) -> None:
    """Find questions that stand in the pool twice, and those that other sets hold too.

    Repeats give way to one of them, by a rule that is recorded. Number variants of one template, and the same words
    with another picture or other options, stay. What the rules cannot tell goes to people (job `duplicates`).
    """
    from benchwright.curation.dedup import page_path
    from benchwright.curation.executor import open_executor

    place = open_workspace(workspace)
    executor = open_executor(workers, engine, ray_address)
    rows, result = [], {}
    for discipline in chosen_disciplines(place, disciplines):
        done = _search(place, discipline, against, yes, executor)
        found = done.report
        rows.append(
            [discipline, found.questions, found.groups, found.dropped, found.disputed, found.candidates,
             found.templates, found.same_words, found.overlaps]
        )  # fmt: skip
        page = place.relative(page_path(place, discipline))
        say(f"{discipline}: what was found, side by side: {page}")
        result[discipline] = {"ran": done.stage.ran, "page": page, **found.model_dump(mode="json")}
    columns = (
        "discipline",
        "pool",
        "groups",
        "dropped",
        "disputed",
        "to review",
        "templates",
        "same words",
        "overlap",
    )
    emit(result, SummaryTable("Duplicates", columns, rows), as_json, "curate cluster")


def _search(
    workspace: Workspace, discipline: str, against: tuple[str, ...], yes: bool, executor: Executor
) -> DedupResult:
    from benchwright.curation.dedup import dedup_discipline

    with ExitStack() as stack:
        bars = {}

        def report(what: str, done: int, total: int) -> None:
            if what not in bars:
                bars[what] = stack.enter_context(progress(total, f"dedup {discipline}: {what}"))
            bars[what].advance(done - bars[what].done)

        result = dedup_discipline(
            workspace, discipline, None, yes, report, against or None, executor=executor
        )
    for name in result.stage.repaired:
        say(f"{name} had been changed or torn and was made anew")
    if not result.stage.ran:
        say(f"{discipline}: nothing to do, pool and rules are as they were")
    return result
