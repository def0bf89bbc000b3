"""From reviews to tables that agreement can be counted on: one answer a person and thing, cut into comparable parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

import numpy as np
from pydantic import JsonValue

from benchwright.annotation.agreement import (
    MISSING,
    FloatArray,
    Scale,
    Table,
    box_disagreements,
    set_disagreement,
)
from benchwright.annotation.slots import REMARKS, ItemKey, item_key
from benchwright.annotation.values import without_order
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.jobs import JOBS, FieldKind, JobField, Review
from benchwright.schemas.review_figures import ScaleName
from benchwright.schemas.review_states import is_review_slot, moment

ABSENT = "(absent)"
"""What somebody said about a part that only others filled in."""
POINT_SIDE = 0.05
"""A point on a picture is compared as a square of this width and height, in parts of the picture's."""
_MANY_LEAVES = 40
"""Parts of objects with more different values than this are texts: no chance-corrected figure is given."""
V = TypeVar("V", bound=Hashable)


@dataclass(frozen=True)
class Opinion:
    """What one person said about one unit."""

    item: ItemKey
    unit: str
    """Part of the item's value, e.g. a mark; '' where the value is one."""
    pseudonym: str
    slot: str
    value: JsonValue


@dataclass(frozen=True)
class Measure:
    """One figure of the report: a field, or a part of it that recurs."""

    name: str
    """`difficulty`, `marks: box`, `steps: kind`."""
    scale: Scale | None
    """None for texts, of which only the share of equal answers is counted."""
    opinions: tuple[Opinion, ...]
    order: tuple[JsonValue, ...] = ()
    """All values there can be, in their order; empty: those that occur."""


def agreeing_fields(job: str) -> tuple[JobField, ...]:
    """The fields of a job about which people are expected to agree."""
    return tuple(field for field in JOBS[job].fields if field.name not in REMARKS)


def submitted_answers(states: Iterable[Review]) -> list[Review]:
    """Answers given in review slots, one a person, item and field; the newest where somebody gave several."""
    newest: dict[tuple[ItemKey, str, str], Review] = {}
    for review in sorted(states, key=lambda r: (moment(r), r.annotation_id)):
        if review.state == "submitted" and is_review_slot(review.slot) and review.value is not None:
            newest[item_key(review), review.field, review.pseudonym] = review
    return [newest[name] for name in sorted(newest, key=canonical_json)]


def measures(job: str, states: Iterable[Review]) -> list[Measure]:
    """What can be compared in a job, in the order of its fields.

    Args:
        job: its name.
        states: newest, counted states (`slots.counted`).
    """
    by_field: dict[str, list[Review]] = defaultdict(list)
    for review in submitted_answers(states):
        by_field[review.field].append(review)
    found: list[Measure] = []
    for field in agreeing_fields(job):
        if field.name in by_field:
            found += _of_field(field, by_field[field.name])
    return found


def scale_name(measure: Measure) -> ScaleName | None:
    """How a report names a measure's scale; None for texts."""
    match measure.scale:
        case Scale.GIVEN:
            return "boxes" if measure.name.endswith(": box") else "sets"
        case Scale.NOMINAL:
            return "nominal"
        case Scale.ORDINAL:
            return "ordinal"
        case Scale.INTERVAL:
            return "interval"
        case _:
            return None


def answers_table(measure: Measure, column: str = "pseudonym") -> Table:
    """A measure's opinions as a table.

    Args:
        measure: the measure.
        column: `pseudonym` or `slot`: what the raters are. A slot with two different answers to a unit said nothing.
    """
    values = _values(measure)
    codes = {canonical_json(value): code for code, value in enumerate(values)}
    items = _index(opinion.item for opinion in measure.opinions)
    units = _index((opinion.item, opinion.unit) for opinion in measure.opinions)
    raters = _index(getattr(opinion, column) for opinion in measure.opinions)
    table = np.full((len(units), len(raters)), MISSING, dtype=np.int64)
    spoilt = set()
    for opinion in measure.opinions:
        cell = (units[opinion.item, opinion.unit], raters[getattr(opinion, column)])
        code = codes[canonical_json(opinion.value)]
        if table[cell] not in {MISSING, code}:
            spoilt.add(cell)
        table[cell] = code
    for cell in spoilt:
        table[cell] = MISSING
    own = np.asarray([items[item] for item, _ in units], dtype=np.int64)
    distances = _distances(values) if measure.scale is Scale.GIVEN else None
    return Table(table, max(len(values), 1), own, numbers=_numbers(values), distances=distances)


