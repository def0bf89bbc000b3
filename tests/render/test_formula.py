from __future__ import annotations

import contextlib
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import ImageChops

from benchwright.render.font import load_font
from benchwright.render.formula import Drawing, Refusal, Typesetter, make_typesetter, mathjax_first
from benchwright.render.mathjax_engine import MathJaxEngine
from benchwright.render.mathra_engine import MathraEngine
from benchwright.render.raster import rasterise
from benchwright.schemas.errors import ItemError


@pytest.mark.parametrize(
    ("tex", "why"),
    [
        (r"\ce{2H2 + O2 -> 2H2O}", "chemistry"),
        (r"\pu{9.8 m//s2}", "chemistry"),
        (r"\mathbf{3}x", "bold-digit"),
        (r"\boldsymbol{F_1 = 20}", "bold-digit"),
        (r"{\bf 3}", "bold-digit"),
        (r"\begin{array}{c|c}1&2\end{array}", "ruled-array"),
        (r"a \bmod 7", "modulo"),
        (r"\mathbf{F}", None),
        (r"\begin{matrix}1&2\end{matrix}", None),
        (r"\text{A & B}", None),
        (r"7 \& 8", None),
        (r"\begin{array}{cc}1&2\end{array}", None),
        (r"\centerdot", None),
    ],
)
def test_what_the_main_engine_draws_wrong_goes_to_mathjax(
    typesetter: Typesetter, tex: str, why: str | None
) -> None:
    assert mathjax_first(tex) == why
    if tex != r"\centerdot":
        assert typesetter.formula(tex, 32).engine == ("mathjax" if why else "mathra")


def test_bold_digits_are_bold(typesetter: Typesetter) -> None:
    bold, plain = typesetter.formula(r"\mathbf{8}", 64).mask, typesetter.formula("8", 64).mask
    assert bold is not None and plain is not None
    assert sum(bold.tobytes()) > 1.3 * sum(plain.tobytes())


@pytest.mark.parametrize(
    "tex", [r"3.7\times10^9", r"\sqrt{a}", r"\varphi", r"\ce{2H2 + O2 -> 2H2O}", r"\xrightarrow{\Delta}"]
)
def test_ren_05_known_commands_are_drawn(typesetter: Typesetter, tex: str) -> None:
    assert typesetter.formula(tex, 32).mask is not None


@pytest.mark.parametrize("tex", [r"\unknowncmd{x}", r"x + \foo", r"\ce{H2O} \nosuch"])
def test_ren_05_unknown_commands_refuse_by_name(typesetter: Typesetter, tex: str) -> None:
    name = re.search(r"\\(unknowncmd|foo|nosuch)", tex)
    assert name is not None
    with pytest.raises(ItemError) as caught:
        typesetter.formula(tex, 32)
    assert caught.value.reason == "formula"
    assert f"control sequence {name[0]}" in caught.value.detail


@pytest.mark.parametrize(
    "tex", [r"12 & 3", r"\frac{1", r"\begin{array}{c}1", r"x^{2", "{" * 3000, r"\left( x"]
)
def test_broken_formulas_are_refused(typesetter: Typesetter, tex: str) -> None:
    with pytest.raises(ItemError) as caught:
        typesetter.formula(tex, 32)
    assert caught.value.reason in ("formula", "formula-too-long")


def test_characters_no_font_has_are_named(typesetter: Typesetter) -> None:
    for tex in (r"\text{🧪}", r"\ce{🧪}", "x\x80"):
        with pytest.raises(ItemError) as caught:
            typesetter.formula(tex, 32)
        assert caught.value.reason == "missing-glyph"
        assert re.search(r"U\+(1F9EA|0080)", caught.value.detail)


def test_a_percent_sign_does_not_swallow_the_rest(typesetter: Typesetter) -> None:
    assert typesetter.formula("20% + x", 32).width > typesetter.formula("20", 32).width * 1.8
    assert typesetter.formula(r"\ce{20% H2O}", 32).width > typesetter.formula(r"\ce{20}", 32).width * 1.8


