"""CPU per request of our scheduler, client and store against the plain openai SDK loop, on the same server and input.

    python benchmarks/client_overhead.py [--requests 500] [--concurrency 16 64] [--latency-ms 200]

Named peer: `openai.AsyncOpenAI` in an asyncio loop with a semaphore, retries off, nothing stored: the least that any
tool built on the SDK can cost. Each client runs in a process of its own against the OpenAI-compatible test server;
imports and one warm-up request are not counted. Every request carries a text and a PNG of about 100 KB, read from the
files of a folder; what arrives at the server is compared with these files byte by byte (sha256).

Bars (docs/acceptance): at most 4 ms CPU a request and 150 MB, as many in flight as asked for, every answer there, image
bytes unchanged. Exit code 1 when one is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import io
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SERVER = Path(__file__).resolve().parents[1] / "tests" / "servers" / "openai_server.py"


CPU_MS_BAR = 4.0
PEAK_MB_BAR = 150


def picture(seed: int) -> bytes:
    """A PNG of about 100 KB that does not compress."""
    from PIL import Image

    stream = io.BytesIO()
    Image.frombytes("RGB", (183, 183), random.Random(seed).randbytes(183 * 183 * 3)).save(
        stream, format="PNG"
    )
    return stream.getvalue()


def run_ours(base_url: str, count: int, concurrency: int, pictures: list[bytes]) -> tuple[float, float, int]:
    """Our way, everything on: keys, store, retries, parsing."""
    from benchwright.models.chat import ChatRequest, ImagePart, Message, TextPart
    from benchwright.models.registry import open_model
    from benchwright.models.scheduler import Scheduler, SchedulerSettings
    from benchwright.models.store import CallStore

    parts = [ImagePart.of(data) for data in pictures]

    def request(number: int) -> ChatRequest:
        text = TextPart(f"Question {number}")
        return ChatRequest(f"q{number}", (Message("user", (text, parts[number % len(parts)])),))

    async def main(store: CallStore) -> tuple[float, float, int]:
        model = open_model("openai/ours", base_url=base_url)
        scheduler = Scheduler(model, store, SchedulerSettings(concurrency=concurrency))
        await scheduler.call(request(-1))
        cpu, wall, answered = time.process_time(), time.perf_counter(), 0
        async for _, call in scheduler.stream(request(number) for number in range(count)):
            answered += call.text is not None
        used = time.process_time() - cpu, time.perf_counter() - wall, answered
        await model.close()
        return used

    with tempfile.TemporaryDirectory() as folder, CallStore(Path(folder) / "calls.sqlite") as store:
        return asyncio.run(main(store))


def run_sdk(base_url: str, count: int, concurrency: int, pictures: list[bytes]) -> tuple[float, float, int]:
    """The peer: the SDK's own client in a loop."""
    import openai

    async def main() -> tuple[float, float, int]:
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
        return time.process_time() - cpu, time.perf_counter() - wall, sum(answered)

    return asyncio.run(main())


def measure(client: str, base_url: str, count: int, concurrency: int, images: Path) -> None:
    """Run one client in this process and print its figures as JSON."""
    pictures = [path.read_bytes() for path in sorted(images.glob("*.png"))]
    cpu, wall, answered = (run_ours if client == "ours" else run_sdk)(base_url, count, concurrency, pictures)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"cpu_ms": 1000 * cpu / count, "wall_s": wall, "answered": answered, "peak_mb": peak}))


def serve_and_measure(
    folder: Path, count: int, concurrency: int, latency_ms: int
) -> tuple[dict[str, dict[str, float]], list[dict[str, Any]]]:
    """Figures of both clients against one server, and the server's log."""
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
        for client in ("sdk", "ours"):
            command = [sys.executable, __file__, "--client", client, "--base-url", base_url]
            command += ["--images", str(folder / "images"), "--requests", str(count)]
            command += ["--concurrency", str(concurrency)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            results[client] = json.loads(done.stdout)
    finally:
        server.terminate()
        server.wait()
    return results, [json.loads(line) for line in files["log"].read_text().splitlines()]


def compare(count: int, concurrency: int, latency_ms: int) -> bool:
    """Run both clients against one server and print the table; True when every bar is reached."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "images").mkdir()
        for seed in range(20):
            (folder / "images" / f"{seed:02d}.png").write_bytes(picture(seed))
        stored = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (folder / "images").iterdir()}
        results, log = serve_and_measure(folder, count, concurrency, latency_ms)
    print(f"{count} requests, text + 100 KB image, {latency_ms} ms latency, concurrency {concurrency}")
    for client, figures in results.items():
        print(
            f"  {client:5} {figures['cpu_ms']:6.2f} ms CPU a request, {figures['wall_s']:6.2f} s, "
            f"{figures['peak_mb']:.0f} MB, {figures['answered']:.0f} answered"
        )
    print(f"  ratio of CPU, ours / sdk: {results['ours']['cpu_ms'] / results['sdk']['cpu_ms']:.2f}")
    ours = results["ours"]
    mine = [line for line in log if line["model"] == "ours"]
    most = max(line["in_flight"] for line in mine)
    sent = {line["messages"][0]["content"][1]["sha256"] for line in mine}
    bars = {
        f"CPU a request {ours['cpu_ms']:.2f} <= {CPU_MS_BAR} ms": ours["cpu_ms"] <= CPU_MS_BAR,
        f"peak memory {ours['peak_mb']:.0f} <= {PEAK_MB_BAR} MB": ours["peak_mb"] <= PEAK_MB_BAR,
        f"most in flight {most} = {concurrency}": most == concurrency,
        f"answered {ours['answered']:.0f} = {count}": ours["answered"] == count and len(mine) == count + 1,
        f"image bytes on the wire = files ({len(sent)} digests)": sent == stored,
    }
    for bar, reached in bars.items():
        print(f"  {'reached' if reached else 'MISSED '}  {bar}")
    return all(bars.values())


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description="CPU per request against the plain openai SDK loop")
    parser.add_argument("--requests", type=int, default=500)
    parser.add_argument("--concurrency", type=int, nargs="+", default=[16, 64])
    parser.add_argument("--latency-ms", type=int, default=200)
    parser.add_argument("--client", choices=["ours", "sdk"])
    parser.add_argument("--base-url")
    parser.add_argument("--images", type=Path)
    options = parser.parse_args()
    if options.client:
        measure(options.client, options.base_url, options.requests, options.concurrency[0], options.images)
        return 0
    reached = [compare(options.requests, number, options.latency_ms) for number in options.concurrency]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
