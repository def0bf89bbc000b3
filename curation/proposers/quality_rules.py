"""Faults of a text that a program can point to, and a rough measure of its complexity. Pure functions.

Only what is visible in the characters: missing options, answers outside of the options, placeholders, marks of
pictures that are not there, torn formulas. Whether a statement is true, or belongs to the discipline, no rule here
says; an empty list is no clean bill of health.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from benchwright.curation.proposers.quality_faults import Fault
from benchwright.curation.proposers.quality_rotation import CLOSED, right_labels
from benchwright.models.answer_text import comparable
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import LocalizedText, QuestionType

_PLACEHOLDER = re.compile(
    r"\b(?:TODO|TBD|FIXME|lorem ipsum)\b|\{\{\s*\w+\s*\}\}|<(?:insert|your) [^>]*>"
    r"|待补充|此处(?:填写|插入)|\?{4,}|？{4,}",
    re.IGNORECASE,
)
_SAYS_NOTHING = frozenset(
    {"", "-", "--", "n/a", "na", "none", "null", "nan", "undefined", "?", "略", "无", "见解析"}
)
_MARKER = re.compile(r"<\s*image\s*_?(\d+)\s*>|\[\s*image\s*_?(\d+)\s*\]|<img\b", re.IGNORECASE)
_SPEAKS_OF_PICTURE = re.compile(
    r"如(?:右|左|上|下)?图|(?:右|左|上|下)图(?:所示|中|是|为)|图中所示"
    r"|\b(?:in|from|on|to|by) the (?:figure|diagram|picture|graph|image)\b"
    r"|\b(?:figure|diagram|graph|picture)s? (?:above|below|shown|shows)\b|\bas shown (?:below|above|here)\b"
    r"|\bshown in (?:figure|fig\.)",
    re.IGNORECASE,
)
_DRAWN_IN_WORDS = "[asy]"
"""Asymptote's drawing commands: the picture stands in the text."""
_GARBLED = re.compile(r"[\ufffd\x00-\x08\x0b\x0c\x0e-\x1f\ue000-\uf8ff]")
_ASKS = re.compile(r"[?？]|_{2,}|[（(]\s*[)）]|\\(?:underline|quad)|\$\s*\(?\\quad")
_TORN_END = re.compile(r"(?:[,，、;；(（\[{]|\b(?:the|of|and|a|an|with)|的|和|与)\s*$", re.IGNORECASE)
_FORMULA = re.compile(r"\$\$?[^$]+\$\$?|\\\(.+?\\\)|\\\[.+?\\\]", re.DOTALL)
_WORD = re.compile(r"[A-Za-z]+")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")

COMPLEXITY_CUTS = (15, 35, 60, 100)
"""Loads at which complexity rises by one level."""
_WORDS_A_CHARACTER = 0.6
_WORDS_A_FORMULA = 4
_WORDS_A_POINT = 8


def text_faults(
    text: LocalizedText, kind: QuestionType, pictures: int, other_pictures: int = 0
) -> tuple[Fault, ...]:
    """What is visibly wrong with a text, worst first as it stands in the question.

    Args:
        text: the question in one language.
        kind: of the question.
        pictures: how many pictures belong to the stem.
        other_pictures: how many belong to options.
    """
    found = [
        *_stem(text.question, kind),
        *_pictures(text.question, pictures, other_pictures),
        *_answer(text, kind),
        *(_options(text, kind, pictures) if kind in CLOSED else ()),
    ]
    return tuple(dict.fromkeys(found))


def _stem(question: str, kind: QuestionType) -> Iterator[Fault]:
    stem = question.strip()
    if len(stem) < 4:
        yield Fault("incomplete", f"The question is {stem!r} and asks nothing.")
        return
    if (match := _PLACEHOLDER.search(_FORMULA.sub(" ", stem))) is not None:
        yield Fault("incomplete", f"The text holds the placeholder {match.group(0)!r}.")
    if (match := _GARBLED.search(stem)) is not None:
        yield Fault("incoherent", f"The text holds the unreadable character U+{ord(match.group(0)):04X}.")
    # The stem of a question with options may be a sentence that each of them completes.
    if kind not in CLOSED and _TORN_END.search(stem) and not _ASKS.search(stem):
        yield Fault("incoherent", f"The text breaks off: it ends in {stem[-20:]!r}.")
    if (torn := _unbalanced(stem)) is not None:
        yield Fault("incoherent", torn)


