"""The gate on small real pages; on thousands of lines in `test_legibility_long`."""

from __future__ import annotations

import io
import random
from functools import partial

import numpy as np
import pytest
from PIL import Image, ImageDraw

from benchwright.render.check import gate_for
from benchwright.render.compose import Rendered, render_vision_only, render_vision_rich, typesetter_for
from benchwright.render.font import BUNDLED
from benchwright.render.legibility import Gate
from benchwright.render.legibility_formula import SecondOpinion, widths_agree
from benchwright.render.legibility_marks import covered_ink, original_ink
from benchwright.render.legibility_result import GateResult, GateState
from benchwright.render.legibility_scene import scene
from benchwright.render.photo import projected
from benchwright.render.raster import encode_png
from benchwright.render.sidecar import Rect
from benchwright.render.style import LOOKS, RenderStyle
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.records import Anchor, Choice, Mark

from .conftest import Studio
from .gate_rates import rates
from .gate_sets import DAMAGES, KINDS, example_problems, pages
from .test_legibility_long import needs_reader

STYLE = RenderStyle()
QUESTION = (
    "A block of mass 25 kg rests on a rough floor. What is the normal force, if $g = 9.8\\ \\mathrm{m/s^2}$?"
)


@pytest.fixture(scope="module")
def blind() -> Gate:
    """The gate without a reader: ink and formulas only."""
    typesetter = typesetter_for()
    return Gate(typesetter, None, SecondOpinion(typesetter))


def page(studio: Studio, question: str = QUESTION, style: RenderStyle = STYLE) -> Rendered:
    choices = (Choice(label="A", text="245 newton"), Choice(label="B", text="$\\frac{1}{2}$ newton"))
    problem = studio.problem(question, choices=choices, images=(studio.triangle(),))
    return render_vision_only(problem, "en", studio.bytes_of.__getitem__, style)


def rich(studio: Studio, ground: str = "white", ink: str = "black") -> Rendered:
    ref = studio.triangle(ground=ground, ink=ink)
    stem = "A block of mass m = 2 kg moves right at 3 m/s. Find its momentum."
    mark = Mark(label="mass 2 kg", anchor=Anchor(image=ref.sha256, kind="box", x=0.05, y=0.05, w=0.3, h=0.15))
    decomposition = studio.decomposed(stem, ("m = 2 kg", "on-diagram", (mark,)))
    problem = studio.problem(stem, images=(ref,), decomposition=decomposition)
    return render_vision_rich(problem, "en", studio.bytes_of.__getitem__, STYLE)


def spoiled(rendered: Rendered, image: Image.Image) -> Rendered:
    """Other pixels under the same description, as a faulty renderer would write them."""
    png = encode_png(image)
    return Rendered(png, rendered.sidecar.model_copy(update={"png_sha256": sha256_bytes(png)}))


def opened(rendered: Rendered) -> Image.Image:
    return Image.open(io.BytesIO(rendered.png)).convert("RGB")


def judged(gate: Gate, studio: Studio, rendered: Rendered) -> GateResult:
    return gate.judge(rendered.sidecar, rendered.png, studio.bytes_of.__getitem__)


def test_without_a_reader_nothing_passes(studio: Studio, blind: Gate) -> None:
    result = judged(blind, studio, page(studio))
    assert (result.state, result.reason, result.codes) == (GateState.NOT_JUDGED, "no-reader", ())


def test_another_font_is_not_judged(studio: Studio, blind: Gate) -> None:
    rendered = page(studio)
    other = Rendered(rendered.png, rendered.sidecar.model_copy(update={"font_sha256": "0" * 64}))
    assert judged(blind, studio, other).reason == "other-font"


def test_a_picture_that_its_sidecar_does_not_describe_fails(studio: Studio, blind: Gate) -> None:
    rendered = page(studio)
    result = judged(blind, studio, Rendered(encode_png(Image.new("RGB", (9, 9))), rendered.sidecar))
    assert result.codes == ("not-its-sidecar",)


@pytest.mark.parametrize("style", sorted(LOOKS))
def test_ink_alone_has_no_false_alarm(studio: Studio, blind: Gate, style: str) -> None:
    look = RenderStyle(name=style, look=LOOKS[style])  # type: ignore[arg-type, index]
    assert judged(blind, studio, page(studio, style=look)).codes == ()


def test_ink_outside_every_line_is_found(studio: Studio, blind: Gate) -> None:
    rendered = page(studio)
    image = opened(rendered)
    image.paste((142, 22, 22), (image.width - 90, 300, image.width - 70, 320))
    assert "stray-ink" in judged(blind, studio, spoiled(rendered, image)).codes


