"""Checks of a decomposition's knowledge: its cue and its detail say what holds in general, and nowhere else."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from benchwright.curation.proposers.decomposition_text import sentences, squeezed, tokens
from benchwright.curation.proposers.decomposition_values import (
    NUMBER,
    POWER_OF_TEN,
    UNIT,
    canonical,
    formulas,
    plain,
    quantities,
)
from benchwright.schemas.records import Decomposition

CONSTANTS = frozenset(
    [
        "9.8",
        "9.80",
        "9.81",
        "3*10^8",
        "3.0*10^8",
        "3.00*10^8",
        "2.998*10^8",
        "6.02*10^23",
        "6.022*10^23",
        "6.67*10^-11",
        "6.63*10^-34",
        "6.626*10^-34",
        "1.6*10^-19",
        "1.60*10^-19",
        "1.38*10^-23",
        "9*10^9",
        "9.0*10^9",
        "8.99*10^9",
        "8.31",
        "8.314",
        "0.0821",
        "0.08206",
        "22.4",
        "96500",
        "96485",
        "273",
        "273.15",
        "298",
        "90",
        "180",
        "360",
        "100",
        "101",
        "101.3",
        "1.01*10^5",
        "4.2*10^3",
        "4.18",
        "1836",
        "3.14",
        "2.718",
        "0",
    ]
)
"""Numbers of nature and of mathematics that a general law may state, whatever the problem's values are."""
_WITH_UNIT_CONSTANTS = frozenset({("10", "m/s^2"), ("10", "N/kg"), ("1", "atm"), ("25", "°C"), ("14", "")})

CUE_LENGTH = {"en": (15, 600), "zh": (8, 200)}
DETAIL_LENGTH = {"en": (40, 1500), "zh": (15, 500)}
"""Bounds in characters. Table 1 gives 237 for the cue and 351 for the detail on average (English, three sciences); the
hand-made ones, of shorter problems, have 31 to 97 and 89 to 303, in Chinese 13 to 29 and 27 to 139."""
_ALIKE = 0.75
_NUMBER_AND_UNIT = re.compile(rf"(?<![\w.])(?P<number>(?:{NUMBER}){POWER_OF_TEN})\s*(?P<unit>{UNIT})?(?!\w)")
_NAMES_KNOWLEDGE = {
    "en": r"(?:\buse|\busing|\bapply(?:ing)?|\baccording to|\bby|\brecall|\bfrom|\bwith the help of)\s+(?:the\s+)?",
    "zh": r"(?:利用|根据|运用|应用|依据|由|用)",
}


def knowledge_of(decomposition: Decomposition) -> Iterable[tuple[str, str]]:
    """The knowledge texts, each with the name of its place."""
    yield "the cue", decomposition.knowledge_cue.sentence
    for entry in decomposition.knowledge_detail:
        yield f"the detail of {entry.term!r}", entry.text


def values_in_knowledge(decomposition: Decomposition, spans: Sequence[tuple[str, str]]) -> list[str]:
    """Values of conditions that cue or detail repeat; coefficients, exponents, indices and constants are none.

    Args:
        decomposition: the split question.
        spans: id and words of each condition.
    """
    held: dict[str, set[str]] = {}
    for _, span in spans:
        for quantity in quantities(span):
            held.setdefault(quantity.number, set()).add(quantity.unit)
        for number, unit in _stated(span):
            held.setdefault(number, set()).add(unit)
    found: list[str] = []
    for place, text in knowledge_of(decomposition):
        for number, unit in _stated(text):
            same = number in held and (not unit or unit in held[number] or "" in held[number])
            if same and number not in CONSTANTS and (number, unit) not in _WITH_UNIT_CONSTANTS:
                found.append(f"{place} holds {number} {unit}".rstrip() + ", a value of the problem")
    return found


