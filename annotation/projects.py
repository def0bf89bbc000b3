"""Which Label Studio project belongs to which page of which benchmark: a mark in the project's description says so."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from pydantic import ValidationError

from benchwright.annotation.checks import config_controls
from benchwright.annotation.client import Project, ReviewServer, ServerTrouble
from benchwright.annotation.jobs.base import ReviewGroup, ReviewJob
from benchwright.schemas.digest import canonical_json, digest_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Record
from benchwright.schemas.workspace import Workspace

_PREFIX = "benchwright:"
_TITLE_LIMIT = 50


class ProjectMark(Record):
    """What makes a project ours."""

    benchmark: str
    job: str
    group: str
    slot: str
    config: str
    """Digest of what can be answered and of the job's version: other controls or options are another project."""
    uid: str
    """Random name of this one project; annotation ids begin with it, since servers count from 1 again."""


def read_mark(project: Project) -> ProjectMark | None:
    """The mark of a project; None for projects that are not ours."""
    for line in project.description.splitlines():
        if line.startswith(_PREFIX):
            try:
                return ProjectMark.model_validate_json(line.removeprefix(_PREFIX))
            except ValidationError:
                return None
    return None


def our_projects(
    server: ReviewServer, workspace: Workspace, job: ReviewJob
) -> list[tuple[Project, ProjectMark]]:
    """All projects of a job of this benchmark, old configs included."""
    return _marked(server.projects(), workspace.recipe.benchmark.name, job.name)


def ensure_project(
    server: ReviewServer, workspace: Workspace, job: ReviewJob, group: ReviewGroup, slot: str
) -> tuple[Project, ProjectMark]:
    """The project of a page, made where it is missing.

    Raises:
        UsageError: two projects claim to be this page, or it could not be made.
    """
    wanted = ProjectMark(
        benchmark=workspace.recipe.benchmark.name,
        job=job.name,
        group=group.name,
        slot=slot,
        config=config_digest(job, group),
        uid=secrets.token_hex(6),
    )
    found = _same_page(server.projects(), wanted)
    if found is not None:
        project, _ = found
        if project.config != group.config:
            server.restyle(project.id, group.config, group.instruction)
        return found
    try:
        return server.create_project(
            f"{group.title} ({slot})"[:_TITLE_LIMIT],
            f"{group.title}, slot {slot}, benchmark {wanted.benchmark}. Made by Benchwright: do not edit.\n"
            f"{_PREFIX}{canonical_json(wanted)}",
            group.config,
            group.instruction,
        ), wanted
    except ServerTrouble:
        # The server may have made it all the same.
        found = _same_page(server.projects(), wanted)
        if found is None:
            raise
        return found


def config_digest(job: ReviewJob, group: ReviewGroup) -> str:
    """Digest of the controls and their options: what an answer can be. Colours, keys and wording may change freely."""
    controls = [
        [control.name, control.type, list(control.targets), sorted(control.options), control.single]
        for _, control in sorted(config_controls(group.config).items())
    ]
    return digest_of([job.name, job.version, controls])


def _same_page(projects: Iterable[Project], wanted: ProjectMark) -> tuple[Project, ProjectMark] | None:
    same = [
        (project, mark)
        for project, mark in _marked(projects, wanted.benchmark, wanted.job)
        if mark.model_copy(update={"uid": wanted.uid}) == wanted
    ]
    if len(same) > 1:
        ids = ", ".join(str(project.id) for project, _ in same)
        raise UsageError(
            f"projects {ids} all claim to be {wanted.job}/{wanted.group}: delete all but the one in use."
        )
    return same[0] if same else None


def _marked(projects: Iterable[Project], benchmark: str, job: str) -> list[tuple[Project, ProjectMark]]:
    found = []
    for project in projects:
        mark = read_mark(project)
        if mark is not None and mark.benchmark == benchmark and mark.job == job:
            found.append((project, mark))
    return found
