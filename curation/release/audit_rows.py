"""What a release says of its rows beyond the rows themselves: origins of fields, what was left out, legibility."""

from __future__ import annotations

from pathlib import Path

from benchwright.curation.release.audit_records import (
    GateLine,
    GoneLine,
    LeftOutLine,
    MachineLine,
    OriginLine,
)
from benchwright.curation.release.rows import ReleaseContent
from benchwright.render.legibility_result import GateResult, GateState
from benchwright.schemas.jobs import JOBS, Proposal
from benchwright.schemas.journal import iter_jsonl
from benchwright.schemas.records import Rejected, ReleaseRow
from benchwright.schemas.tables import read_records
from benchwright.schemas.versions import Version
from benchwright.schemas.workspace import Workspace

_FROM_FILES = frozenset({"local", "replay"})
_STATES = {
    GateState.PASSED: "passed",
    GateState.FAILED: "failed",
    GateState.NOT_JUDGED: "not-judged",
}


def origin_lines(content: ReleaseContent) -> tuple[OriginLine, ...]:
    """Who said each field of each published problem."""
    published = {row.problem_id for row in content.rows}
    return tuple(
        OriginLine(problem_id=name, field=field, origin=origin)
        for name, pairs in sorted(content.origins.items())
        if name in published
        for field, origin in sorted(set(pairs))
    )


def left_out_lines(content: ReleaseContent) -> tuple[LeftOutLine, ...]:
    """Every combination of problem, version and language that is not published; details stay in the workspace."""
    lines = (_left_out(item) for item in content.rejected)
    return tuple(sorted(lines, key=lambda line: (line.row, line.reason)))


def gone_lines(workspace: Workspace) -> tuple[GoneLine, ...]:
    """Chosen questions that are no problem, and texts that still wait for a review."""
    problems = _rejected(workspace.problems_rejected)
    waiting = _rejected(workspace.problems_pending)
    lines = [
        *(GoneLine(item=item.item_id, what="problem", reason=item.reason) for item in problems),
        *(GoneLine(item=item.item_id, what="text", reason=item.reason) for item in waiting),
    ]
    return tuple(sorted(lines, key=lambda line: (line.item, line.what, line.reason)))


def machine_lines(workspace: Workspace) -> tuple[MachineLine, ...]:
    """Who proposed values, by job and id."""
    found = {
        (job, model_name(one.model))
        for job in JOBS
        if workspace.proposals(job).is_file()
        for one in iter_jsonl(workspace.proposals(job), Proposal)
    }
    return tuple(MachineLine(job=job, model=model) for job, model in sorted(found))


def model_name(model: str) -> str:
    """A model's id; of one that was read from a file or folder, its last part alone: a path would name a machine."""
    kind, _, name = model.partition("/")
    return f"{kind}/{name.rstrip('/').rsplit('/', 1)[-1]}" if kind in _FROM_FILES and name else model


def gate_lines(content: ReleaseContent) -> tuple[GateLine, ...]:
    """The gate's verdict on every published picture that was rendered, by row."""
    rendered = (row for row in content.rows if row.id in content.gates)
    return tuple(_gate(row, content.gates[row.id]) for row in sorted(rendered, key=lambda row: row.id))


def _gate(row: ReleaseRow, verdict: GateResult | None) -> GateLine:
    return GateLine.model_validate(
        {
            "row": row.id,
            "version": row.version,
            "language": row.language,
            "sha256": row.images[0],
            "state": "unchecked" if verdict is None else _STATES[verdict.state],
            "characters": 0 if verdict is None else verdict.characters,
            "errors": 0 if verdict is None else verdict.errors,
            "unverified_formulas": 0 if verdict is None else verdict.unverified_formulas,
            "reader": None if verdict is None else verdict.reader,
            "codes": () if verdict is None else verdict.codes,
        }
    )


def _left_out(item: Rejected) -> LeftOutLine:
    """A row id is `problem-version-language`; problems and versions may hold a hyphen themselves."""
    stem, _, language = item.item_id.rpartition("-")
    version = next((version.value for version in Version if stem.endswith(f"-{version.value}")), "?")
    return LeftOutLine(
        row=item.item_id,
        problem_id=stem.removesuffix(f"-{version}"),
        version=version,
        language=language,
        reason=item.reason,
    )


def _rejected(path: Path) -> list[Rejected]:
    return read_records(path, Rejected) if path.is_file() else []
