"""Vision-rich: marks of conditions burnt into the diagram, at their anchors or in free space, never over ink.

For each mark: at its anchor if there is room, else near it, with a leader line where it stands farther off. Without
an anchor: beside what it names, where the drawing's own labels say where that is, else on quiet ground outside closed
shapes, with the name of what it belongs to in front. What the drawing's own labels say already is not drawn again. A
condition all of whose marks found a place is `shown`; else it goes to a band below the diagram if the style has one,
else it stays in the text. Labels are no smaller than the style's size, and larger beside large letters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from PIL import Image

from benchwright.render.canvas import Block, Run, ink_mask
from benchwright.render.inkmap import (
    INK_THRESHOLD,
    Mask,
)
from benchwright.render.layout import Setter
from benchwright.render.page import Images
from benchwright.render.placement_diagram import EDGE, WORKING_WIDTH, Diagram
from benchwright.render.placement_names import DiagramLabel, Target, names_of, target_of
from benchwright.render.placement_options import home_of, option_pictures
from benchwright.render.placement_owner import owned_label
from benchwright.render.placement_page import joined, with_band
from benchwright.render.placement_scale import letter_height
from benchwright.render.placement_spot import APART, air_px, label_of, place_mark
from benchwright.render.placement_there import There, already_there
from benchwright.render.pointer import widened
from benchwright.render.sidecar import DiagramRecord, MarkRecord
from benchwright.render.style import MINIMUM_CONTRAST, WHITE, RenderStyle, contrast
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import Anchor, Condition, Decomposition, ImageRef, Mark, Show

_MAX_ENLARGED = 2.0
_MAX_BESIDE_LETTERS = 1.5
"""How much larger than the style's size labels become beside a drawing's own large letters."""
_SMALLER = 0.78
"""Of that, the size that is tried where the full size finds no room."""
_BESIDE_LETTERS = 1.15
"""Text size for a drawing whose capitals have height 1: a little smaller than its own letters."""
_BEFORE = 40
"""Characters in front of a condition in which the thing that it is about may be named."""

Labels = Mapping[str, Sequence[DiagramLabel]]
"""The drawings' own labels by digest of the published image; a drawing that was not read has no entry."""
NO_LABELS: Labels = MappingProxyType({})
NOWHERE = Anchor(image="0" * 64, kind="point", x=0.0, y=0.0)
"""The anchor of a mark that people found no place for: it is not drawn, and the text beside the picture is cut by rule
and waits for the decomposition's review (`text_changed`)."""


@dataclass(frozen=True)
class Placed:
    """The annotated picture, all ink on it as a block, and what it shows."""

    image: Image.Image
    block: Block
    marks: tuple[MarkRecord, ...]
    diagrams: tuple[DiagramRecord, ...]
    shown: tuple[str, ...]
    unshown: dict[str, str]
    captions: tuple[Run, ...] = ()
    """Numbers below several diagrams: no conditions, printed black."""
    text_changed: bool = False
    """It shows fewer conditions than the reviewed ones: the text beside it is cut by rule."""


def annotate(
    decomposition: Decomposition,
    refs: Sequence[ImageRef],
    images: Images,
    style: RenderStyle,
    setter: Setter,
    language: str,
    labels: Labels = NO_LABELS,
) -> Placed:
    """Place all marks of a decomposition.

    Args:
        decomposition: conditions with their marks.
        refs: the problem's diagrams.
        images: their published bytes.
        style: sizes and ink.
        setter: sets the labels' texts.
        language: of the numbers below several diagrams.
        labels: the drawings' own labels, where they were read.

    Raises:
        ItemError: `covers-ink` if a painted pixel meets the original's ink (an invariant, checked on the finished
            picture), or what a label's text raises (`missing-glyph`, `formula`).
    """
    attempt = attempted(decomposition, refs, images, style, setter, labels)
    setter, diagrams, banded = attempt.setter, attempt.diagrams, attempt.banded
    pictures = [painted(diagram, style, setter) for diagram in diagrams.values()]
    image, block, marks, records, captions = joined(list(diagrams.values()), pictures, setter, language)
    if banded:
        image, block, extra = with_band(
            image, block, banded, decomposition.stem, style, setter, refs[0].sha256
        )
        marks += extra
    return Placed(
        image,
        block,
        tuple(marks),
        tuple(records),
        tuple(attempt.shown),
        attempt.unshown,
        tuple(captions),
        text_changed=bool(attempt.unshown),
    )


