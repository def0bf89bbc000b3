"""Building a release of SciVerse's size, beside `push_to_hub` with decoded pictures on the same rows in the same run.

    python benchmarks/release_build.py [--problems 1147] [--peer-problems N] [--keep FOLDER]

1,147 problems with their diagrams from the pool below BENCHWRIGHT_SHARED (default `../shared`), or from the generated
pool where that is missing; five versions each, so 5,735 rows. What the pool does not hold is made up and not counted:
a decomposition of each text, and the pictures of the two rendered versions, noisy drawings of about 84 KB (SciVerse's
mean). Then, each in a process of its own:

    ours    the check (every picture decoded), the build, one commit to a Hub of ours
    theirs  `datasets` as its guide has it: rows with decoded pictures, a config a version, `push_to_hub`

and from a fresh cache the first streamed row of each. Fails when the build takes more than 8 s of CPU, its process more
than 700 MB, the first row more than 0.5 s, or a picture's bytes are not the workspace's. `--peer-problems` lets the
other side do a part of the rows; its figures are then scaled, and said to be.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("BENCHWRIGHT_SHARED", ROOT.parent / "shared")).resolve()
OURS, THEIRS, TAG = "bench/ours", "bench/theirs", "v1.0.0"
BUILD_S, PEAK_MB, FIRST_ROW_S = 8.0, 700.0, 0.5
VERSIONS = ("knowledge-free", "knowledge-lite", "knowledge-rich", "vision-rich", "vision-only")
RECIPE = """
[benchmark]
name = "bench"
languages = ["en", "zh"]
preset = "sciverse"
{disciplines}
"""


# --- the workspace, not counted ------------------------------------------------------------------------------------
def pool_rows(count: int, folder: Path) -> tuple[list[dict[str, Any]], Path, str]:
    """Rows with at least one picture, where their pictures lie, and whose they are."""
    real = SHARED / "data" / "real_pool"
    if (real / "pool.jsonl").is_file():
        lines = (real / "pool.jsonl").read_text("utf-8").splitlines()
        rows = [row for row in map(json.loads, lines) if row["images"]]
        return rows[:count], real, "the real pool"
    from benchwright.examples.generated_pool import write_generated_pool

    made = write_generated_pool(folder, 3 * count, "physics", 300, count, 0)
    rows = [json.loads(line) for line in made.path.read_text("utf-8").splitlines()]
    for row in rows:
        row["images"] = [row["image"]] if row.get("image") else row.get("images") or []
    return (
        [row for row in rows if row["images"]][:count],
        folder,
        "the generated pool: BENCHWRIGHT_SHARED is not there",
    )


def drawing(seed: int) -> bytes:
    """A noisy PNG of about 84 KB that no other seed gives."""
    from PIL import Image

    noise = random.Random(seed).randbytes(80_000)
    picture = Image.new("L", (1400, 900), 255)
    picture.paste(Image.frombytes("L", (400, 200), noise), (500, 350))
    stream = io.BytesIO()
    picture.save(stream, "PNG", compress_level=1)
    return stream.getvalue()


def make_workspace(folder: Path, count: int) -> dict[str, Any]:
    """Problems, images and renders as the stages before the release would leave them."""
    from benchwright.schemas.images import load_image_bytes
    from benchwright.schemas.records import Problem
    from benchwright.schemas.tables import write_records
    from benchwright.schemas.workspace import Workspace

    rows, images, whose = pool_rows(count, folder / "pool")
    disciplines = sorted({str(row["discipline"]) for row in rows})
    toml = RECIPE.format(disciplines="\n".join(f"[disciplines.{name}]" for name in disciplines))
    workspace = Workspace.create(folder / "workspace", toml)
    problems = []
    for number, row in enumerate(rows):
        refs = []
        for name in row["images"]:
            loaded = load_image_bytes((images / name).read_bytes())
            path = workspace.image(loaded.ref.sha256, loaded.ref.suffix)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(loaded.published)
            refs.append(loaded.ref)
        problem = as_problem(f"p{number:05}", row, tuple(dict.fromkeys(refs)))
        problems.append(problem)
        for place, version in enumerate(("vision-rich", "vision-only")):
            render(workspace, problem, version, drawing(2 * number + place))
    write_records(workspace.problems, problems, Problem)
    return {"problems": len(problems), "whose": whose}


def as_problem(problem_id: str, row: dict[str, Any], images: tuple[Any, ...]) -> Any:
    """A reviewed problem of a pool's row, with a decomposition that is made up."""
    from benchwright.schemas.records import (
        Choice,
        Condition,
        Decomposition,
        KnowledgeCue,
        KnowledgeDetail,
        LocalizedText,
        Mark,
        Problem,
        QuestionType,
        Show,
    )

    stem = f"6 V: {row['question']}"
    parts = Decomposition(
        stem=stem,
        conditions=(Condition(id="c1", start=0, end=3, show=Show.ON_DIAGRAM, marks=(Mark(label="6 V"),)),),
        core_question=row["question"],
        knowledge_cue=KnowledgeCue(terms=("law",), sentence="Think of the law that holds here."),
        knowledge_detail=(KnowledgeDetail(term="law", text="What holds here. " * 20),),
    )
    options = row.get("choices") or ()
    text = LocalizedText(
        question=row["question"],
        choices=tuple(Choice(label=chr(65 + i), text=str(one)) for i, one in enumerate(options)),
        answer=str(row["answer"] or "none"),
        solution=str((row.get("extra") or {}).get("solution") or "") or None,
        decomposition=parts,
    )
    return Problem.model_validate({
        "problem_id": problem_id, "question_id": problem_id, "source": "pool", "source_license": "CC0-1.0",
        "discipline": row["discipline"], "subject": "any", "difficulty": 1 + len(problem_id) % 5,
        "language": row["language"], "texts": {row["language"]: text}, "source_texts": {row["language"]: text},
        "question_type": QuestionType.SINGLE_CHOICE if options else QuestionType.FREE_FORM,
        "source_question_type": QuestionType.SINGLE_CHOICE if options else QuestionType.FREE_FORM,
        "images": images, "provenance": (),
    })  # fmt: skip


