"""What a cluster is about: the words that tell it from the others, and the items nearest to its centre.

Scores follow class-based TF-IDF (Grootendorst, "BERTopic", 2022) with the share of a cluster's items that say a term in
place of its count, and the logarithm of how much more often they say it than the pool does: what everybody says
scores nothing, so that no list of stop words is needed.

A text counts as Chinese or as one in an alphabet, by which there is more of, and is compared with its like alone.

Chinese is not segmented. Candidates are runs of two to six characters that hold together (cut anywhere, the two halves
meet many times more often than chance would have it) and stand on their own (no single character before or after goes
with nearly all of them).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchwright.curation.kmeans import Clustering
from benchwright.curation.pool_reader import iter_texts
from benchwright.schemas.records import Record
from benchwright.schemas.workspace import Workspace

_SAMPLE = 12_000
"""Items whose texts are looked at, at most, and held together."""
_PER_CLUSTER = 40
_AT_LEAST = 6
"""Items of a cluster that are looked at however many clusters there are."""
_NEAREST = 5
_WORDS = 8
_COHESION = 30.0
"""How many times more often than by chance the halves of a Chinese word meet."""
_FEW = 20
"""In a small pool chance does not go far: there the pool's Chinese characters divided by this are enough."""
_INSIDE = 0.6
"""Share of a Chinese candidate's places where one same character follows (or goes before) that makes it a piece."""
_MOST = 6
"""Characters of the longest Chinese candidate."""
_SEEN = 3
"""Places where a Chinese candidate stands, at least."""
_RATIO = 3.0
"""How many times more often than the pool a cluster says a word that tells it from others."""
_HAN_SHARE = 0.15
"""Share of a text's characters from which on it counts as Chinese."""

_LATEX = re.compile(r"\\(?:begin|end)\s*\{[^}]*\}|\\[A-Za-z]+|https?://\S+|<[^>]{1,80}>")
_LATIN = re.compile(r"[^\W\d_]{3,}(?:-[^\W\d_]{2,})*")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")


class ClusterWords(Record):
    """One cluster in words."""

    cluster: int
    size: int
    latin: tuple[str, ...]
    """Words in alphabets, most telling first."""
    han: tuple[str, ...]
    """Chinese words, most telling first."""
    nearest: tuple[str, ...]
    """Ids of the items nearest to the centre, nearest first."""


class DisciplineWords(Record):
    """`clusters/<discipline>.words.json`."""

    discipline: str
    looked_at: int
    """Items, the nearest of each cluster, whose texts the words were counted in."""
    clusters: tuple[ClusterWords, ...]


def words_path(workspace: Workspace, discipline: str) -> Path:
    """Where the words of a discipline's clusters lie. Writer: curate cluster."""
    return workspace.clusters(discipline).with_suffix(".words.json")


