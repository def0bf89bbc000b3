"""Errors: why a wrong answer is wrong, in the five kinds of VisScience, section 4: one main kind an answer."""

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
from benchwright.schemas.runs import Answered, errors_view
from benchwright.schemas.status import Outcome
from benchwright.schemas.workspace import Workspace

_TARGET = "answered"
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


class ErrorsJob:
    """The main kind of error of each wrong answer that was offered."""

    name = "errors"
    version = 1

    def offer(
        self, workspace: Workspace, run: str, sample: int | None = None, release: str | None = None
    ) -> Source:
        """Offer a run's wrong answers; see `benchwright.annotation.sources.offer_run`."""
        return offer_run(workspace, self.name, run, is_wrong, pictures=True, sample=sample, release=release)

    def groups(self, workspace: Workspace) -> list[ReviewGroup]:
        """One group for each run that was offered."""
        return [
            answered_group(
                source,
                "Errors",
                errors_config(),
                load_guidelines(self.name),
                tuple(answered_item(self.name, one, errors_view, solution=True) for one in source.offered),
            )
            for source in read_sources(workspace, self.name)
        ]

    def regions(self, proposals: Mapping[str, Proposal], data: JsonObject) -> list[JsonObject]:
        """The category as a filled-in control."""
        if "category" not in proposals or proposals["category"].value is None:
            return []
        return [choices_region("category", _TARGET, [str(proposals["category"].value)])]

    def answers(self, result: Sequence[JsonObject], data: JsonObject) -> dict[str, FieldAnswer]:
        """The category."""
        category = chosen(result, "category")
        return {} if category is None else {"category": category}

    def comment(self, result: Sequence[JsonObject]) -> str | None:
        """The remark."""
        return written(result, COMMENT)


def errors_config() -> str:
    """Label Studio's XML of the page."""
    asked = single_choice("category", _TARGET, "Where it first goes wrong · 最先出错之处", _CATEGORIES)
    return page(f"<Style>{ROW_STYLE}</Style>{shown_html(_TARGET)}", asked + closing(_TARGET))
