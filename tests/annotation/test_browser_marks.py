"""Decomposition and placement as a reviewer meets them: spans and boxes, with the pointer, on a real server."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from benchwright.annotation.client import ReviewServer
from benchwright.annotation.connection import find_connection
from benchwright.annotation.jobs import find_job
from benchwright.annotation.private import read_private
from benchwright.annotation.pull import pull_job
from benchwright.annotation.push import GroupPush, push_job
from benchwright.annotation.server import Credentials, ManagedServer, credentials_path
from benchwright.render.placement_marks import PlacedMark, Placements, placement_view
from benchwright.schemas.jobs import Proposal, Review, shown_digest, text_view
from benchwright.schemas.journal import Journal, write_jsonl
from benchwright.schemas.records import Anchor, Arrow, Decomposition, LocalizedText, Question
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.workspace import Workspace

pytestmark = [pytest.mark.labelstudio, pytest.mark.browser]

STEM = "😀 A 10-kg crate slides at $v=\\frac{6}{2}$ m/s & then\nfor 2 s <b onclick=alert(1)>. Where does it stop?"
SPANS = "[...document.querySelectorAll('.htx-highlight')].map(e => [e.innerText, e.dataset.label])"


def split() -> Decomposition:
    def condition(name: str, words: str, show: str, *labels: str) -> dict[str, Any]:
        start = STEM.index(words)
        marks = [{"label": label} for label in labels]
        return {"id": name, "start": start, "end": start + len(words), "show": show, "marks": marks}

    return Decomposition.model_validate(
        {
            "stem": STEM,
            "conditions": [
                condition("c1", "10-kg", "already-there"),
                condition("c2", "at $v=\\frac{6}{2}$ m/s", "on-diagram", "$v$"),
            ],
            "core_question": "Where does a crate stop?",
            "knowledge_cue": {"terms": ["friction"], "sentence": "It is about friction."},
            "knowledge_detail": [{"term": "friction", "text": "It opposes sliding."}],
        }
    )


def with_proposals(workspace: Workspace) -> Placements:
    """The first question waits for its decomposition, the second came decomposed and waits for places."""
    workspace.proposals("tagging").unlink()
    pool = read_records(workspace.pool("physics"), Question)
    made, text = split(), LocalizedText(question=STEM, answer="7", unit="m")
    pool[0] = pool[0].model_copy(update={"texts": {"en": text}})
    placed = text.model_copy(update={"decomposition": made})
    pool[1] = pool[1].model_copy(update={"texts": {"en": placed}})
    write_records(workspace.pool("physics"), pool, Question)
    (image,) = pool[1].images
    places = Placements(
        marks=(
            PlacedMark(
                condition="c2",
                mark=0,
                label="$v$",
                anchor=Anchor(image=image.sha256, kind="box", x=0.3, y=0.3, w=0.2, h=0.2),
                arrow=Arrow(x0=0.6, y0=0.2, x1=0.8, y1=0.2),
                place="free",
                confidence=0.4,
            ),
        )
    )
    said = {"model": "m", "item_id": pool[0].id, "value": made.model_dump(mode="json", exclude_none=True)}
    view = {"digest": shown_digest(text_view(text, pool[0].images)), "language": "en"}
    proposal = Proposal.model_validate({"job": "decomposition", "field": "decomposition", **said, **view})
    write_jsonl(workspace.proposals("decomposition"), [proposal])
    propose_places(workspace, places.model_copy(update={"labels_read": False}))
    return places


def propose_places(workspace: Workspace, places: Placements) -> None:
    """Propose the places; those of a drawing that was not read have another label."""
    question = read_records(workspace.pool("physics"), Question)[1]
    digest = shown_digest(placement_view(question.texts["en"], question.images, "en"))
    marks = [
        mark.model_copy(update={"label": mark.label if places.labels_read else "w"}) for mark in places.marks
    ]
    value = places.model_copy(update={"marks": tuple(marks)}).model_dump(mode="json", exclude_none=True)
    said = {"model": "m", "item_id": question.id, "value": value, "digest": digest}
    write_jsonl(
        workspace.proposals("placement"),
        [Proposal.model_validate({"job": "placement", "field": "marks", **said})],
    )


def log_in(browser: Any, url: str, account: Credentials) -> None:
    browser.open(f"{url}/user/login/")
    browser.wait("document.querySelector('input[name=password]') !== null")
    fill = (
        "(() => {{ document.querySelector('input[name=email]').value = {0};"
        " document.querySelector('input[name=password]').value = {1};"
        " document.querySelector('form').submit(); return true }})()"
    )
    browser.run(fill.format(json.dumps(account.username), json.dumps(account.password)))
    browser.wait("!location.pathname.startsWith('/user/login')")


def drag(browser: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Press at one place, move in steps, let go at another."""

    def mouse(kind: str, x: float, y: float, buttons: int) -> None:
        button = "left" if buttons or kind != "mouseMoved" else "none"
        browser.call(
            "Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=buttons, clickCount=1
        )

    mouse("mouseMoved", *start, 0)
    mouse("mousePressed", *start, 1)
    for step in range(1, 9):
        x, y = (a + (b - a) * step / 8 for a, b in zip(start, end, strict=True))
        mouse("mouseMoved", x, y, 1)
        time.sleep(0.02)
    mouse("mouseReleased", *end, 0)


