"""Tables: LaTeX `tabular`, Markdown and HTML, read into cells. Drawn by the layout, cell by cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchwright.schemas.errors import ItemError

_MOST_COLUMNS, _MOST_ROWS = 20, 100


@dataclass(frozen=True)
class Cell:
    """A text like any other, formulas included, over `span` columns and `rows` rows."""

    text: str
    span: int = 1
    rows: int = 1


@dataclass(frozen=True)
class Table:
    """Rows of cells; rules around every cell.

    A cell that reaches into the rows below stands in its first row; those below have no cell in its columns.
    """

    rows: tuple[tuple[Cell, ...], ...]
    columns: int

    def places(self) -> list[list[tuple[int, Cell]]]:
        """For each row its cells with their first column."""
        taken: set[tuple[int, int]] = set()
        placed: list[list[tuple[int, Cell]]] = []
        for number, row in enumerate(self.rows):
            column, found = 0, []
            for cell in row:
                while (number, column) in taken:
                    column += 1
                found.append((column, cell))
                taken |= {
                    (number + down, column + right) for down in range(cell.rows) for right in range(cell.span)
                }
            placed.append(found)
        return placed


_COLUMN_LIST = r"\s*(?:\[[a-z]\])?\s*\{(?:[^{}]|\{[^{}]*\})*\}"
_ARGUMENT = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_MULTIROW = re.compile(
    rf"\s*\\multirow\s*(?:\[[^\]]*\])?\s*\{{\s*(-?\d+)\s*\}}\s*(?:\[[^\]]*\])?\s*\{{[^{{}}]*\}}\s*(?:\[[^\]]*\])?\s*({_ARGUMENT})\s*",
    re.DOTALL,
)
_MULTICOLUMN = re.compile(
    rf"\s*\\multicolumn\s*\{{\s*(\d+)\s*\}}\s*{_ARGUMENT}\s*({_ARGUMENT})\s*", re.DOTALL
)


def tabular(source: str, *, maths: bool = False) -> Table:
    r"""Read one `\begin{tabular}...\end{tabular}`. A nested tabular is a cell with line breaks.

    Args:
        source: from `\begin` to `\end`.
        maths: the cells are mathematics, as those of an `array`.

    Raises:
        ItemError: `table`: no cells at all, too many, or spans that overlap or leave the table.
    """
    match = re.fullmatch(
        rf"\s*\\begin\{{tabular\}}{_COLUMN_LIST}(.*)\\end\{{tabular\}}\s*", source, re.DOTALL
    )
    if match is None:
        raise ItemError("table", "a tabular without its column list")
    body = re.sub(
        rf"\\begin\{{tabular\}}{_COLUMN_LIST}(.*?)\\end\{{tabular\}}", _stacked, match[1], flags=re.DOTALL
    )
    if "\\begin{tabular}" in body:
        raise ItemError("table", "tables nested more than once are not drawn")
    rows = [
        [_cell(_RULES.sub("", part), maths) for part in cells]
        for cells in _cut(body)
        if any(_RULES.sub("", part).strip() for part in cells)
    ]
    return _table(_uncovered(rows))


_RULES = re.compile(
    r"\\(?:toprule|midrule|bottomrule|centering)(?![A-Za-z])|\\hline|\\(?:cline|cmidrule)\s*(?:\([^()]*\))?\s*\{[^{}]*\}"
)
"""Rules between rows; every cell gets rules anyway. `\\hline` also where a lost line end glued it to a word."""


def _stacked(inner: re.Match[str]) -> str:
    """A tabular inside a cell: its lines one below the other.

    Raises:
        ItemError: `table`: it has cells of its own.
    """
    rows = _cut(inner[1])
    if any(len(cells) > 1 for cells in rows):
        raise ItemError("table", "a table inside a cell is not drawn")
    return "\n".join(_cell(_RULES.sub("", cells[0]), False).text for cells in rows if cells[0].strip())


_TOKEN = re.compile(
    r"\\\\\s*(?:\[[^\]&]*\])?|\\begin\s*\{|\\end\s*\{[^{}]*\}|\\.|[{}$&]|[^\\{}$&]+|.", re.DOTALL
)


def _cut(body: str) -> list[list[str]]:
    """Rows of cells: cut at line ends and ampersands outside braces, formulas and inner environments."""
    rows: list[list[str]] = [[""]]
    depth, formula = 0, False
    for match in _TOKEN.finditer(body):
        token = match[0]
        outside = depth == 0 and not formula
        if outside and token == "&":
            rows[-1].append("")
            continue
        if outside and token.startswith("\\\\"):
            rows.append([""])
            continue
        if token == "$":
            formula = not formula
        elif token.startswith("\\begin"):
            depth += 2  # the environment, and the brace of its name
        elif token == "{":
            depth += 1
        elif token == "}" or token.startswith("\\end"):
            depth = max(0, depth - 1)
        rows[-1][-1] += token
    return rows


_SPANNING_ARRAY = re.compile(r"\s*\\begin\{array\}(.*)\\end\{array\}\s*[.,。，]?\s*", re.DOTALL)


def spanning_array(tex: str) -> Table | None:
    """A formula that is one `array` with spans, which no engine of ours draws, as a table; None for other formulas."""
    if not re.search(r"\\multi(?:row|column)(?![A-Za-z])", tex):
        return None
    match = _SPANNING_ARRAY.fullmatch(tex)
    if match is None or "\\begin" in match[1]:
        return None
    return tabular(f"\\begin{{tabular}}{match[1]}\\end{{tabular}}", maths=True)


def _cell(source: str, maths: bool) -> Cell:
    """One cell with its spans, in either nesting."""
    span = rows = 1
    while True:
        if across := _MULTICOLUMN.fullmatch(source):
            span, source = int(across[1]), across[2][1:-1]
        elif down := _MULTIROW.fullmatch(source):
            rows, source = int(down[1]), down[2][1:-1]
        else:
            break
    if rows < 1 or span < 1:
        raise ItemError("table", f"a cell over {rows} rows and {span} columns")
    if re.search(r"\\multi(?:row|column)(?![A-Za-z])", source):
        raise ItemError("table", "a span inside a cell's text")
    text = source.strip()
    return Cell(f"${text}$" if maths and text else text, span, rows)


def _uncovered(rows: list[list[Cell]]) -> list[list[Cell]]:
    """LaTeX writes empty cells where a cell from above reaches down: leave them out.

    Raises:
        ItemError: `table`: something is written below such a cell.
    """
    covered: dict[int, int] = {}
    kept: list[list[Cell]] = []
    for row in rows:
        column, line = 0, []
        left = dict(covered)
        covered = {c: n - 1 for c, n in covered.items() if n > 1}
        for cell in row:
            under = [c for c in range(column, column + cell.span) if c in left]
            if under and (cell.text or len(under) < cell.span):
                raise ItemError("table", f"{cell.text[:40]!r} stands below a cell that reaches down")
            if not under:
                line.append(cell)
                if cell.rows > 1:
                    covered |= dict.fromkeys(range(column, column + cell.span), cell.rows - 1)
            column += cell.span
        kept.append(line)
    return kept


def markdown_table(source: str) -> str:
    """A Markdown table as a `tabular`, so that one reader does both."""
    lines = [re.sub(r"^\||(?<!\\)\|$", "", line.strip()) for line in source.strip().split("\n")]
    rows = [re.split(r"(?<!\\)\|", line) for i, line in enumerate(lines) if i != 1]
    body = "\\\\\n".join(" & ".join(_from_markdown(cell) for cell in row) for row in rows)
    return f"\\begin{{tabular}}{{{'c' * len(rows[0])}}}{body}\\end{{tabular}}"


def _from_markdown(cell: str) -> str:
    return re.sub(r"(?<!\\)&", r"\\&", cell.strip().replace("\\|", "|"))


def table_of(rows: Sequence[Sequence[Cell]]) -> Table:
    """A table of rows that leave out what cells from above cover (as HTML does).

    Raises:
        ItemError: `table`: no cells, too many, or spans that overlap or leave the table.
    """
    return _table([list(row) for row in rows])


def _table(rows: list[list[Cell]]) -> Table:
    if not any(rows):
        raise ItemError("table", "a table without cells")
    if len(rows) > _MOST_ROWS or any(c.span > _MOST_COLUMNS or c.rows > _MOST_ROWS for r in rows for c in r):
        raise ItemError("table", f"{len(rows)} rows, or a cell over too many columns or rows")
    if any(cell.rows > len(rows) - number for number, row in enumerate(rows) for cell in row):
        rows = [
            [Cell(c.text, c.span, min(c.rows, len(rows) - number)) for c in row]
            for number, row in enumerate(rows)
        ]
    draft = Table(tuple(map(tuple, rows)), 0)
    taken: dict[tuple[int, int], Cell] = {}
    for number, row in enumerate(draft.places()):
        for column, cell in row:
            for down in range(cell.rows):
                for right in range(cell.span):
                    if (number + down, column + right) in taken:
                        raise ItemError("table", "cells that overlap")
                    taken[number + down, column + right] = cell
    columns = 1 + max(column for _, column in taken)
    if columns > _MOST_COLUMNS:
        raise ItemError("table", f"{len(rows)} rows of {columns} columns")
    # Rows that end early get empty cells.
    filled = [
        [*row, *(Cell("") for column in range(columns) if (number, column) not in taken)]
        for number, row in enumerate(rows)
    ]
    return Table(tuple(map(tuple, filled)), columns)
