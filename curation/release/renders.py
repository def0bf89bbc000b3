"""Rendered images as the release needs them: the PNG and its sidecar, which must belong to the problem as it is now."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchwright.render.check import gate_verdict
from benchwright.render.job import picture_path, read_sidecar
from benchwright.render.legibility_result import GateResult, GateState
from benchwright.render.sidecar import Sidecar
from benchwright.render.style import style_of
from benchwright.schemas.digest import canonical_json, sha256_file
from benchwright.schemas.errors import ItemError
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import Problem, Rejected
from benchwright.schemas.versions import Version
from benchwright.schemas.workspace import Workspace


@dataclass(frozen=True)
class Rendered:
    """One rendered image and what its sidecar says of it."""

    png: Path
    sidecar: Sidecar
    verdict: GateResult | None = None
    """Of the legibility gate; None where it has not judged the picture."""

    @property
    def drawn(self) -> frozenset[str]:
        """Digests of the diagrams that stand in the image."""
        return frozenset(diagram.sha256 for diagram in self.sidecar.diagrams)

    @property
    def note(self) -> str:
        """Renderer, style, font and engines as JSON text, for the row's `render` column."""
        kept = ("renderer_version", "style_digest", "font_sha256", "engines")
        return canonical_json({key: getattr(self.sidecar, key) for key in kept})


class Renders:
    """The rendered images of a workspace, looked up one by one."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._style_digest = style_of(workspace.recipe.render).digest
        self._gate_demanded = workspace.recipe.render.gate == "require"
        self._refusals: dict[Path, dict[str, Rejected]] = {}
        self.unchecked: list[str] = []
        """Images that the legibility gate has not judged, as paths inside the workspace."""

    def find(self, problem: Problem, version: Version, language: str) -> Rendered:
        """The rendered image of a problem in a version and language.

        Raises:
            ItemError: the renderer's own reason where it could not make the image (`no-room`, ...); `not-rendered`
                where it has not tried; `illegible-image` where the legibility gate failed it; `unchecked-image` where
                the recipe demands a verdict and there is none; `text-changed` where a condition found no place, so
                that the text is not the reviewed one; `stale-render` where the image shows the problem as it was
                before an edit, has another style than the recipe's, or is not what its sidecar describes.
        """
        png = picture_path(self._workspace, version, language, problem.problem_id)
        sidecar = read_sidecar(png.with_suffix(".json"))
        if sidecar is None or not png.is_file():
            raise self._refusal(png, problem, version)
        if sidecar.problem_digest != problem.digest:
            raise ItemError("stale-render", f"the problem was edited since; run `render {version}` again")
        if sidecar.style_digest != self._style_digest:
            raise ItemError(
                "stale-render", f"the recipe's style was changed since; run `render {version}` again"
            )
        if sidecar.png_sha256 != sha256_file(png):
            raise ItemError(
                "stale-render", f"{self._workspace.relative(png)} is not the image its sidecar describes"
            )
        if sidecar.text_changed:
            lost = ", ".join(sidecar.unshown)
            raise ItemError("text-changed", f"{lost} found no place on the image; review the decomposition")
        return Rendered(png, sidecar, self._require_legible(png))

    def _require_legible(self, png: Path) -> GateResult | None:
        verdict = gate_verdict(png)
        if verdict is not None and verdict.state is GateState.FAILED:
            raise ItemError("illegible-image", ", ".join(verdict.codes))
        if verdict is not None and verdict.state is GateState.PASSED:
            return verdict
        if self._gate_demanded:
            why = verdict.reason if verdict is not None else "run `render check`"
            raise ItemError("unchecked-image", f"the legibility gate has not judged it ({why})")
        self.unchecked.append(self._workspace.relative(png))
        return verdict

    def _refusal(self, png: Path, problem: Problem, version: Version) -> ItemError:
        """Why there is no image: the renderer's word if it has one."""
        path = png.with_name("rejected.jsonl")
        if path not in self._refusals:
            items = read_jsonl(path, Rejected) if path.is_file() else []
            self._refusals[path] = {item.item_id: item for item in items}
        said = self._refusals[path].get(problem.problem_id)
        if said is not None:
            return ItemError(said.reason, said.detail)
        return ItemError("not-rendered", f"no image has been made yet; run `render {version}`")
