"""The documentation is what the program says, and our own words."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from benchwright.cli.main import benchwright

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("BENCHWRIGHT_SHARED", ROOT.parent / "shared"))
OURS = ("*.md", "*.py", "*.txt", "*.toml", "*.html", "*.jsonl", "*.xml", "*.j2")
# Field names, table headers and other wordings that nobody owns.
SHARED_WORDS = 8


def test_what_is_made_from_the_program_is_fresh() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"run `make docs`:\n{done.stdout}{done.stderr}"


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    """As `make docs` does, so links and anchors between its pages lead somewhere; nothing comes from elsewhere."""
    pytest.importorskip("sphinx")
    build = [
        sys.executable,
        "-m",
        "sphinx",
        "--fail-on-warning",
        "--keep-going",
        "--quiet",
        "-d",
        str(tmp_path / "d"),
    ]
    done = subprocess.run(
        [*build, "-b", "html", str(ROOT / "docs"), str(tmp_path / "site")],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    fetched = re.compile(
        r"""<(?:script|img|iframe|source)[^>]+src=["'](?:https?:)?//|<link[^>]+href=["'](?:https?:)?//"""
    )
    pages = sorted((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 80
    for page in pages:
        assert not fetched.search(page.read_text(encoding="utf-8")), page
    for style in (tmp_path / "site").rglob("*.css"):
        assert not re.search(r"url\([\"']?(?:https?:)?//|@import", style.read_text(encoding="utf-8")), style


def written_pages() -> list[Path]:
    return [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "tests" / "README.md"]


def anchors(page: Path) -> set[str]:
    """Anchors of a page's headings, as GitHub and the site make them."""
    found: set[str] = set()
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for heading in re.findall(r"^#{1,4} (.+)$", text, re.MULTILINE):
        bare = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        found.add(bare if bare not in found else f"{bare}-1")
    return found


def test_links_and_anchors_lead_somewhere() -> None:
    for page in written_pages():
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            if target.startswith(("http://", "https://", "mailto:")):
                continue
            name, _, anchor = target.partition("#")
            aim = page.parent / name if name else page
            assert aim.exists(), f"{page.name} links to {target}"
            assert not anchor or anchor in anchors(aim), (
                f"{page.name} links to {target}: {sorted(anchors(aim))}"
            )


def every_command() -> Iterator[tuple[str, click.Command]]:
    def below(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
        yield name, command
        if isinstance(command, click.Group):
            for word, sub in command.commands.items():
                yield from below(f"{name} {word}", sub)

    return below("benchwright", benchwright)


def test_every_command_and_flag_is_documented() -> None:
    for name, command in every_command():
        assert command.help and command.help.strip(), name
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help and parameter.help.strip(), f"{name} {parameter.opts}"


def test_every_command_has_a_page_and_words_beside_its_help() -> None:
    notes = tomllib.loads((ROOT / "docs" / "commands" / "notes.toml").read_text(encoding="utf-8"))
    pages = {path.stem for path in (ROOT / "docs" / "commands").glob("*.md")}
    assert {name.replace(" ", "-") for name in notes} <= pages
    for name, command in every_command():
        page = re.sub(r"^benchwright (?=annotate|curate|evaluate|render|push)", "", name)
        page = page.replace("push", "push-dataset") if page == "push" else page
        assert page.replace(" ", "-") in pages, name
        if not isinstance(command, click.Group):
            assert page in notes and notes[page].get("writes"), name


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


@pytest.mark.skipif(
    not (SHARED / "papers").is_dir(), reason="needs the papers' text below BENCHWRIGHT_SHARED"
)
def test_no_sentence_of_the_papers_stands_here() -> None:
    """No run of eight words of ours stands in the two papers."""
    theirs: set[tuple[str, ...]] = set()
    for paper in sorted((SHARED / "papers").glob("*.txt")):
        said = words(paper.read_text(encoding="utf-8"))
        theirs |= {tuple(said[i : i + SHARED_WORDS]) for i in range(len(said) - SHARED_WORDS + 1)}
    tracked = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    found: list[str] = []
    for name in tracked.stdout.splitlines():
        path = ROOT / name
        if path.is_file() and any(path.match(pattern) for pattern in OURS):
            said = words(path.read_text(encoding="utf-8"))
            for i in range(len(said) - SHARED_WORDS + 1):
                if tuple(said[i : i + SHARED_WORDS]) in theirs:
                    found.append(f"{name}: {' '.join(said[i : i + SHARED_WORDS])}")
    assert not found, "\n".join(found)