def render(workspace: Any, problem: Any, version: str, data: bytes) -> None:
    """A rendered picture with its sidecar."""
    from benchwright.render.sidecar import DiagramRecord, Rect, Sidecar
    from benchwright.render.style import style_of

    folder = workspace.renders("clean", version, problem.language)
    folder.mkdir(parents=True, exist_ok=True)
    style = style_of(workspace.recipe.render)
    (folder / f"{problem.problem_id}.png").write_bytes(data)
    sidecar = Sidecar(
        problem_id=problem.problem_id, problem_digest=problem.digest, version=version, language=problem.language,
        renderer_version=3, style=style.model_dump(mode="json"), style_digest=style.digest, font_sha256="1" * 64,
        engines={}, png_sha256=hashlib.sha256(data).hexdigest(), width=1400, height=900,
        shown=("c1",) if version == "vision-rich" else (),
        diagrams=tuple(
            DiagramRecord(sha256=ref.sha256, box=Rect(x=0, y=0, width=1, height=1)) for ref in problem.images
        ),
    )  # fmt: skip
    (folder / f"{problem.problem_id}.json").write_text(sidecar.model_dump_json())


# --- what is measured, each in a process of its own ----------------------------------------------------------------
class Clock:
    """Wall and CPU seconds of stretches of this process."""

    def __init__(self) -> None:
        self.times: dict[str, dict[str, float]] = {}

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Take the time of a block."""
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.times[name] = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def peak_mb() -> float:
    """The most memory that this process has had."""
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return kilobytes * 1024 / 1e6


def ours(folder: Path) -> dict[str, Any]:
    """Check, build and push as `push-dataset` does it."""
    from huggingface_hub import HfApi

    from benchwright.cli.curate_export import words_of
    from benchwright.curation.release.build import build_release, checked_content
    from benchwright.curation.release.push import push_release
    from benchwright.schemas.workspace import Workspace

    clock = Clock()
    workspace = Workspace.find(folder / "workspace")
    with clock.of("check"):
        content, findings = checked_content(workspace)
    checked_mb = peak_mb()
    words = words_of({row.version for row in content.rows}, {row.language for row in content.rows})
    with clock.of("build"):
        release = build_release(workspace, TAG, OURS, content, words=words, findings=findings)
    built_mb = peak_mb()
    with clock.of("push"):
        push_release(release.folder, release.manifest, OURS, HfApi(), 0.0)
    identical = 0
    from benchwright.schemas.release_table import load_release

    for _, pictures in load_release(release.folder):
        identical += sum(
            data == content.images.paths[sha256].read_bytes() for sha256, data in pictures.items()
        )
    sent = sum(
        len({*row.images, *(o.image_sha256 for o in row.options if o.image_sha256)}) for row in content.rows
    )
    size = sum(file.bytes for file in release.manifest.files)
    return {
        "rows": len(content.rows), "times": clock.times, "checked_mb": checked_mb, "built_mb": built_mb,
        "mb": size / 1e6, "identical": identical, "pictures": sent,
        "findings": {one.code: len(one.rows) for one in findings}, "different": len(content.images.paths),
    }  # fmt: skip


def theirs(folder: Path, problems: int) -> dict[str, Any]:
    """The same rows with decoded pictures through `datasets`, a config a version."""
    from datasets import Dataset, Features, Image, List, Value
    from PIL import Image as Pillow

    from benchwright.curation.release.rows import release_content
    from benchwright.schemas.records import Problem
    from benchwright.schemas.tables import read_records
    from benchwright.schemas.workspace import Workspace

    workspace = Workspace.find(folder / "workspace")
    content = release_content(workspace, read_records(workspace.problems, Problem)[:problems])
    plain = (
        "id",
        "problem_id",
        "version",
        "language",
        "discipline",
        "question",
        "answer",
        "full_question",
        "solution",
    )
    features = Features({**{name: Value("string") for name in plain}, "images": List(Image())})
    clock = Clock()
    with clock.of("build and push"):
        for version in VERSIONS:
            rows = [row for row in content.rows if row.version == version]

            def decoded(rows: Sequence[Any] = rows) -> Iterator[dict[str, Any]]:
                for row in rows:
                    pictures = [Pillow.open(io.BytesIO(content.images(name))) for name in row.images]
                    yield {**{name: getattr(row, name) for name in plain}, "images": pictures}

            made = Dataset.from_generator(decoded, features=features, cache_dir=str(folder / "datasets"))
            made.push_to_hub(THEIRS, config_name=version, split="test", private=True)
    return {"rows": len(content.rows), "times": clock.times, "built_mb": peak_mb()}


def first_row(repo_id: str, config: str) -> dict[str, Any]:
    """Seconds until a stranger has the first row, after everything is imported."""
    from datasets import load_dataset

    clock = Clock()
    with clock.of("open"):
        stream = load_dataset(repo_id, config, split="test", streaming=True)
    with clock.of("first row"):
        row = next(iter(stream))
    return {"id": row["id"], "times": clock.times}


def compared(folder: Path) -> dict[str, Any]:
    """How many of the other side's pictures have the bytes that were reviewed."""
    from datasets import Image, List, load_dataset

    known = {path.read_bytes() for path in (folder / "workspace" / "images").rglob("*") if path.is_file()}
    rows = load_dataset(THEIRS, VERSIONS[0], split="test").cast_column("images", List(Image(decode=False)))
    cells = [cell["bytes"] for row in rows for cell in row["images"]]
    return {"pictures": len(cells), "identical": sum(cell in known for cell in cells)}


