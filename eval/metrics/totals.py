"""All figures of one run, from its rows alone: tables, means of versions, gains and losses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from benchwright.eval.metrics.cells import SCORED, Cell, Scored, tabulate
from benchwright.eval.metrics.placed import ACCURACY, STEP_METRICS
from benchwright.eval.metrics.step_metrics import StepCell, StepScored, tabulate_steps
from benchwright.eval.metrics.version_figures import Change, VersionMean, version_changes, version_means
from benchwright.schemas.records import Record

DIGITS = 6
"""Decimals of shares in files: more would only show the machine's rounding."""
R = TypeVar("R", bound=Record)


class RunFigures(Record):
    """Figures of one run: of final answers, of steps, or of both."""

    cells: tuple[Cell, ...]
    """Accuracies; empty for a run whose steps are scored."""
    step_cells: tuple[StepCell, ...]
    """Sci-CoT; empty for a run whose final answers are judged."""
    means: tuple[VersionMean, ...]
    changes: tuple[Change, ...]

    @property
    def complete(self) -> bool:
        """False when a row was not run or not judged."""
        accuracies = any(cell.incomplete for cell in self.cells)
        return not (accuracies or any(cell.incomplete for cell in self.step_cells))


def figures(rows: Sequence[Scored], steps: Sequence[StepScored]) -> RunFigures:
    """Derive every figure of a run.

    Args:
        rows: with the outcomes of final answers; empty where nobody judged them.
        steps: with counted steps; empty where nobody scored them.
    """
    no_outcome = frozenset(row.row_id for row in rows if row.outcome not in SCORED)
    no_steps = frozenset(row.row_id for row in steps if row.outcome in ("unjudged", "not-run"))
    return RunFigures(
        cells=tabulate(rows),
        step_cells=tabulate_steps(steps),
        means=(
            *version_means(rows, ACCURACY, no_outcome),
            *version_means(steps, STEP_METRICS, no_steps),
        ),
        changes=(*version_changes(rows, ACCURACY), *version_changes(steps, STEP_METRICS)),
    )


def rounded(record: R) -> R:
    """The record with every share in it, however deep, at six decimals: what files hold."""
    return type(record).model_validate(_rounded(record.model_dump()))


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_rounded(item) for item in value)
    return value
