"""A killed run: the next one repeats the calls in flight at most and ends with the very bytes of an undisturbed run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchwright.schemas.records import ReleaseRow

Rows = Callable[..., ReleaseRow]
N, CONCURRENCY = 60, 4
PROGRAM = "from benchwright.cli.main import run_evaluate; run_evaluate()"
STEPS = [{"quote": "The law of levers holds.", "kind": "K"}, {"quote": "So BC follows.", "kind": "L"}]
JUDGE = {"ground": r"Reference answer:\n(\w)", "reply": r"begins -----\n.*?Answer: (\w)"}
SCRIPT = {
    "latency_ms": 25,
    "rules": [
        {"model": "judge", "match": "Take the answer apart", "json": {"steps": STEPS}},
        {
            "model": "judge",
            "match": "Mark every step",
            "json": {"scores": [{"step": 1, "score": 1}, {"step": 2, "score": 0}]},
        },
        {"model": "judge", "judge": JUDGE},
        {
            "match": r"Item p(\d)(\d+)",
            "answers": [f"The law of levers holds. So BC follows.\nAnswer: {x}" for x in "ABCD"],
        },
    ],
}
WAYS = {
    "rules": ((), 1),
    "llm": (("--protocol", "visscience", "--mode", "cot", "--judge", "llm"), 2),
    "steps": (("--protocol", "sciverse", "--mode", "cot"), 3),
}
"""Options of a way of running, and the calls that a row takes."""


def start(arguments: list[str], folder: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "BENCHWRIGHT_QUIET": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments], cwd=folder, env=environment, stdout=subprocess.DEVNULL
    )


def killed_when(process: subprocess.Popen[bytes], reached: Callable[[], bool], pause: float) -> bool:
    """Kill a run a moment after something is reached; False when it was over before."""
    deadline = time.monotonic() + 120
    while not reached():
        if process.poll() is not None:
            return False
        assert time.monotonic() < deadline
        time.sleep(0.005)
    time.sleep(pause)
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def check_readable(folder: Path) -> None:
    """Every line of a killed run's journals but a torn last one is a whole record."""
    for path in folder.glob("*.jsonl"):
        lines = path.read_bytes().split(b"\n")
        for line in lines[:-1]:
            assert isinstance(json.loads(line), dict), path


def disturb(release: Any, row: Rows, server: Any, tmp_path: Path, way: str, kills: int, seed: int) -> None:
    """Run undisturbed, then with kills at random moments, and compare."""
    options, calls = WAYS[way]
    rows = [row(f"p{i:03}", answer="ABCD"[i % 4], difficulty=1 + i % 5) for i in range(N)]
    ask = [str(release(rows).folder), "--model", "openai/m", "--base-url", server.base_url, *options]
    ask += ["--concurrency", str(CONCURRENCY)]
    if way != "rules":
        ask += ["--judge-model", "openai/judge", "--judge-base-url", server.base_url]

    assert start([*ask, "--out", "whole"], tmp_path).wait() == 0
    undisturbed = len(server.requests)
    assert undisturbed == calls * N
    server.requests.clear()

    moments = Random(seed)
    killed = 0
    for count in sorted(moments.randrange(1, undisturbed * 9 // 10) for _ in range(kills)):
        process = start([*ask, "--out", "killed"], tmp_path)
        if not killed_when(
            process, lambda n=count: len(server.requests) >= n, moments.choice([0.0, 0.01, 0.03])
        ):
            assert process.wait() == 0
            break
        killed += 1
        check_readable(tmp_path / "killed")
    assert killed
    # A power cut may leave half a line behind as well.
    with (tmp_path / "killed/responses.jsonl").open("ab") as stream:
        stream.write(b'{"row_id":"p0')
    assert start([*ask, "--out", "killed"], tmp_path).wait() == 0

    assert len(server.requests) <= undisturbed + killed * CONCURRENCY
    found = {path.name for path in (tmp_path / "whole").iterdir() if path.suffix in (".json", ".csv", ".md")}
    assert {"spec.json", "scores.json", "report.md"} <= found
    for name in (*sorted(found), "rows.jsonl"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


@pytest.mark.parametrize("way", ["llm", "steps"])
def test_killed_and_continued_is_the_same_as_undisturbed(
    release: Any, row: Rows, openai_server: Any, tmp_path: Path, way: str
) -> None:
    disturb(release, row, openai_server(SCRIPT), tmp_path, way, kills=2, seed=len(way))


@pytest.mark.long
@pytest.mark.parametrize(("way", "kills"), [("rules", 6), ("llm", 7), ("steps", 7)])
def test_twenty_kills_at_random_moments(
    release: Any, row: Rows, openai_server: Any, tmp_path: Path, way: str, kills: int
) -> None:
    disturb(release, row, openai_server(SCRIPT), tmp_path, way, kills, seed=20)
