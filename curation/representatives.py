"""From pool, embeddings, estimates and clusters to the certified selection of one discipline."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from benchwright.curation.certificate import certify, rows_of
from benchwright.curation.cluster import cluster_discipline, default_clusters
from benchwright.curation.embed import embed_discipline
from benchwright.curation.estimate import estimate_discipline
from benchwright.curation.select import checked_cover, choose
from benchwright.curation.select_items import Candidate, frequencies, points_at
from benchwright.schemas.artefact import Counts, StageResult, run_stage, stage_state
from benchwright.schemas.errors import UsageError
from benchwright.schemas.selection import (
    Certificate,
    ChoiceSettings,
    ClusterRow,
    Estimate,
    SelectionRow,
    is_stand_in,
)
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.workspace import Workspace

SELECT_VERSION = 1


@dataclass(frozen=True)
class Selected:
    """What `select_discipline` did."""

    stage: StageResult
    certificate: Certificate


def choose_representatives(
    workspace: Workspace,
    discipline: str,
    budget: int | None = None,
    k: int | None = None,
    workers: int | None = None,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> Selected:
    """Run what is missing of embed, estimate and cluster, then choose: the whole of `curate cluster`.

    Args:
        workspace: where everything lies.
        discipline: which pool.
        budget: how many to choose; None takes the recipe's.
        k: clusters; None takes the recipe's, or `default_clusters`.
        workers: processes and threads; None takes all cores.
        report: told (embedded, to be embedded).

    Raises:
        InfeasibleError: see `select.choose`; whatever stood there before is left as it was.
        UsageError: there is no pool.
    """
    n = budget or workspace.recipe.budget(discipline)
    clusters = k or workspace.recipe.selection.clusters or default_clusters(n)
    embed_discipline(workspace, discipline, None, workers or os.cpu_count() or 1, report)
    estimate_discipline(workspace, discipline)
    check_budget(workspace, discipline, n)
    cluster_discipline(workspace, discipline, clusters, workers)
    return select_discipline(workspace, discipline, n, clusters)


def check_budget(workspace: Workspace, discipline: str, n: int) -> None:
    """Refuse a budget that cannot cover the knowledge points, before clusters are written for it.

    Raises:
        InfeasibleError: `cover-exceeds-budget` or `budget-exceeds-pool`.
    """
    done = stage_state(workspace, workspace.selection(discipline)) == "done"
    if done and read_certificate(workspace, discipline).n == n:
        return
    items = [
        Candidate(row.question_id, row.subject, row.difficulty, 0, 0.0, points_at(row.points, 0, None))
        for row in read_records(workspace.estimates(discipline), Estimate)
    ]
    named = [point for point in frequencies(items) if not is_stand_in(point)]
    checked_cover(discipline, items, named, n)


def candidates(workspace: Workspace, discipline: str, path_level: int | None = None) -> list[Candidate]:
    """The items of a choice, from estimates and clusters, by question id.

    Raises:
        UsageError: estimates and clusters do not speak of the same questions.
    """
    estimates = {row.question_id: row for row in read_records(workspace.estimates(discipline), Estimate)}
    clusters = {row.question_id: row for row in read_records(workspace.clusters(discipline), ClusterRow)}
    if estimates.keys() != clusters.keys():
        raise UsageError(
            f"estimates and clusters of {discipline} hold different questions: run `curate cluster --discipline "
            f"{discipline}` again."
        )
    return [
        Candidate(
            question_id,
            estimates[question_id].subject,
            estimates[question_id].difficulty,
            row.cluster,
            row.centrality,
            points_at(estimates[question_id].points, row.cluster, path_level),
            estimates[question_id].estimated,
        )
        for question_id, row in sorted(clusters.items())
    ]


def settings_for(workspace: Workspace, n: int, sizes: Collection[int]) -> ChoiceSettings:
    """The recipe's rules for a budget of `n` in a pool with clusters of these sizes."""
    recipe = workspace.recipe
    return ChoiceSettings(
        n=n,
        subject_balance=recipe.selection.subject_balance,
        subject_tolerance=min(1.0, recipe.selection.subject_tolerance),
        difficulty_tolerance=min(1.0, recipe.selection.difficulty_tolerance),
        max_per_cluster=cluster_cap(sizes, n),
        time_limit=recipe.selection.time_limit,
        seed=recipe.benchmark.seed,
    )


def cluster_cap(sizes: Collection[int], n: int) -> int:
    """How many of one cluster may be chosen: twice the even share, or more where small clusters cannot fill theirs.

    A cap under which the clusters together hold fewer than `n` questions would be broken by every choice.
    """
    cap = max(1, math.ceil(2 * n / max(1, len(sizes))))
    while sum(min(size, cap) for size in sizes) < min(n, sum(sizes)):
        cap += 1
    return cap


def select_discipline(workspace: Workspace, discipline: str, n: int, clusters_asked: int) -> Selected:
    """Choose `n` questions; write `selection/<discipline>.parquet` and its certificate.

    A selection that cannot be made leaves the one before as it was.

    Raises:
        InfeasibleError: the rules exclude each other; names them.
        UsageError: estimates or clusters are missing.
    """
    found = Counter(row.cluster for row in read_records(workspace.clusters(discipline), ClusterRow))
    settings = settings_for(workspace, n, found.values())

    def produce(paths: tuple[Path, ...]) -> Counts:
        pool = candidates(workspace, discipline, settings.path_level)
        choice = choose(discipline, pool, settings)
        certificate = certify(discipline, pool, choice, settings, clusters_asked)
        write_records(paths[0], rows_of(discipline, choice), SelectionRow)
        paths[1].write_text(certificate.model_dump_json(indent=2) + "\n", encoding="utf-8")
        left = len(pool) - len(choice.chosen)
        return Counts(
            n_in=len(pool), n_kept=len(choice.chosen), n_rejected=left, reasons={"not-chosen": left}
        )

    result = run_stage(
        workspace,
        f"select/{discipline}",
        SELECT_VERSION,
        [workspace.estimates(discipline), workspace.clusters(discipline)],
        [workspace.selection(discipline), workspace.certificate(discipline)],
        {"settings": settings.model_dump(mode="json"), "clusters_asked": clusters_asked},
        produce,
    )
    return Selected(result, read_certificate(workspace, discipline))


def read_certificate(workspace: Workspace, discipline: str) -> Certificate:
    """The stored certificate of a discipline."""
    return Certificate.model_validate_json(workspace.certificate(discipline).read_bytes())
