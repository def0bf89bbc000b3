from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.render.normalise import normalise_tex, normalise_text


@pytest.mark.parametrize(
    ("source", "expected", "rule"),
    [
        (r"a\textless{} b", "a<b", "text-less"),
        (r"|x\textbar", "|x|", "text-bar"),
        (r"\left { x \right }", r"\left\{ x \right\}", "left-brace"),
        (r"\overarc{AB}", r"\overset{\frown}{AB}", "overarc"),
        (r"f\textquotesingle(x)", "f'(x)", "text-quote"),
        (r"19-\/-", "19--", "italic-correction"),
        ("x=____", r"x=\underline{\qquad}", "blank"),
        (r"\ch{H2O}", r"\ce{H2O}", "ch"),
        (r"\mbox{if }", r"\text{if }", "mbox"),
        ("50%", r"50\%", "bare-percent"),
        (r"\bold{M}", r"\mathbf{M}", "bold"),
        (r"\text{\_\_\_\_}", r"\underline{\qquad}", "blank-in-text"),
        (r"\nE_2=1", "E_2=1", "literal-newline"),
        (r"x=1,\n", "x=1,", "literal-newline"),
        ("5 $", r"5 \$", "bare-dollar"),
        ("\text{km}", r"\text{km}", "escape-tab"),
        ("\frac12", r"\frac12", "escape-form-feed"),
        ("\right)", r"\right)", "escape-carriage-return"),
        ("\beta", r"\beta", "escape-backspace"),
        (r"\color{red}x", "x", "color"),
        (r"\textcolor{red}{x}", "{x}", "color"),
        ("x\u200by", "xy", "invisible"),
        (r"x \label{eq:1}", "x", "label"),
        (r"x \tag{1}", r"x \qquad\text{(1)}", "tag"),
        (r"x \tag*{A1}", r"x \qquad\text{A1}", "starred-tag"),
        (r"x\\%5", r"x\\\%5", "bare-percent"),
        ("a &lt; b", "a < b", "entity-less"),
        (r"\text{if $x>0$, or $y$}", r"\text{if }{x>0}\text{, or }{y}\text{}", "maths-in-text"),
    ],
)
def test_each_math_rule_repairs_and_is_counted(source: str, expected: str, rule: str) -> None:
    cleaned, counts = normalise_tex(source)
    assert cleaned == expected
    assert counts[rule] == (2 if rule == "maths-in-text" else 1)


@pytest.mark.parametrize(
    "tex",
    [
        r"\ne x",
        r"\nu",
        r"\ni",
        r"\nRightarrow",
        r"\nVdash x",
        r"\ce{$K$ = 1}",
        r"\begin{cases}a\\n\end{cases}",
        r"50\%",
        r"\$5",
        r"\theta",
        r"\times",
        r"\left\{x\right\}",
        r"1\\/2",
        r"\chi",
        r"\textbf{a}",
        "a | b",
    ],
)
def test_clean_math_is_left_alone(tex: str) -> None:
    cleaned, counts = normalise_tex(tex)
    assert cleaned == tex
    assert not counts


@settings(deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    once, _ = normalise_tex(text)
    assert normalise_tex(once)[0] == once
    plain, _ = normalise_text(text)
    assert normalise_text(plain)[0] == plain


def test_radicals_copied_from_pdf_become_the_characters_they_stand_for() -> None:
    text, counts = normalise_text("⼀个⼈⻓度⻅图")
    assert text == "一个人长度见图"
    assert counts["radicals"] == 4


def test_literal_backslash_n_is_a_line_end_but_nu_is_not() -> None:
    text, counts = normalise_text(r"How many?\n<image1> $\nu \ne 1$")
    assert text == "How many?\n<image1> $\\nu \\ne 1$"
    assert counts["literal-newline"] == 1


@pytest.mark.parametrize("text", [r"$\begin{matrix}1\\n\end{matrix}$", r"$p \nRightarrow q \nVDash r$"])
def test_a_row_end_before_n_and_a_negated_arrow_are_no_line_ends(text: str) -> None:
    assert normalise_text(text)[0] == text


def test_line_ends_and_spaces_become_plain() -> None:
    assert normalise_text("a\r\nb\rc\u2028d\u00a0e")[0] == "a\nb\nc\nd e"
