"""Several runs on the same rows: every pair tested, and no ranking among those that are not told apart.

Two runs are told apart when the paired interval of their difference does not hold zero and the p-value, adjusted by
Holm over all comparisons of the same table, is below 0.05. Not being told apart is no equality and not transitive, so
runs get a range of places and letters (runs that share a letter are tied), never a rank.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from benchwright.eval.metrics.cells import Scored
from benchwright.eval.metrics.intervals import IntervalMethod, figure_of, interval_over_problems
from benchwright.eval.metrics.paired import ALPHA, PairMethod, holm_known, paired
from benchwright.eval.metrics.placed import ACCURACY, STEP_METRICS, Metric, Placed, grouped, ratios
from benchwright.eval.metrics.step_metrics import StepScored
from benchwright.schemas.records import Record

TABLES: tuple[tuple[str, ...], ...] = ((), ("version", "language"))
"""Over everything (problems drawn anew), and within one version and language (exact McNemar for accuracy)."""


@dataclass(frozen=True)
class Entrant:
    """One run in a comparison, cut down to the rows that all runs share."""

    run_id: str
    rows: Sequence[Scored] = ()
    """With the outcomes of final answers; empty where nobody judged them."""
    steps: Sequence[StepScored] = ()
    """With counted steps; empty where nobody scored them."""


class Pair(Record):
    """Two runs on the same rows. Shares are in 0..1."""

    a: str
    b: str
    """Run ids."""
    metric: Metric
    by: tuple[str, ...]
    key: tuple[str, ...]
    n_pairs: int
    n_problems: int
    left_out: int
    """Shared rows on which one of the two has no value."""
    value_a: float | None
    value_b: float | None
    difference: float | None
    """b - a."""
    low: float | None
    high: float | None
    interval: IntervalMethod
    only_a: int | None
    """Rows that only a has right; None where scores are not right or wrong."""
    only_b: int | None
    p: float | None
    p_method: PairMethod
    p_holm: float | None
    """Adjusted over all pairs and lines of the same table."""
    told_apart: bool


class Standing(Record):
    """Where a run stands among the others: a range of places, never a rank."""

    run_id: str
    value: float | None
    """Over all rows of the comparison on which the run has a value; a pair's figures rest on those that both have."""
    low: float | None
    high: float | None
    incomplete: bool
    """True when a row of the comparison was not run or not judged."""
    best: int
    """1 + the number of runs that are told apart from it and better."""
    worst: int
    """Number of runs less those that are told apart from it and worse."""
    letters: str
    """Runs that share a letter are not told apart."""


class Comparison(Record):
    """All pairs of runs under one figure."""

    metric: Metric
    pairs: tuple[Pair, ...]
    standings: tuple[Standing, ...]
    """By value, the highest first, then by run id."""


def compare(runs: Sequence[Entrant]) -> tuple[Comparison, ...]:
    """Compare runs under each figure that at least two of them have.

    Args:
        runs: cut down to shared rows, which have to be the same in all of them.
    """
    found = []
    for metric in (*ACCURACY, *STEP_METRICS):
        entrants = {run.run_id: rows for run in runs if (rows := _rows(run, metric))}
        if len(entrants) > 1:
            found.append(_comparison(entrants, metric))
    return tuple(found)


def letters_of(names: Sequence[str], apart: frozenset[frozenset[str]]) -> dict[str, str]:
    """Letters so that two names share one exactly when they are not told apart (compact letter display).

    Args:
        names: best first; letters are given in this order.
        apart: pairs that are told apart.
    """
    groups = _cliques(set(names), apart)
    ordered = sorted(groups, key=lambda group: sorted(names.index(name) for name in group))
    return {
        name: "".join(_letter(place) for place, group in enumerate(ordered) if name in group)
        for name in names
    }


def _rows(run: Entrant, metric: Metric) -> Sequence[Placed]:
    return run.rows if metric in ACCURACY else run.steps


