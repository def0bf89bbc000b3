"""HTML tables, read by the standard library's parser into the same cells as LaTeX and Markdown ones."""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser

from benchwright.render.table import Cell, Table, table_of
from benchwright.schemas.errors import ItemError

_TABLE = re.compile(r"<table\b.*?</table\s*>", re.DOTALL | re.IGNORECASE)
_BLOCKS = frozenset(("p", "div", "br", "li", "ul", "ol"))
_KEPT = frozenset(("sub", "sup"))


def html_tables(text: str) -> list[str | Table]:
    """The text with its tables taken out, in order: texts at even places, tables at odd ones.

    Raises:
        ItemError: `table`: a table without an end, nested, with pictures, or without cells.
    """
    parts: list[str | Table] = []
    end = 0
    for match in _TABLE.finditer(text):
        parts += [text[end : match.start()], _read(match[0])]
        end = match.end()
    rest = text[end:]
    if re.search(r"</?table\b", rest, re.IGNORECASE):
        raise ItemError("table", "an HTML table without its begin or end")
    return [*parts, rest]


def _read(source: str) -> Table:
    reader = _Reader()
    reader.feed(source)
    reader.close()
    return table_of([row for row in reader.rows if row])


class _Reader(HTMLParser):
    """Collects rows of cells; a cell's text keeps sub- and superscripts, entities stay as they were written."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.rows: list[list[Cell]] = []
        self._text: list[str] | None = None
        self._spans = (1, 1)
        self._open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a row or a cell."""
        if tag == "table" and self._open:
            raise ItemError("table", "an HTML table inside another")
        if tag in ("img", "svg", "math"):
            raise ItemError("table", f"an HTML table with <{tag}>")
        self._open = self._open or tag == "table"
        if tag == "tr":
            self._end_cell()
            self.rows.append([])
        elif tag in ("td", "th"):
            self._end_cell()
            values = dict(attrs)
            self._spans = _number(values.get("colspan")), _number(values.get("rowspan"))
            self._text = []
        elif self._text is not None and tag in _BLOCKS:
            self._text.append("\n")
        elif self._text is not None and tag in _KEPT:
            self._text.append(f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        """End a row or a cell."""
        if tag in ("td", "th", "tr", "table"):
            self._end_cell()
        elif self._text is not None and tag in _KEPT:
            self._text.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        """Text of a cell; line ends of the source are blanks. Text between cells is lost by browsers too."""
        if self._text is not None:
            self._text.append(re.sub(r"\s+", " ", data))
        elif data.strip():
            raise ItemError("table", f"text outside the cells of a table: {data.strip()[:40]!r}")

    def handle_entityref(self, name: str) -> None:
        """A named character."""
        self.handle_data(f"&{name};")

    def handle_charref(self, name: str) -> None:
        """A numbered character."""
        self.handle_data(f"&#{escape(name)};")

    def _end_cell(self) -> None:
        if self._text is None:
            return
        if not self.rows:
            self.rows.append([])
        text = re.sub(r" *\n[ \n]*", "\n", "".join(self._text)).strip()
        self.rows[-1].append(Cell(text, *self._spans))
        self._text = None


def _number(value: str | None) -> int:
    match = re.fullmatch(r"\s*(\d{1,3})\s*", value or "1")
    return max(1, int(match[1])) if match else 1
