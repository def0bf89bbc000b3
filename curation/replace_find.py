"""Finding the question that takes another's place: identical topic, same difficulty and language, nearest, no repeat.

Step 4 of VisScience's construction replaces what people turn away by a question of the same kind. With every other
question staying, the one free place is decided by trying every question of the topic against every rule. Only where
none keeps them (the old one alone held several points, say) further questions are exchanged, as few as possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from benchwright.curation.replace_mend import Wanted, demanded, fewest_exchanges
from benchwright.curation.replace_stock import Stock, near_any, repeats
from benchwright.curation.replace_tally import Effect, Tally
from benchwright.curation.select_items import Candidate, levels_of
from benchwright.curation.select_rules import Rules
from benchwright.schemas.errors import ItemError
from benchwright.schemas.selection import is_stand_in

NEAR = 0.97
"""Cosine above which two questions count as repeats of each other."""
_TRIED = 6
"""Questions of a topic for which further exchanges are looked for."""
_COMPANIONS = 400
"""Questions that may be taken in besides, for each rule that lacks one."""


@dataclass(frozen=True)
class Offer:
    """A question that could take the place, and what that would change."""

    item: Candidate
    effect: Effect
    similarity: float
    same_language: bool

    def order(self, old: Candidate) -> tuple[object, ...]:
        """Best first: rules, difficulty, language, subject, likeness."""
        return (
            len(self.effect.broken),
            len(self.effect.relaxed),
            abs(self.item.difficulty - old.difficulty),
            not self.same_language,
            self.item.subject != old.subject,
            -self.similarity,
            self.item.question_id,
        )


@dataclass(frozen=True)
class Found:
    """What takes the place."""

    pairs: tuple[tuple[Candidate, Candidate], ...]
    """(leaves, joins); the first is the one asked for."""
    topic: Literal["knowledge-point", "cluster"]
    offer: Offer
    supply: int
    relaxed: tuple[str, ...]


class Desk:
    """A selection at work: what is chosen, what may join, what was turned away. Exchanges change it."""

    def __init__(
        self,
        stock: Stock,
        rules: Rules,
        chosen: Iterable[Candidate],
        turned: Iterable[str] = (),
        apart: Sequence[Candidate] = (),
        near: float = NEAR,
        seconds: float = 60.0,
    ) -> None:
        """Set up.

        Args:
            stock: all questions that may be chosen.
            rules: of the selection.
            chosen: the selection, with reviewed values where there are any.
            turned: ids that may not join any more.
            apart: few-shot examples: none of them, and no repeat of them, may join.
            near: cosine above which questions are repeats.
            seconds: for each solve.
        """
        self.stock, self.rules, self.near, self.seconds = stock, rules, near, seconds
        self.tally = Tally(rules, chosen)
        self.turned = set(turned)
        self.apart = tuple(apart)

    def find(self, question_id: str) -> Found:
        """The replacement of a chosen question; nothing is changed yet.

        Raises:
            ItemError: `not-selected`; `topic-exhausted`: no question of its topic is left; `rules-against-topic`: some
                are, and none of them keeps the rules.
        """
        old = self.tally.chosen.get(question_id)
        if old is None:
            raise ItemError("not-selected", f"{question_id} is not in the selection")
        refused: list[Offer] = []
        seen: set[str] = set()
        topics: tuple[tuple[Literal["knowledge-point", "cluster"], list[str]], ...] = (
            ("knowledge-point", self.stock.with_point(old)),
            ("cluster", self.stock.in_cluster(old)),
        )
        for topic, names in topics:
            offers = self._offers(old, [name for name in names if name not in seen])
            seen.update(names)
            fitting = [offer for offer in offers if not offer.effect.broken]
            if fitting:
                best = fitting[0]
                return Found(((old, best.item),), topic, best, len(fitting) - 1, best.effect.relaxed)
            for offer in offers[:_TRIED]:
                if (pairs := self._with_companions(old, offer)) is not None:
                    joins, leaves = [pair[1] for pair in pairs], [pair[0] for pair in pairs]
                    relaxed = self.tally.effect(leaves, joins).relaxed
                    return Found(pairs, topic, offer, len(offers) - 1, relaxed)
            refused += offers
        raise self._none(old, refused)

    def make(self, found: Found) -> None:
        """Make the exchanges; what left may not come back."""
        leaves, joins = [pair[0] for pair in found.pairs], [pair[1] for pair in found.pairs]
        self.tally.exchange(leaves, joins)
        self.turned.add(leaves[0].question_id)

    def joinable(self, names: Iterable[str], besides: Sequence[Candidate] = ()) -> list[Candidate]:
        """Those of some questions that may join: not chosen, not turned away, no repeat of what is chosen or `besides`.

        A picture or template that chosen questions share is a matter of the rules, which may allow several.
        """
        chosen = self.tally.chosen
        groups = {item.group for item in chosen.values() if item.group}
        strangers = (*self.apart, *besides)
        free = [
            self.stock.items[name]
            for name in names
            if name not in chosen
            and name not in self.turned
            and self.stock.items[name].group not in groups
            and not repeats(self.stock.items[name], strangers)
        ]
        if not free:
            return []
        standing = [*chosen, *(item.question_id for item in strangers)]
        near = near_any(
            self.stock.vectors_of([item.question_id for item in free]),
            self.stock.vectors_of(standing),
            self.near,
        )
        apart = {item.question_id for item in self.apart}
        return [
            item
            for item, is_near in zip(free, near, strict=True)
            if not is_near and item.question_id not in apart
        ]

    def _offers(self, old: Candidate, names: Sequence[str]) -> list[Offer]:
        """What could take the place of `old`, best first."""
        free = self.joinable(names, [old])
        cosines = self.stock.cosines(old.question_id, [item.question_id for item in free])
        language = self.stock.languages.get(old.question_id)
        offers = [
            Offer(
                item,
                self.tally.effect([old], [item]),
                cosine,
                self.stock.languages.get(item.question_id) == language,
            )
            for item, cosine in zip(free, cosines, strict=True)
        ]
        return sorted(offers, key=lambda offer: offer.order(old))

    def _with_companions(
        self, old: Candidate, offer: Offer
    ) -> tuple[tuple[Candidate, Candidate], ...] | None:
        """Further exchanges with which an offer keeps the rules, as few as possible."""
        lacking = set(offer.effect.broken)
        names: dict[str, None] = {}
        for rule in sorted(lacking):
            if rule.startswith("point:"):
                names |= dict.fromkeys(self.stock.by_point.get(rule.removeprefix("point:"), ())[:_COMPANIONS])
        levels = [rule for rule in levels_of(old) if rule not in levels_of(offer.item)]
        if lacking & {rule for item in (old, offer.item) for rule in levels_of(item)}:
            alike = (name for name, item in self.stock.items.items() if set(levels) & set(levels_of(item)))
            names |= dict.fromkeys(sorted(alike)[:_COMPANIONS])
        joining = self.joinable(names, [old, offer.item])
        chosen = list(self.tally.chosen.values())
        for soft in (True, False):
            found = fewest_exchanges(
                chosen,
                [*joining, offer.item],
                demanded(self.rules, chosen, Wanted(), soft),
                leaving={old.question_id},
                fixed={offer.item.question_id},
                seconds=self.seconds,
            )
            if found is not None:
                leaves = [item for item in found.leaving if item is not old]
                joins = [item for item in found.joining if item is not offer.item]
                if not self._alike(joins):
                    return ((old, offer.item), *zip(leaves, joins, strict=True))
        return None

    def _alike(self, items: Sequence[Candidate]) -> bool:
        """Whether any two of some questions are repeats of each other."""
        vectors = self.stock.vectors_of([item.question_id for item in items])
        return any(
            bool(near_any(vectors[place : place + 1], vectors[:place], self.near)[0])
            for place in range(len(items))
        )

    def _none(self, old: Candidate, refused: Sequence[Offer]) -> ItemError:
        named = "; ".join(point for point in old.points if not is_stand_in(point)) or f"cluster {old.cluster}"
        if not refused:
            return ItemError(
                "topic-exhausted",
                f"no question of {named} is left for {old.question_id}: all are chosen, turned away, or repeats of "
                "chosen ones; ingest more of them, or merge the knowledge point with a neighbour",
            )
        rules = sorted({rule for offer in refused for rule in offer.effect.broken})
        more = f" and {len(rules) - 3} more" if len(rules) > 3 else ""
        return ItemError(
            "rules-against-topic",
            f"{len(refused)} questions of {named} are left for {old.question_id}, and with each of them a rule is "
            f"broken ({', '.join(rules[:3])}{more})",
        )
