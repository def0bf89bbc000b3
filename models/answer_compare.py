"""Compares a reply with the ground answer by rules, in three values: consistent, inconsistent, or abstain.

Abstaining is always safe (another judge decides), a wrong verdict is not: each rule decides only what it fully
understands. The tolerance for numbers is VisScience's: a relative error below 0.05, here measured in the ground
answer's own unit.

Declared choices:
    several right options   the sets have to be equal; a part of the set is inconsistent
    percent                 2 % is 0.02; 2 against 2 % abstains (a question may ask for "how many percent")
    missing unit            decided by the number where the ground's unit stands apart (the question asks for a number
                            in that unit); abstains where the unit is part of the ground's text
    exact numbers           two different integers or fractions without a unit abstain within the tolerance (counts,
                            probabilities)
    opposite sign           with a unit abstains (a sign may be a choice of direction)
    kelvin, degree Celsius  equal numbers abstain (they may be differences)
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from benchwright.models.answer_parse import extract_choices, extract_final, is_refusal, named_answer
from benchwright.models.answer_quantity import Quantity, convert, parse_quantity, parse_unit
from benchwright.models.answer_text import comparable, same_text, without_latex
from benchwright.schemas.records import QuestionType

TOLERANCE = Fraction(5, 100)
"""VisScience, judge prompt: relative error less than 0.05."""
_BORDER = 1e-9
_LEADING_DIGIT = re.compile(r"[\s$]*\d")


class Match(StrEnum):
    """Outcome of a comparison by rules."""

    CONSISTENT = "consistent"
    INCONSISTENT = "inconsistent"
    NO_ANSWER = "no-answer"
    """The reply is empty or says in words that it does not answer."""
    ABSTAIN = "abstain"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A verdict, the rule that gave it, and the answer it read."""

    match: Match
    rule: str
    extracted: str | None = None


def compare_answer(
    reply: str | None,
    ground: str,
    question_type: QuestionType,
    labels: Sequence[str] = (),
    option_texts: Mapping[str, str] | None = None,
    unit: str | None = None,
) -> Comparison:
    """Compare a reply with the ground answer.

    Args:
        reply: the model's text without thinking text; None or blank is no answer.
        ground: reference answer; for choices the label(s), e.g. "B", "AC".
        question_type: decides which rules apply.
        labels: labels of the options.
        option_texts: text of each option where it has one.
        unit: the ground answer's unit where it stands apart from the answer.
    """
    if reply is None or not reply.strip():
        return Comparison(Match.NO_ANSWER, "empty")
    if question_type in (QuestionType.SINGLE_CHOICE, QuestionType.MULTIPLE_SELECT):
        multiple = question_type is QuestionType.MULTIPLE_SELECT
        return _compare_choices(reply, ground, multiple, labels, dict(option_texts or {}))
    return _compare_free(reply, ground, question_type is QuestionType.MULTI_PART, unit)


def _compare_choices(
    reply: str, ground: str, multiple: bool, labels: Sequence[str], texts: Mapping[str, str]
) -> Comparison:
    right = extract_choices(ground, labels, multiple, texts)
    if right.kind != "found":
        return Comparison(Match.ABSTAIN, "ground-is-no-label")
    said = extract_choices(reply, labels, multiple, texts)
    if said.kind in ("empty", "refusal"):
        return Comparison(Match.NO_ANSWER, said.rule)
    if said.kind == "unclear":
        return Comparison(Match.ABSTAIN, said.rule)
    match = Match.CONSISTENT if said.labels == right.labels else Match.INCONSISTENT
    return Comparison(match, said.rule, "".join(sorted(said.labels)))


