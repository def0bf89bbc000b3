"""The release checklist: 32 criteria of a good benchmark, each with its status and the figure behind it.

A criterion is passed, failed, left to a person, or, where only runs of the released rows can measure it, left for
after the release: such a one counts neither as passed nor as failed.

Criteria after BetterBench (Reuel et al. 2024), the Agentic Benchmark Checklist (2507.02825), MMMU-Pro, and what users
of such benchmarks ask for. A release is refused for findings (`check`) alone; the checklist says how good it is, stands
on the card and lies beside the data. It holds no time: the same workspace gives the same bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from benchwright.curation.release.check import Known, check_release, unfinished
from benchwright.curation.release.checklist_criteria import CRITERIA
from benchwright.curation.release.checklist_facts import Answer, Status, gather
from benchwright.curation.release.findings import Finding
from benchwright.curation.release.markdown import in_line
from benchwright.curation.release.rows import ReleaseContent
from benchwright.schemas.records import Record
from benchwright.schemas.workspace import Workspace

CHECKLIST_NAME = "checklist.json"
SHOWN = 5
"""Ids that a page names; the file holds all."""


class Criterion(Record):
    """One criterion of the checklist."""

    number: int
    name: str
    """What has to hold, in a few words."""
    status: Status
    figure: str
    """What was measured or read."""
    ids: tuple[str, ...] = ()
    """Rows, problems or places that stand in the way, or that a person has to look at."""
    mend: str = ""
    """What to do about it; empty for one that is passed."""


class Checklist(Record):
    """All criteria for one release, in order."""

    rows: int
    problems: int
    findings: dict[str, int]
    """Rows by code of what a release is refused for."""
    criteria: tuple[Criterion, ...]

    @property
    def counts(self) -> dict[str, int]:
        """Criteria by status."""
        found = Counter(criterion.status for criterion in self.criteria)
        return {status: found[status] for status in get_args(Status)}

    def to_json(self) -> str:
        """The file that lies beside the data."""
        return self.model_dump_json(indent=2) + "\n"

    def to_markdown(self) -> str:
        """The table for the card; the rows concerned stand in the file."""
        lines = ["| | criterion | | figure |", "|---:|---|---|---|"]
        for one in self.criteria:
            cells = (str(one.number), one.name, one.status, one.figure)
            lines.append("| " + " | ".join(in_line(cell) for cell in cells) + " |")
        return "\n".join(lines) + "\n"


def checklist(
    content: ReleaseContent,
    workspace: Workspace,
    findings: Sequence[Finding] | None = None,
    published: bool = False,
) -> Checklist:
    """Judge a release by all criteria.

    Args:
        content: its rows and pictures, with all answers: take those that are withheld out afterwards.
        workspace: what else is known: reviews, certificates, runs, the recipe's statements.
        findings: of `check_release` and `unfinished`, where they are there already.
        published: as it lies beside the data: without evaluation runs, which come after a release and must not change
            its bytes, and, where answers are withheld, without what their keys come to.

    Raises:
        UsageError: a file of the workspace that a criterion reads is broken.
    """
    known = Known.of(workspace)
    if findings is None:
        findings = (*unfinished(content), *check_release(content, known))
    facts = gather(content, workspace, known, findings, published)
    return Checklist(
        rows=len(content.rows),
        problems=len({row.problem_id for row in content.rows}),
        findings={finding.code: len(finding.rows) for finding in findings},
        criteria=tuple(
            _criterion(number, name, judge(facts)) for number, (name, judge) in enumerate(CRITERIA, start=1)
        ),
    )


def named(ids: Sequence[str], most: int = SHOWN) -> str:
    """The first ids, and how many more there are."""
    more = f" and {len(ids) - most} more" if len(ids) > most else ""
    return ", ".join(ids[:most]) + more


def _criterion(number: int, name: str, answer: Answer) -> Criterion:
    return Criterion(
        number=number,
        name=name,
        status=answer.status,
        figure=answer.figure,
        ids=tuple(sorted(answer.ids)),
        mend="" if answer.status == "pass" else answer.mend,
    )