def raters(measure: Measure, column: str = "pseudonym") -> list[str]:
    """The columns of `answers_table`, in their order."""
    return list(_index(str(getattr(opinion, column)) for opinion in measure.opinions))


def _of_field(field: JobField, reviews: Sequence[Review]) -> list[Measure]:
    if field.kind is FieldKind.OBJECT:
        return _of_objects(field, reviews)
    opinions = tuple(_opinion(review, "", review.value) for review in reviews)
    if field.kind is FieldKind.INTEGER:
        known = field.minimum is not None and field.maximum is not None
        order = tuple(range(field.minimum or 0, (field.maximum or 0) + 1)) if known else ()
        return [Measure(field.name, Scale.ORDINAL, opinions, order)]
    if field.kind is FieldKind.MULTI:
        return [
            Measure(
                field.name, Scale.GIVEN, tuple(_opinion(r, "", _in_order(field, r.value)) for r in reviews)
            )
        ]
    if field.kind is FieldKind.TEXT:
        return [Measure(field.name, None, tuple(_opinion(r, "", _plain_text(r.value)) for r in reviews))]
    return [Measure(field.name, Scale.NOMINAL, opinions, field.values)]


def _of_objects(field: JobField, reviews: Sequence[Review]) -> list[Measure]:
    """Objects, part by part. A part that one person filled in and another did not is a disagreement."""
    parts = [(review, _parts(_in_order(field, review.value))) for review in reviews]
    there: dict[ItemKey, set[tuple[str, str]]] = defaultdict(set)
    for review, found in parts:
        there[item_key(review)] |= set(found)
    opinions: dict[str, list[Opinion]] = defaultdict(list)
    for review, found in parts:
        for label, unit in sorted(there[item_key(review)]):
            opinions[label].append(_opinion(review, unit, found.get((label, unit), ABSENT)))
    return [
        Measure(f"{field.name}: {label}", _scale_of(label, opinions[label]), tuple(opinions[label]))
        for label in sorted(opinions)
    ]


def _scale_of(label: str, opinions: Sequence[Opinion]) -> Scale | None:
    if label == "box":
        return Scale.GIVEN
    different = {canonical_json(opinion.value) for opinion in opinions}
    return Scale.NOMINAL if len(different) <= _MANY_LEAVES else None


def _parts(value: JsonValue) -> dict[tuple[str, str], JsonValue]:
    """(what kind of part, which one) -> its value. Marks are boxes; all else is taken apart down to single values."""
    if isinstance(value, dict) and isinstance(value.get("marks"), list):
        return _marks(value)
    found: dict[tuple[str, str], JsonValue] = {}
    _leaves(value, (), found)
    return found


def _marks(value: Mapping[str, JsonValue]) -> dict[tuple[str, str], JsonValue]:
    found: dict[tuple[str, str], JsonValue] = {}
    marks = value["marks"]
    assert isinstance(marks, list), "the caller looked"
    for mark in marks:
        if isinstance(mark, dict):
            unit = f"{mark.get('condition')}/{mark.get('mark', 0)}"
            found["box", unit] = _box(mark.get("anchor"), mark.get("place"))
            found["label", unit] = mark.get("label")
    return found


