r"""No repair, rule of segmentation or line break may lose or change a number.

The digits of a question, read from its source by the few lines below (which share nothing with the renderer), must be
the digits of what the sidecar says was drawn, in the same order. `test_real_input` asks the same of the real pool.
"""

from __future__ import annotations

import html
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.examples.registry import all_problems
from benchwright.render.layout import Setter
from benchwright.render.normalise import normalise_tex, normalise_text
from benchwright.render.sidecar import Sidecar
from benchwright.schemas.records import Choice

_UNSEEN = re.compile(
    r"<image ?\d+>|</?[a-z][^<>]*>|\\label\{[^{}]*\}|\\\\\[[^\]]*\]|\\(?:multicolumn|hspace\*?|cline)\{[^{}]*\}"
    r"|\\begin\{(?:tabular|array)\}\{(?:[^{}]|\{[^{}]*\})*\}|\\[mhv]?(?:kern|skip)\s*-?[\d.]+\s*(?:pt|em|ex|mu|cm|mm)"
)
"""Digits of markup, which nobody sees."""
_NAMED = re.compile(
    r"(^\(?(?:[A-Za-z]|\d\d?|[ivx]+)[).、:]\s*(?=<)|[^\n ] *(?=<image ?\d+> *[^\n \\]))<image ?(\d+)>",
    re.MULTILINE,
)
"""A picture named in the middle of a sentence or as the whole of a list's item: there its number is seen."""
_CAPTION = re.compile(r"(?:Figure|图) \d+")


def digits(text: str) -> str:
    """The digits of a text in reading order; raised and lowered ones included."""
    seen = html.unescape(_UNSEEN.sub(" ", _NAMED.sub(r"\1 \2 ", text)))
    return "".join(
        str(unicodedata.digit(char))
        for char in seen
        if unicodedata.digit(char, None) is not None and not 0x2460 <= ord(char) < 0x2800
    )


def source_digits(stem: str, choices: tuple[Choice, ...]) -> str:
    return "".join(digits(text) for text in (stem, *(choice.text or "" for choice in choices)))


def drawn_digits(sidecar: Sidecar) -> str:
    """Digits of all lines but the captions: the last line that says "Figure k", where there are several pictures."""
    lines = [line.text for line in sidecar.lines]
    if len(sidecar.diagrams) > 1:
        for caption in {line for line in lines if _CAPTION.fullmatch(line)}:
            del lines[len(lines) - 1 - lines[::-1].index(caption)]
    return "".join(map(digits, lines))


@pytest.mark.parametrize(
    "text",
    [
        r"At 3\% of $1{,}250$ the 20% and \$5 of 1,000,000 stay.",
        r"$$x = 1 \tag{3}$$ and $y=2 \label{eq:9}$, see (3).",
        r"$\begin{cases} 1 & \text{if $x>20$} \\ n & 34 \\n & 5\end{cases}$",
        "$50% + 7$ and $x\\\\%8$",
        "CO₂ has 10⁻³ m² and H<sub>2</sub>SO<sub>4</sub>, x<sup><i>12</i></sup>.",
        "$a &lt; 30$ &amp; b &#52;",
        "costs $5 and $6, or 7$ each; $8$",
        r"\ce{2H2 + O2 ->[100 K] 2H2O} and \pu{9.81 m//s2} and $\mathbf{37}$",
        "| a | b |\n|---|---|\n| 12 | 3.4 |\n| 007 | 2.50 |",
        r"\begin{tabular}{|p{3cm}|c|} 11 & 22 \\[2pt] \multicolumn{2}{c}{33} \end{tabular}",
        r"See <image 1> of $\frac12$\n2. A\nB3",
        "取 10.0 g 与 ２５ mL，约 1 ０００ 次，第①问；$\\text{共 } 6 \\text{ 个}$",
        r"$\color[rgb]{1,0,0}5 \textcolor{red}{6} \colorbox{red}{7} \boxed{8} \cancel{9}$",
        "$" + " + ".join(f"{n}{{,}}000\\,x_{{{n}}}" for n in range(10, 60)) + "$",
        "$" + ",".join(f"{n},000" for n in range(10, 90, 10)) + "$",
        "$" + ",".join(f"{n}" for n in range(10, 90)) + "$",
        "9" * 200,
    ],
)
def test_every_digit_of_a_text_is_drawn(setter: Setter, text: str) -> None:
    expected = digits(re.sub(r"\\color\[rgb\]\{[^{}]*\}", "", text.replace("\\$", "＄")))
    lines = setter.set(text, 1000).lines
    assert digits(" ".join(line.text for line in lines)) == expected


def test_a_long_formula_breaks_between_numbers_and_never_inside_one(setter: Setter) -> None:
    listed = ", ".join(f"{n},000" for n in range(10, 40))
    lines = setter.set(f"${listed}$", 700).lines
    assert len(lines) > 2
    assert [re.findall(r"\d+", line.text)[1::2] for line in lines] == [
        ["000"] * (len(re.findall(r"\d+", line.text)) // 2) for line in lines
    ]


def test_every_digit_of_the_examples_is_drawn(setter: Setter) -> None:
    for example in all_problems():
        for text in example.texts.values():
            for part in (text.question, *(choice.text or "" for choice in text.choices)):
                lines = setter.set(part, 1272).lines
                assert digits("".join(line.text for line in lines)) == digits(part), example.id


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet="0123456789 .,%$\\&_^{}()<>/-+=abntx中\t\n", max_size=60))
def test_cleaning_keeps_every_digit(text: str) -> None:
    assert digits(normalise_tex(text)[0]) == digits(text)
    assert digits(normalise_text(text)[0]) == digits(text)
