"""From a response to an outcome: call status first, then rules, math-verify and a model, as the run's judge says.

rules         what `benchwright.models.answer_compare` can decide; the rest is unjudged
math-verify   the rules first (the library drops units and cannot abstain), then math-verify on single expressions
llm           a model decides everything (the papers' way)
chain         rules, then math-verify, then the model on what both leave open
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import TracebackType

from benchwright.eval.judges.judge_llm import JUDGE_MAX_TOKENS, UNPARSABLE, ask_judge
from benchwright.eval.judges.judge_rules import judge_by_rules, says_nothing
from benchwright.eval.judges.verdict import neutralise
from benchwright.eval.runs.spec import JudgeKind
from benchwright.models.answer_compare import Comparison, Match
from benchwright.models.answer_math import NOTHING_READ, MathVerify
from benchwright.models.prompts import Prompt
from benchwright.models.scheduler import Scheduler
from benchwright.models.thinking import SplitReply, split_thinking
from benchwright.schemas.records import QuestionType, ReleaseRow
from benchwright.schemas.runs import DecidedBy, Judgement, Response, judgement_key
from benchwright.schemas.status import OUTCOME_OF_STATUS, CallStatus, Outcome

_LLM_OUTCOMES = {"consistent": Outcome.CONSISTENT, "inconsistent": Outcome.INCONSISTENT}
_DETAILS = ("unclosed-thinking", "cannot-decide", "item-faulty")
"""Details of a call that say more than its status: the last two are people's words."""
_MATCH_OUTCOMES = {Match.CONSISTENT: Outcome.CONSISTENT, Match.INCONSISTENT: Outcome.INCONSISTENT}


class Judge:
    """Decides one response at a time.

    Args:
        kind: who decides.
        llm: the scheduler of the judging model; None for `rules` and `math-verify`.
        max_tokens: room for the judging model's words.
        prompts: a user's own prompts of the judging model, by language; ours where there is none.
    """

    def __init__(
        self,
        kind: JudgeKind,
        llm: Scheduler | None,
        max_tokens: int = JUDGE_MAX_TOKENS,
        prompts: Mapping[str, Prompt] | None = None,
    ) -> None:
        if (kind in ("llm", "chain")) != (llm is not None):
            raise ValueError(f"judge {kind} and its model do not fit together")
        self.kind = kind
        self._llm = llm
        self._max_tokens = max_tokens
        self._prompts = prompts or {}
        self._math = MathVerify() if kind in ("math-verify", "chain") else None

    def __enter__(self) -> Judge:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End math-verify's process, where there is one."""
        if self._math is not None:
            self._math.close()

    async def judge(self, row: ReleaseRow, response: Response, earlier: Judgement | None = None) -> Judgement:
        """The outcome of one response whose call is final.

        Args:
            row: the released row.
            response: its answer.
            earlier: what an earlier run got for it, where that is not final; replies that could not be read are not
                read from the store of calls again.

        Raises:
            ValueError: the call is not final: such a row is not run, which is no judgement.
        """
        key = judgement_key(row, response)
        split = split_thinking(response.text)
        rules = judge_by_rules(row, split.text, response.status is CallStatus.TRUNCATED)
        settled = settled_by_call(response, split, rules)
        if settled is not None:
            return Judgement(
                row_id=row.id, key_digest=key, outcome=settled[0], decided_by="status", reason=settled[1]
            )
        said = _MATCH_OUTCOMES.get(rules.match)
        by: DecidedBy = "rules"
        outcome, why = said, f"rules-{rules.rule}"
        if self._math is not None and outcome is None:
            outcome, found = await self._by_math(self._math, row, split.text)
            # What the library could not even read is left open for the reason that the rules gave.
            by, why = ("math-verify", found) if found not in NOTHING_READ else (by, why)
        if self._llm is not None and (self.kind == "llm" or outcome is None):
            asked = 0 if earlier is None else earlier.round + (earlier.reason == UNPARSABLE)
            return await self._by_llm(self._llm, row, split.text, key, said, asked)
        return Judgement(
            row_id=row.id,
            key_digest=key,
            outcome=Outcome.UNJUDGED if outcome is None else outcome,
            decided_by="nobody" if outcome is None else by,
            reason=why,
            rules=said,
            injection_suspected=neutralise(split.text)[1],
        )

    async def _by_math(self, math: MathVerify, row: ReleaseRow, text: str) -> tuple[Outcome | None, str]:
        """math-verify's word on a single expression without a unit; None where it has none."""
        if row.question_type is not QuestionType.FREE_FORM or row.unit:
            return None, NOTHING_READ[0]
        said = await asyncio.to_thread(math.judge, text, row.answer or "")
        return _MATCH_OUTCOMES.get(said.match), said.rule

    async def _by_llm(
        self, llm: Scheduler, row: ReleaseRow, text: str, key: str, rules: Outcome | None, round: int
    ) -> Judgement:
        said = await ask_judge(llm, row, text, self._max_tokens, self._prompts, round)
        return Judgement(
            row_id=row.id,
            key_digest=key,
            outcome=Outcome.UNJUDGED if said.verdict is None else _LLM_OUTCOMES[said.verdict],
            decided_by="nobody" if said.verdict is None else "llm",
            reason=said.reason,
            rules=rules,
            injection_suspected=said.injection_suspected,
            judge_text=said.text,
            judge_status=said.status,
            round=round,
        )


def settled_by_call(response: Response, split: SplitReply, rules: Comparison) -> tuple[Outcome, str] | None:
    """Outcome and reason where the call itself settles it; None where the text has to be judged.

    Through `OUTCOME_OF_STATUS`; a truncated reply without a final answer, thinking that never ended and a refusal in
    words are the model's own `no-answer`.

    Raises:
        ValueError: the call failed in transport, so there is nothing to judge.
    """
    outcome = OUTCOME_OF_STATUS[response.status]
    if outcome is Outcome.NOT_RUN:
        raise ValueError(f"row {response.row_id}: a call that ended {response.status.value} is not judged")
    if outcome is not None:
        return outcome, response.detail if response.detail in _DETAILS else response.status.value
    if split.unclosed and not split.text:
        return Outcome.NO_ANSWER, "unclosed-thinking"
    if response.status is CallStatus.TRUNCATED and (not split.text or says_nothing(rules)):
        return Outcome.NO_ANSWER, "truncated-without-answer"
    if rules.match is Match.NO_ANSWER:
        return Outcome.NO_ANSWER, rules.rule
    return None