def test_ink_in_the_margin_is_found(studio: Studio, blind: Gate) -> None:
    rendered = page(studio)
    image = opened(rendered)
    image.paste((0, 0, 0), (2, 40, 10, 60))
    assert "beyond-margin" in judged(blind, studio, spoiled(rendered, image)).codes


def test_a_drawing_that_was_changed_or_covered_is_found(studio: Studio, blind: Gate) -> None:
    rendered = page(studio)
    box = rendered.sidecar.diagrams[0].box
    image = opened(rendered)
    ImageDraw.Draw(image).text((box.x + 60, box.y + 60), "covers", fill=(142, 22, 22), font_size=40)
    assert "drawing-changed" in judged(blind, studio, spoiled(rendered, image)).codes


def test_a_photograph_is_judged_on_its_own_pixels(studio: Studio, blind: Gate) -> None:
    """A blot on the paper is found, and so are lines that do not lie where the projection says."""
    look = RenderStyle(name="phone-photo", look=LOOKS["phone-photo"])
    rendered = page(studio, style=look)
    photo = rendered.sidecar.photo
    assert photo is not None
    blotted = opened(rendered)
    x, y = (round(v) for v in projected(photo.matrix, photo.width - 120, photo.height - 30))
    blotted.paste((20, 20, 20), (x, y, x + 12, y + 12))
    assert "stray-ink" in judged(blind, studio, spoiled(rendered, blotted)).codes
    matrix = (*photo.matrix[:2], photo.matrix[2] + 5, *photo.matrix[3:])
    moved = rendered.sidecar.model_copy(update={"photo": photo.model_copy(update={"matrix": matrix})})
    assert "ink-differs" in judged(blind, studio, Rendered(rendered.png, moved)).codes


def test_overlapping_lines_of_a_faulty_layout_are_found(studio: Studio, blind: Gate) -> None:
    """The layout itself puts one text onto another: the page drawn again has the same fault, the collision tells."""
    rendered = page(studio)
    runs = rendered.sidecar.runs
    moved = runs[1].model_copy(update={"x": runs[0].x + 3, "y": runs[0].y})
    sidecar = rendered.sidecar.model_copy(update={"runs": (runs[0], moved, *runs[2:])})
    made = scene(sidecar, studio.bytes_of.__getitem__, blind.typesetter)
    assert "ink-collides" in blind.judge_pixels(sidecar, made.expected, made).codes


def test_too_small_a_text_is_found_though_it_is_drawn_as_described(studio: Studio, blind: Gate) -> None:
    rendered = page(studio)
    runs = tuple(run.model_copy(update={"px": 8}) for run in rendered.sidecar.runs)
    sidecar = rendered.sidecar.model_copy(update={"runs": runs})
    made = scene(sidecar, studio.bytes_of.__getitem__, blind.typesetter)
    assert "too-small" in blind.judge_pixels(sidecar, made.expected, made).codes


