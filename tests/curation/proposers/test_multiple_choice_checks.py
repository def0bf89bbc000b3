"""The checks of multiple-choice options, and the distractors made by rule."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchwright.curation.proposers.multiple_choice_checks import (
    LABELS,
    Options,
    figures,
    misconception_findings,
    option_findings,
    question_findings,
    twin_findings,
)
from benchwright.curation.proposers.multiple_choice_rules import SLIPS, distractors, in_other_text
from benchwright.curation.proposers.multiple_choice_values import (
    evaluate,
    option_of,
    read_value,
    same_option,
    too_close,
)
from benchwright.examples.registry import all_problems
from benchwright.schemas.errors import ItemError

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "multiple_choice_options.jsonl")
    .read_text("utf-8")
    .splitlines()
]


def codes(findings: Any) -> set[str]:
    return {finding.split(":")[0] for finding in findings}


@pytest.mark.parametrize("case", CASES, ids=[f"{n}-{case['code'] or 'good'}" for n, case in enumerate(CASES)])
def test_each_case_gives_its_finding_and_good_options_none(case: dict[str, Any]) -> None:
    found = codes(option_findings(Options(tuple(case["texts"]), case["right"]), case["ground"]))
    assert found == set() if case["code"] is None else case["code"] in found


def test_none_of_these_may_be_asked_for() -> None:
    options = Options(("3 N", "6 N", "9 N", "none of these"), 0)
    assert "none-of-these" in codes(option_findings(options, "3 N"))
    assert "none-of-these" not in codes(option_findings(options, "3 N", none_of_these=True))


def test_options_of_our_own_examples_pass_every_check() -> None:
    checked = 0
    for problem in all_problems():
        for text in problem.texts.values():
            if text.choices and len(text.answer) == 1:
                said = tuple(choice.text or "" for choice in text.choices)
                options = Options(said, LABELS.index(text.answer))
                assert option_findings(options, said[options.right]) == (), problem.id
                checked += 1
    assert checked > 70


def test_options_of_real_examinations_are_seldom_complained_about(shared_data: Path) -> None:
    """Every 24th item of the text pool: what is found is mostly a real slip (equal options, an odd unit)."""
    counts: Counter[str] = Counter()
    checked = 0
    with gzip.open(shared_data / "text_pool.jsonl.gz", "rt", encoding="utf-8") as stream:
        for n, line in enumerate(stream):
            row = json.loads(line) if n % 24 == 0 else {}
            texts = [
                re.sub(r"^\s*[(（]?[A-J][)）.．、:：]\s*", "", text or "")
                for text in _texts(row.get("choices"))
            ]
            answer = str(row.get("answer"))
            plain = all(text.strip() and not re.fullmatch("[A-J]", text.strip()) for text in texts)
            if texts and plain and re.fullmatch("[A-J]", answer) and LABELS.index(answer) < len(texts):
                checked += 1
                options = Options(tuple(texts), LABELS.index(answer))
                counts.update(codes(option_findings(options, texts[options.right], none_of_these=True)))
    assert checked > 900
    assert counts["right-not-ground"] == counts["empty-option"] == counts["labelled"] == counts["tells"] == 0
    assert counts.total() / checked < 0.05
    for code in ("two-right", "right-is-longest", "right-is-shortest", "unlike-unit", "unlike-number"):
        assert counts[code] / checked < 0.005, code


def _texts(choices: Any) -> list[str]:
    if isinstance(choices, dict):
        return [str(text) for text in choices.values()]
    return [str(c.get("text") if isinstance(c, dict) else c) for c in choices or []]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"\frac{\sqrt{3}}{2}", 3**0.5 / 2),
        (r"2\sqrt{2}", 8**0.5),
        (r"\sqrt[3]{8}", 2),
        (r"\frac{2\pi}{3}", 2.0943951),
        ("2π", 6.2831853),
        (r"\frac12", 0.5),
        ("3^2-1", 8),
        (r"-\frac{1}{4}", -0.25),
        ("x+1", None),
        (r"\mathrm{CO_2}", None),
        ("__import__('os')", None),
        ("9**9**9**9", None),
        ("1/0", None),
        ("(-8)^{0.5}", None),
        ("", None),
    ],
)
def test_constant_expressions_are_evaluated_and_nothing_else(text: str, value: float | None) -> None:
    found = evaluate(text)
    assert found is None if value is None else found == pytest.approx(value)


@pytest.mark.parametrize(
    ("one", "other", "how"),
    [
        ("3 N", "3.0 N", "value"),
        ("AaBb", "aabb", None),
        ("Copper", "copper", "text"),
        ("It rises", "it rises.", "text"),
        ("CO", "Co", None),
        (r"$\text{A}$", r"$\text{B}$", None),
        ("1/3", "0.333", "value"),
        ("1/3", "0.3", None),
        ("3 m", "3 s", None),
        ("3 m", "3", None),
        (r"$x\leqslant 2$", r"$x\le2$", "text"),
        (r"$x\neq 2$", r"$x\ne2$", "latex"),
        ("25 °C", "25 ℃", "text"),
        ("$1.6\\times10^{-19}$", "1.6e-19", "value"),
    ],
)
def test_two_options_are_told_apart_or_found_out(one: str, other: str, how: str | None) -> None:
    assert same_option(one, other) == how == same_option(other, one)


@pytest.mark.parametrize(
    ("answer", "unit", "option"),
    [
        ("15", None, "15"),
        ("3.0", "m/s", "3.0 m/s"),
        ("$3.0$", r"$\mathrm{m/s}$", r"$3.0\ \mathrm{m/s}$"),
        ("3.0 m/s", "m/s", "3.0 m/s"),
        ("6", "种", "6 种"),
        ("20", "%", "20%"),
        ("37", "°", "37°"),
        ("3 kg", "g", "3 kg"),
        ("4.1", r" $10^{-6} \mathrm{~N}$", r"$4.1\times 10^{-6} \mathrm{~N}$"),
        (" copper ", "", "copper"),
    ],
)
def test_the_right_option_is_the_answer_with_its_unit(answer: str, unit: str | None, option: str) -> None:
    assert option_of(answer, unit) == option


@pytest.mark.parametrize(
    ("text", "n"),
    [("0.0500", 3), ("1200", 2), ("4.8", 2), (r"$1.60\times 10^{3}$", 3), ("0", 1), ("zinc", 0)],
)
def test_figures_are_counted(text: str, n: int) -> None:
    assert figures(text) == n


def test_counts_are_never_too_close_and_measurements_are() -> None:
    assert not too_close("29", "30") and not too_close("1/3", "1/4")
    assert too_close("9.81 m/s^2", "9.8 m/s^2") and too_close("981 cm/s^2", "9.8 m/s^2")
    assert not too_close("9 m/s^2", "9.8 m/s^2") and not too_close("copper", "iron")


def test_a_misconception_is_said_once_and_in_words() -> None:
    assert misconception_findings(["the factor one half", "the wrong law", "the sign"]) == ()
    assert codes(misconception_findings(["", "the wrong law", "?"])) == {"misconception-missing"}
    assert codes(misconception_findings(["The sign got lost", "the sign got lost."])) == {
        "misconception-repeated"
    }


@pytest.mark.parametrize(
    ("after", "code"),
    [
        ("Find the speed $v$ after 3.0 s.", None),
        ("What is the speed $v$ after 3.0 s?", None),
        ("What is the speed $v$ after 3 s?", "number-missing"),
        ("What is the speed after 3.0 s?", "formula-missing"),
        ("What is the speed $v$ after 3.0 min?", "unit-changed"),
        (
            "What is the speed $v$ after 3.0 s? " + "Think about it step by step and then choose. " * 2,
            "reworded",
        ),
        ("What is the speed $v$ after 3.0 s? <image1>", "marker-changed"),
    ],
)
def test_a_question_may_be_worded_anew_but_keeps_what_it_gives(after: str, code: str | None) -> None:
    found = codes(question_findings("Find the speed $v$ after 3.0 s.", after, "en"))
    assert found == set() if code is None else code in found


def test_options_of_the_second_language_say_the_same() -> None:
    first = ("电阻增大 2 倍", "$4.8$", "电流减小")
    assert twin_findings(first, ("The resistance grows 2 times.", "$4.8$", "The current falls."), "en") == ()
    assert codes(
        twin_findings(first, ("The resistance grows 3 times.", "$4.8$", "The current falls."), "en")
    ) == {
        "number-missing",
        "number-added",
    }
    assert codes(twin_findings(first, ("$4.8$", "The current falls."), "en")) == {"options-changed"}


@pytest.mark.parametrize(
    ("right", "below", "texts"),
    [
        ("5.25 L/min", 1, ["10.5 L/min", "2.63 L/min", "52.5 L/min"]),
        (r"$\frac{1}{6}$", 1, [r"$\frac{5}{6}$", r"$\frac{1}{3}$", r"$\frac{1}{12}$"]),
        (r"$1.6\times 10^{-19}\ \mathrm{C}$", 2, ["$3.2", "$8.0", "$1.6"]),
        ("15", 2, ["30", "14", "5"]),
        ("$37^\\circ$", 1, ["$53^\\circ$", "$143^\\circ$", "$18.5^\\circ$"]),
        ("-3", 1, ["3", "-6", "-1"]),
        ("7.2e22", 1, ["1.4e23", "3.6e22", "7.2e23"]),
        ("$10^{5}$", 1, [r"$2\times 10^{5}$", r"$5\times 10^{4}$", "$10^{6}$"]),
        ("10^-3 m", 2, ["2*10^-3 m", "5*10^-4 m", "10^-4 m"]),
        ("80,000", 1, ["160,000", "40,000", "800,000"]),
    ],
)
def test_rules_write_distractors_like_the_right_option(right: str, below: int, texts: list[str]) -> None:
    found = [one.text for one in distractors(right, 3, below)]
    assert all(text.startswith(start) for text, start in zip(found, texts, strict=True)), found


@pytest.mark.parametrize(
    "text", ["9" * 5000, "1e999", "10^{999999999}", "(" * 500, "1/" * 400, r"\sqrt{" * 300]
)
def test_no_option_is_too_wild_to_be_compared(text: str) -> None:
    found = codes(option_findings(Options((text, f"{text}1", "2", text), 0), text))
    assert "two-right" in found and "right-not-ground" not in found
    assert option_of(text, "m").startswith(text)
    with pytest.raises(ItemError, match="no-rule"):
        distractors(text, 3, 1)


@pytest.mark.parametrize("right", ["copper", "0", "x=2", "3 or 4", "$\\sqrt{3}$", ""])
def test_no_rule_for_what_is_no_number(right: str) -> None:
    with pytest.raises(ItemError, match="no-rule"):
        distractors(right, 3, 1)


def test_too_many_are_refused_not_filled_up() -> None:
    with pytest.raises(ItemError, match="too-few-distractors"):
        distractors("15", 9, 3)


def test_a_distractor_is_written_like_the_other_language() -> None:
    (one,) = distractors("6", 1, 0)
    assert in_other_text(one, "6", "6 种").text == "12 种"
    with pytest.raises(ItemError, match="languages-differ"):
        in_other_text(one, "6", "7 种")


NUMBERS = st.one_of(
    st.integers(1, 10**6).map(str),
    st.integers(10**12, 10**25).map(str),
    st.decimals(min_value="0.01", max_value=10**4, places=2).map(str),
    st.fractions(min_value=Fraction(1, 9), max_value=9, max_denominator=9).map(
        lambda f: rf"$\frac{{{f.numerator}}}{{{f.denominator}}}$"
    ),
    st.tuples(st.integers(10, 99), st.integers(-30, 30)).map(
        lambda pair: rf"${pair[0] / 10}\times 10^{{{pair[1]}}}$"
    ),
)


@example("1000000000000", "%", 3, 3)
@given(NUMBERS, st.sampled_from(["", " N", " kg", " m/s", "%"]), st.integers(1, 3), st.integers(0, 3))
def test_distractors_by_rule_pass_every_check(number: str, unit: str, wanted: int, below: int) -> None:
    right = f"{number}{unit}"
    try:
        found = distractors(right, wanted, min(below, wanted))
    except ItemError as error:
        assert error.reason in ("no-rule", "too-few-distractors")
        return
    texts = (right, *(one.text for one in found))
    assert option_findings(Options(texts, 0), right) == ()
    values = [read_value(text) for text in texts]
    assert all(value is not None for value in values)
    assert misconception_findings([one.slip.names["en"] for one in found]) == ()
    assert misconception_findings([one.slip.names["zh"] for one in found]) == ()


def test_every_slip_has_a_name_of_its_own_in_both_languages() -> None:
    for language in ("en", "zh"):
        names = [slip.names[language] for slip in SLIPS]
        assert len(set(names)) == len(names)
