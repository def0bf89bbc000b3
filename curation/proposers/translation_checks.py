"""Program checks of a translation: what a Chinese and an English text of one problem must have in common.

Pure functions; every finding reads `code: where: words`. Each rule is one-sided: what it does not understand is no
finding. The bounds of lengths and sentences are the extremes seen on 250 real pairs of MGSM and on our own examples,
with a margin (`tests/curation/proposers/test_translation_checks.py` measures them again).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from benchwright.curation.proposers.tokens import Tokens, tokens
from benchwright.curation.proposers.tokens_formulas import balanced, is_name
from benchwright.curation.proposers.tokens_units import canonical_unit
from benchwright.models.answer_text import comparable
from benchwright.schemas.records import Language, LocalizedText

LANGUAGES = frozenset({"en", "zh"})
"""What the checks can read."""
_HAN = re.compile(r"[\u3400-\u9fff]")
_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
_TEXT_IN_FORMULA = re.compile(r"\\(?:text|textrm|mbox|mathrm)\s*\{([^{}]*)\}")
_CHINESE_MARKS = re.compile("[，。；：？！、（）【】《》]")
_ENGLISH_WORD = re.compile(r"(?<![A-Za-z\\])[a-z]{4,}(?![A-Za-z])")
_ENGLISH_RUN = re.compile(r"(?<![A-Za-z\\])(?:[A-Za-z]{2,}[ ,]+){2,}[A-Za-z]{2,}")
_FUNCTIONS = frozenset({"sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "const", "mmol", "image"})
_LATIN = re.compile(r"[A-Za-z]+\d*")
_SYMBOL = re.compile(r"(?<![A-Za-z'’.\-])(?:[B-HJ-Z]|[A-Z][a-z]?\d+)(?![A-Za-z'’\-.])")
_FIGURE_ZH = re.compile("[如右左下上此见]图|图[中示甲乙丙所]|图\\s?[1-9]|所示")
# The opening formula of a Chinese question; its picture goes along, so English need not say it.
_OPENING = re.compile("如[右左下上]?图(?:所示)?[，,]")
_FIGURE_EN = re.compile(
    r"\b(?:figures?|fig\.|diagrams?|pictures?|pictured|image|illustrat\w+|graphs?|shown|shows|charts?|tables?|draw(?:n|ing)"
    r"|sketch(?:ed)?|curves?|plot(?:ted)?|marked|map|profile|pedigree)\b",
    re.IGNORECASE,
)
_ASKS_FIGURE_EN = re.compile(
    r"\b(?:the|this|these|following|in|see)\s+(?:figures?|diagrams?|pictures?|graphs?)\b|\bfig(?:ure)?\.?\s?\d|\bpictured\b",
    re.IGNORECASE,
)
_FIGURE_WORD_ZH = re.compile("图|表|所示|曲线")
_SENTENCE_END = re.compile(r"[。！？!?；]|\.(?=\s|$)")
_LETTER = re.compile("[A-Za-z]")
_SHORT, _LONG = 15, 60
_RATIOS = {_SHORT: (1.4, 5.4), _LONG: (1.7, 4.0)}
"""English letters per Chinese character, formulas left out: from this many Chinese characters on."""
_SENTENCES = (-1, 4)
"""English sentences minus Chinese ones: Chinese joins with commas what English parts."""


@dataclass(frozen=True)
class Pair:
    """A text and its translation."""

    source: str
    target: str
    into: Language
    where: str

    @cached_property
    def before(self) -> Tokens:
        """Tokens of the source."""
        return tokens(self.source)

    @cached_property
    def after(self) -> Tokens:
        """Tokens of the translation."""
        return tokens(self.target)

    @property
    def chinese(self) -> Tokens:
        """Tokens of the Chinese side."""
        return self.after if self.into == "zh" else self.before

    @property
    def english(self) -> Tokens:
        """Tokens of the English side."""
        return self.before if self.into == "zh" else self.after

    def finding(self, code: str, words: str) -> str:
        """A finding in its form."""
        return f"{code}: {self.where}: {words}"


def translation_findings(source: LocalizedText, target: LocalizedText, into: Language) -> tuple[str, ...]:
    """Everything the checks find in a translated problem: question, options, answer, unit and solution.

    Args:
        source: the text in the other language.
        target: its translation.
        into: language of the translation, `en` or `zh`.
    """
    found = text_findings(source.question, target.question, into, "question")
    found += _options(source, target, into)
    if not source.choices:
        found += text_findings(source.answer, target.answer, into, "answer")
    elif source.answer != target.answer:
        found.append(f"answer-changed: answer: {source.answer!r} became {target.answer!r}")
    if source.unit is not None or target.unit is not None:
        found += _unit(source.unit or "", target.unit or "", into)
    if source.solution and target.solution:
        found += text_findings(source.solution, target.solution, into, "solution")
    elif source.solution:
        found.append("solution-missing: solution: it was not translated")
    return tuple(found)


def text_findings(source: str, target: str, into: Language, where: str) -> list[str]:
    """What the checks find in one translated text."""
    pair = Pair(source, target, into, where)
    if source.strip() and not target.strip():
        return [pair.finding("empty", "nothing stands there")]
    return [finding for check in CHECKS for finding in check(pair)]


def formula_findings(pair: Pair) -> Iterator[str]:
    """Formulas lost, new or changed; a name may be repeated more or less often."""
    missing = _unmatched(pair.before, pair.after)
    added = _unmatched(pair.after, pair.before)
    for formula in list(missing):
        like = next((other for other in added if _like(formula, other)), None)
        if like is not None:
            missing.remove(formula)
            added.remove(like)
            yield pair.finding("formula-changed", f"`{formula}` became `{like}`")
    for formula in missing:
        yield pair.finding("formula-missing", f"`{formula}`")
    for formula in added:
        yield pair.finding("formula-added", f"`{formula}`")
    if balanced(pair.source) and not balanced(pair.target):
        yield pair.finding("latex-broken", "braces or dollar signs do not pair up")


def number_findings(pair: Pair) -> Iterator[str]:
    """Numbers in digits that the other side says neither in digits nor in words."""
    before, after = pair.before, pair.after
    for number in sorted((before.numbers - after.numbers - after.numerals).elements()):
        yield pair.finding("number-missing", number)
    for number in sorted((after.numbers - before.numbers - before.numerals).elements()):
        yield pair.finding("number-added", number)


def sign_findings(pair: Pair) -> Iterator[str]:
    """Lone numbers that lost or got a minus sign; "minus 3", "3 below zero", "负 3" and "零下 3" have one."""
    before, after = pair.before, pair.after
    for here, there, words in ((before, after, "lost its minus sign"), (after, before, "got a minus sign")):
        for number in sorted((here.negatives - there.negatives).elements()):
            if number in there.numbers:
                yield pair.finding("sign-changed", f"{number} {words}")


def unit_findings(pair: Pair) -> Iterator[str]:
    """Numbers whose unit was lost, added or became another one."""
    seen: set[str] = set()
    for here, there, code in (
        (pair.before, pair.after, "unit-missing"),
        (pair.after, pair.before, "unit-added"),
    ):
        for number, unit in sorted(here.quantities):
            if unit.endswith("?") or number not in there.numbers or number in seen:
                continue
            others = sorted(other for value, other in there.quantities if value == number)
            if any(_units_agree(unit, here, other, there) for other in others):
                continue
            seen.add(number)
            if others:
                was, became = (unit, others[0]) if here is pair.before else (others[0], unit)
                yield pair.finding("unit-changed", f"{number} {was} became {number} {became}")
            else:
                yield pair.finding(code, f"{number} {unit}")


def structure_findings(pair: Pair) -> Iterator[str]:
    """Picture markers, sub-questions and blanks, in number and order."""
    before, after = pair.before, pair.after
    for code, one, other in (
        ("marker-changed", before.markers, after.markers),
        ("part-changed", before.parts, after.parts),
    ):
        if one != other:
            yield pair.finding(code, f"{' '.join(one) or 'none'} became {' '.join(other) or 'none'}")
    # Chinese closes a multiple-choice question with an empty bracket, English with a question mark.
    least, most = ((b := _blanks(before)) - before.ends_in_bracket, b)
    low, high = ((a := _blanks(after)) - after.ends_in_bracket, a)
    if high < least:
        yield pair.finding("blank-missing", f"{most} became {high}")
    elif low > most:
        yield pair.finding("blank-added", f"{most} became {high}")


def figure_findings(pair: Pair) -> Iterator[str]:
    """A reference to the figure that was lost."""
    asks, says = (_FIGURE_ZH, _FIGURE_EN) if pair.into == "en" else (_ASKS_FIGURE_EN, _FIGURE_WORD_ZH)
    asked = asks.search(_OPENING.sub("", pair.before.prose))
    if asked is not None and says.search(pair.after.prose) is None:
        yield pair.finding("figure-mention", f"the reference {asked[0]!r} to the figure is gone")


def symbol_findings(pair: Pair) -> Iterator[str]:
    """Latin letters of the Chinese prose that the English side lacks, and single symbols the other way round."""
    chinese, english = _latin(pair.chinese), _latin(pair.english)
    known = {word.casefold() for word in english}
    lost = {token for token in _latin_words(pair.chinese.prose) if token.casefold() not in known}
    asked = set(_SYMBOL.findall(_without_quantities(pair.english.prose)))
    counted = {letter for letter, sign in zip("ABCD", "甲乙丙丁", strict=True) if sign in pair.chinese.prose}
    new = {token for token in asked - counted if not _said(token, chinese, pair.chinese)}
    in_source, in_target = (new, lost) if pair.into == "zh" else (lost, new)
    for token in sorted(in_source):
        yield pair.finding("symbol-missing", token)
    for token in sorted(in_target):
        if not _ENGLISH_WORD.fullmatch(token):
            yield pair.finding("symbol-added", token)


def language_findings(pair: Pair) -> Iterator[str]:
    """What still stands in the source's language."""
    prose = pair.after.prose
    inside = " ".join(_TEXT_IN_FORMULA.findall(pair.target))
    if pair.into == "en":
        left = _HAN_RUN.findall(f"{prose} {inside}")
        if left:
            share = sum(map(len, left)) / max(1, len(re.sub(r"\s", "", prose + inside)))
            yield pair.finding("left-untranslated", f"{''.join(left)[:30]} ({share:.0%} of the text)")
        elif marks := _CHINESE_MARKS.findall(prose):
            yield pair.finding("chinese-punctuation", "".join(sorted(set(marks))))
        return
    words = [word for word in _ENGLISH_WORD.findall(_without_quantities(prose)) if word not in _FUNCTIONS]
    run = _ENGLISH_RUN.search(prose)
    if run and any(word.islower() for word in run[0].split()):
        yield pair.finding("left-untranslated", run[0][:40])
    elif words:
        yield pair.finding("left-untranslated", " ".join(words[:5]))
    elif _HAN.search(pair.target) is None and _ENGLISH_WORD.search(pair.before.prose):
        yield pair.finding("left-untranslated", "no Chinese word stands there")


