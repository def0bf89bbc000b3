"""Evaluation runs of exactly these rows, as far as the release checklist asks about them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.runs import ROWS_NAME, SPEC_NAME, Answered, asked_digest, read_run
from benchwright.schemas.status import Outcome
from benchwright.schemas.workspace import Workspace


@dataclass(frozen=True)
class RunFacts:
    """One run."""

    run_id: str
    model: str
    endpoint: str
    """Kind: openai, local, baseline, replay."""
    protocol: str
    """`human`: people answered."""
    way: tuple[str, ...]
    """What may differ between two runs of one model: mode, prompts, number of examples, rows' versions."""
    input: str
    """What was sent of a row: `QI` both, `Q` its text, `I` its pictures."""
    judge: dict[str, Any] | None
    """Specification of who decided."""
    answered: tuple[Answered, ...]
    spent: bool
    """Whether it says what it cost."""

    @property
    def judged(self) -> int:
        """Answers that are right or wrong."""
        return sum(_is_right(one) is not None for one in self.answered)

    @property
    def right(self) -> int:
        """Answers that are right."""
        return sum(_is_right(one) is True for one in self.answered)

    @property
    def model_judge(self) -> bool:
        """Whether a model had a say in the verdicts."""
        return self.judge is not None and self.judge.get("kind") in ("llm", "chain")


def runs_of(workspace: Workspace, rows: Iterable[ReleaseRow]) -> tuple[RunFacts, ...]:
    """Runs whose rows are rows of this release, asked in the same words and pictures, by id.

    Raises:
        UsageError: a run folder cannot be read.
    """
    digests = {row.id: asked_digest(row) for row in rows}
    folders = sorted(path.parent for path in workspace.runs.glob(f"*/{SPEC_NAME}"))
    found = (_facts(folder, digests) for folder in folders if (folder / ROWS_NAME).is_file())
    return tuple(run for run in found if run is not None)


def _facts(folder: Path, digests: dict[str, str]) -> RunFacts | None:
    run = read_run(folder)
    if not run.answered or any(asked_digest(one.row) != digests.get(one.row.id) for one in run.answered):
        return None
    spec = json.loads((folder / SPEC_NAME).read_bytes())
    prompts = sorted(str(prompt.get("sha256")) for prompt in spec.get("prompts", ()))
    versions = sorted({one.row.version for one in run.answered})
    return RunFacts(
        run_id=run.run_id,
        model=spec["model"]["name"],
        endpoint=spec["model"]["endpoint"],
        protocol=spec["protocol"],
        way=(spec.get("mode", ""), str(spec.get("shots", 0)), *prompts, *versions),
        input=spec.get("input", "QI"),
        judge=spec.get("judge"),
        answered=run.answered,
        spent=(folder / "spending.jsonl").is_file(),
    )


def _is_right(one: Answered) -> bool | None:
    """None where nobody decided."""
    if one.judgement is None or one.judgement.outcome in (Outcome.UNJUDGED, Outcome.NOT_RUN):
        return None
    return one.judgement.outcome is Outcome.CONSISTENT
