"""A scripted second reader of the examples: what double review looks like without waiting for people.

`R01` is the author of the examples; `R02` is this script. It agrees but for a fixed share of problems, chosen by their
ids, so figures made from it show how agreement is measured and say nothing about the examples.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.examples.registry import all_problems
from benchwright.examples.reviews import RecordedReview, reviews
from benchwright.schemas.digest import digest_of
from benchwright.schemas.jobs import problem_id
from benchwright.schemas.taxonomy import load_taxonomy

PSEUDONYM = "R02"
SLOT = "B"
DISAGREES = {"subject": 8, "difficulty": 4}
"""One problem in so many gets another value."""


class SlottedReview(RecordedReview):
    """A recorded review that names its slot."""

    slot: str


def both_readers() -> Iterator[SlottedReview]:
    """The author's reviews in slot A, the script's in slot B."""
    for line in reviews():
        yield SlottedReview(**line.model_dump(), slot="A")
    taxonomy = load_taxonomy("visscience+sciverse")
    for problem in all_problems():
        name = problem_id(problem.id)
        subject, difficulty = problem.subject, problem.difficulty
        if _picked(name, "subject"):
            known = (one.id for one in taxonomy.subjects(problem.discipline))
            others = [one for one in known if one != problem.subject]
            subject = others[_number(name, "other") % len(others)]
        if _picked(name, "difficulty"):
            difficulty += 1 if problem.difficulty < 5 else -1
        values: tuple[tuple[str, str | int], ...] = (("subject", subject), ("difficulty", difficulty))
        for field, value in values:
            yield SlottedReview(
                job="tagging", item_id=name, field=field, value=value, pseudonym=PSEUDONYM, slot=SLOT
            )


def _picked(name: str, field: str) -> bool:
    return _number(name, field) % DISAGREES[field] == 0


def _number(name: str, salt: str) -> int:
    return int(digest_of([salt, name])[:8], 16)
