"""One example problem, and the small language in which problems are written.

A problem is a function of its parameters. Its texts are templates: `@name` is replaced by a value, and a condition
is written `⟨id|text⟩` where it stands in the stem. Spans, labels of options and anchors are derived from these.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType

from benchwright.examples.canvas import Drawing
from benchwright.schemas.records import (
    Anchor,
    Arrow,
    Choice,
    Condition,
    Decomposition,
    KnowledgeCue,
    KnowledgeDetail,
    LocalizedText,
    Mark,
    QuestionType,
    Show,
)

Value = int | float | str | tuple[int | float | str, ...]
LANGUAGES = ("en", "zh")
JUNIOR, SENIOR, CONTEST = "junior-high", "senior-high", "competition"
"""Grades; a competition asks for more than the school course."""
_LABELS = "ABCDEF"
_SPAN = re.compile(r"⟨(\w+)\|([^⟨⟩]+)⟩")
_NAME = re.compile(r"@(?:\{([A-Za-z]\w*)\}|([A-Za-z][A-Za-z0-9]*))")


def num(value: int | float | Fraction, places: int | None = None) -> str:
    """A number as printed: the shortest form, or rounded to `places` decimals."""
    if places is not None:
        return f"{float(value):.{places}f}"
    return f"{float(value):.10g}"


def qty(value: int | float | str | Fraction, unit: str, places: int | None = None) -> str:
    r"""LaTeX of a quantity with an upright unit, without dollar signs: `15\ \mathrm{cm}`."""
    text = value if isinstance(value, str) else num(value, places)
    return rf"{text}\ \mathrm{{{unit}}}"


def q(value: int | float | str | Fraction, unit: str, places: int | None = None) -> str:
    """A quantity as inline mathematics."""
    return f"${qty(value, unit, places)}$"


@dataclass(frozen=True)
class Head:
    """What a problem is about, apart from its words."""

    discipline: str
    id: str
    subject: str
    difficulty: int
    grade: str
    points: tuple[str, ...]


@dataclass(frozen=True)
class Words:
    """A problem in one language.

    Attributes:
        stem: the question, conditions marked as spans.
        solution: how it is solved.
        core: the stem without what the picture shows, where a decomposition shows something.
        lead: background that the stem leaves out; the published question starts with it.
    """

    stem: str
    solution: str
    core: str = ""
    lead: str = ""


@dataclass(frozen=True)
class Option:
    """A choice; `mistake` names the wrong turn that leads to it and is empty for a right one."""

    en: str
    zh: str
    mistake: str = ""


def option(text: str, mistake: str = "") -> Option:
    """A choice that reads the same in both languages."""
    return Option(text, text, mistake)


@dataclass(frozen=True)
class Shown:
    """How a condition reaches the picture: its marks as (label, spot), or none where the diagram shows it already."""

    marks: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Term:
    """A piece of knowledge: its name and its general law in both languages."""

    en: str
    zh: str
    law_en: str
    law_zh: str


@dataclass(frozen=True)
class Split:
    """What a decomposition needs beyond the spans: the fate of each shown condition, and the knowledge."""

    terms: tuple[Term, ...]
    shown: Mapping[str, Shown] = field(default_factory=dict)


@dataclass(frozen=True)
class ExampleProblem:
    """A finished example."""

    id: str
    discipline: str
    subject: str
    difficulty: int
    grade: str
    knowledge_points: tuple[str, ...]
    language: str
    """The language of the source row."""
    question_type: QuestionType
    texts: Mapping[str, LocalizedText]
    drawing: Drawing
    parameters: Mapping[str, Value]
    constants: tuple[str, ...]
    """Numerals that the text states although no parameter holds them (g, molar masses)."""
    mistakes: Mapping[str, str]
    """For each wrong option, the mistake that leads to it."""

    @property
    def image_name(self) -> str:
        """File name of the diagram in a raw pool."""
        return f"{self.id}.png"


@dataclass(frozen=True)
class Draft:
    """A problem without its kind of answer; `single`, `multiple`, `free` or `parts` finishes it."""

    head: Head
    drawing: Drawing
    parameters: Mapping[str, Value]
    values: Mapping[str, str]
    en: Words
    zh: Words
    split: Split | None = None
    constants: tuple[str, ...] = ()

    def single(self, right: Option, *wrong: Option) -> ExampleProblem:
        """A question with one right option; its place follows from the id.

        Raises:
            ValueError: two options read the same with these parameters.
        """
        place = zlib.crc32(self.head.id.encode()) % (len(wrong) + 1)
        options = (*wrong[:place], right, *wrong[place:])
        return self._with_options(QuestionType.SINGLE_CHOICE, options)

    def multiple(self, *options: Option) -> ExampleProblem:
        """A question with several right options: those without a mistake."""
        return self._with_options(QuestionType.MULTIPLE_SELECT, options)

    def free(self, answer: str, unit: str | None = None) -> ExampleProblem:
        """A question answered in free form; the answer reads the same in both languages."""
        return self._finish(QuestionType.FREE_FORM, {"en": answer, "zh": answer}, {}, unit)

    def parts(self, *answers: Option) -> ExampleProblem:
        """A question of several numbered parts."""
        joined = {
            "en": "; ".join(f"({i}) {a.en}" for i, a in enumerate(answers, 1)),
            "zh": "；".join(f"({i}) {a.zh}" for i, a in enumerate(answers, 1)),
        }
        return self._finish(QuestionType.MULTI_PART, joined, {})

    def _with_options(self, kind: QuestionType, options: Sequence[Option]) -> ExampleProblem:
        labels = _LABELS[: len(options)]
        choices: dict[str, tuple[Choice, ...]] = {}
        for language in LANGUAGES:
            texts = [getattr(o, language) for o in options]
            if len(set(texts)) != len(texts):
                raise ValueError(f"{self.head.id}: two options read the same: {texts}")
            choices[language] = tuple(
                Choice(label=label, text=text) for label, text in zip(labels, texts, strict=True)
            )
        answer = "".join(label for label, o in zip(labels, options, strict=True) if not o.mistake)
        mistakes = {label: o.mistake for label, o in zip(labels, options, strict=True) if o.mistake}
        return self._finish(kind, dict.fromkeys(LANGUAGES, answer), choices, mistakes=mistakes)

    def _finish(
        self,
        kind: QuestionType,
        answers: Mapping[str, str],
        choices: Mapping[str, tuple[Choice, ...]],
        unit: str | None = None,
        mistakes: Mapping[str, str] | None = None,
    ) -> ExampleProblem:
        texts: dict[str, LocalizedText] = {}
        for language in LANGUAGES:
            words: Words = getattr(self, language)
            stem, conditions = self._read(words.stem)
            space = " " if language == "en" and words.lead else ""
            texts[language] = LocalizedText(
                question=_filled(words.lead, self.values) + space + stem,
                choices=choices.get(language, ()),
                answer=answers[language],
                unit=unit,
                solution=_filled(words.solution, self.values),
                decomposition=self._decomposition(language, stem, conditions),
            )
        return ExampleProblem(
            id=self.head.id,
            discipline=self.head.discipline,
            subject=self.head.subject,
            difficulty=self.head.difficulty,
            grade=self.head.grade,
            knowledge_points=self.head.points,
            language=LANGUAGES[zlib.crc32(self.head.id.encode()) >> 4 & 1],
            question_type=kind,
            texts=MappingProxyType(texts),
            drawing=self.drawing,
            parameters=MappingProxyType(dict(self.parameters)),
            constants=self.constants,
            mistakes=MappingProxyType(dict(mistakes or {})),
        )

    def _read(self, template: str) -> tuple[str, tuple[Condition, ...]]:
        """The plain stem and its conditions."""
        stem = ""
        conditions: list[Condition] = []
        position = 0
        for found in _SPAN.finditer(template):
            stem += _filled(template[position : found.start()], self.values)
            text = _filled(found.group(2), self.values)
            conditions.append(self._condition(found.group(1), len(stem), len(stem) + len(text)))
            stem += text
            position = found.end()
        return stem + _filled(template[position:], self.values), tuple(conditions)

    def _condition(self, name: str, start: int, end: int) -> Condition:
        shown = self.split.shown.get(name) if self.split else None
        if shown is None:
            return Condition(id=name, start=start, end=end, show=Show.TEXT)
        marks = tuple(self._mark(label, spot) for label, spot in shown.marks)
        show = Show.ON_DIAGRAM if marks else Show.ALREADY_THERE
        return Condition(id=name, start=start, end=end, show=show, marks=marks)

    def _mark(self, label: str, spot_name: str) -> Mark:
        spot = self.drawing.spots[spot_name]
        box = spot.box
        anchor = Anchor(image=self.drawing.sha256, kind="box", x=box.x, y=box.y, w=box.w, h=box.h)
        arrow = None
        if spot.arrow is not None:
            x0, y0, x1, y1 = spot.arrow
            arrow = Arrow(x0=x0, y0=y0, x1=x1, y1=y1)
        # "$t=$ $2\ \mathrm{s}$" is one formula.
        return Mark(label=_filled(label, self.values).replace("$ $", ""), anchor=anchor, arrow=arrow)

    def _decomposition(
        self, language: str, stem: str, conditions: tuple[Condition, ...]
    ) -> Decomposition | None:
        if self.split is None:
            return None
        words: Words = getattr(self, language)
        if bool(words.core) != bool(self.split.shown):
            raise ValueError(f"{self.head.id}: a core question of its own exactly where something is shown")
        names = [getattr(term, language) for term in self.split.terms]
        return Decomposition(
            stem=stem,
            conditions=conditions,
            core_question=_filled(words.core, self.values) or stem,
            knowledge_cue=KnowledgeCue(terms=tuple(names), sentence=_cue(names, language)),
            knowledge_detail=tuple(
                KnowledgeDetail(term=getattr(term, language), text=getattr(term, f"law_{language}"))
                for term in self.split.terms
            ),
        )


def _cue(names: Sequence[str], language: str) -> str:
    if language == "zh":
        head, last = "、".join(names[:-1]), names[-1]
        return f"解答本题需要用到{head}和{last}。" if head else f"解答本题需要用到{last}。"
    head, last = ", ".join(names[:-1]), names[-1]
    return f"To solve this you need {head} and {last}." if head else f"To solve this you need {last}."


def _filled(template: str, values: Mapping[str, str]) -> str:
    return _NAME.sub(lambda found: values[found.group(1) or found.group(2)], template)