def attempted(
    decomposition: Decomposition,
    refs: Sequence[ImageRef],
    images: Images,
    style: RenderStyle,
    setter: Setter,
    labels: Labels = NO_LABELS,
) -> Attempt:
    """Place marks on the drawings as they are; if some find no room, once more with air around the drawings.

    Labels have the size that suits the drawings' own letters, where there is room for it.

    Args: as for `annotate`; the result's setter has the size that was used.
    """
    options = option_pictures(refs, labels)
    own = {key: () if key in options else items for key, items in labels.items()}
    task = _Task(decomposition, refs, images, style, own, home_of(refs, labels))
    base = label_px(refs, setter.px)
    large = _beside_letters(task, base)
    attempt = task.tried(replace(setter, px=large), (0, 0))
    smaller = max(base, round(_SMALLER * large))
    if attempt.faults > (0, 0) and smaller < large:
        # In its place, and a little smaller, is better than elsewhere.
        again = task.tried(replace(setter, px=smaller), (0, 0))
        attempt = again if again.faults < attempt.faults else attempt
    if attempt.failures:
        # A label beside a tight drawing is better than one in words.
        wider = task.tried(attempt.setter, _largest_label(task, attempt.setter))
        if wider.failures < attempt.failures:
            wider.diagrams = {key: diagram.trimmed() for key, diagram in wider.diagrams.items()}
            return wider
    return attempt


def label_px(refs: Sequence[ImageRef], px: int) -> int:
    """Text size for diagrams of this size: what is drawn larger than the working width is labelled larger too."""
    longest = max(max(ref.width, ref.height) for ref in refs)
    return round(px * min(_MAX_ENLARGED, max(1.0, longest / WORKING_WIDTH)))


@dataclass
class Attempt:
    """What one pass over the conditions achieved."""

    diagrams: dict[str, Diagram]
    setter: Setter
    shown: list[str] = field(default_factory=list)
    unshown: dict[str, str] = field(default_factory=dict)
    banded: list[Condition] = field(default_factory=list)
    placed: dict[tuple[str, int], tuple[str, int]] = field(default_factory=dict)
    """Condition and number of each mark that was placed: its drawing, and which of that drawing's marks it is."""
    there: dict[str, tuple[There, ...]] = field(default_factory=dict)
    """Conditions to be drawn that the drawings' own labels say already, by id, with what says each of their marks."""

    @property
    def failures(self) -> int:
        """Conditions without a place on a drawing."""
        return len(self.unshown) + len(self.banded)

    @property
    def faults(self) -> tuple[int, int]:
        """What is wrong: conditions without a place, then marks that do not stand where they were wanted."""
        marks = [mark for diagram in self.diagrams.values() for mark in diagram.marks]
        return self.failures, sum(mark.place in ("near-anchor", "leader") for mark in marks)


@dataclass(frozen=True)
class _Task:
    """What is to be placed on what."""

    decomposition: Decomposition
    refs: Sequence[ImageRef]
    images: Images
    style: RenderStyle
    labels: Labels
    """What stands on the question's own diagrams; what stands on options' pictures names nothing."""
    home: str | None
    """The diagram for marks that nothing else settles."""

    def diagrams(self, border: tuple[int, int]) -> dict[str, Diagram]:
        """The drawings, opened anew, with air around them."""
        return {
            ref.sha256: Diagram.load(
                ref, self.images(ref.sha256), border, tuple(self.labels.get(ref.sha256, ()))
            )
            for ref in self.refs
        }

    def tried(self, setter: Setter, border: tuple[int, int]) -> Attempt:
        """One pass over the conditions, with labels of one size."""
        result = Attempt(self.diagrams(border), setter)
        for condition in self.decomposition.conditions:
            if condition.show is Show.TEXT:
                continue
            reason = None
            if condition.show is Show.ON_DIAGRAM:
                if there := self._there(condition):
                    result.there[condition.id] = there
                else:
                    reason = _place_condition(condition, self.decomposition.stem, result, self.home)
            if reason is not None and not self.style.band:
                result.unshown[condition.id] = reason
                continue
            result.shown.append(condition.id)
            if reason is not None or condition.show is Show.BAND:
                result.banded.append(condition)
        return result

    def _there(self, condition: Condition) -> tuple[There, ...]:
        """What says a condition already, one a mark; empty unless all are said and none was placed by hand."""
        if any(mark.anchor or mark.arrow for mark in condition.marks):
            return ()
        span = self.decomposition.stem[condition.start : condition.end]
        found = [already_there(mark.label, span, self.labels) for mark in condition.marks]
        kept = tuple(item for item in found if item is not None)
        distinct = {(item.image, item.label.box) for item in kept}
        return kept if len(kept) == len(distinct) == len(condition.marks) else ()


def _beside_letters(task: _Task, px: int) -> int:
    """Text size that suits the largest letters of the drawings, at least `px`."""
    heights = [height for d in task.diagrams((0, 0)).values() if (height := letter_height(d.ink))]
    wanted = _BESIDE_LETTERS * max(heights, default=0.0)
    return round(min(_MAX_BESIDE_LETTERS * px, max(px, wanted)))


