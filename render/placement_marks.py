"""Where marks would go, as a value: what a proposer of the job `placement` writes and a reviewer corrects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from benchwright.render.compose import typesetter_for
from benchwright.render.font import BUNDLED
from benchwright.render.layout import Setter
from benchwright.render.page import Images
from benchwright.render.placement import NO_LABELS, NOWHERE, Attempt, Labels, attempted
from benchwright.render.placement_diagram import Diagram
from benchwright.render.placement_there import There
from benchwright.render.sidecar import MarkRecord
from benchwright.render.style import RenderStyle
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import (
    Anchor,
    Arrow,
    Condition,
    Decomposition,
    ImageRef,
    Language,
    LocalizedText,
    Mark,
    Record,
    Show,
)

Place = Literal["anchor", "near-anchor", "leader", "named", "free", "around", "already-there"]
"""How a place was found: as given (the first three), beside the drawing's own label, on free ground inside or around
the drawing; or not needed, because the drawing says it already."""
_CONFIDENCE: Mapping[str, float] = {
    "anchor": 0.95,
    "near-anchor": 0.9,
    "leader": 0.85,
    "named": 0.8,
    "free": 0.4,
    "around": 0.3,
}
_PLACES: Mapping[str, Place] = {name: name for name in get_args(Place)}
_UNREAD = 0.5
"""Factor where the drawing was not read: a free place may be far from what the mark names, or repeat what is there."""


class PlacedMark(Record):
    """One mark of one condition, placed."""

    condition: str
    mark: Annotated[int, Field(ge=0)]
    """Which of the condition's marks, from 0."""
    label: str
    """What is drawn; for `already-there` what the drawing says."""
    anchor: Anchor | None = None
    """Where it stands or what it points at; None: beside the only drawing, on ground that will be added around it."""
    arrow: Arrow | None = None
    place: Place
    near: str | None = None
    """The drawing's own label that it was put beside."""
    confidence: Annotated[float, Field(ge=0.0, le=1.0)] = 1.0


class Placements(Record):
    """The value of the job `placement`, field `marks`."""

    marks: tuple[PlacedMark, ...] = ()
    unplaced: dict[str, str] = {}
    """Conditions without a place, by id, with the reason: their words must go back into the core question."""
    labels_read: bool = True
    """False: the drawings' own labels were not read, so no place was chosen by what is written there."""

    @property
    def confidence(self) -> float:
        """The least sure of its marks; 0 where a condition found no place."""
        return 0.0 if self.unplaced else min((mark.confidence for mark in self.marks), default=0.0)


def placement_view(text: LocalizedText, images: Sequence[ImageRef], language: str) -> dict[str, Any]:
    """What the placement job shows of a problem: pictures, stem, and the marks that are to be placed.

    Args:
        text: the text in the language in which it is shown; has a decomposition.
        images: the problem's diagrams.
        language: which language that is; the other ones take the places over.
    """
    assert text.decomposition is not None, "marks come from a decomposition"
    stem = text.decomposition.stem
    return {
        "language": language,
        "images": [image.sha256 for image in images],
        "stem": stem,
        "conditions": [
            [c.id, c.start, c.end, [mark.model_dump(mode="json") for mark in c.marks]]
            for c in to_be_placed(text.decomposition)
        ],
    }


def placed_language(texts: Mapping[Language, LocalizedText], source: Language) -> Language | None:
    """The language whose marks are placed: the source's, else the first that has marks to be drawn; None: none has."""
    order = sorted(texts, key=lambda language: (language != source, language))
    return next((language for language in order if has_marks(texts[language])), None)


def has_marks(text: LocalizedText) -> bool:
    """Whether a text has conditions that are to be drawn."""
    return text.decomposition is not None and bool(to_be_placed(text.decomposition))


def to_be_placed(decomposition: Decomposition) -> tuple[Condition, ...]:
    """The conditions whose marks are to be drawn."""
    return tuple(c for c in decomposition.conditions if c.show is Show.ON_DIAGRAM)


def place_marks(
    diagrams: Sequence[ImageRef],
    images: Images,
    decomposition: Decomposition,
    style: RenderStyle | None = None,
    labels: Labels = NO_LABELS,
    font: Path = BUNDLED,
) -> Placements:
    """Find places for the marks of all conditions that are to be shown on a diagram. Nothing is drawn or written.

    Args:
        diagrams: the problem's diagrams; a mark without an anchor goes to the first that is no option's picture,
            unless labels say otherwise.
        images: their published bytes by digest.
        decomposition: conditions with their marks; a mark's own anchor is kept.
        style: sizes; None: the default style.
        labels: the drawings' own labels (`placement_names.diagram_labels`), where they were read.
        font: the text font's file.

    Raises:
        ItemError: what a label's text raises (`missing-glyph`, `formula`).
    """
    look = style or RenderStyle()
    typesetter = typesetter_for(font)
    setter = Setter(typesetter.font, typesetter, look.font_px)
    plain = look.model_copy(update={"band": False})
    attempt = attempted(decomposition, diagrams, images, plain, setter, labels)
    typesetter.take_counts()
    read = all(ref.sha256 in labels for ref in diagrams)
    marks = tuple(
        _there(condition.id, number, attempt.there[condition.id][number])
        if condition.id in attempt.there
        else _value(condition.id, number, mark, attempt, read)
        for condition in to_be_placed(decomposition)
        if condition.id not in attempt.unshown
        for number, mark in enumerate(condition.marks)
    )
    return Placements(marks=marks, unplaced=attempt.unshown, labels_read=read)


