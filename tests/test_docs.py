"""The documentation is what the program says, and our own words."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("BENCHWRIGHT_SHARED", ROOT.parent / "shared"))
OURS = ("*.md", "*.py", "*.txt", "*.toml", "*.html", "*.jsonl", "*.xml", "*.j2")
# Field names, table headers and other wordings that nobody owns.
SHARED_WORDS = 8


def test_commands_page_is_fresh() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "docs" / "generate.py"), "--check"], check=False)
    assert done.returncode == 0, "docs/commands.md is stale: run `make docs`"


def test_links_in_the_documentation_lead_somewhere() -> None:
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if not target.startswith(("http://", "https://", "mailto:")):
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


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
