"""The pictures of a run's rows: a run folder has their digests, the bytes lie in the workspace or in a release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchwright.eval.runs.dataset import split_name
from benchwright.eval.runs.pictures import Pictures
from benchwright.eval.runs.spec import DatasetSpec
from benchwright.schemas.errors import UsageError
from benchwright.schemas.release_table import read_release, resolve_release
from benchwright.schemas.workspace import Workspace


def find_pictures(
    workspace: Workspace | None, asked: DatasetSpec, needed: Iterable[str], named: str | None = None
) -> Mapping[str, bytes]:
    """Published bytes by digest, all of them.

    Args:
        workspace: None for none.
        asked: what the run asked.
        needed: digests.
        named: a release folder, `ORG/NAME` or `ORG/NAME@REVISION`.

    Raises:
        UsageError: some are nowhere; says how to name a release.
        TamperedError: bytes are not what their digest says.
    """
    needed = frozenset(needed)
    found = pictures_at_hand(workspace, asked, needed, named)
    if missing := needed - set(found):
        raise UsageError(
            f"{len(missing)} pictures of the run are neither in a workspace nor in a release at hand: name the release "
            f"that was asked ({asked.name}) with --dataset."
        )
    return found


def pictures_at_hand(
    workspace: Workspace | None, asked: DatasetSpec, needed: Iterable[str], named: str | None = None
) -> Mapping[str, bytes]:
    """As many of these pictures as can be found, by digest.

    Looked for in the release that is named, in the workspace's images, in its own releases, and at the commit on the
    Hub that the run asked.

    Raises:
        UsageError: the release that is named, or the one on the Hub, is not there.
        TamperedError: bytes are not what their digest says.
    """
    missing = set(needed)
    found = Pictures()
    if named is not None:
        _from_release(named, missing, found)
    if workspace is not None:
        for sha256 in sorted(missing):
            if any(workspace.image(sha256, suffix).is_file() for suffix in (".png", ".jpg")):
                found.add(sha256, workspace.read_image(sha256))
                missing.discard(sha256)
    for target in _further(workspace, asked):
        if missing:
            _from_release(target, missing, found)
    return found


def _further(workspace: Workspace | None, asked: DatasetSpec) -> Sequence[str]:
    own = [] if workspace is None else sorted(p for p in (workspace.root / "release").glob("*") if p.is_dir())
    hub = [f"{asked.name}@{asked.commit}"] if asked.origin == "hub" and asked.commit else []
    return [*map(str, own), *hub]


def _from_release(target: str, missing: set[str], found: Pictures) -> None:
    name, revision = (target, None) if Path(target).is_dir() else split_name(target)
    for _, pictures in read_release(resolve_release(name, revision)):
        for sha256 in sorted(missing & pictures.keys()):
            found.add(sha256, pictures[sha256])
            missing.discard(sha256)
        if not missing:
            return
