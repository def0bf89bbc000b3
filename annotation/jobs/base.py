"""What every review job has in common: its pages (groups of items with one labelling config) and how to read answers.

A new job is one module with a class that satisfies `ReviewJob`, registered in `benchwright.annotation.jobs`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, cast

from pydantic import JsonValue

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
    """Label Studio's XML."""
    instruction: str
    """HTML shown to the reviewer before the first task."""
    items: tuple[ReviewItem, ...]
    rejected: tuple[Rejected, ...] = ()
    """What was to be reviewed but cannot be shown, with the reason."""


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

    def regions(self, proposals: Mapping[str, Proposal]) -> list[JsonObject]:
        """Proposals by field -> regions of one Label Studio prediction."""

    def answers(self, result: Sequence[JsonObject]) -> dict[str, FieldAnswer]:
        """An annotation's regions -> answers by field; fields that were left out are absent."""

    def comment(self, result: Sequence[JsonObject]) -> str | None:
        """The free remark in an annotation's regions."""


def task_key(job: ReviewJob, slot: str, item: ReviewItem) -> str:
    """Name of a task for good: same job, slot, item and content, same key."""
    return digest_of([job.name, job.version, slot, item.item_id, item.language, item.digest])


def image_url(folder: str, image: ImageRef) -> str:
    """Where the review page finds an image; `folder` lies below the server's document root."""
    return f"{FILES_URL}{folder}/{image.sha256}{image.suffix}"


def choices_region(control: str, target: str, values: Sequence[str]) -> JsonObject:
    """A filled-in Choices control."""
    return {"from_name": control, "to_name": target, "type": "choices", "value": {"choices": list(values)}}


def chosen(result: Sequence[JsonObject], control: str) -> FieldAnswer | None:
    """The one choice made in a Choices control; None where nothing, or not exactly one thing, was chosen."""
    for region in result:
        if region.get("from_name") == control:
            values = region.get("value", {}).get("choices", [])
            if len(values) == 1 and isinstance(values[0], str):
                return FieldAnswer(values[0], origin_of(region))
    return None


def written(result: Sequence[JsonObject], control: str) -> str | None:
    """What stands in a TextArea control."""
    lines = [
        str(line)
        for region in result
        if region.get("from_name") == control
        for line in region.get("value", {}).get("text", [])
    ]
    text = "\n".join(lines).strip()
    return text or None


def origin_of(region: JsonObject) -> ReviewOrigin:
    """Label Studio's own note of whether a proposal was kept; what it leaves out was entered by hand."""
    origin = region.get("origin")
    return cast(ReviewOrigin, origin) if origin in {"prediction", "prediction-changed"} else "manual"
