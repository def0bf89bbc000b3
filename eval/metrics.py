"""From outcomes to figures: counts, accuracy, intervals and the chance level of every cell.

Every cell is computed from one set of records, so that the total is the weighted mean of its parts by construction;
`check_totals` proves it for each table. The papers leave open what a failed request or an unreadable verdict counts
as; here (ours): accuracy = consistent / (n_total - not-run - unjudged), with consistent / n_total beside it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import exp, isclose, lgamma, log, log1p, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchwright.schemas.records import DIFFICULTY_NAMES, QuestionType, Record, ReleaseRow
from benchwright.schemas.status import CallStatus, Outcome
from benchwright.schemas.versions import Version

Z95 = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""
BOOTSTRAP_DRAWS = 2000
BOOTSTRAP_SEED = 20240601
BOOTSTRAP_PROBLEMS = 20
"""Fewest problems that are resampled; below, percentile intervals are too narrow."""

DIMENSIONS: tuple[tuple[str, ...], ...] = (
    (),
    ("version",),
    ("language",),
    ("discipline",),
    ("level",),
    ("discipline", "subject"),
    ("version", "language"),
    ("version", "discipline"),
    ("version", "language", "discipline"),
)
"""The tables of a report; `()` is the row over everything (ALL)."""


class Scored(Record):
    """One evaluated row: where it belongs and what its answer is worth."""

    row_id: str
    problem_id: str
    version: str
    language: str
    discipline: str
    subject: str
    level: str
    question_type: QuestionType
    chance: float
    """Probability that a blind guesser is right on this row."""
    outcome: Outcome
    status: CallStatus | None
    """How the call ended; None when the row was never asked."""


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
    interval: Literal["wilson", "bootstrap over problems", "wilson over problems", "none"]
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
        return " / ".join(self.key) if self.key else "ALL"


def chance_of(question_type: QuestionType, n_options: int) -> float:
    """Probability that a blind guesser is right, in closed form.

    One of k options: 1/k. Any non-empty subset of k options: 1/(2^k - 1). Free-form and multi-part: 0.
    """
    if n_options == 0:
        return 0.0
    if question_type is QuestionType.SINGLE_CHOICE:
        return 1.0 / n_options
    if question_type is QuestionType.MULTIPLE_SELECT:
        return 1.0 / float(2**n_options - 1)
    return 0.0


def level_name(difficulty: int) -> str:
    """Level as shown, e.g. `3 Intermediate` (VisScience, section 2)."""
    return f"{difficulty} {DIFFICULTY_NAMES[difficulty]}"


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


def wilson(successes: float, n: int) -> tuple[float, float]:
    """Wilson score interval, 95 %, of `successes` out of `n` independent trials.

    `successes` need not be whole: a share of `n` problems that are each right in a part of their rows.

    Raises:
        ValueError: n is not positive or successes lie outside 0..n.
    """
    if n <= 0 or not 0 <= successes <= n:
        raise ValueError(f"no Wilson interval for {successes} of {n}")
    share = successes / n
    denominator = 1 + Z95**2 / n
    centre = (share + Z95**2 / (2 * n)) / denominator
    half = Z95 * sqrt(share * (1 - share) / n + Z95**2 / (4 * n * n)) / denominator
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return low, high


def chance_interval(chances: Sequence[float], coverage: float = 0.95) -> tuple[float, float]:
    """Central interval of a blind guesser's accuracy over these rows (exact Poisson-binomial distribution).

    Args:
        chances: one probability per row.
        coverage: share of runs that fall inside, at least.

    Returns:
        Lowest and highest accuracy, in 0..1; (0, 0) without rows.
    """
    if not chances:
        return 0.0, 0.0
    distribution: NDArray[np.float64] = np.ones(1)
    for chance, count in sorted(Counter(chances).items()):
        if chance > 0:
            distribution = np.asarray(np.convolve(distribution, _binomial(count, chance)), dtype=np.float64)
    cumulative = np.cumsum(distribution)
    tail = (1 - coverage) / 2
    low = int(np.searchsorted(cumulative, tail, side="right"))
    high = int(np.searchsorted(cumulative, 1 - tail, side="left"))
    return low / len(chances), min(high, len(distribution) - 1) / len(chances)


def bootstrap_over_problems(
    pairs: Sequence[tuple[int, int]], draws: int = BOOTSTRAP_DRAWS, seed: int = BOOTSTRAP_SEED
) -> tuple[float, float]:
    """Percentile interval, 95 %, of a share when whole problems are drawn anew with replacement.

    Args:
        pairs: per problem (consistent rows, scored rows); its versions and languages stay together, because they are
            not independent.
        draws: number of resamples.
        seed: seed of the generator; the same input gives the same interval.
    """
    table = np.asarray(pairs, dtype=np.float64)
    n = len(pairs)
    generator = np.random.default_rng(seed)
    weights = generator.multinomial(n, np.full(n, 1.0 / n), size=draws)
    shares = (weights @ table[:, 0]) / (weights @ table[:, 1])
    low, high = np.quantile(shares, [0.025, 0.975])
    return float(low), float(high)


def tabulate(rows: Iterable[Scored], dimensions: Sequence[tuple[str, ...]] = DIMENSIONS) -> tuple[Cell, ...]:
    """All cells of all tables, from one set of records, by table and key.

    Raises:
        ArithmeticError: a table's parts do not add up to the total (cannot happen; checked all the same).
    """
    records = sorted(rows, key=lambda row: row.row_id)
    cells: list[Cell] = []
    for by in dimensions:
        groups: dict[tuple[str, ...], list[Scored]] = defaultdict(list)
        for record in records:
            groups[tuple(str(getattr(record, name)) for name in by)].append(record)
        cells.extend(cell_of(by, key, groups[key]) for key in sorted(groups, key=_table_order(by)))
    check_totals(cells)
    return tuple(cells)


def cell_of(by: tuple[str, ...], key: tuple[str, ...], rows: Sequence[Scored]) -> Cell:
    """Counts, accuracy, interval and chance of one group of rows."""
    counts = Counter(row.outcome for row in rows)
    unjudged, not_run = counts[Outcome.UNJUDGED], counts[Outcome.NOT_RUN]
    consistent, n_total = counts[Outcome.CONSISTENT], len(rows)
    n_scored = n_total - unjudged - not_run
    low, high, interval = _interval(rows, consistent, n_scored)
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
        low=low,
        high=high,
        interval=interval,
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
        for field in fields:
            if sum(getattr(part, field) for part in parts) != getattr(total, field):
                raise ArithmeticError(f"{field} by {'/'.join(by)} does not add up to ALL")
        if total.accuracy is None:
            continue
        weighted = sum((part.accuracy or 0.0) * part.n_scored for part in parts) / total.n_scored
        if not isclose(weighted, total.accuracy, abs_tol=1e-9):
            raise ArithmeticError(f"the weighted accuracy by {'/'.join(by)} is not that of ALL")


def counts_of(statuses: Iterable[CallStatus | None]) -> Mapping[str, int]:
    """How many rows ended with which call status, sorted by name; `not-asked` where there was no call."""
    counts = Counter("not-asked" if status is None else status.value for status in statuses)
    return {name: counts[name] for name in sorted(counts)}


def _table_order(by: tuple[str, ...]) -> Callable[[tuple[str, ...]], tuple[tuple[int, str], ...]]:
    """Versions stand in the order of the papers (from most text to most picture), everything else by name."""
    places = {version.value: place for place, version in enumerate(Version)}

    def order(key: tuple[str, ...]) -> tuple[tuple[int, str], ...]:
        return tuple(
            (places.get(part, len(places)) if name == "version" else 0, part)
            for name, part in zip(by, key, strict=True)
        )

    return order


def _binomial(n: int, p: float) -> NDArray[np.float64]:
    """Probabilities of 0..n successes; in logarithms, so that a thousand trials do not underflow.

    Written out because scipy's statistics cost two seconds and 60 MB to import.
    """
    if p >= 1.0:
        return np.asarray([0.0] * n + [1.0])
    steps = range(n + 1)
    logs = [
        lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p) for k in steps
    ]
    return np.asarray([exp(value) for value in logs])


def _interval(
    rows: Sequence[Scored], consistent: int, n_scored: int
) -> tuple[
    float | None, float | None, Literal["wilson", "bootstrap over problems", "wilson over problems", "none"]
]:
    """Wilson where each problem stands once; else by whole problems, whose rows are not independent.

    With few problems, or all rows alike, resampling them says less than is unknown (one problem: a width of zero);
    then the problems are taken as the trials, as if all rows of one stood or fell together: wide, never too narrow.
    """
    if n_scored == 0:
        return None, None, "none"
    per_problem: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        if row.outcome not in (Outcome.UNJUDGED, Outcome.NOT_RUN):
            per_problem[row.problem_id][0] += row.outcome is Outcome.CONSISTENT
            per_problem[row.problem_id][1] += 1
    if len(per_problem) == n_scored:
        return *wilson(consistent, n_scored), "wilson"
    n = len(per_problem)
    if n < BOOTSTRAP_PROBLEMS or consistent in (0, n_scored):
        return *wilson(n * consistent / n_scored, n), "wilson over problems"
    pairs = [(good, n) for _, (good, n) in sorted(per_problem.items())]
    return *bootstrap_over_problems(pairs), "bootstrap over problems"
