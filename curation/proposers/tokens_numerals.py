"""Numbers in words, Chinese and English, and words of scale ("2 million", "200 万").

A number in words never has to have a counterpart: "a pair" may be "两个" or "一双". It only explains a number in digits
that the other language has.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

_SMALL = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
"""
_TENFOLD = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINAL = "first second third fourth fifth sixth seventh eighth ninth tenth"
_MONTH = "january february march april may june july august september october november december"
_UNITS = {word: number for number, word in enumerate(_SMALL.split())}
_TENS = {word: 10 * number for number, word in enumerate(_TENFOLD.split(), start=2)}
_ENGLISH = {**_UNITS, **_TENS}
_BIG = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_ORDINALS = {word: number for number, word in enumerate(_ORDINAL.split(), start=1)}
_MONTHS = {word: str(number) for number, word in enumerate(_MONTH.split(), start=1)}
_OTHER: dict[str, tuple[str, ...]] = {
    "half": ("1", "2", "0.5", "50"),
    "halves": ("2",),
    "quarter": ("1", "4", "0.25", "25"),
    "quarters": ("4",),
    "once": ("1",),
    "single": ("1",),
    "twice": ("2",),
    "double": ("2",),
    "doubled": ("2",),
    "doubles": ("2",),
    "both": ("2",),
    "couple": ("2",),
    "pair": ("2",),
    "thrice": ("3",),
    "triple": ("3",),
    "tripled": ("3",),
    "quadruple": ("4",),
    "dozen": ("12",),
    "noon": ("12",),
    "midnight": ("12",),
    "fortnight": ("2", "14"),
    "decade": ("10",),
    "century": ("100",),
}
_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2, "双": 2}
_STEPS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "亿": 10**8}
_RUN = re.compile("[零〇一二两俩双三四五六七八九十百千万亿]+")
_WORD = re.compile(r"[a-z]+")

_LONGEST = 30
_SCALES = {
    "万": 10**4, "亿": 10**8, "百万": 10**6, "千万": 10**7, "十亿": 10**9, "百": 100, "千": 1000,
    "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12,
}  # fmt: skip
SCALE = (
    r"(?:十亿|千万|百万|万|亿|百(?![分])|千)"
    r"|(?:hundred|thousand|million|billion|trillion)(?![A-Za-z])"
)
"""A pattern for a word of scale behind a number in digits."""


def scaled(number: str, word: str) -> str:
    """The number with its word of scale: ("1.5", "million") -> "1500000"."""
    base, _, power = number.partition("*10^")
    exponent = int(power or 0) if len(power) <= 4 else 10**4
    if len(number) > _LONGEST or abs(exponent) > _LONGEST:
        return f"{number}*{_SCALES[word]}"
    value = Fraction(base) * _SCALES[word] * Fraction(10) ** exponent
    return _shortest(value)


def numerals(text: str) -> Counter[str]:
    """Numbers said in words, as digits, each as often as it may stand for one."""
    found: Counter[str] = Counter()
    for match in _RUN.finditer(text):
        found.update(_chinese(match[0]))
    for match in re.finditer("([一二三四五六七八九]{1,2})折", text):
        paid = int("".join(str(_DIGITS[c]) for c in match[1]).ljust(2, "0"))
        found.update([str(paid), str(100 - paid)])
    found["0.5"] += text.count("半")
    found["2"] += text.count("半") + text.count("倍")
    found["1"] += len(re.findall("单|半|首|元旦", text))
    found["12"] += len(re.findall("打|正午|中午|午夜", text))
    found.update(_english(text.lower()))
    return +found


def _chinese(run: str) -> list[str]:
    """The number that a run of characters says, and its digits one by one ("三四" may be "3 or 4")."""
    total = section = digit = 0
    for character in run:
        if character in _DIGITS:
            digit = _DIGITS[character]
        elif character in _STEPS:
            section += (digit or 1) * _STEPS[character]
            digit = 0
        else:
            total = (total + section + digit) * _MYRIADS[character] or _MYRIADS[character]
            section = digit = 0
    whole = str(total + section + digit)
    singles = [str(_DIGITS[c]) for c in run if c in _DIGITS]
    return [whole] if [whole] == singles else [whole, *singles]


def _english(text: str) -> list[str]:
    said: list[str] = []
    number = _Running()
    for word in [*_WORD.findall(text), ""]:
        if word in _ENGLISH or (word in _BIG and number.running) or (word == "and" and number.running):
            said += number.add(word)
            continue
        said += [*number.close(), *_OTHER.get(word, ())]
        said += [_MONTHS[word]] if word in _MONTHS else []
        ordinal = _ORDINALS.get(word.removesuffix("s"))
        if ordinal is not None:
            said += [str(ordinal), "1"] if ordinal > 2 else [str(ordinal)]
        if word in ("a", "an", "each", "every", "per", "another"):
            said.append("1")
    return said


@dataclass
class _Running:
    """An English number being read word by word."""

    total: int = 0
    part: int = 0
    running: bool = False

    def add(self, word: str) -> list[str]:
        """Take a word in; what was read before, where the word begins another number ("two three")."""
        done: list[str] = []
        if word in _ENGLISH:
            if self.running and not self._goes_on(word):
                done = self.close()
            self.part += _ENGLISH[word]
            self.running = True
        elif word in _BIG:
            self.part = (self.part or 1) * _BIG[word]
            if _BIG[word] > 100:
                self.total, self.part = self.total + self.part, 0
        return done

    def close(self) -> list[str]:
        """The number read so far, if any."""
        done = [str(self.total + self.part)] if self.running else []
        self.total = self.part = 0
        self.running = False
        return done

    def _goes_on(self, word: str) -> bool:
        after_tens = (
            self.part % 10 == 0 and word in _UNITS and 0 < _UNITS[word] < 10 and self.part % 100 != 10
        )
        return (self.part % 100 == 0 and (self.part > 0 or self.total > 0)) or (after_tens and self.part > 0)


def _shortest(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    return f"{float(value):.12g}"
