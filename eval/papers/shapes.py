"""Runs in the shapes of the papers' tables: VisScience, Tables 2, 3, 6, 7 and 8; SciVerse, Table 2.

Lines stand in the order in which the runs were named: a table ranks nothing. A line with the closed-form level of a
blind guesser stands first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any

from benchwright.eval.display.tables import Column, Line, Table, Value
from benchwright.eval.metrics.cells import Cell, Scored, cell_of
from benchwright.eval.metrics.placed import Metric, Placed
from benchwright.eval.metrics.run_view import RunView
from benchwright.eval.metrics.step_metrics import StepCell
from benchwright.eval.metrics.totals import RunFigures
from benchwright.eval.metrics.version_figures import VersionMean
from benchwright.eval.papers.printed import ALL, METRICS, SCIVERSE_VERSIONS, published
from benchwright.schemas.versions import Version

CHANCE = "blind guesser (closed form)"
_BASELINE = "baseline"
_SECTIONS = {"Q": "text alone (Q)", "QI": "text and pictures (Q, I)", "I": "pictures alone (I)"}
_PEOPLE = "people"
_OVERALL = {"zh": "visscience-2", "en": "visscience-6"}
_SUBJECTS = {"mathematics": "visscience-3", "physics": "visscience-7", "chemistry": "visscience-8"}
_STEP_METRIC: dict[str, Metric] = {"Sci-CoT": "sci-cot", "Sci-CoT_K": "sci-cot-k", "Sci-CoT_L": "sci-cot-l"}


@dataclass(frozen=True)
class Entry:
    """A run as it enters tables."""

    run: RunView
    figures: RunFigures
    label: str

    @property
    def section(self) -> str:
        """Under which heading it stands."""
        return _PEOPLE if self.run.people is not None else _SECTIONS[self.run.spec.input]


def paper_shapes(entries: Sequence[Entry]) -> list[Table]:
    """Every table that has something to show, of runs of one release.

    Raises:
        ArithmeticError: a line's subjects do not add up to its ALL (cannot happen; checked all the same).
    """
    judged = [entry for entry in entries if entry.run.scored]
    found: list[Table] = []
    for version in _whole_question_versions(entries):
        languages = _values(judged, "language", version)
        found += [_overall(judged, version, language) for language in languages]
        for language in languages:
            found += _by_subject(judged, version, language)
    for language in _values(entries, "language", None):
        if any(_version_cells(entry, language) for entry in entries):
            found.append(_five_versions(entries, language))
    return found


def _whole_question_versions(entries: Sequence[Entry]) -> list[str]:
    """Versions whose rows are shown as VisScience does: the question as it is; else those of runs in its protocol."""
    versions = _values(entries, "version", None)
    if Version.ORIGINAL.value in versions:
        return [Version.ORIGINAL.value]
    return _values([entry for entry in entries if entry.run.spec.protocol == "visscience"], "version", None)


# --- VisScience, Tables 2 and 6: models and disciplines, one language a table
def _overall(entries: Sequence[Entry], version: str, language: str) -> Table:
    columns = _values(entries, "discipline", version, language)
    lines = []
    for entry in entries:
        rows = _rows(entry, version, language)
        cells = [_cell(rows, discipline=name) for name in columns]
        if any(cells):
            lines.append(_line(entry, [_value(cell) for cell in cells]))
    chance = _chance(entries, version, language, [{"discipline": name} for name in columns])
    return Table(
        name=_name(_OVERALL.get(language, f"visscience-{language}"), version),
        title=f"Accuracy by discipline, %, language {language}{_of(version)} "
        "(in the shape of VisScience, Tables 2 and 6)",
        label_columns=("model", "input"),
        columns=tuple(Column(name=name) for name in columns),
        lines=(chance, *_in_sections(lines)),
    )


# --- VisScience, Tables 3, 7 and 8: models and the subjects of one discipline
def _by_subject(entries: Sequence[Entry], version: str, language: str) -> list[Table]:
    found = []
    for discipline in _values(entries, "discipline", version, language):
        subjects = _subject_order(discipline, entries, version, language)
        lines = []
        for entry in entries:
            rows = [row for row in _rows(entry, version, language) if row.discipline == discipline]
            whole, parts = _cell(rows), [_cell(rows, subject=name) for name in subjects]
            if whole is None:
                continue
            check_line(whole, parts)
            lines.append(_line(entry, [_value(whole), *(_value(part) for part in parts)]))
        groups: list[dict[str, str]] = [
            {"discipline": discipline},
            *({"discipline": discipline, "subject": name} for name in subjects),
        ]
        number = _SUBJECTS.get(discipline, f"visscience-{discipline}")
        found.append(
            Table(
                name=_name(number if language == "zh" else f"{number}-{language}", version),
                title=f"Accuracy in {discipline} by subject, %, language {language}{_of(version)} "
                "(in the shape of VisScience, Tables 3, 7 and 8)",
                label_columns=("model", "input"),
                columns=tuple(Column(name=name) for name in (ALL, *subjects)),
                lines=(_chance(entries, version, language, groups), *_in_sections(lines)),
            )
        )
    return found


def check_line(whole: Cell | None, parts: Sequence[Cell | None]) -> None:
    """Prove that the subjects of a line, weighted with their counts, give its ALL.

    Raises:
        ArithmeticError: they do not.
    """
    if whole is None:
        return
    known = [part for part in parts if part is not None]
    for field in ("n_total", "n_scored", "consistent"):
        if sum(getattr(part, field) for part in known) != getattr(whole, field):
            raise ArithmeticError(f"{field} of the subjects does not add up to ALL")
    if whole.accuracy is not None:
        weighted = sum((part.accuracy or 0.0) * part.n_scored for part in known) / whole.n_scored
        if not isclose(weighted, whole.accuracy, abs_tol=1e-9):
            raise ArithmeticError("the weighted subjects are not ALL")


# --- SciVerse, Table 2: models and the five versions
def _five_versions(entries: Sequence[Entry], language: str) -> Table:
    columns = [Column(group="All", name=name) for name in METRICS[:2]]
    columns += [Column(group=version, name=name) for version in SCIVERSE_VERSIONS for name in METRICS]
    lines = []
    for first, second, label in _together(entries):
        values = [_mean(first, "accuracy", language), _mean(second, "sci-cot", language)]
        for version in SCIVERSE_VERSIONS:
            values.append(_value(_version_cell(first, version, language)))
            values += [_step_value(_step_cell(second, version, language), name) for name in METRICS[1:]]
        one = first or second
        if one is not None and any(values):
            lines.append(Line(labels=(label,), values=tuple(values), section=one.section))
    groups: list[dict[str, str] | None] = [{}, None]
    for version in SCIVERSE_VERSIONS:
        groups += [{"version": version}, None, None, None]
    notes = [
        "Acc comes from the runs with a direct answer, Sci-CoT from those step by step; Sci-CoT is the mean of the "
        "cell's Sci-CoT_K and Sci-CoT_L (means over responses).",
        "All is the mean of the five versions; it stands only where all five have a figure.",
    ]
    return Table(
        name=f"sciverse-2-{language}",
        title=f"Accuracy and Sci-CoT by version, %, language {language} (in the shape of SciVerse, Table 2)",
        label_columns=("model",),
        columns=tuple(columns),
        lines=(_version_chance(entries, language, groups), *_in_sections(lines)),
        notes=tuple(notes),
    )


def _together(entries: Sequence[Entry]) -> list[tuple[Entry | None, Entry | None, str]]:
    """A model's run with direct answers and its run step by step make one line, where that is clear without doubt."""
    pairs: dict[Any, list[Entry]] = defaultdict(list)
    for entry in entries:
        spec = entry.run.spec
        pairs[(spec.model, spec.dataset.digest, spec.input, spec.sample, spec.protocol)].append(entry)
    lines: list[tuple[Entry | None, Entry | None, str]] = []
    for members in pairs.values():
        accuracy = [entry for entry in members if entry.run.scored]
        steps = [entry for entry in members if entry.run.steps]
        if len(accuracy) == 1 and len(steps) == 1 and len(members) == 2:
            lines.append((accuracy[0], steps[0], _common_label(accuracy[0], steps[0])))
        else:
            lines += [
                (entry if entry.run.scored else None, entry if entry.run.steps else None, entry.label)
                for entry in members
            ]
    return lines


