"""The published table: `ReleaseRow`s and their pictures as Parquet that `datasets` reads as `Image` columns.

This is the one place that knows how a row becomes columns and back. `push-dataset` writes through it and
`evaluate` reads through it (`load_release`), from a folder or from a Hub id; neither passes rows through type
inference. Only pyarrow is imported here; `huggingface_hub` is imported when a Hub id is resolved.

A picture is stored as the reviewed bytes, never as a decoded object, with a bare file name as its path. Five
versions of one problem repeat their diagram's bytes in five files; the Hub's store keeps them once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchwright.schemas.digest import sha256_bytes, sha256_file
from benchwright.schemas.errors import TamperedError, UsageError
from benchwright.schemas.records import Record, ReleaseRow

TABLE_VERSION = 1
"""Raised whenever a column changes; a reader refuses a table that is newer than itself."""

ROWS_PER_GROUP = 128
"""Rows per Parquet row group: a streaming reader fetches one group before it can show its first row."""

_ROWS_AT_ONCE = 4
"""Rows that a reader decodes together: pictures make them large."""

MANIFEST_NAME = "manifest.json"
"""File of a release folder that lists every other file with its digest, rows and bytes."""

_IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
_STRING = pa.string()
_STRINGS = pa.list_(pa.string())
_OPTIONS = pa.list_(
    pa.struct([("label", _STRING), ("text", _STRING), ("image", _IMAGE), ("image_sha256", _STRING)])
)

_COLUMNS: dict[str, pa.DataType] = {
    "id": _STRING,
    "problem_id": _STRING,
    "version": _STRING,
    "language": _STRING,
    "discipline": _STRING,
    "subject": _STRING,
    "difficulty": pa.int8(),
    "knowledge_points": _STRINGS,
    "question": _STRING,
    "images": pa.list_(_IMAGE),
    "image_sha256": _STRINGS,
    "options": _OPTIONS,
    "question_type": _STRING,
    "answer": _STRING,
    "unit": _STRING,
    "full_question": _STRING,
    "stem": _STRING,
    "conditions": _STRINGS,
    "core_question": _STRING,
    "knowledge_cue": _STRING,
    "knowledge_detail": _STRINGS,
    "solution": _STRING,
    "split": _STRING,
    "source": _STRING,
    "source_license": _STRING,
    "render": _STRING,
    "canary": _STRING,
}
_BYTES_COLUMNS = ("images.list.element.bytes", "options.list.element.image.bytes")
_COMMIT = re.compile(r"^[0-9a-f]{40}$")
_REPO_ID = re.compile(r"^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*$")


class ReleaseFile(Record):
    """One file of a release, as its manifest lists it."""

    path: str
    """Relative to the release folder, with forward slashes."""
    sha256: str
    bytes: int
    rows: int | None = None
    """Number of rows of a Parquet file, None for any other."""


class ReleaseManifest(Record):
    """`manifest.json` of a release: what was built, from what, and the digest of every file.

    The card is not in the list: people may write into it, into the data nobody.
    """

    name: str
    tag: str
    table_version: int
    package_version: str
    signature: str
    """Digest of everything that is published."""
    content: str
    """Digest of the rows that the workspace could make: another one means that the release is stale."""
    canary: str
    rows: int
    problems: int
    files: tuple[ReleaseFile, ...]

    def tables(self) -> tuple[ReleaseFile, ...]:
        """The Parquet files, in the order of the manifest (sorted by path)."""
        return tuple(file for file in self.files if file.rows is not None)


@dataclass(frozen=True)
class ResolvedRelease:
    """A release that can be read: a local folder, and for a Hub id the commit it was taken from."""

    folder: Path
    name: str
    """The Hub id, or the folder's path as given."""
    revision: str | None
    """Commit on the Hub (40 hexadecimal digits); None for a folder."""
    manifest: ReleaseManifest | None
    """None when the folder carries no manifest (a hand-made one)."""


