"""What is there to be reviewed: the selected questions, and their texts as far as earlier jobs settled them.

The jobs about a problem follow one another (`ORDER`). A question goes to a job only when it passed those before it that
are in use: a job nobody proposed or reviewed anything for holds nothing up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchwright.schemas.errors import ItemError
from benchwright.schemas.jobs import problem_id, quality_view, tagging_view
from benchwright.schemas.records import Language, Question, Rejected
from benchwright.schemas.reviewed import current_rows
from benchwright.schemas.selection import SelectionRow
from benchwright.schemas.settled_answers import settled_questions
from benchwright.schemas.standing import TEXT_JOBS, Standing, standing
from benchwright.schemas.tables import read_records
from benchwright.schemas.words import Trust, Words
from benchwright.schemas.workspace import Workspace

ORDER = ("quality", "tagging", "translation", "multiple-choice", "decomposition", "placement")
"""The jobs about a problem, each resting on those before it."""


@dataclass(frozen=True)
class StandingQuestion:
    """A question with its texts as they stand before a job."""

    question: Question
    standing: Standing
    """Texts with what people settled in the earlier jobs, and nothing else."""
    languages: tuple[Language, ...]
    """Of `standing.texts`, those that wait for no earlier job; the source's own first."""

    @property
    def item_id(self) -> str:
        """The problem's id."""
        return problem_id(self.question.id)


@dataclass(frozen=True)
class Offer:
    """The questions of a discipline that a job may show, and those that it may not (yet)."""

    questions: tuple[StandingQuestion, ...]
    rejected: tuple[Rejected, ...]
    """Selected, but the pool lost them (`gone-from-pool`)."""
    waiting: tuple[Rejected, ...]
    """`waits-for-JOB`, one for each question, or language of one, that an earlier job holds up."""


def selected_questions(
    workspace: Workspace, discipline: str, stage: str = "annotate-push"
) -> tuple[list[Question], tuple[Rejected, ...]]:
    """The chosen questions of a discipline, replacements applied, few-shot examples last, each part in order.

    Each has the answer that people settled on where its repeats contradict it (`schemas.settled_answers`). Those that
    the pool no longer has come back as rejected (`gone-from-pool`).
    """
    rows = list(current_rows(workspace, discipline).rows)
    if (dev := workspace.dev_selection(discipline)).is_file():
        rows += sorted(read_records(dev, SelectionRow), key=lambda row: row.rank)
    wanted = {row.question_id for row in rows}
    found = settled_questions(workspace, discipline, wanted)
    gone = tuple(
        Rejected(
            item_id=problem_id(row.question_id),
            stage=stage,
            reason="gone-from-pool",
            detail=f"selected for {discipline}, but no longer in its pool",
        )
        for row in rows
        if row.question_id not in found
    )
    return [found[row.question_id].question for row in rows if row.question_id in found], gone


def standing_questions(workspace: Workspace, discipline: str, before: str) -> Offer:
    """The questions that a job of `ORDER` may show, with the texts that the jobs before it left.

    Args:
        workspace: the workspace.
        discipline: one that has a selection.
        before: the job. `quality` comes first, but looks at translations too, once those are settled.
    """
    stage = f"annotate-push/{before}"
    questions, gone = selected_questions(workspace, discipline, stage)
    earlier = ORDER[: ORDER.index(before)]
    text_jobs = ("translation",) if before == "quality" else tuple(j for j in earlier if j in TEXT_JOBS)
    texts = Words.read(workspace, text_jobs, Trust.REVIEWED)
    gates = [job for job in ("quality", "tagging") if job in earlier and in_use(workspace, job)]
    said = Words.read(workspace, gates, Trust.REVIEWED)
    languages = workspace.recipe.benchmark.languages
    offered, waiting = [], []
    for question in questions:
        found = standing(question, texts, languages)
        held = next((why for gate in gates if (why := _held_by(gate, question, found, said))), None)
        if held is not None:
            waiting.append(_waits(question, stage, *held))
            continue
        free, late = _free_languages(question, found)
        waiting += [_waits(question, stage, job, detail) for job, detail in late]
        if free:
            offered.append(StandingQuestion(question, found, free))
    return Offer(tuple(offered), gone, tuple(waiting))


def in_order(jobs: Iterable[str]) -> list[str]:
    """Jobs in the order of review; those that are about no problem come first, by name."""
    return sorted(jobs, key=lambda job: (ORDER.index(job) if job in ORDER else -1, job))


def in_use(workspace: Workspace, job: str) -> bool:
    """Whether anything was proposed or reviewed in a job."""
    return workspace.proposals(job).is_file() or workspace.verdicts(job).is_file()


def _held_by(job: str, question: Question, found: Standing, said: Words) -> tuple[str, str] | None:
    """(job, why) where quality or tagging has not let a question pass; None where it has."""
    if job == "tagging":
        view = tagging_view(question)
        for name in ("subject", "difficulty"):
            try:
                said.value(job, problem_id(question.id), None, name, view)
            except ItemError as error:
                return job, error.detail
        return None
    for language, text in found.source_texts.items():
        view = quality_view(text, question.images)
        try:
            value, _ = said.value(job, problem_id(question.id), language, "decision", view)
        except ItemError as error:
            if language == question.language:  # a translation is assessed after it was reviewed
                return job, f"[{language}] {error.detail}"
            continue
        if value != "accept":
            return job, f"[{language}] the reviewers said {value}"
    return None


def _free_languages(
    question: Question, found: Standing
) -> tuple[tuple[Language, ...], list[tuple[str, str]]]:
    """Languages whose text waits for nothing, and (job, why) of each that does.

    A conversion that is still open in one language holds up all of them: it changes the problem's question type.
    """
    late = [(record.reason, record.detail) for record in found.pending]
    open_jobs = [
        (job, detail) for reason, detail in late for job in TEXT_JOBS if reason.startswith(f"{job}-")
    ]
    converted = any(job == "multiple-choice" for job, _ in open_jobs)
    blocked = {detail[1:].split("]", 1)[0] for _, detail in open_jobs}
    free = [language for language in found.texts if language not in blocked and not converted]
    return tuple(sorted(free, key=lambda language: (language != question.language, language))), open_jobs


def _waits(question: Question, stage: str, job: str, detail: str) -> Rejected:
    return Rejected(
        item_id=problem_id(question.id),
        stage=stage,
        reason=f"waits-for-{job}",
        detail=detail,
        source=question.source,
    )


def waits_for(waiting: Sequence[Rejected]) -> dict[str, int]:
    """How many wait for which job, in the order of the jobs."""
    counts = {job: sum(record.reason == f"waits-for-{job}" for record in waiting) for job in ORDER}
    return {job: n for job, n in counts.items() if n}
