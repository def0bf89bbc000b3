"""Where marks would go, as a value: what a proposer of the job `placement` writes and a reviewer corrects."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright.render.compose import typesetter_for
from benchwright.render.layout import Setter
from benchwright.render.page import Images
from benchwright.render.placement import NO_LABELS, Attempt, Labels, attempted, label_px
from benchwright.render.placement_diagram import Diagram
from benchwright.render.sidecar import MarkRecord
from benchwright.render.style import RenderStyle
from benchwright.schemas.records import Anchor, Arrow, Condition, Decomposition, ImageRef, Mark, Record, Show


class PlacedMark(Record):
    """One mark of one condition, placed."""

    condition: str
    mark: int
    """Which of the condition's marks, from 0."""
    label: str
    anchor: Anchor | None
    """Where it stands or what it points at; None: beside the drawing, on ground that will be added around it."""
    arrow: Arrow | None = None
    place: str
    """How the place was found: `anchor`, `near-anchor`, `leader` (as given), `named`, `free`, `around`."""
    near: str | None = None
    """The drawing's own label that it was put beside."""


class Placements(Record):
    """The value of the job `placement`, field `marks`."""

    marks: tuple[PlacedMark, ...] = ()
    unplaced: dict[str, str] = {}
    """Conditions without room, by id, with the reason: they stay in the text."""


def place_marks(
    diagrams: Sequence[ImageRef],
    images: Images,
    decomposition: Decomposition,
    style: RenderStyle | None = None,
    labels: Labels = NO_LABELS,
) -> Placements:
    """Find places for the marks of all conditions that are to be shown on a diagram. Nothing is drawn or written.

    Args:
        diagrams: the problem's diagrams; a mark without an anchor goes to the first, unless labels say otherwise.
        images: their published bytes by digest.
        decomposition: conditions with their marks; a mark's own anchor is kept.
        style: sizes; None: the default style.
        labels: the drawings' own labels (`placement_names.diagram_labels`), where they were read.

    Raises:
        ItemError: what a label's text raises (`missing-glyph`, `formula`).
    """
    look = style or RenderStyle()
    typesetter = typesetter_for()
    setter = Setter(typesetter.font, typesetter, label_px(diagrams, look.font_px))
    plain = look.model_copy(update={"band": False})
    attempt = attempted(decomposition, diagrams, images, plain, setter, labels)
    typesetter.take_counts()
    return Placements(marks=tuple(_placed(decomposition, attempt)), unplaced=attempt.unshown)


def with_placements(decomposition: Decomposition, placements: Placements) -> Decomposition:
    """The decomposition with its marks where a reviewed placement puts them.

    A condition without a place is no longer to be shown: it stays in the text. The core question is not touched:
    whether it still fits is the reviewer's word.
    """
    by_condition: dict[str, dict[int, PlacedMark]] = {}
    for item in placements.marks:
        by_condition.setdefault(item.condition, {})[item.mark] = item
    conditions = tuple(
        _moved(condition, by_condition.get(condition.id, {}), condition.id in placements.unplaced)
        for condition in decomposition.conditions
    )
    return decomposition.model_copy(update={"conditions": conditions})


def _moved(condition: Condition, placed: dict[int, PlacedMark], unplaced: bool) -> Condition:
    if unplaced:
        return condition.model_copy(update={"show": Show.TEXT, "marks": ()})
    marks = tuple(
        Mark(label=found.label, anchor=found.anchor, arrow=found.arrow) if (found := placed.get(i)) else mark
        for i, mark in enumerate(condition.marks)
    )
    return condition.model_copy(update={"marks": marks})


def _placed(decomposition: Decomposition, attempt: Attempt) -> list[PlacedMark]:
    """Marks in reading order; the attempt records those of one condition in their order."""
    records: dict[str, list[tuple[Diagram, MarkRecord]]] = {}
    for condition in decomposition.conditions:
        for diagram in attempt.diagrams.values():
            mine = [(diagram, record) for record in diagram.marks if record.condition == condition.id]
            records.setdefault(condition.id, []).extend(mine)
    found: list[PlacedMark] = []
    for condition in decomposition.conditions:
        left = list(records[condition.id])
        for index, mark in enumerate(condition.marks):
            pair = next((pair for pair in left if _is_of(pair, mark)), None)
            if pair is not None:
                left.remove(pair)
                found.append(_value(condition.id, index, mark, *pair))
    return found


def _is_of(pair: tuple[Diagram, MarkRecord], mark: Mark) -> bool:
    return pair[1].label == mark.label and (mark.anchor is None or mark.anchor.image == pair[0].ref.sha256)


def _value(condition: str, index: int, mark: Mark, diagram: Diagram, record: MarkRecord) -> PlacedMark:
    value = PlacedMark(
        condition=condition,
        mark=index,
        label=mark.label,
        anchor=mark.anchor,
        arrow=mark.arrow,
        place=record.place,
        near=record.near,
    )
    if mark.anchor is not None or mark.arrow is not None:
        return value
    anchor = _anchor(diagram, record)
    place = "around" if anchor is None else "named" if record.near else record.place
    return value.model_copy(update={"anchor": anchor, "place": place})


def _anchor(diagram: Diagram, record: MarkRecord) -> Anchor | None:
    """The label's box in fractions of the published image; None where it reaches beyond the image."""
    width, height = diagram.size
    x, y = record.box.x - diagram.border[0], record.box.y - diagram.border[1]
    if x < 0 or y < 0 or x + record.box.width > width or y + record.box.height > height:
        return None
    return Anchor(
        image=diagram.ref.sha256,
        kind="box",
        x=round(x / width, 5),
        y=round(y / height, 5),
        w=round(record.box.width / width, 5),
        h=round(record.box.height / height, 5),
    )


__all__ = ["PlacedMark", "Placements", "place_marks", "with_placements"]
