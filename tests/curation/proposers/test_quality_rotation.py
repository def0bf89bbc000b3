"""Options that move over the letters, and when a rate without the picture is called high."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from benchwright.curation.proposers.quality_rotation import (
    BlindRule,
    Profile,
    best_fixed,
    require_rotatable,
    right_labels,
    rotated,
    whole_rounds,
)
from benchwright.models.answer_compare import Match, compare_answer
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import Choice, LocalizedText, QuestionType

SINGLE, MULTIPLE, FREE = QuestionType.SINGLE_CHOICE, QuestionType.MULTIPLE_SELECT, QuestionType.FREE_FORM
WORDS = ("iron", "copper", "zinc", "lead", "gold", "tin")


def closed(answer: str, count: int = 4, texts: tuple[str, ...] = WORDS) -> LocalizedText:
    choices = tuple(Choice(label="ABCDEF"[place], text=texts[place]) for place in range(count))
    return LocalizedText(question="Which metal is it?", choices=choices, answer=answer)


@st.composite
def questions(draw: st.DrawFn) -> tuple[LocalizedText, QuestionType]:
    count = draw(st.integers(2, 6))
    labels = "ABCDEF"[:count]
    kind = draw(st.sampled_from([SINGLE, MULTIPLE]))
    right = draw(st.sets(st.sampled_from(labels), min_size=1, max_size=1 if kind is SINGLE else count))
    return closed("".join(sorted(right)), count), kind


def test_each_text_moves_one_letter_on_and_the_answer_goes_with_it() -> None:
    moved = rotated(closed("B"), SINGLE, 1)
    assert [(c.label, c.text) for c in moved.choices] == [
        ("A", "lead"), ("B", "iron"), ("C", "copper"), ("D", "zinc"),
    ]  # fmt: skip
    assert moved.answer == "C"
    assert rotated(closed("AD"), MULTIPLE, 1).answer == "AB"


@given(questions(), st.integers(0, 40))
def test_the_right_texts_stay_right_wherever_they_stand(
    question: tuple[LocalizedText, QuestionType], shift: int
) -> None:
    text, kind = question

    def right_texts(of: LocalizedText) -> set[str | None]:
        return {choice.text for choice in of.choices if choice.label in right_labels(of, kind)}

    moved = rotated(text, kind, shift)
    assert [choice.label for choice in moved.choices] == [choice.label for choice in text.choices]
    assert sorted(str(choice.text) for choice in moved.choices) == sorted(str(c.text) for c in text.choices)
    assert right_texts(moved) == right_texts(text)


@given(questions(), st.integers(1, 30), st.integers(0, 5))
def test_a_fixed_letter_gets_exactly_chance_over_whole_rounds(
    question: tuple[LocalizedText, QuestionType], wanted: int, favourite: int
) -> None:
    text, _ = question
    count = len(text.choices)
    text = closed("ABCDEF"[favourite % count], count)
    tries = whole_rounds(wanted, SINGLE, count)
    assert wanted <= tries < wanted + count
    shown = [rotated(text, SINGLE, index) for index in range(tries)]
    for letter in "ABCDEF"[:count]:
        assert sum(of.answer == letter for of in shown) * count == tries
    assert best_fixed(shown, SINGLE) == pytest.approx(1 / count)


@given(questions(), st.integers(1, 12))
def test_no_reply_that_never_changes_beats_the_chance_that_is_stated(
    question: tuple[LocalizedText, QuestionType], wanted: int
) -> None:
    text, kind = question
    labels = [choice.label for choice in text.choices]
    shown = [rotated(text, kind, i) for i in range(whole_rounds(wanted, kind, len(labels)))]
    fixed = ["".join(label for label, on in zip(labels, bits, strict=True) if on)
             for bits in product([False, True], repeat=len(labels)) if any(bits)]  # fmt: skip
    shares = [sum(of.answer == reply for of in shown) / len(shown) for reply in fixed]
    assert max(shares) == pytest.approx(best_fixed(shown, kind))
    assert not Profile(len(shown), round(max(shares) * len(shown)), 0, 0, best_fixed(shown, kind)).high(
        BlindRule()
    )


@cache
def mostly_right(letter: str, key: str, rotate: bool) -> bool:
    """Whether a model that always says `letter` is right in more than half of eight tries."""
    shown = [rotated(closed(key), SINGLE, index if rotate else 0) for index in range(8)]
    verdicts = [compare_answer(f"Answer: {letter}", of.answer, SINGLE, "ABCD").match for of in shown]
    return 2 * verdicts.count(Match.CONSISTENT) > len(verdicts)


def dropped(favourites: tuple[str, ...], key: str, rotate: bool) -> bool:
    """Whether a question with this key counts as solved without its picture: three of four models mostly right."""
    return sum(mostly_right(letter, key, rotate) for letter in favourites) >= 3


def test_without_rotation_favourite_letters_drop_five_percent_of_guessed_items_and_with_it_none() -> None:
    cases = [(favourites, key) for favourites in product("ABCD", repeat=4) for key in "ABCD"]
    still = sum(dropped(favourites, key, rotate=False) for favourites, key in cases) / len(cases)
    assert still == pytest.approx(13 / 256)
    assert round(still, 2) == 0.05
    assert not any(dropped(favourites, key, rotate=True) for favourites, key in cases)


def test_rotation_does_not_undo_a_favourite_text_and_the_tag_is_no_verdict_for_that_reason() -> None:
    """Who always picks the option that sounds best is right in all tries of one guessed item in four."""
    high = []
    for key in "ABCD":
        shown = [rotated(closed(key), SINGLE, index) for index in range(8)]
        right = 0
        for of in shown:
            (letter,) = [choice.label for choice in of.choices if choice.text == "zinc"]
            right += letter == of.answer
        high.append(Profile(8, right, 0, 0, best_fixed(shown, SINGLE)).high(BlindRule()))
    assert high == [False, False, True, False]


@given(st.integers(1, 40), st.data())
def test_high_needs_both_a_small_probability_and_a_high_rate(tries: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, tries))
    chance = data.draw(st.sampled_from([0.05, 0.2, 0.25, 0.5]))
    profile, rule = Profile(tries, right, 0, 0, chance), BlindRule()
    tail = float(binom.sf(right - 1, tries, chance))
    assert profile.p_value == pytest.approx(tail, abs=1e-9)
    if abs(tail - rule.alpha) > 1e-9:
        assert profile.high(rule) == (tail <= rule.alpha and right / tries >= rule.least_rate)


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        (closed("B", 1), SINGLE, "one-option"),
        (closed("E"), SINGLE, "answer-is-no-label"),
        (closed("A", texts=("iron", "zinc", "tin", "A and B")), SINGLE, "options-refer-to-letters"),
        (closed("A", texts=("铁", "锌", "锡", "A和B")), SINGLE, "options-refer-to-letters"),
        (closed("A", texts=("iron", "zinc", "tin", "both A, B and C")), SINGLE, "options-refer-to-letters"),
    ],
)
def test_options_that_cannot_move_are_named(text: LocalizedText, kind: QuestionType, reason: str) -> None:
    with pytest.raises(ItemError) as refusal:
        require_rotatable(text, kind)
    assert refusal.value.reason == reason


@pytest.mark.parametrize("words", ["an acid", "A-level", "C", "a and b are constants", "AB", "A + B -> C"])
def test_options_that_only_look_like_letters_move(words: str) -> None:
    require_rotatable(closed("A", texts=("iron", "zinc", "tin", words)), SINGLE)


def test_an_option_in_a_picture_cannot_move() -> None:
    bare = closed("A").model_copy(update={"choices": (Choice(label="A"), Choice(label="B"))})
    with pytest.raises(ItemError, match="options-in-picture"):
        require_rotatable(bare, SINGLE)


@pytest.mark.parametrize("answer", ["C", "(B)", "yes", "False", "增大", "decreases"])
def test_an_answer_of_very_few_possible_ones_is_never_called_known(answer: str) -> None:
    text = LocalizedText(question="Which bag gained most?", answer=answer)
    chance = BlindRule().chance([text] * 9, FREE)
    assert chance == 1.0 and not Profile(9, 9, 0, 0, chance).high(BlindRule())


@pytest.mark.parametrize("answer", ["42", "3 m/s", "copper", "x^2", "AB"])
def test_other_free_answers_have_the_chance_of_the_rule(answer: str) -> None:
    text = LocalizedText(question="How much?", answer=answer)
    chance = BlindRule(free_chance=0.1).chance([text] * 4, FREE)
    assert chance == 0.1 and Profile(4, 4, 0, 0, chance).high(BlindRule())


def test_free_answers_have_no_rounds() -> None:
    assert whole_rounds(3, FREE, 0) == 3
    assert whole_rounds(3, SINGLE, 4) == 4 and whole_rounds(5, MULTIPLE, 5) == 5
