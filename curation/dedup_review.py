"""The `duplicates` job: what people are asked about repeats, and what they have said."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import JsonValue

from benchwright.curation.dedup_groups import Group
from benchwright.curation.dedup_members import Member, answer_for, same_answer, view_of
from benchwright.curation.proposers.chosen import place_of
from benchwright.schemas.artefact import Counts, StageResult, run_stage
from benchwright.schemas.digest import digest_of
from benchwright.schemas.duplicates import DuplicateGroup, group_item_id, groups_path
from benchwright.schemas.jobs import Proposal, Verdict, shown_digest
from benchwright.schemas.journal import iter_jsonl, read_jsonl, write_jsonl
from benchwright.schemas.workspace import Workspace

JOB = "duplicates"
MODEL = "benchwright/dedup"
STAGE_VERSION = 1


class Verdicts:
    """Final verdicts of the job, by item, digest and field."""

    def __init__(self, lines: Sequence[Verdict]) -> None:
        self._values: dict[tuple[str, str, str], JsonValue] = {
            (line.item_id, line.digest, line.field): line.value
            for line in lines
            if line.basis != "open" and line.value is not None
        }

    @classmethod
    def read(cls, workspace: Workspace) -> Verdicts:
        """Those of a workspace; none where nobody reviewed."""
        path = workspace.verdicts(JOB)
        return cls(read_jsonl(path, Verdict) if path.is_file() else [])

    @property
    def digest(self) -> str:
        """Digest of all of them."""
        return digest_of([[*place, value] for place, value in sorted(self._values.items())])

    def about(self, members: Sequence[Member], field: str) -> JsonValue:
        """What was said of exactly these questions as they are now; None where nothing was."""
        if not self._values:
            return None
        item = group_item_id([member.id for member in members])
        return self._values.get((item, shown_digest(view_of(members)), field))


def question_of(members: Sequence[Member], *, disputed: bool) -> DuplicateGroup:
    """The job's item for some questions."""
    ids = tuple(sorted(member.id for member in members))
    return DuplicateGroup(
        item_id=group_item_id(ids),
        why="disputed" if disputed else "candidate",
        members=ids,
        digest=shown_digest(view_of(members)),
    )


def disputed_proposals(item: DuplicateGroup, group: Group) -> list[Proposal]:
    """One question with different answers: the same, keep the one that the rule keeps, the answer of most."""
    votes = _votes(group.members)
    answer, n = votes[0]
    clear = len(votes) == 1 or n > votes[1][1]
    found = [_said(item, "relation", "same", 1.0), _said(item, "keep", group.keeper.id, None)]
    return [*found, _said(item, "answer", answer, n / len(group.members))] if clear else found


def candidate_proposals(item: DuplicateGroup, keep: Member, similarity: float) -> list[Proposal]:
    """Perhaps one question: the same, with the likeness as confidence."""
    return [_said(item, "relation", "same", similarity), _said(item, "keep", keep.id, None)]


def written_for(workspace: Workspace, discipline: str) -> tuple[Path, Path]:
    """Where a discipline's proposals and the groups they are about lie. Writer: curate dedup."""
    groups = groups_path(workspace, discipline)
    return groups.with_name(f"{discipline}.proposals.jsonl"), groups


def merge_proposals(workspace: Workspace) -> StageResult:
    """Write `proposals/duplicates.jsonl` from what `curate dedup` left for each discipline."""
    inputs = sorted(workspace.duplicates("x").parent.glob("*.proposals.jsonl"))
    outputs = [workspace.proposals(JOB), workspace.proposals_rejected(JOB)]

    def produce(paths: tuple[Path, ...]) -> Counts:
        items: set[str] = set()

        def lines() -> Iterator[Proposal]:
            # Each file is in order already, and there may be many lines: none is held.
            for line in heapq.merge(*(iter_jsonl(path, Proposal) for path in inputs), key=place_of):
                items.add(line.item_id)
                yield line

        write_jsonl(paths[0], lines())
        write_jsonl(paths[1], [])
        return Counts(n_in=len(items), n_kept=len(items))

    return run_stage(workspace, f"propose/{JOB}", STAGE_VERSION, inputs, outputs, {}, produce)


def _votes(members: Sequence[Member]) -> list[tuple[str, int]]:
    """Answers as the first member would write them, most frequent first, then by text."""
    found: list[list[Member]] = []
    for member in members:
        for alike in found:
            if same_answer(alike[0], member):
                alike.append(member)
                break
        else:
            found.append([member])
    counted = Counter({answer_for(members[0], alike[0]): len(alike) for alike in found})
    return sorted(counted.items(), key=lambda entry: (-entry[1], entry[0]))


def _said(item: DuplicateGroup, field: str, value: JsonValue, confidence: float | None) -> Proposal:
    return Proposal(
        job=JOB,
        item_id=item.item_id,
        field=field,
        digest=item.digest,
        value=value,
        confidence=confidence,
        model=MODEL,
    )
