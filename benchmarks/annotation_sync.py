"""Tasks to Label Studio and answers back: `annotate push` and `pull` beside the SDK's own calls, on the same tasks.

    python benchmarks/annotation_sync.py [TASKS] [--one-by-one N]

Named peer: `label_studio_sdk.LabelStudio`, as its documentation uses it: tasks and predictions created one by one, or
all in one `import_tasks`; answers read with `tasks.list(fields="all")`, or exported. Everything talks to one real Label
Studio with an embedded database. Ours reads the workspace, draws the formulas, links the pictures, looks for what is
there, and checks at the end that each task and proposal stands there once; the peers get finished tasks. Each way runs
in a process of its own; "peak" is that process's, "server" are processor seconds of Label Studio meanwhile.

Creating one by one is measured on N tasks and multiplied. Answers are made by importing the tasks with annotations.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RECIPE = """[benchmark]
name = "sync"

[disciplines.physics]
budget = {budget}
"""
SUBJECTS = ("optics", "mechanics")
# A process inherits the peak memory of the one it was forked from: so each way is started by a small one.
LAUNCHER = """
import json, os, sys
path, *command = sys.argv[1:]
pid = os.posix_spawn(command[0], command, os.environ)
_, status, used = os.wait4(pid, 0)
with open(path, "w") as out:
    json.dump([used.ru_utime + used.ru_stime, used.ru_maxrss], out)
sys.exit(os.waitstatus_to_exitcode(status))
"""
PATIENCE = 1800
"""Seconds the SDK may wait for one reply: its default of 60 is too few for thousands of tasks in one call."""


@dataclass(frozen=True)
class Cost:
    """What one way took."""

    seconds: float
    cpu: float
    peak_mb: int
    server_cpu: float

    def times(self, factor: float) -> Cost:
        """The same for so many times as much work."""
        return Cost(self.seconds * factor, self.cpu * factor, self.peak_mb, self.server_cpu * factor)


# --- the workspace -------------------------------------------------------------------------------------------------
def make_workspace(root: Path, tasks: int) -> None:
    """A workspace of so many selected physics questions with formulas and a picture each, and their proposals."""
    from benchwright.schemas.jobs import Proposal, shown_digest, tagging_view
    from benchwright.schemas.journal import write_jsonl
    from benchwright.schemas.records import Question
    from benchwright.schemas.selection import SelectionRow
    from benchwright.schemas.tables import write_records
    from benchwright.schemas.workspace import Workspace

    workspace = Workspace.create(root, RECIPE.format(budget=tasks))
    questions = [_question(workspace, number) for number in range(tasks)]
    rows = [
        SelectionRow(
            question_id=question.id,
            discipline="physics",
            subject="mechanics",
            difficulty=2,
            cluster=0,
            centrality=0.5,
            points=("mechanics",),
            rank=rank,
        )
        for rank, question in enumerate(questions, start=1)
    ]
    proposals = [
        Proposal(
            job="tagging",
            item_id=question.id,
            field=field,
            digest=shown_digest(tagging_view(question)),
            value=value,
            confidence=0.75,
            model="bench",
        )
        for number, question in enumerate(questions)
        for field, value in zip(("subject", "difficulty"), answer_to(number), strict=True)
    ]
    workspace.pool("physics").parent.mkdir(exist_ok=True)
    workspace.selection("physics").parent.mkdir(exist_ok=True)
    write_records(workspace.pool("physics"), questions, Question)
    write_records(workspace.selection("physics"), rows, SelectionRow)
    write_jsonl(workspace.proposals("tagging"), proposals)


def _question(workspace: Any, number: int) -> Any:
    from PIL import Image, ImageDraw

    from benchwright.schemas.images import load_image_bytes
    from benchwright.schemas.records import Choice, LocalizedText, Question, QuestionType

    picture, out = Image.new("RGB", (320, 200), "white"), io.BytesIO()
    ImageDraw.Draw(picture).text((140, 60), f"F = {number} N", fill="black")
    picture.save(out, "PNG")
    loaded = load_image_bytes(out.getvalue())
    path = workspace.image(loaded.ref.sha256, loaded.ref.suffix)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(loaded.published)
    text = LocalizedText(
        question=f"Question {number}: a block is pulled with $F = \\frac{{{number}}}{{2}}$ N. Which reading fits?",
        choices=tuple(Choice(label=label, text=f"${i + number}$ N") for i, label in enumerate("ABCD")),
        answer="B",
    )
    return Question(
        id=f"q{number:05d}",
        source="self",
        source_license="CC0-1.0",
        source_row="{}",
        discipline="physics",
        language="en",
        texts={"en": text},
        images=(loaded.ref,),
        question_type=QuestionType.SINGLE_CHOICE,
    )


def answer_to(number: int) -> tuple[str, int]:
    """What machine and people say about a question."""
    return SUBJECTS[number % 2], 1 + number % 5


# --- the peers: each is the body of a process ----------------------------------------------------------------------
def client(url: str, token: str) -> Any:
    """The SDK's client."""
    from label_studio_sdk import LabelStudio

    return LabelStudio(base_url=url, api_key=token, timeout=PATIENCE)


