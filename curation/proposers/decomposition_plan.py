"""What both decomposers share: the texts to be split, and the proposals a split text gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from benchwright.curation.proposers.unit import Item, Plan, Unit, rejected
from benchwright.schemas.jobs import Proposal, text_view
from benchwright.schemas.records import Decomposition, Language, LocalizedText, Rejected

JOB = "decomposition"
COMMAND = "decompose"


@dataclass(frozen=True)
class Split:
    """A split text and what the program checks say to it.

    Attributes:
        decomposition: the split.
        removed: sentences of the question that the stem leaves out as background knowledge, for the reviewer.
        findings: what the checks found, as `code: words`.
        model: who made it.
        confidence: 0 where something was found.
    """

    decomposition: Decomposition
    removed: tuple[str, ...]
    findings: tuple[str, ...]
    model: str
    confidence: float | None = None
    prompt_hash: str | None = None
    call_id: str | None = None

    def proposals(self, unit: Unit) -> list[Proposal]:
        """The proposals of a unit."""
        values: dict[str, JsonValue] = {
            "decomposition": self.decomposition.model_dump(mode="json", exclude_none=True)
        }
        if self.removed:
            values["removed"] = list(self.removed)
        if self.findings:
            values["findings"] = list(self.findings)
        return [
            unit.proposal(
                field,
                value,
                model=self.model,
                confidence=self.confidence if field == "decomposition" else None,
                prompt_hash=self.prompt_hash,
                call_id=self.call_id,
            )
            for field, value in sorted(values.items())
        ]


def planned(items: Sequence[Item]) -> Plan:
    """Every text without a decomposition, the source's language first."""
    units: list[Unit] = []
    passed: list[Rejected] = []
    for item in items:
        order = sorted(item.texts, key=lambda language: (language != item.language, language))
        for language in order:
            text = item.texts[language]
            if text.decomposition is not None:
                detail = "the source has it, or a reviewed one stands already"
                passed.append(rejected(COMMAND, item.item_id, "decomposition-there", detail, language))
                continue
            view = text_view(text, item.question.images)
            units.append(Unit(JOB, item.item_id, language, view, item))
    return Plan(tuple(units), tuple(passed))


def text_of(unit: Unit) -> tuple[Item, Language, LocalizedText]:
    """The item of a unit, its language and the text to be split."""
    assert unit.item is not None and unit.language is not None, "a decomposition is of a text"
    return unit.item, unit.language, unit.item.texts[unit.language]
