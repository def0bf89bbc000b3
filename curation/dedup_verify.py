"""Holding two questions side by side: what they are to each other. Nothing is merged that was not verified here."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher

from benchwright.curation.dedup_members import Member, same_answer
from benchwright.curation.dedup_minhash import jaccard
from benchwright.curation.dedup_numbers import in_order, masked
from benchwright.curation.dedup_text import squashed
from benchwright.curation.dedup_translated import may_be_translation
from benchwright.schemas.duplicates import Relation

SamePictures = Callable[[tuple[str, ...], tuple[str, ...]], bool]
"""Whether two lists of picture digests show the same to the eye."""

_TOKEN = re.compile(r"\\[a-z]+|[a-z]+|\d+(?:\.\d+)?|[^\s\w]|\w")
_HARMLESS = frozenset(
    [
        *[
            "the",
            "an",
            "of",
            "please",
            "question",
            "problem",
            "exercise",
            "following",
            "that",
            "then",
            "so",
            "this",
            "as",
            "shown",
            "figure",
            "below",
            "is",
            "are",
        ],
        *"的了则求请问题解有那么是为已知设若如图所示在,.;:?!、。()[]“”",
    ]
)
"""Words that come and go between two printings of one question. Neither a number nor a letter nor a name is one."""


_STEMS = 0.5
"""Jaccard that the stems alone must have to be called one wording: long options make whole texts look alike. Below it
two questions of equal numbers, options, pictures and answer are the same thing told otherwise, or nearly so."""


@dataclass(frozen=True)
class Verified:
    """What two questions are to each other."""

    relation: Relation | None
    """None: nothing that matters."""
    detail: str = ""


def verify(
    one: Member, two: Member, near: float, same_pictures: SamePictures, cosine: float = 0.0
) -> Verified:
    """Compare stem, numbers, options, pictures and answers of two questions.

    Args:
        one: a question.
        two: another.
        near: least Jaccard of the whole texts' shingles for two stems that are not equal to be one.
        same_pictures: compares pictures.
        cosine: of their embeddings where that is known; it matters between two languages.
    """
    first, second = one.written, two.written
    if first.language != second.language:
        told = f"{first.language} and {second.language}"
        return Verified("candidate", told) if may_be_translation(one, two, cosine) else Verified(None)
    if in_order(first.stem) != in_order(second.stem):
        alike = squashed(masked(first.stem)) == squashed(masked(second.stem))
        if alike or first.numbers != second.numbers:
            return Verified("same-template", "other numbers") if alike else Verified(None)
    if first.canonical_stem == second.canonical_stem:
        if first.options != second.options:
            return _other_options(one, two, same_pictures)
        return _same_words(one, two, same_pictures)
    if first.options != second.options or not same_pictures(one.pictures, two.pictures):
        return Verified(None)
    if not same_answer(one, two):
        return Verified(None, "alike, but other answers")
    if jaccard(first.canonical_stem, second.canonical_stem) < _STEMS:
        return Verified("candidate", "told otherwise")
    if told := telling_difference(first.stem, second.stem):
        return Verified("candidate", told)
    if jaccard(first.text, second.text) < near:
        return Verified("candidate", "worded otherwise")
    return Verified("same", "worded almost alike")


def _other_options(one: Member, two: Member, same_pictures: SamePictures) -> Verified:
    """One stem with other options: perhaps one question whose wrong options were replaced, or read badly."""
    right = one.written.right
    if any(right) and right == two.written.right and same_pictures(one.images, two.images):
        return Verified("candidate", "other options, the same answer")
    return Verified("same-words", "other options")


def _same_words(one: Member, two: Member, same_pictures: SamePictures) -> Verified:
    """Stem and options are equal: so are the questions if their pictures are.

    A changed label may be too small for any measure of likeness, so pictures that are not equal byte by byte must also
    lead to the same answer.
    """
    if sorted(one.pictures) == sorted(two.pictures):
        return Verified("same")
    if not same_pictures(one.pictures, two.pictures):
        return Verified("same-words", "another picture")
    if not same_answer(one, two):
        return Verified("same-words", "pictures alike, other answers")
    return Verified("same", "pictures alike")


def telling_difference(one: str, two: str) -> str:
    """The first change between two normal texts that may change the question; empty where there is none."""
    left, right = _TOKEN.findall(one), _TOKEN.findall(two)
    for kind, i, j, k, m in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind != "equal" and not set(left[i:j]) | set(right[k:m]) <= _HARMLESS:
            return f"{' '.join(left[i:j]) or 'nothing'} | {' '.join(right[k:m]) or 'nothing'}"
    return ""
