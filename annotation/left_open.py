"""Items that an adjudicator answered and that have no value all the same. No page asks about them again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from benchwright.annotation.opinions import agreeing_fields
from benchwright.annotation.slots import ItemKey, item_key
from benchwright.schemas.jobs import Review, Verdict
from benchwright.schemas.journal import Journal, read_jsonl
from benchwright.schemas.review_states import ADJUDICATION, current_states
from benchwright.schemas.workspace import Workspace


@dataclass(frozen=True)
class LeftOpen:
    """One of these items."""

    job: str
    item_id: str
    language: str | None
    fields: tuple[str, ...]
    """Those without a value."""
    why: str
    """`cannot-decide`, `item-faulty`, `adjudicators-differ`, or `unreadable`: an answer that says nothing."""


def left_open(job: str, states: Iterable[Review], verdicts: Iterable[Verdict]) -> list[LeftOpen]:
    """The items that adjudication left open, by id.

    Args:
        job: its name.
        states: newest states of all annotations.
        verdicts: derived from them.
    """
    names = {field.name for field in agreeing_fields(job)}
    said: dict[ItemKey, list[Review]] = defaultdict(list)
    for review in states:
        if review.slot == ADJUDICATION and review.state == "submitted":
            said[item_key(review)].append(review)
    fields: dict[ItemKey, list[str]] = defaultdict(list)
    for verdict in verdicts:
        item = (verdict.item_id, verdict.language, verdict.digest)
        if verdict.basis == "open" and verdict.field in names and item in said:
            fields[item].append(verdict.field)
    return [
        LeftOpen(job, item[0], item[1], tuple(sorted(fields[item])), _why(said[item]))
        for item in sorted(fields, key=lambda item: (item[0], item[1] or "", item[2]))
    ]


def left_open_items(workspace: Workspace, job: str) -> list[LeftOpen]:
    """The same, read from a workspace's reviews; none before the first pull."""
    if not workspace.reviews(job).is_file() or not workspace.verdicts(job).is_file():
        return []
    states = current_states(Journal(workspace.reviews(job)).read(Review))
    return left_open(job, states, read_jsonl(workspace.verdicts(job), Verdict))


def _why(said: Iterable[Review]) -> str:
    reviews = list(said)
    undecided = {review.undecided for review in reviews}
    if None not in undecided and len(undecided) == 1:
        return str(undecided.pop())
    return "adjudicators-differ" if len({review.annotation_id for review in reviews}) > 1 else "unreadable"
