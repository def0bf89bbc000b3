"""The search itself: scan, link, verify, group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchwright.curation.dedup_groups import Group, Standing, form_groups
from benchwright.curation.dedup_links import Links, add_minhash, add_stems
from benchwright.curation.dedup_members import Member, read_members
from benchwright.curation.dedup_review import Verdicts
from benchwright.curation.dedup_scan import Scan, scan_pool
from benchwright.curation.dedup_verify import SamePictures, Verified, verify
from benchwright.curation.executor import Executor
from benchwright.schemas.duplicates import Method

Progress = Callable[[str, int, int], None]
_BESIDE = 40
"""How many questions of a class are looked through for one with the pictures of another's."""


@dataclass(frozen=True)
class Candidate:
    """Two questions about which people are asked."""

    first: Member
    second: Member
    method: Method
    similarity: float
    detail: str


@dataclass
class Found:
    """Everything that the search found."""

    scan: Scan
    links: Links
    members: Mapping[int, Member]
    groups: list[Group]
    candidates: list[Candidate]
    """Not yet answered."""
    answered: list[Candidate]
    """Those that people have given a verdict on."""
    other_templates: list[tuple[Member, Member]]
    """Pairs that people call one template."""
    standing: Standing
    verdicts: Verdicts
    other_answers: int
    """Pairs of nearly one wording with different answers: left alone."""
    verified: Callable[[Member, Member, float], Verified]
    """Holds two of the members side by side; knows the cosine of their embeddings, 0 where nobody measured it."""

    def how(self, one: Member, two: Member) -> tuple[Method, float]:
        """What brought two questions together."""
        a, b = (int(self.links.class_of[self.row_of[member.id]]) for member in (one, two))
        return ("exact", 1.0) if a == b else self.links.near[min(a, b), max(a, b)]

    def layers(self, one: Member, two: Member) -> dict[Method, float]:
        """Everything that brought two questions together, and how alike each layer finds them; mostly something."""
        a, b = (int(self.links.class_of[self.row_of[member.id]]) for member in (one, two))
        if a == b:
            return {"exact": 1.0}
        pair = min(a, b), max(a, b)
        first = self.links.near.get(pair)
        return dict([first, *self.links.further.get(pair, {}).items()]) if first else {}

    def __post_init__(self) -> None:
        self.row_of = {member.id: row for row, member in self.members.items()}


@dataclass(frozen=True)
class Search:
    """What a search rests on.

    Args:
        pool: the discipline's table.
        thresholds: see `dedup_thresholds.toml`.
        standing: which of several stays.
        verdicts: what people have said.
        executor: who reads.
        report: progress.
        link: adds links of further layers (embeddings, pictures).
        same_pictures: compares pictures.
    """

    pool: Path
    thresholds: Mapping[str, float]
    standing: Standing
    verdicts: Verdicts
    executor: Executor
    report: Progress
    link: Callable[[Links, Scan], None] = lambda links, scan: None
    pictures: Callable[[Mapping[int, Member]], SamePictures] = lambda members: same_digests

    def run(self) -> Found:
        """Scan, link, verify, group."""
        scan = scan_pool(self.pool, self.executor, lambda done, total: self.report("read", done, total))
        links = Links.of(scan)
        add_stems(links, scan)
        add_minhash(links, scan, self.thresholds["minhash"])
        scan = scan.spent()
        self.link(links, scan)
        members = read_members(self.pool, scan, links.touched())
        checked = _Checked(self, self.pictures(members))
        neighbours = links.neighbours()

        def linked(row: int) -> Iterator[int]:
            mine = int(links.class_of[row])
            for number in (mine, *sorted(neighbours.get(mine, ()))):
                yield from (int(other) for other in links.rows[number] if other != row)

        groups = form_groups(members, linked, self.standing, checked.same, checked.settled)
        alike = list(_candidates(links, members, checked, groups))
        said = [checked.said(c.first, c.second) for c in alike]
        return Found(
            scan=scan,
            links=links,
            members=members,
            groups=groups,
            candidates=[c for c, word in zip(alike, said, strict=True) if word is None],
            answered=[c for c, word in zip(alike, said, strict=True) if word is not None],
            other_templates=[
                (c.first, c.second) for c, word in zip(alike, said, strict=True) if word == "same-template"
            ],
            standing=self.standing,
            verdicts=self.verdicts,
            other_answers=checked.other_answers,
            verified=checked.verify,
        )


def same_digests(one: tuple[str, ...], two: tuple[str, ...]) -> bool:
    """Whether two lists of pictures are equal byte by byte, in any order."""
    return sorted(one) == sorted(two)


class _Checked:
    """Verifies pairs, once each; a person's verdict goes before the rules."""

    def __init__(self, search: Search, same_pictures: SamePictures) -> None:
        self._search = search
        self._same_pictures = same_pictures
        self.other_answers = 0

    def verify(self, one: Member, two: Member, cosine: float = 0.0) -> Verified:
        return verify(one, two, self._search.thresholds["near"], self._same_pictures, cosine)

    def said(self, one: Member, two: Member) -> object:
        """What people said of the pair."""
        return self._search.verdicts.about([one, two], "relation")

    def same(self, one: Member, two: Member) -> bool:
        said = self.said(one, two)
        return said == "same" if said is not None else self.verify(one, two).relation == "same"

    def settled(self, one: Member, two: Member) -> bool:
        """Whether people said that the two are one question, so that their answers need no further word."""
        return self.said(one, two) == "same"


def _candidates(
    links: Links, members: Mapping[int, Member], checked: _Checked, groups: list[Group]
) -> Iterator[Candidate]:
    group_of = {member.id: group.keeper.id for group in groups for member in group.members}
    for (a, b), (method, similarity) in sorted(links.near.items()):
        one, two = sorted(_beside(links, members, a, b), key=lambda member: member.id)
        apart = group_of.get(one.id, one.id) != group_of.get(two.id, two.id)
        if not apart and checked.said(one, two) is None:
            continue
        found = checked.verify(one, two, similarity if method == "vector" else 0.0)
        checked.other_answers += found.relation is None and "answers" in found.detail
        if found.relation == "candidate":
            yield Candidate(one, two, method, similarity, found.detail)


def _beside(links: Links, members: Mapping[int, Member], a: int, b: int) -> tuple[Member, Member]:
    """One question of each of two classes: with the same pictures where there are such, else the first of each."""
    left, right = ([members[int(row)] for row in links.rows[number][:_BESIDE]] for number in (a, b))
    by_pictures = {_seen(member): member for member in reversed(right)}
    return next(
        ((member, by_pictures[shown]) for member in left if (shown := _seen(member)) in by_pictures),
        (left[0], right[0]),
    )


def _seen(member: Member) -> tuple[str, ...]:
    return tuple(sorted(member.pictures))
