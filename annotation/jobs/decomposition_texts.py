"""Texts of a decomposition page: several entries in one field, and where a span went in an edited stem.

Fields hold plain text. What a reviewer left as it was is not read from the text at all, so no value changes by being
shown; only what was edited is read by these rules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import Decomposition, KnowledgeDetail

FIELDS = ("stem_text", "core_question", "cue_terms", "cue_sentence", "knowledge_detail")
"""Names of the text fields of the page, in its order."""
_BLANK_LINE = re.compile(r"\n\s*\n")
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def field_texts(split: Decomposition) -> dict[str, str]:
    """What stands in each text field of the page for a decomposition."""
    return {
        "stem_text": split.stem,
        "core_question": split.core_question,
        "cue_terms": "\n".join(split.knowledge_cue.terms),
        "cue_sentence": split.knowledge_cue.sentence,
        "knowledge_detail": detail_text(split.knowledge_detail),
    }


def detail_text(details: Sequence[KnowledgeDetail]) -> str:
    """One block an entry, blank lines between: the term in the first line, its law in those below."""
    return "\n\n".join(f"{entry.term}\n{_BLANK_LINE.sub(chr(10), entry.text)}" for entry in details)


def read_details(text: str) -> tuple[KnowledgeDetail, ...]:
    """The inverse of `detail_text`.

    Raises:
        ItemError: `detail-without-text` where a block has one line only.
    """
    entries = []
    for block in _BLANK_LINE.split(plain(text)):
        lines = [line.strip() for line in block.split("\n") if line.strip()]
        if not lines:
            continue
        if len(lines) == 1:
            raise ItemError(
                "detail-without-text",
                f"{lines[0][:60]!r} has no law below it: term first, its law in the next line",
            )
        entries.append(KnowledgeDetail(term=lines[0], text="\n".join(lines[1:])))
    return tuple(entries)


def read_lines(text: str) -> tuple[str, ...]:
    """The lines that are not empty, without blanks around them."""
    return tuple(line.strip() for line in plain(text).split("\n") if line.strip())


def plain(text: str) -> str:
    """A text with the line ends that a browser gives back."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def squeezed(text: str) -> str:
    r"""A text without blanks and without the `\n` that Label Studio writes for a line end, for comparisons alone."""
    return "".join(text.replace("\\n", "").split())


def moved_span(old: str, new: str, start: int, end: int) -> tuple[int, int] | None:
    """Where a span of a text stands after the text was edited; None where the edit went through it.

    Args:
        old: the text before.
        new: the text after.
        start: first character of the span in `old`.
        end: one after its last character.
    """
    head = _common(old, new)
    if end <= head:
        return start, end
    tail = min(_common(old[::-1], new[::-1]), min(len(old), len(new)) - head)
    if start >= len(old) - tail:
        shift = len(new) - len(old)
        return start + shift, end + shift
    middle = (old[head : len(old) - tail], new[head : len(new) - tail])
    for place_old, place_new, size in _blocks(*middle):
        first, last = head + place_old, head + place_old + size
        if first <= start and end <= last:
            shift = place_new - place_old
            return start + shift, end + shift
    return None


def new_id(span: str, taken: set[str]) -> str:
    """An id for a condition that no proposal has: made of its numbers, so that the languages of a problem share it.

    Args:
        span: the condition's words.
        taken: ids that are in use; a second condition with the same numbers gets a letter.
    """
    numbers = _NUMBER.findall(span)
    words = "".join(char for char in span.casefold() if char.isalnum())
    name = "n" + "-".join(numbers) if numbers else "t" + (words[:24] or "mark")
    if name not in taken:
        return name
    return next(f"{name}{chr(98 + i)}" for i in range(1000) if f"{name}{chr(98 + i)}" not in taken)


def _common(first: str, second: str) -> int:
    """Length of the common beginning."""
    for place, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return place
    return min(len(first), len(second))


def _blocks(old: str, new: str) -> list[tuple[int, int, int]]:
    """Runs of words that both texts share, as (place in old, place in new, length) in characters."""
    left, right = _TOKEN.findall(old), _TOKEN.findall(new)
    starts_left, starts_right = _starts(left), _starts(right)
    return [
        (
            starts_left[block.a],
            starts_right[block.b],
            starts_left[block.a + block.size] - starts_left[block.a],
        )
        for block in SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
        if block.size
    ]


def _starts(tokens: Sequence[str]) -> list[int]:
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(token))
    return starts
