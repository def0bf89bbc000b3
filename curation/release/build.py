"""Building the release folder: Parquet files, card, licences and a manifest that lists them. No network.

The folder is made under another name and renamed when its manifest, written last, is complete; so `release/<tag>/`
is either whole or not there. Same input, same bytes, wherever it is built.
"""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright import __version__
from benchwright.curation.release.card import render_card
from benchwright.curation.release.check import (
    Finding,
    Known,
    check_folder,
    check_release,
    unfinished,
    without_failing,
)
from benchwright.curation.release.licences import release_licence, render_licenses, terms_of
from benchwright.curation.release.rows import ReleaseContent, ReleaseImages, release_content
from benchwright.curation.release.statistics import ReleaseFigures, release_figures
from benchwright.schemas.artefact import StageState, sync_folder, write_atomic
from benchwright.schemas.digest import digest_of, sha256_file
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Problem, ReleaseRow
from benchwright.schemas.release_table import (
    MANIFEST_NAME,
    TABLE_VERSION,
    ReleaseFile,
    ReleaseManifest,
    read_manifest,
    write_release_table,
)
from benchwright.schemas.review_figures import read_figures
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

STAGE_VERSION = 1
CARD_NAME = "README.md"
SHARD_BYTES = 400_000_000
"""Picture bytes after which a group of rows goes on in another file."""


@dataclass(frozen=True)
class BuiltRelease:
    """A release folder and what is in it."""

    folder: Path
    manifest: ReleaseManifest
    figures: ReleaseFigures
    content: ReleaseContent
    ran: bool
    """False: the folder already held exactly this."""


def checked_content(
    workspace: Workspace, drop_failing: bool = False
) -> tuple[ReleaseContent, tuple[Finding, ...]]:
    """Rows of the workspace's problems, and what stands against publishing them.

    Args:
        workspace: where the problems and renders lie.
        drop_failing: take the rows with findings out (each recorded with its reason) instead of refusing.

    Returns:
        The content, and the findings that are left.

    Raises:
        UsageError: there are no problems yet.
    """
    if not workspace.problems.is_file():
        raise UsageError(f"{workspace.problems} does not exist: run `curate problems` first.")
    content = release_content(workspace, read_records(workspace.problems, Problem))
    known = Known.of(workspace)
    findings = check_release(content, known)
    if not drop_failing:
        findings = (*unfinished(content), *findings)
    elif content.rows and findings:
        content = without_failing(content, findings)
        findings = check_release(content, known)
    return content, findings


def build_release(
    workspace: Workspace, tag: str, repo_id: str, content: ReleaseContent, shard_bytes: int = SHARD_BYTES
) -> BuiltRelease:
    """Write `release/<tag>/` unless it already holds exactly this content, intact.

    Args:
        workspace: where to write; the lock `release` is held while writing.
        tag: name of the release.
        repo_id: the dataset's id on the Hub, for the card's loading lines.
        content: checked rows and pictures.
        shard_bytes: picture bytes per Parquet file.

    Raises:
        LockedError: another process is building a release.
        TamperedError: a picture was changed since the rows were made.
        UsageError: the figures on reviews are older than the reviews, or a file would name a person.
    """
    folder = workspace.release(tag)
    figures = release_figures(content.rows, content.rejected, content.origins)
    title = workspace.recipe.benchmark.title or workspace.recipe.benchmark.name
    terms = terms_of(content.rows, workspace.recipe.sources)
    licence = release_licence(workspace.recipe.release.license, terms)
    card = render_card(
        title=title,
        repo_id=repo_id,
        tag=tag,
        license_id=licence.license,
        choices_in_image=workspace.recipe.render.choices == "image",
        rows=content.rows,
        figures=figures,
        repeats=content.repeats,
        reviews=read_figures(workspace),
    )
    texts = {CARD_NAME: card, "LICENSES.md": render_licenses(licence, terms)}
    signature = digest_of(
        {
            "stage_version": STAGE_VERSION,
            "table_version": TABLE_VERSION,
            "package_version": __version__,
            "tag": tag,
            "rows": content.rows,
            "content": content.digest,
            "texts": texts,
            "shard_bytes": shard_bytes,
        }
    )
    with workspace.lock("release"):
        known = read_manifest(folder) if folder.is_dir() else None
        if known is not None and known.signature == signature and _intact(folder, known, card):
            return BuiltRelease(folder, known, figures, content, ran=False)
        manifest = _write_folder(workspace, tag, signature, content, texts, shard_bytes)
    return BuiltRelease(folder, manifest, figures, content, ran=True)


