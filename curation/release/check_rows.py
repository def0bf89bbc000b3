"""Checks of one row at a time: what every row must have, its options and answer, and what a model is sent."""

from __future__ import annotations

import json
import re
import string
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from benchwright.curation.release.findings import Trouble
from benchwright.curation.screen_codes import Code, Rules
from benchwright.curation.screen_pictures import picture_findings
from benchwright.schemas.records import Option, QuestionType, ReleaseRow, Split
from benchwright.schemas.versions import VERSIONS, Version

CHOICE_TYPES = frozenset({QuestionType.SINGLE_CHOICE, QuestionType.MULTIPLE_SELECT})
_PICTURE_CODES = {"picture-missing": "figure-missing", "markers-beyond-pictures": "placeholder-unfilled"}
_PICTURE_RULES = Rules(
    {
        **{name: Code(severity="off", meaning="") for name in (
            "picture-perhaps-missing", "pictures-beyond-markers", "picture-not-mentioned")},
        **{name: Code(severity="reject", meaning="") for name in _PICTURE_CODES},
    }
)  # fmt: skip
"""The same whatever the recipe wants of screening: a release has no picture that is missing."""
_NAMES_THE_KEY = re.compile(
    r"(?:正确答案|参考答案|标准答案|本题答案|故选|答案)\s*(?:是|为|应选|选)?\s*[:：]?\s*[(（【]?\s*(?P<zh>[A-J]{1,5})(?![A-Za-z])"
    r"|\b(?i:(?:correct|right)\s+(?:answer|option|choice)|answer\s+key|answer)\s*(?i:is|:)\s*(?i:option\s+)?"
    r"[(\[]?(?P<en>[A-J]{1,5})\b(?![-'’])"
)
_MARKED = re.compile(
    r"[(（\[【]\s*(?:correct(?: answer)?|right answer|正确(?:答案)?|answer)\s*[)）\]】]|\S\s*[✓✔√]\s*$",
    re.IGNORECASE,
)
_KEY_NAMES = frozenset({"answer", "answers", "key", "keys", "label", "solution", "ground_truth", "gold"})


def row_troubles(rows: Sequence[ReleaseRow], choices_in_image: bool) -> Iterator[Trouble]:
    """Faults that show in a row by itself, and rows that share an id or stand in two splits."""
    yield from _ids_and_splits(rows)
    for row in rows:
        yield from _every_row(row, rows[0].canary)
        if row.options or row.question_type in CHOICE_TYPES:
            yield from _options(row)
        yield from _answer(row)
        yield from _sent(row, choices_in_image)
        yield from _key_in_sight(row)


def withheld_troubles(rows: Iterable[ReleaseRow], splits: Iterable[Split]) -> Iterator[Trouble]:
    """Rows of splits without answers that carry one all the same."""
    without = frozenset(splits)
    for row in rows:
        for name in ("answer", "unit", "solution"):
            if row.split in without and getattr(row, name) is not None:
                yield Trouble("answer-not-withheld", row.id, name)


def is_empty(option: Option) -> bool:
    """Whether an option says nothing but its label."""
    return not (option.text or "").strip() and option.image_sha256 is None


def _ids_and_splits(rows: Sequence[ReleaseRow]) -> Iterator[Trouble]:
    for name, count in Counter(row.id for row in rows).items():
        if count > 1:
            yield Trouble("duplicate-id", name)
    splits: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        splits[row.problem_id].add(row.split.value)
    for row in rows:
        if len(splits[row.problem_id]) > 1:
            yield Trouble("split-overlap", row.id, ", ".join(sorted(splits[row.problem_id])))


def _every_row(row: ReleaseRow, canary: str) -> Iterator[Trouble]:
    if not row.canary.strip() or row.canary != canary:
        yield Trouble("no-canary", row.id)
    if not row.source.strip():
        yield Trouble("no-source", row.id)


def _options(row: ReleaseRow) -> Iterator[Trouble]:
    options = row.options
    if row.question_type in CHOICE_TYPES and len(options) < 2:
        yield Trouble("no-options", row.id)
    empty = [is_empty(option) for option in options]
    # Labels alone are right where all options stand in the question's own picture, as some sources print them.
    if any(empty) and not (all(empty) and row.images):
        yield Trouble("empty-option", row.id)
    labels = [option.label for option in options]
    if len(set(labels)) < len(labels):
        yield Trouble("label-repeated", row.id)
    count = len(labels)
    expected = (
        list(string.ascii_uppercase[:count]),
        list(string.ascii_lowercase[:count]),
        [str(number) for number in range(1, count + 1)],
    )
    if labels not in expected:
        yield Trouble("labels-not-consecutive", row.id, "".join(labels))
    said = [((o.text or "").strip(), o.image_sha256) for o in options if not is_empty(o)]
    if len(set(said)) < len(said):
        yield Trouble("option-repeated", row.id)


def _answer(row: ReleaseRow) -> Iterator[Trouble]:
    if row.answer is None:
        return
    if not row.answer.strip():
        yield Trouble("no-answer", row.id)
    elif row.question_type in CHOICE_TYPES:
        labels = {option.label for option in row.options}
        given = [row.answer] if row.question_type is QuestionType.SINGLE_CHOICE else list(row.answer)
        if not set(given) <= labels or len(set(given)) < len(given):
            yield Trouble("answer-not-an-option", row.id, f"{row.answer!r} of {''.join(sorted(labels))}")


def _sent(row: ReleaseRow, choices_in_image: bool) -> Iterator[Trouble]:
    spec = VERSIONS[Version(row.version)]
    if (spec.text and not row.question.strip()) or not row.full_question.strip():
        yield Trouble("no-text", row.id)
    if spec.rendered and not row.images:
        yield Trouble("no-picture", row.id)
    if not spec.text and choices_in_image and row.question:
        yield Trouble("vision-only-text", row.id)
    asked = row.question if spec.text or not choices_in_image else row.full_question
    for option in row.options:
        if f"{option.label}." not in asked or (option.text or "") not in asked:
            yield Trouble("options-not-asked", row.id, f"option {option.label}")
            break
    in_options = sum(option.image_sha256 is not None for option in row.options)
    own = len(row.images) - (in_options if row.question else 0)
    if spec.rendered:  # one page may hold several pictures
        return
    for found in picture_findings(row.full_question, own, in_options, _PICTURE_RULES):
        yield Trouble(_PICTURE_CODES[found.code], row.id, found.detail)


def _key_in_sight(row: ReleaseRow) -> Iterator[Trouble]:
    for match in _NAMES_THE_KEY.finditer(row.question):
        if row.answer is not None and (match["zh"] or match["en"]) == row.answer:
            yield Trouble("key-in-text", row.id, match[0].strip())
            break
    marked = [option.label for option in row.options if _MARKED.search(option.text or "")]
    if marked and "".join(marked) == row.answer:
        yield Trouble("key-in-text", row.id, f"the words of option {row.answer} say that it is right")
    if row.render is not None and (name := _named_key(row.render)) is not None:
        yield Trouble("key-in-metadata", row.id, name)


def _named_key(render: str) -> str | None:
    """The name in a render note under which a key stands, or None."""
    waiting = [json.loads(render)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if found := sorted(_KEY_NAMES & {str(name).lower() for name in value}):
                return found[0]
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return None
