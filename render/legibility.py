"""The legibility gate: can burnt-in text be read, is it the right text, is the drawing whole?

Three kinds of evidence, each blind where another sees:

- reading: a recogniser reads each text line at its known place; the renderer has no say in it;
- ink: the page is drawn again from its sidecar; what covers, cuts, blurs, shrinks or bleaches a line differs;
- formulas: the second engine's width for the same source, no warning, ink inside the box.
"""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from PIL import Image

from benchwright.render.formula import Typesetter
from benchwright.render.inkmap import Mask
from benchwright.render.legibility_codes import formula_codes, line_codes
from benchwright.render.legibility_formula import SecondOpinion
from benchwright.render.legibility_marks import covered_drawings
from benchwright.render.legibility_pixels import (
    LENS,
    Even,
    differing_pixels,
    evened,
    likeness,
    margin_ink,
    measure,
    outside,
    unexpected_ink,
)
from benchwright.render.legibility_read import Reader
from benchwright.render.legibility_result import (
    FormulaVerdict,
    GateResult,
    GateState,
    InkMeasure,
    LineVerdict,
)
from benchwright.render.legibility_scene import Pixels, Scene, formula_ink, page_size, scene
from benchwright.render.legibility_strips import ReadLine, read_lines
from benchwright.render.legibility_thresholds import DEFAULT, Thresholds
from benchwright.render.legibility_view import View, paper, photographed
from benchwright.render.page import Images
from benchwright.render.photo import projected
from benchwright.render.sidecar import Rect, Sidecar
from benchwright.render.style import RenderStyle
from benchwright.schemas.digest import digest_of, sha256_bytes
from benchwright.schemas.errors import ItemError
from benchwright.schemas.versions import Version

_FORMULA_AIR = 0.25
"""How far a formula's ink may stick out of its box, in em: italic letters and Chinese do by up to 0.1."""


@dataclass(frozen=True)
class _Seen:
    """A picture, what should stand on it, and where the two differ.

    `flat` is the page drawn again, `made` the same in the picture's pixels: the two are one unless the page was
    photographed. `view` cuts boxes of the flat page out of the picture.
    """

    sidecar: Sidecar
    picture: Pixels
    flat: Scene
    made: Scene
    differs: Mask
    view: View
    even: Even | None = None
    """Of a photograph: what is seen and what was drawn again, without the light."""

    def measured(self, box: Rect, px: int) -> InkMeasure:
        return measure(self.picture, self.made, self.differs, box, px, self.view, self.even)

    @property
    def style(self) -> RenderStyle:
        return RenderStyle.model_validate(self.sidecar.style)


