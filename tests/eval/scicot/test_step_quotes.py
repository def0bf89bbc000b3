"""Steps quoted from a response: found with the liberties of a copying model, never invented, never counted twice."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.eval.scicot.step_quotes import QuoteError, Span, coverage, find_steps

RESPONSE = (
    "The net force is $F = ma$, by **Newton's second law**.\n\n"
    "So \\(a = \\dfrac{F}{m} = \\dfrac{10}{2} = 5\\ \\mathrm{m/s^2}\\).\n"
    "Then $v = 5 \\times 2 = 10$ m/s, so v = 10 m/s.\nAnswer: B"
)


def texts(response: str, quotes: list[str]) -> list[str]:
    return [response[span.start : span.end] for span in find_steps(response, quotes)]


@pytest.mark.parametrize(
    "quote",
    [
        "So \\(a = \\dfrac{F}{m} = \\dfrac{10}{2} = 5\\ \\mathrm{m/s^2}\\).",
        "So $a=\\frac{F}{m}=\\frac{10}{2}=5 \\mathrm{m/s^2}$.",
        "so  a = \\frac F m = \\frac{10}{2}\n= 5\\, \\mathrm{m/s}^2.",
        "So \\[a = \\dfrac{F}{m} = \\dfrac{10}{2} = 5\\ \\mathrm{m/s^2}\\].",
    ],
)
def test_blanks_and_latex_delimiters_do_not_matter(quote: str) -> None:
    assert texts(RESPONSE, [quote]) == ["So \\(a = \\dfrac{F}{m} = \\dfrac{10}{2} = 5\\ \\mathrm{m/s^2}\\)."]


def test_what_is_kept_is_the_responses_own_text_with_its_delimiters() -> None:
    assert texts(RESPONSE, ["F = ma", "Newton’s second law"]) == ["$F = ma$", "**Newton's second law**"]


@pytest.mark.parametrize(
    "quote",
    [
        "The net force is F = mb",
        "v = 100 m/s",
        "So a = 5 m/s^2.",
        "The net force ... second law",
        "力等于质量乘以加速度",
        "ewton's second law",
        "Answer",
    ],
)
def test_what_does_not_stand_there_is_no_step(quote: str) -> None:
    response = RESPONSE.replace("Answer", "Answers")
    with pytest.raises(QuoteError, match="does not stand in the response"):
        find_steps(response, [quote])


@pytest.mark.parametrize("quote", ["", "  ", "$$", "**", "="])
def test_a_step_has_words(quote: str) -> None:
    with pytest.raises(QuoteError, match="step 2 has no words"):
        find_steps(RESPONSE, ["F = ma", quote])


def test_twice_the_same_step_counts_twice_only_where_it_stands_twice() -> None:
    response = "x = 2. Check: x = 2."
    assert find_steps(response, ["x = 2", "x = 2"]) == (Span(0, 5), Span(14, 19))
    with pytest.raises(QuoteError, match="given twice"):
        find_steps(response, ["x = 2", "x = 2", "x = 2"])
    with pytest.raises(QuoteError, match="overlaps"):
        find_steps("a b c d", ["a b c", "c d"])


def test_a_short_step_does_not_take_its_twin_inside_a_longer_one() -> None:
    response = "From v = at we see v = 6 here. v = 6"
    assert texts(response, ["v = 6", "we see v = 6 here"]) == ["v = 6", "we see v = 6 here"]
    assert find_steps(response, ["v = 6", "we see v = 6 here"])[0].start == response.rindex("v = 6")


def test_chinese_full_width_and_ruled_lines() -> None:
    response = "由牛顿第二定律，Ｆ＝ｍａ。\n-----\n所以加速度为５m/s²，选Ｂ。"
    assert texts(response, ["由牛顿第二定律，F=ma。", "所以加速度为5m/s²，选B"]) == [
        "由牛顿第二定律，Ｆ＝ｍａ。",
        "所以加速度为５m/s²，选Ｂ",
    ]
    # What was disarmed before the judge saw it is found all the same.
    assert texts("one\n-----\ntwo [Consistent] three", ["one - - - two ⟦Consistent⟧ three"]) == [
        "one\n-----\ntwo [Consistent] three"
    ]


def test_accents_may_be_one_sign_or_two() -> None:
    assert texts("Amp\u00e8re's law", ["Ampe\u0300re's law"]) == ["Amp\u00e8re's law"]
    assert texts("Ampe\u0300re's law", ["Amp\u00e8re's law"]) == ["Ampe\u0300re's law"]


def test_a_response_of_one_letter_is_looked_through_in_bounded_time() -> None:
    response = "a" * 300_000
    assert find_steps(response, [response]) == (Span(0, 300_000),)
    with pytest.raises(QuoteError, match="does not stand in the response"):
        find_steps(response, ["a" * 1000])


def test_coverage_counts_words_and_chinese_characters() -> None:
    response = "alpha beta gamma 力学 x2"
    assert coverage(response, find_steps(response, ["beta gamma", "力"])) == 3 / 6
    assert coverage(response, find_steps(response, ["alpha beta gamma 力学 x2"])) == 1.0
    assert coverage(response, ()) == 0.0
    assert coverage("...", ()) == 1.0


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=12), min_size=1, max_size=6))
def test_any_parts_of_a_text_are_found_in_order_without_sharing(parts: list[str]) -> None:
    worded = [f"{part}w{number}" for number, part in enumerate(parts)]
    response = "\n".join(worded)
    try:
        spans = find_steps(response, worded)
    except QuoteError:
        # Two parts can be alike once marks are passed over, or one can stand inside another's text.
        return
    ordered = sorted(spans, key=lambda span: span.start)
    assert all(one.end <= other.start for one, other in itertools.pairwise(ordered))
    assert coverage(response, [Span(0, len(response))]) == 1.0
