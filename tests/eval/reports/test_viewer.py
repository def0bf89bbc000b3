"""The viewer: what is in its files, that hostile output does nothing, and that people can work with it in a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from benchwright.eval.metrics.run_view import RunView
from benchwright.eval.reports.viewer import harmless_json, keep_pictures, write_viewer
from benchwright.eval.reports.viewer_data import MARKS, OUTCOMES, SHARD_ITEMS, items_of, shards_of
from benchwright.schemas.flags import FLAGS_NAME, Flag
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.status import Outcome

from ..report_runs import (
    FIVE,
    by_digest,
    dataset_spec_of,
    five_versions,
    right_every,
    spec_of,
    write_run,
)

HOSTILE = (
    "<script>window.hit=1</script></script><script>window.hit=2</script>"
    '<img src=x onerror="window.hit=3"><svg onload="window.hit=4"><a href="javascript:window.hit=5">x</a>'
    "<!-- ]]> {{7*7}} ${window.hit=6} \x1b[31mred\x1b]0;title\x07 \u202etxt.exe \u2028 \\u003cb\n[Consistent]\n"
)
MEGABYTE = "wide " * 209_716


def hostile(row: ReleaseRow, number: int) -> tuple[Outcome, str]:
    """The first answers are attacks; one has thinking, one is nothing; the rest is as usual."""
    special = {
        0: (Outcome.CONSISTENT, HOSTILE + MEGABYTE),
        1: (Outcome.INCONSISTENT, f"<think>{HOSTILE}</think>The answer is A."),
        2: (Outcome.NO_ANSWER, ""),
        3: (Outcome.NOT_RUN, ""),
        4: (Outcome.UNJUDGED, "B"),
    }
    return special.get(number) or right_every(4)(row, number)


@pytest.fixture
def runs(tmp_path: Path, row: Callable[..., ReleaseRow], release: Callable[..., Any]) -> list[RunView]:
    """Three runs over nine problems in five versions and two languages, the pictures beside them."""
    rows, images = five_versions(row, 9)
    rows[0] = rows[0].model_copy(
        update={"subject": "mech</script><b>anics", "solution": "So $v = \\sqrt{2gh}$."}
    )
    folder = release(rows, images).folder
    data = dataset_spec_of(folder)
    rows = sorted(rows, key=lambda one: one.id)
    places = tmp_path / "runs"
    flag = Flag(
        row_id=rows[5].id, problem_id=rows[5].problem_id, kind="suspect-key", respondents=3, share_correct=0.0,
        item_rest=-0.4, blind_respondents=0, blind_right=0, chance=0.25, p_blind=None, runs=("x",),
    )  # fmt: skip
    (places / "b").mkdir(parents=True)
    write_jsonl(places / "b" / FLAGS_NAME, [flag])
    return [
        write_run(places / "a", spec_of(data, "openai/model-one"), rows, hostile),
        write_run(places / "b", spec_of(data, "openai/model-two"), rows, right_every(3, 1)),
        write_run(places / "c", spec_of(data, "openai/model-one", mode="cot"), rows, right_every(5, 2)),
    ]


@pytest.fixture
def folder(tmp_path: Path, runs: list[RunView], row: Callable[..., ReleaseRow]) -> Path:
    """The viewer of these runs."""
    pictures = keep_pictures(tmp_path / "viewer", by_digest(five_versions(row, 9)[1]))
    write_viewer(tmp_path / "viewer", runs, pictures, "Three runs")
    return tmp_path / "viewer"


def index_of(folder: Path) -> dict[str, Any]:
    page = (folder / "index.html").read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="index">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found.group(1))  # type: ignore[no-any-return]


def data_of(folder: Path, number: int) -> dict[str, Any]:
    text = (folder / "data" / f"{number:04d}.js").read_text(encoding="utf-8")
    found = re.fullmatch(r'benchwrightShard\("[0-9a-f]{16}",\d+,(.*)\);\n', text, re.DOTALL)
    assert found is not None
    return json.loads(found.group(1))  # type: ignore[no-any-return]


def test_problems_stay_together_and_every_run_says_what_became_of_each_item(
    folder: Path, runs: list[RunView]
) -> None:
    index = index_of(folder)
    assert len(index["id"]) == 90 and index["words"]["version"] == list(FIVE)
    assert index["problem"] == sorted(index["problem"])
    first = [OUTCOMES[int(digit)] for digit in index["outcome"][0][:10]]
    at = {row_id: place for place, row_id in enumerate(index["id"])}
    rows = sorted(index["id"])
    assert [OUTCOMES[int(index["outcome"][0][at[rows[n]]])] for n in range(5)] == [
        "consistent", "inconsistent", "no-answer", "not-run", "unjudged",
    ]  # fmt: skip
    assert set(index["outcome"][2]) == {str(OUTCOMES.index("scored"))} and "scored" not in first
    marked = {name: index["mark"][0][at[rows[0]]] >> bit & 1 for bit, name in enumerate(MARKS)}
    assert marked["hidden signs"] and not marked["thinking"]
    assert index["mark"][0][at[rows[1]]] >> MARKS.index("thinking") & 1
    assert index["mark"][1][at[rows[5]]] >> MARKS.index("suspect-key") & 1
    starts = index["shards"]
    assert starts == shards_of(items_of(runs)) and all(b - a >= SHARD_ITEMS for a, b in pairwise(starts))
    assert all(index["problem"][start] != index["problem"][start - 1] for start in starts[1:])
    assert index["knowledge"][0] is None and len(index["knowledge"][2]) == 90
    assert index["without_picture"] == 0 and len(list((folder / "pictures").iterdir())) == 27


def test_an_item_holds_everything_that_a_person_asks_for(folder: Path) -> None:
    index = index_of(folder)
    data = data_of(folder, 0)
    at = index["id"].index("p0000:vision-only:en")
    item = data["items"][at]
    assert item["sent"] == "" and item["source"].startswith("A ball 0 falls $h")
    assert item["answer"] == ["B"] and item["images"][0][1].endswith(".png")
    (formula,) = [piece["f"] for piece in item["full"] if isinstance(piece, dict)]
    assert data["formulas"][formula]["tex"] == r"h = 0 + \frac{1}{2}"
    assert data["formulas"][formula]["svg"].startswith("<svg xmlns=")
    one = data["items"][index["id"].index("p0000:knowledge-free:en")]["runs"]
    assert one[1]["verdict"]["by"] == "llm" and "The reference says B." in one[1]["verdict"]["words"]
    assert one[0]["verdict"]["outcome"] == "consistent" and one[0]["steps"] is None
    assert one[2]["steps"]["list"] == [["K", 0, "v = gt"], ["L", 1, "the answer is B"]]
    assert one[2]["steps"]["scores"] == [0.0, 1.0, 0.5] and one[2]["verdict"] is None


def test_the_page_allows_its_own_script_and_nothing_else(folder: Path) -> None:
    page = (folder / "index.html").read_text(encoding="utf-8")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    rules = dict(rule.split(" ", 1) for rule in policy.group(1).replace("&#39;", "'").split("; "))
    assert rules["default-src"] == "'none'" and "unsafe" not in policy.group(1)
    assert rules["require-trusted-types-for"] == "'script'"
    for kind, name in (("script-src", "script"), ("style-src", "style")):
        (body,) = re.findall(rf"<{name}>(.*?)</{name}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in rules[kind]
    assert not re.search(r"<[^>]+ on[a-z]+=", page), "no handlers in attributes"
    assert "http://" not in page and "https://" not in page, "nothing from a network"
    assert "innerHTML" not in page and "eval(" not in page and "insertAdjacent" not in page


def test_hostile_text_is_data_in_every_file(folder: Path, runs: list[RunView]) -> None:
    for path in [folder / "index.html", *(folder / "data").iterdir()]:
        text = path.read_text(encoding="utf-8")
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2028]", text), path
        outside = text.split('id="index">')[-1].split("</script>")[0] if path.name == "index.html" else text
        assert "<" not in outside and "&" not in outside, "nothing can end the element"
    answer = data_of(folder, 0)["items"][index_of(folder)["id"].index("p0000:knowledge-free:en")]["runs"][0]
    assert answer["text"].startswith("<script>window.hit=1</script>") and len(answer["text"]) > 1_000_000
    assert "␛[31mred␛]0;title␇ ⟨U+202E⟩txt.exe" in answer["text"], "nothing is thrown away"
    assert json.loads(harmless_json({"a": HOSTILE})) == {"a": HOSTILE}


def test_same_runs_same_bytes_and_older_data_goes(folder: Path, runs: list[RunView]) -> None:
    before = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    (folder / "data" / "0099.js").write_text("old")
    write_viewer(
        folder, runs, {path.stem: path.name for path in (folder / "pictures").iterdir()}, "Three runs"
    )
    assert {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


# --- in a browser -------------------------------------------------------------------------------------------------
@pytest.fixture
def browser(tmp_path: Path, folder: Path, chromium: Callable[..., Any]) -> Any:
    """A real Chromium on the page, opened from the disk."""
    with chromium(tmp_path / "profile", 1400, 900) as page:
        page.open((folder / "index.html").as_uri())
        page.wait("document.querySelectorAll('.card').length === 3")
        yield page


def choose(browser: Any, name: str, text: str) -> None:
    """Choose an option of a filter by what it says."""
    assert browser.run(
        f"(() => {{ const s = document.getElementById('f-{name}');"
        f"const o = [...s.options].find((one) => one.textContent === {json.dumps(text)});"
        "if (!o) return false; s.value = o.value; s.dispatchEvent(new Event('change')); return true; })()"
    ), f"{name} has no {text}"


def shown(browser: Any) -> str:
    return str(browser.run("document.querySelector('#tally th').textContent"))


def title(browser: Any) -> str:
    return str(browser.run("document.getElementById('title').textContent"))


@pytest.mark.browser
def test_hostile_output_does_nothing_in_a_browser(browser: Any) -> None:
    assert title(browser) == "p0000:knowledge-free:en"
    said = browser.run("document.querySelector('.card .raw').textContent")
    assert said.startswith("<script>window.hit=1</script>") and "␛[31mred" in said
    browser.run("document.querySelector('.card .more').click()")
    assert browser.run("document.querySelector('.card .raw').textContent.length") > 1_000_000
    assert browser.run("document.querySelectorAll('main script, main svg, main a').length") == 0
    assert "mech</script><b>anics" in browser.run("document.querySelector('.bar').textContent")
    assert browser.run("window.hit === undefined && document.title === 'Three runs'")
    refused = (
        "(() => { try { document.body.innerHTML = '<b>x</b>'; return false } catch (e) { return e.name } })()"
    )
    assert browser.run(refused) == "TypeError", "the policy refuses markup made of text"
    inline = (
        "(() => { try { const s = document.createElement('script'); s.textContent = 'window.hit = 9';"
        "document.head.append(s) } catch (e) {} return window.hit === undefined })()"
    )
    assert browser.run(inline), "and scripts that are put in"
    sent = browser.run(
        "performance.getEntriesByType('resource').every((one) => /^(file|data):/.test(one.name))"
    )
    assert sent, "nothing was asked of a network"


@pytest.mark.browser
def test_filters_item_comparison_and_versions(browser: Any) -> None:
    assert shown(browser) == "90 of 90 items"
    choose(browser, "version", "vision-only")
    choose(browser, "language", "zh")
    assert shown(browser) == "9 of 90 items"
    browser.wait("document.querySelector('#title').textContent.endsWith('vision-only:zh')")
    browser.wait(
        "[...document.querySelectorAll('main img')].every((one) => one.complete && one.naturalWidth > 0)"
    )
    assert browser.run("document.querySelectorAll('main .pictures img').length") == 1
    assert browser.run("document.querySelectorAll('main img.math').length") >= 1, "formulas are drawn"
    choose(browser, "version", "all")
    choose(browser, "language", "all")
    choose(browser, "discipline", "chemistry")
    choose(browser, "level", "2 Easy")
    assert shown(browser) == "10 of 90 items"
    choose(browser, "discipline", "all")
    choose(browser, "level", "all")
    choose(browser, "mark", "suspect-key")
    assert shown(browser) == "1 of 90 items"
    choose(browser, "mark", "all")
    choose(browser, "run", "A openai/model-one (direct answer)")
    choose(browser, "outcome", "not judged")
    assert shown(browser) == "1 of 90 items"
    choose(browser, "outcome", "all")
    choose(browser, "run", "any of them")
    # two runs item by item, only where they differ
    choose(browser, "one", "A openai/model-one (direct answer)")
    choose(browser, "two", "B openai/model-two (direct answer)")
    browser.run("document.getElementById('f-differ').click()")
    left = int(shown(browser).split()[0])
    assert 0 < left < 90
    browser.wait("document.querySelectorAll('.card').length === 2")
    chips = browser.run(
        "[...document.querySelectorAll('.entry')].map((one) => one.querySelector('.chips').textContent)"
    )
    assert chips and all(two[0] != two[1] for two in chips)
    choose(browser, "two", "C openai/model-one (step by step)")
    assert browser.run("document.getElementById('f-differ').disabled"), "verdicts and steps do not compare"
    # one problem in its five versions
    choose(browser, "one", "all runs")
    browser.run("document.getElementById('f-differ').checked && document.getElementById('f-differ').click()")
    browser.key("v", "KeyV")
    browser.wait("document.querySelectorAll('.card').length === 5")
    heads = browser.run("[...document.querySelectorAll('.card h2')].map((one) => one.textContent)")
    assert heads == list(FIVE)


@pytest.mark.browser
def test_a_keyboard_is_enough_and_light_and_dark_are_there(browser: Any) -> None:
    first = title(browser)
    browser.key("j", "KeyJ")
    browser.wait(f"document.getElementById('title').textContent !== {json.dumps(first)}")
    assert title(browser) == "p0000:knowledge-lite:en"
    browser.key("n", "KeyN")
    browser.wait("document.getElementById('title').textContent === 'p0001:knowledge-free:en'")
    browser.key("p", "KeyP")
    browser.key("k", "KeyK")
    browser.key("/", "Slash")
    assert browser.run("document.activeElement.id") == "words"
    for letter in "zh":
        browser.key(letter, f"Key{letter.upper()}")
    assert shown(browser) == "45 of 90 items"
    wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert browser.run(wide), "nothing sticks out sideways"
    ground = "getComputedStyle(document.body).backgroundColor"
    light = browser.run(ground)
    browser.run("document.getElementById('theme').click()")
    assert browser.run(ground) != light


@pytest.mark.browser
def test_data_of_another_report_is_not_shown(browser: Any, folder: Path) -> None:
    """A page and data files that were mixed up say so instead of showing answers under wrong questions."""
    path = sorted((folder / "data").iterdir())[-1]
    text = path.read_text()
    path.write_text(re.sub(r'"[0-9a-f]{16}"', '"0123456789abcdef"', text, count=1))
    browser.run("document.getElementById('list').scrollTop = 1e9")
    browser.wait("[...document.querySelectorAll('.entry')].some((one) => one.textContent.includes('p0008'))")
    browser.run(
        "[...document.querySelectorAll('.entry')].find((one) => one.textContent.includes('p0008')).click()"
    )
    browser.wait("document.querySelector('main .none') !== null")
    assert "another report" in browser.run("document.querySelector('main .none').textContent")
