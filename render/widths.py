"""Breaking a long formula where mathematicians do: before relations, then before signs, at the outer level only."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)
_RELATIONS = frozenset(("=", "<", ">", ",", ";", "，", "；")) | frozenset(
    "\\" + name
    for name in (
        *("leq", "le", "geq", "ge", "neq", "ne", "approx", "equiv", "sim", "Rightarrow", "rightarrow", "to"),
        *("Leftrightarrow", "iff", "implies", "therefore", "because", "longrightarrow", "rightleftharpoons"),
        *("quad", "qquad"),
    )
)
_SIGNS = frozenset(["+", "-", "\\pm", "\\mp", "\\times", "\\cdot", "\\cup", "\\cap", "\\land", "\\lor"])
_THOUSAND = re.compile(r"\d{3}(?!\d)")
_AFTER = frozenset([",", ";", "，", "；"])


def split_wide(tex: str) -> list[str]:
    r"""Pieces that stay correct on their own, in order; one piece where the formula cannot be broken.

    A formula inside `\begin...\end` or `\left...\right` as a whole is not broken; those parts move together.
    """
    for breakers in (_RELATIONS, _RELATIONS | _SIGNS):
        pieces = _split(tex, breakers)
        if len(pieces) > 1:
            return pieces
    return [tex]


def _split(tex: str, breakers: frozenset[str]) -> list[str]:
    if re.search(r"\\(?:ce|pu|over|atop|choose|middle)(?![A-Za-z])", tex) or "&" in re.sub(
        r"\\begin.*\\end\{\w+\}", "", tex
    ):
        return [tex]
    pieces: list[str] = []
    current = ""
    depth = parentheses = 0
    for match in _TOKEN.finditer(tex):
        token = match[0]
        if token == "{" or token in ("\\left", "\\begin"):
            depth += 1
        elif token == "}" or token in ("\\right", "\\end"):
            depth -= 1
        elif token in "([":
            parentheses += 1
        elif token in ")]":
            parentheses -= 1
        breaks = (
            depth == 0
            and parentheses <= 0
            and token in breakers
            and current.strip()
            and not _inside_script(current)
            and not (token == "," and current[-1].isdigit() and _THOUSAND.match(tex, match.end()))
        )
        if breaks and token in _AFTER:
            pieces.append(current + token)
            current = ""
        elif breaks:
            pieces.append(current)
            current = token
        else:
            current += token
    pieces.append(current)
    if any(piece.count("{") != piece.count("}") for piece in pieces) or depth != 0:
        return [tex]
    pieces = [piece.strip() for piece in pieces if piece.strip()]
    # A relation that opens a line needs something on its left for its spacing.
    return [("{}" + piece if i and piece[0] in "=<>+-\\" else piece) for i, piece in enumerate(pieces)]


def _inside_script(before: str) -> bool:
    """`x^-` or an opening bracket: the sign belongs to what comes before."""
    return before.rstrip().endswith(("^", "_", "(", "[", "\\frac", "\\sqrt", "\\not"))
