from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.render.linebreak import FORMULA, NO_END, NO_START, units

ALPHABET = "ab 中文，。、；：？！）》”（《“1 5.%℃" + FORMULA


def lines(text: str) -> list[str]:
    return [text[unit.start : unit.end] for unit in units(text)]


@settings(deadline=None)
@given(st.text(alphabet=ALPHABET, max_size=80))
def test_units_cover_the_text_in_order(text: str) -> None:
    position = 0
    for unit in units(text):
        assert unit.start == position
        position = unit.end + unit.blanks
    assert position == len(text)


@settings(deadline=None)
@given(st.text(alphabet=ALPHABET, max_size=80))
def test_no_line_begins_or_ends_with_a_forbidden_character(text: str) -> None:
    found = [unit for unit in lines(text) if unit]
    for unit in found[1:]:
        assert unit[0] not in NO_START
    for unit in found[:-1]:
        assert unit[-1] not in NO_END


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("about 25 ℃ outside", "25 ℃"),
        ("at 10 m/s² now", "10 m/s²"),
        (f"mass {FORMULA} kg of", f"{FORMULA} kg"),
        ("质量为2 kg的木块", "2 kg"),
        ("正确的是（　　）", "（　　）"),
        ("the answer (   ) is", "(   )"),
        (f"且{FORMULA}；又", f"{FORMULA}；"),
        ("see Fig. 3 there", "Fig. 3"),
        ("$5 (about 3)", "(about"),
    ],
)
def test_what_belongs_together_stays_together(text: str, kept: str) -> None:
    assert any(kept in unit for unit in lines(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one two", ["one", "two"]),
        ("中文字", ["中", "文", "字"]),
        ("中文，字。", ["中", "文，", "字。"]),
        ("说“好”的", ["说", "“好”", "的"]),
        ("well-known fact", ["well-", "known", "fact"]),
        ("x-axis at -5", ["x-", "axis", "at -5"]),
        (f"{FORMULA}{FORMULA}", [FORMULA, FORMULA]),
        ("设 ABC 为", ["设", "ABC", "为"]),
    ],
)
def test_lines_end_where_readers_expect(text: str, expected: list[str]) -> None:
    assert lines(text) == expected
