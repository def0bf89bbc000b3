"""From embeddings to the clusters of one discipline."""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchwright.curation.embed import index_path, load_vectors
from benchwright.curation.kmeans import Clustering, kmeans
from benchwright.schemas.artefact import Counts, StageResult, run_stage, write_atomic
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.records import Question
from benchwright.schemas.selection import (
    ClusterRow,
)
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.workspace import Workspace

CLUSTER_VERSION = 1
_PER_CLUSTER = 3
"""Representatives that a cluster gets on average."""
_DECIMALS = 6
"""Places of distances and centralities: below what the last bits of float arithmetic could change."""


def default_clusters(budget: int) -> int:
    """Clusters for a budget: one for every three representatives.

    Questions without knowledge points stand for their clusters, so this leaves two thirds of the budget to real
    points even when each stand-in takes a place.
    """
    return max(1, budget // _PER_CLUSTER)


def cluster_discipline(
    workspace: Workspace, discipline: str, k: int, workers: int | None = None
) -> StageResult:
    """Write `clusters/<discipline>.parquet`, and beside it a record of seed, threads and library versions.

    Raises:
        UsageError: pool or embeddings are missing, or the pool is empty.
    """
    seed = workspace.recipe.benchmark.seed
    output = workspace.clusters(discipline)

    def produce(paths: tuple[Path, ...]) -> Counts:
        questions = sorted(
            read_records(workspace.pool(discipline), Question), key=lambda question: question.id
        )
        vectors = load_vectors(workspace, discipline, questions)
        clustering = kmeans(vectors, k, seed, workers=workers)
        rows = cluster_rows([question.id for question in questions], clustering)
        write_records(paths[0], rows, ClusterRow)
        record = canonical_json(_run_record(clustering, seed, workers)) + "\n"
        write_atomic(output.with_suffix(".run.json"), record.encode("utf-8"))
        return Counts(n_in=len(rows), n_kept=len(rows))

    return run_stage(
        workspace,
        f"cluster/{discipline}",
        CLUSTER_VERSION,
        [workspace.pool(discipline), index_path(workspace, discipline)],
        [output],
        {"k": k, "seed": seed},
        produce,
    )


def cluster_rows(ids: list[str], clustering: Clustering) -> list[ClusterRow]:
    """Clusters as they are stored; centrality falls from 1 at the centre to 0 for the farthest member."""
    distances = np.round(clustering.distances, _DECIMALS)
    farthest = np.zeros(max(1, clustering.k))
    np.maximum.at(farthest, clustering.labels, distances)
    centralities = _centralities(distances, farthest[clustering.labels])
    return [
        ClusterRow(
            question_id=question_id,
            cluster=int(label),
            distance=float(distance),
            centrality=float(centrality),
        )
        for question_id, label, distance, centrality in zip(
            ids, clustering.labels, distances, centralities, strict=True
        )
    ]


def _centralities(distances: NDArray[np.float64], farthest: NDArray[np.float64]) -> NDArray[np.float64]:
    shares = np.divide(distances, farthest, out=np.zeros_like(distances), where=farthest > 0)
    return np.round(1 - shares, _DECIMALS)


def _run_record(clustering: Clustering, seed: int, workers: int | None) -> dict[str, object]:
    return {
        "seed": seed,
        "threads": workers or os.cpu_count(),
        "libraries": {name: version(name) for name in ("numpy", "scipy", "threadpoolctl", "highspy")},
        "clusters": clustering.k,
        "clusters_asked": clustering.asked,
        "inertia": round(clustering.inertia, _DECIMALS),
    }
