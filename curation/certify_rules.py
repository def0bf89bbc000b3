"""Which rules a reviewed selection breaks, and the fewest exchanges that mend each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from benchwright.curation.replace_find import Desk
from benchwright.curation.replace_mend import Mending, Wanted, demanded, fewest_exchanges
from benchwright.curation.select_items import Candidate, levels_of, shared_values
from benchwright.curation.select_rules import Cap, Rules, outside
from benchwright.schemas.errors import ItemError
from benchwright.schemas.reviewed import BrokenRule, ProposedExchange, Turned
from benchwright.schemas.selection import FamilySlack, RuleSlack

_OFFERED = 2000
"""Questions that are tried for each level that lacks some or has too many, the most central ones first."""

Pair = tuple[Candidate, Candidate]
"""(leaves, joins)"""


@dataclass
class Mended:
    """What is broken, and the exchanges that mend it."""

    broken: tuple[BrokenRule, ...]
    replaced: list[Pair] = field(default_factory=list)
    """For questions that may not stay."""
    exchanged: list[Pair] = field(default_factory=list)
    """For rules that stay broken with these."""


def as_before(rules: Rules, slacks: Iterable[RuleSlack]) -> Rules:
    """Rules with soft bands as wide as the selection missed them when it was made: only more than that is a fault."""
    missed = {slack.rule: slack for slack in slacks if slack.relaxed_by and not slack.hard}
    bands = tuple(
        band
        if band.hard or band.rule not in missed
        else replace(
            band,
            lower=min(band.lower, missed[band.rule].count),
            upper=max(band.upper, missed[band.rule].count),
        )
        for band in rules.bands
    )
    return replace(rules, bands=bands)


def faults(rules: Rules, chosen: Sequence[Candidate]) -> list[BrokenRule]:
    """Rules that a selection breaks, soft bands among them; not yet with what mends them."""
    found = []
    if len(chosen) != rules.n:
        missing = f"{len(chosen)} questions may stay, {rules.n} were to be chosen"
        found.append(_fault("n", True, missing, len(chosen), rules.n, rules.n))
    points = Counter(point for item in chosen for point in item.points)
    found += [
        _fault(f"point:{point}", True, f"no chosen question holds {point}", 0, 1, rules.n)
        for point in rules.must
        if not points[point]
    ]
    levels = Counter(rule for item in chosen for rule in levels_of(item))
    for band in rules.bands:
        count = levels[band.rule]
        if missed := outside(band, count):
            words = f"{count} of {band.rule}, {band.lower} to {band.upper} were asked for: missed by {missed}"
            found.append(_fault(band.rule, band.hard, words, count, band.lower, band.upper))
    for cap in rules.caps:
        if cap.hard:
            found += [
                _fault(
                    f"{cap.family}={value}",
                    True,
                    f"{cap.limit + more} chosen questions share {cap.family} {value}, {cap.limit} may",
                    cap.limit + more,
                    0,
                    cap.limit,
                )
                for value, more in rules.over(cap, chosen).items()
            ]
    return found


def mend(desk: Desk, rules: Rules, turned: Sequence[Turned]) -> Mended:
    """List broken rules and what would mend them. The desk is worked on: hand in one made for this.

    Args:
        desk: holds the whole selection with reviewed values, questions that may not stay included.
        rules: what has to hold (`as_before`).
        turned: questions that may not stay.
    """
    gone = {one.question_id for one in turned}
    staying = [item for item in desk.tally.chosen.values() if item.question_id not in gone]
    broken = faults(rules, staying)
    if not broken:
        return Mended(())
    desk.turned |= gone
    replaced, unmended = _replace_turned(desk, turned)
    chosen = list(desk.tally.chosen.values())
    exchanged, unmendable = _exchange_for_rules(
        desk, rules, chosen, keep={pair[1].question_id for pair in replaced}
    )
    final = _after(chosen, exchanged)
    left = {fault.rule for fault in faults(rules, [item for item in final if item.question_id not in gone])}
    pairs = [*replaced, *exchanged]
    named = []
    for fault in broken:
        if fault.rule == "n":
            words = "; ".join(unmended)
            named.append(_with(fault, replaced, words))
        else:
            mending = [pair for pair in pairs if _touches(fault, pair)]
            words = unmendable.get(fault.rule, "") if fault.rule in left else ""
            if fault.rule in left and not words:
                words = "the exchanges that were found do not mend it whole"
            named.append(_with(fault, mending, words))
    return Mended(tuple(named), replaced, exchanged)


def family_slacks(
    rules: Rules, pool: Iterable[Candidate], chosen: Sequence[Candidate]
) -> tuple[FamilySlack, ...]:
    """All limits of a family together, as the selection keeps them."""
    supply = {cap.family: Counter[str]() for cap in rules.caps}
    for item in pool:
        for family, counts in supply.items():
            counts.update(shared_values(item, family))
    return tuple(_slack(rules, cap, supply[cap.family], chosen) for cap in rules.caps)


def _slack(rules: Rules, cap: Cap, supply: Counter[str], chosen: Sequence[Candidate]) -> FamilySlack:
    counts = Counter(value for item in chosen for value in shared_values(item, cap.family))
    tight = [value for value, count in supply.items() if count > cap.limit]
    return FamilySlack(
        family=cap.family,
        limit=cap.limit,
        hard=cap.hard,
        tight=len(tight),
        full=sum(counts[value] >= cap.limit for value in tight),
        most=max(counts.values(), default=0),
        relaxed_by=sum(rules.over(cap, chosen).values()),
    )


def _replace_turned(desk: Desk, turned: Sequence[Turned]) -> tuple[list[Pair], list[str]]:
    pairs: list[Pair] = []
    unmended = []
    for one in turned:
        try:
            found = desk.find(one.question_id)
        except ItemError as error:
            unmended.append(str(error))
        else:
            desk.make(found)
            pairs += found.pairs
    return pairs, unmended


def _exchange_for_rules(
    desk: Desk, rules: Rules, chosen: Sequence[Candidate], keep: set[str]
) -> tuple[list[Pair], dict[str, str]]:
    """The fewest exchanges that mend all rules that can be mended, and why the others cannot."""
    broken = [fault.rule for fault in faults(rules, chosen) if fault.rule != "n"]
    if not broken:
        return [], {}
    names = _offered(desk, rules, chosen, broken)
    joining = desk.joinable(names)
    solve = _solver(desk, rules, chosen, joining, keep)
    found, why_not = solve(broken), dict[str, str]()
    if found is None:
        for rule in broken:
            if not _may_join(rule, joining):
                why_not[rule] = "no question that may join would mend it"
            elif solve([rule]) is None:
                why_not[rule] = "no exchange mends it while every rule that holds now still holds"
        found = solve([rule for rule in broken if rule not in why_not])
    if found is None:
        why_not |= dict.fromkeys(
            broken, "the broken rules cannot all be mended together; one at a time they can"
        )
        return [], why_not
    return paired(found), why_not


def _solver(
    desk: Desk, rules: Rules, chosen: Sequence[Candidate], joining: Sequence[Candidate], keep: set[str]
) -> Callable[[Sequence[str]], Mending | None]:
    """What solves for some of the broken rules at once. Limits on likes are always demanded."""
    liked = {item.question_id: 0.5 * item.centrality for item in joining}

    def solve(wanted: Sequence[str]) -> Mending | None:
        points = {rule.removeprefix("point:") for rule in wanted if rule.startswith("point:")}
        asked = Wanted(points, {rule for rule in wanted if not rule.startswith("point:")})
        for soft in (True, False):
            held = demanded(rules, chosen, asked, soft)
            if not soft:
                held = replace(
                    held, bands=tuple(replace(b, hard=b.hard or b.rule in wanted) for b in held.bands)
                )
            found = fewest_exchanges(chosen, joining, held, fixed=keep, liked=liked, seconds=desk.seconds)
            if found is not None:
                return found
        return None

    return solve


def _offered(desk: Desk, rules: Rules, chosen: Sequence[Candidate], broken: Sequence[str]) -> list[str]:
    """Questions that could mend some of the rules: holders of the points, the most central of the levels."""
    names: dict[str, None] = {}
    counts = Counter(rule for item in chosen for rule in levels_of(item))
    short = {band.rule for band in rules.bands if band.rule in broken and counts[band.rule] < band.lower}
    ranked = sorted(desk.stock.items.values(), key=lambda item: (-item.centrality, item.question_id))
    for rule in broken:
        if rule.startswith("point:"):
            names |= dict.fromkeys(desk.stock.by_point.get(rule.removeprefix("point:"), ()))
        else:
            fits = [item.question_id for item in ranked if (rule in levels_of(item)) == (rule in short)]
            names |= dict.fromkeys(fits[:_OFFERED])
    return list(names)


def _may_join(rule: str, joining: Sequence[Candidate]) -> bool:
    point = rule.removeprefix("point:")
    return any(point in item.points for item in joining) if rule.startswith("point:") else bool(joining)


def paired(found: Mending) -> list[Pair]:
    """Who takes whose place: the most alike by points, cluster, difficulty, subject."""
    left = list(found.joining)
    pairs: list[Pair] = []
    for old in found.leaving:
        best = min(
            left,
            key=lambda new: (
                -len(set(old.points) & set(new.points)),
                old.cluster != new.cluster,
                abs(old.difficulty - new.difficulty),
                old.subject != new.subject,
                new.question_id,
            ),
        )
        left.remove(best)
        pairs.append((old, best))
    return pairs


def _after(chosen: Sequence[Candidate], pairs: Sequence[Pair]) -> list[Candidate]:
    leaving = {old.question_id for old, _ in pairs}
    return [*(item for item in chosen if item.question_id not in leaving), *(new for _, new in pairs)]


def _touches(fault: BrokenRule, pair: Pair) -> bool:
    """Whether an exchange moves a rule's count the right way."""
    old, new = pair
    if fault.rule.startswith("point:"):
        return fault.rule.removeprefix("point:") in new.points
    if "=" in fault.rule and ":" not in fault.rule.split("=", 1)[0]:
        family, value = fault.rule.split("=", 1)
        return value in shared_values(old, family)  # type: ignore[arg-type]
    gained = (fault.rule in levels_of(new)) - (fault.rule in levels_of(old))
    return gained > 0 if fault.count < fault.lower else gained < 0


def _fault(rule: str, hard: bool, detail: str, count: int, lower: int, upper: int) -> BrokenRule:
    return BrokenRule(rule=rule, hard=hard, detail=detail, count=count, lower=lower, upper=upper)


def _with(fault: BrokenRule, pairs: Sequence[Pair], why_not: str) -> BrokenRule:
    exchanges = tuple(ProposedExchange(leaves=old.question_id, joins=new.question_id) for old, new in pairs)
    return fault.model_copy(update={"mended_by": exchanges, "why_not": why_not})
