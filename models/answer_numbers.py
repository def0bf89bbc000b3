"""Compares two numbers with or without units, exactly: fractions, never binary floats, at the 5 % edge.

The tolerance is VisScience's: a relative error below (not at) 0.05, measured in the ground answer's own unit, so that
27 degrees Celsius is not 310 K. Declared choices beyond the paper:

    several forms           a number may be written in digits, in words, as a closed form (√3/2) or a mixed number
    percent                 2 % is 0.02; 2 against 2 % abstains (a question may ask for "how many percent")
    missing unit            decided by the number where the ground's unit stands apart (the question asks for a number
                            in that unit); abstains where the unit is part of the ground's text
    counting words          "35 diagonals" and "35条" are 35 where the ground has no unit
    exact numbers           two different integers, fractions or closed forms without a unit abstain within the
                            tolerance (counts, probabilities)
    zero                    a relative error has no meaning: within 1e-9 of the ground's unit is zero, 0.05 and more is
                            not, anything between abstains
    opposite sign           with a unit abstains (a sign may be a choice of direction), unless a plus sign is written
    kelvin, degree Celsius  equal numbers abstain (they may be differences)
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import StrEnum
from fractions import Fraction

from benchwright.models.answer_numerals import in_digits, without_counter
from benchwright.models.answer_quantity import Quantity, convert_exactly, parse_quantity, parse_unit
from benchwright.models.answer_text import without_latex
from benchwright.models.answer_value import closed_form, same_value

TOLERANCE = Fraction(5, 100)
"""VisScience, judge prompt: relative error less than 0.05."""
ZERO_TOLERANCE = Fraction(1, 10**9)
"""Ours: what counts as zero beside a ground answer of zero, in its unit."""
_LEADING_DIGIT = re.compile(r"[\s$]*\d")
_MIXED = re.compile(r"([-+]?)(\d+)\s*\((\d+)\)/\((\d+)\)(.*)", re.DOTALL)
_CLOSED = re.compile(r"([-+]?\s*[\d.(√π{][\d.√π+\-*/^(){}·\s]*)(.*)", re.DOTALL)
_COUNTED = re.compile(r"([-+]?\d[\d,]*(?:\.\d+)?)\s+([a-z]{3,})\.?")
_MANY = re.compile(
    r"(?:dozen|hundred|thousand|million|billion|trillion|pair|couple|team|group|row|column|bag|box|boxe|tray|carton|pack"
    r"|packet|bundle|score|set|gros|gross|week|month|square|cubic)s?|percent"
)
_BRACKETED = re.compile(r"(.*\d\s*)\(([^()\d]{1,8})\)")
_CHINESE = re.compile(r"[\u4e00-\u9fff]{1,3}")
_PLUS = re.compile(r"^\s*\$?\s*\+")


class Match(StrEnum):
    """Outcome of a comparison by rules."""

    CONSISTENT = "consistent"
    INCONSISTENT = "inconsistent"
    NO_ANSWER = "no-answer"
    """The reply is empty or says in words that it does not answer."""
    ABSTAIN = "abstain"


def read_quantity(text: str) -> Quantity | None:
    """A text that is one number with or without a unit, in any of the forms above; None otherwise."""
    said = _unbracketed(in_digits(without_latex(text).strip().rstrip("。.").strip()))
    mixed = _MIXED.fullmatch(said)
    if mixed is not None and int(mixed[3]) < int(mixed[4]):
        value = int(mixed[2]) + Fraction(int(mixed[3]), int(mixed[4]))
        rest = parse_quantity(f"1{mixed[5]}")
        if rest is None:
            return None
        return replace(rest, value=-value if mixed[1] == "-" else value, exact=True)
    if (plain := parse_quantity(said)) is not None:
        return plain
    return _read_closed_form(said)


def _unbracketed(text: str) -> str:
    """A unit or counting word in brackets behind a number, as in "6（个）" or "5 (N)", without them."""
    match = _BRACKETED.fullmatch(text)
    if match is None or not (_CHINESE.fullmatch(match[2]) or parse_unit(match[2]) is not None):
        return text
    return f"{match[1]}{match[2]}"


def _read_closed_form(said: str) -> Quantity | None:
    match = _CLOSED.fullmatch(said.removeprefix("≈").removeprefix("约").strip())
    # A sum or a product of bare numbers ("3-5", "2*3") is rather a range or a size.
    if match is None or not re.search(r"[√π^]|\)/\(|\d/", match[1]):
        return None
    rest = match[2].strip()
    unit = parse_unit(rest) if rest else None
    value = closed_form(match[1].strip())
    if value is None or (rest and unit is None):
        return None
    return Quantity(value, unit, exact="." not in match[1])


def is_mixed(text: str) -> bool:
    """Whether a number is written as "2 1/4" in LaTeX, which could also be a product."""
    return _MIXED.fullmatch(without_latex(text).strip()) is not None


def compare_quantities(said: str, ground: str, unit: str | None = None) -> tuple[Match, str]:
    """Compare two texts that should each be one number, with or without a unit.

    Args:
        said: the answer given.
        ground: the reference.
        unit: the reference's unit where it stands apart.
    """
    right, apart = _with_unit(ground, unit)
    if right is None and (bare := _without_counters(said, ground)) is not None:
        return compare_quantities(*bare)
    if right is None:
        return Match.ABSTAIN, "not-a-quantity"
    left = read_quantity(_without_suffix(said, unit) if apart else said)
    if left is None and apart:
        left = read_quantity(said)
    if left is None:
        return _compare_counted(said, right)
    match, rule = _compare_read(left, right, unit, apart)
    if match is Match.INCONSISTENT and (is_mixed(said) or is_mixed(ground)):
        return Match.ABSTAIN, "mixed-number-or-product"
    if rule == "another-dimension" and without_latex(said).casefold() == without_latex(ground).casefold():
        return Match.ABSTAIN, "capital-of-a-unit"
    if rule == "opposite-sign" and (_PLUS.match(said) or _PLUS.match(ground)):
        return Match.INCONSISTENT, "opposite-sign"
    return match, rule


def _without_counters(said: str, ground: str) -> tuple[str, str] | None:
    """Both without their counting word, where the ground has one ("5个") and the answer the same one or none."""
    plain = [in_digits(without_latex(text).strip().rstrip("。.").strip()) for text in (said, ground)]
    bare = [without_counter(text) for text in plain]
    if bare[1] == plain[1] or (bare[0] != plain[0] and plain[0][-1] != plain[1][-1]):
        return None
    return (bare[0], bare[1]) if all(parse_quantity(text) is not None for text in bare) else None


def _compare_read(left: Quantity, right: Quantity, unit: str | None, apart: bool) -> tuple[Match, str]:
    if apart and left.unit is None and _close(left.value, right.value / _scale(unit)):
        return compare_numbers(left, replace(right, value=right.value / _scale(unit), unit=None))
    if left.percent or right.percent:
        return _compare_percent(left, right)
    if left.unit is None and right.unit is not None and apart:
        left = replace(left, unit=right.unit)
    if apart and right.unit is None and not _close(left.value, right.value):
        # "million/year" and the like: another number may be the same amount.
        return Match.ABSTAIN, "unknown-unit"
    if (left.unit is None) != (right.unit is None):
        if left.value == 0 and right.value == 0 and "deg" not in f"{left.unit}{right.unit}":
            return Match.CONSISTENT, "zero"
        return Match.ABSTAIN, "unit-on-one-side"
    if left.unit is None or right.unit is None or left.unit == right.unit:
        return compare_numbers(left, right)
    return _compare_units(left, right, left.unit, right.unit)


def _compare_counted(said: str, right: Quantity) -> tuple[Match, str]:
    """A number with a counting word or the noun that it counts, against a bare number."""
    if right.unit is not None or right.percent:
        return Match.ABSTAIN, "not-a-quantity"
    plain = _unbracketed(in_digits(without_latex(said).strip().rstrip("。.").strip()))
    bare = without_counter(plain)
    noun = _COUNTED.fullmatch(plain)
    if noun is not None and _MANY.fullmatch(noun[2]) is None:
        bare = noun[1]
    left = parse_quantity(bare) if bare != plain else None
    if left is None:
        return Match.ABSTAIN, "not-a-quantity"
    match, _ = compare_numbers(left, right)
    return match, "counted"


def _with_unit(ground: str, unit: str | None) -> tuple[Quantity | None, bool]:
    """The ground quantity, and whether its unit stood apart."""
    right = read_quantity(ground)
    said = (unit or "").strip()
    if right is None or not said or right.unit is not None or right.percent:
        return right, False
    if without_latex(said) == "%":
        return replace(right, percent=True), True
    if _LEADING_DIGIT.match(said):
        # Some sources write "4.16" with the unit "10^{42} s^-1".
        scaled = parse_quantity(said)
        return (
            None if scaled is None else replace(right, value=right.value * scaled.value, unit=scaled.unit)
        ), True
    # A unit outside of the table ("people", "个") leaves a bare number; the reply may repeat it word for word.
    return replace(right, unit=parse_unit(said)), True


def _scale(unit: str | None) -> Fraction:
    """The power of ten that a unit begins with, or 1."""
    scaled = parse_quantity(unit) if unit and _LEADING_DIGIT.match(unit.strip()) else None
    return scaled.value if scaled is not None and scaled.value else Fraction(1)


def _without_suffix(said: str, unit: str | None) -> str:
    suffix = without_latex(unit or "")
    if not suffix or suffix == "%" or parse_unit(suffix) is not None:
        return said
    return said.removesuffix(suffix).strip()


def _compare_percent(left: Quantity, right: Quantity) -> tuple[Match, str]:
    if left.unit is not None or right.unit is not None:
        return Match.ABSTAIN, "percent-and-unit"
    scaled = [item.value / 100 if item.percent else item.value for item in (left, right)]
    if _close(scaled[0], scaled[1]):
        return Match.CONSISTENT, "percent"
    if left.percent != right.percent and _close(left.value, right.value):
        return Match.ABSTAIN, "percent-sign-on-one-side"
    return Match.INCONSISTENT, "percent"


def compare_numbers(left: Quantity, right: Quantity) -> tuple[Match, str]:
    """Compare two numbers whose units are the same, or that have none."""
    if same_value(left.value, right.value):
        return Match.CONSISTENT, "number"
    if right.value == 0:
        return _beside_zero(left.value)
    if left.unit is not None and _close(-left.value, right.value):
        return Match.ABSTAIN, "opposite-sign"
    if not _close(left.value, right.value):
        return Match.INCONSISTENT, "number"
    if left.exact and right.exact and left.unit is None:
        return Match.ABSTAIN, "exact-numbers-differ"
    return Match.CONSISTENT, "number"


def _beside_zero(value: Fraction) -> tuple[Match, str]:
    if abs(value) <= ZERO_TOLERANCE:
        return Match.CONSISTENT, "zero"
    return (Match.INCONSISTENT, "not-zero") if abs(value) >= TOLERANCE else (Match.ABSTAIN, "near-zero")


def _compare_units(left: Quantity, right: Quantity, left_unit: str, right_unit: str) -> tuple[Match, str]:
    value = convert_exactly(left.value, left_unit, right_unit)
    units = {left_unit, right_unit}
    if value is None:
        # A bare degree sign may mean a temperature, a single glued letter a symbol.
        doubtful = "degree" in units or left.glued or right.glued
        return (Match.ABSTAIN, "doubtful-unit") if doubtful else (Match.INCONSISTENT, "another-dimension")
    if _same_dimension_other_meaning(left_unit, right_unit):
        return Match.ABSTAIN, "same-dimension-other-meaning"
    if units == {"kelvin", "degC"} and _close(left.value, right.value):
        return Match.ABSTAIN, "temperature-or-difference"
    if right.value == 0:
        match, rule = _beside_zero(value)
        return match, rule
    if _close(value, right.value):
        return Match.CONSISTENT, "converted"
    return (
        (Match.ABSTAIN, "opposite-sign") if _close(-value, right.value) else (Match.INCONSISTENT, "converted")
    )


def _same_dimension_other_meaning(left: str, right: str) -> bool:
    """Torque against energy, frequency against angular speed, activity against frequency."""
    torque = ["newton" in unit and "*" in unit for unit in (left, right)]
    turning = ["radian" in unit or "degree" in unit for unit in (left, right)]
    counting = [name for name in ("hertz", "becquerel") if (name in left) != (name in right)]
    return torque[0] != torque[1] or (turning[0] != turning[1]) or bool(counting)


def _close(value: Fraction, ground: Fraction) -> bool:
    return value == ground if ground == 0 else abs(value - ground) / abs(ground) < TOLERANCE
