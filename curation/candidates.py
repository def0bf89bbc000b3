"""What a choice is made from: the pool's questions with what is known of them, less those that may not be chosen.

Read by columns, a chunk at a time: of a question's words nothing is kept.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchwright.curation.chosen_now import replaced_away
from benchwright.curation.dedup import duplicate_rows
from benchwright.curation.dedup_settled import reviewed_questions
from benchwright.curation.screen import screened_out
from benchwright.curation.select_before import chosen_before
from benchwright.curation.select_items import Candidate, points_at
from benchwright.schemas.duplicates import DuplicateRow
from benchwright.schemas.errors import TamperedError, UsageError
from benchwright.schemas.jobs import Verdict, problem_id
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.recipe import SelectionRecipe
from benchwright.schemas.records import Origin
from benchwright.schemas.workspace import Workspace

_CHUNK = 4096
_SAID = "texts.key_value.value"
_POOL = (
    "id",
    "source",
    "source_license",
    "chapter",
    "texts.key_value.key",
    f"{_SAID}.solution",
    f"{_SAID}.choices.list.element.image.sha256",
    "images.list.element.sha256",
)
_ESTIMATES = (
    "question_id",
    "subject",
    "subject_origin",
    "difficulty",
    "difficulty_origin",
    "points",
    "points_origin",
)
_NO_DUPLICATE = DuplicateRow(question_id="")


@dataclass(frozen=True)
class Offer:
    """What a choice is made from."""

    items: list[Candidate]
    """By question id."""
    left_out: dict[str, int]
    """Questions of the pool that are not offered, by reason; each has one, the first that applies."""
    total: int
    """Questions of the pool."""


@dataclass(frozen=True)
class _Estimated:
    subject: str
    difficulty: int
    points: tuple[str, ...]
    estimated: tuple[str, ...]


def offer_files(workspace: Workspace, discipline: str) -> list[Path]:
    """The files on which an offer rests: inputs of every stage that reads it."""
    files = [workspace.pool(discipline), workspace.estimates(discipline), workspace.clusters(discipline)]
    if workspace.recipe.screen.enabled:
        files.append(workspace.screen(discipline))
    if workspace.recipe.dedup.enabled:
        files.append(workspace.duplicates(discipline))
    return files


def read_candidates(workspace: Workspace, discipline: str, path_level: int | None = None) -> Offer:
    """The questions that may be chosen, as the choice sees them.

    Left out, in this order: `screened-out`, `duplicate` (gives way to another), `overlap` (stands in another set),
    `rejected-in-review`, `license`, `no-image`.

    Args:
        workspace: reads pool, estimates, clusters, screening and duplicates where the recipe has them, and verdicts.
        discipline: which pool.
        path_level: parts of a point's path that are told apart.

    Raises:
        UsageError: a stage is missing, the files do not speak of the same questions, or a pinned question is left out.
        TamperedError: a file is damaged.
    """
    recipe = workspace.recipe.selection
    clusters = _clusters(workspace.clusters(discipline))
    estimates = _estimates(workspace.estimates(discipline))
    screened = screened_out(workspace, discipline) if workspace.recipe.screen.enabled else {}
    duplicates = duplicate_rows(workspace, discipline) if workspace.recipe.dedup.enabled else {}
    if workspace.recipe.dedup.enabled and not workspace.duplicates(discipline).is_file():
        raise UsageError(f"{discipline} was not searched for duplicates yet: run `curate dedup` first.")
    rejected = _rejected(workspace) if recipe.keep_reviewed else frozenset()
    replaced = replaced_away(workspace, discipline) if recipe.keep_reviewed else frozenset()
    pins = _Pins.read(workspace, discipline, recipe)
    items: list[Candidate] = []
    left_out: Counter[str] = Counter()
    total = 0
    for row in _rows(workspace.pool(discipline), _POOL):
        total += 1
        name = row["id"]
        found, place = estimates.pop(name, None), clusters.pop(name, None)
        if found is None or place is None:
            raise _apart(discipline)
        like = duplicates.get(name, _NO_DUPLICATE)
        images = _images(row)
        reason = (
            "screened-out" if name in screened
            else ("overlap" if like.group is None and like.overlap else "duplicate") if not like.keep
            else "rejected-in-review" if problem_id(name) in rejected
            else "replaced" if name in replaced
            else _unfit(row["source_license"], images, recipe)
        )  # fmt: skip
        if reason:
            left_out[reason] += 1
            pins.refuse(name, reason)
            continue
        points = points_at(found.points, place[0], path_level)
        items.append(_candidate(row, found, place, like, images, points, pins.why(name)))
    if estimates or clusters:
        raise _apart(discipline)
    return Offer(sorted(items, key=lambda item: item.question_id), dict(sorted(left_out.items())), total)


def _candidate(
    row: dict[str, Any],
    found: _Estimated,
    place: tuple[int, float],
    like: DuplicateRow,
    images: tuple[str, ...],
    points: tuple[str, ...],
    pinned: str | None,
) -> Candidate:
    return Candidate(
        row["id"],
        found.subject,
        found.difficulty,
        *place,
        points,
        found.estimated,
        like.template,
        like.group,
        images,
        _interned(row["chapter"]),
        _interned(row["source_license"]),
        sys.intern(row["source"]),
        any((text["solution"] or "").strip() for _, text in row["texts"]),
        pinned,
    )


@dataclass(frozen=True)
class _Pins:
    """Questions that have to be chosen, and why."""

    pinned: frozenset[str]
    reviewed: frozenset[str]

    @classmethod
    def read(cls, workspace: Workspace, discipline: str, recipe: SelectionRecipe) -> _Pins:
        """From the recipe and from people's verdicts about questions that were chosen before."""
        reviewed: frozenset[str] = frozenset()
        if recipe.keep_reviewed:
            reviewed = reviewed_questions(workspace, workspace.pool(discipline))
            # A damaged selection cannot say which of them were its own; then all of them stay.
            if reviewed and (before := chosen_before(workspace, discipline)) is not None:
                reviewed &= before
        return cls(frozenset(recipe.pinned), reviewed)

    def why(self, question_id: str) -> str | None:
        """Why a question stays."""
        if question_id in self.pinned:
            return "recipe"
        return "reviewed" if question_id in self.reviewed else None

    def refuse(self, question_id: str, reason: str) -> None:
        """Note that a question is not offered.

        Raises:
            UsageError: the recipe pins it.
        """
        if question_id in self.pinned:
            raise UsageError(
                f"{question_id} is pinned under [selection] but left out ({reason}): unpin it or mend that."
            )


