"""The six versions of a problem, in one table; everything else reads it (SciVerse, section 2.3).

Choices go with the core question: wherever the core question is text, the choices follow it as text.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import (
    Choice,
    Decomposition,
    LocalizedText,
    Problem,
    QuestionType,
    Record,
    Show,
)


class Version(StrEnum):
    """A way to split one problem between text and picture."""

    ORIGINAL = "original"
    KNOWLEDGE_FREE = "knowledge-free"
    KNOWLEDGE_LITE = "knowledge-lite"
    KNOWLEDGE_RICH = "knowledge-rich"
    VISION_RICH = "vision-rich"
    VISION_ONLY = "vision-only"


class VersionSpec(Record):
    """What a version says in text and what in pixels."""

    version: Version
    source_form: bool = False
    """True: uses `source_texts` (the question as the source asks it)."""
    cue: bool = False
    detail: bool = False
    rendered: bool = False
    """True: its image is made by the renderer."""
    text: bool = True
    """False: the question's text is empty, all of it stands in the image."""


VERSIONS: dict[Version, VersionSpec] = {
    spec.version: spec
    for spec in (
        VersionSpec(version=Version.ORIGINAL, source_form=True),
        VersionSpec(version=Version.KNOWLEDGE_FREE),
        VersionSpec(version=Version.KNOWLEDGE_LITE, cue=True),
        VersionSpec(version=Version.KNOWLEDGE_RICH, cue=True, detail=True),
        VersionSpec(version=Version.VISION_RICH, rendered=True),
        VersionSpec(version=Version.VISION_ONLY, rendered=True, text=False),
    )
}

PRESETS: dict[str, tuple[Version, ...]] = {
    "visscience": (Version.ORIGINAL,),
    "sciverse": (
        Version.KNOWLEDGE_FREE,
        Version.KNOWLEDGE_LITE,
        Version.KNOWLEDGE_RICH,
        Version.VISION_RICH,
        Version.VISION_ONLY,
    ),
}


class VersionText(Record):
    """The text side of one row."""

    question: str
    """Exactly what a model is sent."""
    full_question: str
    """Everything, for judge and reader."""
    choices: tuple[Choice, ...]
    question_type: QuestionType
    answer: str
    unit: str | None
    solution: str | None


def localized(problem: Problem, version: Version, language: str) -> LocalizedText:
    """The text record that a version reads.

    Raises:
        ItemError: `no-translation` when the problem has no text in that language.
    """
    texts = problem.source_texts if VERSIONS[version].source_form else problem.texts
    if language not in texts:
        form = " in multiple-choice form" if language in problem.source_texts else ""
        raise ItemError("no-translation", f"{problem.problem_id} has no {language} text{form}")
    return texts[language]


def decomposition_of(problem: Problem, language: str) -> Decomposition:
    """The decomposition that the SciVerse versions need.

    Raises:
        ItemError: `no-translation` or `no-decomposition`.
    """
    text = localized(problem, Version.KNOWLEDGE_FREE, language)
    if text.decomposition is None:
        raise ItemError("no-decomposition", f"{problem.problem_id} has no {language} decomposition")
    return text.decomposition


def vision_only_stem(problem: Problem, language: str) -> tuple[str, tuple[Choice, ...]]:
    """Stem and choices to be burnt into the vision-only image; from `original` where no decomposition exists."""
    text = localized(problem, Version.VISION_ONLY, language)
    if text.decomposition is not None:
        return text.decomposition.stem, text.choices
    source = localized(problem, Version.ORIGINAL, language)
    return source.question, source.choices


def vision_rich_refusal(decomposition: Decomposition) -> str | None:
    """Reason code why a problem has no vision-rich version, or None when it has one.

    SciVerse moves a condition into the picture only where it can be shown there: with nothing to show there is none.
    """
    shown = {Show.ON_DIAGRAM, Show.ALREADY_THERE, Show.BAND}
    return None if any(c.show in shown for c in decomposition.conditions) else "nothing-to-show"


def vision_rich_stem(decomposition: Decomposition, shown: Collection[str]) -> str:
    """Question text of the vision-rich version: what the picture shows is taken out, everything else stays.

    Args:
        decomposition: the split question.
        shown: ids of the conditions that the rendered image really shows or already showed (its sidecar).

    When all conditions meant for the picture are there the reviewed `core_question` is used; when some could not be
    shown, only the spans that were are cut from the stem, so that no condition is lost from both text and picture.
    """
    planned = {c.id for c in decomposition.conditions if c.show is not Show.TEXT}
    if planned <= set(shown):
        return decomposition.core_question
    parts: list[str] = []
    position = 0
    for condition in decomposition.conditions:
        if condition.id in shown:
            parts.append(decomposition.stem[position : condition.start])
            position = condition.end
    parts.append(decomposition.stem[position:])
    return " ".join(" ".join(parts).split())


def options_in_pictures(choices: tuple[Choice, ...], images: Collection[object]) -> bool:
    """Whether the options stand inside the question's pictures: all are bare labels, and there is a picture."""
    return bool(choices and images) and all(not (c.text or "").strip() and c.image is None for c in choices)


def choices_text(choices: tuple[Choice, ...]) -> str:
    """Choices as lines of text; an option that is only a picture has its label alone, its picture is sent along."""
    lines: list[str] = []
    for choice in choices:
        lines.append(f"{choice.label}. {choice.text}" if choice.text is not None else f"{choice.label}.")
    return "\n".join(lines)


def version_text(
    problem: Problem,
    version: Version,
    language: str,
    shown: Collection[str] = (),
    choices_in_image: bool = True,
) -> VersionText:
    """Build the text side of one row.

    Args:
        problem: the problem.
        version: which of the six.
        language: which language.
        shown: for vision-rich, the condition ids that the image shows (from the render sidecar).
        choices_in_image: for vision-only, the recipe's `choices` setting: False leaves the choices as text.

    Raises:
        ItemError: the version cannot be made (`no-translation`, `no-decomposition`, `nothing-to-show`).
    """
    spec = VERSIONS[version]
    text = localized(problem, version, language)
    question_type = problem.source_question_type if spec.source_form else problem.question_type
    if version is Version.VISION_ONLY:
        stem, choices = vision_only_stem(problem, language)
        if text.decomposition is None:
            text = localized(problem, Version.ORIGINAL, language)
            question_type = problem.source_question_type
        body = "" if choices_in_image else choices_text(choices)
        full = _joined(stem, choices_text(choices))
    elif spec.source_form:
        choices = text.choices
        body = full = _joined(text.question, choices_text(choices))
    else:
        decomposition = decomposition_of(problem, language)
        choices = text.choices
        parts: list[str] = []
        if spec.cue:
            parts.append(decomposition.knowledge_cue.sentence)
        if spec.detail:
            parts.extend(f"{item.term}: {item.text}" for item in decomposition.knowledge_detail)
        if version is Version.VISION_RICH:
            if (reason := vision_rich_refusal(decomposition)) is not None:
                raise ItemError(reason, f"{problem.problem_id} has no condition that a picture can show")
            parts.append(vision_rich_stem(decomposition, shown))
        else:
            parts.append(decomposition.stem)
        body = _joined(*parts, choices_text(choices))
        full = _joined(decomposition.stem, choices_text(choices))
    return VersionText(
        question=body,
        full_question=full,
        choices=choices,
        question_type=question_type,
        answer=text.answer,
        unit=text.unit,
        solution=text.solution,
    )


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)
