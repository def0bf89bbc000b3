"""Memory of a run does not grow with its pictures (the bar: 150 MB without torch, 500 pictures of 100 KB)."""

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
    arguments = [
        str(folder),
        "--model",
        "openai/m",
        "--base-url",
        server.base_url,
        "--out",
        str(tmp_path / "run"),
    ]
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    _, peak, *heavy = done.stdout.splitlines()[-1].split()
    assert heavy == []
    assert int(peak) <= 150_000, f"{peak} kB"
