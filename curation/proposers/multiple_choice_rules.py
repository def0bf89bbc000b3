"""Distractors by rule for numeric answers: each a well-known slip, named as such, written like the right answer.

`embedded/rules@1`: no model is asked. How many distractors lie below the right value is given from outside, so that
"take the second smallest" wins nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from benchwright.curation.proposers.multiple_choice_checks import Options, option_findings
from benchwright.curation.proposers.multiple_choice_values import same_option, too_close
from benchwright.curation.proposers.tokens import tokens
from benchwright.models.answer_quantity import Quantity, parse_quantity
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import Language

NAME = "embedded/rules@1"
"""Stands as the model of these proposals."""
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+"
_SHAPES = (
    re.compile(r"(?P<sign>[-−]?)\s*\\[dtc]?frac\s*\{\s*(?P<top>\d+)\s*\}\s*\{\s*(?P<bottom>\d+)\s*\}"),
    re.compile(r"(?P<sign>[-−]?)\s*(?P<top>\d+)\s*/\s*(?P<bottom>\d+)"),
    re.compile(
        rf"(?P<sign>[-−]?)\s*(?P<mantissa>{_DIGITS})(?P<times>\s*(?:\\times|\\cdot|×|\*|x)\s*10\s*\^\s*)"
        r"(?P<open>\{?)\s*(?P<power>[-−+]?\d+)\s*(?P<close>\}?)"
    ),
    re.compile(r"(?P<sign>[-−]?)\s*(?P<bare>10\s*\^\s*(?:\{\s*[-−+]?\d+\s*\}|[-−+]?\d+))"),
    re.compile(
        rf"(?P<sign>[-−]?)\s*(?P<mantissa>{_DIGITS})(?P<times>[eE])(?P<open>)(?P<power>[-−+]?\d+)(?P<close>)"
    ),
    re.compile(rf"(?P<sign>[-−]?)\s*(?P<mantissa>{_DIGITS})"),
)


_MOST_DIGITS, _LONGEST = 20, 200
_BEYOND = Fraction(10) ** 60
_COUNTED = re.compile(rf"([-−]?(?:{_DIGITS}))\s*(?:[\u4e00-\u9fff]{{1,3}}|[a-z]{{3,12}})")


@dataclass(frozen=True)
class Slip:
    """A way to go wrong: what it makes of the value, and its name in both languages."""

    change: Callable[[Fraction], Fraction]
    names: dict[Language, str]
    fits: Callable[[Quantity], bool] = lambda _: True


def _slip(
    change: Callable[[Fraction], Fraction],
    en: str,
    zh: str,
    fits: Callable[[Quantity], bool] = lambda _: True,
) -> Slip:
    return Slip(change, {"en": en, "zh": zh}, fits)


def _acute(said: Quantity) -> bool:
    return _angle(said) and said.value < 90


def _part(said: Quantity) -> bool:
    return said.percent and 0 < said.value < 100


def _angle(said: Quantity) -> bool:
    return said.unit == "degree" and 0 < said.value < 180


def _share(said: Quantity) -> bool:
    return said.unit is None and not said.percent and 0 < said.value < 1


def _bare(said: Quantity) -> bool:
    return said.unit is None and not said.percent and abs(said.value) != 1


def _count(said: Quantity) -> bool:
    return said.exact and said.unit is None and said.value.denominator == 1 and 3 < said.value <= 1000


def _with_unit(said: Quantity) -> bool:
    return said.unit is not None and said.unit not in ("degree", "degC", "kelvin", "radian")


def _measured(said: Quantity) -> bool:
    return said.unit not in ("degree", "degC") and not said.percent


SLIPS: tuple[Slip, ...] = (
    _slip(lambda v: 90 - v, "the complement of the angle was taken", "取成了该角的余角", _acute),
    _slip(lambda v: 180 - v, "the supplement of the angle was taken", "取成了该角的补角", _angle),
    _slip(lambda v: 1 - v, "the share of the opposite event was taken", "求成了对立事件的比例", _share),
    _slip(lambda v: 100 - v, "the share of the rest was taken", "求成了其余部分的百分比", _part),
    _slip(lambda v: -v, "the sign got lost", "丢了负号", lambda q: q.value < 0),
    _slip(lambda v: 2 * v, "a factor one half was forgotten", "漏乘了二分之一"),
    _slip(lambda v: v / 2, "a factor two was forgotten", "漏乘了因数 2"),
    _slip(lambda v: v + 1, "one was counted twice", "多数了一个", _count),
    _slip(lambda v: v - 1, "one was left out in counting", "少数了一个", _count),
    _slip(lambda v: 1 / v, "the ratio was turned upside down", "比值取倒了", lambda q: _bare(q) and not _count(q)),
    _slip(lambda v: 10 * v, "one power of ten too many", "多了一个数量级", _measured),
    _slip(lambda v: v / 10, "one power of ten too few", "少了一个数量级", _measured),
    _slip(lambda v: 4 * v, "a factor one half was forgotten twice", "漏乘了两次二分之一"),
    _slip(lambda v: v / 4, "a factor one half was put in twice", "多乘了两次二分之一"),
    _slip(lambda v: 1000 * v, "the unit was converted the wrong way", "单位换算方向错误，大了一千倍", _with_unit),
    _slip(lambda v: v / 1000, "the unit prefix was not converted", "单位没有换算，小了一千倍", _with_unit),
    _slip(lambda v: 3 * v, "a factor one third was forgotten", "漏乘了三分之一"),
    _slip(lambda v: v / 3, "a factor three was forgotten", "漏乘了因数 3"),
)  # fmt: skip
"""In order of preference."""


@dataclass(frozen=True)
class Distractor:
    """A wrong option and the slip that leads to it."""

    text: str
    slip: Slip
    value: Fraction


def distractors(right: str, wanted: int, below: int) -> tuple[Distractor, ...]:
    """Wrong options for a numeric one, in the order of `SLIPS`.

    Args:
        right: the right option, one number with or without a unit.
        wanted: how many.
        below: how many of them shall be smaller than the right value; as near to it as the slips allow.

    Raises:
        ItemError: `no-rule` where the option is no plain number, `too-few-distractors` where too few slips apply.
    """
    said = _number_of(right)
    if said is None or said.value == 0:
        raise ItemError("no-rule", f"{right!r} is no number other than 0")
    if len(re.sub(r"\D", "", right)) > _MOST_DIGITS:
        raise ItemError("no-rule", f"{right!r} has more than {_MOST_DIGITS} digits")
    if not 1 / _BEYOND < abs(said.value) < _BEYOND:
        raise ItemError("no-rule", f"{right!r} is beyond every quantity")
    found: list[tuple[Distractor, bool]] = []
    for one, smaller in _candidates(right, said):
        others = [right, *(known.text for known, _ in found)]
        alike = not any("unlike-" in words for words in option_findings(Options((right, one.text), 0), right))
        new = not any(same_option(one.text, other) for other in others)
        if alike and new and not too_close(one.text, right):
            found.append((one, smaller))
    low = [one for one, smaller in found if smaller]
    high = [one for one, smaller in found if not smaller]
    n_low = min(len(low), max(below, wanted - len(high)))
    chosen = {id(one) for one in (*low[:n_low], *high[: wanted - n_low])}
    if len(chosen) < wanted:
        raise ItemError("too-few-distractors", f"{len(chosen)} of {wanted} for {right!r}")
    return tuple(one for one, _ in found if id(one) in chosen)


def in_other_text(one: Distractor, first: str, other: str) -> Distractor:
    """A distractor written like the right option of another language: "12 种" beside "6 种" as "12" beside "6".

    Raises:
        ItemError: `languages-differ` where the two right options do not hold the same one number.
    """
    said = _number_of(first)
    numbers = [tokens(text).numbers for text in (first, other)]
    text = rewritten(other, said, one.value) if said is not None and numbers[0] == numbers[1] else None
    if text is None:
        raise ItemError("languages-differ", f"{first!r} and {other!r}")
    return replace(one, text=text)


def _candidates(right: str, said: Quantity) -> Iterator[tuple[Distractor, bool]]:
    for slip in SLIPS:
        if not slip.fits(said):
            continue
        value = slip.change(said.value)
        if (
            value == 0
            or (said.percent and said.value <= 100 < value)
            or (_share(said) and value >= 1 and said.exact)
        ):
            continue
        text = rewritten(right, said, value)
        if text is not None:
            yield Distractor(text, slip, value), value < said.value


def rewritten(text: str, said: Quantity, value: Fraction) -> str | None:
    """The text with another number in its place, written alike; None where that number cannot be written so."""
    for shape in _SHAPES:
        match = shape.search(text)
        if match is None:
            continue
        new = _literal(match, said, value)
        return None if new is None else f"{text[: match.start()]}{new}{text[match.end() :]}"
    return None


def _literal(match: re.Match[str], said: Quantity, value: Fraction) -> str | None:
    sign = "-" if value < 0 else ""
    size = abs(value)
    groups = match.groupdict()
    if groups.get("top"):
        return f"{sign}{_fraction(size, match[0])}"
    if groups.get("bare"):
        return f"{sign}{_power_of_ten(size, match.string)}"
    digits = groups["mantissa"].replace(",", "")
    if groups.get("power"):
        mantissa, power = _scientific(size, _figures(digits))
        return f"{sign}{mantissa}{groups['times']}{groups['open']}{power}{groups['close']}"
    if said.exact and said.unit is None and size.denominator != 1:
        return None  # half a person
    return f"{sign}{_grouped(_plain(size, digits), groups['mantissa'])}"


def _power_of_ten(size: Fraction, text: str) -> str:
    mantissa, power = _scientific(size, 2)
    tex = "{" in text or "$" in text
    written = f"10^{{{power}}}" if tex else f"10^{power}"
    short = mantissa.removesuffix(".0")
    return written if short == "1" else f"{short}\\times {written}" if tex else f"{short}*{written}"


def _fraction(size: Fraction, like: str) -> str:
    if size.denominator == 1:
        return str(size.numerator)
    if "/" in like:
        return f"{size.numerator}/{size.denominator}"
    return rf"\frac{{{size.numerator}}}{{{size.denominator}}}"


def _figures(digits: str) -> int:
    return max(2, len(digits.replace(".", "").lstrip("0")))


def _plain(size: Fraction, digits: str) -> str:
    """The number with as many figures as the original; an integer stays one where it can."""
    if "." not in digits and size.denominator == 1:
        return str(size.numerator)
    figures = _figures(digits)
    exact = Decimal(size.numerator) / Decimal(size.denominator)
    if "." not in digits:
        figures = max(figures, 3)
    rounded = _rounded(exact, figures)
    text = f"{rounded:f}"
    return text.rstrip("0").rstrip(".") if "." in text and "." not in digits else text


def _rounded(value: Decimal, figures: int) -> Decimal:
    places = figures - 1 - value.adjusted()
    return value.quantize(Decimal(1).scaleb(-max(places, 0)), rounding=ROUND_HALF_UP)


def _scientific(size: Fraction, figures: int) -> tuple[str, int]:
    value = Decimal(size.numerator) / Decimal(size.denominator)
    power = value.adjusted()
    mantissa = value.scaleb(-power).quantize(Decimal(1).scaleb(1 - figures), rounding=ROUND_HALF_UP)
    if mantissa >= 10:
        mantissa, power = (mantissa / 10).quantize(Decimal(1).scaleb(1 - figures)), power + 1
    return f"{mantissa:f}", power


def _grouped(number: str, like: str) -> str:
    if "," not in like:
        return number
    whole, dot, rest = number.partition(".")
    return f"{int(whole):,}{dot}{rest}"


def _number_of(text: str) -> Quantity | None:
    """The quantity that a text is; a counting word behind it ("6 种", "30 people") is no unit but does not disturb."""
    if len(text) > _LONGEST:
        return None
    bare = re.sub(r"^\s*\$+|\$+\s*$", "", text)
    said = parse_quantity(bare)
    if said is not None:
        return said
    counted = _COUNTED.fullmatch(text.strip())
    return parse_quantity(counted[1]) if counted is not None else None
