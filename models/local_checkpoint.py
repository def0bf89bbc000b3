"""Which checkpoint `local/PATH-OR-NAME` means, and its identity: the digest of its files, or its commit on the Hub.

Nothing here imports torch; a run that only plans learns everything it needs to know.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from benchwright.schemas.digest import digest_of, sha256_file
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Record

_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_NEEDED = ("torch", "transformers")
_NEEDED_BY_GGUF = ("gguf", "accelerate")


class LocalSettings(Record):
    """How a model is loaded into this process. Device and batch size are no part of a call's identity."""

    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """Of the weights; `auto` is what the checkpoint says (float32 for a gguf file)."""
    device: str = "auto"
    """`cpu`, `cuda`, `cuda:1`, ...; `auto` takes the GPU, all of them when accelerate is installed, else the CPU."""
    batch_size: Annotated[int, Field(ge=1)] = 8
    """Requests generated together at most; halved for good when memory runs out."""
    window_s: Annotated[float, Field(ge=0)] = 0.05
    """How long an unfilled batch waits for more requests."""
    trust_remote_code: bool = False
    """Run Python code that comes with the checkpoint; stands in the model's revision."""
    revision: str | None = None
    """Branch, tag or commit on the Hub."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint that was found."""

    name: str
    """Last part of a path, or the name on the Hub: what may stand in artefacts."""
    source: str
    """What transformers loads from: a folder, or the name on the Hub."""
    commit: str | None
    """Of a checkpoint from the Hub."""
    gguf: str | None
    """Name of the gguf file inside the folder."""
    identity: str
    """Digest of the files, or the commit."""


def find_checkpoint(where: str, settings: LocalSettings) -> Checkpoint:
    """Find a checkpoint and its identity.

    Args:
        where: a folder, a `.gguf` file, or a name on the Hub (its configuration is fetched, or taken from the cache).
        settings: give the revision on the Hub.

    Raises:
        UsageError: there is no such checkpoint, it is ambiguous, or what is needed to load it is not installed.
    """
    path = Path(where).expanduser()
    if path.is_file() and path.suffix == ".gguf":
        found = Checkpoint(path.name, str(path.parent), None, path.name, sha256_file(path))
    elif path.is_dir():
        found = _folder(path)
    elif _HUB_NAME.fullmatch(where) and not where.startswith("."):
        found = _on_hub(where, settings.revision)
    else:
        raise UsageError(
            f"local/{where}: there is no such folder or .gguf file, and it is no name on the Hub; give local/PATH "
            "or local/ORG/NAME."
        )
    _require_packages(found)
    return found


def revision_of(checkpoint: Checkpoint, settings: LocalSettings) -> str:
    """What a model's endpoint records: the identity, and every setting that can change a reply."""
    marks = [checkpoint.identity]
    if settings.dtype != "auto":
        marks.append(settings.dtype)
    if settings.trust_remote_code:
        marks.append("remote-code")
    return "+".join(marks)


def _folder(folder: Path) -> Checkpoint:
    files = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    if not (folder / "config.json").is_file():
        weights = [path for path in files if path.suffix == ".gguf" and path.parent == folder]
        if len(weights) != 1:
            raise UsageError(
                f"{folder} holds no config.json and {len(weights)} .gguf files; give the folder of a checkpoint, "
                "or the one .gguf file that is meant."
            )
        name = weights[0].name
        return Checkpoint(name, str(folder), None, name, sha256_file(weights[0]))
    content = [[path.relative_to(folder).as_posix(), sha256_file(path)] for path in files]
    return Checkpoint(folder.resolve().name, str(folder), None, None, digest_of(content))


def _on_hub(name: str, revision: str | None) -> Checkpoint:
    from huggingface_hub import errors, snapshot_download

    try:
        # Online or from the cache; the snapshot's folder is named by the commit.
        folder = snapshot_download(name, revision=revision, allow_patterns=["config.json"])
    except (
        errors.HfHubHTTPError,
        errors.LocalEntryNotFoundError,
        errors.HFValidationError,
        OSError,
    ) as error:
        told = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise UsageError(
            f"local/{name}: neither a folder here nor a checkpoint that the Hub or its cache gives ({told}); check "
            "the name, or give the path of a folder."
        ) from error
    commit = Path(folder).name
    return Checkpoint(name, name, commit, None, commit)


def _require_packages(checkpoint: Checkpoint) -> None:
    needed = _NEEDED + (_NEEDED_BY_GGUF if checkpoint.gguf else ())
    missing = [package for package in needed if find_spec(package) is None]
    if missing:
        raise UsageError(
            f"local/{checkpoint.name} needs {', '.join(missing)}, which is not installed; install benchwright[local]."
        )
