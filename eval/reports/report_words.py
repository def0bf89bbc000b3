"""What a report says beside its tables of outcomes: Sci-CoT, what versions tell together, and how figures are read."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright.eval.display.tables import plain_table
from benchwright.eval.metrics.intervals import IntervalMethod
from benchwright.eval.metrics.placed import Metric, key_label
from benchwright.eval.metrics.scores import Scores, percent
from benchwright.eval.metrics.step_metrics import StepCell
from benchwright.eval.metrics.version_figures import Change, VersionMean

METRIC_NAMES: dict[Metric, str] = {
    "accuracy": "accuracy",
    "sci-cot": "Sci-CoT",
    "sci-cot-k": "Sci-CoT_K",
    "sci-cot-l": "Sci-CoT_L",
}
_CHANGE_COLUMNS = (
    "of", "change", "figure", "from", "to", "items", "before %", "after %", "change", "95 %", "p (Holm)", "",
)  # fmt: skip
STEP_COLUMNS = (
    "", "n", "scored", "no answer", "unjudged", "not run", "Sci-CoT %", "95 %", "Sci-CoT_K %", "n", "Sci-CoT_L %", "n",
    "micro %", "words in steps %",
)  # fmt: skip


def step_line(cell: StepCell) -> tuple[str, ...]:
    """One line of a table of Sci-CoT figures, by `STEP_COLUMNS`."""
    counts = (cell.n_total, cell.n_scored, cell.no_answer, cell.unjudged, cell.not_run)
    return (
        cell.label,
        *map(str, counts),
        percent(cell.sci_cot) + (" *" if cell.incomplete else ""),
        between(cell.low, cell.high, cell.interval),
        percent(cell.knowledge.macro),
        str(cell.knowledge.n),
        percent(cell.logic.macro),
        str(cell.logic.n),
        percent(cell.sci_cot_micro),
        percent(cell.coverage),
    )


def version_lines(
    means: Sequence[VersionMean], changes: Sequence[Change], by: frozenset[tuple[str, ...]] | None = None
) -> list[str]:
    """The five versions together, as Markdown; empty where a run has not all of them.

    Args:
        means: of the run.
        changes: of the run.
        by: only the tables by these fields; None shows all.
    """
    means = [mean for mean in means if by is None or mean.by in by]
    changes = [change for change in changes if by is None or change.by in by]
    lines: list[str] = []
    if means:
        rows = [_mean_row(mean) for mean in means]
        head = ("of", "figure", "mean of five %", "95 %", "problems")
        lines += ["## Mean of the five versions", "", plain_table(head, rows, left=2)]
    if changes:
        rows = [_change_row(change) for change in changes]
        lines += ["## Knowledge gain and vision loss", "", plain_table(_CHANGE_COLUMNS, rows, left=5)]
        lines += [
            "Each change rests on the items that stand in both versions with a value; a loss is negative. Where the "
            "interval holds zero, no change is shown.",
            "",
        ]
    return lines


def between(low: float | None, high: float | None, method: IntervalMethod) -> str:
    """An interval as shown; a dagger where it was drawn over whole problems."""
    if low is None:
        return "-"
    return f"{percent(low)} to {percent(high)}" + ("" if method == "wilson" else " †")


def points(share: float | None) -> str:
    """A difference of shares in percentage points, with its sign."""
    return "-" if share is None else f"{100 * share:+.1f}"


def p_text(p: float | None) -> str:
    """A p-value; small ones only as small."""
    if p is None:
        return "-"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _mean_row(mean: VersionMean) -> tuple[str, ...]:
    return (
        key_label(mean.key),
        METRIC_NAMES[mean.metric],
        percent(mean.mean) + (" *" if mean.incomplete else ""),
        between(mean.low, mean.high, mean.interval),
        str(mean.n_problems),
    )


def _change_row(change: Change) -> tuple[str, ...]:
    span = "-" if change.low is None else f"{points(change.low)} to {points(change.high)}"
    return (
        key_label(change.key),
        change.name,
        METRIC_NAMES[change.metric],
        change.before,
        change.after,
        str(change.n_pairs) + (f" ({change.left_out} left out)" if change.left_out else ""),
        percent(change.value_before),
        percent(change.value_after),
        points(change.change),
        span,
        p_text(change.p_holm),
        "no change shown" if change.tie else "",
    )


def reading_notes(scores: Scores) -> list[str]:
    """How a run's figures are read, as a Markdown list."""
    return [
        *(_OF_ACCURACY if scores.cells else ()),
        *(_OF_STEPS if scores.step_cells else ()),
        *_OF_ALL,
    ]


_OF_ACCURACY = [
    "- *scored* = n - not run - unjudged; *accuracy* = right / scored; *of all* = right / n. The papers do not say "
    "what a failed request or an unreadable verdict counts as; this rule is ours.",
    "- *chance* is closed-form: 1/k for one of k options, 1/(2^k - 1) for any set of k options, 0 for free-form and "
    "multi-part questions (the first as in SciVerse; the others are ours).",
]
_OF_STEPS = [
    "- *Sci-CoT_K* and *Sci-CoT_L* are means over responses of the share of their knowledge steps and of their logic "
    "steps that are right; *Sci-CoT* is the mean of the two figures of its line (SciVerse). An answered response "
    "without a step of a kind leaves that mean; the *n* beside says how many are in it (the paper is silent; ours).",
    "- *scored* = n - not run - unjudged; *no answer* is among them and worth 0 in both; *unjudged* responses, whose "
    "steps could not be told or scored, are in neither.",
    "- *micro* takes all steps together; *words in steps* is the share of the scored responses' words that stand in a "
    "step.",
]
_OF_ALL = [
    "- *no answer* is the model's own: refusal, filtered, empty, or cut off before an answer. It earns nothing and "
    "stays in the denominator (ours; nothing is ever guessed in its place). A figure marked * rests on a part of its "
    "rows: some were not run or not judged.",
    "- *95 %*: Wilson interval. Where a line holds a problem more than once (versions, languages) its rows are not "
    "independent: then, marked †, whole problems are drawn anew (bootstrap, 2,000 draws, fixed seed), or, with fewer "
    "than 20 problems or all rows alike, the problems are taken as Wilson's trials.",
    "- All lines come from one set of records; each table adds up to the total.",
    "- Prompts and judge are not the papers' and the versions are read as the data set's card says, so these "
    "figures do not compare with the papers' tables.",
]
