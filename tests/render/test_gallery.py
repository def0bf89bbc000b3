from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from benchwright.render.gallery import write_gallery
from benchwright.render.job import render_version
from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.errors import UsageError
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.records import Choice, Mark, Problem
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.versions import Version
from benchwright.schemas.workspace import Workspace

from .conftest import Studio

STEM = "A block of mass m = 2 kg <moves> with $\\frac{p}{m}$ & so. Find it."


@pytest.fixture
def page(tmp_path: Path, studio: Studio) -> Path:
    workspace = Workspace.create(tmp_path / "ws", default_recipe_toml("test"))
    ref = studio.triangle()
    decomposition = studio.decomposed(
        STEM, ("m = 2 kg", "on-diagram", (Mark(label="2 kg"),)), core="Find $\\frac{p}{m}$."
    )
    made = [
        studio.problem(
            STEM,
            images=(ref,),
            decomposition=decomposition,
            choices=(Choice(label="A", text="$x^2$"),),
            problem_id="a",
        ),
        studio.problem("bare", images=(ref,), problem_id="b"),
    ]
    write_atomic(workspace.image(ref.sha256, ref.suffix), studio.bytes_of[ref.sha256])
    write_records(workspace.problems, made, Problem)
    for version in (Version.VISION_ONLY, Version.VISION_RICH):
        render_version(workspace, version, "en")
    path = workspace.root / "pages" / "gallery.html"
    assert write_gallery(workspace, path) == 2
    return path


def test_the_page_shows_every_version_and_every_picture_exists(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    assert "&lt;moves&gt;" in html and "<moves>" not in html
    sources = re.findall(r'<img src="([^"]+)"', html)
    assert len(sources) == 2 + 2 + 1  # two diagrams, two vision-only, one vision-rich
    assert all((page.parent / source).is_file() for source in sources)
    for version in Version:
        assert f"<h4>{version.value}" in html
    # What a problem without decomposition lacks takes one line, not four boxes.
    folded = re.findall(r'<p class="refusal">none \(no-decomposition\): (.*)</p>', html)
    assert [re.findall(r">([a-z-]+)<", line) for line in folded] == [
        ["knowledge-free", "knowledge-lite", "knowledge-rich", "vision-rich"]
    ]


def test_the_page_needs_no_network_and_draws_each_formula_once(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    assert not re.search(r'(?:src|href)="https?:', html)
    assert html.count("<symbol ") == 2
    assert html.count('href="#f0"') >= 4


def test_the_page_is_the_same_every_time(page: Path) -> None:
    before = page.read_bytes()
    write_gallery(Workspace.find(page.parent.parent), page)
    assert page.read_bytes() == before


def test_a_picture_of_a_question_as_it_was_before_an_edit_is_not_shown(page: Path) -> None:
    workspace = Workspace.find(page.parent.parent)
    made = read_records(workspace.problems, Problem)
    text = made[1].texts["en"].model_copy(update={"question": "edited"})
    made[1] = made[1].model_copy(update={"texts": {"en": text}, "source_texts": {"en": text}})
    write_records(workspace.problems, made, Problem)
    write_gallery(workspace, page)
    html = page.read_text(encoding="utf-8")
    assert 'none (stale-render): <span data-version="vision-only">' in html
    assert len(re.findall(r'<img src="([^"]+)"', html)) == 4


def test_without_problems_there_is_no_page(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "empty", default_recipe_toml("test"))
    with pytest.raises(UsageError, match="curate problems"):
        write_gallery(workspace, tmp_path / "page.html")


@pytest.mark.browser
@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed")
def test_chromium_shows_the_page(page: Path, tmp_path: Path) -> None:
    """The script runs in a real browser, and every picture has pixels there."""
    probe = page.with_name("probe.html")
    script = (
        "<script>addEventListener('load', () => {"
        "const shown = [...document.querySelectorAll('main img')];"
        "const formula = document.querySelector('svg.formula');"
        "const whole = shown.filter(i => i.naturalWidth > 10).length;"
        "const count = () => document.getElementById('visible').textContent;"
        "const box = document.querySelector('[data-filter=status] input[value=unchecked]');"
        "box.click(); const without = count(); box.click();"
        "shown[0].click(); const zoom = document.getElementById('zoom');"
        "const zoomed = zoom.open && zoom.firstElementChild.src === shown[0].src; zoom.click();"
        "document.title = `${whole}/${shown.length} ${formula.getBoundingClientRect().width > 3}"
        " status:${without},${count()} zoom:${zoomed},${zoom.open}`;"
        "});</script></body>"
    )
    eager = page.read_text(encoding="utf-8").replace(
        ' loading="lazy"', ""
    )  # else `load` does not wait for them
    probe.write_text(eager.replace("</body>", script), encoding="utf-8")
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
    command += [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--dump-dom",
    ]
    done = subprocess.run(
        [*command, f"--user-data-dir={tmp_path / 'profile'}", probe.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    title = re.search("<title>(.*?)</title>", done.stdout)
    assert title is not None and title[1] == "5/5 true status:0,2 zoom:true,false"
    assert '<span id="visible">2</span>' in done.stdout
