"""How long texts are: the one way of counting that the statistics of a workspace and of a release share.

VisScience counts lengths in words and says 162.85 for Chinese, SciVerse counts characters without saying so; both are
given here. A word is a run between blanks that holds a letter or a digit; in Chinese every character is one, as word
processors count.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from benchwright.schemas.records import Record

BIN = {"characters": 25, "words": 10}
"""Width of a bar of the histograms."""
_LAST = 60
"""Bars of a histogram; the last one holds everything longer."""
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_HAN}]|[^\s{_HAN}]*[^\W_{_HAN}][^\s{_HAN}]*")


class Length(Record):
    """Lengths of a text over all items that have it."""

    n: int
    mean: float
    maximum: int
    histogram: dict[int, int]
    """Lower edge of a bar -> texts; bars are `BIN` wide, the last one is open."""


class Lengths(Record):
    """One kind of text in one language."""

    characters: Length
    words: Length


def characters(text: str) -> int:
    """Unicode characters, blanks and markup included: what is sent to a model."""
    return len(text)


def words(text: str) -> int:
    """Words, a Chinese character being one."""
    return sum(1 for _ in _WORD.finditer(text))


@dataclass
class Tally:
    """Adds up lengths without keeping them."""

    width: int
    n: int = 0
    total: int = 0
    maximum: int = 0
    bars: Counter[int] = field(default_factory=Counter)

    def add(self, length: int) -> None:
        """Count one text."""
        self.n += 1
        self.total += length
        self.maximum = max(self.maximum, length)
        self.bars[min(length // self.width, _LAST - 1) * self.width] += 1

    def length(self) -> Length:
        """What was added up; the mean of no text is 0."""
        mean = round(self.total / self.n, 2) if self.n else 0.0
        return Length(n=self.n, mean=mean, maximum=self.maximum, histogram=dict(sorted(self.bars.items())))


class LengthTally:
    """Characters and words of one kind of text."""

    def __init__(self) -> None:
        self._characters = Tally(BIN["characters"])
        self._words = Tally(BIN["words"])

    def add(self, text: str) -> None:
        """Count one text."""
        self._characters.add(characters(text))
        self._words.add(words(text))

    def lengths(self) -> Lengths:
        """What was added up."""
        return Lengths(characters=self._characters.length(), words=self._words.length())
