"""`evaluate offer`: draw a run's answers, or their steps, for people to review."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from benchwright.cli.common import SummaryTable, emit, json_option, open_workspace, workspace_option
from benchwright.cli.evaluate_after import find_run


@click.command("offer", short_help="Draw a run's answers or steps for people to review.")
@click.argument("run")
@click.option(
    "--job",
    type=click.Choice(["judge", "steps"]),
    required=True,
    help="judge: do answer and reference agree? steps: kinds and scores of the key steps. "
    "(`evaluate errors` offers to the job errors.)",
)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    default=None,
    help="At most so many answers of each discipline, drawn at random by the recipe's seed; default: all.",
)
@click.option(
    "--preselect",
    is_flag=True,
    help="judge: fill in the run's own verdict. Without it people judge blind, as gold for a judge should be made.",
)
@workspace_option
@json_option
def offer(
    run: str, job: str, sample: int | None, preselect: bool, workspace: Path | None, as_json: bool
) -> None:
    """Write proposals/judge.jsonl or proposals/steps.jsonl about answers of RUN (a run's id or folder).

    `annotate push JOB --from-run RUN` then shows people exactly these.
    """
    from benchwright.eval.errors.offering import offer_judge, offer_steps
    from benchwright.schemas.errors import UsageError

    space, folder = open_workspace(workspace), find_run(run, workspace)
    if preselect and job != "judge":
        raise UsageError("--preselect is about the job judge: steps always come with their kinds and scores.")
    if job == "judge":
        offering = offer_judge(space, folder, sample, preselect=preselect)
    else:
        offering = offer_steps(space, folder, sample)
    failed = Counter(record.reason for record in offering.rejected)
    rows = [
        ("answers the job is about", offering.eligible),
        ("offered", len(offering.proposals)),
        *((f"not offered: {reason}", n) for reason, n in sorted(failed.items())),
    ]
    result = {
        "job": job,
        "run_id": offering.run_id,
        "eligible": offering.eligible,
        "offered": len(offering.proposals),
        "rejected": dict(failed),
    }
    table = SummaryTable(f"evaluate offer: {job}", ("", "count"), rows)
    emit(result, table, as_json, f"annotate push {job} --from-run {folder.path}")
