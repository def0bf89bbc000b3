"""The vision-only page: stem, diagrams below it, then the choices."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PIL import Image

from benchwright.render.canvas import Block, Picture, Rule
from benchwright.render.layout import LEADING, Setter
from benchwright.render.style import RenderStyle
from benchwright.schemas.errors import ItemError
from benchwright.schemas.images import open_published
from benchwright.schemas.records import Choice, ImageRef

Images = Callable[[str], bytes]
"""Published bytes of an image by its digest."""

_SECTION_GAP = 1.0
_OPTION_GAP = 0.55
_COLUMN_GAP = 1.5
_LABEL_GAP = 0.4
_UPSCALE = 2.0
_ASIDE = 0.42
"""Width of a diagram beside the text, at most, as a share of the text area."""
_LEAST_ASIDE = 0.5
"""A diagram is not made smaller than this share of its size below the text, only to stand beside something."""
_TALLEST = 0.75
"""Height limit of a diagram, as a share of the page width."""


@dataclass(frozen=True)
class Composer:
    """Composes blocks for one style.

    Args:
        style: sizes.
        setter: sets texts at the style's size.
        images: where diagrams come from.
    """

    style: RenderStyle
    setter: Setter
    images: Images

    def page(
        self, stem: str, diagrams: Sequence[ImageRef], choices: Sequence[Choice], language: str
    ) -> Block:
        """Everything of one question, inside the margins; the block is as wide as the text area.

        Raises:
            ItemError: what the texts raise (see `Setter.set`).
        """
        width = self.style.width - 2 * self.style.margin
        beside = self._beside(stem, diagrams, choices, width, language) if self.style.look.aside else None
        page = beside or self._stacked(stem, diagrams, choices, width, language)
        return self._ruled(page, width) if self.style.look.ruled else page

    def _stacked(
        self, stem: str, diagrams: Sequence[ImageRef], choices: Sequence[Choice], width: int, language: str
    ) -> Block:
        gap = round(_SECTION_GAP * self.style.font_px)
        page = Block(width=width)
        parts = [self.setter.set(stem, width)]
        if diagrams:
            parts.append(self.diagrams(diagrams, width, language))
        if choices:
            parts.append(self.choices(choices, width))
        for part in parts:
            if part.height:
                page.add(part, 0, page.height + (gap if page.height else 0))
        return page

    def _beside(
        self, stem: str, diagrams: Sequence[ImageRef], choices: Sequence[Choice], width: int, language: str
    ) -> Block | None:
        """The text left, one narrow diagram right of it; None where that does not suit the question."""
        if len(diagrams) != 1 or any(choice.image for choice in choices):
            return None
        if self._scale(diagrams[0], round(_ASIDE * width)) < _LEAST_ASIDE * self._scale(diagrams[0], width):
            return None
        gap = 2 * self.style.font_px
        picture = self.diagrams(diagrams, round(_ASIDE * width), language)
        room = width - picture.pictures[0].image.width - gap
        before = Counter(self.setter.counts), Counter(self.setter.typesetter.counts)
        try:
            text = self._stacked(stem, (), choices, room, language)
        except ItemError as error:
            if error.reason not in ("formula-too-wide", "table"):
                raise
            text = None  # too wide for the narrow column; below the diagram it has the whole width
        if text is None or picture.height > 1.6 * text.height or text.height > 4 * picture.height:
            self.setter.counts, self.setter.typesetter.counts = before
            return None
        page = Block(width=width)
        page.add(text, 0, 0)
        page.baseline = text.baseline
        page.add(picture, width - picture.pictures[0].image.width - picture.pictures[0].x, 0)
        page.width = width
        return page

    def _ruled(self, page: Block, width: int) -> Block:
        """A thin rule above and one below."""
        thick = max(2, self.style.font_px // 16)
        gap = self.style.font_px
        outer = Block(width=width, rules=[Rule(0, 0, width, thick)])
        outer.add(page, 0, thick + gap)
        outer.rules.append(Rule(0, outer.height + gap, width, thick))
        outer.height += gap + thick
        return outer

    def diagrams(self, refs: Sequence[ImageRef], width: int, language: str) -> Block:
        """Diagrams in rows, as many beside each other as fit; numbered where there are several."""
        px = self.style.font_px
        gap = 2 * px
        room = width
        if len(refs) > 1 and all(
            self._scale(ref, (width - gap) // 2) >= _LEAST_ASIDE * self._scale(ref, width) for ref in refs
        ):
            room = (width - gap) // 2  # two beside each other: half as tall a page
        boxes = [self._captioned(ref, i, len(refs), room, language) for i, ref in enumerate(refs, start=1)]
        block = Block(width=width)
        row: list[Block] = []
        for box in [*boxes, None]:
            used = sum(b.width for b in row) + gap * len(row)
            if row and (box is None or used + box.width > width):
                top = block.height + (px if block.height else 0)
                x = (width - (used - gap)) // 2
                tallest = max(b.height for b in row)
                for b in row:
                    block.add(b, x, top + tallest - b.height)
                    x += b.width + gap
                row = []
            if box is not None:
                row.append(box)
        return block

    def choices(self, choices: Sequence[Choice], width: int) -> Block:
        """Options in as many columns as their widths allow: all in one row, two, or one below the other."""
        px = self.style.font_px
        label_width = max(math.ceil(self.setter.font.width(f"{c.label}.", px)) for c in choices)
        indent = label_width + round(_LABEL_GAP * px)
        columns = self._columns(choices, width, indent)
        gap = round(_COLUMN_GAP * px)
        cell = (width - gap * (columns - 1)) // columns
        block = Block(width=width)
        for start in range(0, len(choices), columns):
            options = [self._option(c, cell, indent) for c in choices[start : start + columns]]
            baseline = max(option.baseline for option in options)
            top = block.height + (round(_OPTION_GAP * px) if block.height else 0)
            if start == 0:
                block.baseline = baseline
            for index, option in enumerate(options):
                block.add(option, index * (cell + gap), top + baseline - option.baseline)
        return block

    def _columns(self, choices: Sequence[Choice], width: int, indent: int) -> int:
        gap = round(_COLUMN_GAP * self.style.font_px)
        pictures = any(c.image is not None for c in choices)
        widest = max(self._natural(c, indent) for c in choices)
        wanted = [n for n in (len(choices), 4, 2) if 2 <= n <= 5 and n <= len(choices)]
        for columns in wanted:
            cell = (width - gap * (columns - 1)) // columns
            if widest <= cell or (pictures and columns == 2):
                return columns
        return 1

    def _natural(self, choice: Choice, indent: int) -> int:
        text = self.setter.natural_width(choice.text) if choice.text else 0
        picture = self._scaled(choice.image, 10**6).width if choice.image else 0
        return indent + max(text, picture)

    def _option(self, choice: Choice, width: int, indent: int) -> Block:
        label = self.setter.set(f"{choice.label}.", indent)
        block = Block(width=width, baseline=label.baseline)
        content = Block(width=width - indent)
        if choice.text:
            content = self.setter.set(choice.text, width - indent)
        if not content.height and choice.image is None:
            raise ItemError("empty", f"option {choice.label} has nothing to draw: {choice.text!r}")
        baseline = max(label.baseline, content.baseline if content.height else 0)
        block.add(label, 0, baseline - label.baseline)
        if content.height:
            block.add(content, indent, baseline - content.baseline)
        block.baseline = baseline
        if choice.image is not None:
            image = self._scaled(choice.image, width - indent)
            top = block.height + self.style.font_px // 3 if content.height else 0
            block.add(_picture(image, choice.image.sha256), indent, top)
        return block

    def _captioned(self, ref: ImageRef, number: int, total: int, width: int, language: str) -> Block:
        block = _picture(self._scaled(ref, width), ref.sha256)
        if total > 1:
            caption = self.setter.set(f"图 {number}" if language == "zh" else f"Figure {number}", 10_000)
            text_width = max(line.width for line in caption.lines)
            outer = Block(width=max(block.width, text_width))
            outer.add(block, (outer.width - block.width) // 2, 0)
            caption.width = text_width
            outer.add(
                caption,
                (outer.width - text_width) // 2,
                block.height + round((LEADING - 1) * self.style.font_px),
            )
            return outer
        return block

    def _scaled(self, ref: ImageRef, width: int) -> Image.Image:
        """A diagram at its size on the page: enlarged at most twice, never wider or taller than there is room."""
        image = open_published(self.images(ref.sha256))
        scale = self._scale(ref, width)
        size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
        return image if size == image.size else image.resize(size, Image.Resampling.LANCZOS)

    def _scale(self, ref: ImageRef, width: int) -> float:
        scale = min(_UPSCALE, width / ref.width, _TALLEST * self.style.width / ref.height)
        return min(scale, max(1.0, 0.6 * self.style.width / ref.width))


def _picture(image: Image.Image, sha256: str) -> Block:
    return Block(width=image.width, height=image.height, pictures=[Picture(0, 0, image, sha256)])


def framed(block: Block, margin: int, width: int) -> tuple[Block, tuple[int, int]]:
    """The block moved inside the page's margins, and the page's size."""
    page = Block()
    page.add(block, margin, margin)
    return page, (width, block.height + 2 * margin)


__all__ = ["Composer", "Images", "Rule", "framed"]
