"""`render check`: the legibility gate over a workspace's pictures; each verdict is kept, and read by the release.

A verdict belongs to one picture, one sidecar, one set of thresholds: it is made anew when any of them changes, or
when a reader is there that was not there before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from pydantic import ValidationError

from benchwright.render.compose import typesetter_for
from benchwright.render.job import IndexRow, chosen_font, picture_path, read_sidecar
from benchwright.render.legibility import Gate
from benchwright.render.legibility_formula import SecondOpinion
from benchwright.render.legibility_read import reader, reader_version
from benchwright.render.legibility_result import GateResult, GateState
from benchwright.render.legibility_thresholds import DEFAULT
from benchwright.render.spread import published_image, spread
from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.digest import canonical_json, digest_of, sha256_file
from benchwright.schemas.errors import UsageError
from benchwright.schemas.journal import iter_jsonl
from benchwright.schemas.versions import VERSIONS, Version
from benchwright.schemas.workspace import Workspace

FOLDER = "gate"
"""Verdicts lie in a folder of that name beside the pictures."""


@dataclass(frozen=True)
class CheckResult:
    """What one check over a version and language found."""

    version: Version
    language: str
    style: str
    verdicts: tuple[GateResult, ...]
    """One for each picture, in the order of their ids."""
    kept: int
    """Verdicts of an earlier check that still hold."""

    def count(self, state: GateState) -> int:
        """How many pictures have that verdict."""
        return sum(verdict.state is state for verdict in self.verdicts)

    @property
    def codes(self) -> dict[str, int]:
        """Pictures by what is wrong with them, or why they could not be judged."""
        found = Counter(code for verdict in self.verdicts for code in verdict.codes)
        found.update(verdict.reason for verdict in self.verdicts if verdict.reason)
        return dict(sorted(found.items()))

    @property
    def accuracy(self) -> float | None:
        """Share of text characters that were read back; None where nothing was read."""
        characters = sum(verdict.characters for verdict in self.verdicts)
        return 1 - sum(verdict.errors for verdict in self.verdicts) / characters if characters else None


def gate_path(picture: Path) -> Path:
    """Where the verdict on a picture lies."""
    return picture.parent / FOLDER / f"{picture.stem}.json"


def gate_verdict(picture: Path) -> GateResult | None:
    """The verdict on exactly these bytes by the gate as it is now.

    Args:
        picture: a rendered picture, its sidecar beside it.

    Returns:
        None where the gate has not judged this picture: never, before it was rendered anew, or by other thresholds.
    """
    sidecar = read_sidecar(picture.with_suffix(".json"))
    if sidecar is None or not picture.is_file():
        return None
    verdict = _stored(picture)
    same = verdict is not None and verdict.sidecar_sha256 == digest_of(sidecar)
    return verdict if same and sha256_file(picture) == sidecar.png_sha256 else None


def check_version(
    workspace: Workspace,
    version: Version,
    language: str,
    only: Collection[str] = (),
    workers: int = 1,
    advance: Callable[[], None] = lambda: None,
) -> CheckResult:
    """Judge every rendered picture of one version and language.

    Args:
        workspace: has rendered pictures.
        version: `vision-only` or `vision-rich`.
        language: language of the burnt-in text.
        only: problem ids; empty means all.
        workers: number of processes; the verdicts do not depend on it.
        advance: called after each picture.

    Raises:
        UsageError: nothing has been rendered, or an id of `only` has no picture.
        LockedError: another process checks the same version and language.
    """
    pictures = rendered_pictures(workspace, version, language)
    if unknown := sorted(set(only) - set(pictures)):
        raise UsageError(
            f"{unknown[0]!r} has no {version.value} picture in {language}: run `render {version.value}`."
        )
    chosen = {name: path for name, path in pictures.items() if not only or name in only}
    with workspace.lock(f"gate/{version.value}/{language}"):
        work = partial(_check_one, workspace)
        outcomes = spread(work, list(chosen.values()), workers, advance)
        _remove_leftovers(pictures.values(), workspace, version, language)
    return CheckResult(
        version,
        language,
        workspace.recipe.render.style,
        verdicts=tuple(verdict for verdict, _ in outcomes),
        kept=sum(kept for _, kept in outcomes),
    )


def rendered_pictures(workspace: Workspace, version: Version, language: str) -> dict[str, Path]:
    """Pictures by problem id, in the order of the ids.

    Raises:
        UsageError: nothing has been rendered, or the version has no picture.
    """
    if not VERSIONS[version].rendered:
        raise UsageError(
            f"version {version.value} has no rendered picture: choose vision-only or vision-rich."
        )
    index = picture_path(workspace, version, language, "x").with_name("index.jsonl")
    if not index.is_file():
        raise UsageError(f"{index} does not exist: run `render {version.value}` first.")
    names = sorted(row.problem_id for row in iter_jsonl(index, IndexRow))
    return {name: picture_path(workspace, version, language, name) for name in names}


def _check_one(workspace: Workspace, picture: Path) -> tuple[GateResult, bool]:
    """The verdict on a picture, and whether it is an earlier one."""
    known = gate_verdict(picture)
    if known is not None and not (known.reason == "no-reader" and reader_version()):
        return known, True
    sidecar = read_sidecar(picture.with_suffix(".json"))
    if sidecar is None or not picture.is_file():
        raise UsageError(f"{picture} or its sidecar is gone: run `render` again.")
    verdict = gate_for(chosen_font(workspace)).judge(
        sidecar, picture.read_bytes(), partial(published_image, workspace)
    )
    path = gate_path(picture)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, (canonical_json(verdict) + "\n").encode("utf-8"))
    return verdict, False


@lru_cache(maxsize=2)
def gate_for(font: Path) -> Gate:
    """The process's gate for pictures of one font; it does not read where the reader is not installed."""
    typesetter = typesetter_for(font)
    return Gate(typesetter, reader() if reader_version() else None, SecondOpinion(typesetter))


def _stored(picture: Path) -> GateResult | None:
    """The stored verdict if it is of this gate and its thresholds."""
    try:
        verdict = GateResult.model_validate_json(gate_path(picture).read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
    return verdict if verdict.thresholds == DEFAULT.digest else None


def _remove_leftovers(
    pictures: Collection[Path], workspace: Workspace, version: Version, language: str
) -> None:
    """Verdicts on pictures that are no longer there."""
    folder = picture_path(workspace, version, language, "x").parent / FOLDER
    keep = {gate_path(picture).name for picture in pictures}
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name not in keep:
            path.unlink()


__all__ = [
    "CheckResult",
    "GateResult",
    "GateState",
    "check_version",
    "gate_for",
    "gate_path",
    "gate_verdict",
    "rendered_pictures",
]
