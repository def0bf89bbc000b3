"""Program checks of a decomposition: what no reviewer should have to look for (SciVerse, sections 2.2 and 2.3).

Each check is a pure function with one stable code; `check` runs them all. None judges whether the physics is right:
they find what was lost, invented, doubled or left in the wrong place. All hold on the hand-made decompositions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchwright.curation.proposers.decomposition_knowledge import (
    lengths,
    terms_and_details,
    values_in_knowledge,
    words_of_the_cue,
)
from benchwright.curation.proposers.decomposition_signs import HAN as _HAN
from benchwright.curation.proposers.decomposition_signs import twisted
from benchwright.curation.proposers.decomposition_text import (
    PICTURE,
    mending,
    removed_sentences,
    rest_of,
    tokens,
    without_scaffold,
)
from benchwright.curation.proposers.decomposition_values import (
    canonical,
    formulas,
    numbers,
    plain,
    quantities,
    symbols,
    units,
    words_of,
)
from benchwright.schemas.records import Condition, Decomposition, ImageRef, LocalizedText, Show

MAX_MENDED_SHARE = 0.5
"""Changed words of the core question; the hand-made ones need up to 0.40, half of them none at all."""
MAX_FOREIGN_SHARE = 0.25
"""Words of the core question that stand nowhere in the stem; the hand-made ones need up to 0.11."""
FREE_MENDING = 3
"""So many changed words are always fine: a question of five words is mended by one or two."""
MAX_LABEL = 40
"""Characters of a mark as drawn; the hand-made ones have up to 16."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a check found. `code` is stable, `detail` says what and where."""

    code: str
    detail: str

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


@dataclass(frozen=True)
class Case:
    """What a check looks at."""

    original: LocalizedText
    decomposition: Decomposition
    removed: tuple[str, ...]
    """Sentences taken out as background knowledge: each is shown to the reviewer."""
    images: tuple[ImageRef, ...] = ()

    def span(self, condition: Condition) -> str:
        """A condition's words."""
        return self.decomposition.stem[condition.start : condition.end]

    @property
    def language(self) -> str:
        """`zh` where the stem has Chinese characters, else `en`: what lengths are measured by."""
        return "zh" if re.search(r"[\u3400-\u9fff]", self.decomposition.stem) else "en"


Check = Callable[[Case], list[Finding]]


def check(
    original: LocalizedText,
    decomposition: Decomposition,
    removed: Sequence[str] | None = None,
    images: Sequence[ImageRef] = (),
) -> list[Finding]:
    """Run all checks.

    Args:
        original: the question as it was before.
        decomposition: how it was split.
        removed: sentences taken out as background knowledge; None finds them by comparing question and stem.
        images: the question's pictures; none given means that nothing can be shown.

    Returns:
        All findings, in the order of `CHECKS`; none for a faultless decomposition.
    """
    if removed is None:
        removed = removed_sentences(original.question, decomposition.stem)
    case = Case(original, decomposition, tuple(removed), tuple(images))
    return [finding for run in CHECKS.values() for finding in run(case)]


def check_spans(case: Case) -> list[Finding]:
    """`condition-span`: a condition lies in the stem, is not blank, and cuts no formula, number or word."""
    stem = case.decomposition.stem
    findings: list[Finding] = []

    def cuts(place: int) -> bool:
        if not 0 < place < len(stem):
            return False
        if any(start < place < end for start, end, _ in formulas(stem)):
            return True
        return re.fullmatch(
            r"[A-Za-z]{2}|\d\d|\d\.|\.\d|\d,\d", stem[place - 1 : place + 1]
        ) is not None and not (stem[place - 1] == "." and (place < 2 or not stem[place - 2].isdigit()))

    for condition in case.decomposition.conditions:
        if condition.end > len(stem):
            findings.append(
                Finding("condition-span", f"{condition.id} ends at {condition.end} of {len(stem)}")
            )
        elif not re.search(r"\w", case.span(condition)):
            findings.append(Finding("condition-span", f"{condition.id} has no words"))
        elif cuts(condition.start) or (
            cuts(condition.end) and not stem[condition.end - 1 : condition.end + 1].endswith((". ", "."))
        ):
            findings.append(
                Finding(
                    "condition-span",
                    f"{condition.id} cuts a formula, number or word: {case.span(condition)!r}",
                )
            )
    return findings


