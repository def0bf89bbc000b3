"""Does the question need its picture? Tries without it, with the options alone, and with another item's picture.

All three conditions use one and the same prompt, so that they differ in what is shown and in nothing else. The result
is a profile and tags for review, never a verdict: a model may know a published question by heart, or guess well.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from pydantic import JsonValue

from benchwright.curation.proposers.panel import Panel
from benchwright.curation.proposers.quality_rotation import (
    CLOSED,
    BlindRule,
    Profile,
    require_rotatable,
    rotated,
    whole_rounds,
)
from benchwright.curation.proposers.quality_shown import PROMPT_VERSION, as_student, task
from benchwright.curation.proposers.quality_solve import compared, heat
from benchwright.curation.proposers.unit import Item
from benchwright.models.answer_compare import Match
from benchwright.models.chat import Call, ChatRequest
from benchwright.models.prompts import Prompt, fence, load_prompt, prompt_language
from benchwright.schemas.digest import digest_of
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import ImageRef, LocalizedText, QuestionType

NOT_NEEDED = "image-not-needed"
OPTIONS_SUFFICE = "options-suffice"


class Condition(StrEnum):
    """What is shown."""

    NO_IMAGE = "no-image"
    """Stem and options."""
    OPTIONS_ONLY = "options-only"
    """Options, neither stem nor picture; closed questions only."""
    WRONG_IMAGE = "wrong-image"
    """Stem, options, and a picture of another item in place of each picture."""


TAGS: Mapping[Condition, str] = {
    Condition.NO_IMAGE: NOT_NEEDED,
    Condition.OPTIONS_ONLY: OPTIONS_SUFFICE,
}
"""Tag of a condition whose rate is high."""


_LEFT_OUT: Mapping[Condition, str] = {
    Condition.OPTIONS_ONLY: "no-options",
    Condition.WRONG_IMAGE: "no-other-picture",
}
"""Why there may be no tries in a condition."""


@dataclass(frozen=True)
class Try:
    """One try: what was asked of whom, and the question as it stood, with its options moved."""

    condition: Condition
    member: int
    text: LocalizedText
    request: ChatRequest


def blind_prompt(language: str) -> Prompt:
    """The prompt for a text in `language`."""
    return load_prompt("benchwright.curation", "blind", prompt_language(language), PROMPT_VERSION)


def ring_of_pictures(items: Iterable[Item]) -> tuple[ImageRef, ...]:
    """All pictures that belong to stems, each once, in the order of their digests."""
    found = {picture.sha256: picture for item in items for picture in item.question.images}
    return tuple(found[sha256] for sha256 in sorted(found))


def other_pictures(item: Item, ring: Sequence[ImageRef], seed: int) -> tuple[ImageRef, ...]:
    """A picture of another item for each of the item's own, chosen by seed; () where there are not enough.

    Never one of the same digest as any of its own. Digests form a ring; the item's place on it is a digest of seed and
    id, and what follows there is taken, so that adding or dropping other items moves few choices.
    """
    own = {picture.sha256 for picture in item.pictures}
    wanted = len(item.question.images)
    start = bisect_left(ring, digest_of([seed, item.item_id]), key=lambda picture: picture.sha256)
    around = (ring[(start + step) % len(ring)] for step in range(len(ring)))
    found = tuple(islice((picture for picture in around if picture.sha256 not in own), wanted))
    return found if len(found) == wanted else ()


def require_applicable(item: Item) -> None:
    """Check that the profile says something about this item.

    Raises:
        ItemError: `no-picture`, `several-parts`, or what `require_rotatable` refuses.
    """
    if not item.question.images:
        reason = "options-in-picture" if item.pictures else "no-picture"
        raise ItemError(reason, "no picture belongs to the stem")
    kind = item.question.question_type
    if kind is QuestionType.MULTI_PART:
        raise ItemError("several-parts", "the rules cannot compare answers to several parts")
    if kind in CLOSED:
        require_rotatable(item.question.text, kind)


def blind_tries(item: Item, others: Sequence[ImageRef], panel: Panel, wanted: int) -> list[Try]:
    """All tries of an item, at least `wanted` for each condition and member, in the source's language.

    Raises:
        ItemError: see `require_applicable`.
    """
    require_applicable(item)
    kind = item.question.question_type
    options = len(item.question.text.choices)
    found = []
    for condition in Condition:
        if condition is Condition.OPTIONS_ONLY and kind not in CLOSED:
            continue
        if condition is Condition.WRONG_IMAGE and not others:
            continue
        for member in range(len(panel.members)):
            for index in range(whole_rounds(wanted, kind, options)):
                text = rotated(item.question.text, kind, index) if kind in CLOSED else item.question.text
                images = others if condition is Condition.WRONG_IMAGE else ()
                request = panel.request(
                    item.item_id,
                    _prompt_text(item, text, condition),
                    images,
                    member=member,
                    sample_index=index,
                    temperature=heat(panel, member, wanted),
                )
                found.append(Try(condition, member, text, request))
    return found


def _prompt_text(item: Item, text: LocalizedText, condition: Condition) -> str:
    kind = item.question.question_type
    shown = as_student(
        text,
        kind,
        len(item.question.images),
        shown=condition is Condition.WRONG_IMAGE,
        stem=condition is not Condition.OPTIONS_ONLY,
    )
    words, form = task(kind, prompt_language(item.language))
    return blind_prompt(item.language).fill(task=words, form=form, question=fence(shown, "question"))


def blind_profile(
    item: Item, tries: Sequence[Try], calls: Sequence[Call], rule: BlindRule
) -> dict[str, JsonValue]:
    """The value of the field `blind`.

    Args:
        item: the question.
        tries: as `blind_tries` gave them.
        calls: their calls, in the same order.
        rule: what is called high.

    Raises:
        ItemError: a call did not come through; the reason is its status, so that another run asks again.
    """
    kind = item.question.question_type
    conditions: dict[str, JsonValue] = {}
    tags: list[str] = []
    for condition, texts, found in _by_condition(kind, tries, calls):
        counts = Counter(match for _, match in found)
        profile = Profile(
            tries=len(found),
            right=counts[Match.CONSISTENT],
            undecided=counts[Match.ABSTAIN],
            no_answer=counts[Match.NO_ANSWER],
            chance=rule.chance(texts, kind),
        )
        by_model: dict[str, JsonValue] = {}
        for model in sorted({model for model, _ in found}):
            by_model[model] = found.count((model, Match.CONSISTENT))
        conditions[str(condition)] = {**profile.value, "right_by_model": by_model}
        if condition in TAGS and profile.high(rule):
            tags.append(TAGS[condition])
    return {
        "conditions": conditions,
        "left_out": {str(name): why for name, why in _LEFT_OUT.items() if str(name) not in conditions},
        "rule": rule.value,
        "tags": list(tags),
        "calls": [call.key for call in calls],
    }


def _by_condition(
    kind: QuestionType, tries: Sequence[Try], calls: Sequence[Call]
) -> Iterator[tuple[Condition, list[LocalizedText], list[tuple[str, Match]]]]:
    """(condition, the question as shown in each try, (model, verdict) of each try), where there are tries."""
    for condition in Condition:
        texts = []
        found = []
        for made, call in zip(tries, calls, strict=True):
            if made.condition is condition:
                texts.append(made.text)
                found.append((call.model, compared(call, made.text, kind)[0]))
        if found:
            yield condition, texts, found


def not_applicable(error: ItemError) -> dict[str, JsonValue]:
    """The value of the field `blind` where there is no profile, and why."""
    return {"not_applicable": error.reason, "tags": []}
