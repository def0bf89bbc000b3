"""Faults of a question and of its picture, and what follows from them. Pure functions.

Criteria: VisScience, section 2.2 (text: accurate, coherent, relevant, unambiguous, complete; picture: correct, clear,
informative, and belonging to the question). The two ratings are those by which SciVerse, section 2.1, chose its
problems; the papers define no levels, so ours stand in `schemas.quality_levels`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from pydantic import JsonValue

from benchwright.schemas.jobs import JOBS
from benchwright.schemas.quality_levels import LEVELS

Decision = Literal["accept", "fix", "reject"]
JOB = JOBS["quality"]
TEXT_FAULTS = JOB.field("text_faults").values
IMAGE_FAULTS = JOB.field("image_faults").values
ACCEPT: Decision = "accept"
_ORDER: tuple[Decision, ...] = ("accept", "fix", "reject")

REMEDIES: Mapping[str, Decision] = MappingProxyType(
    {
        "inaccurate": "fix",
        "incoherent": "fix",
        "ambiguous": "fix",
        "irrelevant": "reject",
        "incomplete": "reject",
        "incorrect": "reject",
        "unclear": "reject",
        "uninformative": "reject",
        "unrelated": "reject",
        "answer-doubted": "fix",
    }
)
"""The rule of the decision: the severest remedy of all faults. Words can be mended, and an answer be looked up again;
what the source does not hold (a missing value, a better picture) cannot, so the question is to be replaced by another
one, as VisScience does. `answer-doubted` comes from trial solutions, not from reading."""

_NAMES = {
    "不准确": "inaccurate",
    "不连贯": "incoherent",
    "不相关": "irrelevant",
    "有歧义": "ambiguous",
    "歧义": "ambiguous",
    "不完整": "incomplete",
    "图错误": "incorrect",
    "错误": "incorrect",
    "不清楚": "unclear",
    "不清晰": "unclear",
    "无信息": "uninformative",
    "无关": "unrelated",
}


@dataclass(frozen=True, order=True)
class Fault:
    """One negative and the reason for it."""

    code: str
    """One of `TEXT_FAULTS` or `IMAGE_FAULTS`, or `answer-doubted`."""
    reason: str


def fault_code(word: str, allowed: Sequence[str]) -> str | None:
    """The fault that a word means: its name, in any spelling of its hyphens and case, or its Chinese name."""
    plain = "-".join(word.strip().strip(".。").casefold().replace("_", " ").split())
    code = _NAMES.get(plain, plain)
    return code if code in allowed else None


def level_list(kind: str, language: str) -> str:
    """The five levels of a rating as lines of a prompt."""
    return "\n".join(f"- {level}: {words}" for level, words in LEVELS[kind][language].items())


def decision_of(codes: Iterable[str]) -> Decision:
    """The decision that faults ask for (see `REMEDIES`); accept without any.

    Raises:
        KeyError: a fault has no remedy.
    """
    return max((REMEDIES[code] for code in codes), key=_ORDER.index, default=ACCEPT)


def codes_of(faults: Iterable[Fault], order: Sequence[str]) -> list[JsonValue]:
    """The codes that occur, each once, in the order given: a field's value."""
    there = {fault.code for fault in faults}
    return [code for code in order if code in there]


def reason_text(faults: Iterable[Fault]) -> str:
    """The reasons as a reviewer reads them: one line a fault, `code: words`; '' without faults."""
    lines: dict[str, list[str]] = {}
    for fault in faults:
        said = lines.setdefault(fault.code, [])
        words = " ".join(fault.reason.split())
        if words not in said:
            said.append(words)
    return "\n".join(f"{code}: {' / '.join(words)}" for code, words in lines.items())


@dataclass(frozen=True)
class Tally:
    """Faults on which most ballots agree."""

    faults: tuple[Fault, ...]
    """In the order of `order`; each reason of those who named the fault."""
    agreement: float
    """Of the least agreed code: share of ballots that say of it what the tally says."""


def tally(ballots: Sequence[Sequence[Fault]], order: Sequence[str]) -> Tally:
    """Put ballots together, code by code: a fault stands when more than half name it.

    Args:
        ballots: at least one; the faults that each names.
        order: all codes that may occur, in the order wanted.
    """
    kept: list[Fault] = []
    agreement = 1.0
    for code in order:
        naming = [next((f for f in ballot if f.code == code), None) for ballot in ballots]
        named = [fault for fault in naming if fault is not None]
        share = len(named) / len(ballots)
        stands = share > 0.5
        agreement = min(agreement, share if stands else 1 - share)
        if stands:
            kept += list(dict.fromkeys(named))
    return Tally(tuple(kept), agreement)


def middle(levels: Sequence[int]) -> tuple[int, float]:
    """The lower median of ratings, and the share of ballots that give exactly it."""
    value = sorted(levels)[(len(levels) - 1) // 2]
    return value, levels.count(value) / len(levels)
