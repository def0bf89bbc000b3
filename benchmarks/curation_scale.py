"""Curation at the size of a real pool: seconds, processor seconds and peak memory of every stage.

    python benchmarks/curation_scale.py [ITEMS ...] [--without-embedding ITEMS]

Pools come from `benchwright generate-pool` (1,000 knowledge points, two languages, planted repeats). Each stage is the
command that a user types, in a process of its own; "peak" is the largest process of the stage. The size without
embeddings is screened and searched for duplicates by its texts and pictures alone. Choosing without an embedding is
measured in `selection.py`, clustering alone in `clustering.py`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

LIMIT_MB = 1536
STAGES = ("screen", "embed", "dedup", "estimate", "cluster")
WITHOUT_EMBEDDING = ("screen", "dedup")
RECIPE = """[benchmark]
name = "scale"

[disciplines.physics]
budget = {budget}

[dedup]
max_source_share = 0.9
"""
TEXTS_ALONE = """
[dedup.thresholds]
cosine = 2.0
"""


@dataclass(frozen=True)
class Cost:
    """What one process tree took."""

    seconds: float
    cpu: float
    peak_mb: int


def run(name: str, *arguments: str) -> Cost:
    """Run one of our commands to its end and measure it.

    Raises:
        SystemExit: the command failed; shows what it said.
    """
    command = [str(Path(sys.executable).with_name(name)), *arguments]
    started = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            said.seek(0)
            raise SystemExit(f"{' '.join(command)} ended with {child.returncode}:\n{said.read().decode()}")
    cpu = usage.ru_utime + usage.ru_stime
    return Cost(time.perf_counter() - started, cpu, usage.ru_maxrss // 1024)


def measure(items: int, stages: tuple[str, ...], folder: Path) -> dict[str, Cost]:
    """Costs of generating, ingesting and the given stages for one pool."""
    pool, workspace = folder / "pool", folder / "workspace"
    costs = {"generate": run("benchwright", "generate-pool", str(pool), "--items", str(items))}
    workspace.mkdir()
    recipe = RECIPE.format(budget=min(1000, items // 10))
    if "embed" not in stages:
        recipe += TEXTS_ALONE
    (workspace / "benchwright.toml").write_text(recipe, encoding="utf-8")
    place = ("--workspace", str(workspace))
    costs["ingest"] = run("curate", "ingest", str(pool / "pool.jsonl"), *place)
    for stage in stages:
        print(f"{items:>9,}  {stage} ...", file=sys.stderr)
        costs[stage] = run("curate", stage, "--discipline", "physics", *place)
    return costs


def main() -> int:
    """Print one line a stage and size; 1 where a stage needs more memory than it may."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("items", type=int, nargs="*", default=[15_000, 150_000])
    parser.add_argument("--without-embedding", type=int, default=600_000)
    parser.add_argument("--keep", type=Path, help="Leave pools and workspaces in this folder.")
    options = parser.parse_args()
    runs = [(items, STAGES) for items in options.items]
    if options.without_embedding:
        runs.append((options.without_embedding, WITHOUT_EMBEDDING))
    print(f"{'items':>9}  {'stage':<10}{'seconds':>9}{'cpu s':>9}{'peak MB':>9}")
    missed = False
    for items, stages in runs:
        folder = Path(tempfile.mkdtemp(dir=options.keep))
        try:
            for stage, cost in measure(items, stages, folder).items():
                over = cost.peak_mb > LIMIT_MB
                missed |= over
                print(
                    f"{items:>9,}  {stage:<10}{cost.seconds:>9.1f}{cost.cpu:>9.1f}{cost.peak_mb:>9,}"
                    f"{'  over the limit' if over else ''}",
                    flush=True,
                )
        finally:
            if options.keep is None:
                shutil.rmtree(folder)
    print(f"limit {LIMIT_MB:,} MB a stage: {'missed' if missed else 'reached'}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
