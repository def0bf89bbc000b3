"""Compares a reply with the ground answer by rules, in three values: consistent, inconsistent, or abstain.

Abstaining is always safe (another judge decides), a wrong verdict is not: each rule decides only what it fully
understands. Numbers are `benchwright.models.answer_numbers`' business, with the choices declared there; here come

    several right options   the sets have to be equal; a part of the set is inconsistent
    sub-questions           every part has to be consistent; one that differs is enough to be inconsistent
    sets and lists          a set's order does not matter, its size does
    intervals               open and closed ends differ; an inequality is an interval
    doubt and hedges        an answer that is asked, denied, taken back, hung on a condition or put beside another one
                            ("C (or D)", "3 m/s. No, 4 m/s.") abstains
    expressions             "|x| = 3", "2x = 3" and "3!" are not the answer 3: they abstain
    words                   the same words are consistent; other words abstain, for they may mean the same
    chemical formulas       another composition is inconsistent, another writing of the same one abstains
    a value at the end of   counts as the final answer; where it differs from the ground's, and the ground's stands
    the last sentence       elsewhere in the reply, the rules abstain
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from benchwright.models.answer_final import FinalAnswer, extract_final, named_answer, readings
from benchwright.models.answer_formula import (
    compare_formulas,
    compare_reactions,
    parse_formula,
    parse_reaction,
)
from benchwright.models.answer_lists import compare_several, elements_differ, parse_several
from benchwright.models.answer_marks import EMPTY_WORDS, VERDICT, is_refusal
from benchwright.models.answer_numbers import Match, compare_quantities, read_quantity
from benchwright.models.answer_parse import extract_choices
from benchwright.models.answer_parts import Parts, has_parts, split_parts
from benchwright.models.answer_spans import compare_spans, parse_spans
from benchwright.models.answer_text import comparable, plain, same_text, without_latex
from benchwright.schemas.records import QuestionType

__all__ = ["Comparison", "Match", "compare_answer", "compare_quantities"]

_TRUE = frozenset({"true", "correct", "right", "对", "正确", "√", "✓", "✔"})
_FALSE = frozenset({"false", "incorrect", "wrong", "错", "错误", "不正确", "不对", "*", "x", "✗", "✘"})
_YES = frozenset({"yes", "是", "是的"})
_NO = frozenset({"no", "否", "不是"})
_STATEMENT = re.compile(
    r"(?:the|this)\s+(?:given\s+)?(?:statement|claim|proposition)\s+is\s+(?P<en>(?:not\s+)?\w+)"
    r"|(?:这个|该|此|本)?(?:说法|命题|结论|题)是?(?P<zh>正确|错误|不正确|对|错)的?",
    re.IGNORECASE,
)
LONGEST_REPLY = 200_000
"""Characters; a longer reply is left to another judge."""
_BLANKS = re.compile(r"[^\S\n]{3,}")
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n){2,}")
_LONGEST = 8000
"""Characters of a reply in which all numbers are compared with the ground."""
_NUMBER = re.compile(r"(?:(?<![A-Za-z0-9)])-)?\d+(?:,\d{3})*(?:\.\d+)?")
_RATIO = re.compile(r"\d+(?:\.\d+)?(?:\s*:\s*\d+(?:\.\d+)?)+")
_CLOCK = re.compile(r"\d{1,2}:[0-5]\d(?::[0-5]\d)?")
_SHORT = 60
_OPPOSITE = {"not true": "false", "not false": "true", "not correct": "false", "not right": "false"}


@dataclass(frozen=True)
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
    cut_off: bool = False,
) -> Comparison:
    """Compare a reply with the ground answer.

    Args:
        reply: the model's text without thinking text; None or blank is no answer.
        ground: reference answer; for choices the label(s), e.g. "B", "AC".
        question_type: decides which rules apply.
        labels: labels of the options.
        option_texts: text of each option where it has one.
        unit: the ground answer's unit where it stands apart from the answer.
        cut_off: the reply was cut off at a limit: only an explicit statement in it counts.
    """
    if reply is None or not reply.strip():
        return Comparison(Match.NO_ANSWER, "empty")
    if len(reply) > LONGEST_REPLY:
        return Comparison(Match.ABSTAIN, "too-long")
    # Long runs of blanks say nothing and make every search slow.
    reply = _BLANKS.sub("  ", _BLANK_LINES.sub("\n\n", reply))
    if question_type in (QuestionType.SINGLE_CHOICE, QuestionType.MULTIPLE_SELECT):
        multiple = question_type is QuestionType.MULTIPLE_SELECT
        return _compare_choices(reply, ground, multiple, labels, dict(option_texts or {}), cut_off)
    return _compare_free(reply, ground, unit, cut_off)


def _compare_choices(
    reply: str, ground: str, multiple: bool, labels: Sequence[str], texts: Mapping[str, str], cut_off: bool
) -> Comparison:
    right = extract_choices(ground, labels, multiple, texts)
    if right.kind != "found":
        return Comparison(Match.ABSTAIN, "ground-is-no-label")
    said = extract_choices(reply, labels, multiple, texts, cut_off)
    if said.kind in ("empty", "refusal"):
        return Comparison(Match.NO_ANSWER, said.rule)
    if said.kind == "unclear":
        empty = EMPTY_WORDS.fullmatch(plain(reply)) is not None
        return Comparison(Match.NO_ANSWER, "nothing-said") if empty else Comparison(Match.ABSTAIN, said.rule)
    if not labels and not any(
        re.search(rf"(?<![a-z]){label}(?![a-z])", plain(reply)) for label in said.labels
    ):
        # Without options a small letter may be another thing than the capital.
        return Comparison(Match.ABSTAIN, "small-letter")
    match = Match.CONSISTENT if said.labels == right.labels else Match.INCONSISTENT
    return Comparison(match, said.rule, "".join(sorted(said.labels)))


def _compare_free(reply: str, ground: str, unit: str | None, cut_off: bool) -> Comparison:
    if same_text(reply, ground):
        return Comparison(Match.CONSISTENT, "same-text", comparable(reply))
    if EMPTY_WORDS.fullmatch(plain(reply)):
        return Comparison(Match.NO_ANSWER, "nothing-said")
    if is_refusal(reply):
        return Comparison(Match.NO_ANSWER, "refusal-in-words")
    if has_parts(ground):
        return _compare_parts(reply, ground, cut_off)
    final = extract_final(reply, cut_off)
    if final is None:
        return Comparison(Match.ABSTAIN, "no-final-answer")
    return _compare_final(final, ground, unit, reply)


def _compare_final(final: FinalAnswer, ground: str, unit: str | None, reply: str) -> Comparison:
    """The stated answer against the ground: as it stands, else by the value that it begins or ends with."""
    right = named_answer(ground)
    first: Comparison | None = None
    for said in readings(final):
        found = _compare_one(said, right, unit)
        if (
            found.match is Match.INCONSISTENT
            and said.source == "tail"
            and _may_be_elsewhere(found, ground, reply)
        ):
            found = Comparison(Match.ABSTAIN, "another-value-at-the-end", found.extracted)
        if found.match is not Match.ABSTAIN:
            return found
        first = first or found
    assert first is not None
    return first


def _compare_one(said: FinalAnswer, right: FinalAnswer, unit: str | None) -> Comparison:
    if same_text(said.raw, right.raw):
        return Comparison(Match.CONSISTENT, "same-text", said.text)
    if (shaped := _compare_shapes(said.raw, right.raw)) is not None:
        return Comparison(*shaped, said.text)
    if said.name is not None and right.name is not None and said.name != right.name:
        return Comparison(Match.ABSTAIN, "another-name", said.text)
    if same_text(said.text, right.text):
        return Comparison(Match.CONSISTENT, "same-text", said.text)
    match, rule = compare_quantities(said.text, right.text, unit)
    if rule == "not-a-quantity" and read_quantity(right.text) is None:
        rule = "words-or-formula"
    return Comparison(match, rule, said.text)


def _compare_shapes(said: str, ground: str) -> tuple[Match, str] | None:
    """Answers that are no single number: truth values, intervals, several values, chemistry; None for others."""
    if (truth := _compare_truth(said, ground)) is not None:
        return truth
    if (ratio := _compare_ratios(said, ground)) is not None:
        return ratio
    one, other = parse_spans(said), parse_spans(ground)
    if one is not None and other is not None and not _both_pairs(one, other):
        return compare_spans(one, other), "interval"
    if read_quantity(ground) is None and (several := parse_several(ground)) is not None:
        values = parse_several(said)
        if values is not None:
            return compare_several(values, several, _compare_items), "several-values"
        return elements_differ(named_answer(said).text, several, _compare_items), "one-of-several-values"
    return _compare_chemistry(said, ground)


def _both_pairs(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return all(len(spans) == 1 and getattr(spans[0], "certain", True) is False for spans in (one, other))


def _compare_items(said: str, ground: str) -> Match:
    """One value of several against another."""
    if same_text(said, ground):
        return Match.CONSISTENT
    return compare_quantities(said, ground)[0]


def _compare_truth(said: str, ground: str) -> tuple[Match, str] | None:
    right = _truth_of(ground)
    left = None if right is None else _truth_of(said)
    if right is None or left is None:
        return None
    if left[0] != right[0]:
        return Match.ABSTAIN, "yes-no-or-true-false"
    return (Match.CONSISTENT if left[1] == right[1] else Match.INCONSISTENT), "truth-value"


def _compare_ratios(said: str, ground: str) -> tuple[Match, str] | None:
    """Compare "3:4" with "6:8"; None where one of them is no ratio. "1:20" may be a time of day."""
    left, right = _ratio_of(said), _ratio_of(ground)
    if left is None or right is None:
        return None
    if len(left) != len(right):
        return Match.ABSTAIN, "ratio"
    if all(one * right[0] == other * left[0] for one, other in zip(left, right, strict=True)):
        return Match.CONSISTENT, "ratio"
    return Match.INCONSISTENT, "ratio"


def _ratio_of(text: str) -> tuple[Fraction, ...] | None:
    said = without_latex(text).strip().rstrip("。.").replace("∶", ":")
    if _RATIO.fullmatch(said) is None or len(said) > _SHORT or _CLOCK.fullmatch(said):
        return None
    terms = tuple(Fraction(term.strip()) for term in said.split(":"))
    return terms if all(terms) else None


def _truth_of(text: str) -> tuple[str, bool] | None:
    """Which family of words, and which of its two; None for any other text."""
    said = without_latex(text).strip().rstrip(".。!").strip().casefold()
    if (statement := _STATEMENT.fullmatch(said)) is not None:
        said = " ".join((statement["en"] or statement["zh"]).split())
        said = _OPPOSITE.get(said, said)
    for family, yes, no in (("truth", _TRUE, _FALSE), ("yes", _YES, _NO)):
        if said in yes or said in no:
            return family, said in yes
    return None


def _compare_chemistry(said: str, ground: str) -> tuple[Match, str] | None:
    right = parse_formula(ground)
    if right is not None:
        left = parse_formula(said)
        telling = len(right.written) > 1 and left is not None and len(left.written) > 1
        return (compare_formulas(left, right), "chemical-formula") if left is not None and telling else None
    reaction = parse_reaction(ground)
    other = None if reaction is None else parse_reaction(said)
    if reaction is None or other is None:
        return None
    return compare_reactions(other, reaction), "chemical-equation"


def _compare_parts(reply: str, ground: str, cut_off: bool) -> Comparison:
    right, left = split_parts(ground), split_parts(reply)
    if VERDICT.search(reply):
        return Comparison(Match.ABSTAIN, "verdict-like-text")
    if right is None or left is None or cut_off:
        return Comparison(Match.ABSTAIN, "no-parts")
    found = [_compare_part(said, wanted) for said, wanted in zip(left.texts, right.texts, strict=False)]
    said = " | ".join(left.texts)
    if len(left.texts) > len(right.texts):
        return Comparison(Match.ABSTAIN, "more-parts", said)
    if len(left.texts) < len(right.texts):
        return _missing_parts(left, found, said)
    if Match.INCONSISTENT in found:
        return Comparison(Match.INCONSISTENT, "a-part-differs", said)
    if all(match is Match.CONSISTENT for match in found):
        return Comparison(Match.CONSISTENT, "every-part", said)
    return Comparison(Match.ABSTAIN, "a-part-is-open", said)


def _missing_parts(left: Parts, found: Sequence[Match], said: str) -> Comparison:
    """Parts that are missing make a reply inconsistent where nothing else in it could be their answer."""
    if left.before or any(match is Match.ABSTAIN for match in found):
        return Comparison(Match.ABSTAIN, "parts-missing", said)
    return Comparison(Match.INCONSISTENT, "parts-missing", said)


def _compare_part(said: str, ground: str) -> Match:
    if same_text(said, ground):
        return Match.CONSISTENT
    found = _compare_free(said, ground, None, False)
    # A refusal inside of a part is no answer to it; whatever stands there, it is not the reference's.
    return Match.INCONSISTENT if found.match is Match.NO_ANSWER else found.match


def _may_be_elsewhere(found: Comparison, ground: str, reply: str) -> bool:
    """Whether the answer may stand before the value that ends a reply: another quantity, or the ground's own number."""
    right = named_answer(ground).text
    if found.rule == "another-dimension" or read_quantity(right) is None or len(reply) > _LONGEST:
        return True
    if found.extracted is not None and _unit_apart(found.extracted, right):
        return True
    said = without_latex(reply)
    for number in _NUMBER.finditer(said):
        pieces = said[number.end() : number.end() + 16]
        for end in range(len(pieces), -1, -1):
            text = number.group(0) + pieces[:end]
            if read_quantity(text) is not None:
                break
        else:
            continue
        if compare_quantities(text, right)[0] is Match.CONSISTENT or _same_number(number.group(0), right):
            return True
    return False


def _unit_apart(said: str, ground: str) -> bool:
    """Whether the two are 100 or 1000 apart, as cents and dollars or grams and kilograms without their names are."""
    one, other = read_quantity(said), read_quantity(ground)
    if one is None or other is None or not one.value or not other.value:
        return False
    ratio = max(abs(one.value / other.value), abs(other.value / one.value))
    return ratio.denominator == 1 and ratio.numerator in (100, 1000)


def _same_number(number: str, ground: str) -> bool:
    right = read_quantity(ground)
    bare = None if right is None else compare_quantities(number, str(right.value))[0]
    return bare is not None and bare is not Match.INCONSISTENT
