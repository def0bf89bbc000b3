"""The page of duplicates: what is on it, that it stands alone, and that a keyboard is enough."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from benchwright.curation.dedup import dedup_discipline, page_path
from benchwright.curation.dedup_page import FINDINGS, PICTURES
from benchwright.curation.dedup_page_sides import pieces
from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.schemas.artefact import manifest_path, read_manifest
from benchwright.schemas.errors import UsageError
from benchwright.schemas.workspace import Workspace

TRAIN = (
    "A train leaves the station with constant acceleration and passes a signal after {} seconds; how fast?"
)


def drawing(folder: Path, name: str, place: int) -> str:
    image = Image.new("RGB", (400, 240), "white")
    ImageDraw.Draw(image).line([20, 20, 40 + 60 * place, 200], "black", 4)
    stream = io.BytesIO()
    image.save(stream, format="PNG")
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(stream.getvalue())
    return name


@pytest.fixture
def searched(
    make_workspace: Callable[..., Workspace], jsonl: Callable[..., Path], tmp_path: Path
) -> Workspace:
    """A pool with one of everything."""
    one, two = (drawing(tmp_path / "source", f"{n}.png", n) for n in (1, 4))
    planet = "Which planet is the largest one of the solar system?"
    current = "What is the current in the branch shown in the figure?"
    rows: list[dict[str, Any]] = [
        {"id": "a", "question": planet, "answer": "Jupiter"},
        {"id": "b", "question": planet + " ", "answer": "Saturn <by mass>"},
        {"id": "m1", "question": "Name the unit of force.", "answer": "newton", "solution": "By definition."},
        {"id": "m2", "question": "Name the unit of force", "answer": "newton"},
        {"id": "p1", "question": current, "images": [one], "answer": "2 A"},
        {"id": "p2", "question": current, "images": [two], "answer": "2 A"},
        {"id": "p3", "question": current, "images": [one], "answer": "2 A"},
        {"id": "t1", "question": TRAIN.format(20), "answer": "4 m/s"},
        {"id": "t2", "question": TRAIN.format(45), "answer": "9 m/s"},
        {"id": "en", "question": "A car travels 120 km in 2 hours. What is its average speed?", "answer": "60"},
        {"id": "zh", "question": "一辆汽车2小时行驶了120公里。它的平均速度是多少？", "answer": "60", "language": "zh"},
    ]  # fmt: skip
    other = tmp_path / "public.jsonl"
    other.write_text(json.dumps({"id": "x9", "question": TRAIN.format(20).replace("train", "goods train")}))
    workspace = make_workspace()
    ingest(workspace, [jsonl(*rows)], IngestOptions())
    dedup_discipline(workspace, "physics", workers=1, against=[str(other)])
    return workspace


def section(page: str, key: str) -> str:
    return page.split(f'id="{key}"', 1)[1].split("</section>", 1)[0]


def test_every_kind_is_shown_with_what_decided_it(searched: Workspace) -> None:
    page = page_path(searched, "physics").read_text(encoding="utf-8")
    apart = section(page, "contradictory")
    assert "<code>a</code>" in apart and "<code>b</code>" in apart and "another answer:" in apart
    assert "Their answers differ. All stay until people decide" in apart and "gives way" not in apart
    equal = section(page, "equal")
    assert "the first stays: more of its fields are filled" in equal
    assert equal.index("<code>m1</code>") < equal.index("<code>m2</code>") < equal.index("gives way")
    assert "the same picture, byte for byte" in equal, "p3 has the picture of p1"
    across = section(page, "across")
    assert "<code>zh</code>" in across and 'lang="zh"' in across and "embeddings, cosine 0." in across
    template = section(page, "templates")
    assert "<mark>45 </mark>" in template and "<del>20 </del>" in template
    assert "One stem, another picture" in section(page, "same-words")
    overlap = section(page, "overlap")
    assert "Also in public" in overlap and "<mark>goods </mark>" in overlap and "<code>x9</code>" in overlap
    assert "In public with other numbers" in overlap


def test_the_page_stands_alone_and_hostile_text_stays_text(searched: Workspace) -> None:
    page = page_path(searched, "physics").read_text(encoding="utf-8")
    assert "Saturn &lt;by mass&gt;" in page and "<by mass>" not in page
    assert "http://" not in page and "https://" not in page and 'src="data:image/png;base64,' in page
    assert str(searched.root) not in page


def test_a_torn_page_is_noticed_and_a_comparison_by_flag_is_not_undone_by_the_way(
    searched: Workspace, tmp_path: Path
) -> None:
    path = page_path(searched, "physics")
    manifest = read_manifest(manifest_path(searched.duplicates("physics")))
    assert manifest is not None and searched.relative(path) in manifest.outputs
    assert not dedup_discipline(searched, "physics", workers=1, standing_sets=True).stage.ran
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    with pytest.raises(UsageError, match=r"\(public\) are not in the recipe"):
        dedup_discipline(searched, "physics", workers=1, standing_sets=True)
    done = dedup_discipline(searched, "physics", workers=1, against=[str(tmp_path / "public.jsonl")])
    assert done.stage.repaired == (searched.relative(path),) and path.read_bytes() == whole
    assert dedup_discipline(searched, "physics", workers=1).report.overlaps == 0, "asked for without any set"


def test_its_size_is_bounded_and_it_says_so(
    make_workspace: Callable[..., Workspace], jsonl: Callable[..., Path], tmp_path: Path
) -> None:
    rows = []
    for number in range(FINDINGS + 5):
        text = f"Name the part {'abcdefghij'[number % 10]}{'klmnopqrst'[number // 10]} of the drawn machine."
        for copy in range(9):
            picture = drawing(tmp_path / "source", f"{number}-{copy}.png", 1 + copy + number)
            rows.append({"id": f"q{number:02}-{copy}", "question": text, "images": [picture]})
    workspace = make_workspace("\n[dedup.thresholds]\ncosine = 2\nimage_bits = 0.0\nimage_change = 1.0\n")
    ingest(workspace, [jsonl(*rows)], IngestOptions())
    dedup_discipline(workspace, "physics", workers=1, yes=True)
    page = page_path(workspace, "physics").read_text(encoding="utf-8")
    assert page.count("<img ") <= PICTURES
    assert page.count('class="finding"') <= 8 * FINDINGS


def test_what_differs_is_marked_and_punctuation_is_not() -> None:
    assert pieces("Find  x, then y.", "find x then z") == (
        ("", "Find  x, then "),
        ("gone", "z"),
        ("new", "y."),
    )
    assert pieces("在（1）中", "在(1)中，") == (("", "在（1）中"),)
    assert pieces("2.50 kg", "2.5 kg") == (("gone", "2.5 "), ("new", "2.50 "), ("", "kg"))
    assert pieces("abc", None) == (("", "abc"),)


@pytest.mark.browser
def test_a_keyboard_is_enough(searched: Workspace, tmp_path: Path, chromium: Callable[..., Any]) -> None:
    with chromium(tmp_path / "profile", 1000, 700) as browser:
        browser.open(page_path(searched, "physics").as_uri())
        browser.wait("findings.length > 5")
        here = "findings.indexOf(document.activeElement)"
        browser.key("j", "KeyJ")
        first = browser.run(here)
        browser.key("j", "KeyJ")
        assert browser.run(here) == first + 1 >= 1
        browser.key("k", "KeyK")
        assert browser.run(here) == first
        browser.key("/", "Slash")
        assert browser.run("document.activeElement.id") == "filter"
        for letter in "goods":
            browser.key(letter, f"Key{letter.upper()}")
        assert browser.run("findings.filter((one) => !one.hidden).length") == 2
        assert "2 of" in browser.run("document.getElementById('shown').textContent")
        wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        assert browser.run(wide), "nothing sticks out sideways"
