"""Readers: files of many formats as rows whose values keep their own spelling.

JSON Lines, JSON, CSV and Parquet are read here, HTML, XLSX and archives in `source_html.py`, `source_xlsx.py` and
`source_zip.py`, folders that `datasets` saved by `datasets`.

Nothing is inferred. A number stays the text that stood in the file (`Number("2.50")`), CSV cells are text, a Parquet
column has the type that its schema says. A row that cannot be read becomes a `BadRow` with a reason; the rest go on.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchwright.schemas.digest import sha256_bytes, sha256_file
from benchwright.schemas.errors import UsageError

DATA_FORMATS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
FORMATS = (*DATA_FORMATS, ".html", ".htm", ".xlsx", ".zip")
_WHOLE = (".parquet", ".html", ".htm", ".xlsx", ".zip")
"""Formats that are not text which may stand compressed as `.gz`."""
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_BATCH = 256
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class Number(str):
    """A number by its literal text, so that 007, 2.50 and 1e3 stay what they are."""

    __slots__ = ()


@dataclass(frozen=True)
class SourceRow:
    """One row as read.

    `values` holds None, bool, str, `Number`, bytes, lists and dicts only. `raw` is the row's own JSON text where the
    source has one. In a source of several files `line` counts through all of them and `place` says where the row
    stands; `folder` is its file's folder, to which pictures are relative too; `context` holds what is known of the row
    by where it stands (`presets.py`); `notes` are what its reader decided (code, detail).
    """

    line: int
    values: dict[str, Any]
    raw: str | None = None
    place: str = ""
    folder: str = ""
    context: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class BadRow:
    """A row that could not be read at all; `line` counts from 1."""

    line: int
    reason: str
    detail: str
    place: str = ""


def source_format(path: Path) -> str:
    """The format of a source: one of `FORMATS`, or `datasets` for a folder that `save_to_disk` wrote.

    Raises:
        UsageError: the path does not exist or is none of these.
    """
    if path.is_dir():
        if (path / "state.json").is_file() or (path / "dataset_dict.json").is_file():
            return "datasets"
        raise UsageError(
            f"{path} is a folder without state.json or dataset_dict.json: name a file, a folder saved by `datasets`, "
            "or with --preset the public set that this is (`curate ingest --list-presets`)."
        )
    if not path.is_file():
        raise UsageError(
            f"{path} does not exist: give the path of a {', '.join(FORMATS)} file or a saved `datasets` folder."
        )
    ending = source_ending(path)
    if ending in FORMATS and not (ending in _WHOLE and path.suffix.lower() == ".gz"):
        return ending
    raise UsageError(
        f"{path.name} has none of the endings {', '.join(FORMATS)} (text formats may be followed by .gz): "
        "rename or convert it."
    )


def source_digest(path: Path) -> str:
    """Digest of a source's bytes; for a folder, of its files' names and digests."""
    if path.is_file():
        return sha256_file(path)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    listing = [f"{file.relative_to(path).as_posix()} {sha256_file(file)}" for file in files]
    return sha256_bytes("\n".join(listing).encode("utf-8"))


def read_rows(path: Path) -> Iterator[SourceRow | BadRow]:
    """Rows of a source, in its order, one in memory at a time (a `.json` file is read whole).

    Raises:
        UsageError: unknown format, a damaged file, or text that is not UTF-8 altogether (UTF-16).
    """
    kind = source_format(path)
    if kind == "datasets":
        yield from _saved_dataset(path)
    elif kind == ".parquet":
        yield from _parquet(path)
    elif kind in (".html", ".htm"):
        from benchwright.curation.source_html import read_html

        yield from read_html(path)
    elif kind == ".xlsx":
        from benchwright.curation.source_xlsx import read_xlsx

        yield from read_xlsx(path)
    elif kind == ".zip":
        from benchwright.curation.source_zip import unpacked

        with unpacked(path) as folder:
            yield from read_parts(folder, readable_files(folder, path.name))
    else:
        with _open(path) as stream:
            try:
                yield from _text_rows(stream, kind, path)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise UsageError(f"{path.name} is damaged ({error}): compress or copy it again.") from error


def readable_files(folder: Path, name: str) -> list[Path]:
    """The sources in an unpacked archive, by name: files of a known format, and saved `datasets` folders.

    Raises:
        UsageError: there is none.
    """
    saved = sorted(
        {file.parent for mark in ("state.json", "dataset_dict.json") for file in folder.rglob(mark)}
    )
    saved = [one for one in saved if not any(other in one.parents for other in saved)]
    files = [
        file
        for file in folder.rglob("*")
        if file.is_file() and source_ending(file) in FORMATS and not any(one in file.parents for one in saved)
    ]
    found = sorted([*saved, *files], key=lambda file: file.relative_to(folder).as_posix())
    if not found:
        raise UsageError(
            f"{name} holds no {', '.join(FORMATS[:-1])} file: put the questions beside their pictures."
        )
    return found


def source_ending(path: Path) -> str:
    """The ending that tells a file's format, `.gz` left out; '' for none."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    return suffixes[-1] if suffixes else ""


