"""Replay: apply a file of committed reviews to a workspace as if they had been pulled. For demonstrations.

Replayed reviewers are `R01`, `R02`, ...: nobody can take them for people who worked on this workspace.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue

from benchwright.annotation.items import in_order
from benchwright.annotation.jobs import find_job
from benchwright.annotation.jobs.base import ReviewItem, ReviewJob
from benchwright.annotation.pull import unseen, write_verdicts
from benchwright.annotation.slots import needed_slots
from benchwright.schemas.digest import digest_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import JOBS, Review, Undecided
from benchwright.schemas.journal import Journal, read_jsonl
from benchwright.schemas.records import Language, Record, Sha256
from benchwright.schemas.workspace import Workspace

REPLAY_TIME = "1970-01-01T00:00:00Z"
"""Time stamp of replayed states: there is no server time, and no clock may enter."""
_MARK = re.compile(r"^R\d{2,}$")


class ReplayLine(Record):
    """One committed review. Like `Review`, but what an annotation server adds may be left out."""

    job: str
    item_id: str
    language: Language | None = None
    field: str
    digest: Sha256 | None = None
    """Digest of what was shown when it was reviewed; None binds it to what the workspace shows now."""
    value: JsonValue
    pseudonym: str = Field(pattern=r"^[A-Z]\d{2,}$")
    slot: str = "A"
    state: Literal["submitted", "skipped", "draft", "deleted"] = "submitted"
    origin: Literal["manual", "prediction", "prediction-changed"] = "manual"
    annotation_id: str | None = None
    updated_at: str | None = None
    lead_time: float | None = None
    comment: str | None = None
    guidelines: Sha256 | None = None
    undecided: Undecided | None = None


@dataclass(frozen=True)
class ReplayResult:
    """What a replay did for one job."""

    job: str
    applied: int
    """Lines that are about an item as the workspace shows it."""
    new: int
    """Of these, lines that were not in the journal yet."""
    other_items: int
    """Lines about items that are not selected here, or that an earlier job holds up."""
    stale: int
    """Lines about an older content of a selected item; not applied."""
    verdicts: Mapping[str, int]


def replay_reviews(
    workspace: Workspace, path: Path, slots: Sequence[str] | None = None
) -> list[ReplayResult]:
    """Apply a reviews file; running it again changes nothing.

    Args:
        workspace: needs its selection.
        path: JSON Lines of `ReplayLine`.
        slots: independent reviews that an item needs; None: those of the recipe and of the file.

    Raises:
        UsageError: the file is missing, holds a pseudonym that is not marked as replayed, or an unknown job or field.
    """
    if not path.is_file():
        raise UsageError(f"there is no reviews file {path}: give the path of a JSON Lines file.")
    lines = read_jsonl(path, ReplayLine)
    _check(path, lines)
    needed = slots or needed_slots(workspace.recipe.annotation.slots, {line.slot for line in lines})
    return [
        _replay_job(workspace, find_job(name), [line for line in lines if line.job == name], needed)
        for name in in_order({line.job for line in lines})
    ]


def _check(path: Path, lines: Sequence[ReplayLine]) -> None:
    for number, line in enumerate(lines, start=1):
        if not _MARK.match(line.pseudonym):
            raise UsageError(
                f"{path}, line {number}: replayed reviewers are named R01, R02, ...; rename {line.pseudonym!r}."
            )
        known = {field.name for field in JOBS[line.job].fields} if line.job in JOBS else set()
        if line.field not in known:
            raise UsageError(
                f"{path}, line {number}: job {line.job!r} has no field {line.field!r}: mend or delete the line."
            )


def _replay_job(
    workspace: Workspace, job: ReviewJob, lines: Sequence[ReplayLine], slots: Sequence[str]
) -> ReplayResult:
    with workspace.lock(f"annotate-pull/{job.name}"):
        shown = {
            (item.item_id, item.language): item for group in job.groups(workspace) for item in group.items
        }
        counts: Counter[str] = Counter()
        fresh = []
        for line in lines:
            item = shown.get((line.item_id, line.language))
            if item is None:
                counts["other"] += 1
            elif line.digest is not None and line.digest != item.digest:
                counts["stale"] += 1
            else:
                fresh.append(_review(line, item))
        journal = Journal(workspace.reviews(job.name))
        known = journal.read(Review)
        added = unseen(known, fresh)
        journal.extend(added)
        verdicts = write_verdicts(workspace, job.name, [*known, *added], slots)
        return ReplayResult(job.name, len(fresh), len(added), counts["other"], counts["stale"], verdicts)


def _review(line: ReplayLine, item: ReviewItem) -> Review:
    name = digest_of([line.job, line.item_id, line.language, line.slot, line.pseudonym, item.digest])[:16]
    return Review.model_validate(
        {
            **line.model_dump(),
            "digest": item.digest,
            "annotation_id": line.annotation_id or f"replay-{name}",
            "updated_at": line.updated_at or REPLAY_TIME,
        }
    )
