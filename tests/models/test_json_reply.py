"""Reading JSON out of replies, case by case: `cases/json_replies.jsonl` says what is meant, or why it is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.models.json_escapes import Damaged, repair_escapes, repair_value
from benchwright.models.json_reply import NoObject, parse_object

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "json_replies.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    if "refused" in case:
        with pytest.raises(NoObject, match=case["refused"]):
            parse_object(case["reply"])
    else:
        assert parse_object(case["reply"])[-1] == case["value"], case["why"]


def test_there_are_enough_cases_of_both_kinds() -> None:
    refused = sum("refused" in case for case in CASES)
    assert len(CASES) >= 60 and refused >= 20 and len(CASES) - refused >= 40


COMMANDS = [
    "frac{1}{2}",
    "beta",
    "theta",
    "times",
    "rho",
    "right)",
    "nabla",
    "forall",
    "text{m}",
    "alpha",
    "sqrt{2}",
]
pieces = st.lists(
    st.sampled_from(
        [rf"\{name}" for name in COMMANDS] + ["x", " = 3", "速度", "$y$", '"', "{", "}", "\n\nThen "]
    ),
    min_size=1,
    max_size=8,
).map(" ".join)


@given(pieces)
def test_what_json_writes_is_read_back_and_what_forgot_to_escape_is_mended(text: str) -> None:
    """A text with commands, once as JSON wants it, once with every backslash of a command written once only."""
    proper = json.dumps({"t": text}, ensure_ascii=False)
    assert parse_object(proper) == [{"t": text}]
    careless = proper.replace("\\\\", "\\")
    assert parse_object(careless) == [{"t": text}]


@given(st.text(alphabet='\\nutrbfa$ .:"1{}', max_size=30))
def test_nothing_damaged_is_ever_given_out(inner: str) -> None:
    """Whatever the escapes: no form feed, backspace or other control character leaves, but tab and line ends."""
    try:
        value = repair_value(json.loads(repair_escapes('{"t": "' + inner + '"}'), strict=False))
    except ValueError:
        return  # Damaged is one
    controls = {character for text in value.values() for character in text if ord(character) < 32}
    assert controls <= {"\t", "\n", "\r"}


def test_damaged_is_a_value_error() -> None:
    assert issubclass(Damaged, ValueError)
