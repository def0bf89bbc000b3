"""Dry run and pilot of any proposer: what would be asked, where it would go, what it would cost.

A proposer meets a panel that writes its requests down and answers none, so what is counted is what would be sent. Calls
that depend on a reply (a re-ask, a translation back) cannot be foreseen; a pilot shows how much they add.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from benchwright.curation.proposers.asking import Asking, ask_all, open_panel, permitted
from benchwright.curation.proposers.panel import Panel, Planned, PlanningPanel
from benchwright.curation.proposers.stage import FAILED, disciplines_of, gather
from benchwright.curation.proposers.unit import Proposer, Unit
from benchwright.models.chat import ChatRequest, call_key
from benchwright.models.dry_run import DryRun, plan_calls, systematic_sample
from benchwright.models.prices import PriceTable
from benchwright.models.probes import known_capabilities
from benchwright.models.spending import Ledger, Spending
from benchwright.models.store import CallStore
from benchwright.models.tokens import TokenEstimator
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import Record
from benchwright.schemas.workspace import Workspace


class FollowUps(Record):
    """What a pilot showed about calls that a dry run cannot foresee."""

    units: int
    """Units that were asked about."""
    foreseen: int
    """Calls that a dry run would have counted."""
    made: int
    """Calls that were needed, answered from the store or not."""
    factor: float | None
    """Tokens of all calls over tokens of those foreseen: by this the rest costs more than its plan says. None where the
    store already held calls of the pilot, or a server reports no tokens."""


class Planning(Record):
    """A dry run of a proposer: one plan a model, and what a pilot added."""

    units: int
    left_out: dict[str, int]
    """Units that would not be asked about, by reason."""
    plans: tuple[DryRun, ...]
    follow_ups: FollowUps | None = None
    spending: tuple[Spending, ...] = ()
    """Of the pilot."""
    failed: dict[str, int] = {}
    """Units of the pilot that got no proposal, by reason."""


def plan(
    workspace: Workspace,
    proposer: Proposer,
    asking: Asking,
    discipline: str | None = None,
    *,
    prices: PriceTable | None = None,
    pilot: int = 0,
    ledger: Ledger | None = None,
    show: int = 1,
) -> Planning:
    """Count what `run_asking` would send; with a pilot, ask about some units first.

    Args:
        workspace: the workspace; only the call store is written, and only by a pilot.
        proposer: what would be proposed.
        asking: whom it would ask.
        discipline: only this one; None takes all that have a selection.
        prices: what tokens cost.
        pilot: how many units to ask about for real, chosen at random with the benchmark's seed.
        ledger: books the pilot, and holds the budget.
        show: how many requests of each model to keep as samples.

    Raises:
        UsageError: nothing selected, an unknown model, or (with a pilot) one that may not be asked.
    """
    batch = gather(workspace, proposer, disciplines_of(workspace, proposer.job, discipline))
    with CallStore(workspace.calls) as store:
        opened = open_panel(workspace, asking, store)
        panel = PlanningPanel(workspace, opened.members, asking.votes)
        units, left_out = _sendable(workspace, panel, batch.units, proposer)
        booked = ledger or Ledger(proposer.job, prices)
        found = _pilot(workspace, proposer, asking, units, panel, pilot, store, booked) if pilot else _Pilot()
        _learn(panel, store)
        plans = tuple(
            plan_calls(
                member.model,
                (request for m, request in _requests(proposer, units, panel) if m == place),
                stage=f"[models.{proposer.job}]",
                store=store,
                prices=prices,
                allow_external=member.settings.allow_external,
                answers=True,
                pilot=found.keys,
                show=show,
            )
            for place, member in enumerate(panel.members)
        )
    return Planning(
        units=len(units),
        left_out=left_out,
        plans=plans,
        follow_ups=found.follow_ups,
        spending=found.spending,
        failed=found.failed,
    )


@dataclass(frozen=True)
class _Pilot:
    """What a pilot left behind; nothing, where there was none."""

    keys: frozenset[str] = frozenset()
    """Of the calls that a dry run foresees."""
    follow_ups: FollowUps | None = None
    spending: tuple[Spending, ...] = ()
    failed: dict[str, int] = field(default_factory=dict)


def _pilot(
    workspace: Workspace,
    proposer: Proposer,
    asking: Asking,
    units: Sequence[Unit],
    panel: PlanningPanel,
    count: int,
    store: CallStore,
    ledger: Ledger,
) -> _Pilot:
    """Ask about some units for real."""
    chosen = _chosen(proposer, units, panel, count, workspace.recipe.benchmark.seed)
    _, refused = ask_all(workspace, proposer, chosen, asking, lambda done, total: None, ledger)
    failed = Counter(record.reason for record in refused if record.reason in FAILED)
    spent = ledger.spending()
    _learn(panel, store)
    keys = frozenset(
        call_key(panel.members[place].model, request) for place, request in _requests(proposer, chosen, panel)
    )
    added = _follow_ups(len(chosen), keys, store, spent)
    return _Pilot(keys, added, spent, dict(sorted(failed.items())))


def _sendable(
    workspace: Workspace, panel: Panel, units: Sequence[Unit], proposer: Proposer
) -> tuple[list[Unit], dict[str, int]]:
    """Units that may be sent; here a model without permission is a line of the plan, no error."""
    kept, refused = permitted(workspace, panel, units, proposer.command)
    return kept, dict(sorted(Counter(record.reason for record in refused).items()))


def _learn(panel: Panel, store: CallStore) -> None:
    """What earlier probes found decides whether a schema goes along, and so what a call is."""
    for member in panel.members:
        if member.settings.reply_schema == "auto":
            panel.learn(member, known_capabilities(member.model, store))


def _requests(
    proposer: Proposer, units: Sequence[Unit], panel: PlanningPanel
) -> Iterator[tuple[int, ChatRequest]]:
    """Each unit's first requests with the place of the member asked; one unit's pictures are held at a time."""
    with asyncio.Runner() as runner:
        for unit in units:
            panel.asked.clear()
            runner.run(_first_step(proposer, unit, panel))
            yield from panel.asked


async def _first_step(proposer: Proposer, unit: Unit, panel: PlanningPanel) -> None:
    # An ItemError comes before anything is asked: such a unit costs nothing.
    with suppress(Planned, ItemError):
        await proposer.propose(unit, panel)
    # What the unit asks at the same time has been started, and has its turn before this one's next.
    await asyncio.sleep(0)


def _chosen(
    proposer: Proposer, units: Sequence[Unit], panel: PlanningPanel, count: int, seed: int
) -> list[Unit]:
    """Units spread evenly over short and long prompts, since long questions tend to have long answers."""
    estimators = [TokenEstimator(member.model.name) for member in panel.members]
    sizes: list[tuple[int, int]] = []
    for place, unit in enumerate(units):
        asked = _requests(proposer, (unit,), panel)
        sizes.append((sum(estimators[m].request(request).likely for m, request in asked), place))
    return [units[place] for _, place in sorted(systematic_sample(sorted(sizes), count, seed))]


def _follow_ups(units: int, keys: frozenset[str], store: CallStore, spent: Sequence[Spending]) -> FollowUps:
    made = sum(one.made + one.reused for one in spent)
    tokens = sum(one.input_tokens + one.output_tokens for one in spent)
    calls = [store.last(key) for key in sorted(keys)]
    usages = [call.usage for call in calls if call is not None]
    foreseen = [(use.prompt_tokens, use.completion_tokens) for use in usages]
    whole = not any(one.reused for one in spent) and all(None not in pair for pair in foreseen)
    first = sum((read or 0) + (written or 0) for read, written in foreseen)
    factor = tokens / first if whole and first else None
    return FollowUps(units=units, foreseen=len(keys), made=made, factor=factor)
