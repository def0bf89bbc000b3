"""One diagram being annotated: the drawing at its working size, its ink, what has been placed on it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from PIL import Image

from benchwright.render.canvas import Block
from benchwright.render.inkmap import Box, Mask, ground_colour, ink_of, margin_colour
from benchwright.render.placement_names import DiagramLabel
from benchwright.render.sidecar import DiagramRecord, MarkRecord, Rect
from benchwright.schemas.images import open_published
from benchwright.schemas.records import ImageRef

WORKING_WIDTH = 1000
"""Longest side, in pixels, to which small drawings are enlarged; larger ones get larger labels."""
_MAX_UPSCALE = 3.0
EDGE = 6
"""Pixels at the picture's edge that stay free of marks."""


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
    """Ground added left of the drawing and above it, in pixels."""
    pointers: list[Mask] = field(default_factory=list)
    marks: list[MarkRecord] = field(default_factory=list)
    labels: tuple[DiagramLabel, ...] = ()
    """The drawing's own labels, where they were read."""
    size: tuple[int, int] = (0, 0)
    """Width and height of the drawing alone."""

    @classmethod
    def load(
        cls,
        ref: ImageRef,
        data: bytes,
        border: tuple[int, int] = (0, 0),
        labels: tuple[DiagramLabel, ...] = (),
    ) -> Diagram:
        """Open a diagram; a small one is enlarged first, so that labels do not dwarf it or end up tiny.

        Args:
            ref: which image.
            data: its published bytes.
            border: ground to be added on both sides of each axis, for labels that find no room inside.
            labels: the drawing's own labels, where they were read.
        """
        base = open_published(data)
        scale = min(_MAX_UPSCALE, max(1.0, WORKING_WIDTH / max(base.width, base.height)))
        if scale > 1.0:
            base = base.resize(
                (round(base.width * scale), round(base.height * scale)), Image.Resampling.LANCZOS
            )
        ground, size = ground_colour(base), base.size
        ink = ink_of(base, ground)
        if border != (0, 0):
            around = (base.width + 2 * border[0], base.height + 2 * border[1])
            wide = Image.new("RGB", around, margin_colour(base))
            wide.paste(base, border)
            base = wide
            ink = np.pad(ink, ((border[1], border[1]), (border[0], border[0])))
        occupied = ink.copy()
        edge = EDGE
        occupied[:edge], occupied[-edge:], occupied[:, :edge], occupied[:, -edge:] = True, True, True, True
        return cls(ref, base, ground, ink, occupied, border=border, labels=labels, size=size)

    def record(self, x: int, y: int) -> DiagramRecord:
        """Where the drawing stands in a picture in which this canvas stands at (x, y)."""
        width, height = self.size
        box = Rect(x=x + self.border[0], y=y + self.border[1], width=width, height=height)
        canvas = Rect(x=x, y=y, width=self.base.width, height=self.base.height)
        return DiagramRecord(sha256=self.ref.sha256, box=box, canvas=canvas)

    def box_of(self, x: float, y: float, w: float = 0.0, h: float = 0.0) -> Box:
        """Fractions of the published image to pixels of the canvas."""
        width, height = self.size
        return Box(
            self.border[0] + round(x * width),
            self.border[1] + round(y * height),
            round(w * width),
            round(h * height),
        )

    def trimmed(self) -> Diagram:
        """The same without the added ground that no mark needed."""
        left, top = self.border
        right, bottom = left + self.size[0], top + self.size[1]
        for mark in self.marks:
            left, top = min(left, mark.box.x - EDGE), min(top, mark.box.y - EDGE)
            right = max(right, mark.box.x + mark.box.width + EDGE)
            bottom = max(bottom, mark.box.y + mark.box.height + EDGE)
        for pointer in self.pointers:
            ys, xs = np.nonzero(pointer)
            left, top = min(left, int(xs.min()) - EDGE), min(top, int(ys.min()) - EDGE)
            right, bottom = max(right, int(xs.max()) + 1 + EDGE), max(bottom, int(ys.max()) + 1 + EDGE)
        left, top = max(0, left), max(0, top)
        right, bottom = min(self.base.width, right), min(self.base.height, bottom)
        rows, columns = slice(top, bottom), slice(left, right)
        block = Block()
        block.add(self.block, -left, -top)
        return Diagram(
            self.ref,
            self.base.crop((left, top, right, bottom)),
            self.ground,
            self.ink[rows, columns],
            self.occupied[rows, columns],
            block,
            (self.border[0] - left, self.border[1] - top),
            [pointer[rows, columns] for pointer in self.pointers],
            [moved_mark(mark, -left, -top) for mark in self.marks],
            self.labels,
            self.size,
        )


def moved_mark(mark: MarkRecord, dx: int, dy: int) -> MarkRecord:
    """A mark's record on a picture in which its drawing stands elsewhere."""
    box = Rect(x=mark.box.x + dx, y=mark.box.y + dy, width=mark.box.width, height=mark.box.height)
    return mark.model_copy(
        update={"box": box, "leader": _moved(mark.leader, dx, dy), "arrow": _moved(mark.arrow, dx, dy)}
    )


def _moved(line: tuple[int, int, int, int] | None, dx: int, dy: int) -> tuple[int, int, int, int] | None:
    return None if line is None else (line[0] + dx, line[1] + dy, line[2] + dx, line[3] + dy)
