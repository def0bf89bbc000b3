"""Stops a run that would drop most of a source: a fault in a source looks just like that (a placeholder for text)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from benchwright.curation.dedup_scan import Scan
from benchwright.schemas.errors import UsageError


def check_sources(
    discipline: str, scan: Scan, dropped: Iterable[str], max_share: float, least: int, yes: bool
) -> None:
    """Refuse to drop more than a share of any source.

    Args:
        discipline: for the message.
        scan: every question's source.
        dropped: ids of the questions that would give way.
        max_share: the recipe's `max_source_share`.
        least: fewer dropped questions of a source never stop a run.
        yes: the user has seen it and goes on.

    Raises:
        UsageError: names the worst source, its share, and how to go on.
    """
    gone = set(dropped)
    if yes or not gone:
        return
    per_source = Counter(scan.sources.tolist())
    lost = Counter(int(scan.sources[row]) for row, name in enumerate(scan.ids) if name in gone)
    over = [
        (count / per_source[source], scan.source_names[source], count, per_source[source])
        for source, count in lost.items()
        if count >= least and count > max_share * per_source[source]
    ]
    if over:
        share, name, count, total = max(over)
        raise UsageError(
            f"{count} of the {total} {discipline} questions of {name!r} ({share:.0%}) would be dropped as duplicates, "
            f"more than the {max_share:.0%} that the recipe allows ({len(over)} source(s) in all): look at the source, "
            "then run `curate dedup --yes`, or raise max_source_share under [dedup]."
        )
