"""What the commands on a finished run share: finding it, and the options of a model that is asked about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.evaluate_options import Options, grouped, judge_key_option, prices_option, tries_options
from benchwright.cli.evaluate_show import find_place, runs_folder

if TYPE_CHECKING:
    from benchwright.eval.runs.store import RunFolder
    from benchwright.models.chat import ChatModel


def find_run(run: str, workspace: Path | None) -> RunFolder:
    """The run folder of an id or path; whether it holds a run shows when its specification is read."""
    from benchwright.eval.runs.store import RunFolder

    path = Path(run)
    return RunFolder(path if path.is_dir() else runs_folder(find_place(workspace)) / run)


def open_asked(options: Options) -> ChatModel:
    """The model that a command asks about a run.

    Raises:
        UsageError: none was named, or it cannot be opened or cannot judge.
    """
    from benchwright.eval.pipeline.plan import check_judge
    from benchwright.models.registry import open_model
    from benchwright.schemas.errors import UsageError

    if options.judge_model is None:
        raise UsageError("nobody is named who could be asked: add --judge-model, e.g. openai/NAME.")
    model = open_model(options.judge_model, options.judge_base_url, options.judge_api_key_env)
    check_judge(model)
    return model


asked_model_options = grouped(
    click.option("--judge-model", default=None, help="The model to ask, e.g. openai/NAME."),
    click.option("--judge-base-url", default=None, help="Its endpoint."),
    judge_key_option,
    tries_options,
    click.option("--budget", default=None, metavar="USD", help="Stop before the calls cost more than this."),
    prices_option,
    click.option(
        "--allow-external",
        is_flag=True,
        help="Send questions and answers of an unreleased folder to a model outside this machine.",
    ),
)
"""A model that is asked about a finished run: which one, how hard to try, what it may cost."""