@dataclass(frozen=True)
class Gate:
    """Judges pictures.

    Args:
        typesetter: with the font and the engines of the pictures.
        reader: the recogniser; None leaves out reading (and then nothing passes).
        opinion: widths by the second engine.
        thresholds: where the lines are drawn.
    """

    typesetter: Typesetter
    reader: Reader | None
    opinion: SecondOpinion
    thresholds: Thresholds = DEFAULT

    def judge(self, sidecar: Sidecar, png: bytes, images: Images) -> GateResult:
        """The verdict on one picture.

        Args:
            sidecar: what should stand on it.
            png: the picture's bytes.
            images: published bytes of the problem's diagrams.
        """
        if sidecar.font_sha256 != self.typesetter.font.digest:
            return self._result(sidecar, reason="other-font")
        with Image.open(io.BytesIO(png)) as opened:
            image = opened.convert("RGB")
        if image.size != (sidecar.width, sidecar.height) or sha256_bytes(png) != sidecar.png_sha256:
            return self._result(sidecar, codes=("not-its-sidecar",))
        try:
            made = scene(sidecar, images, self.typesetter)
        except ItemError as error:
            return self._result(sidecar, reason=error.reason)
        return self.judge_pixels(sidecar, np.asarray(image), made)

    def judge_pixels(self, sidecar: Sidecar, picture: Pixels, made: Scene) -> GateResult:
        """The verdict on a picture whose description is already drawn again.

        Args:
            sidecar: what should stand on the picture.
            picture: the published pixels, shape (height, width, 3).
            made: `scene(sidecar, ...)`, the flat page.
        """
        seen = self._seen(sidecar, picture, made)
        lines = tuple(
            self._line(seen, index, reading)
            for index, reading in enumerate(read_lines(sidecar, picture, seen.made, self.reader, seen.view))
        )
        formulas = tuple(self._formula(seen, index) for index in range(len(sidecar.formulas)))
        page = self._photo_page(seen) if sidecar.photo else self._page(seen)
        return self._result(sidecar, page, lines, formulas)

    def _seen(self, sidecar: Sidecar, picture: Pixels, flat: Scene) -> _Seen:
        step = self.thresholds.colour_step
        if sidecar.photo is None:
            return _Seen(sidecar, picture, flat, flat, differing_pixels(picture, flat, step), View())
        look = RenderStyle.model_validate(sidecar.style).look.photo
        made = photographed(flat, sidecar.photo, (sidecar.width, sidecar.height))
        even = evened(picture), evened(made.expected, look.blur if look else 0.0)
        differs = unexpected_ink(picture, made, step)
        return _Seen(sidecar, picture, flat, made, differs, View(sidecar.photo), even)

    def _line(self, seen: _Seen, index: int, reading: ReadLine) -> LineVerdict:
        box, photo = seen.sidecar.lines[index].box, seen.sidecar.photo is not None
        px = reading.px or seen.style.font_px
        verdict = LineVerdict(
            box=box,
            expected=reading.expected,
            read=reading.read,
            score=reading.score,
            characters=reading.characters,
            errors=reading.errors,
            unknown=reading.unknown,
            px=reading.px,
            collisions=seen.made.line_collisions.get(index, 0),
            ink=seen.measured(box, px),
        )
        return verdict.model_copy(update={"codes": line_codes(verdict, self.thresholds, photo)})

    def _formula(self, seen: _Seen, index: int) -> FormulaVerdict:
        record, photo = seen.sidecar.formulas[index], seen.sidecar.photo is not None
        box = formula_ink(record, self.typesetter)
        width = record.box.width / record.px
        other = self.opinion.width(record.tex, record.display, record.engine)
        verdict = FormulaVerdict(
            tex=record.tex,
            engine=record.engine,
            ratio=round(width / other, 3) if other else None,
            width=round(width, 3),
            px=record.px,
            collisions=seen.made.formula_collisions.get(index, 0),
            outside=box is not None and not _within(box, record.box, record.px),
            ink=seen.measured(box or record.box, record.px),
        )
        return verdict.model_copy(update={"codes": formula_codes(verdict, other, self.thresholds, photo)})

    def _page(self, seen: _Seen) -> tuple[str, ...]:
        """What is wrong with the page as a whole."""
        limits, sidecar = self.thresholds, seen.sidecar
        drawings = [diagram.canvas or diagram.box for diagram in sidecar.diagrams]
        found = {
            "stray-ink": self._stray(seen, seen.differs),
            "drawing-changed": any(_share(seen.differs, box) > limits.drawing for box in drawings),
            "formula-warning": bool(sidecar.warnings),
        }
        if sidecar.version == Version.VISION_RICH:
            whole = Rect(x=0, y=0, width=sidecar.width, height=sidecar.height)
            found["covers-ink"] = covered_drawings(sidecar, seen.made.before, seen.picture) > 0
            found["beyond-margin"] = any(not _within(mark.box, whole, 0) for mark in sidecar.marks)
        else:
            found["beyond-margin"] = margin_ink(seen.picture, seen.style.margin // 2, limits.colour_step) > 0
            found["covers-drawing"] = any(_share(seen.made.coverage > 0, box) > 0 for box in drawings)
        return tuple(code for code, holds in found.items() if holds)

    def _photo_page(self, seen: _Seen) -> tuple[str, ...]:
        """What is wrong with a photographed page as a whole."""
        sidecar, photo = seen.sidecar, seen.sidecar.photo
        assert photo is not None and seen.even is not None
        width, height = page_size(sidecar)
        corners = [projected(photo.matrix, *at) for at in ((0, 0), (width, 0), (width, height), (0, height))]
        drawings = [diagram.box for diagram in sidecar.diagrams]
        likes = [likeness(seen.even, box, box.width, seen.view) for box in drawings]
        on_paper = seen.differs & paper(photo, (sidecar.width, sidecar.height))
        found = {
            "stray-ink": self._stray(seen, on_paper),
            "beyond-margin": any(
                not (0 <= x <= sidecar.width and 0 <= y <= sidecar.height) for x, y in corners
            ),
            "drawing-changed": any(
                like is not None and like < self.thresholds.photo_drawing for like in likes
            ),
            "covers-drawing": any(_share(seen.flat.coverage > 0, box) > 0 for box in drawings),
            "formula-warning": bool(sidecar.warnings),
        }
        return tuple(code for code, holds in found.items() if holds)

    def _stray(self, seen: _Seen, differs: Mask) -> bool:
        """Whether ink stands where neither a line nor a formula nor a drawing is."""
        sidecar, px = seen.sidecar, seen.style.font_px
        claimed = [(line.box, px // 4) for line in sidecar.lines]
        claimed += [(formula.box, px // 2) for formula in sidecar.formulas]
        soft = LENS if sidecar.photo else 0
        claimed += [(diagram.canvas or diagram.box, soft) for diagram in sidecar.diagrams]
        return outside(differs, claimed, seen.view) > self.thresholds.stray * px * px

    def _result(
        self,
        sidecar: Sidecar,
        codes: tuple[str, ...] = (),
        lines: tuple[LineVerdict, ...] = (),
        formulas: tuple[FormulaVerdict, ...] = (),
        reason: str | None = None,
    ) -> GateResult:
        every = {
            code for part in (codes, *(x.codes for x in lines), *(x.codes for x in formulas)) for code in part
        }
        state = GateState.FAILED if every else GateState.PASSED
        if not every and (reason is not None or self.reader is None):
            state, reason = GateState.NOT_JUDGED, reason or "no-reader"
        return GateResult(
            problem_id=sidecar.problem_id,
            version=sidecar.version,
            language=sidecar.language,
            style=str(sidecar.style.get("name", "")),
            png_sha256=sidecar.png_sha256,
            sidecar_sha256=digest_of(sidecar),
            thresholds=self.thresholds.digest,
            reader=self.reader.version if self.reader else None,
            state=state,
            codes=tuple(sorted(every)),
            reason=reason if state is GateState.NOT_JUDGED else None,
            characters=sum(line.characters for line in lines),
            errors=sum(line.errors for line in lines),
            unverified_formulas=sum(formula.ratio is None for formula in formulas),
            lines=lines,
            formulas=formulas,
        )


def _within(inner: Rect, outer: Rect, px: int) -> bool:
    air = round(_FORMULA_AIR * px)
    return (
        inner.x >= outer.x - air
        and inner.y >= outer.y - air
        and inner.x + inner.width <= outer.x + outer.width + air
        and inner.y + inner.height <= outer.y + outer.height + air
    )


def _share(differs: Mask, box: Rect) -> float:
    part = differs[box.y : box.y + box.height, box.x : box.x + box.width]
    return float(part.mean()) if part.size else 0.0
