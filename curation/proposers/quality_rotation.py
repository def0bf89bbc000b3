"""Options that move over the letters, and the test whether tries are better than guessing. Pure functions.

A model that cannot see the picture often falls back on a favourite letter. Asked again and again with the options in
the same places it is then always right or always wrong, and one guessed item in four (with four options) looks
solvable: with four models that each have a favourite of their own, "three of four are right" holds for 5 % of items
by pure guessing (13 of 256 combinations). So the option texts move by one place on each try and the tries run through
whole rounds: a fixed reply is then right in exactly the share of tries that stands beside the result as `chance`.

What rotation cannot undo is a favourite *text*: who always picks the option that sounds best is right in all tries of
one item in four. Several models help, and the tag stays a question to a person.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue
from scipy.stats import binomtest

from benchwright.models.answer_parse import extract_choices
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import LocalizedText, QuestionType

CLOSED = (QuestionType.SINGLE_CHOICE, QuestionType.MULTIPLE_SELECT)
_TO_LETTERS = re.compile(
    r"^\W*(?:both\s+|either\s+|neither\s+|only\s+|options?\s+)?\(?[A-H]\)?"
    r"(?:\s*(?:,|，|、|and|or|nor|&|和|与|或|及)\s*\(?[A-H]\)?)+(?:\s+only)?\W*$",
    re.IGNORECASE,
)


_FEW_ANSWERS = re.compile(
    r"\W*(?:[A-Za-z]|yes|no|true|false|left|right|up|down|(?:in|de)creases?|是|否|对|错|正确|错误|左|右|增大|减小)\W*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class BlindRule:
    """When a rate without the picture is called high. All of it is data; the figures are stored with the result."""

    alpha: float = 0.01
    """Greatest probability of so many right tries by guessing (one-sided binomial test)."""
    least_rate: float = 0.5
    """Smallest share of right tries; keeps a long run of tries from tagging a small effect."""
    free_chance: float = 0.05
    """What counts as guessing for a question without options: the text alone can give a number away now and then."""

    def chance(self, texts: Sequence[LocalizedText], kind: QuestionType) -> float:
        """Share of right tries that counts as guessing.

        A question without options whose answer is one of very few (a letter of the picture, yes or no) has no options
        to rotate, so a favourite cannot be told from knowledge: 1, and its rate is never called high.

        Args:
            texts: the question as shown in each try.
            kind: of the question.
        """
        if kind in CLOSED:
            return best_fixed(texts, kind)
        return 1.0 if _FEW_ANSWERS.fullmatch(texts[0].answer) else self.free_chance

    @property
    def value(self) -> dict[str, JsonValue]:
        """As stored."""
        return {"alpha": self.alpha, "least_rate": self.least_rate, "free_chance": self.free_chance}


@dataclass(frozen=True)
class Profile:
    """The tries of one condition."""

    tries: int
    right: int
    undecided: int
    no_answer: int
    chance: float
    """Share of right tries that counts as guessing (`BlindRule.chance`)."""

    @property
    def p_value(self) -> float:
        """Probability of at least so many right tries by guessing, if tries were independent."""
        return float(binomtest(self.right, self.tries, self.chance, alternative="greater").pvalue)

    def high(self, rule: BlindRule) -> bool:
        """True when the rate is high by the rule."""
        return self.right >= rule.least_rate * self.tries and self.p_value <= rule.alpha

    @property
    def value(self) -> dict[str, JsonValue]:
        """As stored."""
        return {
            "tries": self.tries,
            "right": self.right,
            "undecided": self.undecided,
            "no_answer": self.no_answer,
            "chance": round(self.chance, 4),
            "p_value": round(self.p_value, 6),
        }


def right_labels(text: LocalizedText, kind: QuestionType) -> frozenset[str]:
    """Labels of the right options of a closed question.

    Raises:
        ItemError: `answer-is-no-label`.
    """
    labels = [choice.label for choice in text.choices]
    found = extract_choices(text.answer, labels, kind is QuestionType.MULTIPLE_SELECT)
    if found.kind != "found":
        raise ItemError("answer-is-no-label", f"{text.answer!r} names none of {', '.join(labels)}")
    return found.labels


def require_rotatable(text: LocalizedText, kind: QuestionType) -> None:
    """Check that the options of a closed question may change places.

    Raises:
        ItemError: `options-in-picture`, `options-refer-to-letters`, `one-option` or `answer-is-no-label`.
    """
    if len(text.choices) < 2:
        raise ItemError("one-option", f"{len(text.choices)} options")
    for choice in text.choices:
        if choice.text is None or choice.image is not None:
            raise ItemError("options-in-picture", f"option {choice.label} is not given in words")
        if _TO_LETTERS.match(choice.text):
            raise ItemError("options-refer-to-letters", f"option {choice.label}: {choice.text}")
    right_labels(text, kind)


def rotated(text: LocalizedText, kind: QuestionType, shift: int) -> LocalizedText:
    """The same question with each option's text moved `shift` places down the letters, and its answer moved along.

    Raises:
        ItemError: the answer names no option.
    """
    labels = [choice.label for choice in text.choices]
    right = right_labels(text, kind)
    count = len(labels)
    moved = tuple(
        text.choices[(place - shift) % count].model_copy(update={"label": label})
        for place, label in enumerate(labels)
    )
    answer = "".join(label for place, label in enumerate(labels) if labels[(place - shift) % count] in right)
    return text.model_copy(update={"choices": moved, "answer": answer})


def whole_rounds(wanted: int, kind: QuestionType, options: int) -> int:
    """Number of tries: at least `wanted`, and for a closed question as many times through all places as it takes."""
    return -(-wanted // options) * options if kind in CLOSED and options else wanted


def best_fixed(texts: Sequence[LocalizedText], kind: QuestionType) -> float:
    """Share of tries in which the best reply that never changes is right; over whole rounds 1/k for one of k.

    Args:
        texts: the closed question as shown in each try.
        kind: of the question.
    """
    return max(Counter(right_labels(text, kind) for text in texts).values()) / len(texts)
