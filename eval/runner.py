"""The run: ask every row whose answer is not final, judge every answer that is not judged, then derive the scores.

Calls are stored one by one as they end, answers and verdicts are journaled in small groups behind them: a killed run
loses the calls in flight and nothing else, because the next one finds the finished calls in the store.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, aclosing
from dataclasses import dataclass, field
from typing import Protocol

from benchwright.eval.dataset import Dataset
from benchwright.eval.judge import Judge
from benchwright.eval.judge_llm import JUDGE_MAX_TOKENS
from benchwright.eval.messages import request_for
from benchwright.eval.report import Scores, score
from benchwright.eval.scored import scored_rows
from benchwright.eval.spec import RunSpec
from benchwright.eval.store import Batches, RunFolder
from benchwright.models.chat import Call, ChatModel, Sampling
from benchwright.models.scheduler import Scheduler, SchedulerSettings, as_finished
from benchwright.models.store import CallStore
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.runs import Judgement, Response, asked_digest
from benchwright.schemas.status import OUTCOME_OF_STATUS, CallStatus, Outcome

STOP_AFTER = 10
"""Calls of this run that have to be finished before the stop rule speaks."""


@dataclass
class Tally:
    """Calls of this run alone: what an earlier run left behind never dilutes its failure rate."""

    finished: int = 0
    failed: int = 0
    stopped: bool = False

    def note(self, failed: bool, limit: float) -> None:
        """Count one finished call and decide whether to go on."""
        self.finished += 1
        self.failed += failed
        if self.finished >= STOP_AFTER and self.failed / self.finished > limit:
            self.stopped = True


@dataclass(frozen=True)
class Models:
    """Who answers and who judges; `judge` None for the rules alone."""

    tested: ChatModel
    judge: ChatModel | None = None


@dataclass(frozen=True)
class RunSettings:
    """What changes how a run goes, never what it finds."""

    scheduler: SchedulerSettings = field(default_factory=SchedulerSettings)
    stop_above: float = 0.5
    """Share of this run's calls that may fail in transport before it stops (after ten calls)."""


@dataclass(frozen=True)
class RunResult:
    """What a run did and found."""

    scores: Scores
    notes: tuple[str, ...]
    reused: int
    """Rows whose final answer was already there."""
    answers: Tally
    judgements: Tally


class Bar(Protocol):
    """Shows how far a pass is."""

    def advance(self, n: int = 1) -> None:
        """`n` more are finished."""


Progress = Callable[[int, str], AbstractContextManager[Bar]]
"""Opens a bar for a pass: how many there are to do, and the pass's name."""


