"""The report of runs of one release: which they are, their tables, who is told apart; as Markdown and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from benchwright.eval.display.charts import Chart
from benchwright.eval.display.plain_text import markdown_cell
from benchwright.eval.display.tables import Table, plain_table, table_markdown
from benchwright.eval.metrics.baselines import Blind, blind_baselines, blind_kind
from benchwright.eval.metrics.comparison import Comparison, Entrant, compare
from benchwright.eval.metrics.repeats import RepeatGroup, RunRecords, repeats
from benchwright.eval.metrics.run_view import RunView, labels
from benchwright.eval.metrics.scores import percent
from benchwright.eval.metrics.totals import figures
from benchwright.eval.papers.shapes import Entry, paper_shapes
from benchwright.eval.reports.chart_data import charts_of
from benchwright.eval.reports.comparison_page import blind_markdown, comparison_markdown, repeats_markdown
from benchwright.eval.reports.judge_notes import AnyCalibration, judge_notes
from benchwright.eval.reports.report_words import version_lines
from benchwright.eval.runs.families import own_family
from benchwright.eval.runs.protocol_name import asked_how, protocol_name, users_prompts
from benchwright.eval.runs.spec import RunSpec
from benchwright.schemas.records import Record

_WHOLE: frozenset[tuple[str, ...]] = frozenset({(), ("language",)})
"""Tables of versions that a report of several runs shows; a run's own report shows all."""


class RunLine(Record):
    """One run of a report."""

    run_id: str
    label: str
    protocol: str
    asked: str
    judge: str
    own_family: tuple[str, ...]
    """Parts of the judging that a relative of the tested model did."""
    rows: int
    accuracy: float | None
    sci_cot: float | None
    incomplete: bool
    partial: bool
    reduced_rows: int
    """Rows that were asked with a picture smaller than published."""
    flags: dict[str, int]
    """Rows that `evaluate items` marked for another look, by kind."""


class ReleaseFigures(Record):
    """What `report.json` holds for one release."""

    data: str
    commit: str | None
    tag: str | None
    digests: tuple[str, ...]
    """Over the rows of the runs: several where runs asked different choices of it."""
    runs: tuple[RunLine, ...]
    shared_rows: int
    comparisons: tuple[Comparison, ...]
    """Of the models' runs that saw everything, on `shared_rows` rows."""
    rows_of_people: int
    """Rows that people answered and all these runs have."""
    with_people: tuple[Comparison, ...]
    """The same with people among them, on `rows_of_people` rows; empty where no people answered."""
    repeats: tuple[RepeatGroup, ...]
    blind: tuple[Blind, ...]
    tables: tuple[Table, ...]


@dataclass(frozen=True)
class ReleaseReport:
    """Everything that is said of runs of one release."""

    figures: ReleaseFigures
    entries: tuple[Entry, ...]
    charts: tuple[Chart, ...]


def release_report(runs: Sequence[RunView]) -> ReleaseReport:
    """Derive the report of runs of one release, in the order given."""
    names = labels(runs)
    entries = tuple(Entry(run, figures(run.scored, run.steps), names[run.run_id]) for run in runs)
    records = [_records(run) for run in runs]
    rivals = [run for run in runs if run.people is None and blind_kind(run.spec) is None]
    entrants, shared = shared_entrants(rivals)
    people = [run for run in runs if run.people is not None]
    everybody, shared_with_people = shared_entrants([*rivals, *people]) if people else ([], 0)
    dataset = runs[0].spec.dataset
    found = ReleaseFigures(
        data=dataset.name,
        commit=dataset.commit,
        tag=dataset.tag,
        digests=tuple(dict.fromkeys(run.spec.dataset.digest for run in runs)),
        runs=tuple(_line(entry) for entry in entries),
        shared_rows=shared,
        comparisons=_compared(entrants, shared),
        rows_of_people=shared_with_people,
        with_people=_compared(everybody, shared_with_people),
        repeats=repeats(records),
        blind=blind_baselines(records),
        tables=tuple(paper_shapes(entries)),
    )
    return ReleaseReport(found, entries, tuple(charts_of(entries)))


def shared_entrants(runs: Sequence[RunView]) -> tuple[list[Entrant], int]:
    """The runs cut down to the rows that all of them have, the same to the byte; and how many rows these are."""
    if not runs:
        return [], 0
    shared = set.intersection(*(set(run.digests.items()) for run in runs))
    ids = {row_id for row_id, _ in shared}
    entrants = [
        Entrant(
            run.run_id,
            tuple(row for row in run.scored if row.row_id in ids),
            tuple(row for row in run.steps if row.row_id in ids),
        )
        for run in runs
    ]
    return entrants, len(ids)


def _compared(entrants: Sequence[Entrant], shared: int) -> tuple[Comparison, ...]:
    return compare(entrants) if shared and len(entrants) > 1 else ()


