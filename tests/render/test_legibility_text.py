from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.render.legibility_text import comparable, edit_distance, errors_by_part, unreadable


@pytest.mark.parametrize(
    ("known", "read"),
    [
        ("如图，点Ａ在（　　）", "如图,点A在( )"),
        ("lI1|", "1111"),
        ("25 ℃", "25°C"),
        ("O0〇", "000"),
        ("won't", "wont"),
        ("v × t — x", "vxt-x"),
        ("Vow", "v0W"),
    ],
)
def test_what_looks_the_same_is_no_error(known: str, read: str) -> None:
    assert comparable(known) == comparable(read)


@pytest.mark.parametrize(
    ("known", "read"),
    [("25 m", "26 m"), ("2.5", "25"), ("压强", "压力"), ("A increases", "A increase"), ("-3", "3")],
)
def test_another_number_word_or_sign_is_an_error(known: str, read: str) -> None:
    assert edit_distance(comparable(known), comparable(read)) == 1


def test_signs_and_unknown_characters_are_counted_not_asked_for() -> None:
    alphabet = frozenset("在上OAB")
    assert comparable("在⊙O上", alphabet) == comparable("在O上")
    assert unreadable("在⊙O上", alphabet) == 1
    assert unreadable("在O上₂", alphabet) == 1


def test_edits_belong_to_the_part_they_stand_in() -> None:
    assert errors_by_part(["abc", "de", "fgh"], "abcdefgh") == [0, 0, 0]
    assert errors_by_part(["abc", "de", "fgh"], "abcdxfgh") == [0, 1, 0]
    assert errors_by_part(["abc", "de", "fgh"], "abcde") == [0, 0, 3]
    assert errors_by_part(["", "de"], "de") == [0, 0]


@given(st.lists(st.text("abc1", max_size=6), min_size=1, max_size=4), st.text("abc1", max_size=12))
def test_parts_share_exactly_the_distance_of_the_whole(parts: list[str], read: str) -> None:
    assert sum(errors_by_part(parts, read)) == edit_distance("".join(parts), read)
