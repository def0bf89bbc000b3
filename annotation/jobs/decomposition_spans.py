"""A decomposition as regions of a review page, and back. Pure functions.

Spans are character ranges of the stem as it is shown (`data["stem"]`). Label Studio counts code points, as Python does
(read in its 1.23.2 editor, `selection-tools.js`, and seen with letters beyond U+FFFF). Whatever does not fit together
is an `ItemError` with a reason: such an answer stays open, and is never mended by guessing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pydantic import ValidationError

from benchwright.annotation.jobs.base import JsonObject
from benchwright.annotation.jobs.controls import text_region, written
from benchwright.annotation.jobs.decomposition_texts import (
    FIELDS,
    field_texts,
    moved_span,
    new_id,
    plain,
    read_details,
    read_lines,
    squeezed,
)
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import (
    Condition,
    Decomposition,
    KnowledgeCue,
    KnowledgeDetail,
    Mark,
    Show,
)

TARGET = "stem"
SPANS = "show"
LABELS = "marks"


@dataclass(frozen=True)
class Span:
    """One selected range of the stem as it is shown."""

    region: str
    start: int
    end: int
    show: Show
    labels: str | None
    """What the reviewer wrote or left in the labels of this span; None where there is no such text."""


def decomposition_regions(split: Decomposition, shown: str) -> list[JsonObject]:
    """A decomposition as a filled-in page: its spans, the labels of their marks, and the texts.

    Args:
        split: what is filled in.
        shown: the stem of the page. Where that of `split` was edited, spans stand where their words are in `shown`;
            a span whose words are not there is left out.
    """
    regions: list[JsonObject] = []
    for condition in split.conditions:
        span = moved_span(split.stem, shown, condition.start, condition.end)
        if span is None:
            continue
        start, end = span
        place = {"start": start, "end": end}
        regions.append(
            {
                "id": condition.id,
                "from_name": SPANS,
                "to_name": TARGET,
                "type": "labels",
                "value": {
                    **place,
                    "text": shown[start:end],
                    "labels": [condition.show.value],
                },
            }
        )
        if condition.marks:
            regions.append(
                {
                    "id": condition.id,
                    "from_name": LABELS,
                    "to_name": TARGET,
                    "type": "textarea",
                    "value": {**place, "text": [_label_text(condition)]},
                }
            )
    texts = field_texts(split)
    return regions + [text_region(name, TARGET, texts[name]) for name in FIELDS if texts[name].strip()]


def read_decomposition(
    result: Sequence[JsonObject], stem: str, proposed: Decomposition | None
) -> Decomposition | None:
    """What a reviewer's regions say; None where the page was left empty.

    Args:
        result: the annotation's regions.
        stem: the stem that was shown, which the spans are ranges of.
        proposed: what was shown as the proposal; what was not touched is taken from it as it is.

    Raises:
        ItemError: `span-not-in-stem`, `overlapping-spans`, `empty-span`, `no-show`, `no-mark-label`,
            `no-core-question`, `no-cue`, `detail-without-text` or `bad-decomposition`.
    """
    spans = read_spans(result, stem)
    texts = {name: plain(written(result, name) or "") for name in FIELDS}
    if not spans and not any(texts.values()):
        return None
    known = field_texts(proposed) if proposed is not None else {}
    kept = {name for name in FIELDS if plain(known.get(name, "")).strip() == texts[name] and name in known}
    shown = texts["stem_text"] in ("", plain(stem).strip())
    made: dict[str, object] = {"stem": stem if shown else texts["stem_text"]}
    made["conditions"] = _conditions(spans, stem, str(made["stem"]), proposed)
    made["core_question"] = _core(texts["core_question"], "core_question" in kept, proposed)
    made["knowledge_cue"] = _cue(texts, kept, proposed)
    made["knowledge_detail"] = _details(texts["knowledge_detail"], "knowledge_detail" in kept, proposed)
    try:
        return Decomposition.model_validate(made)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ItemError("bad-decomposition", str(first["msg"]).removeprefix("Value error, ")) from error


def read_spans(result: Sequence[JsonObject], stem: str) -> list[Span]:
    """The selected ranges in reading order.

    Raises:
        ItemError: `span-not-in-stem`, `empty-span`, `no-show`, `overlapping-spans`.
    """
    labels = {
        str(region.get("id")): "\n".join(map(str, region.get("value", {}).get("text", [])))
        for region in result
        if region.get("from_name") == LABELS
    }
    spans = [_span(region, stem, labels) for region in result if region.get("from_name") == SPANS]
    spans.sort(key=lambda span: (span.start, span.end))
    for before, after in pairwise(spans):
        if after.start < before.end:
            raise ItemError(
                "overlapping-spans",
                f"{stem[before.start : before.end]!r} and {stem[after.start : after.end]!r} overlap",
            )
    return spans


def _span(region: JsonObject, stem: str, labels: Mapping[str, str]) -> Span:
    value = region.get("value", {})
    start, end = value.get("start"), value.get("end")
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start <= end <= len(stem)):
        raise ItemError("span-not-in-stem", f"from {start} to {end} of {len(stem)} characters")
    said = value.get("text")
    if isinstance(said, str) and squeezed(said) != squeezed(stem[start:end]):
        raise ItemError("span-not-in-stem", f"{said!r} was selected, there stands {stem[start:end]!r}")
    shows = value.get("labels") or []
    known = [show for show in Show if [show.value] == list(shows)]
    if not known:
        raise ItemError("no-show", f"{stem[start:end]!r} is marked {shows}")
    if not stem[start:end].strip():
        raise ItemError("empty-span", f"nothing stands from {start} to {end}")
    name = str(region.get("id"))
    return Span(name, start, end, known[0], labels.get(name))


def _conditions(
    spans: Sequence[Span], shown: str, stem: str, proposed: Decomposition | None
) -> tuple[Condition, ...]:
    """Spans -> conditions of the stem, edited or not."""
    old = {condition.id: condition for condition in proposed.conditions} if proposed is not None else {}
    ids = _ids(spans, shown, old)
    found = []
    for span, name in zip(spans, ids, strict=True):
        before = old.get(name)
        start, end = _trimmed(span, shown, before)
        if stem != shown:
            moved = moved_span(shown, stem, start, end)
            if moved is None:
                raise ItemError(
                    "span-not-in-stem",
                    f"{shown[start:end]!r} was selected, but the stem was edited there: select it in the words that "
                    "stay, or leave the stem",
                )
            start, end = moved
        marks = _marks(span, before, shown)
        found.append(Condition(id=name, start=start, end=end, show=span.show, marks=marks))
    return tuple(found)


def _ids(spans: Sequence[Span], stem: str, old: Mapping[str, Condition]) -> list[str]:
    """One id a span: that of the proposal's region, else of the proposal's span it overlaps most, else a new one."""
    ids: dict[int, str] = {}
    for i, span in enumerate(spans):
        if span.region in old and span.region not in ids.values():
            ids[i] = span.region
    pairs = sorted(
        (
            (-_overlap(span, condition), i, name)
            for i, span in enumerate(spans)
            for name, condition in old.items()
            if _overlap(span, condition) > 0
        ),
    )
    for _, i, name in pairs:
        if i not in ids and name not in ids.values():
            ids[i] = name
    taken = set(old)
    for i, span in enumerate(spans):
        if i not in ids:
            ids[i] = new_id(stem[span.start : span.end], taken)
            taken.add(ids[i])
    return [ids[i] for i in range(len(spans))]


def _overlap(span: Span, condition: Condition) -> int:
    return min(span.end, condition.end) - max(span.start, condition.start)


def _trimmed(span: Span, stem: str, before: Condition | None) -> tuple[int, int]:
    """A span without the blanks at its ends that a pointer picks up; the proposal's own span stays as it is."""
    if before is not None and (before.start, before.end) == (span.start, span.end):
        return span.start, span.end
    words = stem[span.start : span.end]
    return (
        span.start + len(words) - len(words.lstrip()),
        span.end - len(words) + len(words.rstrip()),
    )


