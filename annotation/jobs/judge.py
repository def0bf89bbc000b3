"""Judge: does a model's answer agree with the reference answer? People's words are the gold that a judge is held to.

Nothing of the run's own verdicts is shown or preselected: gold that has seen the judge would flatter it. Only what
`evaluate` put into `proposals/judge.jsonl` for this very purpose is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright.annotation.guidelines import load_guidelines
from benchwright.annotation.jobs.answered import answered_group, answered_item, says_something
from benchwright.annotation.jobs.base import FieldAnswer, JsonObject, ReviewGroup
from benchwright.annotation.jobs.controls import (
    COMMENT,
    Option,
    choices_region,
    chosen,
    closing,
    page,
    shown_html,
    single_choice,
    written,
)
from benchwright.annotation.row_markup import ROW_STYLE
from benchwright.annotation.sources import Source, offer_run, read_sources
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.runs import judge_view
from benchwright.schemas.workspace import Workspace

_TARGET = "answered"
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


class JudgeJob:
    """Consistent, inconsistent or cannot-say, for each answer of a run that was offered."""

    name = "judge"
    version = 1

    def offer(
        self, workspace: Workspace, run: str, sample: int | None = None, release: str | None = None
    ) -> Source:
        """Offer a run's answers; see `benchwright.annotation.sources.offer_run`."""
        return offer_run(
            workspace, self.name, run, says_something, pictures=False, sample=sample, release=release
        )

    def groups(self, workspace: Workspace) -> list[ReviewGroup]:
        """One group for each run that was offered."""
        return [
            answered_group(
                source,
                "Judge",
                judge_config(),
                load_guidelines(self.name),
                tuple(answered_item(self.name, one, judge_view, solution=False) for one in source.offered),
            )
            for source in read_sources(workspace, self.name)
        ]

    def regions(self, proposals: Mapping[str, Proposal], data: JsonObject) -> list[JsonObject]:
        """The verdict as a filled-in control."""
        if "verdict" not in proposals or proposals["verdict"].value is None:
            return []
        return [choices_region("verdict", _TARGET, [str(proposals["verdict"].value)])]

    def answers(self, result: Sequence[JsonObject], data: JsonObject) -> dict[str, FieldAnswer]:
        """The verdict."""
        verdict = chosen(result, "verdict")
        return {} if verdict is None else {"verdict": verdict}

    def comment(self, result: Sequence[JsonObject]) -> str | None:
        """The remark."""
        return written(result, COMMENT)


def judge_config() -> str:
    """Label Studio's XML of the page."""
    asked = single_choice("verdict", _TARGET, "Response and reference answer · 回答与参考答案", _VERDICTS)
    return page(f"<Style>{ROW_STYLE}</Style>{shown_html(_TARGET)}", asked + closing(_TARGET))
