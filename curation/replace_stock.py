"""Where replacements come from: the questions that may be chosen, by topic, and how alike they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from benchwright.curation.select_items import Candidate, shared_values
from benchwright.schemas.selection import Family, is_stand_in

Vectors = NDArray[np.float32]
_BLOCK = 2048
"""Rows of a block when many questions are held against the chosen ones."""
REPEATS: tuple[Family, ...] = ("group", "template", "image")
"""What two questions may share that makes the one a repeat of the other."""


@dataclass(frozen=True)
class Stock:
    """All questions that may be chosen."""

    items: Mapping[str, Candidate]
    languages: Mapping[str, str]
    """Source language by question id."""
    rows: Mapping[str, int]
    """Row of `vectors` by question id."""
    vectors: Vectors
    """[rows, dimension], of length 1 each; may be mapped from a file."""
    by_point: dict[str, list[str]] = field(init=False)
    by_cluster: dict[int, list[str]] = field(init=False)

    def __post_init__(self) -> None:
        by_point: dict[str, list[str]] = defaultdict(list)
        by_cluster: dict[int, list[str]] = defaultdict(list)
        for name in sorted(self.items):
            item = self.items[name]
            by_cluster[item.cluster].append(name)
            for point in item.points:
                by_point[point].append(name)
        object.__setattr__(self, "by_point", dict(by_point))
        object.__setattr__(self, "by_cluster", dict(by_cluster))

    def vectors_of(self, names: Sequence[str]) -> Vectors:
        """[len(names), dimension]; nothing but zeros for a question that the pool no longer has."""
        taken = np.zeros((len(names), self.vectors.shape[1]), np.float32)
        known = [place for place, name in enumerate(names) if name in self.rows]
        taken[known] = self.vectors[[self.rows[names[place]] for place in known]]
        return taken

    def cosines(self, name: str, others: Sequence[str]) -> list[float]:
        """How alike a question is to others."""
        if not others:
            return []
        found = self.vectors_of(others) @ self.vectors_of([name])[0]
        return [min(1.0, max(-1.0, float(value))) for value in np.round(found, 6)]

    def with_point(self, item: Candidate) -> list[str]:
        """Questions that share a knowledge point with an item (stand-ins are no knowledge points), by id."""
        found: set[str] = set()
        for point in item.points:
            if not is_stand_in(point):
                found.update(self.by_point.get(point, ()))
        return sorted(found - {item.question_id})

    def in_cluster(self, item: Candidate) -> list[str]:
        """Questions of an item's cluster, by id."""
        return [name for name in self.by_cluster.get(item.cluster, ()) if name != item.question_id]


def near_any(candidates: Vectors, standing: Vectors, limit: float) -> NDArray[np.bool_]:
    """Which candidates have a cosine above `limit` with any standing question, [candidates]."""
    near = np.zeros(len(candidates), bool)
    if len(standing):
        for start in range(0, len(candidates), _BLOCK):
            block = candidates[start : start + _BLOCK]
            near[start : start + _BLOCK] = (block @ standing.T).max(axis=1) > limit
    return near


def repeats(item: Candidate, others: Iterable[Candidate], families: Sequence[Family] = REPEATS) -> bool:
    """Whether an item shares a group, template or picture with any of the others."""
    own = {(family, value) for family in families for value in shared_values(item, family)}
    if not own:
        return False
    return any(
        (family, value) in own
        for other in others
        for family in families
        for value in shared_values(other, family)
    )
