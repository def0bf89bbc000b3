"""An LLM as judge: it compares a response with the reference answer, as in VisScience (section 3, appendix C).

One call a response; when its verdict cannot be read, one more with a reminder; then the row is `unjudged`, never
inconsistent. The judge sees the whole question (`full_question`) for every version, and no picture.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from benchwright.eval.messages import JUDGE_VERSION, PACKAGE, prompt_ref
from benchwright.eval.spec import PromptRef
from benchwright.eval.verdict import Verdict, neutralise, nonce_of, read_verdict
from benchwright.models.chat import ChatRequest, Message, Sampling
from benchwright.models.prompts import load_prompt
from benchwright.models.scheduler import Scheduler
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.status import CallStatus

JUDGE_MAX_TOKENS = 2048
"""Room for a reasoning judge; at 512 such a judge spends everything before its verdict."""


@dataclass(frozen=True)
class LLMVerdict:
    """What the judge said. `verdict` None: nothing that counts."""

    verdict: Verdict | None
    status: CallStatus
    text: str
    reason: str
    injection_suspected: bool


def judge_refs(languages: tuple[str, ...]) -> tuple[PromptRef, ...]:
    """The prompts that a judge of these languages gets, for the run's specification."""
    return tuple(
        prompt_ref(load_prompt(PACKAGE, name, language, JUDGE_VERSION))
        for language in sorted(set(languages))
        for name in ("judge", "judge-reminder")
    )


def reference_answer(row: ReleaseRow) -> str:
    """The reference as the judge reads it: with its unit, and for options with what they say."""
    answer = row.answer or ""
    if row.unit:
        answer = f"{answer} {row.unit}"
    said = {option.label: option.text for option in row.options}
    if row.options and answer and all(label in said for label in answer):
        named = [f"{label} ({said[label]})" if said[label] else label for label in answer]
        return ", ".join(named)
    return answer


def judge_request(
    row: ReleaseRow, response: str, max_tokens: int = JUDGE_MAX_TOKENS
) -> tuple[ChatRequest, bool]:
    """The request to the judge, and whether the response tries to look like a verdict or a fence."""
    quoted, suspected = neutralise(response)
    prompt = load_prompt(PACKAGE, "judge", row.language, JUDGE_VERSION).fill(
        nonce=nonce_of(row.id, response),
        question=row.full_question,
        answer=reference_answer(row),
        response=quoted,
    )
    request = ChatRequest(
        item_id=row.id,
        messages=(Message.user(prompt),),
        sampling=Sampling(temperature=0.0, max_tokens=max_tokens),
    )
    return request, suspected


async def ask_judge(
    scheduler: Scheduler, row: ReleaseRow, response: str, max_tokens: int = JUDGE_MAX_TOKENS
) -> LLMVerdict:
    """Ask once, and once more when the verdict cannot be read.

    Args:
        scheduler: of the judging model.
        row: the released row.
        response: the tested model's words.
        max_tokens: room for the judge's reply; a reply that was cut off holds no verdict.
    """
    request, suspected = judge_request(row, response, max_tokens)
    call = await scheduler.call(request)
    verdict = read_verdict(call.text or "") if call.status is CallStatus.OK else None
    if verdict is None and call.status in (CallStatus.OK, CallStatus.TRUNCATED, CallStatus.EMPTY):
        reminder = load_prompt(PACKAGE, "judge-reminder", row.language, JUDGE_VERSION).text
        # Two turns of a user in a row are refused by some servers, so without a reply the question stands alone.
        more = (Message.assistant(call.text), Message.user(reminder)) if call.text else ()
        again = replace(request, messages=(*request.messages, *more), sample_index=1)
        call = await scheduler.call(again)
        verdict = read_verdict(call.text or "") if call.status is CallStatus.OK else None
    if verdict is not None:
        return LLMVerdict(verdict, call.status, call.text or "", f"llm-{verdict}", suspected)
    if call.status in (CallStatus.OK, CallStatus.TRUNCATED, CallStatus.EMPTY):
        status, reason = CallStatus.UNPARSABLE, "judge-unparsable"
    else:
        status, reason = call.status, f"judge-{call.status.value}"
    return LLMVerdict(None, status, call.text or "", reason, suspected)
