"""What pictures were made of a problem, and which built releases hold it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from benchwright.curation.release.diff import built_tags, iter_light_rows
from benchwright.curation.release.trace_records import ReleasedRow, ReleaseFacts, RenderFacts
from benchwright.render.check import gate_verdict
from benchwright.render.job import read_sidecar
from benchwright.render.sidecar import Sidecar
from benchwright.schemas.digest import sha256_file
from benchwright.schemas.journal import iter_jsonl
from benchwright.schemas.records import Problem, Rejected
from benchwright.schemas.release_table import read_manifest
from benchwright.schemas.workspace import Workspace

State = Literal["fresh", "problem-edited", "picture-changed", "picture-missing", "no-problem"]


def renders_of(workspace: Workspace, problem_id: str, problem: Problem | None) -> tuple[RenderFacts, ...]:
    """Every picture made of a problem in any style, version and language, and every refusal to make one."""
    return tuple(_renders(workspace, problem_id, problem))


def releases_with(workspace: Workspace, problem_id: str) -> tuple[ReleaseFacts, ...]:
    """The built releases that hold rows of a problem; no picture is read.

    Raises:
        UsageError: a release's manifest cannot be read.
    """
    found = []
    for tag in built_tags(workspace):
        folder = workspace.release(tag)
        rows = tuple(_rows(folder, problem_id))
        if rows:
            manifest = read_manifest(folder)
            signature = None if manifest is None else manifest.signature
            found.append(ReleaseFacts(tag=tag, signature=signature, rows=rows))
    return tuple(found)


def _rows(folder: Path, problem_id: str) -> Iterator[ReleasedRow]:
    columns = ("id", "problem_id", "version", "language", "split", "image_sha256")
    for path in sorted(folder.glob("data/*/*/*.parquet")):
        for row in iter_light_rows(path, columns):
            if row["problem_id"] == problem_id:
                yield ReleasedRow(
                    id=row["id"],
                    version=row["version"],
                    language=row["language"],
                    split=row["split"],
                    images=tuple(row["image_sha256"]),
                )


def _renders(workspace: Workspace, problem_id: str, problem: Problem | None) -> Iterator[RenderFacts]:
    name = quote(problem_id, safe="")
    for folder in sorted(path for path in (workspace.root / "renders").glob("*/*/*") if path.is_dir()):
        style, version, language = folder.relative_to(workspace.root / "renders").parts
        sidecar = read_sidecar(folder / f"{name}.json")
        if sidecar is not None:
            png = folder / f"{name}.png"
            yield _made(workspace, png, sidecar, style, problem)
            continue
        refusals = folder / "rejected.jsonl"
        for refused in iter_jsonl(refusals, Rejected) if refusals.is_file() else ():
            if refused.item_id == problem_id:
                yield RenderFacts(
                    style=style,
                    version=version,
                    language=language,
                    reason=refused.reason,
                    detail=refused.detail,
                )


def _made(
    workspace: Workspace, png: Path, sidecar: Sidecar, style: str, problem: Problem | None
) -> RenderFacts:
    gate = gate_verdict(png) if png.is_file() else None
    return RenderFacts(
        style=style,
        version=sidecar.version,
        language=sidecar.language,
        reason=None,
        path=workspace.relative(png),
        png_sha256=sidecar.png_sha256,
        state=_state(png, sidecar, problem),
        renderer_version=sidecar.renderer_version,
        style_digest=sidecar.style_digest,
        font_sha256=sidecar.font_sha256,
        engines=sidecar.engines,
        width=sidecar.width,
        height=sidecar.height,
        shown=sidecar.shown,
        unshown=sidecar.unshown,
        gate=None if gate is None else gate.state.value,
        gate_codes=() if gate is None else gate.codes,
    )


def _state(png: Path, sidecar: Sidecar, problem: Problem | None) -> State:
    if not png.is_file():
        return "picture-missing"
    if sha256_file(png) != sidecar.png_sha256:
        return "picture-changed"
    if problem is None:
        return "no-problem"
    return "fresh" if problem.digest == sidecar.problem_digest else "problem-edited"