def push_in_one_call(url: str, token: str, project: int, entries: list[dict[str, Any]]) -> int:
    """All tasks with their predictions in one call; how many there are."""
    client(url, token).projects.import_tasks(project, request=entries)
    return len(entries)


def push_one_by_one(url: str, token: str, project: int, entries: list[dict[str, Any]]) -> int:
    """Each task, then its prediction; how many there are."""
    sdk = client(url, token)
    for entry in entries:
        task = sdk.tasks.create(project=project, data=entry["data"])
        for prediction in entry["predictions"]:
            sdk.predictions.create(task=task.id, **prediction)
    return len(entries)


def pull_by_list(url: str, token: str, project: int, entries: list[dict[str, Any]]) -> int:
    """All tasks with all that hangs on them; how many annotations there are."""
    return sum(
        len(task.annotations or []) for task in client(url, token).tasks.list(project=project, fields="all")
    )


def pull_by_export(url: str, token: str, project: int, entries: list[dict[str, Any]]) -> int:
    """An export of all tasks; how many annotations there are."""
    rows = client(url, token).projects.exports.as_json(project, timeout=PATIENCE)
    return sum(len(row["annotations"]) for row in rows)


PEERS: dict[str, Callable[[str, str, int, list[dict[str, Any]]], int]] = {
    peer.__name__: peer for peer in (push_in_one_call, push_one_by_one, pull_by_list, pull_by_export)
}


