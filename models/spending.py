"""What was asked and what it cost: tokens, calls by status, calls taken from the store, money, per stage and model.

A `Ledger` is given to the scheduler of a stage and is told of every try, so that paid tries which a later try replaced
(an empty reply) count too. What a server does not report is counted as unreported, never as nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from benchwright.models.budget import Budget, Worst
from benchwright.models.chat import Call, ChatModel, ChatRequest
from benchwright.models.prices import Money, Price, PriceTable, cost
from benchwright.schemas.records import Record
from benchwright.schemas.status import CallStatus

Count = Annotated[int, Field(ge=0)]
_NOT_REACHED = ("connection failed (ConnectError", "connection failed (ConnectTimeout")
"""How the client words a connection that never stood: nothing was sent, so nothing can be billed."""


class Spending(Record):
    """One model in one stage of one run."""

    stage: str
    model: str
    host: str | None = None
    """None for a model inside this process."""
    calls: dict[CallStatus, Count] = {}
    """Calls that this run made, by how they ended."""
    reused: Count = 0
    """Calls that the store already held: neither sent nor paid again."""
    tries: Count = 0
    """Requests that were sent; those beyond the number of calls are retries."""
    input_tokens: Count = 0
    output_tokens: Count = 0
    """Thinking included."""
    reasoning_tokens: Count = 0
    cached_tokens: Count = 0
    """The part of the input that the server had in its cache."""
    unreported: Count = 0
    """Tries that may have been billed, without a count: no usage in the reply, a time-out, a lost connection."""
    money: Money = Money()

    @property
    def made(self) -> int:
        """Calls that this run made."""
        return sum(self.calls.values())

    @property
    def retries(self) -> int:
        """Tries beyond the first of each call."""
        return max(0, self.tries - self.made)

    def __add__(self, other: Spending) -> Spending:
        """Both together, under this one's name."""
        numbers = ("reused", "tries", "input_tokens", "output_tokens", "reasoning_tokens", "cached_tokens")
        sums = {name: getattr(self, name) + getattr(other, name) for name in (*numbers, "unreported")}
        calls = dict(sorted((Counter(self.calls) + Counter(other.calls)).items()))
        return self.model_copy(update={**sums, "calls": calls, "money": self.money + other.money})


@dataclass(slots=True)
class Try:
    """One try on its way; tell it how it ended."""

    waited_s: float = 0.0
    """Time spent waiting for the budget: our own doing, not the item's."""
    sent: bool = False
    ended: Call | None = field(default=None)


class Ledger:
    """Books what one stage asks. Belongs to one event loop at a time; give the same budget to several ledgers.

    Args:
        stage: what the calls are for, e.g. `tagging`, `answers`, `judge`.
        prices: what tokens cost.
        budget: the limit of the run, if there is one.
    """

    def __init__(self, stage: str, prices: PriceTable | None = None, budget: Budget | None = None) -> None:
        self.stage = stage
        self.prices = prices or PriceTable()
        self.budget = budget
        self._booked: dict[str, Spending] = {}

    @asynccontextmanager
    async def trying(self, model: ChatModel, request: ChatRequest) -> AsyncIterator[Try]:
        """Around one try: the budget is asked first, the outcome is booked after.

        Set `sent` when the request goes out and `ended` when its end is known. A try that was sent and whose end never
        came (cancelled) counts as possibly billed.

        Raises:
            BudgetReached: there is no money for it.
        """
        one = Try()
        worst = Worst(Decimal(0))
        if self.budget is not None:
            worst = self.budget.worst_case(model, request)
            one.waited_s = await self.budget.hold(worst.usd)
        try:
            yield one
        finally:
            money = self._book(model, one) if one.sent else Money()
            if self.budget is not None:
                self.budget.settle(worst.usd, money.usd if money.known else None)
                if one.ended is not None and one.ended.usage.prompt_tokens is not None:
                    self.budget.learn(model, worst.read, one.ended.usage.prompt_tokens)

    def reused(self, model: ChatModel) -> None:
        """Note a call that the store answered."""
        self._add(model, Spending(stage=self.stage, model=model.name, reused=1))

    def finished(self, model: ChatModel, call: Call) -> None:
        """Note how a call ended after all its tries."""
        self._add(model, Spending(stage=self.stage, model=model.name, calls={call.status: 1}))

    def spending(self) -> tuple[Spending, ...]:
        """What was booked so far, one record a model, by name."""
        return tuple(self._booked[name] for name in sorted(self._booked))

    def _book(self, model: ChatModel, one: Try) -> Money:
        if one.ended is None:
            lost = int(not _is_free(self.prices.price_of(model.name)))
            money = Money(unknown=lost)
            booked = Spending(stage=self.stage, model=model.name, tries=1, unreported=lost, money=money)
        else:
            booked = spending_of_try(self.stage, one.ended, self.prices)
        self._add(model, booked)
        return booked.money

    def _add(self, model: ChatModel, more: Spending) -> None:
        empty = Spending(stage=self.stage, model=model.name, host=model.endpoint.host)
        self._booked[model.name] = self._booked.get(model.name, empty) + more