def words_at(browser: Any, words: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where words of the stem begin and end on the screen."""
    box = browser.run(
        f"(() => {{ const words = {json.dumps(words)}, stem = document.querySelector('.bw-stem');"
        " const walk = document.createTreeWalker(stem, NodeFilter.SHOW_TEXT);"
        " for (let n = walk.nextNode(); n; n = walk.nextNode()) {"
        " const at = n.data.indexOf(words); if (at < 0) continue;"
        " const r = document.createRange(); r.setStart(n, at); r.setEnd(n, at + words.length);"
        " const b = r.getBoundingClientRect(); return [b.left, b.right, b.top + b.height / 2] } return null })()"
    )
    return (box[0] + 0.5, box[2]), (box[1] - 0.5, box[2])


def submit(browser: Any, server: ReviewServer, project: int) -> None:
    """Press the button and wait until the server has the annotation."""
    browser.run("[...document.querySelectorAll('button')].find(b => b.innerText.trim() === 'Submit').click()")
    end = time.monotonic() + 30
    while not list(server.annotated(project)):
        assert time.monotonic() < end, "the submission did not arrive"
        time.sleep(0.3)


def rewrite(browser: Any, field: str, text: str) -> None:
    """Replace what stands in a text field, by keyboard."""
    browser.run(
        "(() => { const fields = [...document.querySelectorAll('textarea,input')];"
        f" const f = fields.find(f => f.name.startsWith('{field}:'));"
        " f.focus(); f.select(); return true })()"
    )
    browser.call("Input.insertText", text=text)
    browser.run("document.activeElement.blur()")


def _open(browser: Any, url: str, page: GroupPush, ready: str) -> None:
    browser.open(f"{url}/projects/{page.project}/data?labeling=1")
    browser.wait(ready, 180)
    guidelines = "document.body.innerText.includes('Labeling Instructions')"
    browser.wait(guidelines)
    browser.key("Escape", "Escape")
    browser.wait(f"!{guidelines}")


def _decompose(browser: Any, server: ReviewServer, url: str, page: GroupPush) -> None:
    _open(browser, url, page, "document.querySelectorAll('.htx-highlight').length >= 2")
    assert [words for words, _ in browser.run(SPANS)] == ["10-kg", "at $v=\\frac{6}{2}$ m/s"]
    assert "<b onclick=alert(1)>" in browser.run("document.querySelector('.bw-stem').innerText")
    bars = "[...document.querySelectorAll('.bw-q svg rect')].filter(e => e.getBoundingClientRect().width > 1)"
    assert browser.run(f"{bars}.length") >= 2, "the fraction is drawn in question and proposal"
    assert browser.run("document.activeElement.tagName") == "BODY", (
        "a key reaches the labels, not a text field"
    )

    browser.run("document.querySelector('.htx-highlight').click()")  # the first span
    browser.key("4", "Digit4")
    browser.wait(f"{SPANS}[0][1].includes('stays in the text')")
    browser.key("Escape", "Escape")  # no span is selected any more
    browser.wait("document.querySelectorAll('.lsf-label_selected').length === 0")
    browser.key("4", "Digit4")
    browser.wait("document.querySelectorAll('.lsf-label_selected').length === 1")
    drag(browser, *words_at(browser, "for 2 s"))
    browser.wait(f"{SPANS}.length === 3")
    assert browser.run(SPANS)[2][0] == "for 2 s"
    rewrite(browser, "core_question", "A crate slides. Where does it stop? ✓ 𝑣")
    submit(browser, server, page.project or 0)


def _place(browser: Any, server: ReviewServer, url: str, page: GroupPush) -> tuple[float, float]:
    """Moves the box; returns by which fraction of the picture's width and height."""
    _open(browser, url, page, "document.querySelector('.bw-target canvas') !== null")
    browser.wait(
        "[...document.querySelectorAll('.bw-burnt img')].every(e => e.complete && e.naturalWidth > 100)"
    )
    browser.wait(
        "document.querySelectorAll('.bw-mark .ant-radio-checked, .bw-mark input:checked').length > 0"
    )
    time.sleep(1)
    left, top, width, height = browser.run(
        "(() => { const r = document.querySelector('.bw-target img').getBoundingClientRect();"
        " return [r.left, r.top, r.width, r.height] })()"
    )
    assert len(Image.open(io.BytesIO(browser.screenshot())).getcolors(1 << 24) or []) > 50
    centre = (left + 0.4 * width, top + 0.4 * height)
    drag(browser, centre, (centre[0] + 60, centre[1] + 30))
    time.sleep(0.5)
    rewrite(browser, "label_0", "v = 3")
    submit(browser, server, page.project or 0)
    return 60 / width, 30 / height


def test_spans_and_boxes_are_seen_changed_submitted_and_pulled(
    tmp_path: Path, make_workspace: Any, browser: Any
) -> None:
    workspace = make_workspace(tmp_path / "ws", 2, name="marks-test")
    places = with_proposals(workspace)
    jobs = [find_job(name) for name in ("decomposition", "placement")]
    with ManagedServer(workspace, print) as managed, ReviewServer(find_connection(workspace)) as server:
        pages = [push_job(server, workspace, job)[0] for job in jobs]
        assert [(page.tasks, page.proposals) for page in pages] == [(1, 1), (1, 1)]
        propose_places(workspace, places)
        (again,) = push_job(server, workspace, jobs[1])
        assert (again.new, again.proposals_changed) == (0, 1), "cards of a Repeater are replaced too"
        account = read_private(credentials_path(workspace), Credentials)
        assert account is not None
        log_in(browser, managed.url, account)
        _decompose(browser, server, managed.url, pages[0])
        moved = _place(browser, server, managed.url, pages[1])
        for job in jobs:
            pull_job(server, workspace, job)

    (review,) = Journal(workspace.reviews("decomposition")).read(Review)
    said = Decomposition.model_validate(review.value)
    assert (review.field, review.origin) == ("decomposition", "prediction-changed")
    assert [
        (c.id, STEM[c.start : c.end], c.show.value, [m.label for m in c.marks]) for c in said.conditions
    ] == [
        ("c1", "10-kg", "text", []),
        ("c2", "at $v=\\frac{6}{2}$ m/s", "on-diagram", ["$v$"]),
        ("n2", "for 2 s", "text", []),
    ]
    assert said.core_question == "A crate slides. Where does it stop? ✓ 𝑣"
    assert said == split().model_copy(
        update={"conditions": said.conditions, "core_question": said.core_question}
    )

    (review,) = Journal(workspace.reviews("placement")).read(Review)
    (mark,) = Placements.model_validate(review.value).marks
    before = places.marks[0]
    assert (review.field, review.origin) == ("marks", "prediction-changed")
    assert (mark.label, mark.place) == ("v = 3", "anchor")
    assert mark.anchor is not None and before.anchor is not None
    assert mark.anchor.x - before.anchor.x == pytest.approx(moved[0], abs=0.01)
    assert mark.anchor.y - before.anchor.y == pytest.approx(moved[1], abs=0.01)
    assert (mark.anchor.w, mark.anchor.h) == pytest.approx((0.2, 0.2), abs=1e-4)
    assert mark.arrow is not None
    assert (mark.arrow.x0, mark.arrow.x1) == pytest.approx((0.6, 0.8), abs=1e-4)