def check_lost_values(case: Case) -> list[Finding]:
    """`lost-value`: every number, unit and symbol of the original stands in the stem or in a removed sentence."""
    before, stem = without_scaffold(case.original.question), PICTURE.sub(" ", case.decomposition.stem)
    findings: list[Finding] = []
    gone = " \n ".join(case.removed)
    for what, counted in (("number", numbers), ("unit", units)):
        lost = counted(before) - counted(stem) - counted(gone)
        findings += [
            Finding("lost-value", f"{what} {name} of the question is not in the stem")
            for name in sorted(lost)
        ]
    missing = symbols(before) - words_of(stem) - symbols(gone)
    findings += [
        Finding("lost-value", f"symbol {name} of the question is not in the stem") for name in sorted(missing)
    ]
    held = numbers(" ".join(case.span(c) for c in case.decomposition.conditions))
    rest = numbers(before) - numbers(gone)
    for name in sorted((numbers(gone) & held) - rest):
        findings.append(
            Finding("lost-value", f"number {name} of a condition stands in a removed sentence alone")
        )
    return findings


def check_invented_values(case: Case) -> list[Finding]:
    """`invented-value`: the stem has no number, unit or symbol that the original lacks."""
    before, stem = PICTURE.sub(" ", case.original.question), PICTURE.sub(" ", case.decomposition.stem)
    findings = [
        Finding("invented-value", f"{what} {name} of the stem is not in the question")
        for what, counted in (("number", numbers), ("unit", units))
        for name in sorted(counted(stem) - counted(before))
    ]
    extra = symbols(stem) - words_of(before)
    return findings + [
        Finding("invented-value", f"symbol {name} of the stem is not in the question")
        for name in sorted(extra)
    ]


def check_core_values(case: Case) -> list[Finding]:
    """`core-shows-value`, `core-loses-value`: the core question has the unshown values, and those alone."""
    core, rest = numbers(case.decomposition.core_question), numbers(rest_of(case.decomposition))
    findings = [
        Finding(
            "core-shows-value",
            f"number {name} stands in the core question, but not in what the picture leaves to it",
        )
        for name in sorted(core - rest)
    ]
    findings += [
        Finding("core-loses-value", f"number {name} is not shown in the picture and not in the core question")
        for name in sorted(rest - core)
    ]
    known = words_of(case.decomposition.stem)
    for name in sorted(symbols(case.decomposition.core_question) - known):
        findings.append(Finding("core-shows-value", f"symbol {name} of the core question is not in the stem"))
    lost = symbols(rest_of(case.decomposition)) - words_of(case.decomposition.core_question)
    for name in sorted(lost - _symbols_in_marks(case.decomposition)):
        findings.append(
            Finding("core-loses-value", f"symbol {name} is not shown and not in the core question")
        )
    return findings


def _symbols_in_marks(decomposition: Decomposition) -> frozenset[str]:
    return symbols(" ".join(mark.label for condition in decomposition.conditions for mark in condition.marks))


def check_mending(case: Case) -> list[Finding]:
    """`core-question-mended`: core question + shown spans = stem, but for as many mended words as people need."""
    found = mending(case.decomposition)
    known = set(tokens(case.decomposition.stem))
    foreign = [word for word in found.added if word not in known]
    changed = max(len(found.dropped), len(found.added))
    if changed > max(FREE_MENDING, MAX_MENDED_SHARE * found.size):
        return [Finding("core-question-mended", f"{changed} of {found.size} words changed ({found})")]
    if len(foreign) > max(FREE_MENDING, MAX_FOREIGN_SHARE * found.size):
        return [Finding("core-question-mended", f"words that are not in the stem: {' '.join(foreign)}")]
    return []


def check_labels(case: Case) -> list[Finding]:
    """`mark-label`: the marks of a condition hold its values and no others, and are labels, not sentences."""
    findings: list[Finding] = []
    for condition in case.decomposition.conditions:
        if condition.show is not Show.ON_DIAGRAM:
            continue
        span, labels = case.span(condition), " ; ".join(mark.label for mark in condition.marks)
        missing = _values_to_show(span) - value_numbers(labels)
        findings += [
            Finding("mark-label", f"{condition.id}: {name} is in no label") for name in sorted(missing)
        ]
        unit_gone = units(span) - units(labels) if quantities(span) else Counter()
        findings += [
            Finding("mark-label", f"{condition.id}: unit {name} is in no label") for name in sorted(unit_gone)
        ]
        invented = value_numbers(labels) - value_numbers(span)
        if len(condition.marks) > 1:  # one value may be written in several places
            invented = Counter({name: 1 for name in invented if name not in value_numbers(span)})
        findings += [
            Finding("mark-label", f"{condition.id}: {name} of a label is not in the span")
            for name in sorted(invented)
        ]
        for mark in condition.marks:
            findings += _label_form(condition.id, mark.label, span)
    return findings


