"""Judge: does a model's answer agree with the reference answer? People's words are the gold that a judge is held to.

Nothing of the run's own verdicts is shown or preselected: gold that has seen the judge would flatter it. Only what
`evaluate` put into `proposals/judge.jsonl` for this very purpose is.
"""

from __future__ import annotations

from benchwright.annotation.jobs.answered import OneChoice
from benchwright.annotation.jobs.controls import Option
from benchwright.schemas.runs import judge_view

_VERDICTS = (
    Option(
        "consistent", "Consistent · 一致", "It says the same as the reference answer, in every part.", "1"
    ),
    Option(
        "inconsistent", "Inconsistent · 不一致", "It says something else, or gives no answer at all.", "2"
    ),
    Option(
        "cannot-say", "Cannot be said · 说不准", "The two cannot be compared: say why in the remark.", "3"
    ),
)


class JudgeJob(OneChoice):
    """Consistent, inconsistent or cannot-say, for each answer of a run that was offered."""

    name = "judge"
    field = "verdict"
    title = "Judge"
    question = "Response and reference answer · 回答与参考答案"
    options = _VERDICTS
    solution = False
    pictures = False
    view = staticmethod(judge_view)
