"""Pages for people that fit an 80 column terminal: headings, lines, tables, and values cut to what differs."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import Any

import click

_PIPED = 80
"""Columns where no terminal says how many it has."""
_BEFORE = 12
"""Characters that two values share and that are kept in front of their difference."""
_NAME = 40
"""A first column, which names things, is not folded unless it is longer."""
_WORD = 12
"""A column whose cells are not longer than this is never folded."""
_LONG = 400
_GAP = 3
"""Columns between two cells."""


def width() -> int:
    """Columns of a page: the terminal's, else 80."""
    return max(40, shutil.get_terminal_size((_PIPED, 24)).columns) if sys.stdout.isatty() else _PIPED


def heading(text: str) -> None:
    """A bold line after an empty one."""
    from benchwright.eval.display.plain_text import one_line

    click.echo()
    click.secho(one_line(text), bold=True)


def remark(text: str) -> None:
    """One paragraph, wrapped at the page's width with its own indent kept; control codes are shown, never obeyed."""
    from rich.cells import cell_len
    from rich.console import Console
    from rich.text import Text

    from benchwright.eval.display.plain_text import one_line

    indent = len(text) - len(text.lstrip(" "))
    body = one_line(text)
    if cell_len(body) + indent <= width():
        click.echo(" " * indent + body)
        return
    console = Console(width=width() - indent - 2)
    for number, line in enumerate(Text(body).wrap(console, console.width)):
        click.echo(" " * (indent + (2 if number else 0)) + line.plain.rstrip())


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table as wide as the page, long cells folded, numbers aligned to the right.

    It is wider only where the columns that are not folded do not fit: nothing is ever cut off.
    """
    from rich import box
    from rich.cells import cell_len
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from benchwright.eval.display.plain_text import one_line

    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    least = 0
    for index, column in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[index], (int, float)) for row in rows)
        longest = max(cell_len(text) for text in (column, *(str(row[index]) for row in rows)))
        whole = longest <= (_NAME if index == 0 else _WORD)
        drawn.add_column(
            column,
            justify="right" if numeric else "left",
            overflow="fold",
            no_wrap=whole,  # rich narrows, down to nothing, only columns that may wrap
            min_width=longest if whole else cell_len(column),
        )
        least += _GAP + (longest if whole else cell_len(column))
    for row in rows:
        drawn.add_row(
            *[escape(f"{cell:,}" if isinstance(cell, int) else one_line(str(cell))) for cell in row]
        )
    console = Console(width=max(width(), least))
    with console.capture() as capture:
        console.print(drawn)
    # The box ends in lines of blanks, before and after.
    for line in capture.get().split("\n"):
        if line.strip():
            click.echo(line.rstrip())


def value_text(value: Any) -> str:
    """A value as one line: text as it is, anything else as JSON; nothing is `(none)`, empty text `(empty)`."""
    from benchwright.eval.display.plain_text import one_line
    from benchwright.schemas.digest import canonical_json

    if value is None:
        return "(none)"
    return one_line(value if isinstance(value, str) else canonical_json(value)) or "(empty)"


def cut(value: Any, length: int) -> str:
    """`value_text`, cut with an ellipsis."""
    text = value_text(value)
    return text if len(text) <= length else text[: length - 1] + "…"


def short(before: Any, after: Any) -> tuple[str, str]:
    """Two values as lines of at most 400 characters that begin a little before the first difference."""
    old, new = value_text(before), value_text(after)
    if max(len(old), len(new)) <= _LONG:
        return old, new
    same = next(
        (i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new))
    )
    start = max(0, same - _BEFORE)
    lead = "…" if start else ""
    return lead + cut(old[start:], _LONG), lead + cut(new[start:], _LONG)
