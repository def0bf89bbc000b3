"""Figures of the card. Every one is counted from the rows that are published; nothing is typed in."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from benchwright.curation.release.audit_records import ReleaseAudit
from benchwright.curation.stats_lengths import characters, words
from benchwright.schemas.records import DIFFICULTY_NAMES, Record, ReleaseRow
from benchwright.schemas.versions import Version


class TextLengths(Record):
    """How long the texts of some rows are, in characters and in words (`curation.stats_lengths`)."""

    longest_question: int
    mean_question: float
    longest_question_words: int
    mean_question_words: float
    longest_answer: int | None
    """None, as all about answers, where not one is published."""
    mean_answer: float | None
    longest_answer_words: int | None
    mean_answer_words: float | None
    most_options: int


class VersionFigures(TextLengths):
    """One version in one language (SciVerse, Table 1): lengths of the text sent to a model."""

    version: str
    language: str
    splits: dict[str, int]
    rows: int
    images: int
    """Distinct pictures sent."""


class LanguageFigures(TextLengths):
    """One language (VisScience, Table 1): every problem once, by its whole question, in the first of its versions."""

    language: str
    problems: int


class DisciplineFigures(Record):
    """One discipline (VisScience, Table 1)."""

    discipline: str
    problems: int
    subjects: int
    levels: int


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
    languages: tuple[LanguageFigures, ...]
    by_discipline: tuple[DisciplineFigures, ...]
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


def release_figures(rows: Sequence[ReleaseRow], audit: ReleaseAudit) -> ReleaseFigures:
    """Count everything that the card says of the rows.

    Problems are counted once, in the first of their versions (and there in the first language by its code): a
    problem's question type is that of this row.

    Args:
        rows: as published.
        audit: what lies beside them.
    """
    groups: dict[tuple[str, str], list[ReleaseRow]] = defaultdict(list)
    for row in rows:
        groups[row.language, row.version].append(row)
    order = {version.value: place for place, version in enumerate(Version)}
    problems: dict[str, ReleaseRow] = {}
    for row in sorted(rows, key=lambda row: (order[row.version], row.language)):
        problems.setdefault(row.problem_id, row)
    ones = [problems[name] for name in sorted(problems)]
    names = sorted(groups, key=lambda key: (key[0], order[key[1]]))
    return ReleaseFigures(
        rows=len(rows),
        problems=len(ones),
        images=len({sha256 for row in rows for sha256 in row.images}),
        unique_questions=len({row.full_question for row in rows}),
        unique_answers=len({row.answer for row in rows if row.answer is not None}),
        versions=tuple(_version_figures(groups[name]) for name in names),
        languages=_languages(rows),
        by_discipline=_disciplines(ones),
        splits=_shares(row.split.value for row in ones),
        disciplines=_shares(row.discipline for row in ones),
        subjects=_shares(f"{row.discipline} / {row.subject}" for row in ones),
        levels=_shares(f"{row.difficulty} {DIFFICULTY_NAMES[row.difficulty]}" for row in ones),
        question_types=_shares(row.question_type.value for row in ones),
        sources=_counted((row.source, row.source_license) for row in ones),
        origins=_counted((line.field, line.origin) for line in audit.origins),
        left_out=_counted((line.version, line.reason) for line in audit.left_out),
    )


def _version_figures(rows: Sequence[ReleaseRow]) -> VersionFigures:
    return VersionFigures(
        version=rows[0].version,
        language=rows[0].language,
        splits=dict(sorted(Counter(row.split.value for row in rows).items())),
        rows=len(rows),
        images=len({sha256 for row in rows for sha256 in row.images}),
        **_lengths(rows, [row.question for row in rows]).model_dump(),
    )


def _languages(rows: Sequence[ReleaseRow]) -> tuple[LanguageFigures, ...]:
    order = {version.value: place for place, version in enumerate(Version)}
    firsts: dict[str, dict[str, ReleaseRow]] = defaultdict(dict)
    for row in sorted(rows, key=lambda row: order[row.version]):
        firsts[row.language].setdefault(row.problem_id, row)
    return tuple(
        LanguageFigures(
            language=language,
            problems=len(found),
            **_lengths(list(found.values()), [row.full_question for row in found.values()]).model_dump(),
        )
        for language, found in sorted(firsts.items())
    )


def _disciplines(ones: Iterable[ReleaseRow]) -> tuple[DisciplineFigures, ...]:
    groups: dict[str, list[ReleaseRow]] = defaultdict(list)
    for row in ones:
        groups[row.discipline].append(row)
    return tuple(
        DisciplineFigures(
            discipline=name,
            problems=len(group),
            subjects=len({row.subject for row in group}),
            levels=len({row.difficulty for row in group}),
        )
        for name, group in sorted(groups.items())
    )


def _lengths(rows: Sequence[ReleaseRow], questions: Sequence[str]) -> TextLengths:
    answers = [row.answer for row in rows if row.answer is not None]
    asked, asked_words = [characters(text) for text in questions], [words(text) for text in questions]
    said, said_words = [characters(text) for text in answers], [words(text) for text in answers]
    return TextLengths(
        longest_question=max(asked),
        mean_question=_mean(asked),
        longest_question_words=max(asked_words),
        mean_question_words=_mean(asked_words),
        longest_answer=max(said, default=None),
        mean_answer=_mean(said) if said else None,
        longest_answer_words=max(said_words, default=None),
        mean_answer_words=_mean(said_words) if said else None,
        most_options=max(len(row.options) for row in rows),
    )


def _mean(lengths: Sequence[int]) -> float:
    return round(sum(lengths) / len(lengths), 2)


def _shares(names: Iterable[str]) -> tuple[Share, ...]:
    counts = Counter(names)
    total = sum(counts.values())
    return tuple(
        Share(name=name, count=count, percent=round(100 * count / total, 1))
        for name, count in sorted(counts.items())
    )


def _counted(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str, int], ...]:
    return tuple((*pair, count) for pair, count in sorted(Counter(pairs).items()))