def release_schema() -> pa.Schema:
    """Arrow schema of a release table, with the `datasets` features in its metadata.

    Lists are written in the form that `datasets` 3 as well as 4 and later read (`[feature]`).
    """
    features = {name: _feature(kind) for name, kind in _COLUMNS.items()}
    metadata = {
        "huggingface": json.dumps({"info": {"features": features}}),
        "benchwright": json.dumps({"release_table": TABLE_VERSION}),
    }
    return pa.schema([pa.field(name, kind) for name, kind in _COLUMNS.items()], metadata=metadata)


def image_name(data: bytes) -> str:
    """Bare file name of published image bytes: their digest and the ending of their format.

    Raises:
        ValueError: the bytes are neither PNG nor JPEG.
    """
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        suffix = ".png"
    elif data.startswith(b"\xff\xd8\xff"):
        suffix = ".jpg"
    else:
        raise ValueError("published images are PNG or JPEG; these bytes are neither")
    return sha256_bytes(data) + suffix


def write_release_table(path: Path, rows: Iterable[ReleaseRow], image: Callable[[str], bytes]) -> int:
    """Write rows with their pictures; same rows and pictures, same bytes.

    Args:
        path: the Parquet file to write (its folder exists).
        rows: the rows, in the order they shall have.
        image: gives the published bytes of a picture by its sha256; called batch by batch, so that memory
            stays at one row group.

    Returns:
        The number of rows written.

    Raises:
        TamperedError: bytes do not have the digest they were asked by.
        ValueError: a picture is neither PNG nor JPEG.
    """
    schema = release_schema()
    count = 0
    with _writer(path, schema) as writer:
        batch: list[dict[str, Any]] = []
        for row in rows:
            batch.append(_to_columns(row, image))
            count += 1
            if len(batch) == ROWS_PER_GROUP:
                writer.write_table(pa.Table.from_pylist(batch, schema=schema), row_group_size=ROWS_PER_GROUP)
                batch = []
        if batch or count == 0:
            writer.write_table(pa.Table.from_pylist(batch, schema=schema), row_group_size=ROWS_PER_GROUP)
    return count


def read_release_table(path: Path) -> Iterator[tuple[ReleaseRow, dict[str, bytes]]]:
    """Read one Parquet file of a release, a few rows in memory at a time.

    Yields:
        The row, and the bytes of every picture it names (sent ones and options') by sha256.

    Raises:
        UsageError: the file is not a release table, or of a newer form than this version reads.
        TamperedError: a picture's bytes do not have the digest that the row names.
    """
    try:
        # Small buffers instead of whole column chunks, which hold many megabytes of pictures.
        source = pq.ParquetFile(path, buffer_size=1 << 16, pre_buffer=False)
    except (pa.ArrowInvalid, OSError) as error:
        raise UsageError(
            f"{path} cannot be read as Parquet ({error}); download the release again."
        ) from error
    with source:
        _check_columns(path, source.schema_arrow)
        for batch in source.iter_batches(batch_size=_ROWS_AT_ONCE, use_threads=False):
            for values in batch.to_pylist():
                yield _from_columns(values, path)
    pa.default_memory_pool().release_unused()


def resolve_release(name_or_path: str, revision: str | None = None) -> ResolvedRelease:
    """Find a release: a folder as it stands, or a Hub id downloaded at one commit.

    A Hub id's revision (tag, branch or commit) is resolved to its commit first, so that the files all belong
    together and a cached copy never stands in for a revision that the Hub does not have. `HF_ENDPOINT`,
    `HF_HOME` and the client's login are respected.

    Args:
        name_or_path: an existing folder, or `ORG/NAME`.
        revision: tag, branch or commit; only for a Hub id, where the default is `main`.

    Raises:
        UsageError: there is no such folder, dataset or revision, or the Hub cannot be reached.
        TamperedError: a file's bytes are not what the release's manifest says.
    """
    folder = Path(name_or_path)
    if folder.is_dir():
        if revision is not None:
            raise UsageError(f"{name_or_path} is a folder and has no revisions; leave the revision out.")
        return _resolved(folder, name_or_path, None)
    if not _REPO_ID.match(name_or_path):
        raise UsageError(f"There is no folder {name_or_path}, and it is no Hub id of the form ORG/NAME.")
    snapshot, commit = _download(name_or_path, revision or "main")
    return _resolved(snapshot, name_or_path, commit)


