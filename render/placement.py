"""Vision-rich: marks of conditions burnt into the diagram, at their anchors or in free space, never over ink.

For each mark: at its anchor if there is room, else near it, with a leader line where it stands farther off. Without
an anchor: beside what it names, where the drawing's own labels say where that is, else on quiet ground outside closed
shapes. A condition all of whose marks found a place is `shown`; else it goes to a band below the diagram if the style
has one, else it stays in the text. Labels never shrink.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from PIL import Image

from benchwright.render.canvas import Block, Run, ink_mask
from benchwright.render.inkmap import (
    INK_THRESHOLD,
    Box,
    Mask,
    nearest_free,
    open_ground,
    quietest,
)
from benchwright.render.layout import Setter
from benchwright.render.page import Images
from benchwright.render.placement_diagram import EDGE, WORKING_WIDTH, Diagram
from benchwright.render.placement_names import DiagramLabel, Target, names_of, target_of
from benchwright.render.placement_page import joined, with_band
from benchwright.render.pointer import arrow_mask, clear_arrow, clear_leader, line_mask, widened
from benchwright.render.sidecar import DiagramRecord, MarkRecord, Rect
from benchwright.render.style import MINIMUM_CONTRAST, WHITE, RenderStyle, contrast
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import Condition, Decomposition, ImageRef, Mark, Show

_MAX_ENLARGED = 2.0
_CLEARANCE = 0.22
"""Air around a label, in em."""
_AIR = 2.0
"""Clearance, in em, beyond which a label without an anchor gains nothing: away from lines it does not belong to."""
_APART = 0.8
"""More air, in em, around a label without an anchor: close to a letter of the drawing it would read as its value."""
_NEAR = 1.3
_FAR = 2.5
"""Distances from an anchor, in em: up to the first no leader is needed, up to the second it may be missing."""
_BESIDE = 1.6
"""How far, in em, a label may stand from the drawing's own label that it was matched with."""
_REACH = 0.4
"""How far a label may stand from its anchor, as a share of the picture's diagonal."""


Labels = Mapping[str, Sequence[DiagramLabel]]
"""The drawings' own labels by digest of the published image."""
NO_LABELS: Labels = MappingProxyType({})


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
    setter = replace(setter, px=label_px(refs, setter.px))  # counts stay shared
    attempt = attempted(decomposition, refs, images, style, setter, labels)
    diagrams, banded = attempt.diagrams, attempt.banded
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
    """Place marks on the drawings as they are; if some find no room, once more with air around the drawings."""
    attempt = _attempt(decomposition, refs, images, style, setter, (0, 0), labels)
    if attempt.unshown or attempt.banded:
        # A label beside a tight drawing is better than one in words.
        widest, tallest = _largest_label(decomposition, setter)
        wider = _attempt(decomposition, refs, images, style, setter, (widest, tallest), labels)
        if len(wider.unshown) + len(wider.banded) < len(attempt.unshown) + len(attempt.banded):
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
    shown: list[str] = field(default_factory=list)
    unshown: dict[str, str] = field(default_factory=dict)
    banded: list[Condition] = field(default_factory=list)


def _attempt(
    decomposition: Decomposition,
    refs: Sequence[ImageRef],
    images: Images,
    style: RenderStyle,
    setter: Setter,
    border: tuple[int, int],
    labels: Labels,
) -> Attempt:
    result = Attempt(
        {
            ref.sha256: Diagram.load(ref, images(ref.sha256), border, tuple(labels.get(ref.sha256, ())))
            for ref in refs
        }
    )
    for condition in decomposition.conditions:
        if condition.show is Show.TEXT:
            continue
        reason = None
        if condition.show is Show.ON_DIAGRAM:
            span = decomposition.stem[condition.start : condition.end]
            reason = _place_condition(condition, span, result.diagrams, refs[0].sha256, setter)
        if reason is not None and not style.band:
            result.unshown[condition.id] = reason
            continue
        result.shown.append(condition.id)
        if reason is not None or condition.show is Show.BAND:
            result.banded.append(condition)
    return result


def _largest_label(decomposition: Decomposition, setter: Setter) -> tuple[int, int]:
    """Border that any label fits into: width and height of the largest, with its air."""
    boxes = [_label(mark.label, setter)[1] for c in decomposition.conditions for mark in c.marks]
    air = 2 * (max(4, round(_CLEARANCE * setter.px)) + round(_APART * setter.px) + EDGE)
    return max((box.w for box in boxes), default=0) + air, max((box.h for box in boxes), default=0) + air


def _place_condition(
    condition: Condition, span: str, diagrams: dict[str, Diagram], default: str, setter: Setter
) -> str | None:
    """Place all marks of one condition or none; returns the reason if there is no place."""
    before = {
        key: (d.occupied.copy(), len(d.pointers), len(d.marks), _length(d.block))
        for key, d in diagrams.items()
    }
    for mark in condition.marks:
        target = None
        key = mark.anchor.image if mark.anchor else default
        if mark.anchor is None and mark.arrow is None:
            key, target = _named(names_of(mark.label, span), diagrams) or (default, None)
        reason = (
            _place_mark(condition.id, mark, diagrams[key], setter, target)
            if key in diagrams
            else "unknown-image"
        )
        if reason is not None:
            for name, (occupied, pointers, marks, length) in before.items():
                diagram = diagrams[name]
                diagram.occupied = occupied
                del diagram.pointers[pointers:], diagram.marks[marks:]
                _truncate(diagram.block, length)
            return reason
    return None


