"""What the five versions of a problem tell together: their mean, knowledge gain and vision loss (SciVerse, 3.2).

SciVerse's "All" is the unweighted mean of its five versions' figures; it differs from the figure over all rows when a
version lacks some problems. Gain and loss are differences on the very problems that both versions have, with an
interval over problems: a version is never set against another one's other problems.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from benchwright.eval.metrics.intervals import IntervalMethod, figure_of, interval_over_problems
from benchwright.eval.metrics.paired import Paired, holm_known, paired
from benchwright.eval.metrics.placed import Metric, P, grouped, ratios
from benchwright.schemas.records import Record
from benchwright.schemas.versions import PRESETS, Version

ChangeName = Literal["knowledge gain", "vision loss"]
CHANGES: tuple[tuple[ChangeName, Version, Version], ...] = (
    ("knowledge gain", Version.KNOWLEDGE_FREE, Version.KNOWLEDGE_LITE),
    ("knowledge gain", Version.KNOWLEDGE_LITE, Version.KNOWLEDGE_RICH),
    ("knowledge gain", Version.KNOWLEDGE_FREE, Version.KNOWLEDGE_RICH),
    ("vision loss", Version.KNOWLEDGE_FREE, Version.VISION_RICH),
    ("vision loss", Version.VISION_RICH, Version.VISION_ONLY),
    ("vision loss", Version.KNOWLEDGE_FREE, Version.VISION_ONLY),
)
"""Which versions are set against each other, and what the difference shows."""
_BY: tuple[tuple[str, ...], ...] = ((), ("language",), ("discipline",), ("language", "discipline"))


class VersionMean(Record):
    """The mean of the five versions' figures. Shares are in 0..1."""

    metric: Metric
    by: tuple[str, ...]
    key: tuple[str, ...]
    versions: tuple[str, ...]
    values: tuple[float, ...]
    """Each version's figure, in the order of `versions`."""
    mean: float
    low: float | None
    high: float | None
    interval: IntervalMethod
    n_problems: int
    """Problems that stand in at least one version's figure."""
    incomplete: bool
    """True when some row of a version was not run or not judged."""


class Change(Record):
    """What a figure does from one version to another, on the items that both have. Shares are in 0..1."""

    name: ChangeName
    metric: Metric
    before: str
    after: str
    by: tuple[str, ...]
    key: tuple[str, ...]
    n_pairs: int
    """Problems in one language that have a value in both versions."""
    n_problems: int
    left_out: int
    """Problems in one language that stand in both versions but have a value in one of them at most."""
    value_before: float | None
    value_after: float | None
    change: float | None
    """after - before: a loss is negative."""
    low: float | None
    high: float | None
    interval: IntervalMethod
    p: float | None
    """Two-sided, by problems drawn anew; None where there are too few."""
    p_holm: float | None
    """Adjusted over all changes of the same table and metric."""
    tie: bool
    """True when the interval holds zero: nothing is shown."""


def version_means(
    rows: Sequence[P], metrics: Sequence[Metric], open_rows: frozenset[str]
) -> tuple[VersionMean, ...]:
    """Means of the five versions, over everything, by language and by discipline; only where all five have a figure.

    Args:
        rows: of one run.
        metrics: which figures.
        open_rows: ids of rows that were not run or not judged.
    """
    found = []
    for metric in metrics:
        for by in _BY:
            for key, members in grouped(rows, by).items():
                mean = _mean(members, metric, by, key, open_rows)
                if mean is not None:
                    found.append(mean)
    return tuple(found)


def version_changes(rows: Sequence[P], metrics: Sequence[Metric]) -> tuple[Change, ...]:
    """Knowledge gain and vision loss of one run, over everything, by language and by discipline."""
    found: list[Change] = []
    for metric in metrics:
        for by in _BY:
            table = [
                change
                for key, members in grouped(rows, by).items()
                for change in _changes(members, metric, by, key)
            ]
            adjusted = holm_known([change.p for change in table])
            found += [
                change.model_copy(update={"p_holm": p}) for change, p in zip(table, adjusted, strict=True)
            ]
    return tuple(found)


def matched(before: Iterable[P], after: Iterable[P]) -> list[tuple[P, P]]:
    """Rows of the same problem and language, by problem and language."""
    others = {(row.problem_id, row.language): row for row in after}
    ordered = sorted(before, key=lambda row: (row.problem_id, row.language))
    return [
        (row, other) for row in ordered if (other := others.get((row.problem_id, row.language))) is not None
    ]


def _mean(
    rows: Sequence[P], metric: Metric, by: tuple[str, ...], key: tuple[str, ...], open_rows: frozenset[str]
) -> VersionMean | None:
    wanted = [version.value for version in PRESETS["sciverse"]]
    groups = {version: members for (version,), members in grouped(rows, ("version",)).items()}
    if not set(wanted) <= set(groups):
        return None
    parts = {version: ratios(groups[version], metric, 1 / len(wanted)) for version in wanted}
    values = [figure_of(ratios(groups[version], metric)) for version in wanted]
    known = tuple(value for value in values if value is not None)
    if len(known) < len(wanted):
        return None
    whole = [ratio for version in wanted for ratio in parts[version]]
    interval = interval_over_problems(whole)
    return VersionMean(
        metric=metric,
        by=by,
        key=key,
        versions=tuple(wanted),
        values=known,
        mean=sum(known) / len(known),
        low=interval.low,
        high=interval.high,
        interval=interval.method,
        n_problems=len({problem for ratio in whole for problem in ratio.sums}),
        incomplete=any(row.row_id in open_rows for version in wanted for row in groups[version]),
    )


def _changes(rows: Sequence[P], metric: Metric, by: tuple[str, ...], key: tuple[str, ...]) -> list[Change]:
    groups = {version: members for (version,), members in grouped(rows, ("version",)).items()}
    found = []
    for name, before, after in CHANGES:
        if before.value in groups and after.value in groups:
            pairs = matched(groups[before.value], groups[after.value])
            found.append(_change(name, metric, (before.value, after.value), (by, key), paired(pairs, metric)))
    return found


def _change(
    name: ChangeName,
    metric: Metric,
    versions: tuple[str, str],
    place: tuple[tuple[str, ...], tuple[str, ...]],
    found: Paired,
) -> Change:
    return Change(
        name=name,
        metric=metric,
        before=versions[0],
        after=versions[1],
        by=place[0],
        key=place[1],
        n_pairs=found.n_pairs,
        n_problems=found.n_problems,
        left_out=found.left_out,
        value_before=found.first,
        value_after=found.second,
        change=found.difference,
        low=found.interval.low,
        high=found.interval.high,
        interval=found.interval.method,
        p=found.p,
        p_holm=None,
        tie=found.holds_zero,
    )
