"""Tables: LaTeX `tabular` and Markdown, read into cells. Drawn by the layout, cell by cell."""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchwright.schemas.errors import ItemError


@dataclass(frozen=True)
class Cell:
    """A text like any other, formulas included, over `span` columns."""

    text: str
    span: int = 1


@dataclass(frozen=True)
class Table:
    """Rows of cells; rules around every cell."""

    rows: tuple[tuple[Cell, ...], ...]
    columns: int


def tabular(source: str) -> Table:
    r"""Read one `\begin{tabular}...\end{tabular}`. A nested tabular is a cell with line breaks.

    Raises:
        ItemError: `table`: spans (`\multirow`), or no cells at all.
    """
    match = re.fullmatch(
        r"\s*\\begin\{tabular\}\s*(?:\[[a-z]\])?\s*\{(?:[^{}]|\{[^{}]*\})*\}(.*)\\end\{tabular\}\s*",
        source,
        re.DOTALL,
    )
    if match is None:
        raise ItemError("table", "a tabular without its column list")
    body = re.sub(
        r"\\begin\{tabular\}\s*(?:\[[a-z]\])?\s*\{[^{}]*\}(.*?)\\end\{tabular\}",
        lambda inner: re.sub(r"\s*\\\\\s*", "\n", inner[1].strip()),
        match[1],
        flags=re.DOTALL,
    )
    if "\\multirow" in body or "\\begin{tabular}" in body:
        raise ItemError("table", "cells that span rows are not drawn yet")
    body = re.sub(r"\\(?:hline|toprule|midrule|bottomrule|centering)(?![A-Za-z])|\\cline\{[^{}]*\}", "", body)
    rows: list[list[Cell]] = []
    for line in re.split(r"\\\\(?:\[[^\]]*\])?", body):
        if not line.strip():
            continue
        cells: list[Cell] = []
        for cell in re.split(r"(?<!\\)&", line):
            span = re.fullmatch(r"\s*\\multicolumn\{(\d+)\}\{[^{}]*\}\{(.*)\}\s*", cell, re.DOTALL)
            cells.append(Cell((span[2] if span else cell).strip(), int(span[1]) if span else 1))
        rows.append(cells)
    return _table(rows)


def markdown_table(source: str) -> str:
    """A Markdown table as a `tabular`, so that one reader does both."""
    lines = [line.strip().strip("|") for line in source.strip().split("\n")]
    rows = [re.split(r"(?<!\\)\|", line) for i, line in enumerate(lines) if i != 1]
    body = "\\\\\n".join(" & ".join(cell.strip().replace("&", "\\&") for cell in row) for row in rows)
    return f"\\begin{{tabular}}{{{'c' * len(rows[0])}}}{body}\\end{{tabular}}"


def _table(rows: list[list[Cell]]) -> Table:
    columns = max((_width(row) for row in rows), default=0)
    if columns == 0:
        raise ItemError("table", "a table without cells")
    if columns > 20 or len(rows) > 100:
        raise ItemError("table", f"{len(rows)} rows of {columns} columns")
    return Table(tuple(tuple(row + [Cell("")] * (columns - _width(row))) for row in rows), columns)


def _width(row: list[Cell]) -> int:
    return sum(cell.span for cell in row)
