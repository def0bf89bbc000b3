"""Every page that the product writes, in a real Chromium: 1280 and 390 px, light and dark, offline, by keyboard."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from benchwright.annotation.replay import ReplayLine, replay_reviews
from benchwright.cli.main import benchwright, run_command
from benchwright.examples.generated_pool import write_generated_pool
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.journal import read_jsonl, write_jsonl
from benchwright.schemas.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
RECIPE = """[benchmark]
name = "pages"
languages = ["zh"]
versions = ["original", "vision-rich", "vision-only"]

[disciplines.physics]
budget = 12

[selection]
difficulty_tolerance = 1.0
subject_tolerance = 1.0

[annotation]
slots = 2
"""
PAGES = {
    "certificate": "selection/physics.certificate.html",
    "duplicates": "duplicates/physics.html",
    "gallery": "gallery.html",
    "map": "clusters/physics.map.html",
    "pictures": "screen/physics.pictures.html",
    "proposals": "proposals.html",
    "reviews": "reviews/report.html",
    "statistics": "stats/stats.html",
    "viewer": "report/viewer/index.html",
}
READY = {
    "map": "document.body.dataset.ready === 'yes'",
    "viewer": "document.querySelectorAll('main .card').length > 0",
}
SOURCES = {
    "annotation/templates/reviews.html.j2",
    "curation/proposers/templates/report.html.j2",
    "curation/screen_sheet.py",
    "curation/templates/certificate.html.j2",
    "curation/templates/duplicates.html.j2",
    "curation/templates/map.html",
    "curation/templates/stats.html",
    "eval/templates/viewer.html.j2",
    "render/templates/gallery.html",
}
"""What the pages above are made from."""

pytestmark = pytest.mark.browser


def typed(root: Path, *arguments: str, codes: tuple[int, ...] = (0,)) -> None:
    got = run_command(benchwright, "benchwright", [*arguments, "--workspace", str(root), "--quiet"])
    assert got in codes, arguments


def pool_with_repeats(folder: Path) -> Path:
    """A made-up pool, and some of it once more: with the same answer, and with another."""
    pool = write_generated_pool(folder, items=36, discipline="physics", points=6, pictures=8, seed=0).path
    rows = [json.loads(line) for line in pool.read_text(encoding="utf-8").splitlines()]
    again = [{**row, "id": f"{row['id']}-again"} for row in rows[:6]]
    for row in again[::2]:
        row["answer"] = "A" if row["answer"] != "A" else "C"
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in [*rows, *again])
    pool.write_text(text, encoding="utf-8")
    return pool


def reviewed_twice(ws: Workspace, folder: Path) -> Path:
    """What two people say of the proposals: the second sees every third level otherwise."""
    lines = []
    for number, said in enumerate(read_jsonl(ws.proposals("tagging"), Proposal)):
        for person, slot in (("R01", "A"), ("R02", "B")):
            value = said.value
            if slot == "B" and said.field == "difficulty" and number % 3 == 0:
                value = 5 if value == 1 else 1
            lines.append(
                ReplayLine(
                    job="tagging",
                    item_id=said.item_id,
                    field=said.field,
                    value=value,
                    pseudonym=person,
                    slot=slot,
                    origin="prediction" if value == said.value else "prediction-changed",
                    lead_time=20,
                )
            )
    write_jsonl(folder / "reviews.jsonl", lines)
    return folder / "reviews.jsonl"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which every page was written."""
    raw = tmp_path_factory.mktemp("raw")
    root = tmp_path_factory.mktemp("pages") / "bench"
    ws = Workspace.create(root, RECIPE)
    typed(root, "curate", "ingest", str(pool_with_repeats(raw)))
    typed(root, "curate", "cluster")
    typed(root, "curate", "map", "--discipline", "physics")
    typed(root, "curate", "tag")
    typed(root, "curate", "problems", "--accept-proposals")
    typed(root, "curate", "stats", "--out", str(root / "stats"))
    typed(root, "render", "vision-rich")
    typed(root, "render", "vision-only")
    typed(root, "render", "gallery")
    typed(root, "push", "--build-only")
    release = str(ws.release("v0.1.0"))
    typed(root, "evaluate", "run", release, "--model", "baseline/random", codes=(0, 1))
    (run,) = (root / "runs").iterdir()
    code = run_command(
        benchwright, "benchwright", ["evaluate", "report", str(run), "--out", str(root / "report")]
    )
    assert code in (0, 1)
    replay_reviews(ws, reviewed_twice(ws, raw))
    typed(root, "annotate", "report")
    typed(root, "curate", "proposals", "report", "--html", str(root / "proposals.html"))
    return root


@pytest.fixture(scope="module")
def browser(
    tmp_path_factory: pytest.TempPathFactory,
    chromium: Callable[..., Any],
    server_module: Callable[[str], Any],
) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("profile"), 1280, 900) as opened:
        yield server_module("page_audit").Pages(opened)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_holds_at_both_widths_in_light_and_dark(
    name: str, pages: Path, browser: Any, server_module: Callable[[str], Any]
) -> None:
    audit = server_module("page_audit")
    found: list[str] = []
    for scheme in audit.SCHEMES:
        for width in audit.WIDTHS:
            browser.open(pages / PAGES[name], width, scheme, READY.get(name, "true"))
            found += [f"{width} {scheme}: {fault}" for fault in browser.faults()]
    assert found == []


