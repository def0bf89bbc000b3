"""What differs between two releases: rows that came, went or changed, by field, and pictures by digest.

Two passes over each release. The first keeps a digest a row, the second reads the few rows whose digests differ; the
bytes of pictures are never read, only their digests (the files as a whole are checked where a release is resolved).
The later release may be rows that are not written yet: an errata is known before it is built.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import JsonValue

from benchwright.schemas.digest import digest_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Record, ReleaseRow
from benchwright.schemas.release_table import ResolvedRelease, release_schema, resolve_release
from benchwright.schemas.workspace import Workspace

_KEYS = ("id", "problem_id", "version", "language", "split")
_AT_ONCE = 256


class ReleaseSide(Record):
    """One of the two releases."""

    name: str
    tag: str | None
    """As its manifest says; None without one."""
    revision: str | None
    """Commit on the Hub; None for a folder."""
    rows: int
    problems: int
    images: int
    """Different pictures."""


class DiffRow(Record):
    """A row that only one of the releases has."""

    id: str
    problem_id: str
    version: str
    language: str
    split: str


class FieldChange(Record):
    """One column of one row, before and after; pictures by their sha256."""

    field: str
    before: JsonValue
    after: JsonValue


class RowChange(Record):
    """A row that both releases have, with other values."""

    id: str
    problem_id: str
    version: str
    language: str
    changes: tuple[FieldChange, ...]
    """In the order of the columns; never empty."""


class RowCount(Record):
    """Rows of one version and language in both releases."""

    version: str
    language: str
    before: int
    after: int


class ReleaseDiff(Record):
    """Everything in which two releases differ; all lists are sorted."""

    before: ReleaseSide
    after: ReleaseSide
    added: tuple[DiffRow, ...]
    removed: tuple[DiffRow, ...]
    changed: tuple[RowChange, ...]
    fields: dict[str, int]
    """By column, in how many rows it changed."""
    images_added: tuple[str, ...]
    images_removed: tuple[str, ...]
    columns_added: tuple[str, ...]
    """Columns that only the later release has; they are not compared row by row."""
    columns_removed: tuple[str, ...]
    files: tuple[str, ...]
    """Other files of the manifests that came, went or changed, each as `+ path`, `- path` or `~ path`."""
    counts: tuple[RowCount, ...]

    @property
    def same(self) -> bool:
        """Whether both hold the same rows."""
        return not (self.added or self.removed or self.changed or self.columns_added or self.columns_removed)


@dataclass(frozen=True)
class _Line:
    """What the first pass keeps of a row."""

    row: DiffRow
    digest: str


@dataclass(frozen=True)
class _Indexed:
    lines: Mapping[str, _Line]
    images: frozenset[str]


@dataclass(frozen=True)
class _Source:
    """One of the two releases: its name, and its rows as plain values without the bytes of pictures."""

    name: str
    tag: str | None
    revision: str | None
    columns: list[str]
    rows: Callable[[Collection[str] | None], Iterator[dict[str, Any]]]
    """All rows with some columns; None: all columns."""


def find_side(name: str, workspace: Workspace | None) -> ResolvedRelease:
    """A release by the tag under which the workspace built it, by its folder, or on the Hub as `ORG/NAME[@TAG]`.

    Raises:
        UsageError: there is none of that name; says which tags are built.
        TamperedError: a table is not what the release's manifest says.
    """
    if workspace is not None and "/" not in name and workspace.release(name).is_dir():
        return resolve_release(str(workspace.release(name)))
    if Path(name).is_dir():
        return resolve_release(name)
    repo_id, _, tag = name.partition("@")
    if "/" in repo_id and not Path(repo_id).is_absolute():
        return resolve_release(repo_id, tag or None)
    tags = built_tags(workspace)
    known = f"built here: {', '.join(tags)}" if tags else "no release is built here"
    raise UsageError(
        f"There is no release {name}: name a tag ({known}), a folder, or ORG/NAME@TAG on the Hub."
    )


def built_tags(workspace: Workspace | None) -> tuple[str, ...]:
    """Tags under which the workspace holds a built release, sorted."""
    if workspace is None:
        return ()
    return tuple(sorted(path.parent.name for path in workspace.release("x").parent.glob("*/manifest.json")))


def diff_releases(before: ResolvedRelease, after: ResolvedRelease) -> ReleaseDiff:
    """Compare two releases row by row; rows are the same row when their ids are.

    Raises:
        UsageError: a release holds no table, or one id twice.
    """
    found = _diff(_source(before), _source(after))
    return found.model_copy(update={"files": tuple(_files(before, after))})


def diff_with_rows(before: ResolvedRelease, rows: Sequence[ReleaseRow], tag: str) -> ReleaseDiff:
    """Compare a release with rows that are to be built; the same as `diff_releases` with the built release, but files.

    Args:
        before: the earlier release.
        rows: the later one's, as they will be published.
        tag: its tag.

    Raises:
        UsageError: the release holds no table, or one id twice.
    """

    def values(columns: Collection[str] | None) -> Iterator[dict[str, Any]]:
        for row in rows:
            light = {**row.model_dump(mode="json"), "image_sha256": list(row.images)}
            yield {
                key: value
                for key, value in light.items()
                if key != "images" and (columns is None or key in columns)
            }

    names = [name for name in release_schema().names if name != "images"]
    return _diff(_source(before), _Source("rows to be built", tag, None, names, values))


def _source(release: ResolvedRelease) -> _Source:
    def values(columns: Collection[str] | None) -> Iterator[dict[str, Any]]:
        for path in release_tables(release):
            yield from iter_light_rows(path, columns)

    tag = None if release.manifest is None else release.manifest.tag
    return _Source(release.name, tag, release.revision, _columns(release), values)


def _diff(before: _Source, after: _Source) -> ReleaseDiff:
    common = [name for name in after.columns if name in before.columns]
    old, new = _index(before, common), _index(after, common)
    shared = [name for name in sorted(new.lines) if name in old.lines]
    other = {name for name in shared if new.lines[name].digest != old.lines[name].digest}
    was, now = _values(before, common, other), _values(after, common, other)
    changed = [_changed(new.lines[name].row, was[name], now[name], common) for name in sorted(other)]
    fields = Counter(change.field for row in changed for change in row.changes)
    return ReleaseDiff(
        before=_side(before, old),
        after=_side(after, new),
        added=tuple(new.lines[name].row for name in sorted(new.lines.keys() - old.lines.keys())),
        removed=tuple(old.lines[name].row for name in sorted(old.lines.keys() - new.lines.keys())),
        changed=tuple(changed),
        fields={name: fields[name] for name in common if fields[name]},
        images_added=tuple(sorted(new.images - old.images)),
        images_removed=tuple(sorted(old.images - new.images)),
        columns_added=tuple(name for name in after.columns if name not in before.columns),
        columns_removed=tuple(name for name in before.columns if name not in after.columns),
        files=(),
        counts=tuple(_counts(old, new)),
    )


def iter_light_rows(path: Path, columns: Collection[str] | None = None) -> Iterator[dict[str, Any]]:
    """Rows of a release's table as plain values, without the bytes of any picture (`images` is left out).

    Args:
        path: a Parquet file of a release.
        columns: which; None: all. One that the table lacks is left out.
    """
    with pq.ParquetFile(path, buffer_size=1 << 16, pre_buffer=False) as source:
        leaves = [source.schema.column(i).path for i in range(len(source.schema.names))]
        wanted = [leaf for leaf in leaves if _is_light(leaf) and _wanted(leaf, columns)]
        for batch in source.iter_batches(batch_size=_AT_ONCE, columns=wanted, use_threads=False):
            yield from batch.to_pylist()
    pa.default_memory_pool().release_unused()


def release_tables(release: ResolvedRelease) -> list[Path]:
    """The Parquet files of a release, sorted.

    Raises:
        UsageError: it holds none.
    """
    if release.manifest is not None:
        paths = [release.folder / file.path for file in release.manifest.tables()]
    else:
        paths = list(release.folder.glob("data/*/*/*.parquet"))
    if not paths:
        raise UsageError(f"{release.name} holds no data/LANGUAGE/VERSION/SPLIT-*.parquet: it is no release.")
    return sorted(paths)


def _is_light(leaf: str) -> bool:
    return not (leaf.startswith("images.") or leaf.endswith((".image.bytes", ".image.path")))


def _wanted(leaf: str, columns: Collection[str] | None) -> bool:
    return columns is None or leaf.partition(".")[0] in columns


def _columns(release: ResolvedRelease) -> list[str]:
    names: dict[str, None] = {}
    for path in release_tables(release):
        names |= dict.fromkeys(pq.read_schema(path).names)
    missing = [key for key in _KEYS if key not in names]
    if missing:
        raise UsageError(f"{release.name} is no release: its tables lack the column {missing[0]}.")
    return [name for name in names if name != "images"]


def _index(source: _Source, columns: Sequence[str]) -> _Indexed:
    lines: dict[str, _Line] = {}
    images: set[str] = set()
    for values in source.rows(None):
        row = DiffRow.model_validate({key: values[key] for key in _KEYS})
        if row.id in lines:
            raise UsageError(f"{source.name} holds the row {row.id} twice: build it again.")
        images.update(_images(values))
        lines[row.id] = _Line(row, digest_of([values.get(name) for name in columns]))
    return _Indexed(lines, frozenset(images))


def _images(values: Mapping[str, Any]) -> Iterator[str]:
    yield from values.get("image_sha256") or ()
    for option in values.get("options") or ():
        if option.get("image_sha256") is not None:
            yield option["image_sha256"]


def _values(source: _Source, columns: Sequence[str], ids: Collection[str]) -> dict[str, dict[str, Any]]:
    if not ids:
        return {}
    return {values["id"]: values for values in source.rows(columns) if values["id"] in ids}


def _changed(
    row: DiffRow, before: Mapping[str, Any], after: Mapping[str, Any], columns: Sequence[str]
) -> RowChange:
    changes = [
        FieldChange(field=name, before=before.get(name), after=after.get(name))
        for name in columns
        if before.get(name) != after.get(name)
    ]
    return RowChange(
        id=row.id,
        problem_id=row.problem_id,
        version=row.version,
        language=row.language,
        changes=tuple(changes),
    )


def _side(source: _Source, indexed: _Indexed) -> ReleaseSide:
    return ReleaseSide(
        name=source.name,
        tag=source.tag,
        revision=source.revision,
        rows=len(indexed.lines),
        problems=len({line.row.problem_id for line in indexed.lines.values()}),
        images=len(indexed.images),
    )


def _files(before: ResolvedRelease, after: ResolvedRelease) -> Iterator[str]:
    if before.manifest is None or after.manifest is None:
        return
    old = {file.path: file.sha256 for file in before.manifest.files if file.rows is None}
    new = {file.path: file.sha256 for file in after.manifest.files if file.rows is None}
    for path in sorted(old.keys() | new.keys()):
        if old.get(path) != new.get(path):
            sign = "+" if path not in old else "-" if path not in new else "~"
            yield f"{sign} {path}"


def _counts(old: _Indexed, new: _Indexed) -> Iterator[RowCount]:
    was = Counter((line.row.version, line.row.language) for line in old.lines.values())
    now = Counter((line.row.version, line.row.language) for line in new.lines.values())
    for version, language in sorted(was.keys() | now.keys()):
        cell = (version, language)
        yield RowCount(version=version, language=language, before=was[cell], after=now[cell])
