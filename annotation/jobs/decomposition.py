"""Decomposition: a question split as in SciVerse (section 2.3), its conditions selected as spans of the stem.

The stem is shown as it is written, formulas as source: a condition is a range of its characters. Beside it stands the
proposal as readers will see it, formulas drawn. Core question, cue and detail are text fields, prefilled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from xml.sax.saxutils import quoteattr

from benchwright.annotation.guidelines import load_guidelines
from benchwright.annotation.items import StandingQuestion, standing_questions
from benchwright.annotation.jobs.base import FieldAnswer, JsonObject, ReviewGroup, ReviewItem, image_url
from benchwright.annotation.jobs.controls import (
    COMMENT,
    closing,
    origin_of,
    page,
    shown_html,
    text_field,
    written,
)
from benchwright.annotation.jobs.decomposition_preview import SHOWN, STYLE, proposal_panel, question_panel
from benchwright.annotation.jobs.decomposition_spans import (
    LABELS,
    SPANS,
    TARGET,
    decomposition_regions,
    read_decomposition,
)
from benchwright.annotation.jobs.decomposition_texts import FIELDS
from benchwright.annotation.proposals import newest_proposals
from benchwright.schemas.errors import ItemError
from benchwright.schemas.jobs import Key, Proposal, shown_digest, text_view
from benchwright.schemas.records import Decomposition, ImageRef, Language, LocalizedText
from benchwright.schemas.workspace import Workspace

NAME = "decomposition"
Proposals = Mapping[Key, Proposal]
_TITLES = {
    "stem_text": ("Stem, where it must be changed · 题干（需要改动时）", 3),
    "core_question": ("Core question · 核心问题", 2),
    "cue_terms": ("Terms, one a line · 知识点（每行一个）", 2),
    "cue_sentence": ("Knowledge cue: the sentence that names them · 知识提示（一句话）", 2),
    "knowledge_detail": (
        "Knowledge detail: term, its law below, a blank line between · 知识详解（术语、换行、内容，空行分隔）",
        4,
    ),
}


class DecompositionJob:
    """Condition spans with what becomes of each, marks, core question, cue and detail."""

    name = NAME
    version = 1

    def groups(self, workspace: Workspace) -> list[ReviewGroup]:
        """One group per selected discipline; a text whose source came decomposed needs no review here."""
        proposals = newest_proposals(workspace, NAME)
        guidelines = load_guidelines(NAME)
        groups = []
        for name in workspace.selected_disciplines():
            offer = standing_questions(workspace, name, NAME)
            items = [
                decomposition_item(found, language, proposals)
                for found in offer.questions
                for language in found.languages
                if found.standing.texts[language].decomposition is None
            ]
            groups.append(
                ReviewGroup(
                    name=name,
                    title=f"Decomposition: {name}",
                    config=decomposition_config(),
                    guidelines=guidelines,
                    items=tuple(items),
                    rejected=offer.rejected,
                    waiting=offer.waiting,
                )
            )
        return groups

    def regions(self, proposals: Mapping[str, Proposal], data: JsonObject) -> list[JsonObject]:
        """The proposed spans, labels and texts; a stem that a reviewer edited stands in its field.

        Raises:
            ValidationError: the value is no decomposition.
        """
        said = proposals.get(NAME)
        if said is None or said.value is None:
            return []
        split = Decomposition.model_validate(said.value)
        return decomposition_regions(split, str(data["stem"]))

    def answers(self, result: Sequence[JsonObject], data: JsonObject) -> dict[str, FieldAnswer]:
        """The decomposition; where the regions make none, an answer without a value, and why in `findings`."""
        proposed = data.get("proposal")
        split = Decomposition.model_validate(proposed) if proposed else None
        try:
            made = read_decomposition(result, str(data["stem"]), split)
        except ItemError as error:
            return {
                NAME: FieldAnswer(None, "manual"),
                "findings": FieldAnswer([f"{error.reason}: {error.detail}"], "manual"),
            }
        if made is None:
            return {}
        own = [region for region in result if region.get("from_name") in {SPANS, LABELS, *FIELDS}]
        if made == split and any(origin_of(region) != "manual" for region in own):
            return {NAME: FieldAnswer(_value(made), "prediction")}
        changed = any(origin_of(region) != "manual" for region in own)
        return {NAME: FieldAnswer(_value(made), "prediction-changed" if changed else "manual")}

    def comment(self, result: Sequence[JsonObject]) -> str | None:
        """The remark."""
        return written(result, COMMENT)


def decomposition_item(found: StandingQuestion, language: Language, proposals: Proposals) -> ReviewItem:
    """One text of a question as a task of this job."""
    text, images = found.standing.texts[language], found.question.images
    digest = shown_digest(text_view(text, images))
    said = {
        name: proposals.get(Key(item_id=found.item_id, language=language, field=name, digest=digest))
        for name in (NAME, "removed", "findings")
    }
    options = {choice.image.sha256: choice.image for choice in text.choices if choice.image is not None}
    return ReviewItem(
        item_id=found.item_id,
        language=language,
        digest=digest,
        build=partial(_data, text, images, said),
        images=tuple({**{image.sha256: image for image in images}, **options}.values()),
        blind=partial(_data, text, images, dict.fromkeys(said)),
    )


def decomposition_config() -> str:
    """Label Studio's XML; the same for all disciplines."""
    labels = "".join(
        f"<Label value={quoteattr(words)} alias={quoteattr(show.value)} background={quoteattr(colour)} "
        f'hotkey="{key}"/>'
        for show, (words, colour, key) in SHOWN.items()
    )
    target = (
        f"<Style>{STYLE}</Style>"
        '<Header value="Stem: choose what becomes of a condition, then select its words · 题干：先选去处，再划出条件" '
        'size="5"/>'
        f'<Labels name="{SPANS}" toName="{TARGET}" showInline="true">{labels}</Labels>'
        f'<View className="bw-stem"><Text name="{TARGET}" value="$stem" granularity="symbol"/></View>'
        '<View visibleWhen="region-selected">'
        '<Header value="Labels of the selected condition, one a line · 所选条件的标注（每行一个）" size="6"/>'
        f'<TextArea name="{LABELS}" toName="{TARGET}" perRegion="true" rows="2" maxSubmissions="1" editable="true" '
        'showSubmitButton="false" placeholder="2 s"/></View>'
        + shown_html("question")
        + shown_html("preview", "proposal_html")
    )
    fields = "".join(text_field(name, TARGET, title, rows) for name, (title, rows) in _TITLES.items())
    return page(target, fields + closing(TARGET))


def _data(
    text: LocalizedText,
    images: Sequence[ImageRef],
    said: Mapping[str, Proposal | None],
) -> JsonObject:
    proposal = said[NAME]
    split = Decomposition.model_validate(proposal.value) if proposal is not None else None
    shown = ""
    if split is not None:
        shown = proposal_panel(split, _texts(said["removed"]), _texts(said["findings"]))
    return {
        "html": question_panel(text, images, lambda image: image_url(NAME, image)),
        "proposal_html": shown,
        "stem": split.stem if split is not None else text.question,
        "proposal": _value(split) if split is not None else None,
    }


def _texts(proposal: Proposal | None) -> list[str]:
    return [str(entry) for entry in proposal.value] if proposal and isinstance(proposal.value, list) else []


def _value(split: Decomposition) -> JsonObject:
    """As the proposers write it."""
    return split.model_dump(mode="json", exclude_none=True)
