"""Quality, translation and multiple choice as a reviewer meets them: in a real browser, on a real server."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from benchwright.annotation.client import ReviewServer
from benchwright.annotation.connection import find_connection
from benchwright.annotation.jobs import find_job
from benchwright.annotation.private import read_private
from benchwright.annotation.pull import pull_job
from benchwright.annotation.push import push_job
from benchwright.annotation.server import Credentials, ManagedServer, credentials_path
from benchwright.schemas.jobs import Proposal, Review, quality_view, shown_digest, text_view, translation_view
from benchwright.schemas.journal import Journal, write_jsonl
from benchwright.schemas.records import LocalizedText, Question, QuestionType
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.workspace import Workspace

pytestmark = [pytest.mark.labelstudio, pytest.mark.browser]

EVIL = '<img src="x" onerror="window.hacked = 1"><script>window.hacked = 1</script>'
CHECKED = "[...document.querySelectorAll('input:checked')].map(e => e.closest('label').innerText)"
FIELDS = (
    "Object.fromEntries([...document.querySelectorAll('textarea, .bw-field input')].filter(e => e.name)"
    ".map(e => [e.name.split(':')[0], e.value]))"
)
VISIBLE = "[...document.querySelectorAll('.bw-asked, .bw-field')].filter(e => e.offsetParent !== null).length"


def proposals(
    job: str, question: Question, language: str, view: Any, values: Mapping[str, Any]
) -> list[Proposal]:
    return [
        Proposal(
            job=job,
            item_id=question.id,
            language=language,
            field=name,
            digest=shown_digest(view),
            value=value,
            model="m",
        )
        for name, value in values.items()
    ]


QUALITY = {
    "text_faults": ["ambiguous"],
    "image_faults": [],
    "knowledge_complexity": 2,
    "visual_richness": 3,
    "decision": "fix",
    "reason": "ambiguous: two readings",
    "answer_check": {"n": 3, "agree": 0, "disagree": 3, "modal": EVIL, "modal_count": 3, "tags": []},
}
TRANSLATION = {
    "question": f"求 $\\sqrt{{20}}$ 与 $\\frac{{1}}{{2}}$ 之积。{EVIL}",
    "answer": "$\\sqrt{5}$",
    "solution": "第一步\n第二步",
    "image_language": "flag",
    "findings": [f"number: {EVIL}"],
}
CHOICE = {
    "question": "Which is the product?",
    "choices": ["$\\sqrt{5}$ m", "$5$ m", "$10$ m", f"{EVIL} $2$"],
    "answer": "A",
    "misconceptions": ["", "the root was forgotten", EVIL, "x"],
}


def prepare(workspace: Workspace) -> None:
    """Two free-form questions in English, with proposals of all three jobs."""
    workspace.proposals("tagging").unlink()  # not in use
    text = LocalizedText(
        question=f"Find $\\sqrt{{20}}\\cdot\\frac{{1}}{{2}}$. {EVIL}",
        answer="$\\sqrt{5}$",
        unit="m",
        solution=EVIL,
    )
    questions = [
        q.model_copy(update={"texts": {"en": text}, "question_type": QuestionType.FREE_FORM})
        for q in read_records(workspace.pool("physics"), Question)
    ]
    write_records(workspace.pool("physics"), questions, Question)
    said: dict[str, list[Proposal]] = {"quality": [], "translation": [], "multiple-choice": []}
    for q in questions:
        said["quality"] += proposals("quality", q, "en", quality_view(q.text, q.images), QUALITY)
        view = translation_view(q.text, q.images, "zh")
        said["translation"] += proposals("translation", q, "zh", view, TRANSLATION)
        said["multiple-choice"] += proposals("multiple-choice", q, "en", text_view(q.text, q.images), CHOICE)
    for job, lines in said.items():
        write_jsonl(workspace.proposals(job), lines)


class Reviewer:
    """Somebody at the browser."""

    def __init__(self, browser: Any, workspace: Workspace, server: ReviewServer, folder: Path) -> None:
        self.browser, self.workspace, self.server, self.folder = browser, workspace, server, folder
        self.url = server.connection.url
        account = read_private(credentials_path(workspace), Credentials)
        assert account is not None
        browser.open(f"{self.url}/user/login/")
        browser.wait("document.querySelector('input[name=password]') !== null")
        browser.run(
            f"(() => {{ document.querySelector('input[name=email]').value = {json.dumps(account.username)};"
            f" document.querySelector('input[name=password]').value = {json.dumps(account.password)};"
            " document.querySelector('form').submit(); return true })()"
        )
        browser.wait("!location.pathname.startsWith('/user/login')")

    def open(self, job: str) -> int:
        """Push a job and open its first task; returns the project."""
        (page,) = [p for p in push_job(self.server, self.workspace, find_job(job)) if p.tasks]
        assert page.project is not None
        assert page.rejected == ()
        self.browser.open(f"{self.url}/projects/{page.project}/data?labeling=1")
        self.settle()
        return page.project

    def settle(self) -> None:
        """Wait for the page and put the guidelines away."""
        self.browser.wait("document.querySelector('.bw-q svg') !== null", 180)
        self.browser.wait("document.querySelector('.bw-guide') !== null")
        loaded = "[...document.querySelectorAll('.bw-q img')].map(e => e.naturalWidth)"
        self.browser.wait(f"JSON.stringify({loaded}) === '[320]'")
        self.browser.key("Escape", "Escape")
        self.browser.wait("document.querySelector('.bw-guide') === null")
        assert self.browser.run("document.activeElement.tagName") == "BODY", "keys choose, they are not typed"

    def type(self, field: str, text: str, *, whole: bool = True) -> None:
        """Click into a field and type: in place of what stands there, or behind it."""
        box = self.browser.run(
            f"(() => {{ const e = [...document.querySelectorAll('textarea, .bw-field input')].find("
            f"e => e.name.split(':')[0] === {json.dumps(field)}); e.scrollIntoView({{block: 'center'}});"
            " const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + 12] })()"
        )
        self.click(*box)
        move = "select()" if whole else "setSelectionRange(1e6, 1e6)"
        self.browser.run(f"document.activeElement.{move}")
        self.browser.call("Input.insertText", text=text)

    def click(self, x: float, y: float) -> None:
        """Press and release the mouse."""
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def submit(self, project: int, job: str, answers: int) -> list[Review]:
        """Submit, wait until the server has so many answers, pull."""
        self.press_submit()
        end = time.monotonic() + 120
        while sum(len(row["annotations"]) for row in self.server.annotated(project)) < answers:
            assert time.monotonic() < end, self.browser.run("document.body.innerText")
            time.sleep(0.3)
        pull_job(self.server, self.workspace, find_job(job))
        return Journal(self.workspace.reviews(job)).read(Review)

    def press_submit(self) -> None:
        """Press the button."""
        button = self.browser.run(
            "(() => { const r = [...document.querySelectorAll('button')].find(b => b.innerText.trim() === 'Submit')"
            ".getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()"
        )
        self.click(*button)

    def look(self, name: str) -> None:
        """Keep a picture of the page, for people to look at."""
        (self.folder / f"{name}.png").write_bytes(self.browser.screenshot())


@pytest.fixture
def reviewer(tmp_path: Path, make_workspace, browser: Any) -> Any:
    workspace = make_workspace(tmp_path / "ws", 2, name="browser-texts")
    prepare(workspace)
    with ManagedServer(workspace, print), ReviewServer(find_connection(workspace)) as server:
        yield Reviewer(browser, workspace, server, tmp_path)


def test_three_pages_are_read_changed_submitted_and_pulled(reviewer: Reviewer) -> None:
    browser = reviewer.browser

    project = reviewer.open("quality")
    reviewer.look("quality")
    assert [label.split("[")[0] for label in browser.run(CHECKED)] == [
        "Ambiguous · 有歧义",
        "2 · one law or rule of the school course, in its standard use.",
        "3 · one or two values, names or positions stand in it alone.",
        "Fix · 需修改",
    ]
    assert browser.run(FIELDS)["reason"] == "ambiguous: two readings"
    assert browser.run("document.querySelectorAll('.bw-q svg path').length") >= 3
    for key, code, seen in (("t", "KeyT", "Incomplete"), ("4", "Digit4", "4 ·"), ("c", "KeyC", "Reject")):
        browser.key(key, code)
        browser.wait(f"{CHECKED}.some(label => label.startsWith({json.dumps(seen)}))", 10)
    reviewer.type("reason", "The angle is missing.")
    first = {r.field: r for r in reviewer.submit(project, "quality", 1)}
    assert {name: r.value for name, r in first.items()} == {
        "text_faults": ["ambiguous", "incomplete"],
        "image_faults": [],
        "knowledge_complexity": 4,
        "visual_richness": 3,
        "decision": "reject",
        "reason": "The angle is missing.",
    }
    origins = {name: r.origin for name, r in first.items()}
    assert (origins["visual_richness"], origins["image_faults"]) == ("prediction", "prediction")
    assert (origins["decision"], origins["reason"]) == ("prediction-changed", "prediction-changed")
    assert {r.guidelines for r in first.values()} == {
        find_job("quality").groups(reviewer.workspace)[0].guidelines.sha256
    }

    browser.wait("document.querySelectorAll('input:checked').length === 4")  # the second task
    browser.key("z", "KeyZ")
    browser.wait(f"{CHECKED}.some(label => label.startsWith('Accept'))", 10)
    assert browser.run(VISIBLE) == 5, "no reason is asked for"
    browser.key("n", "KeyN")
    browser.wait(f"{VISIBLE} === 0", 10)
    reviewer.look("undecided")
    second = [r for r in reviewer.submit(project, "quality", 2) if r.item_id == "q0001"]
    assert {(r.value, r.undecided) for r in second} == {(None, "cannot-decide")}

    # Both questions are held up by their quality; for the next pages quality was never asked.
    reviewer.workspace.proposals("quality").unlink()
    reviewer.workspace.verdicts("quality").unlink()
    translate(reviewer)
    convert(reviewer)
    assert browser.run("window.hacked === undefined")


def translate(reviewer: Reviewer) -> None:
    browser, project = reviewer.browser, reviewer.open("translation")
    reviewer.look("translation")
    fields = browser.run(FIELDS)
    assert {name: fields[name] for name in ("question", "answer", "solution")} == {
        name: TRANSLATION[name] for name in ("question", "answer", "solution")
    }
    assert browser.run("document.querySelectorAll('.bw-two .bw-q').length") == 2
    assert browser.run(
        "[...document.querySelectorAll('.bw-two > div')].every(e => e.querySelector('svg rect'))"
    )
    reviewer.type("question", "　好。", whole=False)
    reviewer.type("unit", "米")
    reviewer.type("solution", "一步。")
    browser.run("document.activeElement.blur()")
    browser.key("z", "KeyZ")
    browser.wait(f"{CHECKED}.some(label => label.startsWith('Keep'))", 10)
    answers = {r.field: (r.value, r.origin) for r in reviewer.submit(project, "translation", 1)}
    assert answers == {
        "question": (f"{TRANSLATION['question']}　好。", "prediction-changed"),
        "answer": (TRANSLATION["answer"], "prediction"),
        "unit": ("米", "manual"),
        "solution": ("一步。", "prediction-changed"),
        "image_language": ("keep", "prediction-changed"),
    }
    assert browser.run("window.hacked === undefined")


def convert(reviewer: Reviewer) -> None:
    reviewer.workspace.proposals("translation").unlink()
    reviewer.workspace.verdicts("translation").unlink()
    browser, project = reviewer.browser, reviewer.open("multiple-choice")
    reviewer.look("multiple-choice")
    options = "\n".join(f"{label}. {text}" for label, text in zip("ABCD", CHOICE["choices"], strict=True))
    assert browser.run(FIELDS)["choices"] == options
    assert browser.run("document.querySelectorAll('.bw-right').length") == 1
    browser.key("b", "KeyB")
    browser.wait(f"{CHECKED}.some(label => label.startsWith('B'))", 10)
    reviewer.type("choices", "A. 1\nB. $\\sqrt{5}$\nC. 3")
    answers = {r.field: r.value for r in reviewer.submit(project, "multiple-choice", 1)}
    assert answers == {
        "question": CHOICE["question"],
        "choices": ["1", "$\\sqrt{5}$", "3"],
        "answer": "B",
    }
