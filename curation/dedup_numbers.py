"""The number guard: which numbers a text holds, so that two texts that differ in one are never taken for one.

Exam questions come in families that share every word and differ in their figures; whatever likeness of words is
measured, only the numbers tell such questions apart. Digits and number words count alike ("3", "three", "三"). `one`
and `一` are left out, since both languages use them as an article.
"""

from __future__ import annotations

import re
from collections import Counter

_ENGLISH: dict[str, str] = {
    "zero": "0", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14", "fifteen": "15",
    "sixteen": "16", "seventeen": "17", "eighteen": "18", "nineteen": "19", "twenty": "20", "thirty": "30",
    "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
    "hundred": "100", "thousand": "1000", "million": "1000000", "half": "0.5", "twice": "2", "double": "2",
    "doubled": "2", "triple": "3", "tripled": "3", "thrice": "3", "third": "3", "fourth": "4", "fifth": "5",
    "sixth": "6", "seventh": "7", "eighth": "8", "ninth": "9", "tenth": "10", "quarter": "0.25",
}  # fmt: skip
_DIGITS = dict(zip("零〇一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_PLACES = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_WORDS = "|".join(sorted(_ENGLISH, key=len, reverse=True))
_NUMBER = re.compile(
    r"(?P<sign>-\s*(?=\d))?(?P<digits>\d+(?:\.\d+)?)"
    rf"|\b(?P<word>{_WORDS})\b"
    r"|(?P<han>[零〇一二两三四五六七八九十百千万亿]+|半)"
)
_BEFORE_A_TERM = re.compile(r"[\w)\]}°′]\s*\Z")


def numbers(text: str) -> tuple[str, ...]:
    """The numbers of a text in normal form, sorted, each as often as it stands there.

    Args:
        text: as `dedup_text.normal` leaves it.
    """
    return tuple(sorted(in_order(text)))


def in_order(text: str) -> tuple[str, ...]:
    """The same in the order of the text: two numbers that change places make another question."""
    found = (_value(match) for match in _NUMBER.finditer(text))
    return tuple(value for value in found if value is not None)


def masked(text: str) -> str:
    """The text with `#` in the place of each number (and of a minus that belongs to it)."""
    return _NUMBER.sub(_mask, text)


def written_digits(text: str) -> tuple[str, ...]:
    """The numbers that are written in digits, each once: what a translation leaves as it is."""
    return tuple(sorted(digits_of(text)))


def digits_of(text: str) -> Counter[str]:
    """How often each number that is written in digits stands in a text."""
    return Counter(_plain(match["digits"]) for match in _NUMBER.finditer(text) if match["digits"])


def _mask(match: re.Match[str]) -> str:
    if _value(match) is None:
        return match.group()
    return f"{match['sign']}#" if match["sign"] and not _is_sign(match) else "#"


def _is_sign(match: re.Match[str]) -> bool:
    """Whether the minus before a number belongs to it, and does not stand between two terms."""
    start = match.start()
    return _BEFORE_A_TERM.search(match.string, max(0, start - 4), start) is None


def _value(match: re.Match[str]) -> str | None:
    if match["digits"]:
        return ("-" if match["sign"] and _is_sign(match) else "") + _plain(match["digits"])
    if match["word"]:
        return _ENGLISH[match["word"]]
    return _han(match["han"])


def _plain(digits: str) -> str:
    whole, _, places = digits.partition(".")
    places = places.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{places}" if places else "")


def _han(run: str) -> str | None:
    if run == "半":
        return "0.5"
    if run == "一":
        return None
    if not any(character in _PLACES for character in run):
        return "".join(str(_DIGITS[character]) for character in run).lstrip("0") or "0"
    total = section = digit = 0
    for character in run:
        if character in _DIGITS:
            digit = _DIGITS[character]
        elif (place := _PLACES[character]) < 10_000:
            section, digit = section + (digit or 1) * place, 0
        else:
            total, section, digit = total + max(1, section + digit) * place, 0, 0
    return str(total + section + digit)
