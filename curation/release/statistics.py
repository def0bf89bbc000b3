"""Figures of the card. Every one is counted from the rows that are published; nothing is typed in."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from benchwright.curation.stats_lengths import characters
from benchwright.schemas.records import DIFFICULTY_NAMES, Record, Rejected, ReleaseRow
from benchwright.schemas.versions import Version


class VersionFigures(Record):
    """One version in one language (the papers' Table 1: lengths in characters of the text sent to a model)."""

    version: str
    language: str
    splits: dict[str, int]
    rows: int
    longest_question: int
    mean_question: float
    longest_answer: int
    mean_answer: float
    most_options: int
    images: int
    """Distinct pictures sent."""


class Share(Record):
    """A count of problems and its share of all."""

    name: str
    count: int
    percent: float


class ReleaseFigures(Record):
    """Everything counted."""

    rows: int
    problems: int
    images: int
    unique_questions: int
    unique_answers: int
    versions: tuple[VersionFigures, ...]
    splits: tuple[Share, ...]
    disciplines: tuple[Share, ...]
    subjects: tuple[Share, ...]
    """Named `discipline / subject`."""
    levels: tuple[Share, ...]
    question_types: tuple[Share, ...]
    sources: tuple[tuple[str, str, int], ...]
    """Source, licence, problems."""
    origins: tuple[tuple[str, str, int], ...]
    """Field, who said it last (source, estimate, proposal, review), problems."""
    left_out: tuple[tuple[str, str, int], ...]
    """Version, reason, rows that could not be made."""


def release_figures(
    rows: Sequence[ReleaseRow],
    rejected: Iterable[Rejected],
    origins: Mapping[str, Iterable[tuple[str, str]]],
) -> ReleaseFigures:
    """Count everything that the card says.

    Problems are counted once, by the first of their rows; a problem's question type is that of the row.
    """
    problems = {row.problem_id: row for row in reversed(rows)}
    ones = [problems[name] for name in sorted(problems)]
    groups: dict[tuple[str, str], list[ReleaseRow]] = defaultdict(list)
    for row in rows:
        groups[row.language, row.version].append(row)
    order = {version.value: place for place, version in enumerate(Version)}
    names = sorted(groups, key=lambda key: (key[0], order[key[1]]))
    return ReleaseFigures(
        rows=len(rows),
        problems=len(ones),
        images=len({sha256 for row in rows for sha256 in row.images}),
        unique_questions=len({row.full_question for row in rows}),
        unique_answers=len({row.answer for row in rows if row.answer is not None}),
        versions=tuple(_version_figures(groups[name]) for name in names),
        splits=_shares(row.split.value for row in ones),
        disciplines=_shares(row.discipline for row in ones),
        subjects=_shares(f"{row.discipline} / {row.subject}" for row in ones),
        levels=_shares(f"{row.difficulty} {DIFFICULTY_NAMES[row.difficulty]}" for row in ones),
        question_types=_shares(row.question_type.value for row in ones),
        sources=_counted((row.source, row.source_license) for row in ones),
        origins=_counted(pair for row in ones for pair in set(origins.get(row.problem_id, ()))),
        left_out=_counted((_version_of(item.item_id), item.reason) for item in rejected),
    )


def _version_figures(rows: Sequence[ReleaseRow]) -> VersionFigures:
    questions = [characters(row.question) for row in rows]
    answers = [characters(row.answer) for row in rows if row.answer is not None]
    return VersionFigures(
        version=rows[0].version,
        language=rows[0].language,
        splits=dict(sorted(Counter(row.split.value for row in rows).items())),
        rows=len(rows),
        longest_question=max(questions),
        mean_question=round(sum(questions) / len(rows), 2),
        longest_answer=max(answers, default=0),
        mean_answer=round(sum(answers) / max(1, len(answers)), 2),
        most_options=max(len(row.options) for row in rows),
        images=len({sha256 for row in rows for sha256 in row.images}),
    )


def _shares(names: Iterable[str]) -> tuple[Share, ...]:
    counts = Counter(names)
    total = sum(counts.values())
    return tuple(
        Share(name=name, count=count, percent=round(100 * count / total, 1))
        for name, count in sorted(counts.items())
    )


def _counted(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str, int], ...]:
    return tuple((*pair, count) for pair, count in sorted(Counter(pairs).items()))


def _version_of(item_id: str) -> str:
    """Version inside a row id (`problem-version-language`); versions may hold a hyphen themselves."""
    stem = item_id.rsplit("-", 1)[0]
    return next((version.value for version in Version if stem.endswith(f"-{version}")), "?")
