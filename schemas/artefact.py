"""Artefacts: files that a stage makes, each batch with a manifest that says from what and how.

Order of writing: temporary file, flush, rename, manifest last. So a manifest's existence means that what it names is
complete, and a killed stage leaves either the old artefact with its manifest or no valid manifest at all.
The signature covers input digests, parameters, the stage's own version and the package version; it leaves out what
only changes speed (batch size, device, workers).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import JsonValue, ValidationError

from benchwright import __version__
from benchwright.schemas.digest import canonical_json, digest_of, sha256_bytes, sha256_file
from benchwright.schemas.errors import NotDone, UsageError
from benchwright.schemas.records import Record

if TYPE_CHECKING:
    from benchwright.schemas.workspace import Workspace

StageState = Literal["done", "stale", "missing", "tampered"]


class Counts(Record):
    """What a stage did with its items. `n_in` = `n_kept` + `n_rejected`."""

    n_in: int
    n_kept: int
    n_rejected: int = 0
    reasons: dict[str, int] = {}
    """Rejected items by reason code."""


class Manifest(Record):
    """What an artefact was made from; paths are relative to the workspace root."""

    stage: str
    stage_version: int
    package_version: str
    inputs: dict[str, str]
    parameters: dict[str, JsonValue]
    outputs: dict[str, str]
    counts: Counts | None = None
    signature: str


@dataclass(frozen=True)
class StageResult:
    """What `run_stage` did; `ran` is False when there was nothing to do."""

    stage: str
    ran: bool
    counts: Counts | None
    outputs: tuple[Path, ...]
    repaired: tuple[str, ...] = ()
    """Outputs that were found tampered or torn and were made anew."""


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file so that it appears whole or not at all, even after a power cut."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with temporary.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder durable; a no-op where the system cannot open folders (Windows)."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def manifest_path(output: Path) -> Path:
    """Where the manifest of an output lies."""
    return output.with_name(output.name + ".manifest.json")


def read_manifest(path: Path) -> Manifest | None:
    """The manifest, or None where there is none or it is torn."""
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def run_stage(
    workspace: Workspace,
    stage: str,
    stage_version: int,
    inputs: Sequence[Path],
    outputs: Sequence[Path],
    parameters: Mapping[str, JsonValue],
    produce: Callable[[tuple[Path, ...]], Counts | None],
) -> StageResult:
    """Make `outputs` from `inputs` unless they already stand there, intact and made the same way.

    Args:
        workspace: where everything lies; the stage's lock is held while producing.
        stage: name, e.g. `cluster/physics`; also the lock's name.
        stage_version: raised by hand when the code's meaning changes.
        inputs: existing files; their digests enter the signature.
        outputs: files to make; the manifest lies beside the first.
        parameters: everything else that decides the result.
        produce: writes temporary files given in the order of `outputs`; must write all of them.

    Raises:
        UsageError: an input does not exist; names the file.
        LockedError: another process is running the stage.
        NotDone: the workspace is dry, and there is something to do.
    """
    with nullcontext() if workspace.dry else workspace.lock(stage):
        names = {workspace.relative(path): sha256_file(_existing(path)) for path in inputs}
        signature = digest_of(
            {
                "stage": stage,
                "stage_version": stage_version,
                "package_version": __version__,
                "inputs": names,
                "parameters": dict(parameters),
                "outputs": [workspace.relative(path) for path in outputs],
            }
        )
        beside = manifest_path(outputs[0])
        known = read_manifest(beside)
        damaged = () if known is None else _damaged(workspace, known)
        if known is not None and known.signature == signature and not damaged:
            return StageResult(stage, False, known.counts, tuple(outputs))
        if workspace.dry:
            found = stage_state(workspace, outputs[0])
            raise NotDone(stage, "stale" if found == "done" else found)
        counts = _produce_all(outputs, produce, beside)
        manifest = Manifest(
            stage=stage,
            stage_version=stage_version,
            package_version=__version__,
            inputs=names,
            parameters=dict(parameters),
            outputs={workspace.relative(path): sha256_file(path) for path in outputs},
            counts=counts,
            signature=signature,
        )
        write_atomic(beside, (canonical_json(manifest) + "\n").encode("utf-8"))
        return StageResult(stage, True, counts, tuple(outputs), damaged)


def stage_state(workspace: Workspace, output: Path) -> StageState:
    """State of an artefact as far as its manifest tells: do its inputs, its bytes and the package's version still hold?

    Whether the recipe asks for other parameters by now, only the stage itself knows (`Workspace.dry`).
    """
    beside = manifest_path(output)
    manifest = read_manifest(beside)
    if manifest is None:
        return "tampered" if beside.exists() else "missing"
    if _damaged(workspace, manifest):
        return "tampered"
    if manifest.package_version != __version__:
        return "stale"
    for name, digest in manifest.inputs.items():
        path = workspace.root / name
        if not path.exists() or sha256_file(path) != digest:
            return "stale"
    return "done"


def folder_digest(folder: Path) -> str:
    """Digest over the names and bytes of all files below a folder."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    listing = "".join(f"{name}\0{sha256_file(folder / name)}\n" for name in names)
    return sha256_bytes(listing.encode("utf-8"))


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise UsageError(
            f"{path} does not exist: run the stage that makes it first (`benchwright status` names it)."
        )
    return path


def _damaged(workspace: Workspace, manifest: Manifest) -> tuple[str, ...]:
    return tuple(
        name
        for name, digest in manifest.outputs.items()
        if not (workspace.root / name).is_file() or sha256_file(workspace.root / name) != digest
    )


def _produce_all(
    outputs: Sequence[Path], produce: Callable[[tuple[Path, ...]], Counts | None], manifest: Path
) -> Counts | None:
    temporaries = tuple(path.with_name(f".{path.name}.{os.getpid()}.tmp") for path in outputs)
    for path in outputs:
        path.parent.mkdir(parents=True, exist_ok=True)
        for left in path.parent.glob(f".{path.name}.*.tmp"):  # of a killed run; the stage's lock is ours
            left.unlink()
    try:
        counts = produce(temporaries)
        for temporary in temporaries:
            with temporary.open("rb+") as stream:
                os.fsync(stream.fileno())
        # Only now: a stage that ends in an error leaves the old artefact whole.
        manifest.unlink(missing_ok=True)
        for temporary, path in zip(temporaries, outputs, strict=True):
            temporary.replace(path)
    finally:
        for temporary in temporaries:
            temporary.unlink(missing_ok=True)
    for folder in {path.parent for path in outputs}:
        sync_folder(folder)
    return counts
