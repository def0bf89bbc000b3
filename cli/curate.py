"""`curate`: from a raw pool to the problems of a benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    stderr_is_a_terminal,
    workspace_option,
)
from benchwright.cli.curate_cluster import cluster, embed, estimate
from benchwright.cli.curate_dedup import dedup
from benchwright.cli.curate_diff import diff
from benchwright.cli.curate_export import export
from benchwright.cli.curate_map import map_command
from benchwright.cli.curate_plan import plan
from benchwright.cli.curate_replace import certify, keep, replace
from benchwright.cli.curate_screen import screen
from benchwright.cli.curate_select import select
from benchwright.cli.curate_stats import stats
from benchwright.cli.curate_trace import trace
from benchwright.cli.proposals import proposals
from benchwright.cli.propose import COMMANDS as PROPOSING

if TYPE_CHECKING:
    from benchwright.curation.ingest import IngestResult
    from benchwright.schemas.artefact import Counts
    from benchwright.schemas.workspace import Workspace


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def curate() -> None:
    """From a raw pool of questions to the problems of a benchmark.

    In this order: init, ingest, cluster; then the machine's proposals: tag, assess, translate, multiple-choice,
    decompose; then people review (`annotate`); then problems.
    """


curate.add_command(dedup)
curate.add_command(screen)
curate.add_command(embed)
curate.add_command(estimate)
curate.add_command(cluster)
for _later in (certify, replace, keep, plan):
    curate.add_command(_later)
curate.add_command(select)
curate.add_command(map_command)
curate.add_command(stats)
curate.add_command(trace)
curate.add_command(diff)
curate.add_command(export)
for _command in (*PROPOSING, proposals):
    curate.add_command(_command)


@curate.command()
@click.argument("path", type=click.Path(path_type=Path, file_okay=False), default=Path())
@click.option("--name", default=None, help="Name of the benchmark; default: the folder's name.")
@click.option(
    "--discipline",
    "disciplines",
    multiple=True,
    help="A discipline, may be repeated; default: the taxonomy's three.",
)
@json_option
def init(path: Path, name: str | None, disciplines: tuple[str, ...], as_json: bool) -> None:
    """Make a workspace: a folder with a commented recipe, benchwright.toml."""
    import re

    from benchwright.schemas.recipe import default_recipe_toml
    from benchwright.schemas.workspace import Workspace

    name = name or re.sub(r"[^a-z0-9]+", "-", path.resolve().name.lower()).strip("-") or "benchmark"
    toml = default_recipe_toml(name, disciplines) if disciplines else default_recipe_toml(name)
    workspace = Workspace.create(path, toml)
    workspace.taxonomies.mkdir(exist_ok=True)
    result = {"workspace": str(workspace.root), "recipe": str(workspace.root / "benchwright.toml")}
    table = SummaryTable(
        f"Workspace {name}",
        ["discipline", "budget"],
        [[d, r.budget] for d, r in workspace.recipe.disciplines.items()],
    )
    emit(result, table, as_json, f"curate ingest SOURCE --workspace {path}")


@curate.command()
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--name", default=None, help="Name of the source; default: its file name without endings.")
@click.option("--license", "license_name", default=None, help="Licence of rows that name none.")
@click.option("--discipline", default=None, help="Discipline of rows that name none.")
@click.option("--language", default=None, help="Language of rows that name none.")
@click.option(
    "--images-root",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=None,
    help="Folder that picture paths are relative to; default: the source's own.",
)
@workspace_option
@json_option
def ingest(
    sources: tuple[Path, ...],
    name: str | None,
    license_name: str | None,
    discipline: str | None,
    language: str | None,
    images_root: Path | None,
    workspace: Path | None,
    as_json: bool,
) -> None:
    """Read sources into the pool: JSONL, JSON, CSV, Parquet or a saved `datasets` folder.

    Every row is kept or rejected with a reason (pool/rejected.parquet). The same source again is an update.
    """
    from benchwright.curation.ingest import IngestOptions
    from benchwright.curation.ingest import ingest as ingest_sources

    place = open_workspace(workspace)
    options = IngestOptions(name, license_name, discipline, language, images_root)
    with progress(0, "ingest") as bar:
        base = 0

        def on_row(source: str, done: int, total: int) -> None:
            nonlocal base
            bar.label = f"ingest {source}"
            if done == 1:
                base = bar.done
                bar.total, bar.shown = base + total, stderr_is_a_terminal()
            bar.advance()

        results = ingest_sources(place, sources, options, on_row)
    _show_ingest(place, results, as_json)


def _show_ingest(workspace: Workspace, results: Sequence[IngestResult], as_json: bool) -> None:
    rows = []
    for result in results:
        counts, changes = result.counts, result.changes
        rows.append(
            [
                result.name,
                counts.n_in,
                counts.n_kept,
                counts.n_rejected,
                changes["new"],
                changes["changed"],
                changes["gone"],
            ]
        )
        if counts.reasons:
            say(f"{result.name}, rejected: {_listed(counts.reasons)}")
        if result.notes:
            say(f"{result.name}, noted: {_listed(result.notes)}")
        if not result.ran:
            say(f"{result.name}: nothing to do, this source was already in the pool")
    pools = {name: _rows_in(workspace.pool(name)) for name in workspace.pool_disciplines()}
    clashes = _rows_in(workspace.pool_rejected) - _all_rejected(workspace)
    if clashes:
        say(f"{clashes} rows clash with questions of other sources: see pool/rejected.parquet")
    say("pool: " + (_listed(pools) or "empty"))
    table = SummaryTable("Ingest", ["source", "rows", "kept", "rejected", "new", "changed", "gone"], rows)
    output = {
        "sources": [
            {
                "name": r.name,
                "ran": r.ran,
                **r.counts.model_dump(),
                "changes": r.changes,
                "notes": r.notes,
            }
            for r in results
        ],
        "pool": pools,
        "clashes": clashes,
    }
    if not any(pools.values()):
        say("no row was kept: mend the mapping in [ingest.fields], or the flags, and ingest again")
    emit(output, table, as_json, "curate cluster" if any(pools.values()) else None)


def _all_rejected(workspace: Workspace) -> int:
    from benchwright.curation.ingest_pool import read_entries

    return sum(entry.counts.n_rejected for entry in read_entries(workspace))


def _rows_in(path: Path) -> int:
    import pyarrow.parquet as pq

    return int(pq.read_metadata(path).num_rows)


@curate.command()
@click.option(
    "--accept-proposals",
    is_flag=True,
    help="Take the machine's word where no person has reviewed; recorded in every problem's provenance.",
)
@workspace_option
@json_option
def problems(accept_proposals: bool, workspace: Path | None, as_json: bool) -> None:
    """Derive problems.parquet from pool, selection, proposals and final verdicts."""
    from benchwright.curation.problems import make_problems
    from benchwright.curation.stats import statistics
    from benchwright.curation.stats_items import items_of

    place = open_workspace(workspace)
    result = make_problems(place, accept_proposals)
    counts = _counts(result.counts)
    figures = statistics(*items_of(place, "problems"))
    rows = [[name, n] for name, n in figures.by_discipline.items()]
    if counts.reasons:
        say(f"not problems yet: {_listed(counts.reasons)} (problems.rejected.parquet)")
    if not result.ran:
        say("nothing to do: the problems are up to date")
    table = SummaryTable("Problems", ["discipline", "problems"], [*rows, ["all", counts.n_kept]])
    output = {"ran": result.ran, **counts.model_dump(), "by_discipline": figures.by_discipline}
    emit(output, table, as_json, "render vision-only" if figures.items else "annotate pull tagging")


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {n:,}" for name, n in counts.items())


def _counts(counts: Counts | None) -> Counts:
    if counts is None:
        raise AssertionError("this stage always counts")
    return counts