def _stated(text: str) -> list[tuple[str, str]]:
    """Numbers that a text states as a value: with a unit, alone on one side of a formula, or long outside of one."""
    found: list[tuple[str, str]] = []
    position = 0
    for start, end, inner in formulas(text):
        found += _in_words(text[position:start])
        position = end
        for side in re.split(r"[=<>≈≤≥,;]|\\(?:approx|leq?|geq?|to|rightarrow)(?![A-Za-z])", inner):
            said = plain(side).strip(" .")
            match = _NUMBER_AND_UNIT.fullmatch(said.lstrip("+- "))
            if match is not None:
                unit = match["unit"] or _unit_behind(text, end)
                found.append((canonical(match["number"]), _spelled(unit)))
    return found + _in_words(text[position:])


def _in_words(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for match in re.finditer(
        rf"(?<![\w.^])(?P<number>(?:{NUMBER}){POWER_OF_TEN})\s*-?\s*(?P<unit>{UNIT})?", plain(text)
    ):
        number = canonical(match["number"])
        if match["unit"] or len(number) > 1:
            found.append((number, _spelled(match["unit"] or "")))
    return found


def _unit_behind(text: str, place: int) -> str:
    match = re.match(rf"\s*(?P<unit>{UNIT})", plain(text[place : place + 20]))
    return match["unit"] if match else ""


def _spelled(unit: str) -> str:
    return re.sub(r"\s*([*·/.^])\s*", r"\1", " ".join(unit.split()))


def words_of_the_cue(decomposition: Decomposition) -> list[str]:
    """Where the stem says what the cue or the detail say."""
    stem = decomposition.stem
    found: list[str] = []
    whole = squeezed(stem)
    language = "zh" if re.search(r"[\u3400-\u9fff]", stem) else "en"
    for place, text in knowledge_of(decomposition):
        if (said := squeezed(text).rstrip(".。")) and said in whole:
            found.append(f"the stem holds {place}")
            continue
        words = tokens(text)
        for sentence in sentences(stem):
            mine = tokens(sentence)
            alike = difflib.SequenceMatcher(None, words, mine, autojunk=False).ratio()
            if len(words) >= 5 and alike >= _ALIKE:
                found.append(f"the stem's sentence {sentence!r} is {place}, reworded")
    for term in decomposition.knowledge_cue.terms:
        name = re.escape(re.sub(r"^the\s+", "", term.strip()))
        if len(term.strip()) >= 3 and re.search(
            _NAMES_KNOWLEDGE[language] + name + r"(?![A-Za-z])", stem, re.IGNORECASE
        ):
            found.append(f"the stem tells the solver to use {term!r}")
    return found


def terms_and_details(decomposition: Decomposition) -> list[str]:
    """How cue terms and detail entries fail to match."""
    cue = decomposition.knowledge_cue
    found: list[str] = []
    if not cue.terms:
        found.append("the cue names no term")
    said = squeezed(cue.sentence)
    found += [
        f"the cue's sentence does not name {term!r}" for term in cue.terms if squeezed(term) not in said
    ]
    explained = [entry.term for entry in decomposition.knowledge_detail]
    for term in cue.terms:
        if (times := explained.count(term)) != 1:
            found.append(f"{term!r} is explained {times} times")
    found += [
        f"{term!r} is explained, but is no term of the cue" for term in explained if term not in cue.terms
    ]
    if not found and tuple(explained) != cue.terms:
        found.append("the details stand in another order than the terms")
    found += [
        f"the detail of {entry.term!r} says nothing"
        for entry in decomposition.knowledge_detail
        if len(tokens(entry.text)) < 3 or squeezed(entry.text) == squeezed(entry.term)
    ]
    return found


def lengths(decomposition: Decomposition, language: str) -> list[str]:
    """How the lengths of the versions differ from the order of Table 1."""
    cue = len(decomposition.knowledge_cue.sentence.strip())
    detail = sum(len(entry.term) + 2 + len(entry.text) for entry in decomposition.knowledge_detail)
    found: list[str] = []
    for what, length, (low, high) in (
        ("cue", cue, CUE_LENGTH[language]),
        ("detail", detail, DETAIL_LENGTH[language]),
    ):
        if not low <= length <= high:
            found.append(f"the {what} has {length} characters, not {low} to {high}")
    stem, core = len(decomposition.stem), len(decomposition.core_question)
    if core > stem:
        found.append(f"the core question ({core} characters) is longer than the stem ({stem})")
    return found
