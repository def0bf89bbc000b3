"""Options and answers in the spellings that sources use."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.curation.options import labels_shown, match_option, read_labels, read_options, split_options
from benchwright.schemas.errors import ItemError

PLAIN = [("A", "one"), ("B", "two"), ("C", "three")]


@pytest.mark.parametrize(
    "value",
    [
        ["one", "two", "three"],
        ["A. one", "B. two", "C. three"],
        ["(A) one", "(B) two", "(C) three"],
        ["A：one", "B：two", "C：three"],
        [{"label": "A", "text": "one"}, {"label": "B", "text": "two"}, {"label": "C", "text": "three"}],
        {"A": "one", "C": "three", "B": "two"},
        {"label": ["A", "B", "C"], "text": ["one", "two", "three"]},
        '["one", "two", "three"]',
        "A. one\nB. two\nC. three",
    ],
)
def test_all_spellings_give_the_same_options(value: Any) -> None:
    assert [(option.label, option.text) for option in read_options(value)] == PLAIN


def test_texts_that_only_look_labelled_stay_whole() -> None:
    assert [o.text for o in read_options(["A. Smith", "B. Jones", "D. Miller"])] == [
        "A. Smith",
        "B. Jones",
        "D. Miller",
    ]


def test_bare_letters_say_that_the_option_stands_in_the_picture() -> None:
    assert [(o.label, o.text) for o in read_options(["A", "B", "C"])] == [
        ("A", None),
        ("B", None),
        ("C", None),
    ]
    assert [o.text for o in read_options(["P", "Q"])] == ["P", "Q"]


def test_no_options() -> None:
    assert read_options(None) == read_options("") == read_options([]) == ()


@pytest.mark.parametrize(
    "value",
    ["just words", 7, {"x": "y"}, [["nested"]], ["o"] * 27, {"label": ["A"], "text": []}, "[broken",
     [{"label": "A", "text": "x"}, {"label": "A", "text": "y"}]],
)  # fmt: skip
def test_what_is_no_list_of_options_is_refused(value: Any) -> None:
    with pytest.raises(ItemError) as error:
        read_options(value)
    assert error.value.reason == "bad-choices"


@pytest.mark.parametrize(
    ("answer", "labels"),
    [
        ("B", "B"), ("(C)", "C"), (" A ", "A"), ("d.", "D"), ("C:", "C"), ("A,C", "AC"), ("BD", "BD"), ("A、C", "AC"),
        ("A B A", "ABA"), ("(A)(C)", "AC"), ("E", None), ("two", None), ("ab", None), ("", None), ("A or B", None),
        ("2", None), ("B text", None),
    ],
)  # fmt: skip
def test_labels_of_an_answer(answer: str, labels: str | None) -> None:
    assert read_labels(answer, "ABCD") == (None if labels is None else tuple(labels))


def test_an_answer_given_as_the_options_text_needs_exactly_one_match() -> None:
    options = read_options(["6", "９", "6", "x"])
    assert match_option(" 9", options) == "B"
    assert match_option("6", options) is None
    assert match_option("7", options) is None


@pytest.mark.parametrize(
    ("question", "stem", "texts"),
    [
        ("What is it?\n\nA. $20\nB. $30\nC. $40", "What is it?", ["$20", "$30", "$40"]),
        ("Which?\n(A} one\n(B) two\n", "Which?", ["one", "two"]),
        ("Choose from A. one\nB. two", "Choose from", ["one", "two"]),
        ("A. Read this.\nB. Then?\nA. one\nB. two", "A. Read this.\nB. Then?", ["one", "two"]),
    ],
)
def test_options_on_lines_of_their_own_are_split_off(question: str, stem: str, texts: list[str]) -> None:
    split = split_options(question)
    assert split is not None
    assert (split[0], [option.text for option in split[1]]) == (stem, texts)


@pytest.mark.parametrize(
    "question",
    ["No options at all.", "A. one\nB. two", "Q\nA. one\nC. three", "Q A. one B. two",
     "Q\nA. one\nB. two\n(One letter, please.)"],
)  # fmt: skip
def test_nothing_is_split_off_where_it_is_not_certain(question: str) -> None:
    assert split_options(question) is None


def test_labels_in_tables_and_formulas_are_seen() -> None:
    table = r"\hline A & x \\ \hline $\mathrm{B}$ & y \\ \hline C & z \\"
    assert labels_shown(table) == ("A", "B", "C")
    assert labels_shown(r"$A ： \frac{1}{2}$B： $x$ $C: y$.D: z") == ("A", "B", "C", "D")
    assert labels_shown("Point A. Then B. No more.") == ()
    assert labels_shown("Which of I. Position A, II. Position B?") == ()
