"""Own k-means: valid for any input, independent of threads, and not worse than scikit-learn's."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchwright.curation.cluster import cluster_rows
from benchwright.curation.kmeans import _shares, kmeans
from benchwright.curation.kmeans_engine import Engine
from benchwright.curation.kmeans_exact import exact_assignment

matrices = st.tuples(st.integers(0, 40), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.float32, shape, elements=st.integers(-3, 3).map(float))
)


@settings(max_examples=80, deadline=None)
@given(matrices, st.integers(1, 50), st.integers(0, 3))
def test_every_row_has_its_nearest_centre_and_no_cluster_is_empty(rows, k, seed):
    result = kmeans(rows, k, seed, workers=1)
    distinct = len({row.tobytes() for row in rows + np.float32(0)})
    assert result.k <= min(k, distinct) and result.asked == k
    assert sorted(set(result.labels.tolist())) == list(range(result.k))
    if len(rows) == 0:
        return
    distances = np.linalg.norm(rows[:, None].astype(float) - result.centres[None].astype(float), axis=2)
    np.testing.assert_allclose(result.distances, distances.min(axis=1), atol=1e-4)
    np.testing.assert_allclose(result.distances, distances[np.arange(len(rows)), result.labels], atol=1e-9)
    firsts = [result.labels.tolist().index(cluster) for cluster in range(result.k)]
    assert firsts == sorted(firsts)
    by_row = {row.tobytes(): label for row, label in zip(rows + np.float32(0), result.labels, strict=True)}
    assert [by_row[row.tobytes()] for row in rows + np.float32(0)] == result.labels.tolist()


@pytest.mark.parametrize("size", [0, 1, 12])
def test_CLU_01_fewer_items_than_clusters(size):
    rows = np.random.default_rng(1).standard_normal((size, 8)).astype(np.float32)
    result = kmeans(rows, 50, seed=3)
    assert (result.k, result.asked) == (size, 50)
    assert result.labels.tolist() == list(range(size))
    assert result.inertia == 0


def test_CLU_01_equal_items_share_a_cluster():
    rows = np.repeat(np.eye(4, dtype=np.float32), 3, axis=0)
    result = kmeans(rows, 9, seed=3)
    assert result.labels.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


_CLU_03 = """
import json, sys
import numpy as np
from benchwright.curation.cluster import cluster_rows
from benchwright.curation.kmeans import kmeans
rows = np.random.default_rng(0).standard_normal((4000, 100)).astype(np.float32)
if sys.argv[2] == "tall":
    rows = np.tile(rows, (13, 1))
    rows += np.float32(0.1) * np.random.default_rng(1).standard_normal(rows.shape).astype(np.float32)
