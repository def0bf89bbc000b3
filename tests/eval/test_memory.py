"""Memory of a run does not grow with its pictures, and nothing heavy is imported for a model behind an API."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROBE = """
import sys
from benchwright.cli.evaluate import evaluate
from benchwright.cli.main import run_command
assert run_command(evaluate, "evaluate", sys.argv[1:]) == 0
(peak,) = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
heavy = sorted({"torch", "datasets", "pandas", "cv2", "matplotlib", "scipy"} & set(sys.modules))
print("PEAK", peak, *heavy)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the peak memory from /proc (Linux)")
def test_pictures_do_not_stay_in_memory(
    release: Any, row: Callable[..., Any], png: Callable[[int], bytes], openai_server: Any, tmp_path: Path
) -> None:
    pictures = [png(i) + os.urandom(100_000) for i in range(500)]
    rows = [row(f"p{i:04}", images=[picture]) for i, picture in enumerate(pictures)]
    folder = release(rows, pictures).folder
    server = openai_server({"rules": [{"answer": "Answer: B"}]})
    peaks = []
    for name, more in (("one", ["--limit", "1"]), ("all", [])):
        arguments = [str(folder), "--model", "openai/m", "--base-url", server.base_url, *more]
        command = [sys.executable, "-c", PROBE, *arguments, "--out", str(tmp_path / name)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
        _, peak, *heavy = done.stdout.splitlines()[-1].split()
        assert heavy == []
        peaks.append(int(peak))
    # Against a run of one row, since how much of a library's own pages counts differs from machine to machine.
    assert peaks[1] - peaks[0] < 30_000, (
        f"one row {peaks[0]} kB, 500 rows with 50 MB of pictures {peaks[1]} kB"
    )
