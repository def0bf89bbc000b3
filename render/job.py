"""Rendering a workspace: one picture and one sidecar per problem, version and language; resumable.

A picture is made again only when its problem, the style, the font, an engine or the renderer changed, or its bytes
did. The picture is written before its sidecar, so a sidecar's existence means that the picture is whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from pydantic import JsonValue, ValidationError

from benchwright import __version__
from benchwright.render.compose import renderer_for, share_formulas, typesetter_for
from benchwright.render.font import BUNDLED, load_font
from benchwright.render.sidecar import RENDERER_VERSION, Sidecar
from benchwright.render.spread import published_image, spread
from benchwright.render.style import RenderStyle, style_of
from benchwright.schemas.artefact import Counts, Manifest, manifest_path, read_manifest, write_atomic
from benchwright.schemas.digest import canonical_json, digest_of, sha256_file
from benchwright.schemas.errors import ItemError, UsageError
from benchwright.schemas.journal import iter_jsonl, write_jsonl
from benchwright.schemas.recipe import StyleName
from benchwright.schemas.records import Problem, Record, Rejected, Sha256
from benchwright.schemas.tables import read_records
from benchwright.schemas.versions import VERSIONS, Version
from benchwright.schemas.workspace import Workspace

RULE_REASONS = frozenset({"nothing-to-show", "no-decomposition", "no-translation", "no-diagram", "no-room"})
"""Reasons that say "this version does not exist for this problem"; every other reason is a failure."""

State = Literal["made", "kept", "rejected"]


class IndexRow(Record):
    """One rendered picture of a version and language."""

    problem_id: str
    png_sha256: Sha256
    sidecar_sha256: Sha256
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class RenderResult:
    """What one run over a version and language did."""

    version: Version
    language: str
    made: int
    kept: int
    rejected: tuple[Rejected, ...]

    @property
    def failed(self) -> tuple[Rejected, ...]:
        """Rejected for another reason than a rule."""
        return tuple(item for item in self.rejected if item.reason not in RULE_REASONS)

    @property
    def reasons(self) -> dict[str, int]:
        """Rejected items by reason."""
        return dict(sorted(Counter(item.reason for item in self.rejected).items()))


@dataclass(frozen=True)
class _Outcome:
    problem_id: str
    state: State
    rejected: Rejected | None = None


def formula_cache(workspace: Workspace) -> Path:
    """Formulas drawn before, shared by all processes; it may be deleted at any time and belongs to no artefact."""
    return workspace.root / ".cache" / "formulas.sqlite"


def chosen_font(workspace: Workspace) -> Path:
    """The recipe's font file, or the bundled one."""
    name = workspace.recipe.render.font
    return BUNDLED if name is None else workspace.root / name


def with_style(workspace: Workspace, style: StyleName | None, font: Path | None) -> Workspace:
    """The workspace as if its recipe asked for another style or font; None keeps the recipe's."""
    changed: dict[str, object] = {} if style is None else {"style": style}
    if font is not None:
        changed["font"] = str(font.resolve())
    render = workspace.recipe.render.model_copy(update=changed)
    return Workspace(
        workspace.root, workspace.recipe.model_copy(update={"render": render}), dry=workspace.dry
    )


def picture_path(workspace: Workspace, version: Version, language: str, problem_id: str) -> Path:
    """Where the picture of a problem lies; its sidecar has the same name with `.json`."""
    folder = workspace.renders(workspace.recipe.render.style, version.value, language)
    return folder / f"{quote(problem_id, safe='')}.png"


