"""Decomposition and placement as an invited annotator meets them: spans and boxes, on a real server."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchwright.render.placement_marks import PlacedMark, Placements, placement_view
from benchwright.schemas.jobs import shown_digest, text_view
from benchwright.schemas.records import Anchor, Arrow, Decomposition, ImageRef, Question
from benchwright.schemas.tables import read_records, write_records

from .reviewer import QUESTION, press

pytestmark = [pytest.mark.labelstudio, pytest.mark.browser]

SPEED = "at $v=\\frac{\\sqrt{36}}{2}$ m/s"
SPANS = "[...document.querySelectorAll('.htx-highlight')].map(e => [e.innerText, e.dataset.label])"


def split() -> Decomposition:
    def condition(name: str, words: str, show: str, *labels: str) -> dict[str, Any]:
        start = QUESTION.index(words)
        marks = [{"label": label} for label in labels]
        return {"id": name, "start": start, "end": start + len(words), "show": show, "marks": marks}

    return Decomposition.model_validate(
        {
            "stem": QUESTION,
            "conditions": [
                condition("c1", "10-kg", "already-there"),
                condition("c2", SPEED, "on-diagram", "$v$"),
            ],
            "core_question": "Where does a crate stop?",
            "knowledge_cue": {"terms": ["friction"], "sentence": "It is about friction."},
            "knowledge_detail": [{"term": "friction", "text": "It opposes sliding."}],
        }
    )


def places(image: ImageRef, label: str) -> Placements:
    mark = PlacedMark(
        condition="c2",
        mark=0,
        label=label,
        anchor=Anchor(image=image.sha256, kind="box", x=0.3, y=0.3, w=0.2, h=0.2),
        arrow=Arrow(x0=0.6, y0=0.2, x1=0.8, y1=0.2),
        place="free",
        confidence=0.4,
    )
    return Placements(marks=(mark,))


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


def test_decomposition(reviewer: Any) -> None:
    browser = reviewer.browser
    question = read_records(reviewer.workspace.pool("physics"), Question)[0]
    digest = shown_digest(text_view(question.text, question.images))
    value = split().model_dump(mode="json", exclude_none=True)
    reviewer.propose("decomposition", question.id, digest, {"decomposition": value}, "en")
    reviewer.open("decomposition")
    browser.wait("document.querySelectorAll('.htx-highlight').length >= 2")
    reviewer.look("decomposition")
    assert [words for words, _ in browser.run(SPANS)] == ["10-kg", SPEED]
    assert reviewer.fields()["core_question"] == "Where does a crate stop?"
    assert QUESTION.splitlines()[1] in browser.run("document.querySelector('.bw-stem').innerText")
    reviewer.assert_drawn(radicals=4, bars=7)
    reviewer.assert_hostile_text_is_read(2)

    reviewer.click("document.querySelector('.htx-highlight')")  # the first span
    press(browser, "4")
    browser.wait(f"{SPANS}[0][1].includes('stays in the text')")
    press(browser, "Escape")  # no span is selected any more
    browser.wait("document.querySelectorAll('.lsf-label_selected').length === 0")
    press(browser, "4")
    browser.wait("document.querySelectorAll('.lsf-label_selected').length === 1")
    reviewer.drag(*words_at(browser, "for 2 s"))
    browser.wait(f"{SPANS}.length === 3")
    assert browser.run(SPANS)[2][0] == "for 2 s"
    reviewer.type("core_question", "A crate slides. Where does it stop? ✓ 𝑣")
    (review,) = reviewer.submit("decomposition").values()
    said = Decomposition.model_validate(review.value)
    assert review.origin == "prediction-changed"
    assert [
        (c.id, QUESTION[c.start : c.end], c.show.value, [m.label for m in c.marks]) for c in said.conditions
    ] == [("c1", "10-kg", "text", []), ("c2", SPEED, "on-diagram", ["$v$"]), ("n2", "for 2 s", "text", [])]
    assert said.core_question == "A crate slides. Where does it stop? ✓ 𝑣"
    untouched = split().model_copy(
        update={"conditions": said.conditions, "core_question": said.core_question}
    )
    assert said == untouched


def test_placement(reviewer: Any) -> None:
    browser, workspace = reviewer.browser, reviewer.workspace
    pool = read_records(workspace.pool("physics"), Question)
    placed = pool[1].text.model_copy(update={"decomposition": split()})
    pool[1] = pool[1].model_copy(update={"texts": {"en": placed}})
    write_records(workspace.pool("physics"), pool, Question)
    (image,) = pool[1].images
    digest = shown_digest(placement_view(placed, pool[1].images, "en"))
    for label, new in (("w", 1), ("$v$", 0)):
        proposed = places(image, label)
        value = proposed.model_dump(mode="json", exclude_none=True)
        reviewer.propose("placement", pool[1].id, digest, {"marks": value})
        page = reviewer.push("placement")["physics"]
        assert (page.new, page.proposals, page.proposals_changed) == (new, 1, 1 - new), (
            "cards are replaced too"
        )
    reviewer.open("placement")
    browser.wait("document.querySelector('.bw-target canvas') !== null")
    browser.wait("document.querySelectorAll('.bw-mark input:checked').length === 1")
    left, top, width, height = browser.run(
        "(() => { const r = document.querySelector('.bw-target img').getBoundingClientRect();"
        " return [r.left, r.top, r.width, r.height] })()"
    )
    reviewer.look("placement")
    assert reviewer.checked() == ["draw it · 画上去"]
    assert reviewer.fields()["label_0"] == "$v$"
    reviewer.assert_drawn(radicals=2, bars=4)
    reviewer.assert_hostile_text_is_read(1)
    centre = (left + 0.4 * width, top + 0.4 * height)
    reviewer.drag(centre, (centre[0] + 60, centre[1] + 30))
    reviewer.type("label_0", "v = 3")
    (review,) = reviewer.submit("placement").values()
    (mark,) = Placements.model_validate(review.value).marks
    (before,) = proposed.marks
    assert (review.field, review.origin) == ("marks", "prediction-changed")
    assert (mark.label, mark.place) == ("v = 3", "anchor")
    assert mark.anchor is not None and before.anchor is not None
    assert mark.anchor.x - before.anchor.x == pytest.approx(60 / width, abs=0.01)
    assert mark.anchor.y - before.anchor.y == pytest.approx(30 / height, abs=0.01)
    assert (mark.anchor.w, mark.anchor.h) == pytest.approx((0.2, 0.2), abs=1e-4)
    assert mark.arrow is not None
    assert (mark.arrow.x0, mark.arrow.x1) == pytest.approx((0.6, 0.8), abs=1e-4)
