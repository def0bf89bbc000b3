"""Overlap with another set: which texts share at least half of their grams, in Latin words and Chinese characters.

Grams between blanks see 7 % of Chinese repeats, since Chinese has no blanks. Two kinds are used together: runs of 8
tokens (a token is one Latin word, number or Chinese character) and runs of 13 letters (digits and signs dropped). A
pair counts when one of them covers a share of the shorter text; with other numbers it is a class of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchwright.curation.dedup_minhash import Keys, rolled
from benchwright.curation.dedup_numbers import numbers
from benchwright.curation.dedup_text import key_of, normal, squashed

TOKENS = 8
LETTERS = 13
METHOD = (
    "8-grams over tokens (a Latin word, a number or a Chinese character each) together with 13-letter shingles "
    "without digits and signs; a question overlaps when one of the two kinds covers the given share of the shorter "
    "text; with other numbers it counts as the same text with other numbers"
)
_TOKEN = re.compile(r"[a-z]+|\d+(?:\.\d+)?|[^\W\d_]")
_LETTER = re.compile(r"[^\W\d_]")
_COMMON = 50
"""A gram in more texts of the set than this (a printed instruction) says nothing about any of them."""


@dataclass(frozen=True)
class Grams:
    """What overlap is measured with; a text too short for a kind is its own one gram."""

    tokens: Keys
    letters: Keys
    whole: int
    """Key of the canonical text."""
    numbers: tuple[str, ...]


def grams_of(text: str) -> Grams:
    """The grams of a question's text (without its options)."""
    plain = normal(text)
    words = _TOKEN.findall(plain)
    tokens = np.array([key_of(word) for word in words], np.uint64)
    letters = np.array([ord(letter) for letter in _LETTER.findall(plain)], np.uint64)
    return Grams(
        _distinct(tokens, TOKENS), _distinct(letters, LETTERS), key_of(squashed(plain)), numbers(plain)
    )


@dataclass(frozen=True)
class Hit:
    """One text of the set that a question repeats."""

    at: int
    """Which text."""
    share: float
    same_numbers: bool


class GramIndex:
    """The texts of a set, looked up by their grams.

    Args:
        texts: grams of each text.
        share: of the shorter text's grams, from which two overlap.
    """

    def __init__(self, texts: Sequence[Grams], share: float) -> None:
        self._texts = texts
        self._share = share
        self._tokens = _Postings([text.tokens for text in texts])
        self._letters = _Postings([text.letters for text in texts])
        self._whole: dict[int, list[int]] = {}
        for at, text in enumerate(texts):
            self._whole.setdefault(text.whole, []).append(at)

    def hits(self, text: Grams) -> list[Hit]:
        """Texts of the set that overlap, most alike first, those with the same numbers before others."""
        found = dict.fromkeys(self._whole.get(text.whole, ()), 1.0)
        for postings, mine in ((self._tokens, text.tokens), (self._letters, text.letters)):
            for at, share in postings.shares(mine):
                if share >= self._share:
                    found[at] = max(share, found.get(at, 0.0))
        hits = [Hit(at, share, self._texts[at].numbers == text.numbers) for at, share in found.items()]
        return sorted(hits, key=lambda hit: (not hit.same_numbers, -hit.share, hit.at))


class _Postings:
    """Gram -> texts, as two sorted arrays; common grams are left out."""

    def __init__(self, grams: Sequence[Keys]) -> None:
        texts = np.repeat(np.arange(len(grams), dtype=np.int32), [len(one) for one in grams])
        every: Keys = np.concatenate(grams) if len(grams) else np.zeros(0, np.uint64)
        order = np.argsort(every, kind="stable")
        every, texts = every[order], texts[order]
        _, inverse, counts = np.unique(every, return_inverse=True, return_counts=True)
        rare = counts[inverse] <= _COMMON if len(every) else np.zeros(0, np.bool_)
        self._grams, self._texts = every[rare], texts[rare]
        self._common: Keys = np.unique(every[~rare])
        self._sizes = np.bincount(self._texts, minlength=len(grams))

    def shares(self, mine: Keys) -> list[tuple[int, float]]:
        """Texts with a gram of these, and the share of the shorter one's grams that both have."""
        mine = np.setdiff1d(mine, self._common, assume_unique=True)
        if not len(mine) or not len(self._grams):
            return []
        low, high = np.searchsorted(self._grams, mine, "left"), np.searchsorted(self._grams, mine, "right")
        there = np.flatnonzero(high > low)
        if not len(there):
            return []
        found = np.concatenate([self._texts[low[at] : high[at]] for at in there])
        texts, counts = np.unique(found, return_counts=True)
        shares = counts / np.minimum(len(mine), self._sizes[texts])
        return list(zip(texts.tolist(), shares.tolist(), strict=True))


def _distinct(codes: NDArray[np.uint64], size: int) -> Keys:
    """Distinct grams; none of a text of fewer codes than one gram, for which only the whole text counts."""
    found: Keys = np.unique(rolled(codes, size)) if len(codes) >= size else np.zeros(0, np.uint64)
    return found