def read_sidecar(path: Path) -> Sidecar | None:
    """A sidecar, or None where there is none or it is torn."""
    try:
        return Sidecar.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def render_version(
    workspace: Workspace,
    version: Version,
    language: str,
    only: Collection[str] = (),
    workers: int = 1,
    advance: Callable[[], None] = lambda: None,
    font: Path | None = None,
) -> RenderResult:
    """Render one version in one language for all problems.

    Args:
        workspace: has `problems.parquet`.
        version: `vision-only` or `vision-rich`.
        language: language of the burnt-in text.
        only: problem ids; empty means all.
        workers: number of processes; the result does not depend on it.
        advance: called after each problem.
        font: the text font's file; None: the recipe's, or the bundled one.

    Raises:
        UsageError: the font cannot be used, there are no problems yet, an id of `only` is unknown, or the version
            has no picture.
        LockedError: another process renders the same version and language.
    """
    if not VERSIONS[version].rendered:
        raise UsageError(
            f"version {version.value} has no rendered picture: choose vision-only or vision-rich."
        )
    font = font or chosen_font(workspace)
    load_font(font)
    problems = _problems(workspace)
    chosen = _chosen(problems, only)
    folder = workspace.renders(workspace.recipe.render.style, version.value, language)
    folder.mkdir(parents=True, exist_ok=True)
    with workspace.lock(f"render/{version.value}/{language}"):
        work = partial(_render_one, workspace, version, language, font)
        outcomes = spread(work, chosen, workers, advance)
        _write_index(workspace, version, language, problems, outcomes, font)
    return RenderResult(
        version,
        language,
        made=sum(o.state == "made" for o in outcomes),
        kept=sum(o.state == "kept" for o in outcomes),
        rejected=tuple(o.rejected for o in outcomes if o.rejected is not None),
    )


def problem_count(workspace: Workspace) -> int:
    """How many problems the workspace has.

    Raises:
        UsageError: there are no problems yet.
    """
    count = len(_problems(workspace))
    if not count:
        raise UsageError(
            f"{workspace.problems} holds no problem: `curate problems` says what each question waits for "
            "(with --accept-proposals it takes the machine's word)."
        )
    return count


def _problems(workspace: Workspace) -> list[Problem]:
    if not workspace.problems.is_file():
        raise UsageError(f"{workspace.problems} does not exist: run `curate problems` first.")
    return sorted(read_records(workspace.problems, Problem), key=lambda problem: problem.problem_id)


def _chosen(problems: Sequence[Problem], only: Collection[str]) -> list[Problem]:
    if unknown := sorted(set(only) - {problem.problem_id for problem in problems}):
        raise UsageError(
            f"there is no problem {unknown[0]!r} in problems.parquet: `curate stats` lists them."
        )
    return [problem for problem in problems if not only or problem.problem_id in only]


def _render_one(
    workspace: Workspace, version: Version, language: str, font: Path, problem: Problem
) -> _Outcome:
    style = style_of(workspace.recipe.render)
    store = share_formulas(font, formula_cache(workspace))
    path = picture_path(workspace, version, language, problem.problem_id)
    beside = path.with_suffix(".json")
    if _is_current(path, read_sidecar(beside), problem, style, font):
        return _Outcome(problem.problem_id, "kept")
    # The old sidecar goes first: a kill between the two writes must not leave it beside a new picture.
    beside.unlink(missing_ok=True)
    try:
        rendered = renderer_for(version)(problem, language, partial(published_image, workspace), style, font)
        store.flush()
    except ItemError as error:
        path.unlink(missing_ok=True)
        stage = f"render/{version.value}/{language}"
        rejected = Rejected(
            item_id=problem.problem_id,
            stage=stage,
            reason=error.reason,
            detail=error.detail,
            source=problem.source,
        )
        return _Outcome(problem.problem_id, "rejected", rejected)
    write_atomic(path, rendered.png)
    write_atomic(beside, (canonical_json(rendered.sidecar) + "\n").encode("utf-8"))
    return _Outcome(problem.problem_id, "made")


def _is_current(
    path: Path, sidecar: Sidecar | None, problem: Problem, style: RenderStyle, font: Path
) -> bool:
    if sidecar is None or not path.is_file():
        return False
    typesetter = typesetter_for(font)
    return (
        sidecar.problem_digest == problem.digest
        and sidecar.style_digest == style.digest
        and sidecar.renderer_version == RENDERER_VERSION
        and sidecar.font_sha256 == typesetter.font.digest
        and sidecar.engines == typesetter.versions
        and sidecar.png_sha256 == sha256_file(path)
    )


