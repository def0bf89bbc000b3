"""Pictures of a spreadsheet, byte for byte: those that lie over cells and, as WPS writes them, those within a cell."""

from __future__ import annotations

import posixpath
import zipfile
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.schemas.errors import UsageError

_REL = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_DRAW = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_SHAPE = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
Picture = Mapping[str, Any]


@dataclass(frozen=True)
class SheetPictures:
    """The pictures of one sheet: row -> column -> pictures, all counted from 0, in the order of their anchors."""

    anchored: Mapping[int, Mapping[int, tuple[Picture, ...]]]
    cells: Mapping[str, Picture]

    def rows(self) -> list[int]:
        """Rows in which a picture is anchored."""
        return sorted(self.anchored)

    def at(self, row: int) -> Mapping[int, tuple[Picture, ...]]:
        """Column -> pictures of one row."""
        return self.anchored.get(row, {})

    def named(self, name: str) -> Picture:
        """The picture that a cell shows by its name; where there is none, a value that no picture has."""
        return self.cells.get(name, {"path": f"missing-cell-picture-{name}"})


@dataclass(frozen=True)
class BookPictures:
    """The pictures of a whole file, by sheet title."""

    sheets: Mapping[str, SheetPictures]

    def of(self, title: str) -> SheetPictures:
        """The pictures of one sheet."""
        return self.sheets[title]


def sheet_pictures(path: Path) -> BookPictures:
    """Find all pictures of a spreadsheet.

    Raises:
        UsageError: the parts of the file do not fit together.
    """
    try:
        with zipfile.ZipFile(path) as book:
            cells = _cell_pictures(book)
            files = _relations(book, "xl/workbook.xml")
            sheets = {
                sheet.get("name"): SheetPictures(_anchored(book, files[sheet.get(f"{_REL}id")]), cells)
                for sheet in _xml(book, "xl/workbook.xml").iter(f"{_MAIN}sheet")
            }
    except (KeyError, ValueError) as error:
        raise UsageError(f"{path.name} cannot be read as a spreadsheet ({error}): save it again.") from error
    return BookPictures(sheets)


def _xml(book: zipfile.ZipFile, name: str) -> Any:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(book.read(name), parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"{name}: {error}") from error


def _relations(book: zipfile.ZipFile, name: str) -> dict[str, str]:
    """Id -> part of the archive that another part names."""
    folder, file = posixpath.split(name)
    listing = f"{folder}/_rels/{file}.rels"
    if listing not in book.NameToInfo:
        return {}
    return {
        item.get("Id"): posixpath.normpath(posixpath.join("/" + folder, item.get("Target"))).lstrip("/")
        for item in _xml(book, listing)
        if item.get("TargetMode") != "External"
    }


def _anchored(book: zipfile.ZipFile, sheet: str) -> Mapping[int, Mapping[int, tuple[Picture, ...]]]:
    if sheet not in book.NameToInfo:
        return {}
    found: list[tuple[int, int, int, int, int, Picture]] = []
    parts = _relations(book, sheet)
    for drawing in (parts[item.get(f"{_REL}id")] for item in _xml(book, sheet).iter(f"{_MAIN}drawing")):
        media = _relations(book, drawing)
        for anchor in _xml(book, drawing):
            start = anchor.find(f"{_DRAW}from")
            for blip in anchor.iter(f"{_SHAPE}blip") if start is not None else ():
                place = [
                    int(start.findtext(f"{_DRAW}{key}", "0")) for key in ("row", "col", "colOff", "rowOff")
                ]
                found.append((*place, len(found), _picture(book, media, blip)))  # type: ignore[arg-type]
    rows: dict[int, dict[int, tuple[Picture, ...]]] = defaultdict(dict)
    for row, column, _, _, _, picture in sorted(found, key=lambda entry: entry[:5]):
        rows[row][column] = (*rows[row].get(column, ()), picture)
    return rows


def _picture(book: zipfile.ZipFile, media: Mapping[str, str], blip: Any) -> Picture:
    part = media.get(blip.get(f"{_REL}embed", ""), "")
    if part not in book.NameToInfo:
        return {"path": blip.get(f"{_REL}link") or part or "linked-picture"}
    return {"bytes": book.read(part), "path": posixpath.basename(part)}


def _cell_pictures(book: zipfile.ZipFile) -> dict[str, Picture]:
    """Name -> picture of WPS's `DISPIMG` cells."""
    part = "xl/cellimages.xml"
    if part not in book.NameToInfo:
        return {}
    media, found = _relations(book, part), {}
    for image in _xml(book, part):
        names = [item.get("name") for item in image.iter(f"{_DRAW}cNvPr")]
        blips = list(image.iter(f"{_SHAPE}blip"))
        if names and blips:
            found[str(names[0])] = _picture(book, media, blips[0])
    return found
