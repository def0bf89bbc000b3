"""What a picture should look like, drawn again from its sidecar, so that whatever was laid over it or lost shows up."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from benchwright.render.font import TextFont
from benchwright.render.formula import Typesetter
from benchwright.render.inkmap import Mask, margin_colour
from benchwright.render.page import Images
from benchwright.render.pointer import arrow_mask, line_mask, widened
from benchwright.render.sidecar import DiagramRecord, FormulaRecord, Rect, RunRecord, Sidecar
from benchwright.render.style import WHITE, RenderStyle
from benchwright.schemas.images import open_published
from benchwright.schemas.versions import Version

Pixels = NDArray[np.uint8]
Coverage = NDArray[np.uint8]
_CAPTION = (17, 17, 17)
_SOLID = 100
"""Coverage from which a pixel counts as ink of an item, of 255."""


@dataclass
class Scene:
    """A picture as its sidecar describes it.

    Attributes:
        before: the page without burnt-in ink, shape (height, width, 3): white, and the diagrams.
        coverage: burnt-in ink, 0..255, shape (height, width).
        expected: the page with it.
        unknown: pixels that the sidecar does not determine (the edge of backed pointers).
        ground: the page with backings, without ink.
        formula_ink: pixels that only formulas claim.
        line_collisions: solid pixels that two texts or formulas both claim, by the line that came second.
        formula_collisions: the same by formula.
    """

    before: Pixels
    coverage: Coverage
    expected: Pixels
    unknown: Mask
    ground: Pixels
    formula_ink: Mask
    line_collisions: dict[int, int] = field(default_factory=dict)
    formula_collisions: dict[int, int] = field(default_factory=dict)


def scene(sidecar: Sidecar, images: Images, typesetter: Typesetter) -> Scene:
    """Draw a picture again from its record.

    Args:
        sidecar: the record.
        images: published bytes of diagrams.
        typesetter: with the font that the sidecar names.

    Raises:
        ItemError: an image is missing, or a formula of the record cannot be drawn.
    """
    size = page_size(sidecar)
    style = RenderStyle.model_validate(sidecar.style)
    before = np.asarray(_page_before(sidecar, images)).copy()
    blank: Mask = np.zeros(before.shape[:2], bool)
    made = Scene(
        before, np.zeros(blank.shape, np.uint8), before.copy(), blank.copy(), before.copy(), blank.copy()
    )
    for run in sidecar.runs:
        found = _lay(made.coverage, _run_mask(run, typesetter.font), run.x - run.px, run.y - 2 * run.px)
        if found:
            line = line_of(sidecar, run)
            made.line_collisions[line] = made.line_collisions.get(line, 0) + found
    texts = made.coverage.copy()
    for index, record in enumerate(sidecar.formulas):
        formula = typesetter.formula(record.tex, record.px, record.display)
        if formula.mask is None:
            continue
        x, y = record.box.x + formula.left, record.baseline + formula.top
        if found := _lay(made.coverage, np.asarray(formula.mask), x, y):
            made.formula_collisions[index] = found
    typesetter.take_counts()
    made.formula_ink = (made.coverage > 0) & (texts == 0)
    for rule in sidecar.rules:
        made.coverage[rule.y : rule.y + rule.height, rule.x : rule.x + rule.width] = 255
    ink = style.rgb if sidecar.version == Version.VISION_RICH else style.page_rgb
    backing = _lay_pointers(made, sidecar, size)
    made.ground[backing] = WHITE
    made.expected = _painted(made.ground, made.coverage, ink)
    if sidecar.captions:
        captions = np.zeros_like(made.coverage)
        for run in sidecar.captions:
            _lay(captions, _run_mask(run, typesetter.font), run.x - run.px, run.y - 2 * run.px)
        made.expected = _painted(made.expected, captions, _CAPTION)
    return made


def page_size(sidecar: Sidecar) -> tuple[int, int]:
    """Width and height of the flat page."""
    photo = sidecar.photo
    return (photo.width, photo.height) if photo else (sidecar.width, sidecar.height)


def line_of(sidecar: Sidecar, run: RunRecord) -> int:
    """Number of the line that a run stands in; -1 if none."""
    for index, line in enumerate(sidecar.lines):
        if line.baseline == run.y and line.box.x - 2 <= run.x <= line.box.x + line.box.width + 2:
            return index
    return -1


def formula_ink(record: FormulaRecord, typesetter: Typesetter) -> Rect | None:
    """Where a recorded formula's ink stands on the page; None for a blank."""
    formula = typesetter.formula(record.tex, record.px, record.display)
    if formula.mask is None:
        return None
    x, y = record.box.x + formula.left, record.baseline + formula.top
    return Rect(x=x, y=y, width=formula.mask.width, height=formula.mask.height)


def _page_before(sidecar: Sidecar, images: Images) -> Image.Image:
    page = Image.new("RGB", page_size(sidecar), WHITE)
    for record in sidecar.diagrams:
        drawing = _resized(record, images)
        if record.canvas is not None:
            canvas = record.canvas
            ground = Image.new("RGB", (canvas.width, canvas.height), margin_colour(drawing))
            page.paste(ground, (canvas.x, canvas.y))
        page.paste(drawing, (record.box.x, record.box.y))
    return page


def _resized(record: DiagramRecord, images: Images) -> Image.Image:
    image = open_published(images(record.sha256)).convert("RGB")
    size = (record.box.width, record.box.height)
    return image if image.size == size else image.resize(size, Image.Resampling.LANCZOS)


def _run_mask(run: RunRecord, font: TextFont) -> Coverage:
    """Coverage of a run; the pen starts one em right and two em below the array's corner."""
    mask = Image.new("L", (run.width + 2 * run.px, 3 * run.px), 0)
    draw = ImageDraw.Draw(mask)
    draw.text((run.px, 2 * run.px), run.text, fill=255, font=font.face(run.px), anchor="ls")
    return np.asarray(mask)


def _lay(coverage: Coverage, mask: Coverage, x: int, y: int) -> int:
    """Add a mask at (x, y); returns how many pixels were already someone else's solid ink."""
    left, top = max(0, x), max(0, y)
    right, bottom = min(coverage.shape[1], x + mask.shape[1]), min(coverage.shape[0], y + mask.shape[0])
    if right <= left or bottom <= top:
        return 0
    part = mask[top - y : bottom - y, left - x : right - x]
    there = coverage[top:bottom, left:right]
    shared = int(((part >= _SOLID) & (there >= _SOLID)).sum())
    np.maximum(there, part, out=there)
    return shared


def _lay_pointers(made: Scene, sidecar: Sidecar, size: tuple[int, int]) -> Mask:
    """Leader lines and arrows into the coverage; returns the backing under labels."""
    backing: Mask = np.zeros((size[1], size[0]), bool)
    for mark in sidecar.marks:
        pointer: Mask = np.zeros_like(backing)
        if mark.leader is not None:
            pointer |= line_mask(size, mark.leader, max(2, mark.px // 12))
        if mark.arrow is not None:
            pointer |= arrow_mask(size, mark.arrow, mark.px)
        made.coverage[pointer] = 255
        if mark.backed:
            box = mark.box
            backing[box.y : box.y + box.height, box.x : box.x + box.width] = True
            made.unknown |= widened(pointer) & ~pointer
    return backing


def _painted(page: Pixels, coverage: Coverage, ink: tuple[int, int, int]) -> Pixels:
    image = Image.fromarray(page)
    image.paste(ink, mask=Image.fromarray(coverage))
    return np.asarray(image).copy()


__all__ = ["Scene", "formula_ink", "line_of", "scene"]
