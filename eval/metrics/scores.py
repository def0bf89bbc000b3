"""What a report says of one run: its scores, how its verdicts came about, and the same as `scores.csv`."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from benchwright.eval.metrics.cells import Cell, Scored, counts_of
from benchwright.eval.metrics.step_metrics import StepCell, StepScored
from benchwright.eval.metrics.totals import RunFigures, figures, rounded
from benchwright.eval.metrics.version_figures import Change, VersionMean
from benchwright.eval.runs.people import People
from benchwright.eval.runs.spec import RunSpec
from benchwright.schemas.records import Record
from benchwright.schemas.runs import Judgement, StepsRecord
from benchwright.schemas.status import CallStatus

SCORES_VERSION = 2


class Judging(Record):
    """How the verdicts came about."""

    decided_by: dict[str, int]
    """Rows by who decided: status, rules, llm, nobody."""
    reasons: dict[str, int]
    both_decided: int
    """Rows that rules and LLM decided both."""
    both_agree: int
    injection_suspected: int


class Stepping(Record):
    """How the scores of steps came about."""

    outcomes: dict[str, int]
    reasons: dict[str, int]
    injection_suspected: int


class Scores(Record):
    """Everything a report says, derived from the records of one run."""

    scores_version: int = SCORES_VERSION
    run_id: str
    spec: RunSpec
    complete: bool
    """False when a row was not run or not judged: no figure of this run is final."""
    partial: bool
    """True when `--limit` or `--only` left rows out."""
    statuses: dict[str, int]
    judging: Judging
    people: People | None = None
    """Who answered, where people did."""
    cells: tuple[Cell, ...]
    """Accuracies; empty for a run whose steps are scored."""
    step_cells: tuple[StepCell, ...] = ()
    """Sci-CoT; empty for a run whose final answers are judged."""
    means: tuple[VersionMean, ...] = ()
    changes: tuple[Change, ...] = ()
    stepping: Stepping | None = None
    reduced_rows: int = 0
    """Rows that were asked with a picture smaller than published, because the endpoint takes no larger one."""

    @property
    def total(self) -> Cell | StepCell:
        """The cell over everything: of accuracies, or of Sci-CoT where only steps are scored."""
        cells: list[Cell | StepCell] = [*self.cells, *self.step_cells]
        return next(cell for cell in cells if not cell.by)

    @property
    def headline(self) -> float | None:
        """The run's figure in 0..1: its accuracy, or its Sci-CoT where only steps are scored."""
        return main_figure(self.total)

    @property
    def headline_name(self) -> str:
        """What `headline` is: `accuracy` or `Sci-CoT`."""
        return "accuracy" if isinstance(self.total, Cell) else "Sci-CoT"

    def table(self, *by: str) -> tuple[Cell, ...]:
        """The accuracies of one table."""
        return tuple(cell for cell in self.cells if cell.by == by)

    def step_table(self, *by: str) -> tuple[StepCell, ...]:
        """The Sci-CoT figures of one table."""
        return tuple(cell for cell in self.step_cells if cell.by == by)


def score(
    spec: RunSpec,
    rows: Sequence[Scored],
    judgements: Iterable[Judgement],
    people: People | None = None,
    steps: Sequence[StepScored] = (),
    step_records: Iterable[StepsRecord] = (),
    statuses: Sequence[CallStatus | None] | None = None,
    reduced_rows: int = 0,
) -> Scores:
    """Derive every figure of a run from its records.

    Args:
        spec: of the run.
        rows: with the outcomes of final answers; empty where only steps are scored.
        judgements: that count.
        people: who answered, where people did.
        steps: rows with counted steps; empty where only final answers are judged.
        step_records: that count.
        statuses: how each row's call ended; None takes them from `rows`.
        reduced_rows: how many rows were asked with a reduced picture.
    """
    found: RunFigures = rounded(figures(rows, steps))
    ends = [row.status for row in rows] if statuses is None else statuses
    return Scores(
        run_id=spec.run_id,
        spec=spec,
        complete=found.complete,
        partial=spec.dataset.partial,
        statuses=dict(counts_of(ends)),
        judging=_judging(judgements),
        people=people,
        cells=found.cells,
        step_cells=found.step_cells,
        means=found.means,
        changes=found.changes,
        stepping=_stepping(step_records) if steps else None,
        reduced_rows=reduced_rows,
    )


def scores_csv(cells: Sequence[Cell] | Sequence[StepCell]) -> str:
    """One line a cell; the key's parts stand in columns of their own, and so do those of a mean over steps."""
    names = ("version", "language", "discipline", "subject", "level")
    fields = _fields(cells[0]) if cells else []
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*names, *fields])
    for cell in cells:
        key = dict(zip(cell.by, cell.key, strict=True))
        values = [_field(cell, field) for field in fields]
        writer.writerow(
            [*(key.get(name, "ALL") for name in names), *("" if v is None else v for v in values)]
        )
    return stream.getvalue()


def _fields(cell: Cell | StepCell) -> list[str]:
    found: list[str] = []
    for name, value in cell.model_dump(exclude={"by", "key"}).items():
        found += [f"{name}.{part}" for part in value] if isinstance(value, dict) else [name]
    return found


def _field(cell: Cell | StepCell, name: str) -> Any:
    value: Any = cell
    for part in name.split("."):
        value = getattr(value, part)
    return value


def main_figure(cell: Cell | StepCell) -> float | None:
    """The one figure of a cell in 0..1: an accuracy, or Sci-CoT."""
    return cell.accuracy if isinstance(cell, Cell) else cell.sci_cot


def percent(share: float | None) -> str:
    """A share as per cent with one decimal; a dash where there is none."""
    return "-" if share is None else f"{100 * share:.1f}"


def interval_text(cell: Cell | StepCell) -> str:
    """The interval as shown; a dagger where it was drawn over whole problems."""
    if cell.low is None:
        return "-"
    return f"{percent(cell.low)} to {percent(cell.high)}" + ("" if cell.interval == "wilson" else " †")


def remedy(scores: Scores) -> str:
    """What to do about an incomplete figure."""
    advice = []
    total, judge = scores.total, scores.spec.judge
    if judge is None and scores.spec.steps is None:
        return "Nobody has judged these answers: evaluate score does."
    rules_only = judge is not None and judge.kind == "rules"
    if total.not_run or not rules_only:
        advice.append("Run the same command again: only what is missing is redone.")
    if total.unjudged and rules_only:
        advice.append(
            f"The rules leave {total.unjudged} open: let a model judge them with --judge chain or llm."
        )
    return " ".join(advice)


def _judging(judgements: Iterable[Judgement]) -> Judging:
    known = list(judgements)
    both = [j for j in known if j.decided_by == "llm" and j.rules is not None]
    return Judging(
        decided_by=_sorted_counts(j.decided_by for j in known),
        reasons=_sorted_counts(j.reason for j in known),
        both_decided=len(both),
        both_agree=sum(j.rules is j.outcome for j in both),
        injection_suspected=sum(j.injection_suspected for j in known),
    )


def _sorted_counts(names: Iterable[str]) -> dict[str, int]:
    counts = Counter(names)
    return {name: counts[name] for name in sorted(counts)}


def _stepping(records: Iterable[StepsRecord]) -> Stepping:
    known = list(records)
    return Stepping(
        outcomes=_sorted_counts(record.outcome for record in known),
        reasons=_sorted_counts(record.reason for record in known),
        injection_suspected=sum(record.injection_suspected for record in known),
    )
