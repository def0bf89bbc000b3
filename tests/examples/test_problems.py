"""What holds for every example: spans, marks, numbers, options, taxonomy, both languages."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from benchwright.examples.problem import LANGUAGES, Draft, ExampleProblem, Head, Words, num, option
from benchwright.examples.registry import all_problems
from benchwright.schemas.records import Decomposition, QuestionType, Show
from benchwright.schemas.taxonomy import load_taxonomy

PROBLEMS = all_problems()
DECOMPOSED = [p for p in PROBLEMS if p.texts["en"].decomposition is not None]
NUMERAL = re.compile(r"\d+(?:\.\d+)?")


COUNTED = {
    "bio-cells-in-view",
    "bio-dna-per-cell",
    "bio-karyogram",
    "bio-peptide-mass",
    "bio-plot-sampling",
    "bio-rock-layers",
    "chem-hydrogen-uptake",
    "chem-limiting-particles",
    "chem-proton-signals",
    "chem-ring-formula",
    "chem-electron-dots",
    "bio-metaphase",
    "chem-monochlorides",
    "math-closed-crossing",
    "math-dot-product",
    "math-lattice-paths",
    "math-map-colouring",
    "math-match-pattern",
    "math-number-line",
    "math-regression",
    "math-spinner",
    "math-triangles-in-fan",
    "phys-dial",
    "phys-lever",
    "phys-standing-wave",
    "phys-ticker-tape",
    "phys-vernier",
}
"""Problems with a number that is neither written nor drawn as a numeral: it is counted or measured on the diagram."""


def ids(problems: list[ExampleProblem] | tuple[ExampleProblem, ...]) -> list[str]:
    return [p.id for p in problems]


def decompositions(problem: ExampleProblem) -> Iterator[tuple[str, Decomposition]]:
    for language in LANGUAGES:
        decomposition = problem.texts[language].decomposition
        assert decomposition is not None
        yield language, decomposition


def numerals(text: str) -> set[str]:
    """The numbers a text states: indices, powers, formulas of substances and given ratios of laws left out."""
    text = re.sub(r"\\mathrm\{(?:[^{}]|\{[^{}]*\})*\}", " ", text)
    text = re.sub(r"[_^](?:\{[^{}]*\}|\w)", "", text)
    text = re.sub(
        r"(?<=\w)\d+(?=\$|,|\)|=)", lambda m: m.group() if text[m.start() - 1].isdigit() else " ", text
    )
    return {plain(found) for found in NUMERAL.findall(text)}


def plain(numeral: str) -> str:
    return num(float(numeral))


def known_numbers(problem: ExampleProblem) -> set[str]:
    known = {plain(c) for c in problem.constants}
    for value in problem.parameters.values():
        for part in value if isinstance(value, tuple) else (value,):
            known |= {plain(n) for n in NUMERAL.findall(str(part))}
        if isinstance(value, tuple):
            known.add(str(len(value)))
    return known


def drawn_numbers(problem: ExampleProblem) -> set[str]:
    return {plain(n) for label in problem.drawing.labels for n in NUMERAL.findall(label.tex)}


def test_at_least_164_examples_of_four_disciplines() -> None:
    assert len(PROBLEMS) >= 164
    assert len(set(ids(PROBLEMS))) == len(PROBLEMS)
    counts = Counter(p.discipline for p in PROBLEMS)
    assert set(counts) == {"mathematics", "physics", "chemistry", "biology"}
    assert min(counts.values()) >= 35
    assert set(Counter(p.question_type for p in PROBLEMS)) == set(QuestionType)
    assert set(Counter(p.difficulty for p in PROBLEMS)) == {1, 2, 3, 4, 5}
    assert Counter(p.language for p in PROBLEMS)["zh"] >= 20
    assert Counter(p.language for p in PROBLEMS)["en"] >= 20


def test_kinds_of_diagrams() -> None:
    """At least fifteen kinds; a kind names what is drawn, not which function drew it."""
    kinds = {p.drawing.kind for p in PROBLEMS}
    assert len(kinds) >= 60
    asked_for = {
        "circuit",
        "inclined-plane",
        "lens",
        "function-graph",
        "triangle",
        "apparatus",
        "cell",
        "table",
    }
    assert asked_for <= kinds


def test_subjects_stand_in_the_taxonomies() -> None:
    for problem in PROBLEMS:
        taxonomy = load_taxonomy("sciverse" if problem.discipline == "biology" else "visscience")
        assert problem.subject in {s.id for s in taxonomy.subjects(problem.discipline)}, problem.id
        assert 1 <= problem.difficulty <= 5
        assert problem.knowledge_points
        assert all("/" in point for point in problem.knowledge_points)


def test_every_subject_of_visscience_is_met() -> None:
    for discipline in ("mathematics", "physics", "chemistry"):
        wanted = {s.id for s in load_taxonomy("visscience").subjects(discipline)}
        counts = Counter(p.subject for p in PROBLEMS if p.discipline == discipline)
        assert wanted == set(counts)
        assert min(counts.values()) >= 4, counts


def test_every_subject_of_biology_is_met() -> None:
    counts = Counter(p.subject for p in PROBLEMS if p.discipline == "biology")
    assert {s.id for s in load_taxonomy("sciverse").subjects("biology")} == set(counts)
    assert min(counts.values()) >= 4, counts


@pytest.mark.parametrize("problem", PROBLEMS, ids=ids(PROBLEMS))
def test_both_languages_say_the_same(problem: ExampleProblem) -> None:
    assert set(problem.texts) == set(LANGUAGES)
    english, chinese = problem.texts["en"], problem.texts["zh"]
    assert numerals(english.question) == numerals(chinese.question)
    assert [c.label for c in english.choices] == [c.label for c in chinese.choices]
    assert english.unit == chinese.unit
    assert re.search(r"[\u4e00-\u9fff]", chinese.question)
    assert not re.search(r"[\u4e00-\u9fff，。（）]", english.question + (english.solution or ""))
    for text in (english, chinese):
        for part in (text.question, text.solution or "", *(c.text or "" for c in text.choices)):
            assert part.count("$") % 2 == 0
            assert "@" not in part and "⟨" not in part and "⟩" not in part and "  " not in part


@pytest.mark.parametrize("problem", PROBLEMS, ids=ids(PROBLEMS))
def test_formulas_in_chinese_are_set_off(problem: ExampleProblem) -> None:
    """A blank stands between a Chinese character and a formula, on both sides."""
    for piece in (problem.texts["zh"].question, problem.texts["zh"].solution or ""):
        outside = piece.split("$")[::2]
        for before, after in itertools.pairwise(outside):
            assert not re.search(r"[\u4e00-\u9fff]$", before), piece
            assert not re.match(r"[\u4e00-\u9fff]", after), piece


@pytest.mark.parametrize("problem", PROBLEMS, ids=ids(PROBLEMS))
def test_numbers_of_the_text_are_the_problem_s(problem: ExampleProblem) -> None:
    known = known_numbers(problem)
    for language in LANGUAGES:
        assert numerals(problem.texts[language].question) <= known


@pytest.mark.parametrize("problem", PROBLEMS, ids=ids(PROBLEMS))
def test_every_parameter_is_stated_or_drawn(problem: ExampleProblem) -> None:
    """A parameter that is a number stands in the text or on the diagram, or is drawn as so many parts."""
    if problem.id in COUNTED:
        return
    visible = numerals(problem.texts["en"].question) | drawn_numbers(problem)
    visible |= {plain(n) for n in NUMERAL.findall(problem.texts["en"].question)}
    derived = {
        "bio-energy-pyramid": {"level"},
        "math-sine-parameters": {"omega"},
        "math-bar-chart-mean": set(),
        "phys-half-life": {"periods"},
        "phys-spring-constant": {"top"},
    }
    for name, value in problem.parameters.items():
        if name in derived.get(problem.id, set()):
            continue
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, int | float):
                assert plain(str(abs(part))) in visible, (name, part)


@pytest.mark.parametrize("problem", PROBLEMS, ids=ids(PROBLEMS))
def test_options(problem: ExampleProblem) -> None:
    for text in problem.texts.values():
        labels = [c.label for c in text.choices]
        texts = [c.text for c in text.choices]
        assert len(set(texts)) == len(texts)
        if problem.question_type is QuestionType.SINGLE_CHOICE:
            assert len(labels) == 4 and text.answer in labels
        elif problem.question_type is QuestionType.MULTIPLE_SELECT:
            assert len(labels) >= 4 and 2 <= len(text.answer) < len(labels) + 1
            assert set(text.answer) <= set(labels) and list(text.answer) == sorted(text.answer)
        else:
            assert not labels and text.answer
        assert set(labels) - set(text.answer) == (set(problem.mistakes) if labels else set())
    assert all(problem.mistakes.values())


def test_right_options_are_spread() -> None:
    places = Counter(p.texts["en"].answer for p in PROBLEMS if p.question_type is QuestionType.SINGLE_CHOICE)
    assert set(places) == set("ABCD")
    assert max(places.values()) <= 0.4 * sum(places.values())


def test_decompositions_are_enough() -> None:
    assert len(DECOMPOSED) >= 44
    in_picture = [
        p
        for p in DECOMPOSED
        if any(c.show is not Show.TEXT for _, d in decompositions(p) for c in d.conditions)
    ]
    assert len(in_picture) >= 44
    on_diagram = [
        p
        for p in DECOMPOSED
        if any(c.show is Show.ON_DIAGRAM for _, d in decompositions(p) for c in d.conditions)
    ]
    assert len(on_diagram) >= 30
    assert {p.discipline for p in on_diagram} == {"mathematics", "physics", "chemistry", "biology"}


@pytest.mark.parametrize("problem", DECOMPOSED, ids=ids(DECOMPOSED))
def test_conditions_are_shared_by_both_languages(problem: ExampleProblem) -> None:
    english, chinese = (dict(decompositions(problem))[language] for language in LANGUAGES)
    by_id = {c.id: c for c in english.conditions}
    assert set(by_id) == {c.id for c in chinese.conditions}
    for condition in chinese.conditions:
        assert condition.show is by_id[condition.id].show
        assert condition.marks == by_id[condition.id].marks


@pytest.mark.parametrize("problem", DECOMPOSED, ids=ids(DECOMPOSED))
def test_spans_point_at_what_they_claim(problem: ExampleProblem) -> None:
    """Each span is a whole piece of the stem with the same numbers in both languages, formulas not cut."""
    said: dict[str, set[str]] = {}
    for language, decomposition in decompositions(problem):
        assert problem.texts[language].question.endswith(decomposition.stem)
        for condition in decomposition.conditions:
            span = decomposition.stem[condition.start : condition.end]
            assert span == span.strip() and span.count("$") % 2 == 0
            assert decomposition.stem[: condition.start].count("$") % 2 == 0
            assert numerals(span) or re.search(r"\d|[A-Z]", span), span
            stated = {plain(n) for n in NUMERAL.findall(span)}
            assert stated == said.setdefault(condition.id, stated), (condition.id, span)


@pytest.mark.parametrize("problem", DECOMPOSED, ids=ids(DECOMPOSED))
def test_core_question_says_nothing_that_is_shown(problem: ExampleProblem) -> None:
    for _, decomposition in decompositions(problem):
        core = decomposition.core_question
        kept = "".join(
            decomposition.stem[c.start : c.end] for c in decomposition.conditions if c.show is Show.TEXT
        )
        for condition in decomposition.conditions:
            span = decomposition.stem[condition.start : condition.end]
            if condition.show is Show.TEXT:
                assert span.rstrip(".") in core
            else:
                assert span not in core
                for quantity in re.findall(r"\$[^$]*\d[^$]*\$", span):
                    assert quantity not in core or quantity in kept, (condition.id, quantity)


@pytest.mark.parametrize("problem", DECOMPOSED, ids=ids(DECOMPOSED))
def test_already_there_is_there(problem: ExampleProblem) -> None:
    """What counts as already on the diagram is really drawn there, digit for digit."""
    drawn = drawn_numbers(problem)
    for _, decomposition in decompositions(problem):
        for condition in decomposition.conditions:
            if condition.show is Show.ALREADY_THERE:
                span = decomposition.stem[condition.start : condition.end]
                units_off = re.sub(r"[_^](?:\{[^{}]*\}|\w)", "", span)
                wanted = {plain(n) for n in NUMERAL.findall(units_off)} - {"0"}
                assert wanted and wanted <= drawn, (condition.id, span, drawn)


@pytest.mark.parametrize("problem", DECOMPOSED, ids=ids(DECOMPOSED))
def test_marks_state_their_condition(problem: ExampleProblem) -> None:
    """A mark carries the numbers of its condition and a place of its own on this very picture."""
    for _, decomposition in decompositions(problem):
        boxes = []
        for condition in decomposition.conditions:
            assert bool(condition.marks) == (condition.show is Show.ON_DIAGRAM)
            span = decomposition.stem[condition.start : condition.end]
            for mark in condition.marks:
                stated = {plain(n) for n in NUMERAL.findall(mark.label)}
                assert stated <= {plain(n) for n in NUMERAL.findall(span)} and (stated or mark.label in span)
                assert len(mark.label) < len(span) + 12
                assert mark.anchor is not None and mark.anchor.image == problem.drawing.sha256
                boxes.append(mark.anchor)
        assert len({(b.x, b.y) for b in boxes}) == len(boxes)


@pytest.mark.parametrize("problem", DECOMPOSED, ids=ids(DECOMPOSED))
def test_knowledge_is_general(problem: ExampleProblem) -> None:
    for language, decomposition in decompositions(problem):
        cue, detail = decomposition.knowledge_cue, decomposition.knowledge_detail
        assert cue.terms and [d.term for d in detail] == list(cue.terms)
        assert all(term in cue.sentence for term in cue.terms)
        assert cue.sentence not in decomposition.stem
        for entry in detail:
            assert not {n for n in numerals(entry.text) if n not in {"1", "2"}}, (language, entry)


def test_options_that_collide_are_an_error() -> None:
    problem = PROBLEMS[0]
    draft = Draft(
        Head("mathematics", "x", "plane-geometry", 1, "junior-high", ("A/B",)),
        problem.drawing,
        {},
        {},
        Words("What?", "So."),
        Words("是什么？", "如此。"),
    )
    with pytest.raises(ValueError, match="two options read the same"):
        draft.single(option("$1$"), option("$1$", "the same again"), option("$2$", "another"))
