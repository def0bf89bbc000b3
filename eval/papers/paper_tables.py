"""The papers' published tables as tables of a report: as printed, apart from everything measured here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchwright.eval.display.tables import Column, Line, Table, Value, plain_table, table_markdown
from benchwright.eval.papers.paper_checks import CHECKS, Inconsistency, inconsistencies, size_of
from benchwright.eval.papers.printed import GROUPS, REPORTED, PaperTable, published

MARK = "‡"
_NAMES = {"visscience": "VisScience", "sciverse": "SciVerse"}


def paper_table(table: PaperTable, found: Sequence[Inconsistency]) -> Table:
    """A published table; figures that contradict others of the papers bear a mark.

    Args:
        table: as printed.
        found: of `inconsistencies`, of any tables.
    """
    flagged = {(one.model, one.column) for one in found if one.table == table.name}
    lines = [
        Line(
            labels=(row.model,),
            values=tuple(
                _value(table, row.model, row.values.get(name), name, flagged) for name in table.columns
            ),
            section=GROUPS[row.group],
        )
        for row in table.rows
    ]
    of = f", {table.discipline} by subject" if table.discipline else ""
    return Table(
        name=f"paper-{table.name}",
        title=f"{_NAMES[table.paper]}, Table {table.number} ({table.language}{of}), %: {REPORTED}",
        label_columns=("model",),
        columns=tuple(_column(name) for name in table.columns),
        lines=tuple(lines),
        notes=_notes(table, found),
    )


def papers_markdown(names: Sequence[str]) -> str:
    """A page with these published tables, and with what in them contradicts itself."""
    found = inconsistencies(published())
    parts = [
        "# Published by the papers",
        "",
        f"These figures are {REPORTED}. They stand here to be looked up and are not ranked with anything measured "
        "here: other questions, other prompts, another judge.",
        "",
    ]
    chosen = [table for table in published() if table.name in names]
    for table in chosen:
        parts += [table_markdown(paper_table(table, found))]
    listed = [one for one in found if one.table in names]
    if listed:
        parts += [
            f"### {MARK}: printed figures that do not fit together",
            "",
            f"{len(listed)} figures of these tables contradict others that the papers print, beyond rounding.",
            "",
            plain_table(
                ("table", "model", "column", "printed", "expected", "why", ""),
                [_row(one) for one in listed],
                left=7,
            ),
        ]
    return "\n".join(parts)


def _row(one: Inconsistency) -> tuple[str, ...]:
    return (one.table, one.model, one.column, one.printed, one.expected, CHECKS[one.check], one.detail)


def _column(name: str) -> Column:
    version, _, metric = name.partition(" ")
    return Column(group=version, name=metric) if metric else Column(name=name)


def _value(
    table: PaperTable, model: str, printed: str | None, column: str, flagged: set[tuple[str, str]]
) -> Value | None:
    if printed is None:
        return None
    n = size_of(table, column)
    mark = MARK if (model, column) in flagged else ""
    return Value(percent=float(printed), n=n, n_total=n, printed=printed, mark=mark)


def _notes(table: PaperTable, found: Sequence[Inconsistency]) -> tuple[str, ...]:
    counts = Counter(one.check for one in found if one.table == table.name)
    return tuple(f"{MARK} {counts[check]} times: {why}." for check, why in CHECKS.items() if counts[check])
