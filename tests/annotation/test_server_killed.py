"""Pusher or server killed in the middle of a push: the next push finishes, nothing is doubled or lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright.annotation.client import ReviewServer
from benchwright.annotation.connection import find_connection
from benchwright.annotation.jobs.tagging import TaggingJob
from benchwright.annotation.pull import pull_job
from benchwright.annotation.push import push_job
from benchwright.annotation.server import ManagedServer, running_server, state_path
from benchwright.schemas.jobs import Review
from benchwright.schemas.journal import Journal
from benchwright.schemas.workspace import Workspace

pytestmark = pytest.mark.labelstudio

JOB = TaggingJob()
OPTICS_3 = [
    {"from_name": name, "to_name": "question", "type": "choices", "value": {"choices": [value]}}
    for name, value in (("subject", "optics"), ("difficulty", "3"))
]

PUSHER = """
import os, signal, sys, threading
from pathlib import Path
from benchwright.annotation import push
from benchwright.annotation.client import ReviewServer, ServerTrouble
from benchwright.annotation.connection import find_connection
from benchwright.annotation.jobs.tagging import TaggingJob
from benchwright.schemas.workspace import Workspace
workspace = Workspace.find(Path(sys.argv[1]))
push.BATCH = 10
kill_after = int(sys.argv[2]) if len(sys.argv) > 2 else 0
done = []
def progress(n):
    print(n, flush=True)
    done.append(n)
    if len(done) == kill_after:  # somewhere inside the following import, however slow the machine is
        threading.Timer(0.01 * kill_after, os.kill, (os.getpid(), signal.SIGKILL)).start()
with ReviewServer(find_connection(workspace)) as server:
    push.push_job(server, workspace, TaggingJob(), progress=progress)
"""


@pytest.mark.parametrize("batches", [1, 3, 6])
def test_a_push_killed_in_the_middle_is_finished_by_the_next(
    served: Workspace, server: ReviewServer, make_workspace, batches: int
) -> None:
    make_workspace(served.root, 80, wording=f"Killed after {batches}")  # new content: 80 new tasks
    child = subprocess.run([sys.executable, "-c", PUSHER, str(served.root), str(batches)], check=False)
    assert child.returncode == -signal.SIGKILL
    (page,) = push_job(server, served, JOB)
    assert page.tasks == 80
    assert 0 < page.new < 80
    keys = [task.data["task_key"] for task in server.tasks(page.project)]
    assert len(keys) == len(set(keys))
    tasks = {t.id for t in server.tasks(page.project) if f"Killed after {batches} " in t.data["html"]}
    assert len(tasks) == 80
    assert sum(p.task in tasks for p in server.predictions(page.project)) == 72
    (again,) = push_job(server, served, JOB)
    assert (again.new, again.proposals_changed) == (0, 0)


def test_server_killed_in_a_push_then_restarted_keeps_everything(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path / "ws", 60, name="restart-test")
    with ManagedServer(workspace, print) as managed, ReviewServer(find_connection(workspace)) as server:
        (first,) = push_job(server, workspace, JOB)
        task = server.tasks(first.project)[0].id
        server._request("POST", f"/api/tasks/{task}/annotations/", payload={"result": OPTICS_3})
        make_workspace(workspace.root, 120, wording="Second")
        child = subprocess.Popen(
            [sys.executable, "-c", PUSHER, str(workspace.root)],
            stdout=subprocess.PIPE,
            text=True,
            stderr=subprocess.DEVNULL,
        )
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "10"
        os.kill(managed.pid, signal.SIGKILL)
        child.communicate()
        assert child.returncode != 0
    assert running_server(workspace) is None
    with ManagedServer(workspace, print) as managed, ReviewServer(find_connection(workspace)) as server:
        assert not managed.first_start
        (page,) = push_job(server, workspace, JOB)
        assert page.project == first.project
        assert (page.tasks, page.stale) == (120, 60)
        assert 0 < page.new < 120
        keys = [entry.data["task_key"] for entry in server.tasks(page.project)]
        assert len(keys) == len(set(keys)) == 180
        pull_job(server, workspace, JOB)
        reviews = Journal(workspace.reviews("tagging")).read(Review)
        assert ("q0000", "subject", "optics") in [(r.item_id, r.field, r.value) for r in reviews]
    assert not state_path(workspace).exists()
