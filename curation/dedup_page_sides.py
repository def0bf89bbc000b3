"""One question as the page of duplicates shows it beside another: changes marked, options, pictures."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Literal

from benchwright.curation.dedup_members import Member, same_answer

LONGEST = 1_200
"""Characters of a text that are shown."""
_OPTION = 240
_PICTURES = 3
"""Of a question."""
_MARKS = r"[\s,.;:?!、。，；：？！·\"'“”‘’`$~]"
_TOKEN = re.compile(rf"(\\?[A-Za-z]+|\d+(?:\.\d+)?|{_MARKS}+|.)({_MARKS}*)", re.DOTALL)
"""A word, number or sign with the punctuation and blanks behind it, which are shown and not compared."""

Kind = Literal["", "new", "gone"]
Piece = tuple[Kind, str]
"""A stretch of text: as in the first question, only in this one, or only in the first."""


@dataclass(frozen=True)
class Picture:
    """A picture of a question: a data address, or why there is none."""

    address: str | None
    note: str


@dataclass(frozen=True)
class Option:
    """An option, and whether the question's own answer names it."""

    label: str
    text: str
    right: bool


@dataclass(frozen=True)
class Side:
    """One question of a finding."""

    question_id: str
    source: str
    language: str
    pieces: tuple[Piece, ...]
    cut: int
    """Characters that are not shown."""
    options: tuple[Option, ...]
    answer: str
    unit: str
    pictures: tuple[Picture, ...]
    stays: bool
    notes: tuple[str, ...] = ()
    contradicts: bool = False
    """Its answer is not that of the first question."""


@dataclass
class Album:
    """Hands out thumbnails until the page holds enough of them.

    Args:
        thumbnail: makes one from a picture's digest.
        left: how many more there may be.
    """

    thumbnail: Callable[[str], str]
    left: int
    refused: int = field(default=0)

    def picture(self, digest: str, first: Sequence[str]) -> Picture:
        """A picture of a question that stands beside one with the pictures `first`."""
        if digest in first:
            return Picture(None, "the same picture, byte for byte")
        if not self.left:
            self.refused += 1
            return Picture(None, f"picture {digest[:12]}, not shown: the page holds no more")
        self.left -= 1
        return Picture(self.thumbnail(digest), digest[:12])


def side_of(
    member: Member, first: Member | None, album: Album, *, stays: bool, notes: Sequence[str] = ()
) -> Side:
    """A question as it is shown.

    Args:
        member: the question.
        first: the one it is held beside; None for that one itself.
        album: makes the pictures.
        stays: whether it may be chosen.
        notes: what is said below it.
    """
    told = [album.picture(digest, first.pictures if first else ()) for digest in member.pictures[:_PICTURES]]
    if more := len(member.pictures) - _PICTURES:
        told += [Picture(None, f"and {more} more")] if more > 0 else []
    right = set(member.answer) if member.choices else set()
    return Side(
        question_id=member.id,
        source=member.written.source,
        language=member.written.language,
        pieces=pieces(member.question, first.question if first and _one_language(member, first) else None),
        cut=max(0, len(member.question) - LONGEST),
        options=tuple(
            Option(label, _shortened(text or "picture", _OPTION), label in right)
            for label, text, _ in member.choices
        ),
        answer=_shortened(member.answer, _OPTION),
        unit=member.unit or "",
        pictures=tuple(told),
        stays=stays,
        notes=tuple(notes),
        contradicts=first is not None and not _agree(first, member),
    )


def plain_side(name: str, source: str, text: str, first: str, notes: Sequence[str]) -> Side:
    """A text of another set, of which no more is known, beside a question's text."""
    return Side(
        name, source, "", pieces(text, first), max(0, len(text) - LONGEST), (), "", "", (), True, tuple(notes)
    )  # fmt: skip


def pieces(text: str, first: str | None) -> tuple[Piece, ...]:
    """A text cut where it leaves another: equal stretches, its own words, words that only the other has.

    Blanks, punctuation, letter case and width do not count.
    """
    shown = text[:LONGEST]
    if first is None:
        return (("", shown),)
    mine, other = (list(_TOKEN.finditer(one)) for one in (shown, first[:LONGEST]))
    theirs, ours = ([_compared(token[1]) for token in tokens] for tokens in (other, mine))
    found: list[Piece] = []
    for kind, i, j, k, m in SequenceMatcher(None, theirs, ours, autojunk=False).get_opcodes():
        new, gone = ("".join(token.group() for token in part) for part in (mine[k:m], other[i:j]))
        if kind == "equal" or not any(theirs[i:j] + ours[k:m]):
            found.append(("", new))
            continue
        found += [("gone", gone)] if any(theirs[i:j]) else []
        found += [("new", new)] if new else []
    return tuple(found)


def _compared(token: str) -> str:
    """What of a token is compared; nothing of punctuation."""
    return "" if re.fullmatch(f"{_MARKS}+", token) else unicodedata.normalize("NFKC", token).lower()


def _one_language(one: Member, two: Member) -> bool:
    return one.written.language == two.written.language


def _agree(first: Member, member: Member) -> bool:
    if not _one_language(first, member) and first.choices:
        return first.answer == member.answer
    return same_answer(first, member)


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
