"""What the jobs about a model's answers (`judge`, `steps`, `errors`) have in common: groups by run, items, pictures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from benchwright.annotation.guidelines import Guidelines, load_guidelines
from benchwright.annotation.jobs.base import FieldAnswer, JsonObject, ReviewGroup, ReviewItem, image_url
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
from benchwright.annotation.row_markup import ROW_STYLE, judged_html
from benchwright.annotation.sources import Offered, Source, offer_run, read_sources
from benchwright.models.thinking import split_thinking
from benchwright.schemas.jobs import Proposal, shown_digest
from benchwright.schemas.records import Rejected, ReleaseRow
from benchwright.schemas.runs import Answered, Response
from benchwright.schemas.status import OUTCOME_OF_STATUS
from benchwright.schemas.workspace import Workspace

View = Callable[[ReleaseRow, Response], dict[str, Any]]
TARGET = "answered"
"""Name of the shown question and response in the pages' XML."""


def says_something(answered: Answered) -> bool:
    """Whether a model's answer holds words that can be judged."""
    response = answered.response
    return OUTCOME_OF_STATUS[response.status] is None and bool(split_thinking(response.text).text)


def answered_group(
    source: Source,
    title: str,
    config: str,
    guidelines: Guidelines,
    items: tuple[ReviewItem, ...],
    more: tuple[Rejected, ...] = (),
) -> ReviewGroup:
    """The page of one run. Its title does not name the model: whoever judges an answer should not know whose it is."""
    return ReviewGroup(
        name=source.name,
        title=f"{title}: run {source.name}",
        config=config,
        guidelines=guidelines,
        items=items,
        rejected=(*source.rejected, *more),
    )


def answered_item(job: str, offered: Offered, view: View, *, solution: bool) -> ReviewItem:
    """An answer as a task whose data has `html` alone.

    Raises:
        ValueError: nothing was answered.
    """
    response = response_of(offered)
    return ReviewItem(
        item_id=offered.item_id,
        language=None,
        digest=shown_digest(view(offered.row, response)),
        build=lambda: answered_data(job, offered, solution=solution),
        images=offered.pictures,
    )


def answered_data(job: str, offered: Offered, *, solution: bool) -> JsonObject:
    """The task's data: question, pictures, reference answer and response as `html`."""
    shown = judged_html(
        offered.row,
        response_of(offered),
        offered.pictures,
        lambda image: image_url(job, image),
        solution=solution,
    )
    return {"html": shown}


def response_of(offered: Offered) -> Response:
    """The answer that is reviewed.

    Raises:
        ValueError: the row was offered without one.
    """
    if offered.response is None:
        raise ValueError(f"{offered.item_id} was offered without an answer")
    return offered.response


class OneChoice(ABC):
    """A job that asks one thing about each answer of a run that was offered."""

    name: ClassVar[str]
    version = 1
    field: ClassVar[str]
    title: ClassVar[str]
    question: ClassVar[str]
    options: ClassVar[tuple[Option, ...]]
    solution: ClassVar[bool]
    """Whether the reference solution is shown."""
    pictures: ClassVar[bool]
    """Whether the page shows the row's pictures."""

    @staticmethod
    def offered(answered: Answered) -> bool:
        """Whether an answer is to be reviewed at all."""
        return says_something(answered)

    @staticmethod
    @abstractmethod
    def view(row: ReleaseRow, response: Response) -> dict[str, Any]:
        """What is shown, for the digest."""

    def offer(
        self, workspace: Workspace, run: str, sample: int | None = None, release: str | None = None
    ) -> Source:
        """Offer a run's answers; see `benchwright.annotation.sources.offer_run`."""
        return offer_run(
            workspace, self.name, run, self.offered, pictures=self.pictures, sample=sample, release=release
        )

    def groups(self, workspace: Workspace) -> list[ReviewGroup]:
        """One group for each run that was offered."""
        return [
            answered_group(
                source,
                self.title,
                self.config(),
                load_guidelines(self.name),
                tuple(
                    answered_item(self.name, one, self.view, solution=self.solution) for one in source.offered
                ),
            )
            for source in read_sources(workspace, self.name)
        ]

    def regions(self, proposals: Mapping[str, Proposal], data: JsonObject) -> list[JsonObject]:
        """The proposal as a filled-in control."""
        if self.field not in proposals or proposals[self.field].value is None:
            return []
        return [choices_region(self.field, TARGET, [str(proposals[self.field].value)])]

    def answers(self, result: Sequence[JsonObject], data: JsonObject) -> dict[str, FieldAnswer]:
        """What was chosen."""
        found = chosen(result, self.field)
        return {} if found is None else {self.field: found}

    def comment(self, result: Sequence[JsonObject]) -> str | None:
        """The remark."""
        return written(result, COMMENT)

    def config(self) -> str:
        """Label Studio's XML of the page."""
        asked = single_choice(self.field, TARGET, self.question, self.options)
        return page(f"<Style>{ROW_STYLE}</Style>{shown_html(TARGET)}", asked + closing(TARGET))
