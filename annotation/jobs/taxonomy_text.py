"""A discipline's subjects as a text that a person can edit in one field, and back.

    discipline physics
    en = Physics
    zh = 物理

    [mechanics]
    en = Mechanics | Motion, forces and energy of bodies
    zh = 力学 | 物体的运动、力与能量
    - Newton's laws
    - Energy

A subject begins with its id in brackets; a line for each language has the name, a bar, and one line of description;
lines with a dash are the groups of knowledge points that the subject covers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import ValidationError

from benchwright.schemas.errors import ItemError
from benchwright.schemas.taxonomy import DisciplineTaxonomy, Subject

_DISCIPLINE = re.compile(r"discipline\s+(\S+)")
_SUBJECT = re.compile(r"\[\s*([^\]]+?)\s*\]")
_TEXT = re.compile(r"([a-z]{2,3})\s*[=＝]\s*(.+)")
_COVERS = re.compile(r"[-–—•]\s*(.+)")
_BAR = re.compile(r"\s*[|｜]\s*")


@dataclass(frozen=True)
class Edited:
    """What the text says."""

    discipline: DisciplineTaxonomy
    assignment: dict[str, list[str]]
    """Subject id -> groups of knowledge points that it covers."""


@dataclass
class _Block:
    """One subject, or the discipline itself, while it is read."""

    id: str
    names: dict[str, str] = field(default_factory=dict)
    descriptions: dict[str, str] = field(default_factory=dict)
    covers: list[str] = field(default_factory=list)


def taxonomy_text(discipline: DisciplineTaxonomy, assignment: Mapping[str, Sequence[str]]) -> str:
    """The text of a discipline; `read_taxonomy` gives it back."""
    lines = [
        f"discipline {discipline.id}",
        *(f"{language} = {_line(name)}" for language, name in sorted(discipline.names.items())),
    ]
    for subject in discipline.subjects:
        lines += ["", f"[{subject.id}]"]
        for language in sorted(subject.names.keys() | subject.descriptions.keys()):
            name, described = subject.names.get(language), subject.descriptions.get(language)
            said = [_line(name or "")] + ([_line(described)] if described else [])
            lines.append(f"{language} = {' | '.join(said)}")
        lines += [f"- {_line(head)}" for head in assignment.get(subject.id, ())]
    return "\n".join(lines)


def read_taxonomy(text: str) -> Edited:
    """Read an edited text.

    Raises:
        ItemError: `unreadable-taxonomy`, with the line and what it should be.
    """
    blocks: list[_Block] = []
    for number, raw in enumerate(text.splitlines(), start=1):
        if line := raw.strip():
            _read_line(line, number, blocks)
    if not blocks:
        raise ItemError("unreadable-taxonomy", "the text is empty")
    head, *subjects = blocks
    try:
        discipline = DisciplineTaxonomy(
            id=head.id,
            names=head.names,
            subjects=tuple(
                Subject(id=block.id, names=block.names, descriptions=block.descriptions) for block in subjects
            ),
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ItemError("unreadable-taxonomy", f"{place}: {first['msg']}") from error
    unnamed = [block.id for block in blocks if "en" not in block.names]
    if unnamed:
        raise ItemError("unreadable-taxonomy", f"{unnamed[0]} has no English name: write a line `en = NAME`")
    return Edited(discipline, {block.id: block.covers for block in subjects})


def _read_line(line: str, number: int, blocks: list[_Block]) -> None:
    if not blocks:
        match = _DISCIPLINE.fullmatch(line)
        if match is None:
            raise ItemError("unreadable-taxonomy", f"line {number}: the text begins with `discipline ID`")
        blocks.append(_Block(match[1]))
    elif (match := _SUBJECT.fullmatch(line)) is not None:
        blocks.append(_Block(match[1]))
    elif (match := _TEXT.fullmatch(line)) is not None:
        _read_names(match[1], match[2], blocks[-1], first=len(blocks) == 1)
    elif (match := _COVERS.fullmatch(line)) is not None and len(blocks) > 1:
        blocks[-1].covers.append(match[1])
    else:
        raise ItemError(
            "unreadable-taxonomy",
            f"line {number}: {line[:60]!r} is neither `[id]`, `LANGUAGE = name | description` nor `- group`",
        )


def _read_names(language: str, said: str, block: _Block, *, first: bool) -> None:
    name, *described = _BAR.split(said, maxsplit=1)
    if name:
        block.names[language] = name
    if described and not first:
        block.descriptions[language] = described[0]


def _line(text: str) -> str:
    """As one line without the sign that parts name and description."""
    return " ".join(text.split()).replace("|", "/")
