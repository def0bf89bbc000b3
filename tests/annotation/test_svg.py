"""Formulas on review pages: the same ink as the renderer's, in markup that a page keeps."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ElementTree

import pytest
import resvg_py
from PIL import Image, ImageChops

from benchwright.annotation.svg import formula_svg, text_html
from benchwright.render.font import load_font
from benchwright.render.formula import Drawing, make_typesetter
from benchwright.render.mathjax_engine import MathJaxEngine
from benchwright.render.mathra_engine import MathraEngine
from benchwright.schemas.errors import ItemError

FORMULAS = [
    r"\frac{\sqrt{2}}{2}",
    r"\int_0^{\infty} e^{-x^2}\,dx",
    r"\begin{cases} 0 & t<1\\ v_0 & t\ge 1\end{cases}",
    r"A \rightleftharpoons B",
    r"\left(\sum_{i=1}^{n} x_i\right)^{1/3}",
    r"\sqrt[3]{\dfrac{a+b}{c}}",
    r"\vec{F} = m\vec{a}",
]


def ink(svg: str) -> Image.Image:
    data = bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, width=600))
    return Image.open(io.BytesIO(data)).convert("RGBA").getchannel("A")


def as_page(svg: str) -> str:
    """The drawing with a namespace and pixels, as a file of its own."""
    root = ElementTree.fromstring(svg)
    box = root.get("viewBox", "")
    return svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).replace(
        f'width="{root.get("width")}" height="{root.get("height")}"',
        f'width="{box.split()[2]}" height="{box.split()[3]}"',
    )


def plain(drawing: Drawing, like: str) -> str:
    box = ElementTree.fromstring(like).get("viewBox", "")
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'width="{box.split()[2]}" height="{box.split()[3]}" viewBox="{box}">{drawing.body}</svg>'
    )


@pytest.mark.parametrize("tex", FORMULAS)
def test_inlining_changes_no_pixel(tex: str) -> None:
    ours = formula_svg(tex)
    drawing = MathraEngine(load_font()).draw(tex, False)
    first, second = ink(as_page(ours)), ink(plain(drawing, ours))
    assert first.size == second.size
    assert first.getbbox() is not None
    assert ImageChops.difference(first, second).getbbox() is None


@pytest.mark.parametrize("tex", [*FORMULAS, r"\ce{2H2O -> 2H2 + O2}"])
def test_only_what_a_page_keeps_is_used(tex: str) -> None:
    root = ElementTree.fromstring(formula_svg(tex))
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "g", "path", "rect", "line", "polygon", "ellipse", "circle"}
    assert not any(
        name == "id" or name.startswith("data-") for element in root.iter() for name in element.attrib
    )


def test_chemistry_is_drawn_by_the_engine_that_can() -> None:
    ours = formula_svg(r"\ce{2H2O -> 2H2 + O2}")
    drawing = MathJaxEngine(load_font()).draw(r"\ce{2H2O -> 2H2 + O2}", False)
    assert ElementTree.fromstring(ours).get("width") == f"{drawing.width:.3f}em"
    assert make_typesetter(load_font()).formula(r"\ce{2H2O -> 2H2 + O2}", 32).engine == drawing.engine


def test_a_root_has_its_sign_and_a_fraction_its_bar() -> None:
    root = ElementTree.fromstring(formula_svg(r"\frac{\sqrt{2}}{2}"))
    shapes = [element.tag for element in root.iter() if element.tag in {"path", "rect"}]
    assert shapes.count("path") == 3, "two digits and the radical"
    assert shapes.count("rect") == 2, "the bar over the root and the fraction bar"


def test_text_around_formulas_is_escaped_and_kept() -> None:
    html = text_html("if a<b & $x^2$ costs $5\nthen")
    assert html.count("<svg") == 1
    assert "if a&lt;b &amp; " in html
    assert "costs $5<br>then" in html
    ElementTree.fromstring(f"<div>{html.replace('<br>', '<br/>')}</div>")


def test_what_cannot_be_drawn_is_shown_marked() -> None:
    html = text_html(r"see $\badcommand{x}$ here")
    assert '<code class="bw-fault"' in html
    assert r"\badcommand{x}</code> here" in html
    with pytest.raises(ItemError, match="badcommand"):
        formula_svg(r"\badcommand{x}")


def test_tables_become_tables() -> None:
    html = text_html(r"\begin{tabular}{|c|c|}$t$ & 2 s\\ \hline v & <3\end{tabular}")
    assert html.count("<td") == 4
    assert "&lt;3" in html
    assert html.count("<svg") == 1


def test_a_formula_wider_than_a_column_stands_on_a_line_where_it_can_be_scrolled() -> None:
    assert "bw-display" not in text_html("so $a+b$ it is")
    wide = text_html("so $" + "+".join(f"a_{{{n}}}" for n in range(30)) + "$ it is")
    assert wide.startswith('so <span class="bw-display"><svg') and wide.endswith("</svg></span> it is")
