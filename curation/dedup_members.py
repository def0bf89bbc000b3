"""Second pass over a pool: the questions that something speaks for as repeats, with what decides which one stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchwright.curation.dedup_scan import COLUMNS, Scan, Written, read_rows, written
from benchwright.curation.dedup_text import canonical
from benchwright.models.answer_compare import Match, compare_answer
from benchwright.schemas.records import QuestionType

_VALUES = ("knowledge_points", "grade", "chapter", "difficulty", "subject")
_COLUMNS = (*COLUMNS, "question_type", *_VALUES)
_CHOICE = (QuestionType.SINGLE_CHOICE, QuestionType.MULTIPLE_SELECT)
ShownChoice = tuple[str, str | None, str | None]


@dataclass(frozen=True)
class Member:
    """A question that may be one of several of its kind."""

    written: Written
    question: str
    choices: tuple[ShownChoice, ...]
    """Label, text, digest of the picture."""
    answer: str
    unit: str | None
    question_type: QuestionType
    images: tuple[str, ...]
    """Digests, in the question's order."""
    pixels: int
    """Of its smallest picture; 0 without one."""
    filled: int
    """How many of answer, solution, unit, knowledge points, grade, chapter, difficulty, subject it has."""

    @property
    def id(self) -> str:
        """The question's id."""
        return self.written.question_id

    @property
    def pictures(self) -> tuple[str, ...]:
        """Digests of all pictures, those of the options too."""
        return (*self.images, *(image for _, _, image in self.choices if image is not None))

    @cached_property
    def said(self) -> tuple[str, ...]:
        """The answer as it can be compared whatever the options' order: canonical texts of the right options."""
        if self.question_type in _CHOICE:
            options = {label: canonical(text or "") + (image or "") for label, text, image in self.choices}
            # Options without a word or a picture (the pool lacks theirs) say nothing: then the labels have to agree.
            if self.answer and all(options.get(label) for label in self.answer):
                return tuple(sorted(options[label] for label in self.answer))
        return (canonical(self.answer),)


def read_members(pool: Path, scan: Scan, rows: Sequence[int]) -> dict[int, Member]:
    """Members by their row in the pool's table."""
    wanted = sorted(set(rows))
    return dict(zip(wanted, map(_member, read_rows(pool, scan, wanted, _COLUMNS)), strict=True))


def same_answer(one: Member, two: Member) -> bool:
    """Whether two questions name the same answer; where the rules cannot tell, they do not."""
    if one.said == two.said:
        return True
    if one.question_type in _CHOICE or two.question_type in _CHOICE:
        return False
    found = compare_answer(one.answer, two.answer, two.question_type, unit=two.unit)
    return found.match is Match.CONSISTENT


def answer_for(one: Member, other: Member) -> str:
    """The answer of the other as the first would write it: options may stand there in another order."""
    if one.question_type not in _CHOICE or not other.answer or other.said == (canonical(other.answer),):
        return other.answer
    options = [(canonical(text or "") + (image or ""), label) for label, text, image in one.choices]
    labels = [label for option, label in options if option in other.said]
    return "".join(labels) if len(labels) == len(other.said) else other.answer


def view_of(members: Sequence[Member]) -> dict[str, Any]:
    """What people are shown of a group, as `duplicates.group_view` says it."""
    return {"members": [[member.id, _shown(member)] for member in sorted(members, key=lambda m: m.id)]}


def _shown(member: Member) -> dict[str, Any]:
    return {
        "question": member.question,
        "choices": [list(choice) for choice in member.choices],
        "answer": member.answer,
        "images": list(member.images),
    }


def _member(row: Mapping[str, Any]) -> Member:
    text = dict(row["texts"])[row["language"]]
    choices = tuple(
        (c["label"], c["text"], c["image"]["sha256"] if c["image"] else None) for c in text["choices"]
    )
    pictures = [*row["images"], *(c["image"] for c in text["choices"] if c["image"])]
    values = [*(text[name] for name in ("answer", "solution", "unit")), *(row[name] for name in _VALUES)]
    return Member(
        written=written(dict(row)),
        question=text["question"],
        choices=choices,
        answer=text["answer"],
        unit=text["unit"],
        question_type=QuestionType(row["question_type"]),
        images=tuple(image["sha256"] for image in row["images"]),
        pixels=min((image["width"] * image["height"] for image in pictures), default=0),
        filled=sum(bool(value) for value in values),
    )
