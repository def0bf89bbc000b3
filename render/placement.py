"""Vision-rich: marks of conditions burnt into the diagram, at their anchors or in free space, never over ink.

For each mark: at its anchor if there is room, else near it, with a leader line where it stands farther off; without an
anchor on quiet ground outside closed shapes. A condition all of whose marks found a place is `shown`; else it goes to
a band below the diagram if the style has one, else it stays in the text. Labels never shrink.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from PIL import Image

from benchwright.render.canvas import Block, ink_mask
from benchwright.render.inkmap import (
    INK_THRESHOLD,
    Box,
    Mask,
    ground_colour,
    ink_of,
    nearest_free,
    open_ground,
    quietest,
)
from benchwright.render.layout import Setter
from benchwright.render.page import Images
from benchwright.render.pointer import arrow_mask, clear_arrow, clear_leader, line_mask, widened
from benchwright.render.sidecar import DiagramRecord, MarkRecord, Rect
from benchwright.render.style import MINIMUM_CONTRAST, WHITE, RenderStyle, contrast
from benchwright.schemas.errors import ItemError
from benchwright.schemas.images import open_published
from benchwright.schemas.records import Condition, Decomposition, ImageRef, Mark, Show

_WORKING_WIDTH = 1000
_MAX_UPSCALE = 3.0
_MAX_ENLARGED = 2.0
_CLEARANCE = 0.22
"""Air around a label, in em."""
_AIR = 2.0
"""Clearance, in em, beyond which a label without an anchor gains nothing: away from lines it does not belong to."""
_EDGE = 6
"""Pixels at the picture's edge that stay free of marks."""
_NEAR = 1.3
_FAR = 2.5
"""Distances from an anchor, in em: up to the first no leader is needed, up to the second it may be missing."""
_REACH = 0.4
"""How far a label may stand from its anchor, as a share of the picture's diagonal."""


@dataclass(frozen=True)
class Placed:
    """The annotated picture, all ink on it as a block, and what it shows."""

    image: Image.Image
    block: Block
    marks: tuple[MarkRecord, ...]
    diagrams: tuple[DiagramRecord, ...]
    shown: tuple[str, ...]
    unshown: dict[str, str]


@dataclass
class Diagram:
    """One diagram being annotated, at its working size."""

    ref: ImageRef
    base: Image.Image
    ground: tuple[int, int, int]
    ink: Mask
    occupied: Mask
    block: Block = field(default_factory=Block)
    border: tuple[int, int] = (0, 0)
    """Ground added left and right, above and below, in pixels."""
    pointers: list[Mask] = field(default_factory=list)
    marks: list[MarkRecord] = field(default_factory=list)

    @classmethod
    def load(cls, ref: ImageRef, data: bytes, border: tuple[int, int] = (0, 0)) -> Diagram:
        """Open a diagram; a small one is enlarged first, so that labels do not dwarf it or end up tiny.

        Args:
            ref: which image.
            data: its published bytes.
            border: ground to be added on both sides of each axis, for labels that find no room inside.
        """
        base = open_published(data)
        scale = min(_MAX_UPSCALE, max(1.0, _WORKING_WIDTH / max(base.width, base.height)))
        if scale > 1.0:
            base = base.resize(
                (round(base.width * scale), round(base.height * scale)), Image.Resampling.LANCZOS
            )
        ground = ground_colour(base)
        if border != (0, 0):
            wide = Image.new("RGB", (base.width + 2 * border[0], base.height + 2 * border[1]), ground)
            wide.paste(base, border)
            base = wide
        ink = ink_of(base, ground)
        occupied = ink.copy()
        edge = _EDGE
        occupied[:edge], occupied[-edge:], occupied[:, :edge], occupied[:, -edge:] = True, True, True, True
        return cls(ref, base, ground, ink, occupied, border=border)

    def record(self, x: int, y: int) -> DiagramRecord:
        """Where the drawing stands in a picture in which this canvas stands at (x, y)."""
        width, height = self.base.width - 2 * self.border[0], self.base.height - 2 * self.border[1]
        box = Rect(x=x + self.border[0], y=y + self.border[1], width=width, height=height)
        return DiagramRecord(sha256=self.ref.sha256, box=box)

    def box_of(self, x: float, y: float, w: float = 0.0, h: float = 0.0) -> Box:
        """Fractions of the published image to pixels of the canvas."""
        width, height = self.base.width - 2 * self.border[0], self.base.height - 2 * self.border[1]
        return Box(
            self.border[0] + round(x * width),
            self.border[1] + round(y * height),
            round(w * width),
            round(h * height),
        )


