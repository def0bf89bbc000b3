"""Spreadsheets as sources: cells as they are shown, pictures by the row they are anchored in."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pytest

from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.curation.ingest_pool import notes_path
from benchwright.curation.ingest_rows import Note
from benchwright.curation.source_xlsx import shown_number
from benchwright.curation.sources import BadRow, SourceRow, read_rows
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import UsageError
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import Question
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

openpyxl: Any = pytest.importorskip("openpyxl")
OPTIONS = IngestOptions(license="CC0-1.0", discipline="physics", language="en")


def book(path: Path, *rows: list[Any], change: Callable[[Any], None] = lambda sheet: None) -> Path:
    made = openpyxl.Workbook()
    sheet = made.active
    for row in rows:
        sheet.append(row)
    change(sheet)
    made.save(path)
    return path


def put(sheet: Any, data: bytes, cell: str) -> None:
    from openpyxl.drawing.image import Image

    sheet.add_image(Image(io.BytesIO(data)), cell)


def rewritten(
    path: Path, change: Callable[[str, bytes], bytes], more: dict[str, bytes] | None = None
) -> None:
    """Write the parts of a spreadsheet again, changed, as another program would have written them."""
    with zipfile.ZipFile(path) as opened:
        parts = {name: change(name, opened.read(name)) for name in opened.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, data in {**parts, **(more or {})}.items():
            opened.writestr(name, data)


def test_cells_are_read_as_they_are_shown(tmp_path: Path) -> None:
    def formats(sheet: Any) -> None:
        sheet["C2"].number_format, sheet["D2"].number_format = "0.00", "0.0%"
        sheet["E2"].number_format, sheet["F2"].number_format = "#,##0", "0.00E+00"

    path = book(
        tmp_path / "p.xlsx",
        [
            "id",
            "question",
            "two",
            "share",
            "thousand",
            "power",
            "plain",
            "day",
            "moment",
            "hour",
            "yes",
            "text",
        ],
        [
            7,
            "Q?",
            2.5,
            0.125,
            1234567,
            0.000123,
            0.1 + 0.2,
            date(2020, 1, 2),
            datetime.fromisoformat("2020-01-02T03:04"),
            time(5, 6),
            True,
            "007",
        ],
        change=formats,
    )
    (row,) = read_rows(path)
    assert isinstance(row, SourceRow)
    assert row.values == {
        "id": "7", "question": "Q?", "two": "2.50", "share": "12.5%", "thousand": "1,234,567", "power": "1.23E-04",
        "plain": "0.3", "day": "2020-01-02", "moment": "2020-01-02T03:04:00", "hour": "05:06:00", "yes": "TRUE",
        "text": "007",
    }  # fmt: skip
    assert row.place == "sheet 'Sheet', row 2"


@pytest.mark.parametrize(
    ("value", "number_format", "text", "understood"),
    [
        (2.5, "General", "2.5", True), (1e21, "General", "1e+21", True), (3, "0", "3", True),
        (2.675, "0.00", "2.68", True),
        (-0.004, "0.00", "-0.00", True), (0.5, "0%", "50%", True), (1500, "#,##0.0", "1,500.0", True),
        (1.5, '0.0" m"', "1.5", False), (0.5, "# ?/?", "0.5", False),
    ],
)  # fmt: skip
def test_numbers_by_their_format(value: float, number_format: str, text: str, understood: bool) -> None:
    assert shown_number(value, number_format) == (text, understood)


def test_pictures_belong_to_the_row_and_option_they_are_anchored_in(
    tmp_path: Path, workspace: Workspace, png: Callable[..., bytes]
) -> None:
    shades = {cell: png((number, 0, 0)) for number, cell in enumerate(("B2", "G2", "C3", "D3", "B3"))}

    def pictures(sheet: Any) -> None:
        for cell, data in shades.items():
            put(sheet, data, cell)
        sheet["E2"].number_format = '0.0" m"'

    path = book(
        tmp_path / "p.xlsx", ["题号", "题目", "A", "B", "答案", "难度", "配图"],
        [1, "How long?", "x", "y", 1.5, 2, None], [2, "Which graph?", None, None, "B", 3, None], change=pictures,
    )  # fmt: skip
    ingest(workspace, [path], OPTIONS)
    found = {q.id: q for q in read_records(workspace.pool("physics"), Question)}
    assert set(found) == {"2"}, "1.5 is no label of an option"
    graph = found["2"]
    assert [ref.source_sha256 for ref in graph.images] == [sha256_bytes(shades["B3"])]
    images = [choice.image for choice in graph.text.choices]
    assert [ref.source_sha256 for ref in images if ref] == [
        sha256_bytes(shades["C3"]),
        sha256_bytes(shades["D3"]),
    ]
    assert (graph.text.answer, graph.difficulty) == ("B", 3)


def test_a_number_format_that_is_not_understood_is_noted(tmp_path: Path, workspace: Workspace) -> None:
    def metres(sheet: Any) -> None:
        sheet["C2"].number_format = '0.0" m"'

    ingest(
        workspace,
        [book(tmp_path / "p.xlsx", ["id", "question", "answer"], [1, "Q?", 1.5], change=metres)],
        OPTIONS,
    )
    (note,) = read_jsonl(notes_path(workspace), Note)
    assert (note.code, "sheet 'Sheet', row 2" in note.detail) == ("number-format-unread", True)


def test_formulas_are_read_by_their_stored_result(tmp_path: Path) -> None:
    path = book(
        tmp_path / "p.xlsx",
        ["id", "question", "answer"],
        [1, "Q?", "=1+1"],
        [2, "Q2?", "=1+2"],
        [3, "Q3?", "=1/0"],
    )

    def stored(name: str, data: bytes) -> bytes:
        if name != "xl/worksheets/sheet1.xml":
            return data
        data = data.replace(b"<f>1+1</f><v></v>", b"<f>1+1</f><v>2</v>").replace(
            b"<f>1+1</f><v/>", b"<f>1+1</f><v>2</v>"
        )
        return re.sub(
            rb'<c r="C4"><f>1/0</f><v ?/?>(</v>)?', b'<c r="C4" t="e"><f>1/0</f><v>#DIV/0!</v>', data
        )

    rewritten(path, stored)
    first, second, third = read_rows(path)
    assert isinstance(first, SourceRow) and first.values["answer"] == "2"
    assert isinstance(second, BadRow) and (second.reason, "column 3" in second.detail) == ("bad-cell", True)
    assert isinstance(third, BadRow) and "#DIV/0!" in third.detail


def test_a_picture_within_a_cell_as_wps_writes_it(tmp_path: Path, png: Callable[..., bytes]) -> None:
    path = book(
        tmp_path / "p.xlsx", ["id", "question", "answer", "image"], [1, "Q?", "1", '=DISPIMG("ID_1",1)'],
        [2, "Q2?", "1", '=_xlfn.DISPIMG("ID_9",1)'],
    )  # fmt: skip
    listing = """<etc:cellImages xmlns:etc="http://www.wps.cn/officeDocument/2017/etCustomData"
    xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
    xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"
    xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><etc:cellImage><xdr:pic><xdr:nvPicPr>
    <xdr:cNvPr id="1" name="ID_1"/></xdr:nvPicPr><xdr:blipFill><a:blip r:embed="rId1"/></xdr:blipFill></xdr:pic>
    </etc:cellImage></etc:cellImages>"""
    relations = """<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
    <Relationship Id="rId1" Type="image" Target="media/cell.png"/></Relationships>"""
    rewritten(path, lambda name, data: data, {
        "xl/cellimages.xml": listing.encode(), "xl/_rels/cellimages.xml.rels": relations.encode(),
        "xl/media/cell.png": png(),
    })  # fmt: skip
    first, second = read_rows(path)
    assert isinstance(first, SourceRow) and first.values["images"] == [{"bytes": png(), "path": "cell.png"}]
    assert isinstance(second, SourceRow) and second.values["images"] == [
        {"path": "missing-cell-picture-ID_9"}
    ]


def test_sheets_in_their_order_and_hidden_ones_named(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    for title in ("one", "secret", "two", "empty"):
        sheet = made.create_sheet(title)
        if title != "empty":
            sheet.append([])
            sheet.append(["id", "question"])
            sheet.append([title, "Q?"])
        sheet.sheet_state = "hidden" if title == "secret" else "visible"
    del made["Sheet"]
    made.save(tmp_path / "p.xlsx")
    found = [
        (row.line, row.reason if isinstance(row, BadRow) else row.values["id"], row.place)
        for row in read_rows(tmp_path / "p.xlsx")
    ]
    assert found == [
        (1, "one", "sheet 'one', row 3"), (2, "hidden-sheet", "sheet 'secret'"), (3, "two", "sheet 'two', row 3"),
    ]  # fmt: skip


def test_text_under_no_heading_is_not_lost_silently(tmp_path: Path) -> None:
    (row,) = read_rows(book(tmp_path / "p.xlsx", ["id", "question"], [1, "Q?", "stray"]))
    assert isinstance(row, BadRow) and (row.reason, "stray" in row.detail) == ("ragged-row", True)


@pytest.mark.parametrize(
    ("rows", "says"), [([["a", "a"], [1, 2]], "twice"), ([], "no rows"), ([["id", "question"]], "no rows")]
)
def test_sheets_that_cannot_be_read_are_told_so(
    rows: list[list[Any]], says: str, tmp_path: Path, workspace: Workspace
) -> None:
    with pytest.raises(UsageError, match=says):
        ingest(workspace, [book(tmp_path / "p.xlsx", *rows)], OPTIONS)


def test_a_spreadsheet_that_is_a_bomb_or_another_archive_is_refused(tmp_path: Path) -> None:
    path = book(tmp_path / "p.xlsx", ["id", "question"], [1, "Q?"])
    rewritten(path, lambda name, data: data + b" " * 30_000_000 if name.endswith("sheet1.xml") else data)
    with pytest.raises(UsageError, match="bomb"):
        list(read_rows(path))
    with zipfile.ZipFile(tmp_path / "q.xlsx", "w") as opened:
        opened.writestr("a.txt", "hello")
    with pytest.raises(UsageError, match="cannot be read as a spreadsheet"):
        list(read_rows(tmp_path / "q.xlsx"))


def test_the_same_sheet_twice_gives_the_same_pool(
    tmp_path: Path, make_workspace: Callable[..., Workspace], png: Callable[..., bytes]
) -> None:
    path = book(
        tmp_path / "p.xlsx", ["id", "question", "answer"], [1, "Q?", "1"], change=lambda sheet: put(sheet, png(), "C2")
    )  # fmt: skip
    pools = []
    for name in ("one", "two"):
        workspace = make_workspace(name=name)
        ingest(workspace, [path], OPTIONS)
        pools.append(workspace.pool("physics").read_bytes())
    assert pools[0] == pools[1]