def length_findings(pair: Pair) -> Iterator[str]:
    """A text so short, so long or in so many sentences that something was left out or added."""
    chinese, english = len(_HAN.findall(pair.chinese.prose)), len(_LETTER.findall(pair.english.prose))
    bounds = next((_RATIOS[least] for least in (_LONG, _SHORT) if chinese >= least), None)
    if bounds is None and english >= _SHORT * _RATIOS[_SHORT][1]:
        bounds = _RATIOS[_SHORT]
    if bounds is not None and chinese:
        ratio = english / chinese
        if not bounds[0] <= ratio <= bounds[1]:
            short = (ratio < bounds[0]) == (pair.into == "en")
            yield pair.finding(
                "too-short" if short else "too-long", f"{english} English letters, {chinese} Chinese"
            )
    difference = _sentences(pair.english) - _sentences(pair.chinese)
    if not _SENTENCES[0] <= difference <= _SENTENCES[1]:
        yield pair.finding("sentences", f"{_sentences(pair.before)} became {_sentences(pair.after)}")


CHECKS: tuple[Callable[[Pair], Iterator[str]], ...] = (
    formula_findings,
    number_findings,
    sign_findings,
    unit_findings,
    structure_findings,
    figure_findings,
    symbol_findings,
    language_findings,
    length_findings,
)