def test_a_formula_that_lost_a_part_differs_from_the_second_engines(studio: Studio, blind: Gate) -> None:
    """The record asks for a sum, the box on the page holds one term: as an engine that swallows its rest."""
    rendered = page(studio, "Find $a + b + c + d$ here.")
    record = next(f for f in rendered.sidecar.formulas if "a + b" in f.tex)
    narrow = record.box.model_copy(update={"width": record.box.width // 4})
    formulas = tuple(
        f.model_copy(update={"box": narrow}) if f is record else f for f in rendered.sidecar.formulas
    )
    sidecar = rendered.sidecar.model_copy(update={"formulas": formulas})
    made = scene(sidecar, studio.bytes_of.__getitem__, blind.typesetter)
    assert "formula-width" in blind.judge_pixels(sidecar, made.expected, made).codes


def test_chemistry_has_no_second_opinion_and_says_so(studio: Studio, blind: Gate) -> None:
    result = judged(blind, studio, page(studio, "Balance $\\ce{2H2 + O2 -> 2H2O}$ now."))
    verdict = next(f for f in result.formulas if "ce{" in f.tex)
    assert (verdict.engine, verdict.ratio, verdict.codes) == ("mathjax", None, ())
    assert result.unverified_formulas == 1


def test_widths() -> None:
    agree = partial(widths_agree, low=0.8, high=1.28, slack=0.35)
    assert agree(1.0, 1.3) and agree(10, 9)
    assert not agree(4.0, 6.0) and not agree(6.0, 4.0)


# --- marks on a drawing --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ground", "ink"), [("white", "black"), ("black", "white"), ("#dfe8d8", "#345")])
def test_marks_leave_the_drawings_ink_alone(studio: Studio, blind: Gate, ground: str, ink: str) -> None:
    rendered = rich(studio, ground, ink)
    made = scene(rendered.sidecar, studio.bytes_of.__getitem__, typesetter_for())
    assert original_ink(made.before).any()
    assert covered_ink(made.before, np.asarray(opened(rendered))) == 0
    assert judged(blind, studio, rendered).codes == ()


@pytest.mark.parametrize(("ground", "ink"), [("white", "black"), ("black", "white")])
def test_a_planted_violation_is_caught(studio: Studio, blind: Gate, ground: str, ink: str) -> None:
    """One stroke of the ink, and one piece of a light backing, each over a few pixels of the drawing."""
    rendered = rich(studio, ground, ink)
    made = scene(rendered.sidecar, studio.bytes_of.__getitem__, typesetter_for())
    ys, xs = np.nonzero(original_ink(made.before))
    for colour in ((142, 22, 22), (255, 255, 255) if ground == "black" else (250, 240, 240)):
        image = opened(rendered)
        x, y = int(xs[len(xs) // 2]), int(ys[len(ys) // 2])
        image.paste(colour, (x - 3, y - 3, x + 4, y + 4))
        assert covered_ink(made.before, np.asarray(image)) > 0
        assert "covers-ink" in judged(blind, studio, spoiled(rendered, image)).codes


def test_light_on_a_gradient_is_no_ink_but_a_line_on_it_is() -> None:
    slope = np.linspace(40, 220, 400, dtype=np.uint8)
    before = np.repeat(np.tile(slope, (300, 1))[:, :, None], 3, axis=2)
    assert not original_ink(before).any()
    before[150:153, 50:350] = 255 - before[150:153, 50:350]
    after = before.copy()
    after[100:120, 100:140] = (142, 22, 22)
    assert covered_ink(before, after) == 0
    after[140:160, 60:80] = (255, 255, 255)
    assert covered_ink(before, after) > 0
    with pytest.raises(ValueError, match="cannot be compared"):
        covered_ink(before, after[:-1])


def test_a_mark_beyond_the_picture_is_found(studio: Studio, blind: Gate) -> None:
    rendered = rich(studio)
    mark = rendered.sidecar.marks[0]
    beyond = mark.model_copy(update={"box": Rect(x=-5, y=3, width=40, height=20)})
    sidecar = rendered.sidecar.model_copy(update={"marks": (beyond,)})
    made = scene(sidecar, studio.bytes_of.__getitem__, typesetter_for())
    assert "beyond-margin" in blind.judge_pixels(sidecar, made.expected, made).codes


# --- reading ---------------------------------------------------------------------------------------------------------


@needs_reader
def test_a_good_page_passes_and_says_what_was_read(studio: Studio) -> None:
    result = judged(gate_for(BUNDLED), studio, page(studio))
    assert (result.state, result.codes) == (GateState.PASSED, ())
    assert result.characters > 60 and result.errors == 0
    assert any(line.read and "block of mass 25 kg" in line.read for line in result.lines)
    assert result.reader is not None and result.reader.startswith("rapidocr")


@needs_reader
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_damage_is_caught(studio: Studio, kind: str) -> None:
    rendered = page(studio)
    chance = random.Random(kind)
    image = DAMAGES[kind](opened(rendered), rendered.sidecar, 0, chance, typesetter_for().font)
    assert image is not None
    result = judged(gate_for(BUNDLED), studio, spoiled(rendered, image))
    assert result.state is GateState.FAILED
    assert result.lines[0].codes and not any(line.codes for line in result.lines[2:])


@needs_reader
def test_reading_alone_finds_a_wrong_word_that_the_page_drawn_again_repeats(studio: Studio) -> None:
    """A renderer that draws another text than the sidecar says, in both: only a reader can tell."""
    rendered = page(studio)
    wrong = page(studio, QUESTION.replace("25 kg", "26 kg"))
    lines = rendered.sidecar.runs
    made = scene(wrong.sidecar, studio.bytes_of.__getitem__, typesetter_for())
    sidecar = wrong.sidecar.model_copy(update={"runs": lines})
    result = gate_for(BUNDLED).judge_pixels(sidecar, np.asarray(opened(wrong)), made)
    assert result.codes == ("misread",)


@needs_reader
def test_a_sample_of_lines_is_judged_right_both_ways() -> None:
    """Six example problems in both languages; the acceptance run takes thousands of lines."""
    sample = [pair for i, pair in enumerate(example_problems()) if i % 10 == 3]
    halves = rates(gate_for(BUNDLED), pages(iter(sample), "examples", "clean"), damage_all=True)
    good = sum(half.good for half in halves.values())
    damaged = sum(half.damaged.total() for half in halves.values())
    assert good >= 40 and damaged >= 25
    assert sum(half.alarmed for half in halves.values()) == 0
    assert sum(half.caught.total() for half in halves.values()) >= damaged - 1