def spending_of_try(stage: str, call: Call, prices: PriceTable) -> Spending:
    """What one try cost: nothing where the server turned it away, unknown where its end or its count is."""
    usage, price = call.usage, prices.price_of(call.model)
    told = usage.prompt_tokens is not None and usage.completion_tokens is not None
    # Without a word about tokens: an embedded stand-in has none, a turned-down request is not billed.
    unbilled = not told and (_is_free(price) or _turned_down(call))
    return Spending(
        stage=stage,
        model=call.model,
        tries=1,
        input_tokens=usage.prompt_tokens or 0,
        output_tokens=usage.completion_tokens or 0,
        reasoning_tokens=usage.reasoning_tokens or 0,
        cached_tokens=usage.cached_tokens or 0,
        unreported=int(not told and not unbilled),
        money=Money() if unbilled else cost(price, usage),
    )


def spending_of(stage: str, calls: Iterable[Call], prices: PriceTable) -> tuple[Spending, ...]:
    """What stored calls cost, one record a model: for reports over what other runs made.

    A `Call` holds the usage of its last try; earlier tries that were paid (an empty reply) are not in it.
    """
    totals: dict[str, Spending] = {}
    for call in calls:
        one = spending_of_try(stage, call, prices)
        one = one.model_copy(update={"calls": {call.status: 1}, "tries": max(1, call.attempts)})
        totals[call.model] = totals[call.model] + one if call.model in totals else one
    return tuple(totals[name] for name in sorted(totals))


SPENDING_COLUMNS = (
    "stage",
    "model",
    "calls",
    "from store",
    "retries",
    "failed",
    "input",
    "output",
    "thinking",
    "cost",
)


def spending_rows(spendings: Iterable[Spending]) -> list[tuple[object, ...]]:
    """Rows under `SPENDING_COLUMNS`, one a record, and a last one for the sum where there are several."""
    known = list(spendings)
    rows = [_row(one, one.stage, one.model) for one in known]
    if len(known) > 1:
        total = known[0]
        for one in known[1:]:
            total = total + one
        rows.append(_row(total, "all", ""))
    return rows


def spending_notes(spendings: Iterable[Spending]) -> list[str]:
    """Sentences for what the table cannot say: unreported tries, unknown prices."""
    notes = []
    for one in spendings:
        if one.unreported:
            notes.append(
                f"{one.model} ({one.stage}): {one.unreported} tries without a token count; they may have been billed"
            )
        if one.money.unknown > one.unreported:
            notes.append(f'{one.model} ({one.stage}): price unknown; add [prices."{one.model}"]')
    return notes


def _row(one: Spending, stage: str, model: str) -> tuple[object, ...]:
    failed = sum(
        count for status, count in one.calls.items() if status not in (CallStatus.OK, CallStatus.TRUNCATED)
    )
    tokens = (one.input_tokens, one.output_tokens, one.reasoning_tokens)
    return (stage, model, one.made, one.reused, one.retries, failed, *tokens, str(one.money))


def never_reached(call: Call) -> bool:
    """Whether no connection ever stood: wrong address, or no server there."""
    return (call.detail or "").startswith(_NOT_REACHED)


def _is_free(price: Price | None) -> bool:
    return price is not None and price.input == 0 and price.output == 0


def _turned_down(call: Call) -> bool:
    if call.http_status is not None:
        return call.http_status >= 400
    if call.attempts == 0 or call.status in (CallStatus.UNSENDABLE, CallStatus.RATE_LIMITED):
        return True
    return never_reached(call)
