"""`evaluate rescore`: stored answers under another judge, newer rules or a corrected release."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.common import (
    SummaryTable,
    emit,
    json_option,
    progress,
    say,
    show_table,
    workspace_option,
)
from benchwright.cli.evaluate_after import find_run
from benchwright.cli.evaluate_options import Options, effort_options, judge_options
from benchwright.cli.evaluate_running import calls_path, check_budget, open_judge, say_result, settings_of
from benchwright.cli.evaluate_show import find_place, finish, kept_back, runs_folder

if TYPE_CHECKING:
    from benchwright.eval.metrics.scores import Scores
    from benchwright.eval.pipeline.plan import Verdicts
    from benchwright.eval.pipeline.rescore import Carried, Rescored
    from benchwright.eval.pipeline.runner import RunResult
    from benchwright.eval.runs.spec import JudgeSpec, RunSpec, StepsSpec
    from benchwright.eval.runs.store import RunFolder
    from benchwright.models.chat import ChatModel
    from benchwright.schemas.workspace import Workspace

SHOWN = 20
"""Changed rows shown on the screen; all of them are in rescored.json."""


@click.command("rescore", short_help="Score a run's stored answers anew: other judge, newer rules, errata.")
@click.argument("run")
@click.option(
    "--release",
    default=None,
    help="The corrected release (folder, ORG/NAME or ORG/NAME@REVISION); default: the rows of the run.",
)
@judge_options
@effort_options
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Folder of the new run; default: runs/RUN-ID in the workspace or the current folder.",
)
@workspace_option
@json_option
def rescore(run: str, release: str | None, **typed: Any) -> None:
    """Score the stored answers of RUN (a run's id or folder) anew; the tested model is not asked.

    Without --judge or --judge-model the run's own judge decides again, with today's rules and prompts. The result is a
    run of its own; both scores are shown with the rows whose verdict changed. A row whose question or pictures the
    release changed is not run; one whose answer alone changed is judged again.
    """
    options = Options(dataset=release or "", **typed)
    place, old = find_place(options.workspace), find_run(run, options.workspace)
    judge, carried = _carried(old, release, options, place)
    new = _folder(options.out, place, carried)
    result, origin = _judged(old, new, carried, judge, options, place)
    say_result(result.notes, result.spending)
    _show(old, new, result.scores, origin, options.as_json)
    finish(result, options.stop_above)


def _carried(
    old: RunFolder, target: str | None, options: Options, place: Workspace | None
) -> tuple[ChatModel | None, Carried]:
    from benchwright.eval.pipeline.plan import check_outgoing
    from benchwright.eval.pipeline.rescore import carry_over, rows_of
    from benchwright.eval.runs.dataset import split_name
    from benchwright.schemas.errors import TamperedError, UsageError
    from benchwright.schemas.release_table import resolve_release

    spec = old.spec()
    verdicts = _verdicts(spec, options)
    judge, steps = _specs(spec, verdicts, options)
    try:
        release = None if target is None else resolve_release(*split_name(target))
        data = rows_of(old, release, place, pictures=steps is not None and "image" in steps.see)
    except TamperedError as error:
        raise UsageError(f"{error}: download or build {target or 'the release'} again.") from error
    asked = verdicts.model if steps is not None or (judge is not None and judge.model is not None) else None
    check_outgoing(
        data,
        None,
        asked,
        allow_external=options.allow_external,
        forbidden_sources=kept_back(place, old.path),
    )
    return asked, carry_over(old, data, judge, steps)


def _verdicts(spec: RunSpec, options: Options) -> Verdicts:
    """Who decides: as typed, else the run's own judge, opened again."""
    from dataclasses import replace

    from benchwright.eval.pipeline.plan import scored_by_steps

    known = (
        spec.steps.model if spec.steps is not None else spec.judge.model if spec.judge is not None else None
    )
    if options.judge is None and options.judge_model is None:
        room = None if spec.judge is None else spec.judge.max_tokens
        options = replace(
            options,
            judge_max_tokens=room or options.judge_max_tokens,
            judge=None if spec.judge is None else spec.judge.kind,
            judge_model=None if known is None else known.name,
            judge_base_url=options.judge_base_url or (None if known is None else known.base_url),
        )
    return open_judge(options, None, for_steps=scored_by_steps(spec.protocol, spec.mode))


def _specs(spec: RunSpec, verdicts: Verdicts, options: Options) -> tuple[JudgeSpec | None, StepsSpec | None]:
    """Who judges final answers, and who steps: a run whose steps are scored stays one.

    What was not typed stays as it was in the run: what the scorer of steps sees, its rule, a user's own words.
    """
    from benchwright.eval.pipeline.plan import ASKING_JUDGES, judge_spec, scored_by_steps, steps_spec
    from benchwright.eval.runs.instructions import users_prompts
    from benchwright.schemas.errors import UsageError

    languages = spec.dataset.languages
    if scored_by_steps(spec.protocol, spec.mode):
        made = steps_spec(verdicts, languages)
        if spec.steps is not None:
            see = made.see if options.see else spec.steps.see
            least = options.min_step_coverage or spec.steps.min_coverage
            made = made.model_copy(update={"see": see, "min_coverage": least})
        return None, made
    if options.see or options.min_step_coverage:
        raise UsageError(
            f"run {spec.run_id} has no scored steps: leave --steps-see and --min-step-coverage away."
        )
    model = verdicts.model if verdicts.kind in ASKING_JUDGES else None
    judge = judge_spec(verdicts.kind, model, verdicts.max_tokens, languages, verdicts.prompts)
    own = () if spec.judge is None or model is None else spec.judge.prompts
    if verdicts.prompts is None and options.judge_model is None and users_prompts(own, "judge"):
        judge = judge.model_copy(update={"prompts": own})
    return judge, None


def _folder(out: Path | None, place: Workspace | None, carried: Carried) -> RunFolder:
    from benchwright.eval.runs.store import RunFolder

    return RunFolder(out if out is not None else runs_folder(place) / carried.spec.run_id)


def _judged(
    old: RunFolder,
    new: RunFolder,
    carried: Carried,
    judge: ChatModel | None,
    options: Options,
    place: Workspace | None,
) -> tuple[RunResult, Rescored]:
    from benchwright.eval.pipeline.rescore import compare, write_carried, write_origin
    from benchwright.eval.pipeline.runner import judge_folder
    from benchwright.eval.reports.report_page import write_scores
    from benchwright.models.policy import outgoing_note
    from benchwright.models.store import CallStore

    settings = settings_of(options, place)
    check_budget(settings, judge)
    say(f"run {carried.origin.rescored_from}: {carried.origin.carried} answers -> {new.path}")
    if judge is not None:
        say(f"judge: {outgoing_note(judge, carried.origin.carried, answers=True)}")
    new.path.mkdir(parents=True, exist_ok=True)
    with new.lock():
        write_carried(new, carried, old)
        with CallStore(calls_path(place, new)) as calls:
            result = judge_folder(carried.spec, carried.dataset, judge, new, calls, settings, progress)
        new.note_spending(result.spending)
        origin = compare(old, new, carried.origin)
        write_origin(new, origin)
        write_scores(new.path, result.scores)
    return result, origin


def _show(old: RunFolder, new: RunFolder, scores: Scores, origin: Rescored, as_json: bool) -> None:
    from benchwright.eval.pipeline.runner import score_folder

    before = score_folder(old.spec(), old.rows(), old)
    kinds = Counter(f"{_words(one.before)} -> {_words(one.after)}" for one in origin.changed)
    if not as_json and origin.changed:
        rows = [
            (one.row_id, one.row, _words(one.before), _words(one.after)) for one in origin.changed[:SHOWN]
        ]
        more = f", the first {SHOWN}" if len(origin.changed) > SHOWN else ""
        title = f"{len(origin.changed)} rows whose worth changed{more}"
        show_table(SummaryTable(title, ("row", "release", "before", "after"), rows))
    table = SummaryTable(
        f"{scores.spec.model.name}, rescored from {origin.rescored_from}",
        ("run", "judge", "rows", *(name for name, _ in _figures(scores))),
        [
            (
                one.run_id,
                _judge_words(one.spec),
                one.spec.dataset.rows,
                *(value for _, value in _figures(one)),
            )
            for one in (before, scores)
        ],
    )
    result = {
        "folder": str(new.path),
        "before": before.model_dump(mode="json"),
        "after": scores.model_dump(mode="json"),
        "rescored": origin.model_dump(mode="json"),
        "changes": dict(sorted(kinds.items())),
    }
    lost = origin.rows.get("asked-changed", 0)
    if lost:
        say(
            f"note: {lost} rows ask something else now: their answers were left behind, they count as not run"
        )
    if gone := origin.rows.get("gone", 0):
        say(f"note: {gone} rows of the old run are not in the release any more")
    emit(result, table, as_json, f"open {new.path / 'report.md'}")


def _figures(scores: Scores) -> list[tuple[str, object]]:
    total = scores.total
    return [
        ("scored", total.n_scored),
        ("no answer", total.no_answer),
        ("unjudged", total.unjudged),
        ("not run", total.not_run),
        (f"{scores.headline_name} %", "-" if scores.headline is None else 100 * scores.headline),
    ]


def _judge_words(spec: RunSpec) -> str:
    if spec.steps is not None:
        return f"steps {spec.steps.model.name}"
    if spec.judge is None:
        return "nobody"
    return spec.judge.kind if spec.judge.model is None else f"{spec.judge.kind} {spec.judge.model.name}"


def _words(verdict: Any) -> str:
    if verdict is None:
        return "-"
    return f"{verdict.outcome} ({verdict.right_steps})" if verdict.right_steps else str(verdict.outcome)
