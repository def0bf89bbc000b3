"""Errors: why a wrong answer is wrong, in the five kinds of VisScience, section 4: one main kind an answer."""

from __future__ import annotations

from benchwright.annotation.jobs.answered import OneChoice, says_something
from benchwright.annotation.jobs.controls import Option
from benchwright.schemas.runs import Answered, errors_view
from benchwright.schemas.status import Outcome

_CATEGORIES = (
    Option(
        "reasoning", "Reasoning · 推理", "Facts and figures are right, a conclusion does not follow.", "1"
    ),
    Option(
        "knowledge", "Knowledge · 知识", "A law, definition or fact is wrong, missing or out of place.", "2"
    ),
    Option("calculation", "Calculation · 计算", "The way is right, a computation goes wrong.", "3"),
    Option("vision-recognition", "Reading the picture · 识图", "The picture shows something else.", "4"),
    Option(
        "question-misunderstood",
        "Question misunderstood · 误解题意",
        "It answers something that was not asked, or leaves out a condition that was given.",
        "5",
    ),
)


def is_wrong(answered: Answered) -> bool:
    """Whether an answer was judged inconsistent: these have an error to be named."""
    judged = answered.judgement
    return judged is not None and judged.outcome is Outcome.INCONSISTENT and says_something(answered)


class ErrorsJob(OneChoice):
    """The main kind of error of each wrong answer that was offered."""

    name = "errors"
    field = "category"
    title = "Errors"
    question = "Where it first goes wrong · 最先出错之处"
    options = _CATEGORIES
    solution = True
    pictures = True
    offered = staticmethod(is_wrong)
    view = staticmethod(errors_view)
