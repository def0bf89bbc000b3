"""Problem in, picture and sidecar out: the two rendered versions. No file is read or written here."""

from __future__ import annotations

import atexit
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from PIL import Image

from benchwright.render.canvas import Block, Run, ink_mask, paint
from benchwright.render.font import BUNDLED, TextFont, load_font
from benchwright.render.formula import Typesetter, make_typesetter
from benchwright.render.formulastore import FormulaStore
from benchwright.render.layout import Setter
from benchwright.render.page import Composer, Images, framed
from benchwright.render.photo import Photograph, photograph
from benchwright.render.placement import Placed, annotate
from benchwright.render.raster import encode_png
from benchwright.render.sidecar import (
    RENDERER_VERSION,
    DiagramRecord,
    FormulaRecord,
    LineRecord,
    MarkRecord,
    PhotoRecord,
    Rect,
    RunRecord,
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


def share_formulas(font: Path, cache: Path) -> FormulaStore:
    """Let this process's typesetter share its formulas, through a file, with other processes and later runs."""
    typesetter = typesetter_for(font)
    store = typesetter.store
    if isinstance(store, FormulaStore) and store.path == cache:
        return store
    if isinstance(store, FormulaStore):
        store.close()
    identity = {**typesetter.versions, "resvg": version("resvg-py"), "font": typesetter.font.digest}
    typesetter.store = opened = FormulaStore(cache, identity)
    atexit.register(opened.close)
    return opened


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
    setter = _setter(typesetter, style, justify=style.look.justify)
    wanted = style.choices == "image" and not options_in_pictures(choices, problem.images)
    shown_choices: Sequence[Choice] = choices if wanted else ()
    block = Composer(style, setter, images).page(stem, problem.images, shown_choices, language)
    page, size = framed(block, style.margin, style.width)
    if size[1] > style.max_height:
        raise ItemError(
            "too-long", f"the page would be {size[1]} pixels tall, the limit is {style.max_height}"
        )
    mask = ink_mask(page, size, typesetter.font)
    _check_margins(page, mask, style)
    image = paint(page, mask, typesetter.font, WHITE, style.page_rgb)
    look = style.look.photo
    photo = None if look is None else photograph(image, look, problem.problem_id)
    shown_image = photo.image if photo else image
    rendered = _finished(problem, Version.VISION_ONLY, language, style, setter, shown_image, page)
    return rendered if photo is None else _photographed(rendered, photo, size)


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


def _setter(typesetter: Typesetter, style: RenderStyle, *, justify: bool = False) -> Setter:
    typesetter.take_counts()  # what an item that failed left behind is not this item's
    return Setter(typesetter.font, typesetter, style.font_px, justify=justify)


def _photographed(rendered: Rendered, photo: Photograph, size: tuple[int, int]) -> Rendered:
    record = PhotoRecord(width=size[0], height=size[1], matrix=photo.matrix)
    return Rendered(rendered.png, rendered.sidecar.model_copy(update={"photo": record}))


def _check_margins(page: Block, mask: Image.Image, style: RenderStyle) -> None:
    """Nothing may reach into the outer half of the margin; letters and signs may hang out of the text area a little."""
    boxes = [(p.x, p.y, p.x + p.image.width, p.y + p.image.height) for p in page.pictures]
    if (ink := mask.getbbox()) is not None:
        boxes.append(ink)
    if not boxes:
        raise ItemError("empty", "the page has no ink")
    edge = style.margin // 2
    for box in boxes:
        if box[0] < edge or box[1] < edge or box[2] > mask.width - edge or box[3] > mask.height - edge:
            raise ItemError("beyond-margin", f"ink at {box} on a page of {mask.size}")


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
        runs=_run_records(block.runs, typesetter.font),
        rules=tuple(Rect(x=r.x, y=r.y, width=r.width, height=r.height) for r in block.rules),
        formulas=_formula_records(block),
        diagrams=placed.diagrams
        if placed
        else tuple(_diagram(p.sha256, p.x, p.y, p.image) for p in block.pictures),
        marks=placed.marks if placed else (),
        captions=_run_records(placed.captions, typesetter.font) if placed else (),
        text_changed=placed is not None and placed.text_changed,
        counts=counts,
        warnings=tuple(dict.fromkeys(w for f in block.formulas for w in f.formula.warnings)),
    )
    return Rendered(png, sidecar)


def _run_records(runs: Sequence[Run], font: TextFont) -> tuple[RunRecord, ...]:
    return tuple(
        RunRecord(x=r.x, y=r.y, width=math.ceil(font.width(r.text, r.px)), text=r.text, px=r.px) for r in runs
    )


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
            display=f.formula.display,
        )
        for f in block.formulas
    )


def _diagram(sha256: str, x: int, y: int, image: Image.Image) -> DiagramRecord:
    return DiagramRecord(sha256=sha256, box=Rect(x=x, y=y, width=image.width, height=image.height))


__all__ = ["ImageRef", "MarkRecord", "Rendered", "render_vision_only", "render_vision_rich", "renderer_for"]
