"""What a final word about placement makes of a problem's texts: marks get their anchors, in every language.

A placement is about one language's marks; conditions share their ids, so the other languages take the places over
and keep their own labels. Nothing is ever lost on the way: where a condition has no place, its words are missing in the
core question, so the renderer cuts the text by rule, says `text-changed`, and a release waits for the decomposition's
review.
"""

from __future__ import annotations

import json

from pydantic import ValidationError

from benchwright.render.placement_marks import (
    Placements,
    has_marks,
    placed_language,
    placement_view,
    to_be_placed,
    with_placements,
)
from benchwright.schemas.errors import ItemError
from benchwright.schemas.jobs import problem_id
from benchwright.schemas.records import (
    Decomposition,
    Language,
    LocalizedText,
    Provenance,
    Question,
    Rejected,
)
from benchwright.schemas.standing import Standing
from benchwright.schemas.words import Words

JOB, FIELD = "placement", "marks"


def take_places(question: Question, found: Standing, words: Words) -> None:
    """Put marks where people, or accepted proposals, say; what does not count yet is noted as pending.

    Args:
        question: the pool's record.
        found: its texts as they stand; changed in place.
        words: of the job `placement`.
    """
    language = placed_language(found.texts, question.language)
    if language is None or not question.images:
        return
    try:
        said = _said(question, found, words, language)
        if said is None:
            if words.proposed(JOB, problem_id(question.id), None):
                _note(question, found, f"{JOB}-unreviewed", "nobody's word about these marks counts yet")
            return
        placements, by = said
        changed = {
            name: _placed(text, placements, relabel=name == language)
            for name, text in found.texts.items()
            if has_marks(text)
        }
    except ItemError as error:
        _note(question, found, f"{JOB}-{error.reason}", error.detail)
        return
    found.texts.update(changed)
    found.provenance.append(by)
    for name, text in changed.items():
        lost = [c for c in to_be_placed(_decomposition(text)) if c.id in placements.unplaced]
        if lost:
            ids = ", ".join(f"{c.id} ({placements.unplaced[c.id]})" for c in lost)
            detail = f"[{name}] {ids} has no place on the diagram: its words must return to the core question"
            _note(question, found, "decomposition-text-changed", detail)


def _said(
    question: Question, found: Standing, words: Words, language: Language
) -> tuple[Placements, Provenance] | None:
    view = placement_view(found.texts[language], question.images, language)
    said = words.optional(JOB, problem_id(question.id), None, FIELD, view)
    if said is None:
        return None
    try:
        return Placements.model_validate_json(json.dumps(said[0])), said[1]
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ItemError("bad-verdict", f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def _placed(text: LocalizedText, placements: Placements, *, relabel: bool) -> LocalizedText:
    moved = with_placements(_decomposition(text), placements, relabel=relabel)
    return text.model_copy(update={"decomposition": moved})


def _decomposition(text: LocalizedText) -> Decomposition:
    assert text.decomposition is not None, "marks come from a decomposition"
    return text.decomposition


def _note(question: Question, found: Standing, reason: str, detail: str) -> None:
    found.pending.append(
        Rejected(
            item_id=problem_id(question.id),
            stage="problems",
            reason=reason,
            detail=detail,
            source=question.source,
        )
    )