@pytest.mark.parametrize(("left", "top"), [(-300, -500), (300, -500), (0, -1000), (0, 0), (0, -5000)])
def test_ink_far_beyond_an_engines_own_box_is_refused(left: int, top: int) -> None:
    """A square of 0.5 em off its box would run into the text beside it, be cut off or not be seen at all."""
    body = f'<path d="M{left} {top}h500v500h-500z"/>'
    with pytest.raises(Refusal):
        rasterise(Drawing(body, 0.5, 0.5, 0.0, "test"), 32, "x", False)


@pytest.mark.parametrize("px", [16, 24, 31, 32, 47, 64])
def test_the_baseline_is_a_whole_pixel(typesetter: Typesetter, px: int) -> None:
    """`H` stands on the baseline: its last row is full ink, and there is none below."""
    for tex in (r"\mathrm{H}", r"\ce{H}"):
        formula = typesetter.formula(tex, px)
        assert formula.mask is not None
        assert formula.top + formula.mask.height == 0
        last = formula.mask.crop((0, formula.mask.height - 1, formula.mask.width, formula.mask.height))
        assert max(last.tobytes()) > 200


def test_cached_and_fresh_formulas_are_equal(typesetter: Typesetter) -> None:
    fresh = make_typesetter(load_font())
    for tex in (r"\frac{a}{b}", r"\ce{H2O}", r"\text{质量}_{\text{球}}"):
        first = typesetter.formula(tex, 32)
        again = typesetter.formula(tex, 32)
        other = fresh.formula(tex, 32)
        assert again is first
        assert first.mask is not None and other.mask is not None
        assert ImageChops.difference(first.mask, other.mask).getbbox() is None
        assert (first.left, first.top, first.width) == (other.left, other.top, other.width)


def test_a_full_cache_forgets_and_draws_the_same() -> None:
    small = make_typesetter(load_font())
    small.cache_bytes = 2000
    first = small.formula("x", 32)
    for tex in ("y", "z", "w"):
        small.formula(tex, 32)
    again = small.formula("x", 32)
    assert again is not first
    assert again.mask is not None and first.mask is not None
    assert again.mask.tobytes() == first.mask.tobytes()


def test_chinese_in_formulas_is_put_where_it_belongs() -> None:
    """The main engine draws `\\overset{above}{below}` from below, and names repeated characters once."""
    font = load_font()
    body = MathraEngine(font).draw(r"\overset{\text{上}}{\text{下}}", False).body
    places = dict(re.findall(r'<path transform="([^"]*)" d="([^"]*)"/>', body))
    raised = [d for transform, d in places.items() if "0.7" in transform.split("scale(0.0")[0]]
    assert raised == [font.outline("上")]
    body = MathraEngine(font).draw(r"\sqrt[\text{根}]{\text{内内根}}", False).body
    outlines = re.findall(r'<path transform="[^"]*" d="([^"]*)"/>', body)
    assert outlines == [font.outline(c) for c in "根内内根"]


def test_mathjax_is_safe_from_many_threads() -> None:
    engine = MathJaxEngine(load_font())
    formulas = [rf"\ce{{H{n}O}}" for n in range(1, 41)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda tex: engine.draw(tex, False).body, formulas))
    assert together == [engine.draw(tex, False).body for tex in formulas]


@pytest.mark.parametrize("definition", [r"\def\frac{x}", r"\newcommand{\frac}{x}", r"\let\frac\sqrt"])
def test_definitions_do_not_leak_into_later_formulas(definition: str) -> None:
    font = load_font()
    for engine in (MathraEngine(font), MathJaxEngine(font)):
        before = engine.draw(r"\frac{1}{2}", False)
        with contextlib.suppress(Refusal):
            engine.draw(definition, False)
        assert engine.draw(r"\frac{1}{2}", False) == before


@pytest.mark.parametrize(
    "tex",
    [
        r"\frac{mv^2}{2}",
        r"\sqrt{x^2+y^2}",
        r"\int_0^1 x\,dx",
        r"a \leq b",
        r"\vec{F} = m\vec{a}",
        r"\begin{cases}x\\y\end{cases}",
    ],
)
def test_both_engines_agree_on_width(tex: str) -> None:
    """The gate of the research note: 0.78 to 1.30 of the other engine, with some slack for short ones."""
    font = load_font()
    ratio = MathraEngine(font).draw(tex, False).width / MathJaxEngine(font).draw(tex, False).width
    assert 0.78 <= ratio <= 1.30
