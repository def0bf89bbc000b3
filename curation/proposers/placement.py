"""`curate place`: where the marks of conditions go on their diagrams, by the renderer's own placement.

No model is asked. What the diagrams themselves say is read where the reader is installed: a mark then stands beside
what it names, and what is written there already is not drawn twice. Without it marks go to free ground, the value says
`labels_read: false`, and confidence is lower.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pydantic import JsonValue

from benchwright.curation.proposers.unit import Item, Plan, Unit, rejected
from benchwright.render.compose import typesetter_for
from benchwright.render.job import chosen_font
from benchwright.render.legibility_read import reader, reader_version
from benchwright.render.placement import Labels
from benchwright.render.placement_marks import place_marks, placed_language, placement_view
from benchwright.render.placement_names import cached_labels
from benchwright.render.sidecar import RENDERER_VERSION
from benchwright.render.spread import published_image
from benchwright.render.style import style_of
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.records import ImageRef, Rejected
from benchwright.schemas.workspace import Workspace

JOB = "placement"
COMMAND = "place"
MODEL = "embedded/placement@1"


def labels_cache(workspace: Workspace) -> Path:
    """What was read on drawings before; it may be deleted at any time and belongs to no artefact."""
    return workspace.root / ".cache" / "labels"


@dataclass(frozen=True)
class Placer:
    """Places marks by the renderer's rules, so that what is reviewed is what will be drawn."""

    workspace: Workspace
    read: bool = True
    """Whether the drawings' own labels are read, where the reader is installed."""
    command: str = COMMAND
    job: str = JOB

    @property
    def reader(self) -> str | None:
        """Name and version of what reads the drawings; None where nothing does."""
        return reader_version() if self.read else None

    @property
    def signature(self) -> JsonValue:
        """See `EmbeddedProposer.signature`."""
        return {
            "rules": MODEL,
            "renderer": RENDERER_VERSION,
            "style": style_of(self.workspace.recipe.render).digest,
            "font": typesetter_for(chosen_font(self.workspace)).font.digest,
            "reader": self.reader,
        }

    def plan(self, discipline: str, items: Sequence[Item]) -> Plan:
        """See `EmbeddedProposer.plan`."""
        units: list[Unit] = []
        passed: list[Rejected] = []
        for item in items:
            language = placed_language(item.texts, item.language)
            if language is not None and item.question.images:
                view = placement_view(item.texts[language], item.question.images, language)
                units.append(Unit(JOB, item.item_id, None, view, item))
                continue
            if all(text.decomposition is None for text in item.texts.values()):
                reason, detail = "no-decomposition", "run `curate decompose` first"
            elif language is None:
                reason, detail = "nothing-to-show", "no condition is to be drawn on a diagram"
            else:
                reason, detail = "no-diagram", "there is no picture to draw on"
            passed.append(rejected(COMMAND, item.item_id, reason, detail))
        return Plan(tuple(units), tuple(passed))

    def propose(self, unit: Unit) -> Sequence[Proposal]:
        """See `EmbeddedProposer.propose`.

        Raises:
            ItemError: `image-missing`, `image-tampered`, or what a label's text raises (`missing-glyph`, `formula`).
        """
        assert unit.item is not None, "marks are of a question"
        language = placed_language(unit.item.texts, unit.item.language)
        assert language is not None, "only what has marks is planned"
        decomposition = unit.item.texts[language].decomposition
        assert decomposition is not None, "marks come from a decomposition"
        images = unit.item.question.images
        found = place_marks(
            images,
            partial(published_image, self.workspace),
            decomposition,
            style_of(self.workspace.recipe.render),
            self._labels(images),
            chosen_font(self.workspace),
        )
        value = found.model_dump(mode="json", exclude_none=True)
        return [unit.proposal("marks", value, model=MODEL, confidence=round(found.confidence, 3))]

    def _labels(self, images: Sequence[ImageRef]) -> Labels:
        if self.reader is None:
            return {}
        folder = labels_cache(self.workspace)
        return {
            ref.sha256: cached_labels(
                folder, ref.sha256, published_image(self.workspace, ref.sha256), reader()
            )
            for ref in images
        }
