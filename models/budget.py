"""A budget in USD that is asked before each call: the worst case is set aside, the real cost put in its place after.

So the sum can exceed the budget only by what a server reads beyond our upper estimate of the input, or writes beyond
the token limit it was given; where it reads more, later estimates are stretched by what was seen. When the next call
does not fit any more, the calls in flight come to their end and are stored; `BudgetReached` ends the rest.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from benchwright.models.chat import ChatModel, ChatRequest, Sampling
from benchwright.models.prices import PriceTable, usd_text
from benchwright.models.tokens import Calibration, TokenEstimator
from benchwright.schemas.errors import BenchwrightError, UsageError

_ITEM_MARGIN = 1.4
"""A single text can need so many times the estimated tokens (the worst of 2,000 real questions: 1.38, in Chinese)."""


class BudgetReached(BenchwrightError):
    """The next call does not fit into the budget. What was asked is stored; asking again goes on from there."""

    def __init__(self, usd: Decimal, spent: Decimal, lost: Decimal, needed: Decimal) -> None:
        lost_too = f" and up to {usd_text(lost)} for tries whose end is not known" if lost else ""
        super().__init__(
            f"stopped at the budget of {usd_text(usd)}: {usd_text(spent)} spent{lost_too}, the next call may cost "
            f"{usd_text(needed)}"
        )
        self.usd = usd
        self.spent = spent
        self.needed = needed

    def sentence(self, done: int, total: int) -> str:
        """What a command says when it ends here: how far it came, and how to go on."""
        return f"{self}; {done:,} of {total:,} done and kept: run again with --budget to go on, nothing is paid twice."


@dataclass(frozen=True, slots=True)
class Worst:
    """The most that one try may cost, and the input tokens that were assumed for it."""

    usd: Decimal
    read: int = 0


@dataclass(slots=True)
class _Read:
    """Input of one model's calls: assumed and accounted."""

    assumed: int = 0
    accounted: int = 0

    @property
    def stretch(self) -> float:
        """How far the assumption falls short, at least 1."""
        return max(1.0, self.accounted / self.assumed) if self.assumed else 1.0


class Budget:
    """Money for one run, over all its models. What the store already holds costs nothing again.

    Args:
        usd: the limit.
        prices: what tokens cost.
        calibrations: by model id, learnt from earlier calls.

    Raises:
        UsageError: the limit is not a positive amount.
    """

    def __init__(
        self, usd: Decimal, prices: PriceTable, calibrations: Mapping[str, Calibration] | None = None
    ) -> None:
        if not usd.is_finite() or usd <= 0:
            raise UsageError(f"--budget is {usd}; give a positive number of US dollars.")
        self.usd = usd
        self.spent = Decimal(0)
        """Accounted by the servers."""
        self.lost = Decimal(0)
        """Worst case of tries whose end is not known (a time-out, a lost connection); may have been billed."""
        self._held = Decimal(0)
        self._needed: Decimal | None = None
        """What the call would have cost that did not fit; from then on none is let in."""
        self._prices = prices
        self._calibrations = dict(calibrations or {})
        self._estimators: dict[str, TokenEstimator] = {}
        self._read: dict[str, _Read] = {}
        self._waiting: deque[asyncio.Future[None]] = deque()

    def check(self, model: ChatModel) -> None:
        """Refuse a model whose price is not known; to be called before anything is sent.

        Raises:
            UsageError: there is no price for it.
        """
        if self._prices.price_of(model.name) is None:
            raise UsageError(
                f"--budget cannot be kept with {model.name}: its price is unknown; add "
                f'[prices."{model.name}"] with input, output, source and date to benchwright.toml or --prices FILE '
                "(0 for a model that costs nothing)."
            )

    def worst_case(self, model: ChatModel, request: ChatRequest) -> Worst:
        """The most that one try may cost: upper estimate of the input, and the whole token limit as output.

        Raises:
            UsageError: the price is unknown, or the request has no token limit.
        """
        self.check(model)
        price = self._prices.price_of(model.name)
        assert price is not None, "checked above"
        if price.input == 0 and price.output == 0:
            return Worst(Decimal(0))
        limit = output_limit(request.sampling)
        if limit is None:
            raise UsageError(
                f"--budget cannot be kept with {model.name}: its requests have no token limit; set max_tokens."
            )
        if model.name not in self._estimators:
            self._estimators[model.name] = TokenEstimator(model.name)
        read = self._estimators[model.name].request(request)
        if (calibration := self._calibrations.get(model.name)) is not None:
            read = calibration.apply(read)
        assumed = max(read.high, math.ceil(_ITEM_MARGIN * read.likely))
        stretch = self._read[model.name].stretch if model.name in self._read else 1.0
        return Worst(price.of(math.ceil(stretch * assumed), limit), assumed)

    def learn(self, model: ChatModel, assumed: int, accounted: int) -> None:
        """Remember what a server counted for an input, so that the next worst cases are not too small."""
        seen = self._read.setdefault(model.name, _Read())
        seen.assumed += assumed
        seen.accounted += accounted

    async def hold(self, worst: Decimal) -> float:
        """Set an amount aside; waits while calls in flight may still turn out cheaper. Gives the seconds waited.

        Raises:
            BudgetReached: it does not fit, and nothing in flight can change that.
        """
        began = time.monotonic()
        while self._needed is not None or self.spent + self.lost + self._held + worst > self.usd:
            if self._needed is None and self._held == 0:
                self._needed = worst
                self._wake()
            if self._needed is not None:
                raise BudgetReached(self.usd, self.spent, self.lost, self._needed)
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        self._held += worst
        return time.monotonic() - began

    def settle(self, worst: Decimal, real: Decimal | None) -> None:
        """Put the real cost in the place of what was set aside; None: unknown, the worst case stays taken."""
        self._held -= worst
        if real is None:
            self.lost += worst
        else:
            self.spent += real
        self._wake()

    def _wake(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)


def output_limit(sampling: Sampling) -> int | None:
    """Most tokens that a reply may have, thinking included; None where the request sets no limit."""
    named = sampling.extra.get("max_completion_tokens")
    return named if isinstance(named, int) and not isinstance(named, bool) else sampling.max_tokens
