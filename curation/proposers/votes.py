"""Counting votes: one winner per field, how sure the vote is, and nothing decided in silence.

A ballot without a value stays in the denominator: a model that could not answer supports nothing. Where several values
are equally often named, a fixed rule of the field picks one, and the confidence is divided by the number of equals, so
that a tie is always reviewed before a majority of the same size.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from benchwright.curation.proposers.panel import Ballot
from benchwright.schemas.errors import ItemError

T = TypeVar("T", bound=BaseModel)
V = TypeVar("V", str, int)
DECIMALS = 4


@dataclass(frozen=True)
class Tally(Generic[T]):
    """The ballots of one item, those with a value and those without."""

    ballots: tuple[Ballot[T], ...]
    valid: tuple[T, ...]

    @property
    def asked(self) -> int:
        """Number of ballots, with and without a value."""
        return len(self.ballots)

    @property
    def voted(self) -> bool:
        """Whether there was more than one voice, so that agreement says something."""
        return self.asked > 1


@dataclass(frozen=True)
class Winner(Generic[V]):
    """The chosen value of one field."""

    value: V
    confidence: float
    """Share of all ballots that named it, divided by the number of equally frequent values."""
    tied: bool


def tally(ballots: Sequence[Ballot[T]]) -> Tally[T]:
    """Sort the ballots of one item.

    Raises:
        ItemError: none has a value; the reason is the most frequent status, the first one among equals, and the detail
            names them all.
    """
    valid = tuple(ballot.reply.value for ballot in ballots if ballot.reply.value is not None)
    if valid:
        return Tally(tuple(ballots), valid)
    statuses = Counter(str(ballot.reply.status) for ballot in ballots)
    if not statuses:
        raise ItemError("error", "nobody was asked")
    (reason, n), *others = statuses.most_common()
    detail = ballots[[str(b.reply.status) for b in ballots].index(reason)].reply.detail or ""
    if others or n > 1:
        counted = ", ".join(f"{status} {count}" for status, count in sorted(statuses.items()))
        detail = f"{counted}: {detail}" if detail else counted
    raise ItemError(reason, detail)


def winner(values: Sequence[V], asked: int, order: Sequence[V]) -> Winner[V]:
    """The most frequent value.

    Args:
        values: one per ballot that has a value; at least one.
        asked: all ballots.
        order: decides between equals: the earliest in it wins. Holds every value.
    """
    counts = Counter(values)
    most = max(counts.values())
    equals = [value for value in order if counts[value] == most]
    confidence = round(most / asked / len(equals), DECIMALS)
    return Winner(equals[0], confidence, len(equals) > 1)


def middle_winner(values: Sequence[int], asked: int) -> Winner[int]:
    """The most frequent level; among equals the one nearest to the mean of all votes, then the lower one."""
    mean = math.fsum(values) / len(values)
    order = sorted(set(values), key=lambda value: (abs(value - mean), value))
    return winner(values, asked, order)


def kept_by_half(lists: Sequence[Sequence[str]], asked: int) -> tuple[list[str], float]:
    """Entries that at least half of the ballots with a value name, and how sure that is.

    Args:
        lists: one list per ballot that has a value; at least one.
        asked: all ballots.

    Returns:
        The entries, most frequent first, then in the order in which they are named; and the smallest agreement among
        all that were named: the share of ballots on the side taken, be it for or against the entry. Where none was
        named, the share of ballots with a value.
    """
    counts = Counter(entry for entries in lists for entry in dict.fromkeys(entries))
    places = {entry: [entries.index(entry) for entries in lists if entry in entries] for entry in counts}
    kept = sorted(
        (entry for entry, n in counts.items() if 2 * n >= len(lists)),
        key=lambda entry: (-counts[entry], sum(places[entry]) / counts[entry], entry),
    )
    against = {entry: len(lists) - n for entry, n in counts.items()}
    sides = [counts[entry] if entry in kept else against[entry] for entry in counts]
    return kept, round(min(sides, default=len(lists)) / asked, DECIMALS)


def entropy(counts: Mapping[str, int]) -> float:
    """Entropy of votes in units of the largest possible for that many votes: 0 all agree, 1 all differ.

    Shannon's measure over the ballots' shares, divided by the logarithm of the number of ballots.
    """
    total = sum(counts.values())
    if total < 2:
        return 0.0
    shares = [n / total for n in counts.values() if n]
    return round(-math.fsum(share * math.log(share) for share in shares) / math.log(total), DECIMALS)
