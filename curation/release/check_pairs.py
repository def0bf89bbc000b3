"""Checks of rows held side by side: versions of a problem, languages of a version, problems that are one question."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from benchwright.curation.dedup_numbers import digits_of, numbers
from benchwright.curation.dedup_text import canonical, normal
from benchwright.curation.release.check_rows import CHOICE_TYPES
from benchwright.curation.release.findings import Trouble
from benchwright.models.answer_compare import Match, compare_quantities
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.versions import Version

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_BARE_POINT = re.compile(r"(?<![\d.])\.(?=\d)")
_MONTHS = {
    name: number
    for number, name in enumerate(
        ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
         "december"),
        start=1,
    )
}  # fmt: skip
_MONTH = re.compile(rf"\b({'|'.join(_MONTHS)})\b")
_Problems = dict[str, list[ReleaseRow]]
"""Rows by problem."""


def pair_troubles(rows: Sequence[ReleaseRow], groups: Mapping[str, str]) -> Iterator[Trouble]:
    """Faults that show only where rows are compared.

    Args:
        rows: of the release.
        groups: the group that `curate dedup` put a problem in, by problem; problems of one group are one question.
    """
    yield from _versions(rows)
    yield from _languages(rows)
    yield from _repeats(rows, groups)


def _versions(rows: Sequence[ReleaseRow]) -> Iterator[Trouble]:
    """All versions but the original one ask the same question with the same options."""
    groups: dict[tuple[str, str], list[ReleaseRow]] = defaultdict(list)
    for row in rows:
        if row.version != Version.ORIGINAL and row.stem is not None:
            groups[row.problem_id, row.language].append(row)
    for same in groups.values():
        usual = Counter((row.answer, row.unit) for row in same).most_common(1)[0][0]
        for row in same:
            if (row.answer, row.unit) != usual:
                yield Trouble("versions-answer-differs", row.id, f"{row.answer!r}, elsewhere {usual[0]!r}")


def _languages(rows: Sequence[ReleaseRow]) -> Iterator[Trouble]:
    groups: dict[tuple[str, str], list[ReleaseRow]] = defaultdict(list)
    for row in rows:
        groups[row.problem_id, row.version].append(row)
    for same in groups.values():
        for one, other in combinations(sorted(same, key=lambda row: row.language), 2):
            for code, detail in _differences(one, other):
                yield Trouble(code, one.id, detail)
                yield Trouble(code, other.id, detail)


def _differences(one: ReleaseRow, other: ReleaseRow) -> Iterator[tuple[str, str]]:
    both = f"{one.language} and {other.language}"
    if _shape(one) != _shape(other):
        yield "languages-options-differ", f"{both}: {len(one.options)} and {len(other.options)} options"
    elif lost := lost_numbers(one.full_question, other.full_question):
        yield "languages-numbers-differ", f"{both}: {', '.join(lost)}"
    if one.answer is not None and other.answer is not None and not _same_key(one, other):
        yield "languages-key-differs", f"{both}: {one.answer!r} and {other.answer!r}"
    if not _same_unit(one.unit, other.unit):
        yield "languages-units-differ", f"{both}: {one.unit!r} and {other.unit!r}"


def lost_numbers(one: str, other: str) -> list[str]:
    """Numbers that one text writes in digits and the other does not hold at all, in digits or in words, sorted.

    The number one is left out: both languages use it as an article.
    """
    first, second = _spelled(one), _spelled(other)
    lost = (set(digits_of(first)) - _magnitudes(second)) | (set(digits_of(second)) - _magnitudes(first))
    return sorted(lost - {"1"})


def _spelled(text: str) -> str:
    """A text with numbers in one spelling: `.5` as 0.5, `2,000` as 2000."""
    return _THOUSANDS.sub("", _BARE_POINT.sub("0.", normal(text)))


def _magnitudes(text: str) -> set[str]:
    """Numbers of a text without their sign, months among them."""
    months = {str(_MONTHS[name]) for name in _MONTH.findall(text)}
    return {value.removeprefix("-") for value in numbers(text)} | set(digits_of(text)) | months


def _shape(row: ReleaseRow) -> list[tuple[str, str | None, bool]]:
    return [(o.label, o.image_sha256, bool((o.text or "").strip())) for o in row.options]


def _same_key(one: ReleaseRow, other: ReleaseRow) -> bool:
    assert one.answer is not None and other.answer is not None
    if one.question_type in CHOICE_TYPES or other.question_type in CHOICE_TYPES:
        return one.answer == other.answer and one.question_type is other.question_type
    # Words differ between languages; numbers must not.
    return not lost_numbers(one.answer, other.answer) or (
        compare_quantities(one.answer, other.answer)[0] is Match.CONSISTENT
    )


def _same_unit(one: str | None, other: str | None) -> bool:
    if one is None or other is None:
        return one == other
    if canonical(one) == canonical(other):
        return True
    # Only what both rules and people would call another unit is a difference: a word that is not known may be the same.
    return compare_quantities(f"1 {one}", f"1 {other}")[0] is not Match.INCONSISTENT


def _repeats(rows: Sequence[ReleaseRow], groups: Mapping[str, str]) -> Iterator[Trouble]:
    for problems in (*_grouped(rows, groups), *_same_words(rows)):
        if len(problems) < 2:
            continue
        found = [row for some in problems.values() for row in some]
        code = "duplicate-across-splits" if len({row.split for row in found}) > 1 else "duplicate-problems"
        for row in found:
            yield Trouble(code, row.id, " = ".join(sorted(problems)))


def _grouped(rows: Sequence[ReleaseRow], groups: Mapping[str, str]) -> Iterable[_Problems]:
    same: dict[str, _Problems] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row.problem_id in groups:
            same[groups[row.problem_id]][row.problem_id].append(row)
    return same.values()


def _same_words(rows: Sequence[ReleaseRow]) -> Iterator[_Problems]:
    """Problems that ask the same about the same pictures; a rendered page shows the words too, and tells nothing."""
    pictured: dict[tuple[str, ...], _Problems] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row.render is None:
            pictured[(row.language, row.version, *row.images)][row.problem_id].append(row)
    for problems in pictured.values():
        if len(problems) > 1:  # most pictures belong to one problem, and need no comparison of words
            same: dict[str, _Problems] = defaultdict(lambda: defaultdict(list))
            for name, some in problems.items():
                for row in some:
                    same[canonical(row.full_question)][name].append(row)
            yield from same.values()
