"""Our k-means against scikit-learn's on the same vectors: seconds, inertia, peak memory, and the ratios.

    python benchmarks/clustering.py [--items 20000] [--clusters 200] [--dimension 384] [--threads N] [--only NAME ...]

Each method runs in a process of its own. The vectors are unit length, grouped by topics of Zipf sizes, as embeddings
of questions are. `floor` is what the matrix products of 20 exact Lloyd passes cost, measured right after every
method in the same process, since a shared machine is not equally fast at all times. Seconds of processor time are the
ones to compare there: seconds on the clock count the neighbours too.
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


def floor_cost(vectors: np.ndarray, clusters: int) -> np.ndarray:
    """Seconds and processor seconds of the matrix products that 20 exact passes need at least."""
    centres = np.ascontiguousarray(vectors[:clusters].T)
    out = np.empty((4096, clusters), np.float32)
    passes = 4
    before = np.array([time.perf_counter(), time.process_time()])
    for _ in range(passes):
        for start in range(0, len(vectors), 4096):
            block = vectors[start : start + 4096]
            np.matmul(block, centres, out=out[: len(block)])
    return (np.array([time.perf_counter(), time.process_time()]) - before) * ITERATIONS / passes


def run_one(method: str, path: str, clusters: int, threads: int | None) -> dict[str, float]:
    """Cluster in this process; inertia is recomputed in float64 from the centres, alike for all.

    Peak memory is that of the method alone: the floor is measured afterwards.
    """
    import resource

    from sklearn.cluster import KMeans  # noqa: F401  (libraries are not what is measured)
    from threadpoolctl import threadpool_limits

    from benchwright.curation.kmeans import kmeans  # noqa: F401

    with threadpool_limits(limits=threads):
        vectors = np.load(path)
        unit = 1024 if sys.platform != "darwin" else 1024**2
        loaded = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
        centres, seconds, cpu = _clustered(method, vectors, clusters, threads)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
        floor = floor_cost(vectors, clusters)
    return {
        "seconds": seconds,
        "cpu": cpu,
        "peak_mb": peak,
        "over_mb": peak - loaded,
        "inertia": inertia(vectors, centres),
        "floor_seconds": floor[0],
        "floor_cpu": floor[1],
    }


def _clustered(
    method: str, vectors: np.ndarray, clusters: int, threads: int | None
) -> tuple[np.ndarray, float, float]:
    if method.startswith("benchwright"):
        from benchwright.curation.kmeans import kmeans

        name = "scikit-learn" if method.endswith("scikit-learn") else "two-level"
        started, before = time.perf_counter(), time.process_time()
        centres = kmeans(
            vectors, clusters, seed=0, iterations=ITERATIONS, workers=threads, method=name
        ).centres
    else:
        from sklearn.cluster import KMeans, MiniBatchKMeans

        started, before = time.perf_counter(), time.process_time()
        init = "random" if method.endswith("random") else "k-means++"
        if method.endswith("mini-batch"):
            model = MiniBatchKMeans(clusters, n_init=1, random_state=0)
        else:
            model = KMeans(clusters, init=init, n_init=1, max_iter=ITERATIONS, tol=0, random_state=0)
        centres = model.fit(vectors).cluster_centers_
    return centres, time.perf_counter() - started, time.process_time() - before


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
    parser.add_argument("--threads", type=int, default=None, help="Default: all cores.")
    parser.add_argument("--only", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--one", nargs=2, metavar=("METHOD", "FILE"), help=argparse.SUPPRESS)
    parser.add_argument("--make", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        np.save(options.make, make_vectors(options.items, options.dimension, 2 * options.clusters))
        return
    if options.one:
        print(json.dumps(run_one(*options.one, options.clusters, options.threads)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.npy"
        common = [
            sys.executable,
            __file__,
            *("--items", str(options.items)),
            *("--dimension", str(options.dimension)),
            *("--clusters", str(options.clusters)),
        ]
        # In a process of its own: what a parent once held counts as its children's peak memory.
        subprocess.run([*common, "--make", str(path)], check=True)
        results = {}
        for method in options.only:
            arguments = ["--one", method, str(path)]
            if options.threads:
                arguments += ["--threads", str(options.threads)]
            done = subprocess.run([*common, *arguments], stdout=subprocess.PIPE, check=True, text=True)
            results[method] = json.loads(done.stdout)
    report(options, results)


def report(options: argparse.Namespace, results: dict[str, dict[str, float]]) -> None:
    """Print the table: each method beside the floor that was measured after it."""
    first = next(iter(results.values()))
    megabytes = options.items * options.dimension * 4 / 1e6
    print(f"{options.items} x {options.dimension} float32 ({megabytes:.0f} MB), {options.clusters} clusters")
    print(f"floor: the matrix products of {ITERATIONS} exact Lloyd passes, measured after each method")
    head = (
        "seconds",
        "CPU s",
        "floor s",
        "floor CPU",
        "x floor",
        "x fl. CPU",
        "inertia/1st",
        "peak MB",
        "over input",
    )
    print(f"{'method':<26}" + "".join(f"{name:>12}" for name in head))
    for method, one in results.items():
        cells = (
            one["seconds"],
            one["cpu"],
            one["floor_seconds"],
            one["floor_cpu"],
            one["seconds"] / one["floor_seconds"],
            one["cpu"] / one["floor_cpu"],
        )
        print(
            f"{method:<26}"
            + "".join(f"{cell:>12.2f}" for cell in cells)
            + f"{one['inertia'] / first['inertia']:>12.4f}{one['peak_mb']:>12.0f}{one['over_mb']:>12.0f}"
        )


if __name__ == "__main__":
    main()
