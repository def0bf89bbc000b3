"""`audit/` of a release: everything that its card's figures are counted from, besides the rows.

Whoever has the release and this folder can count every figure again; `audit/README.md` says how. The card itself is
made from these records alone. Same workspace, same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from benchwright.curation.release.audit_pool import published_pool
from benchwright.curation.release.audit_records import CalibrationLine, ReleaseAudit
from benchwright.curation.release.audit_reviews import published_reviews
from benchwright.curation.release.audit_rows import (
    gate_lines,
    gone_lines,
    left_out_lines,
    machine_lines,
    model_name,
    origin_lines,
)
from benchwright.curation.release.rows import ReleaseContent
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.errors import UsageError
from benchwright.schemas.workspace import Workspace

FOLDER = "audit"
README_NAME = f"{FOLDER}/README.md"
FILES: Mapping[str, str] = MappingProxyType(
    {name: f"{FOLDER}/{name.replace('_', '-')}.jsonl" for name in ReleaseAudit.model_fields}
)
"""Field of `ReleaseAudit` -> its file."""
_MACHINE = frozenset({"base_url"})
"""Fields of a calibration that may name a machine."""


def release_audit(workspace: Workspace, tag: str, content: ReleaseContent) -> ReleaseAudit:
    """Gather what is published beside the rows.

    Args:
        workspace: where reviews, pools and calibrations lie.
        tag: of the release; reviewers get other pseudonyms in another one.
        content: the rows as they are published, and what was left out.

    Raises:
        UsageError: the report on reviews is older than the reviews, or a calibration cannot be read.
    """
    without = frozenset(workspace.recipe.release.withhold)
    answered = frozenset(row.id for row in content.rows if row.split not in without)
    reviews = published_reviews(workspace, tag, answered if without else None)
    pool = published_pool(workspace, content, with_sources=not without)
    return ReleaseAudit(
        reviews=reviews.reviews,
        answers=reviews.answers,
        verdicts=reviews.verdicts,
        agreement=reviews.agreement,
        kept=reviews.kept,
        known=reviews.known,
        origins=origin_lines(content),
        left_out=left_out_lines(content),
        gone=gone_lines(workspace),
        gates=gate_lines(content),
        cells=pool.cells,
        points=pool.points,
        certificates=pool.certificates,
        attrition=pool.attrition,
        repeats=content.repeats,
        templates=pool.templates,
        sources=pool.sources,
        machines=machine_lines(workspace),
        effort=reviews.effort,
        calibrations=_calibrations(workspace),
    )


def audit_files(audit: ReleaseAudit) -> dict[str, str]:
    """Text of every file below `audit/` by name; files without a line are left out but for the README."""
    texts = {
        path: "".join(canonical_json(line) + "\n" for line in getattr(audit, name))
        for name, path in FILES.items()
    }
    there = {path: text for path, text in texts.items() if text}
    lines = {name: len(getattr(audit, name)) for name in FILES}
    return {README_NAME: _readme(lines), **there}


def read_audit(texts: Mapping[str, str]) -> ReleaseAudit:
    """The records of the files of a release, by name inside its folder; those that it does not have are empty."""
    return ReleaseAudit.model_validate(
        {
            name: [json.loads(line) for line in texts.get(path, "").splitlines()]
            for name, path in FILES.items()
        }
    )


def read_audit_folder(folder: Path) -> ReleaseAudit:
    """The records below `audit/` of a release folder."""
    paths = {path: folder / path for path in FILES.values()}
    return read_audit(
        {name: path.read_text(encoding="utf-8") for name, path in paths.items() if path.is_file()}
    )


def _readme(lines: Mapping[str, int]) -> str:
    environment = Environment(
        loader=PackageLoader("benchwright.curation.release"),
        undefined=StrictUndefined,
        autoescape=False,  # Markdown, not HTML
        keep_trailing_newline=True,
    )
    text: str = environment.get_template("audit.md.j2").render(lines=lines, files=FILES)
    return text


def _calibrations(workspace: Workspace) -> tuple[CalibrationLine, ...]:
    """Measured judges; what would name a machine is left out."""
    found = []
    for path in sorted((workspace.root / "calibrations").glob("*.json")):
        try:
            value = json.loads(path.read_bytes())
        except ValueError:
            value = None
        if not _is_calibration(value):
            raise UsageError(f"{path} holds no calibration: write it anew with evaluate judge-check --save.")
        found.append(CalibrationLine(name=path.stem, calibration=_without_machines(value)))
    return tuple(found)


def _is_calibration(value: Any) -> bool:
    """Whether it holds what a card says of a judge of answers or of steps."""
    if not isinstance(value, dict) or not {"judge", "n"} <= value.keys():
        return False
    names = {"same_score", "score_kappa"} if "same_score" in value else {"accuracy", "kappa"}
    return names <= value.keys()


def _without_machines(value: Any) -> Any:
    """The value without addresses and paths of machines."""
    if isinstance(value, list):
        return [_without_machines(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    kept = {name: _without_machines(inner) for name, inner in value.items() if name not in _MACHINE}
    if isinstance(kept.get("name"), str):
        kept["name"] = model_name(kept["name"])
    return kept
