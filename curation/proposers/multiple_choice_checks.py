"""Program checks of a multiple-choice question: one right option, and nothing that gives it away.

Pure functions; findings read `code: words`. The bounds of length and digits were measured on the options of real
examinations (`tests/curation/proposers/test_multiple_choice_checks.py` measures them again).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from benchwright.curation.proposers.multiple_choice_values import (
    Value,
    read_value,
    same_kind_of_unit,
    same_option,
    too_close,
)
from benchwright.curation.proposers.translation_checks import (
    Pair,
    formula_findings,
    number_findings,
    sign_findings,
    text_findings,
    unit_findings,
)
from benchwright.models.answer_text import comparable, without_latex
from benchwright.schemas.records import Language

LABELS = "ABCDEFGHIJ"
"""Labels of the options of a converted question, in order."""
_NONE = re.compile(
    r"\b(?:none|neither|no(?:ne)? one|not any)\s+of\s+(?:these|those|the\s+(?:above|other|options))|\bnone\s*$"
    r"|以上(?:答案|选项|各项|说法)?(?:都|均|全)?不(?:对|正确|是)|没有正确(?:答案|选项)|都不对",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:all|any|both|each)\s+of\s+(?:these|those|the\s+(?:above|other|options))|以上(?:都|均|全)(?:对|正确|是)"
    r"|\bboth\s+\(?[A-J]\)?\s+and\b|[A-J]\s*和\s*[A-J]\s*(?:都|均)",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"[(（]\s*(?:in)?correct\b|[(（]\s*(?:wrong|right|true|false)\s*[)）]|\bdistractor\b|\bmisconception\b|[(（]\s*(?:错误|正确|误)"
    r"|干扰项",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"^\s*[(（]?[A-J](?:[)）]|[.．:：、](?!\d))\s*\S")
_SCIENTIFIC = re.compile(r"10\s*\^|[\d.][eE][-+]?\d")
_LITERAL = re.compile(r"\d[\d,]*(?:\.\d+)?")
_UNSEEN = re.compile(r"\\[A-Za-z]+|\\.|[{}$^_\s~]")
"""What takes no room: marks of LaTeX; a command takes that of one sign."""
_LONGER, _SHORTER, _LETTERS = 1.8, 0.45, 20
_FIGURES = 2


@dataclass(frozen=True)
class Options:
    """Options in the order in which they are shown."""

    texts: tuple[str, ...]
    right: int
    """Place of the right one."""

    @property
    def wrong(self) -> tuple[str, ...]:
        """The other ones, in order."""
        return tuple(text for place, text in enumerate(self.texts) if place != self.right)

    def label(self, place: int) -> str:
        """Label of a place."""
        return LABELS[place]


def option_findings(options: Options, ground: str, none_of_these: bool = False) -> tuple[str, ...]:
    """Everything the checks find in the options of one question.

    Args:
        options: as shown.
        ground: what the right option has to say: the free-form answer with its unit.
        none_of_these: whether an option such as "none of these" was asked for.
    """
    return (
        *_one_right(options, ground),
        *_distinct(options),
        *_form(options),
        *_lengths(options),
        *_words(options, none_of_these),
    )


def _one_right(options: Options, ground: str) -> Iterator[str]:
    right = options.texts[options.right]
    if same_option(right, ground) is None:
        yield f"right-not-ground: {right!r} is not the answer {ground!r}"
    for place, text in enumerate(options.texts):
        if place == options.right:
            continue
        if (how := same_option(text, right)) is not None:
            yield f"two-right: {options.label(place)} {text!r} says the same as the right option ({how})"
        elif too_close(text, right):
            yield f"too-close: {options.label(place)} {text!r} would pass for the right option {right!r}"


def _distinct(options: Options) -> Iterator[str]:
    for (one, first), (other, second) in combinations(enumerate(options.texts), 2):
        if options.right in (one, other):
            continue
        if (how := same_option(first, second)) is not None:
            yield f"duplicate: {options.label(one)} and {options.label(other)} say the same ({how})"
    for place, text in enumerate(options.texts):
        if not text.strip():
            yield f"empty-option: {options.label(place)}"


def _form(options: Options) -> Iterator[str]:
    """All numbers or none, one unit, one way of writing."""
    values = [read_value(text) for text in options.texts]
    right = values[options.right]
    for place, value in enumerate(values):
        if place == options.right:
            continue
        name = f"{options.label(place)} {options.texts[place]!r}"
        if (right is None) != (value is None):
            if right is not None or not _open(options):
                yield f"unlike-form: {name}: number and no number beside each other"
        elif right is not None and value is not None:
            yield from _number_form(name, options.texts[place], value, options.texts[options.right], right)
    marks = {"$" in text or r"\(" in text for text in options.texts}
    if len(marks) > 1 and all(value is not None for value in values):
        yield "unlike-form: some options are formulas, others are not"


def _open(options: Options) -> bool:
    """Whether the right option is in words, beside which a number may stand."""
    return read_value(options.texts[options.right]) is None


def _number_form(name: str, text: str, value: Value, right_text: str, right: Value) -> Iterator[str]:
    if value.number == 0 and value.unit is None:
        return  # nothing is nothing in any unit
    if not same_kind_of_unit(value, right):
        yield f"unlike-unit: {name}: the right option has {_unit_words(right)}"
        return
    if (_SCIENTIFIC.search(without_latex(text)) is None) != (
        _SCIENTIFIC.search(without_latex(right_text)) is None
    ):
        yield f"unlike-number: {name}: powers of ten on one side only"
    elif value.decimal and right.decimal and ("." in text or "." in right_text):
        few, many = sorted((figures(text), figures(right_text)))
        if many - few > _FIGURES:
            yield f"unlike-number: {name}: {figures(text)} figures, the right option has {figures(right_text)}"


def _unit_words(value: Value) -> str:
    return "%" if value.percent else (value.unit or "no unit")


def figures(text: str) -> int:
    """Significant figures as written; closing zeros of an integer do not count."""
    match = _LITERAL.search(without_latex(text))
    if match is None:
        return 0
    digits = match[0].replace(",", "")
    if "." not in digits:
        digits = digits.rstrip("0")
    return len(digits.replace(".", "").lstrip("0")) or 1


def _lengths(options: Options) -> Iterator[str]:
    """The right option must not be told by its length."""
    lengths = [len(_UNSEEN.sub(_one_sign, text)) for text in options.texts]
    right = lengths.pop(options.right)
    if not lengths:
        return
    longest, shortest = max(lengths), min(lengths)
    if right > _LONGER * longest and right - longest >= _LETTERS:
        yield f"right-is-longest: {right} characters, the next one has {longest}"
    if right < _SHORTER * shortest and shortest - right >= _LETTERS:
        yield f"right-is-shortest: {right} characters, the next one has {shortest}"


def _one_sign(match: re.Match[str]) -> str:
    return "x" if len(match[0]) > 1 else ""


def _words(options: Options, none_of_these: bool) -> Iterator[str]:
    for place, text in enumerate(options.texts):
        if not none_of_these and _NONE.search(text):
            yield f"none-of-these: {options.label(place)} {text!r}"
        if _ALL.search(text):
            yield f"all-of-these: {options.label(place)} {text!r}"
        if _TELLS.search(text):
            yield f"tells: {options.label(place)} {text!r} says whether it is right"
        if _LABELLED.match(text) and place != options.right:
            yield f"labelled: {options.label(place)} {text!r} begins with a label"


def misconception_findings(misconceptions: Sequence[str]) -> tuple[str, ...]:
    """Each wrong option stands for an error of its own, said in words.

    Args:
        misconceptions: of the wrong options, in order.
    """
    found = [
        f"misconception-missing: distractor {place}"
        for place, said in enumerate(misconceptions, start=1)
        if len(re.sub(r"\W", "", said)) < 4
    ]
    seen: dict[str, int] = {}
    for place, said in enumerate(misconceptions, start=1):
        first = seen.setdefault(comparable(said).casefold(), place)
        if first != place and said.strip():
            found.append(f"misconception-repeated: distractors {first} and {place}")
    return tuple(found)


def question_findings(before: str, after: str, language: Language) -> tuple[str, ...]:
    """A question may be worded anew for its options, but it keeps what it gives."""
    if before == after:
        return ()
    pair = Pair(before, after, language, "question")
    found = [*formula_findings(pair), *number_findings(pair), *sign_findings(pair), *unit_findings(pair)]
    if pair.before.markers != pair.after.markers:
        found.append(pair.finding("marker-changed", "picture markers"))
    length = len(after.strip()) / max(1, len(before.strip()))
    if not 0.5 <= length <= 1.8 and abs(len(after) - len(before)) > 40:
        found.append(pair.finding("reworded", f"{len(before)} characters became {len(after)}"))
    return tuple(found)


def twin_findings(first: Sequence[str], second: Sequence[str], into: Language) -> tuple[str, ...]:
    """The options of the second language say what those of the first say, in the same order.

    Args:
        first: options of the first language.
        second: of the second one.
        into: the second language.
    """
    if len(first) != len(second):
        return (f"options-changed: {len(first)} options became {len(second)}",)
    return tuple(
        finding
        for label, one, other in zip(LABELS, first, second, strict=False)
        for finding in text_findings(one, other, into, f"option {label}")
    )
