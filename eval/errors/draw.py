"""Drawing answers of a run for people to look at: so many of each discipline, at random, the same ones every time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from benchwright.models.thinking import split_thinking
from benchwright.schemas.digest import digest_of
from benchwright.schemas.runs import Answered
from benchwright.schemas.status import OUTCOME_OF_STATUS, Outcome


def says_something(answered: Answered) -> bool:
    """Whether an answer holds words that can be judged; the review pages offer no other ones."""
    response = answered.response
    return OUTCOME_OF_STATUS[response.status] is None and bool(split_thinking(response.text).text)


def is_wrong(answered: Answered) -> bool:
    """Whether an answer was judged inconsistent: these have an error to be named."""
    judged = answered.judgement
    return judged is not None and judged.outcome is Outcome.INCONSISTENT and says_something(answered)


def drawn(answers: Sequence[Answered], run_id: str, sample: int | None, seed: int) -> list[Answered]:
    """At most `sample` answers of each discipline, drawn without regard to anything but seed, run and row.

    A larger sample holds every smaller one. `annotate push --sample` draws in the same way.

    Args:
        answers: to draw from.
        run_id: the run's.
        sample: most answers of each discipline; None for all.
        seed: of the draw.

    Returns:
        The drawn ones in the order given.
    """
    if sample is None:
        return list(answers)
    taken: dict[str, int] = defaultdict(int)
    chosen = set()
    for place in sorted(
        range(len(answers)), key=lambda place: digest_of([seed, run_id, answers[place].row.id])
    ):
        discipline = answers[place].row.discipline
        if taken[discipline] < sample:
            taken[discipline] += 1
            chosen.add(place)
    return [answer for place, answer in enumerate(answers) if place in chosen]
