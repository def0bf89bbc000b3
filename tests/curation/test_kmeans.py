"""Own k-means: valid for any input, independent of threads, and not worse than scikit-learn's."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchwright.curation.cluster import cluster_rows
from benchwright.curation.kmeans import _shares, kmeans

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