def _write_index(
    workspace: Workspace,
    version: Version,
    language: str,
    problems: Sequence[Problem],
    outcomes: Sequence[_Outcome],
    font: Path,
) -> None:
    """Write `index.jsonl` and `rejected.jsonl`, remove leftovers; the manifest only when every problem is settled.

    Settled by this run, or by an earlier one from the same problems, style, font and engines.
    """
    folder = workspace.renders(workspace.recipe.render.style, version.value, language)
    index_path, rejected_path = folder / "index.jsonl", folder / "rejected.jsonl"
    manifest = _manifest(workspace, version, language, font)
    known = read_manifest(manifest_path(index_path))
    treated = {outcome.problem_id for outcome in outcomes}
    settled = (known is not None and known.signature == manifest.signature) or all(
        problem.problem_id in treated for problem in problems
    )
    earlier = iter_jsonl(rejected_path, Rejected, torn_tail=True) if rejected_path.is_file() else ()
    rejected = {item.item_id: item for item in earlier if item.item_id not in treated}
    rejected |= {o.problem_id: o.rejected for o in outcomes if o.rejected is not None}
    rows: list[IndexRow] = []
    keep = {index_path.name, rejected_path.name}
    for problem in problems:
        path = picture_path(workspace, version, language, problem.problem_id)
        beside = path.with_suffix(".json")
        if problem.problem_id in rejected or (sidecar := read_sidecar(beside)) is None:
            continue
        keep |= {path.name, beside.name}
        # A run over some problems leaves pictures of others as they were before an edit: kept, but not listed.
        if sidecar.problem_digest == problem.digest and sidecar.style == manifest.parameters["style"]:
            row = IndexRow(
                problem_id=problem.problem_id,
                png_sha256=sidecar.png_sha256,
                sidecar_sha256=sha256_file(beside),
                shown=sidecar.shown,
            )
            rows.append(row)
    refused = [rejected[p.problem_id] for p in problems if p.problem_id in rejected]
    manifest_path(index_path).unlink(missing_ok=True)
    write_jsonl(index_path, rows)
    write_jsonl(rejected_path, refused)
    for leftover in folder.iterdir():
        if leftover.suffix in (".png", ".json", ".tmp") and leftover.name not in keep:
            leftover.unlink()
    if settled and len(rows) + len(refused) == len(problems):
        reasons = dict(sorted(Counter(item.reason for item in refused).items()))
        counts = Counts(n_in=len(problems), n_kept=len(rows), n_rejected=len(refused), reasons=reasons)
        outputs = {workspace.relative(path): sha256_file(path) for path in (index_path, rejected_path)}
        manifest = manifest.model_copy(update={"outputs": outputs, "counts": counts})
        write_atomic(manifest_path(index_path), (canonical_json(manifest) + "\n").encode("utf-8"))


def _manifest(workspace: Workspace, version: Version, language: str, font: Path) -> Manifest:
    """The manifest of a version and language, without outputs and counts."""
    typesetter = typesetter_for(font)
    inputs = {workspace.relative(workspace.problems): sha256_file(workspace.problems)}
    stage = f"render/{version.value}/{language}"
    parameters: dict[str, JsonValue] = {
        "style": style_of(workspace.recipe.render).model_dump(mode="json"),
        "font": typesetter.font.digest,
        "engines": dict(typesetter.versions),
    }
    return Manifest(
        stage=stage,
        stage_version=RENDERER_VERSION,
        package_version=__version__,
        inputs=inputs,
        parameters=parameters,
        outputs={},
        counts=None,
        signature=digest_of(
            {"stage": stage, "version": RENDERER_VERSION, "inputs": inputs, "parameters": parameters}
        ),
    )


__all__ = [
    "RULE_REASONS",
    "IndexRow",
    "RenderResult",
    "chosen_font",
    "formula_cache",
    "picture_path",
    "problem_count",
    "read_sidecar",
    "render_version",
    "with_style",
]
