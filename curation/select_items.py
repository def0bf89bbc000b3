"""The items of a choice, and what they may share: points, values of rules, and the digest of them all."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields

from benchwright.schemas.digest import canonical_json
from benchwright.schemas.selection import Family, stand_in


@dataclass(frozen=True, slots=True)
class Candidate:
    """One question as the choice sees it."""

    question_id: str
    subject: str
    difficulty: int
    cluster: int
    centrality: float
    points: tuple[str, ...]
    """Sorted, without repeats, at the path level that must be covered; never empty."""
    estimated: tuple[str, ...] = ()
    """Fields whose values are estimates."""
    template: str | None = None
    """Shared by questions that differ in nothing but their numbers; None: no other has the same words."""
    group: str | None = None
    """Shared by questions that are one and the same; None: no duplicate."""
    images: tuple[str, ...] = ()
    """Digests of the published images, sorted, without repeats."""
    chapter: str | None = None
    license: str | None = None
    source: str = ""
    solved: bool = False
    """Whether a worked solution is there; few-shot examples need one."""
    pinned: str | None = None
    """Why it has to stay (`recipe`, `reviewed`); None: it may be left out."""

    @property
    def has_image(self) -> bool:
        """Whether any picture belongs to it."""
        return bool(self.images)


_FIELDS = tuple(field.name for field in fields(Candidate))


def points_at(points: Iterable[str], cluster: int, path_level: int | None) -> tuple[str, ...]:
    """A question's points cut to the path level; its cluster's stand-in where it has none."""
    cut = {"/".join(point.split("/")[:path_level]) for point in points}
    return tuple(sorted(cut)) or (stand_in(cluster),)


def pool_digest(pool: Iterable[Candidate]) -> str:
    """Digest of the items as the model sees them, whatever their order."""
    digest = hashlib.sha256()
    for item in sorted(pool, key=lambda item: item.question_id):
        digest.update(canonical_json([getattr(item, name) for name in _FIELDS]).encode("utf-8"))
        digest.update(b"\n")
    return digest.hexdigest()


def frequencies(items: Iterable[Candidate]) -> dict[str, int]:
    """How many items carry each point, by point in sorted order."""
    counts = Counter(point for item in items for point in item.points)
    return dict(sorted(counts.items()))


def shared_values(item: Candidate, family: Family) -> tuple[str, ...]:
    """The values of a family that an item has: those it may share with others."""
    if family == "image":
        return item.images
    if family == "cluster":
        return (str(item.cluster),)
    value = {"chapter": item.chapter, "template": item.template, "group": item.group}[family]
    return () if value is None else (value,)


def levels_of(item: Candidate) -> tuple[str, str]:
    """Names of the bands that count an item."""
    return f"difficulty:{item.difficulty}", f"subject:{item.subject}"


def signature(item: Candidate) -> tuple[object, ...]:
    """All that rules look at: items of one signature can stand for each other, the more central ones first."""
    return (
        item.points,
        item.subject,
        item.difficulty,
        item.cluster,
        item.chapter,
        item.template,
        item.group,
        item.images,
    )
