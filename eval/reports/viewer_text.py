"""Questions and answers as pieces for the viewer: text, line ends and formulas drawn by the renderer's engines.

A formula becomes a small SVG file that the page shows as an image, so that nothing inside it can act; its source stands
beside it. What no engine draws stays source.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from benchwright.eval.display.plain_text import visible
from benchwright.render.font import load_font
from benchwright.render.formula import Drawing, Typesetter, make_typesetter
from benchwright.render.segment import Break, Math, Text, segment
from benchwright.render.table import Table
from benchwright.schemas.errors import ItemError

Piece = str | dict[str, Any]
"""Text with its line ends, or `{"f": number of a formula}`, or `{"t": rows of cells of pieces}`."""
_RULES = "<style>[data-line],[data-frame]{stroke:currentColor;stroke-width:50;fill:none}</style>"
"""How table rules are drawn; the engines leave it to a style sheet."""


class Formulas:
    """The formulas of one data file, each once."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, bool], int | None] = {}
        self.drawn: list[dict[str, Any]] = []
        """Per formula: `svg`, `w` and `h` (size, em), `d` (depth below the baseline, em), `tex`, `display`."""

    def number(self, tex: str, display: bool) -> int | None:
        """The number of a formula; None where no engine draws it."""
        key = (tex, display)
        if key not in self._numbers:
            self._numbers[key] = self._add(tex, display)
        return self._numbers[key]

    def _add(self, tex: str, display: bool) -> int | None:
        try:
            drawing = _draw(tex, display)
        except ItemError:
            return None
        self.drawn.append(
            {
                "svg": svg_file(drawing),
                "w": round(drawing.width, 3),
                "h": round(drawing.ascent + drawing.descent, 3),
                "d": round(drawing.descent, 3),
                "tex": visible(tex),
                "display": display,
            }
        )
        return len(self.drawn) - 1


def pieces(text: str, formulas: Formulas) -> list[Piece]:
    """A text of the data set in pieces; a text that cannot be divided is one piece, as it stands."""
    try:
        # A browser has glyphs for everything, so only what is written as mathematics becomes a drawing.
        segments = segment(text, lambda char: True).segments
    except ItemError:
        return [visible(text)]
    out: list[Piece] = []
    for part in segments:
        if isinstance(part, Text):
            _say(out, visible(part.text))
        elif isinstance(part, Break):
            _say(out, "\n")
        elif isinstance(part, Table):
            out.append({"t": [[pieces(cell.text, formulas) for cell in row] for row in part.rows]})
        else:
            _formula(out, part, formulas)
    return out


def svg_file(drawing: Drawing) -> str:
    """A drawing as an SVG document of its own: shapes only, no script, no reference to anything outside."""
    height = drawing.ascent + drawing.descent
    # A little room on every side: an image cuts off what a stroke draws beyond its box.
    box = f"-20 {-drawing.ascent * 1000 - 20:.0f} {drawing.width * 1000 + 40:.0f} {height * 1000 + 40:.0f}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="{box}">'
        f"{_RULES}{drawing.body}</svg>"
    )


def _say(out: list[Piece], text: str) -> None:
    if out and isinstance(out[-1], str):
        out[-1] += text
    else:
        out.append(text)


def _formula(out: list[Piece], part: Math, formulas: Formulas) -> None:
    number = formulas.number(part.tex, part.display)
    if number is None:
        _say(out, f"${visible(part.tex)}$")
    else:
        out.append({"f": number})


@lru_cache(maxsize=1)
def _typesetter() -> Typesetter:
    return make_typesetter(load_font())


@lru_cache(maxsize=4000)
def _draw(tex: str, display: bool) -> Drawing:
    return _typesetter().drawing(tex, display)
