"""`curate translate`: a problem in the other language, as a proposal for people to review.

One call translates question, options, answer, unit and solution together, so that the same thing keeps its name; a
second one translates the question back. Formulas, numbers, units and markers are compared by program
(`translation_checks`): what is found is sent back once, and what is left then stands in the `findings`. Texts without a
word ("$4.8$", "ACE") are copied, never translated. There is no embedded translator: without a model this job has no
proposals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue

from benchwright.curation.proposers.panel import Panel
from benchwright.curation.proposers.translation_checks import LANGUAGES, translation_findings
from benchwright.curation.proposers.translation_score import Score, back_score
from benchwright.curation.proposers.unit import Item, Plan, Unit, rejected
from benchwright.models.chat import ChatRequest
from benchwright.models.embedders import Embedder
from benchwright.models.prompts import Prompt, fence, load_prompt
from benchwright.schemas.errors import ItemError
from benchwright.schemas.jobs import Proposal, translation_view
from benchwright.schemas.records import Choice, Language, LocalizedText, Rejected
from benchwright.schemas.status import CallStatus

JOB = "translation"
COMMAND = "translate"
PROMPT_VERSION = "1"
_SPEAKING = frozenset({CallStatus.REFUSED, CallStatus.FILTERED, CallStatus.UNPARSABLE, CallStatus.TRUNCATED})
"""Ends of a call that another run would not change."""
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[A-Za-z]{2,}")
_FORMULA = re.compile(r"\$[^$]*\$|\\\(.*?\\\)|\\\[.*?\\\]", re.DOTALL)
_TEXT_IN_FORMULA = re.compile(r"\\(?:text|textrm|mbox)\s*\{[^{}]*[A-Za-z\u3400-\u9fff]{2}")


class OptionText(BaseModel):
    """An option under its label."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    label: str
    text: str


class TranslationReply(BaseModel):
    """The form of a reply; parts that the problem lacks are empty."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    question: str
    options: list[OptionText] = []
    answer: str = ""
    unit: str = ""
    solution: str = ""
    picture_text: str = ""
    image_language: Literal["keep", "flag", "reject", ""] = ""


class BackReply(BaseModel):
    """The form of a translation back."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: str


@dataclass(frozen=True)
class Back:
    """A translation back and its likeness to the source; or, where there is none, why."""

    text: str = ""
    score: Score | None = None
    findings: tuple[str, ...] = ()

    def as_json(self) -> JsonValue:
        """What a reviewer is shown."""
        assert self.score is not None, "there is a translation back"
        return {
            "text": self.text,
            "meaning": round(self.score.meaning, 3),
            "letters": round(self.score.letters, 3),
        }


