"""Tagging: subject and difficulty of each selected question (VisScience, section 2: manual check of both)."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import TypeVar
from xml.sax.saxutils import quoteattr

from benchwright.annotation.jobs.base import (
    FieldAnswer,
    JsonObject,
    ReviewGroup,
    ReviewItem,
    choices_region,
    chosen,
    image_url,
    written,
)
from benchwright.annotation.markup import STYLE, question_html, question_images
from benchwright.schemas.jobs import Proposal, problem_id, shown_digest, tagging_view
from benchwright.schemas.records import DIFFICULTY_NAMES, Question, Rejected
from benchwright.schemas.reviewed import current_rows
from benchwright.schemas.selection import SelectionRow
from benchwright.schemas.tables import iter_records, read_records
from benchwright.schemas.taxonomy import DisciplineTaxonomy, load_taxonomy
from benchwright.schemas.workspace import Workspace

FOLDER = "tagging"
"""Folder of the job's pictures below the server's document root."""
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
            questions, gone = selected_questions(workspace, name)
            groups.append(
                ReviewGroup(
                    name=name,
                    title=f"Tagging: {discipline.names['en']}",
                    config=tagging_config(discipline),
                    instruction=instruction(discipline),
                    items=tuple(tagging_item(question) for question in questions),
                    rejected=gone,
                )
            )
        return groups

    def regions(self, proposals: Mapping[str, Proposal]) -> list[JsonObject]:
        """Subject and difficulty as filled-in controls."""
        regions = []
        for control in ("subject", "difficulty"):
            if control in proposals and proposals[control].value is not None:
                regions.append(choices_region(control, _TARGET, [str(proposals[control].value)]))
        return regions

    def answers(self, result: Sequence[JsonObject]) -> dict[str, FieldAnswer]:
        """Subject as its id, difficulty as a whole number."""
        found: dict[str, FieldAnswer] = {}
        subject, level = chosen(result, "subject"), chosen(result, "difficulty")
        if subject is not None:
            found["subject"] = subject
        if level is not None and str(level.value).isdecimal():
            found["difficulty"] = FieldAnswer(int(str(level.value)), level.origin)
        return found

    def comment(self, result: Sequence[JsonObject]) -> str | None:
        """The remark."""
        return written(result, "comment")


def selected_questions(workspace: Workspace, discipline: str) -> tuple[list[Question], tuple[Rejected, ...]]:
    """The chosen questions of a discipline, replacements applied, few-shot examples last, each part in order.

    Those that the pool no longer has come back as rejected (`gone-from-pool`).
    """
    rows = list(current_rows(workspace, discipline).rows)
    if (dev := workspace.dev_selection(discipline)).is_file():
        rows += sorted(read_records(dev, SelectionRow), key=lambda row: row.rank)
    wanted = {row.question_id for row in rows}
    pool = {q.id: q for q in iter_records(workspace.pool(discipline), Question) if q.id in wanted}
    gone = tuple(
        Rejected(
            item_id=problem_id(row.question_id),
            stage="annotate-push/tagging",
            reason="gone-from-pool",
            detail=f"selected for {discipline}, but no longer in its pool",
        )
        for row in rows
        if row.question_id not in pool
    )
    return [pool[row.question_id] for row in rows if row.question_id in pool], gone


def tagging_item(question: Question) -> ReviewItem:
    """A question as a task of this job."""
    return ReviewItem(
        item_id=problem_id(question.id),
        language=None,
        digest=shown_digest(tagging_view(question)),
        build=lambda: {"html": question_html(question, lambda image: image_url(FOLDER, image))},
        images=question_images(question),
    )


def tagging_config(discipline: DisciplineTaxonomy) -> str:
    """Label Studio's XML for one discipline: its subjects and the five levels, each with a key."""
    subjects = "".join(
        _choice(f"{s.name('en')} · {s.name('zh')}", s.id, key, s.descriptions.get("en", ""))
        for s, key in _keyed(discipline.subjects, _SUBJECT_KEYS)
    )
    levels = "".join(
        _choice(
            f"{level} {DIFFICULTY_NAMES[level]} · {_LEVELS[level][0]}", str(level), key, _LEVELS[level][1]
        )
        for level, key in _keyed(tuple(_LEVELS), _LEVEL_KEYS)
    )
    return (
        '<View className="bw-page">'
        f"<Style>{STYLE}</Style>"
        f'<View><HyperText name="{_TARGET}" value="$html" inline="true"/></View>'
        '<View className="bw-side">'
        f'<Header value={quoteattr("Subject of " + discipline.names["en"])} size="5"/>'
        f'<Choices name="subject" toName="{_TARGET}" choice="single-radio" required="true" '
        f'requiredMessage="Choose a subject.">{subjects}</Choices>'
        '<Header value="Difficulty" size="5"/>'
        f'<Choices name="difficulty" toName="{_TARGET}" choice="single-radio" required="true" '
        f'requiredMessage="Choose a difficulty.">{levels}</Choices>'
        '<Header value="Remark (optional)" size="5"/>'
        f'<TextArea name="comment" toName="{_TARGET}" rows="2" maxSubmissions="1" editable="true" '
        'showSubmitButton="false" placeholder="What is unclear or wrong?"/>'
        "</View></View>"
    )


def instruction(discipline: DisciplineTaxonomy) -> str:
    """The guidelines shown before the first task."""
    subjects = "".join(
        f"<li><b>{html.escape(s.name('en'))}</b> · {html.escape(s.descriptions.get('en', ''))}</li>"
        for s in discipline.subjects
    )
    levels = "".join(
        f"<li><b>{level} {DIFFICULTY_NAMES[level]}</b> · {html.escape(text)}</li>"
        for level, (_, text) in _LEVELS.items()
    )
    return (
        "<p>Choose the subject whose ideas carry the solution, not the one the story is set in, "
        "and the level a well-taught pupil would feel. Proposals are preselected: check them, do not trust them.</p>"
        f"<br><h4>Subjects</h4><ul>{subjects}</ul><br><h4>Levels</h4><ul>{levels}</ul><br>"
        "<p>Unsure, or the question is faulty? Say so in the remark and skip it: a skipped task is recorded "
        "and goes to somebody else.</p>"
    )


def _keyed(entries: Sequence[T], keys: str) -> list[tuple[T, str | None]]:
    return [(entry, keys[i] if i < len(keys) else None) for i, entry in enumerate(entries)]


def _choice(label: str, value: str, key: str | None, hint: str) -> str:
    hotkey = f' hotkey="{key}"' if key is not None else ""
    return f"<Choice value={quoteattr(label)} alias={quoteattr(value)} hint={quoteattr(hint)}{hotkey}/>"