result = kmeans(rows, 40 if sys.argv[2] == "flat" else 200, seed=0, workers=int(sys.argv[1]))
rows = cluster_rows([f"q{i:05}" for i in range(len(result.labels))], result)
print(json.dumps([[row.question_id, row.cluster, row.distance, row.centrality] for row in rows]))
"""


@pytest.mark.parametrize("shape", ["flat", "tall"])
def test_CLU_03_threads_change_nothing_in_fresh_processes(shape):
    digests = set()
    for workers in ("1", "2", "2"):
        done = subprocess.run(
            [sys.executable, "-c", _CLU_03, workers, shape],
            env={**os.environ, "OMP_NUM_THREADS": workers, "OPENBLAS_NUM_THREADS": workers},
            capture_output=True,
            check=True,
        )
        assert len({row[1] for row in json.loads(done.stdout)}) == (40 if shape == "flat" else 200)
        digests.add(hashlib.sha256(done.stdout).hexdigest())
    assert len(digests) == 1


@pytest.mark.parametrize("scale", [1e-4, 1.0, 300.0])
def test_the_last_assignment_is_that_of_float64(scale):
    rng = np.random.default_rng(7)
    rows = rng.standard_normal((3000, 64)).astype(np.float32)
    centres = rows[:80] + rng.standard_normal((80, 64)).astype(np.float32)
    centres[40:] = centres[:40] + np.float32(1e-6) * rng.standard_normal((40, 64)).astype(np.float32)
    centres[79] = centres[10]
    rows, centres = rows * np.float32(scale), centres * np.float32(scale)
    labels, distances = exact_assignment(Engine(rows), centres)
    wide = np.linalg.norm(rows[:, None].astype(float) - centres[None].astype(float), axis=2)
    np.testing.assert_allclose(distances, wide.min(axis=1), rtol=1e-7)
    single = np.argmax(rows @ centres.T - 0.5 * np.square(centres).sum(axis=1), axis=1)
    assert not np.array_equal(single, labels)  # float32 alone would have been wrong here
    assert 79 not in labels and 10 in labels


def test_two_levels_serve_a_mapped_file_without_copying_it(tmp_path):
    rng = np.random.default_rng(3)
    centres = rng.standard_normal((300, 64))
    rows = (centres[rng.integers(0, 300, 80_000)] + 0.5 * rng.standard_normal((80_000, 64))).astype(
        np.float32
    )
    np.save(tmp_path / "rows.npy", rows)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    size = rows.nbytes
    whole = kmeans(rows, 200, seed=1, iterations=4, workers=1)
    del rows
    tracemalloc.start()
    try:
        result = kmeans(mapped, 200, seed=1, iterations=4, workers=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert np.array_equal(result.labels, whole.labels) and np.array_equal(result.centres, whole.centres)
    assert peak < size / 2


def test_scikit_learn_can_take_its_place():
    rng = np.random.default_rng(5)
    centres = rng.standard_normal((12, 8))
    rows = (centres[rng.integers(0, 12, 400)] + 0.05 * rng.standard_normal((400, 8))).astype(np.float32)
    ours = kmeans(rows, 12, seed=1, workers=1)
    peer = kmeans(rows, 12, seed=1, workers=1, method="scikit-learn")
    assert peer.labels.tolist().index(1) > peer.labels.tolist().index(0) == 0
    assert ours.inertia <= peer.inertia * (1 + 1e-6)
    assert kmeans(rows[:5], 9, seed=1, method="scikit-learn").labels.tolist() == [0, 1, 2, 3, 4]


_CLU_05 = """
import resource
import numpy as np
limit = 4 << 30
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
from benchwright.curation.kmeans import kmeans
rows = np.random.default_rng(0).standard_normal((150_000, 384), np.float32)
print(kmeans(rows, 333, seed=0, workers=2).k)
"""


@pytest.mark.long
def test_CLU_05_no_square_matrix():
    done = subprocess.run([sys.executable, "-c", _CLU_05], capture_output=True, check=True, text=True)
    assert done.stdout == "333\n"


def test_inertia_is_not_above_that_of_scikit_learn():
    from sklearn.cluster import KMeans

    rng = np.random.default_rng(5)
    centres = rng.standard_normal((120, 24))
    rows = (centres[rng.integers(0, 120, 6000)] + 0.4 * rng.standard_normal((6000, 24))).astype(np.float32)
    for k in (20, 100):
        peers = [
            KMeans(k, init="random", n_init=1, max_iter=20, tol=0, random_state=seed, algorithm="lloyd").fit(
                rows
            )
            for seed in range(4)
        ]
        ours = [kmeans(rows, k, seed) for seed in range(4)]
        assert sum(one.inertia for one in ours) <= sum(peer.inertia_ for peer in peers)


def test_another_seed_is_another_start():
    rows = np.random.default_rng(2).standard_normal((500, 6)).astype(np.float32)
    assert not np.array_equal(kmeans(rows, 20, seed=1).labels, kmeans(rows, 20, seed=2).labels)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 10), st.integers(1, 20)), min_size=1, max_size=8), st.data())
def test_centres_are_shared_out_completely(groups, data):
    errors = np.array([error for error, _ in groups])
    sizes = np.array([size for _, size in groups])
    k = data.draw(st.integers(len(groups), int(sizes.sum())))
    shares = _shares(errors, sizes, k)
    assert sum(shares) == k
    assert all(1 <= share <= size for share, size in zip(shares, sizes, strict=True))


def test_centrality_falls_from_the_centre_to_the_farthest_member():
    rows = np.array([[0.0], [1.0], [2.0], [50.0]], dtype=np.float32)
    stored = cluster_rows(["a", "b", "c", "d"], kmeans(rows, 2, seed=0))
    assert [(row.cluster, row.centrality) for row in stored] == [(0, 0.0), (0, 1.0), (0, 0.0), (1, 1.0)]


@pytest.mark.parametrize(
    ("rows", "k", "message"),
    [
        (np.zeros((3, 2), np.float32), 0, "at least 1"),
        (np.zeros((3, 2), np.float64), 1, "float32"),
        (np.zeros(3, np.float32), 1, "two-dimensional"),
        (np.full((3, 2), np.nan, np.float32), 1, "not finite"),
    ],
)
def test_wrong_input_is_refused(rows, k, message):
    with pytest.raises(ValueError, match=message):
        kmeans(rows, k, seed=0)
