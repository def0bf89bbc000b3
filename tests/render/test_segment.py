from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.render.font import load_font
from benchwright.render.segment import Break, Math, Segment, Text, segment
from benchwright.render.table import Cell, Table
from benchwright.schemas.errors import ItemError


def split(text: str) -> list[Segment]:
    return segment(text, load_font().__contains__).segments


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a $x^2$ b", [Text("a "), Math("x^2"), Text(" b")]),
        (r"a \(x\) b", [Text("a "), Math("x"), Text(" b")]),
        ("$$x = 1$$", [Math("x = 1", display=True)]),
        ("so\n$$x = 1$$\nholds", [Text("so"), Break(), Math("x = 1", True), Break(), Text("holds")]),
        ("so $$x = 1$$ holds", [Text("so "), Math("x = 1"), Text(" holds")]),
        (r"\[x\]", [Math("x", display=True)]),
        (r"let \begin{cases}a\\b\end{cases} be", [Text("let "), Math(r"\begin{cases}a\\b\end{cases}"), Text(" be")]),
        (r"In \odot X, find", [Text("In "), Math(r"\odot"), Text(" X, find")]),
        (r"burn \ce{2H2 + O2} now", [Text("burn "), Math(r"\ce{2H2 + O2}"), Text(" now")]),
        ("H<sub>2</sub>O", [Text("H"), Math("{}_{2}"), Text("O")]),
        ("x<sup>2a</sup>", [Text("x"), Math(r"{}^{\text{2a}}")]),
        ("H₂O", [Math(r"\mathrm{H}_{2}"), Text("O")]),
        ("SO₄²⁻", [Math(r"\mathrm{SO}_{4}^{2-}")]),
        ("5 m²", [Text("5 m²")]),
        ("2⋅3", [Text("2"), Math("⋅"), Text("3")]),
        ("a<br/>b", [Text("a"), Break(), Text("b")]),
        ("a &lt; b &amp; c", [Text("a < b & c")]),
        ("See.\n<image1>", [Text("See.")]),
        ("AT&T &amp; co; &#52;", [Text("AT&T & co; 4")]),
        ("x<sup><i>12</i></sup>", [Text("x"), Math("{}^{12}")]),
        ("like <image 1> or <image 2>.", [Text("like Figure 1 or Figure 2.")]),
        ("(a) <image 1>\n(b)\n<image 2>", [Text("(a) Figure 1"), Break(), Text("(b)"), Break(), Text("Figure 2")]),
        ("是<image1>还是<image2>？", [Text("是图 1还是图 2？")]),
        (r"$\text{if $x>0$} y$", [Math(r"\text{if $x>0$} y")]),
        (r"\$5 and 50\%", [Text("$5 and 50%")]),
        ("x ∈ ℝ", [Text("x ∈ "), Math("ℝ")]),
    ],
)  # fmt: skip
def test_texts_are_split_as_a_reader_would(text: str, expected: list[Segment]) -> None:
    assert split(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5.",
        "It costs $5 and not $6.",
        "He paid $80 and the flashlight was only 20% of that price, so $16 more.",
        "The minimum price is $250,000. \nThe maximum price is $2,500,000.",
        "A. $2000\nB. $2250\nC. $2500",
        "50% of them and 100%",
        "He bought 25$ worth of mangoes that were priced at $2 each.",
    ],
)
def test_money_and_percent_are_not_mathematics(text: str) -> None:
    segments = split(text)
    assert not [item for item in segments if isinstance(item, Math)]
    drawn = "".join(item.text if isinstance(item, Text) else "\n" for item in segments)
    assert drawn.split() == text.split()


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("$5$", "5"),
        ("$2 \\mathrm{nd}$ place", "2 \\mathrm{nd}"),
        ("$5 x$ and", "5 x"),
        ("$60^{\\circ}$", "60^{\\circ}"),
        ("$1<x$ and $x<3$", "1<x"),
        ("the $3$-rd", "3"),
        ("$ 2mg $", " 2mg "),
    ],
)
def test_numbers_in_dollars_stay_mathematics(text: str, tex: str) -> None:
    assert Math(tex) in split(text)


def test_tabular_and_markdown_tables_become_the_same_table() -> None:
    expected = Table((tuple(map(Cell, ("n", "$x$"))), tuple(map(Cell, ("1", "2")))), 2)
    latex = split("See\n\\begin{tabular}{|c|c|}\\hline n & $x$ \\\\ \\hline 1 & 2 \\\\ \\hline\\end{tabular}")
    assert latex[-1] == expected
    assert split("| n | $x$ |\n|---|---|\n| 1 | 2 |") == [expected]


def test_two_tables_are_two_tables_and_spans_are_kept() -> None:
    one = r"\begin{tabular}{cc}\multicolumn{2}{c}{head}\\ a & b\end{tabular}"
    tables = [item for item in split(f"{one} and {one}") if isinstance(item, Table)]
    assert len(tables) == 2
    assert tables[0].rows[0] == (Cell("head", 2),)


@settings(deadline=None)
@given(st.text(alphabet="abc $\\{}^_%&<>\n12|()[]begintabular中，", max_size=80))
def test_any_text_is_split_or_refused(text: str) -> None:
    try:
        split(text)
    except ItemError as error:
        assert error.reason == "table"


@settings(deadline=None)
@given(st.text(alphabet="abcdefg 中文字，。", max_size=60))
def test_plain_text_comes_through_unchanged(text: str) -> None:
    assert "".join(item.text for item in split(text) if isinstance(item, Text)) == text
