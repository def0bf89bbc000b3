"""`curate decompose`: a problem as SciVerse splits it, in every language it has, for people to review.

One call splits the source's text: stem, conditions with what becomes of each in the picture, core question, cue and
detail. The other language is asked with the finished split at hand, so that ids, values and what is shown agree. A
reply whose quotes are not found in its stem is sent back; what the program checks (`decomposition_checks`) find is sent
back once, and what is left then stands in the `findings`, with confidence 0.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from benchwright.curation.proposers.decomposition_checks import check, check_languages
from benchwright.curation.proposers.decomposition_plan import COMMAND, JOB, Split, planned, text_of
from benchwright.curation.proposers.decomposition_reply import DecompositionReply, built, complaint
from benchwright.curation.proposers.decomposition_text import removed_sentences
from benchwright.curation.proposers.panel import Panel
from benchwright.curation.proposers.unit import Item, Plan, Unit
from benchwright.models.prompts import Prompt, fence, load_prompt, prompt_digests, prompt_language
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.records import Decomposition, Language, LocalizedText

PROMPT_VERSION = "1"
_PACKAGE = "benchwright.curation"


@dataclass(frozen=True)
class Decomposer:
    """Asks a model to split a text.

    Attributes:
        pictures: False for models that cannot see; then nothing can be told to be in the picture already.
    """

    pictures: bool = True
    command: str = COMMAND
    job: str = JOB

    @property
    def signature(self) -> JsonValue:
        """See `Proposer.signature`."""
        names = ("decomposition", "decomposition-twin")
        prompts: dict[str, JsonValue] = {**prompt_digests(_PACKAGE, names, PROMPT_VERSION)}
        return {"pictures": self.pictures, "prompts": prompts}

    def plan(self, discipline: str, items: Sequence[Item]) -> Plan:
        """See `Proposer.plan`."""
        return planned(items)

    async def propose(self, unit: Unit, panel: Panel) -> Sequence[Proposal]:
        """See `Proposer.propose`."""
        item, language, text = text_of(unit)
        if language == item.language:
            return (await self._first(item, language, text, panel)).proposals(unit)
        # The same request as for the first language's own unit: the call store has the reply already.
        source = item.texts[item.language]
        if source.decomposition is not None:
            first = source.decomposition
        else:
            first = (await self._first(item, item.language, source, panel)).decomposition
        return (await self._second(item, language, text, first, panel)).proposals(unit)

    async def _first(self, item: Item, language: Language, text: LocalizedText, panel: Panel) -> Split:
        used = prompt("decomposition", language)
        filled = used.fill(problem=fence(problem_text(text), "problem"))
        return await self._asked(item, text, filled, used, None, panel)

    async def _second(
        self, item: Item, language: Language, text: LocalizedText, first: Decomposition, panel: Panel
    ) -> Split:
        used = prompt("decomposition-twin", language)
        filled = used.fill(
            problem=fence(problem_text(text), "problem"), first=fence(shown_split(first), "first")
        )
        return await self._asked(item, text, filled, used, first, panel)

    async def _asked(
        self,
        item: Item,
        text: LocalizedText,
        filled: str,
        used: Prompt,
        first: Decomposition | None,
        panel: Panel,
    ) -> Split:
        def findings(reply: DecompositionReply) -> tuple[str, ...]:
            made = built(reply)
            found = check(text, made, None, item.question.images)
            if first is not None:
                found += check_languages(first, made)
            return tuple(str(finding) for finding in found)

        request = panel.request(item.item_id, filled, item.pictures if self.pictures else ())
        answer = await panel.mended(
            request,
            DecompositionReply,
            findings,
            lambda _, reply: complaint(reply),
            reask=lambda found: _reask(found, used.language),
        )
        made = built(answer.value)
        return Split(
            made,
            removed_sentences(text.question, made.stem),
            answer.findings,
            panel.name,
            0.0 if answer.findings else None,
            used.sha256,
            answer.call_id,
        )


def prompt(name: str, language: Language) -> Prompt:
    """A prompt of this job, in the language of the text that is split, English where there is none."""
    return load_prompt(_PACKAGE, name, prompt_language(language), PROMPT_VERSION)


def problem_text(text: LocalizedText) -> str:
    """What is shown of a problem: its question, options and answer, so that the cue names what solving takes."""
    options = [f"{choice.label}. {choice.text or ''}".rstrip() for choice in text.choices]
    unit = f" {text.unit}" if text.unit else ""
    return "\n".join([text.question, *options, f"[answer] {text.answer}{unit}"])


def shown_split(split: Decomposition) -> str:
    """A finished split in the form of a reply: what the second language is made after."""
    return json.dumps(
        {
            "stem": split.stem,
            "conditions": [
                {
                    "id": condition.id,
                    "quote": split.stem[condition.start : condition.end],
                    "show": condition.show.value,
                    "labels": [mark.label for mark in condition.marks],
                }
                for condition in split.conditions
            ],
            "core_question": split.core_question,
            "cue": split.knowledge_cue.sentence,
            "terms": [{"term": entry.term, "detail": entry.text} for entry in split.knowledge_detail],
        },
        ensure_ascii=False,
        indent=1,
    )


def _reask(found: Sequence[str], language: Language) -> str:
    lines = "\n".join(f"- {finding}" for finding in found)
    if language == "zh":
        return (
            f"程序核对后发现以下问题：\n{lines}\n"
            "请逐条改正（确实无误的可以不改），并按同样的格式重新回复完整的 JSON 对象。"
        )
    return (
        f"A program looked through your split and found:\n{lines}\nMend each point (leave what is right as it is) and "
        "reply again with the complete JSON object of the same form."
    )
