"""`evaluate`: ask a model a released data set, judge its answers, report the scores.

`evaluate ORG/NAME[@REVISION] --model M` is `evaluate run ...`: `run` is the default command of the group.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.common import json_option, progress, say, workspace_option
from benchwright.cli.evaluate_human import import_human
from benchwright.cli.evaluate_report import report
from benchwright.cli.evaluate_show import find_place, finish, kept_back, runs_folder, show_scores

if TYPE_CHECKING:
    from benchwright.eval.dataset import Dataset, Selection
    from benchwright.eval.runner import Models, RunResult, RunSettings
    from benchwright.eval.spec import JudgeKind, SamplingSpec

KEY_ENVIRONMENT = "OPENAI_API_KEY"


class DefaultRun(click.Group):
    """A group whose command `run` may be left out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `run` before arguments that name no command."""
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(cls=DefaultRun, context_settings={"help_option_names": ["-h", "--help"]})
def evaluate() -> None:
    """Ask a model a released data set and score its answers.

    `evaluate ORG/NAME@TAG --model openai/NAME --base-url URL` is short for `evaluate run ...`.
    """


class Temperature(click.ParamType[Any]):
    """A number, or `default` to leave it to the server."""

    name = "number|default"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the option."""
        if value is None or value == "default":
            return "default"
        try:
            number = float(value)
        except ValueError:
            self.fail(f"{value!r} is neither a number nor 'default'.", param, ctx)
        if number < 0:
            self.fail("a temperature is not negative.", param, ctx)
        return number


@dataclass(frozen=True)
class RunOptions:
    """The options of `evaluate run`, as typed."""

    dataset: str
    model: str
    base_url: str | None
    api_key_env: str
    versions: str | None
    languages: str | None
    split: str
    limit: int | None
    only: tuple[str, ...]
    judge: JudgeKind | None
    judge_model: str | None
    judge_base_url: str | None
    judge_api_key_env: str
    judge_max_tokens: int
    concurrency: int
    attempts: int
    max_tokens: int
    temperature: float | str
    seed: int | None
    extra: tuple[str, ...]
    stop_above: float
    allow_external: bool
    resume: bool
    out: Path | None
    workspace: Path | None
    as_json: bool


@evaluate.command("run", short_help="Ask a model and score its answers (the default command).")
@click.argument("dataset")
@click.option("--model", required=True, help="baseline/random, replay/FILE or openai/NAME.")
@click.option("--base-url", default=None, help="OpenAI-compatible endpoint of openai/NAME.")
@click.option(
    "--api-key-env",
    default=KEY_ENVIRONMENT,
    show_default=True,
    help="Environment variable that holds the key.",
)
@click.option("--versions", default=None, help="Versions, separated by commas; default: all of the data set.")
@click.option(
    "--languages", default=None, help="Languages, separated by commas; default: all of the data set."
)
@click.option(
    "--split",
    type=click.Choice(["test+testmini", "test", "testmini"]),
    default="test+testmini",
    show_default=True,
    help="The default is the whole scored set.",
)
@click.option(
    "--limit", type=click.IntRange(min=1), default=None, help="Only the first N rows: a partial figure."
)
@click.option("--only", multiple=True, metavar="ID", help="Only this row; may be repeated: a partial figure.")
@click.option(
    "--judge",
    type=click.Choice(["rules", "llm", "rules+llm"]),
    default=None,
    help="Who decides; default: llm when --judge-model is given, else rules.",
)
@click.option("--judge-model", default=None, help="The judging model, e.g. openai/NAME.")
@click.option("--judge-base-url", default=None, help="Endpoint of the judging model.")
@click.option("--judge-api-key-env", default=KEY_ENVIRONMENT, show_default=True, help="Its key's variable.")
@click.option(
    "--judge-max-tokens",
    type=click.IntRange(min=1024),
    default=2048,
    show_default=True,
    help="Room for the judge's words; a reasoning judge needs more.",
)
@click.option(
    "--concurrency", type=click.IntRange(min=1), default=8, show_default=True, help="Calls in flight."
)
@click.option(
    "--attempts", type=click.IntRange(min=1), default=6, show_default=True, help="Tries for one call."
)
@click.option(
    "--max-tokens",
    type=click.IntRange(min=0),
    default=2048,
    show_default=True,
    help="0 leaves it to the server.",
)
@click.option(
    "--temperature",
    type=Temperature(),
    default="0",
    show_default=True,
    help="`default` leaves it to the server.",
)
@click.option("--seed", type=click.IntRange(min=0), default=None, help="Sent along; seeds baseline/random.")
@click.option(
    "--extra",
    multiple=True,
    metavar="KEY=JSON",
    help="A further field of the request, e.g. reasoning_effort='\"low\"'.",
)
@click.option(
    "--stop-above",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Stop when more than this share of the run's calls fail.",
)
@click.option(
    "--allow-external", is_flag=True, help="Send an unreleased folder to a model outside this machine."
)
@click.option("--resume", is_flag=True, help="Only continue: it is an error when there is no such run yet.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Run folder; default: runs/RUN-ID in the workspace or the current folder.",
)
@workspace_option
@json_option
def run_command(**options: Any) -> None:
    """Ask MODEL every scored row of DATASET (ORG/NAME, ORG/NAME@REVISION or a release folder).

    The same command again continues: only what is not final is redone.
    """
    chosen = RunOptions(**options)
    result, folder = _run(chosen)
    show_scores(result.scores, folder, chosen.as_json, {"notes": list(result.notes), "reused": result.reused})
    finish(result, chosen.stop_above)


