r"""Options that stand in the question, in the layouts that public sources really have.

`split_options` (options.py) splits where each option stands on a line of its own and nothing is odd. Here, in this
order and each noted: lines whose mark is written otherwise ("c." among A, B, D; "B 3 N" without its dot; "(A}" for
"(A)"; an option that runs over several lines), then all options in one line ("( )A. 6B. 9C. 12"), marks within a
formula first left out of account ("$A、B$"), then counted ("$A: \frac{1}{2}$").
"""

from __future__ import annotations

import re
from string import ascii_uppercase

from benchwright.curation.options import split_options

_LINE_MARK = re.compile(
    r"(?m)^[ \t]*(?:[(（]([A-Ha-h])\s*[)）}]|([A-Ha-h])\s*[.．、:：)）]|([A-H])(?=[ \t]+\S))[ \t]*"
)
_INLINE_MARK = re.compile(r"(?<![A-Za-z0-9\\{_^])(?:[(（]([A-H])[)）]|([A-H])\s*[.．、:：)）])\s*")
_TIGHT_MARK = re.compile(r"(?:[(（]([A-H])[)）]|([A-H])\s*[.．:：])\s*")
_MATH_MARK = re.compile(r"\$?\s*([A-H])\s*[.．:：]\s*")
_FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]*\$|\\\(.*?\\\)", re.DOTALL)
_TABLE = re.compile(r"\\begin\{(?:tabular|array|tabularx)\}")
_FEWEST = 3


def options_in(question: str, wanted: int) -> tuple[str, tuple[str, ...], str] | None:
    """Split options off a question.

    Args:
        question: the whole text.
        wanted: the highest option that the answer names, counted from 0.

    Returns:
        The stem, the options' texts in their order, and in which layout they stood; None where it is not certain.
    """
    plain = split_options(question)
    if plain is not None and len(plain[1]) > wanted:
        return plain[0], tuple(option.text or "" for option in plain[1]), "one a line"
    if _TABLE.search(question):
        return None  # rows of a table may be the options: they stay there
    fewest = max(wanted + 1, _FEWEST)
    lines = _split(question, [(m.start(), m.end(), _label(m)) for m in _LINE_MARK.finditer(question)], fewest)
    if lines is not None:
        return *lines, "lines with odd marks"
    # "C. 90D. 81": a mark may stand right behind a number or a word, which hides it from the careful pattern.
    ways = [
        _split(question, _outside_formulas(question, mark), fewest) for mark in (_INLINE_MARK, _TIGHT_MARK)
    ]
    found = [way for way in ways if way is not None]
    if found:
        return *max(found, key=lambda way: len(way[1])), "in one line"
    within = _split(question, [(m.start(), m.end(), m[1]) for m in _MATH_MARK.finditer(question)], fewest)
    return (*within, "in one line, marks in formulas") if within is not None else None


def _label(mark: re.Match[str]) -> str:
    return next(group for group in mark.groups() if group).upper()


def _outside_formulas(question: str, pattern: re.Pattern[str]) -> list[tuple[int, int, str]]:
    masked = _FORMULA.sub(lambda found: "\0" * len(found.group()), question)
    return [(mark.start(), mark.end(), _label(mark)) for mark in pattern.finditer(masked)]


def _split(
    question: str, marks: list[tuple[int, int, str]], fewest: int
) -> tuple[str, tuple[str, ...]] | None:
    """The last run A, B, C... of marks to the end of the question, each with a text, behind a stem."""
    starts = [index for index, mark in enumerate(marks) if mark[2] == "A"]
    for first in reversed(starts):
        run = marks[first:]
        if len(run) < fewest or [mark[2] for mark in run] != list(ascii_uppercase[: len(run)]):
            continue
        ends = [mark[0] for mark in run[1:]] + [len(question)]
        texts = [question[mark[1] : end].strip() for mark, end in zip(run, ends, strict=True)]
        texts = [_closed(text) for text in texts]
        stem = question[: run[0][0]].rstrip()
        if stem and all(texts):
            return stem, tuple(texts)
    return None


def _closed(text: str) -> str:
    """A text whose only odd dollar sign was cut off with the mark before it gets it back."""
    if text.count("$") % 2:
        return f"${text}" if text.rstrip(".。 ").endswith("$") or "\\" in text.split("$")[0] else text
    return text
