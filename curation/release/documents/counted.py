"""What documents say in figures beyond those of the card: counted from the published rows."""

from __future__ import annotations

from collections import defaultdict

from benchwright.curation.release.edition import Edition
from benchwright.schemas.records import Origin, Record
from benchwright.schemas.versions import Version

_ADJUDICATED = 1
"""Place among the bases of `ReviewedJob.verdicts`."""


class Variety(Record):
    """One language of the release."""

    language: str
    problems: int
    asked: int
    """Of them, problems that their source has in this language."""
    translated: int
    """Of them, problems that were translated into it."""
    rows: int
    formulas: int
    """Rows whose question holds mathematical notation between dollar signs."""


class Task(Record):
    """What people did in one review job."""

    job: str
    people: int
    items: int
    by_two: int
    adjudicated: int


def varieties(edition: Edition) -> tuple[Variety, ...]:
    """The languages, sorted."""
    made = edition.published.translated
    found = []
    for language in edition.languages:
        rows = [row for row in edition.published.rows if row.language == language]
        problems = {row.problem_id for row in rows}
        translated = sum(language in made.get(name, ()) for name in problems)
        found.append(
            Variety(
                language=language,
                problems=len(problems),
                asked=len(problems) - translated,
                translated=translated,
                rows=len(rows),
                formulas=sum("$" in row.full_question for row in rows),
            )
        )
    return tuple(found)


def tasks(edition: Edition) -> tuple[Task, ...]:
    """The review jobs, by name."""
    return tuple(
        Task(
            job=one.job,
            people=one.people,
            items=one.items,
            by_two=one.by_two,
            adjudicated=one.verdicts[_ADJUDICATED],
        )
        for one in edition.found.reviewed_jobs
    )


def drawn(edition: Edition) -> dict[str, int]:
    """Distinct pictures that were drawn for the release, by version."""
    pictures: dict[str, set[str]] = defaultdict(set)
    for row in edition.published.rows:
        if row.render is not None and row.images:
            pictures[row.version].add(row.images[0])
    return {version.value: len(pictures[version.value]) for version in Version if version.value in pictures}


def estimated(edition: Edition) -> tuple[tuple[str, str, int], ...]:
    """Fields whose value is nobody's word: field, origin (proposal or estimate), problems."""
    machine = (Origin.PROPOSAL.value, Origin.ESTIMATE.value)
    return tuple(one for one in edition.figures.origins if one[1] in machine)


def left_out(edition: Edition) -> int:
    """Rows that could not be made."""
    return sum(count for _, _, count in edition.figures.left_out)


def criterion(edition: Edition, number: int) -> str:
    """Status and figure of one criterion of the checklist."""
    one = edition.checked.criteria[number - 1]
    return f"{one.status} ({one.figure})"
