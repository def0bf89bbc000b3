"""From nothing to 1,000 real questions under review: the three commands of `docs/annotation.md`, timed.

    python benchmarks/annotation_start.py [--tasks N] [--cache FOLDER] [--present-only]

Needs BENCHWRIGHT_SHARED (default `../shared`). A pool of real mathematics, with its pictures, is ingested, N of it
selected and tagged by the embedded proposer; this is not counted. Then, first with an empty cache folder (Label Studio
is installed into it) and again with what it holds:

    annotate serve
    annotate users add mei
    annotate push tagging

After each round mei logs in as her browser does, is given a task with its proposal, and answers it; all N tasks stand
in one project, each once, each with its proposal; `annotate pull tagging` brings her answer. Exit code 1 where one of
this is not true. No bar on seconds: installing depends on the package index.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("BENCHWRIGHT_SHARED", ROOT.parent / "shared")).resolve()
DISCIPLINE, MORE = "mathematics", "ruixiangcui/AGIEval"
RECIPE = """[benchmark]
name = "real-start"
languages = ["en"]

[disciplines.mathematics]
budget = {tasks}

[ingest.fields]
solution = "extra.solution"
"""
TICKS = os.sysconf("SC_CLK_TCK")


class Untrue(SystemExit):
    """Something that the acceptance says was not so."""


def check(sentence: str, holds: bool) -> None:
    """Print a sentence that was found true, or stop."""
    if not holds:
        raise Untrue(f"not true: {sentence}")
    print(f"  ok: {sentence}", flush=True)


@dataclass(frozen=True)
class Cost:
    """What a command took, with all processes that it waited for."""

    seconds: float
    cpu: float


def command(name: str) -> str:
    """Our installed program of that name."""
    return str(Path(sys.executable).with_name(name))


def run(workspace: Path, *typed: str) -> tuple[Cost, dict[str, Any]]:
    """One of our commands with `--json`: what it took and what it said.

    Raises:
        SystemExit: it failed; shows what it said.
    """
    words = [command(typed[0]), *typed[1:], "--workspace", str(workspace), "--json"]
    started = time.perf_counter()
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as error:
        child = subprocess.Popen(words, stdout=said, stderr=error)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        cost = Cost(time.perf_counter() - started, usage.ru_utime + usage.ru_stime)
        said.seek(0)
        error.seek(0)
        if child.returncode != 0:
            raise SystemExit(f"{' '.join(typed)} ended with {child.returncode}:\n{error.read().decode()}")
        return cost, json.loads(said.read())


# --- preparation, not counted --------------------------------------------------------------------------------------
def make_pool(folder: Path) -> Path:
    """The shared pool's mathematics with pictures, and mathematics without from another source of the text pool."""
    shutil.copytree(SHARED / "data" / "real_pool" / "images", folder / "images")
    pool = folder / "pool.jsonl"
    with (
        pool.open("w", encoding="utf-8") as out,
        (SHARED / "data" / "real_pool" / "pool.jsonl").open(encoding="utf-8") as drawn,
        gzip.open(SHARED / "data" / "text_pool.jsonl.gz", "rt", encoding="utf-8") as text,
    ):
        out.writelines(line for line in drawn if json.loads(line)["discipline"] == DISCIPLINE)
        for line in text:
            row = json.loads(line)
            if row["discipline"] == DISCIPLINE and row["source"] == MORE:
                out.write(line)
    return pool


def prepare(workspace: Path, tasks: int) -> None:
    """Ingest, select and propose."""
    workspace.mkdir()
    (workspace / "benchwright.toml").write_text(RECIPE.format(tasks=tasks), encoding="utf-8")
    pool = workspace.parent / "pool"
    pool.mkdir()
    said = run(workspace, "curate", "ingest", str(make_pool(pool)))[1]
    print(f"ingested: {json.dumps(said)[:300]}", file=sys.stderr)
    run(workspace, "curate", "cluster")
    run(workspace, "curate", "tag")


# --- one round -----------------------------------------------------------------------------------------------------
@contextlib.contextmanager
def serving(workspace: Path) -> Iterator[tuple[Cost, str]]:
    """`annotate serve` until it says its address; its cost includes what was installed and the server's own start."""
    started = time.perf_counter()
    words = [command("annotate"), "serve", "--workspace", str(workspace)]
    with (workspace.parent / "serve.txt").open("wb") as log:
        child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log)
        try:
            assert child.stdout is not None
            line = child.stdout.readline().decode()
            seconds = time.perf_counter() - started
            if not line.startswith("review server: "):
                log_text = (workspace.parent / "serve.txt").read_text(encoding="utf-8")
                raise SystemExit(f"annotate serve did not come up: {line}{log_text}")
            state = json.loads((workspace / "label-studio" / "server.json").read_bytes())
            yield Cost(seconds, cpu_of(child.pid) + cpu_of(state["pid"])), line.split()[-1]
        finally:
            child.send_signal(signal.SIGTERM)
            child.communicate()


