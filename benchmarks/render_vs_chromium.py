"""The same questions as pages by us, by headless Chromium with KaTeX, and by matplotlib's mathtext: CPU per picture.

    python benchmarks/render_vs_chromium.py [--questions 100] [--memory-pages 5735] [--katex FOLDER]

All three make a PNG of 1,400 pixels' width from the built-in examples (texts in English and Chinese, formulas, the
diagram, the options), at the same text size and, ours and the browser's, in the same font. Chromium gets the best of
it: one page for all, nothing reloaded, fonts awaited instead of slept for, no network; the CPU of all its processes
counts, its start does not. Ours is counted twice: `cold` in a fresh process with empty caches, start of both formula
engines included, and `warm` once the formulas are in the cache. `--katex` names the `dist` folder of the npm package
katex; without it the script fetches the package with npm into a temporary folder. The last figure is the peak memory
of one process of ours over `--memory-pages` pages with formulas that all differ.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import html
import json
import logging
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchwright.examples.pool import as_question
from benchwright.examples.registry import all_problems
from benchwright.render.compose import render_vision_only, typesetter_for
from benchwright.render.font import BUNDLED, load_font
from benchwright.render.style import RenderStyle
from benchwright.schemas.errors import ItemError
from benchwright.schemas.images import load_image_bytes
from benchwright.schemas.records import Choice, LocalizedText, Problem, QuestionType

KATEX = "katex@0.16.22"
WIDTH, SIZE = 1400, 32
DEMANDED = {"warm": 15.0, "cold": 8.0}
MEMORY_LIMIT_MB = 400


@dataclass(frozen=True)
class Page:
    """One question in one language."""

    problem: Problem
    language: str


def pages(count: int, texts: Path | None = None) -> tuple[list[Page], dict[str, bytes]]:
    """`count` questions and their diagrams' bytes: of the examples, English first, or of a pool of texts."""
    if texts is not None:
        return _texts(count, texts), {}
    store: dict[str, bytes] = {}
    problems: list[Problem] = []
    for example in all_problems():
        loaded = load_image_bytes(example.drawing.png)
        store[loaded.ref.sha256] = loaded.published
        question = as_question(example)
        problems.append(
            Problem(
                problem_id=question.id,
                question_id=question.id,
                source=question.source,
                source_license=question.source_license,
                discipline=question.discipline,
                subject="any",
                difficulty=1,
                language=question.language,
                texts=question.texts,
                question_type=question.question_type,
                source_texts=question.texts,
                source_question_type=question.question_type,
                images=question.images,
            )
        )
    found = [Page(problem, language) for language in ("en", "zh") for problem in problems]
    return found[:count], store


