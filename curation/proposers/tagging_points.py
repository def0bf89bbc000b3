"""A discipline's knowledge points as a vocabulary: what a prompt offers, and what a reply's words stand for.

The vocabulary is what the pool's sources say; nothing is added to it here. A prompt cannot show thousands of paths, so
it shows a shortlist: the points of the most similar questions of the pool, then those whose names lie nearest. On real
labels (benchmarks/proposals_labels.py) neighbours find 1.4 to 5 times as many of the right points as names do.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from benchwright.curation.embed import embed_texts
from benchwright.schemas.digest import digest_of

Vectors = NDArray[np.float32]

SHORTLIST = 40
"""Points that a prompt offers."""
BY_NEIGHBOURS = 30
"""Of these, how many at most come from similar questions."""
NEIGHBOURS = 60
CLOSE = 0.1
"""Cosine difference that changes a neighbour's weight by a factor e."""
SAME_NOTION = 0.75
"""Cosine from which two names count as the same notion. Measured on 162 free wordings against 64 paths
(benchmarks/proposals_labels.py): 92 % of what is mapped is right; half of the wordings that have a place find it."""
NEW = "new:"
_DECIMALS = 5


@dataclass(frozen=True)
class Mapped:
    """What a reply's words stand for."""

    paths: tuple[str, ...]
    """Of the vocabulary, in the reply's order, without repeats."""
    unmapped: tuple[str, ...]
    """Words that name nothing of it; listed for people, never made into points."""


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The paths of a discipline and the questions that carry them.

    Attributes:
        counts: path -> number of questions, in sorted order.
        rows: one per question with points: its points.
        vectors: [rows, d], unit length.
        embedder: name of the embedder.
    """

    counts: Mapping[str, int]
    rows: tuple[tuple[str, ...], ...]
    vectors: Vectors
    embedder: str

    @classmethod
    def of(cls, rows: Sequence[Sequence[str]], vectors: Vectors, embedder: str) -> Vocabulary:
        """Make it from questions: their points (questions without any are left out) and vectors."""
        carrying = [place for place, points in enumerate(rows) if points]
        counts = Counter(point for place in carrying for point in dict.fromkeys(rows[place]))
        return cls(
            dict(sorted(counts.items())),
            tuple(tuple(rows[place]) for place in carrying),
            vectors[carrying],
            embedder,
        )

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """All paths, sorted."""
        return tuple(self.counts)

    @cached_property
    def digest(self) -> str:
        """What decides shortlists and mappings."""
        return digest_of([self.counts, self.rows, self.embedder])

    def shortlist(self, vector: Vectors, own: Sequence[str] = (), size: int = SHORTLIST) -> list[str]:
        """Paths that may fit a question: its source's, those of similar questions, those with a near name.

        Args:
            vector: [d], the question's.
            own: paths that its source gives.
            size: how many at most, but never fewer than `own`.
        """
        if not self.paths:
            return []
        known = [path for path in own if path in self.counts]
        near = self.by_neighbours(vector)[:BY_NEIGHBOURS]
        found = list(dict.fromkeys([*known, *near, *self.by_name(vector)]))
        return found[: max(size, len(known))]

    def by_neighbours(self, vector: Vectors) -> list[str]:
        """Paths of the most similar questions; a path weighs as much as the neighbours that carry it."""
        cosines = np.round(self.vectors @ vector, _DECIMALS)
        nearest = np.argsort(-cosines, kind="stable")[:NEIGHBOURS]
        weights: dict[str, float] = {}
        for row in nearest:
            for path in self.rows[row]:
                weights[path] = weights.get(path, 0.0) + math.exp((float(cosines[row]) - 1) / CLOSE)
        return sorted(weights, key=lambda path: (-weights[path], path))

    def by_name(self, vector: Vectors) -> list[str]:
        """All paths, that with the nearest name first."""
        order = np.argsort(-np.round(self._leaves @ vector, _DECIMALS), kind="stable")
        return [self.paths[int(place)] for place in order]

    def mapped(self, words: Sequence[str], preferred: Sequence[str] = ()) -> Mapped:
        """Find the paths that words stand for: as they are, but for spelling, else by the nearest name.

        Args:
            words: as a reply gives them, with or without `new:`.
            preferred: where a name stands at the end of several paths, one of these is meant; else the most frequent.
        """
        paths: list[str] = []
        unmapped: list[str] = []
        for word in words:
            bare = word.strip().removeprefix(NEW).strip()
            path = self._meant(bare, preferred) if bare else None
            if path is not None:
                paths.append(path)
            elif bare:
                unmapped.append(bare)
        return Mapped(tuple(dict.fromkeys(paths)), tuple(dict.fromkeys(unmapped)))

    def _meant(self, word: str, preferred: Sequence[str]) -> str | None:
        if word in self.counts:
            return word
        if alike := self._spellings.get(spelling(word)):
            wanted = [path for path in alike if path in set(preferred)] or alike
            return max(wanted, key=lambda path: (self.counts[path], [-ord(letter) for letter in path]))
        if not self.paths:
            return None
        (vector,) = embed_texts(self.embedder, [word.split("/")[-1]])
        cosines = np.round(np.maximum(self._leaves @ vector, self._with_parents @ vector), _DECIMALS)
        best = int(cosines.argmax())
        return self.paths[best] if cosines[best] >= SAME_NOTION else None

    @cached_property
    def _spellings(self) -> dict[str, list[str]]:
        """Paths by each of their endings, spelling set aside: `C`, `B/C`, `A/B/C`."""
        found: dict[str, list[str]] = {}
        for path in self.paths:
            parts = path.split("/")
            for start in range(len(parts)):
                found.setdefault(spelling("/".join(parts[start:])), []).append(path)
        return found

    @cached_property
    def _leaves(self) -> Vectors:
        return embed_texts(self.embedder, [path.split("/")[-1] for path in self.paths])

    @cached_property
    def _with_parents(self) -> Vectors:
        return embed_texts(self.embedder, [", ".join(path.split("/")[-2:]) for path in self.paths])


def spelling(words: str) -> str:
    """The form in which spellings of one name are equal: NFKC, no case, blanks or punctuation but the slash."""
    folded = unicodedata.normalize("NFKC", words).casefold().replace("&", "and")
    return re.sub(r"[^\w/]|_", "", folded)
