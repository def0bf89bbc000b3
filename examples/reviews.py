"""The recorded reviews of the tagging job that the demo replays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchwright.examples.pool import as_question
from benchwright.examples.registry import all_problems
from benchwright.schemas.jobs import Review, problem_id, shown_digest, tagging_view
from benchwright.schemas.journal import write_jsonl

PSEUDONYM, SLOT = "R01", "A"
REVIEWED_AT = "2026-11-29T12:00:00Z"


def reviews() -> Iterator[Review]:
    """The author's own subject and difficulty of every example, as reviews by hand."""
    for number, problem in enumerate(all_problems(), start=1):
        question = as_question(problem)
        for field, value in (("subject", problem.subject), ("difficulty", problem.difficulty)):
            yield Review(
                job="tagging",
                item_id=problem_id(question.id),
                field=field,
                digest=shown_digest(tagging_view(question)),
                value=value,
                pseudonym=PSEUDONYM,
                slot=SLOT,
                state="submitted",
                origin="manual",
                annotation_id=f"example-{number}",
                updated_at=REVIEWED_AT,
            )


def write_reviews(path: Path) -> int:
    """Write `reviews` as JSON lines; returns how many."""
    return write_jsonl(path, reviews())


if __name__ == "__main__":
    write_reviews(Path(__file__).with_name("reviews.jsonl"))
