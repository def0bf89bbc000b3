"""Opening a source: a file, a folder of a known public source, or an archive, as rows and a folder of pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchwright.curation.presets import Preset
from benchwright.curation.source_zip import unpacked
from benchwright.curation.sources import (
    BadRow,
    SourceRow,
    parse_json,
    read_parts,
    read_rows,
    readable_files,
    source_digest,
    source_ending,
    source_format,
)
from benchwright.schemas.digest import sha256_bytes, sha256_file
from benchwright.schemas.errors import UsageError

Rows = Iterator[SourceRow | BadRow]


@dataclass(frozen=True)
class OpenSource:
    """A source that is ready to be read, several times if need be."""

    root: Path
    """Folder that the paths of pictures are relative to."""
    digest: str
    """Digest of the files with questions; pictures are told by their own."""
    rows: Callable[[], Rows]


@contextmanager
def opened(path: Path, preset: Preset | None = None, images_root: Path | None = None) -> Iterator[OpenSource]:
    """Open a source.

    Args:
        path: a file, a saved `datasets` folder, or with a preset the source's own folder.
        preset: how its files are shaped.
        images_root: folder of the pictures, where it is not the source's own.

    Raises:
        UsageError: it does not exist or is of no known format.
    """
    if preset is not None and path.is_dir() and not _is_saved(path):
        files = preset_files(path, preset)
        digest = _files_digest(path, files)
        yield OpenSource(images_root or path, digest, lambda: _shaped_parts(path, files, preset))
    elif source_format(path) == ".zip":
        with unpacked(path) as folder:
            files = preset_files(folder, preset) if preset else readable_files(folder, path.name)
            yield OpenSource(
                images_root or folder,
                sha256_file(path),
                lambda: _shaped_parts(folder, files, preset) if preset else read_parts(folder, files),
            )
    else:
        root = images_root or (path if path.is_dir() else path.parent)
        yield OpenSource(
            root, source_digest(path), lambda: _shaped_rows(path, preset) if preset else read_rows(path)
        )


def check_source(path: Path, preset: Preset | None) -> None:
    """Whether a source can be opened at all, without reading it.

    Raises:
        UsageError: see `opened`.
    """
    if preset is not None and path.is_dir() and not _is_saved(path):
        preset_files(path, preset)
    else:
        source_format(path)


def preset_files(folder: Path, preset: Preset) -> list[Path]:
    """The files of a folder that hold a preset's questions, by name.

    Raises:
        UsageError: there is none.
    """
    found = {
        file
        for pattern in preset.files
        for file in folder.glob(pattern)
        if file.is_file() and file.name not in preset.skip and file.resolve().is_relative_to(folder.resolve())
    }
    if not found:
        raise UsageError(
            f"{folder.name} holds none of the files of {preset.name} ({', '.join(preset.files)}): "
            f"give the folder of {preset.url}, or one of its files."
        )
    return sorted(found, key=lambda file: file.relative_to(folder).as_posix())


def _is_saved(path: Path) -> bool:
    return (path / "state.json").is_file() or (path / "dataset_dict.json").is_file()


def _files_digest(folder: Path, files: Sequence[Path]) -> str:
    listing = [f"{file.relative_to(folder).as_posix()} {sha256_file(file)}" for file in files]
    return sha256_bytes("\n".join(listing).encode("utf-8"))


def _shaped_parts(folder: Path, files: Sequence[Path], preset: Preset) -> Rows:
    line = 0
    for file in files:
        name = file.relative_to(folder)
        inner = "" if name.parent.as_posix() == "." else name.parent.as_posix()
        for row in _shaped_rows(file, preset):
            line += 1
            place = f"{name.as_posix()}, row {row.line}"
            if isinstance(row, BadRow):
                yield replace(row, line=line, place=place)
            else:
                yield replace(row, line=line, place=place, folder=inner)


def _shaped_rows(file: Path, preset: Preset) -> Rows:
    parent = file.resolve().parent
    context = {"file": file.name.split(".")[0], "folder": parent.name, "parent": parent.parent.name}
    if preset.shape == "rows" or source_ending(file) != ".json":
        rows = read_rows(file)
    else:
        rows = _document_rows(_document(file), file, preset)
    for row in rows:
        if isinstance(row, SourceRow):
            row = replace(row, context={"row": str(row.line), **context, **row.context})
        yield row


def _document(file: Path) -> Any:
    try:
        return parse_json(file.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{file.name} is not UTF-8 (byte {error.start + 1}): save it as UTF-8 and ingest it again."
        ) from error
    except ValueError as error:
        raise UsageError(f"{file.name} is not valid JSON ({error}): mend it, or fetch it again.") from error


def _document_rows(document: Any, file: Path, preset: Preset) -> Rows:
    """Rows of a document that is no plain list; a plain list is one in every shape."""
    if isinstance(document, list):
        yield from _listed(document, {}, 0)
    elif not isinstance(document, dict):
        raise UsageError(f"{file.name} holds neither a list nor an object: it is no file of {preset.name}.")
    elif preset.shape == "record":
        yield SourceRow(1, document)
    else:
        lists = {key: value for key, value in document.items() if isinstance(value, list)}
        if not lists or (preset.shape == "keyed-list" and len(lists) > 1):
            raise UsageError(
                f"{file.name} holds {len(lists)} lists of questions: it is no file of {preset.name} ({preset.shape})."
            )
        keys = {key: str(value) for key, value in document.items() if isinstance(value, str)}
        line = 0
        for name, rows in lists.items():
            yield from _listed(rows, {**keys, "list": name}, line)
            line += len(rows)


def _listed(rows: Sequence[Any], context: Mapping[str, str], before: int) -> Rows:
    """Rows of one list; `{row}` counts within it, `line` through the file."""
    for number, values in enumerate(rows, start=1):
        if isinstance(values, dict):
            yield SourceRow(before + number, values, context={"row": str(number), **context})
        else:
            yield BadRow(before + number, "not-an-object", "the row is not a JSON object")
