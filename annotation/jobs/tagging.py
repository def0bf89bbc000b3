"""Tagging: subject and difficulty of each selected question (VisScience, section 2: manual check of both)."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import TypeVar

from benchwright.annotation.guidelines import Guidelines, load_guidelines
from benchwright.annotation.items import standing_questions
from benchwright.annotation.jobs.base import FieldAnswer, JsonObject, ReviewGroup, ReviewItem, image_url
from benchwright.annotation.jobs.controls import (
    COMMENT,
    Option,
    choices_region,
    chosen,
    closing,
    page,
    rated,
    rating,
    shown_html,
    single_choice,
    written,
)
from benchwright.annotation.markup import question_html, question_images
from benchwright.schemas.jobs import Proposal, problem_id, shown_digest, tagging_view
from benchwright.schemas.records import DIFFICULTY_NAMES, Question
from benchwright.schemas.taxonomy import DisciplineTaxonomy, load_taxonomy
from benchwright.schemas.workspace import Workspace

_TARGET = "question"
T = TypeVar("T")
_SUBJECT_KEYS = "1234567890qwertyuiopasdfghjkl"
_LEVEL_KEYS = "zxcvb"
_LEVELS = {
    1: ("基础", "One definition or one substitution."),
    2: ("容易", "One familiar step beyond the definition."),
    3: ("中等", "Several steps, or two ideas together."),
    4: ("较难", "A chain of ideas; the way in is not obvious."),
    5: ("专家", "An insight or technique beyond the school course."),
}


class TaggingJob:
    """Subject (from the taxonomy), difficulty 1 to 5, a remark."""

    name = "tagging"
    version = 1

    def groups(self, workspace: Workspace) -> list[ReviewGroup]:
        """One group per selected discipline.

        Raises:
            UsageError: the taxonomy lacks a selected discipline.
        """
        taxonomy = load_taxonomy(workspace.recipe.benchmark.taxonomy, workspace.taxonomies)
        groups = []
        for name in workspace.selected_disciplines():
            discipline = taxonomy.discipline(name)
            offer = standing_questions(workspace, name, self.name)
            groups.append(
                ReviewGroup(
                    name=name,
                    title=f"Tagging: {discipline.names['en']}",
                    config=tagging_config(discipline),
                    guidelines=tagging_guidelines(discipline),
                    items=tuple(tagging_item(found.question) for found in offer.questions),
                    rejected=offer.rejected,
                    waiting=offer.waiting,
                )
            )
        return groups

    def regions(self, proposals: Mapping[str, Proposal], data: JsonObject) -> list[JsonObject]:
        """Subject and difficulty as filled-in controls."""
        return [
            choices_region(control, _TARGET, [str(proposals[control].value)])
            for control in ("subject", "difficulty")
            if control in proposals and proposals[control].value is not None
        ]

    def answers(self, result: Sequence[JsonObject], data: JsonObject) -> dict[str, FieldAnswer]:
        """Subject as its id, difficulty as a whole number."""
        found = {"subject": chosen(result, "subject"), "difficulty": rated(result, "difficulty")}
        return {name: answer for name, answer in found.items() if answer is not None}

    def comment(self, result: Sequence[JsonObject]) -> str | None:
        """The remark."""
        return written(result, COMMENT)


def tagging_item(question: Question) -> ReviewItem:
    """A question as a task of this job."""
    return ReviewItem(
        item_id=problem_id(question.id),
        language=None,
        digest=shown_digest(tagging_view(question)),
        build=lambda: {"html": question_html(question, lambda image: image_url(TaggingJob.name, image))},
        images=question_images(question),
    )


def tagging_config(discipline: DisciplineTaxonomy) -> str:
    """Label Studio's XML for one discipline: its subjects and the five levels, each with a key."""
    subjects = [
        Option(s.id, f"{s.name('en')} · {s.name('zh')}", s.descriptions.get("en", ""), key)
        for s, key in _keyed(discipline.subjects, _SUBJECT_KEYS)
    ]
    levels = [(f"{DIFFICULTY_NAMES[level]} · {zh}", words) for level, (zh, words) in _LEVELS.items()]
    side = (
        single_choice("subject", _TARGET, f"Subject of {discipline.names['en']}", subjects)
        + rating("difficulty", _TARGET, "Difficulty", levels, _LEVEL_KEYS)
        + closing(_TARGET)
    )
    return page(shown_html(_TARGET), side)


def tagging_guidelines(discipline: DisciplineTaxonomy) -> Guidelines:
    """The guidelines of a discipline, its subjects described."""
    subjects = "".join(
        f"<li><b>{html.escape(s.name('en'))}</b> · {html.escape(s.descriptions.get('en', ''))}</li>"
        for s in discipline.subjects
    )
    levels = "".join(
        f"<li><b>{level} {DIFFICULTY_NAMES[level]}</b> · {html.escape(text)}</li>"
        for level, (_, text) in _LEVELS.items()
    )
    return load_guidelines("tagging", subjects=subjects, levels=levels)


def _keyed(entries: Sequence[T], keys: str) -> list[tuple[T, str | None]]:
    return [(entry, keys[i] if i < len(keys) else None) for i, entry in enumerate(entries)]