def with_placements(
    decomposition: Decomposition, placements: Placements, *, relabel: bool = True
) -> Decomposition:
    """The decomposition with its marks where a reviewed placement puts them.

    What the drawing says already is no longer to be drawn: the core question, which leaves those words out, still
    fits. A condition without a place keeps its mark, which is drawn nowhere (`NOWHERE`): its words are missing in the
    core question, so the picture's text is cut by rule and waits for the decomposition's review.

    Args:
        decomposition: of the text that the placement was about, or of the same problem in another language.
        placements: the reviewed or accepted value.
        relabel: take the labels over; False for another language, whose labels are its own.

    Raises:
        ItemError: `bad-verdict` where a mark or condition is spoken of that is not to be drawn.
    """
    wanted = {c.id: len(c.marks) for c in to_be_placed(decomposition)}
    by_condition: dict[str, dict[int, PlacedMark]] = {}
    for item in placements.marks:
        if relabel and item.mark >= wanted.get(item.condition, 0):
            raise ItemError("bad-verdict", f"{item.condition} has no mark {item.mark} that is to be drawn")
        by_condition.setdefault(item.condition, {})[item.mark] = item
    if relabel and (unknown := sorted(placements.unplaced.keys() - wanted.keys())):
        raise ItemError("bad-verdict", f"{unknown[0]} is no condition that is to be drawn")
    conditions = tuple(
        _moved(c, by_condition.get(c.id, {}), c.id in placements.unplaced, relabel) if c.id in wanted else c
        for c in decomposition.conditions
    )
    return decomposition.model_copy(update={"conditions": conditions})


def _moved(condition: Condition, placed: dict[int, PlacedMark], unplaced: bool, relabel: bool) -> Condition:
    if unplaced:
        nowhere = tuple(
            mark.model_copy(update={"anchor": NOWHERE, "arrow": None}) for mark in condition.marks
        )
        return condition.model_copy(update={"marks": nowhere})
    said = [placed[i].place == "already-there" for i in range(len(condition.marks)) if i in placed]
    if len(said) == len(condition.marks) and all(said):
        return condition.model_copy(update={"show": Show.ALREADY_THERE, "marks": ()})
    marks = tuple(
        Mark(label=found.label if relabel else mark.label, anchor=found.anchor, arrow=found.arrow)
        if (found := placed.get(i)) is not None and found.place != "already-there"
        else mark
        for i, mark in enumerate(condition.marks)
    )
    return condition.model_copy(update={"marks": marks})


def _there(condition: str, number: int, there: There) -> PlacedMark:
    x, y, w, h = there.label.box
    return PlacedMark(
        condition=condition,
        mark=number,
        label=there.label.text,
        anchor=Anchor(image=there.image, kind="box", x=x, y=y, w=w, h=h),
        place="already-there",
        near=there.label.text,
        confidence=there.confidence,
    )


def _value(condition: str, number: int, mark: Mark, attempt: Attempt, read: bool) -> PlacedMark:
    key, position = attempt.placed[condition, number]
    diagram = attempt.diagrams[key]
    record = diagram.marks[position]
    anchor, place = mark.anchor, record.place
    if mark.anchor is None and mark.arrow is None:
        anchor = _anchor(diagram, record)
        place = "around" if anchor is None else "named" if record.near else record.place
        if anchor is None and len(attempt.diagrams) > 1:
            anchor = _edge(diagram, record)
    given = mark.anchor is not None or mark.arrow is not None
    return PlacedMark(
        condition=condition,
        mark=number,
        label=record.label,
        anchor=anchor,
        arrow=mark.arrow,
        place=_PLACES[place],
        near=record.near,
        confidence=_CONFIDENCE[place] * (1.0 if read or given else _UNREAD),
    )


def _edge(diagram: Diagram, record: MarkRecord) -> Anchor:
    """The point of the image's edge nearest to a label beside it: it says beside which of several pictures."""
    width, height = diagram.size
    x = record.box.x + record.box.width / 2 - diagram.border[0]
    y = record.box.y + record.box.height / 2 - diagram.border[1]
    inside = [round(min(1.0, max(0.0, v)), 5) for v in (x / width, y / height)]
    return Anchor(image=diagram.ref.sha256, kind="point", x=inside[0], y=inside[1])


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


__all__ = [
    "PlacedMark",
    "Placements",
    "has_marks",
    "place_marks",
    "placed_language",
    "placement_view",
    "to_be_placed",
    "with_placements",
]
