"""The recorded reviews of the tagging job that the demo replays.

They name problems, not digests of what was shown: drawing and compression differ in single bits between machines, and
the demo must not find its own reviews stale there. Replaying binds each to what the workspace shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchwright.examples.registry import all_problems
from benchwright.schemas.jobs import problem_id
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import Record

PSEUDONYM = "R01"


class RecordedReview(Record):
    """One line: what the author of the examples says of one field."""

    job: str
    item_id: str
    field: str
    value: str | int
    pseudonym: str


def reviews() -> Iterator[RecordedReview]:
    """The author's own subject and difficulty of every example."""
    for problem in all_problems():
        for field, value in (("subject", problem.subject), ("difficulty", problem.difficulty)):
            yield RecordedReview(
                job="tagging", item_id=problem_id(problem.id), field=field, value=value, pseudonym=PSEUDONYM
            )


def write_reviews(path: Path) -> int:
    """Write `reviews` as JSON lines; returns how many."""
    return write_jsonl(path, reviews())


if __name__ == "__main__":
    write_reviews(Path(__file__).with_name("reviews.jsonl"))
