"""Quality, translation and multiple choice as an invited annotator meets them: in a real browser, on a real server."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.annotation.jobs import find_job
from benchwright.schemas.jobs import quality_view, shown_digest, text_view, translation_view
from benchwright.schemas.records import Question
from benchwright.schemas.tables import read_records

from .reviewer import EVIL, values

pytestmark = [pytest.mark.labelstudio, pytest.mark.browser]

ASKED = "[...document.querySelectorAll('.bw-asked, .bw-field')].filter(e => e.offsetParent !== null).length"
WIDE = "$" + "+".join(f"x_{{{n}}}" for n in range(90)) + "$"
"""Wider than its column, and must not reach over the next one."""
QUALITY = {
    "text_faults": ["ambiguous"],
    "image_faults": [],
    "knowledge_complexity": 2,
    "visual_richness": 3,
    "decision": "fix",
    "reason": "ambiguous: two readings",
    "answer_check": {
        "n": 3,
        "agree": 0,
        "disagree": 3,
        "modal": f"{EVIL} {WIDE}",
        "modal_count": 3,
        "tags": [],
    },
}
TRANSLATION = {
    "question": f"求 $\\frac{{\\sqrt{{20}}}}{{2}}$ 之值。{EVIL}",
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


def first_question(reviewer: Any) -> Question:
    return read_records(reviewer.workspace.pool("physics"), Question)[0]


def test_quality(reviewer: Any) -> None:
    question, browser = first_question(reviewer), reviewer.browser
    digest = shown_digest(quality_view(question.text, question.images))
    reviewer.propose("quality", question.id, digest, QUALITY, "en")
    reviewer.open("quality")
    reviewer.look("quality")
    assert reviewer.checked() == [
        "Ambiguous · 有歧义",
        "2 · one law or rule of the school course, in its standard use.",
        "3 · one or two values, names or positions stand in it alone.",
        "Fix · 需修改",
    ]
    assert reviewer.fields()["reason"] == "ambiguous: two readings"
    reviewer.assert_drawn(radicals=2, bars=3)
    reviewer.assert_hostile_text_is_read(2)
    reviewer.key("t", "Incomplete")
    reviewer.tick("Uninformative")
    reviewer.wait_checked("Uninformative")
    reviewer.key("4", "4 ·")
    reviewer.key("c", "Reject")
    reviewer.type("reason", "The angle is missing.")
    made = reviewer.submit("quality")
    assert values(made) == {
        "text_faults": (["ambiguous", "incomplete"], "prediction-changed"),
        "image_faults": (["uninformative"], "manual"),
        "knowledge_complexity": (4, "prediction-changed"),
        "visual_richness": (3, "prediction"),
        "decision": ("reject", "prediction-changed"),
        "reason": ("The angle is missing.", "prediction-changed"),
    }
    guidelines = find_job("quality").groups(reviewer.workspace)[0].guidelines.sha256
    assert {review.guidelines for review in made.values()} == {guidelines}

    browser.wait("document.querySelectorAll('.bw-page input:checked').length === 0")  # the second task
    reviewer.key("z", "Accept")
    assert browser.run(ASKED) == 5, "no reason is asked for"
    reviewer.key("n", "I cannot decide")
    browser.wait(f"{ASKED} === 0", 10)
    reviewer.look("undecided")
    for scheme in ("dark", "light"):  # what the reviewer may choose in Label Studio's top line
        browser.run(f"document.documentElement.dataset.colorScheme = '{scheme}'")
        for shown in (".bw-q", ".bw-answer", ".bw-side h4", ".bw-side label"):
            assert reviewer.contrast(f"document.querySelector('{shown}')") > 4.5, (scheme, shown)
    second = reviewer.submit("quality", 2)
    assert {(r.item_id, r.value, r.undecided) for r in second.values()} == {("q0001", None, "cannot-decide")}


def test_translation(reviewer: Any) -> None:
    question, browser = first_question(reviewer), reviewer.browser
    digest = shown_digest(translation_view(question.text, question.images, "zh"))
    reviewer.propose("translation", question.id, digest, TRANSLATION, "zh")
    reviewer.open("translation")
    reviewer.look("translation")
    given = {name: TRANSLATION[name] for name in ("question", "answer", "solution")}
    assert {name: reviewer.fields()[name] for name in given} == given
    assert reviewer.checked() == ["Flag · 标记"]
    reviewer.assert_drawn(radicals=4, bars=6)
    sides = "[...document.querySelectorAll('.bw-two > div')]"
    assert browser.run(f"{sides}.map(e => e.querySelectorAll('.bw-math rect').length)") == [3, 3]
    reviewer.assert_hostile_text_is_read(4)
    reviewer.type("question", "　好。", whole=False)
    reviewer.type("unit", "米")
    reviewer.type("solution", "一步。")
    browser.run("document.activeElement.blur()")
    reviewer.key("z", "Keep")
    assert values(reviewer.submit("translation")) == {
        "question": (f"{TRANSLATION['question']}　好。", "prediction-changed"),
        "answer": (TRANSLATION["answer"], "prediction"),
        "unit": ("米", "manual"),
        "solution": ("一步。", "prediction-changed"),
        "image_language": ("keep", "prediction-changed"),
    }


def test_multiple_choice(reviewer: Any) -> None:
    question, browser = first_question(reviewer), reviewer.browser
    digest = shown_digest(text_view(question.text, question.images))
    reviewer.propose("multiple-choice", question.id, digest, CHOICE, "en")
    reviewer.open("multiple-choice")
    reviewer.look("multiple-choice")
    options = "\n".join(f"{label}. {text}" for label, text in zip("ABCD", CHOICE["choices"], strict=True))
    assert (reviewer.fields()["question"], reviewer.fields()["choices"]) == (CHOICE["question"], options)
    assert reviewer.checked() == ["A"]
    assert (
        browser.run("[...document.querySelectorAll('.bw-right')].map(e => e.innerText.trim())[0][0]") == "A"
    )
    reviewer.assert_drawn(radicals=3, bars=4)
    reviewer.assert_hostile_text_is_read(4)
    reviewer.key("b", "B")
    reviewer.type("choices", f"A. 1\nB. $\\sqrt{{5}}$\nC. {EVIL}")
    assert values(reviewer.submit("multiple-choice")) == {
        "question": (CHOICE["question"], "prediction"),
        "choices": (["1", "$\\sqrt{5}$", EVIL], "prediction-changed"),
        "answer": ("B", "prediction-changed"),
    }
