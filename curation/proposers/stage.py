"""Runs any proposer over the selected questions and writes its job's two files.

`proposals/<job>.jsonl` holds what was proposed, `proposals/<job>.rejected.jsonl` every item without a proposal and why:
not needed by a rule of the proposer, or failed. Running the command again asks for just those once more that no model
replied to, since all final replies are in the call store. Lines about disciplines that a run does not touch stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from benchwright.curation.chosen_now import selection_files
from benchwright.curation.proposers.asking import Asking, ask_all
from benchwright.curation.proposers.chosen import chosen_questions, in_order, selected_disciplines, taken_over
from benchwright.curation.proposers.unit import (
    EmbeddedProposer,
    Item,
    OnItem,
    Planner,
    Proposed,
    Proposer,
    Unit,
)
from benchwright.models.spending import Ledger
from benchwright.schemas.artefact import (
    Counts,
    StageResult,
    manifest_path,
    read_manifest,
    run_stage,
    stage_state,
)
from benchwright.schemas.digest import digest_of
from benchwright.schemas.duplicates import groups_path
from benchwright.schemas.errors import ItemError, TamperedError, UsageError
from benchwright.schemas.jobs import Proposal, problem_id, tagging_view
from benchwright.schemas.journal import read_jsonl, write_jsonl
from benchwright.schemas.records import Question, Rejected
from benchwright.schemas.selection import Estimate
from benchwright.schemas.standing import TEXT_JOBS, standing
from benchwright.schemas.status import REUSABLE_STATUSES, CallStatus
from benchwright.schemas.tables import iter_records
from benchwright.schemas.words import Trust, Words
from benchwright.schemas.workspace import Workspace

STAGE_VERSION = 2
TAXONOMY = "taxonomy"
_BEFORE: dict[str, tuple[str, ...]] = {
    "tagging": (),
    "translation": (),
    "quality": ("translation",),
    "multiple-choice": ("translation",),
    "decomposition": ("translation", "multiple-choice"),
}
"""The jobs whose results a job builds on."""
FAILED = frozenset({*map(str, CallStatus), "budget-reached", "picture-missing", "picture-changed"})
"""Reasons that make an item's failure; all others are rules."""
SAID = frozenset({*map(str, REUSABLE_STATUSES), str(CallStatus.UNPARSABLE)})
"""Those of them that a model's own replies gave: they come from the store when the same is asked again."""


def run_asking(
    workspace: Workspace,
    proposer: Proposer,
    asking: Asking,
    discipline: str | None = None,
    on_item: OnItem = lambda done, total: None,
    ledger: Ledger | None = None,
) -> StageResult:
    """Propose for the selected questions by asking models; proposals for other disciplines stay.

    Args:
        workspace: the workspace.
        proposer: what is proposed.
        asking: whom to ask.
        discipline: only this one; None takes all that have a selection.
        on_item: told (done, total).
        ledger: books what is asked, and holds the budget.

    Raises:
        UsageError: nothing selected, an unknown model, or one that may not be asked.
        LockedError: another process is writing the job's proposals.
    """
    return _run(
        workspace,
        proposer,
        discipline,
        asking.signature,
        lambda units: ask_all(workspace, proposer, units, asking, on_item, ledger),
    )


def run_embedded(
    workspace: Workspace,
    proposer: EmbeddedProposer,
    discipline: str | None = None,
    on_item: OnItem = lambda done, total: None,
) -> StageResult:
    """Propose for the selected questions by a rule or an embedding; proposals for other disciplines stay.

    Raises:
        UsageError: nothing selected.
        LockedError: another process is writing the job's proposals.
    """
    return _run(workspace, proposer, discipline, None, lambda units: _answered(proposer, units, on_item))


@dataclass
class Batch:
    """Everything that a run is about."""

    units: list[Unit] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    """Items gone from the pool, and those that need no proposal."""
    kept: list[Proposal] = field(default_factory=list)
    kept_rejected: list[Rejected] = field(default_factory=list)
    """Lines of the present files that are about other items."""
    former: list[Proposal] = field(default_factory=list)
    """Proposals of the present file about the units themselves."""

    @property
    def digest(self) -> str:
        """What is asked about: edited texts and new words upstream change it, and so does another subject."""
        return digest_of(
            [
                [unit.item_id, unit.language, dict(unit.view), unit.item.subject if unit.item else None]
                for unit in self.units
            ]
        )


def gather(workspace: Workspace, proposer: Planner, disciplines: Sequence[str]) -> Batch:
    """The units of all disciplines, and the lines of the present files that stay."""
    batch = Batch()
    touched: set[str] = set()
    for name in disciplines:
        items, gone = ([], []) if proposer.job == TAXONOMY else standing_items(workspace, name, proposer)
        plan = proposer.plan(name, items)
        batch.units += plan.units
        batch.rejected += [*gone, *plan.not_applicable]
        touched |= {item.item_id for item in items}
    touched |= {unit.item_id for unit in batch.units} | {record.item_id for record in batch.rejected}
    path = workspace.proposals(proposer.job)
    if stage_state(workspace, path) == "tampered" and path.is_file():
        raise TamperedError(
            f"{path} is not what its last run wrote, and its lines cannot be taken over: restore it, or move it away "
            f"and run `curate {proposer.command}` for all disciplines."
        )
    batch.kept, batch.kept_rejected = taken_over(workspace, proposer.job, touched)
    about = {(unit.item_id, unit.language, unit.digest) for unit in batch.units}
    lines = read_jsonl(path, Proposal) if path.is_file() else []
    batch.former = [line for line in lines if (line.item_id, line.language, line.digest) in about]
    return batch


