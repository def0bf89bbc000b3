"""`curate ingest`: sources into the pool, every row kept or rejected with a reason.

Each source gets its own table below `pool/sources/`; the pool's tables are derived from all of them. So a source can be
ingested again, or another one added, and a killed run leaves either the old pool or the new one. Pictures are kept by
content before any table names them.

    pool/sources/<name>.parquet            kept rows with their line numbers (`IngestedRow`), in source order
    pool/sources/<name>.rejected.jsonl     rejected rows (`Rejected`)
    pool/sources/<name>.notes.jsonl        what was decided about kept rows (`Note`)
    pool/sources/<name>.fetched.jsonl      pictures that were fetched for it (`fetch.FetchedPicture`)
    pool/sources.jsonl                     the sources, in the order of their first ingest (`SourceEntry`)
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchwright.curation.fetch import RemotePictures
from benchwright.curation.fetch_guard import PictureClient
from benchwright.curation.fields import FieldMap
from benchwright.curation.ingest_images import ImageStore, inside, is_url
from benchwright.curation.ingest_pool import merge_pool, register, source_files
from benchwright.curation.ingest_rows import (
    IngestedRow,
    Note,
    RowReader,
    picture_refs,
    placed,
    same_row_digest,
)
from benchwright.curation.presets import load_preset
from benchwright.curation.source_opening import OpenSource, check_source, opened
from benchwright.curation.sources import BadRow, SourceRow
from benchwright.schemas.artefact import Counts, StageResult, manifest_path, run_stage
from benchwright.schemas.digest import digest_of, sha256_file
from benchwright.schemas.errors import ImageRejected, ItemError, UsageError
from benchwright.schemas.images import ImageLimits
from benchwright.schemas.journal import iter_jsonl, write_jsonl
from benchwright.schemas.records import Rejected
from benchwright.schemas.tables import write_records
from benchwright.schemas.taxonomy import load_taxonomy
from benchwright.schemas.workspace import Workspace

STAGE_VERSION = 2


@dataclass(frozen=True)
class IngestOptions:
    """What the command line says about all given sources; None leaves it to the rows and the recipe."""

    name: str | None = None
    license: str | None = None
    discipline: str | None = None
    language: str | None = None
    images_root: Path | None = None
    preset: str | None = None
    """The public source that the files come from (`presets.py`)."""
    fetch_images: bool = False
    """Fetch pictures at URLs that are not pinned yet (`fetch.py`)."""
    recheck_images: bool = False
    """Ask every pinned URL whether it still gives the same picture."""


@dataclass(frozen=True)
class IngestResult:
    """What happened to one source."""

    name: str
    ran: bool
    counts: Counts
    changes: dict[str, int]
    """Kept questions that are `new`, `changed`, `unchanged` or `gone` against the source's last ingest."""
    notes: dict[str, int]
    fetched: int = 0
    """Pictures that were fetched by this run."""
    changed_pictures: dict[str, str] = field(default_factory=dict)
    """URL -> what is there now, of pinned pictures that are no longer the same; the pinned ones stay."""


@dataclass
class _Scan:
    """First pass: what decides about a row without looking at its pictures."""

    refused: dict[int, tuple[str, str, str]] = field(default_factory=dict)
    """Line -> (item id, reason, detail)."""
    pictures: set[str] = field(default_factory=set)
    n_rows: int = 0


def ingest(
    workspace: Workspace,
    sources: Sequence[Path],
    options: IngestOptions,
    on_row: Callable[[str, int, int], None] = lambda name, done, total: None,
) -> list[IngestResult]:
    """Read sources into the pool.

    Args:
        workspace: the workspace.
        sources: files, archives, saved `datasets` folders, or with a preset the source's own folders.
        options: names and defaults.
        on_row: told (source, rows done, rows in all) after each row, and so after each picture that was asked for.

    Returns:
        One result a source, in the given order.

    Raises:
        UsageError: an unreadable source, a wrong mapping, or two sources of one name.
        LockedError: another process is ingesting.
    """
    names = [source_name(path, options.name) for path in sources]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"two sources are called {twice!r}: ingest them one by one with --name.")
    preset = load_preset(options.preset) if options.preset is not None else None
    for path in sources:
        check_source(path, preset)
    results = []
    with workspace.lock("ingest"):
        for path, name in zip(sources, names, strict=True):
            with opened(path, preset, options.images_root) as source:
                results.append(_ingest_one(workspace, source, path.name, name, options, on_row))
        merge_pool(workspace)
    return results