def _marks(span: Span, before: Condition | None, stem: str) -> tuple[Mark, ...]:
    """The marks of a condition: of those the proposal has, each whose label is still there keeps its place."""
    if before is not None and before.show is span.show and (span.labels or "") == _label_text(before):
        return before.marks
    if span.show is not Show.ON_DIAGRAM:
        return ()
    lines = read_lines(span.labels or "")
    if not lines:
        raise ItemError(
            "no-mark-label",
            f"{stem[span.start : span.end]!r} is to be shown on the diagram, but has no label",
        )
    old = list(before.marks) if before is not None else []
    marks = []
    for line in lines:
        same = next((mark for mark in old if mark.label == line), None)
        if same is not None:
            old.remove(same)
        marks.append(same or Mark(label=line))
    return tuple(marks)


def _label_text(condition: Condition) -> str:
    return "\n".join(mark.label for mark in condition.marks)


def _core(text: str, kept: bool, proposed: Decomposition | None) -> str:
    if kept and proposed is not None:
        return proposed.core_question
    if not text:
        raise ItemError("no-core-question", "the field is empty")
    return text


def _cue(texts: Mapping[str, str], kept: set[str], proposed: Decomposition | None) -> KnowledgeCue:
    terms, sentence = read_lines(texts["cue_terms"]), texts["cue_sentence"]
    if proposed is not None:
        terms = proposed.knowledge_cue.terms if "cue_terms" in kept else terms
        sentence = proposed.knowledge_cue.sentence if "cue_sentence" in kept else sentence
        if {"cue_terms", "cue_sentence"} <= kept:
            return proposed.knowledge_cue
    if not terms or not sentence:
        raise ItemError("no-cue", "terms or the sentence that names them are missing")
    return KnowledgeCue(terms=terms, sentence=sentence)


def _details(text: str, kept: bool, proposed: Decomposition | None) -> tuple[KnowledgeDetail, ...]:
    if kept and proposed is not None:
        return proposed.knowledge_detail
    return read_details(text)
