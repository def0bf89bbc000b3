"""Intervals and inequalities: "[2, +∞)", "x ≥ 2" and "2 ≤ x" are one thing; unions of them too.

Whether "(2, 3)" is an interval or a pair of coordinates cannot be told from the answer alone. Both readings are equal
when ends and brackets are; other brackets decide only where one of the two texts can be nothing but an interval.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchwright.models.answer_numbers import Match, compare_quantities, read_quantity
from benchwright.models.answer_text import comparable, without_latex

INFINITY = "∞"
_BRACKETS = re.compile(
    r"(?:([A-Za-z]\w{0,3})\s*∈\s*)?([(\[])\s*([^,;()\[\]]+|[^,;]*?\([^,;()]*\)[^,;]*?)\s*[,;]\s*([^,;()\[\]]+|[^,;]*?\([^,;()]*\)[^,;]*?)\s*([)\]])"
)
_SIGN = r"(<=|>=|=<|=>|[<>≤≥])"
_CHAIN = re.compile(rf"([^<>≤≥=,;]+?)\s*{_SIGN}\s*([A-Za-zαβθλωμ]\w{{0,3}})\s*{_SIGN}\s*([^<>≤≥=,;]+)")
_ONE = re.compile(rf"([^<>≤≥=,;]+?)\s*{_SIGN}\s*([^<>≤≥=,;]+)")
_NAME = re.compile(r"[A-Za-zαβθλωμ](?:_?\w)?")
_UNION = re.compile(r"\s*(?:∪|\bor\b|或者?)\s*")
_LEADS = re.compile(r"^(?:(?:其|所求)?(?:解集|取值范围|定义域|值域|范围)\s*(?:为|是)?\s*:?\s*)")


@dataclass(frozen=True)
class Span:
    """One interval; ends as text, `∞` for no end."""

    low: str
    low_closed: bool
    high: str
    high_closed: bool
    name: str | None = None
    """The variable, where an inequality or membership names it."""
    certain: bool = True
    """False: "(a, b)", which may be a pair."""


def parse_spans(text: str) -> tuple[Span, ...] | None:
    """The interval, or the union of intervals, that a text is; None where it is nothing of the kind."""
    said = (
        _LEADS.sub("", without_latex(text.replace(r"\{", "{").replace(r"\}", "}")).strip())
        .strip()
        .rstrip("。.")
        .strip()
    )
    if len(said) > 200:
        return None
    set_of = re.fullmatch(r"\{\s*([A-Za-z])\s*[|:∣]\s*(.+)\}", said)
    if set_of is not None:
        said = set_of[2].strip()
    spans = [_one_span(piece.strip()) for piece in _UNION.split(said)]
    if not spans or any(span is None for span in spans):
        return None
    return tuple(span for span in spans if span is not None)


def _one_span(text: str) -> Span | None:
    if (match := _BRACKETS.fullmatch(text)) is not None:
        low, high = _end(match[3]), _end(match[4])
        closed = match[2] == "[", match[5] == "]"
        certain = (any(closed) and not all(closed)) or INFINITY in (low, high) or match[1] is not None
        return Span(low, closed[0], high, closed[1], match[1], certain)
    if (match := _CHAIN.fullmatch(text)) is not None:
        if (match[2][0] in "<≤=") != (match[4][0] in "<≤="):
            return None
        low, high = _end(match[1]), _end(match[5])
        closed = _closed(match[2]), _closed(match[4])
        if match[2][0] in ">≥":
            low, high, closed = high, low, (closed[1], closed[0])
        return Span(low, closed[0], high, closed[1], match[3])
    if (match := _ONE.fullmatch(text)) is not None:
        left, sign, right = match[1].strip(), match[2], match[3].strip()
        if _NAME.fullmatch(left) is None or read_quantity(left) is not None:
            if _NAME.fullmatch(right) is None:
                return None
            left, right, sign = right, left, sign.translate(str.maketrans("<>≤≥", "><≥≤"))
        closed_end = _closed(sign)
        if sign[0] in ">≥" or sign == "=>":
            return Span(_end(right), closed_end, INFINITY, False, left)
        return Span(INFINITY, False, _end(right), closed_end, left)
    return None


def _closed(sign: str) -> bool:
    return sign in ("≤", "≥") or "=" in sign


def _end(text: str) -> str:
    said = comparable(text)
    return INFINITY if said.lstrip("+-") in (INFINITY, "inf", "oo") else said


def compare_spans(said: tuple[Span, ...], ground: tuple[Span, ...]) -> Match:
    """Compare two unions of intervals, whatever their order."""
    if len(said) != len(ground):
        return Match.ABSTAIN
    if len(said) == 1:
        return _compare(said[0], ground[0])
    pairs = [[_compare(one, other) for other in ground] for one in said]
    if all(row.count(Match.CONSISTENT) == 1 for row in pairs) and all(
        [row[place] for row in pairs].count(Match.CONSISTENT) == 1 for place in range(len(ground))
    ):
        return Match.CONSISTENT
    open_left = any(Match.ABSTAIN in row for row in pairs)
    return Match.ABSTAIN if open_left else Match.INCONSISTENT


def _compare(said: Span, ground: Span) -> Match:
    if said.name is not None and ground.name is not None and said.name != ground.name:
        return Match.ABSTAIN
    ends = [compare_ends(said.low, ground.low), compare_ends(said.high, ground.high)]
    if Match.INCONSISTENT in ends:
        return Match.INCONSISTENT
    if Match.ABSTAIN in ends:
        return Match.ABSTAIN
    if (said.low_closed, said.high_closed) == (ground.low_closed, ground.high_closed):
        return Match.CONSISTENT
    return Match.INCONSISTENT if said.certain or ground.certain else Match.ABSTAIN


def compare_ends(said: str, ground: str) -> Match:
    """Compare two ends: the same text, or numbers; exact ones have to be equal."""
    if said == ground:
        return Match.CONSISTENT
    if INFINITY in (said, ground):
        return Match.INCONSISTENT
    return compare_quantities(said, ground)[0]
