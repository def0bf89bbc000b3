r"""Tolerant reading of JSON objects in a model's reply: fences, prose around, thinking in front, damaged LaTeX.

Models write `"\frac{1}{2}"` where JSON wants `"\\frac{1}{2}"`. Read as it stands, `\f` becomes a form feed and `rac`
stays; such escapes are repaired here before decoding, and what still holds control characters is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from benchwright.models.thinking import split_thinking

# Commands that begin like a JSON escape which can also be meant (\n, \r, \t); \b and \f are never meant in a text.
_COMMAND_LIST = """
nabla natural ncong ne nearrow neg neq newline nexists ngeq ni nleq nmid not notin nparallel nrightarrow
nsubseteq nu nwarrow nolimits nonumber rangle rbrace rceil rfloor rho right rightarrow rightharpoonup
rightleftharpoons rm rVert rvert rbrack rightleftarrows tan tanh tau tbinom text textbf textit textrm textstyle
tfrac theta therefore thickapprox thinspace tilde times to top triangle triangleleft triangleright
triangleq twoheadrightarrow textcircled underline uparrow
"""
_COMMANDS = frozenset(_COMMAND_LIST.split())
_CONTROL = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ud800-\\udfff]")  # halves of surrogate pairs too
_BEGINS = re.compile(r'\{\s*["}]')
_HEX4 = re.compile(r"[0-9a-fA-F]{4}")
_WORD = re.compile(r"[A-Za-z]+")


class NoObject(ValueError):
    """The reply holds no complete JSON object; the message says why, in words for the re-ask."""


def parse_object(text: str) -> list[dict[str, Any]]:
    """All complete top-level JSON objects of a reply, in order of appearance.

    Half an object (cut by the token limit) is never completed.

    Raises:
        NoObject: there is none, or thinking text never ends.
    """
    split = split_thinking(text)
    if split.unclosed:
        raise NoObject("the reply ends inside its thinking text")
    objects = [value for _, value in _objects(split.text)]
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


def _objects(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
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
        elif character in "}]":
            depth -= 1
            if depth == 0:
                return place + 1
    return None


def _decode(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(repair_escapes(text), strict=False, parse_constant=_refuse_constant)
    except ValueError:
        return None
    return value if isinstance(value, dict) and not _holds_control(value) else None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")


def _holds_control(value: Any) -> bool:
    if isinstance(value, str):
        return _CONTROL.search(value) is not None
    if isinstance(value, dict):
        return any(_holds_control(key) or _holds_control(item) for key, item in value.items())
    return isinstance(value, list) and any(_holds_control(item) for item in value)


def repair_escapes(text: str) -> str:
    r"""Double the backslashes of LaTeX commands and of escapes that JSON does not know."""
    out: list[str] = []
    position = 0
    while (place := text.find("\\", position)) >= 0:
        out.append(text[position:place])
        follows = text[place + 1 : place + 2]
        if follows in ('"', "\\", "/"):
            out.append(text[place : place + 2])
            position = place + 2
        else:
            out.append("\\" if _is_escape(text, place + 1) else "\\\\")
            position = place + 1
    out.append(text[position:])
    return "".join(out)


def _is_escape(text: str, place: int) -> bool:
    """True when the backslash before `place` begins a JSON escape that was meant as one."""
    follows = text[place : place + 1]
    if follows == "u":
        return _HEX4.match(text, place + 1) is not None
    if follows not in ("n", "r", "t"):
        return False
    word = _WORD.match(text, place)
    return word is None or word.group(0) not in _COMMANDS
