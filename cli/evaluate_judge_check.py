"""`evaluate judge-check`: how far a judge can be trusted, on cases whose verdict is known."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.common import Incomplete, SummaryTable, emit, json_option, say, workspace_option
from benchwright.cli.evaluate_options import judge_key_option, judge_option
from benchwright.cli.evaluate_show import find_place

if TYPE_CHECKING:
    from benchwright.eval.judges.judge_check import Calibration, Rate
    from benchwright.eval.runs.spec import JudgeKind, StepsSee
    from benchwright.models.chat import ChatModel


@dataclass(frozen=True)
class CheckOptions:
    """The options of `evaluate judge-check`, as typed."""

    cases: Path | None
    what: str
    steps_see: tuple[StepsSee, ...]
    judge: JudgeKind | None
    judge_model: str | None
    judge_base_url: str | None
    judge_api_key_env: str
    judge_max_tokens: int
    judge_prompts: Path | None
    concurrency: int
    attempts: int
    allow_external: bool
    save: Path | None
    workspace: Path | None
    as_json: bool


@click.command("judge-check", short_help="Measure a judge on cases whose verdict is known.")
@click.argument("cases", type=click.Path(path_type=Path), required=False)
@click.option(
    "--kind",
    "what",
    type=click.Choice(["consistency", "steps"]),
    default="consistency",
    show_default=True,
    help="What the cases are about: final answers, or key steps (K or L, 1 or 0).",
)
@click.option(
    "--steps-see",
    type=click.Choice(["answer"]),
    multiple=True,
    help="With --kind steps: what the scorer sees besides question and response, as in the run.",
)
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
    "--judge-prompts",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=None,
    help="Folder of your own words for the judging model, judge.LANG.txt, as a run has them.",
)
@click.option(
    "--concurrency", type=click.IntRange(min=1), default=8, show_default=True, help="Calls in flight."
)
@click.option(
    "--attempts", type=click.IntRange(min=1), default=6, show_default=True, help="Tries for one call."
)
@click.option("--allow-external", is_flag=True, help="Send the cases to a judge outside this machine.")
@click.option(
    "--save",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Keep the result, for `evaluate report --calibration FILE`.",
)
@workspace_option
@json_option
def judge_check(**options: Any) -> None:
    """Let a judge decide CASES and compare with what is right.

    CASES is a JSONL file: discipline, question (with its options), ground_answer, response, consistent (true or false),
    kind, why. Without it the workspace's reviewed judge verdicts are the cases.
    """
    chosen = CheckOptions(**options)
    if chosen.what == "steps":
        _check_steps(chosen)
        return
    found = _check(chosen)
    if chosen.save is not None:
        from benchwright.eval.judges.judge_check import write_calibration

        write_calibration(chosen.save, found)
    _show(found, chosen.as_json)
    if found.failed:
        raise Incomplete(f"{found.failed} of {found.n} cases have no verdict because the judge failed")


def _check(options: CheckOptions) -> Calibration:
    from contextlib import nullcontext

    from benchwright.eval.judges.cases import prepared, read_cases, reviewed_cases
    from benchwright.eval.judges.judge import Judge
    from benchwright.eval.judges.judge_check import Checked, calibrate, check_cases
    from benchwright.eval.pipeline.plan import judge_spec
    from benchwright.eval.runs.instructions import users_prompts
    from benchwright.models.scheduler import Scheduler, SchedulerSettings
    from benchwright.models.store import CallStore
    from benchwright.schemas.errors import UsageError

    place = find_place(options.workspace)
    if options.cases is not None:
        cases = prepared(read_cases(options.cases))
    elif place is not None:
        cases = reviewed_cases(place)
    else:
        raise UsageError("name a file of cases, or a workspace with reviewed judge verdicts.")
    model, kind = _model(options)
    if options.judge_prompts is not None and model is None:
        raise UsageError("--judge-prompts are words for a judging model: name it with --judge-model.")
    # Only what was measured: cases in one language say nothing about the judge in another.
    languages = sorted({case.row.language for case in cases})
    spec = judge_spec(kind, model, options.judge_max_tokens, languages, options.judge_prompts)

    async def main() -> list[Checked]:
        settings = SchedulerSettings(concurrency=options.concurrency, attempts=options.attempts)
        with CallStore(place.calls) if place is not None else nullcontext() as calls:
            scheduler = None if model is None else Scheduler(model, calls, settings)
            try:
                mine = users_prompts(spec.prompts, "judge")
                with Judge(kind, scheduler, options.judge_max_tokens, mine) as judge:
                    return await check_cases(cases, judge, options.concurrency)
            finally:
                if model is not None:
                    await model.close()

    return calibrate(asyncio.run(main()), spec)


def _model(options: CheckOptions) -> tuple[ChatModel | None, JudgeKind]:
    from benchwright.eval.pipeline.plan import check_judge, judge_kind
    from benchwright.models.registry import open_model
    from benchwright.schemas.errors import UsageError

    kind = judge_kind(options.judge, options.judge_model, None, for_steps=options.what == "steps")
    if options.judge_model is None:
        return None, kind
    model = open_model(options.judge_model, options.judge_base_url, options.judge_api_key_env)
    check_judge(model)
    if model.external and not options.allow_external:
        raise UsageError(
            f"{model.name} is at {model.endpoint.host}, outside this machine: the cases hold questions and answers; "
            "add --allow-external to agree, or use a local endpoint."
        )
    return model, kind


def _check_steps(options: CheckOptions) -> None:
    from benchwright.eval.scicot.steps_check import check_steps, read_steps_cases, steps_check_lines
    from benchwright.models.scheduler import Scheduler, SchedulerSettings
    from benchwright.schemas.artefact import write_atomic
    from benchwright.schemas.digest import canonical_json
    from benchwright.schemas.errors import UsageError

    if options.cases is None:
        raise UsageError("judge-check --kind steps needs a file of cases.")
    cases = read_steps_cases(options.cases)
    model, _ = _model(options)
    if model is None:
        raise UsageError("judge-check --kind steps needs a judging model: name it with --judge-model.")
    settings = SchedulerSettings(concurrency=options.concurrency, attempts=options.attempts)

    async def main() -> Any:
        try:
            return await check_steps(
                cases, Scheduler(model, None, settings), options.judge_max_tokens, options.steps_see
            )
        finally:
            await model.close()

    found = asyncio.run(main())
    if options.save is not None:
        write_atomic(options.save, (canonical_json(found) + "\n").encode("utf-8"))
    table = SummaryTable(f"steps by {model.name}", ("", ""), steps_check_lines(found))
    emit(found.model_dump(mode="json"), table, options.as_json)
    if found.failed:
        raise Incomplete(f"{found.failed} cases have no reading because the judge failed")


def _show(found: Calibration, as_json: bool) -> None:
    names = ("n", "decided", "wrong", "false_consistent", "false_inconsistent", "abstained", "failed")
    rows: list[list[object]] = [
        [kind, *(getattr(figures, name) for name in names)] for kind, figures in found.by_kind.items()
    ]
    rows.append(["ALL", *(getattr(found, name) for name in names)])
    columns = ("", "n", "decided", "wrong", "false consistent", "false inconsistent", "left open", "failed")
    judge = found.judge.kind if found.judge.model is None else f"{found.judge.kind}, {found.judge.model.name}"
    emit(found.model_dump(mode="json"), SummaryTable(f"judge {judge}", columns, rows), as_json)
    if as_json:
        return
    say(
        f"right: {_share(found.accuracy)}; called consistent though they differ: "
        f"{_share(found.false_consistent_rate)}; called inconsistent though they agree: "
        f"{_share(found.false_inconsistent_rate)}; kappa {'-' if found.kappa is None else f'{found.kappa:.3f}'}"
    )
    if found.wrong_cases:
        say(f"wrong: cases {', '.join(map(str, found.wrong_cases))}")
    for reason, members in _open(found).items():
        say(f"left open, {reason}: {len(members)} (cases {', '.join(map(str, members))})")


def _open(found: Calibration) -> dict[str, list[int]]:
    reasons: dict[str, list[int]] = {}
    for case in found.left_open:
        reasons.setdefault(case.reason, []).append(case.number)
    return dict(sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])))


def _share(rate: Rate) -> str:
    if rate.share is None or rate.low is None or rate.high is None:
        return "-"
    return (
        f"{100 * rate.share:.1f} % ({100 * rate.low:.1f} to {100 * rate.high:.1f}, {rate.count} of {rate.of})"
    )
