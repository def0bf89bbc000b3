"""The map of a pool: nothing overlaps, nothing is lost, and the page works without a network."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.curation.map import draw_map, map_path
from benchwright.curation.map_layout import HEIGHT, WIDTH, positions, rectangles
from benchwright.schemas.errors import UsageError
from benchwright.schemas.workspace import Workspace


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 500), min_size=1, max_size=30), st.integers(0, 5))
def test_areas_are_in_proportion_to_items_and_do_not_overlap(sizes: list[int], seed: int) -> None:
    counts = np.array(sizes)
    centres = np.random.default_rng(seed).standard_normal((len(sizes), 6))
    boxes = rectangles(centres, counts)
    np.testing.assert_allclose(boxes[:, 2] * boxes[:, 3] / (WIDTH * HEIGHT), counts / counts.sum(), rtol=1e-9)
    left, top, right, bottom = boxes[:, 0], boxes[:, 1], boxes[:, 0] + boxes[:, 2], boxes[:, 1] + boxes[:, 3]
    for i in range(len(sizes)):
        over = (np.minimum(right[i], right) - np.maximum(left[i], left) > 1e-9) & (
            np.minimum(bottom[i], bottom) - np.maximum(top[i], top) > 1e-9
        )
        assert over.nonzero()[0].tolist() == [i]


def test_like_clusters_are_neighbours() -> None:
    centres = np.array([[0.0, 0], [0.1, 0], [10, 0], [10.1, 0]])[[2, 0, 3, 1]]
    boxes = rectangles(centres, np.array([5, 5, 5, 5]))
    middle = boxes[:, :2] + boxes[:, 2:] / 2
    far = np.linalg.norm(middle[:, None] - middle, axis=2)
    assert far[0].argsort()[1] == 2 and far[1].argsort()[1] == 3


def test_items_stand_in_their_cluster_the_most_central_in_the_middle() -> None:
    boxes = np.array([[0.0, 0, 0.8, 1.0], [0.8, 0, 0.8, 1.0]])
    labels = np.array([0, 1, 0, 1, 1, 0])
    central = np.array([0.1, 0.5, 0.9, 1.0, 0.2, 0.3])
    place = positions(boxes, labels, central)
    assert np.array_equal(place[:, 0] > 0.8, labels == 1)
    middle = (boxes[:, :2] + boxes[:, 2:] / 2)[labels]
    far = np.linalg.norm((place - middle) / boxes[labels, 2:], axis=1)
    assert far[2] < far[5] < far[0] and far[3] < far[1] < far[4]
    assert len({tuple(point) for point in place}) == 6


def page_data(page: str) -> tuple[dict[str, Any], dict[str, bytes]]:
    found = dict(re.findall(r'<script type="application/json" id="(\w+)">(.*?)</script>', page))
    packed = json.loads(found["data"])
    return json.loads(found["meta"]), {
        name: zlib.decompress(base64.b64decode(text)) for name, text in packed.items()
    }


def test_the_page_holds_every_item_and_marks_the_chosen(selected: Workspace) -> None:
    result = draw_map(selected, "physics")
    page = map_path(selected, "physics").read_text(encoding="utf-8")
    meta, data = page_data(page)
    ids = data["ids"].decode().split("\n")
    rows = pq.read_table(selected.clusters("physics")).to_pylist()
    assert ids == [row["question_id"] for row in rows] and meta["items"] == 12
    assert np.frombuffer(data["cluster"], "<u4").tolist() == [row["cluster"] for row in rows]
    flags = np.frombuffer(data["flags"], "u1")
    chosen = pq.read_table(selected.selection("physics"))["question_id"].to_pylist()
    assert {name for name, flag in zip(ids, flags, strict=True) if flag >> 7} == set(chosen)
    assert sum(subject["chosen"] for subject in meta["subjects"]) == 6 == meta["chosen"]
    shown = np.frombuffer(data["shown"], "u1")
    points = np.frombuffer(data["points"], "<u4")
    assert shown.sum() == len(points) == 12
    assert meta["points"][points[ids.index("phys/0")]] == "optics"
    assert "http://" not in page and "https://" not in page and "src=" not in page
    before = map_path(selected, "physics").read_bytes()
    assert result.ran and not draw_map(selected, "physics").ran
    map_path(selected, "physics").unlink()
    draw_map(selected, "physics")
    assert map_path(selected, "physics").read_bytes() == before


def test_without_a_selection_nothing_is_marked_and_without_clusters_it_says_so(selected: Workspace) -> None:
    selected.selection("physics").unlink()
    draw_map(selected, "physics")
    assert page_data(map_path(selected, "physics").read_text(encoding="utf-8"))[0]["chosen"] == 0
    selected.clusters("physics").unlink()
    with pytest.raises(UsageError, match="does not exist"):
        draw_map(selected, "physics")


@pytest.mark.browser
def test_the_page_answers_in_a_browser(
    selected: Workspace, tmp_path: Path, chromium: Callable[..., Any]
) -> None:
    draw_map(selected, "physics")
    with chromium(tmp_path / "profile", 1200, 800) as browser:
        browser.open(map_path(selected, "physics").as_uri())
        browser.wait("document.body.dataset.ready === 'yes'")
        assert browser.run("document.getElementById('counts').textContent").startswith("12 items, 2 clusters")
        assert browser.run("D.ids.length === 12 && nearest(px(3), py(3)) === 3")
        browser.run("say(3, px(3), py(3))")
        assert browser.run("document.getElementById('card').textContent.includes(D.ids[3])")
        ink = "[...pen.getImageData(0, 0, canvas.width, canvas.height).data].some((v) => v > 0)"
        assert browser.run(ink)
