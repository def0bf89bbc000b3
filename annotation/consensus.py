"""Values that many people settle together although they differ: by Dawid-Skene, and only if the recipe allows it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import JsonValue

from benchwright.annotation.dawid_skene import Truth, Votes, dawid_skene
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.jobs import JOBS, FieldKind, Key, Review
from benchwright.schemas.recipe import AnnotationRecipe
from benchwright.schemas.review_states import is_review_slot

CLOSED = frozenset({FieldKind.CHOICE, FieldKind.INTEGER, FieldKind.BOOLEAN})
"""Kinds of fields whose values recur from item to item, so that people's errors can be estimated."""


@dataclass(frozen=True)
class ConsensusRule:
    """When answers that differ settle an item."""

    confidence: float
    """The value must be at least this likely."""
    answers: int
    """So many people must have answered."""


@dataclass(frozen=True)
class JointOpinion:
    """What the answers to one field of all items say together."""

    keys: tuple[Key, ...]
    people: tuple[str, ...]
    values: tuple[JsonValue, ...]
    """The classes."""
    answers: tuple[int, ...]
    """How many people answered each key."""
    truth: Truth


def consensus_rule(recipe: AnnotationRecipe) -> ConsensusRule | None:
    """The rule that the recipe allows; None where answers that differ always go to an adjudicator."""
    if recipe.consensus == "never":
        return None
    return ConsensusRule(recipe.consensus_confidence, recipe.consensus_answers)


def joint_opinions(states: Sequence[Review]) -> dict[tuple[str, str], JointOpinion]:
    """The joint opinion on each closed field, by (job, field).

    Args:
        states: the newest, counted states; only answers given in review slots are used, one a person and key.
    """
    answers: dict[tuple[str, str], dict[tuple[Key, str], JsonValue]] = defaultdict(dict)
    for review in sorted(states, key=lambda r: (r.slot, r.annotation_id), reverse=True):
        said = review.state == "submitted" and review.value is not None
        if said and is_review_slot(review.slot) and JOBS[review.job].field(review.field).kind in CLOSED:
            answers[review.job, review.field][review.key, review.pseudonym] = review.value
    return {field: _joint(answers[field]) for field in sorted(answers)}


def consensus_values(states: Sequence[Review], rule: ConsensusRule) -> dict[Key, JsonValue]:
    """The values that the rule lets stand, by key."""
    found: dict[Key, JsonValue] = {}
    for opinion in joint_opinions(states).values():
        for row, (key, n) in enumerate(zip(opinion.keys, opinion.answers, strict=True)):
            best = int(opinion.truth.posterior[row].argmax())
            if n >= rule.answers and opinion.truth.posterior[row, best] >= rule.confidence:
                found[key] = opinion.values[best]
    return found


def _joint(answers: Mapping[tuple[Key, str], JsonValue]) -> JointOpinion:
    keys = sorted({key for key, _ in answers}, key=canonical_json)
    people = sorted({who for _, who in answers})
    values = {canonical_json(value): value for value in answers.values()}
    names = sorted(values)
    rows = {key: i for i, key in enumerate(keys)}
    columns = {who: i for i, who in enumerate(people)}
    classes = {name: i for i, name in enumerate(names)}
    cells = sorted(
        (rows[key], columns[who], classes[canonical_json(value)]) for (key, who), value in answers.items()
    )
    items, raters, labels = np.asarray(cells, dtype=np.int64).T
    truth = dawid_skene(Votes(items, raters, labels, len(keys), len(people), len(names)))
    counts = np.bincount(items, minlength=len(keys))
    return JointOpinion(
        tuple(keys), tuple(people), tuple(values[name] for name in names), tuple(map(int, counts)), truth
    )