def source_name(path: Path, given: str | None = None) -> str:
    """The name of a source within the workspace: as given, else its file name without endings; safe as a file name."""
    text = (
        given
        if given is not None
        else re.sub(r"(?i)(\.(jsonl|ndjson|json|csv|tsv|parquet|html?|xlsx|zip|gz))+$", "", path.name)
    )
    name = re.sub(r"[^\w.-]+", "-", text).strip("-.")
    if not name:
        raise UsageError(f"{path} gives no usable name: name the source with --name.")
    return name


def _ingest_one(
    workspace: Workspace,
    source: OpenSource,
    file: str,
    name: str,
    options: IngestOptions,
    on_row: Callable[[str, int, int], None],
) -> IngestResult:
    reader = _reader(workspace, name, options, source.root)
    scan = _scan(source, file, reader)
    limits = ImageLimits(
        max_pixels=workspace.recipe.ingest.max_image_pixels,
        max_bytes=workspace.recipe.ingest.max_image_bytes,
    )
    remote = RemotePictures(workspace, name, limits)
    fetched, changed = _fetched(workspace, remote, scan, options, on_row)
    table, rejected, notes = source_files(workspace, name)
    before = _digests(table)
    parameters = {
        "file": file,
        "sha256": source.digest,
        "pictures": _pictures_digest(scan, source.root, remote),
        "reader": _reader_digest(reader, workspace),
    }

    def produce(temporaries: tuple[Path, ...]) -> Counts:
        store = ImageStore(workspace, source.root, limits, remote.read)
        reading = _Reading(source, reader, scan, store, on_row)
        n_kept = write_records(temporaries[0], reading.kept(), IngestedRow)
        write_jsonl(temporaries[1], reading.rejected)
        write_jsonl(temporaries[2], reading.notes)
        reasons = Counter(entry.reason for entry in reading.rejected)
        return Counts(
            n_in=scan.n_rows,
            n_kept=n_kept,
            n_rejected=len(reading.rejected),
            reasons=dict(sorted(reasons.items())),
        )

    _forget_if_pictures_are_gone(workspace, table)
    result = run_stage(
        workspace, f"ingest/{name}", STAGE_VERSION, [], [table, rejected, notes], parameters, produce
    )
    counts = _counts(result)
    register(workspace, name, file, sha256_file(table), counts)
    changes = _changes(before, _digests(table))
    return IngestResult(name, result.ran, counts, changes, _note_counts(notes), fetched, changed)


def _fetched(
    workspace: Workspace,
    remote: RemotePictures,
    scan: _Scan,
    options: IngestOptions,
    on_row: Callable[[str, int, int], None],
) -> tuple[int, dict[str, str]]:
    """Fetch or recheck the pictures at URLs, as the options say: how many came, and what has changed."""
    urls = [picture for picture in scan.pictures if is_url(picture)]
    recipe = workspace.recipe

    def client() -> PictureClient:
        return PictureClient(recipe.ingest.max_image_bytes, recipe.fetch.seconds, recipe.fetch.allow_hosts)

    def on_picture(done: int, total: int) -> None:
        on_row(f"{remote.name} (pictures)", done, total)

    changed = remote.recheck(urls, client, on_picture) if options.recheck_images else {}
    return (remote.fetch(urls, client, on_picture) if options.fetch_images else 0), changed


def _reader(workspace: Workspace, name: str, options: IngestOptions, root: Path) -> RowReader:
    recipe = workspace.recipe
    own = recipe.sources.get(name)
    given = {"discipline": options.discipline, "language": options.language}
    constants = {
        **recipe.ingest.constants,
        **(own.constants if own else {}),
        **{key: value for key, value in given.items() if value is not None},
    }
    preset = load_preset(options.preset) if options.preset is not None else None
    # A preset gives each field under its own name; the recipe's mapping is for sources without one.
    mapping = {} if preset else {**recipe.ingest.fields, **(own.fields if own else {})}
    taxonomy = load_taxonomy(recipe.benchmark.taxonomy, workspace.taxonomies)
    license_name = options.license or (preset.license if preset else None)
    return RowReader(name, FieldMap(mapping, constants), recipe, taxonomy, license_name, preset, root)


def _reader_digest(reader: RowReader, workspace: Workspace) -> str:
    """Everything but the source that decides what a row becomes."""
    recipe = workspace.recipe
    return digest_of(
        {
            "fields": reader.fields.as_json(),
            "license": reader.license,
            "licenses": {name: source.license for name, source in recipe.sources.items()},
            "disciplines": sorted(recipe.disciplines),
            "languages": recipe.benchmark.languages,
            "limits": [recipe.ingest.max_image_pixels, recipe.ingest.max_image_bytes],
            "taxonomy": reader.taxonomy,
            **({"preset": reader.preset.model_dump(mode="json")} if reader.preset else {}),
        }
    )