def _box(anchor: JsonValue, place: JsonValue) -> JsonValue:
    """[image, x, y, width, height]; without an anchor the words for where the mark is."""
    if not isinstance(anchor, dict):
        return place if place is not None else ABSENT
    x, y, w, h = (_number(anchor.get(side)) for side in ("x", "y", "w", "h"))
    if w == 0 or h == 0:
        x, y, w, h = x - POINT_SIDE / 2, y - POINT_SIDE / 2, POINT_SIDE, POINT_SIDE
    return [anchor.get("image"), x, y, w, h]


def _leaves(value: JsonValue, path: tuple[str, ...], found: dict[tuple[str, str], JsonValue]) -> None:
    if isinstance(value, dict):
        for name in value:
            _leaves(value[name], (*path, name), found)
    elif isinstance(value, list):
        for name, entry in zip(_entry_names(value), value, strict=True):
            _leaves(entry, (*path, name), found)
    else:
        label = next((part for part in reversed(path) if not part.isdecimal()), "value")
        found[label, "/".join(path)] = value


def _entry_names(entries: Sequence[JsonValue]) -> list[str]:
    """What tells the entries of a list apart: an id, the text of a step, a term; else their place.

    Places alone would hold a step against its neighbour as soon as one person strikes out another step.
    """
    names: list[str] = []
    for place, entry in enumerate(entries):
        own = (
            [entry[key] for key in ("id", "text", "term") if key in entry] if isinstance(entry, dict) else []
        )
        name = str(own[0]) if own else str(place)
        names.append(name if name not in names else f"{name} #{place}")
    return names


def _values(measure: Measure) -> list[JsonValue]:
    """All values, numbers by size."""
    found = {canonical_json(opinion.value): opinion.value for opinion in measure.opinions}
    named = {canonical_json(value): value for value in measure.order}
    others = sorted(set(found) - set(named), key=lambda name: (_number(found[name]), name))
    return [*named.values(), *(found[name] for name in others)]


def _numbers(values: Sequence[JsonValue]) -> FloatArray | None:
    if values and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return np.asarray(values, dtype=np.float64)
    return None


def _distances(values: Sequence[JsonValue]) -> FloatArray:
    """Disagreement of each two values, shape (values, values): boxes by what they share, lists as sets."""
    n = len(values)
    apart = 1.0 - np.eye(n)
    lists = [(place, value) for place, value in enumerate(values) if isinstance(value, list)]
    boxes = [(place, value) for place, value in lists if _is_box(value)]
    if boxes and len(boxes) == len(lists):
        places = np.asarray([place for place, _ in boxes])
        images = np.asarray([str(value[0]) for _, value in boxes])
        sides = np.asarray([[_number(side) for side in value[1:]] for _, value in boxes])
        apart[np.ix_(places, places)] = np.where(
            images[:, None] == images[None, :], box_disagreements(sides), 1.0
        )
        return apart
    sets = [(place, frozenset(canonical_json(entry) for entry in value)) for place, value in lists]
    for (one, first), (other, second) in combinations(sets, 2):
        apart[one, other] = apart[other, one] = set_disagreement(first, second)
    return apart


def _is_box(value: Sequence[JsonValue]) -> bool:
    return len(value) == 5 and all(isinstance(v, (int, float)) for v in value[1:])


def _number(value: JsonValue) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _in_order(field: JobField, value: JsonValue) -> JsonValue:
    """Options that were ticked have no order; other lists, e.g. a problem's choices, do."""
    return value if field.ordered else without_order(value)


def _plain_text(value: JsonValue) -> JsonValue:
    """Texts that differ in nothing but blanks are equal."""
    return " ".join(value.split()) if isinstance(value, str) else value


def _opinion(review: Review, unit: str, value: JsonValue) -> Opinion:
    return Opinion(item_key(review), unit, review.pseudonym, review.slot, value)


def _index(names: Iterable[V]) -> dict[V, int]:
    """Places of different names in their order."""
    return {name: place for place, name in enumerate(sorted(set(names), key=canonical_json))}