@dataclass(frozen=True)
class Translator:
    """Translates between Chinese and English.

    Attributes:
        languages: those of the benchmark; a text is made in each that the source lacks.
        embedder: compares the source with the translation back.
        pictures: False for models that cannot see; then nothing is said about the words inside pictures.
        back: False leaves the second call out; then proposals have no confidence.
    """

    languages: tuple[Language, ...]
    embedder: Embedder
    pictures: bool = True
    back: bool = True
    command: str = COMMAND
    job: str = JOB

    @property
    def signature(self) -> JsonValue:
        """See `Proposer.signature`."""
        prompts = {
            f"{name}.{language}": prompt(name, language).sha256
            for name in ("translation", "back-translation")
            for language in ("en", "zh")
        }
        languages: list[JsonValue] = [*sorted(self.languages)]
        return {
            "languages": languages,
            "embedder": self.embedder.name,
            "pictures": self.pictures,
            "back": self.back,
            "prompts": dict(sorted(prompts.items())),
        }

    def plan(self, discipline: str, items: Sequence[Item]) -> Plan:
        """See `Proposer.plan`."""
        return planned(self.languages, items)

    async def propose(self, unit: Unit, panel: Panel) -> Sequence[Proposal]:
        """See `Proposer.propose`."""
        item, into = _item(unit), _into(unit)
        source = item.question.text
        request = self._request(item, into, panel)
        shown = self.pictures and bool(item.pictures)
        answer = await panel.mended(
            request,
            TranslationReply,
            lambda reply: (
                *translation_findings(source, translated(source, reply, into), into),
                *picture_findings(reply, shown),
            ),
            lambda _, reply: complaint(source, reply, shown),
            reask=lambda found: _reask(found, item.language),
        )
        back = await self._back(item, answer.value, into, panel) if self.back else Back()
        values = dict(_values(source, translated(source, answer.value, into)))
        if shown:
            values["image_language"] = answer.value.image_language
        findings = [*answer.findings, *back.findings]
        if findings:
            values["findings"] = list(findings)
        if back.score is not None:
            values["back_translation"] = back.as_json()
        # What a check found is reviewed first, however well it translates back.
        sure = 0.0 if findings else back.score.confidence if back.score is not None else None
        return [
            unit.proposal(
                field,
                value,
                model=panel.name,
                confidence=sure if field == "question" else None,
                prompt_hash=prompt(JOB, item.language).sha256,
                call_id=answer.call_id,
            )
            for field, value in sorted(values.items())
        ]

    def _request(self, item: Item, into: Language, panel: Panel) -> ChatRequest:
        text = prompt(JOB, item.language).fill(problem=fence(problem_text(item.question.text), "problem"))
        return panel.request(item.item_id, text, item.pictures if self.pictures else ())

    async def _back(self, item: Item, reply: TranslationReply, into: Language, panel: Panel) -> Back:
        """The translation back, or a finding that there is none.

        Raises:
            ItemError: the call failed in a way that another run may mend.
        """
        target = translated(item.question.text, reply, into)
        text = prompt("back-translation", into).fill(text=fence(spoken(target), "text"))
        try:
            said, _ = await panel.answer(panel.request(item.item_id, text), BackReply)
        except ItemError as error:
            if error.reason not in _SPEAKING:
                raise
            return Back(findings=(f"not-translated-back: question: {error.reason}",))
        return Back(said.text, back_score(spoken(item.question.text), said.text, self.embedder))


def planned(languages: Sequence[Language], items: Sequence[Item]) -> Plan:
    """A unit for each language of the benchmark that an item's source lacks."""
    units: list[Unit] = []
    passed: list[Rejected] = []
    for item in items:
        missing = [language for language in sorted(languages) if language not in item.question.texts]
        if not missing:
            there = ", ".join(sorted(item.question.texts))
            passed.append(rejected(COMMAND, item.item_id, "language-there", f"the source has {there}"))
        for into in missing:
            if {into, item.language} <= LANGUAGES:
                view = translation_view(item.question.text, item.question.images, into)
                units.append(Unit(JOB, item.item_id, into, view, item))
            else:
                detail = f"{item.language} to {into}; only Chinese and English are translated"
                passed.append(rejected(COMMAND, item.item_id, "unsupported-language", detail, into))
    return Plan(tuple(units), tuple(passed))


def prompt(name: str, language: Language) -> Prompt:
    """A prompt of this job, in the language of the text that it shows."""
    return load_prompt("benchwright.curation", name, language, PROMPT_VERSION)


def problem_text(text: LocalizedText) -> str:
    """A problem as it is shown to the translator."""
    lines = [f"[question] {text.question}"]
    lines += [f"[option {c.label}] {c.text}" for c in text.choices if c.text is not None]
    # Labels of options are no text; the answer of a choice question is never asked for.
    if not text.choices:
        lines.append(f"[answer] {text.answer}")
    lines += [f"[{name}] {said}" for name, said in (("unit", text.unit), ("solution", text.solution)) if said]
    return "\n".join(lines)


def spoken(text: LocalizedText) -> str:
    """Question and options in words, as they are translated back."""
    options = [f"{c.label}. {c.text}" for c in text.choices if c.text is not None and has_words(c.text)]
    return "\n".join([text.question, *options])


