"""What the jobs about a model's answers (`judge`, `steps`, `errors`) have in common: groups by run, items, pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchwright.annotation.guidelines import Guidelines
from benchwright.annotation.jobs.base import JsonObject, ReviewGroup, ReviewItem, image_url
from benchwright.annotation.row_markup import judged_html
from benchwright.annotation.sources import Offered, Source
from benchwright.models.thinking import split_thinking
from benchwright.schemas.jobs import shown_digest
from benchwright.schemas.records import Rejected, ReleaseRow
from benchwright.schemas.runs import Answered, Response
from benchwright.schemas.status import OUTCOME_OF_STATUS

View = Callable[[ReleaseRow, Response], dict[str, Any]]


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
