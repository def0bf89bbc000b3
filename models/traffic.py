"""What all callers of one endpoint share: slots in flight, budgets a minute, pauses, and when to give up on it.

Slots follow the rule of TCP: halved when the endpoint is overloaded (429, 503, a time-out), one more for each round of
answers. A budget is a leaky bucket: in no 60 seconds does more leave than the budget says. `Retry-After` of one reply
pauses everybody. Clocks are given from outside or are monotonic; nothing here looks at the wall clock.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass

from benchwright.models.budget import output_limit
from benchwright.models.chat import Attempt, Call, ChatRequest, ImagePart
from benchwright.models.spending import never_reached
from benchwright.schemas.errors import UsageError
from benchwright.schemas.status import CallStatus

DENIALS_IN_A_ROW = 3
"""So many calls one after the other that are turned down (401, 403, 404, quota used up), or that find nobody at the
address with all their tries, end the run."""

_CHARACTERS_A_TOKEN = 3
_TOKENS_AN_IMAGE = 1000


class EndpointDenied(UsageError):
    """The endpoint serves nobody with this key, model or quota, or is not there: every item would fail the same way."""


class Bucket:
    """A budget a minute.

    A tenth of it may leave at once, the rest flows in evenly, so that no window of 60 seconds holds more than the
    budget. A request larger than what is there is let through after its debt has flowed in.
    """

    def __init__(self, per_minute: float) -> None:
        self._capacity = max(1.0, per_minute / 10)
        self._rate = max(per_minute - self._capacity, per_minute / 2) / 60
        self._level = self._capacity
        self._at: float | None = None

    def reserve(self, amount: float, now: float) -> float:
        """Take `amount` out and say how many seconds later it may be used.

        Args:
            amount: requests or tokens.
            now: monotonic seconds; never earlier than at the call before.
        """
        self._flow(now)
        self._level -= amount
        return max(0.0, -self._level / self._rate)

    def give_back(self, amount: float, now: float) -> None:
        """Correct a reservation: what was not used comes back, what was used beyond it (negative) is taken."""
        self._flow(now)
        self._level = min(self._capacity, self._level + amount)

    def _flow(self, now: float) -> None:
        if self._at is not None:
            self._level = min(self._capacity, self._level + (now - self._at) * self._rate)
        self._at = now


class Slots:
    """How many calls may be in flight, first come first served; the number moves between 1 and `most`."""

    def __init__(self, most: int, start: int, adaptive: bool) -> None:
        self._most = most
        self._limit = float(min(most, start)) if adaptive else float(most)
        self._adaptive = adaptive
        self._in_use = 0
        self._round = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def limit(self) -> int:
        """Calls that may be in flight now."""
        return int(self._limit)

    async def enter(self) -> int:
        """Wait for a slot; gives the number of the round, for `overloaded`."""
        if self._in_use < self.limit and not self._waiting:
            self._in_use += 1
            return self._round
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                with suppress(ValueError):  # a leaver may have passed over it already
                    self._waiting.remove(turn)
            else:
                self.leave()  # the slot came in the same moment as the cancellation
            raise
        return self._round

    def leave(self) -> None:
        """Give a slot back."""
        self._in_use -= 1
        self._wake()

    def answered(self) -> None:
        """An answer came: after a round of them there is one slot more."""
        if self._adaptive and self._limit < self._most:
            self._limit = min(float(self._most), self._limit + 1 / self._limit)
            self._wake()

    def overloaded(self, round_number: int) -> None:
        """The endpoint cannot follow: half the slots. Calls of one round that fail together count once."""
        if self._adaptive and round_number == self._round:
            self._limit = max(1.0, self._limit / 2)
            self._round += 1

    def _wake(self) -> None:
        while self._waiting and self._in_use < self.limit:
            turn = self._waiting.popleft()
            if not turn.done():
                self._in_use += 1
                turn.set_result(None)


@dataclass(frozen=True, slots=True)
class Ticket:
    """Leave to make one attempt."""

    round_number: int
    tokens: int
    """Reserved."""
    queued_s: float
    """Waited for a slot and for the budgets: our own doing, not the item's."""


