"""Tolerant reading of JSON objects in a model's reply: fences, prose around, thinking in front, damaged LaTeX.

What is certain is mended (`models.json_escapes`), what is not is refused with words for the re-ask: half an object, a
key that says two things, a number that is none, LaTeX that can be read in two ways.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from benchwright.models.json_escapes import Damaged, repair_escapes, repair_value
from benchwright.models.thinking import split_thinking

_BEGINS = re.compile(r'\{\s*["}]')
_DEEPEST = 100


class NoObject(ValueError):
    """The reply holds no complete JSON object; the message says why, in words for the re-ask."""


def parse_object(text: str) -> list[dict[str, Any]]:
    """All complete top-level JSON objects of a reply, in order of appearance.

    Half an object (cut by the token limit) is never completed.

    Raises:
        NoObject: there is none, thinking text never ends, or the last one is damaged (an earlier one would be a draft).
    """
    split = split_thinking(text)
    if split.unclosed:
        raise NoObject("the reply ends inside its thinking text")
    found = [value for _, value in _objects(split.text)]
    if found and isinstance(found[-1], Damaged):
        raise NoObject(str(found[-1]))
    objects = [value for value in found if not isinstance(value, Damaged)]
    if not objects:
        raise NoObject("the reply holds no complete JSON object")
    return objects


def ends_complete(text: str) -> bool:
    """True when nothing but blanks or a closing fence follows the last complete object."""
    last = 0
    body = split_thinking(text).text
    for end, _ in _objects(body):
        last = end
    return last > 0 and not body[last:].strip(" \r\n\t`")


def _objects(text: str) -> Iterator[tuple[int, dict[str, Any] | Damaged]]:
    position = 0
    while (start := text.find("{", position)) >= 0:
        if _BEGINS.match(text, start) is None:
            position = start + 1  # LaTeX braces or prose such as "{maybe ...}": an object may stand inside
            continue
        end = _balanced_end(text, start)
        if end is None:
            return  # half an object: what stands inside it is a fragment, not an answer
        value = _decode(text[start:end])
        if value is not None:
            yield end, value
        position = end


def _balanced_end(text: str, start: int) -> int | None:
    depth = 0
    quoted = escaped = False
    for place in range(start, len(text)):
        character = text[place]
        if quoted:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                quoted = False
        elif character == '"':
            quoted = True
        elif character in "{[":
            depth += 1
            if depth > _DEEPEST:
                return None
        elif character in "}]":
            depth -= 1
            if depth == 0:
                return place + 1
    return None


def _decode(text: str) -> dict[str, Any] | Damaged | None:
    try:
        value = repair_value(
            json.loads(
                repair_escapes(text),
                strict=False,
                parse_constant=_refuse_constant,
                parse_float=_finite,
                object_pairs_hook=_without_contradiction,
            )
        )
    except Damaged as damaged:
        return damaged
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise Damaged(f"the number {text[:20]} is too large")
    return number


def _without_contradiction(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON lets the last of two equal keys win without a word; a label that was given twice is no label."""
    value: dict[str, Any] = {}
    for name, item in pairs:
        if name in value and value[name] != item:
            raise Damaged(f"the key {name!r} stands twice, with two values: give each key once")
        value[name] = item
    return value