def has_words(text: str) -> bool:
    """Whether a text says anything in a language, outside of formulas or in a formula's own text."""
    if _HAN.search(text) or _TEXT_IN_FORMULA.search(text):
        return True
    return _WORD.search(_FORMULA.sub(" ", text)) is not None


def translated(source: LocalizedText, reply: TranslationReply, into: Language) -> LocalizedText:
    """The problem in the other language; whatever has no words is the source's own, but for Chinese punctuation."""

    def put(original: str | None, reply_says: str) -> str | None:
        if original and has_words(original):
            return reply_says.strip()
        return _ascii_marks(original) if original and into == "en" else original

    said = {option.label: option.text for option in reply.options}
    return LocalizedText(
        question=reply.question.strip(),
        choices=tuple(
            Choice(label=c.label, text=put(c.text, said.get(c.label, "")), image=c.image)
            for c in source.choices
        ),
        answer=source.answer if source.choices else put(source.answer, reply.answer) or "",
        unit=put(source.unit, reply.unit),
        solution=put(source.solution, reply.solution),
    )


def complaint(source: LocalizedText, reply: TranslationReply, pictures: bool) -> str | None:
    """Why a reply cannot be used at all: a part is missing."""
    if not reply.question.strip():
        return "question must not be empty"
    labels = [choice.label for choice in source.choices if choice.text is not None]
    if [option.label for option in reply.options] != labels:
        return f"options must have exactly the labels {', '.join(labels) or '(none)'} in this order"
    texts = [choice.text for choice in source.choices if choice.text is not None]
    empty = [
        option.label
        for option, text in zip(reply.options, texts, strict=True)
        if has_words(text) and not option.text.strip()
    ]
    if empty:
        return f"option {', '.join(empty)} must not be empty"
    for name in ("unit", "solution") if source.choices else ("answer", "unit", "solution"):
        said = getattr(source, name)
        if said and has_words(said) and not getattr(reply, name).strip():
            return f"{name} must not be empty"
    if pictures and not reply.image_language:
        return "image_language must be one of keep, flag, reject"
    return None


def picture_findings(reply: TranslationReply, shown: bool) -> Iterator[str]:
    """A picture with words of the source's language is looked at by a person."""
    if shown and reply.image_language in ("flag", "reject"):
        words = " ".join(reply.picture_text.split()) or "no words quoted"
        yield f"picture-words: picture: {reply.image_language}: {words[:120]}"


_MARKS = str.maketrans(dict(zip("；，、：（）。", (";", ",", ",", ":", "(", ")", "."), strict=True)))


def _ascii_marks(text: str) -> str:
    """A text without words as English writes it: "0.6 V；0.5 A" becomes "0.6 V; 0.5 A"."""
    spaced = re.sub(r"([；，、：。])(?=\S)", r"\1 ", text)
    return re.sub(r"(?<=\S)（", " （", spaced).translate(_MARKS).strip()


def _values(source: LocalizedText, target: LocalizedText) -> Iterator[tuple[str, JsonValue]]:
    yield "question", target.question
    yield "answer", target.answer
    if source.choices:
        yield "choices", [choice.text or "" for choice in target.choices]
    if target.unit is not None:
        yield "unit", target.unit
    if target.solution is not None:
        yield "solution", target.solution


def _reask(found: Sequence[str], language: Language) -> str:
    lines = "\n".join(f"- {finding}" for finding in found)
    if language == "zh":
        return (
            f"逐项核对译文与原文后发现以下差异：\n{lines}\n请改正译文，确有必要的差异可以保留；"
            "再次按同样的格式回复完整的 JSON 对象。"
        )
    return (
        f"A comparison of your translation with the source found:\n{lines}\nMend the translation "
        "(a difference that has to be may stay) and reply again with the complete JSON object of the same form."
    )


def _item(unit: Unit) -> Item:
    assert unit.item is not None, "a translation is of an item"
    return unit.item


def _into(unit: Unit) -> Language:
    assert unit.language is not None, "a translation has a language"
    return unit.language
