"""How a question is put before a model that checks or solves it: stem, options, pictures by number."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright.schemas.records import Choice, LocalizedText, QuestionType

PROMPT_VERSION = "1"

_TASKS: dict[str, dict[QuestionType, tuple[str, str]]] = {
    "en": {
        QuestionType.SINGLE_CHOICE: ("Exactly one option is right.", "<its letter>"),
        QuestionType.MULTIPLE_SELECT: (
            "One option or several may be right.",
            "<all right letters, e.g. AC>",
        ),
        QuestionType.FREE_FORM: ("Give the result.", "<the result, with its unit if it has one>"),
        QuestionType.MULTI_PART: ("Answer every part.", "<the results in the order of the parts>"),
    },
    "zh": {
        QuestionType.SINGLE_CHOICE: ("只有一个选项正确。", "<该选项的字母>"),
        QuestionType.MULTIPLE_SELECT: ("正确选项可能有一个或多个。", "<全部正确选项的字母，例如 AC>"),
        QuestionType.FREE_FORM: ("请给出结果。", "<结果，有单位的写上单位>"),
        QuestionType.MULTI_PART: ("请回答每一小问。", "<按小问顺序写出的结果>"),
    },
}


def task(question_type: QuestionType, language: str) -> tuple[str, str]:
    """What a solver is told to do, and the form of the last line; `language` is the prompt's."""
    return _TASKS[language][question_type]


def stem_and_options(question: str, choices: Sequence[Choice], pictures: int, *, shown: bool = True) -> str:
    """Text of a question as a solver sees it.

    Args:
        question: the stem; '' leaves it out.
        choices: the options; one with a picture is given the number of its picture.
        pictures: how many pictures belong to the stem.
        shown: False when the pictures are not sent: then none is spoken of.
    """
    lines = [question] if question else []
    number = pictures
    for choice in choices:
        parts = [choice.text] if choice.text is not None else []
        if choice.image is not None and shown:
            number += 1
            parts.append(f"(picture {number})")
        lines.append(f"{choice.label}. {' '.join(parts)}".rstrip())
    return "\n".join(lines)


def as_student(
    text: LocalizedText, question_type: QuestionType, pictures: int, *, shown: bool = True, stem: bool = True
) -> str:
    """Text of a question as a solver sees it: no answer; the unit in which a number is wanted, where it is known."""
    said = stem_and_options(text.question if stem else "", text.choices, pictures, shown=shown)
    wanted = text.unit if question_type is QuestionType.FREE_FORM and stem else None
    return f"{said}\n[unit] {wanted}" if wanted else said


def with_answer(text: LocalizedText, pictures: int) -> str:
    """Text of a question as a checker sees it: with the reference answer."""
    unit = f" {text.unit}" if text.unit else ""
    return f"{stem_and_options(text.question, text.choices, pictures)}\n[answer] {text.answer}{unit}"
