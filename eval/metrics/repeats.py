"""Runs that ask the same thing several times: how far a figure moves when nothing but chance changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt

from benchwright.eval.metrics.cells import Scored
from benchwright.eval.metrics.intervals import figure_of
from benchwright.eval.metrics.placed import ACCURACY, STEP_METRICS, Metric, Placed, grouped, ratios
from benchwright.eval.metrics.step_metrics import StepScored
from benchwright.eval.runs.spec import RunSpec
from benchwright.schemas.digest import digest_of
from benchwright.schemas.records import Record

_BY: tuple[tuple[str, ...], ...] = ((), ("version",), ("language",), ("version", "language"))


@dataclass(frozen=True)
class RunRecords:
    """One run with its rows."""

    spec: RunSpec
    rows: Sequence[Scored] = ()
    """With the outcomes of final answers; empty where nobody judged them."""
    steps: Sequence[StepScored] = ()
    """With counted steps; empty where nobody scored them."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """Row id -> digest of the released row: rows of two runs are the same when these are."""
    with_images: frozenset[str] = frozenset()
    """Ids of the rows that have a picture."""


class Spread(Record):
    """A figure over several runs of the same thing. Shares are in 0..1."""

    metric: Metric
    by: tuple[str, ...]
    key: tuple[str, ...]
    n_runs: int
    """Runs that have the figure."""
    mean: float
    sd: float | None
    """Standard deviation over runs (divided by n - 1); None with one run."""
    lowest: float
    highest: float
    incomplete: bool
    """True when a row of one of the runs was not run or not judged, or one of them has no figure at all."""


class RepeatGroup(Record):
    """Runs that differ in nothing but their number."""

    run_ids: tuple[str, ...]
    """By sample."""
    rows: int
    """Rows whose final answers all runs scored."""
    same_outcome: float | None
    """Share of these rows with one and the same outcome in all runs; None where nobody judged final answers."""
    spreads: tuple[Spread, ...]


def repeats(runs: Sequence[RunRecords]) -> tuple[RepeatGroup, ...]:
    """The groups of at least two repeated runs among these, in the order of their first run."""
    groups: dict[str, list[RunRecords]] = defaultdict(list)
    for run in runs:
        groups[digest_of(without_sample(run.spec))].append(run)
    return tuple(
        _group(sorted(members, key=lambda run: run.spec.sample))
        for members in groups.values()
        if len({run.spec.sample for run in members}) > 1
    )


def spread(
    metric: Metric,
    by: tuple[str, ...],
    key: tuple[str, ...],
    values: Sequence[float],
    *,
    incomplete: bool = False,
) -> Spread:
    """Mean, standard deviation and range of a figure.

    Raises:
        ValueError: there is no value.
    """
    if not values:
        raise ValueError("a spread needs at least one value")
    mean = sum(values) / len(values)
    squares = sum((value - mean) ** 2 for value in values)
    return Spread(
        metric=metric,
        by=by,
        key=key,
        n_runs=len(values),
        mean=mean,
        sd=sqrt(squares / (len(values) - 1)) if len(values) > 1 else None,
        lowest=min(values),
        highest=max(values),
        incomplete=incomplete,
    )


def without_sample(spec: RunSpec) -> RunSpec:
    """The specification of the first sample: a seed counts up with the samples."""
    sampling = spec.sampling
    if sampling.seed is not None:
        sampling = sampling.model_copy(update={"seed": sampling.seed - spec.sample})
    return spec.model_copy(update={"sample": 0, "sampling": sampling})


def _group(runs: Sequence[RunRecords]) -> RepeatGroup:
    outcomes: dict[str, list[str]] = defaultdict(list)
    for run in runs:
        for row in run.rows:
            if row.value("accuracy") is not None:
                outcomes[row.row_id].append(row.outcome)
    shared = [found for found in outcomes.values() if len(found) == len(runs)]
    same = sum(len(set(found)) == 1 for found in shared)
    return RepeatGroup(
        run_ids=tuple(run.spec.run_id for run in runs),
        rows=len(shared),
        same_outcome=same / len(shared) if shared else None,
        spreads=(
            *_spreads([run.rows for run in runs], ACCURACY),
            *_spreads([run.steps for run in runs], STEP_METRICS),
        ),
    )


def _spreads(runs: Sequence[Sequence[Placed]], metrics: Sequence[Metric]) -> list[Spread]:
    found = []
    for metric in metrics:
        for by in _BY:
            values: dict[tuple[str, ...], list[float]] = {}
            for rows in runs:
                for key, value in _figures(rows, metric, by).items():
                    values.setdefault(key, []).append(value)
            lacking = {
                key
                for rows in runs
                for key, members in grouped(rows, by).items()
                if any(row.open for row in members)
            }
            found += [
                spread(metric, by, key, known, incomplete=key in lacking or len(known) < len(runs))
                for key, known in values.items()
            ]
    return found


def _figures(rows: Sequence[Placed], metric: Metric, by: tuple[str, ...]) -> Mapping[tuple[str, ...], float]:
    found = {key: figure_of(ratios(members, metric)) for key, members in grouped(rows, by).items()}
    return {key: value for key, value in found.items() if value is not None}
