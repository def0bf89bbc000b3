"""What proposers share: the selected questions, and the one file per job that a proposer writes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchwright.curation.chosen_now import current_selection
from benchwright.schemas.errors import ItemError, UsageError
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import Provenance, Question, Rejected
from benchwright.schemas.selection import SelectionRow
from benchwright.schemas.settled_answers import settled_questions
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace


@dataclass(frozen=True)
class Chosen:
    """A selected question; `dev` ones become few-shot examples and are never scored."""

    row: SelectionRow
    question: Question
    """With the right answer where people gave one to repeats that contradict each other."""
    dev: bool = False
    answer_by: Provenance | None = None
    """Who gave it."""
    answer_doubt: ItemError | None = None
    """Why its answer is in doubt, see `schemas.settled_answers`."""


def selected_disciplines(workspace: Workspace, discipline: str | None = None) -> tuple[str, ...]:
    """The disciplines that have a selection, or the one asked for.

    Raises:
        UsageError: nothing is selected there yet.
    """
    there = workspace.selected_disciplines()
    if discipline is None and there:
        return there
    if discipline is not None and discipline in there:
        return (discipline,)
    what = "no discipline has" if discipline is None else f"{discipline} has no"
    wanted = discipline or "NAME"
    raise UsageError(f"{what} a selection yet: run `curate cluster --discipline {wanted}` first.")


def chosen_questions(
    workspace: Workspace, discipline: str, stage: str, *, kept: bool = True
) -> tuple[list[Chosen], list[Rejected]]:
    """The selected questions of a discipline by id, replacements applied, and those that the pool no longer holds.

    Args:
        workspace: the workspace.
        discipline: one that has a selection.
        stage: who asks, for the rejections.
        kept: whether only the best are taken, where `curate keep` chose them.
    """
    rows = [(row, False) for row in current_selection(workspace, discipline, kept=kept).rows]
    if (dev := workspace.dev_selection(discipline)).is_file():
        rows += [(row, True) for row in read_records(dev, SelectionRow)]
    questions = settled_questions(workspace, discipline, {row.question_id for row, _ in rows})
    chosen = [
        Chosen(row, found.question, is_dev, found.by, found.doubt)
        for row, is_dev in rows
        if (found := questions.get(row.question_id)) is not None
    ]
    missing = [
        Rejected(
            item_id=row.question_id,
            stage=stage,
            reason="gone-from-pool",
            detail=f"selected for {discipline}, but no longer in its pool",
        )
        for row, _ in rows
        if row.question_id not in questions
    ]
    return sorted(chosen, key=lambda item: item.question.id), missing


def taken_over(
    workspace: Workspace, job: str, replaced: Iterable[str]
) -> tuple[list[Proposal], list[Rejected]]:
    """Lines of a job's present files that are not about the items to be proposed anew."""
    without = set(replaced)
    proposals, rejected = workspace.proposals(job), workspace.proposals_rejected(job)
    return (
        [
            p
            for p in (read_jsonl(proposals, Proposal) if proposals.is_file() else [])
            if p.item_id not in without
        ],
        [
            r
            for r in (read_jsonl(rejected, Rejected) if rejected.is_file() else [])
            if r.item_id not in without
        ],
    )


def in_order(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Proposals in the order in which a job's file holds them."""
    return sorted(proposals, key=place_of)


def place_of(proposal: Proposal) -> tuple[str, str, str]:
    """Where a proposal stands among those of its job: by item, language and field."""
    return proposal.item_id, proposal.language or "", proposal.field
