"""What `push-dataset --check-only` shows: reasons not to publish, and the release checklist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchwright.cli.common import SummaryTable, emit, show_table

if TYPE_CHECKING:
    from benchwright.curation.release.checklist import Checklist
    from benchwright.curation.release.findings import Finding

_MARKS = {"pass": "pass", "fail": "FAIL", "needs a person": "person", "after release": "later"}


def show_check(
    findings: Sequence[Finding], checked: Checklist, left_out: Mapping[str, int], as_json: bool
) -> None:
    """End `push-dataset --check-only`.

    Args:
        findings: reasons not to publish.
        checked: the release checklist.
        left_out: rows that cannot be made, by reason.
        as_json: print JSON instead of tables.
    """
    result: dict[str, Any] = {
        "rows": checked.rows,
        "rejected": dict(left_out),
        "findings": [finding.model_dump(mode="json") for finding in findings],
        "checklist": checked.model_dump(mode="json"),
        "counts": checked.counts,
    }
    if not as_json:
        show_table(criteria_table(checked))
        if (open_ones := open_table(checked)).rows:
            show_table(open_ones)
    table = finding_table(findings) if findings else reason_table(checked.rows, left_out)
    emit(result, table, as_json, None if findings else "push-dataset --build-only")


def criteria_table(checked: Checklist) -> SummaryTable:
    """All criteria with status and figure."""
    counts = checked.counts
    title = (
        f"Release checklist: {checked.rows:,} rows of {checked.problems:,} problems; {counts['pass']} pass, "
        f"{counts['fail']} fail, {counts['needs a person']} need a person, {counts['after release']} after the release"
    )
    rows = [(one.number, _MARKS[one.status], one.name, one.figure) for one in checked.criteria]
    return SummaryTable(title, ("", "", "criterion", "figure"), rows)


def open_table(checked: Checklist) -> SummaryTable:
    """What is left to do for those that are not passed."""
    from benchwright.curation.release.checklist import named

    rows = [(one.number, named(one.ids, 2), one.mend) for one in checked.criteria if one.status != "pass"]
    return SummaryTable("What is left to do", ("", "where", "what to do"), rows)


def finding_table(findings: Sequence[Finding]) -> SummaryTable:
    """Reasons not to publish, each with an example and what mends it."""
    rows = [
        (
            finding.code,
            len(finding.rows),
            finding.rows[0],
            " ".join((finding.sentence, *finding.details[:1])),
            finding.command,
        )
        for finding in findings
    ]
    columns = ("code", "rows", "for example", "what is wrong", "what mends it")
    return SummaryTable("Reasons not to publish", columns, rows)


def reason_table(published: int, left_out: Mapping[str, int]) -> SummaryTable:
    """Rows that can be published, and rows that cannot be made."""
    rows: list[tuple[str, int]] = [("rows that can be published", published)]
    rows += [(f"left out: {reason}", count) for reason, count in left_out.items()]
    return SummaryTable("Nothing stands against publishing", ("what", "rows"), rows)
