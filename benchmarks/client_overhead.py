"""CPU per request, calls in flight and memory of `evaluate`, against what others need for the same requests.

    python benchmarks/client_overhead.py [--requests 500] [--concurrency 16 32 64] [--latency-ms 200]
                                          [--inspect-python PYTHON]

Named peers: `openai.AsyncOpenAI` in an asyncio loop with a semaphore, retries off, nothing stored, the least that any
tool built on the SDK can cost; and inspect_ai (its own `eval` of a task that only generates, images left out of its
log) where it is installed. Ours are measured twice: scheduler, client and store alone (`ours`), and inside of
`evaluate run` on a release folder (`evaluate`: what asking costs there, journals included; beside it what the whole run
costs, with reading the release, the rules as judge and the report; its memory is that of the whole run).

Each client runs in a process of its own against the OpenAI-compatible test server; imports and one warm-up request are
not counted. Every request carries a text and a PNG of about 100 KB; what arrives at the server is compared with the
files byte by byte (sha256).

Bars (docs/acceptance): at most 4 ms CPU a request for `ours`, 5 ms for `evaluate`, 150 MB, torch not imported, as many
in flight as asked for, every answer there, image bytes unchanged. Exit code 1 when one is missed. On a machine that
others use as well the SDK's own figure grows, and ours with it: read them side by side.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import importlib.util
import io
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

SERVER = Path(__file__).resolve().parents[1] / "tests" / "servers" / "openai_server.py"
CPU_MS_BARS = {"ours": 5.0, "evaluate": 5.0}
PEAK_MB_BAR = 150


class Used(NamedTuple):
    """What asking all questions took."""

    cpu: float
    """Seconds, of asking alone."""
    wall: float
    answered: int
    whole: float | None = None
    """Seconds of CPU with all that `evaluate` does besides: reading the release, judging by rules, the report."""


def picture(seed: int) -> bytes:
    """A PNG of about 100 KB that does not compress."""
    from PIL import Image

    stream = io.BytesIO()
    Image.frombytes("RGB", (183, 183), random.Random(seed).randbytes(183 * 183 * 3)).save(
        stream, format="PNG"
    )
    return stream.getvalue()


def write_release(folder: Path, count: int, pictures: list[bytes]) -> None:
    """A release of as many questions, each with a picture, for `evaluate`."""
    from benchwright.schemas.digest import sha256_bytes
    from benchwright.schemas.records import Option, QuestionType, ReleaseRow, Split
    from benchwright.schemas.release_table import write_release_table

    known = {sha256_bytes(data): data for data in pictures}
    names = sorted(known)
    options = tuple(Option(label=label, text=f"choice {label}") for label in "ABCD")
    empty = dict.fromkeys(("unit", "stem", "core_question", "knowledge_cue", "solution", "render"))
    rows = [
        ReleaseRow(
            id=f"q{number:05}",
            problem_id=f"q{number:05}",
            version="original",
            language="en",
            discipline="physics",
            subject="mechanics",
            difficulty=2,
            knowledge_points=(),
            question=f"Question {number}",
            images=(names[number % len(names)],),
            options=options,
            question_type=QuestionType.SINGLE_CHOICE,
            answer="B",
            full_question=f"Question {number}",
            conditions=(),
            knowledge_detail=(),
            split=Split.TEST,
            source="made-up",
            source_license="CC0-1.0",
            canary="",
            **empty,
        )
        for number in range(count)
    ]
    path = folder / "data" / "en" / "original" / "test-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    write_release_table(path, rows, lambda sha256: known[sha256])


def run_evaluate(base_url: str, count: int, concurrency: int, folder: Path) -> Used:
    """What `evaluate run` does, but for the start of the process."""
    from benchwright.cli.common import progress
    from benchwright.cli.evaluate_options import Options
    from benchwright.cli.evaluate_running import folders, opened, prepare

    def run(limit: int | None, out: Path) -> Used:
        began = time.process_time()
        options = Options(
            dataset=str(folder / "release"),
            model="openai/evaluate",
            base_url=base_url,
            concurrency=concurrency,
            max_tokens=2048,
            limit=limit,
            out=out,
        )
        session = prepare(options, judged=True)
        from benchwright.eval.pipeline.runner import ask, judge_folder
        from benchwright.eval.reports.report_page import (
            write_scores,  # as in the command: after its first step
        )

        (plan,), (place,) = session.plans, folders(session)
        more = (session.settings, progress)
        with opened(session, plan, place) as (_, calls):
            cpu, wall = time.process_time(), time.perf_counter()
            ask(plan, session.models.tested, place, calls, *more)
            used = time.process_time() - cpu, time.perf_counter() - wall
            scores = judge_folder(plan.spec, plan.dataset, None, place, calls, *more).scores
            write_scores(place.path, scores)
        return Used(*used, scores.total.n_scored, time.process_time() - began)

    with tempfile.TemporaryDirectory() as out:
        run(1, Path(out) / "warm-up")
        return run(None, Path(out) / "run")


def run_ours(base_url: str, count: int, concurrency: int, folder: Path) -> Used:
    """Our client alone, everything on: keys, store, retries, parsing."""
    from benchwright.models.chat import ChatRequest, ImagePart, Message, TextPart
    from benchwright.models.registry import open_model
    from benchwright.models.scheduler import Scheduler, SchedulerSettings
    from benchwright.models.store import CallStore

    parts = [ImagePart.of(data) for data in pictures_of(folder)]

    def request(number: int) -> ChatRequest:
        text = TextPart(f"Question {number}")
        return ChatRequest(f"q{number}", (Message("user", (text, parts[number % len(parts)])),))

    async def main(store: CallStore) -> Used:
        model = open_model("openai/ours", base_url=base_url)
        scheduler = Scheduler(model, store, SchedulerSettings(concurrency=concurrency))
        await scheduler.call(request(-1))
        cpu, wall, answered = time.process_time(), time.perf_counter(), 0
        async for _, call in scheduler.stream(request(number) for number in range(count)):
            answered += call.text is not None
        used = Used(time.process_time() - cpu, time.perf_counter() - wall, answered)
        await model.close()
        return used

    with tempfile.TemporaryDirectory() as out, CallStore(Path(out) / "calls.sqlite") as store:
        return asyncio.run(main(store))


def run_inspect(base_url: str, count: int, concurrency: int, folder: Path) -> Used:
    """The peer inspect_ai: a task that asks and does nothing more."""
    from inspect_ai import Task
    from inspect_ai import eval as inspect_eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageUser, ContentImage, ContentText, get_model
    from inspect_ai.solver import generate

    paths = sorted((folder / "images").glob("*.png"))
    model = get_model("openai/inspect", base_url=base_url, api_key="none", responses_api=False)

    def task(numbers: range) -> Any:
        samples = [
            Sample(
                id=f"q{number}",
                input=[
                    ChatMessageUser(
                        content=[
                            ContentText(text=f"Question {number}"),
                            ContentImage(image=str(paths[number % len(paths)]), detail="high"),
                        ]
                    )
                ],
            )
            for number in numbers
        ]
        return Task(dataset=samples, solver=generate())

    with tempfile.TemporaryDirectory() as logs:
        more: dict[str, Any] = {"log_dir": logs, "display": "none", "log_images": False}
        more |= {"max_connections": concurrency, "max_samples": concurrency, "max_tokens": 2048}
        inspect_eval(task(range(-1, 0)), model=model, **more)
        cpu, wall = time.process_time(), time.perf_counter()
        (log,) = inspect_eval(task(range(count)), model=model, **more)
        used = time.process_time() - cpu, time.perf_counter() - wall
        answered = sum(
            bool(sample.output.completion) for sample in log.samples or []
        )  # read from the log file
    return Used(*used, answered)


def run_sdk(base_url: str, count: int, concurrency: int, folder: Path) -> Used:
    """The peer: the SDK's own client in a loop."""
    import openai

    pictures = pictures_of(folder)

    async def main() -> Used:
        client = openai.AsyncOpenAI(api_key="none", base_url=base_url, max_retries=0)
        free = asyncio.Semaphore(concurrency)

        async def one(number: int) -> bool:
            async with free:
                uri = f"data:image/png;base64,{base64.b64encode(pictures[number % len(pictures)]).decode()}"
                content = [
                    {"type": "text", "text": f"Question {number}"},
                    {"type": "image_url", "image_url": {"url": uri, "detail": "high"}},
                ]
                reply = await client.chat.completions.create(
                    model="sdk",
                    messages=[{"role": "user", "content": content}],  # type: ignore[list-item, misc]
                    max_tokens=2048,
                    temperature=0,
                )
                return reply.choices[0].message.content is not None

        await one(-1)
        cpu, wall = time.process_time(), time.perf_counter()
        answered = await asyncio.gather(*(one(number) for number in range(count)))
        return Used(time.process_time() - cpu, time.perf_counter() - wall, sum(answered))

    return asyncio.run(main())


