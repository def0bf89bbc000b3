"""Text of models and data sets made harmless for a terminal, for Markdown, for LaTeX and for a page.

A response may hold terminal commands, marks that turn the direction of writing round, or the signs that end a table
cell. Nothing is thrown away: what cannot be shown as it is stands as a visible sign in its place.
"""

from __future__ import annotations

import re
import unicodedata

_KEPT = frozenset("\t\n")
_CONTROL_PICTURES = 0x2400
"""Unicode's visible signs for the control codes 0 to 31."""
_DELETE = 0x2421
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LINE_ENDS = re.compile("\r\n|[\r\u0085\u2028\u2029]")
_BLANKS = re.compile(r"\s+")
_TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "†": r"\textdagger{}",
    "–": "--",
    "—": "---",
    "−": "$-$",
    "×": r"$\times$",
    "=": "{=}",
    "‡": r"\textdaggerdbl{}",
}
"""`=` in braces: two of them would else be a ligature in some fonts."""
_MARKDOWN = re.compile(r"([\\`\[\]<>|#~]|\*(?=\S)|(?<=\S)\*|(?<![^\W_])_|_(?![^\W_]))")
"""Signs that start markup; an underscore inside a word does not, nor an asterisk between blanks."""


def visible(text: str) -> str:
    """The text with every control code and every mark of direction as a visible sign; line breaks become one kind.

    Line feed and tab stay. A lone half of a surrogate pair becomes U+FFFD.
    """
    return "".join(_shown(char) for char in _LINE_ENDS.sub("\n", text))


def one_line(text: str) -> str:
    """`visible`, with every run of blanks, tabs and line breaks as one blank: for a table's cell."""
    return _BLANKS.sub(" ", visible(text)).strip()


def markdown_cell(text: str) -> str:
    """A name for a Markdown table: no sign in it starts markup, a link or another cell."""
    return _MARKDOWN.sub(r"\\\1", one_line(text))


def latex_text(text: str) -> str:
    """A name for a LaTeX document, each special sign escaped; compiles under pdfLaTeX, XeLaTeX and LuaLaTeX.

    Letters outside ASCII stay as they are: Chinese needs a class or package for it (`ctex`, `xeCJK`).
    """
    return "".join(_TEX.get(char) or _in_tex(char) for char in one_line(text))


def _in_tex(char: str) -> str:
    """No font of TeX has the signs that stand for control codes."""
    code = ord(char)
    if _CONTROL_PICTURES <= code <= _DELETE:
        return f"[U+{0x7F if code == _DELETE else code - _CONTROL_PICTURES:04X}]"
    if char == "\ufffd":
        return "[U+FFFD]"
    return {"⟨": "[", "⟩": "]", "…": r"\ldots{}"}.get(char, char)


def needs_cjk(text: str) -> bool:
    """True when a LaTeX document needs a Chinese font for it."""
    return any(unicodedata.east_asian_width(char) in "WF" for char in text)


def _shown(char: str) -> str:
    code = ord(char)
    if char in _KEPT or 0x20 <= code < 0x7F:
        return char
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    if code == 0x7F:
        return chr(_DELETE)
    if 0xD800 <= code <= 0xDFFF or 0x80 <= code < 0xA0:
        return "\ufffd"
    if char in _TURNING:
        return f"⟨U+{code:04X}⟩"
    return char
