from __future__ import annotations

import io
import os
import struct
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from benchwright.render.compose import render_vision_only
from benchwright.render.style import INKS, MINIMUM_CONTRAST, WHITE, RenderStyle, contrast, style_of
from benchwright.schemas.errors import ItemError
from benchwright.schemas.recipe import RenderRecipe
from benchwright.schemas.records import Choice

from .conftest import Studio

STYLE = RenderStyle()


def chunks(png: bytes) -> list[bytes]:
    found: list[bytes] = []
    position = 8
    while position < len(png):
        (length,) = struct.unpack(">I", png[position : position + 4])
        found.append(png[position + 4 : position + 8])
        position += length + 12
    return found


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def options(*texts: str) -> tuple[Choice, ...]:
    return tuple(Choice(label="ABCDEF"[i], text=text) for i, text in enumerate(texts))


def test_stem_diagram_and_choices_stand_in_this_order(studio: Studio) -> None:
    ref = studio.triangle()
    problem = studio.problem("Find $x$ in the triangle.", choices=options("1", "2", "3", "4"), images=(ref,))
    sidecar = render_vision_only(problem, "en", studio.bytes_of.__getitem__, STYLE).sidecar
    stem, first, *_ = sidecar.lines
    diagram = sidecar.diagrams[0].box
    assert stem.text == "Find $x$ in the triangle."
    assert stem.box.y + stem.box.height < diagram.y < diagram.y + diagram.height < first.box.y
    assert [line.text for line in sidecar.lines[1:]] == ["A.", "1", "B.", "2", "C.", "3", "D.", "4"]
    assert sidecar.diagrams[0].sha256 == ref.sha256


@pytest.mark.parametrize(
    ("texts", "columns"),
    [
        (("1", "2", "3", "4"), 4),
        (("1", "2", "3", "4", "5"), 5),
        (("a medium long option text here", "b", "c", "d"), 2),
        (("a very long option " * 5, "b", "c", "d"), 1),
        (("yes", "no"), 2),
    ],
)
def test_options_take_as_many_columns_as_fit(studio: Studio, texts: tuple[str, ...], columns: int) -> None:
    problem = studio.problem("Which?", choices=options(*texts))
    sidecar = render_vision_only(problem, "en", studio.bytes_of.__getitem__, STYLE).sidecar
    labels = [line for line in sidecar.lines if line.text in ("A.", "B.", "C.", "D.", "E.")]
    assert len(labels) == len(texts)
    assert len({label.box.x for label in labels}) == columns
    for start in range(0, len(labels), columns):
        assert len({label.baseline for label in labels[start : start + columns]}) == 1


def test_an_option_without_ink_is_refused(studio: Studio) -> None:
    problem = studio.problem("Which?", choices=options("red", "<image 2>"))
    with pytest.raises(ItemError, match="option B") as caught:
        render_vision_only(problem, "en", studio.bytes_of.__getitem__, STYLE)
    assert caught.value.reason == "empty"


def test_options_that_stand_in_the_pictures_are_not_repeated_as_bare_labels(studio: Studio) -> None:
    bare = tuple(Choice(label=label) for label in "ABCD")
    refs = tuple(studio.triangle(900 - 30 * i, 300) for i in range(5))
    problem = studio.problem("Which graph is right?", choices=bare, images=refs)
    sidecar = render_vision_only(problem, "en", studio.bytes_of.__getitem__, STYLE).sidecar
    assert [d.sha256 for d in sidecar.diagrams] == [ref.sha256 for ref in refs]
    assert not {"A.", "B.", "C.", "D."} & {line.text for line in sidecar.lines}
    with pytest.raises(ItemError, match="option A"):
        render_vision_only(
            studio.problem("Which?", choices=bare, images=()), "en", studio.bytes_of.__getitem__, STYLE
        )


def test_repairs_are_counted_once_though_options_are_measured_first(studio: Studio) -> None:
    problem = studio.problem("Which?", choices=options("50%", "$60%$", "H<sub>2</sub>O"))
    counts = render_vision_only(problem, "en", studio.bytes_of.__getitem__, STYLE).sidecar.counts
    assert counts == {"bare-percent": 1, "engine-mathra": 2, "html-scripts": 1}


def test_options_that_are_pictures_are_drawn(studio: Studio) -> None:
    refs = [studio.triangle(300 + i, 200) for i in range(4)]
    choices = tuple(Choice(label="ABCD"[i], image=ref) for i, ref in enumerate(refs))
    rendered = render_vision_only(
        studio.problem("哪一个？", language="zh", choices=choices), "zh", studio.bytes_of.__getitem__, STYLE
    )
    assert [d.sha256 for d in rendered.sidecar.diagrams] == [ref.sha256 for ref in refs]
    boxes = [d.box for d in rendered.sidecar.diagrams]
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            assert (
                a.x + a.width <= b.x or b.x + b.width <= a.x or a.y + a.height <= b.y or b.y + b.height <= a.y
            )


def test_several_diagrams_are_numbered_and_none_is_lost(studio: Studio) -> None:
    refs = tuple(studio.triangle(900 - 30 * i, 300) for i in range(3))
    sidecar = render_vision_only(
        studio.problem("See.", images=refs), "en", studio.bytes_of.__getitem__, STYLE
    ).sidecar
    assert [line.text for line in sidecar.lines[1:]] == ["Figure 1", "Figure 2", "Figure 3"]
    assert len(sidecar.diagrams) == 3


