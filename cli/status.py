"""`benchwright status`: what is done, stale, missing or damaged in a workspace, with counts. Writes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.common import SummaryTable, emit, json_option, open_workspace, workspace_option

if TYPE_CHECKING:
    from benchwright.annotation.jobs.base import ReviewJob
    from benchwright.schemas.workspace import Workspace

INGEST, CLUSTER = "curate ingest SOURCE", "curate cluster --discipline {}"


@dataclass(frozen=True)
class Line:
    """One line of the table. `next` is what to type when the stage is not done."""

    stage: str
    state: str
    """done, stale (made from other input or settings than today's), missing, tampered, or open (people or calls)."""
    items: int | str = ""
    rejected: int | str = ""
    note: str = ""
    next: str = ""


@click.command()
@workspace_option
@json_option
def status(workspace: Path | None, as_json: bool) -> None:
    """Show what is done, stale, missing or tampered with in a workspace.

    Nothing is written and no lock is taken. A stage is stale when its input, the recipe or this version of the tool
    would make something else of it.
    """
    ws = open_workspace(workspace)
    lines = list(status_lines(ws))
    table = SummaryTable(
        f"{ws.recipe.benchmark.name} ({ws.root})",
        ("stage", "state", "items", "rejected", "note"),
        [(line.stage, line.state, line.items, line.rejected, line.note) for line in lines],
    )
    following = next((line.next for line in lines if line.next), None)
    emit({"workspace": str(ws.root), "stages": [asdict(line) for line in lines]}, table, as_json, following)


def status_lines(ws: Workspace) -> Iterator[Line]:
    """All lines, in the order of the line of work."""
    yield _artefact(ws, "ingest, rejected", ws.pool_rejected, INGEST)
    chosen = True
    for discipline in sorted(set(ws.recipe.disciplines) | set(ws.pool_disciplines())):
        lines = list(_discipline(ws, discipline))
        chosen &= all(line.state == "done" for line in lines)
        yield from lines
        yield from _after_review(ws, discipline)
    yield from _proposals(ws, chosen)
    yield from _reviews(ws)
    problems = problems_line(ws, chosen)
    yield problems
    renders = list(_renders(ws, problems.state == "done"))
    yield from renders
    yield _release(ws, all(line.state == "done" for line in (problems, *renders)))
    yield from _runs(ws)


def _proposals(ws: Workspace, chosen: bool) -> Iterator[Line]:
    """Tags, which every problem needs, and what else was proposed."""
    from benchwright.curation.proposers.catalogue import JOB_OF_COMMAND

    for command, job in JOB_OF_COMMAND.items():
        if job == "tagging" or ws.proposals(job).is_file():
            yield _artefact(ws, f"proposals {job}", ws.proposals(job), f"curate {command}", upstream=chosen)


def _artefact(
    ws: Workspace,
    stage: str,
    output: Path,
    command: str,
    make: Callable[[Workspace], object] | None = None,
    *,
    upstream: bool = True,
) -> Line:
    """The line of an artefact with a manifest.

    Args:
        ws: the workspace.
        stage: name in the table.
        output: the file beside which the manifest lies.
        command: what makes it.
        make: the stage itself, to be asked whether it would run; None where the manifest alone decides.
        upstream: False when something it is made from is not done itself.
    """
    from benchwright.schemas.artefact import manifest_path, read_manifest, stage_state
    from benchwright.schemas.errors import NotDone, TamperedError, UsageError
    from benchwright.schemas.workspace import Workspace

    state, trouble = str(stage_state(ws, output)), ""
    if state == "done" and make is not None:
        try:
            make(Workspace(ws.root, ws.recipe, dry=True))
        except NotDone as stop:
            state = stop.state
        except (UsageError, TamperedError) as error:
            state, trouble = "stale", str(error)
    if state == "done" and not upstream:
        state = "stale"
    manifest = read_manifest(manifest_path(output))
    counts = manifest.counts if manifest else None
    reasons = counts.reasons if counts else {}
    return Line(
        stage,
        state,
        counts.n_kept if counts else "",
        counts.n_rejected if counts else "",
        trouble or ", ".join(f"{reason} {n}" for reason, n in sorted(reasons.items()) if n),
        "" if state == "done" else command,
    )


def _discipline(ws: Workspace, discipline: str) -> Iterator[Line]:
    """Pool to selection, as the recipe without any flag would make them."""
    from benchwright.curation.cluster import cluster_discipline, default_clusters
    from benchwright.curation.embed import embed_discipline, index_path
    from benchwright.curation.estimate import estimate_discipline
    from benchwright.curation.representatives import select_discipline

    pool = _artefact(ws, f"pool {discipline}", ws.pool(discipline), INGEST)
    yield pool
    if discipline not in ws.recipe.disciplines:
        return
    budget = ws.recipe.disciplines[discipline].budget
    k = ws.recipe.selection.clusters or default_clusters(budget)
    command = CLUSTER.format(discipline)
    looked_through = list(_screen_and_dedup(ws, discipline, pool.state == "done"))
    yield from looked_through
    embedded = _artefact(
        ws,
        f"embed {discipline}",
        index_path(ws, discipline),
        command,
        lambda dry: embed_discipline(dry, discipline),
        upstream=pool.state == "done",
    )
    estimated = _artefact(
        ws,
        f"estimate {discipline}",
        ws.estimates(discipline),
        command,
        lambda dry: estimate_discipline(dry, discipline),
        upstream=embedded.state == "done",
    )
    clustered = _artefact(
        ws,
        f"cluster {discipline}",
        ws.clusters(discipline),
        command,
        lambda dry: cluster_discipline(dry, discipline, k),
        upstream=embedded.state == "done",
    )
    yield from (embedded, estimated, clustered)
    yield _artefact(
        ws,
        f"select {discipline}",
        ws.selection(discipline),
        command,
        lambda dry: select_discipline(dry, discipline, budget, k),
        upstream=all(line.state == "done" for line in (*looked_through, estimated, clustered)),
    )


def _screen_and_dedup(ws: Workspace, discipline: str, pool_done: bool) -> Iterator[Line]:
    """What the pool is looked through for before it is chosen from, as far as the recipe asks for it."""
    from benchwright.curation.dedup import dedup_discipline, read_report
    from benchwright.curation.screen import screen_discipline

    if ws.recipe.screen.enabled:
        yield _artefact(
            ws,
            f"screen {discipline}",
            ws.screen(discipline),
            f"curate screen --discipline {discipline}",
            lambda dry: screen_discipline(dry, discipline),
            upstream=pool_done,
        )
    if ws.recipe.dedup.enabled:
        line = _artefact(
            ws,
            f"dedup {discipline}",
            ws.duplicates(discipline),
            f"curate dedup --discipline {discipline}",
            lambda dry: dedup_discipline(dry, discipline, standing_sets=True),
            upstream=pool_done,
        )
        if line.state == "done":
            found = read_report(ws, discipline)
            told = ((found.disputed, "with contradictory answers"), (found.candidates, "to review"))
            parts = (line.note, *(f"{n} {what}" for n, what in told if n))
            line = replace(line, note=", ".join(part for part in parts if part))
        yield line


def _after_review(ws: Workspace, discipline: str) -> Iterator[Line]:
    """What became of a selection since: replaced questions, the certificate on reviewed values, the best kept."""
    from benchwright.curation.certify import certify_discipline
    from benchwright.curation.keep import keep_discipline
    from benchwright.schemas.errors import TamperedError
    from benchwright.schemas.reviewed import current_rows, kept_path, reviewed_certificate_path

    if not ws.selection(discipline).is_file():
        return
    try:
        current = current_rows(ws, discipline)
    except TamperedError as error:
        yield Line(f"replace {discipline}", "tampered", note=str(error))
        return
    if current.applied or current.stale:
        note = (
            f"{len(current.stale)} do not fit the selection any more and are not applied"
            if current.stale
            else ""
        )
        yield Line(f"replace {discipline}", "done", len(current.applied), note=note)
    path = reviewed_certificate_path(ws, discipline)
    if path.is_file():
        accept = _parameters(path).get("accept_proposals") is True
        yield _artefact(
            ws,
            f"certify {discipline}",
            path,
            f"curate certify --discipline {discipline}",
            lambda dry: certify_discipline(dry, discipline, accept),
        )
    if (path := kept_path(ws, discipline)).is_file():
        known = _parameters(path)
        n, level, accept = known.get("n", 0), known.get("path_level"), known.get("accept_proposals") is True
        yield _artefact(
            ws,
            f"keep {discipline}",
            path,
            f"curate keep --best {n} --discipline {discipline}",
            lambda dry: keep_discipline(dry, discipline, n, level, accept),
        )


def _parameters(output: Path) -> dict[str, Any]:
    """What an artefact was made with; empty where its manifest is gone."""
    from benchwright.schemas.artefact import manifest_path, read_manifest

    manifest = read_manifest(manifest_path(output))
    return dict(manifest.parameters) if manifest else {}


def _reviews(ws: Workspace) -> Iterator[Line]:
    """How far people are with each job that is in use; `open` while an item has no final answer."""
    from benchwright.annotation.jobs import REVIEW_JOBS
    from benchwright.annotation.summary import shown_jobs
    from benchwright.schemas.errors import TamperedError, UsageError

    if not ws.selected_disciplines():
        yield Line("reviews tagging", "missing", next="annotate serve")
        return
    try:
        jobs = shown_jobs(ws, REVIEW_JOBS)
    except (UsageError, TamperedError) as error:
        yield Line("reviews", "stale", note=str(error))
        return
    for job in jobs:
        line = _review(ws, job)
        if line is not None:
            yield line


def _review(ws: Workspace, job: ReviewJob) -> Line | None:
    """A job's line; None where it has nothing to show and nothing waits for it."""
    from benchwright.annotation.summary import job_states, stale_items
    from benchwright.schemas.errors import TamperedError, UsageError

    name, reviewed = f"reviews {job.name}", ws.reviews(job.name).exists()
    if job.name == "tagging" and not reviewed:
        return Line(name, "missing", next="annotate serve")
    try:
        pages, old = job_states(ws, job), stale_items(ws, job)
    except (UsageError, TamperedError) as error:
        return Line(name, "stale", note=str(error))
    agreed, items = sum(page.agreed for page in pages), sum(page.items for page in pages)
    waiting = sum(page.waiting for page in pages)
    if not (items or waiting or old):
        return None
    notes = [f"{items - agreed} of {items} open"] if agreed < items else []
    notes += [f"{waiting} wait for an earlier job"] if waiting else []
    notes += [f"{old} reviews of what has changed since or is not selected any more"] if old else []
    state = "done" if agreed == items and not waiting else "open" if reviewed else "missing"
    command = f"annotate {'pull' if reviewed else 'push'} {job.name}"
    return Line(name, state, agreed, note=", ".join(notes), next=command if agreed < items else "")


def problems_line(ws: Workspace, chosen: bool) -> Line:
    """The problems' line; `chosen`: whether the selections that they are made from are done."""
    from benchwright.curation.problems import make_problems
    from benchwright.schemas.artefact import manifest_path, read_manifest

    manifest = read_manifest(manifest_path(ws.problems))
    accept = manifest is not None and manifest.parameters.get("accept_proposals") is True
    command = "curate problems --accept-proposals" if accept else "curate problems"
    return _artefact(
        ws, "problems", ws.problems, command, lambda dry: make_problems(dry, accept), upstream=chosen
    )


def _renders(ws: Workspace, problems_done: bool) -> Iterator[Line]:
    """One line for each rendered version and language that the recipe asks for."""
    from benchwright.schemas.versions import VERSIONS

    for version in ws.recipe.benchmark.chosen_versions:
        if VERSIONS[version].rendered:
            for language in ws.recipe.benchmark.languages:
                folder = ws.renders(ws.recipe.render.style, version.value, language)
                yield _artefact(
                    ws,
                    f"render {version.value} {language}",
                    folder / "index.jsonl",
                    f"render {version.value}",
                    partial(_check_render, folder=folder),
                    upstream=problems_done,
                )


def _check_render(ws: Workspace, folder: Path) -> None:
    """Compare a folder of pictures with its index, and the style it was made in with the recipe's.

    Raises:
        NotDone: a picture or its sidecar is gone or changed, or the recipe asks for another look.
    """
    from urllib.parse import quote

    from benchwright.render.job import IndexRow
    from benchwright.render.sidecar import RENDERER_VERSION
    from benchwright.render.style import style_of
    from benchwright.schemas.artefact import manifest_path, read_manifest
    from benchwright.schemas.digest import sha256_file
    from benchwright.schemas.errors import NotDone
    from benchwright.schemas.journal import iter_jsonl

    manifest = read_manifest(manifest_path(folder / "index.jsonl"))
    style = style_of(ws.recipe.render).model_dump(mode="json")
    if (
        manifest is None
        or manifest.parameters["style"] != style
        or manifest.stage_version != RENDERER_VERSION
    ):
        raise NotDone(folder.name, "stale")
    for row in iter_jsonl(folder / "index.jsonl", IndexRow):
        picture = folder / f"{quote(row.problem_id, safe='')}.png"
        for path, digest in ((picture, row.png_sha256), (picture.with_suffix(".json"), row.sidecar_sha256)):
            if not path.is_file() or sha256_file(path) != digest:
                raise NotDone(folder.name, "tampered")


def _release(ws: Workspace, upstream: bool) -> Line:
    from benchwright.curation.release.build import release_state
    from benchwright.schemas.errors import TamperedError
    from benchwright.schemas.release_table import read_manifest

    tag = ws.recipe.release.tag
    name = f"release {tag}"
    try:
        state = str(release_state(ws, tag))
    except TamperedError:  # what it is made from: its own line says so
        state = "stale"
    if state == "done" and not upstream:
        state = "stale"
    command = "" if state == "done" else "push-dataset --build-only"
    manifest = read_manifest(ws.release(tag)) if state != "missing" else None
    if manifest is None:
        return Line(name, state, next=command)
    note = f"{ws.relative(ws.release(tag))}, {manifest.problems} problems"
    return Line(name, state, manifest.rows, note=note, next=command)


def _runs(ws: Workspace) -> Iterator[Line]:
    """Evaluations; `open` while a row was not run or not judged."""
    for run in sorted(ws.runs.glob("*")):
        if not (run / "spec.json").exists():
            continue
        name, note = f"run {run.name}", ws.relative(run)
        if not (run / "scores.json").exists():
            yield Line(name, "open", note=f"{note}, stopped before its scores")
            continue
        scores = json.loads((run / "scores.json").read_bytes())
        total = next(cell for cell in scores["cells"] if not cell["by"])
        left = total["n_total"] - total["n_scored"]
        note = f"{note}, {scores['spec']['model']['name']}" + (f", {left} rows open" if left else "")
        yield Line(name, "done" if scores["complete"] else "open", total["n_scored"], note=note)
