"""Killing the review server, or the command that talks to it, in the middle of a push or a pull.

The command runs in a process of its own and asks before each request, so the kill falls where the test wants it: into a
chosen request, some way through it. Annotators answer meanwhile. Everything is real: server, processes, SIGKILL.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.annotation.client import JsonObject, ReviewServer, ServerTrouble
from benchwright.annotation.connection import find_connection
from benchwright.annotation.jobs.base import task_key
from benchwright.annotation.jobs.tagging import TaggingJob
from benchwright.annotation.projects import ensure_project
from benchwright.annotation.pull import pull_job
from benchwright.annotation.push import push_job
from benchwright.annotation.server import ManagedServer, running_server, state_path
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import Review
from benchwright.schemas.journal import Journal
from benchwright.schemas.workspace import Workspace

JOB = TaggingJob()
PULLED = "A"
"""Slot of the page whose answers are pulled; each push has a page of its own."""
SUBJECTS = ("optics", "mechanics")

CHILD = """
import sys
from pathlib import Path
from benchwright.annotation import push
from benchwright.annotation.client import ReviewServer
from benchwright.annotation.connection import find_connection
from benchwright.annotation.jobs.base import task_key
from benchwright.annotation.jobs.tagging import TaggingJob
from benchwright.annotation.projects import ensure_project
from benchwright.annotation.pull import pull_job
from benchwright.schemas.workspace import Workspace
root, what, slot, batch = sys.argv[1:]
workspace, push.BATCH = Workspace.find(Path(root)), int(batch)
def ask(request):
    print(request.method, request.url.path, flush=True)
    sys.stdin.readline()
with ReviewServer(find_connection(workspace)) as server:
    server._http.event_hooks = {"request": [ask]}
    if what == "push":
        push.push_job(server, workspace, TaggingJob(), (slot,))
    else:
        pull_job(server, workspace, TaggingJob(), slots=(slot,))
