"""MinHash in numpy: which texts share most of their 5-character shingles, without comparing all with all.

Broder, "On the resemblance and containment of documents" (1997), with locality-sensitive bands. Two decisions are our
own: the shingles are of the canonical text, and **the numbers of a question are part of every band's key**, so that
number variants of one template, which share nearly all of their shingles, never meet (without this they are nine of
ten pairs, and in a pool made from templates their number grows with its square).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

HASHES = 128
"""Hash functions of a signature."""
SHINGLE = 5
"""Characters of a shingle."""
_BANDS = 32
_ROWS = HASHES // _BANDS
_WINDOW = 40
"""In a bucket of more texts than this each is held beside the next so many only."""

Keys = NDArray[np.uint64]
Signatures = NDArray[np.uint32]

_MIX = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = np.random.default_rng(0).integers(0, 2**63, HASHES, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
"""Odd numbers of 64 bits: only where products wrap around often does each function order the shingles in its own way.
With factors of 31 bits most functions had their least value at one and the same shingle."""


def shingles(text: str, size: int = SHINGLE) -> Keys:
    """Hashes of the distinct character n-grams of a text, sorted; a shorter text is its own one gram."""
    codes = np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.uint64)
    found: Keys = np.unique(rolled(codes, size))
    return found


def rolled(codes: Keys, size: int) -> Keys:
    """Hashes of all runs of `size` codes, in order; of the whole where there are fewer."""
    size = max(1, min(size, len(codes)))
    count = len(codes) - size + 1
    hashed: Keys = np.zeros(max(count, 0), np.uint64)
    with np.errstate(over="ignore"):
        for offset in range(size):
            hashed = (hashed ^ codes[offset : offset + count]) * _MIX
            hashed ^= hashed >> np.uint64(29)
    return hashed


def signature(text: str) -> Signatures:
    """The MinHash signature of a canonical text, [HASHES]; hashed by multiply-shift (Dietzfelbinger et al., 1997)."""
    found = shingles(text)
    if not len(found):
        return np.zeros(HASHES, np.uint32)
    with np.errstate(over="ignore"):
        hashed = found[:, None] * _FACTORS
    smallest: Signatures = (hashed.min(axis=0) >> np.uint64(32)).astype(np.uint32)
    return smallest


def jaccard(first: str, second: str) -> float:
    """Share of the shingles of either text that both have, 0..1."""
    one, two = shingles(first), shingles(second)
    if not len(one) and not len(two):
        return 1.0
    both = len(np.intersect1d(one, two, assume_unique=True))
    return both / (len(one) + len(two) - both)


def near_pairs(
    signatures: Signatures, guard: Keys, rows: NDArray[np.int64], threshold: float
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Pairs of rows that share a band and their guard, and whose signatures agree in a share of `threshold`.

    Args:
        signatures: [n, HASHES].
        guard: [n], the key of what two rows must have in common (their numbers).
        rows: which rows to look at.
        threshold: least share of equal hashes, 0..1.

    Yields:
        Pairs of rows [m, 2] and shares [m]; a pair may come up for several bands.
    """
    for band in range(_BANDS):
        pairs = rows[_colliding(_band_keys(signatures, guard, band)[rows])]
        for start in range(0, len(pairs), 100_000):
            part = pairs[start : start + 100_000]
            equal = (signatures[part[:, 0]] == signatures[part[:, 1]]).mean(axis=1)
            yield part[equal >= threshold], equal[equal >= threshold]


def _band_keys(signatures: Signatures, guard: Keys, band: int) -> Keys:
    keys = guard.copy()
    with np.errstate(over="ignore"):
        for column in range(band * _ROWS, (band + 1) * _ROWS):
            keys = (keys ^ signatures[:, column].astype(np.uint64)) * _MIX
            keys ^= keys >> np.uint64(31)
    return keys


def _colliding(keys: Keys) -> NDArray[np.int64]:
    """Pairs of rows with one key; in large buckets each row with its next neighbours alone."""
    order = np.argsort(keys, kind="stable")
    ranked = keys[order]
    found = []
    for step in range(1, _WINDOW + 1):
        same = (
            np.flatnonzero(ranked[step:] == ranked[:-step]) if step < len(ranked) else np.zeros(0, np.int64)
        )
        if not len(same):
            break
        found.append(np.stack([order[same], order[same + step]], axis=1))
    return np.concatenate(found) if found else np.zeros((0, 2), np.int64)
