"""What machines proposed and people decided about one item, read line by line from the workspace's journals."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from benchwright.curation.release.trace_find import row_pattern
from benchwright.curation.release.trace_records import JobRejected, Words
from benchwright.schemas.errors import TamperedError
from benchwright.schemas.jobs import JOBS, Proposal, Review, Verdict
from benchwright.schemas.records import Rejected
from benchwright.schemas.workspace import Workspace

R = TypeVar("R", Proposal, Rejected, Review, Verdict)


def words_about(workspace: Workspace, problem: str, groups: Collection[str]) -> Words:
    """Proposals, refusals to propose, reviews and verdicts of all jobs about a problem.

    Args:
        workspace: the workspace.
        problem: its problem id.
        groups: item ids of the duplicate groups that it is a member of.

    Raises:
        TamperedError: a line about it cannot be read.
    """
    wanted = _Wanted(problem, groups)
    proposals: list[Proposal] = []
    unproposed: list[JobRejected] = []
    reviews: list[Review] = []
    verdicts: list[Verdict] = []
    for job in JOBS:
        proposals += wanted.records(workspace.proposals(job), Proposal)
        for refused in wanted.records(workspace.proposals_rejected(job), Rejected):
            unproposed.append(JobRejected(job=job, rejected=refused))
        reviews += wanted.records(workspace.reviews(job), Review)
        verdicts += wanted.records(workspace.verdicts(job), Verdict)
    return Words(
        proposals=tuple(proposals),
        unproposed=tuple(unproposed),
        reviews=tuple(reviews),
        verdicts=tuple(verdicts),
    )


class _Wanted:
    """Which items count: the problem, its duplicate groups, its release rows, and these rows in runs (`RUN/ROW`)."""

    def __init__(self, problem: str, groups: Collection[str]) -> None:
        self._names = {problem, *groups}
        self._row = row_pattern(problem)
        # Parsing every line of a large journal would take seconds: most are ruled out by their bytes.
        self._bytes = re.compile(b"|".join(re.escape(name.encode()) for name in sorted(self._names)))

    def records(self, path: Path, model: type[R]) -> Iterator[R]:
        """The records of a journal that are about it, in order; an absent journal has none."""
        if not path.is_file():
            return
        with path.open("rb") as stream:
            for number, raw in enumerate(stream, start=1):
                if not self._bytes.search(raw):
                    continue
                try:
                    record = model.model_validate_json(raw)
                except ValidationError as error:
                    if not raw.endswith(b"\n"):
                        return  # a killed writer's last line: as good as never written
                    raise TamperedError(f"{path}, line {number} is not a {model.__name__} record.") from error
                if self._is_about(record.item_id):
                    yield record

    def _is_about(self, item_id: str) -> bool:
        return item_id in self._names or self._row.fullmatch(item_id.rpartition("/")[2]) is not None