# --- the measurement -----------------------------------------------------------------------------------------------
class Bench:
    """One server, one workspace, and the ways to be measured."""

    def __init__(self, server: Any, workspace: Any, folder: Path, tasks: int) -> None:
        self.server, self.workspace, self.folder, self.tasks = server, workspace, folder, tasks
        self.config = ""

    def ours(self, *command: str) -> Cost:
        """One of our commands."""
        program = str(Path(sys.executable).with_name(command[0]))
        return self._measured([program, *command[1:], "--workspace", str(self.workspace.root)])[0]

    def peer(self, name: str, project: int, entries: Path, expected: int) -> Cost:
        """One way of the SDK.

        Raises:
            SystemExit: it did not bring what it should.
        """
        asked = [name, self.server.url, self.server.credentials.token, str(project), str(entries)]
        cost, said = self._measured([sys.executable, __file__, "--peer", *asked])
        if int(said) != expected:
            raise SystemExit(f"{name} brought {said}, not {expected}")
        return cost

    def entries(self) -> list[dict[str, Any]]:
        """The tasks of our page as the peers get them: data and prediction."""
        with self.client() as known:
            (project,) = [p for p in known.projects() if p.title.endswith("(A)")]
            self.config = project.config
            shown = {p.task: p for p in known.predictions(project.id)}
            return [
                {
                    "data": task.data,
                    "predictions": [
                        {"model_version": shown[task.id].model_version, "result": shown[task.id].result}
                    ],
                }
                for task in known.tasks(project.id)
            ]

    def new_project(self, title: str) -> int:
        """An empty project with the page of ours."""
        with self.client() as known:
            return int(known.create_project(title, title, self.config, "").id)

    def answer(self, entries: list[dict[str, Any]]) -> int:
        """The same tasks with an annotation each, as the page of a second slot; its project."""
        from benchwright.annotation.jobs.tagging import TaggingJob
        from benchwright.annotation.projects import ensure_project

        (group,) = TaggingJob().groups(self.workspace)
        with self.client() as known:
            project, _ = ensure_project(known, self.workspace, TaggingJob(), group, "B")
            for start in range(0, len(entries), 200):
                batch = [
                    {
                        **entry,
                        "data": {**entry["data"], "task_key": f"B {number}"},
                        "annotations": [{"result": _regions(number)}],
                    }
                    for number, entry in enumerate(entries[start : start + 200], start)
                ]
                known.import_tasks(project.id, batch)
            return int(project.id)

    def client(self) -> Any:
        """Our client, for preparing and looking."""
        from benchwright.annotation.client import ReviewServer
        from benchwright.annotation.connection import find_connection

        return ReviewServer(find_connection(self.workspace))

    def _measured(self, command: list[str]) -> tuple[Cost, str]:
        usage_file = self.folder / "usage.json"
        launched = [sys.executable, "-S", "-c", LAUNCHER, str(usage_file), *command]
        before, started = self._server_cpu(), time.perf_counter()
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as error:
            child = subprocess.run(launched, stdout=said, stderr=error, check=False)
            seconds = time.perf_counter() - started
            for stream in (said, error):
                stream.seek(0)
            if child.returncode != 0:
                raise SystemExit(f"{command[1:3]} ended with {child.returncode}:\n{error.read().decode()}")
            cpu, peak_kb = json.loads(usage_file.read_text(encoding="utf-8"))
            cost = Cost(seconds, cpu, peak_kb // 1024, self._server_cpu() - before)
            return cost, said.read().decode()

    def _server_cpu(self) -> float:
        """Processor seconds of the server so far (Linux: /proc)."""
        fields = Path(f"/proc/{self.server.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def server_peak_mb(self) -> int:
        """Most memory of the server (Linux: /proc)."""
        status = Path(f"/proc/{self.server.pid}/status").read_text(encoding="ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def _regions(number: int) -> list[dict[str, Any]]:
    subject, level = answer_to(number)
    return [
        {"from_name": name, "to_name": "question", "type": "choices", "value": {"choices": [value]}}
        for name, value in (("subject", subject), ("difficulty", str(level)))
    ]


def measure(bench: Bench, sample: int) -> tuple[dict[str, Cost], dict[str, Cost]]:
    """Costs of all ways, pushes and pulls; ours is the first of each."""
    tasks = bench.tasks
    pushes = {"annotate push": _told("annotate push", bench.ours("annotate", "push", "tagging"))}
    entries = bench.entries()
    if len(entries) != tasks:
        raise SystemExit(f"{len(entries)} tasks arrived, not {tasks}")
    whole, part = bench.folder / "entries.json", bench.folder / "some.json"
    whole.write_text(json.dumps(entries), encoding="utf-8")
    part.write_text(json.dumps(entries[:sample]), encoding="utf-8")
    pushes["annotate push, nothing to do"] = bench.ours("annotate", "push", "tagging")
    name = "SDK: import_tasks, one call"
    pushes[name] = _told(name, bench.peer("push_in_one_call", bench.new_project("one call"), whole, tasks))
    name = f"SDK: one by one ({sample} x {tasks / sample:g})"
    single = bench.peer("push_one_by_one", bench.new_project("one by one"), part, sample)
    pushes[name] = _told(name, single.times(tasks / sample))
    answered = bench.answer(entries)
    pulls = {"annotate pull": _told("annotate pull", bench.ours("annotate", "pull", "tagging"))}
    _check_pulled(bench)
    pulls["annotate pull, nothing new"] = bench.ours("annotate", "pull", "tagging")
    for name, peer in (("SDK: tasks.list, all fields", "pull_by_list"), ("SDK: export", "pull_by_export")):
        pulls[name] = _told(name, bench.peer(peer, answered, part, tasks))
    return pushes, pulls


def _check_pulled(bench: Bench) -> None:
    from benchwright.schemas.jobs import Review
    from benchwright.schemas.journal import Journal

    found = {(r.item_id, r.field): r.value for r in Journal(bench.workspace.reviews("tagging")).read(Review)}
    wanted = {
        (f"q{number:05d}", field): value
        for number in range(bench.tasks)
        for field, value in zip(("subject", "difficulty"), answer_to(number), strict=True)
    }
    if found != wanted:
        raise SystemExit(f"{len(found)} answers were pulled, not the {len(wanted)} that were given")


def _told(name: str, cost: Cost) -> Cost:
    print(f"{name}: {cost.seconds:.0f} s", file=sys.stderr)
    return cost


def main() -> int:
    """Print the tables; 1 where ours takes longer than the SDK one by one, or than its list."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tasks", type=int, nargs="?", default=5000)
    parser.add_argument("--one-by-one", type=int, default=250, help="Tasks that are created one by one.")
    parser.add_argument("--peer", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        name, url, token, project, path = options.peer
        entries = json.loads(Path(path).read_text(encoding="utf-8"))
        print(PEERS[name](url, token, int(project), entries))
        return 0
    from benchwright.annotation.server import ManagedServer
    from benchwright.schemas.workspace import Workspace

    def say(text: str) -> None:
        print(text, file=sys.stderr)

    with tempfile.TemporaryDirectory() as work:
        root = Path(work) / "workspace"
        make_workspace(root, options.tasks)
        workspace = Workspace.find(root)
        with ManagedServer(workspace, say) as server:
            bench = Bench(server, workspace, Path(work), options.tasks)
            tables = measure(bench, min(options.one_by_one, options.tasks))
            print(
                f"{options.tasks:,} tasks with a proposal each; server at most {bench.server_peak_mb():,} MB"
            )
    missed = False
    for table in tables:
        own = next(iter(table.values()))
        print(f"\n{'':<34}{'seconds':>9}{'cpu s':>8}{'peak MB':>9}{'server cpu s':>14}{'x ours':>8}")
        for name, cost in table.items():
            ratio = cost.seconds / own.seconds
            figures = f"{cost.seconds:>9.1f}{cost.cpu:>8.1f}{cost.peak_mb:>9,}{cost.server_cpu:>14.1f}"
            print(f"{name:<34}{figures}{ratio:>8.2f}")
    pushed, pulled = tables
    for what, table, word in (("push", pushed, "one by one"), ("pull", pulled, "tasks.list")):
        own = next(iter(table.values()))
        peer = next(cost for name, cost in table.items() if word in name)
        good = own.seconds <= peer.seconds
        missed |= not good
        print(
            f"{'reached' if good else 'missed'}  {what}: {peer.seconds / own.seconds:.1f} times as fast as {word}"
        )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
