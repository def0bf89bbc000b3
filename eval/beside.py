"""Several runs beside each other, people's among them: each on its own rows, and all on the rows that they share.

A person answers a part of a release, so a figure beside a model's means something only on the same rows. Rows are the
same when every byte of them is: runs of other releases share those that did not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchwright.eval.metrics import Cell, Scored, cell_of
from benchwright.eval.people import People
from benchwright.eval.report import interval_text, percent
from benchwright.eval.scored import scored_rows
from benchwright.eval.spec import RunSpec
from benchwright.eval.store import RunFolder
from benchwright.schemas.digest import digest_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Record


@dataclass(frozen=True)
class RunRows:
    """The scored rows of one run."""

    spec: RunSpec
    people: People | None
    rows: tuple[Scored, ...]
    digests: dict[str, str]
    """Row id -> digest of the released row."""


class Line(Record):
    """One run of the comparison."""

    run_id: str
    model: str
    judge: str
    people: int | None
    """How many people answered; None for a model."""
    items: int
    median_seconds: float | None
    own: Cell
    """Over all rows of the run."""
    shared: Cell
    """Over the rows that all runs have."""


class Beside(Record):
    """The comparison."""

    shared_rows: int
    lines: tuple[Line, ...]
    notes: tuple[str, ...]


def read_rows(folder: RunFolder) -> RunRows:
    """The rows of a run with their outcomes.

    Raises:
        UsageError: the folder holds no run.
    """
    rows = folder.rows()
    scored = scored_rows(rows, folder.load(rows))
    return RunRows(folder.spec(), folder.people(), tuple(scored), {row.id: digest_of(row) for row in rows})


def beside(runs: Sequence[RunRows]) -> Beside:
    """Put runs beside each other, in the order given.

    Raises:
        UsageError: they share no row.
    """
    shared = set.intersection(*(set(run.digests.items()) for run in runs))
    if not shared:
        raise UsageError(
            "these runs have no row in common: they are of different releases, versions or languages."
        )
    ids = {row_id for row_id, _ in shared}
    lines = [
        Line(
            run_id=run.spec.run_id,
            model=run.spec.model.name,
            judge=run.spec.judge.kind,
            people=None if run.people is None else len(run.people.people),
            items=len(run.rows),
            median_seconds=None if run.people is None else run.people.median_seconds,
            own=cell_of((), (), run.rows),
            shared=cell_of((), (), [row for row in run.rows if row.row_id in ids]),
        )
        for run in runs
    ]
    return Beside(shared_rows=len(ids), lines=tuple(lines), notes=_notes(runs))


def beside_markdown(found: Beside) -> str:
    """The comparison as a Markdown table; no line is ranked above another."""
    columns = (
        "run",
        "model",
        "people",
        "items",
        "median s",
        "accuracy %",
        "shared accuracy %",
        "shared 95 %",
    )
    lines = [
        f"# {len(found.lines)} runs on {found.shared_rows} shared rows",
        "",
        "| " + " | ".join(columns) + " |",
        "|---|---|" + "---:|" * (len(columns) - 2),
    ]
    for line in found.lines:
        cells = (
            f"`{line.run_id}`",
            line.model.replace("|", "\\|"),
            "-" if line.people is None else str(line.people),
            str(line.items),
            "-" if line.median_seconds is None else f"{line.median_seconds:.1f}",
            percent(line.own.accuracy) + (" *" if line.own.incomplete else ""),
            percent(line.shared.accuracy) + (" *" if line.shared.incomplete else ""),
            interval_text(line.shared),
        )
        lines.append("| " + " | ".join(cells) + " |")
    lines += [
        "",
        "*accuracy* rests on each run's own rows; only the shared figures compare. * marks a figure",
    ]
    lines[-1] += " some of whose rows were not run or not judged; † an interval over whole problems."
    lines += [f"- {note}" for note in found.notes]
    return "\n".join(lines) + "\n"


def _notes(runs: Sequence[RunRows]) -> tuple[str, ...]:
    notes = []
    if len({run.spec.judge for run in runs}) > 1:
        notes.append("the runs were not judged in the same way")
    if len({run.spec.dataset.tag for run in runs}) > 1:
        notes.append("the runs are of different releases; rows that changed between them are left out")
    return tuple(notes)
