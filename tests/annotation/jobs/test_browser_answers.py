"""Judge, steps, errors and answer as an invited annotator meets them: in a real browser, on a real server."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.annotation.jobs import find_job
from benchwright.annotation.jobs.answer import AnswerJob
from benchwright.annotation.sources import ReleaseChoice
from benchwright.schemas.jobs import shown_digest
from benchwright.schemas.runs import Answered, errors_view, judge_view, read_run, run_item_id, steps_view

from ..reviewer import CHECKED, press, values
from .conftest import EVIL, Evaluated

pytestmark = [pytest.mark.labelstudio, pytest.mark.browser]

ROW = "p3:original:en"
SHOWN = EVIL.removesuffix(" <b>")
"""What a page has to show of it: tags that only set letters bold are left out, as in pictures."""
STEPS = [
    {"text": "The sign $\\frac{\\sqrt{x_0}}{2}$ says so.", "kind": "K", "score": 1},
    {"text": f"{EVIL} so it is D", "kind": "L", "score": 0},
    {"text": "Answer: D", "kind": "L", "score": 0},
]


def answered(evaluated: Evaluated) -> Answered:
    """The answer that all three jobs are about: a wrong and hostile one."""
    run = read_run(evaluated.workspace.runs / evaluated.run_id)
    return next(one for one in run.answered if one.row.id == ROW)


def offer(reviewer: Any, evaluated: Evaluated, job: str, view: dict[str, Any], said: dict[str, Any]) -> None:
    """Propose about the one answer, so that exactly that is drawn, and offer the run."""
    item = run_item_id(evaluated.run_id, ROW)
    reviewer.propose(job, item, shown_digest(view), said)
    run = str(evaluated.workspace.runs / evaluated.run_id)
    source = find_job(job).offer(reviewer.workspace, run, release=str(evaluated.release))
    assert [one.item_id for one in source.offered] == [item]


def test_judge(reviewer: Any, evaluated: Evaluated) -> None:
    one = answered(evaluated)
    offer(reviewer, evaluated, "judge", judge_view(one.row, one.response), {"verdict": "consistent"})
    reviewer.open("judge")
    reviewer.look("judge")
    assert reviewer.checked() == ["Consistent · 一致"]
    reviewer.assert_drawn(radicals=1, bars=2)
    reviewer.assert_hostile_text_is_read(1, SHOWN)
    reviewer.tick("Cannot be said")
    reviewer.wait_checked("Cannot be said")
    reviewer.key("2", "Inconsistent")
    made = reviewer.submit("judge")
    assert values(made) == {"verdict": ("inconsistent", "prediction-changed")}


def test_errors(reviewer: Any, evaluated: Evaluated) -> None:
    one = answered(evaluated)
    offer(reviewer, evaluated, "errors", errors_view(one.row, one.response), {"category": "reasoning"})
    reviewer.open("errors")
    reviewer.look("errors")
    assert reviewer.checked() == ["Reasoning · 推理"]
    reviewer.assert_drawn(radicals=1, bars=2)
    reviewer.assert_hostile_text_is_read(1, SHOWN)
    reviewer.key("3", "Calculation")
    reviewer.tick("Reading the picture")
    reviewer.wait_checked("Reading the picture")
    reviewer.type("comment", f"No sign. {EVIL}")
    made = reviewer.submit("errors")
    assert values(made) == {"category": ("vision-recognition", "prediction-changed")}
    assert made["category"].comment == f"No sign. {EVIL}"


def test_steps(reviewer: Any, evaluated: Evaluated) -> None:
    one, browser = answered(evaluated), reviewer.browser
    view = steps_view(one.row, one.response, [step["text"] for step in STEPS])
    offer(reviewer, evaluated, "steps", view, {"steps": STEPS})
    reviewer.open("steps")
    browser.wait("document.querySelectorAll('.bw-step input:checked').length === 6")
    reviewer.look("steps")
    assert reviewer.checked() == [
        *("K knowledge · 知识", "right · 对"),
        *("L logic · 逻辑", "wrong · 错"),
        *("L logic · 逻辑", "wrong · 错"),
    ]
    reviewer.assert_drawn(radicals=2, bars=4)
    reviewer.assert_hostile_text_is_read(2, SHOWN)
    press(browser, "9")  # the second step is right
    browser.wait(f"{CHECKED}[3].innerText.startsWith('right')")
    reviewer.tick("no step", 2)
    browser.wait(f"{CHECKED}.length === 5")
    made = reviewer.submit("steps")
    assert values(made) == {"steps": ([STEPS[0], {**STEPS[1], "score": 1}], "prediction-changed")}


def test_answer(reviewer: Any, evaluated: Evaluated) -> None:
    AnswerJob().offer(reviewer.workspace, ReleaseChoice(str(evaluated.release)))
    reviewer.open("answer", "original.en.one")
    reviewer.look("answer")
    assert reviewer.checked() == [], "a person answers without help"
    reviewer.assert_drawn(radicals=1, bars=2)
    reviewer.key("1", "A")
    reviewer.tick("B")
    reviewer.wait_checked("B")
    made = reviewer.submit("answer", by_key=True)
    assert values(made) == {"answer": ("B", "manual")}

    reviewer.open("answer", "original.en.several")
    reviewer.look("answer-several")
    reviewer.key("3", "C")
    reviewer.tick("A")
    reviewer.wait_checked("A")
    assert values(reviewer.submit("answer")) == {"answer": ("AC", "manual")}

    reviewer.open("answer", "original.en.text")
    reviewer.look("answer-text")
    reviewer.assert_hostile_text_is_read(1, SHOWN)
    reviewer.type("answer", f"007 m {EVIL}")
    assert values(reviewer.submit("answer")) == {"answer": (f"007 m {EVIL}", "manual")}

    reviewer.open("answer", "vision-only.en.one")
    reviewer.look("answer-vision-only")
    assert reviewer.browser.run("document.querySelector('.bw-target').innerText.trim()") == ""