def _common_label(one: Entry, other: Entry) -> str:
    name = one.run.spec.model.name
    return f"{name} [{one.run.run_id[:6]}, {other.run.run_id[:6]}]" if "[" in one.label else name


# --- what stands in a cell
def _value(cell: Cell | None) -> Value | None:
    if cell is None:
        return None
    return Value(
        percent=_percent(cell.accuracy),
        n=cell.n_scored,
        n_total=cell.n_total,
        low=_percent(cell.low),
        high=_percent(cell.high),
        incomplete=cell.incomplete,
    )


def _step_value(cell: StepCell | None, name: str) -> Value | None:
    if cell is None:
        return None
    if name == "Sci-CoT":
        share, low, high, n = cell.sci_cot, cell.low, cell.high, cell.n_scored
    else:
        mean = cell.knowledge if name == "Sci-CoT_K" else cell.logic
        share, low, high, n = mean.macro, mean.low, mean.high, mean.n
    return Value(
        percent=_percent(share),
        n=n,
        n_total=cell.n_total,
        low=_percent(low),
        high=_percent(high),
        incomplete=cell.incomplete,
    )


def _mean(entry: Entry | None, metric: Metric, language: str) -> Value | None:
    if entry is None:
        return None
    cells: Sequence[Cell | StepCell] = [
        cell for version in SCIVERSE_VERSIONS if (cell := _any_cell(entry, metric, version, language))
    ]
    if not cells:
        return None
    found = next((one for one in entry.figures.means if _is(one, metric, language)), None)
    return Value(
        percent=None if found is None else _percent(found.mean),
        n=sum(cell.n_scored for cell in cells),
        n_total=sum(cell.n_total for cell in cells),
        low=None if found is None else _percent(found.low),
        high=None if found is None else _percent(found.high),
        incomplete=any(cell.incomplete for cell in cells),
    )


