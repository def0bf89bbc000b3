"""The embedded converter: distractors by rule for numeric answers and questions of truth. No model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from benchwright.curation.proposers.multiple_choice_checks import option_findings
from benchwright.curation.proposers.multiple_choice_plan import (
    COMMAND,
    JOB,
    ChoiceSettings,
    arranged,
    assembled,
    by_truth,
    choice_unit,
    item_of,
    language_of,
    planned,
)
from benchwright.curation.proposers.multiple_choice_rules import NAME, distractors, in_other_text
from benchwright.curation.proposers.multiple_choice_values import option_of
from benchwright.curation.proposers.unit import Item, Plan, Unit
from benchwright.schemas.jobs import Proposal


@dataclass(frozen=True)
class RuleConverter:
    """Distractors by rule, for numeric answers and questions of truth alone (`multiple_choice_rules`)."""

    settings: ChoiceSettings
    command: str = COMMAND
    job: str = JOB

    @property
    def signature(self) -> JsonValue:
        """See `EmbeddedProposer.signature`."""
        return {"rules": NAME, **self.settings.as_json()}

    def plan(self, discipline: str, items: Sequence[Item]) -> Plan:
        """See `EmbeddedProposer.plan`."""
        return planned(items, self.settings)

    def propose(self, unit: Unit) -> Sequence[Proposal]:
        """See `EmbeddedProposer.propose`.

        Raises:
            ItemError: `no-rule`, `too-few-distractors`, `languages-differ`.
        """
        unit = choice_unit(unit)
        item, language = item_of(unit), language_of(unit)
        truth = by_truth(unit)
        if truth is not None:
            return truth.proposals(unit)
        source, text = item.source_texts[item.language], item.source_texts[language]
        first, right = option_of(source.answer, source.unit), option_of(text.answer, text.unit)
        # The slips are chosen once, so that both languages have the same options.
        chosen = distractors(first, self.settings.distractors, unit.below)
        if language != item.language:
            chosen = tuple(in_other_text(one, first, right) for one in chosen)
        named = "zh" if language == "zh" else "en"
        wrong = [(chosen[n].text, chosen[n].slip.names[named]) for n in arranged(item.item_id, self.settings)]
        made = assembled(text.question, right, wrong, unit.place)
        found = option_findings(made.options, right, self.settings.none_of_these)
        return replace(made, findings=found).proposals(unit)
