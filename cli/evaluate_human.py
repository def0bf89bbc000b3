"""`evaluate import-human`: people's answers as runs beside those of models."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.common import (
    Incomplete,
    SummaryTable,
    emit,
    json_option,
    open_workspace,
    progress,
    say,
    workspace_option,
)
from benchwright.cli.evaluate_options import judge_key_option, judge_option
from benchwright.cli.evaluate_show import kept_back, missing_words

if TYPE_CHECKING:
    from benchwright.eval.pipeline.human import HumanRun
    from benchwright.eval.pipeline.runner import RunResult
    from benchwright.eval.runs.spec import JudgeKind
    from benchwright.models.chat import ChatModel
    from benchwright.schemas.workspace import Workspace


@dataclass(frozen=True)
class ImportOptions:
    """The options of `evaluate import-human`, as typed."""

    dataset: str
    persons: tuple[str, ...]
    pooled: bool
    judge: JudgeKind | None
    judge_model: str | None
    judge_base_url: str | None
    judge_api_key_env: str
    judge_max_tokens: int
    concurrency: int
    allow_external: bool
    out: Path | None
    workspace: Path | None
    as_json: bool


@click.command("import-human", short_help="Make runs of people's answers to a release.")
@click.argument("dataset")
@click.option(
    "--person",
    "persons",
    multiple=True,
    metavar="A01",
    help="Only this person; may be repeated. Default: everybody.",
)
@click.option("--all", "pooled", is_flag=True, help="One run human/all in place of one for each person.")
@judge_option
@click.option("--judge-model", default=None, help="The judging model, e.g. openai/NAME.")
@click.option("--judge-base-url", default=None, help="Endpoint of the judging model.")
@judge_key_option
@click.option(
    "--judge-max-tokens",
    type=click.IntRange(min=1024),
    default=2048,
    show_default=True,
    help="Room for the judge's words.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    default=8,
    show_default=True,
    help="Calls of the judge in flight.",
)
@click.option(
    "--allow-external",
    is_flag=True,
    help="Send answers to a folder's questions to a judge outside this machine.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Folder for the run folders; default: runs/ of the workspace.",
)
@workspace_option
@json_option
def import_human(**options: Any) -> None:
    """Make runs of the answers that people gave in the review job `answer` to DATASET, and judge them.

    DATASET (ORG/NAME, ORG/NAME@REVISION or a release folder) is what they answered. Each person becomes a model
    human/A01, or all of them human/all; `evaluate report` puts these beside the runs of models.
    """
    from benchwright.eval.pipeline.human import human_runs, read_answers
    from benchwright.eval.runs.dataset import split_name
    from benchwright.schemas.release_table import resolve_release

    chosen = ImportOptions(**options)
    space = open_workspace(chosen.workspace)
    release = resolve_release(*split_name(chosen.dataset))
    runs = human_runs(release, read_answers(space), chosen.persons, pooled=chosen.pooled)
    done = [(run, *_judged(run, space, chosen)) for run in runs]
    _show(done, chosen.as_json)


def _judge(options: ImportOptions) -> tuple[ChatModel | None, JudgeKind]:
    from benchwright.eval.pipeline.plan import check_judge, judge_kind
    from benchwright.models.registry import open_model

    kind = judge_kind(options.judge, options.judge_model, None)
    if kind == "rules" or options.judge_model is None:
        return None, kind
    judge = open_model(options.judge_model, options.judge_base_url, options.judge_api_key_env)
    check_judge(judge)
    return judge, kind


def _judged(run: HumanRun, space: Workspace, options: ImportOptions) -> tuple[RunResult, Path]:
    from benchwright.eval.pipeline.human import human_spec
    from benchwright.eval.pipeline.plan import check_outgoing
    from benchwright.eval.pipeline.runner import judge_folder
    from benchwright.eval.reports.report_page import write_scores
    from benchwright.eval.runs.passes import RunSettings
    from benchwright.eval.runs.store import RunFolder
    from benchwright.models.scheduler import SchedulerSettings
    from benchwright.models.store import CallStore

    judge, kind = _judge(options)  # anew for each run: it is closed at the end of one
    check_outgoing(
        run.dataset,
        None,
        judge,
        allow_external=options.allow_external,
        forbidden_sources=kept_back(space, Path(options.dataset)),
    )
    spec = human_spec(run, kind, judge, options.judge_max_tokens)
    folder = RunFolder((options.out if options.out is not None else space.runs) / spec.run_id)
    say(f"{run.name}: {len(run.responses)} answers -> {folder.path}")
    settings = RunSettings(SchedulerSettings(concurrency=options.concurrency))
    with folder.lock():
        folder.open(spec)
        folder.write_rows(run.dataset.rows)
        folder.replace_responses(run.responses)
        folder.write_people(run.people)
        with CallStore(space.calls) as calls:
            result = judge_folder(spec, run.dataset, judge, folder, calls, settings, progress)
        write_scores(folder.path, result.scores)
    return result, folder.path


def _show(done: list[tuple[HumanRun, RunResult, Path]], as_json: bool) -> None:
    from benchwright.eval.metrics.scores import interval_text

    rows, records = [], []
    for run, result, path in done:
        total, people = result.scores.total, run.people
        rows.append(
            (
                run.name,
                result.scores.run_id,
                len(people.people),
                people.items,
                people.answered,
                "-" if people.median_seconds is None else people.median_seconds,
                "-" if result.scores.headline is None else 100 * result.scores.headline,
                interval_text(total),
                total.unjudged,
                people.stale + people.unknown,
            )
        )
        records.append({**result.scores.model_dump(mode="json"), "folder": str(path)})
    columns = (
        "model",
        "run",
        "people",
        "items",
        "answered",
        "median s",
        "acc. %",
        "95 %",
        "unjudged",
        "left out",
    )
    beside = " ".join(str(result.scores.run_id) for _, result, _ in done)
    emit(
        {"runs": records},
        SummaryTable("People's answers", columns, rows),
        as_json,
        f"evaluate report {beside} RUN-OF-A-MODEL",
    )
    open_runs = [result.scores for _, result, _ in done if not result.scores.complete]
    if open_runs:
        raise Incomplete(f"{open_runs[0].spec.model.name}: {missing_words(open_runs[0])}")
