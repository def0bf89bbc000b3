"""Drive the whole line on a raw pool, command by command, in one process: what the kill tests kill.

    python tests/line/drive.py WORKSPACE POOL REVIEWS ANSWERS

Run again it goes on: every command finds what is done and does the rest.
"""

from __future__ import annotations

import sys
from pathlib import Path

RECIPE = """[benchmark]
name = "kill-test"
languages = ["en", "zh"]
preset = "all"
taxonomy = "visscience+sciverse"

[disciplines.chemistry]
budget = 6
[disciplines.mathematics]
budget = 6
[disciplines.physics]
budget = 6

[selection]
difficulty_tolerance = 1.0
subject_tolerance = 1.0
"""
TAG = "v0.1.0"


def main(workspace: Path, pool: Path, reviews: Path, answers: Path) -> int:
    from benchwright.annotation.replay import replay_reviews
    from benchwright.cli.main import benchwright, run_command
    from benchwright.schemas.workspace import Workspace

    if not (workspace / "benchwright.toml").exists():
        Workspace.create(workspace, RECIPE)

    def typed(*arguments: str, expect: tuple[int, ...] = (0,)) -> None:
        code = run_command(benchwright, "benchwright", [*arguments, "--workspace", str(workspace)])
        if code not in expect:
            raise SystemExit(f"{arguments} ended with {code}")

    typed("curate", "ingest", str(pool))
    typed("curate", "cluster", "--workers", "1")
    typed("curate", "tag")
    replay_reviews(Workspace.find(workspace), reviews)
    typed("curate", "problems")
    typed("render", "vision-rich", "--workers", "1")
    typed("render", "vision-only", "--workers", "1")
    typed("push", "--build-only")
    release = str(workspace / "release" / TAG)
    typed("evaluate", "run", release, "--model", "baseline/random")
    typed("evaluate", "run", release, "--model", f"replay/{answers}", "--judge", "rules", expect=(0, 1))
    return 0


if __name__ == "__main__":
    sys.exit(main(*[Path(argument).resolve() for argument in sys.argv[1:5]]))