def _texts(count: int, path: Path) -> list[Page]:
    """Questions with formulas and without pictures from a pool (one JSON object a line), spread over its sources."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [
            row for row in map(json.loads, lines) if row["question"].count("$") >= 4 and not row["images"]
        ]
    found: list[Page] = []
    for row in rows[:: max(1, len(rows) // (2 * count))]:
        choices = tuple(
            Choice(label="ABCDEFGHIJ"[i], text=str(c)) for i, c in enumerate(row["choices"] or ())
        )
        text = LocalizedText(question=row["question"], choices=choices, answer="A")
        problem = Problem(
            problem_id=row["id"],
            question_id=row["id"],
            source=row["source"],
            source_license=row["source_license"],
            discipline=row["discipline"],
            subject="any",
            difficulty=1,
            language=row["language"],
            texts={row["language"]: text},
            question_type=QuestionType.FREE_FORM,
            source_texts={row["language"]: text},
            source_question_type=QuestionType.FREE_FORM,
        )
        try:
            render_vision_only(problem, row["language"], {}.__getitem__, RenderStyle())
        except ItemError:
            continue
        found.append(Page(problem, row["language"]))
    return found[:count]


# --- ours


def ours(count: int, texts: Path | None) -> dict[str, float]:
    """CPU milliseconds a page: first pass in a fresh process, then the best of three further passes."""
    chosen, store = pages(count, texts)
    typesetter_for.cache_clear()  # choosing the texts drew them
    load_font.cache_clear()
    style = RenderStyle(width=WIDTH, font_px=SIZE)
    spent = []
    for _ in range(4):
        start = time.process_time()
        size = sum(
            len(render_vision_only(page.problem, page.language, store.__getitem__, style).png)
            for page in chosen
        )
        spent.append(1000 * (time.process_time() - start) / len(chosen))
    return {"cold": spent[0], "warm": min(spent[1:]), "kb": size / len(chosen) / 1024}


def memory(count: int, texts: Path | None) -> dict[str, float]:
    """Peak resident memory of one process over `count` pages, each with a formula that no other page has."""
    chosen, store = pages(120)
    start = time.process_time()
    for number in range(count):
        page = chosen[number % len(chosen)]
        text = page.problem.texts[page.language]
        own = rf" $\frac{{x_{{{number}}}}}{{{number + 1}}}$ \ce{{H{number + 2}O}}"
        changed = text.model_copy(update={"question": text.question + own, "decomposition": None})
        problem = page.problem.model_copy(update={"source_texts": {page.language: changed}})
        problem = problem.model_copy(update={"texts": {page.language: changed}})
        render_vision_only(problem, page.language, store.__getitem__, RenderStyle())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"pages": count, "peak_mb": peak, "ms": 1000 * (time.process_time() - start) / count}


# --- matplotlib


def mathtext(count: int, texts: Path | None) -> dict[str, float]:
    """CPU milliseconds a page of matplotlib, texts broken by character count, and how many pages it draws whole."""
    import io
    import textwrap

    import matplotlib

    # It draws a box for a character it lacks and only logs it: such a page counts as not drawn.
    lost: list[logging.LogRecord] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lost.append(record)

    logging.getLogger("matplotlib.mathtext").addHandler(Listener())
    logging.getLogger("matplotlib.mathtext").propagate = False
    matplotlib.use("Agg")
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties, fontManager
    from PIL import Image

    fontManager.addfont(str(BUNDLED))
    font = FontProperties(fname=str(BUNDLED), size=SIZE * 0.72)
    chosen, store = pages(count, texts)
    drawn, start = 0, time.process_time()
    for page in chosen:
        text = page.problem.texts[page.language]
        options = [f"{c.label}. {c.text}" for c in text.choices]
        per_line = 80 if page.language == "en" else 40
        lines = [line for part in (text.question, *options) for line in textwrap.wrap(part, per_line)]
        pictures = [Image.open(io.BytesIO(store[ref.sha256])) for ref in page.problem.images]
        height = 48 * len(lines) + sum(picture.height for picture in pictures) + 120
        figure = Figure(figsize=(WIDTH / 100, height / 100), dpi=100)
        for number, line in enumerate(lines):
            figure.text(0.045, 1 - (60 + 48 * number) / height, line, fontproperties=font, va="baseline")
        for picture in pictures:
            figure.figimage(picture, 60, 20)
        try:
            lost.clear()
            figure.savefig(io.BytesIO(), format="png")
        except ValueError:  # mathtext cannot read the formula
            continue
        drawn += not lost
    return {"ms": 1000 * (time.process_time() - start) / len(chosen), "drawn": drawn}


# --- Chromium


def katex_folder(folder: Path) -> Path:
    """KaTeX's `dist`, fetched with npm."""
    subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), KATEX],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return folder / "node_modules" / "katex" / "dist"


def chromium(count: int, texts: Path | None, katex: Path) -> dict[str, float]:
    """CPU milliseconds a page, summed over all processes of one headless browser; the second of two passes.

    `loaded`: each question is a document of its own in the one tab, as screenshot scripts do it; `swapped`: the text
    is exchanged inside one document that stays, the least that a browser can do.
    """
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "servers"))
    from chromium import Chromium

    chosen, store = pages(count, texts)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "page.html").write_text(_page(katex), encoding="utf-8")
        with Chromium(folder / "profile", WIDTH, 1000) as browser:
            browser.open((folder / "page.html").as_uri())
            browser.wait("typeof renderMathInElement === 'function' && document.fonts.status === 'loaded'")
            figures = {"failed": 0.0, "kb": 0.0}
            for way in ("swapped", "loaded", "swapped", "loaded"):  # the second time counts
                start, failed, size = _cpu_of(browser._process.pid), 0, 0
                for number, page in enumerate(chosen):
                    if way == "loaded":
                        document = folder / f"{number}.html"
                        document.write_text(_page(katex, _body(page, store)), encoding="utf-8")
                        browser.open(document.as_uri())
                        while not browser.run(
                            f"document.readyState === 'complete' && location.href.endsWith('/{number}.html')"
                        ):
                            time.sleep(0.02)
                        failed += browser.run("show(null)")
                    else:
                        failed += browser.run(f"show({json.dumps(_body(page, store))})")
                    size += len(_shot(browser))
                figures[way] = 1000 * (_cpu_of(browser._process.pid) - start) / len(chosen)
                figures["failed"], figures["kb"] = failed, size / len(chosen) / 1024
    return figures


