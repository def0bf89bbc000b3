"""Blocks of placed ink, and painting them: one coverage mask for a page, then one ink."""

from __future__ import annotations

from dataclasses import dataclass, field

from PIL import Image, ImageChops

from benchwright.render.font import TextFont
from benchwright.render.formula import Formula


@dataclass(frozen=True)
class Run:
    """Text whose baseline starts at whole pixel (x, y)."""

    x: int
    y: int
    text: str
    px: int


@dataclass(frozen=True)
class FormulaAt:
    """A formula whose pen starts at whole pixel (x, y)."""

    x: int
    y: int
    formula: Formula


@dataclass(frozen=True)
class Rule:
    """A filled rectangle: a table's rule, a frame's edge."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class Picture:
    """An image already scaled to its size on the page."""

    x: int
    y: int
    image: Image.Image
    sha256: str


@dataclass(frozen=True)
class TextLine:
    """What one line says and where: read by the legibility check. `text` has formulas as `$tex$`."""

    x: int
    y: int
    width: int
    height: int
    baseline: int
    text: str


@dataclass
class Block:
    """Ink with a size; the origin is its top left corner. `baseline` is the first line's, from the top."""

    width: int = 0
    height: int = 0
    baseline: int = 0
    runs: list[Run] = field(default_factory=list)
    formulas: list[FormulaAt] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    lines: list[TextLine] = field(default_factory=list)

    def add(self, other: Block, dx: int, dy: int) -> None:
        """Copy another block's ink into this one, moved by (dx, dy); sizes grow to hold it."""
        self.runs += [Run(r.x + dx, r.y + dy, r.text, r.px) for r in other.runs]
        self.formulas += [FormulaAt(f.x + dx, f.y + dy, f.formula) for f in other.formulas]
        self.rules += [Rule(r.x + dx, r.y + dy, r.width, r.height) for r in other.rules]
        self.pictures += [Picture(p.x + dx, p.y + dy, p.image, p.sha256) for p in other.pictures]
        self.lines += [
            TextLine(t.x + dx, t.y + dy, t.width, t.height, t.baseline + dy, t.text) for t in other.lines
        ]
        self.width = max(self.width, other.width + dx)
        self.height = max(self.height, other.height + dy)


def ink_mask(block: Block, size: tuple[int, int], font: TextFont) -> Image.Image:
    """Coverage of a block's text, formulas and rules (not pictures) on a canvas of `size`, mode L."""
    mask = Image.new("L", size, 0)
    for run in block.runs:
        letters, left, top = font.mask(run.text, run.px)
        if letters is not None:
            mask.paste(255, (run.x + left, run.y + top), letters)
    for rule in block.rules:
        mask.paste(255, (rule.x, rule.y, rule.x + rule.width, rule.y + rule.height))
    for placed in block.formulas:
        formula = placed.formula
        if formula.mask is None:
            continue
        corner = (placed.x + formula.left, placed.y + formula.top)
        box = (*corner, corner[0] + formula.mask.width, corner[1] + formula.mask.height)
        # The brighter of both: a formula's mask must not erase a neighbour that reaches into its box.
        mask.paste(ImageChops.lighter(mask.crop(box), formula.mask), box)
    return mask


def paint(
    block: Block,
    mask: Image.Image,
    font: TextFont,
    ground: tuple[int, int, int],
    ink: tuple[int, int, int],
) -> Image.Image:
    """A page of the mask's size: pictures, then ink over the ground.

    Args:
        block: whose pictures are drawn.
        mask: the block's `ink_mask`.
        font: its text font.
        ground: colour of the page.
        ink: colour of text, formulas and rules.
    """
    page = Image.new("RGB", mask.size, ground)
    for picture in block.pictures:
        page.paste(picture.image, (picture.x, picture.y))
    for top, bottom in _inked(block, mask.height, font):
        band = (0, top, mask.width, bottom)
        page.paste(ink, band, mask.crop(band))
    return page


def _inked(block: Block, height: int, font: TextFont) -> list[tuple[int, int]]:
    """Runs of rows that hold ink: a diagram between two texts need not be gone through."""
    spans = [(rule.y, rule.y + rule.height) for rule in block.rules]
    masks = [(run.y, *font.mask(run.text, run.px)) for run in block.runs]
    masks += [(f.y, f.formula.mask, f.formula.left, f.formula.top) for f in block.formulas]
    spans += [(y + top, y + top + mask.height) for y, mask, _, top in masks if mask is not None]
    merged: list[tuple[int, int]] = []
    for first, last in sorted((max(0, first), min(height, last)) for first, last in spans):
        if merged and first <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        elif first < last:
            merged.append((first, last))
    return merged
