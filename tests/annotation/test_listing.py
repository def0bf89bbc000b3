"""What the server lists is read once and whole, whatever reviewers do meanwhile."""

from __future__ import annotations

import pytest

from benchwright.annotation.client import ReviewServer
from benchwright.annotation.jobs.tagging import TaggingJob
from benchwright.schemas.workspace import Workspace

from .kill_rounds import regions

pytestmark = pytest.mark.labelstudio


def answered_page(server: ReviewServer, workspace: Workspace, title: str, count: int) -> int:
    """A project of so many answered tasks, every fifth of them skipped."""
    (group,) = TaggingJob().groups(workspace)
    project = server.create_project(title, title, group.config, "")
    tasks = [
        {
            "data": {**group.items[0].data, "number": number},
            "annotations": [{"result": regions(number), "was_cancelled": number % 5 == 4}],
        }
        for number in range(count)
    ]
    server.import_tasks(project.id, tasks)
    return project.id


def test_no_task_is_passed_over_when_an_answer_is_deleted_meanwhile(
    served: Workspace, server: ReviewServer
) -> None:
    project = answered_page(server, served, "deleted meanwhile", 20)
    everything = {task.id for task in server.tasks(project)}
    with ReviewServer(server.connection, rows_a_request=4) as careful:
        listing = careful.annotated(project)
        first = [next(listing) for _ in range(2)]
        careful._request("DELETE", f"/api/annotations/{first[0]['annotations'][0]['id']}/")
        rest = list(listing)
    ids = [row["id"] for row in (*first, *rest)]
    assert len(ids) == len(set(ids))
    assert set(ids) == everything
    assert {row["id"] for row in server.annotated(project)} == everything - {first[0]["id"]}


def test_tasks_are_listed_once_by_id_over_several_requests(served: Workspace, server: ReviewServer) -> None:
    project = answered_page(server, served, "many", 1001)
    numbers = [task.data["number"] for task in server.tasks(project)]
    assert numbers == list(range(1001))
