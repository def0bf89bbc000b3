"""`curate embed`, `curate estimate`, `curate cluster`: from the pool to the certified selection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from benchwright.cli.common import (
    SummaryTable,
    emit,
    json_option,
    open_workspace,
    reporter,
    say,
    workspace_option,
)
from benchwright.cli.engine import engine_options

if TYPE_CHECKING:
    from benchwright.curation.executor import Engine
    from benchwright.curation.representatives import Selected
    from benchwright.schemas.selection import Certificate
    from benchwright.schemas.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])


def discipline_option(function: F) -> F:
    """Add `--discipline`."""
    return click.option(
        "--discipline",
        "disciplines",
        multiple=True,
        help="Discipline to work on; may be given several times. Default: all of the recipe that have a pool.",
    )(function)


def workers_option(function: F) -> F:
    """Add `--workers`."""
    return click.option(
        "--workers",
        type=click.IntRange(min=1),
        default=None,
        help="Processes or threads; changes the speed only. Default: all cores.",
    )(function)


@click.command()
@discipline_option
@workers_option
@engine_options
@workspace_option
@json_option
def embed(
    disciplines: tuple[str, ...],
    workers: int | None,
    engine: Engine,
    ray_address: str | None,
    workspace: Path | None,
    as_json: bool,
) -> None:
    """Embed the questions of the pool; what was embedded before is not embedded again."""
    place = open_workspace(workspace)
    rows, result = [], {}
    for discipline in chosen_disciplines(place, disciplines):
        texts, fresh = _embed(place, discipline, workers, engine, ray_address)
        rows.append((discipline, texts, fresh, texts - fresh))
        result[discipline] = {"texts": texts, "embedded": fresh, "known": texts - fresh}
    table = SummaryTable("Embeddings", ("discipline", "distinct texts", "embedded now", "known before"), rows)
    emit(result, table, as_json, "curate estimate")


@click.command()
@discipline_option
@workers_option
@engine_options
@workspace_option
@json_option
def estimate(
    disciplines: tuple[str, ...],
    workers: int | None,
    engine: Engine,
    ray_address: str | None,
    workspace: Path | None,
    as_json: bool,
) -> None:
    """Estimate subject and difficulty where the source does not give them."""
    from benchwright.curation.estimate import estimate_discipline
    from benchwright.schemas.selection import Estimate
    from benchwright.schemas.tables import iter_records

    place = open_workspace(workspace)
    rows, result = [], {}
    for discipline in chosen_disciplines(place, disciplines):
        _embed(place, discipline, workers, engine, ray_address)
        estimate_discipline(place, discipline)
        counts = {"questions": 0, "subject": 0, "difficulty": 0, "knowledge_points": 0}
        for row in iter_records(place.estimates(discipline), Estimate):
            counts["questions"] += 1
            for field in row.estimated:
                counts[field] += 1
        rows.append((discipline, *counts.values()))
        result[discipline] = counts
    columns = ("discipline", "questions", "subject estimated", "difficulty estimated", "without points")
    emit(result, SummaryTable("Estimates", columns, rows), as_json, "curate cluster")


@click.command()
@discipline_option
@click.option(
    "--budget", type=click.IntRange(min=1), help="How many to choose. Default: the recipe's budget."
)
@click.option("--k", "clusters", type=click.IntRange(min=1), help="Clusters. Default: a third of the budget.")
@workers_option
@engine_options
@workspace_option
@json_option
def cluster(
    disciplines: tuple[str, ...],
    budget: int | None,
    clusters: int | None,
    workers: int | None,
    engine: Engine,
    ray_address: str | None,
    workspace: Path | None,
    as_json: bool,
) -> None:
    """Cluster the pool and choose the representatives, with a certificate.

    What is missing of screening, duplicates, embeddings and estimates is made first; the recipe's `[screen]` and
    `[dedup]` can turn the first two off.
    """
    from benchwright.schemas.errors import InfeasibleError

    place = open_workspace(workspace)
    rows, result = [], {}
    refused: list[InfeasibleError] = []
    for discipline in chosen_disciplines(place, disciplines):
        if engine != "local":  # the embeddings there; all that follows is one machine's work
            _embed(place, discipline, workers, engine, ray_address)
        try:
            done = _choose(place, discipline, budget, clusters, workers)
        except (
            InfeasibleError
        ) as error:  # the others are tried, too: a recipe is mended once, not time after time
            refused.append(error)
            continue
        rows.append(certificate_row(done.certificate))
        result[discipline] = selection_summary(place, done)
        for line in certificate_remarks(done.certificate):
            say(line)
    if rows or not refused:
        emit(result, representatives_table(rows), as_json, None if refused else "curate tag")
    if refused:
        raise InfeasibleError("\n".join(str(error) for error in refused), refused[0].conflict)


def representatives_table(rows: Sequence[Sequence[object]], title: str = "Representatives") -> SummaryTable:
    """The table that choosing ends with."""
    columns = (
        "discipline",
        "offered",
        "chosen",
        "points",
        "stand-ins",
        "smallest cover",
        "worth",
        "gap",
        "relaxed",
    )
    return SummaryTable(title, columns, rows)


def chosen_disciplines(workspace: Workspace, named: Sequence[str]) -> list[str]:
    """The disciplines to work on.

    Raises:
        UsageError: a named one is not in the recipe or has no pool, or there is no pool at all.
    """
    from benchwright.schemas.errors import UsageError

    pools = workspace.pool_disciplines()
    for discipline in named:
        workspace.recipe.budget(discipline)
        if discipline not in pools:
            raise UsageError(
                f"{discipline} has no pool in {workspace.root}: run `curate ingest` on its source first."
            )
    chosen = list(named) or [
        discipline for discipline in sorted(workspace.recipe.disciplines) if discipline in pools
    ]
    if not chosen:
        raise UsageError(f"{workspace.root} has no pool yet: run `curate ingest` first.")
    return chosen


def _embed(
    workspace: Workspace,
    discipline: str,
    workers: int | None,
    engine: Engine = "local",
    address: str | None = None,
) -> tuple[int, int]:
    from benchwright.curation.embed import embed_discipline
    from benchwright.curation.executor import open_executor

    executor = open_executor(workers, engine, address)
    with ExitStack() as stack:
        report = reporter(stack, f"embed {discipline}")
        result = embed_discipline(workspace, discipline, report=report, executor=executor)
    for name in result.stage.repaired:
        say(f"{name} had been changed or torn and was made anew")
    return result.texts, result.embedded


def _choose(
    workspace: Workspace, discipline: str, budget: int | None, clusters: int | None, workers: int | None
) -> Selected:
    from benchwright.curation.representatives import choose_representatives

    with ExitStack() as stack:
        bars: dict[str, Callable[[int, int], None]] = {}

        def report(what: str, done: int, total: int) -> None:
            if what not in bars:
                bars[what] = reporter(stack, f"{what} {discipline}")
            bars[what](done, total)

        return choose_representatives(workspace, discipline, budget, clusters, workers, report)


def certificate_row(certificate: Certificate) -> tuple[object, ...]:
    """One row of the table."""
    return (
        certificate.discipline,
        certificate.pool_size,
        certificate.n,
        f"{certificate.points_covered} of {certificate.points_total}",
        f"{certificate.stand_ins_covered} of {certificate.stand_ins_total}",
        _cover(certificate),
        f"{certificate.objective:.2f}",
        _gap(certificate),
        len(certificate.relaxed),
    )


def _cover(certificate: Certificate) -> object:
    cover = certificate.cover
    return cover.size if cover.proven else f"{cover.lower_bound} to {cover.size}"


def _gap(certificate: Certificate) -> str:
    if certificate.status == "optimal":
        return "0 (proven)"
    return f"{certificate.gap:.3%}" + (" (not proven)" if certificate.status == "preview" else "")


def certificate_remarks(certificate: Certificate) -> list[str]:
    """What a person should know beside the table."""
    name = certificate.discipline
    lines = []
    if certificate.left_out:
        told = ", ".join(f"{reason} {count:,}" for reason, count in certificate.left_out.items())
        lines.append(f"{name}: not offered: {told}")
    if certificate.clusters < certificate.clusters_asked:
        lines.append(
            f"{name}: {certificate.clusters} clusters instead of {certificate.clusters_asked}, the pool holds too few "
            "distinct questions"
        )
    for level in certificate.refused_levels:
        lines.append(f"{name}: path level {level.path_level} cannot be kept ({level.conflict})")
    if certificate.refused_levels:
        lines.append(f"{name}: chosen at path level {certificate.settings.path_level}, the deepest that fits")
    if certificate.relaxed:
        shown = certificate.relaxed[:10]
        more = f" and {len(certificate.relaxed) - 10} more" if len(certificate.relaxed) > 10 else ""
        lines.append(f"{name}: soft rules that could not be met in full: {', '.join(shown)}{more}")
    if certificate.status == "time-limit":
        lines.append(f"{name}: the solver reached its time limit at a gap of {certificate.gap:.3%}")
    if certificate.status == "preview":
        lines.append(f"{name}: a preview, nothing is proven and nothing was written")
    return lines


def selection_summary(workspace: Workspace, done: Selected) -> dict[str, object]:
    """The same for machines."""
    certificate = done.certificate
    return {
        **certificate.model_dump(mode="json", include=_TOLD),
        "ran": done.stage.ran,
        "selection": workspace.relative(workspace.selection(certificate.discipline)),
        "certificate": workspace.relative(workspace.certificate(certificate.discipline)),
    }


_TOLD = {
    "pool_size",
    "n",
    "objective",
    "bound",
    "gap",
    "status",
    "points_total",
    "points_covered",
    "stand_ins_total",
    "stand_ins_covered",
    "relaxed",
    "refused_levels",
    "left_out",
    "kept",
    "clusters",
    "per_difficulty",
    "per_subject",
    "cover",
}
