"""What the search for duplicates leaves behind: one row a question, and the pairs that were held side by side.

`curate dedup` writes `DuplicateRow`s to `duplicates/<discipline>.parquet` and `DuplicatePair`s beside them. Choosing
takes only questions with `keep`, at most one of a `group`, and few of a `template`.
"""

from __future__ import annotations

from typing import Literal

from benchwright.schemas.records import Record, UnitInterval

Relation = Literal["same", "same-template", "same-words", "overlap"]
"""`same`: one question twice; `same-template`: same words, other numbers; `same-words`: same words with another picture
or other options (another question); `overlap`: also in the set that was compared against."""


class DuplicateRow(Record):
    """One question of the pool after the search."""

    question_id: str
    group: str | None = None
    """Questions that are one and the same share it: the id of the member that stays. None: no duplicate."""
    keep: bool = True
    """False for the members of a group that give way, and for overlaps that the recipe turns away."""
    rule: str = ""
    """Which rule decided what stays in the group: `reviewed`, `complete`, `image-quality`, `older-source`, `id`."""
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
    method: Literal["exact", "minhash", "vector", "image", "shingles"]
    """What brought the two together."""
    similarity: UnitInterval
    """Of the method: 1 for exact, Jaccard, cosine, or the share of equal bits."""
    detail: str = ""