CLIENTS: dict[str, Callable[[str, int, int, Path], Used]] = {
    "sdk": run_sdk,
    "inspect": run_inspect,
    "ours": run_ours,
    "evaluate": run_evaluate,
}


def pictures_of(folder: Path) -> list[bytes]:
    """The pictures of the benchmark, in order."""
    return [path.read_bytes() for path in sorted((folder / "images").glob("*.png"))]


def peak_mb() -> float:
    """Most memory that this process had, in MB; `ru_maxrss` alone would count what its parent had when it forked."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().split("VmHWM:")[1].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(client: str, base_url: str, count: int, concurrency: int, folder: Path) -> None:
    """Run one client in this process and print its figures as JSON."""
    used = CLIENTS[client](base_url, count, concurrency, folder)
    figures: dict[str, float] = {
        "cpu_ms": 1000 * used.cpu / count,
        "wall_s": used.wall,
        "answered": used.answered,
    }
    if used.whole is not None:
        figures["whole_ms"] = 1000 * used.whole / count
    figures["peak_mb"] = peak_mb()
    print(json.dumps({**figures, "torch": int("torch" in sys.modules)}))


def serve_and_measure(
    folder: Path, pythons: dict[str, str], count: int, concurrency: int, latency_ms: int
) -> tuple[dict[str, dict[str, float]], list[dict[str, Any]]]:
    """Figures of the clients against one server, and the server's log; each client with its own interpreter."""
    (folder / "script.json").write_text(
        json.dumps({"latency_ms": latency_ms, "rules": [{"answer": "Answer: B"}]})
    )
    files = {"port-file": folder / "port", "script": folder / "script.json", "log": folder / "log.jsonl"}
    words = [str(word) for option, value in files.items() for word in (f"--{option}", value)]
    server = subprocess.Popen([sys.executable, str(SERVER), *words], stdout=subprocess.DEVNULL)
    try:
        while not files["port-file"].exists():
            time.sleep(0.05)
        base_url = f"http://127.0.0.1:{files['port-file'].read_text().strip()}/v1"
        results = {}
        for client, python in pythons.items():
            command = [python, __file__, "--client", client, "--base-url", base_url]
            command += ["--folder", str(folder), "--requests", str(count)]
            command += ["--concurrency", str(concurrency)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            results[client] = json.loads(done.stdout.splitlines()[-1])
    finally:
        server.terminate()
        server.wait()
    return results, [json.loads(line) for line in files["log"].read_text().splitlines()]


def interpreters(inspect_python: str | None) -> dict[str, str]:
    """Which interpreter runs which client; inspect_ai is left out where nobody has it."""
    found = dict.fromkeys(CLIENTS, sys.executable)
    if inspect_python is not None:
        found["inspect"] = inspect_python
    elif importlib.util.find_spec("inspect_ai") is None:
        del found["inspect"]
        print(
            "inspect_ai is not installed here and is left out (--inspect-python names an environment that has it)"
        )
    return found


def compare(pythons: dict[str, str], count: int, concurrency: int, latency_ms: int) -> bool:
    """Run the clients against one server and print the table; True when every bar is reached."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "images").mkdir()
        for seed in range(20):
            (folder / "images" / f"{seed:02d}.png").write_bytes(picture(seed))
        write_release(folder / "release", count, pictures_of(folder))
        stored = {hashlib.sha256(data).hexdigest() for data in pictures_of(folder)}
        results, log = serve_and_measure(folder, pythons, count, concurrency, latency_ms)
    print(f"{count} requests, text + 100 KB image, {latency_ms} ms latency, concurrency {concurrency}")
    for client, figures in results.items():
        mine = [line for line in log if line["model"] == client]
        figures["most"] = max(line["in_flight"] for line in mine)
        figures["sent"] = len(mine) - 1  # the warm-up
        digests = {line["messages"][-1]["content"][1]["sha256"] for line in mine}
        figures["unchanged"] = digests == stored
        print(
            f"  {client:9} {figures['cpu_ms']:6.2f} ms CPU a request, {figures['wall_s']:6.2f} s, "
            f"{figures['peak_mb']:4.0f} MB, {figures['most']:3.0f} in flight, {figures['answered']:.0f} answered, "
            f"image bytes {'unchanged' if figures['unchanged'] else 'CHANGED'}"
            + (
                f"; {figures['whole_ms']:.2f} ms an item with reading, judging, report"
                if "whole_ms" in figures
                else ""
            )
        )
    print(f"  ratio of CPU, ours / sdk: {results['ours']['cpu_ms'] / results['sdk']['cpu_ms']:.2f}")
    reached = [check(client, results[client], count, concurrency) for client in CPU_MS_BARS]
    return all(reached)


def check(client: str, figures: dict[str, float], count: int, concurrency: int) -> bool:
    """Print which bars a client of ours reaches."""
    cpu_ms = CPU_MS_BARS[client]
    bars = {
        f"CPU a request {figures['cpu_ms']:.2f} <= {cpu_ms} ms": figures["cpu_ms"] <= cpu_ms,
        f"peak memory {figures['peak_mb']:.0f} <= {PEAK_MB_BAR} MB, torch not imported": (
            figures["peak_mb"] <= PEAK_MB_BAR and not figures["torch"]
        ),
        f"most in flight {figures['most']:.0f} = {concurrency}": figures["most"] == concurrency,
        f"answered {figures['answered']:.0f} = sent {figures['sent']:.0f} = {count}": (
            figures["answered"] == figures["sent"] == count
        ),
        "image bytes on the wire = those of the files": bool(figures["unchanged"]),
    }
    for bar, reached in bars.items():
        print(f"  {'reached' if reached else 'MISSED '}  {client}: {bar}")
    return all(bars.values())


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description="CPU per request, calls in flight and memory against peers")
    parser.add_argument("--requests", type=int, default=500)
    parser.add_argument("--concurrency", type=int, nargs="+", default=[16, 32, 64])
    parser.add_argument("--latency-ms", type=int, default=200)
    parser.add_argument(
        "--inspect-python", help="an interpreter that has inspect_ai; default: this one, if it has"
    )
    parser.add_argument("--client", choices=list(CLIENTS))
    parser.add_argument("--base-url")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    if options.client:
        measure(options.client, options.base_url, options.requests, options.concurrency[0], options.folder)
        return 0
    pythons = interpreters(options.inspect_python)
    reached = [
        compare(pythons, options.requests, number, options.latency_ms) for number in options.concurrency
    ]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
