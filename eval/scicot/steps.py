"""What a steps judge is asked and how its replies are read (SciVerse, section 2.4): first a split, then scores.

Two questions a response. The first cuts the response into key steps, each knowledge (K) or logic (L); it sees the
response alone. The second marks every step 1 or 0; it sees the whole question, the response and, as an option, the
reference answer and the pictures (the paper does not say what its scorer saw). Pure functions; asking is
`benchwright.eval.scicot.steps_pass`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from benchwright.eval.judges.verdict import neutralise, nonce_of
from benchwright.eval.runs.instructions import PACKAGE, prompt_ref
from benchwright.eval.runs.spec import PromptRef
from benchwright.eval.scicot.step_quotes import QuoteError, Span, coverage, find_steps
from benchwright.models.chat import ChatRequest, Message, Sampling
from benchwright.models.prompts import load_prompt

STEPS_VERSION = "1"
"""Version of the prompts of the steps judge."""
STEPS_MAX_TOKENS = 4096
"""Room for each reply: a split repeats the response."""

_REPLY_LIKE = re.compile(r"[\"“”'‘’]\s*(steps?|scores?|kind|quote)\s*[\"“”'‘’]\s*[:：]", re.IGNORECASE)


@dataclass(frozen=True)
class StepsQuestion:
    """A response whose steps are asked for, with what the judge may see of its row."""

    item_id: str
    language: str
    question: str
    """Question and options in full, whatever the version shows as text."""
    response: str
    """The tested model's words, without thinking text."""
    reference: str | None = None
    """The reference answer; None where the scorer does not see it."""
    images: tuple[bytes, ...] = ()
    """Published bytes; empty where the scorer does not see them."""
    round: int = 0
    """Earlier rounds of the same questions; another round is asked anew, not read from the store of calls."""


class SplitStep(BaseModel):
    """One step as the judging model cut it."""

    quote: str
    kind: Literal["K", "L"]


class SplitReply(BaseModel):
    """Reply to the first question."""

    steps: list[SplitStep] = Field(min_length=1)


class StepScore(BaseModel):
    """The mark of one step."""

    reason: str = ""
    step: int
    score: Literal[0, 1]


class ScoresReply(BaseModel):
    """Reply to the second question."""

    scores: list[StepScore]


@dataclass(frozen=True)
class FoundStep:
    """A step of a response, found in it."""

    span: Span
    text: str
    """As it stands in the response."""
    kind: Literal["K", "L"]


def steps_refs(languages: Sequence[str]) -> tuple[PromptRef, ...]:
    """The prompts that a steps judge of these languages gets, for the run's specification."""
    return tuple(
        prompt_ref(load_prompt(PACKAGE, name, language, STEPS_VERSION))
        for language in sorted(set(languages))
        for name in ("steps-answer", "steps-score", "steps-split")
    )


def disarm(text: str) -> tuple[str, bool]:
    """Take the force out of verdict tags, fences and the keys of a judge's reply in a response.

    Returns:
        The text to quote, and whether it was made to look like a reply or a fence.
    """
    quoted, suspected = neutralise(text)
    quoted, keys = _REPLY_LIKE.subn(lambda match: f"‹{match.group(1)}›:", quoted)
    return quoted, suspected or keys > 1


def split_request(asked: StepsQuestion, max_tokens: int = STEPS_MAX_TOKENS) -> ChatRequest:
    """The first question: which steps does the response have, and of which kind?"""
    prompt = load_prompt(PACKAGE, "steps-split", asked.language, STEPS_VERSION).fill(
        nonce=nonce_of(asked.item_id, asked.response), response=disarm(asked.response)[0]
    )
    return _request(asked, Message.user(prompt), max_tokens)


def score_request(
    asked: StepsQuestion, steps: Sequence[FoundStep], max_tokens: int = STEPS_MAX_TOKENS
) -> ChatRequest:
    """The second question: which steps are right?"""
    question = asked.question
    if asked.reference is not None:
        told = load_prompt(PACKAGE, "steps-answer", asked.language, STEPS_VERSION)
        question = f"{question}\n\n{told.fill(answer=asked.reference)}"
    listed = [f"{number}. [{step.kind}] {disarm(step.text)[0]}" for number, step in enumerate(steps, start=1)]
    prompt = load_prompt(PACKAGE, "steps-score", asked.language, STEPS_VERSION).fill(
        nonce=nonce_of(asked.item_id, asked.response),
        question=question,
        response=disarm(asked.response)[0],
        steps="\n".join(listed),
        count=str(len(steps)),
    )
    return _request(asked, Message.user(prompt, *asked.images), max_tokens)


def found_steps(response: str, reply: SplitReply) -> tuple[FoundStep, ...]:
    """The steps of a split, found in the response and in its order.

    Raises:
        QuoteError: a step does not stand there, or two of them overlap.
    """
    spans = find_steps(response, [step.quote for step in reply.steps])
    found = [
        FoundStep(span, response[span.start : span.end], step.kind)
        for span, step in zip(spans, reply.steps, strict=True)
    ]
    return tuple(sorted(found, key=lambda step: step.span.start))


def split_complaint(response: str, reply: SplitReply, min_coverage: float) -> str | None:
    """What is wrong with a split, in words for the judging model; None when it can be used."""
    try:
        steps = found_steps(response, reply)
    except QuoteError as error:
        return str(error)
    share = coverage(response, [step.span for step in steps])
    if share < min_coverage:
        return f"the steps hold {share:.0%} of the response's words: leave no step out"
    return None


def scores_complaint(reply: ScoresReply, count: int) -> str | None:
    """What is wrong with a list of marks: every step needs exactly one."""
    given = [score.step for score in reply.scores]
    if sorted(given) != list(range(1, count + 1)):
        return f"the marks are for steps {given}, but each of the steps 1 to {count} needs exactly one"
    return None


def _request(asked: StepsQuestion, message: Message, max_tokens: int) -> ChatRequest:
    return ChatRequest(
        item_id=asked.item_id,
        messages=(message,),
        sampling=Sampling(temperature=0.0, max_tokens=max_tokens),
        sample_index=asked.round,
    )
