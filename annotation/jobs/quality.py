"""Quality: whether a question is good enough (VisScience 2.2: text, picture; SciVerse 2.1: complexity, richness).

One page for each language. Faults of text and picture, two ratings with their levels in words, and the decision; the
reason is asked for only where the decision is not "accept". Trial solutions and tries without the picture stand beside
the question as information: they were made about the source's own language.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from pydantic import JsonValue

from benchwright.annotation.guidelines import load_guidelines
from benchwright.annotation.items import StandingQuestion
from benchwright.annotation.jobs.base import (
    FieldAnswer,
    JsonObject,
    ReviewGroup,
    ReviewItem,
    ReviewOrigin,
    image_url,
)
from benchwright.annotation.jobs.controls import (
    COMMENT,
    Option,
    choices_region,
    chosen,
    chosen_many,
    closing,
    entered,
    many_choices,
    only_when,
    page,
    rated,
    rating,
    shown_html,
    single_choice,
    text_field,
    text_region,
    written,
)
from benchwright.annotation.jobs.quality_facts import facts_html
from benchwright.annotation.jobs.texts import Proposed, TextPages
from benchwright.annotation.markup import text_images, text_of_html
from benchwright.schemas.jobs import JOBS, Proposal, quality_view, shown_digest
from benchwright.schemas.quality_levels import LEVELS
from benchwright.schemas.records import ImageRef, Language, LocalizedText
from benchwright.schemas.workspace import Workspace

NAME = "quality"
_TARGET = "question"
_FAULTS = ("text_faults", "image_faults")
_RATINGS = ("knowledge_complexity", "visual_richness")
_REASON_FOR = ("fix", "reject")
_TEXT = {
    "inaccurate": ("Inaccurate · 不准确", "A statement, number or the answer is wrong.", "q"),
    "incoherent": ("Incoherent · 不连贯", "Its parts do not fit together, or it cannot be read.", "w"),
    "irrelevant": ("Irrelevant · 不相关", "It asks nothing of this discipline.", "e"),
    "ambiguous": ("Ambiguous · 有歧义", "It can be read in two ways with different answers.", "r"),
    "incomplete": ("Incomplete · 不完整", "A value, a condition or an option is missing.", "t"),
}
_IMAGE = {
    "incorrect": ("Incorrect · 图有错", "It contradicts the text or itself.", "a"),
    "unclear": ("Unclear · 不清楚", "What is needed cannot be read.", "s"),
    "uninformative": ("Uninformative · 无信息", "It shows nothing that the question uses.", "d"),
    "unrelated": ("Unrelated · 无关", "It belongs to another question.", "f"),
}
_DECISIONS = (
    Option("accept", "Accept · 采用", "Good as it stands.", "z"),
    Option("fix", "Fix · 需修改", "Words or answer can be mended.", "x"),
    Option("reject", "Reject · 弃用", "What is missing cannot be mended; it is replaced.", "c"),
)


class QualityJob:
    """Faults, ratings, decision and reason."""

    name = NAME
    version = 1

    def groups(self, workspace: Workspace) -> list[ReviewGroup]:
        """One group per selected discipline and language."""
        proposed = Proposed.read(workspace, NAME)
        pages = TextPages(
            NAME, "Quality", quality_config, load_guidelines(NAME), partial(quality_items, proposed)
        )
        return pages.groups(workspace)

    def regions(self, proposals: Mapping[str, Proposal], data: JsonObject) -> list[JsonObject]:
        """All fields but the facts as filled-in controls; a list of no faults needs none."""
        values = {name: proposal.value for name, proposal in proposals.items() if proposal.value is not None}
        regions = []
        for name in _FAULTS:
            said = values.get(name)
            if isinstance(said, list) and said:
                regions.append(choices_region(name, _TARGET, [str(code) for code in said]))
        for name in (*_RATINGS, "decision"):
            if name in values:
                regions.append(choices_region(name, _TARGET, [str(values[name])]))
        if values.get("decision") in _REASON_FOR and values.get("reason"):
            regions.append(text_region("reason", _TARGET, str(values["reason"])))
        return regions

    def answers(self, result: Sequence[JsonObject], data: JsonObject) -> dict[str, FieldAnswer]:
        """Ratings as whole numbers, faults in the job's own order.

        A page without a tick has no region for it: once there is a decision, that means "no faults".
        """
        decision = chosen(result, "decision")
        found = {name: rated(result, name) for name in _RATINGS}
        found["decision"] = decision
        for name in _FAULTS:
            said = chosen_many(result, name)
            if said is not None:
                found[name] = FieldAnswer(_in_order(name, said.value), said.origin)
            elif decision is not None:
                found[name] = FieldAnswer([], _origin_of_none(data, name))
        if decision is not None and decision.value in _REASON_FOR:
            found["reason"] = entered(result, "reason")
        return {name: answer for name, answer in found.items() if answer is not None}

    def comment(self, result: Sequence[JsonObject]) -> str | None:
        """The remark."""
        return written(result, COMMENT)


def quality_items(proposed: Proposed, found: StandingQuestion) -> Iterable[ReviewItem]:
    """A question's tasks: one for each language in which it stands before any conversion."""
    for language, text in sorted(found.standing.source_texts.items()):
        yield quality_item(found.item_id, language, text, found.question.images, proposed)


