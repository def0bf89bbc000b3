"""A question's texts as they stand: translated, converted to multiple choice, decomposed, where somebody said so.

The jobs build on each other (translation, then multiple-choice, then decomposition), and each is about the text that
the one before it left. So an edited translation makes conversion and decomposition of that language stale by itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from pydantic import JsonValue, ValidationError

from benchwright.schemas.errors import ItemError
from benchwright.schemas.jobs import problem_id, text_view, translation_view
from benchwright.schemas.records import (
    Choice,
    Decomposition,
    Language,
    LocalizedText,
    Provenance,
    Question,
    QuestionType,
    Rejected,
)
from benchwright.schemas.words import Words

TEXT_JOBS = ("translation", "multiple-choice", "decomposition")
LABELS = "ABCDEFGHIJ"
"""Labels of the options of a converted question, in order."""

_Made = tuple[LocalizedText, list[Provenance]]


@dataclass
class Standing:
    """The texts of one question as they stand."""

    question_type: QuestionType
    source_texts: dict[Language, LocalizedText]
    """What `original` uses: source and translations, before any conversion."""
    texts: dict[Language, LocalizedText] = field(default_factory=dict)
    """What SciVerse's versions use."""
    provenance: list[Provenance] = field(default_factory=list)
    pending: list[Rejected] = field(default_factory=list)
    """What was said but does not count yet, e.g. `translation-unreviewed` or `decomposition-open-review`."""


def standing(question: Question, words: Words, languages: Sequence[Language]) -> Standing:
    """Build the texts of a question from its source and from what was said about it.

    A conversion counts for the question only when it stands in the source's own language; a language without one is
    then left out of `texts` (and stays in `source_texts`), since all texts of a problem share one question type.

    Args:
        question: the pool's record.
        words: of `TEXT_JOBS`.
        languages: those of the benchmark; a translation into another one is not looked for.
    """
    found = Standing(question.question_type, dict(question.texts))
    reader = _Reader(question, words, found)
    for language in languages:
        if language not in found.source_texts:
            made = reader.read("translation", language, partial(_translated, reader, language))
            if made is not None:
                found.source_texts[language] = made
    converted = {
        language: made
        for language, text in found.source_texts.items()
        if (made := reader.read("multiple-choice", language, partial(_converted, reader, language, text)))
    }
    if question.language in converted:
        found.texts, found.question_type = converted, QuestionType.SINGLE_CHOICE
    else:
        found.texts = dict(found.source_texts)
    for language, text in found.texts.items():
        if text.decomposition is None:
            made = reader.read("decomposition", language, partial(_decomposed, reader, language, text))
            if made is not None:
                found.texts[language] = made
    return found


@dataclass(frozen=True)
class _Reader:
    """Reads one question's words, and notes what does not count yet."""

    question: Question
    words: Words
    found: Standing

    @property
    def item_id(self) -> str:
        return problem_id(self.question.id)

    def read(self, job: str, language: Language, make: Callable[[], _Made]) -> LocalizedText | None:
        """What a job makes of a text, or None; the reason is noted where somebody said something."""
        try:
            made, by = make()
        except ItemError as error:
            if error.reason != "unreviewed" or self.words.proposed(job, self.item_id, language):
                self.found.pending.append(
                    Rejected(
                        item_id=self.item_id,
                        stage="problems",
                        reason=f"{job}-{error.reason}",
                        detail=f"[{language}] {error.detail}",
                        source=self.question.source,
                    )
                )
            return None
        self.found.provenance.extend(by)
        return made


def _translated(reader: _Reader, language: Language) -> _Made:
    """The translation of the source's text."""
    source = reader.question.text
    view = translation_view(source, reader.question.images, language)
    place = ("translation", reader.item_id, language)
    text, by = reader.words.value(*place, "question", view)
    answer, answer_by = reader.words.value(*place, "answer", view)
    values: dict[str, object] = {"question": _text(text, "question"), "answer": _text(answer, "answer")}
    provenance = [by, answer_by]
    if source.choices:
        choices, choices_by = reader.words.value(*place, "choices", view)
        values["choices"] = _rewritten(source.choices, _texts(choices, "choices"))
        provenance.append(choices_by)
    for name in ("unit", "solution"):
        said = reader.words.optional(*place, name, view)
        if said is not None:
            values[name] = _text(said[0], name) or None  # a reviewer may empty what was proposed
            provenance.append(said[1])
    return LocalizedText.model_validate(values), provenance


def _converted(reader: _Reader, language: Language, source: LocalizedText) -> _Made:
    """The multiple-choice form of a free-form text; its decomposition, if any, was of the other form and goes."""
    view = text_view(source, reader.question.images)
    place = ("multiple-choice", reader.item_id, language)
    choices, by = reader.words.value(*place, "choices", view)
    answer, answer_by = reader.words.value(*place, "answer", view)
    text, text_by = reader.words.value(*place, "question", view)
    options = _texts(choices, "choices")
    label = _text(answer, "answer")
    if not 2 <= len(options) <= len(LABELS) or label not in LABELS[: len(options)]:
        raise ItemError("bad-verdict", f"{len(options)} options with the right one at {label!r}")
    labelled = tuple(Choice(label=LABELS[place], text=option) for place, option in enumerate(options))
    changes = {
        "question": _text(text, "question"),
        "choices": labelled,
        "answer": label,
        "unit": None,
        "decomposition": None,
    }
    return source.model_copy(update=changes), [text_by, by, answer_by]


def _decomposed(reader: _Reader, language: Language, source: LocalizedText) -> _Made:
    """The text with its decomposition."""
    view = text_view(source, reader.question.images)
    value, by = reader.words.value("decomposition", reader.item_id, language, "decomposition", view)
    try:
        decomposition = Decomposition.model_validate_json(_json(value))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ItemError("bad-verdict", f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    return source.model_copy(update={"decomposition": decomposition}), [by]


def _rewritten(choices: Sequence[Choice], texts: Sequence[str]) -> tuple[Choice, ...]:
    """Options with their texts replaced; labels and pictures stay."""
    if len(choices) != len(texts):
        raise ItemError("bad-verdict", f"{len(texts)} options for {len(choices)}")
    return tuple(
        choice.model_copy(update={"text": text if choice.text is not None else None})
        for choice, text in zip(choices, texts, strict=True)
    )


def _json(value: JsonValue) -> str:
    return json.dumps(value)


def _text(value: JsonValue, name: str) -> str:
    if not isinstance(value, str):
        raise ItemError("bad-verdict", f"{name}: {value!r} is no text")
    return value


def _texts(value: JsonValue, name: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise ItemError("bad-verdict", f"{name}: {value!r} is no list of texts")
    return [str(entry) for entry in value]
