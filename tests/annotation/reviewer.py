"""Somebody who was invited to review: at a real browser, on a real server, with mouse and keyboard."""

from __future__ import annotations

import contextlib
import io
import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PIL import Image

from benchwright.annotation.client import ReviewServer
from benchwright.annotation.jobs import find_job
from benchwright.annotation.push import GroupPush, push_job
from benchwright.annotation.svg import formula_svg
from benchwright.cli.annotate import annotate
from benchwright.cli.main import run_command
from benchwright.schemas.jobs import JOBS, Proposal, Review
from benchwright.schemas.journal import Journal, write_jsonl
from benchwright.schemas.records import LocalizedText, Question, QuestionType
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.workspace import Workspace

EVIL = '<img src="x" onerror="window.hacked = 1"><script>window.hacked = 1</script><svg onload="window.hacked = 1">'
"""Text that a page must show and never carry out."""
QUESTION = (
    "😀 A 10-kg crate slides at $v=\\frac{\\sqrt{36}}{2}$ m/s & then\n"
    f'for 2 s. Where does it <b onclick="window.hacked = 1">stop</b>? {EVIL}'
)
"""One radical and two bars: that of the root and that of the fraction."""
ANSWER = "$\\sqrt{5}$"
SURD = formula_svg("\\sqrt{x}").split(' d="')[1].split('"')[0]
"""Outline of the root sign as the pages draw it."""
SEEN = (
    "(e => { const r = e.getBoundingClientRect();"
    " return r.width > 1 && r.height > 0.3 && getComputedStyle(e).visibility === 'visible' })"
)
FIELDS = (
    "[...document.querySelectorAll('.bw-page textarea, .bw-page input:not([type=radio], [type=checkbox])')]"
    ".filter(e => e.name)"
)
CHOICES = f"[...document.querySelectorAll('.bw-page label:has(input)')].filter({SEEN})"
CHECKED = f"{CHOICES}.filter(e => e.querySelector('input').checked)"
WAKE = 180
"""Seconds that the first page of a server may take."""
_KEYS = {"Enter": 13, "Escape": 27, "Tab": 9, " ": 32, "ArrowDown": 40, "End": 35, "Home": 36}


def ask_hostile_questions(workspace: Workspace) -> None:
    """Make all questions of the pool one free-form question in English, which tries to take over the page."""
    text = LocalizedText(question=QUESTION, answer=ANSWER, unit="m", solution=f"By $v t$. {EVIL}")
    questions = [
        question.model_copy(update={"texts": {"en": text}, "question_type": QuestionType.FREE_FORM})
        for question in read_records(workspace.pool("physics"), Question)
    ]
    write_records(workspace.pool("physics"), questions, Question)


