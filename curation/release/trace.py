"""`curate trace`: where one item comes from, who said what of it, and which releases hold it."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from benchwright.curation.release.trace_choice import choice_of, exchanges_of
from benchwright.curation.release.trace_find import find_record, identify
from benchwright.curation.release.trace_images import releases_with, renders_of
from benchwright.curation.release.trace_records import (
    ClusterFacts,
    DuplicateFacts,
    Identity,
    ProblemFacts,
    SourceFacts,
    Trace,
)
from benchwright.curation.release.trace_words import words_about
from benchwright.schemas.duplicates import DuplicateGroup, DuplicatePair, DuplicateRow, groups_path
from benchwright.schemas.journal import iter_jsonl
from benchwright.schemas.records import Problem, Question, Rejected
from benchwright.schemas.reviewed import current_rows
from benchwright.schemas.screening import ScreenRow
from benchwright.schemas.selection import ClusterRow, Estimate
from benchwright.schemas.tables import iter_records
from benchwright.schemas.workspace import Workspace

_PROBLEM_MAPS = ("texts", "source_texts")


def trace_item(workspace: Workspace, name: str) -> Trace:
    """Follow one item along the line; stations that it has not passed are None or empty.

    Args:
        workspace: the workspace.
        name: id of a pool question, a problem or a release row.

    Raises:
        UsageError: nothing has that id; names the nearest ones.
        TamperedError: a file that is read is damaged.
    """
    identity = identify(workspace, name)
    question_id, discipline = identity.question_id, identity.discipline
    question = find_record(workspace.pool(discipline), Question, "id", question_id, ("texts",))
    screening = find_record(workspace.screen(discipline), ScreenRow, "question_id", question_id)
    duplicates = _duplicates(workspace, discipline, question_id)
    problem = find_record(workspace.problems, Problem, "problem_id", identity.problem_id, _PROBLEM_MAPS)
    groups = () if duplicates is None else duplicates.asked
    return Trace(
        asked=name,
        identity=identity,
        source=None if question is None else _source(question),
        screening=screening,
        duplicates=duplicates,
        estimate=find_record(workspace.estimates(discipline), Estimate, "question_id", question_id),
        cluster=_cluster(workspace, discipline, question_id),
        choice=choice_of(workspace, discipline, question_id, screening, duplicates),
        exchanges=exchanges_of(workspace, discipline, question_id),
        words=words_about(workspace, identity.problem_id, groups),
        problem=_problem(workspace, identity, problem),
        renders=renders_of(workspace, identity.problem_id, problem),
        releases=releases_with(workspace, identity.problem_id),
    )


def _source(question: Question) -> SourceFacts:
    return SourceFacts(
        source=question.source,
        source_license=question.source_license,
        source_row=question.source_row,
        language=question.language,
        languages=tuple(sorted(question.texts)),
        question_type=question.question_type.value,
        question=question.text.question,
        images=tuple(image.sha256 for image in question.images),
    )


def _duplicates(workspace: Workspace, discipline: str, question_id: str) -> DuplicateFacts | None:
    path = workspace.duplicates(discipline)
    row = find_record(path, DuplicateRow, "question_id", question_id)
    if row is None:
        return None
    members: tuple[str, ...] = ()
    if row.group is not None:
        same = pq.read_table(path, columns=["question_id"], filters=[("group", "=", row.group)])
        members = tuple(sorted(same.column("question_id").to_pylist()))
    pairs_path = path.with_name(f"{discipline}.pairs.parquet")
    pairs = [
        pair
        for pair in (iter_records(pairs_path, DuplicatePair) if pairs_path.is_file() else ())
        if question_id in (pair.first, pair.second)
    ]
    asked_path = groups_path(workspace, discipline)
    asked = [
        group.item_id
        for group in (iter_jsonl(asked_path, DuplicateGroup) if asked_path.is_file() else ())
        if question_id in group.members
    ]
    return DuplicateFacts(row=row, members=members, pairs=tuple(pairs), asked=tuple(asked))


def _cluster(workspace: Workspace, discipline: str, question_id: str) -> ClusterFacts | None:
    path = workspace.clusters(discipline)
    row = find_record(path, ClusterRow, "question_id", question_id)
    if row is None:
        return None
    size = pq.read_table(path, columns=["question_id"], filters=[("cluster", "=", row.cluster)]).num_rows
    chosen = 0
    if workspace.selection(discipline).is_file():
        chosen = sum(other.cluster == row.cluster for other in current_rows(workspace, discipline).rows)
    return ClusterFacts(row=row, size=size, chosen=chosen)


def _problem(workspace: Workspace, identity: Identity, problem: Problem | None) -> ProblemFacts:
    names = (identity.problem_id, identity.question_id)
    return ProblemFacts(
        split=None if problem is None else problem.split.value,
        subject=None if problem is None else problem.subject,
        difficulty=None if problem is None else problem.difficulty,
        digest=None if problem is None else problem.digest,
        languages=() if problem is None else tuple(sorted(problem.texts)),
        provenance=() if problem is None else problem.provenance,
        refused=_rejected(workspace.problems_rejected, names),
        pending=_rejected(workspace.problems_pending, names),
    )


def _rejected(path: Path, names: tuple[str, ...]) -> tuple[Rejected, ...]:
    if not path.is_file():
        return ()
    return tuple(item for item in iter_records(path, Rejected) if item.item_id in names)
