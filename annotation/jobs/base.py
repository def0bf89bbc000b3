"""What every review job has in common: its pages (groups of items with one labelling config) and how to read answers.

A new job is one module with a class that satisfies `ReviewJob`, registered in `benchwright.annotation.jobs`, and its
guidelines in `annotation/guidelines/`. `benchwright.annotation.jobs.controls` has the parts of a page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pydantic import JsonValue

from benchwright.annotation.guidelines import Guidelines
from benchwright.schemas.digest import digest_of
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.records import ImageRef, Rejected
from benchwright.schemas.workspace import Workspace

JsonObject = dict[str, Any]
ReviewOrigin = Literal["manual", "prediction", "prediction-changed"]
FILES_URL = "/data/local-files/?d="
"""Address under which Label Studio hands out a file of its document root."""


@dataclass(frozen=True)
class ReviewItem:
    """One thing to be reviewed, as it will be shown."""

    item_id: str
    language: str | None
    digest: str
    """Digest of what is shown (`benchwright.schemas.jobs.shown_digest`)."""
    build: Callable[[], JsonObject]
    """Makes `data`; only a push needs it, and drawing formulas takes time."""
    images: tuple[ImageRef, ...] = ()
    """Images whose files must lie in the folder that the server may show."""
    hints: tuple[str, ...] = ()
    """Variables of `data` that show a proposal (its preview, its findings); emptied where a task shows none."""
    blind: Callable[[], JsonObject] | None = None
    """Makes the data of a task that shows no proposal, where emptying `hints` would not do."""

    @property
    def data(self) -> JsonObject:
        """Variables of the labelling config, made anew at each call."""
        return self.build()


@dataclass(frozen=True)
class ReviewGroup:
    """Items that share one labelling config, so one project."""

    name: str
    title: str
    config: str
    """Label Studio's XML. What differs from item to item comes from the item's `data`."""
    guidelines: Guidelines
    """Shown to the reviewer before the first task."""
    items: tuple[ReviewItem, ...]
    rejected: tuple[Rejected, ...] = ()
    """What was to be reviewed but cannot be shown, with the reason."""
    waiting: tuple[Rejected, ...] = ()
    """What comes here only after an earlier job: the reason is `waits-for-JOB`."""


@dataclass(frozen=True)
class FieldAnswer:
    """A reviewer's value for one field and whether the proposal was kept."""

    value: JsonValue
    origin: ReviewOrigin


class ReviewJob(Protocol):
    """One kind of review."""

    @property
    def name(self) -> str:
        """Name in `benchwright.schemas.jobs.JOBS`."""

    @property
    def version(self) -> int:
        """Raised when the page changes its meaning; a new version makes new projects."""

    def groups(self, workspace: Workspace) -> list[ReviewGroup]:
        """Everything that is to be reviewed in a workspace."""

    def regions(self, proposals: Mapping[str, Proposal], data: JsonObject) -> list[JsonObject]:
        """Proposals by field -> regions of one Label Studio prediction; `data` is the item's."""

    def answers(self, result: Sequence[JsonObject], data: JsonObject) -> dict[str, FieldAnswer]:
        """An annotation's regions -> answers by field; fields that were left out are absent.

        "Cannot decide" and "the item is faulty" are read by `pull`, which then asks for no answers.
        """

    def comment(self, result: Sequence[JsonObject]) -> str | None:
        """The free remark in an annotation's regions."""


def without_hints(item: ReviewItem, data: JsonObject) -> JsonObject:
    """The data of a task that shows no proposal: what would show one is empty, each value in its own type."""
    if item.blind is not None:
        return item.blind()
    return {name: type(value)() if name in item.hints else value for name, value in data.items()}


def task_key(job: ReviewJob, slot: str, item: ReviewItem) -> str:
    """Name of a task for good: same job, slot, item and content, same key."""
    return digest_of([job.name, job.version, slot, item.item_id, item.language, item.digest])


def image_url(folder: str, image: ImageRef) -> str:
    """Where the review page finds an image; `folder` (the job's name) lies below the server's document root."""
    return f"{FILES_URL}{folder}/{image.sha256}{image.suffix}"
