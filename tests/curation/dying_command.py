"""Run a `benchwright` command that dies by SIGKILL just before it renames or removes a file for the n-th time.

    python tests/curation/dying_command.py N ARGUMENT...

With N = 0 it lives, and writes each rename and removal below the workspace to standard error: `KILL-POINT NAME`.
Python itself tells of them (audit events), so nothing of the package is touched.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path


def main(last: int, arguments: list[str]) -> int:
    root = Path(arguments[arguments.index("--workspace") + 1])
    seen = 0

    def hook(event: str, values: tuple[object, ...]) -> None:
        nonlocal seen
        if event not in ("os.rename", "os.remove"):
            return
        # `remove` of a file that is not there changes nothing; it counts all the same.
        name = os.fspath(values[1 if event == "os.rename" else 0])  # type: ignore[call-overload]
        path = Path(os.fsdecode(name))
        if root not in path.parents or ".locks" in path.parts:
            return
        seen += 1
        if seen == last:
            os.kill(os.getpid(), signal.SIGKILL)
        if not last:
            print(f"KILL-POINT {path.relative_to(root).as_posix()}", file=sys.stderr)

    from benchwright.cli.main import benchwright, run_command

    sys.addaudithook(hook)
    return run_command(benchwright, "benchwright", arguments)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
