"""Problem in, picture and sidecar out: the two rendered versions. No file is read or written here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageChops

from benchwright.render.canvas import Block, paint
from benchwright.render.font import BUNDLED, load_font
from benchwright.render.formula import Typesetter, make_typesetter
from benchwright.render.layout import Setter
from benchwright.render.page import Composer, Images, framed
from benchwright.render.placement import Placed, annotate
from benchwright.render.raster import encode_png
from benchwright.render.sidecar import (
    RENDERER_VERSION,
    DiagramRecord,
    FormulaRecord,
    LineRecord,
    MarkRecord,
    Rect,
    Sidecar,
)
from benchwright.render.style import WHITE, RenderStyle
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import Choice, ImageRef, Problem
from benchwright.schemas.versions import (
    Version,
    decomposition_of,
    options_in_pictures,
    vision_only_stem,
    vision_rich_refusal,
)


@dataclass(frozen=True)
class Rendered:
    """A picture's bytes and its record."""

    png: bytes
    sidecar: Sidecar


@lru_cache(maxsize=2)
def typesetter_for(path: Path = BUNDLED) -> Typesetter:
    """The process's typesetter: engines are started once, formulas are cached."""
    return make_typesetter(load_font(path))


def render_vision_only(
    problem: Problem, language: str, images: Images, style: RenderStyle, font: Path = BUNDLED
) -> Rendered:
    """Burn the whole question into one page: stem, diagrams, choices (SciVerse, section 2.3).

    Args:
        problem: what to draw.
        language: which of its texts.
        images: published bytes of an image by digest.
        style: sizes and ink.
        font: the text font's file.

    Raises:
        ItemError: with the reason: `no-translation`, `missing-glyph`, `formula`, `formula-too-wide`,
            `formula-too-long`, `table`, `too-long`, `empty`.
    """
    stem, choices = vision_only_stem(problem, language)
    if not stem.strip():
        raise ItemError("empty", f"{problem.problem_id} has no {language} stem")
    typesetter = typesetter_for(font)
    setter = _setter(typesetter, style)
    wanted = style.choices == "image" and not options_in_pictures(choices, problem.images)
    shown_choices: Sequence[Choice] = choices if wanted else ()
    block = Composer(style, setter, images).page(stem, problem.images, shown_choices, language)
    page, size = framed(block, style.margin, style.width)
    if size[1] > style.max_height:
        raise ItemError(
            "too-long", f"the page would be {size[1]} pixels tall, the limit is {style.max_height}"
        )
    image = paint(page, size, WHITE, style.rgb, typesetter.font)
    _check_margins(image, style)
    return _finished(problem, Version.VISION_ONLY, language, style, setter, image, page)


def render_vision_rich(
    problem: Problem, language: str, images: Images, style: RenderStyle, font: Path = BUNDLED
) -> Rendered:
    """Burn the marks of the conditions that can be shown into the diagram (SciVerse, section 2.3).

    Args: as for `render_vision_only`.

    Raises:
        ItemError: `no-translation`, `no-decomposition`, `nothing-to-show` (rules), `no-diagram`, `no-room` (no
            condition found a place), or what a label's text raises.
    """
    decomposition = decomposition_of(problem, language)
    if (reason := vision_rich_refusal(decomposition)) is not None:
        raise ItemError(reason, f"{problem.problem_id} has no condition that a picture can show")
    if not problem.images:
        raise ItemError("no-diagram", f"{problem.problem_id} has no diagram to draw on")
    typesetter = typesetter_for(font)
    setter = _setter(typesetter, style)
    placed = annotate(decomposition, problem.images, images, style, setter, language)
    if not placed.shown:
        detail = "; ".join(f"{key}: {why}" for key, why in placed.unshown.items())
        raise ItemError("no-room", detail)
    return _finished(
        problem, Version.VISION_RICH, language, style, setter, placed.image, placed.block, placed
    )


def renderer_for(version: Version) -> Callable[[Problem, str, Images, RenderStyle, Path], Rendered]:
    """The function that draws a version.

    Raises:
        KeyError: the version has no picture of its own.
    """
    return {Version.VISION_ONLY: render_vision_only, Version.VISION_RICH: render_vision_rich}[version]


def _setter(typesetter: Typesetter, style: RenderStyle) -> Setter:
    typesetter.take_counts()  # what an item that failed left behind is not this item's
    return Setter(typesetter.font, typesetter, style.font_px)


def _check_margins(image: Image.Image, style: RenderStyle) -> None:
    """Nothing may reach into the outer half of the margin; letters and signs may hang out of the text area a little."""
    box = ImageChops.difference(image, Image.new("RGB", image.size, WHITE)).getbbox()
    if box is None:
        raise ItemError("empty", "the page has no ink")
    edge = style.margin // 2
    if box[0] < edge or box[1] < edge or box[2] > image.width - edge or box[3] > image.height - edge:
        raise ItemError("beyond-margin", f"ink at {box} on a page of {image.size}")


def _finished(
    problem: Problem,
    version: Version,
    language: str,
    style: RenderStyle,
    setter: Setter,
    image: Image.Image,
    block: Block,
    placed: Placed | None = None,
) -> Rendered:
    png = encode_png(image)
    typesetter = setter.typesetter
    counts = dict(sorted({**setter.counts, **typesetter.take_counts()}.items()))
    sidecar = Sidecar(
        problem_id=problem.problem_id,
        problem_digest=problem.digest,
        version=version.value,
        language=language,
        renderer_version=RENDERER_VERSION,
        style=style.model_dump(mode="json"),
        style_digest=style.digest,
        font_sha256=typesetter.font.digest,
        engines=typesetter.versions,
        png_sha256=sha256_bytes(png),
        width=image.width,
        height=image.height,
        shown=placed.shown if placed else (),
        unshown=placed.unshown if placed else {},
        lines=tuple(
            LineRecord(
                box=Rect(x=t.x, y=t.y, width=t.width, height=t.height), baseline=t.baseline, text=t.text
            )
            for t in block.lines
        ),
        formulas=_formula_records(block),
        diagrams=placed.diagrams
        if placed
        else tuple(_diagram(p.sha256, p.x, p.y, p.image) for p in block.pictures),
        marks=placed.marks if placed else (),
        counts=counts,
        warnings=tuple(dict.fromkeys(w for f in block.formulas for w in f.formula.warnings)),
    )
    return Rendered(png, sidecar)


def _formula_records(block: Block) -> tuple[FormulaRecord, ...]:
    return tuple(
        FormulaRecord(
            box=Rect(
                x=f.x,
                y=f.y - f.formula.ascent,
                width=f.formula.width,
                height=f.formula.ascent + f.formula.descent,
            ),
            baseline=f.y,
            tex=f.formula.tex,
            engine=f.formula.engine,
            px=f.formula.px,
        )
        for f in block.formulas
    )


def _diagram(sha256: str, x: int, y: int, image: Image.Image) -> DiagramRecord:
    return DiagramRecord(sha256=sha256, box=Rect(x=x, y=y, width=image.width, height=image.height))


__all__ = ["ImageRef", "MarkRecord", "Rendered", "render_vision_only", "render_vision_rich", "renderer_for"]
