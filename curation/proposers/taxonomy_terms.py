"""Words that tell one cluster of questions from the others.

Class-based tf-idf (Grootendorst, "BERTopic", 2022): a cluster is one document; a term weighs its share of the cluster
times log(1 + mean length of a cluster / frequency in all). English is cut into words, Chinese into runs of two to four
characters, so no word segmenter is needed.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

TERMS = 8
_LATEX = re.compile(r"\\[A-Za-z]+|<[^>]*>|https?://\S+")
_TOKEN = re.compile(r"[a-z]{3,}|[\u4e00-\u9fff]+")
_SHORTEST, _LONGEST = 2, 4
_EXAM_WORDS = frozenset(
    re.findall(
        r"\w+",
        "answer calculate consider describe determine did does explain figure find following given let number question "
        "show shown use used using value values what which",
    )
)
_BORDERS = frozenset("的是了在和与为中一个有这那不被把到则若求其及或对下列以于由将时后前上已知")
"""Characters that begin or end no notion, only a phrase around one."""
_PART_OF = 0.7
"""Share of a run's occurrences inside a longer one from which the shorter says nothing more."""
_CANDIDATES = 200


def distinctive_terms(texts: Sequence[str], clusters: Sequence[int], most: int = TERMS) -> list[list[str]]:
    """The terms of each cluster, weightiest first.

    Args:
        texts: questions.
        clusters: each text's cluster, 0 to k - 1.
        most: terms per cluster.

    Returns:
        [k] lists; a term that occurs in one question of a cluster only is not among them.
    """
    counts = [Counter[str]() for _ in range(max(clusters, default=-1) + 1)]
    holders = [Counter[str]() for _ in counts]
    for text, cluster in zip(texts, clusters, strict=True):
        terms = list(terms_of(text))
        counts[cluster].update(terms)
        holders[cluster].update(set(terms))
    overall = Counter[str]()
    for found in counts:
        overall.update(found)
    mean = overall.total() / len(counts) if counts else 0.0
    return [_top(found, held, overall, mean, most) for found, held in zip(counts, holders, strict=True)]


def terms_of(text: str) -> Iterable[str]:
    """The terms of a text, with repeats: English words but for stop words, and all runs of Chinese characters."""
    folded = unicodedata.normalize("NFKC", _LATEX.sub(" ", text)).casefold()
    for token in _TOKEN.findall(folded):
        if token[0] < "\u4e00":
            if token not in ENGLISH_STOP_WORDS and token not in _EXAM_WORDS:
                yield token
            continue
        for length in range(_SHORTEST, _LONGEST + 1):
            for start in range(len(token) - length + 1):
                run = token[start : start + length]
                if run[0] not in _BORDERS and run[-1] not in _BORDERS:
                    yield run


def _top(
    counts: Counter[str], holders: Counter[str], overall: Counter[str], mean: float, most: int
) -> list[str]:
    total = counts.total()
    weights = {
        term: n / total * math.log(1 + mean / overall[term])
        for term, n in counts.items()
        if holders[term] > 1
    }
    ranked = sorted(weights, key=lambda term: (-weights[term], -len(term), term))[:_CANDIDATES]
    kept: list[str] = []
    for term in ranked:
        if len(kept) == most:
            break
        if any(term in other or other in term for other in kept):
            continue
        kept.append(_whole(term, ranked, counts))
    return list(dict.fromkeys(kept))


def _whole(term: str, ranked: Sequence[str], counts: Counter[str]) -> str:
    """The longest run of which a run of characters is nearly always a part; an English word stays as it is."""
    if term[0] < "\u4e00":
        return term
    longer = [
        other
        for other in ranked
        if len(other) > len(term) and term in other and counts[other] >= _PART_OF * counts[term]
    ]
    return max(longer, key=lambda other: (len(other), counts[other], other), default=term)
