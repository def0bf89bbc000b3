"""A quick choice without proof: greedy, then exchanges until the hard rules hold, if exchanges can make them hold.

It is the preview, and the answer from which the exact search starts.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence

from benchwright.curation.select_items import Candidate, levels_of, shared_values
from benchwright.curation.select_rules import Counts, Rules
from benchwright.schemas.selection import is_stand_in

_MUST = 1000.0
"""What keeping a hard rule counts against the objective's terms, which are worth a few units each."""
_OFFERS = 60
"""How many items are tried in an exchange."""


class _State(Counts):
    """A growing choice, and what one more item would add."""

    def allowed(self, item: Candidate) -> bool:
        """Whether no hard limit speaks against one more such item."""
        return not any(
            self.shared[cap.family][value] >= cap.limit
            for cap in self.rules.caps
            if cap.hard
            for value in shared_values(item, cap.family)
        )

    def gain(self, item: Candidate) -> float:
        """What adding the item is worth; never grows while the choice grows."""
        weights = self.rules.weights
        gain = weights.centrality * item.centrality
        for point in item.points:
            count = self.points[point]
            gain += weights.point * (count < self.rules.targets[point])
            if count == 0:
                gain += _MUST * (point in self.must) + weights.stand_in_covered * is_stand_in(point)
        for rule in levels_of(item):
            if (band := self.bands.get(rule)) is not None:
                price = _MUST if band.hard else weights.quota
                gain += price * ((self.levels[rule] < band.lower) - (self.levels[rule] >= band.upper))
        for cap in self.rules.caps:
            if not cap.hard:
                for value in shared_values(item, cap.family):
                    gain -= cap.price * (self.shared[cap.family][value] >= cap.limit)
        return gain

    def missing(self) -> list[str]:
        """Points that are not covered, and hard bands that lack questions."""
        points = [f"point:{point}" for point in self.rules.must if not self.points[point]]
        return points + [
            band.rule for band in self.rules.bands if band.hard and self.levels[band.rule] < band.lower
        ]


def quick_choice(
    items: Sequence[Candidate], rules: Rules, fixed: Collection[str] = (), banned: Collection[str] = ()
) -> list[Candidate]:
    """Choose up to `n` items one by one, each the best next one, then mend by exchanges.

    Args:
        items: the pool, by id.
        rules: of that pool.
        fixed: ids that are taken first and never given back.
        banned: ids that are not taken.

    Returns:
        The choice, by id. It may break hard rules: ask `Rules.broken`.
    """
    state = _State(rules)
    kept, left_out = set(fixed), set(banned)
    for item in items:
        if item.question_id in kept:
            state.change(item, 1)
    heap = [
        (-state.gain(item), item.question_id, item)
        for item in items
        if item.question_id not in kept and item.question_id not in left_out
    ]
    heapq.heapify(heap)
    while heap and len(state.chosen) < rules.n:
        known, question_id, item = heapq.heappop(heap)
        if not state.allowed(item):
            continue
        # Gains only shrink as the choice grows, so an entry that is still right when it comes up is the best one.
        if (now := -state.gain(item)) != known:
            heapq.heappush(heap, (now, question_id, item))
            continue
        state.change(item, 1)
    _mend(state, items, kept, left_out)
    return sorted(state.chosen.values(), key=lambda item: item.question_id)


def _mend(state: _State, items: Sequence[Candidate], kept: set[str], left_out: set[str]) -> None:
    """Exchange one item for another as long as that keeps more hard rules."""
    for _ in range(len(state.missing())):
        wanted = state.missing()
        if not any(_exchange(state, rule, items, kept, left_out) for rule in wanted):
            return


def _exchange(
    state: _State, rule: str, items: Sequence[Candidate], kept: set[str], left_out: set[str]
) -> bool:
    """Bring in an item that a rule lacks for one that no hard rule misses; the pair that costs least."""
    offers = sorted(
        (
            item
            for item in items
            if item.question_id not in state.chosen
            and item.question_id not in left_out
            and rule in (*(f"point:{point}" for point in item.points), *levels_of(item))
        ),
        key=lambda item: (-state.gain(item), item.question_id),
    )[:_OFFERS]
    before = len(state.missing())
    best: tuple[float, str, str] | None = None
    pairs: dict[tuple[str, str], tuple[Candidate, Candidate]] = {}
    for out in [item for item in state.chosen.values() if item.question_id not in kept]:
        state.change(out, -1)
        lost = state.gain(out)
        if len(state.missing()) <= before:
            for offer in offers:
                if not state.allowed(offer):
                    continue
                key = (lost - state.gain(offer), out.question_id, offer.question_id)
                if best is None or key < best:
                    best = key
                    pairs = {key[1:]: (out, offer)}
        state.change(out, 1)
    if best is None:
        return False
    out, offer = pairs[best[1:]]
    state.change(out, -1)
    state.change(offer, 1)
    return True