def _named(names: Sequence[str], diagrams: Mapping[str, Diagram]) -> tuple[str, Target] | None:
    """The drawing, and the place on it, that the drawings' own labels give to a mark; None if not exactly one does."""
    found = [(key, target) for key, d in diagrams.items() if (target := target_of(names, d.labels))]
    return found[0] if len(found) == 1 else None


def _place_mark(
    condition: str, mark: Mark, diagram: Diagram, setter: Setter, target: Target | None
) -> str | None:
    px = setter.px
    anchor: Box | None = None
    arrow: tuple[int, int, int, int] | None = None
    if mark.anchor is not None:
        anchor = diagram.box_of(mark.anchor.x, mark.anchor.y, mark.anchor.w, mark.anchor.h)
    if mark.arrow is not None:
        tail = diagram.box_of(mark.arrow.x0, mark.arrow.y0)
        head = diagram.box_of(mark.arrow.x1, mark.arrow.y1)
        wanted = (tail.x, tail.y, head.x, head.y)
        arrow = clear_arrow(diagram.occupied, wanted, px)
        if arrow is None:
            return "no-room-for-arrow"
        shape = arrow_mask(diagram.base.size, arrow, px)
        diagram.pointers.append(shape)
        diagram.occupied = diagram.occupied | shape
        if anchor is None:
            x, y = min(arrow[0], arrow[2]), min(arrow[1], arrow[3])
            anchor = Box(x, y, abs(arrow[2] - arrow[0]), abs(arrow[3] - arrow[1]))
    label, ink = _label(mark.label, setter)
    air = max(4, round(_CLEARANCE * px))
    w, h = ink.w + 2 * air, ink.h + 2 * air
    found = _beside(diagram, w, h, target, px) if target is not None else None
    near = target.label if found is not None and target is not None else None
    found = found or _free_place(diagram, w, h, anchor, px, leaders=mark.anchor is not None)
    if found is None:
        return "no-room"
    x, y, place, leader = found
    if leader is not None:
        shape = line_mask(diagram.base.size, leader, max(2, px // 12))
        diagram.pointers.append(shape)
        diagram.occupied = diagram.occupied | shape
    diagram.block.add(label, x + air - ink.x, y + air - ink.y)
    diagram.occupied[y : y + h, x : x + w] = True
    diagram.marks.append(
        MarkRecord(
            condition=condition,
            label=mark.label,
            image=diagram.ref.sha256,
            box=Rect(x=x, y=y, width=w, height=h),
            place=place,
            leader=leader,
            arrow=arrow,
            px=px,
            near=near,
        )
    )
    return None


def _beside(
    diagram: Diagram, w: int, h: int, target: Target, px: int
) -> tuple[int, int, str, tuple[int, int, int, int] | None] | None:
    """The same beside the drawing's own label; None where there is no room close to it."""
    places = nearest_free(
        diagram.occupied, w, h, diagram.box_of(*target.box), comfort=px / 2, limit=_BESIDE * px
    )
    return (places[0][1], places[0][2], "free", None) if places else None


def _free_place(
    diagram: Diagram, w: int, h: int, anchor: Box | None, px: int, leaders: bool
) -> tuple[int, int, str, tuple[int, int, int, int] | None] | None:
    """Corner, kind of place and leader line for a label of w x h, or None."""
    if anchor is None:
        apart = round(_APART * px)
        # On added ground the most air would be in a corner, far from the drawing.
        comfort = _AIR * px if diagram.border == (0, 0) else 0.0
        corner = quietest(
            diagram.occupied, open_ground(diagram.ink), w + 2 * apart, h + 2 * apart, comfort=comfort
        )
        return None if corner is None else (corner[0] + apart, corner[1] + apart, "free", None)
    reach = _REACH * math.hypot(*diagram.base.size)
    places = nearest_free(diagram.occupied, w, h, anchor, comfort=px / 2, limit=reach)
    if not places:
        return None
    distance, x, y = places[0]
    if distance <= _NEAR * px:
        return x, y, "anchor" if distance == 0 else "near-anchor", None
    for _, lx, ly in places if leaders else ():
        leader = clear_leader(diagram.occupied, Box(lx, ly, w, h), anchor, px)
        if leader is not None:
            return lx, ly, "leader", leader
    return (x, y, "near-anchor", None) if distance <= _FAR * px else None


def _label(text: str, setter: Setter) -> tuple[Block, Box]:
    """The label's block and its ink box."""
    block = setter.set(text, 100_000)
    margin = setter.px
    size = (max(line.x + line.width for line in block.lines) + 2 * margin, block.height + 2 * margin)
    moved = Block()
    moved.add(block, margin, margin)
    box = ink_mask(moved, size, setter.font).getbbox()
    if box is None:
        raise ItemError("empty", f"the label {text!r} has no ink")
    return block, Box(box[0] - margin, box[1] - margin, box[2] - box[0], box[3] - box[1])


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
