"""What brings questions together, before anything is verified: classes of equal text, and links between classes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from benchwright.curation.dedup_minhash import near_pairs
from benchwright.curation.dedup_scan import NO_ANSWER, Scan
from benchwright.schemas.duplicates import Method

Rows = NDArray[np.int64]
_BESIDE = 40
"""With how many others of one stem and answer a class is linked at most."""


@dataclass
class Links:
    """Classes of questions with one canonical text, numbered by their first rows, and which classes are alike."""

    class_of: Rows
    """[n]"""
    rows: list[Rows]
    """Rows of each class, ascending."""
    near: dict[tuple[int, int], tuple[Method, float]] = field(default_factory=dict)
    """Pair of classes, the lower first -> what found it first, and how alike."""
    further: dict[tuple[int, int], dict[Method, float]] = field(default_factory=dict)
    """What else found such a pair."""

    @classmethod
    def of(cls, scan: Scan) -> Links:
        """Classes by text key alone: members may still differ in their pictures."""
        buckets = by_key(scan.text)
        class_of = np.empty(len(scan.ids), np.int64)
        for number, rows in enumerate(buckets):
            class_of[rows] = number
        return cls(class_of, buckets)

    def add(self, pairs: Iterable[tuple[int, int]], shares: Iterable[float], method: Method) -> None:
        """Link the classes of pairs of rows."""
        for (one, two), share in zip(pairs, shares, strict=False):
            a, b = int(self.class_of[one]), int(self.class_of[two])
            if a == b:
                continue
            pair, found = (min(a, b), max(a, b)), (method, min(1.0, float(share)))
            if self.near.setdefault(pair, found)[0] != method:
                self.further.setdefault(pair, {}).setdefault(*found)

    def neighbours(self) -> dict[int, set[int]]:
        """Class -> classes alike."""
        found: dict[int, set[int]] = defaultdict(set)
        for a, b in self.near:
            found[a].add(b)
            found[b].add(a)
        return dict(found)

    def touched(self) -> list[int]:
        """Rows of all classes with a repeat or a neighbour."""
        linked = {number for pair in self.near for number in pair}
        linked |= {number for number, rows in enumerate(self.rows) if len(rows) > 1}
        return sorted(int(row) for number in linked for row in self.rows[number])


def add_stems(links: Links, scan: Scan) -> None:
    """Link classes with one stem and one right answer: the options may have been chosen or read anew."""
    for rows in by_key(scan.answered):
        if len(rows) < 2 or scan.answered[rows[0]] == NO_ANSWER:
            continue
        first = [int(links.rows[number][0]) for number in np.unique(links.class_of[rows])]
        for step in range(1, min(len(first), _BESIDE)):
            links.add(zip(first, first[step:], strict=False), repeat(1.0), "stem")


def add_minhash(links: Links, scan: Scan, threshold: float) -> None:
    """Link classes whose texts share most of their shingles and have the same numbers."""
    first = np.array([rows[0] for rows in links.rows], np.int64)
    for pairs, shares in near_pairs(scan.signatures, scan.numbers, first, threshold):
        links.add(map(tuple, pairs.tolist()), shares.tolist(), "minhash")


def by_key(keys: NDArray[np.uint64]) -> list[Rows]:
    """Rows of each distinct key, in the order of their first rows."""
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order]) != 0) + 1
    groups = np.split(order, starts) if len(order) else []
    return sorted(groups, key=lambda rows: int(rows[0]))


def templates(scan: Scan) -> Iterator[tuple[int, Rows]]:
    """Sets of questions that differ in nothing but their numbers: the row with the lowest id, and all rows."""
    for rows in by_key(scan.template):
        if len(rows) > 1 and len(np.unique(scan.stem[rows])) > 1:
            yield min(rows.tolist(), key=scan.ids.__getitem__), rows


def same_words(scan: Scan) -> Iterator[tuple[int, int]]:
    """One stem with other options or another picture: the row with the lowest id beside one of each other kind."""
    for rows in by_key(scan.stem):
        kinds: dict[tuple[int, int], int] = {}
        for row in sorted(rows.tolist(), key=scan.ids.__getitem__):
            kinds.setdefault((int(scan.text[row]), int(scan.images[row])), row)
        first, *others = kinds.values()
        yield from ((first, other) for other in others)
