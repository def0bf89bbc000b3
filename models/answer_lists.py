"""Answers that are several values: sets, coordinates, values of named unknowns, lists.

    set     "{2, 4}", "±4", "x = 2 or x = -2": order does not matter, number of elements does
    pair    "(2, -1)", "x = 2, y = -1": each place counts
    list    "3, 5": the order may matter (two blanks) or not, so another order abstains

Elements are compared as single answers by the caller's `compare`; equal elements of a set are one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from benchwright.models.answer_numbers import Match, read_quantity
from benchwright.models.answer_text import comparable, without_latex

Compare = Callable[[str, str], Match]

_NAMED = re.compile(r"\s*([A-Za-zαβθλωμ](?:_?\{?\w\}?)?)\s*[=≈]\s*([^=]+)")
_OR = re.compile(r"\s*(?:\bor\b|或者?)\s*", re.IGNORECASE)
_AND = re.compile(r"\s*(?:[,，;；、]|\band\b|和|且)\s*", re.IGNORECASE)
_SET_LEAD = re.compile(
    r"^(?:[A-Za-z](?:\s*[∩∪]\s*\(?[A-Za-z∁]\w*\)?)*\s*=|[A-Za-z]\s*∈)\s*(?=\{)|^(?:解集|集合)?(?:为|是|=)?\s*(?=\{)"
)
_PAIR = re.compile(r"(?:[A-Z]\w?\s*)?\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*(.*)", re.DOTALL)
_COORDINATES = ("x", "y", "z")
_MOST = 12


@dataclass(frozen=True)
class Several:
    """Several values of one answer."""

    kind: Literal["set", "pair", "list", "named"]
    values: tuple[str, ...]
    names: tuple[str, ...] = ()
    """For `named`: the unknown of each value."""


def parse_several(text: str) -> Several | None:
    """Read an answer as several values; None for one that is a single value or cannot be read."""
    said = without_latex(text.replace(r"\{", "{").replace(r"\}", "}")).strip().rstrip("。.").strip()
    said = said.replace("，", ",").replace("；", ";")
    if not said or len(said) > 300:
        return None
    body = _SET_LEAD.sub("", said)
    if body.startswith("{") and body.endswith("}") and "{" not in body[1:]:
        values = _split(body[1:-1])
        return None if values is None else Several("set", values)
    if (both := _plus_minus(said)) is not None:
        return both
    if (named := _named(said)) is not None:
        return named
    pair = _PAIR.fullmatch(said)
    if pair is not None and (values := _split(pair[1])) is not None and len(values) >= 2:
        unit = pair[2].strip()
        return Several("pair", tuple(f"{value} {unit}" for value in values) if unit else values)
    values = _split(said)
    return Several("list", values) if values is not None and len(values) >= 2 else None


def _split(text: str) -> tuple[str, ...] | None:
    """Values between commas (or the like) outside of brackets; None where one is empty."""
    depth = 0
    marks = [text]
    pieces: list[str] = [""]
    for sign in marks[0]:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(sign, 0)
        if sign in ",;、" and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += sign
    values = tuple(value for piece in pieces for value in _words(piece.strip()))
    return values if values and len(values) <= _MOST and all(values) else None


def _words(piece: str) -> list[str]:
    """A piece without commas, parted at "and" and "or"."""
    parted = [
        part.strip()
        for part in re.split(r"\s+(?:and|or)\s+|\s*(?:和|或者?|且)\s*", re.sub(r"^(?:and|or)\s+", "", piece))
    ]
    return parted


def _plus_minus(said: str) -> Several | None:
    match = re.fullmatch(r"(?:([A-Za-z]\w?)\s*=\s*)?±\s*(.+)", said)
    if match is None or read_quantity(match[2]) is None:
        return None
    value = match[2].strip()
    return Several("set", (value, f"-{value}"))


def _named(said: str) -> Several | None:
    """Read "x = 2 or x = -2" as a set, "x = 2, y = -1" as named values."""
    pieces = [piece for piece in re.split(r"\s*(?:[,;、]|\band\b|\bor\b|或者?|和|且)\s*", said) if piece]
    matches = [_NAMED.fullmatch(piece) for piece in pieces]
    if len(pieces) < 2 or len(pieces) > _MOST:
        return None
    if matches[0] is not None and all(match is None for match in matches[1:]):
        # "x = 2 or -2", "x = -1, 3"
        if all(read_quantity(piece) is not None for piece in pieces[1:]):
            return Several("set", (matches[0][2].strip(), *pieces[1:]))
        return None
    found = [match for match in matches if match is not None]
    if len(found) != len(matches):
        return None
    names = tuple(comparable(match[1]) for match in found)
    values = tuple(match[2].strip() for match in found)
    roots = {re.sub(r"_?\{?\d\}?$", "", name) for name in names}
    numbered = all(re.search(r"\d$", name) for name in names) and len(set(names)) == len(names)
    if len(roots) == 1 and (len(set(names)) == 1 or numbered):
        return Several("set", values)
    return Several("named", values, names) if len(set(names)) == len(names) else None


def compare_several(said: Several, ground: Several, compare: Compare) -> Match:
    """Compare two answers of several values; abstains where their kinds do not fit together."""
    kinds = {said.kind, ground.kind}
    if kinds == {"set"}:
        return _as_sets(said.values, ground.values, compare)
    if kinds == {"named"}:
        if sorted(said.names) != sorted(ground.names):
            return Match.ABSTAIN
        by_name = dict(zip(said.names, said.values, strict=True))
        return in_order([by_name[name] for name in ground.names], ground.values, compare)
    if kinds == {"pair", "named"}:
        named, pair = (said, ground) if said.kind == "named" else (ground, said)
        if named.names != _COORDINATES[: len(named.names)] or len(pair.values) != len(named.values):
            return Match.ABSTAIN
        return in_order(said.values, ground.values, compare)
    if kinds == {"pair"}:
        return in_order(said.values, ground.values, compare)
    if kinds == {"list"} or kinds == {"list", "set"}:
        if len(said.values) != len(ground.values):
            unlike = _as_sets(said.values, ground.values, compare)
            return unlike if kinds == {"list", "set"} and unlike is Match.INCONSISTENT else Match.ABSTAIN
        straight = in_order(said.values, ground.values, compare)
        if straight is Match.CONSISTENT:
            return straight
        any_order = _as_sets(said.values, ground.values, compare)
        if "set" in kinds:
            return any_order
        return Match.INCONSISTENT if any_order is Match.INCONSISTENT else Match.ABSTAIN
    return Match.ABSTAIN


def in_order(said: Sequence[str], ground: Sequence[str], compare: Compare) -> Match:
    """Each value against its own: all have to be consistent, one that differs is enough."""
    if len(said) != len(ground):
        return Match.INCONSISTENT
    found = [compare(one, other) for one, other in zip(said, ground, strict=True)]
    if Match.INCONSISTENT in found:
        return Match.INCONSISTENT
    return Match.CONSISTENT if all(match is Match.CONSISTENT for match in found) else Match.ABSTAIN


def _as_sets(said: Sequence[str], ground: Sequence[str], compare: Compare) -> Match:
    left, right = _distinct(said, compare), _distinct(ground, compare)
    if left is None or right is None:
        return Match.ABSTAIN
    table = [[compare(one, other) for other in right] for one in left]
    columns = list(zip(*table, strict=True))
    if any(line.count(Match.CONSISTENT) > 1 for line in (*table, *columns)):
        return Match.ABSTAIN
    lonely = [line for line in (*table, *columns) if Match.CONSISTENT not in line]
    if not lonely:
        return Match.CONSISTENT
    # An element that differs from every one of the other set, provably.
    if any(all(match is Match.INCONSISTENT for match in line) for line in lonely):
        return Match.INCONSISTENT
    return Match.ABSTAIN


def _distinct(values: Sequence[str], compare: Compare) -> list[str] | None:
    """The values without repetitions; None where it is open whether two are the same."""
    found: list[str] = []
    for value in values:
        same = [comparable(value) == comparable(other) for other in found]
        if any(same):
            continue
        if any(compare(value, other) is Match.CONSISTENT for other in found):
            return None
        found.append(value)
    return found


def elements_differ(said: str, ground: Several, compare: Compare) -> Match:
    """A single value against a set of several distinct ones: too few."""
    values = _distinct(ground.values, compare)
    if ground.kind != "set" or values is None or len(values) < 2 or read_quantity(said) is None:
        return Match.ABSTAIN
    return Match.INCONSISTENT if all(read_quantity(value) is not None for value in values) else Match.ABSTAIN
