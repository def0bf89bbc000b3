"""Numbers in words, Chinese and English, put into digits: "百分之二十" -> "20%", "三分之一" -> "1/3", "twelve" -> "12".

Only a number at the very beginning of an answer is read; what follows it (a unit, a counting word) stays.
"""

from __future__ import annotations

import re

_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_PLACES = {"十": 10, "百": 100, "千": 1000}
_GROUPS = {"万": 10_000, "亿": 100_000_000}
_RUN = r"[零〇一二两三四五六七八九十][零〇一二两三四五六七八九十百千万亿]*"
_CHINESE = re.compile(
    rf"^(?P<sign>负)?(?:百分之(?P<percent>{_RUN}(?:点[零〇一二三四五六七八九]+)?)"
    rf"|(?P<bottom>{_RUN})分之(?P<top>{_RUN})"
    rf"|(?P<whole>{_RUN})(?:点(?P<part>[零〇一二三四五六七八九]+))?)"
)
_NAMES = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty
"""
_ENGLISH = {word: str(value) for value, word in enumerate(_NAMES.split())}
_WORD = re.compile(rf"^(minus\s+|negative\s+)?({'|'.join(_ENGLISH)})(?![A-Za-z-])", re.IGNORECASE)
_PERCENT = re.compile(r"(?<=[\d.])\s*(?:percent|per\s+cent|pct)\b\.?$", re.IGNORECASE)
_COUNTERS = "个条只名人位次张本支棵辆件头匹颗粒种枚根段道题页层排台架艘朵块片间座步项面"
_COUNTER = re.compile(rf"(?<=[\d)])\s*[{_COUNTERS}]$")


def in_digits(text: str) -> str:
    """The text with a leading number in words put into digits, and "percent" as the sign; otherwise as it was."""
    said = text.strip()
    chinese = _CHINESE.match(said)
    if chinese is not None and (digits := _chinese(chinese)) is not None:
        said = digits + said[chinese.end() :]
    elif (word := _WORD.match(said)) is not None:
        said = ("-" if word[1] else "") + _ENGLISH[word[2].lower()] + said[word.end() :]
    return _PERCENT.sub("%", said)


def without_counter(text: str) -> str:
    """A number without the counting word behind it ("35条" -> "35")."""
    return _COUNTER.sub("", text.strip())


def _chinese(match: re.Match[str]) -> str | None:
    sign = "-" if match["sign"] else ""
    if match["percent"]:
        whole, _, part = match["percent"].partition("点")
        value = chinese_integer(whole)
        return None if value is None else f"{sign}{value}{_decimals(part)}%"
    if match["bottom"]:
        top, bottom = chinese_integer(match["top"]), chinese_integer(match["bottom"])
        return None if top is None or not bottom else f"{sign}{top}/{bottom}"
    value = chinese_integer(match["whole"])
    return None if value is None else f"{sign}{value}{_decimals(match['part'] or '')}"


def _decimals(signs: str) -> str:
    return "." + "".join(str(_DIGITS[sign]) for sign in signs) if signs else ""


def chinese_integer(text: str) -> int | None:
    """The value of a Chinese integer; None for what is none, or only colloquially one ("三百五")."""
    if not text:
        return None
    if len(text) > 1 and all(sign in _DIGITS for sign in text):
        return int("".join(str(_DIGITS[sign]) for sign in text))
    total = section = 0
    digit: int | None = None
    last_place = 10_000
    zero = False
    for sign in text:
        if sign in _DIGITS:
            if digit is not None and digit != 0:
                return None
            digit, zero = _DIGITS[sign], zero or _DIGITS[sign] == 0
        elif sign in _PLACES:
            place = _PLACES[sign]
            if place >= last_place or (digit is None and place != 10):
                return None
            section += (1 if digit is None else digit) * place
            digit, last_place, zero = None, place, False
        else:
            total = (total + section + (digit or 0)) * _GROUPS[sign]
            section, digit, last_place, zero = 0, None, 10_000, False
    if digit and last_place > 10 and last_place < 10_000 and not zero:
        return None  # "三百五" may mean 350
    return total + section + (digit or 0)