def annotate(
    decomposition: Decomposition,
    refs: Sequence[ImageRef],
    images: Images,
    style: RenderStyle,
    setter: Setter,
    language: str,
) -> Placed:
    """Place all marks of a decomposition.

    Raises:
        ItemError: `covers-ink` if a painted pixel meets the original's ink (an invariant, checked on the finished
            picture), or what a label's text raises (`missing-glyph`, `formula`).
    """
    setter = replace(setter, px=_label_px(refs, setter.px))  # counts stay shared
    attempt = _attempt(decomposition, refs, images, style, setter, (0, 0))
    if attempt.unshown or attempt.banded:
        # Once more with air around the drawings: a label beside a tight drawing is better than one in words.
        widest, tallest = _largest_label(decomposition, setter)
        wider = _attempt(decomposition, refs, images, style, setter, (widest, tallest))
        if len(wider.unshown) + len(wider.banded) < len(attempt.unshown) + len(attempt.banded):
            attempt = wider
    diagrams, banded = attempt.diagrams, attempt.banded
    pictures = [painted(diagram, style, setter) for diagram in diagrams.values()]
    image, block, marks, records = _joined(list(diagrams.values()), pictures, setter, language)
    if banded:
        image, block, extra = _with_band(
            image, block, banded, decomposition.stem, style, setter, refs[0].sha256
        )
        marks += extra
    return Placed(image, block, tuple(marks), tuple(records), tuple(attempt.shown), attempt.unshown)


def _label_px(refs: Sequence[ImageRef], px: int) -> int:
    """Text size for diagrams of this size: what is drawn larger than the working width is labelled larger too."""
    longest = max(max(ref.width, ref.height) for ref in refs)
    return round(px * min(_MAX_ENLARGED, max(1.0, longest / _WORKING_WIDTH)))


@dataclass
class _Attempt:
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
) -> _Attempt:
    result = _Attempt({ref.sha256: Diagram.load(ref, images(ref.sha256), border) for ref in refs})
    for condition in decomposition.conditions:
        if condition.show is Show.TEXT:
            continue
        reason = None
        if condition.show is Show.ON_DIAGRAM:
            reason = _place_condition(condition, result.diagrams, refs[0].sha256, setter)
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
    air = 3 * max(4, round(_CLEARANCE * setter.px))
    return max((box.w for box in boxes), default=0) + air, max((box.h for box in boxes), default=0) + air


def _place_condition(
    condition: Condition, diagrams: dict[str, Diagram], default: str, setter: Setter
) -> str | None:
    """Place all marks of one condition or none; returns the reason if there is no place."""
    before = {
        key: (d.occupied.copy(), len(d.pointers), len(d.marks), _length(d.block))
        for key, d in diagrams.items()
    }
    for mark in condition.marks:
        key = mark.anchor.image if mark.anchor else default
        reason = (
            _place_mark(condition.id, mark, diagrams[key], setter) if key in diagrams else "unknown-image"
        )
        if reason is not None:
            for name, (occupied, pointers, marks, length) in before.items():
                diagram = diagrams[name]
                diagram.occupied = occupied
                del diagram.pointers[pointers:], diagram.marks[marks:]
                _truncate(diagram.block, length)
            return reason
    return None


def _place_mark(condition: str, mark: Mark, diagram: Diagram, setter: Setter) -> str | None:
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
    found = _free_place(diagram, w, h, anchor, px, leaders=mark.anchor is not None)
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
        )
    )
    return None


