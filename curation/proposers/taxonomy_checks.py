"""Program checks on a proposed subject list: pure functions, findings as `code: words`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from benchwright.schemas.taxonomy import DisciplineTaxonomy

LONGEST = 160
"""Characters of a description that still reads as one line."""
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def findings_of(
    discipline: DisciplineTaxonomy, assignment: Mapping[str, Sequence[str]], heads: Mapping[str, int]
) -> list[str]:
    """Everything that a person should look at.

    Args:
        discipline: the subjects.
        assignment: subject id -> groups of knowledge points that it covers.
        heads: the groups there are, with their numbers of questions.
    """
    idle = [subject.id for subject in discipline.subjects if heads and not assignment.get(subject.id)]
    return [
        *coverage(assignment, heads),
        *_texts(discipline),
        *(f"covers-nothing: no knowledge point belongs to {name}" for name in idle),
    ]


def coverage(assignment: Mapping[str, Sequence[str]], heads: Mapping[str, int]) -> list[str]:
    """Groups of knowledge points that belong to no subject, or to several; the frequent ones first."""
    found = []
    for head in sorted(heads, key=lambda name: (-heads[name], name)):
        owners = sorted(subject for subject, covered in assignment.items() if head in covered)
        if not owners:
            found.append(f"uncovered: {head} ({heads[head]} questions) belongs to no subject")
        elif len(owners) > 1:
            found.append(f"covered-twice: {head} belongs to {' and '.join(owners)}")
    return found


def written_in(language: str, text: str) -> bool:
    """Whether a text can be of a language: Chinese characters stand in Chinese texts, and only there."""
    return (language == "zh") == bool(_CHINESE.search(text))


def _texts(discipline: DisciplineTaxonomy) -> list[str]:
    found = []
    names: dict[str, str] = {}
    for subject in discipline.subjects:
        for language in sorted({*subject.names, *subject.descriptions}):
            texts = {"name": subject.names.get(language), "description": subject.descriptions.get(language)}
            foreign = [what for what, text in texts.items() if text and not written_in(language, text)]
            if foreign:
                found.append(f"untranslated: {subject.id} has no {language} {' and '.join(foreign)}")
        for language, text in subject.descriptions.items():
            if "\n" in text or len(text) > LONGEST:
                found.append(
                    f"long-description: {subject.id}: the {language} description is more than one line"
                )
        for name in subject.names.values():
            folded = name.strip().casefold()
            if names.setdefault(folded, subject.id) != subject.id:
                found.append(f"same-name: {names[folded]} and {subject.id} are both called {name!r}")
    return found
