"""Texts that nobody would write, from a seed: what the renderer must survive."""

from __future__ import annotations

import random
from collections.abc import Callable

from benchwright.examples.registry import all_problems

SOUP = (
    *(
        "$",
        "$$",
        "\\(",
        "\\)",
        "\\[",
        "\\]",
        "{",
        "}",
        "{}",
        "^",
        "_",
        "&",
        "\\\\",
        "%",
        "#",
        "~",
        "|",
        "\\",
        "<",
        ">",
    ),
    *(
        "\\frac",
        "\\sqrt[3]",
        "\\left(",
        "\\right)",
        "\\left.",
        "\\right|",
        "\\text{",
        "\\ce{",
        "\\pu{",
        "\\mathbf{3}",
    ),
    *(
        "\\begin{array}{c|c}",
        "\\end{array}",
        "\\begin{cases}",
        "\\end{cases}",
        "\\begin{tabular}{cc}",
        "\\end{tabular}",
    ),
    *(
        "\\multirow{2}{*}{",
        "\\multicolumn{9}{c}{",
        "\\hline",
        "\\cline{1-2}",
        "\\overset",
        "\\xrightarrow[",
        "\\color{red}",
    ),
    *(
        "<table>",
        "</table>",
        "<tr>",
        "<td rowspan=3>",
        "</td>",
        "<sub>",
        "</sub>",
        "<sup>",
        "<br>",
        "<p>",
        "&lt;",
        "&#x4e2d;",
    ),
    *(
        "<image 1>",
        "\n",
        "\t",
        " ",
        "\n|a|b|\n|-|-|\n|1|2|\n",
        "-> ",
        "<=>[",
        "x",
        "12",
        "质量",
        "（",
        "）",
        "。",
        "A.",
        "(1)",
    ),
    *(
        "\\def\\x{\\x}\\x",
        "\\nosuch",
        "\\unicode{x41}",
        "\\tag{1}",
        "\\label{a}",
        "\\input{x}",
        "$5 and $6",
        "“",
        "’",
        "…",
    ),
)
BLOCKS = (
    (0x20, 0x7F),
    (0xA0, 0x250),
    (0x370, 0x530),
    (0x590, 0x700),
    (0x900, 0xA00),
    (0xE00, 0xE80),
    (0x1100, 0x1200),
)
BLOCKS += (
    (0x1E00, 0x2C00),
    (0x2E80, 0x3400),
    (0x3400, 0xA000),
    (0xAC00, 0xD7A0),
    (0xE000, 0xF900),
    (0xF900, 0x10000),
)
BLOCKS += (
    (0x10000, 0x11000),
    (0x1D400, 0x1D800),
    (0x1F000, 0x1FB00),
    (0x20000, 0x32000),
    (0xE0000, 0xE0200),
    (0x100000, 0x10FFFE),
)
EMOJI = ("🧪", "👩‍🔬", "👍🏽", "🇨🇳", "❤️", "1️⃣", "☀️", "🔥", "♻", "✔")
RIGHT_TO_LEFT = ("احسب", "السرعة", "שלום", "٣", "\u202e", "\u2067", "ܐ", "\u200f", "ﷺ")
Maker = Callable[[random.Random], str]


def planes(chance: random.Random) -> str:
    """Characters of all planes; lone surrogates are no text."""
    block = chance.choice(BLOCKS)
    return "".join(
        chr(chance.randrange(*chance.choice((block, block, BLOCKS[0])))) for _ in range(chance.randint(1, 60))
    )


def nested(chance: random.Random) -> str:
    """LaTeX inside LaTeX."""
    text = "x"
    for _ in range(chance.choice((3, 8, 20, 60, 150))):
        form = chance.choice(
            ("\\frac{%s}{2}", "\\sqrt{%s}", "{%s}", "\\left(%s\\right)", "x^{%s}", "\\text{%s}", "\\overline{%s}",
             "\\begin{pmatrix}%s&1\\end{pmatrix}", "\\ce{A ->[%s] B}", "\\mathrm{%s}", "\\underset{a}{%s}")
        )  # fmt: skip
        text = form.replace("%s", text)
    return f"${text}$"


def unbreakable(chance: random.Random) -> str:
    """Tokens without a place to break them."""
    piece = chance.choice(
        ("x", "W", "9", "_", "—", "（", "。", "\u00a0", "a\u0301", "ﬁ", "/", "\\_", "$", "|", "{")
    )
    token = piece * chance.choice((3, 50, 400, 1500))
    return chance.choice(
        (token, f"${token}$", f"\\text{{{token}}}", f"$\\text{{{token}}}$", f"https://{token}?a=b&c=d")
    )


def long(chance: random.Random) -> str:
    """Twenty thousand characters."""
    piece = chance.choice(
        (
            "word ",
            "木块在水平面上，",
            "$x^2$ ",
            "\\ce{H2O} ",
            "x",
            "$",
            "{",
            "$$",
            "<sub>",
            "\\begin{tabular}",
            "a\n",
            "| a |\n",
        )
    )
    return (piece * (20_000 // len(piece) + 1))[:20_000]


def controls(chance: random.Random) -> str:
    """Control characters between ordinary ones, in text and in formulas."""
    parts = [
        chr(chance.choice((*range(32), *range(127, 160), 0xAD, 0xFEFF, 0x2028, 0x200B, 0xFFFE)))
        for _ in range(8)
    ]
    return chance.choice(
        ("{0}a{1} b{2}$x{3}^2{4}$", "\\text{{{0}}}{1}", "${0}\\frac{{1}}{{2{1}}}${2}")
    ).format(*parts)


def strange(chance: random.Random) -> str:
    """Emoji and scripts from right to left among words."""
    words = [*EMOJI, *RIGHT_TO_LEFT, "v = 3 m/s", "$x$", "如图", "text"]
    return " ".join(chance.choice(words) for _ in range(chance.randint(1, 8)))


def soup(chance: random.Random) -> str:
    """Pieces of markup in any order."""
    return "".join(chance.choice(SOUP) for _ in range(chance.randint(1, 40)))


def damaged(chance: random.Random) -> str:
    """A real text with a piece cut out, doubled, or moved."""
    texts = chance.choice(all_problems()).texts
    text = texts[chance.choice(sorted(texts))].question
    for _ in range(chance.randint(1, 4)):
        a, b = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        text = (
            chance.choice((text[:a] + text[b:], text[:b] + text[a:], text[a:b] + text[:a] + text[b:])) or "x"
        )
    return text


MAKERS: tuple[Maker, ...] = (planes, nested, unbreakable, controls, strange, soup, soup, damaged)


def fuzz_text(number: int) -> str:
    """The text of a number; one in four hundred is long."""
    chance = random.Random(number)
    maker = long if number % 400 == 7 else MAKERS[number % len(MAKERS)]
    return maker(chance)