def release_markdown(
    report: ReleaseReport, folder: str, charts: Sequence[str], calibrations: Sequence[AnyCalibration]
) -> str:
    """The report of one release as Markdown.

    Args:
        report: of `release_report`.
        folder: where its tables and charts lie, relative to the page; ends with `/` or is empty.
        charts: names of the charts that were drawn.
        calibrations: of judges, measured on cases with known verdicts.
    """
    found = report.figures
    names = {line.run_id: line.label for line in found.runs}
    parts = [f"## {_heading(found)}", "", _run_table(found.runs)]
    parts += judge_notes([(entry.label, entry.run.spec) for entry in report.entries], calibrations)
    if found.comparisons:
        parts.append(comparison_markdown(found.comparisons, found.shared_rows, names))
    if found.with_people:
        parts.append(comparison_markdown(found.with_people, found.rows_of_people, names, "with people"))
    if found.repeats:
        parts.append(repeats_markdown(found.repeats, names))
    if found.blind:
        parts.append(blind_markdown(found.blind, names))
    for table in found.tables:
        parts += [table_markdown(table), _files(table, folder), ""]
    for entry in report.entries:
        lines = version_lines(entry.figures.means, entry.figures.changes, _WHOLE)
        if lines:
            parts += [f"### {markdown_cell(entry.label)}: its versions together", ""]
            parts += [f"##{line}" if line.startswith("## ") else line for line in lines]
    for chart in report.charts:
        if chart.name in charts:
            name = f"{folder}charts/{chart.name}"
            parts += [f"### {chart.title}", "", f"![{chart.title}]({name}.png)", "", f"[SVG]({name}.svg)", ""]
    return "\n".join(parts)


def _heading(found: ReleaseFigures) -> str:
    where = f"commit {found.commit[:12]}" if found.commit else "a local folder"
    tag = f" {found.tag}" if found.tag else ""
    digests = ", ".join(digest[:12] for digest in found.digests)
    return markdown_cell(f"{found.data}{tag} ({where}; rows {digests})")


def _run_table(runs: Sequence[RunLine]) -> str:
    rows = []
    for line in runs:
        notes = {
            "incomplete": line.incomplete,
            "part of the rows": line.partial,
            f"{line.reduced_rows} rows with reduced pictures": line.reduced_rows,
            **{f"{n} rows {kind}": n for kind, n in line.flags.items()},
        }
        state = [note for note, holds in notes.items() if holds]
        star = " *" if line.incomplete else ""
        rows.append(
            (
                line.label,
                line.run_id,
                line.protocol,
                line.asked,
                line.judge,
                str(line.rows),
                percent(line.accuracy) + (star if line.accuracy is not None else ""),
                percent(line.sci_cot) + (star if line.sci_cot is not None else ""),
                ", ".join(state),
            )
        )
    head = ("run", "id", "protocol", "asked", "judge", "rows", "accuracy %", "Sci-CoT %", "")
    return plain_table(head, rows, left=5)


def _line(entry: Entry) -> RunLine:
    spec = entry.run.spec
    total = next((cell for cell in entry.figures.cells if not cell.by), None)
    steps = next((cell for cell in entry.figures.step_cells if not cell.by), None)
    return RunLine(
        run_id=entry.run.run_id,
        label=entry.label,
        protocol=protocol_name(spec),
        asked=asked_how(spec),
        judge=_judge(spec),
        own_family=own_family(spec),
        rows=len(entry.run.rows),
        accuracy=None if total is None else total.accuracy,
        sci_cot=None if steps is None else steps.sci_cot,
        incomplete=not entry.figures.complete,
        partial=spec.dataset.partial or entry.run.people is not None,
        reduced_rows=sum(one.reduced_images > 0 for one in entry.run.known.responses.values()),
        flags=dict(sorted(Counter(flag.kind for flag in entry.run.flags).items())),
    )


def _judge(spec: RunSpec) -> str:
    own = ", the user's prompts"
    if spec.judge is not None:
        name = "" if spec.judge.model is None else f" ({spec.judge.model.name})"
        return f"{spec.judge.kind}{name}{own if users_prompts(spec.judge.prompts) else ''}"
    if spec.steps is not None:
        return f"steps ({spec.steps.model.name}){own if users_prompts(spec.steps.prompts) else ''}"
    return "nobody"


def _records(run: RunView) -> RunRecords:
    return RunRecords(
        spec=run.spec,
        rows=run.scored,
        steps=run.steps,
        digests=run.digests,
        with_images=frozenset(row.id for row in run.rows if row.images),
    )


def _files(table: Table, folder: str) -> str:
    name = f"{folder}tables/{table.name}"
    return f"Every figure with its n: [CSV]({name}.csv); [LaTeX]({name}.tex)"
