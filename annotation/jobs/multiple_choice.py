"""Multiple choice: a free-form question as single choice; stem, options and the right one are editable.

Only what was proposed is reviewed: which questions are converted is the builder's decision. One page for each language.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from pydantic import JsonValue

from benchwright.annotation.guidelines import load_guidelines
from benchwright.annotation.items import StandingQuestion
from benchwright.annotation.jobs.base import FieldAnswer, JsonObject, ReviewGroup, ReviewItem, image_url
from benchwright.annotation.jobs.controls import (
    COMMENT,
    Option,
    choices_region,
    chosen,
    closing,
    entered,
    page,
    shown_html,
    single_choice,
    text_field,
    text_region,
    written,
)
from benchwright.annotation.jobs.options import LABELS, options_text, read_options
from benchwright.annotation.jobs.texts import Proposed, TextPages, list_of_texts
from benchwright.annotation.markup import findings_html, panel_html, text_images, text_of_html
from benchwright.schemas.jobs import Proposal, shown_digest, text_view
from benchwright.schemas.records import Choice, ImageRef, Language, LocalizedText
from benchwright.schemas.workspace import Workspace

NAME = "multiple-choice"
_TARGET = "source"


class MultipleChoiceJob:
    """Stem, options, label of the right one."""

    name = NAME
    version = 1

    def groups(self, workspace: Workspace) -> list[ReviewGroup]:
        """One group per selected discipline and language in which a conversion was proposed."""
        proposed = Proposed.read(workspace, NAME)
        pages = TextPages(
            NAME,
            "Multiple choice",
            lambda language: multiple_choice_config(),
            load_guidelines(NAME),
            partial(multiple_choice_items, proposed),
        )
        return pages.groups(workspace)

    def regions(self, proposals: Mapping[str, Proposal], data: JsonObject) -> list[JsonObject]:
        """Stem and options as filled-in fields, the right one chosen."""
        values = {name: proposal.value for name, proposal in proposals.items() if proposal.value}
        regions = [text_region("question", _TARGET, str(values["question"]))] if "question" in values else []
        options = list_of_texts(values.get("choices"))
        if 0 < len(options) <= len(LABELS):
            regions.append(text_region("choices", _TARGET, options_text(LABELS[: len(options)], options)))
        if "answer" in values:
            regions.append(choices_region("answer", _TARGET, [str(values["answer"])]))
        return regions

    def answers(self, result: Sequence[JsonObject], data: JsonObject) -> dict[str, FieldAnswer]:
        """Stem, list of options, label. What cannot be has no value, and `findings` says why: the task stays open."""
        found = {"question": entered(result, "question"), "answer": chosen(result, "answer")}
        options, faults = entered(result, "choices"), []
        if options is not None:
            texts = read_options(str(options.value), LABELS, exact=False)
            faults = _faults(texts, found["answer"])
            found["choices"] = FieldAnswer(
                None if texts is None or faults else list[JsonValue](texts), options.origin
            )
        if faults:
            found["findings"] = FieldAnswer(list[JsonValue](faults), "manual")
        return {name: answer for name, answer in found.items() if answer is not None}

    def comment(self, result: Sequence[JsonObject]) -> str | None:
        """The remark."""
        return written(result, COMMENT)


def multiple_choice_items(proposed: Proposed, found: StandingQuestion) -> Iterable[ReviewItem]:
    """A question's tasks: one for each language in which a conversion was proposed, of this text or an older one."""
    there = proposed.languages(found.item_id)
    for language, text in sorted(found.standing.source_texts.items()):
        if language in there and language in found.languages:
            yield multiple_choice_item(found.item_id, language, text, found.question.images, proposed)


def multiple_choice_item(
    item_id: str, language: Language, text: LocalizedText, images: Sequence[ImageRef], proposed: Proposed
) -> ReviewItem:
    """One text as a task of this job."""
    digest = shown_digest(text_view(text, images))
    return ReviewItem(
        item_id=item_id,
        language=language,
        digest=digest,
        build=partial(_data, text, language, images, proposed.of(item_id, language, digest)),
        images=text_images(text, images),
        hints=("preview", "findings"),
    )


def multiple_choice_config() -> str:
    """Label Studio's XML; the same for all languages."""
    letters = [Option(label, label, "", label.lower()) for label in LABELS]
    side = (
        text_field("question", _TARGET, "Stem · 题干", 4, required=True)
        + text_field(
            "choices",
            _TARGET,
            "Options, a line each · 选项（每行一个）",
            4,
            placeholder="A. …\nB. …\nC. …\nD. …",
            required=True,
        )
        + single_choice("answer", _TARGET, "The right option · 正确选项", letters, inline=True)
        + closing(_TARGET)
    )
    target = (
        '<View className="bw-two">'
        f"<View>{shown_html(_TARGET)}</View><View>{shown_html('preview_shown', 'preview')}</View></View>"
        + shown_html("findings_shown", "findings")
    )
    return page(target, side)


def _faults(texts: Sequence[str] | None, answer: FieldAnswer | None) -> list[str]:
    """Why options cannot be those of a single-choice question, as `code: words`."""
    if texts is None:
        return [f"options: write them a line each, labels A, B, ... in order, at most {len(LABELS)}"]
    faults = []
    if len(texts) < 2:
        faults.append("options: there must be two at least")
    if any(not text for text in texts):
        faults.append("options: one is empty")
    if len(set(texts)) < len(texts):
        faults.append("options: two are the same")
    if answer is not None and answer.value not in list(LABELS[: len(texts)]):
        faults.append(f"answer: there is no option {answer.value}")
    return faults


def _data(
    text: LocalizedText, language: Language, images: Sequence[ImageRef], said: Mapping[str, JsonValue]
) -> JsonObject:
    return {
        "html": text_of_html(
            text, language, images, lambda image: image_url(NAME, image), title="Source 原题", solution=True
        ),
        "preview": _preview(language, said),
        "findings": findings_html(list_of_texts(said.get("findings"))) + _misconceptions(said),
    }


def _preview(language: Language, said: Mapping[str, JsonValue]) -> str:
    """The proposal as readers will see it, the right option marked."""
    options = list_of_texts(said.get("choices"))
    if not said.get("question") or not 0 < len(options) <= len(LABELS):
        return f'<div class="bw-q"><div class="bw-lang">{html.escape("No proposal · 没有建议")}</div></div>'
    answer = str(said.get("answer") or "")
    choices = tuple(Choice(label=label, text=text) for label, text in zip(LABELS, options, strict=False))
    made = LocalizedText(question=str(said["question"]), choices=choices, answer=answer)
    return text_of_html(made, language, (), lambda image: "", title="Proposed 建议", right=answer)


def _misconceptions(said: Mapping[str, JsonValue]) -> str:
    """The error behind each wrong option."""
    errors = zip(LABELS, list_of_texts(said.get("misconceptions")), strict=False)
    lines = [f"{label}: {words}" for label, words in errors if words]
    return panel_html("The error behind each wrong option · 各错误选项对应的误解", lines)
