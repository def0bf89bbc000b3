"""Words of clusters: what tells one from the others, in both languages; and the items nearest to its centre."""

from __future__ import annotations

import json

import numpy as np

from benchwright.curation.cluster import cluster_discipline
from benchwright.curation.cluster_words import DisciplineWords, nearest_items, telling_words, words_path
from benchwright.curation.kmeans import kmeans
from benchwright.schemas.workspace import Workspace

ENGLISH = [
    [f"The lens forms an image; find the focal length of the lens in case {n}." for n in range(6)],
    [f"The gas expands; find the pressure of the gas in case {n}." for n in range(6)],
    [f"The block slides; find the friction of the block in case {n}." for n in range(6)],
    [f"The wire carries a charge; find the current of the wire in case {n}." for n in range(6)],
]
CHINESE = [
    ["导体棒因电磁感应产生电流，求该电流。", "研究电磁感应时改变磁场。", "用电磁感应原理解释。", "何为电磁感应？"],
    ["小球做自由落体运动，求其时间。", "物体的自由落体有何规律？", "自由落体与初速度，求其时间。", "这是自由落体吗？"],
    ["理想气体的温度升高，求压强。", "若理想气体膨胀，求压强。", "一定量理想气体被压缩。", "把理想气体加热。"],
    ["光电效应说明什么？", "发生光电效应时，求频率。", "爱因斯坦解释光电效应。", "用紫光做光电效应实验，求频率。"],
]  # fmt: skip


def test_words_tell_a_cluster_from_the_others() -> None:
    latin, han = telling_words([[*ENGLISH[i], *CHINESE[i]] for i in range(4)])
    assert [words[0] for words in han] == ["电磁感应", "自由落体", "理想气体", "光电效应"]
    for words, own in zip(latin, ("lens", "gas", "block", "wire"), strict=True):
        assert own in words
        assert not {"the", "find", "case"} & set(words)
    assert not any("求" in word for words in han for word in words)


def test_markup_is_no_word_and_a_cluster_may_have_none() -> None:
    latin, han = telling_words([[r"\frac{1}{2} \begin{matrix} x \end{matrix} https://example.org/lens"], []])
    assert (latin, han) == ([(), ()], [(), ()])


def test_nearest_items_come_first_and_ties_in_order() -> None:
    rows = np.array([[2.0], [0.0], [1.0], [9.0], [9.0], [1.0]], np.float32)
    clustering = kmeans(rows, 2, seed=0)
    assert clustering.labels.tolist() == [0, 0, 0, 1, 1, 0]
    assert nearest_items(clustering, 3) == [[2, 5, 0], [3, 4]]


def test_the_stage_writes_words_and_its_engine(selected: Workspace) -> None:
    path = words_path(selected, "physics")
    words = DisciplineWords.model_validate_json(path.read_bytes())
    assert sum(cluster.size for cluster in words.clusters) == 12 == words.looked_at
    assert all(cluster.nearest for cluster in words.clusters)
    record = json.loads(selected.clusters("physics").with_suffix(".run.json").read_text())
    assert (record["engine"], record["clusters"]) == ("two-level", len(words.clusters))
    before = path.read_bytes()
    assert not cluster_discipline(selected, "physics", 2, workers=1).ran
    path.unlink()
    assert cluster_discipline(selected, "physics", 2, workers=1).ran
    assert path.read_bytes() == before


def test_the_recipe_names_scikit_learn(selected: Workspace) -> None:
    selection = selected.recipe.selection.model_copy(update={"engine": "scikit-learn"})
    place = Workspace(selected.root, selected.recipe.model_copy(update={"selection": selection}))
    assert cluster_discipline(place, "physics", 2, workers=1).ran
    record = json.loads(place.clusters("physics").with_suffix(".run.json").read_text())
    assert record["engine"] == "scikit-learn" and "scikit-learn" in record["libraries"]
