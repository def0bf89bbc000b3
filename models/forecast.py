"""From some answered calls to the cost of the rest: estimators of survey sampling, with their intervals.

Input is corrected by the ratio of accounted to estimated tokens; output is the mean of the answered calls; money
combines both call by call, so that what the two have in common is not counted twice. The intervals hold for calls
chosen at random (`models.dry_run.choose_pilot`); calls that merely came first can differ from the rest, and the record
says which they were.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from pydantic import Field
from scipy.special import stdtrit

from benchwright.models.chat import Usage
from benchwright.models.prices import Price
from benchwright.models.tokens import Calibration, TokenRange
from benchwright.schemas.records import Record

LEAST_CALLS = 5
"""Fewer answered calls than this foretell nothing."""


@dataclass(frozen=True, slots=True)
class Observed:
    """One answered call: what was estimated for its input, and what the server accounted."""

    estimated: int
    usage: Usage

    @property
    def complete(self) -> bool:
        """True when the server reported input and output."""
        return self.usage.prompt_tokens is not None and self.usage.completion_tokens is not None


class UsdRange(Record):
    """Money that may be uncertain, in USD: at least, likely, at most."""

    low: float
    likely: float
    high: float


class Forecast(Record):
    """What the calls still to be made are expected to cost, with 95 % intervals."""

    calls: Annotated[int, Field(ge=LEAST_CALLS)]
    """How many answered calls it rests on."""
    chosen: bool
    """True when these were chosen at random; False: they are whatever the store held."""
    input: TokenRange
    output: TokenRange
    money: UsdRange | None
    """None where the price is unknown."""
    calibration: Calibration
    """Accounted over estimated input tokens."""


def calibrate(observed: Sequence[Observed]) -> Calibration | None:
    """Learn how many input tokens a server accounts for one estimated; None from fewer than `LEAST_CALLS` calls."""
    pairs = [
        (one.estimated, one.usage.prompt_tokens) for one in observed if one.usage.prompt_tokens is not None
    ]
    estimated = sum(pair[0] for pair in pairs)
    if len(pairs) < LEAST_CALLS or estimated == 0:
        return None
    factor = sum(pair[1] for pair in pairs) / estimated
    spread = _spread([accounted - factor * guess for guess, accounted in pairs])
    half = _student(len(pairs)) * spread * math.sqrt(len(pairs)) / estimated
    return Calibration(factor=factor, low=max(0.0, factor - half), high=factor + half, calls=len(pairs))


def forecast(
    observed: Sequence[Observed],
    *,
    rest: int,
    rest_estimated: int,
    rest_limit: int | None,
    price: Price | None,
    chosen: bool,
) -> Forecast | None:
    """Foretell the rest.

    Args:
        observed: answered calls with what was estimated for them.
        rest: how many calls are still to be made.
        rest_estimated: estimated input tokens of these.
        rest_limit: sum of their token limits; None where one has none.
        price: USD per million tokens; None for unknown.
        chosen: whether the answered calls were chosen at random.

    Returns:
        None where fewer than `LEAST_CALLS` calls have complete usage.
    """
    known = [one for one in observed if one.complete]
    calibration = calibrate(known)
    if calibration is None:
        return None
    factor, n = calibration.factor, len(known)
    read = [one.usage.prompt_tokens or 0 for one in known]
    written = [one.usage.completion_tokens or 0 for one in known]
    mean = sum(written) / n
    # Of `rest` calls not seen, from n seen: the variance of their sum is rest * (rest + n) / n * s^2.
    half = _student(n) * math.sqrt(rest * (rest + n) / n)
    off = [real - factor * one.estimated for real, one in zip(read, known, strict=True)]
    return Forecast(
        calls=n,
        chosen=chosen,
        input=_around(factor * rest_estimated, half * _spread(off)),
        output=_around(mean * rest, half * _spread(written), rest_limit),
        money=None if price is None else _money(known, price, rest, rest_estimated, half),
        calibration=calibration,
    )


def _money(known: Sequence[Observed], price: Price, rest: int, rest_estimated: int, half: float) -> UsdRange:
    """Cost of the rest: input by its ratio to the estimate, output by its mean, one residual for both."""
    reading, writing, guessed = [], [], [one.estimated for one in known]
    for one in known:
        read, cached = one.usage.prompt_tokens or 0, one.usage.cached_tokens or 0
        reading.append(float(price.of(read, 0, min(cached, read))))
        writing.append(float(price.of(0, one.usage.completion_tokens or 0)))
    a_token, a_reply = sum(reading) / sum(guessed), sum(writing) / len(known)
    residuals = [
        paid - a_token * guess + reply for paid, reply, guess in zip(reading, writing, guessed, strict=True)
    ]
    likely = a_token * rest_estimated + a_reply * rest
    width = half * _spread(residuals)
    return UsdRange(low=max(0.0, likely - width), likely=likely, high=likely + width)


def usd_bounds(price: Price, read: TokenRange, limit: int | None) -> tuple[Decimal, Decimal | None]:
    """Least and most that calls may cost before any was answered: no output at all, and every token limit used up."""
    most = None if limit is None else price.of(read.high, limit)
    return price.of(read.low, 0), most


def _around(likely: float, half: float, most: int | None = None) -> TokenRange:
    ceiling = math.inf if most is None else float(most)
    return TokenRange.of(max(0.0, likely - half), likely, max(likely, min(likely + half, ceiling)))


def _spread(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


def _student(calls: int) -> float:
    return float(stdtrit(calls - 1, 0.975))
