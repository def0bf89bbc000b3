"""Sci-CoT: every final answer of a run is cut into steps and marked by the steps judge (SciVerse, section 2.4).

A split that does not quote the response, or marks that do not fit the steps, are asked for once more; then the row is
`unjudged` with the reason `steps-failed`: the figure is incomplete, nothing is guessed. The model's own failures
(refusal, filter, silence, cut off before an answer) need no judge: they are `no-answer`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchwright.eval.judges.judge import settled_by_call
from benchwright.eval.judges.judge_llm import reference_answer
from benchwright.eval.judges.judge_rules import judge_by_rules
from benchwright.eval.runs.passes import PassContext
from benchwright.eval.runs.spec import StepsSpec
from benchwright.eval.scicot.step_quotes import coverage
from benchwright.eval.scicot.steps import (
    FoundStep,
    ScoresReply,
    SplitReply,
    StepsQuestion,
    disarm,
    found_steps,
    score_request,
    scores_complaint,
    split_complaint,
    split_request,
)
from benchwright.models.chat import Call
from benchwright.models.scheduler import Scheduler
from benchwright.models.structured import Structured, ask_structured
from benchwright.models.thinking import split_thinking
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.runs import Response, Step, StepsRecord, steps_key
from benchwright.schemas.status import OUTCOME_OF_STATUS, CallStatus, Outcome

FAILED = "steps-failed"
_UNUSABLE = frozenset({CallStatus.UNPARSABLE, CallStatus.TRUNCATED, CallStatus.EMPTY})
"""Ends of a judge's reply that hold no steps although the judge was reached."""


@dataclass(frozen=True)
class Divided:
    """What came of asking for steps and marks."""

    steps: tuple[Step, ...] | None
    """None where a reply could not be used."""
    coverage: float | None
    status: CallStatus
    """Of the reply that decided: ok, or why there is none."""
    detail: str
    texts: tuple[str, ...]
    """The judging model's words, call by call."""

    @property
    def reason(self) -> str:
        """Stable code: `steps-scored`, `steps-failed`, or `judge-` with the end of the call."""
        if self.steps is not None:
            return "steps-scored"
        return FAILED if self.status in _UNUSABLE else f"judge-{self.status.value}"


class StepsJudge:
    """Cuts and marks one response at a time.

    Args:
        spec: what the scorer sees, how much has to be covered, how long its replies may be.
        llm: the scheduler of the judging model.
        images: published bytes by sha256; read only where the scorer sees pictures.
    """

    def __init__(self, spec: StepsSpec, llm: Scheduler, images: Mapping[str, bytes]) -> None:
        self._spec = spec
        self._llm = llm
        self._images = images

    async def judge(
        self, row: ReleaseRow, response: Response, earlier: StepsRecord | None = None
    ) -> StepsRecord:
        """The steps of one response whose call is final.

        Args:
            row: the released row.
            response: its answer.
            earlier: what an earlier run got for it, where that is not final; replies that could not be used are not
                read from the store of calls again.

        Raises:
            ValueError: the call is not final: such a row is not run, which is no judgement.
        """
        key = steps_key(row, response)
        split = split_thinking(response.text)
        rules = judge_by_rules(row, split.text, cut_off=response.status is CallStatus.TRUNCATED)
        settled = settled_by_call(response, split, rules)
        if settled is not None:
            outcome, reason = settled
            if outcome is not Outcome.NO_ANSWER:
                raise ValueError(f"row {row.id}: {reason} settles no steps")
            return StepsRecord(row_id=row.id, key_digest=key, outcome="no-answer", reason=reason)
        asked = self.question(row, split.text, _round_after(earlier))
        found = await divide(asked, self._llm, self._spec.min_coverage, self._spec.max_tokens)
        return StepsRecord(
            row_id=row.id,
            key_digest=key,
            outcome="unjudged" if found.steps is None else "scored",
            reason=found.reason,
            detail=found.detail,
            steps=found.steps or (),
            coverage=found.coverage,
            injection_suspected=disarm(split.text)[1],
            judge_status=found.status,
            judge_texts=found.texts,
            round=asked.round,
        )

    def question(self, row: ReleaseRow, text: str, round: int = 0) -> StepsQuestion:
        """What the judge is asked about a response, with what the specification lets it see."""
        see = self._spec.see
        return StepsQuestion(
            item_id=row.id,
            language=row.language,
            question=row.full_question,
            response=text,
            reference=reference_answer(row) if "answer" in see else None,
            images=tuple(self._images[sha256] for sha256 in row.images) if "image" in see else (),
            round=round,
        )


