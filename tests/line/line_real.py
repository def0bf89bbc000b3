"""The whole line on real questions: `make line-real`. Every step is the command a person would type; nothing is faked.

    python tests/line/line_real.py [--workspace DIR] [--keep]

Needs BENCHWRIGHT_SHARED (default `../shared`). Starts a Label Studio of its own, a Hub and an OpenAI-compatible server
on loopback, and stops them. Ends with exit code 1 and the sentence that was not true, if one was not.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("BENCHWRIGHT_SHARED", ROOT.parent / "shared")).resolve()
SERVERS = ROOT / "tests" / "servers"
COMMANDS = Path(sys.executable).parent
DISCIPLINES = ("biology", "chemistry", "mathematics", "physics")
ITEMS, BUDGET, TAG = 1363, 60, "v0.1.0"
REPO = "benchwright/real-line"

RECIPE = """[benchmark]
name = "real-line"
languages = ["en", "zh"]
versions = ["original", "vision-only"]
taxonomy = "visscience+sciverse"

{disciplines}
[ingest.fields]
solution = "extra.solution"

[release]
tag = "{tag}"
"""

# What the stand-in server says: a letter for the evaluated model, a structured tag for the proposer. That it proposes
# the same for every question does not matter here: what is tested is the way there and back.
SCRIPT = {
    "latency_ms": 5,
    "rules": [{"every": 25, "times": 1, "status": 429, "retry_after": "0"}, {"letter": 7}],
}


class Untrue(AssertionError):
    """A sentence of the acceptance that did not hold."""


def check(sentence: str, holds: bool) -> None:
    """Print a sentence that was found true, or stop."""
    if not holds:
        raise Untrue(sentence)
    print(f"  ok: {sentence}")


class Line:
    """One workspace and the commands typed in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.workspace = root / "workspace"
        self.env = {
            **os.environ,
            "HF_HOME": str(root / "hf-home"),
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "OPENAI_API_KEY": "not-a-real-key",
        }

    def run(self, *command: str, expect: tuple[int, ...] = (0,)) -> dict[str, Any]:
        """Run a command as typed, with `--json`; its exit code must be one of `expect`."""
        started = time.monotonic()
        typed = " ".join(command).replace(str(SHARED), "$BENCHWRIGHT_SHARED")
        done = subprocess.run(
            [str(COMMANDS / command[0]), *command[1:], "--workspace", str(self.workspace), "--json"],
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        print(f"$ {typed}   ({time.monotonic() - started:.0f} s, exit {done.returncode})", flush=True)
        if done.returncode not in expect:
            raise Untrue(
                f"{typed} ends with one of {expect}, not {done.returncode}:\n{done.stdout[-500:]}{done.stderr[-3000:]}"
            )
        if "Traceback" in done.stderr:
            raise Untrue(f"{typed} shows no traceback:\n{done.stderr[-3000:]}")
        return (
            json.loads(done.stdout)
            if done.stdout.strip()
            else {"error": done.stderr.strip().splitlines()[-1]}
        )


@contextlib.contextmanager
def process(command: list[str], env: Mapping[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A background process, ended when done."""
    with log.open("wb") as stream:
        child = subprocess.Popen(command, env=dict(env), stdout=stream, stderr=subprocess.STDOUT)
        try:
            yield child
        finally:
            child.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(30)
            if child.poll() is None:
                child.kill()
                child.wait()


def wait_for(path: Path, child: subprocess.Popen[bytes], seconds: float = 30) -> str:
    """The content of a file that a process writes once it listens."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if path.exists() and path.read_text().strip():
            return path.read_text().strip()
        if child.poll() is not None:
            raise Untrue(f"the server of {path.name} keeps running")
        time.sleep(0.1)
    raise Untrue(f"{path.name} appears within {seconds} s")


def curate(line: Line) -> None:
    """From the raw pool to reviewed-to-be proposals."""
    from benchwright.schemas.records import Question, Rejected
    from benchwright.schemas.tables import read_records
    from benchwright.schemas.workspace import Workspace

    budgets = "".join(f"[disciplines.{name}]\nbudget = {BUDGET}\n" for name in DISCIPLINES)
    Workspace.create(line.workspace, RECIPE.format(disciplines=budgets, tag=TAG))
    ingested = line.run("curate", "ingest", str(SHARED / "data" / "real_pool" / "pool.jsonl"))
    ws = Workspace.find(line.workspace)
    questions = [q for name in ws.pool_disciplines() for q in read_records(ws.pool(name), Question)]
    rejected = read_records(ws.pool_rejected, Rejected)
    reasons = Counter(item.reason for item in rejected)
    (source,) = ingested["sources"]
    check(f"{len(questions)} questions kept, {len(rejected)} rejected {dict(reasons)}: none of {ITEMS} lost",
          len(questions) + len(rejected) == ITEMS == source["n_in"])  # fmt: skip
    images = {
        i.sha256: i for q in questions for i in (*q.images, *(c.image for c in q.text.choices if c.image))
    }
    print(
        f"  {len(images)} distinct images; made anew: {dict(Counter(i.conversion for i in images.values()))}"
    )
    print(f"  question types: {dict(Counter(q.question_type.value for q in questions))}")
    chosen = line.run("curate", "cluster")
    for name, summary in sorted(chosen.items()):
        check(
            f"{name}: {summary['n']} of {summary['pool_size']} chosen, all {summary['points_total']} knowledge points "
            f"covered (smallest cover {summary['cover']['size']}), {summary['status']}",
            summary["n"] == BUDGET and summary["points_covered"] == summary["points_total"],
        )
    refused = line.run("curate", "cluster", "--discipline", "physics", "--budget", "20", expect=(2,))
    print(f"  {refused['error']}")
    check("20 physics questions cannot cover its points, and the sentence names the smallest cover",
          "38" in refused["error"] and "20" in refused["error"])  # fmt: skip
    again = line.run("curate", "cluster", "--discipline", "physics")
    check("the selection of 60 still stands", again["physics"]["n"] == BUDGET and not again["physics"]["ran"])
    tagged = line.run("curate", "tag")
    check(f"{tagged['n_kept']} of {tagged['n_in']} questions have proposals", tagged["n_kept"] == 4 * BUDGET)


def review(line: Line) -> None:
    """Tasks to a running Label Studio, answers through its API, verdicts back."""
    from benchwright.annotation.server import running_server
    from benchwright.schemas.jobs import Verdict
    from benchwright.schemas.journal import read_jsonl
    from benchwright.schemas.workspace import Workspace

    ws = Workspace.find(line.workspace)
    serve = [str(COMMANDS / "annotate"), "serve", "--workspace", str(line.workspace)]
    with process(serve, line.env, line.root / "label-studio.log") as child:
        deadline = time.monotonic() + 600
        while (running := running_server(ws)) is None:
            if child.poll() is not None or time.monotonic() > deadline:
                raise Untrue("Label Studio starts:\n" + (line.root / "label-studio.log").read_text()[-2000:])
            time.sleep(1)
        print(f"$ annotate serve   (answers on {running.url})")
        pushed = line.run("annotate", "push", "tagging")
        check(f"{sum(p['tasks'] for p in pushed['pages'])} tasks on the server, each with its proposal",
              sum(p["tasks"] for p in pushed["pages"]) == 4 * BUDGET
              and sum(p["proposals"] for p in pushed["pages"]) == 4 * BUDGET)  # fmt: skip
        twice = line.run("annotate", "push", "tagging")
        check("pushed again, nothing doubles", sum(p["new"] for p in twice["pages"]) == 0)
        entered = enter_answers(running.url, running.token)
        print(f"  {entered} answers entered through the server's API")
        line.run("annotate", "pull", "tagging")
    verdicts = read_jsonl(ws.verdicts("tagging"), Verdict)
    final = {v.item_id for v in verdicts if v.basis != "open"}
    check(f"{len(final)} questions have a final verdict", len(final) == 4 * BUDGET)


def enter_answers(url: str, token: str) -> int:
    """Submit every task's own proposal as a person would, with level 3 where the proposal has another level."""
    import httpx

    count = 0
    with httpx.Client(base_url=url, headers={"Authorization": f"Token {token}"}, timeout=120) as http:
        for project in (
            http.get("/api/projects/", params={"page_size": 100}).raise_for_status().json()["results"]
        ):
            page = 1
            while True:
                query = {"project": project["id"], "page": page, "page_size": 100, "fields": "all"}
                reply = http.get("/api/tasks/", params=query).raise_for_status().json()
                for task in reply["tasks"]:
                    result = task["predictions"][0]["result"]
                    answer = {"result": result, "lead_time": 12.5}
                    http.post(f"/api/tasks/{task['id']}/annotations/", json=answer).raise_for_status()
                    count += 1
                if page * 100 >= reply["total"]:
                    break
                page += 1
    return count


def make_images(line: Line) -> None:
    """Problems and their vision-only images."""
    from benchwright.schemas.workspace import Workspace

    made = line.run("curate", "problems")
    check(f"{made['n_kept']} problems", made["n_kept"] == 4 * BUDGET)
    drawn = line.run("render", "vision-only", expect=(0, 1))
    pngs = len(list((Workspace.find(line.workspace).root / "renders").rglob("*.png")))
    print(
        f"  {pngs} vision-only images; not drawn: {[(r['language'], r['reasons']) for r in drawn['results']]}"
    )
    told = sum(one["made"] + one["kept"] + one["rejected"] for one in drawn["results"])
    check("every problem in every language is drawn or refused with a reason", told == 2 * 4 * BUDGET)
    check("at least 95 % of the real problems are drawn", pngs >= 0.95 * 4 * BUDGET)
    line.run("render", "gallery")


def release(line: Line) -> None:
    """Pushed to a Hub as one commit, loaded back by the genuine library at its tag in a fresh process."""
    pushed = line.run("push-dataset", REPO, "--drop-failing")
    check(f"pushed as one commit, verified: {pushed['rows']} rows", pushed["verified"])
    code = (
        "import sys, datasets; d = datasets.load_dataset(sys.argv[1], revision=sys.argv[2]);"
        "print(sum(s.num_rows for s in d.values()));"
        "r = next(iter(d.values()))[0]; print(r['id'], r['images'][0].size)"
    )
    env = {**line.env, "HF_HOME": str(line.root / "fresh-home")}
    done = subprocess.run(
        [sys.executable, "-c", code, REPO, TAG], env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Untrue(f"load_dataset works:\n{done.stderr[-2000:]}")
    rows, first = done.stdout.strip().splitlines()[:2]
    check(
        f"load_dataset({REPO!r}, revision={TAG!r}) gives {rows} rows; the first: {first}",
        int(rows) == pushed["rows"],
    )


def evaluate(line: Line, base_url: str) -> None:
    """Chance within its interval; a live server answered every row."""
    from benchwright.eval.metrics.chance import chance_interval, chance_of
    from benchwright.schemas.release_table import read_release, resolve_release
    from benchwright.schemas.workspace import Workspace

    chance = line.run("evaluate", f"{REPO}@{TAG}", "--model", "baseline/random", expect=(0, 1))
    total = next(cell for cell in chance["cells"] if not cell["by"])
    release = resolve_release(str(Workspace.find(line.workspace).release(TAG)))
    chances = [
        chance_of(row.question_type, len(row.options))
        for row, _ in read_release(release)
        if row.split.value != "dev"
    ]
    low, high = chance_interval(chances, 0.99)
    check(
        f"baseline/random {total['consistent']} of {total['n_total']} right, "
        f"inside the 99 % interval [{low:.4f}, {high:.4f}] of closed-form chance {sum(chances) / len(chances):.4f}",
        len(chances) == total["n_total"] and low <= total["consistent"] / total["n_total"] <= high,
    )
    live = line.run(
        "evaluate",
        f"{REPO}@{TAG}",
        "--model",
        "openai/letters",
        "--base-url",
        base_url,
        "--judge",
        "rules",
        expect=(0, 1),
    )
    total = next(cell for cell in live["cells"] if not cell["by"])
    check(f"the live server answered all {total['n_total']} rows; accuracy {total['accuracy']}, "
          f"{total['unjudged']} left open by the rules", total["not_run"] == 0)  # fmt: skip
    resumed = line.run(
        "evaluate",
        f"{REPO}@{TAG}",
        "--model",
        "openai/letters",
        "--base-url",
        base_url,
        "--judge",
        "rules",
        expect=(0, 1),
    )
    check(
        "asked again, nothing is sent twice and the figures are the same", resumed["cells"] == live["cells"]
    )


def main() -> int:
    """Run the line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--workspace", type=Path, help="keep everything below this folder")
    options = parser.parse_args()
    if not (SHARED / "data" / "real_pool" / "pool.jsonl").is_file():
        print(f"no real pool below {SHARED}: set BENCHWRIGHT_SHARED")
        return 2
    root = options.workspace or Path(tempfile.mkdtemp(prefix="line-real-"))
    root.mkdir(parents=True, exist_ok=True)
    line = Line(root.resolve())
    hub = [
        sys.executable,
        str(SERVERS / "hub.py"),
        "--root",
        str(root / "hub"),
        "--port-file",
        str(root / "hub.port"),
    ]
    script = root / "script.json"
    script.write_text(json.dumps(SCRIPT))
    llm = [
        sys.executable, str(SERVERS / "openai_server.py"), "--port", "0", "--port-file", str(root / "llm.port"),
        "--script", str(script), "--log", str(root / "requests.jsonl"),
    ]  # fmt: skip
    try:
        with (
            process(hub, os.environ, root / "hub.log") as hub_child,
            process(llm, os.environ, root / "llm.log") as llm_child,
        ):
            line.env["HF_ENDPOINT"] = f"http://127.0.0.1:{wait_for(root / 'hub.port', hub_child)}"
            line.env["HF_TOKEN"] = "hf_testwrite"
            base_url = f"http://127.0.0.1:{wait_for(root / 'llm.port', llm_child)}/v1"
            curate(line)
            review(line)
            make_images(line)
            release(line)
            evaluate(line, base_url)
    except Untrue as error:
        print(f"  NOT TRUE: {error}")
        return 1
    finally:
        if options.workspace is None:
            shutil.rmtree(root, ignore_errors=True)
    print("the whole line ran on real questions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
