"""Several runs of one release beside each other: each on its own rows, and all on the rows that they share.

A person answers a part of a release, so a figure beside a model's means something only on the same rows. Rows are the
same when every byte of them is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from benchwright.eval.metrics.cells import Cell, cell_of
from benchwright.eval.metrics.run_view import RunView, labels
from benchwright.eval.metrics.step_metrics import StepCell, step_cell_of
from benchwright.schemas.records import Record


class Line(Record):
    """One run of the comparison."""

    run_id: str
    label: str
    model: str
    judge: str
    people: int | None
    """How many people answered; None for a model."""
    items: int
    median_seconds: float | None
    own: Cell | StepCell
    """Over all rows of the run; of Sci-CoT where only steps are scored."""
    shared: Cell | StepCell | None
    """Over the rows that all runs have; None where there are none."""


class Beside(Record):
    """The comparison."""

    data: str
    shared_rows: int
    lines: tuple[Line, ...]
    notes: tuple[str, ...]


def beside(runs: Sequence[RunView]) -> Beside:
    """Put runs of one release beside each other, in the order given."""
    names = labels(runs)
    ids = {row_id for row_id, _ in set.intersection(*(set(run.digests.items()) for run in runs))}
    lines = [
        Line(
            run_id=run.run_id,
            label=names[run.run_id],
            model=run.spec.model.name,
            judge=run.spec.judge.kind if run.spec.judge else "steps" if run.spec.steps else "nobody",
            people=None if run.people is None else len(run.people.people),
            items=len(run.rows),
            median_seconds=None if run.people is None else run.people.median_seconds,
            own=_cell(run, None),
            shared=_cell(run, ids) if ids else None,
        )
        for run in runs
    ]
    data = runs[0].spec.dataset
    name = f"{data.name} {data.tag}" if data.tag else data.name
    return Beside(data=name, shared_rows=len(ids), lines=tuple(lines), notes=_notes(runs, names))


def _cell(run: RunView, ids: Collection[str] | None) -> Cell | StepCell:
    if run.scored:
        return cell_of((), (), [row for row in run.scored if ids is None or row.row_id in ids])
    return step_cell_of((), (), [row for row in run.steps if ids is None or row.row_id in ids])


def _notes(runs: Sequence[RunView], names: Mapping[str, str]) -> tuple[str, ...]:
    notes = [f"{names[run.run_id]}: {note}" for run in runs for note in run.known.notes]
    if len({run.spec.judge for run in runs if run.spec.judge is not None}) > 1:
        notes.append("the runs were not judged in the same way")
    if len({bool(run.scored) for run in runs}) > 1:
        notes.append("some figures are accuracies and some Sci-CoT: they do not compare")
    return tuple(notes)
