"""Two questions in two languages: what of the one must stand in the other for it to be a translation.

Vectors of two languages are alike at a lower level, and in a large pool thousands of pairs share an answer and the few
digits of a short formula. A translation keeps more: each number as often, the numbers of the options, and the signs and
letters of formulas. Measured on real pools with 323 pairs that were alike, had the same digits, as many options and one
answer: 6 passed what is asked here and all were translations; of 52 others that were read none was. Of 250 translated
pairs with a shared set of digits 98 % pass.
"""

from __future__ import annotations

import re
from collections import Counter

from benchwright.curation.dedup_members import Member, same_answer
from benchwright.curation.dedup_numbers import digits_of

NUMBERS = 0.8
"""Least share of numbers that both texts, and both sets of options, have in common (multiset Jaccard)."""
SIGNS = 0.5
"""The same for everything that a formula keeps: numbers, signs, commands, single letters."""
SURE = 0.9
"""Cosine from which the stems need not agree in these: a text that holds both languages repeats everything."""
_SIGN = re.compile(r"\\[a-z]+|[a-z]+|[-+=<>^/*×÷·≤≥≠∠△⊥%√]")
_WORDS = frozenset(["a", "i"])
"""Words of one letter."""


def may_be_translation(one: Member, two: Member, cosine: float) -> bool:
    """Whether one question may be the other in another language; people have to say.

    Args:
        one: a question.
        two: one in another language.
        cosine: of their embeddings.
    """
    if len(one.choices) != len(two.choices) or len(one.pictures) != len(two.pictures):
        return False
    if not (one.answer == two.answer if one.choices else same_answer(one, two)):
        return False
    options = [" ; ".join(member.written.options) for member in (one, two)]
    if shared(digits_of(options[0]), digits_of(options[1])) < NUMBERS:
        return False
    if cosine >= SURE:
        return True
    first, second = one.written.stem, two.written.stem
    return (
        shared(digits_of(first), digits_of(second)) >= NUMBERS
        and shared(kept_signs(first), kept_signs(second)) >= SIGNS
    )


def kept_signs(text: str) -> Counter[str]:
    """What of a text a translation leaves as it is: numbers in digits, signs, commands, letters that stand alone.

    Args:
        text: as `dedup_text.normal` leaves it.
    """
    signs = (sign for sign in _SIGN.findall(text) if not sign.isalpha() or len(sign) == 1)
    return digits_of(text) + Counter(sign for sign in signs if sign not in _WORDS)


def shared(one: Counter[str], two: Counter[str]) -> float:
    """Jaccard of two multisets, 0..1; 1 where both are empty."""
    either = (one | two).total()
    return (one & two).total() / either if either else 1.0