# --- running -------------------------------------------------------------------------------------------------------
@contextmanager
def hub(folder: Path) -> Iterator[str]:
    """Address of a Hub of ours."""
    port = folder / "hub.port"
    command = [sys.executable, str(ROOT / "tests" / "servers" / "hub.py"), "--root", str(folder / "hub")]
    with subprocess.Popen([*command, "--port-file", str(port)]) as process:
        try:
            while not port.exists():
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port.read_text().strip()}"
        finally:
            process.terminate()


def step(folder: Path, url: str, name: str, *arguments: str) -> dict[str, Any]:
    """One measurement in a process of its own, with a cache of its own."""
    print(f"… {name} {' '.join(arguments)}", file=sys.stderr)
    home = folder / f"home-{name}-{len(list(folder.glob('home-*')))}"
    environment = {
        **os.environ, "HF_ENDPOINT": url, "HF_HOME": str(home), "HF_TOKEN": "hf_testwrite", "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1", "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    }  # fmt: skip
    command = [
        sys.executable,
        str(Path(__file__).resolve()),
        "--step",
        name,
        "--keep",
        str(folder),
        *arguments,
    ]
    said = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    found: dict[str, Any] = json.loads(said.strip().splitlines()[-1])
    return found


def report(made: dict[str, Any], us: dict[str, Any], them: dict[str, Any], rest: dict[str, Any]) -> list[str]:
    """Print the figures; returns the bars that were missed."""
    scale = us["rows"] / them["rows"]
    scaled = "" if scale == 1 else f" (measured on {them['rows']:,} rows, scaled)"
    build, push, check = (us["times"][name] for name in ("build", "push", "check"))
    peer = them["times"]["build and push"]
    print(
        f"{made['problems']:,} problems of {made['whose']}, {us['rows']:,} rows, {us['different']:,} different pictures"
        f" ({us['pictures']:,} places), {us['mb']:.0f} MB"
    )
    print(
        f"check          {check['cpu']:8.1f} s CPU {check['wall']:8.1f} s wall   (every picture decoded; not the build)"
    )
    print(f"build          {build['cpu']:8.1f} s CPU {build['wall']:8.1f} s wall   (bar: {BUILD_S} s)")
    print(f"push           {push['cpu']:8.1f} s CPU {push['wall']:8.1f} s wall")
    cost = {name: scale * peer[name] for name in peer}
    print(
        f"push_to_hub    {cost['cpu']:8.1f} s CPU {cost['wall']:8.1f} s wall   with decoded pictures{scaled}"
    )
    for name in ("cpu", "wall"):
        ratio = cost[name] / (build[name] + push[name])
        print(f"  push_to_hub / (build + push), {name}: {ratio:.1f}")
    print(
        f"peak memory    {us['built_mb']:8.0f} MB after the build, {us['checked_mb']:.0f} before (bar: {PEAK_MB:.0f})"
    )
    print(f"  push_to_hub: {them['built_mb']:.0f} MB")
    print(f"bytes          {us['identical']:,} of {us['pictures']:,} pictures are the workspace's own")
    print(
        f"  push_to_hub: {rest['compared']['identical']:,} of {rest['compared']['pictures']:,} source pictures"
    )
    one, other = rest["ours"]["times"], rest["theirs"]["times"]
    for side, times in (("first row      ", one), ("  push_to_hub: ", other)):
        opened, first = times["open"], times["first row"]
        print(
            f"{side}{first['wall']:8.2f} s wall, {first['cpu']:.2f} s CPU (bar: {FIRST_ROW_S} s), after "
            f"{opened['wall']:.1f} s wall, {opened['cpu']:.1f} s CPU to open"
        )
    bars = {
        f"build in {build['cpu']:.1f} s CPU": build["cpu"] <= BUILD_S,
        f"{us['built_mb']:.0f} MB": us["built_mb"] <= PEAK_MB,
        f"first row after {one['first row']['wall']:.2f} s": one["first row"]["wall"] <= FIRST_ROW_S,
        "bytes of pictures": us["identical"] == us["pictures"],
        f"{us['rows']} rows": us["rows"] == 5 * made["problems"],
    }
    return [name for name, reached in bars.items() if not reached]


def main() -> int:
    """Measure and report; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--problems", type=int, default=1147)
    parser.add_argument("--peer-problems", type=int, default=None)
    parser.add_argument(
        "--keep",
        type=Path,
        default=None,
        help="Work in this folder and leave it; one that is there is reused.",
    )
    parser.add_argument("--step", default=None, help=argparse.SUPPRESS)
    parser.add_argument("rest", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step is not None:
        print(json.dumps(STEPS[options.step](options.keep, *options.rest)))
        return 0
    folder = options.keep or Path(tempfile.mkdtemp(prefix="benchwright-release-"))
    try:
        if not (folder / "made.json").is_file():
            folder.mkdir(parents=True, exist_ok=True)
            print("… making the workspace", file=sys.stderr)
            (folder / "made.json").write_text(json.dumps(make_workspace(folder, options.problems)))
        made = json.loads((folder / "made.json").read_text())
        for left in ("workspace/release", "datasets"):  # of an earlier run in this folder
            shutil.rmtree(folder / left, ignore_errors=True)
        with tempfile.TemporaryDirectory(dir=folder) as server, hub(Path(server)) as url:
            us = step(folder, url, "ours")
            them = step(folder, url, "theirs", str(options.peer_problems or made["problems"]))
            rest = {
                "ours": step(folder, url, "first", OURS, "all"),
                "theirs": step(folder, url, "first", THEIRS, VERSIONS[0]),
                "compared": step(folder, url, "compared"),
            }
        missed = report(made, us, them, rest)
        print("reached every bar" if not missed else f"MISSED: {'; '.join(missed)}")
        return 1 if missed else 0
    finally:
        if options.keep is None:
            shutil.rmtree(folder)


STEPS: dict[str, Any] = {
    "ours": ours,
    "theirs": lambda folder, problems: theirs(folder, int(problems)),
    "first": lambda folder, repo_id, config: first_row(repo_id, config),
    "compared": compared,
}

if __name__ == "__main__":
    sys.exit(main())
