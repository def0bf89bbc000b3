"""A killed run: the next one repeats the calls in flight at most and ends with the very bytes of an undisturbed run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.schemas.records import ReleaseRow

Rows = Callable[..., ReleaseRow]
N, CONCURRENCY = 60, 4
PROGRAM = "from benchwright.cli.main import run_evaluate; run_evaluate()"
OUTPUTS = ("scores.json", "scores.csv", "report.md")


def start(arguments: list[str], folder: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "BENCHWRIGHT_QUIET": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments], cwd=folder, env=environment, stdout=subprocess.DEVNULL
    )


def kill_when(process: subprocess.Popen[bytes], reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not reached():
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.mark.parametrize("judged", [False, True], ids=["rules", "llm"])
def test_killed_and_continued_is_the_same_as_undisturbed(
    release: Any, row: Rows, openai_server: Any, tmp_path: Path, judged: bool
) -> None:
    rows = [row(f"p{i:03}", answer="ABCD"[i % 4], difficulty=1 + i % 5) for i in range(N)]
    folder = release(rows).folder
    judge_rule = {
        "model": "judge",
        "judge": {"ground": r"Reference answer:\n(\w)", "reply": r"begins -----\nAnswer: (\w)"},
    }
    server = openai_server({"latency_ms": 25, "rules": [judge_rule]})
    ask = [
        str(folder),
        "--model",
        "openai/m",
        "--base-url",
        server.base_url,
        "--concurrency",
        str(CONCURRENCY),
    ]
    if judged:
        ask += ["--judge-model", "openai/judge", "--judge-base-url", server.base_url]

    assert start([*ask, "--out", "whole"], tmp_path).wait() == 0
    undisturbed = len(server.requests)
    assert undisturbed == (2 * N if judged else N)
    server.requests.clear()

    kills = [N // 4, N + N // 2] if judged else [N // 4, N // 2]
    for count in kills:
        kill_when(start([*ask, "--out", "killed"], tmp_path), lambda n=count: len(server.requests) >= n)
        assert not (tmp_path / "killed/scores.json").exists()
    # A power cut may leave half a line behind as well.
    with (tmp_path / "killed/responses.jsonl").open("ab") as stream:
        stream.write(b'{"row_id":"p0')
    assert start([*ask, "--out", "killed", "--resume"], tmp_path).wait() == 0

    assert len(server.requests) <= undisturbed + len(kills) * CONCURRENCY
    for name in OUTPUTS:
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
