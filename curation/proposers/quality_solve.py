"""Trial solutions: is the *answer* right? Models solve the question as students, and a program compares.

The reference answer is never shown. What the rules of `models.answer_compare` cannot decide (open answers, several
parts) is undecided and never counted against the reference. Disagreement is no verdict: solvers err, too. It puts the
item in front of a person first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pydantic import JsonValue

from benchwright.curation.proposers.panel import Panel
from benchwright.curation.proposers.quality_faults import Fault
from benchwright.curation.proposers.quality_shown import PROMPT_VERSION, as_student, task
from benchwright.curation.proposers.unit import Item
from benchwright.models.answer_compare import Match, compare_answer, compare_quantities
from benchwright.models.answer_text import same_text
from benchwright.models.chat import Call, ChatRequest
from benchwright.models.prompts import Prompt, fence, load_prompt, prompt_language
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import LocalizedText, QuestionType
from benchwright.schemas.status import OUTCOME_OF_STATUS, Outcome

SUSPECT = "suspect-key"
DOUBTED = "answer-doubted"
_WORDS = MappingProxyType(
    {
        "en": "{count} of {n} trial solutions end in {modal}, the reference says {ground}.",
        "zh": "{n} 份试解中有 {count} 份得到 {modal}，参考答案是 {ground}。",
    }
)


@dataclass(frozen=True)
class Trial:
    """One trial solution and what the comparison says of it."""

    model: str
    sample_index: int
    match: Match
    rule: str
    answer: str | None = None
    """What was read as the final answer."""
    call: str = ""
    """Key of the call."""


@dataclass(frozen=True)
class AnswerCheck:
    """All trial solutions of one question."""

    ground: str
    trials: tuple[Trial, ...]

    def count(self, match: Match) -> int:
        """How many trials ended so."""
        return sum(trial.match is match for trial in self.trials)

    @property
    def modal(self) -> tuple[str | None, int]:
        """The answer given most often and how often; None where no answer could be read."""
        groups: list[list[str]] = []
        for trial in self.trials:
            if trial.answer is not None:
                home = next((group for group in groups if _same(trial.answer, group[0])), None)
                if home is None:
                    groups.append([trial.answer])
                else:
                    home.append(trial.answer)
        best = max(groups, key=len, default=None)
        return (None, 0) if best is None else (best[0], len(best))

    @property
    def suspect(self) -> bool:
        """True when more than half of all trials agree on one other answer, and fewer agree with the reference.

        One solution alone is no agreement.
        """
        wrong = Counter[str]()
        for trial in self.trials:
            if trial.match is Match.INCONSISTENT and trial.answer is not None:
                home = next((other for other in wrong if _same(trial.answer, other)), trial.answer)
                wrong[home] += 1
        most = max(wrong.values(), default=0)
        return most >= 2 and 2 * most > len(self.trials) and most > self.count(Match.CONSISTENT)

    @property
    def confidence(self) -> float:
        """How sure the trials make one of the reference answer: (agree + 1) / (agree + disagree + 2).

        Laplace's rule of succession: 0.5 where nothing was decided, lowest where many disagree and none agrees.
        """
        agree, disagree = self.count(Match.CONSISTENT), self.count(Match.INCONSISTENT)
        return round((agree + 1) / (agree + disagree + 2), 4)

    @property
    def value(self) -> dict[str, JsonValue]:
        """As stored in the field `answer_check`."""
        modal, count = self.modal
        return {
            "n": len(self.trials),
            "agree": self.count(Match.CONSISTENT),
            "disagree": self.count(Match.INCONSISTENT),
            "undecided": self.count(Match.ABSTAIN),
            "no_answer": self.count(Match.NO_ANSWER),
            "ground": self.ground,
            "modal": modal,
            "modal_count": count,
            "tags": [SUSPECT] if self.suspect else [],
            "trials": [
                {
                    "model": trial.model,
                    "sample": trial.sample_index,
                    "match": str(trial.match),
                    "rule": trial.rule,
                    "answer": trial.answer,
                    "call": trial.call,
                }
                for trial in self.trials
            ],
        }

    def faults(self, language: str) -> tuple[Fault, ...]:
        """The doubt in words, where there is one."""
        if not self.suspect:
            return ()
        modal, count = self.modal
        words = _WORDS[prompt_language(language)].format(
            count=count, n=len(self.trials), modal=modal, ground=self.ground
        )
        return (Fault(DOUBTED, words),)


def solve_prompt(language: str) -> Prompt:
    """The prompt for a text in `language`."""
    return load_prompt("benchwright.curation", "solve", prompt_language(language), PROMPT_VERSION)


def solve_requests(item: Item, panel: Panel, n: int) -> list[tuple[int, ChatRequest]]:
    """`n` trial solutions of each member of the panel, in the source's language: (member, request)."""
    text = item.question.text
    kind = item.question.question_type
    words, form = task(kind, prompt_language(item.language))
    prompt = solve_prompt(item.language).fill(
        task=words, form=form, question=fence(as_student(text, kind, len(item.question.images)), "question")
    )
    return [
        (
            member,
            panel.request(
                item.item_id,
                prompt,
                item.pictures,
                member=member,
                sample_index=index,
                temperature=heat(panel, member, n),
            ),
        )
        for member in range(len(panel.members))
        for index in range(n)
    ]


def heat(panel: Panel, member: int, n: int) -> float | None:
    """Temperature of repeated tries: at the member's ordinary one all would be the same."""
    return panel.members[member].settings.vote_temperature if n > 1 else None


def answer_check(item: Item, asked: Sequence[tuple[int, ChatRequest]], calls: Sequence[Call]) -> AnswerCheck:
    """Compare the replies with the reference.

    Args:
        item: the question.
        asked: as `solve_requests` gave them.
        calls: their calls, in the same order.

    Raises:
        ItemError: a call did not come through; the reason is its status, so that another run asks again.
    """
    text, kind = item.question.text, item.question.question_type
    trials = []
    for (_, request), call in zip(asked, calls, strict=True):
        match, rule, answer = compared(call, text, kind)
        trials.append(Trial(call.model, request.sample_index, match, rule, answer, call.key))
    ground = f"{text.answer} {text.unit}" if text.unit else text.answer
    return AnswerCheck(ground, tuple(trials))


def compared(call: Call, text: LocalizedText, kind: QuestionType) -> tuple[Match, str, str | None]:
    """Verdict of the rules on one call: (match, rule, what was read).

    Raises:
        ItemError: the call did not come through.
    """
    if OUTCOME_OF_STATUS.get(call.status, Outcome.NOT_RUN) is Outcome.NOT_RUN:
        raise ItemError(str(call.status), call.detail or "")
    if OUTCOME_OF_STATUS[call.status] is Outcome.NO_ANSWER:
        return Match.NO_ANSWER, str(call.status), None
    options = {choice.label: choice.text for choice in text.choices if choice.text is not None}
    found = compare_answer(
        call.text, text.answer, kind, [choice.label for choice in text.choices], options, text.unit
    )
    return found.match, found.rule, found.extracted


def _same(one: str, other: str) -> bool:
    """Equal as text, or as numbers within the tolerance."""
    return same_text(one, other) or compare_quantities(one, other)[0] is Match.CONSISTENT
