"""The released rows that a run asks, fixed to a commit and a digest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright.eval.runs.pictures import Pictures
from benchwright.eval.runs.spec import SCORED_SPLITS, DatasetSpec
from benchwright.schemas.digest import digest_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import ReleaseRow, Split
from benchwright.schemas.release_table import ResolvedRelease, read_release, resolve_release


@dataclass(frozen=True)
class Selection:
    """Which rows of a release are wanted; empty means all."""

    versions: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    splits: tuple[Split, ...] = SCORED_SPLITS
    limit: int | None = None
    only: tuple[str, ...] = ()
    preferred: tuple[str, ...] = ()
    """Versions to keep to where neither versions nor rows are named and the release has any of them."""


@dataclass(frozen=True)
class Dataset:
    """Rows in the order of their ids, and the bytes of their pictures by sha256."""

    spec: DatasetSpec
    rows: tuple[ReleaseRow, ...]
    images: Mapping[str, bytes]


def split_name(target: str) -> tuple[str, str | None]:
    """Split `ORG/NAME@REVISION`; an existing folder is taken as it stands, even with an `@` in its name."""
    if Path(target).is_dir() or "@" not in target:
        return target, None
    name, _, revision = target.rpartition("@")
    if not name or not revision:
        raise UsageError(f"{target!r} names no data set: write a folder, ORG/NAME or ORG/NAME@REVISION.")
    return name, revision


def open_dataset(
    target: str, selection: Selection, *, to_score: bool = True
) -> tuple[ResolvedRelease, Dataset]:
    """Resolve a release and read the chosen rows.

    Args:
        target: a release folder, `ORG/NAME` or `ORG/NAME@REVISION`.
        selection: which rows.
        to_score: the rows' answers are needed; False where they are only asked, or come from elsewhere.

    Raises:
        UsageError: no such release, nothing chosen, an unknown version, language or row id, or withheld answers.
        TamperedError: a file or picture is not what its digest says.
    """
    release = resolve_release(*split_name(target))
    return release, choose_rows(release, selection, to_score=to_score)


def choose_rows(release: ResolvedRelease, selection: Selection, *, to_score: bool = True) -> Dataset:
    """Read a resolved release and keep the chosen rows.

    Raises:
        UsageError: nothing chosen, an unknown name, a row id that stands twice, or withheld answers.
    """
    if Split.DEV in selection.splits:
        raise UsageError(
            "The dev split holds the few-shot examples and is never scored; use test or testmini."
        )
    rows: dict[str, ReleaseRow] = {}
    images = Pictures()
    seen_versions: set[str] = set()
    seen_languages: set[str] = set()
    for row, pictures in read_release(release):
        seen_versions.add(row.version)
        seen_languages.add(row.language)
        if not _wanted(row, selection):
            continue
        if row.id in rows:
            raise UsageError(f"{release.name} holds row {row.id} twice; this release cannot be scored.")
        rows[row.id] = row
        for sha256 in row.images:
            images.add(sha256, pictures[sha256])
    _check_names(selection.versions, seen_versions, "version", release.name)
    _check_names(selection.languages, seen_languages, "language", release.name)
    _check_names(selection.only, set(rows), "row", release.name)
    named = selection.versions or selection.only
    if not named and seen_versions & set(selection.preferred):
        rows = {row_id: row for row_id, row in rows.items() if row.version in selection.preferred}
    chosen = tuple(rows[row_id] for row_id in sorted(rows))[: selection.limit]
    check_rows(chosen, release.name, to_score=to_score)
    images.keep({sha256 for row in chosen for sha256 in row.images})
    return Dataset(spec=dataset_spec(release, selection, chosen), rows=chosen, images=images)


def _wanted(row: ReleaseRow, selection: Selection) -> bool:
    return (
        row.split in selection.splits
        and (not selection.versions or row.version in selection.versions)
        and (not selection.languages or row.language in selection.languages)
        and (not selection.only or row.id in selection.only)
    )


def _check_names(wanted: Sequence[str], known: set[str], what: str, where: str) -> None:
    for name in wanted:
        if name not in known:
            there = f" ({', '.join(sorted(known))})" if what != "row" else ""
            raise UsageError(f"{where} has no {what} {name!r}{there}; choose one that it has.")


def check_rows(rows: Sequence[ReleaseRow], where: str, *, to_score: bool = True) -> None:
    """Refuse rows that cannot be asked or, where they are to be scored, scored.

    Raises:
        UsageError: there are none, or their answers are withheld.
    """
    if not rows:
        raise UsageError(
            f"{where} has no scored rows for this choice; widen --versions, --languages or --split."
        )
    withheld = sum(row.answer is None for row in rows) if to_score else 0
    if withheld:
        raise UsageError(
            f"{withheld} of {len(rows)} chosen rows of {where} have no published answer and cannot be scored here; "
            "choose a split whose answers are published, or make predictions with evaluate generate."
        )


def selection_of(spec: DatasetSpec) -> Selection:
    """The choice of rows that a specification records."""
    return Selection(spec.versions, spec.languages, spec.splits, spec.limit, spec.only)


def dataset_spec(
    release: ResolvedRelease,
    selection: Selection,
    rows: Sequence[ReleaseRow],
    answers: str | None = None,
) -> DatasetSpec:
    """What fixes the chosen rows of a release to the byte.

    Args:
        release: the resolved release.
        selection: how they were chosen.
        rows: the rows, in order.
        answers: digest of the file that their answers came from; None where the release has them.
    """
    hub = release.revision is not None
    manifest = release.manifest
    folder_name = release.folder.resolve().name if manifest is None else manifest.name
    return DatasetSpec(
        name=release.name if hub else folder_name,
        origin="hub" if hub else "folder",
        commit=release.revision,
        digest=digest_of([digest_of(row) for row in rows]),
        tag=None if manifest is None else manifest.tag,
        rows=len(rows),
        versions=tuple(sorted({row.version for row in rows})),
        languages=tuple(sorted({row.language for row in rows})),
        splits=tuple(split for split in Split if split in {row.split for row in rows}),
        limit=selection.limit,
        only=tuple(sorted(selection.only)),
        answers=answers,
    )