def annotate_command(workspace: Workspace, *arguments: str) -> Any:
    """What `annotate ... --json` prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = run_command(annotate, "annotate", [*arguments, "--workspace", str(workspace.root), "--json"])
    assert code == 0, out.getvalue()
    return json.loads(out.getvalue())


def log_in(browser: Any, url: str, email: str, password: str) -> None:
    """Fill in the log-in form by keyboard and send it with Enter."""
    browser.open(f"{url}/user/login/")
    browser.wait("document.querySelector('input[name=password]') !== null", WAKE)
    for name, words in (("email", email), ("password", password)):
        browser.run(f"document.querySelector('input[name={name}]').focus()")
        browser.call("Input.insertText", text=words)
    press(browser, "Enter")
    browser.wait("!location.pathname.startsWith('/user/login')")


def press(browser: Any, key: str, modifiers: int = 0) -> None:
    """Press and release a key; `modifiers` is 2 for Ctrl."""
    if key in _KEYS:
        code = "Space" if key == " " else key
        told = {"key": key, "code": code, "windowsVirtualKeyCode": _KEYS[key], "modifiers": modifiers}
        words = {"Enter": "\r", " ": " "}.get(key, "")
    else:
        code = f"Digit{key}" if key.isdigit() else f"Key{key.upper()}"
        told = {"key": key, "code": code, "windowsVirtualKeyCode": ord(key.upper()), "modifiers": modifiers}
        words = key
    text = {"text": words} if words and not modifiers else {}
    browser.call("Input.dispatchKeyEvent", type="keyDown", **told, **text)
    browser.call("Input.dispatchKeyEvent", type="keyUp", **told)


class Reviewer:
    """An invited annotator, logged in."""

    def __init__(
        self, browser: Any, workspace: Workspace, server: ReviewServer, pseudonym: str, folder: Path
    ) -> None:
        self.browser, self.workspace, self.server = browser, workspace, server
        self.pseudonym, self.folder = pseudonym, folder
        self.project = 0

    # --- before the page ---------------------------------------------------------------------------------------
    def clear_desk(self) -> None:
        """No job was ever proposed or decided: none holds up another. What was pulled stays."""
        for job in JOBS:
            self.workspace.proposals(job).unlink(missing_ok=True)
            self.workspace.verdicts(job).unlink(missing_ok=True)

    def propose(
        self, job: str, item_id: str, digest: str, values: Mapping[str, Any], language: str | None = None
    ) -> None:
        """Write what a machine says about an item: the job's only proposals."""
        key = {"job": job, "item_id": item_id, "language": language, "digest": digest, "model": "m"}
        lines = [Proposal.model_validate({**key, "field": name, "value": v}) for name, v in values.items()]
        self.workspace.proposals(job).parent.mkdir(parents=True, exist_ok=True)
        write_jsonl(self.workspace.proposals(job), lines)

    def push(self, job: str) -> dict[str, GroupPush]:
        """Push a job; its pages with tasks, by group."""
        pages = push_job(self.server, self.workspace, find_job(job))
        assert [page.rejected for page in pages] == [()] * len(pages)
        return {page.group: page for page in pages if page.project is not None}

    # --- the page ----------------------------------------------------------------------------------------------
    def open(self, job: str, group: str | None = None) -> None:
        """Push a job, open its page at the first task, put the guidelines away."""
        pages = self.push(job)
        page = pages[group] if group is not None else next(iter(pages.values()))
        self.project = page.project or 0
        self.browser.open(f"{self.server.connection.url}/projects/{self.project}/data?labeling=1")
        self.settle()

    def walk_in(self, job: str) -> None:
        """As `open`, by the pages that a person goes through."""
        (page,) = self.push(job).values()
        self.project = page.project or 0
        title = next(p.title for p in self.server.projects() if p.id == self.project)
        self.browser.open(self.server.connection.url)
        card = f"[...document.querySelectorAll('a')].find(e => e.innerText.includes({json.dumps(title)}))"
        self.browser.wait(f"{card} !== undefined", WAKE)
        self.click(f"{card}")
        label = "[...document.querySelectorAll('button')].find(e => /^Label .*Task/.test(e.innerText.trim()))"
        self.browser.wait(f"{label} !== undefined && !{label}.disabled", WAKE)
        self.assert_unharmed()
        self.click(label)
        self.settle()

    def settle(self) -> None:
        """Wait for the page and its pictures, put the guidelines away."""
        self.browser.wait("document.querySelector('.bw-page .bw-q') !== null", WAKE)
        self.browser.wait("document.querySelector('.bw-guide') !== null")
        self.browser.wait(
            "[...document.querySelectorAll('.bw-page img')].every(e => e.complete && e.naturalWidth > 10)"
        )
        press(self.browser, "Escape")
        self.browser.wait("document.querySelector('.bw-guide') === null")
        self.browser.wait(f"{FIELDS}.every(e => e.offsetParent === null || {SEEN}(e))")
        assert self.browser.run("document.activeElement.tagName") == "BODY", "keys choose, they are not typed"

    def checked(self) -> list[str]:
        """What is seen to be ticked, without the keys beside it."""
        labels = self.browser.run(f"{CHECKED}.map(e => e.innerText)")
        return [label.split("[")[0].strip() for label in labels]

    def fields(self) -> dict[str, str]:
        """What stands in the text fields."""
        found: dict[str, str] = self.browser.run(
            f"Object.fromEntries({FIELDS}.map(e => [e.name.split(':')[0], e.value]))"
        )
        return found

    def key(self, key: str, seen: str) -> None:
        """Press a key and wait until the choice that begins so is ticked."""
        press(self.browser, key)
        self.wait_checked(seen)

    def tick(self, words: str, nth: int = 0) -> None:
        """Click on the choice that begins so, the n-th of those that do."""
        self.click(f"{CHOICES}.filter(e => e.innerText.trim().startsWith({json.dumps(words)}))[{nth}]")

    def wait_checked(self, words: str, ticked: bool = True) -> None:
        """Wait until a choice that begins so is ticked, or is not."""
        some = f"{CHECKED}.some(e => e.innerText.trim().startsWith({json.dumps(words)}))"
        self.browser.wait(some if ticked else f"!{some}", 15)

    def type(self, field: str, text: str, *, whole: bool = True) -> None:
        """Click into a field and type: in place of what stands there, or behind it."""
        element = f"{FIELDS}.find(e => e.name.split(':')[0] === {json.dumps(field)})"
        self.browser.wait(f"{SEEN}({element})", 15)
        self.click(element, top=True)
        self.browser.wait(f"document.activeElement === {element}", 15)
        press(self.browser, "a" if whole else "End", modifiers=2)
        self.browser.call("Input.insertText", text=text)

    def click(self, element: str, *, top: bool = False) -> None:
        """Bring an element into view and click on its middle, or near its upper edge."""
        box = self.browser.run(
            f"(() => {{ const e = {element}; e.scrollIntoView({{block: 'center'}});"
            f" const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + {'12' if top else 'r.height / 2'}]"
            " })()"
        )
        self.mouse(*box)

    def mouse(self, x: float, y: float) -> None:
        """Press and release the mouse."""
        self.browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Press at one place, move in steps, let go at another."""

        def event(kind: str, x: float, y: float, buttons: int) -> None:
            button = "left" if buttons or kind != "mouseMoved" else "none"
            told = {"type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1}
            self.browser.call("Input.dispatchMouseEvent", **told)

        event("mouseMoved", *start, 0)
        event("mousePressed", *start, 1)
        for step in range(1, 9):
            x, y = (a + (b - a) * step / 8 for a, b in zip(start, end, strict=True))
            event("mouseMoved", x, y, 1)
            time.sleep(0.02)
        event("mouseReleased", *end, 0)

    # --- what is seen ------------------------------------------------------------------------------------------
    def assert_drawn(self, radicals: int, bars: int) -> None:
        """So many root signs and bars (of roots and fractions) are drawn; the first of each leaves ink on screen."""
        shapes = {
            "path": f"[...document.querySelectorAll('.bw-page svg.bw-math path')].filter({SEEN})"
            f".filter(e => e.getAttribute('d') === {json.dumps(SURD)})",
            "rect": f"[...document.querySelectorAll('.bw-page svg.bw-math rect')].filter({SEEN})",
        }
        counted = {name: self.browser.run(f"{found}.length") for name, found in shapes.items()}
        assert counted == {"path": radicals, "rect": bars}, counted
        for name, found in shapes.items():
            if counted[name]:
                box = self.browser.run(
                    f"(() => {{ const e = {found}[0]; e.scrollIntoView({{block: 'center'}});"
                    " const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom] })()"
                )
                inked = Image.open(io.BytesIO(self.browser.screenshot())).convert("L").crop(_around(box))
                assert inked.getextrema()[0] < 180, f"{name} at {box} leaves no ink"
        self.browser.run("document.querySelector('.bw-page').scrollIntoView()")

    def assert_unharmed(self) -> None:
        """Nothing of a hostile text became part of the page."""
        assert self.browser.run("window.hacked === undefined")
        for made in ("script", "[onerror]", "[onclick]", "[onload]"):
            assert self.browser.run(f"document.querySelectorAll('.bw-page {made}').length") == 0, made

    def assert_hostile_text_is_read(self, times: int, text: str = EVIL) -> None:
        """The hostile text stands there, letter by letter, so many times."""
        shown = self.browser.run(
            "[...document.querySelectorAll('.bw-page .bw-q')].map(e => e.textContent).join(' ')"
        )
        assert shown.count(text) == times, shown
        self.assert_unharmed()

    def contrast(self, element: str) -> float:
        """Of an element's letters against what they stand on, by WCAG 2.2; 21 is black on white."""
        colours = self.browser.run(
            f"(() => {{ let e = {element}; const ink = getComputedStyle(e).color, clear = /, 0\\)$/;"
            " while (clear.test(getComputedStyle(e).backgroundColor)) e = e.parentElement;"
            " return [ink, getComputedStyle(e).backgroundColor] })()"
        )
        light, dark = sorted((_luminance(colour) for colour in colours), reverse=True)
        return (light + 0.05) / (dark + 0.05)

    def look(self, name: str) -> None:
        """Keep a picture of the page, for people to look at. Nothing may be reached by scrolling sideways alone."""
        widths = self.browser.run(
            "[...document.querySelectorAll('.lsf-main-content, .bw-page, .bw-side, .lsf-outliner')]"
            ".map(e => [e.className, e.scrollWidth - e.clientWidth])"
        )
        assert all(over <= 1 for _, over in widths), widths
        styles = "[...document.querySelectorAll('style')].filter(e => e.textContent.includes('&gt;')).length"
        assert self.browser.run(styles) == 0, "a rule that no browser understands"
        self.folder.mkdir(exist_ok=True)
        (self.folder / f"{name}.png").write_bytes(self.browser.screenshot())

    # --- after the page ----------------------------------------------------------------------------------------
    def submit(self, job: str, answers: int = 1, *, by_key: bool = False) -> dict[str, Review]:
        """Submit, wait until the server has so many answers, `annotate pull`; the newest reviews by field."""
        self.assert_unharmed()
        buttons = self.browser.run("[...document.querySelectorAll('button')].map(b => b.innerText.trim())")
        assert "Submit" in buttons and "Skip" not in buttons
        known = len(self._reviews(job))
        if by_key:
            press(self.browser, "Enter", modifiers=2)
        else:
            self.click("[...document.querySelectorAll('button')].find(b => b.innerText.trim() === 'Submit')")
        end = time.monotonic() + 120
        while sum(len(row["annotations"]) for row in self.server.annotated(self.project)) < answers:
            assert time.monotonic() < end, self.browser.run("document.body.innerText")
            time.sleep(0.3)
        annotate_command(self.workspace, "pull", job)
        found = self._reviews(job)[known:]
        assert {(r.pseudonym, r.state) for r in found} == {(self.pseudonym, "submitted")}
        assert all(r.lead_time is not None and r.lead_time > 0 for r in found)
        made = {r.field: r for r in found}
        assert len(made) == len(found), "each field has one answer"
        return made

    def _reviews(self, job: str) -> list[Review]:
        path = self.workspace.reviews(job)
        return Journal(path).read(Review) if path.is_file() else []


def values(reviews: Mapping[str, Review]) -> dict[str, tuple[Any, str]]:
    """Value and origin of each field."""
    return {name: (review.value, review.origin) for name, review in reviews.items()}


def _around(box: tuple[float, float, float, float]) -> tuple[int, int, int, int]:
    left, top, right, bottom = box
    return int(left), int(top), int(right) + 1, int(bottom) + 1


def _luminance(colour: str) -> float:
    """Of a colour as a browser writes it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
