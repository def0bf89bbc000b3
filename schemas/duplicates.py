"""What the search for duplicates leaves behind: rows, the pairs that were held side by side, questions for people.

`curate dedup` writes `DuplicateRow`s to `duplicates/<discipline>.parquet` and `DuplicatePair`s beside them. Choosing
takes only questions with `keep`, at most one of a `group`, and few of a `template`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from benchwright.schemas.digest import digest_of
from benchwright.schemas.jobs import problem_id, text_view
from benchwright.schemas.records import Question, Record, UnitInterval
from benchwright.schemas.workspace import Workspace

Relation = Literal["same", "same-template", "same-words", "overlap", "candidate"]
"""`same`: one question twice; `same-template`: same words, other numbers; `same-words`: same words with another picture
or other options (another question); `overlap`: also in the set that was compared against; `candidate`: so alike that
people should say (a changed word, a translation), merged only by their verdict."""
Method = Literal["exact", "stem", "minhash", "vector", "image", "shingles", "verdict"]


class DuplicateRow(Record):
    """One question of the pool after the search."""

    question_id: str
    group: str | None = None
    """Questions that are one and the same share it: the id of the member that stays. None: no duplicate."""
    keep: bool = True
    """False for the members of a group that give way, and for overlaps that the recipe turns away."""
    rule: str = ""
    """Which rule decided what stays in the group: `verdict` (people's), `reviewed`, `complete`, `image-quality`,
    `older-source`, `id`."""
    disputed: bool = False
    """The group's members have different answers: all stay, at most one is chosen, people decide (job `duplicates`)."""
    template: str | None = None
    """Questions that differ in nothing but their numbers share it: the lowest id among them."""
    overlap: tuple[str, ...] = ()
    """Which questions of which other sets it repeats, each as `SET#ID`."""


class DuplicatePair(Record):
    """Two questions that were held side by side, and why."""

    first: str
    second: str
    """`first` < `second`; for an overlap the second is `SET#ID`."""
    relation: Relation
    method: Method
    """What brought the two together."""
    similarity: UnitInterval
    """Of the method: 1 for exact, Jaccard, cosine, or the share of equal bits."""
    detail: str = ""


class DuplicateGroup(Record):
    """A group or pair that the `duplicates` job is about."""

    item_id: str
    """Of the job's proposals, reviews and verdicts."""
    why: Literal["disputed", "candidate"]
    """`disputed`: one question with different answers; `candidate`: perhaps one question."""
    members: tuple[str, ...]
    """Question ids, sorted."""
    digest: str
    """Of what is shown (`group_view`)."""


def groups_path(workspace: Workspace, discipline: str) -> Path:
    """The groups that the job is about, as JSON Lines of `DuplicateGroup`. Writer: curate dedup."""
    return workspace.duplicates(discipline).with_name(f"{discipline}.groups.jsonl")


def group_item_id(question_ids: Sequence[str]) -> str:
    """The job's item id of a group: readable by its first member, told by all of them."""
    members = sorted(question_ids)
    return f"{problem_id(members[0])[:80]}.{digest_of(members)[:10]}"


def group_view(questions: Sequence[Question]) -> dict[str, Any]:
    """What the job shows: every member with its text, options, answer and pictures."""
    ordered = sorted(questions, key=lambda question: question.id)
    return {"members": [[question.id, text_view(question.text, question.images)] for question in ordered]}