def named_points(workspace: Workspace, discipline: str, path_level: int | None) -> list[Candidate]:
    """The pool's questions with the points that their sources name and nothing else, for a first look at coverage."""
    return [
        Candidate(row["question_id"], "", 1, 0, 0.0, points_at(row["points"], 0, path_level))
        for row in _rows(workspace.estimates(discipline), ("question_id", "points"))
    ]


def check_pins(workspace: Workspace) -> None:
    """Refuse a recipe that pins a question which no pool has.

    Raises:
        UsageError: names it.
    """
    open_pins = set(workspace.recipe.selection.pinned)
    for discipline in workspace.pool_disciplines():
        if open_pins:
            open_pins -= {row["id"] for row in _rows(workspace.pool(discipline), ("id",))}
    if open_pins:
        raise UsageError(
            f"{sorted(open_pins)[0]} is pinned under [selection] but is in no pool: correct the id."
        )


def _unfit(license_name: str, images: tuple[str, ...], recipe: SelectionRecipe) -> str:
    if recipe.licenses and not any(fnmatchcase(license_name, pattern) for pattern in recipe.licenses):
        return "license"
    return "no-image" if recipe.require_image and not images else ""


def _rejected(workspace: Workspace) -> frozenset[str]:
    """Items that people rejected for good in the quality job."""
    path = workspace.verdicts("quality")
    lines = read_jsonl(path, Verdict) if path.is_file() else []
    return frozenset(
        line.item_id
        for line in lines
        if line.field == "decision" and line.value == "reject" and line.basis != "open"
    )


def _clusters(path: Path) -> dict[str, tuple[int, float]]:
    columns = ("question_id", "cluster", "centrality")
    return {row["question_id"]: (row["cluster"], row["centrality"]) for row in _rows(path, columns)}


def _estimates(path: Path) -> dict[str, _Estimated]:
    origins = {
        "subject": "subject_origin",
        "difficulty": "difficulty_origin",
        "knowledge_points": "points_origin",
    }
    return {
        row["question_id"]: _Estimated(
            sys.intern(row["subject"]),
            row["difficulty"],
            tuple(sys.intern(point) for point in row["points"]),
            tuple(name for name, column in origins.items() if row[column] == Origin.ESTIMATE.value),
        )
        for row in _rows(path, _ESTIMATES)
    }


def _images(row: dict[str, Any]) -> tuple[str, ...]:
    found = {image["sha256"] for image in row["images"]}
    for _, text in row["texts"]:
        found |= {choice["image"]["sha256"] for choice in text["choices"] if choice["image"] is not None}
    return tuple(sorted(found))


def _interned(text: str | None) -> str | None:
    return None if text is None else sys.intern(text)


def _apart(discipline: str) -> UsageError:
    return UsageError(
        f"pool, estimates and clusters of {discipline} hold different questions: run `curate cluster --discipline "
        f"{discipline}` again."
    )


def _rows(path: Path, columns: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Some columns of a table, row by row; maps come as lists of pairs."""
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_CHUNK, columns=list(columns), use_threads=False):
                yield from batch.to_pylist()
    except FileNotFoundError as error:
        raise UsageError(
            f"{path} does not exist: run the stage that makes it first (`benchwright status` names it)."
        ) from error
    except (pa.ArrowInvalid, OSError) as error:
        first = str(error).splitlines()[0]
        raise TamperedError(f"{path} cannot be read ({first}): run the stage that makes it again.") from error
