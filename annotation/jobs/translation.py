"""Translation: the source and a translation side by side, formulas drawn; every part of the translation is editable.

One page for each language into which is translated. A field holds the text as it is stored, formulas as source; beside
the source stands the proposal as readers will see it.
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
from benchwright.annotation.jobs.options import options_text, read_options
from benchwright.annotation.jobs.texts import Proposed, TextPages, list_of_texts
from benchwright.annotation.markup import findings_html, panel_html, text_images, text_of_html
from benchwright.schemas.jobs import Proposal, shown_digest, translation_view
from benchwright.schemas.records import ImageRef, Language, LocalizedText
from benchwright.schemas.workspace import Workspace

NAME = "translation"
_TARGET = "source"
_TEXTS = ("question", "answer", "unit", "solution")
_OPTIONAL = ("unit", "solution")
_PICTURES = (
    Option("keep", "Keep · 保留", "No words in it, or words that every reader understands.", "z"),
    Option("flag", "Flag · 标记", "Words of the other language, but the question can be solved.", "x"),
    Option("reject", "Reject · 弃用", "Nobody can solve it without reading the other language.", "c"),
)
_STYLE = """
.bw-page:not(:has(.bw-two .bw-options)) .bw-choices{display:none}
"""
"""A source without options asks for none."""


class TranslationJob:
    """Question, options, answer, unit, solution in the other language, and what to do about words in pictures."""

    name = NAME
    version = 1

    def groups(self, workspace: Workspace) -> list[ReviewGroup]:
        """One group per selected discipline and language of the benchmark into which is translated."""
        proposed = Proposed.read(workspace, NAME)
        languages = workspace.recipe.benchmark.languages
        pages = TextPages(
            NAME,
            "Translation",
            lambda language: translation_config(),
            load_guidelines(NAME),
            partial(translation_items, proposed, languages),
        )
        return pages.groups(workspace)

    def regions(self, proposals: Mapping[str, Proposal], data: JsonObject) -> list[JsonObject]:
        """Texts as filled-in fields, options a line each under the source's labels."""
        values = {name: proposal.value for name, proposal in proposals.items() if proposal.value}
        regions = [text_region(name, _TARGET, str(values[name])) for name in _TEXTS if name in values]
        options = list_of_texts(values.get("choices"))
        if options and len(options) == len(data["labels"]):
            regions.append(text_region("choices", _TARGET, options_text(data["labels"], options)))
        if "image_language" in values:
            regions.append(choices_region("image_language", _TARGET, [str(values["image_language"])]))
        return regions

    def answers(self, result: Sequence[JsonObject], data: JsonObject) -> dict[str, FieldAnswer]:
        """Texts; a unit or solution of the source that was emptied is an empty text; options as a list.

        Options that are not as many as the source's have no value, and `findings` says so: the task stays open.
        """
        found = {name: entered(result, name) for name in _TEXTS}
        for name in _OPTIONAL:
            if found["question"] is not None and found[name] is None and name in data["parts"]:
                found[name] = FieldAnswer("", "prediction-changed" if name in data["proposed"] else "manual")
        labels = [str(label) for label in data["labels"]]
        options = entered(result, "choices")
        if labels and options is not None:
            texts = read_options(str(options.value), labels, exact=True)
            found["choices"] = FieldAnswer(_as_json(texts), options.origin)
            if texts is None:
                found["findings"] = FieldAnswer(
                    [f"options: expected the labels {', '.join(labels)}"], "manual"
                )
        elif labels and found["question"] is not None:
            found["choices"] = FieldAnswer(None, "manual")
            found["findings"] = FieldAnswer(["options: empty"], "manual")
        found["image_language"] = chosen(result, "image_language")
        return {name: answer for name, answer in found.items() if answer is not None}

    def comment(self, result: Sequence[JsonObject]) -> str | None:
        """The remark."""
        return written(result, COMMENT)


