"""Known text against text read back: folding what looks the same, aligning, counting what differs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

_ALIKE = str.maketrans(
    {
        **dict.fromkeys("lI|丨｜ⅠⅼıȷΙ∣", "1"),
        **dict.fromkeys("OoΟοОо〇○◯σ", "0"),
        **dict.fromkeys("СϹсϲ", "c"),
        **dict.fromkeys("–—―‐‑‒−一─-ー_", "-"),
        **dict.fromkeys("×✕✖Χχ", "x"),
        **dict.fromkeys("∶：﹕", ":"),
        **dict.fromkeys("；﹔", ";"),
        **dict.fromkeys("，、､﹐﹑", ","),
        **dict.fromkeys("。．｡﹒", "."),
        **dict.fromkeys("∼～˜", "~"),
        **dict.fromkeys("∆△Δ▵", "△"),
        **dict.fromkeys("µ", "μ"),
        **dict.fromkeys("⟨〈＜", "<"),
        **dict.fromkeys("⟩〉＞", ">"),
        **dict.fromkeys("【〔［〖", "["),
        **dict.fromkeys("】〕］〗", "]"),
        **dict.fromkeys("ɑα", "a"),
        **dict.fromkeys("ν", "v"),
        **dict.fromkeys("ω", "w"),
        **dict.fromkeys("己已巳", "己"),
        **dict.fromkeys("曰", "日"),
        **dict.fromkeys("末", "未"),
        **dict.fromkeys("土", "士"),
    }
)
"""What a reader cannot tell apart without its context; folded on both sides, so it is never an error."""
_CASELESS = frozenset("cCkKpPsSuUvVwWxXzZ")
"""Letters whose capital is the small letter enlarged."""
_UNSEEN = re.compile(r"[\s'’‘`´′°º\"“”„″^ˆ˙·•・‧⋅…]+|[\u0300-\u036f]")
"""Blanks, and marks so small that readers drop or invent them; the ink check sees to those."""
_SYMBOLS = frozenset(("So", "Sm", "Sk", "Co"))
"""Unicode categories of signs beyond ASCII (a circle, a triangle, an arrow): readers drop them or read letters."""
_STROKES = re.compile("_{2,}")
"""A blank to be filled in: no character that could be read."""
_DASHES = re.compile("-{2,}")
"""A long stroke, of however many dashes it was made."""
_MAYBE = frozenset("·•・‧⋅¸¨¯´")
"""Marks that are left out here, though a reader may take them for a full stop or a comma."""
_EMPTY_BRACKETS = re.compile(r"\([.0-]*\)")
"""The place for an answer: read as a ring, a nought or nothing."""


def comparable(text: str, alphabet: Collection[str] = ()) -> str:
    """A text as it is compared: half width, look-alikes folded, blanks and the smallest marks left out.

    Args:
        text: known or read text.
        alphabet: characters that the reader knows; others are left out. Empty: all are kept.
    """
    text = _STROKES.sub("", text)
    known = "".join(c for c in text if c in alphabet) if alphabet else text
    wide = unicodedata.normalize("NFKC", known)
    shown = _UNSEEN.sub("", wide).translate(_ALIKE)
    small = "".join(c.lower() if c in _CASELESS else c for c in shown if not _is_symbol(c))
    return _EMPTY_BRACKETS.sub("", _DASHES.sub("-", small.replace("....", ".").replace("...", ".")))


def unreadable(text: str, alphabet: Collection[str]) -> int:
    """How many characters of a text a reader cannot be asked for: signs, and what its alphabet lacks.

    Each may leave one wrong character in what is read.
    """
    wide = unicodedata.normalize("NFKC", text)
    signs = sum(_is_symbol(c) for c in _UNSEEN.sub("", wide).translate(_ALIKE))
    signs += sum(c in _MAYBE for c in text)
    return signs + sum(not c.isspace() and c not in alphabet and not _is_symbol(c) for c in text)


def _is_symbol(char: str) -> bool:
    return ord(char) > 127 and unicodedata.category(char) in _SYMBOLS


def edit_distance(first: str, second: str) -> int:
    """Levenshtein distance: insertions, deletions and replacements, each counted one."""
    if first == second:
        return 0
    row = list(range(len(second) + 1))
    for i, left in enumerate(first, start=1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(second, start=1):
            best = min(row[j] + 1, row[j - 1] + 1, diagonal + (left != right))
            diagonal, row[j] = row[j], best
    return row[-1]


def errors_by_part(parts: list[str], read: str) -> list[int]:
    """How many edits each of several known texts needs, where all were read as one.

    Args:
        parts: known texts in reading order, comparable.
        read: what was read of all of them, comparable.

    Returns:
        One count for each part; an insertion between two parts counts for the earlier one.
    """
    whole = "".join(parts)
    counts = [0] * len(parts)
    if whole == read:
        return counts
    owner = [index for index, part in enumerate(parts) for _ in part]
    for position in _edits(whole, read):
        if owner:
            counts[owner[min(position, len(owner) - 1)]] += 1
        elif counts:
            counts[0] += 1
    return counts


def _edits(whole: str, read: str) -> list[int]:
    """Positions in `whole` of the edits of one shortest alignment."""
    table = [list(range(len(read) + 1))]
    for i, left in enumerate(whole, start=1):
        above = table[-1]
        row = [i]
        for j, right in enumerate(read, start=1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (left != right)))
        table.append(row)
    positions: list[int] = []
    i, j = len(whole), len(read)
    while i or j:
        if i and j and table[i][j] == table[i - 1][j - 1] + (whole[i - 1] != read[j - 1]):
            if whole[i - 1] != read[j - 1]:
                positions.append(i - 1)
            i, j = i - 1, j - 1
        elif i and table[i][j] == table[i - 1][j] + 1:
            positions.append(i - 1)
            i -= 1
        else:
            positions.append(max(0, i - 1))
            j -= 1
    return positions