def _compare_free(reply: str, ground: str, several: bool, unit: str | None) -> Comparison:
    if same_text(reply, ground):
        return Comparison(Match.CONSISTENT, "same-text", comparable(reply))
    if is_refusal(reply):
        return Comparison(Match.NO_ANSWER, "refusal-in-words")
    said = extract_final(reply)
    if said is None:
        return Comparison(Match.ABSTAIN, "no-final-answer")
    right = named_answer(ground)
    if said.name is not None and right.name is not None and said.name != right.name:
        return Comparison(Match.ABSTAIN, "another-name", said.text)
    if same_text(said.text, right.text):
        return Comparison(Match.CONSISTENT, "same-text", said.text)
    if several:
        return Comparison(Match.ABSTAIN, "multi-part", said.text)
    match, rule = compare_quantities(said.text, right.text, unit)
    return Comparison(match, rule, said.text)


def compare_quantities(said: str, ground: str, unit: str | None = None) -> tuple[Match, str]:
    """Compare two texts that should each be one number, with or without a unit.

    Args:
        said: the answer given.
        ground: the reference.
        unit: the reference's unit where it stands apart.
    """
    right, apart = _with_unit(ground, unit)
    if right is None:
        return Match.ABSTAIN, "not-a-quantity"
    left = parse_quantity(_without_suffix(said, unit) if apart else said)
    if left is None and apart:
        left = parse_quantity(said)
    if left is None:
        return Match.ABSTAIN, "not-a-quantity"
    if apart and left.unit is None and _close(left.value, right.value / _scale(unit)):
        return _compare_numbers(left, replace(right, value=right.value / _scale(unit), unit=None))
    if left.percent or right.percent:
        return _compare_percent(left, right)
    if left.unit is None and right.unit is not None and apart:
        left = replace(left, unit=right.unit)
    if apart and right.unit is None and not _close(left.value, right.value):
        # "million/year" and the like: another number may be the same amount.
        return Match.ABSTAIN, "unknown-unit"
    if (left.unit is None) != (right.unit is None):
        return Match.ABSTAIN, "unit-on-one-side"
    if left.unit is None or right.unit is None or left.unit == right.unit:
        return _compare_numbers(left, right)
    return _compare_units(left, right, left.unit, right.unit)


def _with_unit(ground: str, unit: str | None) -> tuple[Quantity | None, bool]:
    """The ground quantity, and whether its unit stood apart."""
    right = parse_quantity(ground)
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


def _compare_numbers(left: Quantity, right: Quantity) -> tuple[Match, str]:
    if left.value == right.value:
        return Match.CONSISTENT, "number"
    if right.value == 0:
        return Match.ABSTAIN, "ground-is-zero"
    if left.unit is not None and _close(-left.value, right.value):
        return Match.ABSTAIN, "opposite-sign"
    if not _close(left.value, right.value):
        return Match.INCONSISTENT, "number"
    if left.exact and right.exact and left.unit is None:
        return Match.ABSTAIN, "exact-numbers-differ"
    return Match.CONSISTENT, "number"


def _compare_units(left: Quantity, right: Quantity, left_unit: str, right_unit: str) -> tuple[Match, str]:
    value = convert(left.value, left_unit, right_unit)
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
        return Match.ABSTAIN, "ground-is-zero"
    error = abs(value - float(right.value)) / abs(float(right.value))
    if abs(error - float(TOLERANCE)) < _BORDER:
        return Match.ABSTAIN, "on-the-border"
    if error < float(TOLERANCE):
        return Match.CONSISTENT, "converted"
    opposite = abs(value + float(right.value)) / abs(float(right.value)) < float(TOLERANCE)
    return (Match.ABSTAIN, "opposite-sign") if opposite else (Match.INCONSISTENT, "converted")


def _same_dimension_other_meaning(left: str, right: str) -> bool:
    """Torque against energy, frequency against angular speed, activity against frequency."""
    torque = ["newton" in unit and "*" in unit for unit in (left, right)]
    turning = ["radian" in unit or "degree" in unit for unit in (left, right)]
    counting = [name for name in ("hertz", "becquerel") if (name in left) != (name in right)]
    return torque[0] != torque[1] or (turning[0] != turning[1]) or bool(counting)


def _close(value: Fraction, ground: Fraction) -> bool:
    return value == ground if ground == 0 else abs(value - ground) / abs(ground) < TOLERANCE
