"""The knowledge points of a discipline by their beginnings: what the subjects of a taxonomy must divide among them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

NO_FIELD = re.compile(
    r"competition|contest|curriculum|knowledge points?$|courses?$|exams?$|\bamc"
    r"|竞赛|体系|知识点|知识标签|知识模块|课程|题型|拓展思维|小升初|能力|素养|思想|方法"
)
"""Names of collections, courses and abilities: no field of a discipline."""
FEWEST = 4.0
"""Effective number of groups below which the largest is opened: `Physics/...` alone tells no subjects apart.

The subjects of VisScience's figure 3 have 4.8, 4.8 and 6.3 in mathematics, physics and chemistry."""


def heads_of(counts: Mapping[str, int]) -> dict[str, int]:
    """Groups of points: their first path parts; below those that name a collection, and where a few hold nearly all.

    Args:
        counts: path -> number of questions.

    Returns:
        Beginning of a path -> sum of its points' questions, in sorted order. Each point belongs to exactly one.
    """
    groups = _opened(1, list(counts))
    while groups:
        sizes = {head: sum(counts[path] for path in members) for head, members in groups.items()}
        openable = [head for head, members in groups.items() if any(path != head for path in members)]
        if effective_number(sizes) >= FEWEST:
            openable = [head for head in openable if names_no_field(head)]
        if not openable:
            return dict(sorted(sizes.items()))
        largest = max(openable, key=lambda head: (sizes[head], head))
        groups |= _opened(largest.count("/") + 2, groups.pop(largest))
    return {}


def head_of(path: str, heads: Mapping[str, int]) -> str:
    """The group of a point.

    Raises:
        KeyError: it belongs to none.
    """
    parts = path.split("/")
    for end in range(len(parts), 0, -1):
        if (head := "/".join(parts[:end])) in heads:
            return head
    raise KeyError(path)


def points_below(head: str, counts: Mapping[str, int], heads: Mapping[str, int], most: int) -> list[str]:
    """The most frequent points of a group, without the group's own part."""
    inside = [path for path in counts if head_of(path, heads) == head and path != head]
    inside.sort(key=lambda path: (-counts[path], path))
    return [path.removeprefix(head + "/") for path in inside[:most]]


def effective_number(counts: Mapping[str, int]) -> float:
    """How many equally large groups would be as diverse: the exponential of the shares' entropy (Hill, 1973)."""
    total = sum(counts.values())
    return math.exp(-math.fsum(n / total * math.log(n / total) for n in counts.values() if n))


def names_no_field(head: str) -> bool:
    """Whether the last part of a group's path names a collection, a course or an ability."""
    return NO_FIELD.search(head.split("/")[-1].casefold()) is not None


def _opened(depth: int, paths: Sequence[str]) -> dict[str, list[str]]:
    """Paths by their first `depth` parts."""
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault("/".join(path.split("/")[:depth]), []).append(path)
    return found
