"""`baseline/random`: the guesser that every score is compared with. Seeded by item id, equal on every machine.

It answers in letters, so the rules always decide it. Where nothing can be guessed (free-form, multi-part) it says
nothing, which counts as no answer.
"""

from __future__ import annotations

from random import Random

from benchwright.models.chat import Attempt, Call, ChatRequest, Endpoint, call_key
from benchwright.schemas.digest import digest_of
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import QuestionType
from benchwright.schemas.status import CallStatus


class RandomBaseline:
    """A seeded option letter, or for multiple-select a seeded non-empty set of letters (all sets equally likely)."""

    name = "baseline/random"
    endpoint = Endpoint(kind="baseline", revision="1")
    external = False
    by_item = True

    async def complete(self, request: ChatRequest) -> Attempt:
        """Answer from `request.hints`.

        Raises:
            ItemError: `no-hints` when the caller did not say what kind of question it is.
        """
        if request.hints is None:
            raise ItemError("no-hints", f"{self.name} needs question type and options of {request.item_id}")
        text = guess(
            request.item_id, request.hints.question_type, request.hints.options, request.sample_index
        )
        call = Call(
            key=call_key(self, request),
            status=CallStatus.OK if text else CallStatus.EMPTY,
            text=text or None,
            model=self.name,
        )
        return Attempt(call)

    async def close(self) -> None:
        """Nothing to let go."""


def guess(item_id: str, question_type: QuestionType, options: tuple[str, ...], sample_index: int = 0) -> str:
    """The guess for one item: "B", "AC", or "" where there is nothing to guess from."""
    seed = int(digest_of(["baseline/random", item_id, sample_index])[:16], 16)
    random = Random(seed)
    if not options:
        return ""
    if question_type is QuestionType.SINGLE_CHOICE:
        return options[random.randrange(len(options))]
    if question_type is QuestionType.MULTIPLE_SELECT:
        subset = random.randrange(1, 2 ** len(options))
        return "".join(label for place, label in enumerate(options) if subset >> place & 1)
    return ""
