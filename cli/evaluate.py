"""`evaluate`: ask a model a released data set, judge its answers, report the scores.

`evaluate ORG/NAME[@REVISION] --model M` is `evaluate run ...`: `run` is the default command of the group.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.common import SummaryTable, emit, json_option, workspace_option
from benchwright.cli.evaluate_errors import errors
from benchwright.cli.evaluate_export import export
from benchwright.cli.evaluate_generate import generate, score
from benchwright.cli.evaluate_human import import_human
from benchwright.cli.evaluate_items import items
from benchwright.cli.evaluate_judge_check import judge_check
from benchwright.cli.evaluate_offer import offer
from benchwright.cli.evaluate_options import (
    Options,
    effort_options,
    judge_options,
    model_options,
    row_options,
    way_options,
)
from benchwright.cli.evaluate_report import report
from benchwright.cli.evaluate_rescore import rescore
from benchwright.cli.evaluate_running import finish_all, prepare, run_all
from benchwright.cli.evaluate_show import show_scores

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from benchwright.cli.evaluate_running import Done


class DefaultRun(click.Group):
    """A group whose command `run` may be left out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `run` before arguments that name no command."""
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer the options of `run` too: it is what is meant where no command is named."""
        found = super().shell_complete(ctx, incomplete)
        run = self.commands["run"]
        return [*found, *run.shell_complete(click.Context(run, ctx), incomplete)]


@click.group(cls=DefaultRun, context_settings={"help_option_names": ["-h", "--help"]})
def evaluate() -> None:
    """Ask a model a released data set and score its answers.

    `evaluate ORG/NAME@TAG --model openai/NAME --base-url URL` is short for `evaluate run ...`.
    """


@evaluate.command("run", short_help="Ask a model and score its answers (the default command).")
@click.argument("dataset")
@model_options
@row_options
@way_options
@judge_options
@effort_options
@click.option("--resume", is_flag=True, help="Only continue: it is an error when there is no such run yet.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Run folder; default: runs/RUN-ID in the workspace or the current folder. Several runs lie in it.",
)
@workspace_option
@json_option
def run_command(**options: Any) -> None:
    """Ask MODEL every scored row of DATASET (ORG/NAME, ORG/NAME@REVISION or a release folder).

    The same command again continues: only what is not final is redone.
    """
    chosen = Options(**options)
    done = run_all(prepare(chosen, judged=True))
    if len(done) == 1:
        result = done[0].result
        show_scores(result.scores, done[0].folder, chosen.as_json, _more(done[0]))
    else:
        _show_several(done, chosen.as_json)
    finish_all(done, chosen.stop_above)


for _command in (generate, score, report, import_human, errors, offer, rescore, export, judge_check, items):
    evaluate.add_command(_command)


def _more(done: Done) -> dict[str, Any]:
    result = done.result
    spending = [one.model_dump(mode="json") for one in result.spending]
    return {"notes": list(result.notes), "reused": result.reused, "spending": spending}


def _show_several(done: Sequence[Done], as_json: bool) -> None:
    """One line a run; the next command puts them beside each other."""
    from benchwright.eval.metrics.scores import interval_text

    rows = []
    for one in done:
        scores = one.result.scores
        spec, total = scores.spec, scores.total
        rows.append(
            (
                spec.mode,
                spec.sample,
                str(one.folder),
                total.n_total,
                scores.headline_name,
                "-" if scores.headline is None else 100 * scores.headline,
                interval_text(total),
                total.unjudged,
                total.not_run,
            )
        )
    records = [
        {**one.result.scores.model_dump(mode="json"), "folder": str(one.folder), **_more(one)} for one in done
    ]
    columns = ("mode", "sample", "run", "n", "figure", "%", "95 %", "unjudged", "not run")
    beside = " ".join(str(one.folder) for one in done)
    emit(
        {"runs": records},
        SummaryTable("Runs", columns, rows),
        as_json,
        f"evaluate report {beside} --out report",
    )