def test_choices_can_stay_text(studio: Studio) -> None:
    style = RenderStyle(choices="text")
    sidecar = render_vision_only(
        studio.problem("Which?", choices=options("red")), "en", studio.bytes_of.__getitem__, style
    ).sidecar
    assert [line.text for line in sidecar.lines] == ["Which?"]


@pytest.mark.parametrize(
    "question",
    [
        "g" * 300,
        "如图，" * 120,
        "$" + "x+" * 200 + "y$",
        "$\\frac{1}{2}$ " * 60,
        "\\begin{tabular}{|c|c|c|}\\hline a & b & c\\\\ \\hline\\end{tabular}",
        "ends low gjpqy",
        "$$\\sum_{i=1}^{n} i = \\frac{n(n+1)}{2}$$",
    ],
)
def test_ren_07_margins_stay_white(studio: Studio, question: str) -> None:
    image = opened(render_vision_only(studio.problem(question), "en", studio.bytes_of.__getitem__, STYLE).png)
    pixels = np.asarray(image)
    edge = STYLE.margin // 2
    frame = np.ones(pixels.shape[:2], dtype=bool)
    frame[edge:-edge, edge:-edge] = False
    assert (pixels[frame] == 255).all()
    assert image.width == STYLE.width


def test_ink_has_contrast_and_can_be_black(studio: Studio) -> None:
    assert all(contrast(rgb, WHITE) >= MINIMUM_CONTRAST for rgb in INKS.values())
    problem = studio.problem("Find the mass.")
    for ink, rgb in INKS.items():
        image = opened(
            render_vision_only(
                problem, "en", studio.bytes_of.__getitem__, RenderStyle.model_validate({"ink": ink})
            ).png
        )
        colours = image.getcolors(1 << 20)
        assert colours is not None
        assert rgb in {colour for _, colour in colours}


def test_png_holds_no_metadata(studio: Studio) -> None:
    png = render_vision_only(studio.problem("Find it."), "en", studio.bytes_of.__getitem__, STYLE).png
    assert set(chunks(png)) == {b"IHDR", b"IDAT", b"IEND"}


def test_low_resolution_diagrams_are_enlarged_but_not_beyond_twice(studio: Studio) -> None:
    small, large = studio.triangle(200, 150), studio.triangle(3000, 1000)
    for ref, width in ((small, 400), (large, STYLE.width - 2 * STYLE.margin)):
        box = (
            render_vision_only(
                studio.problem("See.", images=(ref,)), "en", studio.bytes_of.__getitem__, STYLE
            )
            .sidecar.diagrams[0]
            .box
        )
        assert box.width == width


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("🧪", "missing-glyph"),
        ("$\\nosuch$", "formula"),
        ("  \n ", "empty"),
        ("\u200b", "empty"),
        ("长" * 30_000, "too-long"),
        ("<table></table>", "table"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_reason(studio: Studio, question: str, reason: str) -> None:
    with pytest.raises(ItemError) as caught:
        render_vision_only(studio.problem(question), "en", studio.bytes_of.__getitem__, STYLE)
    assert caught.value.reason == reason


def test_a_missing_language_is_refused(studio: Studio) -> None:
    with pytest.raises(ItemError) as caught:
        render_vision_only(studio.problem("Find it."), "zh", studio.bytes_of.__getitem__, STYLE)
    assert caught.value.reason == "no-translation"


def test_the_sidecar_says_what_was_drawn_by_whom(studio: Studio) -> None:
    problem = studio.problem("burn \\ce{H2} to get $x^2$ 50%")
    sidecar = render_vision_only(problem, "en", studio.bytes_of.__getitem__, STYLE).sidecar
    assert [(f.tex, f.engine) for f in sidecar.formulas] == [(r"\ce{H2}", "mathjax"), ("x^2", "mathra")]
    assert sidecar.problem_digest == problem.digest
    assert sidecar.counts["raw-chemistry"] == 1
    assert sidecar.counts["engine-mathjax"] >= 1
    for formula in sidecar.formulas:
        assert formula.baseline == sidecar.lines[0].baseline
        assert formula.box.x + formula.box.width <= STYLE.width - STYLE.margin


def test_the_style_follows_the_recipe_and_has_a_digest() -> None:
    style = style_of(RenderRecipe(ink="black", font_size=40))
    assert (style.ink, style.font_px, style.name) == ("black", 40, "clean")
    assert style.digest != RenderStyle().digest == RenderStyle().digest


SCRIPT = """
import hashlib
from tests_render_conftest import Studio
from benchwright.render.compose import render_vision_only, render_vision_rich
from benchwright.render.style import RenderStyle
from benchwright.schemas.records import Mark
s = Studio()
ref = s.triangle()
d = s.decomposed("m = 2 kg. Find x.", ("m = 2 kg", "on-diagram", (Mark(label="$m = 2\\\\,\\\\mathrm{kg}$"),)))
p = s.problem("如图 $\\\\frac{a}{b}$ and \\\\ce{H2O}，质量 $\\\\text{球}_1$", images=(ref,), decomposition=d)
for f in (render_vision_only, render_vision_rich):
    r = f(p, "en", s.bytes_of.__getitem__, RenderStyle())
    print(hashlib.sha256(r.png).hexdigest(), hashlib.sha256(r.sidecar.model_dump_json().encode()).hexdigest())
"""


def test_two_fresh_processes_make_the_same_bytes(tmp_path: object) -> None:
    from pathlib import Path

    here = Path(__file__).parent
    code = SCRIPT.replace(
        "from tests_render_conftest import Studio", f"exec(open({str(here / 'conftest.py')!r}).read())"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert len(outputs[0].split()) == 4
