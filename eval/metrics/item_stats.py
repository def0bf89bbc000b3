"""Item statistics over several models' answers: how hard an item is, and which items deserve a second look.

Classical figures, no response model: with 8 to 30 models the share of right answers ranks difficulty as well as a 2PL
model does, and the corrected point-biserial finds wrong keys as well (DESIGN.md 8; simulation of 1,000 items). The
respondent is the model: several runs of one model (repeats, direct and step by step) count as their mean, because they
are no independent witnesses.

    share correct   mean score of the respondents
    item-rest       Pearson correlation, over respondents, of the score on the item with the mean score on the rows of
                    all other problems (the item's own versions and languages are left out of the rest: one wrong key
                    spoils all of them)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from benchwright.eval.metrics.chance import at_least
from benchwright.schemas.flags import Flag, FlagKind
from benchwright.schemas.records import Record

FEWEST_FOR_EXTREMES = 4
"""Respondents below which an item that all get right (or wrong) says nothing."""
FEWEST_FOR_CORRELATION = 8
"""Respondents below which the item-rest correlation is not computed."""
FEWEST_AGREEING = 4
"""Respondents that have to give one and the same wrong answer."""
SUSPECT_BELOW = -0.2
"""Item-rest correlation at which a key is suspected."""
AGREEING_SHARE = 0.75
"""Share of the respondents, from which on their common wrong answer makes the key suspect."""
BLIND_LEVEL = 0.05
"""A guesser is right as often as the blind respondents were with at most this probability."""


@dataclass(frozen=True)
class Answered:
    """What one model did, by row id."""

    name: str
    scores: Mapping[str, float]
    """Mean of its outcomes on a row, 0 (wrong, no answer) to 1 (right); rows without an outcome are absent."""
    wrong_answers: Mapping[str, str] = field(default_factory=dict)
    """What it answered where it was wrong and its answer could be read."""


@dataclass(frozen=True)
class Item:
    """A released row as the statistics see it."""

    row_id: str
    problem_id: str
    chance: float


class ItemFigures(Record):
    """Statistics of one row. Shares are in 0..1."""

    row_id: str
    problem_id: str
    respondents: int
    share_correct: float | None
    item_rest: float | None
    blind_respondents: int
    blind_right: int
    chance: float
    p_blind: float | None
    agreed_answer: str | None
    agreeing: int


def item_figures(
    items: Sequence[Item], respondents: Sequence[Answered], blind: Sequence[Answered] = ()
) -> tuple[ItemFigures, ...]:
    """Figures of each row, in the order given.

    Args:
        items: the rows.
        respondents: models that saw everything.
        blind: models that saw the text or the picture alone; they never count as respondents.
    """
    scores = _matrix(items, respondents)
    correlations = item_rest(scores, [item.problem_id for item in items])
    counts = (~np.isnan(scores)).sum(axis=0)
    found = []
    for place, item in enumerate(items):
        given = scores[:, place][~np.isnan(scores[:, place])]
        seen_blind = [model.scores[item.row_id] for model in blind if item.row_id in model.scores]
        right_blind = sum(score > 0.5 for score in seen_blind)
        answer, agreeing = _agreed([model.wrong_answers.get(item.row_id) for model in respondents])
        correlation = float(correlations[place])
        found.append(
            ItemFigures(
                row_id=item.row_id,
                problem_id=item.problem_id,
                respondents=int(counts[place]),
                share_correct=float(given.mean()) if len(given) else None,
                item_rest=None if np.isnan(correlation) else correlation,
                blind_respondents=len(seen_blind),
                blind_right=right_blind,
                chance=item.chance,
                p_blind=at_least(right_blind, [item.chance] * len(seen_blind)) if seen_blind else None,
                agreed_answer=answer,
                agreeing=agreeing,
            )
        )
    return tuple(found)


def item_rest(scores: NDArray[np.float64], problems: Sequence[str]) -> NDArray[np.float64]:
    """Corrected point-biserial correlation of each row with the rows of all other problems.

    Args:
        scores: (respondents, rows), 0..1; NaN where a model has no outcome.
        problems: problem of each row.

    Returns:
        (rows,), in -1..1; NaN with fewer than 8 respondents, or where the row or the rest does not vary.
    """
    known = ~np.isnan(scores)
    values = np.where(known, scores, 0.0)
    codes = (
        np.unique(np.asarray(problems, dtype=str), return_inverse=True)[1] if problems else np.zeros(0, int)
    )
    same = np.zeros((len(problems), int(codes.max()) + 1 if len(codes) else 0))
    same[np.arange(len(problems)), codes] = 1.0
    rest_sum = values.sum(axis=1, keepdims=True) - (values @ same)[:, codes]
    rest_n = known.sum(axis=1, keepdims=True) - (known @ same)[:, codes]
    usable = known & (rest_n > 0)
    rest = np.divide(rest_sum, rest_n, out=np.zeros_like(values), where=rest_n > 0)
    n = usable.sum(axis=0)
    x, y = (_centred(part, usable, n) for part in (values, rest))
    spread = np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0))
    enough = (n >= FEWEST_FOR_CORRELATION) & (spread > 1e-9)
    found: NDArray[np.float64] = np.full(len(problems), np.nan)
    found[enough] = (x * y).sum(axis=0)[enough] / spread[enough]
    return found


def flags_of(figures: ItemFigures, runs: tuple[str, ...]) -> tuple[Flag, ...]:
    """The reasons to look at a row again, by kind.

    Args:
        figures: of the row.
        runs: ids of the runs behind them.
    """
    return tuple(
        Flag(kind=kind, runs=runs, **figures.model_dump()) for kind, holds in _kinds(figures).items() if holds
    )


def _kinds(figures: ItemFigures) -> dict[FlagKind, bool]:
    many = figures.respondents >= FEWEST_FOR_EXTREMES
    agreed = figures.agreeing >= max(FEWEST_AGREEING, AGREEING_SHARE * figures.respondents)
    correlation, p_blind = figures.item_rest, figures.p_blind
    return {
        "blind-solvable": figures.blind_right > 0 and p_blind is not None and p_blind <= BLIND_LEVEL,
        "ceiling": many and figures.share_correct == 1.0,
        "dead": many and figures.share_correct == 0.0,
        "suspect-key": agreed or (correlation is not None and correlation <= SUSPECT_BELOW),
    }


def mean_scores(outcomes: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """One respondent's scores from its several runs: the mean of the outcomes that a row has."""
    values: dict[str, list[float]] = defaultdict(list)
    for run in outcomes:
        for row_id, score in run.items():
            values[row_id].append(score)
    return {row_id: sum(found) / len(found) for row_id, found in values.items()}


def _matrix(items: Sequence[Item], respondents: Sequence[Answered]) -> NDArray[np.float64]:
    found = np.full((len(respondents), len(items)), np.nan)
    for line, model in enumerate(respondents):
        for place, item in enumerate(items):
            found[line, place] = model.scores.get(item.row_id, np.nan)
    return found


def _centred(
    values: NDArray[np.float64], usable: NDArray[np.bool_], n: NDArray[np.int_]
) -> NDArray[np.float64]:
    means = np.where(usable, values, 0.0).sum(axis=0) / np.maximum(n, 1)
    return np.where(usable, values - means, 0.0)


def _agreed(answers: Sequence[str | None]) -> tuple[str | None, int]:
    """The most frequent wrong answer and how many give it; the first by text where several are."""
    counts = Counter(answer for answer in answers if answer)
    if not counts:
        return None, 0
    answer = min(counts, key=lambda text: (-counts[text], text))
    return answer, counts[answer]
