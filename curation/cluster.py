"""From embeddings to the clusters of one discipline, with the words that tell them apart."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchwright.curation.cluster_words import cluster_words, words_path
from benchwright.curation.embed import open_vectors
from benchwright.curation.embed_table import index_path
from benchwright.curation.kmeans import Clustering, kmeans
from benchwright.schemas.artefact import Counts, StageResult, run_stage, write_atomic
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.selection import ClusterRow
from benchwright.schemas.tables import write_records
from benchwright.schemas.workspace import Workspace

CLUSTER_VERSION = 2
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
    """Write `clusters/<discipline>.parquet`, `.words.json`, and a record of seed, threads and library versions.

    The vectors are read from their file as they are needed; of the pool, the texts of the items nearest to the
    centres alone are held.

    Raises:
        UsageError: pool or embeddings are missing, or the pool changed since it was embedded.
    """
    seed = workspace.recipe.benchmark.seed
    engine = workspace.recipe.selection.engine
    output = workspace.clusters(discipline)

    def produce(paths: tuple[Path, ...]) -> Counts:
        table = open_vectors(workspace, discipline)
        clustering = kmeans(table.vectors, k, seed, workers=workers, method=engine)
        count = write_records(paths[0], iter_cluster_rows(table.ids, clustering), ClusterRow)
        words = cluster_words(discipline, workspace.pool(discipline), table.ids, clustering)
        paths[1].write_text(canonical_json(words) + "\n", encoding="utf-8")
        record = canonical_json(_run_record(clustering, seed, workers, engine)) + "\n"
        write_atomic(output.with_suffix(".run.json"), record.encode("utf-8"))
        return Counts(n_in=count, n_kept=count)

    return run_stage(
        workspace,
        f"cluster/{discipline}",
        CLUSTER_VERSION,
        [workspace.pool(discipline), index_path(workspace, discipline)],
        [output, words_path(workspace, discipline)],
        {"k": k, "seed": seed, "engine": engine},
        produce,
    )


def cluster_rows(ids: Iterable[str], clustering: Clustering) -> list[ClusterRow]:
    """Clusters as they are stored; centrality falls from 1 at the centre to 0 for the farthest member."""
    return list(iter_cluster_rows(ids, clustering))


def iter_cluster_rows(ids: Iterable[str], clustering: Clustering) -> Iterator[ClusterRow]:
    """The same one by one: 150,000 records at once would weigh more than the vectors."""
    distances = np.round(clustering.distances, _DECIMALS)
    farthest = np.zeros(max(1, clustering.k))
    np.maximum.at(farthest, clustering.labels, distances)
    centralities = _centralities(distances, farthest[clustering.labels])
    for question_id, label, distance, centrality in zip(
        ids, clustering.labels, distances, centralities, strict=True
    ):
        yield ClusterRow(
            question_id=question_id,
            cluster=int(label),
            distance=float(distance),
            centrality=float(centrality),
        )


def _centralities(distances: NDArray[np.float64], farthest: NDArray[np.float64]) -> NDArray[np.float64]:
    shares = np.divide(distances, farthest, out=np.zeros_like(distances), where=farthest > 0)
    return np.round(1 - shares, _DECIMALS)


def _run_record(clustering: Clustering, seed: int, workers: int | None, engine: str) -> dict[str, object]:
    libraries = ("numpy", "scipy", "threadpoolctl", "highspy", "scikit-learn")
    return {
        "seed": seed,
        "engine": engine,
        "threads": workers or os.cpu_count(),
        "libraries": {name: version(name) for name in libraries},
        "clusters": clustering.k,
        "clusters_asked": clustering.asked,
        "inertia": round(clustering.inertia, _DECIMALS),
    }
