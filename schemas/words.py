"""What machines and people said about one field of one item, and whose word counts.

A final verdict about exactly what is shown now always counts. Without one it depends on who asks (`Trust`): problems
wait for people, unless the builder accepts proposals; proposers further down the line work on drafts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import JsonValue

from benchwright.schemas.errors import ItemError
from benchwright.schemas.jobs import Keyed, Proposal, Verdict, shown_digest
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import Language, Origin, Provenance
from benchwright.schemas.workspace import Workspace

K = TypeVar("K", bound=Keyed)

_Place = tuple[str, str, Language | None, str]
FINDINGS = "findings"


class Trust(StrEnum):
    """Whose word counts where no final verdict is there."""

    REVIEWED = "reviewed"
    """Nobody's."""
    ACCEPTED = "accepted"
    """The machine's, if its program checks found nothing: the recorded `--accept-proposals`."""
    DRAFT = "draft"
    """The machine's, whatever the checks found and however people disagree so far: for further proposals only."""


@dataclass(frozen=True)
class Words:
    """Proposals and verdicts of some jobs, by job, item, language and field."""

    proposals: Mapping[_Place, Sequence[Proposal]]
    verdicts: Mapping[_Place, Sequence[Verdict]]
    trust: Trust

    @classmethod
    def read(cls, workspace: Workspace, jobs: Iterable[str], trust: Trust) -> Words:
        """Read the files of jobs; one that does not exist says nothing."""
        names = tuple(jobs)
        return cls(
            _by_place(p for job in names for p in _lines(workspace.proposals(job), Proposal)),
            _by_place(v for job in names for v in _lines(workspace.verdicts(job), Verdict)),
            trust,
        )

    def value(
        self, job: str, item_id: str, language: Language | None, name: str, view: dict[str, Any]
    ) -> tuple[JsonValue, Provenance]:
        """The value of a field and who said it.

        Args:
            job: the job.
            item_id: the item.
            language: of the key; None for jobs that are not per language.
            name: the field.
            view: what is shown now; a word about anything else is stale.

        Raises:
            ItemError: `unreviewed`, `stale-review`, `open-review` or `failed-checks`.
        """
        place, digest = (job, item_id, language, name), shown_digest(view)
        verdict = _fitting(self.verdicts, place, digest)
        if verdict is not None and verdict.basis != "open" and verdict.value is not None:
            by = ",".join(verdict.by) or None
            return verdict.value, Provenance(field=name, language=language, origin=Origin.REVIEW, by=by)
        if verdict is not None and verdict.basis != "open":
            raise ItemError("unreviewed", f"{name}: the reviewers left it empty")
        proposal = _fitting(self.proposals, place, digest)
        if self.trust is not Trust.DRAFT:
            self._refuse(verdict, place)
            if self.trust is Trust.ACCEPTED and proposal is not None:
                self._refuse_findings(place, digest)
        if self.trust is Trust.REVIEWED or proposal is None:
            raise ItemError("unreviewed", f"{name}: {self._why_not(proposal, place)}")
        return proposal.value, Provenance(
            field=name, language=language, origin=Origin.PROPOSAL, by=proposal.model
        )

    def optional(
        self, job: str, item_id: str, language: Language | None, name: str, view: dict[str, Any]
    ) -> tuple[JsonValue, Provenance] | None:
        """As `value`, but None where nobody said anything about the field.

        Raises:
            ItemError: `stale-review`, `open-review` or `failed-checks`.
        """
        try:
            return self.value(job, item_id, language, name, view)
        except ItemError as error:
            if error.reason == "unreviewed":
                return None
            raise

    def proposed(self, job: str, item_id: str, language: Language | None) -> bool:
        """Whether a machine said anything about the item in that job, whatever text it was about."""
        return (job, item_id, language) in self._asked

    @cached_property
    def _asked(self) -> frozenset[tuple[str, str, Language | None]]:
        return frozenset(place[:3] for place in self.proposals)

    def _why_not(self, proposal: Proposal | None, place: _Place) -> str:
        if proposal is not None:
            return "no verdict"
        if self.proposals.get(place):
            return "no verdict, and what was proposed is about an older text: propose it again"
        return "no verdict, no proposal either"

    def _refuse(self, verdict: Verdict | None, place: _Place) -> None:
        name = place[3]
        if verdict is not None and verdict.by:
            one = f"{verdict.by[0]} reviewed it and gave no value: annotate adjudicate {place[0]}"
            why = one if len(verdict.by) == 1 else f"the reviewers {', '.join(verdict.by)} do not agree yet"
            raise ItemError("open-review", f"{name}: {why}")
        if verdict is None and any(older.by for older in self.verdicts.get(place, ())):
            raise ItemError("stale-review", f"{name}: the question was changed after its review")

    def _refuse_findings(self, place: _Place, digest: str) -> None:
        job, item_id, language, name = place
        found = _fitting(self.proposals, (job, item_id, language, FINDINGS), digest)
        if found is not None and found.value:
            codes = found.value if isinstance(found.value, list) else [found.value]
            raise ItemError("failed-checks", f"{name}: {'; '.join(map(str, codes))}")


def _lines(path: Path, model: type[K]) -> list[K]:
    return read_jsonl(path, model) if path.is_file() else []


def _by_place(records: Iterable[K]) -> dict[_Place, list[K]]:
    found: dict[_Place, list[K]] = {}
    for record in records:
        found.setdefault((record.job, record.item_id, record.language, record.field), []).append(record)
    return found


def _fitting(records: Mapping[_Place, Sequence[K]], place: _Place, digest: str) -> K | None:
    """The record about exactly what is shown now, or None."""
    return next((record for record in records.get(place, ()) if record.digest == digest), None)
