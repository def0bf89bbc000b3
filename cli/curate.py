"""`curate`: from a raw pool to the problems of a benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.common import (
    SummaryTable,
    emit,
    json_option,
    open_workspace,
    say,
    workspace_option,
)
from benchwright.cli.curate_cluster import cluster, embed, estimate
from benchwright.cli.curate_dedup import dedup
from benchwright.cli.curate_diff import diff
from benchwright.cli.curate_export import export
from benchwright.cli.curate_ingest import ingest
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
    from benchwright.schemas.artefact import Counts
    from benchwright.schemas.workspace import Workspace


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def curate() -> None:
    """From a raw pool of questions to the problems of a benchmark.

    In this order: init, ingest, cluster; then the machine's proposals: tag, assess, translate, multiple-choice,
    decompose; then people review (`annotate`); then problems.
    """


curate.add_command(ingest)
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
    for words in _without_taxonomy(workspace):
        say(words)
    result = {"workspace": str(workspace.root), "recipe": str(workspace.root / "benchwright.toml")}
    table = SummaryTable(
        f"Workspace {name}",
        ["discipline", "budget"],
        [[d, r.budget] for d, r in workspace.recipe.disciplines.items()],
    )
    emit(result, table, as_json, f"curate ingest SOURCE --workspace {path}")


def _without_taxonomy(workspace: Workspace) -> Iterator[str]:
    """A note for each discipline that the recipe's taxonomy does not know: a misspelling, or another taxonomy's."""
    from benchwright.schemas.taxonomy import BUILT_IN, load_taxonomy

    chosen = workspace.recipe.benchmark.taxonomy
    known = load_taxonomy(chosen, workspace.taxonomies)
    for discipline in workspace.recipe.disciplines:
        if known.has(discipline):
            continue
        others = [name for name in BUILT_IN if load_taxonomy(name).has(discipline)]
        if others:
            mend = f'write taxonomy = "{chosen}+{others[0]}" in benchwright.toml'
        else:
            mend = "mend its name in benchwright.toml, or put a taxonomy that has it into taxonomies/"
        yield f"note: the taxonomy {chosen} has no {discipline!r}: {mend}"


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
    from benchwright.schemas.records import Rejected
    from benchwright.schemas.tables import read_records

    place = open_workspace(workspace)
    result = make_problems(place, accept_proposals)
    counts = _counts(result.counts)
    figures = statistics(*items_of(place, "problems"))
    rows = [[name, n] for name, n in figures.by_discipline.items()]
    if counts.reasons:
        say(f"not problems yet: {_listed(counts.reasons)} (problems.rejected.parquet)")
    waiting = Counter(record.reason for record in read_records(place.problems_pending, Rejected))
    if waiting:
        say(f"still waiting: {_listed(dict(sorted(waiting.items())))} (problems.pending.parquet)")
    if not result.ran:
        say("nothing to do: the problems are up to date")
    table = SummaryTable("Problems", ["discipline", "problems"], [*rows, ["all", counts.n_kept]])
    output = {"ran": result.ran, **counts.model_dump(), "by_discipline": figures.by_discipline}
    emit(output, table, as_json, _to_pictures(place) if figures.items else _for_reviews(place))


def _to_pictures(place: Workspace) -> str:
    """What to type where there are problems: a preset may have no version that is drawn."""
    from benchwright.schemas.versions import VERSIONS

    drawn = any(VERSIONS[version].rendered for version in place.recipe.benchmark.chosen_versions)
    return "render vision-only" if drawn else "push-dataset --build-only"


def _for_reviews(place: Workspace) -> str:
    """What to type where no question is a problem yet."""
    if place.reviews("tagging").is_file():
        return "annotate pull tagging"
    return "annotate push tagging; or, for a first look without people, curate problems --accept-proposals"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {n:,}" for name, n in counts.items())


def _counts(counts: Counts | None) -> Counts:
    if counts is None:
        raise AssertionError("this stage always counts")
    return counts
