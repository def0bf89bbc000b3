"""Building the release folder: Parquet files, card, licences and a manifest that lists them. No network.

The folder is made under another name and renamed when its manifest, written last, is complete; so `release/<tag>/`
is either whole or not there. Same input, same bytes, wherever it is built.
"""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchwright import __version__
from benchwright.curation.release.card_check import card_troubles
from benchwright.curation.release.check import (
    Finding,
    Known,
    check_folder,
    check_release,
    unfinished,
    without_failing,
)
from benchwright.curation.release.check_rows import withheld_troubles
from benchwright.curation.release.checklist import checklist
from benchwright.curation.release.edition import Edition
from benchwright.curation.release.errata import ErrataPlan, earlier_errata
from benchwright.curation.release.exports.source import Instruct
from benchwright.curation.release.findings import gathered
from benchwright.curation.release.rows import ReleaseContent, ReleaseImages, release_content
from benchwright.curation.release.statistics import ReleaseFigures
from benchwright.curation.release.texts import CARD_NAME, Texts, gather_texts
from benchwright.curation.release.withheld import (
    KeptBack,
    content_mark,
    keep_back,
    private_written,
    read_salts,
    write_private,
)
from benchwright.schemas.artefact import StageState, sync_folder, write_atomic
from benchwright.schemas.digest import digest_of, sha256_file
from benchwright.schemas.errors import TamperedError, UsageError
from benchwright.schemas.records import Problem, ReleaseRow
from benchwright.schemas.release_table import (
    MANIFEST_NAME,
    TABLE_VERSION,
    ReleaseFile,
    ReleaseManifest,
    read_manifest,
    write_release_table,
)
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

STAGE_VERSION = 3
SHARD_BYTES = 400_000_000
"""Picture bytes after which a group of rows goes on in another file."""


@dataclass(frozen=True)
class BuiltRelease:
    """A release folder and what is in it."""

    folder: Path
    manifest: ReleaseManifest
    figures: ReleaseFigures
    content: ReleaseContent
    """As it is published: without the answers that are withheld."""
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
    workspace: Workspace,
    tag: str,
    repo_id: str,
    content: ReleaseContent,
    shard_bytes: int = SHARD_BYTES,
    *,
    words: Instruct | None = None,
    findings: Sequence[Finding] | None = None,
    errata: ErrataPlan | None = None,
) -> BuiltRelease:
    """Write `release/<tag>/` unless it already holds exactly this content, intact.

    Args:
        workspace: where to write; the lock `release` is held while writing.
        tag: name of the release.
        repo_id: the dataset's id on the Hub, for the card's loading lines and the exports.
        content: checked rows and pictures, with all answers.
        shard_bytes: picture bytes per Parquet file.
        words: what `evaluate` puts in front of a question, for `exports/`; None: no exports.
        findings: of `checked_content`, where the content was just checked; None: checked again for the checklist.
        errata: of a release that corrects another: which, and what changed; None: those of the release before it.

    Raises:
        LockedError: another process is building a release.
        TamperedError: a picture was changed since the rows were made, or the file of salts is damaged.
        UsageError: the figures on reviews are older than the reviews, or a file would name a person or hold an
            answer that is withheld.
    """
    folder = workspace.release(tag)
    withhold = workspace.recipe.release.withhold
    with workspace.lock("release"):
        kept = keep_back(content.rows, withhold, _salts(workspace, tag, errata))
        published = replace(
            content,
            rows=kept.rows,
            digest=content_mark(content.digest, withhold, {one.id: one.salt for one in kept.salts}),
        )
        checked = checklist(content, _tagged(workspace, tag), findings, published=True)
        edition = Edition.of(workspace, tag, repo_id, published, kept, checked)
        listed = earlier_errata(workspace, tag, withhold) if errata is None else errata.errata
        texts = gather_texts(edition, kept, listed, words)
        signature = _signature(tag, published, texts, shard_bytes)
        known = read_manifest(folder) if folder.is_dir() else None
        whole = known is not None and known.signature == signature and _intact(folder, known, texts.card)
        if known is not None and whole and private_written(workspace, tag, kept):
            return BuiltRelease(folder, known, edition.figures, published, ran=False)
        manifest = _write_folder(workspace, tag, signature, published, kept, texts, shard_bytes)
    return BuiltRelease(folder, manifest, edition.figures, published, ran=True)


def _salts(workspace: Workspace, tag: str, errata: ErrataPlan | None) -> dict[str, str]:
    """Salts by row id; rows of the release that is corrected keep theirs, so that their promises stay the same."""
    before = {} if errata is None else read_salts(workspace, errata.base)
    return before | read_salts(workspace, tag)


def _tagged(workspace: Workspace, tag: str) -> Workspace:
    """The workspace as if its recipe named this release's tag: the command line may name another."""
    release = workspace.recipe.release.model_copy(update={"tag": tag})
    return Workspace(workspace.root, workspace.recipe.model_copy(update={"release": release}))


def _signature(tag: str, published: ReleaseContent, texts: Texts, shard_bytes: int) -> str:
    """Digest of everything that is published."""
    return digest_of(
        {
            "stage_version": STAGE_VERSION,
            "table_version": TABLE_VERSION,
            "package_version": __version__,
            "tag": tag,
            "rows": published.rows,
            "content": published.digest,
            "texts": texts.mark,
            "shard_bytes": shard_bytes,
        }
    )


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
    try:
        mark = content_mark(content.digest, workspace.recipe.release.withhold, read_salts(workspace, tag))
    except TamperedError:
        return "tampered"
    return "done" if manifest.content == mark else "stale"


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
    kept: KeptBack,
    texts: Texts,
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
    for name, data in texts.files(files).items():
        write_atomic(temporary / name, data)
        if name != CARD_NAME:
            files.append(_file(temporary, name))
    if troubles := list(card_troubles(texts.card, {file.path for file in files})):
        shutil.rmtree(temporary)
        raise RuntimeError(f"the card would not load: {troubles[0]}")
    unsafe = gathered(withheld_troubles(content.rows, workspace.recipe.release.withhold))
    if findings := (*unsafe, *check_folder(temporary, Known.of(workspace), kept.searched)):
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
    write_private(workspace, tag, kept)
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
