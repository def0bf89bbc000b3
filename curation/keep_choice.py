"""The best of a reviewed selection: as many as wanted, by two ratings, under the selection's own rules.

SciVerse (section 2) collects candidates, has experts look at them, and keeps those that ask for much knowledge and show
much in their pictures. Here the ratings are those of the `quality` job; a whole-number program keeps the highest sum
that the rules allow, and says by its bound that there is no higher one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchwright.curation.select_items import Candidate
from benchwright.curation.select_model import model_of
from benchwright.curation.select_rules import Rules
from benchwright.schemas.errors import InfeasibleError
from benchwright.schemas.selection import ChoiceSettings, is_stand_in

SHARE_OF_RULES = 0.01
"""What one unit of the selection's own objective counts against one step of a rating."""


@dataclass(frozen=True)
class Best:
    """What was kept."""

    items: tuple[Candidate, ...]
    value: float
    bound: float
    rules: Rules


def scaled(settings: ChoiceSettings, n: int, path_level: int | None) -> ChoiceSettings:
    """The settings of a smaller choice: hard quotas shrink in proportion, with room for rounding."""
    share = n / settings.n
    changes: dict[str, object] = {"n": n}
    if path_level is not None:
        changes["path_level"] = path_level
    quotas = {
        "subject_quota": settings.subject_quota,
        "difficulty_quota": settings.difficulty_quota,
    }
    for name, quota in quotas.items():
        if quota is not None:
            changes[name] = {value: round(count * share) for value, count in quota.items()}
            changes["quota_tolerance"] = max(1, round(settings.quota_tolerance * share))
    for name in ("subject_target", "difficulty_target"):
        target: Mapping[str, float] | None = getattr(settings, name)
        if target is not None:
            changes[name] = {value: count * share for value, count in target.items()}
    return ChoiceSettings.model_validate(settings.model_dump() | changes)


def rules_for(accepted: Sequence[Candidate], settings: ChoiceSettings) -> Rules:
    """The rules of a choice among accepted questions: their points, levels and subjects are the pool."""
    return Rules.of(cut(accepted, settings.path_level), settings)


def cut(items: Sequence[Candidate], path_level: int | None) -> list[Candidate]:
    """Questions with their points at a path level."""
    if path_level is None:
        return list(items)
    return [
        replace(
            item,
            points=tuple(
                sorted({p if is_stand_in(p) else "/".join(p.split("/")[:path_level]) for p in item.points})
            ),
        )
        for item in items
    ]


def keep_best(
    name: str, accepted: Sequence[Candidate], ratings: Mapping[str, float], settings: ChoiceSettings
) -> Best:
    """Keep `settings.n` questions with the highest sum of ratings that the rules allow.

    Args:
        name: the discipline, for messages.
        accepted: reviewed questions that may stay.
        ratings: sum of both ratings by id; all of `accepted` have one.
        settings: of the smaller choice (`scaled`).

    Raises:
        InfeasibleError: `too-few-accepted`, or `rules-against-keeping` with the deepest path level that fits.
    """
    if len(accepted) < settings.n:
        raise InfeasibleError(
            f"{name} has {len(accepted)} accepted and rated questions, {settings.n} are to be kept: review more, "
            "replace what was turned away, or keep fewer.",
            "too-few-accepted",
        )
    items = sorted(cut(accepted, settings.path_level), key=lambda item: item.question_id)
    rules = Rules.of(items, settings)
    found = _solve(items, rules, ratings, settings)
    if found is None:
        raise _conflict(name, accepted, ratings, settings)
    chosen, bound = found
    value = sum(ratings[item.question_id] for item in chosen) + SHARE_OF_RULES * rules.worth(chosen)
    return Best(tuple(chosen), round(value, 6), round(max(bound, value), 6), rules)


def _solve(
    items: Sequence[Candidate], rules: Rules, ratings: Mapping[str, float], settings: ChoiceSettings
) -> tuple[list[Candidate], float] | None:
    model = model_of(items, rules)
    own = np.array([ratings[item.question_id] for item in items], np.float64)
    model = replace(
        model,
        gains=own + SHARE_OF_RULES * model.gains,
        extra=replace(model.extra, gain=SHARE_OF_RULES * model.extra.gain),
    )
    linear = model.part(np.arange(len(items)), whole=True).linear
    solution = linear.solve(settings.gap_limit, settings.time_limit, settings.seed)
    if solution is None:
        return None
    taken = [item for item, value in zip(items, solution.values, strict=False) if value > 0.5]
    return taken, solution.bound


def _conflict(
    name: str, accepted: Sequence[Candidate], ratings: Mapping[str, float], settings: ChoiceSettings
) -> InfeasibleError:
    deepest = max((point.count("/") + 1 for item in accepted for point in item.points), default=1)
    for level in range(min(settings.path_level or deepest, deepest) - 1, 0, -1):
        tried = settings.model_copy(update={"path_level": level})
        items = sorted(cut(accepted, level), key=lambda item: item.question_id)
        if _solve(items, Rules.of(items, tried), ratings, tried) is not None:
            mend = f"keep more, or cover points at path level {level} (--path-level {level}), the deepest that fits"
            break
    else:
        mend = "keep more, or loosen quotas and limits under [selection]; no path level fits"
    return InfeasibleError(
        f"no {settings.n} of {len(accepted)} accepted questions of {name} keep every rule of the selection: {mend}.",
        "rules-against-keeping",
    )