def release_state(workspace: Workspace, tag: str) -> StageState:
    """State of a release folder for `benchwright status`: is it there, whole, and newer than the problems?"""
    folder = workspace.release(tag)
    manifest = read_manifest(folder) if folder.is_dir() else None
    if manifest is None:
        return "missing"
    if not _intact(folder, manifest, None):
        return "tampered"
    if not workspace.problems.is_file():
        return "stale"
    content = release_content(workspace, read_records(workspace.problems, Problem))
    return "done" if manifest.content == content.digest else "stale"


def _intact(folder: Path, manifest: ReleaseManifest, card: str | None) -> bool:
    for file in manifest.files:
        path = folder / file.path
        if not path.is_file() or sha256_file(path) != file.sha256:
            return False
    path = folder / CARD_NAME
    return path.is_file() and (card is None or path.read_bytes() == card.encode("utf-8"))


def _write_folder(
    workspace: Workspace,
    tag: str,
    signature: str,
    content: ReleaseContent,
    texts: dict[str, str],
    shard_bytes: int,
) -> ReleaseManifest:
    folder = workspace.release(tag)
    folder.parent.mkdir(parents=True, exist_ok=True)
    for leftover in folder.parent.glob(
        f".{tag}.*.tmp"
    ):  # of a killed build: the lock says that nobody is at it
        shutil.rmtree(leftover)
    temporary = folder.with_name(f".{tag}.{os.getpid()}.tmp")
    temporary.mkdir()
    files = [_file(temporary, name, rows) for name, rows in _tables(temporary, content, shard_bytes)]
    for name, text in texts.items():
        write_atomic(temporary / name, text.encode("utf-8"))
        if name != CARD_NAME:
            files.append(_file(temporary, name))
    if findings := check_folder(temporary, Known.of(workspace)):
        shutil.rmtree(temporary)
        raise UsageError(
            f"Not built: {findings[0].sentence} ({findings[0].code} in {findings[0].rows[0]}: "
            f"{findings[0].details[0]}); mend it by: {findings[0].command}."
        )
    manifest = ReleaseManifest(
        name=workspace.recipe.benchmark.name,
        tag=tag,
        table_version=TABLE_VERSION,
        package_version=__version__,
        signature=signature,
        content=content.digest,
        canary=content.rows[0].canary,
        rows=len(content.rows),
        problems=len({row.problem_id for row in content.rows}),
        files=tuple(sorted(files, key=lambda file: file.path)),
    )
    write_atomic(temporary / MANIFEST_NAME, (manifest.model_dump_json(indent=2) + "\n").encode("utf-8"))
    _replace_folder(temporary, folder)
    return manifest


def _replace_folder(temporary: Path, folder: Path) -> None:
    if folder.exists():
        old = folder.with_name(f".{folder.name}.old.tmp")
        folder.rename(old)
        temporary.rename(folder)
        shutil.rmtree(old)
    else:
        temporary.rename(folder)
    sync_folder(folder.parent)


def _file(folder: Path, name: str, rows: int | None = None) -> ReleaseFile:
    path = folder / name
    return ReleaseFile(path=name, sha256=sha256_file(path), bytes=path.stat().st_size, rows=rows)


def _tables(folder: Path, content: ReleaseContent, shard_bytes: int) -> Iterator[tuple[str, int]]:
    """Write the Parquet files; yields each one's name and number of rows."""
    groups: dict[tuple[str, str, str], list[ReleaseRow]] = defaultdict(list)
    for row in content.rows:
        groups[row.language, row.version, row.split.value].append(row)
    for (language, version, split), rows in sorted(groups.items()):
        shards = list(_shards(rows, content.images, shard_bytes))
        for number, shard in enumerate(shards):
            name = f"data/{language}/{version}/{split}-{number:05d}-of-{len(shards):05d}.parquet"
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_release_table(path, shard, content.images)
            with path.open("rb+") as stream:
                os.fsync(stream.fileno())
            yield name, len(shard)


def _shards(
    rows: Sequence[ReleaseRow], images: ReleaseImages, shard_bytes: int
) -> Iterator[Sequence[ReleaseRow]]:
    start = size = 0
    for place, row in enumerate(rows):
        sent = (*row.images, *(option.image_sha256 for option in row.options))
        weight = sum(images.paths[sha256].stat().st_size for sha256 in sent if sha256 is not None)
        if size and size + weight > shard_bytes:
            yield rows[start:place]
            start, size = place, 0
        size += weight
    yield rows[start:]
