"""From outcomes to the cells of tables: counts, accuracy, interval and chance level of every group of rows.

Every cell is computed from one set of records, so that the total is the weighted mean of its parts by construction;
`check_totals` proves it for each table. The papers leave open what a failed request or an unreadable verdict counts
as; here (ours): accuracy = consistent / (n_total - not-run - unjudged), with consistent / n_total beside it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import isclose

from benchwright.eval.metrics.chance import chance_interval, chance_of
from benchwright.eval.metrics.intervals import (
    NO_INTERVAL,
    Interval,
    IntervalMethod,
    interval_over_problems,
    wilson,
)
from benchwright.eval.metrics.placed import (
    DIMENSIONS,
    Part,
    Placed,
    check_sums,
    grouped,
    key_label,
    level_name,
    ratios,
)
from benchwright.schemas.records import QuestionType, Record, ReleaseRow
from benchwright.schemas.status import CallStatus, Outcome

SCORED = frozenset({Outcome.CONSISTENT, Outcome.INCONSISTENT, Outcome.NO_ANSWER})
"""Outcomes that stand in the denominator of the accuracy."""


class Scored(Placed):
    """One evaluated row: where it belongs and what its answer is worth."""

    question_type: QuestionType
    chance: float
    """Probability that a blind guesser is right on this row."""
    outcome: Outcome
    status: CallStatus | None
    """How the call ended; None when the row was never asked."""

    def value(self, part: Part) -> float | None:
        """1 for a right answer, 0 for a wrong one or none; None where it is not scored."""
        if part != "accuracy" or self.outcome not in SCORED:
            return None
        return float(self.outcome is Outcome.CONSISTENT)

    @property
    def open(self) -> bool:
        """True when the row was not run or not judged."""
        return self.outcome not in SCORED


class Cell(Record):
    """One line of a table. Shares are in 0..1; None where nothing was scored."""

    by: tuple[str, ...]
    key: tuple[str, ...]
    n_total: int
    n_problems: int
    n_scored: int
    """Denominator of the accuracy: n_total - not_run - unjudged."""
    consistent: int
    inconsistent: int
    no_answer: int
    unjudged: int
    not_run: int
    accuracy: float | None
    low: float | None
    high: float | None
    interval: IntervalMethod
    share_of_all: float
    """consistent / n_total: what the accuracy would be if everything unknown were wrong."""
    incomplete: bool
    """True when a row was not run or not judged: the accuracy rests on a part of the rows only."""
    chance: float
    chance_low: float
    chance_high: float

    @property
    def label(self) -> str:
        """The key as one text, `ALL` for the row over everything."""
        return key_label(self.key)


def scored_row(row: ReleaseRow, outcome: Outcome, status: CallStatus | None) -> Scored:
    """The metrics' view of one row."""
    return Scored(
        row_id=row.id,
        problem_id=row.problem_id,
        version=row.version,
        language=row.language,
        discipline=row.discipline,
        subject=row.subject,
        level=level_name(row.difficulty),
        question_type=row.question_type,
        chance=chance_of(row.question_type, len(row.options)),
        outcome=outcome,
        status=status,
    )


def tabulate(rows: Iterable[Scored], dimensions: Sequence[tuple[str, ...]] = DIMENSIONS) -> tuple[Cell, ...]:
    """All cells of all tables, from one set of records, by table and key.

    Raises:
        ArithmeticError: a table's parts do not add up to the total (cannot happen; checked all the same).
    """
    records = sorted(rows, key=lambda row: row.row_id)
    cells: list[Cell] = []
    for by in dimensions:
        cells.extend(cell_of(by, key, members) for key, members in grouped(records, by).items())
    check_totals(cells)
    return tuple(cells)


def cell_of(by: tuple[str, ...], key: tuple[str, ...], rows: Sequence[Scored]) -> Cell:
    """Counts, accuracy, interval and chance of one group of rows."""
    counts = Counter(row.outcome for row in rows)
    unjudged, not_run = counts[Outcome.UNJUDGED], counts[Outcome.NOT_RUN]
    consistent, n_total = counts[Outcome.CONSISTENT], len(rows)
    n_scored = n_total - unjudged - not_run
    interval = _interval(rows, consistent, n_scored)
    chances = [row.chance for row in rows]
    chance_low, chance_high = chance_interval(chances)
    return Cell(
        by=by,
        key=key,
        n_total=n_total,
        n_problems=len({row.problem_id for row in rows}),
        n_scored=n_scored,
        consistent=consistent,
        inconsistent=counts[Outcome.INCONSISTENT],
        no_answer=counts[Outcome.NO_ANSWER],
        unjudged=unjudged,
        not_run=not_run,
        accuracy=consistent / n_scored if n_scored else None,
        low=interval.low,
        high=interval.high,
        interval=interval.method,
        share_of_all=consistent / n_total if n_total else 0.0,
        incomplete=bool(unjudged or not_run),
        chance=sum(chances) / n_total if n_total else 0.0,
        chance_low=chance_low,
        chance_high=chance_high,
    )


def check_totals(cells: Sequence[Cell]) -> None:
    """Prove that the parts of every table add up to ALL, in counts and in weighted accuracy.

    Raises:
        ArithmeticError: they do not; the message names the table.
    """
    total = next((cell for cell in cells if not cell.by), None)
    if total is None:
        return
    tables: dict[tuple[str, ...], list[Cell]] = defaultdict(list)
    for cell in cells:
        tables[cell.by].append(cell)
    fields = ("n_total", "n_scored", "consistent", "inconsistent", "no_answer", "unjudged", "not_run")
    for by, parts in tables.items():
        check_sums(parts, total, fields, f"by {'/'.join(by)}")
        if total.accuracy is None:
            continue
        weighted = sum((part.accuracy or 0.0) * part.n_scored for part in parts) / total.n_scored
        if not isclose(weighted, total.accuracy, abs_tol=1e-9):
            raise ArithmeticError(f"the weighted accuracy by {'/'.join(by)} is not that of ALL")


def counts_of(statuses: Iterable[CallStatus | None]) -> Mapping[str, int]:
    """How many rows ended with which call status, sorted by name; `not-asked` where there was no call."""
    counts = Counter("not-asked" if status is None else status.value for status in statuses)
    return {name: counts[name] for name in sorted(counts)}


def _interval(rows: Sequence[Scored], consistent: int, n_scored: int) -> Interval:
    """Wilson within one version and language, where each problem stands once; else by whole problems."""
    if n_scored == 0:
        return NO_INTERVAL
    scored = [row for row in rows if row.outcome in SCORED]
    alone = len({(row.version, row.language) for row in scored}) == 1
    if alone and len({row.problem_id for row in scored}) == n_scored:
        low, high = wilson(consistent, n_scored)
        return Interval(low, high, "wilson")
    return interval_over_problems(ratios(scored, "accuracy"))
