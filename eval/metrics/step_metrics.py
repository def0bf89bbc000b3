"""Sci-CoT: from scored steps to Sci-CoT_K, Sci-CoT_L and their mean (SciVerse, sections 2.4 and 3.1).

Each response has a share of right knowledge steps and a share of right logic steps. Sci-CoT_K and Sci-CoT_L of a cell
are the means of these shares over its responses (macro), Sci-CoT is the mean of the two figures of the cell, as in the
paper's Table 2. The paper is silent on three points; ours: an answer that never came (no-answer) is worth 0 in both; an
answered response without a step of a kind leaves that kind's mean and is counted; responses that were not run or not
judged leave both, and the cell is marked incomplete. The share of all right steps (micro) stands beside; it knows only
steps, so a missing answer does not touch it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import isclose
from typing import Literal

from benchwright.eval.metrics.intervals import IntervalMethod, interval_over_problems
from benchwright.eval.metrics.placed import (
    DIMENSIONS,
    Metric,
    Part,
    Placed,
    check_sums,
    grouped,
    key_label,
    level_name,
    ratios,
)
from benchwright.schemas.records import Record, ReleaseRow
from benchwright.schemas.runs import StepsRecord

StepOutcome = Literal["scored", "no-answer", "unjudged", "not-run"]
_METRIC_OF: dict[Literal["K", "L"], Metric] = {"K": "sci-cot-k", "L": "sci-cot-l"}


class StepScored(Placed):
    """One response with its counted steps."""

    outcome: StepOutcome
    k_right: int = 0
    k_steps: int = 0
    l_right: int = 0
    l_steps: int = 0
    coverage: float | None = None
    """Share of the response's words that stand in a step."""

    def value(self, part: Part) -> float | None:
        """Share of right steps of a kind: 0 for a missing answer; None where the response leaves the mean."""
        if part == "accuracy":
            return None
        if self.outcome == "no-answer":
            return 0.0
        right, steps = self.counted(part)
        return right / steps if self.outcome == "scored" and steps else None

    @property
    def open(self) -> bool:
        """True when the response was not run or not judged."""
        return self.outcome in ("unjudged", "not-run")

    def counted(self, part: Part) -> tuple[int, int]:
        """Right steps and steps of a kind."""
        return (self.k_right, self.k_steps) if part == "K" else (self.l_right, self.l_steps)


class StepMean(Record):
    """The figure of one kind of steps in one cell. Shares are in 0..1; None where nothing is counted."""

    n: int
    """Responses in the macro mean."""
    without: int
    """Answered responses that have no such step: left out of the mean."""
    macro: float | None
    low: float | None
    high: float | None
    interval: IntervalMethod
    right: int
    steps: int
    micro: float | None
    """right / steps."""


class StepCell(Record):
    """One line of a Sci-CoT table. Shares are in 0..1; None where nothing is counted."""

    by: tuple[str, ...]
    key: tuple[str, ...]
    n_total: int
    n_problems: int
    n_scored: int
    """Responses that the figures rest on: scored + no_answer."""
    scored: int
    no_answer: int
    unjudged: int
    not_run: int
    knowledge: StepMean
    logic: StepMean
    sci_cot: float | None
    """(knowledge.macro + logic.macro) / 2."""
    low: float | None
    high: float | None
    interval: IntervalMethod
    sci_cot_micro: float | None
    """(knowledge.micro + logic.micro) / 2."""
    coverage: float | None
    """Mean over scored responses of the share of their words that stand in a step."""
    incomplete: bool
    """True when a response is missing or has no scores: the figure rests on a part of the rows only."""

    @property
    def label(self) -> str:
        """The key as one text, `ALL` for the row over everything."""
        return key_label(self.key)


def step_scored_row(row: ReleaseRow, outcome: StepOutcome, record: StepsRecord | None) -> StepScored:
    """The metrics' view of one row.

    Args:
        row: the released row.
        outcome: what its response counts as.
        record: its steps, where they were scored.
    """
    steps = record.steps if record is not None and outcome == "scored" else ()
    return StepScored(
        row_id=row.id,
        problem_id=row.problem_id,
        version=row.version,
        language=row.language,
        discipline=row.discipline,
        subject=row.subject,
        level=level_name(row.difficulty),
        outcome=outcome,
        k_right=sum(step.score for step in steps if step.kind == "K"),
        k_steps=sum(step.kind == "K" for step in steps),
        l_right=sum(step.score for step in steps if step.kind == "L"),
        l_steps=sum(step.kind == "L" for step in steps),
        coverage=record.coverage if record is not None and outcome == "scored" else None,
    )


