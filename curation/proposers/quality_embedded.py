"""The embedded proposer of quality: rules and measures, no model, nothing leaves the machine, and `model` says so.

It sees what is visible in characters and pixels. Confidence is low on purpose: it puts the items with findings in
front, and an item without any still needs a reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from benchwright.curation.proposers.quality_faults import (
    IMAGE_FAULTS,
    REMEDIES,
    TEXT_FAULTS,
    Fault,
    codes_of,
    decision_of,
    reason_text,
)
from benchwright.curation.proposers.quality_pictures import (
    BLANK_INK,
    BLURRED_EDGE,
    FAINT_CONTRAST,
    RICHNESS_CUTS,
    SMALL_SIDES,
    image_faults,
    measure,
    richness,
)
from benchwright.curation.proposers.quality_rules import COMPLEXITY_CUTS, complexity, text_faults
from benchwright.curation.proposers.unit import Item, Plan, Unit
from benchwright.schemas.jobs import Proposal, quality_view
from benchwright.schemas.records import LocalizedText
from benchwright.schemas.workspace import Workspace

JOB = "quality"
MODEL = "embedded/rules@1"
FOUND = 0.3
"""Confidence of what has a finding: something is there, whether it matters is for a person."""
CLEAN = 0.5
"""Confidence where no rule found anything: the rules see a part of what can be wrong."""
ROUGH = 0.5
"""Confidence of both ratings; not lower than `CLEAN`, or they alone would decide the order of the review."""


def rules_signature() -> JsonValue:
    """Name of the rules and their limits."""
    return {
        "name": MODEL,
        "limits": [BLANK_INK, FAINT_CONTRAST, BLURRED_EDGE, *SMALL_SIDES],
        "cuts": [*COMPLEXITY_CUTS, *RICHNESS_CUTS],
    }


@dataclass(frozen=True)
class Visible:
    """What rules and measures see of one question in one language."""

    text: tuple[Fault, ...]
    image: tuple[Fault, ...]
    richness: int


def visible(workspace: Workspace, item: Item, text: LocalizedText) -> Visible:
    """Apply the rules to a text of an item and to its pictures.

    Args:
        workspace: holds the pictures.
        item: the question.
        text: one of its texts.
    """
    own = len(item.question.images)
    measures = [measure(workspace.read_image(picture.sha256)) for picture in item.pictures]
    faults = text_faults(text, item.question.question_type, own, len(item.pictures) - own)
    return Visible(faults, image_faults(measures), richness(measures))


@dataclass(frozen=True)
class EmbeddedQuality:
    """Assesses questions by rule.

    Attributes:
        workspace: holds the pictures.
    """

    workspace: Workspace
    command: str = "assess"
    job: str = JOB

    @property
    def signature(self) -> JsonValue:
        """Name of the rules, their limits, and what follows from a fault."""
        return {"rules": rules_signature(), "remedies": dict(REMEDIES)}

    def plan(self, discipline: str, items: Sequence[Item]) -> Plan:
        """One unit for each language in which the question stands before any conversion."""
        return Plan(
            tuple(
                Unit(JOB, item.item_id, language, quality_view(text, item.question.images), item)
                for item in items
                for language, text in sorted(item.source_texts.items())
            )
        )

    def propose(self, unit: Unit) -> Sequence[Proposal]:
        """Assess one question in one language."""
        assert unit.item is not None and unit.language is not None
        item = unit.item
        text = item.source_texts[unit.language]
        seen = visible(self.workspace, item, text)
        faults = (*seen.text, *seen.image)
        rows: list[tuple[str, JsonValue, float]] = [
            ("text_faults", codes_of(seen.text, TEXT_FAULTS), FOUND if seen.text else CLEAN),
            ("image_faults", codes_of(seen.image, IMAGE_FAULTS), FOUND if seen.image else CLEAN),
            ("knowledge_complexity", complexity(text, item.question.knowledge_points), ROUGH),
            ("visual_richness", seen.richness, ROUGH),
            ("decision", decision_of(f.code for f in faults), FOUND if faults else CLEAN),
        ]
        if faults:
            rows.append(("reason", reason_text(faults), FOUND))
        return [unit.proposal(name, value, model=MODEL, confidence=sure) for name, value, sure in rows]
