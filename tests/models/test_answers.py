"""Reading and comparing answers: hand-written case files, and properties that have to hold for any input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.models.answer_compare import Match, compare_answer, compare_quantities
from benchwright.models.answer_final import extract_final
from benchwright.models.answer_parse import extract_choices
from benchwright.models.answer_quantity import parse_quantity, parse_unit
from benchwright.models.answer_text import comparable, same_text, without_latex
from benchwright.models.baseline import guess
from benchwright.schemas.records import QuestionType

CASES = Path(__file__).parent / "cases"
LETTERS = list("ABCD")


def cases(name: str) -> list[Any]:
    rows = [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]
    return [pytest.param(row, id=f"{number}-{row['source']}") for number, row in enumerate(rows, start=1)]


@pytest.mark.parametrize("case", cases("matching.jsonl"))
def test_matching_case(case: dict[str, Any]) -> None:
    options = case.get("options", {})
    result = compare_answer(
        case["reply"],
        case["ground"],
        QuestionType(case["type"]),
        case.get("labels") or list(options) or LETTERS,
        options,
        case.get("unit"),
    )
    assert result.match == case["expected"], result


@pytest.mark.parametrize("case", cases("extraction.jsonl"))
def test_extraction_case(case: dict[str, Any]) -> None:
    result = extract_choices(case["reply"], LETTERS, case["multiple"])
    assert (result.kind, "".join(sorted(result.labels))) == (case["kind"], case["labels"]), result


def test_case_files_are_large_enough_and_bilingual() -> None:
    for name, least in (("matching.jsonl", 120), ("extraction.jsonl", 60)):
        rows = (CASES / name).read_text(encoding="utf-8").splitlines()
        chinese = [row for row in rows if any("\u4e00" <= character <= "\u9fff" for character in row)]
        assert len(rows) >= least and len(rows) == len(set(rows))
        assert len(chinese) >= least // 8


def test_eva_01_a_refusal_is_no_answer_every_time() -> None:
    reply = "Sorry, I cannot see the picture."
    verdicts = {
        compare_answer(reply, ground, QuestionType.SINGLE_CHOICE, LETTERS).match
        for ground in LETTERS
        for _ in range(250)
    }
    assert verdicts == {Match.NO_ANSWER}


@given(
    item=st.text(min_size=1, max_size=20),
    count=st.integers(2, 8),
    kind=st.sampled_from([QuestionType.SINGLE_CHOICE, QuestionType.MULTIPLE_SELECT]),
    ground=st.data(),
)
def test_the_baselines_letters_are_always_decided(
    item: str, count: int, kind: QuestionType, ground: st.DataObject
) -> None:
    labels = tuple("ABCDEFGH"[:count])
    size = 1 if kind is QuestionType.SINGLE_CHOICE else ground.draw(st.integers(1, count))
    right = frozenset(ground.draw(st.permutations(labels))[:size])
    reply = guess(item, kind, labels)
    # Options whose texts are letters themselves must not make a bare label unclear.
    texts = dict(zip(labels, reversed(labels), strict=True))
    result = compare_answer(reply, "".join(sorted(right)), kind, labels, texts)
    assert result.match is (Match.CONSISTENT if frozenset(reply) == right else Match.INCONSISTENT)


@settings(max_examples=300)
@given(st.text(max_size=200), st.sampled_from(LETTERS), st.booleans())
def test_no_text_without_a_label_is_ever_right(text: str, ground: str, multiple: bool) -> None:
    kind = QuestionType.MULTIPLE_SELECT if multiple else QuestionType.SINGLE_CHOICE
    result = compare_answer(text, ground, kind, LETTERS)
    if result.match is Match.CONSISTENT:
        assert ground in "".join(without_latex(text).upper().split())


@given(st.text(max_size=120))
def test_normal_forms_are_stable_and_equal_to_themselves(text: str) -> None:
    assert without_latex(without_latex(without_latex(text))) == without_latex(without_latex(text))
    if comparable(text):
        assert same_text(text, text)


@given(
    st.decimals(min_value="0.01", max_value="1e6", places=4),
    st.decimals(min_value="-0.2", max_value="0.2", places=3),
)
def test_five_percent_is_measured_from_the_ground_and_exact(ground: object, error: object) -> None:
    from fractions import Fraction

    right = Fraction(str(ground))
    said = right * (1 + Fraction(str(error)))
    match, _ = compare_quantities(f"{said.numerator}/{said.denominator} m", f"{ground} m")
    assert match is (Match.CONSISTENT if abs(Fraction(str(error))) < Fraction(5, 100) else Match.INCONSISTENT)


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("m/s^2", "(meter)/(second**(2))"),
        ("kg·m/s^2", "(kilogram*meter)/(second**(2))"),
        ("牛·米", "newton*meter"),
        ("米/秒", "(meter)/(second)"),
        ("J/(kg·K)", "(joule)/(kilogram*kelvin)"),
        ("J/(kg·°C)", "(joule)/(kilogram*kelvin)"),
        ("J/kg·K", None),
        ("a", None),
        ("apples", None),
        ("m/s/s", None),
        ("", None),
    ],
)
def test_units_come_from_a_closed_table(text: str, unit: str | None) -> None:
    from benchwright.models.answer_quantity import convert

    read = parse_unit(text)
    if unit is None:
        assert read is None
    else:
        assert read is not None
        from fractions import Fraction

        assert convert(Fraction(1), read, unit) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "text", ["3±0.1", "3-5", "1, 2", "2 1/2", "3×108", "1/0", "", "x", "3.000,5", "12,34", "5 m 3", "√2"]
)
def test_what_is_not_one_quantity_is_not_read_as_one(text: str) -> None:
    assert parse_quantity(text) is None


@pytest.mark.parametrize(
    "hostile",
    [
        *("(" * 20000, "{" * 20000, "\\boxed{" * 3000, "答案" * 8000, "A " * 9000, "1e" * 9000),
        *("1 " + " " * 60000 + "1", "1" + "\n" * 60000 + "1", "1 or " * 9000, "H2+" * 9000, "1<x<" * 9000),
        *("(1) 2 " * 9000, "so x = 1 " * 9000, "B is correct. " * 4000, "十" * 20000, "x" * 300_000),
    ],
)
def test_hostile_replies_are_read_in_bounded_time(hostile: str) -> None:
    import time

    started = time.process_time()
    for kind in QuestionType:
        for ground in ("B", "(1) 3; (2) 4", "{1, 2}", "3 m"):
            compare_answer(hostile, ground, kind, LETTERS, {"A": "1 m", "B": "2 m"})
    assert time.process_time() - started < 20


def test_final_answer_keeps_its_name() -> None:
    final = extract_final("Hence $v = 5\\ \\text{m/s}$.\nAnswer: v = 5 m/s.")
    assert final is not None and (final.text, final.name) == ("5 m/s", "v")
    assert extract_final("Answer: 5 m\nAnswer: 6 m") is None
    assert extract_final("A long derivation\nwithout any end") is None