def _free_place(
    diagram: Diagram, w: int, h: int, anchor: Box | None, px: int, leaders: bool
) -> tuple[int, int, str, tuple[int, int, int, int] | None] | None:
    """Corner, kind of place and leader line for a label of w x h, or None."""
    if anchor is None:
        corner = quietest(diagram.occupied, open_ground(diagram.ink), w, h, comfort=_AIR * px)
        return None if corner is None else (*corner, "free", None)
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


def _joined(
    diagrams: Sequence[Diagram], pictures: Sequence[Image.Image], setter: Setter, language: str
) -> tuple[Image.Image, Block, list[MarkRecord], list[DiagramRecord]]:
    """One picture of all diagrams: the diagram itself, or all of them below each other with numbers."""
    if len(diagrams) == 1:
        return pictures[0], diagrams[0].block, list(diagrams[0].marks), [diagrams[0].record(0, 0)]
    px = setter.px
    width = max(picture.width for picture in pictures) + 2 * px
    block = Block(width=width)
    marks: list[MarkRecord] = []
    corners: list[tuple[int, int]] = []
    y = px
    captions = Block()
    for number, (diagram, picture) in enumerate(zip(diagrams, pictures, strict=True), start=1):
        x = (width - picture.width) // 2
        corners.append((x, y))
        block.add(diagram.block, x, y)
        marks += [
            m.model_copy(
                update={
                    "box": Rect(x=m.box.x + x, y=m.box.y + y, width=m.box.width, height=m.box.height),
                    "leader": _moved(m.leader, x, y),
                    "arrow": _moved(m.arrow, x, y),
                }
            )
            for m in diagram.marks
        ]
        y += picture.height + px // 2
        caption = setter.set(f"图 {number}" if language == "zh" else f"Figure {number}", 10_000)
        captions.add(caption, (width - caption.lines[0].width) // 2, y)
        y += caption.height + px
    image = Image.new("RGB", (width, y), WHITE)
    for corner, picture in zip(corners, pictures, strict=True):
        image.paste(picture, corner)
    # Captions are not conditions: they are printed black, and are no part of what the conditions' ink is.
    image.paste((17, 17, 17), mask=ink_mask(captions, image.size, setter.font))
    records = [diagram.record(*corner) for diagram, corner in zip(diagrams, corners, strict=True)]
    return image, block, marks, records


def _with_band(
    image: Image.Image,
    block: Block,
    conditions: Sequence[Condition],
    stem: str,
    style: RenderStyle,
    setter: Setter,
    sha256: str,
) -> tuple[Image.Image, Block, list[MarkRecord]]:
    """The picture with a white band below that says the conditions in words."""
    px = setter.px
    width = max(image.width, 12 * px)
    band = Block()
    marks: list[MarkRecord] = []
    y = image.height + px
    for condition in conditions:
        text = stem[condition.start : condition.end].strip(" ,.;，。；、\n")
        part = setter.set(text, width - 2 * px)
        band.add(part, px, y)
        box = Rect(x=px, y=y, width=max(line.x + line.width for line in part.lines), height=part.height)
        marks.append(MarkRecord(condition=condition.id, label=text, image=sha256, box=box, place="band"))
        y += part.height + px // 2
    whole = Image.new("RGB", (width, y + px // 2), WHITE)
    whole.paste(image, (0, 0))
    whole.paste(style.rgb, mask=ink_mask(band, whole.size, setter.font))
    block.add(band, 0, 0)
    return whole, block, marks


def _moved(line: tuple[int, int, int, int] | None, x: int, y: int) -> tuple[int, int, int, int] | None:
    return None if line is None else (line[0] + x, line[1] + y, line[2] + x, line[3] + y)


def _length(block: Block) -> tuple[int, int, int, int]:
    return len(block.runs), len(block.formulas), len(block.rules), len(block.lines)


def _truncate(block: Block, length: tuple[int, int, int, int]) -> None:
    del (
        block.runs[length[0] :],
        block.formulas[length[1] :],
        block.rules[length[2] :],
        block.lines[length[3] :],
    )