"""


class Asking:
    """A push or pull in a process of its own, which asks before each request."""

    def __init__(self, workspace: Workspace, what: str, slot: str, batch: int) -> None:
        command = [sys.executable, "-c", CHILD, str(workspace.root), what, slot, str(batch)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        self.asked: list[str] = []
        self.seconds: list[float] = []
        """How long each request took, until the next one was asked for."""
        self._since = 0.0

    def until(self, wanted: Callable[[str], bool], number: int) -> None:
        """Let it go on until it asks for the `number`th request of a kind; this one is not let go yet."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._note(line)
            if sum(map(wanted, self.asked)) == number:
                return
            self.let_go()
        raise AssertionError(f"ended after {self.asked}: {self._error()}")

    def let_go(self) -> None:
        """Allow the request that was asked for."""
        assert self.process.stdin is not None
        self._since = time.monotonic()
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    @property
    def import_seconds(self) -> float:
        """How long the last finished import took."""
        done = zip(self.asked, self.seconds, strict=False)
        return [seconds for request, seconds in done if request.endswith("/import")][-1]

    def finish(self) -> tuple[int, str]:
        """Let everything go until the process ends: its exit code and what it said."""
        with self.process:
            assert self.process.stdout is not None
            for line in self.process.stdout:
                self._note(line)
                self.let_go()
            error = self._error()
        return self.process.returncode, error

    def kill(self) -> None:
        """SIGKILL."""
        with self.process:
            self.process.kill()
        code = self.process.returncode
        assert code == -signal.SIGKILL, f"it had ended with {code} before the kill"

    def _note(self, line: str) -> None:
        if self._since:
            self.seconds.append(time.monotonic() - self._since)
        self.asked.append(line.strip())

    def _error(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read()


@dataclass(frozen=True)
class Kept:
    """Files that a pull writes, as they were at some moment."""

    journal: bytes
    verdicts: bytes


class KillRounds:
    """A workspace of `tasks` questions, its running server, and a page of answers to be pulled."""

    def __init__(self, workspace: Workspace, tasks: int, batch: int) -> None:
        self.workspace, self.tasks, self.batch = workspace, tasks, batch
        self.proposals = tasks - tasks // 10
        self._managed = ManagedServer(workspace, print)
        self._managed.start()
        try:
            self._set_up()
        except BaseException:
            self.close()
            raise

    def _set_up(self) -> None:
        half = self.tasks // 2
        with self.client() as server:
            self._put_answers(server, 0, half)
            pull_job(server, self.workspace, JOB, slots=(PULLED,))
            self._save(self._before)
            self._put_answers(server, half, self.tasks)
        whole = Asking(self.workspace, "pull", PULLED, self.batch)
        assert whole.finish() == (0, "")
        self.requests = len(whole.asked)
        self.request_seconds = max(whole.seconds)
        self.reference = self._kept()

    def close(self) -> None:
        """Stop the server."""
        self._managed.stop()

    def client(self) -> ReviewServer:
        """The owner's client."""
        return ReviewServer(find_connection(self.workspace))

    # --- a push --------------------------------------------------------------------------------------------------
    def push_killed(self, victim: str, slot: str, seed: int, kills: int = 1) -> list[str]:
        """Kill so many times in the imports of one push, each time begun again; annotators answer meanwhile."""
        draw, told = random.Random(f"push {victim} {seed}"), []
        answers = Annotators(self, slot)
        there = 0
        shares = [(place + draw.random()) / kills for place in range(kills)]  # early, late and in between
        draw.shuffle(shares)
        for left, share in zip(range(kills, 0, -1), shares, strict=True):
            batches = -(-(self.tasks - there) // self.batch)
            number = max(
                1, min(draw.randint(1, 2) if kills > 1 else draw.randint(2, batches), batches - left + 1)
            )
            child = Asking(self.workspace, "push", slot, self.batch)
            child.until(lambda request: request.endswith("/import"), number)
            answers.answer(2)
            if number > 1:
                self.import_seconds = child.import_seconds
            with ThreadPoolExecutor(1) as pool:
                child.let_go()
                late = pool.submit(answers.answer, 1)
                time.sleep(share * self.import_seconds)
                self._kill(victim, child, late.result)
            there = self._restart_if_dead(slot)
            told.append(
                f"{victim} killed at {share:.0%} of import {number} of {batches} of a push: "
                f"{there:,} of {self.tasks:,} there"
            )
        self._check_pushed(slot, answers)
        told.append(
            f"  then each key once, {self.proposals:,} proposals, {len(answers.accepted)} answers given meanwhile kept"
        )
        return told

    def _check_pushed(self, slot: str, answers: Annotators) -> None:
        with self.client() as server:
            (page,) = push_job(server, self.workspace, JOB, (slot,))
            tasks = server.tasks(page.project)
            keys = Counter(task.data["task_key"] for task in tasks)
            assert page.tasks == len(tasks) == len(keys) == self.tasks
            assert set(keys.values()) == {1}
            shown = Counter(prediction.task for prediction in server.predictions(page.project))
            assert (len(shown), set(shown.values())) == (self.proposals, {1})
            there = Counter(a["id"] for row in server.annotated(page.project) for a in row["annotations"])
            assert set(there.values()) == {1}
            assert set(answers.accepted) <= set(there), "an answer that the server took is lost"
            assert len(there) <= len(answers.accepted) + answers.unknown
            pull_job(server, self.workspace, JOB, slots=(PULLED,))
        reviews = Journal(self.workspace.reviews("tagging")).read(Review)
        said = Counter(
            (review.annotation_id.split("-")[1], review.field) for review in reviews if review.slot == slot
        )
        assert said == Counter((str(number), f) for number in there for f in ("subject", "difficulty"))

    # --- a pull --------------------------------------------------------------------------------------------------
    def pull_killed(self, victim: str, seed: int, kills: int = 1) -> list[str]:
        """Kill so many pulls in a request each, pull once more: the files are those of an unbroken pull."""
        draw, told = random.Random(f"pull {victim} {seed}"), []
        self._restore(self._before)
        for _ in range(kills):
            number = draw.randint(1, self.requests - 1)
            child = Asking(self.workspace, "pull", PULLED, self.batch)
            child.until(lambda request: True, number)
            child.let_go()
            time.sleep(draw.uniform(0.0, 0.5) * self.request_seconds)
            self._kill(victim, child, lambda: None)
            self._restart_if_dead(PULLED)
            told.append(f"{victim} killed in request {number} of {self.requests} of a pull of {self.tasks:,}")
        self._check_pulled()
        return [*told, f"  then journal and verdicts of {self.tasks:,} answers, as of an unbroken pull"]

    def pull_killed_writing(self) -> list[str]:
        """Kill a pull as it writes the journal, pull once more."""
        self._restore(self._before)
        journal = self.workspace.reviews("tagging")
        size = journal.stat().st_size
        child = Asking(self.workspace, "pull", PULLED, self.batch)
        child.until(lambda request: True, self.requests)
        child.let_go()
        while journal.stat().st_size == size and child.process.poll() is None:
            pass
        self._kill("client", child, lambda: None)
        written = journal.stat().st_size - size
        self._check_pulled()
        return [
            f"client killed as a pull wrote: {written:,} of {len(self.reference.journal) - size:,} bytes there",
            f"  then journal and verdicts of {self.tasks:,} answers, as of an unbroken pull",
        ]

    def _check_pulled(self) -> None:
        with self.client() as server:
            pull_job(server, self.workspace, JOB, slots=(PULLED,))
            assert self._kept() == self.reference, (
                "another journal or other verdicts than of an unbroken pull"
            )
            assert pull_job(server, self.workspace, JOB, slots=(PULLED,)).new == 0
        reviews = [r for r in Journal(self.workspace.reviews("tagging")).read(Review) if r.slot == PULLED]
        said = {(review.item_id, review.field): review.value for review in reviews}
        assert len(said) == len(reviews) == 2 * self.tasks
        expected: dict[tuple[str, str], Any] = {}
        for number in range(self.tasks):
            item, (subject, level) = f"q{number:04d}", answer_to(number)
            expected |= {(item, "subject"): subject, (item, "difficulty"): level}
        assert said == expected

    # --- parts ---------------------------------------------------------------------------------------------------
    @property
    def _before(self) -> Path:
        return self.workspace.root.parent / "before"

    def _put_answers(self, server: ReviewServer, start: int, end: int) -> None:
        """Answered tasks on the page of `PULLED`, as if people had been there: imported with an annotation each."""
        (group,) = JOB.groups(self.workspace)
        project, _ = ensure_project(server, self.workspace, JOB, group, PULLED)
        tasks = [
            {
                "data": {
                    **item.data,
                    "item_id": item.item_id,
                    "language": item.language,
                    "digest": item.digest,
                    "task_key": task_key(JOB, PULLED, item),
                },
                "annotations": [{"result": regions(number)}],
            }
            for number, item in enumerate(group.items[start:end], start)
        ]
        began = time.monotonic()
        for place in range(0, len(tasks), self.batch):
            server.import_tasks(project.id, tasks[place : place + self.batch])
        self.import_seconds = (time.monotonic() - began) * self.batch / len(tasks)

    def _kill(self, victim: str, child: Asking, wait: Callable[[], object]) -> None:
        if victim == "client":
            child.kill()
            wait()
            return
        os.kill(self._managed.pid, signal.SIGKILL)
        wait()
        code, error = child.finish()
        assert code == 1
        assert "ServerTrouble" in error, error

    def _restart_if_dead(self, slot: str) -> int:
        """Start the server again where it was killed; how many tasks of a slot it holds."""
        if running_server(self.workspace) is None:
            self._managed.stop()
            self._managed = ManagedServer(self.workspace, print)
            self._managed.start()
            assert not self._managed.first_start
            assert state_path(self.workspace).exists()
        with self.client() as server:
            return sum(len(server.tasks(project)) for project in projects_of(server, slot))

    def _files(self) -> list[Path]:
        place = self.workspace
        return [place.reviews("tagging"), place.verdicts("tagging"), place.label_studio / "pulled.json"]

    def _save(self, folder: Path) -> None:
        folder.mkdir()
        for path in self._files():
            shutil.copy2(path, folder / path.name)

    def _restore(self, folder: Path) -> None:
        for path in self._files():
            shutil.copy2(folder / path.name, path)

    def _kept(self) -> Kept:
        place = self.workspace
        return Kept(place.reviews("tagging").read_bytes(), place.verdicts("tagging").read_bytes())


class Annotators:
    """People who answer tasks of a page while it is pushed; who got a receipt is remembered."""

    def __init__(self, rounds: KillRounds, slot: str) -> None:
        self.accepted: list[int] = []
        self.unknown = 0
        self._rounds, self._slot = rounds, slot
        self._asked: set[int] = set()

    def answer(self, count: int) -> None:
        """Submit answers to the first tasks that have none, as a browser does; none where there are no tasks yet."""
        try:
            with self._rounds.client() as server:
                tasks = [
                    task for project in projects_of(server, self._slot) for task in server.tasks(project)
                ]
                for task in [task.id for task in tasks if task.id not in self._asked][:count]:
                    self._asked.add(task)
                    self._submit(server, task)
        except (ServerTrouble, UsageError):  # the server was killed before anything was sent
            return

    def _submit(self, server: ReviewServer, task: int) -> None:
        try:
            made = server._request(
                "POST", f"/api/tasks/{task}/annotations/", payload={"result": regions(task)}
            )
        except ServerTrouble:
            self.unknown += 1
        else:
            self.accepted.append(int(made["id"]))


def projects_of(server: ReviewServer, slot: str) -> list[int]:
    """Projects of a slot, by their title."""
    return [project.id for project in server.projects() if project.title.endswith(f"({slot})")]


def answer_to(number: int) -> tuple[str, int]:
    """What people say about a question."""
    return SUBJECTS[number % 2], 1 + number % 5


def regions(number: int) -> list[JsonObject]:
    """The same as Label Studio stores it."""
    subject, level = answer_to(number)
    return [
        {"from_name": name, "to_name": "question", "type": "choices", "value": {"choices": [value]}}
        for name, value in (("subject", subject), ("difficulty", str(level)))
    ]