def response_scores(row: StepScored) -> tuple[float | None, float | None, float | None]:
    """Knowledge, logic, and their mean for one response: for looking at it, no figure is made of these means."""
    knowledge, logic = row.value("K"), row.value("L")
    return knowledge, logic, _halved(knowledge, logic)


def tabulate_steps(
    rows: Iterable[StepScored], dimensions: Sequence[tuple[str, ...]] = DIMENSIONS
) -> tuple[StepCell, ...]:
    """All cells of all Sci-CoT tables, from one set of records, by table and key.

    Raises:
        ArithmeticError: a table's parts do not add up to the total (cannot happen; checked all the same).
    """
    records = sorted(rows, key=lambda row: row.row_id)
    cells = [
        step_cell_of(by, key, members) for by in dimensions for key, members in grouped(records, by).items()
    ]
    check_step_totals(cells)
    return tuple(cells)


def step_cell_of(by: tuple[str, ...], key: tuple[str, ...], rows: Sequence[StepScored]) -> StepCell:
    """Counts, means and intervals of one group of responses."""
    counts = Counter(row.outcome for row in rows)
    knowledge, logic = _mean(rows, "K"), _mean(rows, "L")
    interval = interval_over_problems(ratios(rows, "sci-cot"))
    covered = [row.coverage for row in rows if row.coverage is not None]
    return StepCell(
        by=by,
        key=key,
        n_total=len(rows),
        n_problems=len({row.problem_id for row in rows}),
        n_scored=counts["scored"] + counts["no-answer"],
        scored=counts["scored"],
        no_answer=counts["no-answer"],
        unjudged=counts["unjudged"],
        not_run=counts["not-run"],
        knowledge=knowledge,
        logic=logic,
        sci_cot=_halved(knowledge.macro, logic.macro),
        low=interval.low,
        high=interval.high,
        interval=interval.method,
        sci_cot_micro=_halved(knowledge.micro, logic.micro),
        coverage=sum(covered) / len(covered) if covered else None,
        incomplete=bool(counts["unjudged"] or counts["not-run"]),
    )


def check_step_totals(cells: Sequence[StepCell]) -> None:
    """Prove that the parts of every table add up to ALL, in counts, steps and weighted means.

    Raises:
        ArithmeticError: they do not; the message names the table.
    """
    for cell in cells:
        if not _equal(cell.sci_cot, _halved(cell.knowledge.macro, cell.logic.macro)):
            raise ArithmeticError(f"Sci-CoT of {cell.label} is not the mean of its two figures")
    total = next((cell for cell in cells if not cell.by), None)
    if total is None:
        return
    tables: dict[tuple[str, ...], list[StepCell]] = defaultdict(list)
    for cell in cells:
        tables[cell.by].append(cell)
    fields = ("n_total", "n_scored", "scored", "no_answer", "unjudged", "not_run")
    for by, parts in tables.items():
        where = "/".join(by)
        check_sums(parts, total, fields, f"by {where}")
        for name in ("knowledge", "logic"):
            _check_mean([getattr(part, name) for part in parts], getattr(total, name), f"{name} by {where}")


def _check_mean(parts: Sequence[StepMean], total: StepMean, what: str) -> None:
    check_sums(parts, total, ("n", "without", "right", "steps"), f"of {what}")
    if total.macro is not None:
        weighted = sum((part.macro or 0.0) * part.n for part in parts) / total.n
        if not isclose(weighted, total.macro, abs_tol=1e-9):
            raise ArithmeticError(f"the weighted mean of {what} is not that of ALL")


def _mean(rows: Sequence[StepScored], kind: Literal["K", "L"]) -> StepMean:
    shares = [share for row in rows if (share := row.value(kind)) is not None]
    right, steps = (sum(row.counted(kind)[place] for row in rows) for place in (0, 1))
    interval = interval_over_problems(ratios(rows, _METRIC_OF[kind]))
    return StepMean(
        n=len(shares),
        without=sum(row.outcome == "scored" and not row.counted(kind)[1] for row in rows),
        macro=sum(shares) / len(shares) if shares else None,
        low=interval.low,
        high=interval.high,
        interval=interval.method,
        right=right,
        steps=steps,
        micro=right / steps if steps else None,
    )


def _halved(knowledge: float | None, logic: float | None) -> float | None:
    return None if knowledge is None or logic is None else (knowledge + logic) / 2


def _equal(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return isclose(one, other, abs_tol=1e-12)
