"""Difficulty levels learned from the levels that a pool's sources give, stage by stage and only where measured better.

The embedding and a few features of form go into a logistic regression over the levels; its expected level is cut into
levels where the labelled rows' own distribution has its steps.

Judged by weighted kappa (Cohen, "Weighted kappa", 1968; squared distances), which gives a constant nothing: the middle
level is often nearest to the labels on average, and still tells no question from another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchwright.curation.estimate_fit import CrossFit, Floats, Gain, cross_fit, usable
from benchwright.curation.estimate_outline import Outline, form_features, stage_name

Levels = NDArray[np.int64]

_STRENGTH = 3.0
LEAST_OF_STAGE = 50
"""Labelled rows of a stage from which its rule can be measured."""
_DECIMALS = 6
_RESAMPLES = 500
_TAIL = 2.5
"""Percent of the resamples that the lower end of a 95 % interval leaves below."""


@dataclass(frozen=True)
class LearnedLevels:
    """A fitted level and its share for each row, and where they beat the rule."""

    levels: Levels
    """[n]; held out for labelled rows."""
    confidences: Floats
    """[n], calibrated share of that level."""
    by_stage: Mapping[str, Gain]
    """Weighted kappa of the fitted levels and of the rule's; by stage, "" for rows without one."""
    overall: Gain
    labelled: int
    temperature: float

    def better_than_rule(self, stage: str) -> bool:
        """Whether the fitted level is to be taken: measured in the stage itself, or for rows without one, overall."""
        found = self.by_stage.get(stage)
        if found is not None:
            return found.sure
        return stage == "" and self.overall.sure


def learn_levels(
    vectors: NDArray[np.float32],
    outlines: Sequence[Outline],
    labels: Sequence[int | None],
    keys: Sequence[str],
    rule: Sequence[int],
) -> LearnedLevels | None:
    """Fit levels and measure them against a rule; None where too few rows are labelled.

    Args:
        vectors: [n, d].
        outlines: one per row.
        labels: level 1 to 5 per row, None where unknown.
        keys: see `estimate_fit.question_key`.
        rule: what would stand for the row without a fit.
    """
    rows = usable([None if label is None else str(label) for label in labels], keys)
    if not rows:
        return None
    form = form_features(outlines)
    truth = np.array([int(labels[row] or 0) for row in rows])
    known = np.hstack(
        [vectors[rows], form[rows]]
    )  # of the labelled rows alone: all rows would be a second table
    fit = cross_fit(known, [str(level) for level in truth], [keys[row] for row in rows], _STRENGTH)
    cuts = level_cuts(_expected(fit.held_out, fit), truth)
    shares = fit.shares(vectors, form)
    shares[rows] = fit.held_out
    places = np.searchsorted(cuts, _expected(shares, fit), side="right")
    levels = np.array([int(name) for name in fit.classes])[places]
    confidences = shares[np.arange(len(shares)), places]
    ours, theirs = levels[rows], np.array([rule[row] for row in rows])
    stages = [stage_name(outlines[row]) for row in rows]
    return LearnedLevels(
        levels=levels,
        confidences=np.round(confidences, 4),
        by_stage=_by_stage(stages, truth, ours, theirs),
        overall=agreement_gain(truth, ours, theirs),
        labelled=len(rows),
        temperature=fit.temperature,
    )


def weighted_kappa(table: NDArray[np.floating]) -> Floats:
    """Quadratically weighted kappa of tables of counts; 0 where one side is constant.

    Args:
        table: [..., levels, levels], truth by guess.

    Returns:
        [...]
    """
    counts = table.astype(np.float64)
    n = counts.shape[-1]
    distance = np.square(np.subtract.outer(np.arange(n), np.arange(n))).astype(np.float64)
    total = counts.sum(axis=(-2, -1))
    chance = counts.sum(axis=-1)[..., :, None] * counts.sum(axis=-2)[..., None, :]
    seen = (counts * distance).sum(axis=(-2, -1)) * total
    expected = (chance * distance).sum(axis=(-2, -1))
    kappa: Floats = 1 - np.divide(seen, expected, out=np.ones_like(expected), where=expected > 0)
    return kappa


def agreement_gain(truth: Levels, ours: Levels, theirs: Levels, seed: int = 0) -> Gain:
    """Weighted kappa of two guesses against the truth; the interval is of the paired difference (bootstrap).

    Args:
        truth: [n], levels 1 to 5, as both guesses.
        ours: [n].
        theirs: [n].
        seed: of the resamples.
    """
    cells = np.zeros((5, 5, 5), np.int64)
    np.add.at(cells, (truth - 1, ours - 1, theirs - 1), 1)
    random = np.random.default_rng(seed)
    drawn = random.multinomial(len(truth), cells.ravel() / len(truth), size=_RESAMPLES)
    drawn = drawn.reshape(_RESAMPLES, 5, 5, 5)
    differences = weighted_kappa(drawn.sum(axis=3)) - weighted_kappa(drawn.sum(axis=2))
    return Gain(
        ours=round(float(weighted_kappa(cells.sum(axis=2))), 4),
        theirs=round(float(weighted_kappa(cells.sum(axis=1))), 4),
        n=len(truth),
        lower=round(float(np.percentile(differences, _TAIL)), 4),
    )


def level_cuts(expected: Floats, truth: Levels) -> Floats:
    """Cuts between neighbouring levels that give the labelled rows their own distribution of levels.

    Args:
        expected: [n], expected level.
        truth: [n], the labels.

    Returns:
        [levels - 1], rising.
    """
    ordered = np.sort(expected)
    counts = np.cumsum([np.count_nonzero(truth == level) for level in sorted(set(truth.tolist()))])[:-1]
    return np.array([(ordered[at - 1] + ordered[at]) / 2 for at in counts])


def _expected(shares: Floats, fit: CrossFit) -> Floats:
    levels = np.array([float(name) for name in fit.classes])
    expected: Floats = np.round((shares * levels).sum(axis=1), _DECIMALS)
    return expected


def _by_stage(stages: Sequence[str], truth: Levels, ours: Levels, theirs: Levels) -> dict[str, Gain]:
    names = np.array(stages)
    found = {}
    for name in sorted(set(stages)):
        inside = names == name
        if np.count_nonzero(inside) >= LEAST_OF_STAGE:
            found[name] = agreement_gain(truth[inside], ours[inside], theirs[inside])
    return found
