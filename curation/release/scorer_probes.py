"""Fixed replies on which the scorer must not slip: equal values, extra words, negation, every option at once."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.models.answer_compare import Match, compare_answer
from benchwright.schemas.records import QuestionType, Record

_LABELS = ("A", "B", "C", "D")
_TEXTS = {"A": "2 N", "B": "4 N", "C": "6 N", "D": "8 N"}


class Probe(Record):
    """A reply whose worth is beyond doubt."""

    reply: str
    key: str
    question_type: QuestionType
    right: bool
    unit: str | None = None


def _probes(kind: QuestionType, right: bool, *pairs: tuple[str, str]) -> Iterator[Probe]:
    for reply, key in pairs:
        yield Probe(reply=reply, key=key, question_type=kind, right=right)


PROBES: tuple[Probe, ...] = (
    *_probes(
        QuestionType.FREE_FORM,
        True,
        ("0.5", "1/2"),
        ("50 cm", "0.5 m"),
        ("The answer is 12.", "12"),
        ("So the force is 3.0 N.", "3 N"),
        ("答案是12。", "12"),
        ("1.2×10^3", "1200"),
        ("3, 2, 1", "{1, 2, 3}"),
    ),
    *_probes(
        QuestionType.FREE_FORM,
        False,
        ("", "12"),
        ("I don't know.", "12"),
        ("13", "12"),
        ("-12", "12"),
        ("12 kg", "12 m"),
        ("10, 11, 12 or 13", "12"),
        ("not correct", "correct"),
        ("false", "true"),
        ("H2O", "CO2"),
        ("1, 2", "{1, 2, 3}"),
    ),
    *_probes(
        QuestionType.SINGLE_CHOICE,
        True,
        ("B", "B"),
        ("The answer is (B).", "B"),
        ("选B", "B"),
        ("4 N", "B"),
    ),
    *_probes(
        QuestionType.SINGLE_CHOICE,
        False,
        ("", "B"),
        ("I cannot answer this.", "B"),
        ("It is not B, it is C.", "B"),
        ("A, B, C and D", "B"),
        ("A or B", "B"),
    ),
    *_probes(QuestionType.MULTIPLE_SELECT, True, ("AC", "AC"), ("CA", "AC")),
    *_probes(QuestionType.MULTIPLE_SELECT, False, ("A", "AC"), ("ABCD", "AC"), ("", "AC")),
)
"""A wrong reply must not be called right; the rules may abstain from it."""


def failed_probes() -> tuple[Probe, ...]:
    """The probes on which the rules slip."""
    return tuple(probe for probe in PROBES if _called_right(probe) is not probe.right)


def _called_right(probe: Probe) -> bool:
    choice = probe.question_type is not QuestionType.FREE_FORM
    found = compare_answer(
        probe.reply,
        probe.key,
        probe.question_type,
        _LABELS if choice else (),
        _TEXTS if choice else None,
        probe.unit,
    )
    return found.match is Match.CONSISTENT
