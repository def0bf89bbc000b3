"""The prompts are there in both languages, say the same things, and are in our own words."""

from __future__ import annotations

import os
import re
from importlib.resources import files
from pathlib import Path

import pytest

from benchwright.models.prompts import load_prompt

ASKING = ("cot", "direct", "visscience-cot", "visscience-direct")
NAMES = (*ASKING, "judge", "judge-reminder")
SHARED = Path(os.environ.get("BENCHWRIGHT_SHARED", Path(__file__).resolve().parents[3].parent / "shared"))


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+|[一-鿿]", text.lower())


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_ask_for_the_same_values(name: str) -> None:
    en, zh = (load_prompt("benchwright.eval", name, language, "1") for language in ("en", "zh"))
    assert en.placeholders == zh.placeholders
    wanted = {"judge": {"nonce", "question", "answer", "response"}}
    wanted |= {one: {"discipline"} for one in ASKING if one.startswith("visscience")}
    assert en.placeholders == wanted.get(name, set())
    assert re.search(r"[一-鿿]", zh.text)
    if name in ASKING:
        # The line that the rules read, and that examples end with.
        assert "Answer:" in en.text
        assert "答案：" in zh.text
    else:
        for prompt in (en, zh):
            assert "[Consistent]" in prompt.text
            assert "[Inconsistent]" in prompt.text


def test_no_eight_words_of_ours_stand_in_the_papers() -> None:
    papers = sorted((SHARED / "papers").glob("*.txt"))
    if not papers:
        pytest.skip("the papers' text is not there (BENCHWRIGHT_SHARED)")
    theirs: set[tuple[str, ...]] = set()
    for path in papers:
        said = words(path.read_text(encoding="utf-8", errors="replace"))
        theirs.update(zip(*(said[i:] for i in range(8)), strict=False))
    for entry in files("benchwright.eval").joinpath("prompts").iterdir():
        said = words(entry.read_text(encoding="utf-8"))
        shared = set(zip(*(said[i:] for i in range(8)), strict=False)) & theirs
        assert not shared, f"{entry.name}: {shared}"
