"""Several runs of one release set against each other, in words: who is told apart from whom, and who is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright.eval.display.tables import plain_table
from benchwright.eval.metrics.baselines import Blind
from benchwright.eval.metrics.comparison import Comparison, Pair, Standing
from benchwright.eval.metrics.placed import key_label
from benchwright.eval.metrics.repeats import RepeatGroup, Spread
from benchwright.eval.metrics.scores import percent
from benchwright.eval.reports.report_words import METRIC_NAMES, between, p_text, points

_MOST_PAIRS = 60
"""Lines of pairs within one version and language that the page shows; the JSON beside it holds all."""


def comparison_markdown(
    found: Sequence[Comparison], rows: int, names: Mapping[str, str], among: str = ""
) -> str:
    """The comparison of runs on the rows that all of them have.

    Args:
        found: of `compare`.
        rows: how many rows they share.
        names: labels by run id.
        among: what is special about these runs, for the heading.
    """
    parts = [
        f"### Compared{f' {among}' if among else ''} on the {rows:,} rows that all have",
        "",
        "Two runs are told apart when the paired 95 % interval of their difference does not hold zero and the p-value, "
        "adjusted by Holm over the table, is below 0.05. Runs that share a letter are ties: no order among them is "
        "shown by these rows.",
        "",
    ]
    for comparison in found:
        parts += [f"#### {METRIC_NAMES[comparison.metric]}".replace("_", "\\_"), ""]
        parts += [_standings(comparison, names), _pairs(comparison, names)]
    return "\n".join(parts)


def standing_text(standing: Standing) -> str:
    """A range of places, e.g. `1-3`; a single place only where a run is told apart from all others."""
    return str(standing.best) if standing.best == standing.worst else f"{standing.best}-{standing.worst}"


def ties_text(standing: Standing, comparison: Comparison, names: Mapping[str, str]) -> str:
    """The runs that a run is not told apart from, by name."""
    others = [
        names[other.run_id]
        for other in comparison.standings
        if other.run_id != standing.run_id and set(other.letters) & set(standing.letters)
    ]
    return ", ".join(others) or "nobody"


def repeats_markdown(groups: Sequence[RepeatGroup], names: Mapping[str, str]) -> str:
    """How far figures move between repeats of the same run."""
    parts = ["### Repeats", ""]
    for group in groups:
        same = ""
        if group.same_outcome is not None:
            same = f"; {percent(group.same_outcome)} % of {group.rows:,} rows have one and the same outcome in all"
        runs = ", ".join(names[run_id] for run_id in group.run_ids)
        parts += [f"{len(group.run_ids)} runs that differ in nothing but chance: {runs}{same}.", ""]
        head = ("of", "figure", "runs", "mean %", "standard deviation", "lowest %", "highest %")
        parts += [plain_table(head, [_spread(spread) for spread in group.spreads], left=2)]
    return "\n".join(parts)


def blind_markdown(blind: Sequence[Blind], names: Mapping[str, str]) -> str:
    """Runs that saw a part of each row only, beside the run that saw all; never ranked."""
    rows = [
        (
            names[one.run_id],
            one.kind,
            str(one.rows),
            str(one.n_scored),
            percent(one.accuracy) + _star(one.n_scored < one.rows),
            between(one.low, one.high, one.interval),
            percent(one.full_accuracy) + _star(one.full_incomplete),
            percent(one.chance),
        )
        for one in blind
    ]
    head = ("run", "it saw", "rows", "scored", "accuracy %", "95 %", "with everything shown %", "chance %")
    return "\n".join(
        [
            "### Blind baselines",
            "",
            "On the rows from which something was taken away. What is right blind above chance needs no picture (or no "
            "text) to be solved.",
            "",
            plain_table(head, rows, left=2),
        ]
    )


def _standings(comparison: Comparison, names: Mapping[str, str]) -> str:
    rows = [
        (
            names[standing.run_id],
            percent(standing.value) + _star(standing.incomplete),
            "-" if standing.low is None else f"{percent(standing.low)} to {percent(standing.high)}",
            standing_text(standing),
            standing.letters,
            ties_text(standing, comparison, names),
        )
        for standing in comparison.standings
    ]
    return plain_table(("run", "%", "95 %", "places", "letters", "not told apart from"), rows)


def _pairs(comparison: Comparison, names: Mapping[str, str]) -> str:
    whole = [pair for pair in comparison.pairs if not pair.by]
    within = [pair for pair in comparison.pairs if pair.by]
    shown = [*whole, *within[:_MOST_PAIRS]]
    head = (
        "of",
        "first",
        "second",
        "rows",
        "first %",
        "second %",
        "difference",
        "95 %",
        "p (Holm)",
        "test",
        "",
    )
    text = plain_table(head, [_pair(pair, names) for pair in shown], left=3)
    if len(within) > _MOST_PAIRS:
        text += f"\n{len(within) - _MOST_PAIRS} more lines stand in report.json.\n"
    return text


def _pair(pair: Pair, names: Mapping[str, str]) -> tuple[str, ...]:
    left_out = f" ({pair.left_out} left out)" if pair.left_out else ""
    return (
        key_label(pair.key),
        names[pair.a],
        names[pair.b],
        f"{pair.n_pairs}{left_out}",
        percent(pair.value_a),
        percent(pair.value_b),
        points(pair.difference),
        "-" if pair.low is None else f"{points(pair.low)} to {points(pair.high)}",
        p_text(pair.p_holm),
        pair.p_method,
        "told apart" if pair.told_apart else "tie",
    )


def _star(incomplete: bool) -> str:
    """The mark of a figure that rests on a part of its rows."""
    return " *" if incomplete else ""


def _spread(spread: Spread) -> tuple[str, ...]:
    return (
        key_label(spread.key),
        METRIC_NAMES[spread.metric],
        str(spread.n_runs),
        percent(spread.mean) + _star(spread.incomplete),
        "-" if spread.sd is None else f"{100 * spread.sd:.2f}",
        percent(spread.lowest),
        percent(spread.highest),
    )