def _is(mean: VersionMean, metric: Metric, language: str) -> bool:
    return mean.metric == metric and mean.by == ("language",) and mean.key == (language,)


def _any_cell(entry: Entry, metric: Metric, version: str, language: str) -> Cell | StepCell | None:
    if metric == "accuracy":
        return _version_cell(entry, version, language)
    return _step_cell(entry, version, language)


def _version_cell(entry: Entry | None, version: str, language: str) -> Cell | None:
    cells = () if entry is None else entry.figures.cells
    return next((cell for cell in cells if _at(cell, version, language)), None)


def _step_cell(entry: Entry | None, version: str, language: str) -> StepCell | None:
    cells = () if entry is None else entry.figures.step_cells
    return next((cell for cell in cells if _at(cell, version, language)), None)


def _version_cells(entry: Entry, language: str) -> bool:
    cells: Iterable[Cell | StepCell] = (*entry.figures.cells, *entry.figures.step_cells)
    return any(_at(cell, version, language) for cell in cells for version in SCIVERSE_VERSIONS)


def _at(cell: Cell | StepCell, version: str, language: str) -> bool:
    return cell.by == ("version", "language") and cell.key == (version, language)


def _cell(rows: Sequence[Scored], **wanted: str) -> Cell | None:
    chosen = [row for row in rows if _has(row, wanted)]
    return cell_of(tuple(wanted), tuple(wanted.values()), chosen) if chosen else None


def _has(row: Placed, wanted: dict[str, str]) -> bool:
    return all(getattr(row, name) == value for name, value in wanted.items())


def _rows(entry: Entry, version: str, language: str) -> list[Scored]:
    return [row for row in entry.run.scored if row.version == version and row.language == language]


# --- the line of the blind guesser
def _chance(
    entries: Sequence[Entry], version: str, language: str, groups: Sequence[dict[str, str] | None]
) -> Line:
    rows = _known_rows(entries, version, language)
    return Line(labels=(CHANCE, ""), values=_chance_values(rows, groups), section=_BASELINE)


def _version_chance(entries: Sequence[Entry], language: str, groups: Sequence[dict[str, str] | None]) -> Line:
    rows = _known_rows(entries, None, language)
    five = [row for row in rows if row.version in SCIVERSE_VERSIONS]
    return Line(labels=(CHANCE,), values=_chance_values(five, groups), section=_BASELINE)


def _chance_values(
    rows: Sequence[Scored], groups: Sequence[dict[str, str] | None]
) -> tuple[Value | None, ...]:
    values = []
    for wanted in groups:
        chances = [] if wanted is None else [row.chance for row in rows if _has(row, wanted)]
        mean = sum(chances) / len(chances) if chances else None
        n = len(chances)
        values.append(None if mean is None else Value(percent=_percent(mean), n=n, n_total=n))
    return tuple(values)


def _known_rows(entries: Sequence[Entry], version: str | None, language: str) -> list[Scored]:
    """Every row that some run has, once."""
    rows: dict[str, Scored] = {}
    for entry in entries:
        for row in entry.run.scored:
            if row.language == language and version in (None, row.version):
                rows.setdefault(row.row_id, row)
    return list(rows.values())


# --- order, names
def _line(entry: Entry, values: Sequence[Value | None]) -> Line:
    asked = (
        "-"
        if entry.run.people is not None
        else {"QI": "Q, I"}.get(entry.run.spec.input, entry.run.spec.input)
    )
    return Line(labels=(entry.label, asked), values=tuple(values), section=entry.section)


def _in_sections(lines: Sequence[Line]) -> list[Line]:
    order = list(dict.fromkeys(line.section for line in lines))
    return sorted(lines, key=lambda line: order.index(line.section))


def _values(
    entries: Sequence[Entry], name: str, version: str | None, language: str | None = None
) -> list[str]:
    found = {
        str(getattr(row, name))
        for entry in entries
        for row in (*entry.run.scored, *entry.run.steps)
        if version in (None, row.version) and language in (None, row.language)
    }
    places = {version.value: place for place, version in enumerate(Version)}
    return sorted(found, key=lambda value: (places.get(value, 0) if name == "version" else 0, value))


def _subject_order(discipline: str, entries: Sequence[Entry], version: str, language: str) -> list[str]:
    """The papers' subjects in the order of their tables here, others after them by name."""
    known = [c for table in published() if table.discipline == discipline for c in table.columns]
    rows = _known_rows(entries, version, language)
    subjects = {row.subject for row in rows if row.discipline == discipline}
    return sorted(subjects, key=lambda name: (known.index(name) if name in known else len(known), name))


def _of(version: str) -> str:
    return "" if version == Version.ORIGINAL.value else f", version {version}"


def _name(name: str, version: str) -> str:
    return name if version == Version.ORIGINAL.value else f"{name}-{version}"


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
