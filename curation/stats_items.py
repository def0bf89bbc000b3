"""What statistics are of: the pool, the selection, the problems or a release, one item in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from benchwright.curation.chosen_now import current_selection
from benchwright.curation.ingest_rows import picture_refs
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Choice, LocalizedText, Problem, Question, ReleaseRow
from benchwright.schemas.release_table import read_manifest, read_release_table
from benchwright.schemas.selection import SelectionRow
from benchwright.schemas.tables import iter_records
from benchwright.schemas.versions import choices_text
from benchwright.schemas.workspace import Workspace

Subject = Literal["pool", "selection", "problems", "release"]
SUBJECTS: tuple[Subject, ...] = ("pool", "selection", "problems", "release")


@dataclass(frozen=True)
class Said:
    """One text of an item."""

    language: str
    version: str
    """Of a release; '' elsewhere."""
    question: str
    options: str
    """The options as lines; '' where there are none, or where they stand in the picture."""
    answer: str


@dataclass(frozen=True)
class Item:
    """What is counted of one question, problem or release row."""

    item_id: str
    discipline: str
    subject: str | None
    difficulty: int | None
    question_type: str
    source: str
    split: str | None
    points: tuple[str, ...]
    images: tuple[str, ...]
    """Digests, repeats included."""
    solution: bool
    options: int
    texts: tuple[Said, ...]
    estimated: tuple[str, ...] = field(default=())
    """Fields whose values are estimates."""


def items_of(workspace: Workspace, of: Subject | None = None) -> tuple[Subject, Iterator[Item]]:
    """What the figures are of, and its items.

    Args:
        workspace: where they lie.
        of: None takes the problems where there are any, else the pool. `release` is the one with the recipe's tag.

    Raises:
        UsageError: it is not there.
    """
    if of == "release":
        return of, _release(workspace)
    if of == "selection":
        disciplines = workspace.selected_disciplines()
        if not disciplines:
            raise UsageError("nothing was selected yet: run `curate cluster` first.")
        return of, (item for name in disciplines for item in _selection(workspace, name))
    if of == "problems" or (of is None and workspace.problems.is_file()):
        if not workspace.problems.is_file():
            raise UsageError("there are no problems yet: run `curate problems` first, or ask for --of pool.")
        return "problems", (item_from(problem) for problem in iter_records(workspace.problems, Problem))
    disciplines = workspace.pool_disciplines()
    if not disciplines:
        raise UsageError("the pool is empty: run `curate ingest SOURCE` first.")
    return "pool", (
        item_from(question)
        for name in disciplines
        for question in iter_records(workspace.pool(name), Question)
    )


def item_from(item: Question | Problem, chosen: SelectionRow | None = None) -> Item:
    """What is counted of a question or a problem; of a chosen question with the values it was chosen for."""
    own = item.texts[item.language]
    seen = item if chosen is None else chosen
    return Item(
        item_id=item.problem_id if isinstance(item, Problem) else item.id,
        discipline=item.discipline,
        subject=seen.subject,
        difficulty=seen.difficulty,
        question_type=item.question_type.value,
        source=item.source,
        split=item.split.value if isinstance(item, Problem) else None,
        points=item.knowledge_points,
        images=tuple(ref.sha256 for ref in picture_refs({"": own}, item.images)),
        solution=own.solution is not None,
        options=len(own.choices),
        texts=tuple(_said(language, text) for language, text in sorted(item.texts.items())),
        estimated=() if chosen is None else _estimated(item, chosen),
    )


def _estimated(item: Question | Problem, chosen: SelectionRow) -> tuple[str, ...]:
    """Which values of a chosen question its source does not give."""
    differs = {
        "subject": item.subject != chosen.subject,
        "difficulty": item.difficulty != chosen.difficulty,
        "knowledge_points": not item.knowledge_points,
    }
    return tuple(name for name, is_estimate in differs.items() if is_estimate)


def _said(language: str, text: LocalizedText) -> Said:
    return Said(language, "", text.question, choices_text(text.choices), text.answer)


def _selection(workspace: Workspace, discipline: str) -> Iterator[Item]:
    chosen = {row.question_id: row for row in current_selection(workspace, discipline).rows}
    for question in iter_records(workspace.pool(discipline), Question):
        if row := chosen.pop(question.id, None):
            yield item_from(question, row)
    if chosen:
        raise UsageError(
            f"{len(chosen)} chosen questions of {discipline} are no longer in the pool: run `curate cluster "
            f"--discipline {discipline}` again."
        )


def _release(workspace: Workspace) -> Iterator[Item]:
    tag = workspace.recipe.release.tag
    folder = workspace.release(tag)
    manifest = read_manifest(folder) if folder.is_dir() else None
    if manifest is None:
        raise UsageError(f"there is no release {tag} yet: run `push-dataset --dry-run` to build it.")
    tables = [folder / table.path for table in manifest.tables()]
    return (_released(row) for table in tables for row in _rows(table))


def _rows(table: Path) -> Iterator[ReleaseRow]:
    for row, _ in read_release_table(table):
        yield row


def _released(row: ReleaseRow) -> Item:
    options = choices_text(tuple(Choice(label=one.label, text=one.text) for one in row.options))
    sent = row.question.endswith(options)
    question = row.question.removesuffix(options).rstrip("\n") if options and sent else row.question
    said = Said(row.language, row.version, question, options if sent else "", row.answer or "")
    return Item(
        item_id=row.problem_id,
        discipline=row.discipline,
        subject=row.subject,
        difficulty=row.difficulty,
        question_type=row.question_type.value,
        source=row.source,
        split=row.split.value,
        points=row.knowledge_points,
        images=row.images,
        solution=row.solution is not None,
        options=len(row.options),
        texts=(said,),
    )