def read_parts(folder: Path, files: Sequence[Path]) -> Iterator[SourceRow | BadRow]:
    """Rows of several files as one source: lines count through, and every row says in which file it stands.

    Raises:
        UsageError: one of the files cannot be read at all, or is an archive in an archive.
    """
    line = 0
    for file in files:
        name = file.relative_to(folder).as_posix()
        if source_ending(file) == ".zip":
            raise UsageError(f"{name} is an archive in an archive: unpack it first.")
        for row in read_rows(file):
            line += 1
            place = f"{name}, row {row.line}"
            if isinstance(row, BadRow):
                yield replace(row, line=line, place=place)
            else:
                inner = file.relative_to(folder).parent.as_posix()
                yield replace(row, line=line, place=place, folder="" if inner == "." else inner)


def _text_rows(stream: IO[bytes], kind: str, path: Path) -> Iterator[SourceRow | BadRow]:
    _refuse_utf16(stream, path)
    if kind in (".jsonl", ".ndjson"):
        yield from _json_lines(stream)
    elif kind == ".json":
        yield from _json_document(stream, path)
    else:
        yield from _csv(stream, "\t" if kind == ".tsv" else ",", path)


def parse_json(text: str) -> Any:
    """Parse JSON, keeping numbers as `Number`; NaN, which pandas writes for missing values, becomes None.

    Raises:
        ValueError: not JSON, nested too deeply, or an object that has one key twice.
    """
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def dump_json(value: Any, replaced: Mapping[str, str] | None = None) -> str:
    """JSON text of a row's values: numbers by their literals, bytes by `sha256:` digests.

    Args:
        value: what a reader gave.
        replaced: texts to be written as others (pictures' payloads, which lie in `images/source/` anyway).
    """
    if isinstance(value, Number):
        return str(value) if _is_json_number(value) else _quoted(value)
    if isinstance(value, str):
        return _quoted((replaced or {}).get(value, value))
    if isinstance(value, bytes):
        return _quoted(f"sha256:{sha256_bytes(value)}")
    if isinstance(value, dict):
        parts = (f"{_quoted(str(key))}: {dump_json(item, replaced)}" for key, item in value.items())
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(dump_json(item, replaced) for item in value) + "]"
    return {None: "null", True: "true", False: "false"}[value]


def plain(value: Any) -> Any:
    """A Python value of a typed column in the readers' own terms: numbers by their literal, times in ISO form."""
    if value is None or isinstance(value, (bool, str, bytes)):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and value != value:
        return None
    if isinstance(value, (int, float)):
        return Number(repr(value))
    return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return result


def _constant(name: str) -> Number | None:
    return None if name == "NaN" else Number(name)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=Number, parse_int=Number, parse_constant=_constant, strict=False
)


def _quoted(text: str) -> str:
    # An unpaired surrogate has no UTF-8 form; its escape is what the source had as well.
    return json.dumps(text, ensure_ascii=_SURROGATE.search(text) is not None)


def _is_json_number(text: str) -> bool:
    return text not in ("Infinity", "-Infinity", "inf", "-inf", "nan")


def _open(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb")  # type: ignore[return-value]


def _refuse_utf16(stream: IO[bytes], path: Path) -> None:
    head = stream.read(2)
    stream.seek(0)
    if head in _UTF16_MARKS:
        raise UsageError(f"{path.name} is UTF-16 text: save it as UTF-8 and ingest it again.")


def _json_lines(stream: IO[bytes]) -> Iterator[SourceRow | BadRow]:
    for line, data in enumerate(stream, start=1):
        body = data.removeprefix(b"\xef\xbb\xbf") if line == 1 else data
        if not body.strip():
            continue
        try:
            raw = body.decode("utf-8").rstrip("\r\n")
            values = parse_json(raw)
        except UnicodeDecodeError as error:
            yield BadRow(line, "not-utf8", f"byte 0x{body[error.start]:02x} at column {error.start + 1}")
        except ValueError as error:
            yield BadRow(line, "bad-json", str(error))
        else:
            yield _row(line, values, raw)


def _row(line: int, values: Any, raw: str | None) -> SourceRow | BadRow:
    if isinstance(values, dict):
        return SourceRow(line, values, raw)
    return BadRow(line, "not-an-object", "the row is not a JSON object")


def _json_document(stream: IO[bytes], path: Path) -> Iterator[SourceRow | BadRow]:
    data = stream.read()
    try:
        document = parse_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path.name} is not UTF-8 (byte {error.start + 1}): save it as UTF-8 and ingest it again."
        ) from error
    except ValueError as error:
        if not str(error).startswith("Extra data"):
            raise UsageError(
                f"{path.name} is not valid JSON ({error}): mend it, or save one object a line as .jsonl."
            ) from error
        yield from _json_lines(io.BytesIO(data))  # JSON Lines under the name .json is common
        return
    if isinstance(document, dict):
        document = document.get("data")
    if not isinstance(document, list):
        raise UsageError(
            f'{path.name} is neither a JSON list nor an object with a list under "data": give one of the two.'
        )
    for index, values in enumerate(document, start=1):
        yield _row(index, values, None)


