"""Which Label Studio project belongs to which page of which benchmark: a mark in the project's description says so."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import UTC, datetime

from pydantic import ValidationError

from benchwright.annotation.checks import config_controls
from benchwright.annotation.client import Project, ReviewServer, ServerTrouble
from benchwright.annotation.jobs.base import ReviewGroup, ReviewJob
from benchwright.schemas.digest import canonical_json, digest_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Record
from benchwright.schemas.workspace import Workspace

_PREFIX = "benchwright:"
_GUIDELINES = "guidelines:"
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
        _renew(server, found[0], group)
        return found
    try:
        return server.create_project(
            f"{group.title} ({slot})"[:_TITLE_LIMIT],
            f"{group.title}, slot {slot}, benchmark {wanted.benchmark}. Made by Benchwright: do not edit.\n"
            f"{_PREFIX}{canonical_json(wanted)}\n{_GUIDELINES}{group.guidelines.sha256}",
            group.config,
            group.guidelines.html,
        ), wanted
    except ServerTrouble:
        # The server may have made it all the same.
        found = _same_page(server.projects(), wanted)
        if found is None:
            raise
        return found


def guidelines_at(project: Project, moment: str) -> str | None:
    """Digest of the guidelines that a project showed at a time (ISO 8601); None where none are on record."""
    shown = None
    for digest, since in _guidelines(project.description):
        if since is None or datetime.fromisoformat(since) <= datetime.fromisoformat(moment):
            shown = digest
    return shown


def _renew(server: ReviewServer, project: Project, group: ReviewGroup) -> None:
    """Bring the look of a page and its guidelines up to date; since when the new ones are shown is kept with it."""
    known = _guidelines(project.description)
    same = bool(known) and known[-1][0] == group.guidelines.sha256
    if same and project.config == group.config and not project.can_skip:
        return
    description = project.description
    if not same:
        since = datetime.now(UTC).isoformat(timespec="seconds")
        description += f"\n{_GUIDELINES}{group.guidelines.sha256} {since}"
    server.restyle(project.id, group.config, group.guidelines.html, description)


def _guidelines(description: str) -> list[tuple[str, str | None]]:
    """(digest, since when; None from the start), oldest first."""
    lines = [
        line.removeprefix(_GUIDELINES).split()
        for line in description.splitlines()
        if line.startswith(_GUIDELINES)
    ]
    return [(line[0], line[1] if len(line) > 1 else None) for line in lines if line]


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
