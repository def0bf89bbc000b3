"""The run: ask every row whose answer is not final, judge every answer that is not judged, then derive the scores.

Calls are stored one by one as they end, answers and verdicts are journaled in small groups behind them: a killed run
loses the calls in flight and nothing else, because the next one finds the finished calls in the store.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchwright.eval.judges.judge import Judge
from benchwright.eval.judges.judge_llm import JUDGE_MAX_TOKENS
from benchwright.eval.metrics.scored import scored_rows, step_rows
from benchwright.eval.metrics.scores import Scores, score
from benchwright.eval.pipeline.plan import Plan
from benchwright.eval.runs.dataset import Dataset
from benchwright.eval.runs.instructions import users_prompts
from benchwright.eval.runs.messages import Requests
from benchwright.eval.runs.passes import PassContext, Progress, RunSettings, Tally
from benchwright.eval.runs.spec import RunSpec
from benchwright.eval.runs.store import RunFolder
from benchwright.models.chat import Call, ChatModel
from benchwright.models.scheduler import Scheduler
from benchwright.models.spending import Ledger, Spending
from benchwright.models.store import CallStore
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.runs import Judgement, Response, asked_digest
from benchwright.schemas.status import OUTCOME_OF_STATUS, CallStatus, Outcome


@dataclass(frozen=True)
class Models:
    """Who answers and who judges; `judge` None for a judge that asks nobody."""

    tested: ChatModel
    judge: ChatModel | None = None


@dataclass(frozen=True)
class Answers:
    """What asking the rows did."""

    notes: tuple[str, ...]
    """What of the folder could not be used."""
    reused: int
    """Rows whose final answer was already there."""
    tally: Tally
    spending: tuple[Spending, ...] = ()


@dataclass(frozen=True)
class RunResult:
    """What a run did and found."""

    scores: Scores
    notes: tuple[str, ...]
    reused: int
    """Rows whose final answer was already there."""
    answers: Tally
    judgements: Tally
    """Of the pass that judges final answers or scores steps."""
    spending: tuple[Spending, ...] = field(default=())
    """What this process asked for, one record a stage and model."""


def run(
    plan: Plan,
    models: Models,
    folder: RunFolder,
    calls: CallStore,
    settings: RunSettings,
    progress: Progress,
) -> RunResult:
    """Run or continue an evaluation.

    Args:
        plan: the run; the folder was opened with its specification.
        models: who answers, who judges.
        folder: where answers and verdicts are journaled.
        calls: the store of model calls.
        settings: concurrency, the stop rule, prices and the budget.
        progress: opens a bar for each pass.
    """
    asked = ask(plan, models.tested, folder, calls, settings, progress)
    judged = judge_folder(plan.spec, plan.dataset, models.judge, folder, calls, settings, progress)
    return RunResult(
        judged.scores,
        asked.notes,
        asked.reused,
        asked.tally,
        judged.judgements,
        asked.spending + judged.spending,
    )


def ask(
    plan: Plan,
    model: ChatModel,
    folder: RunFolder,
    calls: CallStore,
    settings: RunSettings,
    progress: Progress,
) -> Answers:
    """Ask the tested model for every row that has no final answer; nothing is judged.

    Arguments as for `run`.
    """
    rows = plan.dataset.rows
    folder.write_rows(rows)
    known = folder.load(rows)
    waiting = [row for row in rows if row.id not in known.responses or not known.responses[row.id].final]
    work = PassContext(plan.spec, plan.dataset, folder, settings, progress, Tally())
    ledger = Ledger("answers", settings.prices, settings.budget)
    requests = Requests(plan.spec, plan.instructions, plan.dataset.images, plan.shots, by_item=model.by_item)
    scheduler = Scheduler(model, calls, settings.scheduler, ledger=ledger)
    asyncio.run(_ask_rows(work, waiting, requests, scheduler))
    return Answers(known.notes, len(rows) - len(waiting), work.tally, ledger.spending())


def judge_folder(
    spec: RunSpec,
    dataset: Dataset,
    judge: ChatModel | None,
    folder: RunFolder,
    calls: CallStore,
    settings: RunSettings,
    progress: Progress,
) -> RunResult:
    """Judge and score answers that a folder holds already; nobody is asked for one.

    Args:
        spec: the specification; the folder was opened with it. Where it has `steps`, steps are scored, where it has
            `judge`, final answers are.
        dataset: the rows that were answered.
        judge: the judging model; None for a judge that asks nobody.
        folder: holds the answers; verdicts and steps are journaled there.
        calls: the store of model calls.
        settings: concurrency, the stop rule, prices and the budget.
        progress: opens a bar.
    """
    known = folder.load(dataset.rows)
    work = PassContext(spec, dataset, folder, settings, progress, Tally())
    ledger = Ledger("judge" if spec.steps is None else "steps", settings.prices, settings.budget)
    scheduler = None if judge is None else Scheduler(judge, calls, settings.scheduler, ledger=ledger)
    asyncio.run(_decide(work, scheduler))
    scores = score_folder(spec, dataset.rows, folder)
    return RunResult(scores, known.notes, len(known.responses), Tally(), work.tally, ledger.spending())


def score_folder(spec: RunSpec, rows: Sequence[ReleaseRow], folder: RunFolder) -> Scores:
    """Derive the scores from what a run folder holds for these rows; nothing is asked.

    A final answer without a verdict (the run was stopped in between) is unjudged.
    """
    known = folder.load(rows)
    only_steps = spec.judge is None and spec.steps is not None
    return score(
        spec,
        () if only_steps else scored_rows(rows, known),
        known.judgements.values(),
        folder.people(),
        () if spec.steps is None else step_rows(rows, known),
        known.steps.values(),
        [known.responses[row.id].status if row.id in known.responses else None for row in rows],
        sum(response.reduced_images > 0 for response in known.responses.values()),
    )


async def _ask_rows(
    work: PassContext, rows: Sequence[ReleaseRow], requests: Requests, scheduler: Scheduler
) -> None:
    async def one(row: ReleaseRow) -> Response:
        # The request holds the picture's bytes, so it is made only when a slot is free.
        try:
            request = requests.request_for(row)
        except ItemError as error:
            return unsendable(row, error)
        return response_of(row, await scheduler.call(request), requests.reduced(row))

    try:
        await work.work_through(
            rows,
            one,
            label="answers",
            journal=work.folder.responses,
            failed=lambda response: not response.final,
            cause=lambda response: response.detail,
        )
    finally:
        await scheduler.model.close()


async def _decide(work: PassContext, scheduler: Scheduler | None) -> None:
    """Score steps or judge final answers, as the specification says."""
    try:
        if work.spec.judge is not None:
            await _judge_rows(work, scheduler)
        if work.spec.steps is not None and scheduler is not None:
            from benchwright.eval.scicot.steps_pass import steps_pass

            await steps_pass(work, scheduler)
    finally:
        if scheduler is not None:
            await scheduler.model.close()


async def _judge_rows(work: PassContext, scheduler: Scheduler | None) -> None:
    """Judge every final answer that has no final verdict."""
    assert work.spec.judge is not None, "only runs with a judge come here"
    known = work.folder.load(work.dataset.rows)
    waiting = [
        (row, response)
        for row in work.dataset.rows
        if (response := known.responses.get(row.id)) is not None and response.final
        if (verdict := known.judgements.get(row.id)) is None or not verdict.final
    ]
    spec = work.spec.judge
    mine = users_prompts(spec.prompts, "judge")
    with Judge(spec.kind, scheduler, spec.max_tokens or JUDGE_MAX_TOKENS, mine) as judge:

        async def one(item: tuple[ReleaseRow, Response]) -> Judgement:
            return await judge.judge(*item, known.judgements.get(item[0].id))

        await work.work_through(
            waiting,
            one,
            label="verdicts",
            journal=work.folder.judgements,
            failed=lambda said: None if said.judge_status is None else _transport_failed(said.judge_status),
            known=lambda said: said == known.judgements.get(said.row_id),
        )


def response_of(row: ReleaseRow, call: Call, reduced_images: int = 0) -> Response:
    """The journal's record of a call.

    Args:
        row: the row that was asked.
        call: how it ended.
        reduced_images: pictures that were sent smaller than published.
    """
    return Response(
        row_id=row.id,
        asked_digest=asked_digest(row),
        status=call.status,
        text=call.text or "",
        detail=call.detail or call.refusal or "",
        finish_reason=call.finish_reason,
        prompt_tokens=call.usage.prompt_tokens,
        completion_tokens=call.usage.completion_tokens,
        call_id=call.key,
        reduced_images=reduced_images,
    )


def unsendable(row: ReleaseRow, error: ItemError) -> Response:
    """The journal's record of a row that no request can be made of: a picture too large, or in no known format."""
    return Response(
        row_id=row.id,
        asked_digest=asked_digest(row),
        status=CallStatus.UNSENDABLE,
        text="",
        detail=str(error),
    )


def _transport_failed(status: CallStatus) -> bool:
    return OUTCOME_OF_STATUS.get(status) is Outcome.NOT_RUN