def translation_items(
    proposed: Proposed, languages: Sequence[Language], found: StandingQuestion
) -> Iterable[ReviewItem]:
    """A question's tasks: one for each language of the benchmark that its source lacks."""
    question = found.question
    for into in sorted(set(languages) - set(question.texts)):
        yield translation_item(
            found.item_id, question.language, question.text, question.images, into, proposed
        )


def translation_item(
    item_id: str,
    language: Language,
    text: LocalizedText,
    images: Sequence[ImageRef],
    into: Language,
    proposed: Proposed,
) -> ReviewItem:
    """A text to be translated as a task of this job; `language` is its own, `into` that of the task."""
    digest = shown_digest(translation_view(text, images, into))
    return ReviewItem(
        item_id=item_id,
        language=into,
        digest=digest,
        build=partial(_data, text, language, images, into, proposed.of(item_id, into, digest)),
        images=text_images(text, images),
        hints=("preview", "findings", "proposed"),
    )


def translation_config() -> str:
    """Label Studio's XML; the same for all languages."""
    empty = "Empty where the source has none · 原文没有则留空"
    side = (
        text_field("question", _TARGET, "Question · 题目", 5, required=True)
        + '<View className="bw-choices">'
        + text_field("choices", _TARGET, "Options, a line each · 选项（每行一个）", 4)
        + "</View>"
        + text_field("answer", _TARGET, "Answer · 答案", 1, required=True)
        + text_field("unit", _TARGET, "Unit · 单位", 1, placeholder=empty)
        + text_field("solution", _TARGET, "Solution · 解析", 4, placeholder=empty)
        + single_choice(
            "image_language",
            _TARGET,
            "Words in the picture · 图中文字",
            _PICTURES,
            required=False,
            inline=True,
        )
        + closing(_TARGET)
    )
    target = (
        f'<Style>{_STYLE}</Style><View className="bw-two">'
        f"<View>{shown_html(_TARGET)}</View><View>{shown_html('preview_shown', 'preview')}</View></View>"
        + shown_html("findings_shown", "findings")
    )
    return page(target, side)


def _data(
    text: LocalizedText,
    language: Language,
    images: Sequence[ImageRef],
    into: Language,
    said: Mapping[str, JsonValue],
) -> JsonObject:
    return {
        "html": text_of_html(
            text, language, images, lambda image: image_url(NAME, image), title="Source 原文", solution=True
        ),
        "preview": _preview(text, into, said),
        "findings": findings_html(list_of_texts(said.get("findings"))) + _back(said.get("back_translation")),
        "labels": [choice.label for choice in text.choices],
        "parts": [name for name in _OPTIONAL if getattr(text, name)],
        "proposed": [name for name in _TEXTS if said.get(name)],
    }


def _preview(source: LocalizedText, into: Language, said: Mapping[str, JsonValue]) -> str:
    """The proposal as readers will see it; pictures stand beside the source and are not repeated."""
    if not said.get("question"):
        return f'<div class="bw-q"><div class="bw-lang">{html.escape("No proposal · 没有建议")}</div></div>'
    options = list_of_texts(said.get("choices"))
    texts = options if len(options) == len(source.choices) else [""] * len(source.choices)
    made = LocalizedText(
        question=str(said["question"]),
        choices=tuple(
            choice.model_copy(update={"text": text, "image": None})
            for choice, text in zip(source.choices, texts, strict=True)
        ),
        answer=str(said.get("answer") or ""),
        unit=str(said["unit"]) if said.get("unit") else None,
        solution=str(said["solution"]) if said.get("solution") else None,
    )
    return text_of_html(
        made, into, (), lambda image: "", title="Proposed translation 建议译文", solution=True
    )


def _back(value: JsonValue) -> str:
    """The translation back into the source's language, and how alike it is."""
    if not isinstance(value, dict):
        return ""
    likeness = f"likeness in meaning {value.get('meaning')}, in letters {value.get('letters')} (1 is equal)"
    return panel_html("Translated back by machine · 机器回译", [str(value.get("text") or ""), likeness])


def _as_json(texts: Sequence[str] | None) -> JsonValue:
    return None if texts is None else list(texts)