def _csv(stream: IO[bytes], delimiter: str, path: Path) -> Iterator[SourceRow | BadRow]:
    csv.field_size_limit(2**31 - 1)  # a picture may stand in a cell
    # Bytes that are not UTF-8 come through as surrogates, so that one bad row does not end the reading.
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
    try:
        yield from _csv_rows(csv.reader(text, delimiter=delimiter, strict=True), path)
    finally:
        text.detach()  # the stream is closed by whoever opened it


def _csv_rows(reader: Any, path: Path) -> Iterator[SourceRow | BadRow]:
    try:
        header = next(reader)
    except (StopIteration, csv.Error):
        raise UsageError(
            f"{path.name} has no header row: put the column names into its first line."
        ) from None
    if len(set(header)) < len(header):
        raise UsageError(f"{path.name} names a column twice in its header: rename one of them.")
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield BadRow(line, "bad-csv", str(error))
            continue
        if cells:
            yield _csv_row(line, header, cells)


def _csv_row(line: int, header: list[str], cells: list[str]) -> SourceRow | BadRow:
    if len(cells) != len(header):
        return BadRow(line, "ragged-row", f"{len(cells)} cells under {len(header)} column names")
    if any("\udc80" <= character <= "\udcff" for cell in cells for character in cell):
        return BadRow(line, "not-utf8", "a cell holds bytes that are not UTF-8")
    return SourceRow(line, dict(zip(header, cells, strict=True)))


def _parquet(path: Path) -> Iterator[SourceRow | BadRow]:
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            names = _class_names((file.schema_arrow.metadata or {}).get(b"huggingface"))
            yield from _arrow_rows(file.iter_batches(batch_size=_BATCH), names)
    except (pa.ArrowInvalid, OSError) as error:
        raise UsageError(f"{path.name} cannot be read as Parquet ({error}): export it again.") from error


def _saved_dataset(path: Path) -> Iterator[SourceRow | BadRow]:
    import datasets

    loaded = datasets.load_from_disk(str(path))
    parts = [loaded[split] for split in loaded] if isinstance(loaded, dict) else [loaded]
    line = 0
    for part in parts:
        names = {
            column: list(feature.names)
            for column, feature in part.features.items()
            if isinstance(feature, datasets.ClassLabel)
        }
        for table in part.with_format("arrow").iter(batch_size=_BATCH):
            for row in _arrow_rows(table.to_batches(), names, line):
                line = row.line
                yield row


def _class_names(metadata: bytes | None) -> dict[str, list[str]]:
    """Names behind the integer columns that `datasets` marks as class labels in a Parquet file's metadata."""
    if metadata is None:
        return {}
    features = json.loads(metadata).get("info", {}).get("features", {})
    return {
        column: list(feature["names"])
        for column, feature in features.items()
        if isinstance(feature, dict) and feature.get("_type") == "ClassLabel"
    }


def _arrow_rows(batches: Any, class_names: Mapping[str, list[str]], line: int = 0) -> Iterator[SourceRow]:
    for batch in batches:
        short = [field.name for field in batch.schema if pa.types.is_float32(field.type)]
        for values in batch.to_pylist():
            line += 1
            for column, names in class_names.items():
                index = values.get(column)
                if isinstance(index, int):  # -1 is how `datasets` writes that there is no label
                    values[column] = names[index] if 0 <= index < len(names) else None
            for column in short:
                if values[column] is not None:  # 0.1 in 32 bits is not 0.10000000149011612
                    values[column] = float(str(np.float32(values[column])))
            yield SourceRow(line, {key: plain(value) for key, value in values.items()})