def disciplines_of(workspace: Workspace, job: str, discipline: str | None) -> tuple[str, ...]:
    """The disciplines that a run is about: those with a selection; a taxonomy is made before, from the pool.

    Raises:
        UsageError: there is none, or not the one asked for.
    """
    if job != TAXONOMY:
        return selected_disciplines(workspace, discipline)
    there = workspace.pool_disciplines()
    if not there:
        raise UsageError("there is no pool yet: run `curate ingest` first.")
    if discipline is not None and discipline not in there:
        raise UsageError(f"there is no pool of {discipline}: it has {', '.join(there)}.")
    return there if discipline is None else (discipline,)


def standing_items(
    workspace: Workspace, discipline: str, proposer: Planner
) -> tuple[list[Item], list[Rejected]]:
    """The selected questions as the jobs before the proposer's left them, by id, and those gone from the pool.

    The job's own words are not read: a second run sees what the first one saw.
    """
    chosen, gone = chosen_questions(workspace, discipline, proposer.command)
    path = workspace.estimates(discipline)
    estimates = {e.question_id: e for e in iter_records(path, Estimate)} if path.is_file() else {}
    tags = () if proposer.job == "tagging" else ("tagging",)
    words = Words.read(workspace, (*tags, *_BEFORE.get(proposer.job, TEXT_JOBS)), Trust.DRAFT)
    items = []
    for entry in chosen:
        found = standing(entry.question, words, workspace.recipe.benchmark.languages)
        subject = _tag(words, entry.question, "subject")
        level = _tag(words, entry.question, "difficulty")
        items.append(
            Item(
                question=entry.question,
                texts=found.texts,
                source_texts=found.source_texts,
                question_type=found.question_type,
                estimate=estimates.get(entry.question.id),
                subject=subject if isinstance(subject, str) else None,
                difficulty=level if isinstance(level, int) else None,
                dev=entry.dev,
            )
        )
    return items, gone


def _run(
    workspace: Workspace,
    proposer: Planner,
    discipline: str | None,
    asking: JsonValue,
    answer: Callable[[Sequence[Unit]], Proposed],
) -> StageResult:
    disciplines = disciplines_of(workspace, proposer.job, discipline)
    outputs = [workspace.proposals(proposer.job), workspace.proposals_rejected(proposer.job)]
    # From here on nobody else may write the files: lines about other disciplines are read and written back.
    with workspace.lock(f"proposals/{proposer.job}"):
        batch = gather(workspace, proposer, disciplines)
        _retry_failed(outputs[0])
        parameters: dict[str, JsonValue] = {
            "command": proposer.command,
            "disciplines": list(disciplines),
            "proposer": proposer.signature,
            "asking": asking,
            "units": batch.digest,
            "taken_over": digest_of([batch.kept, batch.kept_rejected]),
        }
        inputs = _inputs(workspace, proposer, disciplines)
        return run_stage(
            workspace,
            f"propose/{proposer.job}",
            STAGE_VERSION,
            inputs,
            outputs,
            parameters,
            lambda paths: _write(batch, answer(batch.units), paths),
        )


def _write(batch: Batch, answers: Proposed, paths: tuple[Path, ...]) -> Counts:
    proposals, failed = answers
    rejected = [*batch.rejected, *failed]
    # Who could not be asked again keeps what was proposed about the same text before: a bad day loses nothing.
    made = {(proposal.item_id, proposal.language) for proposal in proposals}
    missed = {record.item_id for record in failed if record.reason in FAILED}
    left = [p for p in batch.former if p.item_id in missed and (p.item_id, p.language) not in made]
    write_jsonl(paths[0], in_order([*batch.kept, *left, *proposals]))
    lines = sorted([*batch.kept_rejected, *rejected], key=lambda r: (r.item_id, r.reason, r.detail))
    write_jsonl(paths[1], lines)
    n_in = len(batch.units) + len(batch.rejected)
    return Counts(
        n_in=n_in,
        n_kept=n_in - len(rejected),
        n_rejected=len(rejected),
        reasons=dict(sorted(Counter(record.reason for record in rejected).items())),
    )


def _answered(proposer: EmbeddedProposer, units: Sequence[Unit], on_item: OnItem) -> Proposed:
    proposals: list[Proposal] = []
    refused: list[Rejected] = []
    for done, unit in enumerate(units, start=1):
        try:
            proposals += proposer.propose(unit)
        except ItemError as error:
            refused.append(unit.rejected(proposer.command, error.reason, error.detail))
        on_item(done, len(units))
    return proposals, refused


def _tag(words: Words, question: Question, name: str) -> JsonValue:
    said = words.optional("tagging", problem_id(question.id), None, name, tagging_view(question))
    return None if said is None else said[0]


def _inputs(workspace: Workspace, proposer: Planner, disciplines: Sequence[str]) -> list[Path]:
    """Files whose change makes the proposals stale."""
    if proposer.job == TAXONOMY:
        return [workspace.pool(name) for name in disciplines]
    paths = []
    for name in disciplines:
        paths += [workspace.pool(name), *selection_files(workspace, name)]
        optional = (workspace.estimates(name), workspace.dev_selection(name), groups_path(workspace, name))
        paths += [path for path in optional if path.is_file()]
    if (settled := workspace.verdicts("duplicates")).is_file():
        paths.append(settled)
    for job in _BEFORE.get(proposer.job, TEXT_JOBS):
        words = (workspace.proposals(job), workspace.verdicts(job))
        paths += [path for path in words if path.is_file()]
    return paths


def _retry_failed(output: Path) -> None:
    """A run that could not ask about some items is run again; what was answered comes from the call store."""
    known = read_manifest(manifest_path(output))
    if known is not None and known.counts is not None and FAILED & known.counts.reasons.keys():
        manifest_path(output).unlink()
