"""Hostile names and texts in every place where they are written."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from benchwright.eval.display.plain_text import latex_text, markdown_cell, needs_cjk, one_line, visible


def test_control_codes_and_marks_of_direction_become_signs() -> None:
    assert visible("a\x1b[31mb\x07\x7f\x9b") == "a␛[31mb␇␡\ufffd"
    assert visible("x\u202etxt.exe\u2066") == "x⟨U+202E⟩txt.exe⟨U+2066⟩"
    assert visible("a\r\nb\rc\u2028d\te") == "a\nb\nc\nd\te", "line breaks are one kind, tabs stay"
    assert visible("\ud800") == "\ufffd"
    assert visible("力学 ½ → 😀") == "力学 ½ → 😀"


@given(st.text())
def test_nothing_that_acts_is_left_and_nothing_is_thrown_away(text: str) -> None:
    shown = visible(text)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", shown)
    assert len(shown) >= len(text) - text.count("\r\n")
    assert visible(shown) == shown
    assert "\n" not in one_line(text)


def test_markdown_cells_start_no_markup() -> None:
    assert markdown_cell("a|b\n<img src=x> [l](javascript:x) `c` *d* _e_") == (
        r"a\|b \<img src=x\> \[l\](javascript:x) \`c\` \*d\* \_e\_"
    )
    assert markdown_cell("max_tokens 75.0 *") == "max_tokens 75.0 *", "neither is markup"


def test_latex_is_escaped_and_chinese_is_noted() -> None:
    assert latex_text(r"50% of $x_1$ & {y} #2 \input{a} ~^") == (
        r"50\% of \$x\_1\$ \& \{y\} \#2 \textbackslash{}input\{a\} \textasciitilde{}\textasciicircum{}"
    )
    assert latex_text("a\x1bb\u202ec") == "a[U+001B]b[U+202E]c"
    assert needs_cjk("力学 mechanics") and not needs_cjk("mécanique, ½")


@given(st.text(alphabet=st.characters(max_codepoint=0x7F)))
def test_latex_has_no_active_sign_left(text: str) -> None:
    plain = re.sub(r"\\text[a-z]+\{\}|\\ldots\{\}|\\[{}$&#%_]|\{=\}|\$-\$", "", latex_text(text))
    assert not re.search(r"[\\{}$&#%_^~]", plain)