def _page(katex: Path, body: str = "") -> str:
    return f"""<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="{(katex / "katex.css").as_uri()}">
<style>@font-face {{ font-family: Q; src: url({BUNDLED.as_uri()}); }}
body {{ margin: 0; }} #q {{ font: {SIZE}px/1.5 Q; color: #8e1616; padding: 64px; width: {WIDTH - 128}px; }}
img {{ display: block; margin: 32px auto; max-width: 100%; }} .o {{ display: inline-block; min-width: 24%; }}</style>
<div id="q">{body}</div>
<script src="{(katex / "katex.js").as_uri()}"></script>
<script src="{(katex / "contrib/mhchem.js").as_uri()}"></script>
<script src="{(katex / "contrib/auto-render.js").as_uri()}"></script>
<script>async function show(body) {{
  const q = document.getElementById('q'); if (body !== null) q.innerHTML = body;
  renderMathInElement(q, {{delimiters: [{{left: '$', right: '$', display: false}}], throwOnError: false}});
  await Promise.all([...q.querySelectorAll('img')].map(i => i.decode())); await document.fonts.ready;
  return q.querySelectorAll('.katex-error').length ? 1 : 0; }}</script>"""


def _body(page: Page, store: dict[str, bytes]) -> str:
    text = page.problem.texts[page.language]
    stem = re.sub(r"\n", "<br>", html.escape(text.question))
    images = "".join(
        f'<img src="data:image/png;base64,{base64.b64encode(store[ref.sha256]).decode()}">'
        for ref in page.problem.images
    )
    options = "".join(f'<span class="o">{c.label}. {html.escape(c.text or "")}</span>' for c in text.choices)
    return f"<div>{stem}</div>{images}<div>{options}</div>"


def _shot(browser: object) -> bytes:
    height = browser.run("document.getElementById('q').getBoundingClientRect().height")  # type: ignore[attr-defined]
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": 1}
    reply = browser.call(  # type: ignore[attr-defined]
        "Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True, optimizeForSpeed=False
    )
    return base64.b64decode(reply["data"])


def _cpu_of(root: int) -> float:
    """CPU seconds of a process, all its living descendants, and those they have buried."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue  # it ended meanwhile; whoever waited for it holds its time
            parents[int(entry.name)] = int(fields[1])
            ticks[int(entry.name)] = sum(map(int, fields[11:15]))
    family = {root}
    while grown := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= grown
    return sum(ticks.get(pid, 0) for pid in family) / os.sysconf("SC_CLK_TCK")


def run(arguments: argparse.Namespace) -> int:
    """Each in a process of its own; 0 when we are as much cheaper, and as small, as we claim."""
    results: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        katex = arguments.katex or katex_folder(Path(name))
        for who in ("ours", "mathtext", "chromium", "memory"):
            count = arguments.memory_pages if who == "memory" else arguments.questions
            command = [
                sys.executable,
                __file__,
                "--only",
                who,
                "--questions",
                str(count),
                "--katex",
                str(katex),
            ]
            command += ["--texts", str(arguments.texts)] if arguments.texts else []
            results[who] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    browser, own = results["chromium"], results["ours"]
    print(f"{arguments.questions} questions, {WIDTH} pixels wide; CPU milliseconds a picture")
    print(f"ours, warm      {own['warm']:7.1f}   ({own['kb']:.0f} KB a picture)")
    print(f"ours, cold      {own['cold']:7.1f}")
    print(
        f"Chromium        {browser['loaded']:7.1f}   (text swapped in one document: {browser['swapped']:.1f}; "
        f"{browser['kb']:.0f} KB a picture; {browser['failed']:.0f} pages with a formula that KaTeX refuses)"
    )
    print(
        f"mathtext        {results['mathtext']['ms']:7.1f}   ({results['mathtext']['drawn']:.0f} pages drawn)"
    )
    ratios = {key: browser["loaded"] / own[key] for key in ("warm", "cold")}
    least = browser["swapped"] / own["warm"]
    peak = results["memory"]["peak_mb"]
    print(
        f"Chromium / ours: {ratios['warm']:.1f} warm, {ratios['cold']:.1f} cold; text swapped: {least:.1f} warm"
    )
    print(f"peak memory of one process over {results['memory']['pages']:.0f} pages: {peak:.0f} MB")
    met = all(ratios[key] >= least for key, least in DEMANDED.items()) and peak <= MEMORY_LIMIT_MB
    return 0 if met else 1


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--memory-pages", type=int, default=5735)
    parser.add_argument("--katex", type=Path)
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--only", choices=["ours", "mathtext", "chromium", "memory"])
    arguments = parser.parse_args()
    if arguments.only is None:
        return run(arguments)
    count = arguments.questions
    if arguments.only == "chromium":
        print(json.dumps(chromium(count, arguments.texts, arguments.katex)))
    else:
        measure = {"ours": ours, "mathtext": mathtext, "memory": memory}[arguments.only]
        print(json.dumps(measure(count, arguments.texts)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