def quality_item(
    item_id: str, language: Language, text: LocalizedText, images: Sequence[ImageRef], proposed: Proposed
) -> ReviewItem:
    """One text as a task of this job."""
    digest = shown_digest(quality_view(text, images))
    return ReviewItem(
        item_id=item_id,
        language=language,
        digest=digest,
        build=partial(_data, text, language, images, proposed.of(item_id, language, digest)),
        images=text_images(text, images),
        hints=("facts", "proposed"),
    )


def quality_config(language: Language) -> str:
    """Label Studio's XML; the levels stand in the language of the items."""
    spoken = language if language in LEVELS["complexity"] else "en"
    side = (
        many_choices("text_faults", _TARGET, "Faults of the text · 文字问题", _options(_TEXT), inline=True)
        + many_choices(
            "image_faults", _TARGET, "Faults of the picture · 图的问题", _options(_IMAGE), inline=True
        )
        + _rating("knowledge_complexity", "Knowledge complexity · 知识复杂度", "complexity", spoken, "12345")
        + _rating("visual_richness", "Visual richness · 图像丰富度", "richness", spoken, "67890")
        + single_choice("decision", _TARGET, "Decision · 结论", _DECISIONS, inline=True)
        + only_when(
            "decision",
            _REASON_FOR,
            text_field(
                "reason", _TARGET, "Reason · 理由", 3, placeholder="What is wrong, and what would mend it?"
            ),
        )
        + closing(_TARGET)
    )
    return page(shown_html(_TARGET) + shown_html("facts_shown", "facts"), side)


def _rating(name: str, title: str, kind: str, language: str, hotkeys: str) -> str:
    words = [(LEVELS[kind][language][level], "") for level in range(1, 6)]
    return rating(name, _TARGET, title, words, hotkeys)


def _options(words: Mapping[str, tuple[str, str, str]]) -> list[Option]:
    return [Option(code, label, hint, key) for code, (label, hint, key) in words.items()]


def _data(
    text: LocalizedText, language: Language, images: Sequence[ImageRef], said: Mapping[str, JsonValue]
) -> JsonObject:
    return {
        "html": text_of_html(text, language, images, lambda image: image_url(NAME, image)),
        "facts": facts_html(said.get("answer_check"), said.get("blind")),
        "proposed": {name: said[name] for name in _FAULTS if name in said},
    }


def _in_order(name: str, codes: JsonValue) -> list[JsonValue]:
    there = set(map(str, codes)) if isinstance(codes, list) else set()
    return [code for code in JOBS[NAME].field(name).values if code in there]


def _origin_of_none(data: JsonObject, name: str) -> ReviewOrigin:
    """Where "no faults" comes from, which no region can tell."""
    proposed = data.get("proposed", {})
    if name not in proposed:
        return "manual"
    return "prediction-changed" if proposed[name] else "prediction"
