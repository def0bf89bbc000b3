"""The proposals that review pages show."""

from __future__ import annotations

from benchwright.schemas.jobs import Key, Proposal
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.workspace import Workspace


def newest_proposals(workspace: Workspace, job: str) -> dict[Key, Proposal]:
    """The last proposal for each key, later lines replacing earlier ones; empty where the job has none."""
    path = workspace.proposals(job)
    return {proposal.key: proposal for proposal in read_jsonl(path, Proposal)} if path.is_file() else {}
