"""Our k-means against scikit-learn's on the same vectors: seconds, inertia, peak memory, and the ratios.

    python benchmarks/clustering.py [--items 20000] [--clusters 200] [--dimension 384]

Each method runs in a process of its own, on all cores. The vectors are unit length, grouped by topics of Zipf sizes,
as embeddings of questions are. `floor` is the measured time of the matrix products of 20 exact Lloyd passes alone.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ITERATIONS = 20
METHODS = {
    "benchwright": "two levels, 20 passes",
    "scikit-learn random": "KMeans(init='random', n_init=1, max_iter=20)",
    "scikit-learn default": "KMeans(init='k-means++', n_init=1, max_iter=20)",
    "scikit-learn mini-batch": "MiniBatchKMeans(n_init=1)",
}


def make_vectors(items: int, dimension: int, topics: int) -> np.ndarray:
    """Unit vectors around topic centres of Zipf sizes, with a common mean as text embeddings have."""
    rng = np.random.default_rng(0)
    sizes = 1 / np.arange(1, topics + 1)
    centres = rng.standard_normal((topics, dimension)) + 0.6 * rng.standard_normal(dimension)
    rows = centres[rng.choice(topics, items, p=sizes / sizes.sum())]
    rows = rows + 0.8 * rng.standard_normal((items, dimension))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def floor_seconds(vectors: np.ndarray, clusters: int) -> float:
    """Time of the matrix products that 20 exact passes need at least, on all cores."""
    centres = np.ascontiguousarray(vectors[:clusters].T)
    out = np.empty((4096, clusters), np.float32)
    started = time.perf_counter()
    for _ in range(ITERATIONS):
        for start in range(0, len(vectors), 4096):
            block = vectors[start : start + 4096]
            np.matmul(block, centres, out=out[: len(block)])
    return time.perf_counter() - started


def run_one(method: str, path: str, clusters: int) -> dict[str, float]:
    """Cluster in this process; inertia is recomputed in float64 from the centres, alike for all."""
    import resource

    vectors = np.load(path)
    started, before = time.perf_counter(), time.process_time()
    if method == "benchwright":
        from benchwright.curation.kmeans import kmeans

        started, before = time.perf_counter(), time.process_time()
        centres = kmeans(vectors, clusters, seed=0, iterations=ITERATIONS).centres
    else:
        from sklearn.cluster import KMeans, MiniBatchKMeans

        started, before = time.perf_counter(), time.process_time()
        init = "random" if method.endswith("random") else "k-means++"
        if method.endswith("mini-batch"):
            model = MiniBatchKMeans(clusters, n_init=1, random_state=0)
        else:
            model = KMeans(clusters, init=init, n_init=1, max_iter=ITERATIONS, tol=0, random_state=0)
        centres = model.fit(vectors).cluster_centers_
    seconds, cpu = time.perf_counter() - started, time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1024 if sys.platform != "darwin" else 1024**2
    )
    return {"seconds": seconds, "cpu": cpu, "peak_mb": peak, "inertia": inertia(vectors, centres)}


def inertia(vectors: np.ndarray, centres: np.ndarray) -> float:
    """Sum of squared distances to the nearest centre."""
    wide = centres.astype(np.float64)
    half = 0.5 * np.square(wide).sum(axis=1)
    total = 0.0
    for start in range(0, len(vectors), 2048):
        block = vectors[start : start + 2048].astype(np.float64)
        total += float((np.square(block).sum(axis=1) - 2 * (block @ wide.T - half).max(axis=1)).sum())
    return total


def main() -> None:
    """Run every method and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--clusters", type=int, default=200)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--one", nargs=2, metavar=("METHOD", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(run_one(*options.one, options.clusters)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.npy"
        vectors = make_vectors(options.items, options.dimension, 2 * options.clusters)
        np.save(path, vectors)
        floor = floor_seconds(vectors, options.clusters)
        results = {}
        for method in METHODS:
            arguments = ["--clusters", str(options.clusters), "--one", method, str(path)]
            done = subprocess.run(
                [sys.executable, __file__, *arguments], capture_output=True, check=True, text=True
            )
            results[method] = json.loads(done.stdout)
    ours = results["benchwright"]
    print(
        f"{options.items} x {options.dimension} float32 ({vectors.nbytes / 1e6:.0f} MB), {options.clusters} clusters"
    )
    print(f"floor: {floor:.2f} s for the matrix products of {ITERATIONS} Lloyd passes")
    print(
        f"{'method':<26}{'seconds':>9}{'x floor':>9}{'x ours':>8}{'CPU s':>8}{'inertia/ours':>14}{'peak MB':>9}"
    )
    for method, one in results.items():
        print(
            f"{method:<26}{one['seconds']:>9.2f}{one['seconds'] / floor:>9.2f}{one['seconds'] / ours['seconds']:>8.2f}"
            f"{one['cpu']:>8.2f}{one['inertia'] / ours['inertia']:>14.4f}{one['peak_mb']:>9.0f}"
        )


if __name__ == "__main__":
    main()
