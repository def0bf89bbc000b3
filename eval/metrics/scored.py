"""From what a run folder holds to scored rows.

An answer without a verdict is unjudged, a row without a final answer not run.
"""

from __future__ import annotations

from collections.abc import Iterable

from benchwright.eval.metrics.cells import Scored, scored_row
from benchwright.eval.metrics.step_metrics import StepOutcome, StepScored, step_scored_row
from benchwright.eval.runs.store import Loaded
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.status import Outcome


def scored_rows(rows: Iterable[ReleaseRow], known: Loaded) -> list[Scored]:
    """The rows with their outcomes, in the order given.

    Args:
        rows: of the run.
        known: what its folder holds for them.
    """
    scored: list[Scored] = []
    for row in rows:
        response, judgement = known.responses.get(row.id), known.judgements.get(row.id)
        if response is None or not response.final:
            outcome = Outcome.NOT_RUN
        else:
            outcome = judgement.outcome if judgement is not None else Outcome.UNJUDGED
        scored.append(scored_row(row, outcome, None if response is None else response.status))
    return scored


def step_rows(rows: Iterable[ReleaseRow], known: Loaded) -> list[StepScored]:
    """The rows with their counted steps, in the order given.

    Args:
        rows: of the run.
        known: what its folder holds for them.
    """
    scored: list[StepScored] = []
    for row in rows:
        response, record = known.responses.get(row.id), known.steps.get(row.id)
        outcome: StepOutcome = "not-run"
        if response is not None and response.final:
            outcome = record.outcome if record is not None else "unjudged"
        scored.append(step_scored_row(row, outcome, record))
    return scored
