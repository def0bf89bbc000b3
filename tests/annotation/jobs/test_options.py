"""Options in one text field: written, edited, read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.annotation.jobs.options import LABELS, options_text, read_options

LINE = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["C", "Z"]), min_size=1)


@given(st.lists(LINE, min_size=2, max_size=10))
def test_what_is_written_is_read_again(texts: list[str]) -> None:
    labels = LABELS[: len(texts)]
    assert read_options(options_text(labels, texts), labels, exact=True) == [text.strip() for text in texts]
    assert read_options(options_text(labels, texts), LABELS, exact=False) == [text.strip() for text in texts]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("A. 1\nB. 2\nC. 3", ["1", "2", "3"]),
        ("A．一\nB、二\nC：三", ["一", "二", "三"]),
        ("1\n2\n3", ["1", "2", "3"]),
        ("1\n\n2\n3\n", ["1", "2", "3"]),
        ("A. first\n and more\nB. 2\nC. 3", ["first\n and more", "2", "3"]),
        ("A.\nB. 2\nC.", ["", "2", ""]),
        ("(A) 1\n(B) 2\n（C）3", ["1", "2", "3"]),
        ("1\nB. 2\nC. 3", None),
        ("A. 1\nC. 3", None),
        ("A. 1\nB. 2", None),
        ("1\n2", None),
        ("", None),
    ],
)
def test_three_options_are_told_apart_or_refused(written: str, expected: list[str] | None) -> None:
    assert read_options(written, "ABC", exact=True) == expected


def test_the_number_may_change_where_it_is_open() -> None:
    assert read_options("A. 1\nB. 2", LABELS, exact=False) == ["1", "2"]
    assert read_options("A. 1\nB. 2\nD. 4", LABELS, exact=False) is None
    assert read_options("\n".join(map(str, range(11))), LABELS, exact=False) is None
