"""`push-dataset --errata`: a patch release, made of the difference to the release that is corrected."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.cli.common import Incomplete, SummaryTable, say

if TYPE_CHECKING:
    from benchwright.curation.release.errata import ErrataPlan, Reason
    from benchwright.curation.release.errata_base import ErrataBase
    from benchwright.curation.release.errata_plan import PlannedErrata
    from benchwright.curation.release.rows import ReleaseContent
    from benchwright.eval.runs.spec import DatasetSpec
    from benchwright.schemas.workspace import Workspace

SHOWN = 20
"""Corrected rows shown on the screen; all of them are in errata.jsonl."""


@dataclass(frozen=True)
class ErrataOrder:
    """What was asked for: which release is corrected, under which tag, and why."""

    base: ErrataBase
    tag: str
    reasons: tuple[Reason, ...]


def errata_order(
    workspace: Workspace, repo_id: str, tag: str | None, base: str | None, endpoint: str | None, offline: bool
) -> ErrataOrder:
    """Read the reasons and find the release to correct.

    Args:
        workspace: holds `errata.toml`.
        repo_id: `ORG/NAME`.
        tag: of the patch release; None: the next patch version.
        base: tag of the release to correct; None: what main holds, offline the highest version that is built here.
        endpoint: the Hub.
        offline: the Hub is not to be asked.

    Raises:
        UsageError: no reasons, no release to correct, its tag has no next version, or the one named is lower.
        Incomplete: the Hub failed.
    """
    from benchwright.curation.release.errata import REASONS_NAME, next_patch, read_reasons, version_of
    from benchwright.curation.release.errata_base import local_base, released_base
    from benchwright.curation.release.remote import HubError
    from benchwright.schemas.errors import UsageError

    reasons = read_reasons(workspace.root / REASONS_NAME)
    if offline:
        found = local_base(workspace, base, reasons, tag)
    else:
        from huggingface_hub import HfApi

        try:
            found = released_base(HfApi(endpoint=endpoint), repo_id, workspace, base)
        except HubError as error:
            raise Incomplete(str(error)) from error
    if tag is not None and (version_of(tag) or (0,)) < (version_of(found.tag) or (0,)):
        raise UsageError(
            f"{tag} would come before {found.tag}, which it corrects: name a later --tag, or none."
        )
    say(
        f"corrects: {found.tag}"
        + (f" of {repo_id} ({found.commit[:12]})" if found.commit else ", built here")
    )
    return ErrataOrder(found, tag or next_patch(found.tag), reasons)


def plan_for(order: ErrataOrder, workspace: Workspace, content: ReleaseContent) -> PlannedErrata:
    """Compare what would be published with the release that is corrected.

    Where nothing differs and the base is an errata itself, the plan is that errata: a second run verifies it and ends.

    Raises:
        UsageError: nothing differs and the base is none, or the tag named is the one of the base.
    """
    from dataclasses import replace

    from benchwright.curation.release.errata import REASONS_NAME, ErrataPlan
    from benchwright.curation.release.errata_plan import plan_errata
    from benchwright.schemas.errors import UsageError

    base = order.base
    planned = plan_errata(base, order.tag, content.rows, workspace.recipe.release.withhold, order.reasons)
    if planned.findings:
        return planned
    changed = planned.plan.errata[len(base.errata) :]
    if changed and order.tag == base.tag:
        raise UsageError(
            f"{base.tag} is released already, and tags never move: name a new --tag, or leave it away."
        )
    if changed:
        return planned
    told = [one for one in base.errata if one.tag == base.tag]
    if not told:
        raise UsageError(
            f"No row differs from {base.tag}: run annotate pull and curate problems (and render) first, then name each "
            f"changed row in {REASONS_NAME}."
        )
    say(f"nothing differs from {base.tag}, which holds these corrections: looking after it once more")
    return replace(planned, plan=ErrataPlan(base.tag, told[0].base, base.errata))


def errata_table(plan: ErrataPlan) -> SummaryTable:
    """The rows that a patch release changes."""
    own = plan.own
    more = f", the first {SHOWN}" if len(own) > SHOWN else ""
    rows = [
        (one.id, one.event, ", ".join(change.column for change in one.changes), one.reason)
        for one in own[:SHOWN]
    ]
    title = f"Errata {plan.tag} against {plan.base}: {len(own)} rows{more}"
    return SummaryTable(title, ("row", "what", "columns", "why"), rows)


def rescore_commands(workspace: Workspace, repo_id: str, plan: ErrataPlan, commit: str | None) -> list[str]:
    """The command for each stored run of the corrected release that scores its answers on the patch release.

    Args:
        workspace: holds `runs/`.
        repo_id: `ORG/NAME`.
        plan: names both tags.
        commit: of the corrected release, where known.
    """
    from benchwright.eval.runs.store import RunFolder
    from benchwright.schemas.errors import BenchwrightError

    commands = []
    for path in sorted(workspace.runs.glob("*/spec.json")):
        try:
            data = RunFolder(path.parent).spec().dataset
        except BenchwrightError as error:
            say(f"left out: {error}")
            continue
        if _of_base(data, workspace, repo_id, plan, commit):
            commands.append(_command(path.parent, data, f"{repo_id}@{plan.tag}", workspace, plan.tag))
    return commands


def _of_base(
    data: DatasetSpec, workspace: Workspace, repo_id: str, plan: ErrataPlan, commit: str | None
) -> bool:
    if data.origin == "hub":
        return data.name == repo_id and (
            data.tag == plan.base or (commit is not None and data.commit == commit)
        )
    return data.name == workspace.recipe.benchmark.name and data.tag == plan.base


def _command(run: Path, data: DatasetSpec, release: str, workspace: Workspace, tag: str) -> str:
    if data.answers is None:
        return f"evaluate rescore {run.name} --release {release}"
    answers = workspace.relative(workspace.release(f"{tag}.answers.jsonl"))
    return f"evaluate score PREDICTIONS-OF-{run.name} --answers {answers} --dataset {release}"