def load_release(
    name_or_path: str | Path, revision: str | None = None
) -> Iterator[tuple[ReleaseRow, dict[str, bytes]]]:
    """Every row of a release with its pictures: what `evaluate` reads.

    `resolve_release` (same arguments) gives the commit for a run's specification; `read_release` then reads
    what it found without resolving again.

    Yields:
        Rows in the order of the sorted file names (`data/{language}/{version}/{split}-….parquet`), so grouped
        by language, version and split, with the bytes of each row's pictures by sha256. `dev` rows are
        included: tell them by `row.split`.

    Raises:
        UsageError: nothing to read there.
        TamperedError: a file or a picture is not what its digest says.
    """
    yield from read_release(resolve_release(str(name_or_path), revision))


def read_release(release: ResolvedRelease) -> Iterator[tuple[ReleaseRow, dict[str, bytes]]]:
    """Rows of a resolved release, as `load_release` yields them.

    Raises:
        UsageError: the release holds no table.
        TamperedError: a picture is not what its digest says.
    """
    if release.manifest is not None:
        names = [file.path for file in release.manifest.tables()]
    else:
        names = [
            path.relative_to(release.folder).as_posix() for path in release.folder.glob("data/*/*/*.parquet")
        ]
    if not names:
        raise UsageError(f"{release.name} holds no data/LANGUAGE/VERSION/SPLIT-*.parquet: it is no release.")
    for name in sorted(names):
        yield from read_release_table(release.folder / name)


def read_manifest(folder: Path) -> ReleaseManifest | None:
    """The manifest of a release folder, or None when it has none.

    Raises:
        UsageError: the manifest cannot be read.
    """
    path = folder / MANIFEST_NAME
    if not path.is_file():
        return None
    try:
        return ReleaseManifest.model_validate_json(path.read_bytes())
    except ValueError as error:
        raise UsageError(f"{path} is no release manifest; build or download the release again.") from error


def check_files(folder: Path, files: Iterable[ReleaseFile]) -> None:
    """Compare files with what the manifest says of them; the Hub's client does not do it for large files.

    Raises:
        TamperedError: a file is missing or its bytes are others; the message names it.
    """
    for file in files:
        path = folder / file.path
        if not path.is_file():
            raise TamperedError(f"{file.path} is missing from the release")
        if path.stat().st_size != file.bytes or sha256_file(path) != file.sha256:
            raise TamperedError(f"{file.path} is not what the release's manifest says: its sha256 differs")


def _resolved(folder: Path, name: str, revision: str | None) -> ResolvedRelease:
    manifest = read_manifest(folder)
    if manifest is not None:
        if manifest.table_version > TABLE_VERSION:
            raise UsageError(f"{name} was written by a newer Benchwright; update to read it.")
        check_files(folder, manifest.tables())
    return ResolvedRelease(folder=folder, name=name, revision=revision, manifest=manifest)


def _download(repo_id: str, revision: str) -> tuple[Path, str]:
    import huggingface_hub as hub
    from huggingface_hub import constants
    from huggingface_hub import errors as hub_errors

    # The client's own error has the HTTP library's as its base; which library that is differs by version.
    trouble: tuple[type[Exception], ...] = (OSError, *hub_errors.HfHubHTTPError.__bases__)
    commit = revision
    try:
        # A commit names its content, so a cached copy of it is as good; a tag or branch must be asked for.
        if not _COMMIT.match(revision) and not constants.HF_HUB_OFFLINE:
            commit = hub.HfApi().dataset_info(repo_id, revision=revision).sha or revision
        folder = hub.snapshot_download(
            repo_id, repo_type="dataset", revision=commit, allow_patterns=["data/*", MANIFEST_NAME]
        )
    except hub_errors.RevisionNotFoundError as error:
        raise UsageError(f"{repo_id} has no revision {revision!r}; name a tag of the dataset.") from error
    except hub_errors.RepositoryNotFoundError as error:
        raise UsageError(
            f"The Hub shows no dataset {repo_id} to this login, and no folder {repo_id} is here; check the name, or "
            "log in if it is private."
        ) from error
    except hub_errors.LocalEntryNotFoundError as error:
        raise UsageError(f"{repo_id} could not be fetched from the Hub and is not in the cache.") from error
    except trouble as error:
        raise UsageError(
            f"{repo_id} is no folder here, and could not be fetched from the Hub: {_first_line(error)}"
        ) from error
    path = Path(folder)
    return path, commit if _COMMIT.match(commit) else path.name


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def _feature(kind: pa.DataType) -> Any:
    if kind.equals(_IMAGE):
        return {"_type": "Image"}
    if pa.types.is_list(kind):
        return [_feature(kind.value_type)]
    if pa.types.is_struct(kind):
        return {kind.field(i).name: _feature(kind.field(i).type) for i in range(kind.num_fields)}
    return {"_type": "Value", "dtype": str(kind)}


