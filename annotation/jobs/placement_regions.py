"""Placed marks as regions of a review page, and back. Pure functions.

Label Studio gives boxes and points in percent of the picture, `Placements` holds fractions of it. What a reviewer did
not touch comes back as the very value that was proposed; what does not fit together is an `ItemError` with a reason,
and such an answer stays open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchwright.annotation.jobs.base import JsonObject
from benchwright.annotation.jobs.controls import choices_region, chosen, text_region, written
from benchwright.render.placement_marks import PlacedMark, Placements, to_be_placed
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import Anchor, Arrow, Decomposition

DRAWN, THERE, NOWHERE = "drawn", "already-there", "nowhere"
WHERE = (DRAWN, THERE, NOWHERE)
BY_REVIEW = "by-review"
"""Why a condition has no place, where people say so and the proposal did not."""
COLOURS = ("#b02a37", "#0a58ca", "#2f6f4f", "#8a6100", "#5a3ea8", "#9c2a7c", "#0b7285", "#5c4033")
_POINT = 0.8
"""Size of a point on the page, in percent of the picture's width."""
_DIGITS = 5
_STILL = 5e-4
"""Fraction of a picture's side by which a region may differ that nobody moved: half a pixel of a thousand."""
_KEY_LENGTH = 28
_SAID = (
    (re.compile(r"\\(?:mathrm|text|mathbf|mathit|operatorname|left|right|displaystyle)\b"), ""),
    (re.compile(r"\\[ ,;:!]|~|\\q?quad\b"), " "),
    (re.compile(r"\^\{?\\circ\}?|\\circ\b"), "°"),
    (re.compile(r"\\times\b"), "×"),
    (re.compile(r"\\cdot\b"), "·"),
    (re.compile(r"\\mu\b"), "μ"),
    (re.compile(r"\\theta\b"), "θ"),
    (re.compile(r"\\alpha\b"), "α"),
    (re.compile(r"\\Omega\b"), "Ω"),
    (re.compile(r"\\angle\b"), "∠"),
    (re.compile(r"\\(?=[A-Za-z%])"), ""),
)


@dataclass(frozen=True)
class Slot:
    """One mark that is to be placed, as the page names it."""

    condition: str
    mark: int
    label: str
    """What the decomposition wants drawn."""
    key: str
    """Its name on the page: its number and the beginning of its label."""


@dataclass(frozen=True)
class Picture:
    """A picture of the page by its place there."""

    sha256: str
    width: int
    height: int


def slots_of(decomposition: Decomposition) -> tuple[Slot, ...]:
    """The marks to be placed, in the order of the conditions."""
    found: list[Slot] = []
    for condition in to_be_placed(decomposition):
        for number, mark in enumerate(condition.marks):
            name = f"{len(found) + 1} · {in_words(mark.label)[:_KEY_LENGTH]}"
            found.append(Slot(condition.id, number, mark.label, name))
    return tuple(found)


def in_words(label: str) -> str:
    """A label without the signs of its formulas, for places that draw none.

    No dollar sign may be left: the page would look for a variable of that name.
    """
    said = label.replace("$", "")
    for pattern, plain in _SAID:
        said = pattern.sub(plain, said)
    return " ".join(said.replace("{", "").replace("}", "").split())


def arrow_keys(number: int) -> tuple[str, str]:
    """What the page calls tail and tip of the arrow of the mark with that index, counted from 0."""
    return f"{number + 1} tail · 箭尾", f"{number + 1} tip · 箭尖"


def placement_regions(
    placements: Placements, slots: Sequence[Slot], pictures: Sequence[Picture]
) -> list[JsonObject]:
    """Placed marks as a filled-in page.

    Raises:
        ValueError: an anchor is on a picture that the page does not show.
    """
    placed = {(mark.condition, mark.mark): mark for mark in placements.marks}
    regions: list[JsonObject] = []
    for number, slot in enumerate(slots):
        mark = placed.get((slot.condition, slot.mark))
        where = _where(mark, slot.condition in placements.unplaced)
        if where is None:
            continue
        target = f"mark_{number}"
        regions.append(choices_region(f"where_{number}", target, [where]))
        regions.append(text_region(f"label_{number}", target, mark.label if mark is not None else slot.label))
        if mark is not None:
            regions += _drawn(mark, number, slot, pictures)
    return regions


