"""The release that an errata corrects: by default what main of the data set holds.

Its rows come from `release/<tag>/` where that is the very release on the Hub, else from the Hub by the tag's commit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.curation.release.diff import built_tags, iter_light_rows, release_tables
from benchwright.curation.release.errata import (
    LINES_NAME,
    Erratum,
    Reason,
    read_errata,
    version_of,
)
from benchwright.curation.release.remote import explained, head_of, manifest_at, tags_of
from benchwright.curation.release.withheld import Key, answers_path, read_salts
from benchwright.schemas.errors import UsageError
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.release_table import (
    MANIFEST_NAME,
    ReleaseManifest,
    ResolvedRelease,
    check_files,
    read_manifest,
    resolve_release,
)
from benchwright.schemas.workspace import Workspace

if TYPE_CHECKING:
    from huggingface_hub import HfApi


@dataclass(frozen=True)
class ErrataBase:
    """A release, and what the workspace keeps of it."""

    tag: str
    release: ResolvedRelease
    commit: str | None
    """Of the tag on the Hub; None where nobody asked the Hub."""
    errata: tuple[Erratum, ...] = ()
    """All corrections up to it."""
    salts: dict[str, str] = field(default_factory=dict)
    keys: tuple[Key, ...] = ()
    """Answers that it withholds, where the workspace has them."""
    answers_name: str = ""
    """The private file in which they are."""

    @cached_property
    def _lines(self) -> tuple[dict[str, object], ...]:
        columns = ("id", "problem_id", "version", "language", "answer")
        return tuple(row for path in release_tables(self.release) for row in iter_light_rows(path, columns))

    @property
    def rows(self) -> frozenset[str]:
        """Ids of its rows."""
        return frozenset(str(row["id"]) for row in self._lines)

    @property
    def problems(self) -> frozenset[str]:
        """Ids of its problems."""
        return frozenset(str(row["problem_id"]) for row in self._lines)

    @property
    def groups(self) -> frozenset[tuple[str, str]]:
        """Versions with their languages."""
        return frozenset((str(row["version"]), str(row["language"])) for row in self._lines)

    @cached_property
    def without_answer(self) -> frozenset[str]:
        """Rows whose answers are withheld."""
        return frozenset(str(row["id"]) for row in self._lines if row["answer"] is None)


def released_base(api: HfApi, repo_id: str, workspace: Workspace, tag: str | None) -> ErrataBase:
    """The base as the Hub has it.

    Args:
        api: the client.
        repo_id: `ORG/NAME`.
        workspace: where a folder of the same release may lie.
        tag: which release; None: the one that main holds.

    Raises:
        UsageError: the data set, the release or the login is not there.
        HubError: the Hub failed.
        TamperedError: what the Hub gave is not what the release's manifest says.
    """
    with explained(repo_id):
        if tag is None:
            on_main = manifest_at(api, repo_id, head_of(api, repo_id, "main"))
            if on_main is None:
                raise UsageError(
                    f"Main of {repo_id} holds no release to correct: release it first with push-dataset {repo_id}."
                )
            tag = on_main.tag
        tags = tags_of(api, repo_id)
        if (commit := tags.get(tag)) is None:
            raise UsageError(
                f"{repo_id} has no tag {tag}; it has: {', '.join(sorted(tags)) or 'none'}: name one with --base."
            )
        there = manifest_at(api, repo_id, commit)
        if there is None:
            raise UsageError(
                f"{repo_id} at {tag} has no {MANIFEST_NAME}: it is no release of ours to correct."
            )
        folder = workspace.release(tag)
        if not _same(folder, there):
            patterns = ["data/*", MANIFEST_NAME, LINES_NAME]
            folder = Path(
                api.snapshot_download(repo_id, repo_type="dataset", revision=commit, allow_patterns=patterns)
            )
    return _base(workspace, folder, tag, commit)


def local_base(
    workspace: Workspace, tag: str | None, reasons: Sequence[Reason], below: str | None
) -> ErrataBase:
    """The base without asking the Hub, for `--check-only` and `--build-only`.

    Args:
        workspace: holds `release/`.
        tag: which release; None: the highest version that is built here, but this errata itself.
        reasons: by which a folder is known to be an earlier build of this errata.
        below: the tag of the errata where it was named: the base is lower.

    Raises:
        UsageError: no such release is built here.
        TamperedError: its files are not what its manifest says.
    """
    if tag is None:
        wanted = {(one.kind, one.reason) for one in reasons}
        limit = None if below is None else version_of(below)
        known = sorted(
            (number, name) for name in built_tags(workspace) if (number := version_of(name)) is not None
        )
        for number, name in reversed(known):
            own = [one for one in read_errata(workspace.release(name) / LINES_NAME) if one.tag == name]
            said = {("withdrawn" if one.event == "withdrawn" else "corrected", one.reason) for one in own}
            if (limit is None or number < limit) and not (own and wanted == said):
                tag = name
                break
        else:
            raise UsageError(
                "No earlier release is built in this workspace: name the one to correct with --base TAG, or run "
                "push-dataset ORG/NAME --errata --dry-run, which asks the Hub."
            )
    folder = workspace.release(tag)
    if read_manifest(folder) is None:
        raise UsageError(f"{folder} is not built: name a release of this workspace with --base TAG.")
    return _base(workspace, folder, tag, None)


def _same(folder: Path, there: ReleaseManifest) -> bool:
    """Whether a folder is the release on the Hub."""
    return folder.is_dir() and read_manifest(folder) == there


def _base(workspace: Workspace, folder: Path, tag: str, commit: str | None) -> ErrataBase:
    release = replace(resolve_release(str(folder)), revision=commit)
    if release.manifest is not None:
        check_files(folder, (file for file in release.manifest.files if file.path == LINES_NAME))
    private = answers_path(workspace, tag)
    return ErrataBase(
        tag=tag,
        release=release,
        commit=commit,
        errata=read_errata(folder / LINES_NAME),
        salts=read_salts(workspace, tag),
        keys=tuple(read_jsonl(private, Key)) if private.is_file() else (),
        answers_name=private.name,
    )
