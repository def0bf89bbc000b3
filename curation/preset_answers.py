r"""Answers in the styles of public sources: a letter before its explanation, `\answer{...}`, Python lists."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from benchwright.curation.fields import clean_text
from benchwright.curation.presets import PresetAnswer
from benchwright.schemas.errors import ItemError

Notes = list[tuple[str, str]]

_LETTER = re.compile(
    r"\s*(?:[(（]\s*([A-H](?:\s*[,，、&]\s*[A-H])*)\s*[)）}]|([A-H])(?![A-Za-z0-9'’]))\s*[.:：;；,，\-–—]*\s*"
)
_COMMAND = re.compile(r"\\(an[a-z]*er)\s*\{")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")


@dataclass(frozen=True)
class ReadAnswer:
    """An answer, and what stood with it as its explanation."""

    value: Any
    solution: str | None = None


def read_answer(style: PresetAnswer, value: Any, latex: Any, notes: Notes) -> ReadAnswer:
    """Read an answer column.

    Args:
        style: how it is written.
        value: what stands there.
        latex: the same answer as LaTeX, where the source gives it.
        notes: takes what was decided.

    Raises:
        ItemError: `answer-withheld` or `answer-not-marked`.
    """
    if isinstance(value, str) and value.strip() in style.withheld:
        raise ItemError("answer-withheld", f"the source keeps it to itself ({value.strip()!r})")
    if style.style == "alternatives":
        return _first_of(value, notes)
    if style.style == "letter-or-command":
        return _explained(clean_text(value, "answer"), notes)
    if style.style == "number-and-latex":
        return _two_ways(clean_text(value, "answer"), _beside(latex, notes), notes)
    return ReadAnswer(value)


def _first_of(value: Any, notes: Notes) -> ReadAnswer:
    """One of several answers that are all right: the first, the others are noted."""
    # [2, 3] without quotes is an interval, no list of answers.
    quoted = isinstance(value, str) and re.match(r"\s*\[\s*['\"]", value)
    found = python_list(value) if quoted else value
    if not isinstance(found, list) or not found:
        return ReadAnswer(value)
    if len(found) > 1:
        notes.append(("several-answers", f"{found[0]!r} was taken, {found[1:]} are right as well"))
    return ReadAnswer(found[0])


def python_list(value: str) -> Any:
    """A list that stands as Python text: `['a', "it's"]`; anything else as it is."""
    try:
        found = ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return value
    if not isinstance(found, (list, tuple)):
        return value
    return [item if item is None or isinstance(item, (str, bool)) else str(item) for item in found]


def named_letters(value: Any) -> tuple[str, ...]:
    """The letters that an answer begins with, however they are set off from its explanation; () for none."""
    mark = _LETTER.match(value) if isinstance(value, str) else None
    return tuple(re.findall("[A-H]", mark.group(1) or mark.group(2))) if mark else ()


def _explained(text: str | None, notes: Notes) -> ReadAnswer:
    r"""`\answer{...}` and its explanation, or a letter and its explanation."""
    if text is None:
        return ReadAnswer(None)
    found = _commands(text)
    if found:
        name, answers, rest = found
        if name != "answer":
            notes.append(("answer-command-misspelt", f"read \\{name} as \\answer"))
        if len(answers) > 1:
            notes.append(("several-answers", f"{answers[0]!r} was taken, beside it stand {answers[1:]}"))
        if rest:
            notes.append(("answer-and-explanation", "what follows the answer became the solution"))
        return ReadAnswer(answers[0], rest or None)
    mark = _LETTER.match(text)
    if mark is None:
        raise ItemError("answer-not-marked", f"neither a letter nor \\answer{{...}}: {text[:60]!r}")
    rest = text[mark.end() :].strip()
    if rest:
        notes.append(("answer-and-explanation", "what follows the letter became the solution"))
    return ReadAnswer(mark.group(1) or mark.group(2), rest or None)


def _commands(text: str) -> tuple[str, list[str], str] | None:
    answers: list[str] = []
    name, rest, last = "", [], 0
    for mark in _COMMAND.finditer(text):
        end = _closing(text, mark.end())
        inner = text[mark.end() : end].strip() if end is not None else ""
        if end is None or not inner or mark.start() < last:
            continue
        name = name or mark.group(1)
        answers.append(inner)
        rest.append(text[last : mark.start()].strip())
        last = end + 1
    if not answers:
        return None
    rest.append(text[last:].strip())
    return name, answers, "\n".join(part for part in rest if part)


def _closing(text: str, start: int) -> int | None:
    depth = 1
    for index in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[index], 0) if text[index - 1] != "\\" else 0
        if depth == 0:
            return index
    return None


def _beside(latex: Any, notes: Notes) -> str | None:
    """The second spelling of an answer; damaged, it is no reason to lose the first."""
    try:
        return clean_text(latex, "answer")
    except ItemError as error:
        notes.append(("latex-unreadable", str(error)))
        return None


def _two_ways(number: str | None, latex: str | None, notes: Notes) -> ReadAnswer:
    if number is None:
        return ReadAnswer(latex)
    plain = (latex or "").replace("$", "").replace(" ", "")
    if _NUMBER.fullmatch(plain):
        try:
            differ = Decimal(plain) != Decimal(number)
        except InvalidOperation:
            differ = False
        if differ:
            notes.append(("answers-differ", f"{number!r} was taken, the source's LaTeX says {latex!r}"))
    return ReadAnswer(number)
