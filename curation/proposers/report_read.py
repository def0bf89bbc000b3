"""Reads what the report on proposals is about: proposals, verdicts, sources' own labels, stored calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from benchwright.curation.proposers.report import Gold, Report, call_ids, proposal_report
from benchwright.models.chat import Call
from benchwright.models.prices import PriceTable
from benchwright.models.store import CallStore
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import JOBS, Proposal, Verdict, problem_id
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import Question
from benchwright.schemas.tables import iter_records
from benchwright.schemas.workspace import Workspace


def workspace_report(
    workspace: Workspace, jobs: Sequence[str] = (), prices: PriceTable | None = None
) -> Report:
    """The report on a workspace's proposals.

    Args:
        workspace: the workspace.
        jobs: names of jobs; all that have proposals when empty.
        prices: what tokens cost.

    Raises:
        UsageError: an unknown job, or there are no proposals.
    """
    for job in jobs:
        if job not in JOBS:
            raise UsageError(f"there is no job {job!r}; choose from {', '.join(sorted(JOBS))}.")
    asked = [workspace.proposals(job) for job in (jobs or sorted(JOBS))]
    # The search for duplicates leaves a file without a line where it found nothing to ask people.
    there = [path.stem for path in asked if path.is_file() and path.stat().st_size]
    if not there:
        wanted = f" of {', '.join(jobs)}" if jobs else ""
        raise UsageError(
            f"there are no proposals{wanted} in {workspace.root / 'proposals'}: "
            "run a proposer first, e.g. `curate tag`."
        )
    proposals = [p for job in there for p in read_jsonl(workspace.proposals(job), Proposal)]
    reviewed = [job for job in there if workspace.verdicts(job).is_file()]
    verdicts = [v for job in reviewed for v in read_jsonl(workspace.verdicts(job), Verdict)]
    return proposal_report(
        proposals,
        verdicts,
        gold_labels(workspace) if "tagging" in there else (),
        named_calls(workspace, proposals),
        prices,
    )


def gold_labels(workspace: Workspace) -> Iterator[Gold]:
    """Subject and difficulty where a source states them itself."""
    for discipline in workspace.pool_disciplines():
        for question in iter_records(workspace.pool(discipline), Question):
            for name, value in (("subject", question.subject), ("difficulty", question.difficulty)):
                if value is not None:
                    yield Gold(
                        job="tagging",
                        item_id=problem_id(question.id),
                        field=name,
                        value=value,
                        source=question.source,
                    )


def named_calls(workspace: Workspace, proposals: Iterable[Proposal]) -> dict[str, Call]:
    """The stored calls that proposals name, by key; those that the store does not hold are left out."""
    keys = sorted(set[str]().union(*(call_ids(proposal) for proposal in proposals)))
    if not keys or not workspace.calls.is_file():
        return {}
    with CallStore(workspace.calls) as store:
        return {key: call for key in keys if (call := store.last(key)) is not None}
