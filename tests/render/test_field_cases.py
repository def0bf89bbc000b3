"""Faults that others met and reported, by number: missing glyphs, right-to-left, lost commands, cut tails."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from benchwright.render.canvas import Block, ink_mask
from benchwright.render.compose import render_vision_only
from benchwright.render.font import load_font
from benchwright.render.formula import Typesetter
from benchwright.render.layout import Setter
from benchwright.render.page import framed
from benchwright.render.sidecar import Sidecar
from benchwright.render.style import RenderStyle
from benchwright.schemas.errors import ItemError

from .conftest import Studio

STYLE = RenderStyle()


def drawn(studio: Studio, text: str, language: str = "en") -> Sidecar:
    problem = studio.problem(text, language=language)
    return render_vision_only(problem, language, studio.bytes_of.__getitem__, STYLE).sidecar


def refused(studio: Studio, text: str) -> ItemError:
    with pytest.raises(ItemError) as caught:
        drawn(studio, text)
    return caught.value


def test_ren_01_every_character_is_drawn_or_the_item_names_it(studio: Studio) -> None:
    """The bundled font has Chinese, signs and ringed numbers; an emoji is refused, by name, and nothing is a box."""
    shown = drawn(studio, "一个质量为 3 kg 的滑块, θ = 45°, ∠DEF, ①②③, Ω, ⇌, v₂.", "zh")
    font = load_font()
    assert not any(font.missing(run.text) for run in shown.runs)
    assert any("v" in f.tex and "2" in f.tex for f in shown.formulas)  # the small two is set, not looked for
    error = refused(studio, "A test tube 🧪 is heated.")
    assert (error.reason, "U+1F9EA" in error.detail) == ("missing-glyph", True)


@pytest.mark.parametrize(
    "text", ["احسب التسارع a = 2 m/s²", "Find $x$ where שלום stands.", "\\text{قوة} = 5"]
)
def test_ren_03_scripts_from_right_to_left_are_refused_by_name(studio: Studio, text: str) -> None:
    """Only Chinese and Latin lines are set: such a text is refused instead of being shown turned round."""
    error = refused(studio, text)
    assert error.reason in ("missing-glyph", "right-to-left")
    assert "U+05" in error.detail or "U+06" in error.detail


def test_ren_05_known_commands_lose_nothing(studio: Studio) -> None:
    shown = drawn(
        studio, r"Given $4.1\times10^6$, $\sqrt{b}$, $\vartheta$ and $\ce{N2 + 3H2 <=> 2NH3}$, find $k$."
    )
    assert [f.tex for f in shown.formulas] == [
        r"4.1\times10^6",
        r"\sqrt{b}",
        r"\vartheta",
        r"\ce{N2 + 3H2 <=> 2NH3}",
        "k",
    ]


def test_ren_05_an_unknown_command_refuses_the_item_and_is_named(studio: Studio) -> None:
    error = refused(studio, r"Compute $\notacommand{y} + 1$.")
    assert error.reason == "formula" and r"\notacommand" in error.detail


def test_ren_05_money_and_percent_are_no_mathematics(studio: Studio) -> None:
    shown = drawn(studio, "The ticket costs $7 and 40% of the $9 for lunch was saved.")
    assert shown.formulas == ()
    assert "$7" in shown.lines[0].text and "40%" in shown.lines[0].text


@pytest.mark.parametrize(
    "text", ["first line\ngÅpqyj", "so that $x_{p_q}$", "hence $\\frac{g}{q_y}$", "结论 (pq)"]
)
def test_ren_07_nothing_below_the_last_baseline_is_cut(typesetter: Typesetter, text: str) -> None:
    """The ink of a block on a page of its own size is all the ink it has on a page with room to spare."""
    font = load_font()
    block = Setter(font, typesetter, 40).set(text, 600)
    tight, size = framed(block, 8, 616)
    loose = Block()
    loose.add(block, 300, 300)
    close = np.asarray(ink_mask(tight, size, font)).astype(int)
    far = np.asarray(ink_mask(loose, (1300, 1300), font)).astype(int)
    assert close.sum() == far.sum() > 0
    whole = Image.new("L", (600, 200), 0)
    ImageDraw.Draw(whole).text((100, 100), "gÅpqyj", fill=255, font=font.face(40), anchor="ls")
    letters, _, _ = font.mask("gÅpqyj", 40)
    assert (
        letters is not None and np.asarray(letters).astype(int).sum() == np.asarray(whole).astype(int).sum()
    )