def _writer(path: Path, schema: pa.Schema) -> Any:
    # Pictures are compressed already: a dictionary or a codec would cost time and save nothing.
    # Content-defined chunking lets the Hub's store recognise a diagram that several versions share.
    return pq.ParquetWriter(
        path,
        schema,
        compression={leaf: "NONE" if leaf in _BYTES_COLUMNS else "SNAPPY" for leaf in _leaves(schema)},
        use_dictionary=[leaf for leaf in _leaves(schema) if leaf not in _BYTES_COLUMNS],
        write_page_index=True,
        use_content_defined_chunking=True,
        write_statistics=["id", "difficulty"],
    )


def _leaves(schema: pa.Schema) -> list[str]:
    def walk(name: str, kind: pa.DataType) -> Iterator[str]:
        if pa.types.is_list(kind):
            yield from walk(f"{name}.list.element", kind.value_type)
        elif pa.types.is_struct(kind):
            for i in range(kind.num_fields):
                yield from walk(f"{name}.{kind.field(i).name}", kind.field(i).type)
        else:
            yield name

    return [leaf for field in schema for leaf in walk(field.name, field.type)]


def _to_columns(row: ReleaseRow, image: Callable[[str], bytes]) -> dict[str, Any]:
    values = row.model_dump(mode="json")
    values["image_sha256"] = list(row.images)
    values["images"] = [_cell(sha256, image) for sha256 in row.images]
    values["options"] = [
        {
            "label": option.label,
            "text": option.text,
            "image": None if option.image_sha256 is None else _cell(option.image_sha256, image),
            "image_sha256": option.image_sha256,
        }
        for option in row.options
    ]
    return values


def _cell(sha256: str, image: Callable[[str], bytes]) -> dict[str, Any]:
    data = image(sha256)
    name = image_name(data)
    if not name.startswith(sha256):
        raise TamperedError(f"image {sha256} has the bytes of {name}; the workspace's picture was changed")
    return {"bytes": data, "path": name}


def _from_columns(values: Mapping[str, Any], path: Path) -> tuple[ReleaseRow, dict[str, bytes]]:
    names: list[str] = list(values["image_sha256"])
    cells = list(zip(names, values["images"], strict=True))
    options = []
    for option in values["options"]:
        if option["image"] is not None:
            cells.append((option["image_sha256"], option["image"]))
        options.append({key: option[key] for key in ("label", "text", "image_sha256")})
    images: dict[str, bytes] = {}
    for sha256, cell in cells:
        data = cell["bytes"]
        if data is None or sha256_bytes(data) != sha256:
            raise TamperedError(f"{path.name}: row {values['id']} names image {sha256}, the bytes are others")
        images[sha256] = data
    fields = {key: value for key, value in values.items() if key != "image_sha256"}
    return ReleaseRow.model_validate({**fields, "images": names, "options": options}), images


def _check_columns(path: Path, schema: pa.Schema) -> None:
    metadata = schema.metadata or {}
    stored = json.loads(metadata.get(b"benchwright", b"{}")).get("release_table")
    if isinstance(stored, int) and stored > TABLE_VERSION:
        raise UsageError(f"{path} was written by a newer Benchwright; update to read it.")
    missing = sorted(set(_COLUMNS) - set(schema.names))
    if missing:
        raise UsageError(f"{path} is no release table: it lacks the column {missing[0]}.")