def _largest_label(task: _Task, setter: Setter) -> tuple[int, int]:
    """Border that any label fits into: width and height of the largest, with its air."""
    stem = task.decomposition.stem
    boxes = [
        label_of(text, setter)[1]
        for c in task.decomposition.conditions
        for mark in c.marks
        for text in {mark.label, owned_label(mark.label, stem, c.start, c.end)}
    ]
    air = 2 * (air_px(setter.px) + round(APART * setter.px) + EDGE)
    return max((box.w for box in boxes), default=0) + air, max((box.h for box in boxes), default=0) + air


def _place_condition(condition: Condition, stem: str, result: Attempt, home: str | None) -> str | None:
    """Place all marks of one condition or none; returns the reason if there is no place."""
    diagrams = result.diagrams
    before = {
        key: (d.occupied.copy(), len(d.pointers), len(d.marks), _length(d.block))
        for key, d in diagrams.items()
    }
    for number, mark in enumerate(condition.marks):
        key, reason = _place_on(condition, mark, stem, result, home)
        if reason is None:
            result.placed[condition.id, number] = (key, len(diagrams[key].marks) - 1)
        else:
            for done in range(number):
                del result.placed[condition.id, done]
            for name, (occupied, pointers, marks, length) in before.items():
                diagram = diagrams[name]
                diagram.occupied = occupied
                del diagram.pointers[pointers:], diagram.marks[marks:]
                _truncate(diagram.block, length)
            return reason
    return None


def _place_on(
    condition: Condition, mark: Mark, stem: str, result: Attempt, home: str | None
) -> tuple[str, str | None]:
    """Choose the drawing of a mark and place it there; the drawing, and the reason if there is no place."""
    if mark.anchor is not None and mark.anchor.image == NOWHERE.image:
        return "", "unplaced"
    key, target = mark.anchor.image if mark.anchor else home, None
    if mark.anchor is None and mark.arrow is None:
        span, before = stem[condition.start : condition.end], stem[: condition.start][-_BEFORE:]
        key, target = _named(names_of(mark.label, span, before), result.diagrams) or (home, None)
    if key is None:
        return "", "which-diagram"
    if key not in result.diagrams:
        return "", "unknown-image"
    diagram, setter = result.diagrams[key], result.setter
    if target is not None and place_mark(condition.id, mark, diagram, setter, target) is None:
        return key, None
    if mark.anchor is None:
        # Beside nothing that says what it is, a bare value needs the name of what it belongs to.
        label = owned_label(mark.label, stem, condition.start, condition.end)
        mark = mark.model_copy(update={"label": label})
    return key, place_mark(condition.id, mark, diagram, setter, None)


def _named(names: Sequence[str], diagrams: Mapping[str, Diagram]) -> tuple[str, Target] | None:
    """The drawing, and the place on it, that the drawings' own labels give to a mark; None if not exactly one does."""
    found = [(key, target) for key, d in diagrams.items() if (target := target_of(names, d.labels))]
    return found[0] if len(found) == 1 else None


def painted(diagram: Diagram, style: RenderStyle, setter: Setter) -> Image.Image:
    """The diagram with its marks; checks that no changed pixel meets the original's ink.

    Raises:
        ItemError: `covers-ink`.
    """
    size = diagram.base.size
    image = diagram.base.copy()
    coverage = np.asarray(ink_mask(diagram.block, size, setter.font)).copy()
    for shape in diagram.pointers:
        coverage[shape] = 255
    red, green, blue = (
        max(0, level - INK_THRESHOLD) for level in diagram.ground
    )  # the darkest that counts as ground
    if contrast(style.rgb, (red, green, blue)) < MINIMUM_CONTRAST and diagram.marks:
        backing = np.zeros(coverage.shape, dtype=bool)
        for mark in diagram.marks:
            backing[mark.box.y : mark.box.y + mark.box.height, mark.box.x : mark.box.x + mark.box.width] = (
                True
            )
        for shape in diagram.pointers:
            backing |= widened(shape) & ~diagram.ink
        image.paste(WHITE, mask=Image.fromarray(backing.astype(np.uint8) * 255))
        diagram.marks = [mark.model_copy(update={"backed": True}) for mark in diagram.marks]
    image.paste(style.rgb, mask=Image.fromarray(coverage))
    require_ink_kept(diagram.base, image, diagram.ink)
    return image


def require_ink_kept(before: Image.Image, after: Image.Image, ink: Mask) -> None:
    """The invariant of every vision-rich picture: changed pixels do not meet the original's ink.

    Raises:
        ItemError: `covers-ink`, with the number of pixels.
    """
    changed = np.asarray(before) != np.asarray(after)
    if covered := int(((changed[..., 0] | changed[..., 1] | changed[..., 2]) & ink).sum()):
        raise ItemError("covers-ink", f"{covered} pixels of the drawing would be covered")


def _length(block: Block) -> tuple[int, int, int, int]:
    return len(block.runs), len(block.formulas), len(block.rules), len(block.lines)


def _truncate(block: Block, length: tuple[int, int, int, int]) -> None:
    del (
        block.runs[length[0] :],
        block.formulas[length[1] :],
        block.rules[length[2] :],
        block.lines[length[3] :],
    )
