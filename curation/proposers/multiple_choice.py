"""`curate multiple-choice`: a free-form problem as single choice, in every language it has, for people to review.

The right option is the ground answer and its letter is ours: places are dealt out over a discipline's problems in the
order of a digest, so that each letter is right equally often, whatever a model prefers. A model writes the distractors
and the error each stands for; program checks (`multiple_choice_checks`) look for a second right option and for
anything that gives the right one away. The other language repeats the same options in the same order. The free-form
original stays (`Problem.source_texts`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, JsonValue

from benchwright.curation.proposers.multiple_choice_checks import (
    LABELS,
    Options,
    misconception_findings,
    option_findings,
    question_findings,
    twin_findings,
)
from benchwright.curation.proposers.multiple_choice_plan import (
    COMMAND,
    JOB,
    ChoiceSettings,
    ConversionUnit,
    Converted,
    arranged,
    assembled,
    by_truth,
    choice_unit,
    item_of,
    language_of,
    planned,
)
from benchwright.curation.proposers.multiple_choice_rules import NAME
from benchwright.curation.proposers.multiple_choice_values import option_of
from benchwright.curation.proposers.panel import Panel
from benchwright.curation.proposers.translation import has_words
from benchwright.curation.proposers.unit import Item, Plan, Unit
from benchwright.models.prompts import Prompt, fence, load_prompt, prompt_digests, prompt_language
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.records import Language, LocalizedText

PROMPT_VERSION = "1"
_PACKAGE = "benchwright.curation"


class Distractor(BaseModel):
    """A wrong option: first the error, then what it leads to."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    misconception: str
    text: str


class ChoiceReply(BaseModel):
    """The form of a reply."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    question: str = ""
    distractors: list[Distractor]


class TwinOption(BaseModel):
    """An option in the second language."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    label: str
    misconception: str = ""
    text: str