def _comparison(entrants: Mapping[str, Sequence[Placed]], metric: Metric) -> Comparison:
    pairs: list[Pair] = []
    for by in TABLES:
        table = [
            pair
            for (a, rows_a), (b, rows_b) in combinations(entrants.items(), 2)
            for pair in _pairs((a, rows_a), (b, rows_b), metric, by)
        ]
        adjusted = holm_known([pair.p for pair in table])
        pairs += [_settled(pair, p) for pair, p in zip(table, adjusted, strict=True)]
    return Comparison(metric=metric, pairs=tuple(pairs), standings=_standings(entrants, metric, pairs))


def _pairs(
    one: tuple[str, Sequence[Placed]],
    other: tuple[str, Sequence[Placed]],
    metric: Metric,
    by: tuple[str, ...],
) -> list[Pair]:
    seconds = {row.row_id: row for row in other[1]}
    found = []
    for key, members in grouped(one[1], by).items():
        both = [(row, seconds[row.row_id]) for row in members if row.row_id in seconds]
        if not both:
            continue
        result = paired(both, metric)
        pair = Pair(
            a=one[0],
            b=other[0],
            metric=metric,
            by=by,
            key=key,
            n_pairs=result.n_pairs,
            n_problems=result.n_problems,
            left_out=result.left_out,
            value_a=result.first,
            value_b=result.second,
            difference=result.difference,
            low=result.interval.low,
            high=result.interval.high,
            interval=result.interval.method,
            only_a=result.only_first,
            only_b=result.only_second,
            p=result.p,
            p_method=result.method,
            p_holm=None,
            told_apart=not result.holds_zero,
        )
        found.append(pair)
    return found


def _settled(pair: Pair, p_holm: float | None) -> Pair:
    """A pair is told apart when both say so: its own interval, and its p-value among all that were looked at."""
    apart = pair.told_apart and (p_holm is None or p_holm < ALPHA)
    return pair.model_copy(update={"p_holm": p_holm, "told_apart": apart})


def _standings(
    entrants: Mapping[str, Sequence[Placed]], metric: Metric, pairs: Sequence[Pair]
) -> tuple[Standing, ...]:
    values = {run_id: figure_of(ratios(rows, metric)) for run_id, rows in entrants.items()}
    order = sorted(values, key=lambda run_id: (-(values[run_id] or 0.0), run_id))
    told = [pair for pair in pairs if not pair.by and pair.told_apart and pair.difference is not None]
    letters = letters_of(order, frozenset(frozenset((pair.a, pair.b)) for pair in told))
    winners = [pair.b if (pair.difference or 0.0) > 0 else pair.a for pair in told]
    losers = [pair.a if (pair.difference or 0.0) > 0 else pair.b for pair in told]
    found = []
    for run_id in order:
        interval = interval_over_problems(ratios(entrants[run_id], metric))
        found.append(
            Standing(
                run_id=run_id,
                value=values[run_id],
                low=interval.low,
                high=interval.high,
                incomplete=any(row.open for row in entrants[run_id]),
                best=1 + losers.count(run_id),
                worst=len(order) - winners.count(run_id),
                letters=letters[run_id],
            )
        )
    return tuple(found)


def _cliques(names: set[str], apart: frozenset[frozenset[str]]) -> list[set[str]]:
    """Largest sets of names in which no two are told apart (Bron and Kerbosch, 1973; a dozen runs at most)."""
    near = {
        name: {other for other in names if other != name and frozenset((name, other)) not in apart}
        for name in names
    }
    found: list[set[str]] = []

    def grow(clique: set[str], candidates: set[str], done: set[str]) -> None:
        if not candidates and not done:
            found.append(clique)
            return
        for name in sorted(candidates):
            grow(clique | {name}, candidates & near[name], done & near[name])
            candidates = candidates - {name}
            done = done | {name}

    grow(set(), set(names), set())
    return found


def _letter(place: int) -> str:
    """a, b, ..., z, a1, b1, ...: one letter a group."""
    return chr(ord("a") + place % 26) + (str(place // 26) if place >= 26 else "")
