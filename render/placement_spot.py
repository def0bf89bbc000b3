"""A place for one label on one drawing: at or near its anchor, beside a letter of the drawing, or on quiet ground."""

from __future__ import annotations

import math

import cv2
import numpy as np

from benchwright.render.canvas import Block, ink_mask
from benchwright.render.inkmap import Box, Mask, nearest_free, open_ground, quietest
from benchwright.render.layout import Setter
from benchwright.render.placement_diagram import Diagram
from benchwright.render.placement_names import Target
from benchwright.render.placement_scale import letters_of
from benchwright.render.pointer import arrow_mask, clear_arrow, clear_leader, line_mask
from benchwright.render.sidecar import MarkRecord, Rect
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import Anchor, Arrow, Mark

_CLEARANCE = 0.22
"""Air around a label, in em."""
_AIR = 2.0
"""Clearance, in em, beyond which a label without an anchor gains nothing: away from lines it does not belong to."""
APART = 0.8
"""More air, in em, around a label without an anchor: close to a letter of the drawing it would read as its value."""
_NEAR = 1.3
_FAR = 2.5
"""Distances from an anchor, in em: up to the first no leader is needed, up to the second it may be missing."""
_BESIDE = 1.6
"""How far, in em, a label may stand from the drawing's own label that it was matched with."""
_REACH = 0.4
"""How far a label may stand from its anchor, as a share of the picture's diagonal."""


_WORD_GAP = 1.6
"""Such a label's distance, in em, from letters of the drawing in the same line."""
_OWN_SIZE = 0.25
"""How much an anchor may differ in size from a label that is centred in it."""

_Line = tuple[int, int, int, int]
_Found = tuple[int, int, str, _Line | None]
"""Corner, kind of place, leader line."""


def air_px(px: int) -> int:
    """Air around a label of a text size, in pixels."""
    return max(4, round(_CLEARANCE * px))


def place_mark(
    condition: str, mark: Mark, diagram: Diagram, setter: Setter, target: Target | None
) -> str | None:
    """Put a mark on a drawing: its pointers, its label, and the ground that it takes from later ones.

    Args:
        condition: id of the mark's condition.
        mark: what to place.
        diagram: where; changed only if a place is found for the label, or for the arrow.
        setter: sets the label.
        target: the drawing's own label to stand beside, and nowhere else; None: by the anchor, or anywhere.

    Returns:
        None, or the reason why there is no place.
    """
    px = setter.px
    anchor = None if mark.anchor is None else _box_of(diagram, mark.anchor)
    arrow: _Line | None = None
    if mark.arrow is not None:
        arrow = _drawn_arrow(diagram, mark.arrow, px)
        if arrow is None:
            return "no-room-for-arrow"
        if anchor is None:
            x, y = min(arrow[0], arrow[2]), min(arrow[1], arrow[3])
            anchor = Box(x, y, abs(arrow[2] - arrow[0]), abs(arrow[3] - arrow[1]))
    label, ink = label_of(mark.label, setter)
    air = air_px(px)
    w, h = ink.w + 2 * air, ink.h + 2 * air
    if target is not None:
        found = _beside(diagram, w, h, target, px)
    else:
        found = _free_place(diagram, w, h, anchor, px, leaders=_points_at_something(mark.anchor))
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
            near=target.label if target is not None else None,
        )
    )
    return None


def _box_of(diagram: Diagram, anchor: Anchor) -> Box:
    return diagram.box_of(anchor.x, anchor.y, anchor.w, anchor.h)


def _drawn_arrow(diagram: Diagram, wanted: Arrow, px: int) -> _Line | None:
    """Draw an arrow at or beside its place; its ends in pixels, or None where it would touch something."""
    tail, head = diagram.box_of(wanted.x0, wanted.y0), diagram.box_of(wanted.x1, wanted.y1)
    arrow = clear_arrow(diagram.occupied, (tail.x, tail.y, head.x, head.y), px)
    if arrow is not None:
        shape = arrow_mask(diagram.base.size, arrow, px)
        diagram.pointers.append(shape)
        diagram.occupied = diagram.occupied | shape
    return arrow


