"""Items that the answers of several models make suspicious: what `evaluate items` finds and re-review reads.

A flag is a reason to look again, never a verdict: only people change an item.
"""

from __future__ import annotations

from typing import Literal

from benchwright.schemas.records import Record

FLAGS_NAME = "flags.jsonl"
"""In a run folder; written whole, sorted by row and kind."""

FlagKind = Literal["dead", "ceiling", "blind-solvable", "suspect-key"]


class Flag(Record):
    """One reason to look at one released row again, with the figures behind it."""

    row_id: str
    problem_id: str
    kind: FlagKind
    """`dead`: nobody is right. `ceiling`: everybody is. `blind-solvable`: right without the picture, or without the
    text, more often than by chance. `suspect-key`: the better a model is elsewhere the more rarely it is right here, or
    models agree on one answer that is not the key."""
    respondents: int
    """Models that answered the row with everything shown; several runs of a model are one respondent."""
    share_correct: float | None
    """Mean of the respondents' scores, in 0..1; None without respondents."""
    item_rest: float | None
    """Correlation over respondents of the score here with the score on all other rows (corrected point-biserial);
    None with too few respondents, or where all score alike."""
    blind_respondents: int
    """Models that answered it without the picture or without the text."""
    blind_right: int
    chance: float
    """Of a blind guesser, in closed form."""
    p_blind: float | None
    """Probability that a guesser is right at least so often; None without blind respondents."""
    agreed_answer: str | None = None
    """The wrong answer that models agree on."""
    agreeing: int = 0
    """How many of them give it."""
    runs: tuple[str, ...]
    """Ids of the runs behind the figures, sorted."""
