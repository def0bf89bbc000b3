"""The text side of a source row: question, options, answer, and how the question is answered.

How a question is answered follows from what is there, by these rules in order:

1. options and one right label: single-choice; several right labels: multiple-select (also when the source says
   otherwise, which is noted); one label per sub-question ("A B A"): multi-part;
2. no options, but an answer that is a label, and options that the text shows: the options are split off where each
   stands on a line of its own, else kept as bare labels (both noted);
3. no options and an answer in several marked parts ("a. ...; b. ..."): multi-part;
4. everything else: free-form.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Any

from benchwright.curation.fields import clean_text, decoded, text_list
from benchwright.curation.ingest_images import ImageStore
from benchwright.curation.options import (
    RawOption,
    labels_shown,
    match_option,
    read_labels,
    read_options,
    split_options,
)
from benchwright.curation.sources import Number
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import Choice, Decomposition, LocalizedText, QuestionType

Getter = Callable[[str], Any]
Notes = list[tuple[str, str]]

_TYPE_WORDS: dict[QuestionType, tuple[str, ...]] = {
    QuestionType.SINGLE_CHOICE: (
        "single-choice", "single", "choice", "multiple-choice", "mcq", "mc", "multi-choice", "单选题", "选择题",
    ),
    QuestionType.MULTIPLE_SELECT: ("multiple-select", "multi-select", "multiple-answer", "多选题", "不定项选择题"),
    QuestionType.FREE_FORM: (
        "free-form", "free", "open", "open-ended", "fill-in", "fill-in-the-blank", "numeric", "填空题", "解答题",
    ),
    QuestionType.MULTI_PART: ("multi-part", "multipart"),
}  # fmt: skip
_TYPES = {word: kind for kind, words in _TYPE_WORDS.items() for word in words}
_PART_MARKS = (
    (re.compile(r"(?:^|[\s;；])[(（]a[)）]"), re.compile(r"(?:^|[\s;；.])[(（]b[)）]")),
    (re.compile(r"^a[.)]\s"), re.compile(r"(?:^|[\s;；])b[.)]\s")),
    (re.compile(r"^[(（]1[)）]"), re.compile(r"(?:^|[\s;；.。])[(（]2[)）]")),
    (re.compile(r"^①"), re.compile(r"②")),
)
_FEWEST_PICTURED_OPTIONS = 4


@dataclass
class TextPart:
    """What was read for one language."""

    text: LocalizedText
    question_type: QuestionType
    notes: Notes = field(default_factory=list)


def read_text(get: Getter, n_images: int, store: ImageStore) -> TextPart:
    """Read one language of a row.

    Args:
        get: value of a record field (`question`, `choices`, `answer`, ...) or None.
        n_images: how many pictures the row has.
        store: takes the pictures of options.

    Raises:
        ItemError: `missing-question`, `missing-answer`, `bad-choices`, `no-options`, `answer-not-among-choices`, or
            a reason of `clean_text` or of the image loader.
    """
    notes: Notes = []
    question = clean_text(get("question"), "question")
    if question is None:
        raise ItemError("missing-question", "the row has no question text")
    given = given_type(get("question_type"), notes)
    answer = _answer_value(get("answer"))
    options = read_options(get("choices"))
    if not options and given not in (QuestionType.FREE_FORM, QuestionType.MULTI_PART):
        if get("choice_layout") == "in_images" and n_images:
            options = _pictured_options(answer, n_images, notes)
        else:
            question, options = _options_in_text(question, answer, given, n_images, notes)
    if options:
        kind, answer_text = _chosen(answer, options, given, notes)
    else:
        kind, answer_text = _spoken(answer, given)
    text = LocalizedText(
        question=question,
        choices=_choices(options, store),
        answer=answer_text,
        unit=clean_text(get("unit"), "unit"),
        solution="\n".join(text_list(get("solution"), "solution")) or None,
        decomposition=_decomposition(get("decomposition")),
    )
    return TextPart(text, kind, notes)


def given_type(value: Any, notes: Notes) -> QuestionType | None:
    """The question type that a source names, or None; a word we do not know is noted."""
    word = clean_text(value, "question_type")
    if word is None:
        return None
    kind = _TYPES.get(re.sub(r"[\s_]+", "-", word.lower()))
    if kind is None:
        notes.append(("unknown-question-type", f"{word!r}; the type was told by the rules instead"))
    return kind


def answer_parts(answer: str) -> bool:
    """Whether an answer comes in marked parts: (a) and (b), a. and b., (1) and (2)."""
    return any(first.search(answer) and second.search(answer) for first, second in _PART_MARKS)


def _answer_value(value: Any) -> tuple[str, ...]:
    read = decoded(value)
    if isinstance(value, str) and isinstance(read, list) and any(isinstance(item, Number) for item in read):
        read = value  # "[2, 3]" as text is an interval; a list of answers as text has quotes: ["2", "3"]
    value = read
    items = value if isinstance(value, list) else [value]
    texts = tuple(text for item in items if (text := clean_text(item, "answer")) is not None)
    if not texts:
        raise ItemError("missing-answer", "the row has no reference answer")
    return texts


def _chosen(
    answer: tuple[str, ...], options: tuple[RawOption, ...], given: QuestionType | None, notes: Notes
) -> tuple[QuestionType, str]:
    labels = [option.label for option in options]
    chosen: list[str] = []
    for part in answer:
        found, matched = read_labels(part, labels), match_option(part, options)
        if matched is not None and (
            found is None or (len(found) > 1 and given is not QuestionType.MULTIPLE_SELECT)
        ):
            # "AB" beside the options AB, BC, CD (sides of a figure) is one of them, not two labels.
            notes.append(("answer-was-option-text", f"{part!r} became {matched}"))
            found = (matched,)
        elif found is None:
            raise ItemError(
                "answer-not-among-choices", f"{part!r} is neither a label of {labels} nor an option"
            )
        elif matched is not None and found != (matched,):
            notes.append(("answer-read-as-label", f"{part!r} is also the text of option {matched}"))
        chosen.extend(found)
    if len(set(chosen)) < len(chosen):
        return QuestionType.MULTI_PART, " ".join(chosen)
    text = "".join(sorted(chosen, key=labels.index))
    if len(chosen) > 1:
        if given not in (None, QuestionType.MULTIPLE_SELECT):
            notes.append(("type-corrected", f"the source says {given}, {len(chosen)} labels are right"))
        return QuestionType.MULTIPLE_SELECT, text
    if given is QuestionType.MULTIPLE_SELECT:
        return given, text
    return QuestionType.SINGLE_CHOICE, text


def _spoken(answer: tuple[str, ...], given: QuestionType | None) -> tuple[QuestionType, str]:
    if len(answer) > 1:
        joined = "; ".join(f"({number}) {part}" for number, part in enumerate(answer, start=1))
        return QuestionType.MULTI_PART, joined
    if given is QuestionType.MULTI_PART or (given is None and answer_parts(answer[0])):
        return QuestionType.MULTI_PART, answer[0]
    return QuestionType.FREE_FORM, answer[0]


def _pictured_options(answer: tuple[str, ...], n_images: int, notes: Notes) -> tuple[RawOption, ...]:
    """Bare labels for options that are pictures; the pictures stay with the question, in the source's order.

    Which picture is which option cannot be told from their order: in the one real source that has such items, half of
    them are shuffled, with the stem's picture first, last or missing. The label is drawn in each picture instead. A
    source that does know gives options as objects with `label` and `image`.
    """
    count = _label_count(answer)
    notes.append(
        ("options-in-pictures", f"bare labels A to {ascii_uppercase[count - 1]} for {n_images} pictures")
    )
    return tuple(RawOption(label, None) for label in ascii_uppercase[:count])


def _options_in_text(
    question: str, answer: tuple[str, ...], given: QuestionType | None, n_images: int, notes: Notes
) -> tuple[str, tuple[RawOption, ...]]:
    """Options that stand in the question: split off, or kept as bare labels; none where it is not a choice."""
    is_choice = given is not None
    if not is_choice and any(read_labels(part, ascii_uppercase[:8]) is None for part in answer):
        return question, ()
    wanted = _highest_label(answer)
    split = split_options(question)
    if split is not None and len(split[1]) > wanted:
        notes.append(("options-split-from-question", f"{len(split[1])} options stood at its end, one a line"))
        return split
    shown = labels_shown(question)
    if len(shown) > wanted:
        notes.append(("options-stand-in-question", f"kept there, with bare labels {shown[0]} to {shown[-1]}"))
        return question, tuple(RawOption(label, None) for label in shown)
    if not is_choice:
        return question, ()
    if not n_images:
        raise ItemError(
            "no-options", f"the source calls it {given}, but neither text nor picture shows options"
        )
    return question, _pictured_options(answer, n_images, notes)


def _highest_label(answer: tuple[str, ...]) -> int:
    letters = [letter for part in answer for letter in read_labels(part, ascii_uppercase) or ()]
    return max((ascii_uppercase.index(letter) for letter in letters), default=0)


def _label_count(answer: tuple[str, ...]) -> int:
    return max(_FEWEST_PICTURED_OPTIONS, _highest_label(answer) + 1)


def _choices(options: tuple[RawOption, ...], store: ImageStore) -> tuple[Choice, ...]:
    return tuple(
        Choice(
            label=option.label,
            text=clean_text(option.text, f"option {option.label}"),
            image=None if option.image in (None, "") else store.take(option.image),
        )
        for option in options
    )


def _decomposition(value: Any) -> Decomposition | None:
    if value is None:
        return None
    # Through the record's own JSON door, where numbers are numbers again and unknown keys are refused.
    from benchwright.curation.sources import dump_json

    return Decomposition.model_validate_json(dump_json(decoded(value)))
