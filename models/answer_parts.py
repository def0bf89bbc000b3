"""Answers to several sub-questions: parted at their marks "(1) ... (2) ...", "① ... ② ...", "a) ... b) ...".

Marks count from the first on without a gap; of several runs in a reply the last counts, for it is the summary.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchwright.models.answer_text import plain

_CIRCLED = {chr(0x2460 + number): str(number + 1) for number in range(20)}
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6}
_MARK = re.compile(
    r"\(\s*(?P<round>\d{1,2}|[a-h]|i{1,3}|iv|vi?)\s*\)"
    r"|第\s*(?P<nth>\d{1,2}|[一二三四五六])\s*(?:小?[问题]|空)\s*[:,]?"
    r"|(?:(?<=\n)|^|(?<=[;。.,]\s)|(?<=[;。]))\s*(?:part\s+)?(?P<bare>\d{1,2}|[a-h]|i{1,3}|iv)\s*(?:\)|[.、:](?!\d))",
    re.IGNORECASE,
)
_FUNCTION_BEFORE = re.compile(r"[A-Za-z0-9_^)]$")
_NUMERALS = "一二三四五六"


@dataclass(frozen=True)
class Parts:
    """The parts of an answer, in order, without their marks, and what stands before the first."""

    texts: tuple[str, ...]
    before: str
    style: str
    """`number`, `letter` or `roman`."""


def _circles_made_plain(text: str) -> str:
    return "".join(f"({_CIRCLED[sign]})" if sign in _CIRCLED else sign for sign in text)


def split_parts(text: str) -> Parts | None:
    """The parts of a text; None where it has no mark, or none that begins with the first."""
    said = plain(_circles_made_plain(text))
    found: list[tuple[int, int, int, str]] = []
    for match in _MARK.finditer(said):
        mark = match["round"] or match["nth"] or match["bare"]
        # "f(1)", "x^(2)" and "(a)(b)" are no marks.
        if (
            match["round"]
            and _FUNCTION_BEFORE.search(said[: match.start()].rstrip(" ")[-1:])
            and not said[: match.start()].endswith((" ", "\n"))
        ):
            continue
        style, number = _read(mark.lower())
        found.append((match.start(), match.end(), number, style))
    for style in ("number", "roman", "letter"):
        run = _last_run([mark for mark in found if mark[3] == style])
        if run:
            ends = [*(mark[0] for mark in run[1:]), len(said)]
            texts = tuple(
                said[mark[1] : end].strip().strip(";,，；").strip()
                for mark, end in zip(run, ends, strict=True)
            )
            return Parts(texts, said[: run[0][0]].strip(), style)
    return None


def _last_run(marks: list[tuple[int, int, int, str]]) -> list[tuple[int, int, int, str]]:
    """The last marks that count 1, 2, 3 ...; all of them have to stand behind its first."""
    starts = [place for place, mark in enumerate(marks) if mark[2] == 1]
    if not starts:
        return []
    run = marks[starts[-1] :]
    return run if [mark[2] for mark in run] == list(range(1, len(run) + 1)) else []


def _read(mark: str) -> tuple[str, int]:
    if mark.isdigit():
        return "number", int(mark)
    if mark in _NUMERALS:
        return "number", _NUMERALS.index(mark) + 1
    if mark in _ROMAN:
        return "roman", _ROMAN[mark]
    return "letter", ord(mark) - ord("a") + 1


def has_parts(ground: str) -> bool:
    """Whether a reference answers two or more marked sub-questions."""
    parts = split_parts(ground)
    return parts is not None and len(parts.texts) >= 2 and not parts.before
