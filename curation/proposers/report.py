"""`curate proposals report`: how good the machine's proposals were, by what people and sources say, and what they cost.

A proposal is held against the final verdict on exactly what it was about; verdicts on an older text and open ones are
counted apart and decide nothing. Where a source states subject or difficulty itself, its word is a second reference.
People see the proposal while they review (that is the point of it), so acceptance is an upper bound of how often the
machine is right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from benchwright.curation.proposers.report_figures import (
    DIGITS,
    Calibration,
    Confusion,
    Pair,
    Share,
    calibration_of,
    confusion_of,
    same_value,
    share_of,
)
from benchwright.curation.proposers.tagging_embedded import SOURCE_MODEL
from benchwright.models.chat import Call
from benchwright.models.prices import Money, PriceTable
from benchwright.models.spending import spending_of
from benchwright.schemas.jobs import JOBS, JobField, Key, Proposal, Verdict
from benchwright.schemas.records import Language, Record

Reference = Literal["reviews", "gold"]
REPORT_VERSION = 1
_Place = tuple[str, str, Language | None, str]


class Gold(Record):
    """What a source itself says about a field of an item."""

    job: str
    item_id: str
    field: str
    value: JsonValue
    source: str = ""


class FieldQuality(Record):
    """One field of one proposer against one reference."""

    job: str
    field: str
    proposer: str
    reference: Reference
    proposed: int
    compared: Share
    stale: int
    """Reviewed, but the text was changed since: says nothing about this proposal."""
    open: int
    """Reviewed without a final value yet."""
    unreviewed: int
    """Nobody said anything; for gold: the source says nothing."""
    confusion: Confusion | None
    calibration: Calibration | None


class ProposerCost(Record):
    """What one proposer's proposals of one job took. Items that it failed at have no proposals, and are not in it."""

    job: str
    proposer: str
    items: int
    """Items (in each language, where the job is per language) with proposals."""
    reviewed: int
    """Items with a final verdict on at least one field."""
    accepted: int
    """Those of them whose every final verdict equals the proposal."""
    calls: int
    missing: int
    """Calls that proposals name and the store no longer holds: what they took is unknown."""
    input_tokens: int
    output_tokens: int
    """Thinking included."""
    unreported: int
    """Calls whose server said nothing of tokens."""
    tokens_per_accepted: float | None
    """Tokens of all calls over accepted items; None while nothing is accepted."""
    money: Money | None
    """None where no model was called."""
    usd_per_accepted: float | None
    """None while the sum is not wholly known, or nothing is accepted."""


class Report(Record):
    """The whole report; no clock and no path in it."""

    report_version: int = REPORT_VERSION
    fields: tuple[FieldQuality, ...]
    costs: tuple[ProposerCost, ...]


@dataclass
class _Matched:
    """Proposals of one field and proposer, sorted by what became of them."""

    proposed: int = 0
    pairs: list[Pair] = field(default_factory=list)
    stale: int = 0
    open: int = 0
    unreviewed: int = 0


def proposal_report(
    proposals: Sequence[Proposal],
    verdicts: Iterable[Verdict],
    gold: Iterable[Gold] = (),
    calls: Mapping[str, Call] | None = None,
    prices: PriceTable | None = None,
) -> Report:
    """Hold proposals against verdicts and gold labels.

    Args:
        proposals: of any jobs.
        verdicts: final values of the same jobs.
        gold: what sources say; proposals that only pass a source's word on (`source`) are not held against it.
        calls: by key, those that proposals name.
        prices: what tokens cost; without an entry the money is unknown.
    """
    final = list(verdicts)
    by_key = {(v.job, v.key): v for v in final}
    said: dict[_Place, list[Verdict]] = defaultdict(list)
    for verdict in final:
        said[_place(verdict)].append(verdict)
    labels = {(g.job, g.item_id, g.field): g for g in gold}
    groups: dict[tuple[str, str, str], list[Proposal]] = defaultdict(list)
    for proposal in proposals:
        groups[(proposal.job, proposal.field, proposal.model)].append(proposal)
    found = []
    for (job, name, proposer), members in sorted(groups.items()):
        spec = JOBS[job].field(name)
        matched = _against_reviews(members, by_key, said, spec)
        found.append(_quality(job, proposer, spec, "reviews", matched))
        if proposer != SOURCE_MODEL and any(key[0] == job and key[2] == name for key in labels):
            found.append(_quality(job, proposer, spec, "gold", _against_gold(members, labels, spec)))
    costs = _costs(proposals, lambda p: by_key.get((p.job, p.key)), calls or {}, prices or PriceTable())
    return Report(fields=tuple(found), costs=costs)