def _unmatched(here: Tokens, there: Tokens) -> list[str]:
    """Formulas of one side that the other has neither as formula nor, without TeX, in its words."""
    names = [name for name in here.formulas if is_name(name) and name not in there.formulas]
    rest = Counter({f: n for f, n in here.formulas.items() if not is_name(f)})
    left = [*names, *(rest - there.formulas).elements()]
    return sorted(formula for formula in left if not _in_words(formula, there))


def _in_words(formula: str, side: Tokens) -> bool:
    if is_name(formula):
        return _said(formula, _latin(side) | set(side.formulas), side)
    return "\\" not in formula and re.sub(r"\s", "", formula) in side.flat


def _said(token: str, words: set[str], side: Tokens) -> bool:
    """Whether a symbol stands anywhere on a side: alone, in a name such as `AB`, or in a formula."""
    if token in words:
        return True
    inside = re.compile(rf"(?<![A-Za-z\\]){re.escape(token)}(?![A-Za-z])")
    if any(inside.search(formula) for formula in side.formulas):
        return True
    # "points A and B" against "AB": letters of an upper-case name count one by one.
    return len(token) == 1 and any(word.isupper() and len(word) <= 4 and token in word for word in words)


def _like(one: str, other: str) -> bool:
    """Whether two formulas are rather one changed than two."""
    if is_name(one) or is_name(other):
        return False
    first, second = Counter(one), Counter(other)
    return (
        2 * (first & second).total() >= 1.4 * min(len(one), len(other)) and abs(len(one) - len(other)) <= 12
    )


