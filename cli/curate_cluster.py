"""`curate embed`, `curate estimate`, `curate cluster`: from the pool to the certified selection."""

from __future__ import annotations

import os
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
    progress,
    say,
    workspace_option,
)

if TYPE_CHECKING:
    from benchwright.cli.common import Progress
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
@workspace_option
@json_option
def embed(disciplines: tuple[str, ...], workers: int | None, workspace: Path | None, as_json: bool) -> None:
    """Embed the questions of the pool; what was embedded before is not embedded again."""
    place = open_workspace(workspace)
    rows, result = [], {}
    for discipline in chosen_disciplines(place, disciplines):
        texts, fresh = _embed(place, discipline, workers)
        rows.append((discipline, texts, fresh, texts - fresh))
        result[discipline] = {"texts": texts, "embedded": fresh, "known": texts - fresh}
    table = SummaryTable("Embeddings", ("discipline", "distinct texts", "embedded now", "known before"), rows)
    emit(result, table, as_json, "curate estimate")


@click.command()
@discipline_option
@workers_option
@workspace_option
@json_option
def estimate(
    disciplines: tuple[str, ...], workers: int | None, workspace: Path | None, as_json: bool
) -> None:
    """Estimate subject and difficulty where the source does not give them."""
    from benchwright.curation.estimate import estimate_discipline
    from benchwright.schemas.selection import Estimate
    from benchwright.schemas.tables import iter_records

    place = open_workspace(workspace)
    rows, result = [], {}
    for discipline in chosen_disciplines(place, disciplines):
        _embed(place, discipline, workers)
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
@workspace_option
@json_option
def cluster(
    disciplines: tuple[str, ...],
    budget: int | None,
    clusters: int | None,
    workers: int | None,
    workspace: Path | None,
    as_json: bool,
) -> None:
    """Cluster the pool and choose the representatives, with a certificate.

    Embeddings and estimates that are missing are made first.
    """
    place = open_workspace(workspace)
    rows, result = [], {}
    for discipline in chosen_disciplines(place, disciplines):
        done = _choose(place, discipline, budget, clusters, workers)
        rows.append(_row(done.certificate))
        result[discipline] = _summary(place, done)
        for line in _remarks(done.certificate):
            say(line)
    columns = (
        "discipline",
        "pool",
        "chosen",
        "points",
        "stand-ins",
        "smallest cover",
        "objective",
        "gap",
        "relaxed",
    )
    emit(result, SummaryTable("Representatives", columns, rows), as_json, "curate tag")


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


def _embed(workspace: Workspace, discipline: str, workers: int | None) -> tuple[int, int]:
    from benchwright.curation.embed import embed_discipline

    with ExitStack() as stack:
        report = _reporter(stack, f"embed {discipline}")
        result = embed_discipline(workspace, discipline, None, workers or os.cpu_count() or 1, report)
    for name in result.stage.repaired:
        say(f"{name} had been changed or torn and was made anew")
    return result.texts, result.embedded


def _reporter(stack: ExitStack, label: str) -> Callable[[int, int], None]:
    """A progress line that appears once there is something to do and its total is known."""
    bars: list[Progress] = []

    def report(done: int, total: int) -> None:
        if not bars:
            bars.append(stack.enter_context(progress(total, label)))
        bars[0].advance(done - bars[0].done)

    return report


def _choose(
    workspace: Workspace, discipline: str, budget: int | None, clusters: int | None, workers: int | None
) -> Selected:
    from benchwright.curation.representatives import choose_representatives

    with ExitStack() as stack:
        report = _reporter(stack, f"embed {discipline}")
        return choose_representatives(workspace, discipline, budget, clusters, workers, report)


def _row(certificate: Certificate) -> tuple[object, ...]:
    return (
        certificate.discipline,
        certificate.pool_size,
        certificate.n,
        f"{certificate.points_covered} of {certificate.points_total}",
        f"{certificate.stand_ins_covered} of {certificate.stand_ins_total}",
        _cover(certificate),
        f"{certificate.objective:.2f}",
        "0 (proven)" if certificate.status == "optimal" else f"{certificate.gap:.2%}",
        len(certificate.relaxed),
    )


def _cover(certificate: Certificate) -> object:
    cover = certificate.cover
    return cover.size if cover.proven else f"{cover.lower_bound} to {cover.size}"


def _remarks(certificate: Certificate) -> list[str]:
    name = certificate.discipline
    lines = []
    if certificate.clusters < certificate.clusters_asked:
        lines.append(
            f"{name}: {certificate.clusters} clusters instead of {certificate.clusters_asked}, the pool holds too few "
            "distinct questions"
        )
    if certificate.relaxed:
        lines.append(f"{name}: soft rules that could not be met in full: {', '.join(certificate.relaxed)}")
    if certificate.status != "optimal":
        lines.append(f"{name}: the solver stopped at a gap of {certificate.gap:.2%} ({certificate.status})")
    return lines


def _summary(workspace: Workspace, done: Selected) -> dict[str, object]:
    certificate = done.certificate
    wanted = {"pool_size", "n", "objective", "bound", "gap", "status", "points_total", "points_covered"}
    wanted |= {
        "stand_ins_total",
        "stand_ins_covered",
        "relaxed",
        "clusters",
        "per_difficulty",
        "per_subject",
        "cover",
    }
    return {
        **certificate.model_dump(mode="json", include=wanted),
        "ran": done.stage.ran,
        "selection": workspace.relative(workspace.selection(certificate.discipline)),
        "certificate": workspace.relative(workspace.certificate(certificate.discipline)),
    }
