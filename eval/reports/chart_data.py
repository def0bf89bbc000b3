"""Which charts a set of runs gives, and their figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from benchwright.eval.display.charts import Chart, Point, Series
from benchwright.eval.metrics.cells import Cell, Scored, cell_of
from benchwright.eval.metrics.step_metrics import StepCell
from benchwright.eval.papers.printed import SCIVERSE_VERSIONS
from benchwright.eval.papers.shapes import Entry

_FEWEST = 3
"""Places of a radar, at least: with fewer there is no ring."""
Key = tuple[str, ...]


def charts_of(entries: Sequence[Entry]) -> list[Chart]:
    """The charts of runs of one release, for each language: by subject, by level, and by version."""
    judged = [entry for entry in entries if entry.run.scored]
    rows = [row for entry in judged for row in entry.run.scored]
    found: list[Chart] = []
    for language in sorted({row.language for row in rows}):
        mine = [row for row in rows if row.language == language]
        subjects = sorted({(row.discipline, row.subject) for row in mine})
        levels = sorted({row.level for row in mine})
        if len(subjects) >= _FEWEST:
            found.append(_subjects(judged, language, subjects))
        if len(levels) > 1:
            found.append(_levels(judged, language, levels))
    for language in sorted(
        {row.language for entry in entries for row in (*entry.run.scored, *entry.run.steps)}
    ):
        found += _versions(entries, language)
    return found


def _subjects(entries: Sequence[Entry], language: str, subjects: Sequence[Key]) -> Chart:
    names = [subject for _, subject in subjects]
    places = [
        f"{subject} {discipline}" if names.count(subject) > 1 else subject for discipline, subject in subjects
    ]
    return _by_rows(
        "radar", "subjects", "Accuracy by subject", entries, language, subjects, places,
        lambda row: (row.discipline, row.subject),
    )  # fmt: skip


def _levels(entries: Sequence[Entry], language: str, levels: Sequence[str]) -> Chart:
    keys = [(level,) for level in levels]
    return _by_rows(
        "lines", "levels", "Accuracy by level", entries, language, keys, levels, lambda row: (row.level,)
    )


def _by_rows(
    kind: Literal["radar", "lines"],
    name: str,
    title: str,
    entries: Sequence[Entry],
    language: str,
    keys: Sequence[Key],
    places: Sequence[str],
    key_of: Callable[[Scored], Key],
) -> Chart:
    """A chart whose places are groups of rows."""
    series = []
    known: dict[str, Scored] = {}
    for entry in entries:
        groups: dict[Key, list[Scored]] = {key: [] for key in keys}
        for row in entry.run.scored:
            if row.language == language:
                groups[key_of(row)].append(row)
                known.setdefault(row.row_id, row)
        points = tuple(_point(cell_of((), (), groups[key]) if groups[key] else None) for key in keys)
        series.append(Series(entry.label, points))
    return Chart(
        name=f"{name}-{language}",
        kind=kind,
        title=f"{title}, language {language}",
        places=tuple(places),
        series=tuple(series),
        chance=_chance(list(known.values()), keys, key_of),
    )


def _versions(entries: Sequence[Entry], language: str) -> list[Chart]:
    """Accuracy, and the two parts of Sci-CoT where steps are scored, in the order of SciVerse's Table 2."""
    found = []
    accuracy, steps = [], []
    for entry in entries:
        cells = [_find(entry.figures.cells, version, language) for version in SCIVERSE_VERSIONS]
        if any(cells):
            accuracy.append(Series(entry.label, tuple(_point(cell) for cell in cells)))
        divided = [_find(entry.figures.step_cells, version, language) for version in SCIVERSE_VERSIONS]
        if any(divided):
            steps.append(Series(f"{entry.label}: K", tuple(_part(cell, "knowledge") for cell in divided)))
            steps.append(Series(f"{entry.label}: L", tuple(_part(cell, "logic") for cell in divided)))
    keys = [(version,) for version in SCIVERSE_VERSIONS]
    if _more_than_one_place(accuracy):
        rows = {r.row_id: r for entry in entries for r in entry.run.scored if r.language == language}
        chance = _chance(list(rows.values()), keys, lambda row: (row.version,))
        title = f"Accuracy by version, language {language}"
        found.append(
            Chart(f"versions-{language}", "lines", title, SCIVERSE_VERSIONS, tuple(accuracy), chance=chance)
        )
    if _more_than_one_place(steps):
        title = f"Right knowledge (K) and logic (L) steps by version, language {language}"
        found.append(
            Chart(
                f"sci-cot-{language}",
                "lines",
                title,
                SCIVERSE_VERSIONS,
                tuple(steps),
                "Sci-CoT_K, Sci-CoT_L, %",
            )
        )
    return found


def _more_than_one_place(series: Sequence[Series]) -> bool:
    return any(sum(point.value is not None for point in one.points) > 1 for one in series)


def _find(cells: Sequence[Cell] | Sequence[StepCell], version: str, language: str) -> Cell | StepCell | None:
    return next(
        (cell for cell in cells if cell.by == ("version", "language") and cell.key == (version, language)),
        None,
    )


def _point(cell: Cell | StepCell | None) -> Point:
    if not isinstance(cell, Cell):
        return Point(None)
    return Point(cell.accuracy, cell.low, cell.high, cell.incomplete)


def _part(cell: Cell | StepCell | None, part: Literal["knowledge", "logic"]) -> Point:
    if not isinstance(cell, StepCell):
        return Point(None)
    mean = cell.knowledge if part == "knowledge" else cell.logic
    return Point(mean.macro, mean.low, mean.high, cell.incomplete)


def _chance(
    rows: Sequence[Scored], keys: Sequence[Key], key_of: Callable[[Scored], Key]
) -> tuple[float | None, ...]:
    groups: dict[Key, list[float]] = {key: [] for key in keys}
    for row in rows:
        if key_of(row) in groups:
            groups[key_of(row)].append(row.chance)
    return tuple(sum(found) / len(found) if found else None for found in groups.values())
