"""Offering a run's answers to people: `proposals/errors.jsonl`, `judge.jsonl` and `steps.jsonl`, written by eval alone.

A proposal draws an answer for the review pages (`annotate push JOB --from-run RUN` takes exactly those) and may fill in
what a machine says about it. The runs of a workspace share one file a job; a run's new proposals take the place of its
older ones about the same answer, everything else stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchwright.eval.errors.draw import drawn, says_something
from benchwright.eval.runs.store import RunFolder
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import Proposal, shown_digest
from benchwright.schemas.journal import read_jsonl, write_jsonl
from benchwright.schemas.records import Rejected
from benchwright.schemas.runs import (
    Answered,
    RunFiles,
    StepsRecord,
    judge_view,
    read_run,
    run_item_id,
    steps_view,
)
from benchwright.schemas.status import Outcome
from benchwright.schemas.workspace import Workspace

_VERDICTS = {Outcome.CONSISTENT: "consistent", Outcome.INCONSISTENT: "inconsistent"}


@dataclass(frozen=True)
class Offering:
    """What was offered of a run to a job."""

    job: str
    run_id: str
    proposals: tuple[Proposal, ...]
    rejected: tuple[Rejected, ...]
    """Drawn, but without a proposal, with the reason."""
    eligible: int
    """Answers that the job is about, drawn or not."""


def offer_judge(workspace: Workspace, folder: RunFolder, sample: int | None, *, preselect: bool) -> Offering:
    """Draw answers of a run for the job `judge`.

    People's verdicts are the gold that a judge is held to, so by default nothing is filled in (a value of None); with
    `preselect` the run's own verdict is.

    Raises:
        UsageError: the run has no answer that can be judged.
    """
    files, found = _eligible(workspace, folder, sample)
    model = _judge_name(folder)
    proposals = []
    for answered in found.drawn:
        judged = answered.judgement
        value = _VERDICTS.get(judged.outcome) if preselect and judged is not None else None
        proposals.append(
            Proposal(
                job="judge",
                item_id=run_item_id(files.run_id, answered.row.id),
                field="verdict",
                digest=shown_digest(judge_view(answered.row, answered.response)),
                value=value,
                model=model if value is not None else "evaluate/draw",
            )
        )
    offering = Offering("judge", files.run_id, tuple(proposals), (), found.eligible)
    write_offering(workspace, offering)
    return offering


def offer_steps(workspace: Workspace, folder: RunFolder, sample: int | None) -> Offering:
    """Draw answers whose steps a model divided and scored, for the job `steps`, kinds and scores filled in.

    Raises:
        UsageError: the run has no steps.
    """
    spec = folder.spec()
    if spec.steps is None:
        raise UsageError(
            f"run {spec.run_id} was not scored step by step: run with --protocol sciverse --mode cot first."
        )
    known = folder.load(folder.rows()).steps
    files, found = _eligible(workspace, folder, sample)
    proposals, rejected = [], []
    for answered in found.drawn:
        record = known.get(answered.row.id)
        item_id = run_item_id(files.run_id, answered.row.id)
        if record is None or not record.steps:
            rejected.append(_undivided(item_id, answered, record))
            continue
        view = steps_view(answered.row, answered.response, [step.text for step in record.steps])
        proposals.append(
            Proposal(
                job="steps",
                item_id=item_id,
                field="steps",
                digest=shown_digest(view),
                value=[step.model_dump(mode="json") for step in record.steps],
                model=spec.steps.model.name,
            )
        )
    offering = Offering("steps", files.run_id, tuple(proposals), tuple(rejected), found.eligible)
    write_offering(workspace, offering)
    return offering


def write_offering(workspace: Workspace, offering: Offering) -> None:
    """Put a run's proposals and rejections into the job's files; the same bytes for the same content."""
    done = {p.item_id for p in offering.proposals} | {r.item_id for r in offering.rejected}
    with workspace.lock(f"evaluate-offer/{offering.job}"):
        path, beside = workspace.proposals(offering.job), workspace.proposals_rejected(offering.job)
        known = read_jsonl(path, Proposal) if path.is_file() else []
        failed = read_jsonl(beside, Rejected) if beside.is_file() else []
        # A failed second attempt does not take away what an earlier one proposed.
        again = {p.item_id for p in offering.proposals}
        kept = [proposal for proposal in known if proposal.item_id not in again]
        left = [record for record in failed if record.item_id not in done]
        proposals = sorted([*kept, *offering.proposals], key=lambda p: (p.item_id, p.field))
        rejected = sorted([*left, *offering.rejected], key=lambda r: r.item_id)
        write_jsonl(path, proposals)
        write_jsonl(beside, rejected)


def read_offered(workspace: Workspace, job: str, run_id: str) -> list[Proposal]:
    """The proposals of a job about one run, by item."""
    path, prefix = workspace.proposals(job), run_item_id(run_id, "")
    known = read_jsonl(path, Proposal) if path.is_file() else []
    return [proposal for proposal in known if proposal.item_id.startswith(prefix)]


@dataclass(frozen=True)
class _Found:
    drawn: Sequence[Answered]
    eligible: int


def _eligible(workspace: Workspace, folder: RunFolder, sample: int | None) -> tuple[RunFiles, _Found]:
    files = read_run(folder.path)
    answers = [answered for answered in files.answered if says_something(answered)]
    if not answers:
        raise UsageError(f"run {files.run_id} holds no answer with words in it ({folder.path}).")
    chosen = drawn(answers, files.run_id, sample, workspace.recipe.benchmark.seed)
    return files, _Found(chosen, len(answers))


def _judge_name(folder: RunFolder) -> str:
    judge = folder.spec().judge
    if judge is None:
        return "nobody"
    return judge.kind if judge.model is None else f"{judge.kind} {judge.model.name}"


def _undivided(item_id: str, answered: Answered, record: StepsRecord | None) -> Rejected:
    return Rejected(
        item_id=item_id,
        stage="evaluate-offer/steps",
        reason="no-steps",
        detail="nobody divided this answer yet" if record is None else record.reason,
        source=answered.row.source,
    )