evaluate.add_command(report)
evaluate.add_command(import_human)


def _run(options: RunOptions) -> tuple[RunResult, Path]:
    from benchwright.eval.dataset import open_dataset
    from benchwright.eval.plan import check_outgoing, run_spec
    from benchwright.eval.report import write_scores
    from benchwright.eval.runner import run
    from benchwright.eval.store import RunFolder
    from benchwright.models.store import CallStore
    from benchwright.schemas.errors import TamperedError, UsageError

    place = find_place(options.workspace)
    models, kind = _models(options)
    try:
        _, data = open_dataset(options.dataset, _selection(options))
    except TamperedError as error:
        raise UsageError(f"{error}: download or build {options.dataset} again.") from error
    check_outgoing(
        data,
        models.tested,
        models.judge,
        allow_external=options.allow_external,
        forbidden_sources=kept_back(place, Path(options.dataset)),
    )
    spec = run_spec(data, models.tested, kind, models.judge, _sampling(options), options.judge_max_tokens)
    folder = RunFolder(options.out if options.out is not None else runs_folder(place) / spec.run_id)
    if options.resume and not folder.spec_path.exists():
        raise UsageError(f"there is no run in {folder.path} to resume: leave --resume away to start one.")
    with folder.lock():
        notes = folder.open(spec)
        _announce(models, data, kind, folder.path)
        with CallStore(place.calls if place is not None else folder.path / "calls.sqlite") as calls:
            result = run(spec, data, models, folder, calls, _settings(options), progress)
        write_scores(folder.path, result.scores)
    result = replace(result, notes=(*notes, *result.notes))
    for note in result.notes:
        say(f"note: {note}")
    return result, folder.path


def _models(options: RunOptions) -> tuple[Models, JudgeKind]:
    from benchwright.eval.plan import check_judge, judge_kind
    from benchwright.eval.runner import Models
    from benchwright.models.registry import open_model

    tested = open_model(options.model, options.base_url, options.api_key_env)
    kind = judge_kind(options.judge, options.judge_model, tested)
    if kind == "rules" and options.judge_model is not None:
        say(f"note: {options.model} answers in letters; the rules decide, {options.judge_model} is not asked")
    judge = None
    if kind != "rules" and options.judge_model is not None:
        judge = open_model(options.judge_model, options.judge_base_url, options.judge_api_key_env)
        check_judge(judge)
    return Models(tested, judge), kind


def _selection(options: RunOptions) -> Selection:
    from benchwright.eval.dataset import Selection
    from benchwright.schemas.records import Split

    return Selection(
        versions=_names(options.versions),
        languages=_names(options.languages),
        splits=tuple(Split(name) for name in options.split.split("+")),
        limit=options.limit,
        only=options.only,
    )


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def _sampling(options: RunOptions) -> SamplingSpec:
    from benchwright.eval.spec import SamplingSpec

    temperature = options.temperature
    return SamplingSpec(
        max_tokens=options.max_tokens or None,
        temperature=temperature if isinstance(temperature, float) else None,
        seed=options.seed,
        extra=_extra(options.extra),
    )


def _extra(pairs: Sequence[str]) -> dict[str, Any]:
    from benchwright.schemas.errors import UsageError

    fields: dict[str, Any] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        try:
            fields[name] = json.loads(text)
        except ValueError as error:
            raise UsageError(f"--extra {pair}: write KEY=JSON, e.g. top_k=20 or effort='\"low\"'.") from error
        if not sign or not name:
            raise UsageError(f"--extra {pair}: write KEY=JSON, e.g. top_k=20.")
    return fields


def _settings(options: RunOptions) -> RunSettings:
    from benchwright.eval.runner import RunSettings
    from benchwright.models.scheduler import SchedulerSettings

    return RunSettings(
        SchedulerSettings(concurrency=options.concurrency, attempts=options.attempts), options.stop_above
    )


def _announce(models: Models, data: Dataset, kind: JudgeKind, folder: Path) -> None:
    from benchwright.models.policy import outgoing_note

    spec = data.spec
    fixed = f"commit {spec.commit[:12]}" if spec.commit else f"digest {spec.digest[:12]}"
    say(f"{spec.name} ({fixed}): {spec.rows} rows -> {folder}")
    say(outgoing_note(models.tested, spec.rows, answers=False))
    if models.judge is not None:
        say(f"judge {kind}: {outgoing_note(models.judge, spec.rows, answers=True)}")
    if spec.partial:
        say("note: --limit or --only leaves rows out; the figures are partial and marked so")