def read_placements(
    result: Sequence[JsonObject],
    slots: Sequence[Slot],
    pictures: Sequence[Picture],
    proposed: Placements | None,
) -> Placements | None:
    """What a reviewer's regions say; None where the page was left empty.

    Args:
        result: the annotation's regions.
        slots: the marks that the page asked for.
        pictures: the pictures that it showed.
        proposed: what was shown as the proposal.

    Raises:
        ItemError: `mark-unanswered`, `half-placed`, `two-places`, `half-arrow`, `no-label`, `which-picture`,
            `unknown-label` or `out-of-picture`.
    """
    page = _Page.read(result, slots, pictures)
    if page is None:
        return None
    old = {(mark.condition, mark.mark): mark for mark in proposed.marks} if proposed is not None else {}
    where = {slot.key: page.where(number) for number, slot in enumerate(slots)}
    unplaced: dict[str, str] = {}
    marks: list[PlacedMark] = []
    for number, slot in enumerate(slots):
        siblings = {where[other.key] for other in slots if other.condition == slot.condition}
        if NOWHERE in siblings:
            if siblings != {NOWHERE}:
                raise ItemError("half-placed", f"{slot.condition}: all its labels have a place, or none has")
            before = proposed.unplaced.get(slot.condition) if proposed is not None else None
            unplaced[slot.condition] = before or BY_REVIEW
            continue
        made = page.mark(number, slot, where[slot.key])
        before_mark = old.get((slot.condition, slot.mark))
        marks.append(before_mark if before_mark is not None and _same(made, before_mark) else made)
    read = proposed.labels_read if proposed is not None else False
    return Placements(marks=tuple(marks), unplaced=unplaced, labels_read=read)


@dataclass(frozen=True)
class _Spot:
    """A box or point on one of the pictures."""

    picture: int
    anchor: Anchor


@dataclass(frozen=True)
class _Page:
    """What stands on a filled-in page."""

    result: Sequence[JsonObject]
    pictures: Sequence[Picture]
    places: Mapping[str, Sequence[_Spot]]
    """By the name of the mark, or of its arrow's tail or tip."""

    @classmethod
    def read(
        cls, result: Sequence[JsonObject], slots: Sequence[Slot], pictures: Sequence[Picture]
    ) -> _Page | None:
        names = {slot.key for slot in slots}
        names |= {name for number in range(len(slots)) for name in arrow_keys(number)}
        places: dict[str, list[_Spot]] = {}
        for region in result:
            if region.get("type") in ("rectanglelabels", "keypointlabels"):
                name, spot = _spot(region, pictures, names)
                places.setdefault(name, []).append(spot)
        asked = {f"{part}_{number}" for part in ("where", "label") for number in range(len(slots))}
        if not places and not any(region.get("from_name") in asked for region in result):
            return None
        return cls(result, pictures, places)

    def where(self, number: int) -> str:
        answer = chosen(self.result, f"where_{number}")
        if answer is None or answer.value not in WHERE:
            raise ItemError("mark-unanswered", f"nothing was chosen for label {number + 1}")
        return str(answer.value)

    def mark(self, number: int, slot: Slot, where: str) -> PlacedMark:
        label = written(self.result, f"label_{number}")
        if label is None:
            raise ItemError("no-label", f"label {number + 1} is empty")
        spot = self._one(slot.key, "two-places")
        arrow = self._arrow(number, spot)
        if where == THERE:
            return self._made(slot, label, spot, None, THERE)
        if spot is None and len(self.pictures) > 1:
            raise ItemError("which-picture", f"label {number + 1} stands on none of the pictures")
        return self._made(slot, label, spot, arrow, "anchor" if spot is not None or arrow else "around")

    def _made(
        self, slot: Slot, label: str, spot: _Spot | None, arrow: Arrow | None, place: str
    ) -> PlacedMark:
        values = {"condition": slot.condition, "mark": slot.mark, "label": label, "place": place}
        anchor = spot.anchor if spot is not None else None
        return PlacedMark.model_validate({**values, "anchor": anchor, "arrow": arrow})

    def _arrow(self, number: int, spot: _Spot | None) -> Arrow | None:
        tail_name, tip_name = arrow_keys(number)
        tail, tip = self._one(tail_name, "half-arrow"), self._one(tip_name, "half-arrow")
        if tail is None and tip is None:
            return None
        if tail is None or tip is None:
            raise ItemError(
                "half-arrow", f"the arrow of label {number + 1} has a tail and no tip, or the reverse"
            )
        if len({tail.picture, tip.picture, *([spot.picture] if spot is not None else [])}) > 1:
            raise ItemError("half-arrow", f"label {number + 1} and its arrow are on different pictures")
        return Arrow(x0=tail.anchor.x, y0=tail.anchor.y, x1=tip.anchor.x, y1=tip.anchor.y)

    def _one(self, name: str, reason: str) -> _Spot | None:
        spots = self.places.get(name, ())
        if len(spots) > 1:
            raise ItemError(reason, f"{name!r} stands at {len(spots)} places")
        return spots[0] if spots else None


