"""Disciplines, subjects and levels of the problems of a release."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from benchwright.curation.release.plots.inputs import Composition, DisciplinePart, SubjectPart
from benchwright.curation.release.plots.names import Names
from benchwright.schemas.records import ReleaseRow

MOST_SUBJECTS = 40
"""Parts that a ring or a flow can show with their names; beyond, the smallest of a discipline are drawn as one."""


def composition_of(rows: Sequence[ReleaseRow], names: Names) -> Composition:
    """Count problems by discipline, subject and level; most first, ties by id."""
    problems = {row.problem_id: row for row in rows}
    counts: dict[str, dict[str, Counter[int]]] = defaultdict(lambda: defaultdict(Counter))
    for row in problems.values():
        counts[row.discipline][row.subject][row.difficulty] += 1
    parts = []
    for discipline, subjects in counts.items():
        found = [
            SubjectPart(subject=subject, name=names.subject(discipline, subject), levels=_levels(levels))
            for subject, levels in subjects.items()
        ]
        ordered = tuple(sorted(found, key=lambda one: (-one.problems, one.subject)))
        parts.append(
            DisciplinePart(discipline=discipline, name=names.discipline(discipline), subjects=ordered)
        )
    parts.sort(key=lambda part: (-part.problems, part.discipline))
    return Composition(disciplines=tuple(parts), chinese=names.chinese)


def folded(data: Composition) -> Composition:
    """With at most `MOST_SUBJECTS` parts, or three a discipline: the smallest subjects of each become one part."""
    subjects = sorted((one.problems for part in data.disciplines for one in part.subjects), reverse=True)
    if len(subjects) <= MOST_SUBJECTS:
        return data
    names = Names(None, chinese=data.chinese)
    room = MOST_SUBJECTS - len(data.disciplines)
    least = subjects[max(0, room - 1)]
    parts = []
    for part in data.disciplines:
        kept = [one for one in part.subjects if one.problems > least] or list(part.subjects[:1])
        rest = part.subjects[len(kept) :]
        if len(rest) > 1:
            together: Counter[int] = Counter()
            for one in rest:
                together.update({level + 1: n for level, n in enumerate(one.levels)})
            kept.append(SubjectPart(subject="", name=names.others(len(rest)), levels=_levels(together)))
        else:
            kept.extend(rest)
        parts.append(part.model_copy(update={"subjects": tuple(kept)}))
    return data.model_copy(update={"disciplines": tuple(parts)})


def _levels(levels: Counter[int]) -> tuple[int, int, int, int, int]:
    return levels[1], levels[2], levels[3], levels[4], levels[5]
