"""`curate stats`: what a pool or a benchmark is made of, in counts and lengths (as in VisScience, Table 1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

from benchwright.curation.ingest_rows import picture_refs
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import LocalizedText, Problem, Question, Record
from benchwright.schemas.tables import iter_records
from benchwright.schemas.workspace import Workspace

Subject = Literal["pool", "problems"]
NONE = "(none)"


class Length(Record):
    """Characters of a text over all items that have it."""

    n: int
    mean: float
    maximum: int


class Stats(Record):
    """The figures; `of` says of what. A count by language counts texts, all others count items."""

    of: Subject
    items: int
    by_discipline: dict[str, int]
    by_subject: dict[str, int]
    by_difficulty: dict[str, int]
    by_question_type: dict[str, int]
    by_language: dict[str, int]
    by_source: dict[str, int]
    by_split: dict[str, int]
    with_image: int
    with_solution: int
    images: int
    unique_images: int
    unique_questions: int
    unique_answers: int
    question_length: dict[str, Length]
    answer_length: dict[str, Length]
    choices: dict[str, int]
    """Number of options -> items, of those that have any."""


def pool_or_problems(
    workspace: Workspace, of: Subject | None = None
) -> tuple[Subject, Iterator[Question | Problem]]:
    """What the figures are of: the problems where there are any, else the pool.

    Raises:
        UsageError: there is neither, or not what was asked for.
    """
    if of == "problems" or (of is None and workspace.problems.is_file()):
        if not workspace.problems.is_file():
            raise UsageError("there are no problems yet: run `curate problems` first, or ask for --of pool.")
        return "problems", iter_records(workspace.problems, Problem)
    disciplines = workspace.pool_disciplines()
    if not disciplines:
        raise UsageError("the pool is empty: run `curate ingest SOURCE` first.")
    return "pool", (
        question for name in disciplines for question in iter_records(workspace.pool(name), Question)
    )


def statistics(of: Subject, items: Iterable[Question | Problem]) -> Stats:
    """Count; one pass, one item in memory at a time (but for the sets behind the unique counts)."""
    counts: dict[str, Counter[str]] = {
        name: Counter()
        for name in ("discipline", "subject", "difficulty", "type", "language", "source", "split", "choices")
    }
    lengths: dict[str, list[tuple[str, int]]] = {"question": [], "answer": []}
    unique: dict[str, set[str]] = {"image": set(), "question": set(), "answer": set()}
    n = images = with_image = with_solution = 0
    for item in items:
        n += 1
        refs = picture_refs({"": _text(item)}, item.images)
        images += len(refs)
        with_image += bool(refs)
        with_solution += _text(item).solution is not None
        unique["image"].update(ref.sha256 for ref in refs)
        _count(item, counts)
        for language, text in item.texts.items():
            counts["language"][language] += 1
            for name, value in (("question", text.question), ("answer", text.answer)):
                lengths[name].append((language, len(value)))
                unique[name].add(value)
    ordered = {name: dict(sorted(counter.items())) for name, counter in counts.items()}
    return Stats(
        of=of,
        items=n,
        by_discipline=ordered["discipline"],
        by_subject=ordered["subject"],
        by_difficulty=ordered["difficulty"],
        by_question_type=ordered["type"],
        by_language=ordered["language"],
        by_source=ordered["source"],
        by_split=ordered["split"],
        with_image=with_image,
        with_solution=with_solution,
        images=images,
        unique_images=len(unique["image"]),
        unique_questions=len(unique["question"]),
        unique_answers=len(unique["answer"]),
        question_length=_lengths(lengths["question"]),
        answer_length=_lengths(lengths["answer"]),
        choices=ordered["choices"],
    )


def _text(item: Question | Problem) -> LocalizedText:
    return item.texts[item.language]


def _count(item: Question | Problem, counts: dict[str, Counter[str]]) -> None:
    counts["discipline"][item.discipline] += 1
    counts["subject"][f"{item.discipline}/{item.subject}" if item.subject else NONE] += 1
    counts["difficulty"][str(item.difficulty) if item.difficulty else NONE] += 1
    counts["type"][item.question_type.value] += 1
    counts["source"][item.source] += 1
    if isinstance(item, Problem):
        counts["split"][item.split.value] += 1
    if options := _text(item).choices:
        counts["choices"][str(len(options))] += 1


def _lengths(values: list[tuple[str, int]]) -> dict[str, Length]:
    by_language: dict[str, list[int]] = {}
    for language, length in values:
        by_language.setdefault(language, []).append(length)
    return {
        language: Length(n=len(found), mean=round(sum(found) / len(found), 2), maximum=max(found))
        for language, found in sorted(by_language.items())
    }