@pytest.mark.parametrize("name", PAGES)
def test_a_keyboard_reaches_every_control_and_shows_where_it_is(name: str, pages: Path, browser: Any) -> None:
    browser.open(pages / PAGES[name], 1280, "light", READY.get(name, "true"))
    assert browser.keyboard_faults() == []


def test_the_audit_finds_faults(tmp_path: Path, browser: Any) -> None:
    """A page with one fault of each kind: an audit that finds nothing here would find nothing anywhere."""
    page = tmp_path / "bad.html"
    page.write_text(
        "<!doctype html><html><head><title>x</title><style>a{outline:none!important}#w{width:900px}"
        "p{color:#999}.s{overflow:auto;width:50px;white-space:nowrap}</style></head><body><h1>x</h1><p>pale</p>"
        '<div id=w>wide</div><img src="data:image/png;base64,x"><table><tr><td>1</td></tr></table><svg></svg>'
        "<div class=s>0123456789012345678901234567890123456789</div><canvas></canvas>"
        "<a href=#w>there</a><button></button>"
        "<script>console.error('trouble')</script></body></html>"
    )
    browser.open(page, 390, "dark")
    found = " / ".join(browser.faults())
    for wanted in (
        "no language", "no main part", "px sideways", "no alternative text", "a drawing without words",
        "a table without headers", "contrast 2.85", "a keyboard cannot get there", "a canvas without words",
        "a control without a name", "ground of the dark page", "trouble",
    ):  # fmt: skip
        assert wanted in found, (wanted, found)
    assert any("no ring around a" in fault for fault in browser.keyboard_faults())


def test_pictures_of_the_gallery_open_and_close_by_keys(pages: Path, browser: Any) -> None:
    browser.open(pages / PAGES["gallery"], 1280, "light")
    run = browser.browser.run
    run("document.querySelector('button.zoom').focus()")
    browser.press("Enter", 13, "\r")
    assert run("document.getElementById('zoom').open")
    first = run("document.querySelector('#zoom img').alt")
    assert first
    browser.press("ArrowRight", 39)
    assert run("document.querySelector('#zoom img').alt") != first
    browser.press("Escape", 27)
    browser.browser.wait("!document.getElementById('zoom').open")
    shown = "[...document.querySelectorAll('button.zoom')].filter((one) => one.getClientRects().length)"
    assert run(f"document.activeElement === {shown}[1]"), "back where it was looked at last"
    browser.browser.key("j", "KeyJ")
    assert run("document.activeElement.tagName") == "ARTICLE"


def test_the_map_is_read_by_keys(pages: Path, browser: Any) -> None:
    browser.open(pages / PAGES["map"], 1280, "dark", READY["map"])
    run = browser.browser.run
    run("document.getElementById('map').focus()")
    card = "document.getElementById('card').textContent"
    browser.browser.key("n", "KeyN")
    first = run(card)
    assert "chosen" in first and "cluster" in first
    browser.browser.key("n", "KeyN")
    second = run(card)
    browser.browser.key("p", "KeyP")
    assert second != first == run(card)
    browser.browser.key("+", "Equal")
    browser.press("ArrowLeft", 37)
    assert run("zoom") > 1 and run("left") != 0
    browser.press("Escape", 27)
    assert (
        run("zoom") == 1
        and run("left") == 0
        and run("getComputedStyle(document.getElementById('card')).display") == "none"
    )


@pytest.mark.parametrize("name", PAGES)
def test_a_page_may_ask_nothing_of_a_network(name: str, pages: Path) -> None:
    text = (pages / PAGES[name]).read_text(encoding="utf-8")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].replace("&#39;", "'").split(";"))
    assert rules["default-src"] == "'none'" and rules["base-uri"] == rules["form-action"] == "'none'"
    allowed = {"'none'", "'self'", "'unsafe-inline'", "'script'", "shards", "data:", "file:"}
    for kind, values in rules.items():
        assert all(value in allowed or value.startswith("'sha256-") for value in values.split()), kind
    assert not re.search(r'(?:src|href|action|poster|data)\s*=\s*["\']?\s*(?:https?:)?//', text)


def test_every_page_of_the_product_is_looked_at() -> None:
    found = set()
    for folder in ("annotation", "cli", "curation", "eval", "examples", "models", "render", "schemas"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".html", ".j2", ".py", ".js") and "<html" in path.read_text(encoding="utf-8"):
                found.add(path.relative_to(ROOT).as_posix())
    assert found == SOURCES, "a new page belongs into PAGES and SOURCES"


class Fragment(HTMLParser):
    """Tags of a piece of HTML that Label Studio shows."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_guidelines_are_plain_text_in_headings_and_lists() -> None:
    """They stand inside Label Studio's own page: nothing to load, nothing that only a mouse reaches, no colours."""
    pages = list((ROOT / "annotation" / "guidelines").glob("*.html"))
    assert len(pages) >= 24
    for path in pages:
        fragment = Fragment()
        fragment.feed(path.read_text(encoding="utf-8"))
        assert {tag for tag, _ in fragment.tags} <= {
            "p",
            "h4",
            "ul",
            "ol",
            "li",
            "b",
            "i",
            "em",
            "br",
            "code",
            "sup",
            "sub",
        }
        assert all(not attributes for _, attributes in fragment.tags), path.name