def _unbalanced(stem: str) -> str | None:
    """A formula whose braces do not close; dollar signs alone prove nothing, they may be money."""
    for match in _FORMULA.finditer(stem):
        bare = re.sub(r"\\[{}\\]", "", match.group(0))
        if bare.count("{") != bare.count("}"):
            return f"Braces do not match in the formula {match.group(0)[:40]!r}."
    return None


def _pictures(question: str, pictures: int, other_pictures: int) -> Iterator[Fault]:
    marks = [int(match.group(1) or match.group(2) or 1) for match in _MARKER.finditer(question)]
    if marks and not pictures:
        yield Fault("incomplete", "The text has a place for a picture, and there is none.")
    elif _DRAWN_IN_WORDS in question:
        return
    elif not pictures and not other_pictures and (match := _SPEAKS_OF_PICTURE.search(question)) is not None:
        yield Fault("incomplete", f"The text speaks of a picture ({match.group(0)!r}), and there is none.")


def _answer(text: LocalizedText, kind: QuestionType) -> Iterator[Fault]:
    if text.answer.strip().casefold() in _SAYS_NOTHING and kind in CLOSED:
        yield Fault("incomplete", "There is no reference answer.")
    elif text.answer.strip().casefold() in _SAYS_NOTHING - {"none", "无", "?", "na"}:
        yield Fault("incomplete", f"The reference answer {text.answer!r} says nothing.")


def _options(text: LocalizedText, kind: QuestionType, pictures: int) -> Iterator[Fault]:
    labels = [choice.label for choice in text.choices]
    if len(labels) < 2:
        yield Fault("incomplete", f"A question with options has {len(labels)} of them.")
        return
    if text.answer.strip():
        try:
            right = right_labels(text, kind)
        except ItemError:
            yield Fault(
                "inaccurate",
                f"The reference answer {text.answer!r} is none of the options {', '.join(labels)}.",
            )
        else:
            if kind is QuestionType.SINGLE_CHOICE and len(right) > 1:
                yield Fault(
                    "inaccurate", f"One option should be right, the reference answer is {text.answer!r}."
                )
    empty = [
        choice.label for choice in text.choices if not (choice.text or "").strip() and choice.image is None
    ]
    # Several bare letters stand in the picture or in a table of the stem; a single one was lost.
    elsewhere = pictures or all(
        re.search(rf"(?<![A-Za-z]){re.escape(label)}(?![A-Za-z])", text.question) for label in empty
    )
    if len(empty) == 1 or (empty and not elsewhere):
        yield Fault("incomplete", f"There is nothing in option {', '.join(empty)}.")
    yield from _repeats(text)


def _repeats(text: LocalizedText) -> Iterator[Fault]:
    seen: dict[str, str] = {}
    for choice in text.choices:
        if choice.text is None or choice.image is not None or not comparable(choice.text):
            continue
        twin = seen.setdefault(comparable(choice.text), choice.label)
        if twin != choice.label:
            yield Fault("ambiguous", f"Options {twin} and {choice.label} say the same.")


def complexity(text: LocalizedText, points: Sequence[str]) -> int:
    """Rough knowledge complexity, 1 to 5, from the load of the text: words, formulas and knowledge points.

    The number of words is what goes best with the difficulty that sources state, and that is not much (rank
    correlation 0.2 to 0.4): this is an order to look at items in, not a measurement.
    """
    plain = _FORMULA.sub(" ", text.question)
    words = len(_WORD.findall(plain)) + _WORDS_A_CHARACTER * len(_CHINESE.findall(plain))
    formulas = len(_FORMULA.findall(text.question))
    load = words + _WORDS_A_FORMULA * formulas + _WORDS_A_POINT * max(0, len(set(points)) - 1)
    return 1 + sum(load >= cut for cut in COMPLEXITY_CUTS)
