"""People who review: they submit over the real Label Studio's own interface, each under their own account.

Whoever has a proposal in sight keeps it, except that every fourth answer in the second slot names another level,
so that there is something to adjudicate. Where a task shows none, they answer by what the examples' author says.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchwright.annotation.client import ReviewServer, Task
from benchwright.annotation.connection import find_connection
from benchwright.annotation.jobs.base import ReviewJob
from benchwright.annotation.private import read_private
from benchwright.annotation.projects import our_projects
from benchwright.annotation.users import AccountsFile, accounts_path
from benchwright.examples.registry import all_problems
from benchwright.schemas.jobs import Proposal, problem_id
from benchwright.schemas.workspace import Workspace

KNOWN: dict[str, dict[str, Any]] = {
    problem_id(problem.id): {"subject": problem.subject, "difficulty": problem.difficulty}
    for problem in all_problems()
}
ALIKE: dict[str, dict[str, Any]] = {
    "quality": {"knowledge_complexity": 3, "visual_richness": 3, "decision": "accept"},
    "picture-kind": {"kind": "diagram"},
}
"""What people say about every item of these jobs."""


def review_all(root: Path, job: ReviewJob) -> int:
    """Answer every task of a job that has no answer; returns how many.

    Args:
        root: the workspace whose server runs.
        job: which review.
    """
    workspace = Workspace.find(root)
    accounts = (read_private(accounts_path(workspace), AccountsFile) or AccountsFile()).accounts
    connection = find_connection(workspace)
    tokens = [account.token for account in accounts if account.token] or [connection.token]
    done = 0
    with ReviewServer(connection) as owner:
        projects = our_projects(owner, workspace, job)
        slots = sorted({mark.slot for _, mark in projects})
        for project, mark in projects:
            answered = {int(row["id"]) for row in owner.annotated(project.id)}
            shown = {prediction.task: prediction.result for prediction in owner.predictions(project.id)}
            team = tokens[slots.index(mark.slot) :: len(slots)] or tokens[-1:]
            for number, task in enumerate(t for t in owner.tasks(project.id) if t.id not in answered):
                result = _completed(job, task, shown.get(task.id, []))
                if mark.slot == "B" and number % 4 == 3:
                    result = _other_level(result)
                _submit(connection, team[number % len(team)], task.id, result)
                done += 1
    return done


def _completed(job: ReviewJob, task: Task, shown: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is filled in is kept; what is not (no proposal in sight, an adjudicator's page) is known by heart."""
    values = ALIKE.get(job.name) or (KNOWN[str(task.data["item_id"])] if job.name == "tagging" else {})
    there = {region["from_name"] for region in shown}
    more = job.regions(_as_proposals(job.name, values), task.data) if values else []
    return [*shown, *(region for region in more if region["from_name"] not in there)]


def _as_proposals(job: str, values: Mapping[str, Any]) -> dict[str, Proposal]:
    return {
        field: Proposal(job=job, item_id="-", field=field, digest="0" * 64, value=value, model="by heart")
        for field, value in values.items()
    }


def _other_level(result: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same answer with another level, where it has one."""
    changed = []
    for region in result:
        if region["from_name"] == "difficulty":
            (level,) = region["value"]["choices"]
            region = {**region, "value": {"choices": [str((int(level) + 1) % 5 + 1)]}}
        changed.append(region)
    return changed


def _submit(connection: Any, token: str, task: int, result: list[dict[str, Any]]) -> None:
    with ReviewServer(connection.model_copy(update={"token": token})) as theirs:
        theirs._request(
            "POST",
            f"/api/tasks/{task}/annotations/",
            payload={"result": result, "lead_time": 20.0 + task % 7},
        )
