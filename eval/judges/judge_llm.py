"""An LLM as judge: it compares a response with the reference answer, as in VisScience (section 3, appendix C).

One call a response; when its verdict cannot be read, one more with a reminder; then the row is `unjudged`, never
inconsistent. The judge sees the whole question (`full_question`) for every version, and no picture.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from benchwright.eval.judges.verdict import Verdict, neutralise, nonce_of, read_verdict
from benchwright.eval.runs.instructions import PACKAGE, discipline_name, prompt_ref, user_prompt
from benchwright.eval.runs.spec import PromptRef
from benchwright.models.chat import ChatRequest, Message, Sampling
from benchwright.models.prompts import Prompt, load_prompt
from benchwright.models.scheduler import Scheduler
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.status import CallStatus

JUDGE_VERSION = "1"
"""Version of the judge's prompts."""
JUDGE_PLACEHOLDERS = frozenset({"answer", "discipline", "nonce", "question", "response"})
NEEDED_PLACEHOLDERS = frozenset({"answer", "question", "response"})
JUDGE_MAX_TOKENS = 2048
"""Room for a reasoning judge; at 512 such a judge spends everything before its verdict."""


UNPARSABLE = "judge-unparsable"
"""Reason of a row whose judge said nothing that counts, twice."""


@dataclass(frozen=True)
class LLMVerdict:
    """What the judge said. `verdict` None: nothing that counts."""

    verdict: Verdict | None
    status: CallStatus
    text: str
    reason: str
    injection_suspected: bool


def judge_refs(languages: tuple[str, ...], folder: Path | None = None) -> tuple[PromptRef, ...]:
    """The prompts that a judge of these languages gets, for the run's specification.

    Args:
        languages: of the data.
        folder: the user's own prompts of the judge, `judge.LANG.txt`; None for ours. The reminder is always ours.

    Raises:
        UsageError: a prompt is missing or cannot be used.
    """
    found = []
    for language in sorted(set(languages)):
        prompt = load_prompt(PACKAGE, "judge", language, JUDGE_VERSION)
        if folder is not None:
            prompt = user_prompt(folder, "judge", language, JUDGE_PLACEHOLDERS, NEEDED_PLACEHOLDERS)
            if not all(f"[{verdict}]" in prompt.text for verdict in ("Consistent", "Inconsistent")):
                raise UsageError(
                    f"{folder / f'judge.{language}.txt'} has to ask for a last line of [Consistent] or [Inconsistent]."
                )
        found += [prompt, load_prompt(PACKAGE, "judge-reminder", language, JUDGE_VERSION)]
    return tuple(prompt_ref(prompt) for prompt in found)


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
    row: ReleaseRow,
    response: str,
    max_tokens: int = JUDGE_MAX_TOKENS,
    prompts: Mapping[str, Prompt] | None = None,
) -> tuple[ChatRequest, bool]:
    """The request to the judge, and whether the response tries to look like a verdict or a fence.

    Args:
        row: the released row.
        response: the tested model's words.
        max_tokens: room for the judge's reply.
        prompts: a user's own, by language; ours where there is none.
    """
    quoted, suspected = neutralise(response)
    own = (prompts or {}).get(row.language)
    prompt = own or load_prompt(PACKAGE, "judge", row.language, JUDGE_VERSION)
    values = {
        "nonce": nonce_of(row.id, response),
        "question": row.full_question,
        "answer": reference_answer(row),
        "response": quoted,
        "discipline": discipline_name(row.discipline, row.language),
    }
    filled = prompt.fill(**{name: values[name] for name in prompt.placeholders})
    request = ChatRequest(
        item_id=row.id,
        messages=(Message.user(filled),),
        sampling=Sampling(temperature=0.0, max_tokens=max_tokens),
    )
    return request, suspected


async def ask_judge(
    scheduler: Scheduler,
    row: ReleaseRow,
    response: str,
    max_tokens: int = JUDGE_MAX_TOKENS,
    prompts: Mapping[str, Prompt] | None = None,
    round: int = 0,
) -> LLMVerdict:
    """Ask once, and once more when the verdict cannot be read.

    Args:
        scheduler: of the judging model.
        row: the released row.
        response: the tested model's words.
        max_tokens: room for the judge's reply; a reply that was cut off holds no verdict.
        prompts: a user's own, by language; ours where there is none.
        round: how many earlier runs asked in vain: each asks anew instead of reading the same from the store of calls.
    """
    request, suspected = judge_request(row, response, max_tokens, prompts)
    request = replace(request, sample_index=2 * round)
    call = await scheduler.call(request)
    verdict = read_verdict(call.text or "") if call.status is CallStatus.OK else None
    if verdict is None and call.status in (CallStatus.OK, CallStatus.TRUNCATED, CallStatus.EMPTY):
        reminder = load_prompt(PACKAGE, "judge-reminder", row.language, JUDGE_VERSION).text
        # Two turns of a user in a row are refused by some servers, so without a reply the question stands alone.
        more = (Message.assistant(call.text), Message.user(reminder)) if call.text else ()
        again = replace(request, messages=(*request.messages, *more), sample_index=2 * round + 1)
        call = await scheduler.call(again)
        verdict = read_verdict(call.text or "") if call.status is CallStatus.OK else None
    if verdict is not None:
        return LLMVerdict(verdict, call.status, call.text or "", f"llm-{verdict}", suspected)
    if call.status in (CallStatus.OK, CallStatus.TRUNCATED, CallStatus.EMPTY):
        status, reason = CallStatus.UNPARSABLE, UNPARSABLE
    else:
        status, reason = call.status, f"judge-{call.status.value}"
    return LLMVerdict(None, status, call.text or "", reason, suspected)
