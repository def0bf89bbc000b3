"""Cleaning and looking up: what may be stored, and nothing changed beyond what is documented."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.curation.fields import FieldMap, clean_text, lookup, text_list
from benchwright.curation.sources import Number
from benchwright.schemas.errors import ItemError, UsageError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a\r\nb\rc", "a\nb\nc"), ("\ufeffa\ufeff", "a"), ("  a \n", "a"), ("a\x08", "a"), ("a \x00\n", "a"),
        (Number("2.50"), "2.50"), (True, "true"), (False, "false"), ("", None), (" \n", None), (None, None),
        ("ﬁ １ ⽤", "ﬁ １ ⽤"), ("a\tb", "a\tb"), ("a\u00a0b", "a\u00a0b"),
    ],
)  # fmt: skip
def test_cleaning(value: Any, text: str | None) -> None:
    assert clean_text(value, "question") == text


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("\x0crac{1}{2}", "control-character"), ("a\x00b", "control-character"), ("\ud835", "unpaired-surrogate"),
        (["a"], "not-text"), ({"a": 1}, "not-text"), (b"a", "not-text"),
    ],
)  # fmt: skip
def test_what_is_never_stored(value: Any, reason: str) -> None:
    with pytest.raises(ItemError) as error:
        clean_text(value, "solution")
    assert error.value.reason == reason
    assert "solution" in error.value.detail


@given(st.text(alphabet=st.characters(codec=None)))
def test_whatever_is_stored_can_be_written_and_cleaning_again_changes_nothing(value: str) -> None:
    try:
        text = clean_text(value, "x")
    except ItemError:
        return
    if text is not None:
        text.encode("utf-8")
        assert clean_text(text, "x") == text
        assert "\r" not in text and text == text.strip(" \n\t")


def test_lookup_goes_through_objects_lists_and_json_text() -> None:
    row = {"a.b": 1, "a": {"b": 2, "c": [{"d": 3}]}, "j": '{"k": ["x", "y"]}', "t": "[2, 3)"}
    assert lookup(row, "a.b") == 1
    assert lookup(row, "a.c.0.d") == 3
    assert lookup(row, "j.k.1") == "y"
    assert lookup(row, "a.c.7") is lookup(row, "t.x") is lookup(row, "no") is lookup(row, "a.x.y") is None


def test_an_empty_cell_counts_as_missing_and_the_constant_steps_in() -> None:
    fields = FieldMap({"unit": "u"}, {"unit": "N"})
    assert fields.text({"u": ""}, "unit") == "N"
    assert fields.text({"u": "kg"}, "unit") == "kg"
    assert fields.text({"unit": "kg"}, "unit") == "N", "a mapped field is read from its mapping alone"
    assert fields.text({"grade_or_level": "7"}, "grade") == "7"


def test_unknown_fields_are_refused() -> None:
    with pytest.raises(UsageError, match="'colour'"):
        FieldMap({}, {"colour": "red"})


def test_lists_of_texts() -> None:
    assert text_list(["a", "", None, " b "], "x") == ("a", "b")
    assert text_list('["a", "b"]', "x") == ("a", "b")
    assert text_list("a", "x") == ("a",)
    assert text_list(None, "x") == ()
