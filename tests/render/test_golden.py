"""Pixels that never change unwanted: eighty pages of the examples and of our own cases, in all styles.

On the libraries that the digests were made with they are equal to the bit. Elsewhere (another CPU, another build of a
library) a page passes when no pixel's grey differs by more than one level, and at most one pixel in a thousand differs
at all; the test then says so in a warning-free note on its output.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from .golden_pages import DIGESTS, PICTURES, GoldenPage, differing, digest, draw, golden_pages

PAGES = golden_pages()
SHARE, LEVELS = 0.001, 1


@pytest.fixture(scope="module")
def digests() -> dict[str, str]:
    found: dict[str, str] = json.loads(DIGESTS.read_text(encoding="utf-8"))
    return found


def test_the_eighty_pages_cover_styles_and_languages(digests: dict[str, str]) -> None:
    assert len({page.name for page in PAGES}) == 80 == len(digests)
    assert {page.name for page in PAGES} == set(digests) == {path.stem for path in PICTURES.glob("*.png")}
    assert {(page.style, page.language) for page in PAGES} == {
        (style, language) for style in ("clean", "exam", "phone-photo") for language in ("en", "zh")
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_golden_page_has_not_changed(page: GoldenPage, digests: dict[str, str]) -> None:
    image = draw(page)
    if digest(image) == digests[page.name]:
        return
    with Image.open(PICTURES / f"{page.name}.png") as golden:
        share, levels = differing(image, golden)
    assert share <= SHARE and levels <= LEVELS, f"{share:.4%} of the pixels differ, by up to {levels} levels"
    print(f"{page.name}: not equal to the bit here, {share:.4%} of the pixels differ by {levels} level")


def test_a_changed_page_is_noticed() -> None:
    image = draw(PAGES[0])
    changed = image.copy()
    ImageDraw.Draw(changed).text((60, 60), "x", fill=0)
    share, levels = differing(changed, image.convert("L"))
    assert share > 0 and levels > LEVELS
    lighter = image.point(lambda value: max(0, value - 1))
    share, levels = differing(lighter, image.convert("L"))
    assert levels == 1 and share > SHARE


def test_two_fresh_processes_draw_the_same_pages() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from golden_pages import digest, draw, golden_pages\n"
        "print([digest(draw(page)) for page in golden_pages()[::9]])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code, str(Path(__file__).parent)],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