def _beside(diagram: Diagram, w: int, h: int, target: Target, px: int) -> _Found | None:
    """The same beside the drawing's own label; None where there is no room close to it."""
    named = diagram.box_of(*target.box)
    places = nearest_free(diagram.occupied, w, h, named, comfort=px / 2, limit=_BESIDE * px)
    if not places:
        return None
    # In one line with the letter it would read on from it: "m m = 2 kg".
    apart = [(x, y) for _, x, y in places if y + h <= named.y or y >= named.y + named.h]
    x, y = apart[0] if apart else places[0][1:]
    return x, y, "free", None


def _free_place(
    diagram: Diagram, w: int, h: int, anchor: Box | None, px: int, leaders: bool
) -> _Found | None:
    """Corner, kind of place and leader line for a label of w x h, or None."""
    if anchor is None:
        apart = round(APART * px)
        # On added ground the most air would be in a corner, far from the drawing.
        comfort = _AIR * px if diagram.border == (0, 0) else 0.0
        ground = open_ground(diagram.ink)
        size = w + 2 * apart, h + 2 * apart
        unread = diagram.occupied | _beside_words(diagram, px)
        corner = quietest(unread, ground, *size, comfort=comfort)
        corner = corner or quietest(diagram.occupied, ground, *size, comfort=comfort)
        return None if corner is None else (corner[0] + apart, corner[1] + apart, "free", None)
    if (corner := _same_box(diagram, w, h, anchor)) is not None:
        return *corner, "anchor", None
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


def _points_at_something(anchor: Anchor | None) -> bool:
    """Whether a line to an anchor says anything: one on the edge only says on which side a label is."""
    if anchor is None:
        return False
    return anchor.kind == "box" or not {anchor.x, anchor.y} & {0.0, 1.0}


def _beside_words(diagram: Diagram, px: int) -> Mask:
    """Ground right beside the drawing's own letters, where a label would read on from them."""
    words = letters_of(diagram.ink)
    for label in diagram.labels:
        box = diagram.box_of(*label.box)
        words[box.y : box.y + box.h, box.x : box.x + box.w] = True
    reach = np.ones((1, 2 * round(_WORD_GAP * px) + 1), np.uint8)
    found: Mask = cv2.dilate(words.astype(np.uint8), reach).astype(bool)
    return found


def _same_box(diagram: Diagram, w: int, h: int, anchor: Box) -> tuple[int, int] | None:
    """The corner that centres a label in an anchor of its own size, where that is free: a place is kept exactly."""
    if abs(anchor.w - w) > _OWN_SIZE * w or abs(anchor.h - h) > _OWN_SIZE * h:
        return None
    x, y = anchor.x + (anchor.w - w) // 2, anchor.y + (anchor.h - h) // 2
    height, width = diagram.occupied.shape
    inside = x >= 0 and y >= 0 and x + w <= width and y + h <= height
    return (x, y) if inside and not diagram.occupied[y : y + h, x : x + w].any() else None


def label_of(text: str, setter: Setter) -> tuple[Block, Box]:
    """The label's block and its ink box.

    Raises:
        ItemError: `empty`, or what setting its text raises.
    """
    block = setter.set(text, 100_000)
    margin = setter.px
    size = (max(line.x + line.width for line in block.lines) + 2 * margin, block.height + 2 * margin)
    moved = Block()
    moved.add(block, margin, margin)
    box = ink_mask(moved, size, setter.font).getbbox()
    if box is None:
        raise ItemError("empty", f"the label {text!r} has no ink")
    return block, Box(box[0] - margin, box[1] - margin, box[2] - box[0], box[3] - box[1])