def _scan(source: OpenSource, file: str, reader: RowReader) -> _Scan:
    """Read ids and picture paths of all rows; tell clashes and repeats before anything is kept."""
    scan = _Scan()
    lines: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for row in source.rows():
        scan.n_rows += 1
        if isinstance(row, BadRow):
            detail = placed(row.detail, row.place)
            scan.refused[row.line] = (f"{reader.name}:{row.line}", row.reason, detail)
            continue
        try:
            lines[reader.row_id(row)].append((row.line, same_row_digest(row)))
        except ItemError as error:
            scan.refused[row.line] = (f"{reader.name}:{row.line}", error.reason, error.detail)
        scan.pictures.update(reader.picture_paths(row))
    if scan.n_rows == 0:
        raise UsageError(f"{file} holds no rows: give a file with at least one question.")
    for item_id, places in lines.items():
        if len({digest for _, digest in places}) > 1:
            where = _listed([line for line, _ in places])
            for line, _ in places:
                scan.refused[line] = (
                    item_id,
                    "id-clash",
                    f"id {item_id!r} stands on lines {where} with other content",
                )
        else:
            for line, _ in places[1:]:
                scan.refused[line] = (item_id, "repeated-row", f"the same row stands on line {places[0][0]}")
    return scan


@dataclass
class _Reading:
    """Second pass: rows to questions; collects what it rejects and notes."""

    source: OpenSource
    reader: RowReader
    scan: _Scan
    store: ImageStore
    on_row: Callable[[str, int, int], None]
    rejected: list[Rejected] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def kept(self) -> Iterator[IngestedRow]:
        """The questions, one by one."""
        for done, row in enumerate(self.source.rows(), start=1):
            if row.line in self.scan.refused:
                self._reject(row.line, *self.scan.refused[row.line])
            elif isinstance(row, SourceRow):
                try:
                    question, notes = self.reader.question(row, self.store)
                except ItemError as error:
                    # A picture's reasons ("missing", "truncated") need a name of their own among a row's.
                    prefix = "image-" if isinstance(error, ImageRejected) else ""
                    detail = placed(error.detail, row.place)
                    self._reject(row.line, self.reader.row_id(row), prefix + error.reason, detail)
                else:
                    self.notes.extend(notes)
                    names = [ref.sha256 + ref.suffix for ref in picture_refs(question.texts, question.images)]
                    yield IngestedRow(
                        line=row.line, digest=digest_of(question), pictures=tuple(names), question=question
                    )
            self.on_row(self.reader.name, done, self.scan.n_rows)

    def _reject(self, line: int, item_id: str, reason: str, detail: str) -> None:
        self.rejected.append(
            Rejected(
                item_id=item_id,
                stage="ingest",
                reason=reason,
                detail=detail,
                source=self.reader.name,
                line=line,
            )
        )


def _pictures_digest(scan: _Scan, root: Path, remote: RemotePictures) -> str:
    return digest_of(
        {
            picture: remote.state(picture) if is_url(picture) else _file_digest(picture, root)
            for picture in sorted(scan.pictures)
        }
    )


def _file_digest(picture: str, root: Path) -> str:
    file = inside(picture, root)
    return "" if file is None else sha256_file(file)


def _forget_if_pictures_are_gone(workspace: Workspace, table: Path) -> None:
    """A table whose pictures were deleted from the workspace is made anew, as if it had never been."""
    if not manifest_path(table).is_file() or not table.is_file():
        return
    for row in _columns(table, "pictures"):
        for name in row["pictures"]:
            sha256, dot, ending = name.partition(".")
            if not workspace.image(sha256, dot + ending).is_file():
                manifest_path(table).unlink()
                return


def _digests(table: Path) -> dict[str, str]:
    if not table.is_file():
        return {}
    return {row["question"]["id"]: row["digest"] for row in _columns(table, "digest", "question.id")}


def _columns(table: Path, *names: str) -> Iterator[dict[str, Any]]:
    with pq.ParquetFile(table) as file:
        for batch in file.iter_batches(columns=list(names)):
            yield from batch.to_pylist()


def _changes(before: dict[str, str], after: dict[str, str]) -> dict[str, int]:
    return {
        "new": len(after.keys() - before.keys()),
        "changed": sum(1 for key in after.keys() & before.keys() if after[key] != before[key]),
        "unchanged": sum(1 for key in after.keys() & before.keys() if after[key] == before[key]),
        "gone": len(before.keys() - after.keys()),
    }


def _note_counts(path: Path) -> dict[str, int]:
    return dict(sorted(Counter(note.code for note in iter_jsonl(path, Note)).items()))


def _counts(result: StageResult) -> Counts:
    if result.counts is None:
        raise AssertionError("ingest always counts")
    return result.counts


def _listed(lines: Sequence[int]) -> str:
    return ", ".join(map(str, lines[:-1])) + f" and {lines[-1]}"