def _units_agree(one: str, here: Tokens, other: str, there: Tokens) -> bool:
    """Equal, or "5 m/s" on one side and "5 m" on the other, which says "each second" elsewhere."""
    first, second = one.rstrip("?"), other.rstrip("?")
    if first == second:
        return True
    for longer, shorter, side in ((first, second, there), (second, first, here)):
        top, _, bottom = longer.partition("/")
        if top == shorter and bottom:
            return bottom in side.per
    return False


def _blanks(side: Tokens) -> int:
    return side.line_blanks + side.bracket_blanks


def _without_quantities(prose: str) -> str:
    return re.sub(r"(?<=\d)\s*[A-Za-zμΩ°%]+(?:\s*[/·]\s*[A-Za-z]+)*\d?", " ", prose)


def _latin_words(prose: str) -> set[str]:
    """Latin tokens of a text, units left out."""
    found = set(_LATIN.findall(_without_quantities(prose)))
    return {token for token in found if len(token) == 1 or canonical_unit(token) is None}


def _latin(side: Tokens) -> set[str]:
    """Latin tokens of a side, those in formulas too."""
    return _latin_words(side.prose) | {token for name in side.formulas for token in _LATIN.findall(name)}


def _sentences(side: Tokens) -> int:
    return max(1, len(_SENTENCE_END.findall(side.prose)))


def _options(source: LocalizedText, target: LocalizedText, into: Language) -> list[str]:
    labels = [choice.label for choice in source.choices]
    if labels != [choice.label for choice in target.choices]:
        return [
            f"options-changed: options: {' '.join(labels)} became {' '.join(c.label for c in target.choices)}"
        ]
    found: list[str] = []
    for one, other in zip(source.choices, target.choices, strict=True):
        if one.text is not None:
            found += text_findings(one.text, other.text or "", into, f"option {one.label}")
    said: dict[str, str] = {}
    for one, other in zip(source.choices, target.choices, strict=True):
        twin = said.setdefault(comparable(other.text or one.label), one.label)
        if twin != one.label:
            found.append(f"options-alike: options: {twin} and {one.label} say the same")
    return found


def _unit(source: str, target: str, into: Language) -> list[str]:
    one, other = canonical_unit(source), canonical_unit(target)
    if comparable(source) == comparable(target) or (one is not None and one == other):
        return []
    if one is None and other is None and source and target:
        return text_findings(source, target, into, "unit")
    return [f"unit-changed: unit: {source!r} became {target!r}"]
