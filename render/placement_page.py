"""The annotated drawings as one picture: one alone, or several below each other; and a band of words below."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from benchwright.render.canvas import Block, Run, ink_mask
from benchwright.render.layout import Setter
from benchwright.render.placement_diagram import Diagram, moved_mark
from benchwright.render.sidecar import DiagramRecord, MarkRecord, Rect
from benchwright.render.style import WHITE, RenderStyle
from benchwright.schemas.records import Condition


def joined(
    diagrams: Sequence[Diagram], pictures: Sequence[Image.Image], setter: Setter, language: str
) -> tuple[Image.Image, Block, list[MarkRecord], list[DiagramRecord], list[Run]]:
    """One picture of all diagrams: the diagram itself, or all of them below each other with numbers."""
    if len(diagrams) == 1:
        return pictures[0], diagrams[0].block, list(diagrams[0].marks), [diagrams[0].record(0, 0)], []
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
        marks += [moved_mark(mark, x, y) for mark in diagram.marks]
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
    return image, block, marks, records, captions.runs


def with_band(
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
        marks.append(
            MarkRecord(condition=condition.id, label=text, image=sha256, box=box, place="band", px=px)
        )
        y += part.height + px // 2
    whole = Image.new("RGB", (width, y + px // 2), WHITE)
    whole.paste(image, (0, 0))
    whole.paste(style.rgb, mask=ink_mask(band, whole.size, setter.font))
    block.add(band, 0, 0)
    return whole, block, marks
