"""The checks of a translation: each fails on planted faults, none on real pairs of texts."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.curation.proposers.tokens import tokens
from benchwright.curation.proposers.tokens_formulas import atoms, balanced, is_name, math_spans, normal
from benchwright.curation.proposers.tokens_numerals import numerals
from benchwright.curation.proposers.tokens_units import TABLE, canonical_unit, spellings
from benchwright.curation.proposers.translation_checks import text_findings, translation_findings
from benchwright.examples.registry import all_problems
from benchwright.schemas.records import Choice, LocalizedText

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "translation_faults.jsonl").read_text("utf-8").splitlines()
]
CODES = {
    "empty", "formula-missing", "formula-added", "formula-changed", "latex-broken", "number-missing", "number-added",
    "sign-changed", "unit-missing", "unit-added", "unit-changed", "marker-changed", "part-changed", "blank-missing",
    "blank-added",
    "figure-mention", "symbol-missing", "symbol-added", "left-untranslated", "chinese-punctuation", "too-short",
    "too-long", "sentences",
}  # fmt: skip
FAULTS = [(case, fault) for case in CASES for fault in case["faults"]]


def codes(findings: Any) -> set[str]:
    return {finding.split(":")[0] for finding in findings}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_good_translation_has_no_finding(case: dict[str, Any]) -> None:
    assert text_findings(case["source"], case["good"], case["into"], "question") == []


@pytest.mark.parametrize(
    ("case", "fault"),
    FAULTS,
    ids=[f"{case['id']}-{n}-{fault['code']}" for n, (case, fault) in enumerate(FAULTS)],
)
def test_a_planted_fault_is_found(case: dict[str, Any], fault: dict[str, Any]) -> None:
    found = text_findings(case["source"], fault["target"], case["into"], "question")
    assert fault["code"] in codes(found)
    assert all(finding.split(": ")[1] == "question" for finding in found)


def test_the_planted_faults_reach_every_code() -> None:
    assert len(FAULTS) >= 50
    assert {fault["code"] for _, fault in FAULTS} == CODES


REAL_ERRORS = {
    "mgsm-128": "unit",
    "mgsm-161": "number",
    "mgsm-165": "unit",
}
"""The pairs whose two sides really say different things: a currency left out, 2 against 3, dollars against euros."""


@pytest.mark.parametrize("into", ["en", "zh"])
def test_250_real_pairs_give_findings_only_where_their_sides_differ(into: str, shared_data: Path) -> None:
    lines = (shared_data / "parallel_zh_en.jsonl").read_text("utf-8").splitlines()
    found: dict[str, set[str]] = {}
    for row in map(json.loads, lines):
        source, target = (row["zh"], row["en"]) if into == "en" else (row["en"], row["zh"])
        if findings := text_findings(source, target, into, "question"):
            found[row["id"]] = {finding.split("-")[0] for finding in findings}
    assert len(lines) == 250
    assert found == {name: {kind} for name, kind in REAL_ERRORS.items()}


WRITTEN_APART = {
    "math-cone-surface": {"formula-missing"},
    "math-two-way-table": {"formula-missing"},
    "phys-horizontal-throw": {"formula-missing"},
    "phys-velocity-graph": {"formula-missing"},
    "phys-pendulum": {"formula-added"},
    "phys-series-parallel": {"figure-mention"},
    "phys-rheostat": {"figure-mention"},
    "bio-food-web": {"figure-mention"},
}
"""Examples are written in both languages, not translated; here one of them names a symbol or the figure and the other
does without."""


def test_our_own_bilingual_examples_give_findings_only_where_they_were_written_apart() -> None:
    found = {}
    for problem in all_problems():
        findings = translation_findings(problem.texts["zh"], problem.texts["en"], "en")
        kept = [finding for finding in findings if not finding.split(": ")[1].startswith("solution")]
        if kept:
            found[problem.id] = codes(kept)
    assert found == WRITTEN_APART


def test_what_is_lost_with_a_sentence_is_found_in_most_real_pairs(shared_data: Path) -> None:
    """The last sentence but one of each English text is dropped: most hold a number, long ones are missed by length."""
    lines = (shared_data / "parallel_zh_en.jsonl").read_text("utf-8").splitlines()
    counts: Counter[bool] = Counter()
    for row in map(json.loads, lines):
        parts = re.split(r"(?<=[.?!])\s+", row["en"].strip())
        if len(parts) >= 3:
            cut = " ".join([*parts[:-2], parts[-1]])
            counts[bool(text_findings(row["zh"], cut, "en", "question"))] += 1
    assert counts.total() > 150
    assert counts[True] / counts.total() > 0.8


def test_options_keep_labels_order_and_difference() -> None:
    source = LocalizedText(
        question="下列物质属于金属的是（　）",
        choices=tuple(
            Choice(label=label, text=text) for label, text in zip("ABC", ("铁", "硫", "碘"), strict=True)
        ),
        answer="A",
    )

    def target(texts: tuple[str, ...], labels: str = "ABC", answer: str = "A") -> LocalizedText:
        choices = tuple(Choice(label=label, text=text) for label, text in zip(labels, texts, strict=True))
        return LocalizedText(question="Which of these is a metal?", choices=choices, answer=answer)

    assert translation_findings(source, target(("iron", "sulfur", "iodine")), "en") == ()
    for broken, code in (
        (target(("iron", "sulfur"), "AB"), "options-changed"),
        (target(("iron", "sulfur", "iodine"), "ACB"), "options-changed"),
        (target(("iron", "iron", "iodine")), "options-alike"),
        (target(("iron", "sulfur", "iodine"), answer="B"), "answer-changed"),
        (target(("iron", "", "iodine")), "empty"),
        (target(("iron", "硫", "iodine")), "left-untranslated"),
    ):
        assert codes(translation_findings(source, broken, "en")) == {code}


def test_answer_unit_and_solution_are_compared_too() -> None:
    source = LocalizedText(
        question="求速度。", answer="约 3.0", unit="米/秒", solution="由 $v=at$ 得 3.0 米/秒。"
    )
    good = LocalizedText(
        question="Find the speed.", answer="about 3.0", unit="m/s", solution="From $v=at$ it is 3.0 m/s."
    )
    assert translation_findings(source, good, "en") == ()
    for change, code in (
        ({"answer": "about 3"}, "number-missing"),
        ({"unit": "km/h"}, "unit-changed"),
        ({"unit": None}, "unit-changed"),
        ({"solution": None}, "solution-missing"),
        ({"solution": "From $v=as$ it is 3.0 m/s."}, "formula-changed"),
    ):
        assert code in codes(translation_findings(source, good.model_copy(update=change), "en"))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (r"\dfrac{1}{2} m v^{2}", r"\frac{1}{2}mv^2"),
        (r"\left( a+b \right)", "(a+b)"),
        (r"x \leqslant 3", r"x\le 3"),
        (r"\triangle ABC", "ABC"),
        (r"P(\text{恰好一次})", r"P(\text{exactly once})"),
        (r"60^{\circ}", r"60^\circ"),
        (r"A \to B", r"A\rightarrow B"),
        ("f^{\\prime}(x)", "f'(x)"),
        (r"a，b", "a,b"),
        (r"\mathrm{~kg}", r"\mathrm{kg}"),
        (r"\text{千克}", r"\mathrm{kg}"),
        (r"v=3\ \text{米/秒}", r"v=3\,\mathrm{m/s}"),
        (r"\text{Ni}^{2+}", r"\mathrm{Ni}^{2+}"),
    ],
)
def test_two_spellings_of_one_formula_are_one(first: str, second: str) -> None:
    assert normal(first) == normal(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("x^{12}", "x^12"),
        (r"\frac{1}{2}", r"\frac{2}{1}"),
        ("a-b", "b-a"),
        (r"x\le 3", "x<3"),
        ("v_0", "v0"),
        (r"\text{H}^+", r"\text{H}^-"),
        (r"\text{Ni}", r"\text{Cu}"),
    ],
)
def test_two_formulas_stay_two(first: str, second: str) -> None:
    assert normal(first) != normal(second)


def test_enumerations_are_taken_apart_and_pairs_are_not() -> None:
    assert atoms("A、B, C") == ["A", "B", "C"]
    assert atoms("(-1,0)") == ["(-1,0)"]
    assert is_name("AB") and is_name(r"\theta") and is_name("f(x)") and not is_name("x=1")


@pytest.mark.parametrize(
    ("text", "quantities"),
    [
        (r"$2.0\times10^{3}\ \mathrm{~N}$", {("2.0*10^3", "N")}),
        ("２．５ 千克", {("2.5", "kg")}),
        ("每秒 5 米", {("5", "m")}),
        ("72 千米/小时", {("72", "km/h")}),
        ("72 kilometers per hour", {("72", "km/h")}),
        ("60 mph", {("60", "mi/h")}),
        ("3, 4 and 5 cm", {("3", "cm"), ("4", "cm"), ("5", "cm")}),
        ("15 ℃ 到 20 ℃", {("15", "°C"), ("20", "°C")}),
        ("$37^\\circ$", {("37", "°")}),
        ("$80,000", {("80000", "usd")}),
        ("百分之 20", {("20", "%")}),
        ("1.5 万元", {("15000", "yuan")}),
        ("9.8 m/s²", {("9.8", "m/s^2")}),
        ("9.8 米/秒²", {("9.8", "m/s^2")}),
        ("a 12-volt battery", {("12", "V")}),
        ("3 年级的 5 位学生", set()),
        ("$2h$ and $x=3m$", set()),
        ("6 卡车", set()),
    ],
)
def test_quantities_are_read_in_both_languages(text: str, quantities: set[tuple[str, str]]) -> None:
    assert tokens(text).quantities == quantities


def test_prices_are_no_formulas_and_formulas_no_prices() -> None:
    assert not tokens("It costs $5 each and $6 for two, or 7$ alone.").formulas
    assert tokens("Let $x=5$ and $y$ be given; it costs $3.").formulas == Counter({"x=5": 1, "y": 1})
    assert balanced("It costs $5.") and not balanced("Let $x be given.") and not balanced(r"$\frac{1}{2$")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("twenty-five", "25"),
        ("two hundred and six", "206"),
        ("three thousand four hundred", "3400"),
        ("a dozen", "12"),
        ("三百零五", "305"),
        ("两万五千", "25000"),
        ("十二", "12"),
        ("打七五折", "25"),
        ("in June", "6"),
    ],
)
def test_numbers_in_words_explain_digits(text: str, said: str) -> None:
    assert numerals(text)[said] >= 1


def test_no_spelling_means_two_units() -> None:
    seen: dict[str, str] = {}
    for line in TABLE.strip().splitlines():
        symbol, _, words = line.partition("=")
        for word in (symbol.strip(), *words.split()):
            assert seen.setdefault(word, symbol) == symbol, word
    for word, symbol in spellings().items():
        assert canonical_unit(word) == symbol or word == "in" or "?" in symbol


NUMBERS = st.decimals(min_value=0, max_value=10**6, allow_nan=False, allow_infinity=False, places=2).map(str)
SYMBOLS = sorted(
    word for word in set(spellings().values()) if "?" not in word and word not in ("in", "usd", "usc", "eur")
)


@given(NUMBERS, st.sampled_from(SYMBOLS), st.data())
def test_a_quantity_is_the_same_in_every_spelling(number: str, symbol: str, data: st.DataObject) -> None:
    words = [word for word, meant in spellings().items() if meant == symbol and word not in ("¤", "€")]
    word = data.draw(st.sampled_from(words))
    plain = tokens(f"It is {number} {word}.")
    assert (number, symbol) in plain.quantities
    assert plain.numbers[number] == 1


@given(st.text(alphabet="ab12 ,.$\\{}()（），。图如_^<image>第 米千克万%", max_size=60))
def test_any_text_can_be_taken_apart_and_agrees_with_itself(text: str) -> None:
    taken = tokens(text)
    assert taken == tokens(text)
    pair = [
        finding
        for finding in text_findings(text, text, "en", "q")
        if finding.startswith(("number", "formula", "unit"))
    ]
    assert pair == []


@pytest.mark.parametrize(
    "text", ["9" * 5000 + " 万", "1*10^999999999 million", "$" * 500, "(" * 999, "{" * 999, "1," * 400]
)
def test_no_text_is_too_wild_to_be_compared(text: str) -> None:
    found = text_findings(text, text, "en", "q")
    assert not [
        finding for finding in found if finding.startswith(("number", "formula", "unit", "blank", "part"))
    ]


@given(st.integers(2, 10**6), st.integers(2, 10**6))
def test_a_changed_number_never_passes(one: int, other: int) -> None:
    source, target = f"长度为 {one} 米。", f"The length is {other} m."
    found = codes(text_findings(source, target, "en", "q")) & {"number-missing", "number-added"}
    assert bool(found) == (one != other)


def real_questions(shared_data: Path) -> list[tuple[str, str]]:
    """Every third question of the picture pool, with the language that it could be translated into."""
    lines = (shared_data / "real_pool" / "pool.jsonl").read_text("utf-8").splitlines()[::3]
    rows = [json.loads(line) for line in lines]
    return [(row["question"], "en" if row["language"] == "zh" else "zh") for row in rows]


TOKENS = {"formula", "number", "sign", "unit", "latex", "marker", "part", "blank", "symbol"}


def token_findings(source: str, target: str, into: str) -> list[str]:
    """Findings about tokens, for two texts in one language."""
    return [f for f in text_findings(source, target, into, "q") if re.split("[-:]", f)[0] in TOKENS]


def respelled(text: str) -> str:
    """The same formulas in another spelling of LaTeX."""
    parts, place = [], 0
    for start, end, inner in math_spans(text):
        said = inner.replace("~", r"\ ").replace(r"\frac", r"\dfrac").replace("、", ", ")
        said = re.sub(r"\\leqslant(?![A-Za-z])", r"\\le", said)
        said = re.sub(r"([_^])\{(\w)\}", r"\1\2", said)
        parts += [text[place:start], rf"\({said.strip()}\)"]
        place = end
    return "".join([*parts, text[place:]])


def test_real_formulas_in_another_spelling_are_the_same(shared_data: Path) -> None:
    questions = real_questions(shared_data)
    wrong = [source for source, into in questions if token_findings(source, respelled(source), into)]
    changed = [source for source, _ in questions if respelled(source) != source]
    assert len(changed) > 200 and len(wrong) <= 1, wrong


def test_changes_in_real_formulas_are_found(shared_data: Path) -> None:
    """A digit, a sign or a unit changed in one place of a real question is found every time."""
    random = Random(7)
    tried: Counter[str] = Counter()
    for source, into in real_questions(shared_data):
        for kind, target in changes(source, random):
            tried[kind] += 1
            assert token_findings(source, target, into), (kind, source, target)
    assert min(tried["digit"], tried["sign"], tried["unit"]) > 20


UNITS_CHANGED = {
    "cm": "mm",
    "kg": "g",
    "m/s": "km/h",
    "N": "J",
    "V": "A",
    "mol": "mmol",
    "kJ": "J",
    "mL": "L",
    "s": "min",
}


def changes(text: str, random: Random) -> Iterator[tuple[str, str]]:
    spans = math_spans(text)
    if spans:
        start, _, inner = random.choice(spans)
        inside = text.index(inner, start)
        digits = [inside + match.start() for match in re.finditer(r"\d", inner)]
        signs = [inside + match.start() for match in re.finditer(r"[+-]", inner)]
        if digits:
            place = random.choice(digits)
            yield (
                "digit",
                f"{text[:place]}{(int(text[place]) + random.randint(1, 8)) % 10}{text[place + 1 :]}",
            )
        if signs:
            place = random.choice(signs)
            yield "sign", f"{text[:place]}{'+' if text[place] == '-' else '-'}{text[place + 1 :]}"
    unit = re.search(rf"(?<=\d)\s*({'|'.join(UNITS_CHANGED)})(?![\w^/])", text)
    if unit is not None:
        yield "unit", f"{text[: unit.start(1)]}{UNITS_CHANGED[unit[1]]}{text[unit.end(1) :]}"