class Traffic:
    """The shared state of one endpoint's callers. Belongs to one event loop.

    Schedulers that ask the same endpoint at the same time (a tested model and a judge on one server) are given the
    same object.

    Args:
        most: calls in flight at most.
        start: calls in flight at the beginning.
        adaptive: whether the number in flight follows the endpoint's strength.
        requests_per_minute: budget, None for none.
        tokens_per_minute: budget over prompt and reply, None for none.
    """

    def __init__(
        self,
        most: int,
        start: int,
        adaptive: bool,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
    ) -> None:
        self.slots = Slots(most, start, adaptive)
        self._requests = None if requests_per_minute is None else Bucket(requests_per_minute)
        self._tokens = None if tokens_per_minute is None else Bucket(tokens_per_minute)
        self._paused_until = 0.0
        self._denials = 0
        self._unreached = 0
        self._denied: EndpointDenied | None = None

    @property
    def counts_tokens(self) -> bool:
        """True when there is a budget of tokens, so that requests have to be estimated."""
        return self._tokens is not None

    async def admit(self, tokens: int, deadline: float) -> Ticket | None:
        """Wait until one attempt may be made; `leave` must follow.

        Args:
            tokens: estimate for the request and its reply.
            deadline: monotonic seconds; None comes back when a pause outlasts it (time in the queue is added to it).

        Raises:
            EndpointDenied: somebody was told so by `check` in the meantime.
        """
        began = time.monotonic()
        round_number = await self.slots.enter()
        try:
            self._refuse_if_denied()
            wait = self._reserve(tokens)
            await asyncio.sleep(wait)
            queued = time.monotonic() - began
            while (pause := self._paused_until - time.monotonic()) > 0:
                if self._paused_until >= deadline + queued:
                    self._cancel(tokens)
                    self.slots.leave()
                    return None
                await asyncio.sleep(pause)
            self._refuse_if_denied()
        except (asyncio.CancelledError, EndpointDenied):
            self.slots.leave()
            raise
        return Ticket(round_number, tokens, queued)

    def leave(self, ticket: Ticket, attempt: Attempt | None) -> None:
        """Settle an attempt: slot, budgets, pause, strength of the endpoint. None: it was cancelled."""
        self.slots.leave()
        if attempt is None:
            return
        self._settle(ticket, attempt.call)
        if attempt.retry_after_s is not None:
            self._paused_until = max(self._paused_until, time.monotonic() + attempt.retry_after_s)
        call = attempt.call
        if call.status in (CallStatus.RATE_LIMITED, CallStatus.TIMEOUT) or call.http_status == 503:
            self.slots.overloaded(ticket.round_number)
        elif call.http_status == 200:
            self.slots.answered()
        self._denials = self._denials + 1 if attempt.denied else 0

    def check(self, model: str, host: str | None, call: Call) -> None:
        """Stop everybody when nobody is served.

        A single 403 or 404 can be one item's own (a gateway that dislikes a text), a server can be away for a moment:
        it takes three calls in a row.

        Raises:
            EndpointDenied: the last `DENIALS_IN_A_ROW` calls were turned down, or reached nobody.
        """
        self._unreached = self._unreached + 1 if never_reached(call) else 0
        if self._unreached >= DENIALS_IN_A_ROW:
            self._denied = EndpointDenied(
                f"{model}: nobody answers at {host} ({call.detail}), {self._unreached} calls in a row found nobody: "
                "nothing more is sent; start the server or mend --base-url, then run again, what is answered is kept."
            )
            raise self._denied
        if self._denials >= DENIALS_IN_A_ROW:
            self._denied = EndpointDenied(
                f"{model} at {host} turned down {self._denials} calls in a row ({call.detail}): nothing more is sent; "
                "check the key, the model's name and the quota, then run again, what is answered is kept."
            )
            raise self._denied

    def _refuse_if_denied(self) -> None:
        if self._denied is not None:
            raise self._denied

    def _reserve(self, tokens: int) -> float:
        now = time.monotonic()
        waits = [0.0]
        if self._requests is not None:
            waits.append(self._requests.reserve(1, now))
        if self._tokens is not None:
            waits.append(self._tokens.reserve(tokens, now))
        return max(waits)

    def _cancel(self, tokens: int) -> None:
        now = time.monotonic()
        if self._requests is not None:
            self._requests.give_back(1, now)
        if self._tokens is not None:
            self._tokens.give_back(tokens, now)

    def _settle(self, ticket: Ticket, call: Call) -> None:
        if self._tokens is None:
            return
        prompt, completion = call.usage.prompt_tokens, call.usage.completion_tokens
        if prompt is not None or completion is not None:
            used = (prompt or 0) + (completion or 0)
        elif call.http_status is not None and call.http_status >= 400:
            used = 0  # turned away before anything was read
        else:
            used = ticket.tokens  # the server does not say, or the reply was lost
        self._tokens.give_back(ticket.tokens - used, time.monotonic())


def estimated_tokens(request: ChatRequest) -> int:
    """What a request reserves of the tokens budget: the caller's estimate, else a rough one that errs upwards.

    Rough: a token for three bytes of text, 1,000 for an image, and the whole token limit for the reply, as providers
    reserve it themselves. The accounted usage corrects it afterwards.
    """
    if request.estimated_tokens is not None:
        return request.estimated_tokens
    total = 0
    for message in request.messages:
        for part in message.parts:
            if isinstance(part, ImagePart):
                total += _TOKENS_AN_IMAGE
            else:
                total += 1 + len(part.text.encode("utf-8", "replace")) // _CHARACTERS_A_TOKEN
    return total + (output_limit(request.sampling) or 0)