class TwinReply(BaseModel):
    """The form of a reply about the second language."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    question: str = ""
    options: list[TwinOption]


@dataclass(frozen=True)
class Converter:
    """Asks a model for distractors."""

    settings: ChoiceSettings
    command: str = COMMAND
    job: str = JOB

    @property
    def signature(self) -> JsonValue:
        """See `Proposer.signature`."""
        names = ("multiple-choice", "multiple-choice-twin")
        prompts: dict[str, JsonValue] = {**prompt_digests(_PACKAGE, names, PROMPT_VERSION)}
        return {"rules": NAME, "prompts": prompts, **self.settings.as_json()}

    def plan(self, discipline: str, items: Sequence[Item]) -> Plan:
        """See `Proposer.plan`."""
        return planned(items, self.settings)

    async def propose(self, unit: Unit, panel: Panel) -> Sequence[Proposal]:
        """See `Proposer.propose`. A question of truth is converted by rule, without a call."""
        item, unit = item_of(unit), choice_unit(unit)
        truth = by_truth(unit)
        if truth is not None:
            return truth.proposals(unit)
        # The second language asks for the first one's options again: the same request, so the same stored reply.
        first = await self._first(item, unit, panel)
        if unit.language == item.language:
            return first.proposals(unit)
        return (await self._second(item, unit, first, panel)).proposals(unit)

    async def _first(self, item: Item, unit: ConversionUnit, panel: Panel) -> Converted:
        text, settings = item.source_texts[item.language], self.settings
        right = option_of(text.answer, text.unit)
        language = prompt_language(item.language)
        used = prompt("multiple-choice", language)
        filled = used.fill(
            count=str(settings.distractors),
            problem=fence(_shown(text), "problem"),
            right=fence(right, "right"),
        )
        order = arranged(item.item_id, settings)

        def built(reply: ChoiceReply) -> Converted:
            chosen = [reply.distractors[number] for number in order]
            return assembled(
                reply.question.strip() or text.question,
                right,
                [(one.text.strip(), one.misconception.strip()) for one in chosen],
                unit.place,
            )

        answer = await panel.mended(
            panel.request(item.item_id, filled, item.pictures if settings.pictures else ()),
            ChoiceReply,
            lambda reply: self._findings(built(reply), text, item.language),
            lambda _, reply: self._complaint(reply),
            reask=lambda found: _reask(found, language),
        )
        return replace(
            built(answer.value),
            findings=answer.findings,
            call_id=answer.call_id,
            prompt_hash=used.sha256,
            model=panel.name,
        )

    def _complaint(self, reply: ChoiceReply) -> str | None:
        wanted = self.settings.distractors
        if len(reply.distractors) != wanted:
            return f"distractors must be exactly {wanted}, not {len(reply.distractors)}"
        if any(not one.text.strip() for one in reply.distractors):
            return "the text of a distractor must not be empty"
        return None

    def _findings(self, made: Converted, text: LocalizedText, language: Language) -> tuple[str, ...]:
        ground = option_of(text.answer, text.unit)
        wrong = [said for place, said in enumerate(made.misconceptions) if place != made.options.right]
        return (
            *question_findings(text.question, made.question, language),
            *option_findings(made.options, ground, self.settings.none_of_these),
            *misconception_findings(wrong),
        )

    async def _second(self, item: Item, unit: ConversionUnit, first: Converted, panel: Panel) -> Converted:
        """The same options in the other language; asked for only where they hold words."""
        language = language_of(unit)
        text = item.source_texts[language]
        right = option_of(text.answer, text.unit)
        unchanged = first.question == item.source_texts[item.language].question
        if unchanged and not any(has_words(option) for option in first.options.wrong):
            texts = tuple(right if n == unit.place else said for n, said in enumerate(first.options.texts))
            found = (
                *first.findings,
                *option_findings(Options(texts, unit.place), right, self.settings.none_of_these),
            )
            made = replace(first, question=text.question, options=Options(texts, unit.place))
            return replace(made, findings=tuple(dict.fromkeys(found)))
        return await self._twin(item, text, right, first, language, panel)

    async def _twin(
        self, item: Item, text: LocalizedText, right: str, first: Converted, into: Language, panel: Panel
    ) -> Converted:
        language = prompt_language(item.language)
        used = prompt("multiple-choice-twin", language)
        filled = used.fill(first=fence(_listed(first), "first"), question=fence(text.question, "question"))
        labels = [LABELS[place] for place in range(len(first.options.texts))]

        def built(reply: TwinReply) -> Converted:
            place = first.options.right
            texts = [
                option.text.strip() if has_words(said) else said
                for option, said in zip(reply.options, first.options.texts, strict=True)
            ]
            told = [option.misconception.strip() for option in reply.options]
            texts[place], told[place] = right, ""
            return Converted(
                reply.question.strip() or text.question, Options(tuple(texts), place), tuple(told)
            )

        def findings(reply: TwinReply) -> tuple[str, ...]:
            made = built(reply)
            return (
                *self._findings(made, text, into),
                *twin_findings(first.options.texts, made.options.texts, into),
            )

        def complaint(_: object, reply: TwinReply) -> str | None:
            said = [option.label for option in reply.options if option.text.strip()]
            if said != labels or len(reply.options) != len(labels):
                return f"options must be texts under the labels {', '.join(labels)} in this order"
            return None

        request = panel.request(item.item_id, filled)
        answer = await panel.mended(
            request, TwinReply, findings, complaint, reask=lambda found: _reask(found, language)
        )
        return replace(
            built(answer.value),
            findings=tuple(dict.fromkeys((*first.findings, *answer.findings))),
            call_id=answer.call_id,
            prompt_hash=used.sha256,
            model=panel.name,
        )


def prompt(name: str, language: Language) -> Prompt:
    """A prompt of this job."""
    return load_prompt(_PACKAGE, name, language, PROMPT_VERSION)


def _shown(text: LocalizedText) -> str:
    lines = [f"[question] {text.question}", f"[answer] {text.answer}"]
    lines += [f"[{name}] {said}" for name, said in (("unit", text.unit), ("solution", text.solution)) if said]
    return "\n".join(lines)


def _listed(made: Converted) -> str:
    lines = [f"[question] {made.question}"]
    lines += [f"[option {LABELS[n]}] {said}" for n, said in enumerate(made.options.texts)]
    lines += [f"[misconception {LABELS[n]}] {said}" for n, said in enumerate(made.misconceptions) if said]
    return "\n".join(lines)


def _reask(found: Sequence[str], language: Language) -> str:
    lines = "\n".join(f"- {finding}" for finding in found)
    if language == "zh":
        return f"核对选项后发现以下问题：\n{lines}\n请改正，并再次按同样的格式回复完整的 JSON 对象。"
    return (
        f"A check of the options found:\n{lines}\nMend them and reply again with the complete JSON object of the same "
        "form."
    )
