"""Why wrong answers are wrong: a model proposes one of VisScience's five kinds (section 3.3), people review it.

Answers judged inconsistent are drawn at random per discipline. The prompt defines the kinds in our own words (the paper
names them and does not define them); it shows the whole question, its pictures, the reference answer and solution, and
the response between fences. One main kind an answer: that of the earliest fault of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from benchwright.eval.errors.draw import drawn, is_wrong
from benchwright.eval.errors.offering import Offering
from benchwright.eval.judges.judge_llm import reference_answer
from benchwright.eval.judges.verdict import neutralise, nonce_of
from benchwright.eval.runs.instructions import PACKAGE
from benchwright.eval.runs.spec import Input
from benchwright.models.budget import BudgetReached
from benchwright.models.chat import ChatModel, ChatRequest, Message, Sampling
from benchwright.models.prompts import Prompt, load_prompt
from benchwright.models.scheduler import SchedulerSettings
from benchwright.models.spending import Ledger
from benchwright.models.store import CallStore
from benchwright.models.structured import Structured, run_structured
from benchwright.models.thinking import split_thinking
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import JOBS, Proposal, shown_digest
from benchwright.schemas.records import Rejected, ReleaseRow
from benchwright.schemas.runs import Answered, RunFiles, errors_view, run_item_id

JOB = "errors"
FIELD = "category"
PROMPT = "error-kind"
PROMPT_VERSION = "1"
KINDS: tuple[str, ...] = JOBS[JOB].field(FIELD).values
MAX_TOKENS = 1024
_SEEN: Mapping[str, Mapping[str, str]] = {
    "en": {
        "QI": "The model was given the question with the same pictures, if any, that you see.",
        "Q": "The model was given the text alone, without any picture.",
        "I": "The model was given the pictures alone, without the text.",
    },
    "zh": {
        "QI": "模型答题时看到的题目和图（如果有图）与你看到的相同。",
        "Q": "模型答题时只有文字，没有图。",
        "I": "模型答题时只有图，没有文字。",
    },
}
_NONE = {"en": "(none is given)", "zh": "（没有给出）"}


class ErrorReply(BaseModel):
    """The form of the model's reply."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    reason: str
    category: Literal["reasoning", "knowledge", "calculation", "vision-recognition", "question-misunderstood"]


@dataclass(frozen=True)
class Wrong:
    """The wrong answers of a run, and those drawn from them."""

    all: tuple[Answered, ...]
    drawn: tuple[Answered, ...]


def wrong_answers(files: RunFiles, sample: int | None, seed: int) -> Wrong:
    """Answers judged inconsistent, and the ones that are drawn to be looked at.

    Raises:
        UsageError: there is none.
    """
    found = [answered for answered in files.answered if is_wrong(answered)]
    if not found:
        raise UsageError(
            f"run {files.run_id} holds no answer that was judged wrong: there is no error to name."
        )
    return Wrong(tuple(found), tuple(drawn(found, files.run_id, sample, seed)))


def error_prompt(language: str) -> Prompt:
    """The prompt in a language of the data.

    Raises:
        UsageError: there is none in that language.
    """
    return load_prompt(PACKAGE, PROMPT, language, PROMPT_VERSION)


def error_request(answered: Answered, pictures: Mapping[str, bytes], asked: Input = "QI") -> ChatRequest:
    """The question about one wrong answer.

    Args:
        answered: the row with its answer.
        pictures: published bytes by digest; all of the row's are shown, those of a text-only run too.
        asked: what the tested model was given.
    """
    row, text = answered.row, split_thinking(answered.response.text).text
    language = row.language if row.language in _SEEN else "en"
    quoted, _ = neutralise(text)
    prompt = error_prompt(row.language).fill(
        nonce=nonce_of(row.id, text),
        seen=_SEEN[language][asked],
        question=row.full_question,
        answer=reference_answer(row),
        solution=row.solution or _NONE[language],
        response=quoted,
    )
    return ChatRequest(
        item_id=row.id,
        messages=(Message.user(prompt, *(pictures[sha256] for sha256 in row.images)),),
        sampling=Sampling(temperature=0.0, max_tokens=MAX_TOKENS),
    )


def needed_pictures(rows: Sequence[ReleaseRow]) -> set[str]:
    """Digests of the pictures of these rows."""
    return {sha256 for row in rows for sha256 in row.images}


@dataclass(frozen=True)
class Asking:
    """Who is asked, and how."""

    model: ChatModel
    calls: CallStore
    settings: SchedulerSettings
    ledger: Ledger | None = None
    """Books what is asked; its budget stops the asking."""
    on_item: Callable[[], None] = lambda: None
    """Told of every finished answer."""


def propose_errors(
    run_id: str, wrong: Wrong, pictures: Mapping[str, bytes], asked: Input, asking: Asking
) -> Offering:
    """Ask about every drawn answer; each ends as a proposal or as a rejection with its reason.

    Args:
        run_id: the run's.
        wrong: its wrong answers.
        pictures: published bytes by digest, those of all drawn rows.
        asked: what the tested model was given.
        asking: who is asked.

    Raises:
        UsageError: there is no prompt in a language of the answers, or a budget without the price; nothing was asked.
        EndpointDenied: the endpoint turns everybody away.
    """
    for language in sorted({answered.row.language for answered in wrong.drawn}):
        error_prompt(language)
    results: dict[str, Structured[ErrorReply]] = {}

    def note(request: ChatRequest, result: Structured[ErrorReply]) -> None:
        results[request.item_id] = result
        asking.on_item()

    stopped = ""
    try:
        run_structured(
            asking.model,
            # One by one, as slots get free: a request holds its pictures' bytes.
            (error_request(answered, pictures, asked) for answered in wrong.drawn),
            ErrorReply,
            store=asking.calls,
            settings=asking.settings,
            on_result=note,
            ledger=asking.ledger,
        )
    except BudgetReached as error:
        stopped = str(error)
    proposals, rejected = [], []
    for answered in wrong.drawn:
        result = results.get(answered.row.id)
        if result is None:
            rejected.append(_rejected(run_id, answered, "budget-reached", stopped))
        elif result.value is None:
            reason = f"call-{result.status.value}"
            rejected.append(_rejected(run_id, answered, reason, result.detail or ""))
        else:
            calls = tuple(call.key for call in result.calls)
            proposals.append(_proposal(run_id, answered, asking.model.name, result.value, calls))
    return Offering(JOB, run_id, tuple(proposals), tuple(rejected), len(wrong.all))


def _rejected(run_id: str, answered: Answered, reason: str, detail: str) -> Rejected:
    return Rejected(
        item_id=run_item_id(run_id, answered.row.id),
        stage="evaluate-errors",
        reason=reason,
        detail=detail,
        source=answered.row.source,
    )


def _proposal(
    run_id: str, answered: Answered, model: str, said: ErrorReply, calls: tuple[str, ...]
) -> Proposal:
    return Proposal(
        job=JOB,
        item_id=run_item_id(run_id, answered.row.id),
        field=FIELD,
        digest=shown_digest(errors_view(answered.row, answered.response)),
        value=said.category,
        model=model,
        prompt_hash=error_prompt(answered.row.language).sha256,
        call_id=calls[-1],
        calls=calls,
    )
