"""Which questions become multiple choice, where their right options stand, and how a converted one is put together.

Places are dealt out over a discipline's problems in the order of a digest, so that each letter is right equally often;
neither a text nor a model moves them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from benchwright.curation.proposers.multiple_choice_checks import LABELS, Options
from benchwright.curation.proposers.multiple_choice_rules import NAME
from benchwright.curation.proposers.tokens import tokens
from benchwright.curation.proposers.unit import Item, Plan, Unit, rejected
from benchwright.schemas.digest import digest_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import Proposal, text_view
from benchwright.schemas.records import Language, QuestionType, Rejected

JOB = COMMAND = "multiple-choice"
LONG_ANSWER = 200
"""Characters from which on an answer is an explanation, not an option."""
_PROOF = re.compile(
    r"(?:^|[.;:!?)]\s*)(?:prove|draw|sketch|plot|construct|show\s+that)\b|\bprove\s+that\b"
    r"|(?:^|[。，；：:\s])(?:试|请)?证明|求证|画出|作出[^。]*图|作图|绘制",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Truth:
    """An answer to a question of truth."""

    kind: int
    """Which pair of words it uses."""
    holds: bool


_TRUTH_WORDS: tuple[dict[Language, tuple[str, str]], ...] = (
    {"en": ("True", "False"), "zh": ("正确", "错误")},
    {"en": ("Yes", "No"), "zh": ("是", "否")},
)
_TRUTHS: dict[str, Truth] = {
    word: Truth(kind, holds)
    for kind, holds, words in (
        (0, True, "true correct 对 正确 √"),
        (0, False, "false incorrect wrong 错 错误 不正确 ×"),
        (1, True, "yes 是 是的"),
        (1, False, "no 否 不是"),
    )
    for word in words.split()
}
_SLIP_OF_TRUTH = {"en": "the statement was judged the other way round", "zh": "判断正好相反"}


@dataclass(frozen=True)
class ChoiceSettings:
    """How questions are converted.

    Attributes:
        distractors: wrong options of each question, 1 to 9; questions of truth always have one.
        none_of_these: allow an option such as "none of these".
        seed: of the order in which letters are dealt out.
        pictures: False for models that cannot see.
    """

    distractors: int = 3
    none_of_these: bool = False
    seed: int = 0
    pictures: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.distractors <= len(LABELS) - 1:
            raise UsageError(f"{self.distractors} distractors cannot be: choose 1 to {len(LABELS) - 1}.")

    def as_json(self) -> dict[str, JsonValue]:
        """For signatures."""
        return {
            "distractors": self.distractors,
            "none_of_these": self.none_of_these,
            "seed": self.seed,
            "pictures": self.pictures,
        }


@dataclass(frozen=True)
class ConversionUnit(Unit):
    """A text to be converted, and where its right option stands."""

    place: int = 0
    """Of the right option."""
    below: int = 0
    """How many distractors shall be smaller than a numeric answer."""


@dataclass(frozen=True)
class Converted:
    """A question with its options."""

    question: str
    options: Options
    misconceptions: tuple[str, ...]
    """In the order of the options; empty for the right one."""
    findings: tuple[str, ...] = ()
    call_id: str | None = None
    prompt_hash: str | None = None
    model: str = NAME

    def proposals(self, unit: Unit) -> list[Proposal]:
        """The proposals of a unit."""
        values: dict[str, JsonValue] = {
            "question": self.question,
            "choices": list(self.options.texts),
            "answer": self.options.label(self.options.right),
            "misconceptions": list(self.misconceptions),
        }
        if self.findings:
            values["findings"] = list(self.findings)
        return [
            unit.proposal(
                field,
                value,
                model=self.model,
                confidence=0.0 if self.findings and field == "choices" else None,
                prompt_hash=self.prompt_hash,
                call_id=self.call_id,
            )
            for field, value in sorted(values.items())
        ]


def planned(items: Sequence[Item], settings: ChoiceSettings) -> Plan:
    """The texts to be converted, each letter right equally often, and the items that cannot be."""
    passed: list[Rejected] = []
    truths: list[Item] = []
    others: list[Item] = []
    for item in items:
        reason = why_not(item)
        if reason is not None:
            passed.append(rejected(COMMAND, item.item_id, *reason))
        else:
            (others if truth_of(item) is None else truths).append(item)
    units: list[Unit] = []
    for group, wrong in ((others, settings.distractors), (truths, 1)):
        n = wrong + 1
        for rank, item in enumerate(dealt(group, settings.seed)):
            units += _units(item, place=rank % n, below=rank // n % n)
    return Plan(tuple(sorted(units, key=lambda unit: (unit.item_id, unit.language or ""))), tuple(passed))


def dealt(items: Iterable[Item], seed: int) -> list[Item]:
    """Items in the order in which places are dealt out: by a digest of seed and id."""
    return sorted(items, key=lambda item: digest_of([COMMAND, seed, item.item_id]))


def _units(item: Item, place: int, below: int) -> Iterator[ConversionUnit]:
    for language, text in sorted(item.source_texts.items()):
        view = text_view(text, item.question.images)
        yield ConversionUnit(JOB, item.item_id, language, view, item, place, below)


def why_not(item: Item) -> tuple[str, str] | None:
    """Why an item is not converted, as (reason, detail); None where it is."""
    text, kind = item.source_texts[item.language], item.question.question_type
    if kind in (QuestionType.SINGLE_CHOICE, QuestionType.MULTIPLE_SELECT) or text.choices:
        return "already-multiple-choice", f"the source asks it as {kind}"
    if kind is QuestionType.MULTI_PART or len(set(tokens(text.question).parts)) > 1:
        return "multi-part", "one question with several answers"
    if _PROOF.search(text.question):
        return "proof-or-drawing", "asks for a proof or a drawing, not for a value"
    if not text.answer.strip():
        return "no-answer", "there is no ground answer to be the right option"
    if len(text.answer) > LONG_ANSWER:
        return "long-answer", f"the answer has {len(text.answer)} characters: an explanation, no option"
    return None


def truth_of(item: Item) -> Truth | None:
    """The answer where it is true or false, yes or no; None for any other."""
    said = item.source_texts[item.language].answer.strip().rstrip(".。")
    # "NO" and "No" are also nitric oxide and nobelium: "NO" does not count.
    if said.isascii() and said.isupper() and len(said) <= 2:
        return None
    return _TRUTHS.get(said.casefold())


def by_truth(unit: ConversionUnit) -> Converted | None:
    """A question of truth with its two options; None for others."""
    item = item_of(unit)
    truth = truth_of(item)
    if truth is None:
        return None
    named = "zh" if unit.language == "zh" else "en"
    yes, no = _TRUTH_WORDS[truth.kind][named]
    right, wrong = (yes, no) if truth.holds else (no, yes)
    question = item.source_texts[language_of(unit)].question
    return assembled(question, right, [(wrong, _SLIP_OF_TRUTH[named])], unit.place)


def arranged(item_id: str, settings: ChoiceSettings) -> list[int]:
    """The order in which distractors are shown: by a digest of item and number, the same in every language."""
    return sorted(
        range(settings.distractors), key=lambda number: digest_of([COMMAND, settings.seed, item_id, number])
    )


def assembled(question: str, right: str, wrong: Sequence[tuple[str, str]], place: int) -> Converted:
    """Put the right option at its place among the wrong ones, each given as (text, misconception)."""
    texts = [text for text, _ in wrong]
    told = [said for _, said in wrong]
    texts.insert(place, right)
    told.insert(place, "")
    return Converted(question, Options(tuple(texts), place), tuple(told))


def item_of(unit: Unit) -> Item:
    """The item of a unit."""
    assert unit.item is not None, "a conversion is of an item"
    return unit.item


def choice_unit(unit: Unit) -> ConversionUnit:
    """The unit as planned here."""
    assert isinstance(unit, ConversionUnit), "planned by this proposer"
    return unit


def language_of(unit: Unit) -> Language:
    """The language of a unit."""
    assert unit.language is not None, "a conversion has a language"
    return unit.language
