"""The reader of pages notices what a page gets wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from .pages import blocks
from .reader import Reader


def follow(folder: Path, page: str) -> Reader:
    """Follow a page's text in a fresh folder, with nobody outside."""
    path = folder / "page.md"
    path.write_text(page, encoding="utf-8")
    (folder / "place").mkdir()
    with Reader(folder / "place", "http://127.0.0.1:9/v1", {}) as reader:
        reader.follow(blocks(path, folder))
    return reader


def test_files_commands_scripts_and_output_in_their_order(tmp_path: Path) -> None:
    reader = follow(
        tmp_path,
        "Write `sub/notes.toml`:\n\n```toml\nname = 'ORG/NAME'\n```\n\n"
        "```\ncd sub          # go there\ncat notes.toml \\\n  | tr a-z A-Z\n```\n\n"
        "```text\nNAME = ...BENCHMARK'\n```\n\n"
        "```python\nprint(open('notes.toml').read())\n```\n\n```text\ntester/benchmark\n```\n",
    )
    assert reader.place == tmp_path / "place" / "sub"


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("```\nfalse\n```\n", "ended with 1, not 0"),
        ("<!-- exit 2 -->\n```\ntrue\n```\n", "ended with 0, not 2"),
        ("```\ntrue\nfalse\ntrue\n```\n", "page.md:2: `false`"),
        ("```\ncurate nothing-like-this\n```\n", "ended with 2"),
        ("```\npip install 'benchwright[nothing]'\n```\n", "there is no extra nothing"),
        ("```\nmake nothing-like-this\n```\n", "ended with 2"),
        ("```\necho one\n```\n\n```text\ntwo\n```\n", "shows 'two'"),
        ("```python\nraise SystemExit(3)\n```\n", "ended with 3"),
    ],
)
def test_what_a_page_gets_wrong_is_an_error(tmp_path: Path, page: str, words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        follow(tmp_path, page)


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("```\ntrue\n", "is not closed"),
        ("```toml\na = 1\n```\n", "its file's name"),
        ("```bash run=no\ntrue\n```\n", "more than a language"),
    ],
)
def test_a_block_of_no_known_kind_is_refused(tmp_path: Path, page: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        follow(tmp_path, page)