async def divide(asked: StepsQuestion, llm: Scheduler, min_coverage: float, max_tokens: int) -> Divided:
    """Ask for steps, then for marks, each once more where the reply cannot be used.

    Args:
        asked: the response and what the judge sees.
        llm: the scheduler of the judging model.
        min_coverage: least share of the response's words in steps.
        max_tokens: room for each reply.
    """
    split = await ask_split(asked, llm, min_coverage, max_tokens)
    if split.value is None:
        return _failed(split, split.calls, "split")
    steps = found_steps(asked.response, split.value)
    marks = await ask_scores(asked, steps, llm, max_tokens)
    calls = (*split.calls, *marks.calls)
    if marks.value is None:
        return _failed(marks, calls, "scores")
    scored = {mark.step: mark.score for mark in marks.value.scores}
    return Divided(
        steps=tuple(
            Step(text=step.text, kind=step.kind, score=scored[number])
            for number, step in enumerate(steps, start=1)
        ),
        coverage=coverage(asked.response, [step.span for step in steps]),
        status=marks.status,
        detail="",
        texts=_texts(calls),
    )


async def ask_split(
    asked: StepsQuestion, llm: Scheduler, min_coverage: float, max_tokens: int
) -> Structured[SplitReply]:
    """The first question, once more with the complaint where the split cannot be used."""
    return await ask_structured(
        llm,
        split_request(asked, max_tokens),
        SplitReply,
        lambda _, reply: split_complaint(asked.response, reply, min_coverage),
    )


async def ask_scores(
    asked: StepsQuestion, steps: tuple[FoundStep, ...], llm: Scheduler, max_tokens: int
) -> Structured[ScoresReply]:
    """The second question, once more with the complaint where the marks do not fit the steps."""
    return await ask_structured(
        llm,
        score_request(asked, steps, max_tokens),
        ScoresReply,
        lambda _, reply: scores_complaint(reply, len(steps)),
    )


async def steps_pass(work: PassContext, scheduler: Scheduler) -> None:
    """Cut and mark every final answer that has no final steps.

    Args:
        work: the run; its specification has `steps`.
        scheduler: of the judging model.

    Raises:
        ValueError: the run scores no steps.
    """
    if work.spec.steps is None:
        raise ValueError(f"run {work.spec.run_id} scores no steps")
    judge = StepsJudge(work.spec.steps, scheduler, work.dataset.images)
    known = work.folder.load(work.dataset.rows)
    waiting = [
        (row, response)
        for row in work.dataset.rows
        if (response := known.responses.get(row.id)) is not None and response.final
        if (record := known.steps.get(row.id)) is None or not record.final
    ]

    async def one(item: tuple[ReleaseRow, Response]) -> StepsRecord:
        return await judge.judge(*item, known.steps.get(item[0].id))

    await work.work_through(
        waiting,
        one,
        label="steps",
        journal=work.folder.steps,
        failed=_failed_in_transport,
        known=lambda record: record == known.steps.get(record.row_id),
    )


def _round_after(earlier: StepsRecord | None) -> int:
    if earlier is None:
        return 0
    return earlier.round + (earlier.reason == FAILED)


def _failed_in_transport(record: StepsRecord) -> bool | None:
    if record.judge_status is None:
        return None
    return OUTCOME_OF_STATUS.get(record.judge_status) is Outcome.NOT_RUN


def _failed(
    reply: Structured[SplitReply] | Structured[ScoresReply], calls: tuple[Call, ...], stage: str
) -> Divided:
    return Divided(None, None, reply.status, f"{stage}: {reply.detail or reply.status.value}", _texts(calls))


def _texts(calls: tuple[Call, ...]) -> tuple[str, ...]:
    return tuple(call.text or "" for call in calls)