def cpu_of(pid: int) -> float:
    """Processor seconds of a process and of all that it waited for (Linux: /proc)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


class Browser:
    """What a reviewer's browser sends, by plain HTTP."""

    def __init__(self, url: str) -> None:
        import httpx

        self.url = url
        self.http = httpx.Client(base_url=url, trust_env=False, timeout=120.0, follow_redirects=True)

    def log_in(self, email: str, password: str) -> str:
        """Fill in the log-in form; the account that the server then knows."""
        page = self.http.get("/user/login/")
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
        assert token is not None, "the log-in page has no form"
        form = {"email": email, "password": password, "csrfmiddlewaretoken": token[1]}
        self.http.post("/user/login/", data=form, headers={"Referer": f"{self.url}/user/login/"})
        return str(self.get("/api/current-user/whoami").get("email"))

    def get(self, path: str) -> dict[str, Any]:
        """A JSON answer."""
        reply = self.http.get(path)
        reply.raise_for_status()
        found: dict[str, Any] = reply.json()
        return found

    def submit(self, task: int, result: list[dict[str, Any]]) -> None:
        """Submit an answer to a task."""
        headers = {"X-CSRFToken": self.http.cookies["csrftoken"], "Referer": self.url}
        made = self.http.post(f"/api/tasks/{task}/annotations/", json={"result": result}, headers=headers)
        made.raise_for_status()


def one_round(workspace: Path, tasks: int) -> dict[str, Cost]:
    """The three commands, what they left, and an answer there and back."""
    for left in ("label-studio", "reviews"):
        shutil.rmtree(workspace / left, ignore_errors=True)
    (workspace / "people.json").unlink(missing_ok=True)
    costs: dict[str, Cost] = {}
    with serving(workspace) as (cost, url):
        costs["annotate serve"] = cost
        costs["annotate users add mei"], people = run(workspace, "annotate", "users", "add", "mei")
        costs["annotate push tagging"], pushed = run(workspace, "annotate", "push", "tagging")
        (page,) = pushed["pages"]
        check(
            f"{tasks:,} tasks in one project, {page['proposals']:,} with a proposal",
            page["tasks"] == page["proposals"] == tasks,
        )
        look_at_server(workspace, page["project"], tasks)
        (mei,) = people["users"]
        browser = Browser(url)
        check("mei is logged in", browser.log_in(mei["email"], mei["password"]) == mei["email"])
        task = browser.get(f"/api/projects/{page['project']}/next")
        shown = task["predictions"]
        check("she is given a task with its proposal", len(shown) == 1 and bool(shown[0]["result"]))
        browser.submit(task["id"], shown[0]["result"])
        costs["annotate pull tagging"], pulled = run(workspace, "annotate", "pull", "tagging")
        check(
            "her answer, subject and difficulty, is pulled",
            pulled["states"] == {"submitted": 2} and pulled["verdicts"] == {"agreed": 2},
        )
    return costs


def look_at_server(workspace: Path, project: int, tasks: int) -> None:
    """Count what stands on the server."""
    from benchwright.annotation.client import ReviewServer
    from benchwright.annotation.connection import find_connection
    from benchwright.schemas.workspace import Workspace

    with ReviewServer(find_connection(Workspace.find(workspace))) as server:
        there = server.tasks(project)
        keys = Counter(task.data["task_key"] for task in there)
        shown = Counter(prediction.task for prediction in server.predictions(project))
    check("each key stands there once", len(there) == len(keys) == tasks and set(keys.values()) == {1})
    check(
        "each task has one proposal",
        set(shown) == {task.id for task in there} and set(shown.values()) == {1},
    )
    drawn = sum("<svg" in task.data["html"] for task in there)
    pictured = sum("local-files" in task.data["html"] for task in there)
    print(f"  {drawn:,} of them with drawn formulas, {pictured:,} with a picture", flush=True)


def show(title: str, costs: dict[str, Cost]) -> None:
    """A table of one round."""
    print(f"\n{title:<44}{'seconds':>9}{'cpu s':>8}")
    for name, cost in costs.items():
        print(f"  {name:<42}{cost.seconds:>9.1f}{cost.cpu:>8.1f}")
    first = [cost for name, cost in costs.items() if "pull" not in name]
    print(
        f"  {'the three together':<42}{sum(c.seconds for c in first):>9.1f}{sum(c.cpu for c in first):>8.1f}"
    )


def main() -> int:
    """Prepare, then one round without and one with Label Studio in the cache."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--present-only", action="store_true", help="Leave out the installation.")
    parser.add_argument("--cache", type=Path, help="Cache folder of the first round; default: a new one.")
    options = parser.parse_args()
    if not (SHARED / "data" / "real_pool").is_dir():
        print("left out: BENCHWRIGHT_SHARED has no data/real_pool")
        return 0
    with tempfile.TemporaryDirectory() as work:
        workspace = Path(work) / "workspace"
        prepare(workspace, options.tasks)
        if not options.present_only:
            os.environ["XDG_CACHE_HOME"] = str(options.cache or Path(work) / "cache")
            print("Label Studio absent", flush=True)
            show("Label Studio absent", one_round(workspace, options.tasks))
        print("Label Studio present", flush=True)
        show("Label Studio present", one_round(workspace, options.tasks))
    return 0


if __name__ == "__main__":
    sys.exit(main())
