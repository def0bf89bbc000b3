"""From what was found to the rows, pairs, counts and questions for people that a run leaves behind."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

import numpy as np

from benchwright.curation.dedup_groups import Group
from benchwright.curation.dedup_links import same_words, templates
from benchwright.curation.dedup_members import same_answer
from benchwright.curation.dedup_overlap import Overlaps
from benchwright.curation.dedup_review import candidate_proposals, disputed_proposals, question_of
from benchwright.curation.dedup_search import Candidate, Found
from benchwright.curation.proposers.chosen import in_order
from benchwright.schemas.duplicates import DuplicateGroup, DuplicatePair, DuplicateRow
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.records import Record


class DedupReport(Record):
    """Counts of one run; `duplicates/<discipline>.report.json`."""

    questions: int
    groups: int
    """Of questions that are one and the same."""
    dropped: int
    """Questions that give way to another of their group, or that the recipe turns away for an overlap."""
    disputed: int
    """Groups whose members have different answers; all of them stay."""
    candidates: int
    """Pairs that people are asked about."""
    other_answers: int
    """Pairs of nearly one wording that have different answers: taken for two questions."""
    templates: int
    in_templates: int
    """Questions that share a template with another."""
    same_words: int
    """Pairs with one stem and another picture or other options: no duplicates."""
    overlaps: int
    """Questions that stand in another set too."""
    by_method: dict[str, int]
    """Members of groups by what brought them to their keeper."""
    by_rule: dict[str, int]
    """Groups by the rule that decided what stays."""


@dataclass(frozen=True)
class Place:
    """What became of one member of a group."""

    group: str
    keep: bool
    rule: str
    disputed: bool


@dataclass(frozen=True)
class Asked:
    """Something that people are asked about."""

    item: DuplicateGroup
    about: Group | Candidate


@dataclass
class Outcome:
    """What becomes of every question, after people's verdicts."""

    found: Found
    overlaps: Overlaps
    turned_away: frozenset[str] = frozenset()
    """Questions that the recipe turns away for their overlap."""
    places: dict[str, Place] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)
    """Those that stand."""
    template_of: dict[str, str] = field(default_factory=dict)
    """Question id -> template, where people said so."""

    @classmethod
    def of(cls, found: Found, overlaps: Overlaps, overlap: Literal["note", "reject"]) -> Outcome:
        """Apply verdicts to the groups, and the recipe's rule to overlaps."""
        outcome = cls(found, overlaps, frozenset(overlaps.repeats) if overlap == "reject" else frozenset())
        for group in found.groups:
            outcome._settle(group)
        for one, two in found.other_templates:
            outcome.template_of |= {one.id: min(one.id, two.id), two.id: min(one.id, two.id)}
        return outcome

    def _settle(self, group: Group) -> None:
        relation = self.found.verdicts.about(group.members, "relation")
        if relation == "different":
            return
        if relation == "same-template":
            first = min(member.id for member in group.members)
            self.template_of |= {member.id: first for member in group.members}
            return
        keeper, rule, disputed = group.keeper.id, group.rule, group.disputed
        if relation == "same":
            said = self.found.verdicts.about(group.members, "keep")
            keeper = said if isinstance(said, str) and said in {m.id for m in group.members} else keeper
            rule, disputed = "verdict", False
        self.groups.append(replace(group, rule=rule, disputed=disputed))
        for member in group.members:
            self.places[member.id] = Place(keeper, disputed or member.id == keeper, rule, disputed)

    @property
    def gave_way(self) -> set[str]:
        """Questions that give way to another of their group."""
        return {name for name, place in self.places.items() if not place.keep}

    @property
    def dropped(self) -> set[str]:
        """Questions that are not to be chosen."""
        return self.gave_way | self.turned_away

    def rows(self) -> Iterator[DuplicateRow]:
        """One row a question, by id."""
        scan = self.found.scan
        template = np.full(len(scan.ids), -1, np.int64)
        for first, rows in templates(scan):
            template[rows] = first
        for at in sorted(range(len(scan.ids)), key=scan.ids.__getitem__):
            name = scan.ids[at]
            place = self.places.get(name)
            shared = scan.ids[template[at]] if template[at] >= 0 else self.template_of.get(name)
            yield DuplicateRow(
                question_id=name,
                group=place.group if place else None,
                keep=(place is None or place.keep) and name not in self.turned_away,
                rule=place.rule if place else "",
                disputed=place is not None and place.disputed,
                template=shared,
                overlap=tuple(sorted(self.overlaps.repeats.get(name, ()))),
            )

    def pairs(self) -> Iterator[DuplicatePair]:
        """All pairs, by ids; those of templates are made as they are written, since there may be many."""
        scan = self.found.scan
        words = sorted((*sorted((scan.ids[a], scan.ids[b])),) for a, b in self.same_words())
        by_template = sorted(templates(scan), key=lambda entry: scan.ids[entry[0]])
        yield from heapq.merge(
            sorted((*self._verified(), *self.overlaps.pairs), key=_order),
            (_pair(one, two, "same-words") for one, two in words),
            (pair for first, rows in by_template for pair in self._variants(first, rows.tolist())),
            key=_order,
        )

    def same_words(self) -> Iterator[tuple[int, int]]:
        """Rows of pairs with one stem and another picture or other options, that people are not asked about."""
        ids = self.found.scan.ids
        asked = {frozenset((c.first.id, c.second.id)) for c in (*self.found.candidates, *self.found.answered)}
        for a, b in same_words(self.found.scan):
            if not asked or frozenset((ids[a], ids[b])) not in asked:
                yield a, b

    def _verified(self) -> Iterator[DuplicatePair]:
        for group in self.groups:
            for other in group.others:
                method, share = self.found.how(group.keeper, other)
                detail = "other answers" if group.disputed else ""
                first, second = sorted((group.keeper.id, other.id))
                yield _pair(first, second, "same", method, share, detail)
        for c in self.found.candidates:
            yield _pair(c.first.id, c.second.id, "candidate", c.method, c.similarity, c.detail)

    def _variants(self, first: int, rows: Iterable[int]) -> Iterator[DuplicatePair]:
        scan = self.found.scan
        for other in sorted(rows, key=scan.ids.__getitem__):
            if scan.stem[other] != scan.stem[first]:
                yield _pair(scan.ids[first], scan.ids[other], "same-template")

    def asked(self) -> list[Asked]:
        """What people are asked, by item id; what they have answered stays among it."""
        found = [
            Asked(question_of(part.members, disputed=True), part)
            for group in self.found.groups
            for part in self._asked(group)
        ]
        found += [
            Asked(question_of([c.first, c.second], disputed=False), c)
            for c in (*self.found.candidates, *self.found.answered)
        ]
        return sorted(found, key=_item_id)

    def proposals(self, asked: Iterable[Asked]) -> Iterator[Proposal]:
        """What the machine proposes, in the order of a job's file; made as it is written, since there may be much.

        Args:
            asked: by item id.
        """
        for _, same in groupby(asked, key=_item_id):
            yield from in_order([line for one in same for line in self._proposed(one)])

    def _proposed(self, asked: Asked) -> list[Proposal]:
        about = asked.about
        if isinstance(about, Group):
            return disputed_proposals(asked.item, about)
        keep = min((about.first, about.second), key=self.found.standing.order)
        return candidate_proposals(asked.item, keep, about.similarity)

    def _asked(self, group: Group) -> list[Group]:
        """What of a group people are (or were) asked about: all of it, or the pairs that they settled before."""
        if not group.contradictory:
            return []
        if group.disputed or len(group.others) == 1:
            return [group]
        about, keeper = self.found.verdicts.about, group.keeper
        settled = [one for one in group.others if about([keeper, one], "relation") is not None]
        return [replace(group, others=(one,)) for one in settled if not same_answer(keeper, one)]

    def report(self) -> DedupReport:
        """The counts."""
        scan = self.found.scan
        sizes = [len(rows) for _, rows in templates(scan)]
        methods = Counter(self.found.how(g.keeper, other)[0] for g in self.groups for other in g.others)
        return DedupReport(
            questions=len(scan.ids),
            groups=len(self.groups),
            dropped=len(self.dropped),
            disputed=sum(group.disputed for group in self.groups),
            candidates=len(self.found.candidates),
            other_answers=self.found.other_answers,
            templates=len(sizes),
            in_templates=sum(sizes),
            same_words=sum(1 for _ in self.same_words()),
            overlaps=len(self.overlaps.repeats),
            by_method=dict(sorted(methods.items())),
            by_rule=dict(sorted(Counter(group.rule for group in self.groups).items())),
        )


def _pair(
    first: str, second: str, relation: str, method: str = "exact", share: float = 1.0, detail: str = ""
) -> DuplicatePair:
    return DuplicatePair.model_validate(
        {
            "first": first,
            "second": second,
            "relation": relation,
            "method": method,
            "similarity": round(share, 6),
            "detail": detail,
        }
    )


def _item_id(asked: Asked) -> str:
    return asked.item.item_id


def _order(pair: DuplicatePair) -> tuple[str, str, str]:
    return pair.first, pair.second, pair.relation