def call_ids(proposal: Proposal) -> set[str]:
    """Keys of all calls that a proposal names: its own, its unit's, and those inside its value (`call`, `calls`)."""
    found = {*proposal.calls, *([proposal.call_id] if proposal.call_id else [])}
    waiting: list[JsonValue] = [proposal.value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            for name, entry in value.items():
                if name == "call" and isinstance(entry, str):
                    found.add(entry)
                elif name == "calls" and isinstance(entry, list):
                    found |= {key for key in entry if isinstance(key, str)}
                else:
                    waiting.append(entry)
    return found - {""}


def _place(record: Proposal | Verdict) -> _Place:
    return record.job, record.item_id, record.language, record.field


def _final(verdict: Verdict | None) -> bool:
    return verdict is not None and verdict.basis != "open" and verdict.value is not None


def _against_reviews(
    members: Sequence[Proposal],
    by_key: Mapping[tuple[str, Key], Verdict],
    said: Mapping[_Place, Sequence[Verdict]],
    spec: JobField,
) -> _Matched:
    matched = _Matched(proposed=len(members))
    for proposal in members:
        verdict = by_key.get((proposal.job, proposal.key))
        if verdict is not None and _final(verdict):
            matched.pairs.append(_pair(proposal, verdict.value, spec))
        elif verdict is not None and verdict.by:
            matched.open += 1
        elif any(other.by for other in said.get(_place(proposal), ()) if other is not verdict):
            matched.stale += 1
        else:
            matched.unreviewed += 1
    return matched


def _against_gold(
    members: Sequence[Proposal], labels: Mapping[tuple[str, str, str], Gold], spec: JobField
) -> _Matched:
    matched = _Matched(proposed=len(members))
    for proposal in members:
        label = labels.get((proposal.job, proposal.item_id, proposal.field))
        if label is None:
            matched.unreviewed += 1
        else:
            matched.pairs.append(_pair(proposal, label.value, spec))
    return matched


def _pair(proposal: Proposal, right: JsonValue, spec: JobField) -> Pair:
    return Pair(proposal.value, right, proposal.confidence, same_value(proposal.value, right, spec))


def _quality(
    job: str, proposer: str, spec: JobField, reference: Reference, matched: _Matched
) -> FieldQuality:
    return FieldQuality(
        job=job,
        field=spec.name,
        proposer=proposer,
        reference=reference,
        proposed=matched.proposed,
        compared=share_of(matched.pairs, spec),
        stale=matched.stale,
        open=matched.open,
        unreviewed=matched.unreviewed,
        confusion=confusion_of(matched.pairs, spec),
        calibration=calibration_of(matched.pairs),
    )


def _costs(
    proposals: Sequence[Proposal],
    verdict_on: Callable[[Proposal], Verdict | None],
    calls: Mapping[str, Call],
    prices: PriceTable,
) -> tuple[ProposerCost, ...]:
    groups: dict[tuple[str, str], list[Proposal]] = defaultdict(list)
    for proposal in proposals:
        groups[(proposal.job, proposal.model)].append(proposal)
    return tuple(
        _cost(job, proposer, members, verdict_on, calls, prices)
        for (job, proposer), members in sorted(groups.items())
    )


def _cost(
    job: str,
    proposer: str,
    members: Sequence[Proposal],
    verdict_on: Callable[[Proposal], Verdict | None],
    calls: Mapping[str, Call],
    prices: PriceTable,
) -> ProposerCost:
    agreed: dict[tuple[str, Language | None], list[bool]] = defaultdict(list)
    for proposal in members:
        agreed[(proposal.item_id, proposal.language)] += []
        verdict = verdict_on(proposal)
        if verdict is not None and _final(verdict):
            equal = same_value(proposal.value, verdict.value, JOBS[job].field(proposal.field))
            agreed[(proposal.item_id, proposal.language)].append(equal)
    accepted = sum(bool(fields) and all(fields) for fields in agreed.values())
    keys = sorted(set[str]().union(*(call_ids(proposal) for proposal in members)))
    made = [calls[key] for key in keys if key in calls]
    spent = spending_of(job, made, prices)
    missing = len(keys) - len(made)
    money = Money(unknown=missing) if keys else None
    for one in spent:
        money = one.money if money is None else money + one.money
    tokens = sum(one.input_tokens + one.output_tokens for one in spent)
    priced = money is not None and money.known and accepted
    return ProposerCost(
        job=job,
        proposer=proposer,
        items=len(agreed),
        reviewed=sum(bool(fields) for fields in agreed.values()),
        accepted=accepted,
        calls=len(keys),
        missing=missing,
        input_tokens=sum(one.input_tokens for one in spent),
        output_tokens=sum(one.output_tokens for one in spent),
        unreported=sum(one.unreported for one in spent),
        tokens_per_accepted=round(tokens / accepted, 1) if accepted and keys else None,
        money=money,
        usd_per_accepted=round(float(money.usd) / accepted, DIGITS) if priced and money else None,
    )