def run(
    spec: RunSpec,
    dataset: Dataset,
    models: Models,
    folder: RunFolder,
    calls: CallStore,
    settings: RunSettings,
    progress: Progress,
) -> RunResult:
    """Run or continue an evaluation.

    Args:
        spec: the specification; the folder was opened with it.
        dataset: rows and pictures.
        models: who answers, who judges.
        folder: where answers and verdicts are journaled.
        calls: the store of model calls.
        settings: concurrency and the stop rule.
        progress: opens a bar for each pass.
    """
    folder.write_rows(dataset.rows)
    known = folder.load(dataset.rows)
    open_rows = [r for r in dataset.rows if r.id not in known.responses or not known.responses[r.id].final]
    answers, verdicts = Tally(), Tally()
    work = _Work(spec, dataset, folder, calls, settings, progress)
    asyncio.run(work.ask(open_rows, models.tested, answers))
    asyncio.run(work.judge(models.judge, verdicts))
    scores = score_folder(spec, dataset.rows, folder)
    return RunResult(scores, known.notes, len(dataset.rows) - len(open_rows), answers, verdicts)


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
        spec: the specification; the folder was opened with it.
        dataset: the rows that were answered.
        judge: the judging model; None for the rules alone.
        folder: holds the answers; verdicts are journaled there.
        calls: the store of model calls.
        settings: concurrency and the stop rule.
        progress: opens a bar.
    """
    known, verdicts = folder.load(dataset.rows), Tally()
    asyncio.run(_Work(spec, dataset, folder, calls, settings, progress).judge(judge, verdicts))
    scores = score_folder(spec, dataset.rows, folder)
    return RunResult(scores, known.notes, len(known.responses), Tally(), verdicts)


def score_folder(spec: RunSpec, rows: Sequence[ReleaseRow], folder: RunFolder) -> Scores:
    """Derive the scores from what a run folder holds for these rows; nothing is asked.

    A final answer without a verdict (the run was stopped in between) is unjudged.
    """
    known = folder.load(rows)
    scored = scored_rows(rows, known)
    return score(spec, scored, known.judgements.values(), folder.people())


class _Work:
    """The two passes over the rows, with everything they share."""

    def __init__(
        self,
        spec: RunSpec,
        dataset: Dataset,
        folder: RunFolder,
        calls: CallStore,
        settings: RunSettings,
        progress: Progress,
    ) -> None:
        self._spec = spec
        self._dataset = dataset
        self._folder = folder
        self._calls = calls
        self._settings = settings
        self._progress = progress

    async def ask(self, rows: Sequence[ReleaseRow], model: ChatModel, tally: Tally) -> None:
        """Ask the tested model for these rows."""
        sampling = sampling_of(self._spec)
        # An embedded guesser takes no settings; the run's seed tells its repetitions apart.
        sample_index = (self._spec.sampling.seed or 0) if model.by_item else 0
        scheduler = Scheduler(model, self._calls, self._settings.scheduler)

        async def one(row: ReleaseRow) -> Response:
            # The request holds the picture's bytes, so it is made only when a slot is free.
            try:
                request = request_for(row, self._dataset.images, sampling, sample_index)
            except ItemError as error:
                return unsendable(row, error)
            return response_of(row, await scheduler.call(request))

        concurrency = self._settings.scheduler.concurrency
        try:
            with self._progress(len(rows), "answers") as bar, Batches(self._folder.responses) as journal:
                async with aclosing(as_finished(rows, one, concurrency)) as stream:
                    async for _, response in stream:
                        journal.add(response)
                        tally.note(not response.final, self._settings.stop_above)
                        bar.advance()
                        if tally.stopped:
                            break
        finally:
            await model.close()

    async def judge(self, model: ChatModel | None, tally: Tally) -> None:
        """Judge every final answer that has no final verdict."""
        known = self._folder.load(self._dataset.rows)
        judge = Judge(
            self._spec.judge.kind,
            None if model is None else Scheduler(model, self._calls, self._settings.scheduler),
            self._spec.judge.max_tokens or JUDGE_MAX_TOKENS,
        )
        waiting = [
            (row, response)
            for row in self._dataset.rows
            if (response := known.responses.get(row.id)) is not None and response.final
            if (verdict := known.judgements.get(row.id)) is None or not verdict.final
        ]

        async def one(item: tuple[ReleaseRow, Response]) -> Judgement:
            return await judge.judge(*item)

        concurrency = self._settings.scheduler.concurrency
        try:
            with self._progress(len(waiting), "verdicts") as bar, Batches(self._folder.judgements) as journal:
                async with aclosing(as_finished(waiting, one, concurrency)) as stream:
                    async for (row, _), judgement in stream:
                        if judgement != known.judgements.get(row.id):
                            journal.add(judgement)
                        if judgement.judge_status is not None:
                            tally.note(_transport_failed(judgement.judge_status), self._settings.stop_above)
                        bar.advance()
                        if tally.stopped:
                            break
        finally:
            if model is not None:
                await model.close()


def sampling_of(spec: RunSpec) -> Sampling:
    """The settings sent with every request of a run."""
    return Sampling.model_validate(spec.sampling.model_dump())


def response_of(row: ReleaseRow, call: Call) -> Response:
    """The journal's record of a call."""
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
    )


def unsendable(row: ReleaseRow, error: ItemError) -> Response:
    """The journal's record of a row that no request can be made of, such as a picture in no known format."""
    return Response(
        row_id=row.id,
        asked_digest=asked_digest(row),
        status=CallStatus.UNSENDABLE,
        text="",
        detail=str(error),
    )


def _transport_failed(status: CallStatus) -> bool:
    return OUTCOME_OF_STATUS.get(status) is Outcome.NOT_RUN
