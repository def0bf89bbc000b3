"""The embedded decomposer as a proposer: rules for every text (`decomposition_rules`), ids shared by the languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from benchwright.curation.proposers.decomposition_checks import check_languages, value_numbers
from benchwright.curation.proposers.decomposition_plan import COMMAND, JOB, Split, planned, text_of
from benchwright.curation.proposers.decomposition_rules import MODEL, Proposed, decompose
from benchwright.curation.proposers.unit import Item, Plan, Unit
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.records import Decomposition, Language
from benchwright.schemas.taxonomy import Subject, Taxonomy


@dataclass(frozen=True)
class RuleDecomposer:
    """Splits by rule: a baseline that never invents a law."""

    taxonomy: Taxonomy
    command: str = COMMAND
    job: str = JOB

    @property
    def signature(self) -> JsonValue:
        """See `EmbeddedProposer.signature`."""
        return {"rules": MODEL, "taxonomy": self.taxonomy.name}

    def plan(self, discipline: str, items: Sequence[Item]) -> Plan:
        """See `EmbeddedProposer.plan`."""
        return planned(items)

    def propose(self, unit: Unit) -> Sequence[Proposal]:
        """See `EmbeddedProposer.propose`."""
        item, language, _ = text_of(unit)
        made = self._made(item, language)
        findings = [str(finding) for finding in made.findings]
        decomposition = made.decomposition
        if language != item.language:
            source = item.texts[item.language].decomposition or self._made(item, item.language).decomposition
            decomposition = with_ids_of(decomposition, source)
            findings += [str(finding) for finding in check_languages(source, decomposition)]
        split = Split(decomposition, made.removed, tuple(findings), MODEL, made.confidence)
        return (replace(split, confidence=0.0) if findings else split).proposals(unit)

    def _made(self, item: Item, language: Language) -> Proposed:
        question = item.question
        return decompose(
            item.texts[language],
            language,
            question.images,
            subject=self._subject(item),
            points=question.knowledge_points[-1:],
            discipline=question.discipline,
        )

    def _subject(self, item: Item) -> Subject | None:
        """The subject as reviewed or proposed, else as estimated; None where the taxonomy does not have it."""
        name = item.subject or (item.estimate.subject if item.estimate is not None else None)
        discipline = item.question.discipline
        if name is None or not self.taxonomy.has(discipline):
            return None
        return next((subject for subject in self.taxonomy.subjects(discipline) if subject.id == name), None)


def with_ids_of(split: Decomposition, first: Decomposition) -> Decomposition:
    """The same split with the ids of another language's conditions that hold the same values."""
    free = {
        condition.id: value_numbers(first.stem[condition.start : condition.end])
        for condition in first.conditions
    }
    conditions = []
    for number, condition in enumerate(split.conditions, 1):
        values = value_numbers(split.stem[condition.start : condition.end])
        name = next((name for name, held in free.items() if held == values), None)
        if name is not None:
            del free[name]
        conditions.append(condition.model_copy(update={"id": name or f"x{number}"}))
    return split.model_copy(update={"conditions": tuple(conditions)})