def _spot(region: JsonObject, pictures: Sequence[Picture], names: set[str]) -> tuple[str, _Spot]:
    """A region's label and its place.

    Raises:
        ItemError: `unknown-label`, `out-of-picture`.
    """
    value, kind = region.get("value", {}), str(region.get("type"))
    labels = value.get(kind) or []
    if len(labels) != 1 or labels[0] not in names:
        raise ItemError("unknown-label", f"a region is labelled {labels}")
    number = str(region.get("to_name")).removeprefix("picture_")
    if not number.isdecimal() or int(number) >= len(pictures):
        raise ItemError("out-of-picture", f"{labels[0]!r} stands on {region.get('to_name')!r}")
    x, y = float(value["x"]), float(value["y"])
    w, h = (float(value["width"]), float(value["height"])) if kind == "rectanglelabels" else (0.0, 0.0)
    slack = 100 * _STILL
    if min(x, y, w, h) < -slack or x + w > 100 + slack or y + h > 100 + slack:
        raise ItemError("out-of-picture", f"{labels[0]!r} reaches beyond its picture")
    place = int(number)
    anchor = Anchor(
        image=pictures[place].sha256,
        kind="box" if kind == "rectanglelabels" else "point",
        **{name: _fraction(side) for name, side in (("x", x), ("y", y), ("w", w), ("h", h))},
    )
    return str(labels[0]), _Spot(place, anchor)


def _fraction(percent: float) -> float:
    return round(min(1.0, max(0.0, percent / 100)), _DIGITS)


def _where(mark: PlacedMark | None, unplaced: bool) -> str | None:
    if mark is None:
        return NOWHERE if unplaced else None
    return THERE if mark.place == "already-there" else DRAWN


def _drawn(mark: PlacedMark, number: int, slot: Slot, pictures: Sequence[Picture]) -> Iterable[JsonObject]:
    place = 0
    if mark.anchor is not None:
        places = [i for i, picture in enumerate(pictures) if picture.sha256 == mark.anchor.image]
        if not places:
            raise ValueError(f"{slot.condition}: its mark stands on a picture that the page does not show")
        place = places[0]
        yield _anchor_region(mark.anchor, place, pictures[place], slot, f"{slot.condition}.{slot.mark}")
    if mark.arrow is not None:
        ends = ((mark.arrow.x0, mark.arrow.y0), (mark.arrow.x1, mark.arrow.y1))
        for name, (x, y) in zip(arrow_keys(number), ends, strict=True):
            end = name.split()[1]
            yield _point_region(
                f"arrow_{place}", place, pictures[place], (x, y), name, f"{slot.condition}.{slot.mark}.{end}"
            )


def _anchor_region(anchor: Anchor, place: int, picture: Picture, slot: Slot, name: str) -> JsonObject:
    if anchor.kind == "point":
        return _point_region(f"point_{place}", place, picture, (anchor.x, anchor.y), slot.key, name)
    value = {
        **{side: _percent(size) for side, size in (("x", anchor.x), ("y", anchor.y))},
        **{side: _percent(size) for side, size in (("width", anchor.w), ("height", anchor.h))},
        "rotation": 0,
        "rectanglelabels": [slot.key],
    }
    return _region(f"box_{place}", place, picture, "rectanglelabels", value, name)


def _point_region(
    control: str, place: int, picture: Picture, at: tuple[float, float], label: str, name: str
) -> JsonObject:
    value = {"x": _percent(at[0]), "y": _percent(at[1]), "width": _POINT, "keypointlabels": [label]}
    return _region(control, place, picture, "keypointlabels", value, name)


def _region(
    control: str, place: int, picture: Picture, kind: str, value: JsonObject, name: str
) -> JsonObject:
    return {
        "id": name,
        "from_name": control,
        "to_name": f"picture_{place}",
        "type": kind,
        "original_width": picture.width,
        "original_height": picture.height,
        "image_rotation": 0,
        "value": value,
    }


def _percent(fraction: float) -> float:
    return round(100 * fraction, _DIGITS - 1)


def _same(made: PlacedMark, before: PlacedMark) -> bool:
    """Whether a reviewer left a mark as it was proposed."""
    there = (made.place == "already-there", before.place == "already-there")
    return (
        there[0] == there[1]
        and made.label == before.label.strip()
        and _still(_numbers(made), _numbers(before))
        and (made.anchor.image if made.anchor else None) == (before.anchor.image if before.anchor else None)
        and (made.anchor.kind if made.anchor else None) == (before.anchor.kind if before.anchor else None)
    )


def _numbers(mark: PlacedMark) -> list[float]:
    box = [mark.anchor.x, mark.anchor.y, mark.anchor.w, mark.anchor.h] if mark.anchor is not None else []
    line = [mark.arrow.x0, mark.arrow.y0, mark.arrow.x1, mark.arrow.y1] if mark.arrow is not None else []
    return [len(box), *box, *line]


def _still(first: Sequence[float], second: Sequence[float]) -> bool:
    return len(first) == len(second) and all(
        abs(one - other) <= _STILL for one, other in zip(first, second, strict=True)
    )
