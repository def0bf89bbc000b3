"""The fewest exchanges after which rules hold: a whole-number program over the selection and what could join it.

Keeping a chosen question is worth more than anything else, so the answer changes as little as possible. Soft rules
that hold now are demanded, those that do not may not get worse.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchwright.curation.select_items import Candidate, levels_of
from benchwright.curation.select_model import model_of
from benchwright.curation.select_rules import Band, Rules

_KEEP = 10.0
"""Worth of a chosen question that stays; likings are below 1."""
_SMALL_TERMS = 1e-3
"""Scale of the soft terms that stay soft."""


@dataclass(frozen=True)
class Wanted:
    """Which rules a mended selection has to keep besides those that hold now."""

    points: Collection[str] = ()
    """Points to be covered again."""
    bands: Collection[str] = ()
    """Bands to be met again, by rule."""


@dataclass(frozen=True)
class Mending:
    """Questions that leave and join, both by id."""

    leaving: tuple[Candidate, ...]
    joining: tuple[Candidate, ...]


def demanded(rules: Rules, chosen: Sequence[Candidate], wanted: Wanted, soft: bool = True) -> Rules:
    """Rules that hold for a selection now, as hard ones, and the wanted ones.

    Args:
        rules: of the selection.
        chosen: the selection as it stands.
        wanted: rules that do not hold now and shall.
        soft: whether soft bands are demanded too.
    """
    points = {point for item in chosen for point in item.points} | set(wanted.points)
    levels = Counter(rule for item in chosen for rule in levels_of(item))
    must = tuple(point for point in rules.must if point in points)
    bands = []
    for band in rules.bands:
        count = levels[band.rule]
        lower, upper = band.lower, band.upper
        if band.rule not in wanted.bands:
            lower, upper = min(lower, count), max(upper, count)
        bands.append(Band(band.rule, lower, upper, band.hard or soft))
    return replace(rules, must=must, targets=dict.fromkeys(must, 1), bands=tuple(bands))


def fewest_exchanges(
    chosen: Sequence[Candidate],
    offered: Iterable[Candidate],
    rules: Rules,
    *,
    leaving: Collection[str] = (),
    fixed: Collection[str] = (),
    liked: Mapping[str, float] | None = None,
    seconds: float = 60.0,
) -> Mending | None:
    """Exchange as few questions as possible so that every hard rule holds.

    Args:
        chosen: the selection.
        offered: questions that may join.
        rules: what has to hold (`demanded`).
        leaving: chosen ids that have to leave.
        fixed: offered or chosen ids that have to be in it afterwards.
        liked: how much each offered question is preferred among equals, from 0 up to below 1.
        seconds: for the solver.

    Returns:
        None where no exchange can do it.
    """
    likings = liked or {}
    staying = {item.question_id: item for item in chosen if item.question_id not in set(leaving)}
    joining = {item.question_id: item for item in offered if item.question_id not in staying}
    items = sorted([*staying.values(), *joining.values()], key=lambda item: item.question_id)
    if len(items) < rules.n:
        return None
    model = model_of(items, rules, fixed=fixed)
    gains = [_KEEP if item.question_id in staying else likings.get(item.question_id, 0.0) for item in items]
    model = replace(
        model,
        gains=np.array(gains, np.float64),
        extra=replace(model.extra, gain=model.extra.gain * _SMALL_TERMS),
    )
    solution = model.part(np.arange(len(items)), whole=True).linear.solve(time_limit=seconds)
    if solution is None:
        return None
    taken = {item.question_id for item, value in zip(items, solution.values, strict=False) if value > 0.5}
    return Mending(
        tuple(sorted((i for i in chosen if i.question_id not in taken), key=lambda i: i.question_id)),
        tuple(joining[name] for name in sorted(taken & joining.keys())),
    )
