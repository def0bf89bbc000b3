"""Spreadsheets: each visible sheet is a table under a heading row; pictures belong to the row they are anchored in.

Cells are read as a reader of the sheet sees them: a formula by its stored result, a number by its format as far as the
format is one of decimals, percent, thousands or exponent, a date in ISO form. Other formats give the stored number, and
a note. openpyxl reads the cells; pictures are taken from the file itself, byte for byte (openpyxl drops those that it
cannot open, and does not know pictures that stand in a cell).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, time
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from benchwright.curation.source_tables import Cell, column_name, table_row
from benchwright.curation.source_zip import check_archive
from benchwright.curation.sources import BadRow, SourceRow
from benchwright.schemas.errors import UsageError

_ERRORS = frozenset({"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#SPILL!", "#CALC!"})
_DECIMALS = re.compile(r"(#,##|[#])?0(?:\.(0+))?(%|E\+00)?")
_CELL_PICTURE = re.compile(r'=?(?:_xlfn\.)?DISPIMG\("([^"]+)"', re.IGNORECASE)


def read_xlsx(path: Path) -> Iterator[SourceRow | BadRow]:
    """Rows of all visible sheets; `line` counts through them, `place` names sheet and row.

    Raises:
        UsageError: not a spreadsheet, one that is damaged or not safe to unpack, a sheet without heading row, a
            heading twice, or openpyxl is not installed.
    """
    openpyxl = _openpyxl()
    check_archive(path)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # what openpyxl cannot keep when writing (pictures, rules) we do not need
        try:
            shown = openpyxl.load_workbook(path, data_only=True)
            typed = openpyxl.load_workbook(path, data_only=False)
        except (KeyError, ValueError, OSError, TypeError, AttributeError, SyntaxError) as error:
            raise UsageError(
                f"{path.name} cannot be read as a spreadsheet ({error}): save it again."
            ) from error
    from benchwright.curation.source_xlsx_pictures import sheet_pictures

    pictures = sheet_pictures(path)
    line = 0
    for sheet in shown.worksheets:
        place = f"sheet {sheet.title!r}"
        if sheet.sheet_state != "visible":
            if sheet.max_row > 1:
                line += 1
                yield BadRow(
                    line, "hidden-sheet", f"{sheet.max_row} rows: show the sheet, or delete it", place
                )
            continue
        for row in _sheet_rows(path.name, sheet, typed[sheet.title], pictures.of(sheet.title)):
            line += 1
            yield replace(row, line=line)


def shown_number(value: float, number_format: str) -> tuple[str, bool]:
    """A number as its cell shows it, and whether its format was understood.

    `General` gives up to 15 digits, as a spreadsheet's own formula bar does; 2.50 under `0.00` stays 2.50.
    """
    plain = f"{value:.15g}"
    if number_format in ("General", "@"):
        return plain, True
    found = _DECIMALS.fullmatch(number_format)
    if found is None:
        return plain, False
    grouped, decimals, kind = found.group(1) == "#,##", len(found.group(2) or ""), found.group(3)
    if kind == "E+00":
        return f"{value:.{decimals}E}", True
    number = Decimal(plain) * (100 if kind == "%" else 1)
    text = f"{number.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):{',' if grouped else ''}f}"
    return text + ("%" if kind == "%" else ""), True


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError as error:
        raise UsageError(
            "reading .xlsx needs openpyxl: install it with `pip install 'benchwright[xlsx]'`, or save as CSV."
        ) from error
    return openpyxl


def _sheet_rows(file: str, sheet: Any, typed: Any, pictures: Any) -> Iterator[SourceRow | BadRow]:
    rows = list(sheet.iter_rows())
    start = next((number for number, row in enumerate(rows) if any(_filled(cell) for cell in row)), None)
    if start is None:
        if pictures.rows():
            raise UsageError(f"{file}: sheet {sheet.title!r} has pictures but no heading row: add one.")
        return
    names = [column_name(str(cell.value)) if _filled(cell) else "" for cell in rows[start]]
    named = [name for name in names if name]
    if len(set(named)) < len(named):
        twice = next(name for name in named if named.count(name) > 1)
        raise UsageError(
            f"{file}: sheet {sheet.title!r} names the column {twice!r} twice: rename one of them."
        )
    last = max([start + len(rows[start:]), *(number + 1 for number in pictures.rows())])
    for number in range(start + 1, last):
        cells = rows[number] if number < len(rows) else ()
        where = f"sheet {sheet.title!r}, row {number + 1}"
        if any(_filled(cell) for cell in cells) or pictures.at(number):
            yield _row(where, names, cells, typed, pictures, number)


def _filled(cell: Any) -> bool:
    return cell.value is not None and str(cell.value).strip() != ""


def _row(
    where: str, names: list[str], cells: Any, typed: Any, pictures: Any, number: int
) -> SourceRow | BadRow:
    notes: list[tuple[str, str]] = []
    read: list[Cell] = []
    here = pictures.at(number)
    for column in range(max(len(names), 1 + max(here, default=-1))):
        cell = cells[column] if column < len(cells) else None
        formula = typed.cell(number + 1, column + 1).value if cell is not None else None
        inside = _CELL_PICTURE.search(formula) if isinstance(formula, str) else None
        if inside is not None:
            read.append(Cell(None, (pictures.named(inside.group(1)),)))
            continue
        try:
            text = _shown(cell, formula, notes) if cell is not None else None
        except ValueError as error:
            return BadRow(0, "bad-cell", f"{error} in column {column + 1}", where)
        read.append(Cell(text, here.get(column, ())))
    padded = names + [""] * (len(read) - len(names))
    lost = [cell.text for name, cell in zip(padded, read, strict=True) if not name and cell.text]
    if lost:
        return BadRow(0, "ragged-row", f"{lost[0][:40]!r} stands under no heading", where)
    return SourceRow(0, table_row(padded, read), place=where, notes=tuple(notes))


def _shown(cell: Any, formula: Any, notes: list[tuple[str, str]]) -> str | None:
    value = cell.value
    if value is None:
        if isinstance(formula, str) and formula.startswith("=") and cell.data_type != "s":
            raise ValueError(
                "a formula without a stored result: open and save the file in a spreadsheet program"
            )
        return None
    if isinstance(value, str) and value in _ERRORS and cell.data_type == "e":
        raise ValueError(f"the error {value}")
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        text, understood = shown_number(value, cell.number_format)
        if not understood:
            notes.append(
                ("number-format-unread", f"{cell.coordinate}: {cell.number_format!r}, kept as {text}")
            )
        return text
    if isinstance(value, datetime) and (value.hour, value.minute, value.second) == (0, 0, 0):
        return value.date().isoformat()
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    return str(value)
