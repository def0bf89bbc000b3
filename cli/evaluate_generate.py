"""`evaluate generate` and `evaluate score`: asking and scoring apart, for answers that somebody else holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.common import (
    Incomplete,
    SummaryTable,
    emit,
    json_option,
    progress,
    say,
    workspace_option,
)
from benchwright.cli.evaluate_options import (
    Options,
    effort_options,
    judge_options,
    model_options,
    row_options,
    way_options,
)
from benchwright.cli.evaluate_running import (
    calls_path,
    check_budget,
    folders,
    open_judge,
    opened,
    prepare,
    say_result,
    settings_of,
)
from benchwright.cli.evaluate_show import (
    NOT_RUN,
    find_place,
    finish,
    kept_back,
    runs_folder,
    say_causes,
    show_scores,
)

if TYPE_CHECKING:
    from benchwright.eval.pipeline.plan import Verdicts
    from benchwright.eval.pipeline.runner import RunResult
    from benchwright.eval.runs.dataset import Dataset
    from benchwright.eval.runs.spec import RunSpec
    from benchwright.schemas.runs import Response
    from benchwright.schemas.workspace import Workspace


@click.command("generate", short_help="Only ask: write a predictions file without reference answers.")
@click.argument("dataset")
@model_options
@row_options
@way_options
@effort_options
@click.option("--resume", is_flag=True, help="Only continue: it is an error when there is no such run yet.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Folder of the answers; default: runs/RUN-ID in the workspace or the current folder.",
)
@click.option(
    "--predictions",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="The predictions file; default: predictions.jsonl in that folder.",
)
@workspace_option
@json_option
def generate(**options: Any) -> None:
    """Ask MODEL every scored row of DATASET and write its answers to a file; nothing is judged.

    Works for releases whose answers are withheld: `evaluate score` judges the file where the answers are.
    """
    from benchwright.schemas.errors import UsageError

    chosen = Options(**options)
    session = prepare(chosen, judged=False)
    if chosen.predictions is not None and len(session.plans) > 1:
        raise UsageError("--predictions names one file and these are several runs: leave it away.")
    records = []
    for plan, folder in zip(session.plans, folders(session), strict=True):
        from benchwright.eval.pipeline.runner import ask
        from benchwright.eval.runs.predictions import PREDICTIONS_NAME, write_predictions

        with opened(session, plan, folder) as (notes, calls):
            answers = ask(plan, session.models.tested, folder, calls, session.settings, progress)
            folder.note_spending(answers.spending)
            responses = folder.load(plan.dataset.rows).responses
            path = chosen.predictions or folder.path / PREDICTIONS_NAME
            write_predictions(path, plan.spec, responses)
        say_result((*notes, *answers.notes), answers.spending)
        say_causes(answers.tally, "answers")
        statuses = _statuses(plan.dataset, responses)
        records.append({"predictions": str(path), "rows": len(plan.dataset.rows), "statuses": statuses})
    _show_generated(records, chosen.as_json)


@click.command("score", short_help="Judge the answers of a predictions file.")
@click.argument("predictions", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--answers",
    required=True,
    metavar="FILE|RELEASE",
    help="A release with answers, or a file of them (JSON Lines or CSV: id, answer, unit, solution).",
)
@click.option(
    "--dataset",
    default=None,
    help="With a file of answers: the release that was asked; default: the one on the Hub that the predictions name.",
)
@judge_options
@effort_options
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Run folder; default: runs/RUN-ID in the workspace or the current folder.",
)
@workspace_option
@json_option
def score(**options: Any) -> None:
    """Judge the answers in PREDICTIONS (of `evaluate generate`); the tested model is not asked.

    The run folder and its scores are those that `evaluate run` would have made.
    """
    options["dataset"] = options["dataset"] or ""
    chosen = Options(**options)
    result, folder = _score(chosen)
    show_scores(result.scores, folder, chosen.as_json, {"notes": list(result.notes)})
    total = result.scores.total
    if total.not_run:
        unjudged = f" and {total.unjudged} were not judged" if total.unjudged else ""
        raise Incomplete(
            f"{total.not_run} of {total.n_total} rows have no final answer in {chosen.predictions}{unjudged}: the "
            "figures are incomplete. Run evaluate generate again, only what is missing is redone, and score its file."
        )
    finish(result, chosen.stop_above)


def _score(options: Options) -> tuple[RunResult, Path]:
    from benchwright.eval.pipeline.plan import check_outgoing, scored_by_steps
    from benchwright.eval.runs.predictions import read_predictions

    assert options.predictions is not None, "a required argument"
    place = find_place(options.workspace)
    asked, responses = read_predictions(options.predictions)
    target, data = _rows_to_score(options, asked)
    for_steps = scored_by_steps(asked.protocol, asked.mode)
    if asked.model.endpoint == "baseline" and not for_steps:
        if options.judge not in (None, "rules") or options.judge_model:
            say(f"note: {asked.model.name} answers in letters, so the rules decide; no other judge is asked")
        options = replace(options, judge="rules", judge_model=None, judge_prompts=None)
    verdicts = open_judge(options, None, for_steps=for_steps)
    check_outgoing(
        data,
        None,
        verdicts.model,
        allow_external=options.allow_external,
        forbidden_sources=kept_back(place, Path(target)),
    )
    spec = _judged_spec(asked, data, verdicts)
    return _judge(options, place, spec, data, responses, verdicts)


def _judge(
    options: Options,
    place: Workspace | None,
    spec: RunSpec,
    data: Dataset,
    responses: tuple[Response, ...],
    verdicts: Verdicts,
) -> tuple[RunResult, Path]:
    from benchwright.eval.pipeline.runner import judge_folder
    from benchwright.eval.reports.report_page import write_scores
    from benchwright.eval.runs.predictions import take_over
    from benchwright.eval.runs.store import RunFolder
    from benchwright.models.store import CallStore

    settings = settings_of(options, place)
    check_budget(settings, verdicts.model)
    folder = RunFolder(options.out if options.out is not None else runs_folder(place) / spec.run_id)
    say(f"{spec.model.name}: {len(responses)} answers to {spec.dataset.rows} rows -> {folder.path}")
    with folder.lock():
        notes = folder.open(spec)
        take_over(folder, data.rows, responses)
        with CallStore(calls_path(place, folder)) as calls:
            result = judge_folder(spec, data, verdicts.model, folder, calls, settings, progress)
        folder.note_spending(result.spending)
        write_scores(folder.path, result.scores)
    result = replace(result, notes=(*notes, *result.notes))
    say_result(result.notes, result.spending)
    return result, folder.path


def _rows_to_score(options: Options, asked: RunSpec) -> tuple[str, Dataset]:
    """The release that was read and its rows with answers, as the options say.

    Raises:
        UsageError: it is not known which release was asked, or rows have no answer.
    """
    from benchwright.eval.runs.dataset import open_dataset, selection_of
    from benchwright.eval.runs.predictions import read_answers, with_answers
    from benchwright.schemas.errors import UsageError

    answers, target = options.answers or "", options.dataset
    selection = selection_of(asked.dataset)
    if not Path(answers).is_file():
        if target:
            raise UsageError(f"{answers} is no file: give --dataset only beside a file of answers.")
        return answers, open_dataset(answers, selection)[1]
    if not target and asked.dataset.origin == "hub":
        target = f"{asked.dataset.name}@{asked.dataset.commit}"
    if not target:
        raise UsageError(
            f"the predictions are about the folder {asked.dataset.name!r}, which holds the questions: "
            "name it with --dataset."
        )
    known, digest = read_answers(Path(answers))
    release, data = open_dataset(target, selection, to_score=False)
    return target, with_answers(release, asked, data, known, digest)


def _judged_spec(asked: RunSpec, data: Dataset, verdicts: Verdicts) -> RunSpec:
    from benchwright.eval.pipeline.plan import with_verdicts

    return with_verdicts(asked.model_copy(update={"dataset": data.spec}), verdicts)


def _statuses(data: Dataset, responses: Mapping[str, Response]) -> dict[str, int]:
    from collections import Counter

    names = (responses[row.id].status.value if row.id in responses else "not-asked" for row in data.rows)
    return dict(sorted(Counter(names).items()))


def _show_generated(records: list[dict[str, Any]], as_json: bool) -> None:
    """End with the files.

    Raises:
        Incomplete: rows were not run.
    """
    rows = [(one["predictions"], one["rows"], _words(one["statuses"])) for one in records]
    table = SummaryTable("Predictions", ("file", "rows", "how the calls ended"), rows)
    follow = f"evaluate score {records[0]['predictions']} --answers FILE-OR-RELEASE"
    emit({"runs": records}, table, as_json, follow)
    missing = [
        f"{sum(lost.values())} of {one['rows']} rows have no final answer ({_words(lost)})"
        for one in records
        if (lost := {name: n for name, n in one["statuses"].items() if name in NOT_RUN})
    ]
    if missing:
        raise Incomplete(f"{'; '.join(missing)}. Run the same command again: only what is missing is redone.")


def _words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {name}" for name, n in counts.items())
