"""`benchwright status`: what is done, stale, missing or damaged in a workspace, with counts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.common import SummaryTable, emit, json_option, open_workspace, workspace_option

if TYPE_CHECKING:
    from benchwright.schemas.workspace import Workspace


@click.command()
@workspace_option
@json_option
def status(workspace: Path | None, as_json: bool) -> None:
    """Show what is done, stale, missing or tampered with in a workspace."""
    ws = open_workspace(workspace)
    rows = [*_artefact_rows(ws), *_review_rows(ws), *_render_rows(ws), *_run_rows(ws)]
    table = SummaryTable(
        f"{ws.recipe.benchmark.name} ({ws.root})",
        ("stage", "state", "items", "rejected", "note"),
        [(row["stage"], row["state"], row["items"], row["rejected"], row["note"]) for row in rows],
    )
    emit({"workspace": str(ws.root), "stages": rows}, table, as_json, _next(rows))


def _row(
    stage: str, state: str, items: Any = "", rejected: Any = "", note: str = "", next: str = ""
) -> dict[str, Any]:
    return {"stage": stage, "state": state, "items": items, "rejected": rejected, "note": note, "next": next}


def _artefact_rows(ws: Workspace) -> list[dict[str, Any]]:
    from functools import partial

    from benchwright.curation.embed import index_path

    rows = [_artefact(ws, "ingest, rejected", ws.pool_rejected, "curate ingest SOURCE")]
    stages = [
        ("pool", ws.pool, "curate ingest SOURCE"),
        ("embed", partial(index_path, ws), "curate cluster --discipline {}"),
        ("estimate", ws.estimates, "curate cluster --discipline {}"),
        ("cluster", ws.clusters, "curate cluster --discipline {}"),
        ("select", ws.selection, "curate cluster --discipline {}"),
    ]
    for discipline in sorted(set(ws.recipe.disciplines) | set(ws.pool_disciplines())):
        for name, place, command in stages:
            rows.append(_artefact(ws, f"{name} {discipline}", place(discipline), command.format(discipline)))
    rows.append(_artefact(ws, "problems", ws.problems, "curate problems"))
    rows.append(_release_row(ws))
    return rows


def _release_row(ws: Workspace) -> dict[str, Any]:
    from benchwright.curation.release.build import release_state
    from benchwright.schemas.release_table import read_manifest

    tag = ws.recipe.release.tag
    state = release_state(ws, tag)
    command = "" if state == "done" else "push-dataset --build-only"
    manifest = read_manifest(ws.release(tag)) if state != "missing" else None
    if manifest is None:
        return _row(f"release {tag}", state, next=command)
    note = f"{ws.relative(ws.release(tag))}, {manifest.problems} problems"
    return _row(f"release {tag}", state, manifest.rows, note=note, next=command)


def _artefact(ws: Workspace, stage: str, output: Path, command: str) -> dict[str, Any]:
    from benchwright.schemas.artefact import manifest_path, read_manifest, stage_state

    state = stage_state(ws, output)
    manifest = read_manifest(manifest_path(output))
    counts = manifest.counts if manifest else None
    reasons = counts.reasons if counts else {}
    return _row(
        stage,
        state,
        counts.n_kept if counts else "",
        counts.n_rejected if counts else "",
        ", ".join(f"{reason} {n}" for reason, n in sorted(reasons.items()) if n),
        "" if state == "done" else command,
    )


def _review_rows(ws: Workspace) -> list[dict[str, Any]]:
    from benchwright.schemas.jobs import JOBS, Proposal, Verdict
    from benchwright.schemas.journal import read_jsonl

    rows: list[dict[str, Any]] = []
    for job in JOBS:
        proposals, verdicts = ws.proposals(job), ws.verdicts(job)
        if proposals.exists():
            items = {proposal.item_id for proposal in read_jsonl(proposals, Proposal)}
            rows.append(_row(f"proposals {job}", "done", len(items)))
        if verdicts.exists():
            final = read_jsonl(verdicts, Verdict)
            done = {verdict.item_id for verdict in final if verdict.basis != "open"}
            still = {verdict.item_id for verdict in final if verdict.basis == "open"}
            state = "open" if still else "done"
            rows.append(_row(f"reviews {job}", state, len(done), note=f"{len(still)} open" if still else ""))
    return rows


def _render_rows(ws: Workspace) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for style in sorted((ws.root / "renders").glob("*")):
        for folder in sorted(style.glob("*/*")):
            pictures = len(list(folder.glob("*.png")))
            rows.append(
                _row(
                    f"render {folder.parent.name} {folder.name}", "done", pictures, note=f"style {style.name}"
                )
            )
    return rows


def _run_rows(ws: Workspace) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for run in sorted(ws.runs.glob("*")):
        if (run / "spec.json").exists():
            state = "done" if (run / "scores.json").exists() else "open"
            rows.append(_row(f"run {run.name}", state, note=ws.relative(run)))
    return rows


def _next(rows: list[dict[str, Any]]) -> str | None:
    for state in ("tampered", "stale", "missing"):
        for row in rows:
            if row["state"] == state and row["next"]:
                return str(row["next"])
    return None
