"""A table of figures that is written as Markdown, CSV and LaTeX alike, each figure with what it rests on."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from benchwright.eval.display.plain_text import latex_text, markdown_cell, needs_cjk, one_line
from benchwright.schemas.records import Record

DIGITS = 4
"""Decimals of percentages in CSV files."""
_FORMULA = re.compile(r"^[=+\-@\t\r]")


class Value(Record):
    """One figure. Percentages are in 0..100."""

    percent: float | None
    """None where there is nothing that it could rest on."""
    n: int | None
    """What it rests on: its denominator; None where it is not known, as in a table of somebody else."""
    n_total: int | None
    """How many rows belong to it; more than `n` where some were not run or not judged."""
    low: float | None = None
    high: float | None = None
    """95 % interval, where one is given."""
    incomplete: bool = False
    printed: str | None = None
    """As somebody else prints it; None: with one decimal."""
    mark: str = ""
    """Sign after the figure that a note explains."""


class Column(Record):
    """A column of figures; columns of one `group` stand together under its name."""

    name: str
    group: str = ""

    @property
    def full(self) -> str:
        """Group and name as one text."""
        return f"{self.group} {self.name}".strip()


class Line(Record):
    """One line of a table."""

    labels: tuple[str, ...]
    values: tuple[Value | None, ...]
    """By column; None where the column does not apply to it."""
    section: str = ""
    """Heading under which it stands, with the lines before and after it of the same section."""


class Table(Record):
    """A table and what has to be said with it."""

    name: str
    """File name without ending."""
    title: str
    label_columns: tuple[str, ...]
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()

    def texts(self) -> tuple[str, ...]:
        """All that is not a figure of ours: names out of data sets and of models."""
        names = [column.full for column in self.columns]
        return (self.title, *names, *(label for line in self.lines for label in line.labels))


def sizes(table: Table) -> tuple[str, ...]:
    """How many rows each column is about, e.g. `436`, or `40-436` where lines differ; empty where it is not known."""
    found = []
    for at in range(len(table.columns)):
        values = [value for line in table.lines if (value := line.values[at]) is not None]
        numbers = sorted({value.n_total for value in values if value.n_total is not None})
        found.append("-".join(str(n) for n in dict.fromkeys((*numbers[:1], *numbers[-1:]))))
    return tuple(found)


def value_text(value: Value | None) -> str:
    """A figure as shown: one decimal, `*` where it rests on a part of its rows; `-` for none."""
    if value is None or value.percent is None:
        return "-"
    shown = f"{value.percent:.1f}" if value.printed is None else value.printed
    return shown + (" *" if value.incomplete else "") + (f" {value.mark}" if value.mark else "")


def table_markdown(table: Table, level: int = 3) -> str:
    """The table under its title, with the number of rows of each column; that of each figure stands in the CSV."""
    head = [markdown_cell(name) for name in (*table.label_columns, *(c.full for c in table.columns))]
    lines = [
        f"{'#' * level} {markdown_cell(table.title)}",
        "",
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(table.label_columns) + "---:|" * len(table.columns),
    ]
    if any(sizes(table)):
        lines.append("| " + " | ".join(("*n*", *[""] * (len(table.label_columns) - 1), *sizes(table))) + " |")
    section = ""
    for line in table.lines:
        if line.section != section:
            section = line.section
            lines.append(f"| *{markdown_cell(section)}* |" + " |" * (len(head) - 1))
        cells = [*line.labels, *map(value_text, line.values)]
        lines.append("| " + " | ".join(map(markdown_cell, cells)) + " |")
    if table.notes:
        lines += ["", *(f"- {markdown_cell(note)}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def plain_table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """A Markdown table of texts.

    Args:
        head: names of the columns.
        rows: their cells.
        left: how many columns stand to the left; the others to the right.
    """
    lines = [
        "| " + " | ".join(map(markdown_cell, head)) + " |",
        "|" + "---|" * left + "---:|" * (len(head) - left),
        *("| " + " | ".join(map(markdown_cell, row)) + " |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


def table_csv(table: Table) -> str:
    """One line a line; every figure with its denominator, the rows it belongs to, its interval and a mark."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    head = ["section", *table.label_columns]
    for column in table.columns:
        head += [
            column.full,
            *(f"{column.full}: {part}" for part in ("n", "of", "low", "high", "incomplete")),
        ]
    writer.writerow(map(_spreadsheet, head))
    for line in table.lines:
        cells: list[str] = [_spreadsheet(line.section), *map(_spreadsheet, line.labels)]
        for value in line.values:
            cells += [""] * 6 if value is None else _parts(value)
        writer.writerow(cells)
    return stream.getvalue()


def table_latex(table: Table) -> str:
    """The table as a `table` environment for a document that loads `booktabs`."""
    columns = table.columns
    grouped = any(column.group for column in columns)
    lines = ["% needs \\usepackage{booktabs}"]
    if any(needs_cjk(text) for text in table.texts()):
        lines.append("% holds Chinese: compile with XeLaTeX or LuaLaTeX and \\usepackage{ctex}")
    lines += [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_text(table.title)}}}",
        rf"\label{{tab:{re.sub('[^a-z0-9-]', '-', table.name.lower())}}}",
        rf"\begin{{tabular}}{{{'l' * len(table.label_columns)}{'r' * len(columns)}}}",
        r"\toprule",
    ]
    if grouped:
        lines += _group_heads(table)
    names = [*table.label_columns, *(column.name for column in columns)]
    lines += [" & ".join(map(latex_text, names)) + r" \\", r"\midrule"]
    if any(sizes(table)):
        blank = [""] * (len(table.label_columns) - 1)
        counts = [size.replace("-", "--") for size in sizes(table)]
        lines.append(" & ".join([r"\emph{n}", *blank, *counts]) + r" \\")
    section = ""
    for line in table.lines:
        if line.section != section:
            section = line.section
            lines.append(rf"\multicolumn{{{len(names)}}}{{l}}{{\emph{{{latex_text(section)}}}}} \\")
        cells = [*map(latex_text, line.labels), *(_latex_value(value) for value in line.values)]
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\footnotesize {latex_text(note)}" for note in table.notes]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _group_heads(table: Table) -> list[str]:
    """A line of names over groups of columns, and rules under them."""
    at = len(table.label_columns)
    cells, rules = [""] * at, []
    for name, width in _runs([column.group for column in table.columns]):
        cells.append(rf"\multicolumn{{{width}}}{{c}}{{{latex_text(name)}}}")
        if name:
            rules.append(rf"\cmidrule(lr){{{at + 1}-{at + width}}}")
        at += width
    return [" & ".join(cells) + r" \\", "".join(rules)]


def _runs(names: Sequence[str]) -> list[tuple[str, int]]:
    runs: list[tuple[str, int]] = []
    for name in names:
        if runs and runs[-1][0] == name:
            runs[-1] = (name, runs[-1][1] + 1)
        else:
            runs.append((name, 1))
    return runs


def _latex_value(value: Value | None) -> str:
    return latex_text(value_text(value)).replace(" *", "$^{*}$").replace("-", "--")


def _parts(value: Value) -> list[str]:
    numbers = [_number(value.percent), *("" if n is None else str(n) for n in (value.n, value.n_total))]
    return [*numbers, _number(value.low), _number(value.high), "yes" if value.incomplete else ""]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.{DIGITS}f}"


def _spreadsheet(text: str) -> str:
    """A name as text: a spreadsheet would run one that begins like a formula."""
    shown = one_line(text)
    return f"'{shown}" if _FORMULA.match(shown) else shown
