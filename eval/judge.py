"""From a response to an outcome: call status first, then rules, then the judging model, as the run's judge says."""

from __future__ import annotations

from benchwright.eval.judge_llm import JUDGE_MAX_TOKENS, ask_judge
from benchwright.eval.judge_rules import judge_by_rules, says_nothing
from benchwright.eval.spec import JudgeKind
from benchwright.eval.verdict import neutralise
from benchwright.models.answer_compare import Comparison, Match
from benchwright.models.scheduler import Scheduler
from benchwright.models.thinking import SplitReply, split_thinking
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.runs import Judgement, Response, judgement_key
from benchwright.schemas.status import OUTCOME_OF_STATUS, CallStatus, Outcome

_LLM_OUTCOMES = {"consistent": Outcome.CONSISTENT, "inconsistent": Outcome.INCONSISTENT}
_DETAILS = ("unclosed-thinking", "cannot-decide", "item-faulty")
"""Details of a call that say more than its status: the last two are people's words."""
_RULES_OUTCOMES = {Match.CONSISTENT: Outcome.CONSISTENT, Match.INCONSISTENT: Outcome.INCONSISTENT}


class Judge:
    """Decides one response at a time; `llm` is the scheduler of the judging model, None for `rules`."""

    def __init__(self, kind: JudgeKind, llm: Scheduler | None, max_tokens: int = JUDGE_MAX_TOKENS) -> None:
        if (kind == "rules") != (llm is None):
            raise ValueError(f"judge {kind} and its model do not fit together")
        self.kind = kind
        self._llm = llm
        self._max_tokens = max_tokens

    async def judge(self, row: ReleaseRow, response: Response) -> Judgement:
        """The outcome of one response whose call is final.

        Raises:
            ValueError: the call is not final: such a row is not run, which is no judgement.
        """
        key = judgement_key(row, response)
        split = split_thinking(response.text)
        rules = judge_by_rules(row, split.text)
        settled = settled_by_call(response, split, rules)
        if settled is not None:
            outcome, reason = settled
            return Judgement(
                row_id=row.id, key_digest=key, outcome=outcome, decided_by="status", reason=reason
            )
        said = _RULES_OUTCOMES.get(rules.match)
        if self._llm is None or (self.kind == "rules+llm" and said is not None):
            return Judgement(
                row_id=row.id,
                key_digest=key,
                outcome=Outcome.UNJUDGED if said is None else said,
                decided_by="nobody" if said is None else "rules",
                reason=f"rules-{rules.rule}",
                rules=said,
                injection_suspected=neutralise(split.text)[1],
            )
        return await self._by_llm(self._llm, row, split.text, key, said)

    async def _by_llm(
        self, llm: Scheduler, row: ReleaseRow, text: str, key: str, rules: Outcome | None
    ) -> Judgement:
        said = await ask_judge(llm, row, text, self._max_tokens)
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