def cluster_words(discipline: str, pool: Path, ids: Sequence[str], clustering: Clustering) -> DisciplineWords:
    """Words and nearest items of each cluster; of the pool, the texts of a sample are held.

    Args:
        discipline: for the record.
        pool: `Workspace.pool(discipline)`.
        ids: question ids in the order of the clustering's rows.
        clustering: of these ids.
    """
    near = nearest_items(clustering, max(_AT_LEAST, min(_PER_CLUSTER, _SAMPLE // max(1, clustering.k))))
    wanted = {ids[row]: cluster for cluster, rows in enumerate(near) for row in rows}
    texts: list[list[str]] = [[] for _ in near]
    for chunk in iter_texts(pool):
        for question_id, text in zip(chunk.ids, chunk.texts, strict=True):
            if question_id in wanted:
                texts[wanted[question_id]].append(text)
    sizes = np.bincount(clustering.labels, minlength=clustering.k)
    latin, han = telling_words(texts)
    clusters = tuple(
        ClusterWords(
            cluster=cluster,
            size=int(sizes[cluster]),
            latin=latin[cluster],
            han=han[cluster],
            nearest=tuple(ids[row] for row in rows[:_NEAREST]),
        )
        for cluster, rows in enumerate(near)
    )
    return DisciplineWords(discipline=discipline, looked_at=len(wanted), clusters=clusters)


def nearest_items(clustering: Clustering, count: int) -> list[list[int]]:
    """For each cluster the rows nearest to its centre, at most `count`, nearest first; ties by row."""
    order = np.lexsort(
        (np.arange(len(clustering.labels)), np.round(clustering.distances, 6), clustering.labels)
    )
    starts = np.searchsorted(clustering.labels[order], np.arange(clustering.k + 1))
    return [order[start : min(end, start + count)].tolist() for start, end in pairwise(starts)]


def telling_words(texts: Sequence[Sequence[str]]) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """For each cluster its telling words, in alphabets and in Chinese.

    Args:
        texts: for each cluster some of its texts.
    """
    plain = [[_LATEX.sub(" ", text) for text in group] for group in texts]
    chinese = [[text for text in group if _is_chinese(text)] for group in plain]
    other = [[text for text in group if not _is_chinese(text)] for group in plain]
    latin = [[set(_LATIN.findall(_HAN.sub(" ", text).lower())) for text in group] for group in other]
    solid = _solid([run for group in chinese for text in group for run in _HAN.findall(text)])
    han = [[{gram for gram in _grams(text) if gram in solid} for text in group] for group in chinese]
    return _told(latin), _told(han)


def _is_chinese(text: str) -> bool:
    return sum(map(len, _HAN.findall(text))) >= _HAN_SHARE * len(text)


def _told(groups: Sequence[Sequence[set[str]]]) -> list[tuple[str, ...]]:
    everywhere = Counter(term for group in groups for terms in group for term in terms)
    n = sum(len(group) for group in groups)
    told = []
    for group in groups:
        counts = Counter(term for terms in group for term in terms)
        least = min(len(group), 2)
        scores = {}
        for term, count in counts.items():
            ratio = count * n / (len(group) * everywhere[term])
            if count >= least and ratio >= min(_RATIO, n / (2 * len(group))):
                scores[term] = count / len(group) * math.log(ratio) if ratio > 1 else 0.0
        told.append(_best(scores))
    return told


def _best(scores: dict[str, float]) -> tuple[str, ...]:
    """The highest scores; of two words of which one holds the other, the first to come."""
    chosen: list[str] = []
    for term in sorted(scores, key=lambda term: (-round(scores[term], 9), -len(term), term)):
        if scores[term] <= 0 or len(chosen) == _WORDS:
            break
        if not any(term in other or other in term for other in chosen):
            chosen.append(term)
    return tuple(chosen)


def _solid(runs: Sequence[str]) -> set[str]:
    """Candidates of 2 to `_MOST` characters that hold together and stand on their own."""
    levels = _counted(runs)
    counts = {gram: count for level in levels for gram, count in level.items()}
    total = sum(levels[0].values())
    least = min(_COHESION, total / _FEW)
    before: dict[str, int] = {}
    after: dict[str, int] = {}
    for level in levels[2:]:
        for gram, count in level.items():
            before[gram[1:]] = max(count, before.get(gram[1:], 0))
            after[gram[:-1]] = max(count, after.get(gram[:-1], 0))
    return {
        gram
        for level in levels[1:_MOST]
        for gram, count in level.items()
        if max(before.get(gram, 0), after.get(gram, 0)) < _INSIDE * count
        and all(
            count * total >= least * counts[gram[:cut]] * counts[gram[cut:]] for cut in range(1, len(gram))
        )
    }


def _counted(runs: Sequence[str]) -> list[dict[str, int]]:
    """How often each gram of 1 to `_MOST` + 1 characters stands there, rare ones left out.

    A gram is counted only where both of its shorter parts are frequent, so that memory stays that of frequent grams.
    """
    levels: list[dict[str, int]] = []
    for size in range(1, _MOST + 2):
        known = levels[-1] if levels else None
        found = Counter(
            run[at : at + size]
            for run in runs
            for at in range(len(run) - size + 1)
            if known is None or (run[at : at + size - 1] in known and run[at + 1 : at + size] in known)
        )
        levels.append({gram: count for gram, count in found.items() if count >= _SEEN or size == 1})
    return levels


def _grams(text: str) -> set[str]:
    return {
        run[at : at + size]
        for run in _HAN.findall(text)
        for size in range(2, _MOST + 1)
        for at in range(len(run) - size + 1)
    }
