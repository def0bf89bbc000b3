"""Blocks of placed ink, and painting them: one coverage mask for a page, then one ink."""

from __future__ import annotations

from dataclasses import dataclass, field

from PIL import Image, ImageChops, ImageDraw

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
    draw = ImageDraw.Draw(mask)
    for run in block.runs:
        draw.text((run.x, run.y), run.text, fill=255, font=font.face(run.px), anchor="ls")
    for rule in block.rules:
        draw.rectangle((rule.x, rule.y, rule.x + rule.width - 1, rule.y + rule.height - 1), fill=255)
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
    size: tuple[int, int],
    ground: tuple[int, int, int],
    ink: tuple[int, int, int],
    font: TextFont,
) -> Image.Image:
    """A page: pictures, then ink over the ground."""
    page = Image.new("RGB", size, ground)
    for picture in block.pictures:
        page.paste(picture.image, (picture.x, picture.y))
    page.paste(ink, mask=ink_mask(block, size, font))
    return page