def _label_form(name: str, label: str, span: str) -> list[Finding]:
    drawn = plain(label.replace("$", " "))
    if len(drawn) > MAX_LABEL:
        return [Finding("mark-label", f"{name}: a label of {len(drawn)} characters is a sentence")]
    shared = value_numbers(label) & value_numbers(span) or words_of(label) & words_of(span)
    if not shared and not set(_HAN.findall(label)) & set(_HAN.findall(span)):
        return [Finding("mark-label", f"{name}: the label {label!r} holds nothing of its span")]
    return [Finding("mark-label", f"{name}: {detail}") for detail in twisted(label, span)]


def _values_to_show(span: str) -> Counter[str]:
    """Numbers that a reader of the picture needs: those with a unit and those of formulas; indices are names."""
    with_unit = Counter(q.number for q in quantities(span))
    values: Counter[str] = Counter()
    for name in with_unit:
        values |= numbers(name)
    for _, _, inner in formulas(span):
        values |= value_numbers(inner)
    return values


def value_numbers(text: str) -> Counter[str]:
    """Numbers of a text without indices (`R_1`, `H_{2}`)."""
    spelled = re.sub(r"_\s*(?:\{[^{}]*\}|\w)", " ", plain(text))
    return Counter(canonical(n) for n in numbers(spelled).elements())


def check_knowledge_values(case: Case) -> list[Finding]:
    """`knowledge-holds-value`: cue and detail are general; no value of a condition stands in them."""
    spans = [(condition.id, case.span(condition)) for condition in case.decomposition.conditions]
    return [
        Finding("knowledge-holds-value", detail) for detail in values_in_knowledge(case.decomposition, spans)
    ]


def check_cue_in_stem(case: Case) -> list[Finding]:
    """`stem-holds-cue`: the stem says nothing of what the knowledge-free version must not say."""
    return [Finding("stem-holds-cue", detail) for detail in words_of_the_cue(case.decomposition)]


def check_terms(case: Case) -> list[Finding]:
    """`detail-terms`: the cue's sentence names its terms, and the detail explains each of them, once, in order."""
    return [Finding("detail-terms", detail) for detail in terms_and_details(case.decomposition)]


def check_lengths(case: Case) -> list[Finding]:
    """`version-lengths`: free < lite < rich, vision-rich <= free, cue and detail of the order of Table 1."""
    return [Finding("version-lengths", detail) for detail in lengths(case.decomposition, case.language)]


def check_show(case: Case) -> list[Finding]:
    """`nothing-to-show-on`: a condition can be shown on a diagram only where there is one."""
    if case.images:
        return []
    return [
        Finding(
            "nothing-to-show-on",
            f"{condition.id} is to be {condition.show.value}, but the question has no picture",
        )
        for condition in case.decomposition.conditions
        if condition.show is not Show.TEXT
    ]


CHECKS: dict[str, Check] = {
    "condition-span": check_spans,
    "lost-value": check_lost_values,
    "invented-value": check_invented_values,
    "core-values": check_core_values,
    "core-question-mended": check_mending,
    "mark-label": check_labels,
    "knowledge-holds-value": check_knowledge_values,
    "stem-holds-cue": check_cue_in_stem,
    "detail-terms": check_terms,
    "version-lengths": check_lengths,
    "nothing-to-show-on": check_show,
}
"""All checks by name, in the order in which they run."""


def check_languages(first: Decomposition, second: Decomposition) -> list[Finding]:
    """`languages-differ`: two languages of one problem have the same conditions, shown alike, with the same values."""
    mine, theirs = ({c.id: c for c in d.conditions} for d in (first, second))
    findings = [
        Finding("languages-differ", f"condition {name} is in one language only")
        for name in sorted(mine.keys() ^ theirs.keys())
    ]
    for name in sorted(mine.keys() & theirs.keys()):
        one, two = mine[name], theirs[name]
        if one.show is not two.show:
            findings.append(Finding("languages-differ", f"{name}: {one.show.value} and {two.show.value}"))
        spans = first.stem[one.start : one.end], second.stem[two.start : two.end]
        if (values := tuple(_language_values(span) for span in spans))[0] != values[1]:
            findings.append(Finding("languages-differ", f"{name}: values of {spans[0]!r} and {spans[1]!r}"))
        labels = [
            sorted(value_numbers(" ; ".join(mark.label for mark in c.marks)).elements()) for c in (one, two)
        ]
        if labels[0] != labels[1]:
            findings.append(Finding("languages-differ", f"{name}: marks show {labels[0]} and {labels[1]}"))
    if len(first.knowledge_cue.terms) != len(second.knowledge_cue.terms):
        findings.append(Finding("languages-differ", "the cues name different numbers of terms"))
    return findings


def _language_values(span: str) -> set[str]:
    """Numbers of a span but small ones, which a language may write as words ("two")."""
    return {name for name in value_numbers(span) if len(name) > 1 or name in _values_to_show(span)}
